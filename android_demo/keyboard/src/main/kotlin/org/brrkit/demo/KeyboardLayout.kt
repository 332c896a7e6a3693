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
}

/** A key, and its width as a multiple of a letter's. */
internal data class Key(val action: KeyAction, val width: Float = 1f)

/** The pages of the keyboard. Ten widths make a full row; a shorter row is centred. */
internal enum class Page {
    LETTERS,
    SYMBOLS,
    MORE_SYMBOLS,

    /** A pad, for fields that take numbers. */
    NUMBERS,
    ;

    val rows: List<List<Key>>
        get() = when (this) {
            LETTERS -> listOf(
                typing("qwertyuiop"),
                typing("asdfghjkl"),
                between(KeyAction.Shift, "zxcvbnm"),
                bottom(SYMBOLS),
            )
            SYMBOLS -> listOf(
                typing("1234567890"),
                typing("@#$&_-+()/"),
                between(KeyAction.Turn(MORE_SYMBOLS), "*\"%:;!?"),
                bottom(LETTERS),
            )
            MORE_SYMBOLS -> listOf(
                typing("~`|•÷×§…«»"),
                typing("£¢€¥^°={}\\"),
                between(KeyAction.Turn(SYMBOLS), "<>©®™[]"),
                bottom(LETTERS),
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

/** The page to begin with. */
internal val Field.page: Page
    get() = when (inputType and InputType.TYPE_MASK_CLASS) {
        InputType.TYPE_CLASS_NUMBER, InputType.TYPE_CLASS_PHONE -> Page.NUMBERS
        InputType.TYPE_CLASS_DATETIME -> Page.SYMBOLS
        else -> Page.LETTERS
    }

/** The widest row, in widths of a letter. */
internal const val ROW_WIDTH = 10f

private const val SIDE_KEY = 1.5f
private const val PAD_KEY = 2.5f

private fun typing(characters: String): List<Key> =
    characters.map { Key(KeyAction.Type(it.toString())) }

private fun pad(characters: String): List<Key> =
    typing(characters).map { it.copy(width = PAD_KEY) }

private fun between(left: KeyAction, characters: String): List<Key> =
    listOf(Key(left, SIDE_KEY)) + typing(characters) + Key(KeyAction.Backspace, SIDE_KEY)

private fun bottom(turn: Page): List<Key> = buildList {
    add(Key(KeyAction.Turn(turn), SIDE_KEY))
    addAll(typing(",'"))
    add(Key(KeyAction.Type(" "), 4f))
    addAll(typing("."))
    add(Key(KeyAction.Enter, SIDE_KEY))
}
