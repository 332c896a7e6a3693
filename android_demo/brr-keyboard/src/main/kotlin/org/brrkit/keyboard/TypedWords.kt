package org.brrkit.keyboard

import android.icu.text.BreakIterator
import android.view.KeyEvent
import android.view.inputmethod.InputConnection
import org.brrkit.Writing

/**
 * Typing in one field: edits go in, and finished words come out.
 *
 * A keyboard calls it instead of the [InputConnection], so it sees every character. In a field that doesn't
 * release words, it keeps no typed character. Each call to the field waits for another process, so there are few:
 * each letter reads the text before the cursor once, and checks the effect of the last key. Use it on the main
 * thread.
 *
 * ```
 * val words = TypedWords(Field.of(info)) // in onStartInput
 * words.type(character, currentInputConnection)?.let { keyboard.release(it, strip::add) }
 * ```
 *
 * **Composed text.** A keyboard that composes (an input method's candidates, a glide, a correction) shows the
 * composition itself, with `setComposingText`. When the composition is complete, the keyboard removes it from the
 * field, and passes all of it to [type]. It passes later corrections to [correct] or [choose]. Text of several
 * words, pasted text, and text of another keyboard are never returned, so they are never released.
 *
 * ```
 * currentInputConnection.setComposingText("", 1) // removes the composition
 * words.type(composed, currentInputConnection)?.let { keyboard.release(it, strip::add) }
 * ```
 *
 * **Scripts without spaces.** Typed text ends at the next separator, as elsewhere. An input method passes the
 * chosen segment to [commit], which returns it at once. Both may contain several words; the bundle cuts them
 * before the release.
 *
 * @property field the field.
 * @property writing writing rules of the bundle that releases the words.
 * @param closing characters that directly follow a word in the typed language. They replace the space after a
 * suggestion. In French, ! and ? aren't among them.
 */
public class TypedWords @JvmOverloads constructor(
    public val field: Field,
    public val writing: Writing = Writing.ENGLISH,
    private val closing: String = ".,;:!?)]}…،؛؟۔।",
) {
    private var word = TypedWord(writing)

    /** Length of the suggestion if the last edit wrote its space; otherwise 0. */
    private var spaced = 0

    /** Whether the last finished word began a text: nothing was before it. */
    public var beginsText: Boolean = false
        private set

    /** The text to complete: the beginning of a word, or nothing. */
    public val prefix: String
        get() = if (word.whole) word.text else ""

    /**
     * Types [text], which is a key's character or a whole composed word. Returns the word that this finished, if
     * any.
     *
     * After a suggestion there is already a space. Another space adds nothing, and punctuation that closes a
     * sentence replaces it.
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
     * Commits an input method's text. In a script without spaces, it is finished at once, with an unfinished word
     * of another script before it, and is returned. In other scripts, it is typed.
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

    /** Performs the enter key's action in this field. Returns the word that this finished, if any. */
    public fun enter(editor: InputConnection): String? {
        spaced = 0
        val finished = finish(editor)
        val action = field.action
        if (action == null) editor.commitText("\n", 1) else editor.performEditorAction(action)
        return finished
    }

    /**
     * Ends a sentence, as two quick spaces do on a phone: if there are a word and one space before the cursor, a
     * period and a space replace this space. Returns whether they did.
     */
    public fun endSentence(editor: InputConnection): Boolean {
        if (!field.releases || word != word.none) return false
        if (!writing.endsInWordAndSpace(editor.getTextBeforeCursor(TWO_CODE_POINTS, 0))) return false
        spaced = 0
        replace(1, ". ", editor)
        return true
    }

    /** Replaces the typed word with [spelling]. The word continues after it. */
    public fun correct(spelling: String, editor: InputConnection) {
        if (!word.isAt(before(editor))) return
        replace(word.text.length, spelling, editor)
        word = word.copy(text = spelling)
    }

    /**
     * Deletes the selection, or the character before the cursor: all that appears as one character, such as an
     * emoji joined from several. In a password, which isn't read, it deletes one code point.
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
     * Replaces the typed word with [suggestion], which was made for [prefix]. Does nothing if the typed word has
     * changed. Returns the suggestion if this finished the word.
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

    /** Reads the field again: the cursor or the text may have changed. */
    public fun look(editor: InputConnection) {
        if (word != word.none && !word.isAt(before(editor))) word = word.none
    }

    private fun finish(editor: InputConnection): String? =
        if (word == word.none) null else finish(before(editor), editor)

    private fun finish(before: CharSequence?, editor: InputConnection): String? {
        // If the text before it shows that the word isn't complete, the text after it isn't read.
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

    /** Whether a suggestion's space is still before the cursor. */
    private fun isBehindSuggestion(editor: InputConnection): Boolean = spaced > 0 &&
        writing.endsInWordAndSpace(editor.getTextBeforeCursor(spaced + 1 + TWO_CODE_POINTS, 0), spaced)

    /** The typed word, and the code points before it that decide whether it begins there. */
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
        const val LONGEST_CHARACTER = 64 // longest visible character; emoji are half as long

        /** The start of the last character, by this phone's Unicode. */
        fun startOfLast(text: CharSequence): Int {
            val characters = BreakIterator.getCharacterInstance()
            characters.setText(text.toString())
            return characters.preceding(text.length)
        }
    }
}
