package org.brrkit.keyboard

import android.view.KeyEvent
import android.view.inputmethod.InputConnection

/**
 * Typing in one field: keys in, edits of the field out, and the words that are finished.
 *
 * In a field that doesn't release words, no typed character is kept here.
 */
internal class Typing(val field: Field) {
    var page = field.page
        private set
    var shift = ShiftState.OFF
        private set
    private var word = TypedWord.NONE
    private var shiftTapped = -DOUBLE_TAP_MS
    private var shiftIsChosen = false

    /** What suggestions are for: the beginning of a word, or nothing. */
    val prefix: String
        get() = if (word.whole) word.text else ""

    /** Does what a key says at the time [now] (ms). Returns the word that it finished, if any. */
    fun press(action: KeyAction, editor: InputConnection, now: Long): String? {
        var finished: String? = null
        shiftIsChosen = action == KeyAction.Shift
        when (action) {
            is KeyAction.Type -> finished = type(cased(action.text), editor)
            is KeyAction.Turn -> page = action.page
            KeyAction.Backspace -> delete(editor)
            KeyAction.Enter -> {
                finished = finish(editor)
                val enter = field.action
                if (enter == null) editor.commitText("\n", 1) else editor.performEditorAction(enter)
            }
            KeyAction.Shift -> {
                shift = shift.tapped(again = now - shiftTapped < DOUBLE_TAP_MS)
                shiftTapped = now
            }
        }
        look(editor)
        return finished
    }

    /** Puts [suggestion] in the place of the typed word. Returns it if the word is finished so. */
    fun choose(suggestion: String, editor: InputConnection): String? {
        if (!word.isAt(before(editor))) return null
        val typed = word.text
        val finished = finish(editor)
        editor.beginBatchEdit()
        editor.deleteSurroundingText(typed.length, 0)
        editor.commitText("$suggestion ", 1)
        editor.endBatchEdit()
        look(editor)
        return finished?.let { suggestion }
    }

    /** Looks at the field again: the cursor or the text may have changed. */
    fun look(editor: InputConnection) {
        if (word != TypedWord.NONE && !word.isAt(before(editor))) word = TypedWord.NONE
        if (shiftIsChosen) return
        shift = shift.next(capital = editor.getCursorCapsMode(field.inputType) != 0)
    }

    private fun cased(text: String): String =
        if (shift == ShiftState.OFF) text else text.uppercase()

    private fun type(text: String, editor: InputConnection): String? {
        var finished: String? = null
        if (isSeparator(text)) {
            finished = finish(editor)
        } else if (field.releases) {
            word = word.plus(text, before(editor))
        }
        editor.commitText(text, 1)
        return finished
    }

    private fun finish(editor: InputConnection): String? {
        val finished = word
        if (finished == TypedWord.NONE) return null
        val complete = finished.isComplete(before(editor), editor.getTextAfterCursor(2, 0))
        word = TypedWord.NONE
        return if (complete) finished.text else null
    }

    private fun delete(editor: InputConnection) {
        if (field.isRaw) {
            editor.sendKeyEvent(KeyEvent(KeyEvent.ACTION_DOWN, KeyEvent.KEYCODE_DEL))
            editor.sendKeyEvent(KeyEvent(KeyEvent.ACTION_UP, KeyEvent.KEYCODE_DEL))
        } else if (!editor.getSelectedText(0).isNullOrEmpty()) {
            word = TypedWord.NONE
            editor.commitText("", 1)
        } else {
            if (word != TypedWord.NONE) word = word.minusLast(before(editor))
            editor.deleteSurroundingTextInCodePoints(1, 0)
        }
    }

    /** The typed word, and the code point before it. */
    private fun before(editor: InputConnection): CharSequence? =
        editor.getTextBeforeCursor(word.text.length + 2, 0)

    private companion object {
        const val DOUBLE_TAP_MS = 300L
    }
}
