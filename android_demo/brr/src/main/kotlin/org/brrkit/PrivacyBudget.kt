package org.brrkit

import androidx.annotation.WorkerThread
import java.io.File
import java.math.BigDecimal
import java.math.BigInteger
import java.math.MathContext
import java.math.RoundingMode
import java.nio.channels.FileChannel
import java.time.Duration

private const val EPSILON_DECIMALS = 9 // the state counts billionths of epsilon, as integers
private const val EPSILON_LIMIT = 1e9
private const val STATE_LIMIT = 1_024 // bytes; the longest state is shorter

/**
 * Counts released epsilon in a state file, and refuses releases that would exceed the limit.
 *
 * ```
 * PrivacyBudget(300.0, Duration.ofDays(1), File(context.noBackupFilesDir, "budget.json"))
 * ```
 *
 * Metric differential privacy composes by addition, so the budget counts epsilon per word. The cost of a release is
 * on disk before the release, so even a killed device has recorded at least what it released. Storing takes
 * milliseconds. A budget therefore also stores the cost of the next releases, as a lease: at most what was released
 * with this object in the period, and at most an eighth of the rest. When a process ends, its lease is lost, so keep
 * the object.
 *
 * A period starts with the first release after the previous period has ended, so two limits can be spent around the
 * end of a period. While the device runs, a clock that nobody can set measures a period's time; the wall clock
 * measures only how long the device was off. A deleted or restored state file loses the record of spent epsilon. Keep
 * it where only the app can write, and exclude it from backups. Safe to share between threads and processes.
 * `spec/state-files.md` specifies the rule and the format of the state file.
 *
 * Proof: `docs/explanation/proofs.md`, "Budget".
 *
 * @property limit largest sum of epsilon over the words released in a period; above 0, at most 1e9.
 * @property period length of a period, from 1 to 1e12 seconds.
 * @property stateFile a file in an existing directory; a lock file appears next to it.
 */
