package org.brrkit.keyboard

import android.icu.text.BreakIterator
import android.view.KeyEvent
import android.view.inputmethod.InputConnection
import org.brrkit.Writing

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
 * **Scripts without spaces.** What is typed ends at the next separator, as elsewhere. An input method gives
 * the segment that was chosen to [commit], which returns it at once. Both may be of several words: what is
 * released is cut by the bundle's.
 *
 * @property field where it is typed.
 * @property writing how what is typed is written: that of the bundle that releases it.
 * @param closing characters that stand right behind a word in the language that is typed: the space
 * that follows a suggestion is taken back before them. In French, ! and ? aren't among them.
 */
public class TypedWords @JvmOverloads constructor(
    public val field: Field,
    public val writing: Writing = Writing.ENGLISH,
    private val closing: String = ".,;:!?)]}…،؛؟۔।",
) {
    private var word = TypedWord(writing)

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
        if (writing.finished(text).isNotEmpty()) {
            finished = finish(editor)
        } else if (field.releases) {
            word = word.plus(text, before(editor))
        }
        editor.commitText(text, 1)
        return finished
    }

    /**
     * Writes what an input method has decided. In a script without spaces that is finished at once, with
     * the word of another script that stands before it: returns it. Elsewhere it is typed.
     */
    public fun commit(text: String, editor: InputConnection): String? {
        if (!writing.isUnspaced(text)) return type(text, editor)
        spaced = 0
        val before = if (field.releases) before(editor) else null
        val typed = finish(before, after = "")
        editor.commitText(text, 1)
        if (before == null) return null
        if (typed == null) beginsText = before.isEmpty()
        return typed.orEmpty() + text
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
        if (!field.releases || word != word.none) return false
        if (!writing.endsInWordAndSpace(editor.getTextBeforeCursor(TWO_CODE_POINTS, 0))) return false
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
            word = word.none
            editor.commitText("", 1)
        } else {
            deleteLast(editor)
        }
    }

    private fun deleteLast(editor: InputConnection) {
        val before =
            if (field.isPassword) null
            else editor.getTextBeforeCursor(maxOf(word.text.length + TWO_CODE_POINTS, LONGEST_CHARACTER), 0)
        if (before.isNullOrEmpty()) {
            word = word.none
            editor.deleteSurroundingTextInCodePoints(1, 0)
        } else {
            val size = before.length - startOfLast(before)
            if (word != word.none) word = word.minusLast(size, before)
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
        val last = suggestion.codePointBefore(suggestion.length)
        val space = if (writing.isUnspaced(String(Character.toChars(last)))) "" else " "
        replace(prefix.length, suggestion + space, editor)
        spaced = if (space.isEmpty()) 0 else suggestion.length
        return finished?.let { suggestion }
    }

    /** Looks at the field again: the cursor or the text may have changed. */
    public fun look(editor: InputConnection) {
        if (word != word.none && !word.isAt(before(editor))) word = word.none
    }

    private fun finish(editor: InputConnection): String? =
        if (word == word.none) null else finish(before(editor), editor)

    private fun finish(before: CharSequence?, editor: InputConnection): String? {
        // What can't be complete by what stands before it needn't ask what stands after it.
        val after = if (word.isComplete(before, after = "")) editor.getTextAfterCursor(TWO_CODE_POINTS, 0) else null
        return finish(before, after)
    }

    private fun finish(before: CharSequence?, after: CharSequence?): String? {
        val finished = word
        word = word.none
        if (!finished.isComplete(before, after)) return null
        beginsText = before?.length == finished.text.length
        return finished.text
    }

    /** Whether the space of a suggestion still stands before the cursor. */
    private fun isBehindSuggestion(editor: InputConnection): Boolean = spaced > 0 &&
        writing.endsInWordAndSpace(editor.getTextBeforeCursor(spaced + 1 + TWO_CODE_POINTS, 0), spaced)

    /** The typed word, and the code points before it that say whether it begins there. */
    private fun before(editor: InputConnection): CharSequence? =
        editor.getTextBeforeCursor(word.text.length + TWO_CODE_POINTS, 0)

    private fun replace(length: Int, text: String, editor: InputConnection) {
        editor.beginBatchEdit()
        editor.deleteSurroundingText(length, 0)
        editor.commitText(text, 1)
        editor.endBatchEdit()
    }

    private companion object {
        const val TWO_CODE_POINTS = 4
        const val LONGEST_CHARACTER = 64 // what is seen as one; emoji are half as long

        /** Where the last character begins, as this phone's Unicode has it. */
        fun startOfLast(text: CharSequence): Int {
            val characters = BreakIterator.getCharacterInstance()
            characters.setText(text.toString())
            return characters.preceding(text.length)
        }
    }
}
