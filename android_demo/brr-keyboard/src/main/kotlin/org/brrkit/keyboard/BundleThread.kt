package org.brrkit.keyboard

import java.util.concurrent.Executor
import java.util.function.Consumer
import java.util.function.Function
import java.util.function.Supplier
import org.brrkit.BrrException
import org.brrkit.WordBundle

/**
 * Background work with the bundle, in the order of the calls. It opens the bundle first.
 *
 * Keys therefore never wait for the bundle: their requests wait, in memory, until it is open.
 *
 * ```
 * keyboard.bundle.run({ it.neighbors("king", 3) }) { show(it.getOrThrow()) }
 * ```
 *
 * @param thread runs one task at a time.
 * @param main runs tasks on the main thread.
 * @param open opens the bundle, on the thread.
 */
public class BundleThread(
    private val thread: Executor,
    private val main: Executor,
    open: Supplier<WordBundle>,
) {
    private val bundle: Outcome<WordBundle> by lazy { Outcome.of(open::get) }

    init {
        thread.execute { bundle }
    }

    /**
     * Runs [work] with the bundle on the thread, then [done] with the outcome on the main one.
     *
     * The outcome is a failure if the bundle can't be opened, or if [work] throws a [BrrException].
     */
    public fun <T> run(work: Function<WordBundle, T>, done: Consumer<Outcome<T>>): Unit =
        run(thread, work, done)

    /** Returns the result of [work] with the bundle, on the caller's thread. */
    internal fun <T> now(work: (WordBundle) -> T): Outcome<T> =
        bundle.fold({ Outcome.of { work(it) } }, { Outcome.failure(it) })

    /** As the other, but on a thread of [executor], in parallel with the bundle's own thread. */
    internal fun <T> run(
        executor: Executor,
        work: Function<WordBundle, T>,
        done: Consumer<Outcome<T>>,
    ) {
        executor.execute {
            val outcome = now(work::apply)
            main.execute { done.accept(outcome) }
        }
    }
}
