package org.brrkit

import android.os.SystemClock
import java.io.File
import java.io.IOException
import java.nio.file.InvalidPathException
import java.security.MessageDigest
import java.time.Duration

/*
 * The elapsed time of a period, on a device that restarts and whose clock users can set.
 *
 * The rule is in spec/state-files.md: the uptime measures the time while the device runs, and the wall clock
 * measures only how long it was off. A state file contains the elapsed time.
 */

private val PERIOD_MAX = Duration.ofSeconds(1_000_000_000_000)
private const val TIME_MAX = 999_999_999_999_999 // milliseconds

/**
 * A reading of a device's clocks.
 *
 * @property time milliseconds since 1970, by the wall clock.
 * @property uptime milliseconds since the device started, asleep or not, by a clock that nobody can set.
 * @property boot identifies the device's run since its start; empty if the system doesn't provide it.
 */
internal data class Instant(val time: Long, val uptime: Long, val boot: String) {
    /** Returns it within the limits of a state file. */
    fun bounded() = Instant(time.coerceIn(0, TIME_MAX), uptime.coerceIn(0, TIME_MAX), boot)
}

private val BOOT_FORM = Regex("[0-9a-f-]{0,36}")

/** Reads this device's clocks. */
internal fun deviceClock(): Instant {
    val uptime = try {
        SystemClock.elapsedRealtime()
    } catch (_: LinkageError) { // not Android: tests
        System.nanoTime() / 1_000_000
    }
    return Instant(System.currentTimeMillis(), uptime, boot)
}

/** [Instant.boot], read once, because no process outlives a run of the device. */
private val boot: String by lazy {
    val id = try {
        File("/proc/sys/kernel/random/boot_id").readText().trim()
    } catch (_: IOException) {
        ""
    }
    id.takeIf(BOOT_FORM::matches).orEmpty()
}

/**
 * A period, as of a stored look at it.
 *
 * @property elapsed milliseconds of the period.
 * @property latest milliseconds since 1970: the latest time that the clocks have shown.
 * @property boot [Instant.boot].
 * @property uptime [Instant.uptime].
 */
internal data class Period(
    val elapsed: Long,
    val latest: Long,
    val boot: String,
    val uptime: Long,
) {
    /** A period that starts at [now]. */
    constructor(now: Instant) : this(0, now.time, now.boot, now.uptime)

    /** Returns whether the device didn't restart between this and [now]. */
    fun isOf(now: Instant): Boolean = now.boot == boot && now.uptime >= uptime

    /** Returns whether this is a later look at [earlier]'s period, in one run of the device. */
    fun continues(earlier: Period): Boolean {
        val passed = uptime - earlier.uptime
        return boot == earlier.boot && passed >= 0 && passed == elapsed - earlier.elapsed
    }

    /** Returns the period as of [now], which is later. */
    fun at(now: Instant): Period {
        // After a restart, at least the uptime has passed.
        val passed = if (isOf(now)) now.uptime - uptime else maxOf(now.uptime, now.time - latest)
        return Period(
            minOf(elapsed + passed, TIME_MAX),
            minOf(maxOf(latest + passed, now.time), TIME_MAX),
            now.boot,
            now.uptime,
        )
    }

    /** Its fields in a state file, in their only form. */
    val fields: String
        get() = """"elapsed": $elapsed, "latest": $latest, "boot": "$boot", "uptime": $uptime"""

    companion object {
        private const val TIME = "(0|[1-9][0-9]{0,14})"

        /** A regular expression for the result of [fields], with a group for each property. */
        val FIELDS = """"elapsed": $TIME, "latest": $TIME, "boot": "(${BOOT_FORM.pattern})", """ +
            """"uptime": $TIME"""

        /** The period in four groups of [FIELDS]. */
        fun ofFields(groups: List<String>) =
            Period(groups[0].toLong(), groups[1].toLong(), groups[2], groups[3].toLong())
    }
}

/** Returns a period's [length] in milliseconds, rounded up. */
internal fun periodLength(length: Duration, owner: String): Long {
    if (length !in Duration.ofSeconds(1)..PERIOD_MAX) {
        throw ParameterException("$owner period must be from 1 to 1e12 seconds")
    }
    return length.plusNanos(999_999).toMillis()
}

/** Returns the state file at [file]. Refuses a path that can't name a file, in the name of [owner]. */
internal fun stateFile(
    file: File,
    owner: String,
    failure: (String) -> BrrException,
    opener: Opener,
): StateFile = try {
    if (file.name in setOf("", ".", "..")) throw InvalidPathException("", "no name")
    StateFile(file.absoluteFile.toPath(), failure, opener)
} catch (_: InvalidPathException) {
    throw ParameterException("$owner must be the path of a file")
}

/** Returns the line of a state file: [fields] with their digest. */
internal fun signed(fields: String): ByteArray =
    "$fields, \"sha256\": \"${digest(fields)}\"}\n".toByteArray()

/** Returns the groups of [form] in a state file's [content]; null for any other content. */
internal fun groups(form: Regex, content: ByteArray): List<String>? {
    val match = form.matchEntire(String(content, Charsets.ISO_8859_1)) ?: return null
    val groups = match.groupValues
    return groups.subList(2, groups.size - 1).takeIf { digest(groups[1]) == groups.last() }
}

private fun digest(fields: String): String =
    MessageDigest.getInstance("SHA-256").apply { update(fields.toByteArray()) }.hexadecimal()
