package org.brrkit.keyboard

import java.io.File

/** Stores a report for `tests/android/reports.py`, which compares it with the schema. */
internal fun keep(name: String, report: ByteArray) {
    File("target/reports").mkdirs()
    File("target/reports/$name.json").writeBytes(report)
}
