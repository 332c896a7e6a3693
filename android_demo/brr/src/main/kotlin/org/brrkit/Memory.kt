package org.brrkit

import java.io.File
import java.nio.channels.FileChannel
import java.time.Duration
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

private const val KEY_SIZE = 32
private const val NUMBER_MAX = 999_999_999_999_999
private const val STATE_LIMIT = 4_096 // bytes; the longest state is shorter
private const val SEALED_LIMIT = 1_024 // bytes

/**
 * Protects the stored key of a [Memory].
 *
 * Without a vault, the file holds the key itself, and only the app can read the file. A vault can wrap this key with a
 * key from Android's Keystore, which never leaves the device's hardware: `docs/how-to/run-for-months.md` has an
 * example.
 */
public interface KeyVault {
    /** Returns at most 1,024 bytes to store in place of a new [key] of 32 bytes. */
    public fun seal(key: ByteArray): ByteArray

    /** Returns the key from which [sealed] was made. */
    public fun open(sealed: ByteArray): ByteArray
}

/**
 * The key of the running period, in a private file. It gives a word the same first draw again.
 *
 * Without a memory, every release of a word is an independent draw, and the privacy losses add up. With it, a
 * pseudo-random function of the word gives the randomness of its first draw, and no word is stored. After the end of
 * the period, the next release replaces the key. Time is measured as for [PrivacyBudget]. Deleting the file, or
 * restoring an old copy, starts another period: each word gets one more first draw, at the cost of its epsilon. Anyone
 * who has the file can test guesses of released words. Keep it where only the app can read and write, and exclude it
 * from backups. Safe to share between threads and processes. `spec/state-files.md` specifies the function.
 *
 * Proof: `docs/explanation/proofs.md`, "Memory".
 *
 * ```
 * val monthly = Memory(Duration.ofDays(30), File(noBackupFilesDir, "memory.json"))
 * Privatizer.Builder(bundle).setting(Setting(0.6)).memory(monthly).build()
 * ```
 *
 * @property period length of a period, from 1 to 1e12 seconds.
 * @property keyFile a file in an existing directory; a lock file appears next to it.
 * @param vault protects the key in the file.
 */
public class Memory internal constructor(
    public val period: Duration,
    public val keyFile: File,
    private val vault: KeyVault?,
    private val clock: () -> Instant,
) {
    private val length = periodLength(period, "memory")
    private val file =
        stateFile(keyFile, "a memory's keyFile", ::MemoryFileException, FileChannel::open)

    /** @throws ParameterException period is out of range, or keyFile names no file. */
    @JvmOverloads
    public constructor(period: Duration, keyFile: File, vault: KeyVault? = null) :
        this(period, keyFile, vault, ::deviceClock)

    /**
     * Returns the running period's key. It is on disk before anything uses it.
     *
     * @throws MemoryFileException the file is damaged, or can't be read or written. Nothing may be released.
     */
    internal fun key(): MemoryKey = file.locked { look(it) }

    /** Returns the running period's key, and starts a period if none is running. */
    private fun look(file: StateFile.Locked): MemoryKey {
        val now = clock().bounded()
        val content = file.read(STATE_LIMIT) ?: return start(file, 1, Period(now))
        val groups = groups(STATE_FORM, content) ?: throw damaged()
        val number = groups[0].toLong()
        val stored = Period.ofFields(groups.drop(2))
        val period = stored.at(now)
        if (period.elapsed >= length) {
            return start(file, minOf(number + 1, NUMBER_MAX), period.copy(elapsed = 0))
        }
        if (!stored.isOf(now)) file.replace(serialized(number, groups[1], period))
        val sealed = groups[1].chunked(2) { it.toString().toInt(16).toByte() }.toByteArray()
        val secret = if (vault == null) sealed else guarded { vault.open(sealed) }
        if (secret.size != KEY_SIZE) throw damaged()
        return MemoryKey(number, secret)
    }

    private fun start(file: StateFile.Locked, number: Long, period: Period): MemoryKey {
        val secret = ByteArray(KEY_SIZE).also(SystemRandom::fill)
        val sealed = if (vault == null) secret else guarded { vault.seal(secret.copyOf()) }
        if (sealed.size !in KEY_SIZE..SEALED_LIMIT) {
            throw MemoryFileException("$keyFile: its vault gives ${sealed.size} bytes, not 32 to 1,024")
        }
        val digits = sealed.joinToString("") { "%02x".format(it) }
        file.replace(serialized(number, digits, period))
        return MemoryKey(number, secret)
    }

    private fun guarded(action: () -> ByteArray): ByteArray = try {
        action()
    } catch (_: Exception) { // an error of the app's vault
        throw MemoryFileException(
            "$keyFile: its vault fails; nothing is released until it works, or the file is " +
                "removed: each word then gets a new first draw",
        )
    }

    private fun damaged() = MemoryFileException(
        "$keyFile: not a memory's key, or damaged; nothing is released until it is restored, or " +
            "removed: each word then gets a new first draw",
    )
}

