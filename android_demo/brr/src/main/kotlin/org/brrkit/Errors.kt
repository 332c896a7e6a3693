package org.brrkit

import java.time.Duration

/**
 * Base of every error that brrkit raises on purpose.
 *
 * A message names the file, field or parameter, and the remedy. It never contains typed text. It is one line of
 * at most 400 characters that any log can show, whatever a path or a field contains: unprintable characters are
 * escaped, and a longer message loses its middle.
 */
public sealed class BrrException(message: String) : RuntimeException(oneLine(message))

/** A bundle is missing, damaged, or in a format that this version can't read. */
public class BundleException(message: String) : BrrException(message)

/** A parameter is outside the range that the guarantee or the bundle allows. */
public class ParameterException(message: String) : BrrException(message)

/** A word isn't in the vocabulary and the policy is [Oov.ERROR]. The word isn't named. */
public class OutOfVocabularyException(message: String) : BrrException(message)

/** The system gave no random bytes. Nothing was released. */
public class RandomnessException(message: String) : BrrException(message)

/** A memory's key can't be read, trusted or stored. Nothing was released. */
public class MemoryFileException(message: String) : BrrException(message)

/**
 * The privacy budget doesn't allow a release before its period has ended. Nothing was released.
 *
 * @property left remaining epsilon of this period; 0 if the period counts another bundle.
 * @property renewsIn time until the period ends, in whole seconds, rounded up.
 */
public class BudgetException(
    message: String,
    public val left: Double,
    public val renewsIn: Duration,
) : BrrException(message)

/** A budget's state can't be read, trusted or stored. Nothing was released. */
public class BudgetFileException(message: String) : BrrException(message)

private const val LONGEST_MESSAGE = 400 // characters

// Controls, line and paragraph separators, marks of text direction, surrogates.
private val UNPRINTABLE = Regex(
    "[\\x00-\\x1F\\x7F-\\x9F\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069\\uD800-\\uDFFF]",
)

private fun oneLine(text: String): String {
    val escaped = UNPRINTABLE.replace(text) { "\\u%04x".format(it.value[0].code) }
    if (escaped.codePointCount(0, escaped.length) <= LONGEST_MESSAGE) return escaped
    val half = LONGEST_MESSAGE / 2 // messages begin with a path, and end with the remedy
    return escaped.substring(0, escaped.offsetByCodePoints(0, half - 1)) + "…" +
        escaped.substring(escaped.offsetByCodePoints(escaped.length, -half))
}
