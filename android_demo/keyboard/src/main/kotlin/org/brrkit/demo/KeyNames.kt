package org.brrkit.demo

import android.content.res.Resources
import android.view.inputmethod.EditorInfo

/** The names of keys for a screen reader. */
internal class KeyNames(private val resources: Resources) {
    private val symbols: Map<String, String> = resources.getStringArray(R.array.symbol_names)
        .associate { it.substringBefore(' ') to it.substringAfter(' ') }

    /** [hidden] in a password's field, where a key's character isn't spoken. */
    fun of(
        action: KeyAction,
        shift: ShiftState,
        enter: Int?,
        hidden: Boolean,
    ): String = when (action) {
        is KeyAction.Type -> when {
            hidden -> resources.getString(R.string.key_hidden)
            action.text == " " -> resources.getString(R.string.key_space)
            action.text == NON_JOINER -> resources.getString(R.string.key_non_joiner)
            action.text in symbols -> symbols.getValue(action.text)
            shift == ShiftState.OFF || !action.text[0].isLetter() -> action.text
            else -> resources.getString(R.string.key_capital, action.text)
        }
        is KeyAction.Turn -> of(action.page)
        KeyAction.Shift -> of(shift)
        KeyAction.Backspace -> resources.getString(R.string.key_backspace)
        KeyAction.Switch -> resources.getString(R.string.key_switch)
        KeyAction.Enter -> resources.getString(enterName(enter))
    }

    fun of(page: Page): String = resources.getString(
        when (page) {
            Page.LETTERS -> R.string.key_letters
            Page.SYMBOLS -> R.string.key_symbols
            Page.MORE_SYMBOLS -> R.string.key_more_symbols
            Page.EMOJI -> R.string.key_emoji
            Page.NUMBERS -> R.string.key_numbers
        },
    )

    fun of(shift: ShiftState): String = resources.getString(
        when (shift) {
            ShiftState.OFF -> R.string.key_shift
            ShiftState.ONCE -> R.string.key_shift_once
            ShiftState.LOCKED -> R.string.key_shift_locked
        },
    )
}

/** The icon of the enter key for an action of [EditorInfo]; null for a new line. */
internal fun enterIcon(action: Int?): Int = when (action) {
    EditorInfo.IME_ACTION_SEARCH -> R.drawable.icon_search
    EditorInfo.IME_ACTION_SEND -> R.drawable.icon_send
    EditorInfo.IME_ACTION_NEXT, EditorInfo.IME_ACTION_GO -> R.drawable.icon_next
    EditorInfo.IME_ACTION_PREVIOUS -> R.drawable.icon_previous
    EditorInfo.IME_ACTION_DONE -> R.drawable.icon_done
    else -> R.drawable.icon_enter
}

private fun enterName(action: Int?): Int = when (action) {
    EditorInfo.IME_ACTION_SEARCH -> R.string.key_search
    EditorInfo.IME_ACTION_SEND -> R.string.key_send
    EditorInfo.IME_ACTION_NEXT -> R.string.key_next
    EditorInfo.IME_ACTION_GO -> R.string.key_go
    EditorInfo.IME_ACTION_PREVIOUS -> R.string.key_previous
    EditorInfo.IME_ACTION_DONE -> R.string.key_done
    else -> R.string.key_enter
}
