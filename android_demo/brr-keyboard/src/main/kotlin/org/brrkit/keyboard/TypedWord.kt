package org.brrkit.keyboard

import org.brrkit.tokenize

/**
 * The characters typed since the last separator, checked against the field at every step.
 *
 * A field can change under the keyboard: the cursor moves, the app clears the text, something is
 * pasted. So nothing here is believed until the field shows the same characters at the cursor.
 *
 * @property text what was typed.
 * @property whole whether [text] began at a word's beginning. A correction inside a word that
 * stands in the field already, perhaps a sent one, isn't whole: it is never released.
 */
internal data class TypedWord(val text: String, val whole: Boolean) {

    /** The word after [character] is typed; [before] is what stands before the cursor. */
    fun plus(character: String, before: CharSequence?): TypedWord =
        if (isAt(before)) copy(text = text + character)
        else TypedWord(character, before != null && !endsInWord(before))

    /** The word after a backspace that deletes [size] chars. */
    fun minusLast(size: Int, before: CharSequence?): TypedWord {
        if (!isAt(before)) return NONE
        val shorter = text.dropLast(size)
        return if (shorter.isEmpty()) NONE else copy(text = shorter)
    }

    /** Whether the field shows this word right before the cursor. */
    fun isAt(before: CharSequence?): Boolean =
        text.isNotEmpty() && before != null && before.endsWith(text)

    /** Whether this is a complete word of the field: the only kind that is released. */
    fun isComplete(before: CharSequence?, after: CharSequence?): Boolean =
        whole && isAt(before) && after != null && !startsInWord(after) &&
            !endsInWord(before!!.dropLast(text.length))

    /** Without the text: what is typed is in no log. */
    override fun toString(): String = "TypedWord(whole=$whole)"

    companion object {
        val NONE = TypedWord("", whole = false)
    }
}

/** Whether [character] ends a word, by the rule of the bundle's tokenizer. */
internal fun isSeparator(character: String): Boolean =
    tokenize("a${character}a").size != 1

/**
 * Whether [text] ends in a word and one space; in a word of [length] chars, where that is given.
 */
internal fun endsInWordAndSpace(text: CharSequence?, length: Int? = null): Boolean =
    text != null && text.endsWith(' ') && endsInWord(text.dropLast(1)) &&
        (length == null || length < text.length && !endsInWord(text.dropLast(length + 1)))

private fun endsInWord(text: CharSequence): Boolean =
    text.isNotEmpty() && !isSeparator(codePoint(Character.codePointBefore(text, text.length)))

private fun startsInWord(text: CharSequence): Boolean =
    text.isNotEmpty() && !isSeparator(codePoint(Character.codePointAt(text, 0)))

private fun codePoint(value: Int): String = String(Character.toChars(value))
