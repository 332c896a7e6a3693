package org.brrkit.keyboard

import org.brrkit.WordBundle

/** How many suggestions there are at most. */
public const val SUGGESTIONS: Int = 3

/**
 * Returns words of the bundle's vocabulary for what is typed: words that begin so, and, once it is
 * a word itself, its nearest words. They are written in the case of [typed].
 */
public fun suggestions(bundle: WordBundle, typed: String): List<String> {
    val nearest = bundle.neighbors(typed, SUGGESTIONS - 1)
    val completions = bundle.vocabulary.completions(typed, SUGGESTIONS + 1)
        .filter { it.length > typed.length }
    return (completions.take(SUGGESTIONS - nearest.size) + nearest + completions)
        .distinct()
        .take(SUGGESTIONS)
        .map { inCaseOf(typed, it) }
}

private fun inCaseOf(typed: String, word: String): String = when {
    typed.length > 1 && typed.none(Char::isLowerCase) && typed.any(Char::isUpperCase) ->
        word.uppercase()
    typed.first().isUpperCase() -> word.replaceFirstChar(Char::uppercase)
    else -> word
}
