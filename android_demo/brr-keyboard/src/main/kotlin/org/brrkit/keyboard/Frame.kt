package org.brrkit.keyboard

import org.brrkit.FrameSample
import org.brrkit.Frames
import org.brrkit.ParameterException
import org.json.JSONArray
import org.json.JSONException
import org.json.JSONObject

/**
 * A day of frames that isn't over, as an outbox keeps it.
 *
 * @property day UTC, since 1970.
 */
internal data class OpenDay(val source: ReportSource, val sample: FrameSample, val day: Long) {
    /** Whether frames of a [source] and a [shape] go on in it. */
    fun isOf(source: ReportSource, shape: Frames) = this.source == source && sample.shape == shape

    /** Returns its frames, in an order that says nothing of that in which they came. */
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
        /** Returns what [toBytes] wrote, or null if it is something else. */
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
 * A frame whose day is over: it is sent alone.
 *
 * @property id as a [Batch] has.
 * @property words in the order of their release.
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
        /** Returns what an outbox keeps of a day's frames that wait. */
        fun toBytes(frames: List<Frame>): ByteArray = JSONObject()
            .put("bundle", frames[0].source.bundle)
            .put("setting", frames[0].source.setting)
            .put("day", frames[0].day)
            .put("batches", JSONArray(frames.map { it.id }))
            .put("frames", JSONArray(frames.map { JSONArray(it.words) }))
            .toString().toByteArray()

        /** Returns what [toBytes] wrote, or null if it is something else. */
        fun ofBytes(content: ByteArray): List<Frame>? = parsed(content) { fields ->
            val source = ReportSource(fields.getString("bundle"), fields.getString("setting"))
            val frames = fields.getJSONArray("frames")
            strings(fields.getJSONArray("batches")).mapIndexed { place, id ->
                Frame(id, source, strings(frames.getJSONArray(place)), fields.getLong("day"))
            }
        }
    }
}

/** Returns what [read] makes of an object of JSON, or null if it isn't what that expects. */
internal fun <T : Any> parsed(content: ByteArray, read: (JSONObject) -> T): T? = try {
    read(JSONObject(String(content, Charsets.UTF_8)))
} catch (_: JSONException) {
    null
} catch (_: ParameterException) {
    null
}

internal fun strings(array: JSONArray): List<String> = List(array.length(), array::getString)
