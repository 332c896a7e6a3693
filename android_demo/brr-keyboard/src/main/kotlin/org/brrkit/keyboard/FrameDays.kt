package org.brrkit.keyboard

import java.security.SecureRandom
import org.brrkit.FrameSample
import org.brrkit.Frames

/**
 * An outbox's frames: those of the day that is open, and of days that are over. Under the outbox's lock.
 *
 * @property most days that are over, at most: then the whole oldest one goes.
 * @property today the day, UTC, since 1970.
 */
internal class FrameDays(
    private val files: OutboxFiles,
    private val most: Int,
    private val today: () -> Long,
) {
    private val closedDay = files.ClosedDay("frames-day")

    /** Goes on with the open day, or begins one; a day of another setting or shape on the same day goes. */
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

    /** Returns any frame whose day is over, each with the same probability; null if there is none. */
    fun any(key: OutboxKey): Frame? {
        open(key) // closes it, if its day is over
        val waiting = files.of(Kind.FRAMES)
            .flatMap { files.read(Kind.FRAMES, it, key, Frame::ofBytes).orEmpty() }
        return if (waiting.isEmpty()) null else waiting[CHOICE.nextInt(waiting.size)]
    }

    /** Returns what takes [frame] out; null if it isn't there. */
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

    /** Returns the day that goes on; closes one that is over, and makes room for it. */
    private fun open(key: OutboxKey): OpenDay? {
        val open = read(key) ?: return null
        if (open.day >= today()) return open
        // An interruption leaves the open day: it is closed again then, before a frame of it leaves.
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
