package org.brrkit

/**
 * A conversation in which a surrogate stands for each marked text, such as a name for a name.
 *
 * A surrogate doesn't depend on the text that it replaces, only on earlier surrogates. Within a session, equal
 * texts have equal surrogates, and different texts have different ones. Readers see which texts are equal, their
 * lists, and all text that **no mark covers**. Only this object holds the surrogates and their texts; nothing is
 * stored. Don't use it in several threads at once. `spec/bundle-format.md`, "Sessions", is the specification.
 *
 * Proof: `docs/explanation/proofs.md`, "Lists".
 *
 * ```
 * val session = Session(bundle)
 * val reply = ask(session.hide("Ask Zoltan about it", listOf(Mark(4, 10, "names"))))
 * show(session.restore(reply))
 * ```
 *
 * @param bundle an opened bundle; its policy's lists provide the surrogates.
 * @param random source of random bytes. Don't set it in production.
 * @throws ParameterException the bundle is a list of strings.
 */
public class Session @JvmOverloads public constructor(
    private val bundle: WordBundle,
    private val random: RandomSource = SystemRandom,
) {
    init {
        checkCodes(bundle)
    }

    /** Surrogates, by a mark's list and normalized text. */
    private var surrogates: Map<Pair<String?, String>, String> = emptyMap()

    /** Typed texts, by the forms of their surrogates' pieces. */
    private var typed: Map<List<String>, String> = emptyMap()

    /** Surrogates for unknown words: words on no list that don't pass. */
    private val others: List<Int> by lazy {
        val taken = HashSet(bundle.policy.passing?.words.orEmpty())
        for (list in bundle.policy.lists) taken += list.members
        (0 until bundle.size).filter { it !in taken }
    }

    /**
     * Returns [text] as typed, with a surrogate in place of each of [marks]. If it fails, it changes nothing.
     *
     * @throws ParameterException a mark is empty, outside the text, cuts a character, or names a list that the
     *   policy lacks; or all words of its list are already surrogates.
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
     * Returns [reply] with each surrogate, in any case, replaced with the typed text.
     *
     * A surrogate within a longer word stays.
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
     * Draws a word that isn't [used]: for a [list], a member in proportion to its mass. Without a list, all words
     * are equally likely: a reply would often contain a frequent word.
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

    /** Returns [text], cut wherever a word could begin or end; apostrophes and joiners are pieces. */
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

    /** Returns the form of a [piece] for comparisons. */
    private fun form(piece: String): String {
        val normal = bundle.normalize(piece)
        return if (normal.length == 1 && isLookalike(normal[0].code)) "$APOSTROPHE" else normal
    }
}
