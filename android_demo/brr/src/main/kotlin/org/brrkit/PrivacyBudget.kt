package org.brrkit

import android.os.SystemClock
import java.io.File
import java.io.IOException
import java.math.BigDecimal
import java.math.BigInteger
import java.math.MathContext
import java.math.RoundingMode
import java.nio.channels.FileChannel
import java.nio.file.InvalidPathException
import java.security.MessageDigest

private const val DIGITS = 9 // the state counts billionths of epsilon, as integers
private const val EPSILON_LIMIT = 1e9
private const val PERIOD_MAX = 1e12
private const val TIME_MAX = 999_999_999_999_999 // milliseconds
private const val STATE_LIMIT = 1_024 // bytes; the longest state is shorter

/**
 * Counts released epsilon in a state file, and refuses what would exceed the limit.
 *
 * Metric differential privacy composes by addition, so the budget counts epsilon per word. What a
 * release costs is on disk before it happens: killed at any instant, a device has spent at least
 * what it released. A period starts with the first release after the last one ended, so two limits
 * can be spent around the end of a period. While the device runs, a period's time is counted by a
 * clock that can't be set; the clock that can be set counts only how long the device was off.
 * Deleting the state file forgets what was spent, and so does an old copy of it: keep it where only
 * the app can write, and out of backups. Safe to share between threads and processes. The rule, its
 * bound and the format of the state file are in `docs/budget.md`.
 *
 * @property limit epsilon that may be released in a period (sum over words), at most 1e9.
 * @property period its length in seconds, from 1 to 1e12.
 * @property stateFile in an existing directory; a lock file appears next to it.
 */
public class PrivacyBudget internal constructor(
    public val limit: Double,
    public val period: Double,
    public val stateFile: File,
    private val clock: () -> Instant,
    opener: Opener = Opener(FileChannel::open),
) {
    private val units: BigInteger
    private val milliseconds: Long
    private val file: StateFile

    /** @throws ParameterException limit or period is out of range, or stateFile names no file. */
    public constructor(limit: Double, period: Double, stateFile: File) :
        this(limit, period, stateFile, ::deviceClock)

    init {
        if (!(limit > 0 && limit <= EPSILON_LIMIT)) {
            throw ParameterException("budget limit must be a number above 0 and at most 1e9")
        }
        if (period !in 1.0..PERIOD_MAX) {
            throw ParameterException("budget period must be from 1 to 1e12 seconds")
        }
        try {
            if (stateFile.name in setOf("", ".", "..")) throw InvalidPathException("", "no name")
            file = StateFile(stateFile.absoluteFile.toPath(), opener)
        } catch (_: InvalidPathException) {
            throw ParameterException("a budget's stateFile must be the path of a file")
        }
        units = inUnits(limit, RoundingMode.FLOOR)
        milliseconds =
            shortest(period).movePointRight(3).setScale(0, RoundingMode.CEILING).toLong()
    }

    /**
     * Records the release of [words] words with [epsilon] each, before it happens.
     *
     * @param epsilon from 0 to 1e9.
     * @param unit what epsilon is per, as [Bundle.unit] says it: epsilons of different bundles
     *   don't add up. 1 to 64 letters, digits, `.`, `_` and `-`, all ASCII.
     * @throws ParameterException an argument isn't as described.
     * @throws BudgetException it would exceed the limit, epsilon was spent in another unit in this
     *   period, or the state file is damaged or can't be written. Nothing is recorded then, and
     *   nothing may be released.
     */
    public fun spend(epsilon: Double, words: Int, unit: String) {
        if (epsilon !in 0.0..EPSILON_LIMIT) {
            throw ParameterException("epsilon must be a number from 0 to 1e9")
        }
        if (words < 0) throw ParameterException("words must be an integer from 0 to 2^31 - 1")
        if (!UNIT.matches(unit)) {
            throw ParameterException(
                "a budget's unit must be 1 to 64 of the letters a to z, digits and . _ -; use " +
                    "Bundle.unit",
            )
        }
        val cost = inUnits(epsilon, RoundingMode.CEILING) * words.toBigInteger()
        file.locked {
            val state = look(it)
            val wait = (milliseconds - state.elapsed + 999) / 1000
            if (state.unit.isNotEmpty() && state.unit != unit) {
                throw BudgetException(
                    "$stateFile: counts another bundle's epsilon, which can't be added " +
                        "to this one's; give each bundle a state file of its own, or wait: the " +
                        "period ends in $wait seconds",
                )
            }
            val spent = state.spent.toBigInteger() + cost
            if (spent > units) {
                val left = units - state.spent.toBigInteger()
                throw BudgetException(
                    "the privacy budget doesn't allow this release: it costs ${shown(cost)}, " +
                        "${shown(left)} of ${shown(units)} is left; it renews in $wait seconds",
                )
            }
            it.replace(state.copy(unit = unit, spent = spent.toLong()).serialized())
        }
    }

    /**
     * Returns the epsilon that is left in this period, in the unit that it is spent in.
     *
     * @throws BudgetException the state file is damaged, or can't be read or written.
     */
    public fun remaining(): Double = file.locked {
        val left = units - look(it).spent.toBigInteger()
        BigDecimal(left.max(BigInteger.ZERO), DIGITS).toDouble()
    }

    /**
     * Returns the running period as of now, or an empty one of no unit.
     *
     * The first look after a restart is stored: what is done to the clock from then on, until the
     * next restart, doesn't count.
     */
    private fun look(file: StateFile.Locked): State {
        val now = clock().let {
            Instant(it.time.coerceIn(0, TIME_MAX), it.uptime.coerceIn(0, TIME_MAX), it.boot)
        }
        val content = file.read(STATE_LIMIT)
            ?: return State("", 0, 0, now.time, now.boot, now.uptime)
        val stored = parseState(content) ?: throw BudgetException(
            "$stateFile: not a budget's state, or damaged; nothing is released until it " +
                "is restored, or removed by whoever may forget what was spent",
        )
        val state = stored.at(now)
        if (state.elapsed >= milliseconds) return state.copy(unit = "", spent = 0, elapsed = 0)
        if (!stored.isOf(now)) file.replace(state.serialized())
        return state
    }
}

