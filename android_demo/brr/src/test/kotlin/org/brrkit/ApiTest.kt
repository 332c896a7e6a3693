package org.brrkit

import java.io.File
import org.jetbrains.kotlin.abi.tools.AbiFilters
import org.jetbrains.kotlin.abi.tools.AbiTools
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Test

/**
 * The library's binary interface is the one in `brr-runtime.api`.
 *
 * Who changes it on purpose writes that file again, `-Dbrr.api=write`, and reads what changed.
 */
class ApiTest {
    private val stored = File("brr-runtime.api")
    private val dump = buildString {
        val classes = File("target/classes").walk().filter { it.extension == "class" }.toList()
        AbiTools.getInstance().printJvmDump(this, classes, AbiFilters.EMPTY)
    }

    @Test
    fun itIsTheOneThatIsStored() {
        if (System.getProperty("brr.api") == "write") stored.writeText(dump)
        assertEquals(stored.readText(), dump)
    }

    /** From Java, a lambda of Kotlin's is a Function0 that returns Unit. */
    @Test
    fun nothingInItIsForKotlinOnly() {
        assertTrue("class org/brrkit/Privatizer " in dump)
        for (type in listOf("kotlin/jvm/functions", "kotlin/time")) {
            assertFalse(type, type in dump)
        }
    }
}
