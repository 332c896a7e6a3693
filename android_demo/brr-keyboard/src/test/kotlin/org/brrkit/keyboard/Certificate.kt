package org.brrkit.keyboard

import java.io.File
import java.security.KeyStore
import java.util.Base64
import javax.net.ssl.KeyManagerFactory
import javax.net.ssl.SSLContext
import javax.net.ssl.TrustManagerFactory

/** A self-signed certificate for 127.0.0.1, made by the JDK's keytool in [folder]. */
internal class Certificate(folder: File) {
    private val store: KeyStore = KeyStore.getInstance("PKCS12")

    init {
        val file = File(folder, "receiver.p12")
        val keytool = File(System.getProperty("java.home"), "bin/keytool").path
        val made = ProcessBuilder(
            keytool, "-genkeypair", "-alias", NAME, "-keyalg", "EC", "-dname", "CN=receiver",
            "-ext", "SAN=ip:127.0.0.1", "-storetype", "PKCS12", "-storepass", PASSWORD,
            "-keystore", file.path,
        ).redirectErrorStream(true).start()
        check(made.inputStream.readBytes().size < OUTPUT && made.waitFor() == 0) { "keytool fails" }
        file.inputStream().use { store.load(it, PASSWORD.toCharArray()) }
    }

    /** Shows this certificate, and trusts no other. */
    val context: SSLContext = SSLContext.getInstance("TLS").apply {
        val keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm())
        keys.init(store, PASSWORD.toCharArray())
        val trusted = KeyStore.getInstance("PKCS12")
        trusted.load(null, null)
        trusted.setCertificateEntry(NAME, store.getCertificate(NAME))
        val trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm())
        trust.init(trusted)
        init(keys.keyManagers, trust.trustManagers, null)
    }

    /** Certificate and key, PEM. */
    fun writePem(certificate: File, key: File) {
        certificate.writeText(pem("CERTIFICATE", store.getCertificate(NAME).encoded))
        val secret = store.getKey(NAME, PASSWORD.toCharArray())
        key.writeText(pem("PRIVATE KEY", secret.encoded))
    }

    private fun pem(kind: String, content: ByteArray): String {
        val lines = Base64.getMimeEncoder(64, "\n".toByteArray()).encodeToString(content)
        return "-----BEGIN $kind-----\n$lines\n-----END $kind-----\n"
    }

    private companion object {
        const val NAME = "receiver"
        const val PASSWORD = "changeit"
        const val OUTPUT = 100_000
    }
}
