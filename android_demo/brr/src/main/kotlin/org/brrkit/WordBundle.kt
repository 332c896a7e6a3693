package org.brrkit

import android.content.Context
import android.content.res.AssetManager
import androidx.annotation.WorkerThread
import java.io.File
import java.nio.ByteBuffer
import java.security.MessageDigest

private const val OPEN_ATTEMPTS = 10

/** Hashing fewer bytes takes less time than starting a thread. */
private const val THREAD_BYTES = 1 shl 20

/**
 * SHA-256 of `randomizer.tflite` for each number of bits. A graph is code: any other graph could flip other bits,
 * or crash the interpreter.
 */
private fun graphDigest(bits: Int): String = when (bits) {
    64 -> "ac478cf28e07066e7261123668b9143aa2c4c19827900947200186685e3ba08f"
    128 -> "015376fdef531692fb94bd83c5e452894e305aad042a5e146134da6bfc1251db"
    192 -> "7abb8acf6bf478a8e387d061827602babbc6c3d600da1e6a585cb28ce3532319"
    256 -> "396833980553f94dcb406e56ef8e722399475c8e2c09b1378196ec286ea35bed"
    320 -> "e3d4c4057644e31f02e85c6328f30e92e233739c67a111b581af29976d28aa1a"
    384 -> "c5d0697506d094356c3fe283d657452e3d4c1711d4528ba5cac6b92ad2d823a7"
    448 -> "a4581f75e634498175018a7e86d60bf1f2d349aa257e0e28d26ecee78992896b"
    else -> "f71694bc70b1af655850cc2e089a5625e799cbedbfa6e9b21e22a62a3c4493af"
}

/**
 * A word near another word.
 *
 * @property word the near word, from the vocabulary.
 * @property distance Hamming distance between the two codes, in bits.
 */
public class Neighbor internal constructor(public val word: String, public val distance: Int)

/**
 * An opened bundle, which `brr build` or `brr list` makes and an app ships. A bundle without codes is a list:
 * [Counts] can count its strings, but [Privatizer] can't release them.
 *
 * Immutable, and safe to share between threads. Its index stays in the file, mapped into memory;
 * the mapping ends when the bundle is garbage-collected. `spec/bundle-format.md` is the
 * specification.
 *
 * ```
 * val bundle = WordBundle.open(context, "bundle") // once, in the background
 * bundle.neighbors("king", 3)
 * ```
 */
