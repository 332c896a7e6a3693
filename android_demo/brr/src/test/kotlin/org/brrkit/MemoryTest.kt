package org.brrkit

import com.sun.management.ThreadMXBean
import java.lang.management.ManagementFactory
import kotlin.random.Random
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test

/** A vocabulary stays in the mapped file, so the heap doesn't grow with it. */
class MemoryTest {
    private val threads = ManagementFactory.getThreadMXBean() as ThreadMXBean

    @Test
    fun fiftyThousandWordsTakeLessThanAMegabyteOfHeap() {
        Privatizer(WordBundle.open(Work.file("bundles/256")), 1.0).text("the first use loads classes")
        val before = usedHeap()
        val bundle = WordBundle.open(Work.file("large"))
        val privatizer = Privatizer(bundle, 0.2)
        repeat(20) { privatizer.word(bundle.vocabulary.word(it)) }
        bundle.neighbors(bundle.vocabulary.word(0), 10)
        val growth = usedHeap() - before
        println("${bundle.size} words x ${bundle.bits} bits take $growth bytes of heap")
        assertEquals(50_000, bundle.size)
        assertTrue("$growth", growth < 1 shl 20)
        privatizer.word("the bundle is in use until here")
    }

    @Test
    fun aScanAllocatesAsMuchForTwoThousandCodesAsForFiftyThousand() {
        val large = WordBundle.open(Work.file("large"))
        val small = Work.bundles.getValue("256")
        val query = LongArray(4) { Random(1).nextLong() }
        fun WordBundle.measure() = masses.measure(Base.UNIGRAM, Masses.NONE)
        val scans = mapOf<String, (WordBundle) -> Any>(
            "nearest" to { it.index.nearest(query, 1) },
            "nearest 2" to { it.index.nearest(query, 2) },
            "sums" to { it.index.sums(query, it.measure()) },
            "idAt" to { it.measure().let { m -> it.index.idAt(query, 128, 40, m, it.index.sums(query, m)) } },
        )
        for ((name, scan) in scans) {
            val expected = allocatedBy { scan(small) }
            assertEquals(name, expected, allocatedBy { scan(large) })
            assertTrue("$name: $expected", expected <= 17_000) // its result
        }
    }

    private fun allocatedBy(work: () -> Any): Long {
        repeat(3) { work() } // the first makes this thread's scratch space
        val thread = Thread.currentThread().id
        return (1..5).minOf {
            val before = threads.getThreadAllocatedBytes(thread)
            work()
            threads.getThreadAllocatedBytes(thread) - before
        }
    }

    private fun usedHeap(): Long {
        repeat(5) {
            System.gc()
            Thread.sleep(20)
        }
        return Runtime.getRuntime().run { totalMemory() - freeMemory() }
    }
}
