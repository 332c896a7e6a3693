package org.brrkit.keyboard

import java.util.concurrent.Executor
import org.brrkit.BrrException
import org.brrkit.WordBundle

/**
 * Background work with the bundle, in the order of asking. Opening it comes first.
 *
 * So keys never wait for the bundle: what they ask for waits, in memory, until it is open.
 *
 * @param thread runs one task at a time.
 * @param main runs tasks on the main thread.
 * @param open opens the bundle, on the thread.
 */
public class BundleThread(
    private val thread: Executor,
    private val main: Executor,
    open: () -> WordBundle,
) {
    private val bundle: Result<WordBundle> by lazy { attempt(open) }

    init {
        thread.execute { bundle }
    }

    /**
     * Runs [work] with the bundle on the thread, then [done] with the result on the main one.
     *
     * The result is a failure if the bundle can't be opened, or [work] throws a [BrrException].
     */
    public fun <T> run(work: (WordBundle) -> T, done: (Result<T>) -> Unit): Unit =
        run(thread, work, done)

    /** As the other, but on a thread of [executor], beside what the bundle's own one does. */
    internal fun <T> run(
        executor: Executor,
        work: (WordBundle) -> T,
        done: (Result<T>) -> Unit,
    ) {
        executor.execute {
            val result = bundle.fold({ attempt { work(it) } }, { Result.failure(it) })
            main.execute { done(result) }
        }
    }
}

/** Catches brrkit's own errors only: any other is a bug, which nothing should hide. */
private inline fun <T> attempt(work: () -> T): Result<T> =
    try {
        Result.success(work())
    } catch (error: BrrException) {
        Result.failure(error)
    }
