package org.brrkit.demo

import android.text.InputType
import android.view.inputmethod.InputConnection
import java.util.Locale
import org.brrkit.Writing
import org.brrkit.keyboard.Field
import org.brrkit.keyboard.TypedWords

/** Typing with these keys in one field: the effects of keys, the page, and capital letters. */
internal class Typing(val field: Field, val writing: Writing = Writing.ENGLISH) {
    var page = field.page
        private set
    var shift = ShiftState.OFF
        private set
    private val words = TypedWords(field, writing)

    /** The language of the typed text. */
    val language: Locale = Locale.forLanguageTag(writing.language)

    /** The letters to type with. */
    val layout: Layout = layoutOf(language.language)
    private var shiftTapped = -DOUBLE_TAP_MS
    private var spaceTyped = -DOUBLE_SPACE_MS

    /** Whether the last key put a period after an i, as in i.e. or at a sentence's end. */
    private var isBehindI = false
    private var shiftIsChosen = false

    /** The position of the cursor after the keys so far, if known. */
    private var cursor = UNKNOWN

    /** Whether the last finished word began a text: nothing was before it. */
    val beginsText: Boolean
        get() = words.beginsText

    /** The text to complete: the beginning of a word, or nothing. */
    val prefix: String
        get() = words.prefix

    /** Performs a key's action at the time [now] (ms). Returns the word that this finished, if any. */
    fun press(action: KeyAction, editor: InputConnection, now: Long): String? {
        var finished: String? = null
        shiftIsChosen = action == KeyAction.Shift
        when (action) {
            KeyAction.Type(" ") -> finished = space(editor, now)
            is KeyAction.Type -> finished = type(shift.cased(action.text, language), editor)
            is KeyAction.Turn -> page = action.page
            KeyAction.Backspace -> {
                words.delete(editor)
                moved(editor)
            }
            KeyAction.Enter -> {
                spell("\n", editor)
                finished = words.enter(editor)
                moved(editor)
            }
            KeyAction.Shift -> {
                shift = shift.tapped(again = now - shiftTapped < DOUBLE_TAP_MS)
                shiftTapped = now
            }
            KeyAction.Switch -> Unit
        }
        return finished
    }

    /**
     * Replaces the typed word with [suggestion], which was made for [prefix]. Returns the suggestion if this
     * finished the word.
     */
    fun choose(suggestion: String, prefix: String, editor: InputConnection): String? =
        words.choose(suggestion, prefix, editor).also { moved(editor) }

    /** Records the position of the selection that the field reports. */
    fun select(start: Int, end: Int, editor: InputConnection) {
        val expected = start == cursor && start == end
        cursor = if (start == end) start else UNKNOWN
        // The effect of a key is known, and the next key reads the field anyway.
        if (!expected) look(editor)
    }

    /** Reads the field again: the cursor or the text may have changed. */
    fun look(editor: InputConnection) {
        words.look(editor)
        capitalize(editor)
    }

    private fun type(text: String, editor: InputConnection): String? {
        spell(text, editor)
        val finished = words.type(text, editor)
        if (cursor != UNKNOWN) cursor += text.length
        capitalize(editor, text)
        return finished
    }

    private fun space(editor: InputConnection, now: Long): String? {
        val isSecond = now - spaceTyped < DOUBLE_SPACE_MS
        spaceTyped = -DOUBLE_SPACE_MS
        if (isSecond && words.endSentence(editor)) {
            moved(editor)
            return null
        }
        spaceTyped = now
        return type(" ", editor)
    }

    /** Returns a [word] of the vocabulary in the spelling of its language. */
    fun written(word: String): String = if (isEnglish) inEnglish(word) else word

    private val isEnglish: Boolean
        get() = writing.language == Writing.ENGLISH.language

    /** Capitalizes the English pronoun I if [next], which is about to be typed, ends it. */
    private fun spell(next: String, editor: InputConnection) {
        if (!isEnglish) return
        val word = words.prefix
        val wasBehindI = isBehindI
        isBehindI = word == "i" && next == "."
        if (inEnglish(word) != word) {
            val before = editor.getTextBeforeCursor(word.length + 1, 0)?.dropLast(word.length)
            if (before != null && isPronoun(word, before, next)) words.correct(inEnglish(word), editor)
        } else if (wasBehindI && (next == " " || next == "\n")) {
            val before = editor.getTextBeforeCursor(SENTENCE_END, 0)
            if (before != null && endsInPronoun(before)) {
                repeat(2) { words.delete(editor) }
                words.type("I.", editor)
            }
        }
    }

    private fun moved(editor: InputConnection) {
        cursor = UNKNOWN
        capitalize(editor)
    }

    /** Reads from the field, after [typed], only unknown parts, because the field is in another process. */
    private fun capitalize(editor: InputConnection, typed: String = "") {
        if (shiftIsChosen) return
        val flags = if (field.isText) field.inputType and CAPITALS else 0
        val capital = when {
            flags == 0 -> false
            flags and InputType.TYPE_TEXT_FLAG_CAP_CHARACTERS != 0 -> true
            typed.isNotEmpty() && typed.last().isLetterOrDigit() -> false // inside a word
            else -> editor.getCursorCapsMode(field.inputType) != 0
        }
        shift = shift.next(capital)
    }

    private companion object {
        const val DOUBLE_TAP_MS = 300L
        const val DOUBLE_SPACE_MS = 600L
        const val UNKNOWN = -1
        const val CAPITALS = InputType.TYPE_TEXT_FLAG_CAP_CHARACTERS or
            InputType.TYPE_TEXT_FLAG_CAP_WORDS or InputType.TYPE_TEXT_FLAG_CAP_SENTENCES

        val Field.isText: Boolean
            get() = inputType and InputType.TYPE_MASK_CLASS == InputType.TYPE_CLASS_TEXT
    }
}