/**
 * What a device's clocks say at a moment.
 *
 * @property time milliseconds since 1970, by the clock that can be set.
 * @property uptime milliseconds since the device started, asleep or not, by the clock that can't.
 * @property boot differs from one start of the device to another; empty where the system doesn't
 *   tell.
 */
internal data class Instant(val time: Long, val uptime: Long, val boot: String)

private val BOOT = Regex("[0-9a-f-]{0,36}")

/** Reads this device's clocks. */
internal fun deviceClock(): Instant {
    val uptime = try {
        SystemClock.elapsedRealtime()
    } catch (_: LinkageError) { // not Android: tests
        System.nanoTime() / 1_000_000
    }
    val boot = try {
        File("/proc/sys/kernel/random/boot_id").readText().trim()
    } catch (_: IOException) {
        ""
    }
    return Instant(System.currentTimeMillis(), uptime, boot.takeIf(BOOT::matches).orEmpty())
}

/**
 * A period, as of its last release or of the first look after a restart.
 *
 * @property unit what epsilon is per.
 * @property spent billionths of epsilon.
 * @property elapsed milliseconds of the period.
 * @property latest milliseconds since 1970, the latest that the clocks have told.
 * @property boot [Instant.boot].
 * @property uptime [Instant.uptime].
 */
private data class State(
    val unit: String,
    val spent: Long,
    val elapsed: Long,
    val latest: Long,
    val boot: String,
    val uptime: Long,
) {
    /** Returns whether the device wasn't restarted between this and [now]. */
    fun isOf(now: Instant): Boolean = now.boot == boot && now.uptime >= uptime

    /** Returns the period as of [now], which is later. */
    fun at(now: Instant): State {
        // After a restart, at least as long as the device has been up.
        val passed = if (isOf(now)) now.uptime - uptime else maxOf(now.uptime, now.time - latest)
        return copy(
            elapsed = minOf(elapsed + passed, TIME_MAX),
            latest = minOf(maxOf(latest + passed, now.time), TIME_MAX),
            boot = now.boot,
            uptime = now.uptime,
        )
    }

    /** Returns the one form that a state has in a file. */
    fun serialized(): ByteArray {
        val fields = """{"format": "brr-budget", "format_version": 1, "unit": "$unit", """ +
            """"spent": $spent, "elapsed": $elapsed, "latest": $latest, """ +
            """"boot": "$boot", "uptime": $uptime"""
        return "$fields, \"sha256\": \"${digest(fields)}\"}\n".toByteArray()
    }
}

private val UNIT = Regex("[0-9A-Za-z._-]{1,64}")
private const val TIME = "(0|[1-9][0-9]{0,14})"
private val STATE = Regex(
    """(\{"format": "brr-budget", "format_version": 1, "unit": "(${UNIT.pattern})", """ +
        """"spent": (0|[1-9][0-9]{0,18}), "elapsed": $TIME, "latest": $TIME, """ +
        """"boot": "(${BOOT.pattern})", "uptime": $TIME), "sha256": "([0-9a-f]{64})"\}\n""",
)

/** Returns the state whose form [content] is, or null if it isn't one's. */
private fun parseState(content: ByteArray): State? {
    val match = STATE.matchEntire(String(content, Charsets.ISO_8859_1)) ?: return null
    val (fields, unit, spent, elapsed, latest, boot, uptime, digest) = match.destructured
    if (digest(fields) != digest) return null
    return State(
        unit,
        spent.toLongOrNull() ?: return null,
        elapsed.toLong(),
        latest.toLong(),
        boot,
        uptime.toLong(),
    )
}

private fun digest(fields: String): String =
    MessageDigest.getInstance("SHA-256").apply { update(fields.toByteArray()) }.hexadecimal()

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
