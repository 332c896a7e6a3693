package org.brrkit.keyboard

import android.view.KeyEvent
import android.view.inputmethod.InputConnection

/**
 * Typing in one field: edits of the field in, and the words that are finished out.
 *
 * A keyboard calls it in the place of the [InputConnection], so that it sees every character. In a
 * field that doesn't release words, no typed character is kept here. Each call to the field waits
 * for another process, so there are few: a letter reads what stands before the cursor, once, and
 * what a key did is looked at with the next one. For the main thread.
 *
 * ```
 * val words = TypedWords(Field.of(info)) // in onStartInput
 * words.type(character, currentInputConnection)?.let { keyboard.release(it, strip::add) }
 * ```
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
        return finished
    }

    /** Does what the enter key does in this field. Returns the word that it finished, if any. */
    public fun enter(editor: InputConnection): String? {
        val finished = finish(editor)
        val action = field.action
        if (action == null) editor.commitText("\n", 1) else editor.performEditorAction(action)
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
    }

    /**
     * Puts [suggestion], which was made for [prefix], in the place of the typed word. Does nothing
     * if something else is typed by now. Returns the suggestion if the word is finished so.
     */
    public fun choose(suggestion: String, prefix: String, editor: InputConnection): String? {
        if (prefix.isEmpty() || prefix != this.prefix) return null
        val before = before(editor)
        if (!word.isAt(before)) return null
        val finished = finish(before, editor)
        editor.beginBatchEdit()
        editor.deleteSurroundingText(prefix.length, 0)
        editor.commitText("$suggestion ", 1)
        editor.endBatchEdit()
        return finished?.let { suggestion }
    }

    /** Looks at the field again: the cursor or the text may have changed. */
    public fun look(editor: InputConnection) {
        if (word != TypedWord.NONE && !word.isAt(before(editor))) word = TypedWord.NONE
    }

    private fun finish(editor: InputConnection): String? =
        if (word == TypedWord.NONE) null else finish(before(editor), editor)

    private fun finish(before: CharSequence?, editor: InputConnection): String? {
        val finished = word
        word = TypedWord.NONE
        // What can't be complete by what stands before it needn't ask what stands after it.
        if (!finished.isComplete(before, after = "")) return null
        val complete = finished.isComplete(before, editor.getTextAfterCursor(2, 0))
        return if (complete) finished.text else null
    }

    /** The typed word, and the code point before it. */
    private fun before(editor: InputConnection): CharSequence? =
        editor.getTextBeforeCursor(word.text.length + 2, 0)
}
