package org.brrkit

import java.math.BigInteger
import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException

/** A text isn't the JSON that [parseJson] takes. */
internal class JsonException : Exception("not JSON")

/**
 * Parses JSON that may be hostile: the subset of `docs/reference/bundle-format.md`, "JSON".
 *
 * Android's own org.json takes more than JSON, keeps the last of two equal keys, and overflows the
 * stack on deep nesting. Every reader of a bundle takes this subset, so that no file means
 * different things on two devices. The caller limits the size before it reads the text.
 *
 * @return a map, list, string, boolean or null; a number without fraction and exponent is a Long,
 *   or a BigInteger if it doesn't fit one, any other a finite Double.
 * @throws JsonException [content] isn't of the subset.
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
private val NUMBER = Regex("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")
private const val NUMBER_CHARACTERS = "+-.eE0123456789"
private const val HEXADECIMAL = "0123456789abcdef"
private val ESCAPES = mapOf(
    '"' to '"',
    '\\' to '\\',
    '/' to '/',
    'b' to '\b',
    'f' to '\u000C',
    'n' to '\n',
    'r' to '\r',
    't' to '\t',
)

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

    /** Reads what is between brackets, item by item. */
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
        val character = next()
        if (character != 'u') return ESCAPES[character] ?: throw JsonException()
        var code = 0
        repeat(4) {
            val digit = HEXADECIMAL.indexOf(next(), ignoreCase = true)
            check(digit >= 0)
            code = code * 16 + digit
        }
        return code.toChar()
    }

    private fun number(): Number {
        val start = at
        while (at < text.length && text[at] in NUMBER_CHARACTERS) at++
        val literal = text.substring(start, at)
        check(literal.length <= LONGEST_NUMBER && NUMBER.matches(literal) && literal != "-0")
        if (literal.none { it in ".eE" }) return literal.toLongOrNull() ?: BigInteger(literal)
        return literal.toDouble().also { check(it.isFinite()) }
    }

    private fun <T> word(name: String, value: T): T {
        check(text.startsWith(name, at))
        at += name.length
        return value
    }

    private fun skipSpace() {
        while (at < text.length && text[at] in " \t\n\r") at++
    }

    private fun peek(): Char = if (at < text.length) text[at] else throw JsonException()

    private fun next(): Char = peek().also { at++ }

    private fun expect(character: Char) = check(next() == character)

    private fun check(valid: Boolean) {
        if (!valid) throw JsonException()
    }
}

/** Tells whether every surrogate of [text] is half of a pair. */
private fun isUnicode(text: String): Boolean {
    var at = 0
    while (at < text.length) {
        val code = text.codePointAt(at)
        if (code in 0xD800..0xDFFF) return false
        at += Character.charCount(code)
    }
    return true
}
