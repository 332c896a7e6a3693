package org.brrkit.keyboard

import android.security.keystore.KeyGenParameterSpec
import android.security.keystore.KeyProperties
import java.io.InputStream
import java.io.OutputStream
import java.security.Key
import java.security.KeyStoreSpi
import java.security.Provider
import java.security.SecureRandom
import java.security.Security
import java.security.cert.Certificate as X509
import java.security.spec.AlgorithmParameterSpec
import java.util.Collections
import java.util.Date
import java.util.Enumeration
import javax.crypto.KeyGeneratorSpi
import javax.crypto.SecretKey
import javax.crypto.spec.SecretKeySpec
import org.brrkit.KeyVault
import org.junit.After
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertThrows
import org.junit.Before
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner

/** The vault, with a Keystore of this test's own: Android's exists on Android only. */
@RunWith(RobolectricTestRunner::class)
class KeystoreVaultTest {
    private val vault: KeyVault = KeystoreVault("mine")
    private val key = ByteArray(32) { it.toByte() }

    @Before
    fun addKeystore() {
        Security.addProvider(FakeKeystore())
        FakeKeystore.keys.clear()
        FakeKeystore.specs.clear()
    }

    @After
    fun removeKeystore() = Security.removeProvider("AndroidKeyStore")

    /** Of 53 places one has the same 8 bytes, with 2^-64. False alarm: 1e-17. */
    @Test
    fun whatIsSealedIsOpenedByTheSameKeyOnly() {
        val sealed = vault.seal(key)
        assertEquals(12 + 32 + 16, sealed.size)
        assertFalse(sealed.asList().windowed(8).any { it == key.asList().take(8) })
        assertArrayEquals(key, KeystoreVault("mine").open(sealed))
        assertFalse("a nonce of its own", sealed.contentEquals(vault.seal(key)))
        FakeKeystore.keys["mine"] = SecretKeySpec(ByteArray(32), "AES")
        assertThrows(Exception::class.java) { vault.open(sealed) }
        FakeKeystore.keys.clear() // another device
        assertThrows(Exception::class.java) { vault.open(sealed) }
    }

    @Test
    fun everyChangedByteIsNoticed() {
        val sealed = vault.seal(key)
        for (at in sealed.indices) {
            val changed = sealed.copyOf().also { it[at] = (it[at].toInt() xor 1).toByte() }
            assertThrows(Exception::class.java) { vault.open(changed) }
        }
    }

    @Test
    fun theKeyIsForGcmOnlyAndMadeOnce() {
        repeat(3) { vault.seal(key) }
        val spec = FakeKeystore.specs.single()
        assertArrayEquals(arrayOf(KeyProperties.BLOCK_MODE_GCM), spec.blockModes)
        assertEquals(256, spec.keySize)
        assertEquals(true, spec.isRandomizedEncryptionRequired)
    }
}

/** The parts of Android's Keystore that [KeystoreVault] uses. */
@Suppress("DEPRECATION") // the constructor that Android has
internal class FakeKeystore : Provider("AndroidKeyStore", 1.0, "for tests") {
    init {
        put("KeyStore.AndroidKeyStore", Store::class.java.name)
        put("KeyGenerator.AES", Generator::class.java.name)
    }

    class Generator : KeyGeneratorSpi() {
        private lateinit var spec: KeyGenParameterSpec

        override fun engineInit(spec: AlgorithmParameterSpec, random: SecureRandom?) {
            this.spec = spec as KeyGenParameterSpec
            specs += spec
        }

        override fun engineInit(random: SecureRandom?) = error("no parameters")

        override fun engineInit(size: Int, random: SecureRandom?) = error("no parameters")

        override fun engineGenerateKey(): SecretKey {
            val secret = ByteArray(spec.keySize / 8).also(SecureRandom()::nextBytes)
            return SecretKeySpec(secret, "AES").also { keys[spec.keystoreAlias] = it }
        }
    }

    class Store : KeyStoreSpi() {
        override fun engineGetKey(alias: String, password: CharArray?): Key? = keys[alias]

        override fun engineLoad(stream: InputStream?, password: CharArray?) = Unit

        override fun engineSize(): Int = keys.size

        override fun engineAliases(): Enumeration<String> = Collections.enumeration(keys.keys)

        override fun engineContainsAlias(alias: String): Boolean = alias in keys

        override fun engineIsKeyEntry(alias: String): Boolean = alias in keys

        override fun engineIsCertificateEntry(alias: String): Boolean = false

        override fun engineGetCertificateChain(alias: String): Array<X509> = emptyArray()

        override fun engineGetCertificate(alias: String): X509? = null

        override fun engineGetCertificateAlias(certificate: X509): String? = null

        override fun engineGetCreationDate(alias: String): Date? = null

        override fun engineSetKeyEntry(
            alias: String,
            key: Key,
            password: CharArray?,
            chain: Array<X509>?,
        ) = unused()

        override fun engineSetKeyEntry(alias: String, key: ByteArray, chain: Array<X509>?) =
            unused()

        override fun engineSetCertificateEntry(alias: String, certificate: X509) = unused()

        override fun engineDeleteEntry(alias: String) = unused()

        override fun engineStore(stream: OutputStream?, password: CharArray?) = unused()

        private fun unused(): Nothing = error("not used")
    }

    companion object {
        val keys = mutableMapOf<String, SecretKey>()
        val specs = mutableListOf<KeyGenParameterSpec>()
    }
}
