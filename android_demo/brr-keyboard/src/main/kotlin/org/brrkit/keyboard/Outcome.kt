package org.brrkit.keyboard

import java.util.function.Function
import org.brrkit.BrrException

/**
 * The outcome of work with the bundle: its value or its error.
 *
 * ```
 * keyboard.bundle.run({ it.size }) { words -> show(words.fold({ "$it" }, { it.message })) }
 * ```
 */
public class Outcome<T> private constructor(
    private val value: T?,
    private val error: BrrException?,
) {
    /** Whether it is a failure. */
    public val isFailure: Boolean
        get() = error != null

    /**
     * Returns the value.
     *
     * @throws BrrException there is none.
     */
    public fun getOrThrow(): T = fold({ it }, { throw it })

    /** Returns the result of [success] for the value, or of [failure] for the error. */
    public fun <R> fold(success: Function<T, R>, failure: Function<BrrException, R>): R {
        if (error != null) return failure.apply(error)
        @Suppress("UNCHECKED_CAST") // null only where T has it
        return success.apply(value as T)
    }

    internal companion object {
        /** Catches only brrkit's own errors. Any other error is a bug and must stay visible. */
        inline fun <T> of(work: () -> T): Outcome<T> = try {
            success(work())
        } catch (error: BrrException) {
            failure(error)
        }

        fun <T> success(value: T): Outcome<T> = Outcome(value, null)

        fun <T> failure(error: BrrException): Outcome<T> = Outcome(null, error)
    }
}
