package org.brrkit.demo

import java.io.File
import java.security.MessageDigest
import org.json.JSONObject

/** The bundle that the README's commands have just made. */
internal val calibratedBundle = File(System.getProperty("brr.work").orEmpty(), "calibrated")

/** Copies that bundle into an empty [folder], with its manifest [changed], digest and all. */
internal fun changedBundle(folder: File, changed: (JSONObject) -> Unit): File {
    calibratedBundle.copyRecursively(folder, overwrite = true)
    val file = File(folder, "manifest.json")
    val zeros = "0".repeat(64)
    val text = "${JSONObject(file.readText()).also(changed).put("sha256", zeros)}"
    val digest = MessageDigest.getInstance("SHA-256").digest(text.toByteArray())
    file.writeText(text.replace(zeros, digest.joinToString("") { "%02x".format(it) }))
    return folder
}
