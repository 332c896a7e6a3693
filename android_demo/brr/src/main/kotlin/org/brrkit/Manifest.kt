package org.brrkit

import java.math.BigInteger
import java.security.MessageDigest
import java.util.Arrays

internal const val MANIFEST: String = "manifest.json"
internal const val INDEX: String = "index.safetensors"
internal const val RANDOMIZER: String = "randomizer.tflite"
private const val PARITY = "parity.json" // not shipped, but named by the manifest

private const val FORMAT = "brr-bundle"
private const val FORMAT_VERSION = 3L
internal const val MANIFEST_LIMIT: Int = 1 shl 20 // bytes; a longer one may be hostile
private const val VOCABULARY_LIMIT = 1L shl 24
private const val BIGRAMS_LIMIT = 1L shl 24
private const val FILE_LIMIT = Int.MAX_VALUE.toLong() // bytes; the largest size that can be mapped
private const val DIGITS = "0123456789abcdef"
private const val DIGEST_LENGTH = 64

/** The content of a checked `manifest.json`. */
internal class Manifest(
    val bits: Int,
    val taskBits: Int,
    val listOf: String?,
    val vocabularySize: Int,
    val bigrams: Int,
    val writing: Writing,
    val policy: Policy,
    val recommended: Setting?,
    val counts: CountsSetting?,
    val frames: Frames?,
    val fields: Map<String, Any?>,
)

/** Size in bytes and SHA-256 of a file, from the manifest. */
internal class FileEntry(val size: Long, val sha256: String)

/** Parses and checks the [content] of a manifest. [path] is its name in messages. */
internal fun readManifest(path: String, content: ByteArray, verifyHash: Boolean): Manifest {
    val fields = try {
        if (content.size > MANIFEST_LIMIT) null else parseJson(content) as? Map<*, *>
    } catch (_: JsonException) {
        null
    } ?: throw damaged(path, "not a manifest (JSON object, at most 1 MB)")

    fun check(valid: Boolean, field: String) {
        if (!valid) throw damaged(path, "field '$field' is missing or wrong")
    }

    check(fields["format"] == FORMAT, "format")
    val version = fields["format_version"]
    check(version is Long || version is BigInteger, "format_version")
    if (version != FORMAT_VERSION) {
        throw BundleException(
            "$path: format version $version is unknown (this brrkit reads $FORMAT_VERSION); " +
                "update brrkit or rebuild the bundle",
        )
    }
    val digest = fields["sha256"]
    check(isDigest(digest), "sha256")
    if (verifyHash && manifestDigest(content, digest as String) != digest) throw changed(path)
    val bits = fields["bits"]
    check(bits is Long && bits in 0L..512L && bits % 64 == 0L, "bits")
    val isList = bits == 0L
    val size = fields["vocabulary_size"]
    check(size is Long && size in 2..VOCABULARY_LIMIT, "vocabulary_size")
    var taskBits = 0L
    if ("task_bits" in fields) {
        val given = fields["task_bits"]
        check(given is Long && given in 64 until bits as Long && given % 64 == 0L, "task_bits")
        taskBits = given as Long
    }
    val bigrams = fields["bigrams"]
    check(bigrams is Long && bigrams in 0..(if (isList) 0 else BIGRAMS_LIMIT), "bigrams")
    check(if (isList) isKind(fields["list_of"]) else "list_of" !in fields, "list_of")
    for (name in if (isList) arrayOf(INDEX, PARITY) else arrayOf(INDEX, RANDOMIZER, PARITY)) {
        check(fileEntry(fields, name) != null, "files.$name")
    }
    val writing = if ("writing" in fields) readWriting(fields["writing"]) else Writing.ENGLISH
    check(writing != null, "writing")
    val policy = when {
        "policy" !in fields -> Policy.NONE
        isList -> null
        else -> readPolicy(fields["policy"], (size as Long).toInt())
    }
    check(policy != null, "policy")
    val recommended = if (isList) null else readSetting(fields["recommended"], bits as Long - taskBits)
    check(recommended != null || "recommended" !in fields, "recommended")
    val counts = readCounts(fields["counts"])
    check(counts != null || "counts" !in fields, "counts")
    val frames = if (isList) null else readFrames(fields["frames"])
    check(frames != null || "frames" !in fields, "frames")
    @Suppress("UNCHECKED_CAST") // JSON has no other keys
    return Manifest(
        (bits as Long).toInt(),
        taskBits.toInt(),
        fields["list_of"] as String?,
        (size as Long).toInt(),
        (bigrams as Long).toInt(),
        checkNotNull(writing),
        checkNotNull(policy),
        recommended,
        counts,
        frames,
        fields as Map<String, Any?>,
    )
}

/** Returns the manifest's entry for a file; null if it isn't valid. */
internal fun fileEntry(fields: Map<*, *>, name: String): FileEntry? {
    val entry = (fields["files"] as? Map<*, *>)?.get(name) as? Map<*, *> ?: return null
    val size = entry["size"]
    val digest = entry["sha256"]
    return if (size is Long && size in 0..FILE_LIMIT && isDigest(digest)) {
        FileEntry(size, digest as String)
    } else {
        null
    }
}

/** Returns the error for a bundle's file with some [damage]. */
internal fun damaged(path: String, damage: String) =
    BundleException("$path: $damage; rebuild the bundle")

/** Returns the error for a file with another SHA-256. */
internal fun changed(path: String) = damaged(path, "changed since it was built (SHA-256)")

/** Finishes the digest. Returns it as lower-case hexadecimal digits. */
internal fun MessageDigest.hexadecimal(): String = buildString {
    for (byte in digest()) {
        append(DIGITS[byte.toInt() ushr 4 and 0xF])
        append(DIGITS[byte.toInt() and 0xF])
    }
}

/** Returns the SHA-256 of a manifest with its own [digest] replaced by zeros. */
internal fun manifestDigest(content: ByteArray, digest: String): String {
    val zeroed = content.copyOf()
    var at = 0
    while (at + digest.length <= content.size) {
        if (isAt(digest, content, at)) {
            Arrays.fill(zeroed, at, at + digest.length, '0'.code.toByte())
            at += digest.length
        } else {
            at++
        }
    }
    val sha256 = MessageDigest.getInstance("SHA-256")
    sha256.update(zeroed)
    return sha256.hexadecimal()
}

/** Whether the ASCII of [digest] is in [content] at a place. */
private fun isAt(digest: String, content: ByteArray, at: Int): Boolean {
    for (i in digest.indices) if (content[at + i].toInt() != digest[i].code) return false
    return true
}

internal fun isDigest(value: Any?) =
    value is String && value.length == DIGEST_LENGTH && value.all { it in '0'..'9' || it in 'a'..'f' }