public class PrivacyBudget internal constructor(
    public val limit: Double,
    public val period: Duration,
    public val stateFile: File,
    private val clock: () -> Instant,
    opener: Opener = Opener(FileChannel::open),
) {
    private val units: BigInteger
    private val milliseconds: Long
    private val file =
        stateFile(stateFile, "a budget's stateFile", ::BudgetFileException, opener)

    private val own = Any() // its lock is held wherever the following is read or changes
    private var lease: Lease? = null
    private var price: Pair<Double, BigInteger>? = null

    /** @throws ParameterException limit or period is out of range, or stateFile names no file. */
    public constructor(limit: Double, period: Duration, stateFile: File) :
        this(limit, period, stateFile, ::deviceClock)

    init {
        if (!(limit > 0 && limit <= EPSILON_LIMIT)) {
            throw ParameterException("budget limit must be a number above 0 and at most 1e9")
        }
        milliseconds = periodLength(period, "budget")
        units = inUnits(limit, RoundingMode.FLOOR)
    }

    /**
     * Records the release of [words] words with [epsilon] each. Call it before the release.
     *
     * @param epsilon privacy loss of a word, from 0 to 1e9.
     * @param words number of words; one by default.
     * @param unit [WordBundle.digest] of the bundle to which epsilon refers: epsilons of different bundles don't add
     *   up. 1 to 64 letters, digits, `.`, `_` and `-`, all ASCII.
     * @throws ParameterException an argument is invalid.
     * @throws BudgetException the release would exceed the limit, or this period counts another unit. Nothing is
     *   recorded, and nothing may be released.
     * @throws BudgetFileException the state file is damaged, or can't be read or written. Nothing may be released.
     */
    @JvmOverloads
    @WorkerThread
    public fun spend(epsilon: Double, words: Int = 1, unit: String) {
        if (epsilon !in 0.0..EPSILON_LIMIT) {
            throw ParameterException("epsilon must be a number from 0 to 1e9")
        }
        if (words < 0) throw ParameterException("words must be an integer from 0 to 2^31 - 1")
        checkUnit(unit)
        synchronized(own) {
            val each = price(epsilon)
            val cost = each * words.toBigInteger()
            val lease = lease?.takeIf { it.allows(cost, unit, clock().bounded(), milliseconds) }
                ?: stored(cost, each, unit)
            lease.release(cost)
        }
    }

    /**
     * Returns the remaining epsilon of this period, in the period's unit.
     *
     * This includes this object's lease, but no other lease.
     *
     * @throws BudgetFileException the state file is damaged, or can't be read or written.
     */
    @WorkerThread
    public fun remaining(): Double = inEpsilon(unspent().second)

    /**
     * Returns the number of words that may still be released in this period.
     *
     * [spend] then allows exactly this number, at once or one by one, if nothing else spends meanwhile. The number
     * depends only on the number and cost of earlier releases.
     *
     * @param epsilon privacy loss of a word, above 0 and at most 1e9: [Privatizer.certifiedEpsilon], or [Counts.loss].
     * @param unit [WordBundle.digest] of the bundle, as for [spend].
     * @return at most 2^31 - 1; 0 if the running period counts another unit.
     * @throws ParameterException an argument is invalid.
     * @throws BudgetFileException the state file is damaged, or can't be read or written.
     */
    @WorkerThread
    public fun wordsLeft(epsilon: Double, unit: String): Int {
        if (!(epsilon > 0 && epsilon <= EPSILON_LIMIT)) {
            throw ParameterException("epsilon must be a number above 0 and at most 1e9")
        }
        checkUnit(unit)
        val (running, left) = unspent()
        if (running != unit && running.isNotEmpty()) return 0
        val words = left / synchronized(own) { price(epsilon) }
        return words.min(Int.MAX_VALUE.toBigInteger()).toInt()
    }

    /**
     * Returns the [WordBundle.digest] of the bundle whose epsilon the running period counts; null if no period is
     * running.
     *
     * @throws BudgetFileException the state file is damaged, or can't be read or written.
     */
    @WorkerThread
    public fun unit(): String? = file.locked { look(it).unit.ifEmpty { null } }

    /** Returns the running period's unit and its remaining billionths of epsilon. */
    private fun unspent(): Pair<String, BigInteger> = synchronized(own) {
        file.locked {
            val state = look(it)
            lease = lease?.takeIf(state::hasLease)
            state.unit to left(state, lease)
        }
    }

    private fun checkUnit(unit: String) {
        if (!UNIT_FORM.matches(unit)) {
            throw ParameterException(
                "a budget's unit must be 1 to 64 of the letters a to z, digits and . _ -; use " +
                    "WordBundle.digest",
            )
        }
    }

    /** Stores the cost that exceeds the lease, and an extra; returns the new lease. */
    private fun stored(cost: BigInteger, each: BigInteger, unit: String): Lease = file.locked {
        val state = look(it)
        val lease = lease?.takeIf(state::hasLease) ?: Lease(unit, state.period)
        val wait = (milliseconds - state.period.elapsed + 999) / 1000
        if (state.unit.isNotEmpty() && state.unit != unit) {
            throw BudgetException(
                "$stateFile: counts another bundle's epsilon, which can't be added to this one's; " +
                    "give each bundle its own state file, or wait: the period ends in $wait " +
                    "seconds",
                0.0,
                Duration.ofSeconds(wait),
            )
        }
        val before = state.spent.toBigInteger()
        val paid = before + (cost - lease.stored).max(BigInteger.ZERO)
        if (paid > units) {
            val left = left(state, lease)
            throw BudgetException(
                "the privacy budget doesn't allow this release: it costs ${shown(cost)}, " +
                    "${shown(left)} of ${shown(units)} is left; it renews in $wait seconds",
                inEpsilon(left),
                Duration.ofSeconds(wait),
            )
        }
        val spent = paid + lease.extra(units - paid, each)
        it.replace(state.copy(unit = unit, spent = spent.toLong()).serialized())
        Lease(unit, state.period, lease.stored + spent - before, lease.released)
    }.also { lease = it }

    /** Returns the billionths of epsilon that may be released, here and by other processes. */
    private fun left(state: State, lease: Lease?): BigInteger {
        val unspent = (units - state.spent.toBigInteger()).max(BigInteger.ZERO)
        return if (lease == null) unspent else unspent + lease.stored
    }

    /** Returns the cost of a word with [epsilon], which is usually that of the last one. */
    private fun price(epsilon: Double): BigInteger {
        val last = price
        if (last?.first == epsilon) return last.second
        return inUnits(epsilon, RoundingMode.CEILING).also { price = epsilon to it }
    }

    /**
     * Returns the running period as of now, or an empty one without a unit.
     *
     * The first look after a restart is stored, so later changes of the wall clock have no effect until the next
     * restart.
     */
    private fun look(file: StateFile.Locked): State {
        val now = clock().bounded()
        val content = file.read(STATE_LIMIT) ?: return State("", 0, Period(now))
        val stored = parseState(content) ?: throw BudgetFileException(
            "$stateFile: not a budget's state, or damaged; nothing is released until it " +
                "is restored, or removed by somebody who may discard what was spent",
        )
        val period = stored.period.at(now)
        if (period.elapsed >= milliseconds) return State("", 0, period.copy(elapsed = 0))
        val state = stored.copy(period = period)
        if (!stored.period.isOf(now)) file.replace(state.serialized())
        return state
    }
}

