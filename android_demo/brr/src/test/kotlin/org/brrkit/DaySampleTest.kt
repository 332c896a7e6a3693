package org.brrkit

import org.junit.Assert.assertEquals
import org.junit.Assert.assertThrows
import org.junit.Test

class DaySampleTest {
    /** With all possible uniform integers: each word stays equally often. */
    @Test
    fun everyWordIsAsLikelyToStay() {
        val stayed = HashMap<String, Int>()
        val typed = listOf("a", "b", "c", "d", "e")
        var days = 0
        for (c in 0L..2L) for (d in 0L..3L) for (e in 0L..4L) {
            val random = Replay(listOf(c, d, e).map(::eightBytes).reduce(ByteArray::plus))
            val day = typed.fold(DaySample(2)) { sample, word -> sample.plus(word, random) }
            assertEquals(0, random.left)
            assertEquals(5L, day.seen)
            assertEquals(2, day.words.toSet().size)
            day.words.forEach { stayed.merge(it, 1, Int::plus) }
            days++
        }
        assertEquals(60, days)
        assertEquals(typed.associateWith { 60 * 2 / 5 }, stayed)
    }

    /** The i-th replaces the j-th if a uniform j below i is below m. */
    @Test
    fun aWordTakesThePlaceThatIsDrawn() {
        val first = DaySample(3).plus("a", none).plus("b", none)
        assertEquals(1, first.room)
        assertEquals(listOf("a", "b"), first.words)
        val full = first.plus("c", none)
        assertEquals(0, full.room)
        fun after(place: Long) = full.plus("d", Replay(eightBytes(place))).words
        assertEquals(listOf("d", "b", "c"), after(0))
        assertEquals(listOf("a", "b", "d"), after(2))
        assertEquals(listOf("a", "b", "c"), after(3))
        val later = DaySample(3, 100, full.words).plus("d", Replay(eightBytes(101) + eightBytes(1)))
        assertEquals(listOf("a", "d", "c"), later.words)
        assertEquals(101L, later.seen)
        assertEquals("it isn't changed", listOf("a", "b", "c"), full.words)
    }

    @Test
    fun badParameters() {
        for (most in listOf(0, -1, 1_001)) {
            assertThrows(ParameterException::class.java) { DaySample(most) }
        }
        for ((seen, words) in listOf(0L to 1, 2L to 1, 9L to 3, 9L to 1, -1L to 0)) {
            assertThrows(ParameterException::class.java) { DaySample(2, seen, List(words) { "a" }) }
        }
    }

    private val none = RandomSource { error("the first words need no random bytes") }
}
