package org.brrkit.keyboard

import org.brrkit.FrameSample
import org.brrkit.Frames
import org.brrkit.ParameterException
import org.json.JSONArray
import org.json.JSONException
import org.json.JSONObject

/**
 * An unfinished day of frames in an outbox.
 *
 * @property day UTC, since 1970.
 */
internal data class OpenDay(val source: ReportSource, val sample: FrameSample, val day: Long) {
    /** Whether the day continues with frames of this [source] and [shape]. */
    fun isOf(source: ReportSource, shape: Frames) = this.source == source && sample.shape == shape

    /** Returns its frames in an order that is independent of the order of typing. */
    fun closed(): List<Frame> = sample.frames.sortedBy { it.joinToString("\n") }
        .map { words -> Frame(newId(), source, words, day) }

    fun toBytes(): ByteArray = JSONObject()
        .put("bundle", source.bundle)
        .put("setting", source.setting)
        .put("words", sample.shape.words)
        .put("a_day", sample.shape.aDay)
        .put("seen", sample.seen)
        .put("day", day)
        .put("frames", JSONArray(sample.frames.map(::JSONArray)))
        .toString().toByteArray()

    companion object {
        /** Returns the object that [toBytes] wrote; null for any other content. */
        fun ofBytes(content: ByteArray): OpenDay? = parsed(content) { fields ->
            val shape = Frames(fields.getInt("words"), fields.getInt("a_day"))
            val frames = fields.getJSONArray("frames")
            OpenDay(
                ReportSource(fields.getString("bundle"), fields.getString("setting")),
                FrameSample(shape, fields.getLong("seen"), List(frames.length()) { strings(frames.getJSONArray(it)) }),
                fields.getLong("day"),
            )
        }
    }
}

/**
 * A frame of a past day. It is sent alone.
 *
 * @property id as for a [Batch].
 * @property words the released words, in their order.
 * @property day UTC, since 1970.
 */
internal data class Frame(
    override val id: String,
    val source: ReportSource,
    val words: List<String>,
    val day: Long,
) : Waiting {
    override fun report(): ByteArray = report("brr-frames", source, id, day, words)

    companion object {
        /** Returns the waiting frames of a day in the form in which an outbox keeps them. */
        fun toBytes(frames: List<Frame>): ByteArray = JSONObject()
            .put("bundle", frames[0].source.bundle)
            .put("setting", frames[0].source.setting)
            .put("day", frames[0].day)
            .put("batches", JSONArray(frames.map { it.id }))
            .put("frames", JSONArray(frames.map { JSONArray(it.words) }))
            .toString().toByteArray()

        /** Returns the object that [toBytes] wrote; null for any other content. */
        fun ofBytes(content: ByteArray): List<Frame>? = parsed(content) { fields ->
            val source = ReportSource(fields.getString("bundle"), fields.getString("setting"))
            val frames = fields.getJSONArray("frames")
            strings(fields.getJSONArray("batches")).mapIndexed { place, id ->
                Frame(id, source, strings(frames.getJSONArray(place)), fields.getLong("day"))
            }
        }
    }
}

/** Returns the result of [read] for a JSON object; null if [read] refuses it. */
internal fun <T : Any> parsed(content: ByteArray, read: (JSONObject) -> T): T? = try {
    read(JSONObject(String(content, Charsets.UTF_8)))
} catch (_: JSONException) {
    null
} catch (_: ParameterException) {
    null
}

internal fun strings(array: JSONArray): List<String> = List(array.length(), array::getString)
