package org.brrkit.keyboard

import com.sun.management.HotSpotDiagnosticMXBean
import java.io.File
import java.lang.management.ManagementFactory
import java.security.SecureRandom

/**
 * Made-up words that nothing in this process contains: they are stored encoded, letter by letter.
 *
 * They are new in each run, so no constant, vocabulary or earlier test contains them.
 */
internal class Secrets(count: Int) {
    private val random = SecureRandom()
    private val turned = List(count) {
        IntArray(LENGTH) { 'a'.code + random.nextInt(26) xor MASK }
    }

    val count: Int
        get() = turned.size

    /** Calls [type] with each letter of a word. */
    fun spell(word: Int, type: (String) -> Unit) =
        turned[word].forEach { type((it xor MASK).toChar().toString()) }

    /** Tells whether [file] contains the beginning of a word, in bytes or in two-byte characters. */
    fun areIn(file: File): Boolean {
        return holds(file, turned.flatMap { patterns(beginning(it)) })
    }

    /** As [areIn], ignoring case. */
    fun areIn(text: String): Boolean =
        turned.any { text.contains(beginning(it), ignoreCase = true) }

    private fun beginning(word: IntArray) =
        String(CharArray(SHOWN) { (word[it] xor MASK).toChar() })

    companion object {
        private const val LENGTH = 20
        private const val SHOWN = 14 // letters: by accident in one of 6 * 10^19 places
        private const val MASK = 0x2A00

        /** Writes every reachable object, after a garbage collection. */
        fun dumpHeap(file: File) {
            file.delete()
            repeat(2) { System.gc() }
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean::class.java)
                .dumpHeap(file.path, true)
        }

        /** Returns the possible forms of [text] in memory or in a file: Latin-1, UTF-8, UTF-16. */
        fun patterns(text: String): List<String> =
            listOf(Charsets.ISO_8859_1, Charsets.UTF_16BE, Charsets.UTF_16LE)
                .map { String(text.toByteArray(it), Charsets.ISO_8859_1) }

        fun holds(file: File, patterns: List<String>): Boolean = file.inputStream().use { stream ->
            val block = ByteArray(1 shl 22)
            var kept = 0
            while (true) {
                val count = stream.read(block, kept, block.size - kept)
                if (count < 0) return false
                val text = String(block, 0, kept + count, Charsets.ISO_8859_1)
                if (patterns.any { it in text }) return true
                val overlap = minOf(text.length, 2 * LENGTH)
                block.copyInto(block, 0, text.length - overlap, text.length)
                kept = overlap
            }
            @Suppress("UNREACHABLE_CODE")
            false
        }
    }
}
