package org.brrkit.demo

import android.text.InputType
import org.brrkit.keyboard.Field

/** What a key does. */
internal sealed interface KeyAction {
    data class Type(val text: String) : KeyAction

    data class Turn(val page: Page) : KeyAction

    data object Shift : KeyAction

    data object Backspace : KeyAction

    data object Enter : KeyAction

    /** Switches to the next language, and after the last one to the next keyboard. */
    data object Switch : KeyAction
}

/** A key, and its width as a multiple of a letter's. */
internal data class Key(val action: KeyAction, val width: Float = 1f)

/** The pages of the keyboard. Ten widths make a full row; a shorter row is centered. */
internal enum class Page {
    LETTERS,
    SYMBOLS,
    MORE_SYMBOLS,
    EMOJI,

    /** A number pad, for fields that take numbers. */
    NUMBERS,
    ;

    /** The keys; with a key for the next language or keyboard if there is one ([switches]). */
    fun rows(switches: Boolean, layout: Layout): List<List<Key>> = when (this) {
        LETTERS -> layout.rows.map(::typing) + listOf(
            between(layout.left, layout.last),
            bottom(Key(KeyAction.Turn(SYMBOLS), SIDE_KEY), Key(KeyAction.Turn(EMOJI)), switches),
        )
        SYMBOLS -> listOf(
            typing("1234567890"),
            typing("@#$&_-+()/"),
            between(KeyAction.Turn(MORE_SYMBOLS), "*\"%:;!?"),
            bottom(Key(KeyAction.Turn(LETTERS), SIDE_KEY), Key(KeyAction.Turn(EMOJI)), switches),
        )
        MORE_SYMBOLS -> listOf(
            typing("~`|•÷×§…«»"),
            typing("£¢€¥^°={}\\"),
            between(KeyAction.Turn(SYMBOLS), "<>©®™[]"),
            bottom(Key(KeyAction.Turn(LETTERS), SIDE_KEY), Key(KeyAction.Turn(EMOJI)), switches),
        )
        // None is part of a word.
        EMOJI -> listOf(
            typing("😀😂🙂😉😍😘😎🤔😴😢"),
            typing("😡😱🥳👍👎👏🙏💪👋🤝"),
            typing("💙💔🔥✨🎉🎂🌞🍀") + Key(KeyAction.Backspace, 2f),
            bottom(
                Key(KeyAction.Turn(LETTERS), SIDE_KEY),
                Key(KeyAction.Turn(SYMBOLS), SIDE_KEY),
                switches,
            ),
        )
        NUMBERS -> listOf(
            pad("123") + Key(KeyAction.Backspace, PAD_KEY),
            pad("456-"),
            pad("789+"),
            listOf(Key(KeyAction.Turn(SYMBOLS), PAD_KEY)) + pad("0.") +
                Key(KeyAction.Enter, PAD_KEY),
        )
    }
}

/** The first page. */
internal val Field.page: Page
    get() = when (inputType and InputType.TYPE_MASK_CLASS) {
        InputType.TYPE_CLASS_NUMBER, InputType.TYPE_CLASS_PHONE -> Page.NUMBERS
        InputType.TYPE_CLASS_DATETIME -> Page.SYMBOLS
        else -> Page.LETTERS
    }

/** The choices of a held key: related characters, at most seven, so that they fit into a row. */
internal val KeyAction.choices: List<String>
    get() = if (this is KeyAction.Type) CHOICES[text].orEmpty() else emptyList()

/** The widest row, in widths of a letter. */
internal const val ROW_WIDTH = 10f

private const val SIDE_KEY = 1.5f
private const val PAD_KEY = 2.5f

private val CHOICES: Map<String, List<String>> = listOf(
    "aàáâäãåæ", "cçćč", "dð", "eèéêëēėę", "gğ", "iìíîïīįı", "lł", "nñńň", "oòóôöõøœ", "rř",
    "sßśšş", "tþť", "uùúûüūů", "yýÿ", "zźżž", "'‘’‚`", "\"“”„", "-–—", "!¡", "?¿",
    "اآأإء", "یئي", "وؤ", "هة", "کك",
).associate { line -> characters(line).let { it.first() to it.drop(1) } }

private fun characters(text: String): List<String> =
    text.codePoints().toArray().map { String(Character.toChars(it)) }

private fun typing(text: String, room: Float = ROW_WIDTH): List<Key> = characters(text).let { all ->
    all.map { Key(KeyAction.Type(it), minOf(1f, room / all.size)) }
}

private fun pad(characters: String): List<Key> =
    typing(characters).map { it.copy(width = PAD_KEY) }

private fun between(left: KeyAction, characters: String): List<Key> =
    listOf(Key(left, SIDE_KEY)) + typing(characters, ROW_WIDTH - 2 * SIDE_KEY) +
        Key(KeyAction.Backspace, SIDE_KEY)

/** The space bar fills the rest. */
private fun bottom(turn: Key, other: Key, switches: Boolean): List<Key> {
    val left = listOf(turn) + if (switches) listOf(Key(KeyAction.Switch)) else emptyList()
    val before = left + other + typing(",")
    val after = typing(".") + Key(KeyAction.Enter, SIDE_KEY)
    val space = ROW_WIDTH - (before + after).map(Key::width).sum()
    return before + Key(KeyAction.Type(" "), space) + after
}
