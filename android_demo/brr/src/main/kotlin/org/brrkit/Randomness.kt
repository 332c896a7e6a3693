package org.brrkit

import java.security.SecureRandom

/**
 * A source of random bytes.
 *
 * Only tests and experiments use another source than [SystemRandom].
 */
public fun interface RandomSource {
    /**
     * Fills [bytes] with uniformly random bytes.
     *
     * @throws RandomnessException there are none.
     */
    public fun fill(bytes: ByteArray)
}

/** The system's cryptographically secure random numbers. */
public object SystemRandom : RandomSource {
    /** Never seeded, because it then takes a seed from the system. */
    internal val source: SecureRandom = SecureRandom()

    override fun fill(bytes: ByteArray): Unit = fill(bytes, source)

    internal fun fill(bytes: ByteArray, source: SecureRandom): Unit = try {
        source.nextBytes(bytes)
    } catch (_: RuntimeException) { // of any provider
        throw RandomnessException("the system provides no random bytes; nothing was released")
    }
}

/** Returns a uniform integer in [0, [bound]). */
internal fun uniformBelow(bound: Long, random: RandomSource): Long = uniformUpTo(bound - 1, random)

/**
 * Returns a uniform integer in [0, [last]].
 *
 * Takes 8 bytes (little-endian), keeps as many low bits as [last] has, and repeats this until the number is at
 * most [last]: a remainder would favor small numbers.
 */
internal fun uniformUpTo(last: Long, random: RandomSource): Long {
    val mask = if (last == 0L) 0L else -1L ushr last.countLeadingZeroBits()
    val bytes = ByteArray(Long.SIZE_BYTES)
    while (true) {
        random.fill(bytes)
        val number = bytes.longAt(0) and mask
        if (number <= last) return number
    }
}
