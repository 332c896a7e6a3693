package org.brrkit.keyboard

import android.security.keystore.KeyGenParameterSpec
import android.security.keystore.KeyProperties
import java.security.KeyStore
import javax.crypto.Cipher
import javax.crypto.KeyGenerator
import javax.crypto.SecretKey
import javax.crypto.spec.GCMParameterSpec
import org.brrkit.KeyVault

/**
 * Seals keys with a key in Android's Keystore (AES-256-GCM). On devices with secure hardware, this key never
 * leaves it.
 *
 * A sealed key is useless on another device, and in a copy of the app's files. The Keystore's key is created at
 * the first [seal]. Safe to share between threads.
 *
 * ```
 * Outbox(File(context.noBackupFilesDir, "outbox"), KeystoreVault("outbox"))
 * ```
 *
 * @param alias the key's name in the app's Keystore.
 */
public class KeystoreVault(private val alias: String) : KeyVault {

    override fun seal(key: ByteArray): ByteArray = cipher().run {
        init(Cipher.ENCRYPT_MODE, wrapping() ?: made())
        iv + doFinal(key)
    }

    override fun open(sealed: ByteArray): ByteArray = cipher().run {
        val wrapping = checkNotNull(wrapping()) { "the Keystore has no key $alias" }
        init(Cipher.DECRYPT_MODE, wrapping, GCMParameterSpec(TAG_BITS, sealed, 0, NONCE_SIZE))
        doFinal(sealed, NONCE_SIZE, sealed.size - NONCE_SIZE)
    }

    private fun wrapping(): SecretKey? = synchronized(LOCK) {
        val store = KeyStore.getInstance(PROVIDER).apply { load(null) }
        store.getKey(alias, null) as SecretKey?
    }

    private fun made(): SecretKey = synchronized(LOCK) {
        wrapping()?.let { return it } // another thread has created it
        val use = KeyProperties.PURPOSE_ENCRYPT or KeyProperties.PURPOSE_DECRYPT
        val spec = KeyGenParameterSpec.Builder(alias, use)
            .setBlockModes(KeyProperties.BLOCK_MODE_GCM)
            .setEncryptionPaddings(KeyProperties.ENCRYPTION_PADDING_NONE)
            .setKeySize(KEY_BITS)
            .build()
        val generator = KeyGenerator.getInstance(KeyProperties.KEY_ALGORITHM_AES, PROVIDER)
        generator.init(spec)
        generator.generateKey()
    }

    private fun cipher() = Cipher.getInstance("AES/GCM/NoPadding")

    private companion object {
        const val PROVIDER = "AndroidKeyStore"
        const val KEY_BITS = 256
        const val NONCE_SIZE = 12
        const val TAG_BITS = 128
        val LOCK = Any()
    }
}
