package org.brrkit.keyboard

import android.icu.text.BreakIterator
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
 * **Text that is composed.** A keyboard that composes (an input method's candidates, a glide, a
 * correction) shows the composition by itself, with `setComposingText`. When it is decided, it takes it
 * back out of the field, and gives it to [type] as a whole; a later correction goes through [correct] or
 * [choose]. A text of several words, what is pasted, and what another keyboard wrote are never returned,
 * so never released.
 *
 * ```
 * currentInputConnection.setComposingText("", 1) // the composition, out of the field
 * words.type(composed, currentInputConnection)?.let { keyboard.release(it, strip::add) }
 * ```
 *
 * @property field where it is typed.
 * @param closing characters that stand right behind a word in the language that is typed: the space
 * that follows a suggestion is taken back before them. In French, ! and ? aren't among them.
 */
public class TypedWords @JvmOverloads constructor(
    public val field: Field,
    private val closing: String = ".,;:!?)]}…",
) {
    private var word = TypedWord.NONE

    /** Length of the suggestion whose space was the last thing to be written; else 0. */
    private var spaced = 0

    /** Whether nothing stood before the word that was finished last: a text begins with it. */
    public var beginsText: Boolean = false
        private set

    /** What suggestions are for: the beginning of a word, or nothing. */
    public val prefix: String
        get() = if (word.whole) word.text else ""

    /**
     * Types [text], a character of a key or a whole word that was composed. Returns the word that it
     * finished, if any.
     *
     * Behind a suggestion stands a space already: another one adds nothing, and what closes a
     * sentence takes it back.
     */
    public fun type(text: String, editor: InputConnection): String? {
        val isBehindSuggestion = (text == " " || text in closing) && isBehindSuggestion(editor)
        spaced = 0
        if (isBehindSuggestion) {
            if (text != " ") replace(1, text, editor)
            return null
        }
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
        spaced = 0
        val finished = finish(editor)
        val action = field.action
        if (action == null) editor.commitText("\n", 1) else editor.performEditorAction(action)
        return finished
    }

    /**
     * Ends a sentence, as two quick spaces do on a phone: if a word and one space stand before the
     * cursor, a period and a space take that space's place. Returns whether they did.
     */
    public fun endSentence(editor: InputConnection): Boolean {
        if (!field.releases || word != TypedWord.NONE) return false
        if (!endsInWordAndSpace(editor.getTextBeforeCursor(SHORT, 0))) return false
        spaced = 0
        replace(1, ". ", editor)
        return true
    }

    /** Puts [spelling] in the place of the typed word, which goes on behind it. */
    public fun correct(spelling: String, editor: InputConnection) {
        if (!word.isAt(before(editor))) return
        replace(word.text.length, spelling, editor)
        word = word.copy(text = spelling)
    }

    /**
     * Deletes the selection, or the character before the cursor: all of what is seen as one, say
     * an emoji joined of several. A password isn't read, so there it is one code point.
     */
    public fun delete(editor: InputConnection) {
        spaced = 0
        if (field.isRaw) {
            editor.sendKeyEvent(KeyEvent(KeyEvent.ACTION_DOWN, KeyEvent.KEYCODE_DEL))
            editor.sendKeyEvent(KeyEvent(KeyEvent.ACTION_UP, KeyEvent.KEYCODE_DEL))
        } else if (!editor.getSelectedText(0).isNullOrEmpty()) {
            word = TypedWord.NONE
            editor.commitText("", 1)
        } else {
            deleteLast(editor)
        }
    }

    private fun deleteLast(editor: InputConnection) {
        val before =
            if (field.isPassword) null
            else editor.getTextBeforeCursor(maxOf(word.text.length + SHORT, LONGEST), 0)
        if (before.isNullOrEmpty()) {
            word = TypedWord.NONE
            editor.deleteSurroundingTextInCodePoints(1, 0)
        } else {
            val size = before.length - startOfLast(before)
            if (word != TypedWord.NONE) word = word.minusLast(size, before)
            editor.deleteSurroundingText(size, 0)
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
        replace(prefix.length, "$suggestion ", editor)
        spaced = suggestion.length
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
        beginsText = complete && before?.length == finished.text.length
        return if (complete) finished.text else null
    }

    /** Whether the space of a suggestion still stands before the cursor. */
    private fun isBehindSuggestion(editor: InputConnection): Boolean = spaced > 0 &&
        endsInWordAndSpace(editor.getTextBeforeCursor(spaced + 1 + SHORT, 0), spaced)

    /** The typed word, and the code point before it. */
    private fun before(editor: InputConnection): CharSequence? =
        editor.getTextBeforeCursor(word.text.length + SHORT, 0)

    private fun replace(length: Int, text: String, editor: InputConnection) {
        editor.beginBatchEdit()
        editor.deleteSurroundingText(length, 0)
        editor.commitText(text, 1)
        editor.endBatchEdit()
    }

    private companion object {
        const val SHORT = 2 // a code point
        const val LONGEST = 64 // of what is seen as one character; emoji are half as long

        /** Where the last character begins, as this phone's Unicode has it. */
        fun startOfLast(text: CharSequence): Int {
            val characters = BreakIterator.getCharacterInstance()
            characters.setText(text.toString())
            return characters.preceding(text.length)
        }
    }
}