private val STATE_FORM = Regex(
    """(\{"format": "brr-memory", "format_version": 1, "number": ([1-9][0-9]{0,14}), """ +
        """"key": "((?:[0-9a-f]{2}){32,1024})", ${Period.FIELDS}), "sha256": "([0-9a-f]{64})"\}\n""",
)

private fun serialized(number: Long, key: String, period: Period): ByteArray = signed(
    """{"format": "brr-memory", "format_version": 1, "number": $number, "key": "$key", """ +
        period.fields,
)

/**
 * The key of a period. It is secret, and never shown.
 *
 * @property number number of the period, from 1.
 */
internal class MemoryKey(val number: Long, private val secret: ByteArray) {
    /**
     * Returns the first draw of a word.
     *
     * @param unit [WordBundle.digest].
     * @param setting [org.brrkit.mechanisms.Sampler.setting].
     * @param word the typed word of the vocabulary; null for an unknown word. All unknown words share one draw: a
     *   separate draw would be the word's pseudonym.
     */
    fun draw(unit: String, setting: MechanismSetting, word: String?): Draw {
        val mac = Mac.getInstance("HmacSHA256")
        mac.init(SecretKeySpec(secret, "HmacSHA256"))
        val fields = listOf(
            "brrkit memory".toByteArray(),
            eightBytes(number),
            unit.toByteArray(),
            setting.mechanism.toByteArray(),
            setting.numbers,
            (if (word == null) "unknown" else "known").toByteArray(),
            word.orEmpty().toByteArray(),
        )
        return Draw(mac, fields.fold(ByteArray(0)) { message, field -> message + field(field) })
    }
}

/** A mechanism's name, and the integers that decide its draws: `spec/state-files.md`. */
internal class MechanismSetting(val mechanism: String, val numbers: ByteArray)

/** The first draw of a word in a period: its own random bytes, always the same. */
internal class Draw(private val mac: Mac, private val message: ByteArray) : RandomSource {
    private var block = 0L
    private var left = ByteArray(0)

    override fun fill(bytes: ByteArray) {
        var filled = 0
        while (filled < bytes.size) {
            if (left.isEmpty()) left = mac.doFinal(message + field(eightBytes(block++)))
            val part = minOf(left.size, bytes.size - filled)
            left.copyInto(bytes, filled, 0, part)
            left = left.copyOfRange(part, left.size)
            filled += part
        }
    }
}

/** Returns [content] after its length, so that a sequence of fields is unambiguous. */
private fun field(content: ByteArray): ByteArray =
    ByteArray(Int.SIZE_BYTES) { (content.size ushr 8 * it).toByte() } + content

/** Returns [number] as eight bytes, the lowest first. */
internal fun eightBytes(number: Long): ByteArray =
    ByteArray(Long.SIZE_BYTES) { (number ushr 8 * it).toByte() }
