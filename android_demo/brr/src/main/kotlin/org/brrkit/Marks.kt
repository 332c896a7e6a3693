package org.brrkit

/**
 * A part of a text that counts as one token, whatever it contains.
 *
 * Its release reveals only [list], or nothing if [list] is null.
 *
 * @property start index of its first character in the given text, in UTF-16 code units.
 * @property end index after its last character.
 * @property list name of a list of the policy; null: it counts as an unknown word.
 */
public data class Mark @JvmOverloads public constructor(
    public val start: Int,
    public val end: Int,
    public val list: String? = null,
)

/** Treatments of the text outside marks. */
public enum class Rest {
    /** Its words are privatized, too. */
    RELEASE,

    /** It leaves the device **as typed**, visible to everybody. */
    PASS,
}

/**
 * Returns the [marks] of [text] in order, widened to whole tokens and without overlap.
 *
 * `spec/bundle-format.md`, "Marks", is the specification.
 *
 * @throws ParameterException a mark is empty, outside the text, cuts a character, or names a list that the policy
 *   lacks.
 */
internal fun cutMarks(text: String, marks: List<Mark>, bundle: WordBundle): List<Mark> {
    marks.forEachIndexed { place, mark -> check(place + 1, mark, text, bundle.policy) }
    val cut = ArrayList<Mark>()
    for (mark in marks.sortedWith(compareBy(Mark::start, Mark::end))) {
        val wide = mark.copy(
            start = widened(text, mark.start, bundle.writing, forwards = false),
            end = widened(text, mark.end, bundle.writing, forwards = true),
        )
        val last = cut.lastOrNull()
        if (last == null || wide.start >= last.end) cut += wide
        else cut[cut.lastIndex] = last.copy(end = maxOf(last.end, wide.end))
    }
    return cut
}

/** Returns the parts of [text] before, between and after [marks] from [cutMarks]. */
internal fun around(text: String, marks: List<Mark>): List<String> {
    val starts = listOf(0) + marks.map(Mark::end)
    val ends = marks.map(Mark::start) + text.length
    return starts.zip(ends) { start, end -> text.substring(start, end) }
}

/** Returns [text] with each of [marks], from [cutMarks], replaced by the next of [words]. */
internal fun replaced(text: String, marks: List<Mark>, words: List<String>): String =
    around(text, marks).zip(words + "") { part, word -> part + word }.joinToString("")

/** Returns the place nearest to a mark's end, there or outside the mark, at which no token is cut. */
private fun widened(text: String, place: Int, writing: Writing, forwards: Boolean): Int {
    var at = place
    while (at in 1 until text.length) {
        if (!writing.isInner(text.codePointBefore(at)) || !writing.isInner(text.codePointAt(at))) break
        at = text.offsetByCodePoints(at, if (forwards) 1 else -1)
    }
    return at
}

private fun check(number: Int, mark: Mark, text: String, policy: Policy) {
    val isWithin = mark.start in 0 until mark.end && mark.end <= text.length
    if (!isWithin || cutsPair(text, mark.start) || cutsPair(text, mark.end)) {
        throw ParameterException(
            "mark $number: must satisfy 0 <= start < end <= length of the text, and cut no character (UTF-16)",
        )
    }
    if (mark.list != null && policy.headOf(mark.list) < 0) {
        val names = policy.lists.joinToString { it.name }.ifEmpty { "none" }
        throw ParameterException("mark $number: the bundle's policy has no such list; its lists: $names")
    }
}

private fun cutsPair(text: String, place: Int): Boolean =
    place in 1 until text.length && Character.isSurrogatePair(text[place - 1], text[place])
