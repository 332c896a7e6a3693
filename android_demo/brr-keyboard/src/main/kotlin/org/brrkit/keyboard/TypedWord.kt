package org.brrkit.keyboard

import org.brrkit.Writing

/**
 * The characters typed since the last separator, checked against the field at every step.
 *
 * A field can change under the keyboard: the cursor moves, the app clears the text, something is pasted. This
 * word is therefore trusted only if the field shows the same characters at the cursor.
 *
 * @property writing writing rules of the language.
 * @property text the typed characters.
 * @property whole whether [text] began at a word's beginning. A correction inside a word that is already in the
 * field, and may have been sent, isn't whole. It is never released.
 */
internal data class TypedWord(
    val writing: Writing,
    val text: String = "",
    val whole: Boolean = false,
) {
    /** Nothing that was typed. */
    val none: TypedWord
        get() = TypedWord(writing)

    /** The word after [character] is typed; [before] is the text before the cursor. */
    fun plus(character: String, before: CharSequence?): TypedWord =
        if (isAt(before)) copy(text = text + character)
        else TypedWord(writing, character, before != null && !writing.joins(before, character))

    /** The word after a backspace that deletes [size] chars. */
    fun minusLast(size: Int, before: CharSequence?): TypedWord {
        if (!isAt(before)) return none
        val shorter = text.dropLast(size)
        return if (shorter.isEmpty()) none else copy(text = shorter)
    }

    /** Whether the field shows this word right before the cursor. */
    fun isAt(before: CharSequence?): Boolean =
        text.isNotEmpty() && before != null && before.endsWith(text)

    /** Whether this is a complete word of the field: the only kind that is released. */
    fun isComplete(before: CharSequence?, after: CharSequence?): Boolean =
        whole && isAt(before) && after != null && !writing.joins(text, after) &&
            !writing.joins(before!!.dropLast(text.length), text)

    /** Without the text, so no log contains it. */
    override fun toString(): String = "TypedWord(whole=$whole)"
}

/**
 * Whether [text] ends in a word and one space; if [length] is given, in a word of this many chars. It is false in
 * a script without spaces, where only a bundle knows the words.
 */
internal fun Writing.endsInWordAndSpace(text: CharSequence?, length: Int? = null): Boolean {
    if (text == null || !text.endsWith(' ')) return false
    val words = text.dropLast(1)
    return joins(words, LETTER) &&
        (length == null || length <= words.length && !joins(words.dropLast(length), LETTER))
}

/** In a script with spaces. */
private const val LETTER = "a"
