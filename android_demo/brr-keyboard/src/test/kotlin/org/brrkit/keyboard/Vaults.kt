package org.brrkit.keyboard

import java.io.File
import java.time.Clock
import java.time.Instant
import java.time.ZoneId
import java.time.ZoneOffset
import org.brrkit.KeyVault
import org.brrkit.SystemRandom

/** Changes the key, as a vault does, because this machine has no Keystore. */
internal class TestVault : KeyVault {
    @Volatile
    var fails = false

    override fun seal(key: ByteArray): ByteArray = turned(key)

    override fun open(sealed: ByteArray): ByteArray = turned(sealed)

    private fun turned(bytes: ByteArray): ByteArray {
        check(!fails) { "the Keystore is away" }
        return ByteArray(bytes.size) { (bytes[it].toInt() xor 0x5A).toByte() }
    }
}

internal val SOURCE =
    ReportSource("5b".repeat(32), "\"counts\"")

internal const val DAY_MS: Long = 24L * 3_600_000

/** A clock that a test sets, in milliseconds since 1970. */
internal class TestClock(var now: Long = 1_700_000_000_000) : Clock() {
    override fun getZone(): ZoneId = ZoneOffset.UTC

    override fun withZone(zone: ZoneId): Clock = this

    override fun instant(): Instant = Instant.ofEpochMilli(now)
}

/** Reads the batches of an outbox without closing any. */
internal fun batchesIn(directory: File, vault: KeyVault): List<Batch> {
    val key = checkNotNull(OutboxKey.read(File(directory, "key"), vault))
    val files = directory.listFiles().orEmpty().filter { it.name.endsWith(".batch") }
    return files.sortedBy(File::getName).map {
        val number = it.name.removeSuffix(".batch").toLong()
        checkNotNull(Batch.ofBytes(checkNotNull(key.open(Kind.BATCH, number, it.readBytes()))))
    }
}

/** Reads the open day of frames of an outbox. */
internal fun openDayIn(directory: File, vault: KeyVault): OpenDay {
    val key = checkNotNull(OutboxKey.read(File(directory, "key"), vault))
    val file = directory.listFiles().orEmpty().single { it.name.endsWith(".open") }
    return checkNotNull(OpenDay.ofBytes(checkNotNull(key.open(Kind.OPEN, 1, file.readBytes()))))
}

/** Offers words to the day's sample, unchanged. */
internal fun Outbox.keep(
    vararg words: String,
    source: ReportSource = SOURCE,
    wordsADay: Int = 1_000,
) = add(source, wordsADay, words.size, SystemRandom) { words.toList() }