public class WordBundle private constructor(
    private val content: Manifest,
    /** The codes of the words, by id. */
    public val codes: Codes,
    /** The words. */
    public val vocabulary: Vocabulary,
    internal val masses: Masses,
    internal val tokenizer: Tokenizer,
    /** The name of the manifest in messages. */
    internal val manifestPath: String,
    internal val graph: ByteBuffer?,
) {
    internal val index = HammingIndex(codes)

    /**
     * The fields of `manifest.json` (`spec/bundle-format.md`): maps, lists, strings, booleans, Long (or
     * BigInteger) and Double.
     */
    public val manifest: Map<String, Any?>
        get() = content.fields

    /** Length of a code in bits, with its task bits; 0 for a list. */
    public val bits: Int
        get() = content.bits

    /** The number of task bits: the last bits of a code, learned from the bundle's tasks. */
    internal val taskBits: Int
        get() = content.taskBits

    /** Length of a code in bits, without its task bits. */
    internal val wordBits: Int
        get() = bits - taskBits

    /** The kind of a list's strings: `words`, `emoji`, `both` or `strings`; null if it isn't a list. */
    public val listOf: String?
        get() = content.listOf

    /** The writing rules of the bundle's language. */
    public val writing: Writing
        get() = content.writing

    /** The lists of secret words, and the passing words; empty if the bundle has no policy. */
    public val policy: Policy
        get() = content.policy

    /** The recommended setting for text, if an app gives none; null if there is none. */
    public val recommended: Setting?
        get() = content.recommended

    /** The recommended setting for counts, if an app gives none; null if there is none. */
    public val counts: CountsSetting?
        get() = content.counts

    /** The shape of a device's day of text, if an app gives none; null if there is none. */
    public val frames: Frames?
        get() = content.frames

    /** SHA-256 of the index (codes, words and masses). An epsilon refers to one index. */
    public val digest: String
        get() = checkNotNull(fileEntry(manifest, INDEX)).sha256

    /** The number of words. */
    public val size: Int
        get() = vocabulary.size

    /** Average Hamming distance between words in bits (P_avg), or null if the bundle lacks it. */
    public val averageDistance: Double?
        get() = hamming("average")

    /** Largest Hamming distance between words in bits (P_max), or null if the bundle lacks it. */
    public val maximumDistance: Double?
        get() = hamming("maximum")

    private fun hamming(name: String): Double? {
        val distances = manifest["distances"] as? Map<*, *>
        return ((distances?.get("hamming") as? Map<*, *>)?.get(name) as? Number)?.toDouble()
    }

    /**
     * The measured results of a [mechanism] with its default parameters, strongest first; empty if there are none.
     * [recommended] has the results of the recommended setting.
     */
    public fun strengths(mechanism: String): List<MeasuredStrength> {
        val average = averageDistance?.takeIf { it > 0 } ?: return emptyList()
        return readStrengths(manifest, average, mechanism)
    }

    /**
     * Returns the normalized tokens of [text]. [Privatizer.text] releases a word for each.
     *
     * The cuts depend on the bundle's writing rules and on its words. Where these rules have `before` or `links`,
     * forms of the policy's lists stay uncut, too: `spec/bundle-format.md`, "Tokenizer".
     */
    public fun tokenize(text: CharSequence): List<String> = tokenizer.read(text).map(Token::text)

    /**
     * Returns the finished part of a text in progress: the part that can already be released.
     *
     * [Writing.finished] describes it. With a list, no part is finished before the whole text.
     *
     * @param text the text typed since the last finished part.
     */
    public fun finished(text: CharSequence): String = tokenizer.finished(text)

    /**
     * Returns [text] in the vocabulary's normal form: in lower case, composed, with plain apostrophes, and with the
     * replacements of the language's writing rules. With a list, the result has words and emoji in this form, with
     * single spaces between them; with a list of `strings`, it is the text itself.
     */
    public fun normalize(text: CharSequence): String = tokenizer.normalize(text)

    /**
     * Returns the [k] other words nearest to [word], the nearest first.
     *
     * Use it for suggestions, and to inspect a bundle; it privatizes nothing.
     *
     * @throws OutOfVocabularyException the word isn't in the vocabulary.
     * @throws ParameterException [k] isn't from 1 to [size] - 1, or the bundle is a list.
     */
    @JvmOverloads
    public fun neighbors(word: String, k: Int = 10): List<Neighbor> {
        checkCodes(this)
        if (k !in 1 until size) throw ParameterException("k must be from 1 to ${size - 1}, not $k")
        val id = vocabulary.find(normalize(word))
        if (id < 0) {
            throw OutOfVocabularyException(
                "the word is out of vocabulary: it has no neighbors",
            )
        }
        // A word with the same code and a lower rank may come first. Drop the word itself.
        val others = index.nearest(codes[id], k + 1).filter { it.toInt() != id }
        return others.take(k).map { Neighbor(vocabulary.word(it.toInt()), (it ushr 32).toInt()) }
    }

    public companion object {
        /**
         * Maps the bundle in a [directory].
         *
         * @param verifyHashes compare the SHA-256 of the manifest, the index and the graph with the
         *   manifest. Skip this only for files with other protection.
         * @throws BundleException a file is missing, damaged, or of an unknown format version.
         */
        @JvmStatic
        @JvmOverloads
        @WorkerThread
        public fun open(directory: File, verifyHashes: Boolean = true): WordBundle {
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
        @WorkerThread
        public fun open(assets: AssetManager, path: String, verifyHashes: Boolean = true): WordBundle =
            open(AssetFiles(assets, path.trim('/')), verifyHashes)

        /**
         * Maps the bundle in the folder [path] of an app's assets, compressed or not.
         *
         * A compressed bundle is copied once to [Context.getNoBackupFilesDir], where it takes additional space.
         *
         * @param verifyHashes as above.
         * @throws BundleException a file is missing, damaged, of an unknown format version, or can't
         *   be copied.
         */
        @JvmStatic
        @JvmOverloads
        @WorkerThread
        public fun open(context: Context, path: String, verifyHashes: Boolean = true): WordBundle {
            val files = AssetFiles(context.assets, path.trim('/'))
            if (!files.areCompressed()) return open(files, verifyHashes)
            val copy = AssetCopy(files, context.noBackupFilesDir)
            return try {
                open(copy.files(), verifyHashes)
            } catch (_: BundleException) {
                open(copy.again(), verifyHashes) // the copy is damaged
            }
        }

        internal fun open(files: BundleFiles, verifyHashes: Boolean): WordBundle {
            repeat(OPEN_ATTEMPTS) {
                val manifest = files.read(MANIFEST, MANIFEST_LIMIT)
                val opened = runCatching { open(files, manifest, verifyHashes) }
                // Otherwise another build took its place, and the files belong to both.
                if (files.read(MANIFEST, MANIFEST_LIMIT).contentEquals(manifest)) {
                    return opened.getOrThrow()
                }
            }
            throw BundleException(
                "${files.path(MANIFEST)}: replaced again and again while the bundle was opened; " +
                    "try again later",
            )
        }

        private fun open(files: BundleFiles, content: ByteArray, verifyHashes: Boolean): WordBundle {
            val manifest = readManifest(files.path(MANIFEST), content, verifyHashes)
            val index = map(files, INDEX, manifest)
            if (!verifyHashes) return open(files, manifest, index, verifyHashes)
            val hashing = Hashing(index)
            if (index.limit() < THREAD_BYTES) hashing.run() else hashing.start()
            val opened = runCatching { open(files, manifest, index, verifyHashes) }
            verify(hashing.digest(), files, INDEX, manifest) // a changed file can have any other error, too
            return opened.getOrThrow()
        }

        private fun open(
            files: BundleFiles,
            manifest: Manifest,
            index: ByteBuffer,
            verifyHashes: Boolean,
        ): WordBundle {
            val tensors = readTensors(files.path(INDEX), index, manifest)
            fun tensor(name: String) = checkNotNull(tensors[name])
            val width = widthOf(manifest.vocabularySize)
            val vocabulary = Vocabulary(
                words = tensor("words"),
                offsets = tensor("offsets").asIntBuffer(),
                ids = PackedNumbers(tensor("ids"), width),
                positions = PackedNumbers(tensor("positions"), width),
                size = manifest.vocabularySize,
            )
            val masses = Masses(
                words = tensor("masses"),
                before = PackedNumbers(tensor("before"), width),
                after = PackedNumbers(tensor("after"), width),
                gains = tensor("gains"),
            )
            (vocabulary.damage() ?: masses.damage())?.let { throw damaged(files.path(INDEX), it) }
            val graph = if (manifest.listOf == null) graph(files, manifest, verifyHashes) else null
            if (hasWord(manifest.policy, vocabulary)) {
                throw damaged(files.path(MANIFEST), "field 'policy' has a form that is a word")
            }
            val codes = Codes(tensor("codes").asLongBuffer(), manifest.bits, manifest.vocabularySize)
            val tokenizer = tokenizer(manifest, vocabulary, masses)
            val path = files.path(MANIFEST)
            return WordBundle(manifest, codes, vocabulary, masses, tokenizer, path, graph)
        }
    }
}

/** Whether a form of a list is a word of the vocabulary. */
private fun hasWord(policy: Policy, vocabulary: Vocabulary): Boolean {
    for (list in policy.lists) for (form in list.forms) if (vocabulary.find(form) >= 0) return true
    return false
}

private fun tokenizer(manifest: Manifest, vocabulary: Vocabulary, masses: Masses): Tokenizer {
    val kind = manifest.listOf ?: return Tokenizer(manifest.writing, vocabulary, masses, manifest.policy)
    return ListTokenizer(manifest.writing, vocabulary, masses, kind)
}

private fun graph(files: BundleFiles, manifest: Manifest, verifyHash: Boolean): ByteBuffer {
    val graph = map(files, RANDOMIZER, manifest)
    val digest = sha256(graph)
    if (verifyHash) verify(digest, files, RANDOMIZER, manifest)
    if (digest != graphDigest(manifest.bits)) {
        throw damaged(files.path(RANDOMIZER), "not the randomizer of ${manifest.bits} bits")
    }
    return graph
}

/** Maps a file whose size is that of the [manifest]. */
private fun map(files: BundleFiles, name: String, manifest: Manifest): ByteBuffer {
    val content = files.map(name)
    val expected = checkNotNull(fileEntry(manifest.fields, name))
    if (content.limit().toLong() != expected.size) {
        throw damaged(
            files.path(name),
            "${content.limit()} bytes, the manifest says ${expected.size}",
        )
    }
    return content
}

/** Compares the SHA-256 of a file with that of the [manifest]. */
private fun verify(digest: String, files: BundleFiles, name: String, manifest: Manifest) {
    if (digest != checkNotNull(fileEntry(manifest.fields, name)).sha256) throw changed(files.path(name))
}

/** Computes the SHA-256 of a file's [content] while this thread reads it. */
private class Hashing(private val content: ByteBuffer) : Thread() {
    private var digest: Result<String>? = null

    override fun run() {
        digest = runCatching { sha256(content) }
    }

    /** Waits for the digest, and returns it. */
    fun digest(): String {
        var isInterrupted = false
        while (isAlive) {
            try {
                join()
            } catch (_: InterruptedException) {
                isInterrupted = true
            }
        }
        if (isInterrupted) currentThread().interrupt()
        return checkNotNull(digest).getOrThrow()
    }
}

private fun sha256(content: ByteBuffer): String {
    val sha256 = MessageDigest.getInstance("SHA-256")
    sha256.update(content.duplicate())
    return sha256.hexadecimal()
}
