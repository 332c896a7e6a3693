package org.brrkit

import java.math.BigInteger
import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException

/** A text isn't JSON that [parseJson] accepts. */
internal class JsonException : Exception("not JSON")

/** Refuses a value that a reader doesn't accept. */
internal fun expect(valid: Boolean) {
    if (!valid) throw JsonException()
}

/** Returns a value, which must be an object with exactly these [names] and, perhaps, the [optional] one. */
internal fun expectObject(value: Any?, vararg names: String, optional: String? = null): Map<*, *> {
    expect(value is Map<*, *> && names.all { it in value } && value.keys.all { it in names || it == optional })
    return value as Map<*, *>
}

/** Returns a value, which must be a list with an allowed number of items. */
internal fun expectList(value: Any?, sizes: IntRange): List<*> {
    expect(value is List<*> && value.size in sizes)
    return value as List<*>
}

/** Returns a value, which must be a string with an allowed number of code points. */
internal fun expectString(value: Any?, lengths: IntRange): String {
    expect(value is String && value.codePoints in lengths)
    return value as String
}

/** Returns a value, which must be an integer in a [range]. */
internal fun expectInteger(value: Any?, range: LongRange): Int {
    expect(value is Long && value in range)
    return (value as Long).toInt()
}

/** Returns [values], which must all be different. */
internal fun <T> expectUnique(values: List<T>): List<T> {
    expect(values.toSet().size == values.size)
    return values
}

/**
 * Parses A parser of JSON that may be hostile. It accepts the subset of `spec/bundle-format.md`, "JSON".
 *
 * Android's own org.json accepts more than JSON, keeps the last of two equal keys, and overflows the stack on
 * deep nesting. Every reader of a bundle accepts only this subset, so no file has different meanings on two
 * devices. The caller limits the size before it reads the text.
 *
 * @return a map, list, string, boolean or null; a number without a fraction and an exponent is a Long, or a
 *   BigInteger if it doesn't fit; any other number is a finite Double.
 * @throws JsonException [content] isn't in the subset.
 */
internal fun parseJson(content: ByteArray): Any? {
    val text = try {
        Charsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString()
    } catch (_: CharacterCodingException) {
        throw JsonException()
    }
    return JsonParser(text).parse()
}

private const val DEEPEST = 32
private const val LONGEST_NUMBER = 40 // characters
private const val LONGEST_LONG = 18 // characters; any number as short fits into a Long

/*
 * A bundle is often opened in a new process. Kotlin's extensions of strings, collections and arrays, and regular
 * expressions, are in large classes. A JVM takes longer to load each of them than to read a manifest. The code
 * that opens a bundle therefore avoids them if possible.
 */

private class JsonParser(private val text: String) {
    private var at = 0

    fun parse(): Any? {
        val value = value(0)
        skipSpace()
        check(at == text.length)
        return value
    }

    private fun value(depth: Int): Any? {
        skipSpace()
        return when (peek()) {
            '{' -> members(depth + 1)
            '[' -> elements(depth + 1)
            '"' -> string()
            't' -> word("true", true)
            'f' -> word("false", false)
            'n' -> word("null", null)
            else -> number()
        }
    }

    private fun members(depth: Int): Map<String, Any?> {
        check(depth <= DEEPEST)
        val result = LinkedHashMap<String, Any?>()
        sequence('}') {
            val key = string()
            check(key !in result)
            skipSpace()
            expect(':')
            result[key] = value(depth)
        }
        return result
    }

    private fun elements(depth: Int): List<Any?> {
        check(depth <= DEEPEST)
        val result = ArrayList<Any?>()
        sequence(']') { result += value(depth) }
        return result
    }

    /** Reads the items between brackets. */
    private inline fun sequence(end: Char, item: () -> Unit) {
        at++
        skipSpace()
        if (peek() == end) {
            at++
            return
        }
        while (true) {
            skipSpace()
            item()
            skipSpace()
            if (peek() == end) {
                at++
                return
            }
            expect(',')
        }
    }

    private fun string(): String {
        expect('"')
        val result = StringBuilder()
        while (true) {
            val character = next()
            when {
                character == '"' -> return result.toString().also { check(isUnicode(it)) }
                character == '\\' -> result.append(escaped())
                character < ' ' -> throw JsonException()
                else -> result.append(character)
            }
        }
    }

    private fun escaped(): Char {
        return when (val character = next()) {
            '"', '\\', '/' -> character
            'b' -> '\b'
            'f' -> '\u000C'
            'n' -> '\n'
            'r' -> '\r'
            't' -> '\t'
            'u' -> {
                var code = 0
                repeat(4) { code = code * 16 + hexadecimal(next()) }
                code.toChar()
            }
            else -> throw JsonException()
        }
    }

    private fun hexadecimal(digit: Char): Int = when (digit) {
        in '0'..'9' -> digit - '0'
        in 'a'..'f' -> digit - 'a' + 10
        in 'A'..'F' -> digit - 'A' + 10
        else -> throw JsonException()
    }

    private fun number(): Number {
        val start = at
        skip('-')
        val startsWithZero = peek() == '0'
        check(digits() == 1 || !startsWithZero)
        val integerEnd = at
        if (skip('.')) digits()
        if (skip('e') || skip('E')) {
            if (!skip('-')) skip('+')
            digits()
        }
        val literal = text.substring(start, at)
        check(literal.length <= LONGEST_NUMBER && literal != "-0")
        if (at > integerEnd) return literal.toDouble().also { check(it.isFinite()) }
        if (literal.length <= LONGEST_LONG) return literal.toLong()
        return BigInteger(literal).let { if (it.bitLength() < Long.SIZE_BITS) it.toLong() else it }
    }

    /** Reads at least one digit. Returns the number of digits. */
    private fun digits(): Int {
        val start = at
        while (at < text.length && text[at] in '0'..'9') at++
        check(at > start)
        return at - start
    }

    private fun skip(character: Char): Boolean {
        val isThere = at < text.length && text[at] == character
        if (isThere) at++
        return isThere
    }

    private fun <T> word(name: String, value: T): T {
        for (character in name) expect(character)
        return value
    }

    private fun skipSpace() {
        while (skip(' ') || skip('\t') || skip('\n') || skip('\r')) continue
    }

    private fun peek(): Char = if (at < text.length) text[at] else throw JsonException()

    private fun next(): Char = peek().also { at++ }

    private fun expect(character: Char) = check(next() == character)

    private fun check(valid: Boolean) {
        if (!valid) throw JsonException()
    }
}

/** Tells whether every surrogate in [text] is half of a pair. */
private fun isUnicode(text: String): Boolean {
    var at = 0
    while (at < text.length) {
        val code = text.codePointAt(at)
        if (code in 0xD800..0xDFFF) return false
        at += Character.charCount(code)
    }
    return true
}
