package org.brrkit.api

import java.io.File
import org.jetbrains.kotlin.abi.tools.AbiFilters
import org.jetbrains.kotlin.abi.tools.AbiTools
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Test

/**
 * A library's binary interface must equal its `.api` file. Both libraries' builds run this test.
 *
 * After an intended change, write the file again with `-Dbrr.api=write`, and review the difference.
 */
class ApiTest {
    private val stored = File(".").listFiles().orEmpty().single { it.extension == "api" }
    private val dump = buildString {
        val classes = File("target/classes").walk()
            .filter { it.extension == "class" && !RESOURCES.matches(it.name) }
        AbiTools.getInstance().printJvmDump(this, classes.toList(), AbiFilters.EMPTY)
    }

    @Test
    fun itIsTheOneThatIsStored() {
        if (System.getProperty("brr.api") == "write") stored.writeText(dump)
        assertEquals(stored.readText(), dump)
    }

    /** In Java, a Kotlin lambda is a Function0 that returns Unit. */
    @Test
    fun nothingInItIsForKotlinOnly() {
        assertTrue("public final class org/brrkit/" in dump)
        for (type in listOf("kotlin/jvm/functions", "kotlin/time", "kotlin/Result", "kotlin/Unit")) {
            assertFalse(type, type in dump)
        }
        val mangled = Regex("fun [\\w$]+-\\w+ ").find(dump)
        assertEquals("a name that Java can't write", null, mangled?.value)
    }

    private companion object {
        /** R, which an app generates again. */
        val RESOURCES = Regex("R(\\$\\w+)?\\.class")
    }
}
