package org.brrkit

import org.brrkit.mechanisms.Brr
import org.brrkit.mechanisms.Exponential
import org.brrkit.mechanisms.Ingredients
import org.brrkit.mechanisms.Sampler
import org.brrkit.mechanisms.Vickrey

/**
 * How a word is privatized. `docs/explanation/proofs.md` has the guarantee of each, `docs/explanation/mechanisms.md` which to choose.
 *
 * ```
 * Privatizer(bundle, epsilon = 0.6, Mechanism.exponential(radius = 6))
 * ```
 *
 * Numbers are checked where the bundle is known: by [Privatizer].
 */
public class Mechanism private constructor(private val recipe: Recipe) {
    private sealed interface Recipe {
        data object Brr : Recipe
        data class Exponential(val radius: Int?, val base: Base?, val cap: Double?) : Recipe
        data class Vickrey(val t: Double) : Recipe
        data class VickreyAmongSeveral(val t: List<Double>) : Recipe
    }

    /** The name that every runtime has for it: `brr`, `exponential` or `vickrey`. */
    public val name: String
        get() = when (recipe) {
            Recipe.Brr -> "brr"
            is Recipe.Exponential -> "exponential"
            is Recipe.Vickrey, is Recipe.VickreyAmongSeveral -> "vickrey"
        }

    override fun equals(other: Any?): Boolean = other is Mechanism && other.recipe == recipe

    override fun hashCode(): Int = recipe.hashCode()

    override fun toString(): String = when (recipe) {
        Recipe.Brr -> "brr"
        is Recipe.Exponential -> listOfNotNull(
            recipe.radius?.let { "radius = $it" },
            recipe.base?.let { "base = ${it.spelled}" },
            recipe.cap?.let { "cap = $it" },
        ).let { if (it.isEmpty()) name else "$name(${it.joinToString()})" }
        is Recipe.Vickrey -> "vickrey(t = ${recipe.t})"
        is Recipe.VickreyAmongSeveral -> "vickrey(t = ${recipe.t})"
    }

    /** Prepares it; throws [ParameterException] where it doesn't suit the bundle. */
    internal fun sampler(ingredients: Ingredients): Sampler = when (recipe) {
        Recipe.Brr -> Brr(ingredients)
        is Recipe.Exponential ->
            Exponential(ingredients, recipe.radius, recipe.base, recipe.cap)
        is Recipe.Vickrey -> Vickrey(ingredients, listOf(recipe.t), several = false)
        is Recipe.VickreyAmongSeveral -> Vickrey(ingredients, recipe.t, several = true)
    }

    /** How many words it chooses from. */
    private val candidates: Int
        get() = when (recipe) {
            is Recipe.Vickrey -> 2
            is Recipe.VickreyAmongSeveral -> recipe.t.size
            else -> 1
        }

    public companion object {
        private const val RADIUS = "radius must be an integer from 0 to the number of bits"

        /** Flips bits of the word's code, and takes the word nearest to the noised code. */
        @JvmStatic
        public fun brr(): Mechanism = Mechanism(Recipe.Brr)

        /**
         * Draws a word with integer weights that fall with distance: the most meaning at the same
         * attack. What runs if no mechanism is given.
         *
         * @param radius from 0 to the code's bits: words within it are nearly as likely to come
         *   out as the word itself. By default an eighth of the bits.
         * @param base which words come out more readily. By default the last one that the bundle
         *   has: [Base.LANGUAGE] where it has bigrams, else [Base.WORDS].
         * @param cap from 1e-9 to 88: what the loss between any two words never exceeds, however
         *   far they are. By default it has no limit but epsilon times their distance.
         */
        @JvmStatic
        @JvmOverloads
        public fun exponential(
            radius: Int? = null,
            base: Base? = null,
            cap: Double? = null,
        ): Mechanism = Mechanism(Recipe.Exponential(radius, base, cap))

        /**
         * Flips bits, and chooses between the two nearest words: fewer words come out unchanged.
         *
         * @param t from 0 to 1. The nearest word is chosen with probability
         *   (1 - t) d2 / (t d1 + (1 - t) d2), with d1 and d2 the distances to the two nearest; 0 is
         *   [brr], 1 always takes the second.
         */
        @JvmStatic
        @JvmOverloads
        public fun vickrey(t: Double = 0.5): Mechanism = Mechanism(Recipe.Vickrey(t))

        /**
         * Flips bits, and chooses among the k nearest words.
         *
         * @param t k numbers >= 0, at most 64: the r-th nearest word is chosen with probability
         *   proportional to exp(-t_r d_r), with d_r its distance.
         */
        @JvmStatic
        public fun vickrey(t: List<Double>): Mechanism =
            Mechanism(Recipe.VickreyAmongSeveral(t.toList()))

        /**
         * Returns the mechanism with this [name], with its default parameters.
         *
         * For names that were stored: a choice that somebody made in an app's settings.
         *
         * @throws ParameterException there is no such mechanism.
         */
        @JvmStatic
        public fun named(name: String): Mechanism = of(name, emptyMap<String, Any>())

        /**
         * Returns the mechanism that a bundle recommends, with its parameters.
         *
         * @throws ParameterException this version doesn't know it.
         */
        @JvmStatic
        public fun of(setting: Setting): Mechanism = of(setting.mechanism, setting.parameters)

        /** Returns the mechanism with a name and parameters as files have them. */
        internal fun of(name: String, parameters: Map<String, Any?>): Mechanism {
            val (taken, mechanism) = when (name) {
                "brr" -> emptyList<String>() to brr()
                "vickrey" -> listOf("t", "k") to vickreyOf(parameters.getOrDefault("t", 0.5))
                "exponential" -> listOf("radius", "base", "cap") to exponentialOf(parameters)
                else -> throw ParameterException(
                    "mechanism '$name' is unknown; choose one of: brr, vickrey, exponential",
                )
            }
            for (parameter in parameters.keys - taken) {
                val accepts =
                    if (taken.isEmpty()) "it takes none" else "it takes ${taken.joinToString()}"
                throw ParameterException("mechanism '$name' has no parameter '$parameter'; $accepts")
            }
            val k = parameters["k"]
            val candidates = mechanism.candidates
            if (k != null && (k as? Number)?.toDouble() != candidates.toDouble()) {
                throw ParameterException(
                    "k is $k, but t gives $candidates candidates; for another k give t as a list " +
                        "of k numbers",
                )
            }
            return mechanism
        }

        private fun vickreyOf(t: Any?): Mechanism =
            if (t is List<*>) vickrey(t.map(::number)) else vickrey(number(t))

        private fun number(value: Any?): Double = (value as? Number)?.toDouble() ?: Double.NaN

        private fun exponentialOf(parameters: Map<String, Any?>): Mechanism = exponential(
            if ("radius" in parameters) radiusOf(parameters["radius"]) else null,
            if ("base" in parameters) baseOf(parameters["base"]) else null,
            if ("cap" in parameters) number(parameters["cap"]) else null,
        )

        private fun radiusOf(radius: Any?): Int {
            val number = (radius as? Int)?.toLong() ?: radius as? Long
            if (number == null || number !in 0..Int.MAX_VALUE) {
                throw ParameterException("$RADIUS, not $radius")
            }
            return number.toInt()
        }

        private fun baseOf(base: Any?): Base = Base.entries.firstOrNull { it.spelled == base }
            ?: throw ParameterException(
                "there is no such base; choose one of: " + Base.entries.joinToString { it.spelled },
            )
    }
}
