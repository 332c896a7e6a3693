package org.brrkit

import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Test
import java.io.File

/**
 * The bundles that the Python runtime's tests open: what it refuses is refused here, for the same
 * file and the same field (`tests/android/hostile.py`).
 */
class HostileBundlesTest {
    private val cases = Work.cases("hostile/cases.jsonl")

    private fun open(case: Map<*, *>): Bundle =
        Bundle.open(folder(case), case["verify_hashes"] as Boolean)

    private fun folder(case: Map<*, *>) = Work.file("hostile/${case["bundle"]}")

    @Test
    fun whatPythonOpensIsOpened() {
        val good = cases.filter { it["error"] == null }
        assertTrue(good.size >= 10)
        for (case in good) assertTrue("$case", open(case).size >= 2)
    }

    @Test
    fun whatPythonRefusesIsRefused() {
        val hostile = cases.filter { it["error"] != null }
        assertTrue(hostile.size >= 400)
        for (case in hostile) {
            val error = assertThrows("$case", BundleException::class.java) { open(case) }
            val message = error.message!!.replace(folder(case).path, "BUNDLE")
            assertTrue(message, message.length < 400 && '\n' !in message)
            assertNull(message, error.cause)
            val expected = case["error"] as String
            assertEquals(expected, fileIn(expected), fileIn(message))
            if (quotedIn(expected) != quotedIn(message)) {
                assertTrue("$expected\n$message", "not a manifest" in message && isNotJson(case))
            }
        }
    }

    /** Python takes numbers that JSON doesn't have, and nests deeper. */
    private fun isNotJson(case: Map<*, *>): Boolean {
        val text = File(folder(case), "manifest.json").readText()
        return "NaN" in text || "Infinity" in text || "[[[[" in text
    }

    private fun fileIn(message: String) = message.substringBefore(": ")

    /** Returns the names of fields and tensors in a message. */
    private fun quotedIn(message: String) =
        Regex("'([^']*)'").findAll(message).map { it.value }.toList()
}
