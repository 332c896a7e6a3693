package org.brrkit

import kotlin.random.Random
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertSame
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Test

/** Text in frames of a fixed shape. The frozen cases contain the frames. */
class TextFramesTest {
    private val bundle = Work.bundle64
    private val setting = Setting(1.0)

    private fun texts(shape: Frames? = Frames(3, 2), random: RandomSource = SystemRandom) =
        TextFrames(bundle, setting, shape, random)

    /** With all possible places: each frame of typed text stays equally often. */
    @Test
    fun everyFrameIsAsLikelyToStay() {
        val shape = Frames(1, 2)
        val stayed = HashMap<String, Int>()
        for (c in 0L..2L) for (d in 0L..3L) for (e in 0L..4L) {
            val random = Replay(listOf(c, d, e).map(::eightBytes).reduce(ByteArray::plus))
            val first = FrameSample(shape, 0, List(2) { listOf("filler") })
            val day = listOf("a", "b", "c", "d", "e").fold(first) { day, word -> day.plus(listOf(word), random) }
            assertEquals(0, random.left)
            assertEquals(5L, day.seen)
            day.frames.flatten().forEach { stayed.merge(it, 1, Int::plus) }
        }
        assertEquals(listOf("a", "b", "c", "d", "e").associateWith { 60 * 2 / 5 }, stayed)
    }

    /** Frames of typed text take the fillers' places first, and nothing is drawn for that. */
    @Test
    fun fillersGoFirst() {
        val none = RandomSource { error("the first frames need no random bytes") }
        val fillers = FrameSample(Frames(1, 3), 0, List(3) { listOf("filler$it") })
        val days = generateSequence(fillers) { it.plus(listOf("typed${it.seen}"), none) }.take(4).toList()
        val typed = days.map { day -> day.frames.flatten().count { it.startsWith("typed") } }
        assertEquals(listOf(0, 1, 2, 3), typed)
        assertEquals("it isn't changed", 0L, fillers.seen)
    }

    /** A day's first frames, and the fillers of a text's last frame, are releases of unknown words. */
    @Test
    fun aFillerIsAnUnknownWord() {
        for (seed in 1..12) { // a word rarely shows which one it was drawn after
            fun bytes() = Random(seed).nextBytes(60_000).let(::Replay)
            val privatizer = Privatizer.Builder(bundle).setting(setting).random(bytes()).build()
            val unknown = List(4) { privatizer.words(List(5) { "zqxzq" }) }
            val stream = privatizer.stream()
            val filled = listOf("the", "zqxzq", "zqxzq", "zqxzq", "zqxzq").map(stream::word)
            val texts = texts(Frames(5, 4), bytes())
            val day = texts.day()
            assertEquals(unknown, day.frames)
            assertEquals(listOf(filled) + unknown.drop(1), texts.text("the", day).frames)
        }
    }

    /** For any typing and any end of a text: all frames, each with all its words. */
    @Test
    fun aDayHasItsShapeWhateverIsTyped() {
        val source = Random(5)
        repeat(60) {
            val shape = Frames(source.nextInt(1, 6), source.nextInt(1, 5))
            val texts = texts(shape)
            var day = texts.day()
            var typed = 0
            repeat(source.nextInt(8)) {
                val words = List(source.nextInt(12)) { bundle.vocabulary.word(source.nextInt(bundle.size)) }
                typed += (words.size + shape.words - 1) / shape.words
                if (source.nextBoolean()) {
                    for (word in words) day = texts.word(word, day)
                    day = texts.end(day)
                } else {
                    day = texts.text(words.joinToString(" "), day)
                }
                assertFalse(texts.isInProgress)
                assertEquals(typed.toLong(), day.seen)
                assertEquals(List(shape.aDay) { shape.words }, day.frames.map { it.size })
                assertTrue(day.frames.flatten().all { bundle.vocabulary.find(it) >= 0 })
            }
        }
    }

    @Test
    fun aTextWithoutWordsIsNoFrame() {
        val texts = texts()
        val day = texts.day()
        assertSame(day, texts.end(day))
        assertSame(day, texts.text("", day))
        assertSame(day, texts.text(" ... ", day))
        val begun = texts.word("the", day)
        assertSame("a piece is no frame", day, begun)
        assertTrue(texts.isInProgress)
        assertEquals("another text ends it", 1L, texts.text("", begun).seen)
    }

    /** Words released before a day began aren't in it. */
    @Test
    fun aNewDayDropsThePieceInProgress() {
        val texts = texts(Frames(2, 2))
        texts.word("the", texts.day())
        val next = texts.day()
        assertFalse(texts.isInProgress)
        assertEquals(0L, texts.word("the", next).seen)
    }

    @Test
    fun aMarkThatIsWrongReleasesNothing() {
        val texts = texts(random = Replay(Random(1).nextBytes(9_000)))
        val day = texts.day()
        assertThrows(ParameterException::class.java) { texts.text("the", day, listOf(Mark(2, 9))) }
        assertFalse(texts.isInProgress)
    }

    @Test
    fun badShapes() {
        assertNull(bundle.frames)
        val error = assertThrows(ParameterException::class.java) { texts(shape = null) }
        assertTrue(error.message, "brr calibrate --frames" in error.message!!)
        for ((words, aDay) in listOf(0 to 8, -1 to 8, 65 to 8, 8 to 0, 8 to 1_001, 64 to 129, 9 to 911)) {
            assertThrows(ParameterException::class.java) { texts(Frames(words, aDay)) }
        }
        for ((words, aDay) in listOf(64 to 128, 1 to 1_000, 9 to 910)) {
            assertEquals(words * aDay, texts(Frames(words, aDay)).day().frames.flatten().size)
        }
        val shape = Frames(1, 2)
        for (frames in listOf(listOf(listOf("a")), List(3) { listOf("a") }, listOf(listOf("a"), listOf("a", "b")))) {
            assertThrows(ParameterException::class.java) { FrameSample(shape, 0, frames) }
        }
        assertThrows(ParameterException::class.java) { FrameSample(shape, -1, List(2) { listOf("a") }) }
        assertThrows(ParameterException::class.java) { FrameSample(Frames(0, 2), 0, List(2) { emptyList() }) }
    }
}
