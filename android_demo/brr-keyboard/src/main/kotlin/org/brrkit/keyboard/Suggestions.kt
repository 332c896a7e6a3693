@file:JvmName("Suggestions")

package org.brrkit.keyboard

import java.util.Locale
import java.util.concurrent.Executor
import java.util.concurrent.atomic.AtomicReference
import java.util.function.Consumer
import org.brrkit.WordBundle

/** How many suggestions there are at most. */
public const val SUGGESTIONS: Int = 3

/**
 * Returns words of the bundle's vocabulary for what is typed: words that begin so, and, once it is
 * a word itself, its nearest words. They are written in the case of [typed]. What is cut into several
 * words, such as l'hom, goes on with those for the last one.
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

/** Turkish has two kinds of i: a language says what the capital is. */
private fun inCaseOf(typed: String, word: String, language: Locale): String = when {
    typed.length > 1 && typed.none(Char::isLowerCase) && typed.any(Char::isUpperCase) ->
        word.uppercase(language)
    typed.first().isUpperCase() -> word.replaceFirstChar { it.uppercase(language) }
    else -> word
}

/**
 * Looks suggestions up on a thread of their own: a release waits for the disk, and would hold them
 * up. Only what was asked last is looked up and answered; nothing else that was typed is kept.
 *
 * For the main thread.
 */
internal class Suggester(private val bundle: BundleThread, private val thread: Executor) {
    private val waiting = AtomicReference<Request>()
    private var last: Request? = null

    /** Looks words up for [prefix], then calls [done]; without one, only drops what was asked. */
    fun suggest(prefix: String, done: Consumer<List<String>>) {
        last = if (prefix.isEmpty()) null else Request(prefix, done)
        // A task that is on its way takes the newer request.
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
