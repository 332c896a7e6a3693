@file:JvmName("Suggestions")

package org.brrkit.keyboard

import java.util.Locale
import java.util.concurrent.Executor
import java.util.concurrent.atomic.AtomicReference
import java.util.function.Consumer
import org.brrkit.WordBundle

/** Largest number of suggestions. */
public const val SUGGESTIONS: Int = 3

/**
 * Returns words of the bundle's vocabulary for the [typed] text: words that begin with it and, once it is a word
 * itself, its nearest words. They have the case of [typed]. If the text is cut into several words, such as l'hom,
 * the last one is completed.
 */
public fun suggestions(bundle: WordBundle, typed: String): List<String> {
    val last = bundle.tokenize(typed).lastOrNull().orEmpty()
    val isCut = last.length < typed.length && bundle.normalize(typed.takeLast(last.length)) == last
    val forLast = if (isCut && last.isNotEmpty()) {
        suggestionsOf(bundle, typed.takeLast(last.length)).map { typed.dropLast(last.length) + it }
    } else {
        emptyList()
    }
    return (suggestionsOf(bundle, typed) + forLast).distinct().take(SUGGESTIONS)
}

private fun suggestionsOf(bundle: WordBundle, typed: String): List<String> {
    val prefix = bundle.normalize(typed)
    val isWord = bundle.vocabulary.find(prefix) >= 0
    val nearest = if (isWord) bundle.neighbors(typed, SUGGESTIONS - 1).map { it.word } else listOf()
    val completions = bundle.vocabulary.completions(prefix, SUGGESTIONS + 1)
        .filter { it.length > prefix.length }
    return (completions.take(SUGGESTIONS - nearest.size) + nearest + completions)
        .distinct()
        .take(SUGGESTIONS)
        .map { inCaseOf(typed, it, Locale.forLanguageTag(bundle.writing.language)) }
}

/** Turkish has two letters i, so the capital depends on the language. */
private fun inCaseOf(typed: String, word: String, language: Locale): String = when {
    typed.length > 1 && typed.none(Char::isLowerCase) && typed.any(Char::isUpperCase) ->
        word.uppercase(language)
    typed.first().isUpperCase() -> word.replaceFirstChar { it.uppercase(language) }
    else -> word
}

/**
 * Finds suggestions on a separate thread, because a release waits for the disk and would delay them. Only the
 * last request is answered; no other typed text is kept.
 *
 * Use it on the main thread.
 */
internal class Suggester(private val bundle: BundleThread, private val thread: Executor) {
    private val waiting = AtomicReference<Request>()
    private var last: Request? = null

    /** Finds words for [prefix], then calls [done]. An empty prefix only drops the last request. */
    fun suggest(prefix: String, done: Consumer<List<String>>) {
        last = if (prefix.isEmpty()) null else Request(prefix, done)
        // A running task takes the newer request.
        if (waiting.getAndSet(last) == null && last != null) look()
    }

    private fun look() = bundle.run(
        thread,
        { bundle -> waiting.getAndSet(null)?.let { it to suggestions(bundle, it.prefix) } },
    ) { result ->
        val answer = result.fold({ it }, { waiting.getAndSet(null)?.let { it to emptyList() } })
        if (answer != null && answer.first === last) {
            last = null
            answer.first.done.accept(answer.second)
        }
    }

    private class Request(val prefix: String, val done: Consumer<List<String>>)
}
