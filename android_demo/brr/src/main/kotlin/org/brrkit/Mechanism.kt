package org.brrkit

import org.brrkit.mechanisms.Brr
import org.brrkit.mechanisms.Exponential
import org.brrkit.mechanisms.Ingredients
import org.brrkit.mechanisms.Sampler
import org.brrkit.mechanisms.Vickrey

/**
 * A mechanism. `docs/explanation/proofs.md` states the guarantee of each, and `docs/explanation/mechanisms.md`
 * explains which one to choose.
 *
 * ```
 * Setting(epsilon = 0.6, Mechanism.exponential(radius = 6))
 * ```
 *
 * [Privatizer] checks the parameters, because they depend on the bundle.
 *
 * @property name name in all runtimes: `brr`, `exponential` or `vickrey`.
 * @property parameters given parameters, in the form of files. Others have their defaults.
 */
public class Mechanism internal constructor(
    public val name: String,
    public val parameters: Map<String, Any?>,
) {
    /** A file may contain 9 or 9.0. */
    private val same = name to parameters.mapValues { asDouble(it.value) }

    override fun equals(other: Any?): Boolean = other is Mechanism && other.same == same

    override fun hashCode(): Int = same.hashCode()

    override fun toString(): String =
        if (parameters.isEmpty()) name
        else parameters.entries.joinToString(prefix = "$name(", postfix = ")") { "${it.key} = ${it.value}" }

    /** Prepares it. Throws [ParameterException] if it is unknown or doesn't suit the bundle. */
    internal fun sampler(ingredients: Ingredients): Sampler {
        val taken = taken(name)
        for (parameter in parameters.keys - taken) {
            val accepts = if (taken.isEmpty()) "it takes none" else "it takes ${taken.joinToString()}"
            throw ParameterException("mechanism '$name' has no parameter '$parameter'; $accepts")
        }
        return when (name) {
            "brr" -> Brr(ingredients)
            "vickrey" -> nearest(ingredients)
            else -> Exponential(
                ingredients,
                if ("radius" in parameters) radiusOf(parameters["radius"]) else null,
                if ("base" in parameters) baseOf(parameters["base"]) else null,
                if ("cap" in parameters) number(parameters["cap"]) else null,
                if ("task_weight" in parameters) taskWeightOf(parameters["task_weight"]) else null,
            )
        }
    }

    private fun nearest(ingredients: Ingredients): Sampler {
        val t = parameters.getOrDefault("t", DEFAULT_T)
        val several = t is List<*>
        val values = if (t is List<*>) t.map(::number) else listOf(number(t))
        val candidates = if (several) values.size else 2
        val k = parameters["k"]
        if (k != null && (k as? Number)?.toDouble() != candidates.toDouble()) {
            throw ParameterException(
                "k is $k, but t gives $candidates candidates; for another k, give t as a list of k " +
                    "numbers",
            )
        }
        return Vickrey(ingredients, values, several)
    }

    public companion object {
        private const val RADIUS = "radius must be an integer from 0 to the number of bits"
        private const val DEFAULT_T = 0.5

        /** Flips bits of the word's code, and takes the word nearest to the noised code. */
        @JvmStatic
        public fun brr(): Mechanism = Mechanism("brr", emptyMap())

        /**
         * Draws a word with integer weights that fall with distance. It keeps the most meaning at equal attack
         * success, and is the default mechanism.
         *
         * @param radius from 0 to the number of bits without task bits: words within it are nearly as probable
         *   outputs as the word itself. By default an eighth of these bits.
         * @param base the base measure, which makes some words more probable. By default the last in the bundle:
         *   [Base.BIGRAM] if it has bigrams, otherwise [Base.UNIGRAM].
         * @param cap from 1e-9 to 88: the upper bound on the privacy loss between any two words. By default, only
         *   epsilon times their distance bounds it.
         * @param taskWeight weight of a differing task bit, from 0 to 16. With a larger weight, a released word
         *   keeps more of the typed word's meaning for the tasks. By default 1, as for any bit. Only for bundles
         *   with task bits.
         */
        @JvmStatic
        @JvmOverloads
        public fun exponential(
            radius: Int? = null,
            base: Base? = null,
            cap: Double? = null,
            taskWeight: Int? = null,
        ): Mechanism {
            val given = mapOf(
                "radius" to radius,
                "base" to base?.spelled,
                "cap" to cap,
                "task_weight" to taskWeight,
            )
            return Mechanism("exponential", given.filterValues { it != null })
        }

        /**
         * Flips bits, and chooses between the two nearest words, so fewer words come out unchanged.
         *
         * @param t from 0 to 1. The nearest word is chosen with probability (1 - t) d2 / (t d1 + (1 - t) d2),
         *   where d1 and d2 are the distances to the two nearest words. 0 is [brr]; 1 always chooses the second
         *   word.
         */
        @JvmStatic
        @JvmOverloads
        public fun vickrey(t: Double = DEFAULT_T): Mechanism = Mechanism("vickrey", mapOf("t" to t))

        /**
         * Flips bits, and chooses among the k nearest words.
         *
         * @param t k numbers >= 0, at most 64: the r-th nearest word is chosen with probability proportional to
         *   exp(-t_r d_r), where d_r is its distance.
         */
        @JvmStatic
        public fun vickrey(t: List<Double>): Mechanism =
            Mechanism("vickrey", mapOf("t" to t.toList()))

        /**
         * Returns the mechanism with this [name], with its default parameters.
         *
         * Use it for stored names, such as a user's choice in an app's settings.
         *
         * @throws ParameterException there is no such mechanism.
         */
        @JvmStatic
        public fun named(name: String): Mechanism {
            taken(name)
            return Mechanism(name, emptyMap())
        }

        /** Returns the names of the parameters that a mechanism takes. */
        private fun taken(name: String): List<String> = when (name) {
            "brr" -> emptyList()
            "vickrey" -> listOf("t", "k")
            "exponential" -> listOf("radius", "base", "cap", "task_weight")
            else -> throw ParameterException(
                "mechanism '$name' is unknown; choose one of: brr, vickrey, exponential",
            )
        }

        private fun asDouble(value: Any?): Any? = when (value) {
            is Number -> value.toDouble()
            is List<*> -> value.map(::asDouble)
            else -> value
        }

        private fun number(value: Any?): Double = (value as? Number)?.toDouble() ?: Double.NaN

        private fun radiusOf(radius: Any?): Int = integer(radius, Int.MAX_VALUE)
            ?: throw ParameterException("$RADIUS, not $radius")

        private fun taskWeightOf(weight: Any?): Int = integer(weight, MOST_TASK_WEIGHT)
            ?: throw ParameterException(
                "task_weight must be an integer from 0 to $MOST_TASK_WEIGHT, not $weight",
            )

        /** Returns an integer from 0 to [most]; null for any other value. */
        private fun integer(value: Any?, most: Int): Int? =
            ((value as? Int)?.toLong() ?: value as? Long)?.takeIf { it in 0..most }?.toInt()

        private fun baseOf(base: Any?): Base = Base.entries.firstOrNull { it.spelled == base }
            ?: throw ParameterException(
                "there is no such base; choose one of: " + Base.entries.joinToString { it.spelled },
            )
    }
}
