package org.brrkit.demo

/** [word] in English spelling: the pronoun I is a capital, alone or contracted with a verb. */
internal fun inEnglish(word: String): String = if (I.matches(word)) "I" + word.drop(1) else word

/**
 * Whether [word], typed behind the text [before], is the pronoun I, now that [next] follows it. It
 * isn't in wi-fi, i.e., i/o, x.i or i=1; nor in a list's (i).
 */
internal fun isPronoun(word: String, before: CharSequence, next: String): Boolean =
    I.matches(word) && (if (word == "i") next in BEHIND_I else next.none(::isOfWord)) &&
        (before.isEmpty() || before.last().isWhitespace() || before.last() in OPENING)

/** Whether a sentence ends in the pronoun in [before]: "so am i.", not a list's "i." */
internal fun endsInPronoun(before: CharSequence): Boolean = SENTENCE_IN_I.containsMatchIn(before)

/** Chars before the cursor that [endsInPronoun] looks at. */
internal const val SENTENCE_END = 4

private fun isOfWord(character: Char) = character.isLetterOrDigit() || character in "'’"

private const val OPENING = "(\"“‘"
private val I = Regex("i(['’](m|d|ll|ve))?")
private val BEHIND_I = setOf(" ", "\n", ",", "?", "!")
private val SENTENCE_IN_I = Regex("""\S i\.$""")
