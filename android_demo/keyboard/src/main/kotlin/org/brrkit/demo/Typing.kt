package org.brrkit.demo

import android.view.inputmethod.InputConnection
import org.brrkit.keyboard.Field
import org.brrkit.keyboard.TypedWords

/** Typing with these keys in one field: what a key does, the page, and capital letters. */
internal class Typing(val field: Field) {
    var page = field.page
        private set
    var shift = ShiftState.OFF
        private set
    private val words = TypedWords(field)
    private var shiftTapped = -DOUBLE_TAP_MS
    private var shiftIsChosen = false

    /** What suggestions are for: the beginning of a word, or nothing. */
    val prefix: String
        get() = words.prefix

    /** Does what a key says at the time [now] (ms). Returns the word that it finished, if any. */
    fun press(action: KeyAction, editor: InputConnection, now: Long): String? {
        var finished: String? = null
        shiftIsChosen = action == KeyAction.Shift
        when (action) {
            is KeyAction.Type -> finished = words.type(cased(action.text), editor)
            is KeyAction.Turn -> page = action.page
            KeyAction.Backspace -> words.delete(editor)
            KeyAction.Enter -> finished = words.enter(editor)
            KeyAction.Shift -> {
                shift = shift.tapped(again = now - shiftTapped < DOUBLE_TAP_MS)
                shiftTapped = now
            }
        }
        look(editor)
        return finished
    }

    /** Puts [suggestion] in the place of the typed word. Returns it if the word is finished so. */
    fun choose(suggestion: String, editor: InputConnection): String? =
        words.choose(suggestion, editor).also { look(editor) }

    /** Looks at the field again: the cursor or the text may have changed. */
    fun look(editor: InputConnection) {
        words.look(editor)
        if (shiftIsChosen) return
        shift = shift.next(capital = editor.getCursorCapsMode(field.inputType) != 0)
    }

    private fun cased(text: String): String =
        if (shift == ShiftState.OFF) text else text.uppercase()

    private companion object {
        const val DOUBLE_TAP_MS = 300L
    }
}
