package org.brrkit.keyboard

import android.view.KeyEvent
import android.view.inputmethod.InputConnection

/**
 * Typing in one field: edits of the field in, and the words that are finished out.
 *
 * A keyboard calls it in the place of the [InputConnection], so that it sees every character. In a
 * field that doesn't release words, no typed character is kept here. For the main thread.
 *
 * @property field where it is typed.
 */
public class TypedWords(public val field: Field) {
    private var word = TypedWord.NONE

    /** What suggestions are for: the beginning of a word, or nothing. */
    public val prefix: String
        get() = if (word.whole) word.text else ""

    /** Types [text], a character of a key. Returns the word that it finished, if any. */
    public fun type(text: String, editor: InputConnection): String? {
        var finished: String? = null
        if (isSeparator(text)) {
            finished = finish(editor)
        } else if (field.releases) {
            word = word.plus(text, before(editor))
        }
        editor.commitText(text, 1)
        look(editor)
        return finished
    }

    /** Does what the enter key does in this field. Returns the word that it finished, if any. */
    public fun enter(editor: InputConnection): String? {
        val finished = finish(editor)
        val action = field.action
        if (action == null) editor.commitText("\n", 1) else editor.performEditorAction(action)
        look(editor)
        return finished
    }

    /** Deletes the selection, or the character before the cursor. */
    public fun delete(editor: InputConnection) {
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
        look(editor)
    }

    /** Puts [suggestion] in the place of the typed word. Returns it if the word is finished so. */
    public fun choose(suggestion: String, editor: InputConnection): String? {
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
    public fun look(editor: InputConnection) {
        if (word != TypedWord.NONE && !word.isAt(before(editor))) word = TypedWord.NONE
    }

    private fun finish(editor: InputConnection): String? {
        val finished = word
        if (finished == TypedWord.NONE) return null
        val complete = finished.isComplete(before(editor), editor.getTextAfterCursor(2, 0))
        word = TypedWord.NONE
        return if (complete) finished.text else null
    }

    /** The typed word, and the code point before it. */
    private fun before(editor: InputConnection): CharSequence? =
        editor.getTextBeforeCursor(word.text.length + 2, 0)
}
