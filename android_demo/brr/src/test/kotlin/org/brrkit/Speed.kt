package org.brrkit

import java.io.File
import java.lang.management.ManagementFactory
import java.time.Duration
import kotlin.math.ceil
import kotlin.random.Random

/**
 * Prints the seconds of processor time for the first opening in a new JVM. Then runs the work that
 * `benchmarks/languages.py` times: for each name on a line of standard input, all words once. Answers with the
 * seconds of this thread's processor time, or of wall-clock time; for a text as it is typed, with a quantile over
 * its words. `benchmarks/cost.py` counts the instructions of some of these.
 *
 * @param arguments the directory of a bundle, a file with a word in each line, an epsilon, and a
 *   folder for budgets.
 */
fun main(arguments: Array<String>) {
    val folder = File(arguments[0])
    val words = File(arguments[1]).readLines()
    val count = words.size
    val thread = ManagementFactory.getThreadMXBean()
    fun seconds(action: () -> Unit): Double {
        val start = thread.currentThreadCpuTime
        action()
        return (thread.currentThreadCpuTime - start) / 1e9
    }
    println(seconds { WordBundle.open(folder) })
    val bundle = WordBundle.open(folder)
    val source = Random(1)
    val queries = List(count) { LongArray(bundle.bits / Long.SIZE_BITS) { source.nextLong() } }
    val privatizers = listOf("brr", "vickrey", "exponential").associateWith {
        Privatizer(bundle, arguments[2].toDouble(), it)
    }
    val asRecommended by lazy { Privatizer(bundle) }
    fun withBudget(name: String): Privatizer {
        val state = File(arguments[3], name)
        state.delete()
        val budget = PrivacyBudget(1e9, Duration.ofSeconds(1_000_000_000), state)
        return Privatizer.Builder(bundle).setting(Setting(arguments[2].toDouble())).budget(budget).build()
    }
    fun elapsed(privatizer: Privatizer): Double {
        val start = System.nanoTime()
        words.forEach { privatizer.word(it) }
        return (System.nanoTime() - start) / 1e9
    }
    fun typing(share: Double): Double {
        val stream = withBudget("typing").stream()
        val taken = words.map {
            val start = System.nanoTime()
            stream.word(it)
            System.nanoTime() - start
        }
        return taken.sorted()[ceil(share * count).toInt() - 1] / 1e9
    }
    val paid = withBudget("budget")
    for (name in generateSequence(::readlnOrNull)) {
        val taken = when (name) {
            "exponential, by the clock" -> elapsed(privatizers.getValue("exponential"))
            "with a budget, by the clock" -> elapsed(paid)
            "with a new budget, by the clock" -> elapsed(withBudget("new"))
            "typing, budget on: p50" -> typing(0.5)
            "typing, budget on: p99" -> typing(0.99)
            "a text, as recommended" -> seconds { asRecommended.words(words) }
            "open" -> seconds { WordBundle.open(folder) }
            "find" -> seconds { words.forEach { bundle.vocabulary.find(it) } }
            "search" -> seconds { queries.forEach { bundle.index.nearest(it, 1) } }
            else -> seconds { words.forEach { privatizers.getValue(name).word(it) } }
        }
        println(taken)
    }
}
