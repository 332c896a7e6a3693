package org.brrkit

import java.io.File
import java.io.FileOutputStream
import java.io.IOException
import java.math.BigDecimal
import java.math.BigInteger
import java.math.MathContext
import java.math.RoundingMode
import java.nio.channels.FileChannel
import java.nio.file.Files
import java.nio.file.NoSuchFileException
import java.nio.file.StandardCopyOption
import java.nio.file.StandardOpenOption
import kotlin.math.ceil

private const val FORMAT = "brr-budget"
private const val FORMAT_VERSION = 1L
private const val DIGITS = 9 // the state counts billionths of epsilon, as integers
private const val LIMIT_MAX = 1e9
private const val PERIOD_MAX = 1e12
private const val STATE_LIMIT = 4_096 // bytes

/**
 * Counts released epsilon in a state file, and refuses what would exceed the limit.
 *
 * Metric differential privacy composes by addition, so the budget counts epsilon per word. What a
 * release costs is on disk before it happens: killed at any instant, a device has spent at least
 * what it released. A period starts with the first release after the last one ended, so two limits
 * can be spent around the end of a period. Setting the clock back renews nothing. Deleting the state
 * file forgets what was spent: keep it where only the app can write. Safe to share between threads
 * and processes.
 *
 * @property limit epsilon that may be released in a period (sum over words).
 * @property period its length in seconds, at least 1.
 * @property stateFile JSON, in an existing directory; a lock file appears next to it.
 * @param clock returns seconds since 1970; for tests.
 * @throws ParameterException limit or period is out of range.
 */
public class PrivacyBudget @JvmOverloads constructor(
    public val limit: Double,
    public val period: Double,
    public val stateFile: File,
    private val clock: () -> Long = { System.currentTimeMillis() / 1000 },
) {
    private val units: BigInteger

    init {
        if (!(limit > 0 && limit <= LIMIT_MAX)) {
            throw ParameterException("budget limit must be a number above 0 and at most 1e9")
        }
        if (period !in 1.0..PERIOD_MAX) {
            throw ParameterException("budget period must be from 1 to 1e12 seconds")
        }
        units = inUnits(limit, RoundingMode.FLOOR)
    }

    /**
     * Records the release of [words] words with [epsilon] each, before it happens.
     *
     * @throws BudgetException it would exceed the limit, or the state file is damaged or can't be
     *   written. Nothing is recorded then, and nothing may be released.
     */
    @JvmOverloads
    public fun spend(epsilon: Double, words: Int = 1, unit: String = "") {
        if (!(epsilon >= 0 && epsilon < Double.POSITIVE_INFINITY && words >= 0)) {
            throw ParameterException("a release can't cost less than nothing")
        }
        val cost = inUnits(epsilon, RoundingMode.CEILING) * words.toBigInteger()
        locked {
            val state = current()
            val spent = state.spent.toBigInteger() + cost
            if (spent > units) {
                val left = units - state.spent.toBigInteger()
                val wait = state.periodStart - state.latest + period
                throw BudgetException(
                    "the privacy budget doesn't allow this release: it costs ${shown(cost)}, " +
                        "${shown(left)} of ${shown(units)} is left; " +
                        "it renews in ${ceil(wait).toLong()} seconds",
                )
            }
            store(State(state.periodStart, state.latest, spent.toLong()))
        }
    }

    /**
     * Returns the epsilon that is left in this period.
     *
     * @throws BudgetException the state file is damaged or can't be read.
     */
    public fun remaining(): Double = locked {
        val left = units - current().spent.toBigInteger()
        BigDecimal(left.max(BigInteger.ZERO), DIGITS).toDouble()
    }

    /** Returns the stored state, with its period renewed if that has ended. */
    private fun current(): State {
        val stored = load()
        val now = maxOf(0, clock(), stored?.latest ?: 0)
        val ended = stored == null || now - stored.periodStart >= period
        return if (ended) State(now, now, 0) else State(stored.periodStart, now, stored.spent)
    }

    private fun load(): State? {
        val text = try {
            Files.newInputStream(stateFile.toPath()).use { it.readUpTo(STATE_LIMIT) }
        } catch (_: NoSuchFileException) {
            return null
        } catch (_: IOException) {
            throw BudgetException("$stateFile: can't be read; nothing is released until it can")
        }
        return parseState(text) ?: throw BudgetException(
            "$stateFile: not a budget's state; nothing is released until it is restored, or " +
                "removed by whoever may forget what was spent",
        )
    }

    private fun store(state: State) {
        val temporary = File("$stateFile.new")
        try {
            FileOutputStream(temporary).use {
                it.write(state.toJson().toByteArray())
                it.fd.sync()
            }
            val target = stateFile.absoluteFile.toPath()
            Files.move(temporary.toPath(), target, StandardCopyOption.ATOMIC_MOVE)
            FileChannel.open(target.parent, StandardOpenOption.READ).use { it.force(true) }
        } catch (_: IOException) {
            throw BudgetException(
                "$stateFile: can't be written; nothing is released until it can",
            )
        }
    }

    private fun <T> locked(action: () -> T): T = synchronized(THREADS) {
        val file = File("$stateFile.lock")
        val channel = try {
            FileChannel.open(file.toPath(), StandardOpenOption.CREATE, StandardOpenOption.WRITE)
        } catch (_: IOException) {
            throw BudgetException("$file: can't be written; nothing is released until it can")
        }
        channel.use {
            try {
                it.lock() // closing the channel ends it
            } catch (_: IOException) {
                throw BudgetException("$file: can't be locked; nothing is released until it can")
            }
            action()
        }
    }
}

/** A file's lock excludes other processes; this excludes other threads. */
private val THREADS = Any()

/**
 * @property periodStart seconds since 1970.
 * @property latest the latest time ever seen: the clock that can't be set back.
 * @property spent billionths of epsilon since the start of the period.
 */
private class State(val periodStart: Long, val latest: Long, val spent: Long) {
    fun toJson(): String = """{"format": "$FORMAT", "format_version": $FORMAT_VERSION, """ +
        """"period_start": $periodStart, "latest": $latest, "spent": $spent}"""
}

private val FIELDS = setOf("format", "format_version", "period_start", "latest", "spent")

private fun parseState(text: ByteArray): State? {
    val fields = try {
        parseJson(text) as? Map<*, *>
    } catch (_: JsonException) {
        null
    }
    if (fields?.keys != FIELDS) return null
    if (fields["format"] != FORMAT || fields["format_version"] != FORMAT_VERSION) return null
    val start = fields["period_start"] as? Long ?: return null
    val latest = fields["latest"] as? Long ?: return null
    val spent = fields["spent"] as? Long ?: return null
    return State(start, latest, spent).takeIf { start in 0..latest && spent >= 0 }
}

/** Returns [epsilon] in billionths, of the decimal that it prints as: 0.1 is meant as a tenth. */
internal fun inUnits(epsilon: Double, rounding: RoundingMode): BigInteger =
    shortest(epsilon).setScale(DIGITS, rounding).unscaledValue()

/** Returns the shortest decimal that is read as [value]; a platform may print a longer one. */
private fun shortest(value: Double): BigDecimal {
    val exact = BigDecimal(value)
    val lengths = (1..17).asSequence()
    return lengths.map { exact.round(MathContext(it)) }.first { it.toDouble() == value }
}

private fun shown(units: BigInteger): String =
    BigDecimal(units.max(BigInteger.ZERO), DIGITS).stripTrailingZeros().toPlainString()