/**
 * A period, as of its last release or of the first look after a restart.
 *
 * @property unit digest of the bundle to which epsilon refers; empty before the period starts.
 * @property spent billionths of epsilon.
 * @property period the elapsed time.
 */
private data class State(val unit: String, val spent: Long, val period: Period) {
    /** Returns whether [lease] is of this period and unit. */
    fun hasLease(lease: Lease) = lease.unit == unit && period.continues(lease.period)

    /** Returns the only file content that stands for a state. */
    fun serialized(): ByteArray = signed(
        """{"format": "brr-budget", "format_version": 1, "unit": "$unit", """ +
            """"spent": $spent, ${period.fields}""",
    )
}

private val UNIT_FORM = Regex("[0-9A-Za-z._-]{1,64}")
private val STATE_FORM = Regex(
    """(\{"format": "brr-budget", "format_version": 1, "unit": "(${UNIT_FORM.pattern})", """ +
        """"spent": (0|[1-9][0-9]{0,18}), ${Period.FIELDS}), "sha256": "([0-9a-f]{64})"\}\n""",
)

/** Returns the state that [content] stands for, or null if it stands for none. */
private fun parseState(content: ByteArray): State? {
    val groups = groups(STATE_FORM, content) ?: return null
    val spent = groups[1].toLongOrNull() ?: return null
    return State(groups[0], spent, Period.ofFields(groups.drop(2)))
}

/** Returns [epsilon] in billionths, from its shortest decimal form: 0.1 means one tenth. */
internal fun inUnits(epsilon: Double, rounding: RoundingMode): BigInteger =
    shortest(epsilon).setScale(EPSILON_DECIMALS, rounding).unscaledValue()

/** Returns the shortest decimal that is read as [value]. A platform may print a longer one. */
internal fun shortest(value: Double): BigDecimal {
    val exact = BigDecimal(value)
    val lengths = (1..17).asSequence()
    return lengths.map { exact.round(MathContext(it)) }.first { it.toDouble() == value }
}

private fun inEpsilon(units: BigInteger): Double = BigDecimal(units, EPSILON_DECIMALS).toDouble()

private fun shown(units: BigInteger): String =
    BigDecimal(units, EPSILON_DECIMALS).stripTrailingZeros().toPlainString()
