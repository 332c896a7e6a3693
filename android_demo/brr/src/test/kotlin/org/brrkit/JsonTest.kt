package org.brrkit

import org.junit.Assert.assertEquals
import org.junit.Assert.assertThrows
import org.junit.Test
import java.math.BigInteger

class JsonTest {
    @Test
    fun readsEveryKindOfValue() {
        val text = """ {"a": [1, -2, 0.5, 1e3, 12345678901234567890], "": {}, "b": [],
            "c": [true, false, null, "\"\\\/\b\f\n\r\té\u00e9\ud83d\udc4d👍"]} """
        val expected = mapOf(
            "a" to listOf(1L, -2L, 0.5, 1000.0, BigInteger("12345678901234567890")),
            "" to emptyMap<String, Any>(),
            "b" to emptyList<Any>(),
            "c" to listOf(true, false, null, "\"\\/\b\u000C\n\r\téé👍👍"),
        )
        assertEquals(expected, parseJson(text.toByteArray()))
        assertEquals(1.0, parseJson("1.0".toByteArray()))
        assertEquals(1L, parseJson("1".toByteArray()))
        assertEquals(-0.0, parseJson("-0.0".toByteArray()))
        assertEquals(0.0, parseJson("1e-400".toByteArray()))
        for (number in listOf(Long.MAX_VALUE, Long.MIN_VALUE)) {
            assertEquals(number, parseJson("$number".toByteArray()))
        }
        assertEquals(BigInteger("9223372036854775808"), parseJson("9223372036854775808".toByteArray()))
        val longest = "9".repeat(40)
        assertEquals(BigInteger(longest), parseJson(longest.toByteArray()))
    }

    @Test
    fun refusesEverythingElse() {
        val deep = "[".repeat(33) + "]".repeat(33)
        val texts = listOf(
            "", " ", "{", "[", "]", "{]", "[1,]", "{\"a\":1,}", "[1 2]", "{\"a\" 1}", "{1:2}",
            "01", "{\"a\":1,\"a\":1}", "+1", "-", ".5", "1.", "1e", "1e+", "--1", "0x1", "1_0",
            "٣", "NaN", "Infinity", "-Infinity", "nul", "nulls", "True", "'a'", "\"a", "\"\n\"",
            "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "1 1", "[1]x", "// c\n1", "{a:1}", "{\"a\"=1}",
            "[1;2]", "\uFEFF1", "1".repeat(41), "0.".padEnd(41, '1'), "-0", "1e309", "-1e309",
            "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800x\"", "\"\\udc00\\ud800\"", "[\"\\ud83d\"]",
            "{\"\\ud83d\":1}", "\"\\u００４１\"", "\"\\u+041\"", "{\"a\":1,\"\\u0061\":1}", "\u00A01",
            deep, "[".repeat(1_000_000), "{\"a\":".repeat(100_000),
        )
        for (text in texts) {
            assertThrows(text.take(40), JsonException::class.java) { parseJson(text.toByteArray()) }
        }
        for (text in listOf("\u00FF", "\"\u00C3\"", "\"\u00C0\u00AF\"")) { // not UTF-8
            val bytes = text.toByteArray(Charsets.ISO_8859_1)
            assertThrows(JsonException::class.java) { parseJson(bytes) }
        }
        assertEquals(32, depth(parseJson(deep.drop(1).dropLast(1).toByteArray())))
    }

    private fun depth(value: Any?): Int =
        if (value is List<*>) 1 + (value.maxOfOrNull(::depth) ?: 0) else 0
}
