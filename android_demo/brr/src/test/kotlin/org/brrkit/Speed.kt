package org.brrkit

import java.io.File
import java.lang.management.ManagementFactory
import kotlin.random.Random

/**
 * Prints the seconds of processor time that the first opening took, in a JVM that has just started.
 * Then does what `benchmarks/languages.py` times, when it asks for it: for each name on a line of
 * standard input, all words once; it answers with the seconds of this thread's processor time.
 *
 * @param arguments the directory of a bundle, how many words, and an epsilon.
 */
fun main(arguments: Array<String>) {
    val folder = File(arguments[0])
    val count = arguments[1].toInt()
    val thread = ManagementFactory.getThreadMXBean()
    fun seconds(action: () -> Unit): Double {
        val start = thread.currentThreadCpuTime
        action()
        return (thread.currentThreadCpuTime - start) / 1e9
    }
    println(seconds { WordBundle.open(folder) })
    val bundle = WordBundle.open(folder)
    val source = Random(1)
    val words = List(count) { bundle.vocabulary.word(source.nextInt(bundle.size)) }
    val queries = List(count) { LongArray(bundle.bits / Long.SIZE_BITS) { source.nextLong() } }
    val privatizers = listOf("brr", "vickrey", "exponential").associateWith {
        Privatizer(bundle, arguments[2].toDouble(), it)
    }
    for (name in generateSequence(::readlnOrNull)) {
        val taken = seconds {
            when (name) {
                "open" -> WordBundle.open(folder)
                "find" -> words.forEach { bundle.vocabulary.find(it) }
                "search" -> queries.forEach { bundle.index.nearest(it, 1) }
                else -> words.forEach { privatizers.getValue(name).word(it) }
            }
        }
        println(taken)
    }
}
