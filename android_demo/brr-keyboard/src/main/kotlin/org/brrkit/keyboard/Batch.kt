package org.brrkit.keyboard

import java.time.LocalDate
import java.time.ZoneOffset
import org.brrkit.DaySample
import org.brrkit.RandomSource
import org.brrkit.SystemRandom
import org.json.JSONArray
import org.json.JSONException
import org.json.JSONObject

/**
 * A day's sample of privatized words, which are sent together, as an outbox keeps it.
 *
 * @property id 16 random bytes as hexadecimal digits. They say nothing of the device or the time.
 * @property sample its words are sorted: in which order they came isn't kept.
 * @property day UTC, since 1970.
 * @property isClosed whether it takes no more words, since its day is over.
 * @property refusal the status that the receiver refused it with, if it did.
 */
internal data class Batch(
    val id: String,
    val source: ReportSource,
    val sample: DaySample,
    val day: Long,
    val isClosed: Boolean,
    val refusal: Int? = null,
) {
    /** Returns it after more words were released: the sample takes some of them. */
    fun plus(more: List<String>, random: RandomSource): Batch {
        val after = more.fold(sample) { sample, word -> sample.plus(word, random) }
        return copy(sample = DaySample(after.most, after.seen, after.words.sorted()))
    }

    /** Returns what is sent, as `spec/reports.md` has it; of time it says the day only. */
    fun report(): ByteArray {
        val period = JSONObject().put("start", midnight(day)).put("end", midnight(day + 1))
        val fields = JSONObject()
            .put("format", "brr-reports")
            .put("format_version", 1)
            .put("bundle", source.bundle)
            .put("setting", JSONArray("[${source.setting}]")[0])
            .put("batch", id)
            .put("period", period)
            .put("words", JSONArray(sample.words))
        return padded(fields.toString().toByteArray())
    }

    fun toBytes(): ByteArray = JSONObject()
        .put("batch", id)
        .put("bundle", source.bundle)
        .put("setting", source.setting)
        .put("words", JSONArray(sample.words))
        .put("words_a_day", sample.most)
        .put("seen", sample.seen)
        .put("day", day)
        .put("closed", isClosed)
        .put("refusal", refusal) // left out, if it is null
        .toString().toByteArray()

    companion object {
        fun new(source: ReportSource, wordsADay: Int, day: Long): Batch {
            val id = ByteArray(ID_SIZE).also(SystemRandom::fill)
            val digits = id.joinToString("") { "%02x".format(it) }
            return Batch(digits, source, DaySample(wordsADay), day, isClosed = false)
        }

        /** Returns what [toBytes] wrote, or null if it is something else. */
        fun ofBytes(content: ByteArray): Batch? = try {
            val fields = JSONObject(String(content, Charsets.UTF_8))
            val words = fields.getJSONArray("words")
            Batch(
                fields.getString("batch"),
                ReportSource(fields.getString("bundle"), fields.getString("setting")),
                DaySample(
                    fields.getInt("words_a_day"),
                    fields.getLong("seen"),
                    List(words.length(), words::getString),
                ),
                fields.getLong("day"),
                fields.getBoolean("closed"),
                if (fields.has("refusal")) fields.getInt("refusal") else null,
            )
        } catch (_: JSONException) {
            null
        }

        /** Returns the day of [milliseconds] since 1970. */
        fun day(milliseconds: Long): Long = Math.floorDiv(milliseconds, DAY_MS)

        private fun midnight(day: Long): String =
            LocalDate.ofEpochDay(day).atStartOfDay().toInstant(ZoneOffset.UTC).toString()

        /** Returns JSON with spaces behind it, of one of few sizes: a power of two of at least 1,024. */
        internal fun padded(json: ByteArray): ByteArray {
            var size = LEAST_BYTES
            while (size < json.size) size *= 2
            return json.copyOf(size).also { it.fill(SPACE, json.size) }
        }

        private const val LEAST_BYTES = 1024
        private const val SPACE = ' '.code.toByte()
        private const val ID_SIZE = 16
        private const val DAY_MS = 24L * 3600 * 1000
    }
}
