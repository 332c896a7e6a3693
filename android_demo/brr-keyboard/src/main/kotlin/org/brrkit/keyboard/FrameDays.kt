package org.brrkit.keyboard

import java.security.SecureRandom
import org.brrkit.FrameSample
import org.brrkit.Frames

/**
 * An outbox's frames: those of the open day, and of past days. Use it under the outbox's lock.
 *
 * @property most largest number of past days. Beyond it, all frames of the oldest day are deleted.
 * @property today the day, UTC, since 1970.
 */
internal class FrameDays(
    private val files: OutboxFiles,
    private val most: Int,
    private val today: () -> Long,
) {
    private val closedDay = files.ClosedDay("frames-day")

    /** Continues the open day, or begins one. Deletes an open day with another setting or shape. */
    fun add(
        source: ReportSource,
        shape: Frames,
        key: OutboxKey,
        begin: () -> FrameSample,
        more: (FrameSample) -> FrameSample,
    ) {
        val open = open(key)
        val isSame = open != null && open.isOf(source, shape)
        val before = if (open != null && isSame) open
        else OpenDay(source, begin(), open?.day ?: closedDay.next(today()))
        if (open != null && !isSame) files.count(Loss.DROPPED)
        if (!isSame) write(before, key)
        val after = more(before.sample)
        if (after !== before.sample) write(before.copy(sample = after), key)
    }

    /** Returns a random frame of a past day, each with the same probability; null without any. */
    fun any(key: OutboxKey): Frame? {
        open(key) // closes it, if its day is over
        val waiting = files.of(Kind.FRAMES)
            .flatMap { files.read(Kind.FRAMES, it, key, Frame::ofBytes).orEmpty() }
        return if (waiting.isEmpty()) null else waiting[CHOICE.nextInt(waiting.size)]
    }

    /** Returns an action that removes [frame]; null if it isn't there. */
    fun removal(frame: Frame, key: OutboxKey): (() -> Unit)? {
        val file = files.of(Kind.FRAMES).firstOrNull { files.number(it) == frame.day } ?: return null
        val frames = files.read(Kind.FRAMES, file, key, Frame::ofBytes).orEmpty()
        val left = frames.filter { it.id != frame.id }
        return when (left.size) {
            frames.size -> null
            0 -> file::deleteDurably
            else -> { -> files.write(Kind.FRAMES, frame.day, Frame.toBytes(left), key) }
        }
    }

    /** Returns the open day. Closes a past one, and makes room for it. */
    private fun open(key: OutboxKey): OpenDay? {
        val open = read(key) ?: return null
        if (open.day >= today()) return open
        // After an interruption, the day is still open. It is closed again before a frame of it leaves.
        closedDay.close(open.day)
        files.write(Kind.FRAMES, open.day, Frame.toBytes(open.closed()), key)
        files.of(Kind.OPEN).forEach { it.deleteDurably() }
        val days = files.of(Kind.FRAMES)
        days.take(maxOf(days.size - most, 0)).forEach { files.lose(it, Loss.DROPPED) }
        return null
    }

    private fun read(key: OutboxKey): OpenDay? =
        files.of(Kind.OPEN).firstNotNullOfOrNull { files.read(Kind.OPEN, it, key, OpenDay::ofBytes) }

    private fun write(open: OpenDay, key: OutboxKey) =
        files.write(Kind.OPEN, OPEN_NUMBER, open.toBytes(), key)

    private companion object {
        const val OPEN_NUMBER = 1L // there is one

        /** Uniform, from the system. */
        val CHOICE = SecureRandom()
    }
}
