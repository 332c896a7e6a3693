package org.brrkit.keyboard

import java.io.IOException
import java.net.CookieHandler
import java.net.URL
import java.time.Duration
import javax.net.ssl.HttpsURLConnection
import javax.net.ssl.SSLSocketFactory

/**
 * A receiver's answer.
 *
 * @property status the HTTP status.
 * @property retryAfter the wait that it requests, if any.
 */
public class Reply @JvmOverloads constructor(
    public val status: Int,
    public val retryAfter: Duration? = null,
)

/** Sends a batch to a receiver: `spec/reports.md`, "Over HTTP". An app can implement it. */
public fun interface Transport {
    /**
     * Posts the JSON of a [report], and returns the answer.
     *
     * @throws IOException there is no answer; the batch is then sent again later.
     */
    @Throws(IOException::class)
    public fun post(report: ByteArray): Reply
}

/**
 * Posts over HTTPS, without cookies and without the system's `User-Agent`, which names the phone's model. Follows
 * no redirection.
 *
 * ```
 * keyboard.uploader(HttpsTransport(URL("https://reports.example.org/v1/reports")))
 * ```
 *
 * @param url the receiver's URL, `https` only.
 * @param sockets creates TLS sockets, for apps that trust only certain certificates; by default the system's.
 */
public class HttpsTransport @JvmOverloads constructor(
    private val url: URL,
    private val sockets: SSLSocketFactory? = null,
) : Transport {
    init {
        require(url.protocol == "https") { "reports are sent over https only; give an https URL" }
    }

    override fun post(report: ByteArray): Reply {
        check(CookieHandler.getDefault() == null) {
            "this app has a CookieHandler, which could add cookies to reports; give a Transport"
        }
        val connection = url.openConnection() as HttpsURLConnection
        try {
            sockets?.let { connection.sslSocketFactory = it }
            connection.requestMethod = "POST"
            connection.instanceFollowRedirects = false
            connection.useCaches = false
            connection.connectTimeout = TIMEOUT_MS
            connection.readTimeout = TIMEOUT_MS
            connection.doOutput = true
            connection.setFixedLengthStreamingMode(report.size)
            connection.setRequestProperty("Content-Type", "application/json")
            connection.setRequestProperty("Accept", "application/json")
            connection.setRequestProperty("User-Agent", "brrkit")
            connection.outputStream.use { it.write(report) }
            val seconds = connection.getHeaderField("Retry-After")?.toIntOrNull() // or a date: no
            val wait = seconds?.takeIf { it >= 0 }?.let { Duration.ofSeconds(it.toLong()) }
            return Reply(connection.responseCode, wait)
        } finally {
            connection.disconnect()
        }
    }

    private companion object {
        const val TIMEOUT_MS = 30_000
    }
}
