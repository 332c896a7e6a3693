package org.brrkit.mechanisms

import org.brrkit.Certificate
import org.brrkit.MechanismSetting
import org.brrkit.ParameterException
import org.brrkit.RandomSource
import org.brrkit.Randomizer
import org.brrkit.WordBundle

/** What `Privatizer` needs of a mechanism: codes go in, the ids of words come out. */
internal interface Mechanism {
    /** As requested, per bit of Hamming distance. */
    val epsilon: Double

    /** What the integers really give, rounded up; never more than [epsilon]. */
    val effectiveEpsilon: Double

    /** Two mechanisms of a bundle with one setting are the same. */
    val setting: MechanismSetting

    /** Returns the id of the released word for each of [codes], which may be overwritten. */
    fun release(codes: List<LongArray>, random: RandomSource): IntArray
}

/** What mechanisms are made from. */
internal class Ingredients(
    val bundle: WordBundle,
    val epsilon: Double,
    val parameters: Map<String, Any?>,
    val randomizer: Randomizer,
    /** Of a recommended setting, if it has one; never an app's. */
    val certificate: Certificate? = null,
)

private class Recipe(val parameters: List<String>, val create: (Ingredients) -> Mechanism)

private val MECHANISMS = mapOf(
    "brr" to Recipe(emptyList(), ::Brr),
    "vickrey" to Recipe(listOf("t", "k"), ::Vickrey),
    "exponential" to Recipe(listOf("radius"), ::Exponential),
)

/** What runs where an epsilon is given and no mechanism. */
internal const val DEFAULT_MECHANISM: String = "exponential"

/**
 * Returns the mechanism [name].
 *
 * @throws ParameterException the name, epsilon, or a parameter isn't one that it takes, or the
 *   certificate isn't for this.
 */
internal fun createMechanism(name: String, ingredients: Ingredients): Mechanism {
    val recipe = MECHANISMS[name] ?: throw ParameterException(
        "mechanism '$name' is unknown; choose one of: ${MECHANISMS.keys.joinToString()}",
    )
    for (parameter in ingredients.parameters.keys - recipe.parameters) {
        val accepts =
            if (recipe.parameters.isEmpty()) {
                "it takes none"
            } else {
                "it takes ${recipe.parameters.joinToString()}"
            }
        throw ParameterException("mechanism '$name' has no parameter '$parameter'; $accepts")
    }
    if (ingredients.certificate != null && name != "exponential") {
        throw ParameterException("a certificate is for mechanism 'exponential', not '$name'")
    }
    return recipe.create(ingredients)
}
