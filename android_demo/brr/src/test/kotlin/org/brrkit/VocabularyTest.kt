package org.brrkit

import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.IntBuffer
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Test

class VocabularyTest {
    private val bundles = Work.bundles.values + WordBundle.open(Work.file("large"))

    private fun words(vocabulary: Vocabulary) = List(vocabulary.size, vocabulary::word)

    @Test
    fun everyWordIsFound() = bundles.forEach { bundle ->
        val words = words(bundle.vocabulary)
        assertEquals(words.size, words.toSet().size)
        words.forEachIndexed { id, word -> assertEquals(id, bundle.vocabulary.find(word)) }
    }

    /** A caller normalizes strings before a look-up, by the rules of the bundle's language. */
    @Test
    fun wordsAreNormalizedAlready() {
        val vocabulary = Work.bundle64.vocabulary
        assertTrue(vocabulary.find(StringBuilder("the")) >= 0)
        assertEquals(-1, vocabulary.find("THE"))
        assertEquals(emptyList<String>(), vocabulary.completions("TH", 3))
        assertEquals("the", Work.bundle64.normalize(StringBuilder("THE")))
    }

    @Test
    fun nothingElseIsFound() = bundles.forEach { bundle ->
        val words = words(bundle.vocabulary).toSet()
        val others = words.take(3000).flatMap {
            listOf(it.dropLast(1), "a$it", "${it}a", "$it\u0001", "$it\uFFFD", "\u0000$it", "ꙮ$it")
        }
        // As in the file, where a control character ends a word and tells what the next one shares.
        val pairs = words.sorted().zipWithNext { word, next ->
            val shared = word.commonPrefixWith(next).length
            word + shared.toChar() + next.substring(shared)
        }
        for (other in others + pairs + "" + "'" + "\u007F" + "𐍈") {
            assertEquals(other in words, bundle.vocabulary.find(other) >= 0)
        }
        for (other in listOf("\uD800", "the\uD800", "\uDC00the")) {
            assertEquals(-1, bundle.vocabulary.find(other))
        }
    }

    @Test
    fun completionsAreTheMostFrequent() = bundles.forEach { bundle ->
        val words = words(bundle.vocabulary)
        val prefixes =
            listOf("", "s", "th", "TH", "the", "é", "日", "zzzzzz", "ꙮ", "m\uD800", "a\u0001") +
                words.take(50) + words.takeLast(50).map { it.take(2) }
        for (prefix in prefixes) {
            for (limit in listOf(-1, 0, 1, 3, 1000)) {
                val expected = words.filter { it.startsWith(prefix) }.take(maxOf(limit, 0))
                assertEquals(expected, bundle.vocabulary.completions(prefix, limit))
            }
        }
    }

    @Test
    fun anIdBeyondTheVocabularyIsRefused() {
        for (id in listOf(-1, Work.bundle64.size, Int.MAX_VALUE)) {
            assertThrows(ParameterException::class.java) { Work.bundle64.vocabulary.word(id) }
        }
    }

    /** The example of `spec/bundle-format.md`. */
    @Test
    fun theExampleIsRead() {
        val vocabulary = vocabularyOf(
            "00 6e617665 02 c3af66 04 7665 00 746865 03 6d 03 79",
            ids = "6b4001000000",
            positions = "53c100000000",
            size = 6,
        )
        assertEquals(listOf("the", "naïve", "they", "nave", "them", "naïf"), words(vocabulary))
        assertEquals(listOf("naïve", "naïf"), vocabulary.completions("naï", 9))
        assertEquals(5, vocabulary.find("naïf"))
    }

    /** Longer than what a word may share, and than what a reader makes room for at first. */
    @Test
    fun longWordsAreRead() {
        val first = "a".repeat(70)
        val second = "a".repeat(31) + "b".repeat(200)
        fun hexadecimal(text: String) = hexadecimal(text.toByteArray())
        val vocabulary = vocabularyOf(
            "00 ${hexadecimal(first)} 1f ${hexadecimal("b".repeat(200))}",
            ids = "02000000",
            positions = "02000000",
            size = 2,
        )
        assertNull(vocabulary.damage())
        assertEquals(listOf(first, second), words(vocabulary))
        assertEquals(listOf(0, 1), listOf(first, second).map(vocabulary::find))
        assertEquals(listOf(second), vocabulary.completions(second.dropLast(1), 9))
        assertEquals(-1, vocabulary.find(second + "b"))
        assertEquals(-1, vocabulary.find(second.dropLast(1)))
    }

    @Test
    fun wordsThatCantBeReadAreDamage() {
        fun damageOf(words: String) =
            vocabularyOf(words, ids = "02000000", positions = "02000000", size = 2).damage()
        assertNull(damageOf("00 61c3a9 03 62"))
        assertNull(damageOf("00 61c3a9 01 62"))
        assertNull(damageOf("00 ${"61".repeat(29)}c3a961 1f 62"))
        val notUtf8 = listOf(
            "00 61c3a9 02 62", // half a character is shared
            "00 ${"61".repeat(30)}c3a961 1f 62",
            "00 61c3 01 62",
            "00 61 01 c3",
            "00 61 01 a9",
            "00 c080 00 62",
            "00 eda080 01 62",
        )
        for (words in notUtf8) assertEquals(words, "tensor 'words' isn't UTF-8", damageOf(words))
        for (words in listOf("00 61 02 62", "00 61 01", "00 01 62", "01 61 00 62")) {
            val damage = damageOf(words)!!
            assertTrue(words, "a word that shares more than there is, or adds nothing" in damage)
        }
    }

    private fun vocabularyOf(words: String, ids: String, positions: String, size: Int): Vocabulary {
        val content = bytesOf(words.replace(" ", ""))
        val width = widthOf(size)
        fun numbers(packed: String) =
            PackedNumbers(ByteBuffer.wrap(bytesOf(packed)).order(ByteOrder.LITTLE_ENDIAN), width)
        return Vocabulary(
            ByteBuffer.wrap(content),
            IntBuffer.wrap(intArrayOf(0, content.size)),
            numbers(ids),
            numbers(positions),
            size,
        )
    }
}
