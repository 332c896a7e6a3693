package org.brrkit.keyboard

import org.brrkit.KeyVault

/** Changes the key, as a vault does: this machine has no Keystore. */
internal class TestVault : KeyVault {
    @Volatile
    var fails = false

    override fun seal(key: ByteArray): ByteArray = turned(key)

    override fun open(sealed: ByteArray): ByteArray = turned(sealed)

    private fun turned(bytes: ByteArray): ByteArray {
        check(!fails) { "the Keystore is away" }
        return ByteArray(bytes.size) { (bytes[it].toInt() xor 0x5A).toByte() }
    }
}

internal val SOURCE =
    ReportSource("5b".repeat(32), "\"recommended\"", isEstimable = true)
