package org.brrkit.demo

/**
 * The letters of a language's keyboard.
 *
 * @property rows from the top. The keys in a row with more than ten letters are narrower.
 * @property last the row with backspace behind it.
 * @property left the keys before that row: shift, if letters have capitals.
 */
internal data class Layout(
    val rows: List<String>,
    val last: String,
    val left: KeyAction = KeyAction.Shift,
)

/** The zero-width non-joiner, which Persian uses inside words. */
internal const val NON_JOINER = "\u200c"

private val QWERTY = Layout(listOf("qwertyuiop", "asdfghjkl'"), "zxcvbnm")

/** Layouts by language. Others use [QWERTY], whose held keys offer accents. */
private val LAYOUTS = mapOf(
    "de" to Layout(listOf("qwertzuiopü", "asdfghjklöä"), "yxcvbnmß'"),
    "fa" to Layout(listOf("ضصثقفغعهخحج", "شسیبلاتنمکگ"), "ظطژزرذدپوچ", KeyAction.Type(NON_JOINER)),
    "fr" to Layout(listOf("éèêëàâçîôù", "azertyuiop", "qsdfghjklm"), "wxcvbn'"),
)

/** Returns the layout of a [language], by its code: `fr`. */
internal fun layoutOf(language: String): Layout = LAYOUTS[language] ?: QWERTY
