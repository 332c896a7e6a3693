package org.brrkit.keyboard

import java.time.LocalDate
import java.time.ZoneOffset
import org.brrkit.SystemRandom
import org.json.JSONArray
import org.json.JSONException
import org.json.JSONObject

/**
 * Privatized words that are sent together, as an outbox keeps them.
 *
 * @property id 16 random bytes as hexadecimal digits. They say nothing of the device or the time.
 * @property words sorted: in which order they came isn't kept.
 * @property first day (UTC, since 1970) of the first word.
 * @property last day of the last word.
 * @property isClosed whether it takes no more words, since it may have been sent already.
 */
internal data class Batch(
    val id: String,
    val source: ReportSource,
    val words: List<String>,
    val first: Long,
    val last: Long,
    val isClosed: Boolean,
) {
    fun plus(more: List<String>, day: Long): Batch = copy(
        words = (words + more).sorted(),
        first = minOf(first, day), // the clock can be set back
        last = maxOf(last, day),
    )

    /** Returns what is sent, as `docs/reports.md` has it; of time it says whole days only. */
    fun report(): ByteArray {
        val period = JSONObject().put("start", midnight(first)).put("end", midnight(last + 1))
        val fields = JSONObject()
            .put("format", "brr-reports")
            .put("format_version", 1)
            .put("bundle", source.bundle)
            .put("setting", JSONArray("[${source.setting}]")[0])
            .put("batch", id)
            .put("period", period)
            .put("words", JSONArray(words))
        return fields.toString().toByteArray()
    }

    fun toBytes(): ByteArray = JSONObject()
        .put("batch", id)
        .put("bundle", source.bundle)
        .put("setting", source.setting)
        .put("words", JSONArray(words))
        .put("first", first)
        .put("last", last)
        .put("closed", isClosed)
        .toString().toByteArray()

    companion object {
        fun new(source: ReportSource, day: Long): Batch {
            val id = ByteArray(ID_SIZE).also(SystemRandom::fill)
            val digits = id.joinToString("") { "%02x".format(it) }
            return Batch(digits, source, emptyList(), day, day, isClosed = false)
        }

        /** Returns what [toBytes] wrote, or null if it is something else. */
        fun ofBytes(content: ByteArray): Batch? = try {
            val fields = JSONObject(String(content, Charsets.UTF_8))
            val words = fields.getJSONArray("words")
            Batch(
                fields.getString("batch"),
                ReportSource(fields.getString("bundle"), fields.getString("setting"), true),
                List(words.length(), words::getString),
                fields.getLong("first"),
                fields.getLong("last"),
                fields.getBoolean("closed"),
            )
        } catch (_: JSONException) {
            null
        }

        /** Returns the day of [milliseconds] since 1970. */
        fun day(milliseconds: Long): Long = Math.floorDiv(milliseconds, DAY_MS)

        private fun midnight(day: Long): String =
            LocalDate.ofEpochDay(day).atStartOfDay().toInstant(ZoneOffset.UTC).toString()

        private const val ID_SIZE = 16
        private const val DAY_MS = 24L * 3600 * 1000
    }
}
