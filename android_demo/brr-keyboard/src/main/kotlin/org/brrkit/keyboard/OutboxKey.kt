package org.brrkit.keyboard

import java.io.File
import java.io.IOException
import java.nio.ByteBuffer
import java.security.GeneralSecurityException
import java.security.MessageDigest
import javax.crypto.Cipher
import javax.crypto.spec.GCMParameterSpec
import javax.crypto.spec.SecretKeySpec
import org.brrkit.KeyVault
import org.brrkit.SystemRandom

/** Encrypts the files of an outbox: AES-256-GCM, with a random nonce for each. */
internal class OutboxKey private constructor(secret: ByteArray) {
    private val key = SecretKeySpec(secret, "AES")

    /** Returns the file of a [kind] with a [number] and this [content]. */
    fun seal(kind: Kind, number: Long, content: ByteArray): ByteArray {
        val magic = magic(kind)
        val nonce = ByteArray(NONCE_SIZE).also(SystemRandom::fill)
        return magic + nonce + cipher(Cipher.ENCRYPT_MODE, magic, number, nonce).doFinal(content)
    }

    /** Returns the content of the file of a [kind] with a [number]; null if [seal] didn't make it. */
    fun open(kind: Kind, number: Long, sealed: ByteArray): ByteArray? {
        val magic = magic(kind)
        val head = magic.size + NONCE_SIZE
        // Java's own cipher doesn't handle input shorter than a tag.
        if (sealed.size < head + TAG_BITS / 8 || !sealed.startsWith(magic)) return null
        val nonce = sealed.copyOfRange(magic.size, head)
        return try {
            cipher(Cipher.DECRYPT_MODE, magic, number, nonce).doFinal(sealed, head, sealed.size - head)
        } catch (_: GeneralSecurityException) {
            null
        }
    }

    private fun cipher(mode: Int, magic: ByteArray, number: Long, nonce: ByteArray): Cipher =
        Cipher.getInstance("AES/GCM/NoPadding").apply {
            init(mode, key, GCMParameterSpec(TAG_BITS, nonce))
            updateAAD(magic)
            updateAAD(ByteBuffer.allocate(Long.SIZE_BYTES).putLong(number).array())
        }

    companion object {
        /**
         * Returns the key in [file]; null if it is damaged. The files that it encrypted are then lost.
         *
         * @throws IOException it can't be read, or [vault] fails.
         */
        fun read(file: File, vault: KeyVault?): OutboxKey? {
            val content = file.readBytes()
            val head = KEY_MAGIC.size + DIGEST_SIZE
            if (content.size < head || !content.startsWith(KEY_MAGIC)) return null
            val sealed = content.copyOfRange(head, content.size)
            val digest = content.copyOfRange(KEY_MAGIC.size, head)
            if (!MessageDigest.isEqual(digest, sha256(sealed))) return null
            val secret = if (vault == null) sealed else guarded(file) { vault.open(sealed) }
            return if (secret.size == KEY_SIZE) OutboxKey(secret) else null
        }

        /**
         * Creates a key, and stores it in [file].
         *
         * @throws IOException it can't be written, or [vault] fails.
         */
        fun create(file: File, vault: KeyVault?): OutboxKey {
            val secret = ByteArray(KEY_SIZE).also(SystemRandom::fill)
            val sealed =
                if (vault == null) secret else guarded(file) { vault.seal(secret.copyOf()) }
            file.replaceDurably(KEY_MAGIC + sha256(sealed) + sealed)
            return OutboxKey(secret)
        }

        private fun guarded(file: File, action: () -> ByteArray): ByteArray = try {
            action()
        } catch (_: Exception) { // an error of the app's vault
            throw IOException("$file: its vault fails; no words are kept or sent until it works")
        }

        private fun sha256(content: ByteArray) =
            MessageDigest.getInstance("SHA-256").digest(content)

        private fun ByteArray.startsWith(magic: ByteArray) =
            size >= magic.size && magic.indices.all { this[it] == magic[it] }

        private fun magic(kind: Kind) = "brr-outbox-${kind.name.lowercase()} 2\n".toByteArray()

        private val KEY_MAGIC = "brr-outbox-key 1\n".toByteArray()
        private const val KEY_SIZE = 32
        private const val DIGEST_SIZE = 32
        private const val NONCE_SIZE = 12
        private const val TAG_BITS = 128
    }
}
