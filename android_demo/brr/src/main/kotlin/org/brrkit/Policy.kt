package org.brrkit

import java.util.Arrays
import java.util.Collections

private const val MOST_LISTS = 16
private const val LONGEST_NAME = 64
private const val MOST_MEMBERS = 65_536
private const val MOST_FORMS = 16_384 // in all lists
private const val LONGEST_FORM = 64 // code points
private const val MOST_PASSING = 1_024
private const val LEAST_PROBABILITY = 0.001
private const val MOST_PROBABILITY = 0.999
private const val KEEP_BITS = 63

/** Stands for the id of an unknown word. */
internal const val UNKNOWN_WORD: Int = -1

/**
 * Words that no release tells apart: each is typed as the list's [head].
 *
 * @property name name of the list.
 * @property members ids of words of the vocabulary, ascending.
 * @property forms strings outside the vocabulary that are typed as the head, too.
 */
public class SecretList internal constructor(
    public val name: String,
    public val members: List<Int>,
    public val forms: List<String>,
) {
    /** The most frequent member. */
    public val head: Int
        get() = members[0]
}

/**
 * Words that are nobody's secret: each skips a draw with a given probability.
 *
 * @property words their ids, ascending.
 * @property probability probability that a word stays as typed; otherwise the mechanism draws.
 */
public class Passing internal constructor(
    public val words: List<Int>,
    public val probability: Double,
) {
    private val ids = IntArray(words.size) { words[it] }

    /**
     * The number of integers below 2^63 that let a word pass, rounded down (more privacy). A product with a
     * power of two is exact.
     */
    internal val threshold: Long = Math.scalb(probability, KEEP_BITS).toLong()

    /** The threshold and the ids of the words: `spec/state-files.md`. */
    internal val numbers: ByteArray =
        words.fold(eightBytes(threshold)) { bytes, id -> bytes + eightBytes(id.toLong()) }

    /**
     * Returns all bits if a word passes, else none; draws one uniform integer, whatever was [typed].
     *
     * Nothing branches on it, so its duration reveals nothing. Proof: `docs/explanation/proofs.md`, "Passing words".
     *
     * @param typed id of the word that a token is typed as, or [UNKNOWN_WORD].
     */
    internal fun coin(typed: Int, random: RandomSource): Int {
        val number = uniformUpTo(Long.MAX_VALUE, random)
        val isBelow = (number - threshold shr Long.SIZE_BITS - 1).toInt()
        val isOne = Arrays.binarySearch(ids, typed).inv() shr Int.SIZE_BITS - 1
        return isBelow and isOne
    }
}

/**
 * The sensitivity of a bundle's words: lists of secret words, and passing words. It is public, and part of the bundle.
 *
 * `spec/bundle-format.md`, "Policy", is the specification.
 *
 * @property lists disjoint lists of secret words.
 * @property passing words that are nobody's secret, in no list; null if there are none.
 */
public class Policy internal constructor(
    public val lists: List<SecretList>,
    public val passing: Passing?,
) {
    private val members: IntArray
    private val heads: IntArray
    private val ofForms = HashMap<String, Int>()

    init {
        var size = 0
        for (list in lists) {
            size += list.members.size
            for (form in list.forms) ofForms[form] = list.head
        }
        val pairs = LongArray(size)
        for (list in lists) {
            for (member in list.members) pairs[--size] = (member.toLong() shl Int.SIZE_BITS) + list.head
        }
        Arrays.sort(pairs)
        members = IntArray(pairs.size) { (pairs[it] ushr Int.SIZE_BITS).toInt() }
        heads = IntArray(pairs.size) { pairs[it].toInt() }
    }

    /**
     * Returns the id of the word that a normalized [string] is typed as, or [UNKNOWN_WORD].
     *
     * A member or form of a list is typed as the list's head, any other word as itself. Proof that
     * nothing released depends on anything else: `docs/explanation/proofs.md`, "Lists".
     *
     * @param wordId id of the word with this spelling, or [UNKNOWN_WORD].
     */
    internal fun typedAs(string: String, wordId: Int): Int {
        if (wordId < 0) return ofForms[string] ?: UNKNOWN_WORD
        val place = Arrays.binarySearch(members, wordId)
        return if (place < 0) wordId else heads[place]
    }

    /** Returns the head of the list with a [name], or [UNKNOWN_WORD]. */
    internal fun headOf(name: String?): Int {
        for (list in lists) if (list.name == name) return list.head
        return UNKNOWN_WORD
    }

    /** Whether no name, id or form occurs twice. */
    internal fun isUnambiguous(): Boolean {
        val names = HashSet<String>()
        var forms = 0
        for (list in lists) {
            if (!names.add(list.name)) return false
            forms += list.forms.size
        }
        for (place in 1 until members.size) if (members[place] == members[place - 1]) return false
        if (passing != null) for (id in passing.words) if (Arrays.binarySearch(members, id) >= 0) return false
        return forms == ofForms.size && forms <= MOST_FORMS
    }

    internal companion object {
        /** The policy of a bundle without one: every word is typed as itself, and none passes. */
        val NONE = Policy(Collections.emptyList(), null)
    }
}

/** Parses a manifest's object; returns null if it isn't a policy for [size] words. */
internal fun readPolicy(value: Any?, size: Int): Policy? = try {
    val fields = expectObject(value, "lists", optional = "passing")
    val lists = expectList(fields["lists"], 0..MOST_LISTS).map { secretList(it, size) }
    val passing = if ("passing" in fields) passing(fields["passing"], size) else null
    Policy(lists, passing).takeIf(Policy::isUnambiguous)
} catch (_: JsonException) {
    null
}

private fun secretList(value: Any?, size: Int): SecretList {
    val fields = expectObject(value, "name", "members", "forms")
    val name = expectString(fields["name"], 1..LONGEST_NAME)
    expect(name.all { it in 'a'..'z' || it in '0'..'9' || it == '-' || it == '_' })
    val forms = expectList(fields["forms"], 0..MOST_FORMS).map { expectString(it, 1..LONGEST_FORM) }
    return SecretList(name, ids(fields["members"], MOST_MEMBERS, size), forms)
}

private fun passing(value: Any?, size: Int): Passing {
    val fields = expectObject(value, "words", "probability")
    val probability = fields["probability"]
    expect(probability is Double && probability in LEAST_PROBABILITY..MOST_PROBABILITY)
    return Passing(ids(fields["words"], MOST_PASSING, size), probability as Double)
}

/** Returns ids, which must ascend. */
private fun ids(value: Any?, most: Int, size: Int): List<Int> {
    var next = 0L
    return expectList(value, 1..most).map { id -> expectInteger(id, next until size).also { next = it + 1L } }
}
