package org.brrkit

import org.brrkit.mechanisms.Exponential
import org.brrkit.mechanisms.Ingredients
import org.brrkit.mechanisms.Sampler

/** A setting for text in force, and its sampler. */
internal class InForce(val setting: Setting, val sampler: Sampler)

/** Throws [ParameterException] if [bundle] is a list. */
internal fun checkCodes(bundle: WordBundle) {
    if (bundle.bits == 0) {
        throw ParameterException("a list has no codes, so its strings can only be counted")
    }
}

/**
 * Returns the setting for text in force: the [given] one or, without one, the whole setting that [bundle]
 * recommends.
 *
 * @throws ParameterException a value of the given setting is unknown or out of range, its certificate belongs
 *   to another setting or bundle; or none is given, and the bundle recommends none; or it is a list.
 * @throws BundleException the recommended setting isn't one that this version can run.
 */
internal fun resolve(bundle: WordBundle, given: Setting?, randomizer: Randomizer): InForce {
    checkCodes(bundle)
    if (given != null) return checked(bundle, given, randomizer)
    val recommended = bundle.recommended ?: throw ParameterException(
        "the bundle recommends no setting; give one, or write one into the bundle with " +
            "'brr calibrate --write'",
    )
    try {
        return checked(bundle, recommended, randomizer)
    } catch (error: ParameterException) {
        throw BundleException(
            "${bundle.manifestPath}: field 'recommended': ${error.message}; write it again with " +
                "'brr calibrate --write'",
        )
    }
}

/**
 * Returns the setting for counts in force: the [given] one or, without one, the one that [bundle] recommends.
 *
 * @throws ParameterException a value is out of range; or none is given, and the bundle recommends none.
 */
internal fun resolveCounts(bundle: WordBundle, given: CountsSetting?): CountsSetting {
    val setting = given ?: bundle.counts ?: throw ParameterException(
        "the bundle recommends no setting for counts; give one, or write one into the bundle with " +
            "'brr calibrate --for counts --write'",
    )
    checkCap(setting.cap)
    if (setting.wordsADay !in 1..MOST_A_DAY) {
        throw ParameterException("wordsADay must be from 1 to 1,000, not ${setting.wordsADay}")
    }
    return setting
}

/**
 * Returns the shape of a day of text in force: the [given] one or, without one, that of [bundle].
 *
 * @throws ParameterException a value is out of range; or none is given, and the bundle has none.
 */
internal fun resolveFrames(bundle: WordBundle, given: Frames?): Frames {
    val frames = given ?: bundle.frames ?: throw ParameterException(
        "the bundle has no frames; give Frames(words = 8, aDay = 8), or write them into the bundle " +
            "with 'brr calibrate --frames 8 --write'",
    )
    if (!frames.isInRange) {
        throw ParameterException(
            "frames must have 1 to 64 words and be 1 to 1,000 a day, with at most 8,192 words a day",
        )
    }
    return frames
}

private fun checked(bundle: WordBundle, setting: Setting, randomizer: Randomizer): InForce {
    val sampler = setting.mechanism.sampler(Ingredients(bundle, setting.epsilon, randomizer))
    setting.certificate?.let { check(it, setting, bundle, sampler) }
    return InForce(setting, sampler)
}

/** Throws [ParameterException] if a certificate belongs to another setting or bundle. */
private fun check(certificate: Certificate, setting: Setting, bundle: WordBundle, sampler: Sampler) {
    if (sampler !is Exponential) {
        throw ParameterException(
            "a certificate is for mechanism 'exponential', not '${setting.mechanism.name}'",
        )
    }
    if (sampler.base == Base.BIGRAM) {
        throw ParameterException("base 'bigram' has no certificate")
    }
    if (certificate.index != bundle.digest) {
        throw ParameterException("its certificate belongs to another index.safetensors")
    }
    if (certificate.epsilon != setting.epsilon || certificate.mechanism != setting.mechanism) {
        throw ParameterException("its certificate belongs to another setting; leave it out")
    }
    if (certificate.certifiedEpsilon !in setting.epsilon / 2..setting.epsilon) {
        throw ParameterException("its certified_epsilon isn't from epsilon / 2 to epsilon")
    }
}
