package org.brrkit.keyboard

import java.time.LocalDate
import java.time.ZoneOffset
import org.brrkit.DaySample
import org.brrkit.RandomSource
import org.brrkit.SystemRandom
import org.json.JSONArray
import org.json.JSONObject

/** A report that waits in an outbox. */
internal sealed interface Waiting {
    /** 16 random bytes as hexadecimal digits. They reveal nothing about the device or the time. */
    val id: String

    /** Returns the report to send: `spec/reports.md`. Its only time is the day. */
    fun report(): ByteArray
}

/**
 * A day's sample of privatized words in an outbox. They are sent together.
 *
 * @property sample its words, sorted, so their original order isn't kept.
 * @property day UTC, since 1970.
 * @property isClosed whether it takes no more words because its day is over.
 */
internal data class Batch(
    override val id: String,
    val source: ReportSource,
    val sample: DaySample,
    val day: Long,
    val isClosed: Boolean,
) : Waiting {
    /** Returns the batch after more words were released. The sample keeps some of them. */
    fun plus(more: List<String>, random: RandomSource): Batch {
        val after = more.fold(sample) { sample, word -> sample.plus(word, random) }
        return copy(sample = DaySample(after.most, after.seen, after.words.sorted()))
    }

    override fun report(): ByteArray = report("brr-reports", source, id, day, sample.words)

    fun toBytes(): ByteArray = JSONObject()
        .put("batch", id)
        .put("bundle", source.bundle)
        .put("setting", source.setting)
        .put("words", JSONArray(sample.words))
        .put("words_a_day", sample.most)
        .put("seen", sample.seen)
        .put("day", day)
        .put("closed", isClosed)
        .toString().toByteArray()

    companion object {
        fun new(source: ReportSource, wordsADay: Int, day: Long): Batch =
            Batch(newId(), source, DaySample(wordsADay), day, isClosed = false)

        /** Returns the object that [toBytes] wrote; null for any other content. */
        fun ofBytes(content: ByteArray): Batch? = parsed(content) { fields ->
            val words = strings(fields.getJSONArray("words"))
            Batch(
                fields.getString("batch"),
                ReportSource(fields.getString("bundle"), fields.getString("setting")),
                DaySample(fields.getInt("words_a_day"), fields.getLong("seen"), words),
                fields.getLong("day"),
                fields.getBoolean("closed"),
            )
        }
    }
}

/** Returns [Waiting.id] of a new batch. */
internal fun newId(): String =
    ByteArray(ID_SIZE).also(SystemRandom::fill).joinToString("") { "%02x".format(it) }

/** Returns a batch in a [format]: `spec/reports.md`. */
internal fun report(
    format: String,
    source: ReportSource,
    id: String,
    day: Long,
    words: List<String>,
): ByteArray {
    val period = JSONObject().put("start", midnight(day)).put("end", midnight(day + 1))
    val fields = JSONObject()
        .put("format", format)
        .put("format_version", 1)
        .put("bundle", source.bundle)
        .put("setting", JSONArray("[${source.setting}]")[0])
        .put("batch", id)
        .put("period", period)
        .put("words", JSONArray(words))
    return padded(fields.toString().toByteArray())
}

/** Returns the day, UTC, of [milliseconds] since 1970. */
internal fun dayOf(milliseconds: Long): Long = Math.floorDiv(milliseconds, DAY_MS)

private fun midnight(day: Long): String =
    LocalDate.ofEpochDay(day).atStartOfDay().toInstant(ZoneOffset.UTC).toString()

/** Returns JSON padded with spaces to a power of two of at least 1,024 bytes. */
internal fun padded(json: ByteArray): ByteArray {
    var size = LEAST_BYTES
    while (size < json.size) size *= 2
    return json.copyOf(size).also { it.fill(SPACE, json.size) }
}

private const val LEAST_BYTES = 1024
private const val SPACE = ' '.code.toByte()
private const val ID_SIZE = 16
private const val DAY_MS = 24L * 3600 * 1000
