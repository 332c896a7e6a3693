package org.brrkit

import org.brrkit.mechanisms.Exponential

/**
 * Returns the integers computed from the settings that [bundle] recommends, for the proofs' checker.
 *
 * `brr verify --proof --tables FILE` checks this text from any runtime. All runtimes return the same.
 *
 * @throws ParameterException the bundle recommends no setting.
 * @throws BundleException the recommended setting isn't one that this version can run.
 */
public fun tablesOf(bundle: WordBundle): String {
    val counts = bundle.counts
    if (bundle.recommended == null && counts == null) {
        throw ParameterException("the bundle recommends no setting; calibrate it first")
    }
    val lines = ArrayList<String>()
    if (bundle.recommended != null) {
        lines += linesOfText(bundle)
        bundle.policy.passing?.let { lines += listOf("passing", "threshold ${it.threshold}") }
    }
    if (counts != null) {
        val response = RandomizedResponse(counts.cap, bundle.size + 1)
        lines += listOf("counts", "cap ${fraction(counts.cap)}", "symbols ${response.symbols}")
        lines += "keep ${response.threshold}"
    }
    return lines.joinToString("") { "$it\n" }
}

private fun linesOfText(bundle: WordBundle): List<String> {
    val sampler = resolve(bundle, null, KotlinRandomizer).sampler
    val integers = sampler.integers.joinToString(" ")
    val epsilon = "epsilon ${fraction(sampler.epsilon)}"
    if (sampler !is Exponential) return listOf("flips", epsilon, "threshold $integers")
    val masses = bundle.masses
    val isUniform = sampler.base == Base.UNIFORM
    val lines = arrayListOf(
        "exponential",
        epsilon,
        "bits ${bundle.wordBits} ${bundle.taskBits} ${sampler.taskWeight}",
        "weights $integers",
        "masses " + (0 until bundle.size).joinToString(" ") { if (isUniform) "1" else "${masses.byte(it)}" },
    )
    sampler.cap?.let { lines += "cap ${fraction(it)}" }
    for (before in 0 until bundle.size) {
        val measure = masses.measure(sampler.base, before)
        if (measure.begin == measure.end) continue
        lines += "gains $before " + (measure.begin until measure.end).joinToString(" ") {
            "${measure.after(it)} ${measure.byte(it)}"
        }
    }
    return lines
}

/** Returns the numerator and the denominator of a double. */
private fun fraction(value: Double): String {
    val (numerator, denominator) = value.toRational().run { numerator to denominator }
    val common = numerator.gcd(denominator)
    return "${numerator / common} ${denominator / common}"
}
