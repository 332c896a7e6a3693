package org.brrkit

/**
 * A conversation, in which a surrogate stands for each marked text, such as a name for a name.
 *
 * A surrogate doesn't depend on the text that it stands for, only on earlier surrogates: in a session, equal
 * texts have the same one, and different texts have different ones. A reader sees which texts are equal,
 * their lists, and all that **no mark covers**. Only this object holds the surrogates and their texts;
 * nothing is stored. Not for several threads at once. `spec/bundle-format.md`, "Sessions", is the
 * specification.
 *
 * Proof: `docs/explanation/proofs.md`, "Lists".
 *
 * ```
 * val session = Session(bundle)
 * val reply = ask(session.hide("Ask Zoltan about it", listOf(Mark(4, 10, "names"))))
 * show(session.restore(reply))
 * ```
 *
 * @param bundle an opened bundle; its policy's lists supply the surrogates.
 * @param random source of random bytes. Leave it alone in production.
 * @throws ParameterException the bundle is a list of strings.
 */
public class Session @JvmOverloads public constructor(
    private val bundle: WordBundle,
    private val random: RandomSource = SystemRandom,
) {
    init {
        checkCodes(bundle)
    }

    /** What stands for the normalized text of a mark of a list. */
    private var surrogates: Map<Pair<String?, String>, String> = emptyMap()

    /** What was typed, by the forms of its surrogate's pieces. */
    private var typed: Map<List<String>, String> = emptyMap()

    /** What may stand for unknown words: words of no list that don't pass. */
    private val others: List<Int> by lazy {
        val taken = HashSet(bundle.policy.passing?.words.orEmpty())
        for (list in bundle.policy.lists) taken += list.members
        (0 until bundle.size).filter { it !in taken }
    }

    /**
     * Returns [text] as it was typed, with a surrogate in the place of each of [marks]. Where it fails, it
     * keeps nothing.
     *
     * @throws ParameterException a mark is empty, outside the text, cuts a character, or is of no list of
     *   the policy; or all words of its list are surrogates already.
     */
    public fun hide(text: String, marks: List<Mark>): String {
        val cut = cutMarks(text, marks, bundle)
        val (standing, restoring) = HashMap(surrogates) to HashMap(typed)
        val words = cut.map { mark ->
            val marked = text.substring(mark.start, mark.end)
            standing.getOrPut(mark.list to bundle.normalize(marked)) {
                drawn(mark.list, standing.values.toSet()).also { restoring[forms(pieces(it))] = marked }
            }
        }
        surrogates = standing
        typed = restoring
        return replaced(text, cut, words)
    }

    /**
     * Returns [reply] with what was typed in the place of each surrogate, whatever its case.
     *
     * A surrogate inside a longer word is left as it is.
     */
    public fun restore(reply: String): String {
        val pieces = pieces(reply)
        val forms = forms(pieces)
        val longest = typed.keys.maxOfOrNull { it.size } ?: 0
        return buildString {
            var place = 0
            while (place < pieces.size) {
                val ends = minOf(place + longest, pieces.size) downTo place + 1
                val end = ends.firstOrNull { forms.subList(place, it) in typed }
                append(if (end == null) pieces[place] else typed[forms.subList(place, end)])
                place = end ?: (place + 1)
            }
        }
    }

    /**
     * Returns a word that isn't [used]: a member of a [list] by its mass, any other by chance alone, since a
     * frequent word would be in a reply by itself, too.
     */
    private fun drawn(list: String?, used: Set<String>): String {
        val members = bundle.policy.lists.firstOrNull { it.name == list }?.members
        val ids = (members ?: others).filter { bundle.vocabulary.word(it) !in used }
        if (ids.isEmpty()) {
            val those = if (list == null) "words" else "words of the list '$list'"
            throw ParameterException("all $those are already in use in this session; begin another one")
        }
        fun weight(id: Int) = if (members == null) 1L else bundle.masses.mass(id)
        var number = uniformBelow(ids.sumOf(::weight), random)
        val id = ids.first {
            number -= weight(it)
            number < 0
        }
        return bundle.vocabulary.word(id)
    }

    /** Returns [text], cut wherever a word could begin or end; apostrophes and joiners by themselves. */
    private fun pieces(text: String): List<String> {
        val pieces = ArrayList<String>()
        var start = 0
        var at = 0
        var isWithin = false
        text.eachCodePoint { codePoint ->
            val wasWithin = isWithin
            isWithin = bundle.writing.isInner(codePoint) && !isAlone(codePoint)
            if (at > start && !(wasWithin && isWithin)) {
                pieces += text.substring(start, at)
                start = at
            }
            at += Character.charCount(codePoint)
        }
        if (start < text.length) pieces += text.substring(start)
        return pieces
    }

    /** Whether the form of a code point is the apostrophe or a joiner. */
    private fun isAlone(codePoint: Int): Boolean {
        val form = form(String(Character.toChars(codePoint)))
        return form.codePoints == 1 && form.codePointAt(0).let { it == APOSTROPHE.code || bundle.writing.isJoiner(it) }
    }

    private fun forms(pieces: List<String>): List<String> = pieces.map(::form)

    /** Returns a [piece] as pieces are compared. */
    private fun form(piece: String): String {
        val normal = bundle.normalize(piece)
        return if (normal.length == 1 && isLookalike(normal[0].code)) "$APOSTROPHE" else normal
    }
}
