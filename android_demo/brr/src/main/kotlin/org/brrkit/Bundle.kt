package org.brrkit

import android.content.res.AssetManager
import java.io.File
import java.nio.ByteBuffer
import java.security.MessageDigest

/**
 * An opened bundle: what `brr build` makes and a device ships.
 *
 * Immutable, and safe to share between threads. Its index stays in the file, mapped into memory;
 * the mapping ends when the bundle is garbage-collected. `docs/bundle-format.md` is the
 * specification.
 */
public class Bundle private constructor(
    /** What the bundle is. */
    public val manifest: Manifest,
    /** The codes of the words, by id. */
    public val codes: Codes,
    /** The words. */
    public val vocabulary: Vocabulary,
    /** How a message names the manifest. */
    internal val manifestPath: String,
    internal val graph: ByteBuffer,
) {
    internal val index = HammingIndex(codes)

    /** Length of a code. */
    public val bits: Int
        get() = manifest.bits

    /** What an epsilon on this bundle is per: its codes and words, by the index's SHA-256. */
    public val unit: String
        get() = checkNotNull(fileEntry(manifest.fields, INDEX)).sha256

    /** How many words there are. */
    public val size: Int
        get() = vocabulary.size

    /**
     * Returns the [k] other words nearest to [word] by Hamming distance, the nearest first; none
     * if the word isn't in the vocabulary.
     *
     * For suggestions and for looking at a bundle: nothing here is privatized.
     *
     * @throws ParameterException [k] isn't from 1 to [size] - 1.
     */
    public fun neighbors(word: String, k: Int): List<String> {
        if (k !in 1 until size) throw ParameterException("k must be from 1 to ${size - 1}, not $k")
        val id = vocabulary.find(word)
        if (id < 0) return emptyList()
        // A word with the same code and a lower rank may come first; the word itself goes.
        val others = index.nearest(codes[id], k + 1).map(Long::toInt).filter { it != id }
        return others.take(k).map(vocabulary::word)
    }

    public companion object {
        /**
         * Maps the bundle in a [directory].
         *
         * @param verifyHashes compare the SHA-256 of the manifest, the index and the graph with the
         *   manifest. Skip it only for files that something else protects.
         * @throws BundleException a file is missing, damaged, or of an unknown format version.
         */
        @JvmStatic
        @JvmOverloads
        public fun open(directory: File, verifyHashes: Boolean = true): Bundle {
            if (!directory.isDirectory) {
                throw BundleException(
                    "$directory: not a bundle directory; make one with 'brr build'",
                )
            }
            return open(DirectoryFiles(directory), verifyHashes)
        }

        /**
         * Maps the bundle in the folder [path] of an app's assets.
         *
         * They must be stored uncompressed: `noCompress += listOf("safetensors", "tflite")`.
         *
         * @param verifyHashes as above. An installed app's assets are protected by its signature.
         * @throws BundleException a file is missing, compressed, damaged, or of an unknown format
         *   version.
         */
        @JvmStatic
        @JvmOverloads
        public fun open(assets: AssetManager, path: String, verifyHashes: Boolean = true): Bundle =
            open(AssetFiles(assets, path.trim('/')), verifyHashes)

        private fun open(files: BundleFiles, verifyHashes: Boolean): Bundle {
            val manifest = readManifest(files, verifyHashes)
            val index = map(files, INDEX, manifest, verifyHashes)
            val graph = map(files, RANDOMIZER, manifest, verifyHashes)
            val tensors = readTensors(files.path(INDEX), index, manifest)
            val width = widthOf(manifest.vocabularySize)
            val vocabulary = Vocabulary(
                words = tensors.getValue("words"),
                offsets = tensors.getValue("offsets").asIntBuffer(),
                ids = PackedNumbers(tensors.getValue("ids"), width),
                positions = PackedNumbers(tensors.getValue("positions"), width),
                size = manifest.vocabularySize,
            )
            vocabulary.damage()?.let { throw damaged(files.path(INDEX), it) }
            val codes = Codes(tensors.getValue("codes").asLongBuffer(), manifest.bits)
            return Bundle(manifest, codes, vocabulary, files.path(MANIFEST), graph)
        }
    }
}

private fun map(
    files: BundleFiles,
    name: String,
    manifest: Manifest,
    verifyHash: Boolean,
): ByteBuffer {
    val content = files.map(name)
    val expected = checkNotNull(fileEntry(manifest.fields, name))
    if (content.limit().toLong() != expected.size) {
        throw damaged(
            files.path(name),
            "${content.limit()} bytes, the manifest says ${expected.size}",
        )
    }
    if (verifyHash) {
        val sha256 = MessageDigest.getInstance("SHA-256")
        sha256.update(content.duplicate())
        if (sha256.hexadecimal() != expected.sha256) throw changed(files.path(name))
    }
    return content
}
