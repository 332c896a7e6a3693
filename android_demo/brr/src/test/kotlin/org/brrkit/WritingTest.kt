package org.brrkit

import java.nio.file.Files
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNotNull
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Test

/** The field `writing`: accepted and refused values, and its use by a keyboard. */
class WritingTest {
    private val french = LANGUAGES.first { it.name == "fr" }.fields

    @Test
    fun whatStandsOnThePageIsTaken() {
        val most = "-.,:;!?()[]{}/&#".map { "$it" }
        for ((name, value) in listOf(
            "language" to "x".repeat(64),
            "language" to " ~",
            "replaced" to (0x100..0x1FF).associate { "${it.toChar()}" to "abcd" },
            "replaced" to mapOf("\uD83D\uDE00" to ""),
            "joiners" to most,
            "before" to List(64) { "$it".padEnd(64) },
            "endings" to List(256) { "$it".padEnd(64) },
            "shortest_stem" to 64L,
            "shortest_part" to 1L,
            "spellings" to mapOf("a".repeat(64) to "\uD83D\uDE00".repeat(64)),
            "spellings" to (1..4_096).associate { "$it" to "a" },
            "rewritten" to List(64) { listOf("$it", "") },
            "longest_run" to 0L,
            "longest_run" to 64L,
            "unspaced" to List(64) { listOf(2L * it, 2L * it) },
            "unspaced" to listOf(listOf(0x2EL, 0x10FFFFL)),
            "links" to listOf("", "abcd"),
        )) assertNotNull("$name $value", readWriting(french + (name to value)))
    }

    @Test
    fun theFieldIsNamed() {
        val folder = Files.createTempDirectory("brr").toFile()
        Work.file("bundles/64").copyRecursively(folder, overwrite = true)
        val manifest = folder.resolve("manifest.json")
        val whole = manifest.readText()
        fun open(writing: Any?): WordBundle {
            manifest.writeText(whole.replaceFirst("{", "{\"writing\": ${toJson(writing)}, "))
            return WordBundle.open(folder, verifyHashes = false)
        }
        if ("\"writing\"" !in whole) assertEquals("en", WordBundle.open(folder).writing.language)
        val bundle = open(french)
        assertEquals("fr", bundle.writing.language)
        assertEquals("arc-en-ciel", bundle.tokenize("Arc-en-ciel").single())
        for (wrong in listOf(french + ("links" to 1L), french + ("x" to 1L), null, "fr")) {
            val error = assertThrows(BundleException::class.java) { open(wrong) }
            assertEquals("$manifest: field 'writing' is missing or wrong; rebuild the bundle", error.message)
        }
        folder.deleteRecursively()
    }

    @Test
    fun whatEndsAWord() {
        val english = Writing.ENGLISH
        for (text in " |\n|-|.|_|@|€|«|\uD83D\uDE00|❤|two |a`.|\uD835\uDEDB".split('|')) {
            assertEquals(text, english.finished(text))
        }
        for (text in "|a|Z|7|'|’|é|e\u0301|漢|\uD840\uDC00|it’s|`|a´b|\u1FEF|\u200c|\u00AD".split('|')) {
            assertEquals(text, "", english.finished(text))
        }
        assertEquals("two ", english.finished("two words"))
        val persian = LANGUAGES.first { it.name == "fa" }.writing
        for (text in listOf("\u200c", "ـ", "\u200f", "\u200d", "می\u200cخواهم")) {
            assertEquals("", persian.finished(text))
        }
        for (text in listOf(" ", "،", "؟", "-")) assertEquals(text, persian.finished(text))
    }

    @Test
    fun whatJoins() {
        val chinese = LANGUAGES.first { it.name == "zh" }.writing
        for (pair in listOf("ab|cd", "x y'|cd", "我|喜")) {
            val (before, after) = pair.split('|')
            assertTrue(pair, chinese.joins(before, after))
            assertTrue(pair, Writing.ENGLISH.joins(before, after))
        }
        for (pair in listOf("ab|我", "我|ab", "a |b", "a| b", "|a", "a|", "a-|b")) {
            val (before, after) = pair.split('|')
            assertFalse(pair, chinese.joins(before, after))
        }
        assertTrue(Writing.ENGLISH.joins("ab", "我"))
        val persian = LANGUAGES.first { it.name == "fa" }.writing
        for (pair in listOf("می|\u200cخ", "می\u200c|خ")) {
            assertTrue(pair, persian.joins(pair.substringBefore('|'), pair.substringAfter('|')))
        }
        for (pair in listOf("می\u200c|\u200cخ", "می\u200c\u200c|خ", "می|\u200c", " \u200c|خ")) {
            assertFalse(pair, persian.joins(pair.substringBefore('|'), pair.substringAfter('|')))
        }
    }

    @Test
    fun whatIsUnspaced() {
        val chinese = LANGUAGES.first { it.name == "zh" }.writing
        for (text in listOf("我", "我喜欢", "\uD840\uDC00")) assertTrue(text, chinese.isUnspaced(text))
        for (text in listOf("", "a", "我a", "我。", " 我", "か")) assertFalse(text, chinese.isUnspaced(text))
        assertFalse(Writing.ENGLISH.isUnspaced("我"))
    }
}
