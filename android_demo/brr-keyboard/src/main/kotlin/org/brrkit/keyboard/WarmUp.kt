package org.brrkit.keyboard

import org.brrkit.RandomSource
import org.brrkit.WordBundle

/**
 * Draws for words of the vocabulary, and discards the outputs. The first draws of a process take several times as
 * long as later ones, because their code isn't compiled yet.
 *
 * This uses nothing typed, and no budget, memory or file. It also uses no random bytes of the system, so no
 * release depends on it.
 */
internal fun warmUp(bundle: WordBundle, settings: ReleaseSettings) {
    val privatizer = settings.privatizer(bundle, random = Counting())
    for (place in 0 until WARM_UP_WORDS) {
        privatizer.word(bundle.vocabulary.word((place.toLong() * bundle.size / WARM_UP_WORDS).toInt()))
    }
}

/** Bytes that aren't secret, with which every draw ends. */
private class Counting : RandomSource {
    private var state = 1L

    override fun fill(bytes: ByteArray) {
        for (place in bytes.indices) {
            state = state * MULTIPLIER + INCREMENT
            bytes[place] = (state ushr HIGH_BITS).toByte()
        }
    }
}

private const val WARM_UP_WORDS = 200
private const val MULTIPLIER = 6_364_136_223_846_793_005 // of Knuth's MMIX
private const val INCREMENT = 1_442_695_040_888_963_407
private const val HIGH_BITS = 33
