package org.brrkit.demo

/**
 * The letters of a language's keyboard.
 *
 * @property rows from the top; a row may have more letters than ten, which are narrower then.
 * @property last the row with backspace behind it.
 * @property left what stands before that: shift, where letters have capitals.
 */
internal data class Layout(
    val rows: List<String>,
    val last: String,
    val left: KeyAction = KeyAction.Shift,
)

/** Joins no letters and cuts no word: Persian writes it inside words. */
internal const val NON_JOINER = "\u200c"

private val QWERTY = Layout(listOf("qwertyuiop", "asdfghjkl'"), "zxcvbnm")

/** By language; others are typed on [QWERTY], whose keys offer accents when they are held. */
private val LAYOUTS = mapOf(
    "de" to Layout(listOf("qwertzuiopü", "asdfghjklöä"), "yxcvbnmß'"),
    "fa" to Layout(listOf("ضصثقفغعهخحج", "شسیبلاتنمکگ"), "ظطژزرذدپوچ", KeyAction.Type(NON_JOINER)),
    "fr" to Layout(listOf("éèêëàâçîôù", "azertyuiop", "qsdfghjklm"), "wxcvbn'"),
)

/** Returns the layout of a [language], by its code: `fr`. */
internal fun layoutOf(language: String): Layout = LAYOUTS[language] ?: QWERTY
