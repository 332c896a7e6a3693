package org.brrkit.keyboard

import com.sun.net.httpserver.HttpsConfigurator
import com.sun.net.httpserver.HttpsServer
import java.io.IOException
import java.net.CookieHandler
import java.net.CookieManager
import java.net.InetSocketAddress
import java.net.URL
import java.nio.file.Files
import java.time.Duration
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Assert.assertThrows
import org.junit.Test

class HttpsTransportTest {
    private val requests = mutableListOf<Pair<Map<String, List<String>>, String>>()
    private val server = HttpsServer.create(InetSocketAddress("127.0.0.1", 0), 0)
    private val url = URL("https://127.0.0.1:${server.address.port}/v1/reports")

    private fun serve(status: Int, vararg headers: Pair<String, String>) {
        server.httpsConfigurator = HttpsConfigurator(certificate.context)
        server.createContext("/") { exchange ->
            requests += exchange.requestHeaders.toMap() to exchange.requestURI.path
            exchange.requestBody.readBytes()
            headers.forEach { (name, value) -> exchange.responseHeaders.add(name, value) }
            exchange.sendResponseHeaders(status, -1)
            exchange.close()
        }
        server.start()
    }

    private fun post() = HttpsTransport(url, certificate.context.socketFactory)
        .post("{}".toByteArray())

    @After
    fun stop() {
        server.stop(0)
        CookieHandler.setDefault(null)
    }

    @Test
    fun nothingThatIsSentNamesTheDevice() {
        serve(200)
        assertEquals(200, post().status)
        val headers = requests.single().first.mapKeys { it.key.lowercase() }
        val neutral =
            setOf("host", "connection", "accept", "content-type", "content-length", "user-agent")
        assertEquals(neutral, headers.keys - "cache-control" - "pragma") // "no-cache", by Java
        assertEquals(listOf("brrkit"), headers["user-agent"])
    }

    @Test
    fun redirectionsAreNotFollowed() {
        serve(302, "Location" to "/elsewhere")
        assertEquals(302, post().status)
        assertEquals(listOf("/v1/reports"), requests.map { it.second })
    }

    @Test
    fun aWaitIsRead() {
        serve(503, "Retry-After" to "120")
        assertEquals(Duration.ofMinutes(2), post().retryAfter)
    }

    @Test
    fun anUnknownCertificateIsRefused() {
        serve(200)
        assertThrows(IOException::class.java) { HttpsTransport(url).post("{}".toByteArray()) }
        assertEquals(0, requests.size)
    }

    @Test
    fun onlyHttpsAndNoCookies() {
        assertThrows(IllegalArgumentException::class.java) {
            HttpsTransport(URL("http://reports.example.org/v1/reports"))
        }
        CookieHandler.setDefault(CookieManager())
        assertThrows(IllegalStateException::class.java) { post() }
    }

    private companion object {
        val certificate by lazy {
            val folder = Files.createTempDirectory("certificate").toFile()
            Certificate(folder).also { folder.deleteRecursively() }
        }
    }
}
