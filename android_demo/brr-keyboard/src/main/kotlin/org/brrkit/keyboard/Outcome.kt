package org.brrkit.keyboard

import java.util.function.Function
import org.brrkit.BrrException

/**
 * What became of work with the bundle: its value, or why there is none.
 *
 * ```
 * keyboard.bundle.run({ it.size }) { words -> show(words.fold({ "$it" }, { it.message })) }
 * ```
 */
public class Outcome<T> private constructor(
    private val value: T?,
    private val error: BrrException?,
) {
    /** Whether there is no value. */
    public val isFailure: Boolean
        get() = error != null

    /**
     * Returns the value.
     *
     * @throws BrrException there is none.
     */
    public fun getOrThrow(): T = fold({ it }, { throw it })

    /** Returns what [success] makes of the value, or [failure] of the error. */
    public fun <R> fold(success: Function<T, R>, failure: Function<BrrException, R>): R {
        if (error != null) return failure.apply(error)
        @Suppress("UNCHECKED_CAST") // null only where T has it
        return success.apply(value as T)
    }

    internal companion object {
        /** Catches brrkit's own errors only: any other is a bug, which nothing should hide. */
        inline fun <T> of(work: () -> T): Outcome<T> = try {
            success(work())
        } catch (error: BrrException) {
            failure(error)
        }

        fun <T> success(value: T): Outcome<T> = Outcome(value, null)

        fun <T> failure(error: BrrException): Outcome<T> = Outcome(null, error)
    }
}
