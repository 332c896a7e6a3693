package org.brrkit.keyboard

import android.os.Looper
import android.text.InputType
import android.view.inputmethod.EditorInfo
import android.widget.EditText
import java.io.ByteArrayOutputStream
import java.io.File
import java.io.IOException
import java.io.PrintStream
import java.net.URL
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import java.util.function.Consumer
import org.brrkit.CountsSetting
import org.brrkit.Frames
import org.brrkit.SystemRandom
import org.brrkit.WordBundle
import org.json.JSONObject
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Before
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.shadows.ShadowLog

/** From keys to `brr estimate`: typed text is nowhere on the way. */
@RunWith(RobolectricTestRunner::class)
class EndToEndTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private val app = RuntimeEnvironment.getApplication()
    private val bundle = File(System.getProperty("brr.work").orEmpty(), "bundles/64")
    private val python = checkNotNull(System.getProperty("brr.python"))
    private val root = File(checkNotNull(System.getProperty("brr.root")))
    private val thread = Executors.newSingleThreadExecutor()
    private val keyboard by lazy {
        BrrKeyboard.Builder(app) { WordBundle.open(bundle) }
            .vault(TestVault())
            .sink { words, _ -> texts += words }
            .settings { SETTINGS }
            .thread(thread)
            .build()
    }
    private val releases = mutableListOf<Release>()
    private val texts = mutableListOf<String>()
    private val secrets = Secrets(3)
    private val printed = ByteArrayOutputStream()
    private val out = System.out
    private val err = System.err
    private lateinit var receiver: Process
    private lateinit var transport: Transport
    private val frames = mutableListOf<JSONObject>()

    @Before
    fun start() {
        PrintStream(printed).let {
            System.setOut(it)
            System.setErr(it)
        }
        val certificate = Certificate(temporary.root)
        certificate.writePem(file("certificate.pem"), file("key.pem"))
        receiver = receive(
            "--bundle", bundle.path, "--store", file("reports.db").path,
            "--tls-certificate", file("certificate.pem").path, "--tls-key", file("key.pem").path,
            "--port", "0",
            "--expect", """{"mechanism": "counts", "cap": 12}""",
        ).redirectError(file("receiver.err")).start()
        val line = receiver.inputStream.bufferedReader().readLine()
            ?: error(file("receiver.err").readText())
        val https = HttpsTransport(
            URL(line.substringAfterLast(' ')), certificate.context.socketFactory,
        )
        transport = Transport { // another receiver takes the frames
            if ("brr-frames" in String(it)) Reply(200).also { _ -> frames += JSONObject(String(it)) } else https.post(it)
        }
    }

    @After
    fun stop() {
        System.setOut(out)
        System.setErr(err)
        receiver.destroy()
        receiver.waitFor(600, TimeUnit.SECONDS)
        thread.shutdown()
    }

    /**
     * Of 20 reports, of which each stays as it is with .988, 15 or more are any word: they can't be
     * told from random ones then (1e-20). A heap of 200 MB has one of three made-up words' 14 letters by
     * accident with 6e8 / 26^14. False alarm: 1e-11.
     */
    @Test
    fun privatizedWordsArriveAndTypedOnesAreNowhere() {
        typeAll() // while it is off
        assertEquals(setOf(Release(Release.Text.Off, Release.Report.OFF, Release.Report.OFF)), releases.toSet())
        assertEquals(0, keyboard.outbox.status().batches)

        keyboard.consent.give()
        releases.clear()
        typeAll()
        val shown = releases.map { (it.text as Release.Text.Sent).words.single() }
        assertEquals(secrets.count + COMMON.size, shown.size)
        assertEquals("the app's sink has the text", shown, texts)
        assertEquals(setOf(Release.Report.COUNTED), releases.flatMap { listOf(it.report, it.frames) }.toSet())
        assertTrue("typed words are in frames", openDayIn(outboxFolder, TestVault()).sample.seen > 3)
        val sample = batchesIn(outboxFolder, TestVault()).single().sample
        assertEquals("all were shown to the day's sample", shown.size.toLong(), sample.seen)
        assertEquals(WORDS_A_DAY, sample.words.size)
        val uploader = uploader(transport)
        assertEquals("today isn't over", Upload.Done(0, 0), keyboard.uploader(transport).run())

        val lost = Transport {
            val before = frames.size
            val reply = transport.post(it)
            if (frames.size == before) {
                keep("stated", it)
                throw IOException("the answer is lost")
            }
            reply
        }
        assertEquals(Upload.Failed(1, null), uploader(lost).run())
        val heap = file("heap.hprof")
        assertEquals(Upload.Done(2, 0), uploader.run())
        Secrets.dumpHeap(heap)
        assertFalse("the heap has typed text", secrets.areIn(heap))
        val patterns = Secrets.patterns(shown.maxBy { it.length })
        assertTrue("the dump has what is in memory", Secrets.holds(heap, patterns))
        heap.delete()

        val reports = received()
        assertEquals(sample.words, reports)
        assertEquals(Upload.Done(1, 0), uploader.run())
        assertEquals(Upload.Done(0, 0), uploader.run())
        assertEquals(List(3) { 4 }, frames.map { it.getJSONArray("words").length() })
        val exported = file("reports.jsonl").path
        val estimate = run(brr("estimate", exported, "--bundle", bundle.path, "--json"))
        assertEquals(WORDS_A_DAY, JSONObject(estimate).getInt("reports"))

        val messages = failures() + listOf(keyboard, uploader, keyboard.outbox.status(), releases)
        messages.forEach { assertFalse(it.toString(), secrets.areIn(it.toString())) }
        val logged = ShadowLog.getLogs().map { "${it.tag} ${it.msg} ${it.throwable}" }
        (logged + "$printed").forEach { assertFalse(it, secrets.areIn(it)) }
        receiver.destroy()
        assertTrue(receiver.waitFor(600, TimeUnit.SECONDS))
        val files = listOf(app.dataDir, temporary.root).flatMap { it.walk().filter(File::isFile) }
        assertTrue("$files", files.any { it.name == "budget.json" })
        assertTrue("$files", files.any { it.name == "reports.db" })
        files.forEach { assertFalse("$it", secrets.areIn(it)) }
    }

    /** Types common words and the made-up ones into an app's field, which then disappears. */
    private fun typeAll(release: (String, Consumer<Release>) -> Unit = keyboard::release) {
        val field = EditText(app)
        field.inputType = InputType.TYPE_CLASS_TEXT
        val info = EditorInfo()
        val editor = checkNotNull(field.onCreateInputConnection(info))
        val words = TypedWords(Field.of(info))
        fun type(key: String) {
            words.type(key, editor)?.let { typed -> release(typed) { releases += it } }
            assertFalse(secrets.areIn(words.toString()))
        }
        repeat(secrets.count) {
            secrets.spell(it, ::type)
            type(" ")
        }
        COMMON.forEach { word -> "$word ".forEach { type(it.toString()) } }
        assertTrue(field.text.endsWith("${COMMON.last()} "))
        field.setText("")
        settle()
    }

    private fun releaser(budget: File, outbox: File, sink: PrivatizedTextSink) = Releaser(
        keyboard.bundle,
        keyboard.consent,
        { SETTINGS },
        budget,
        null,
        sink,
        Reporter(Outbox(outbox, null)),
        SystemRandom,
    )

    /** Everything that can fail during a release fails; checks the errors. */
    private fun failures(): List<Any> {
        releases.clear()
        val budget = File(app.noBackupFilesDir, "brr/budget.json")
        val good = listOf(budget, File("$budget-frames")).associateWith(File::readBytes)
        good.keys.forEach { it.writeText("{}") }
        val another = releaser(budget, temporary.newFolder()) { _, _ -> } // the keyboard's own has a lease
        typeAll(another::release)
        good.forEach { (file, content) -> file.writeBytes(content) }
        val thrown = mutableListOf<Throwable>()
        val failing = releaser(budget, file("missing/outbox")) { _, _ ->
            throw IOException("no room").also(thrown::add)
        }
        val word = StringBuilder().also { text -> secrets.spell(0) { text.append(it) } }.toString()
        failing.release(word) { releases += it }
        settle()
        val unavailable = Release.Report.UNAVAILABLE
        assertEquals(setOf(Release(Release.Text.Unavailable, unavailable, unavailable)), releases.toSet())
        assertEquals(1, thrown.size)
        return thrown.map { it.stackTraceToString() }
    }

    private val outboxFolder get() = File(app.noBackupFilesDir, "brr/outbox")

    /** Sets the clock to tomorrow, because a day's words leave when the day is over. */
    private fun uploader(transport: Transport): Uploader {
        val clock = TestClock(System.currentTimeMillis() + DAY_MS)
        val outbox = Outbox(outboxFolder, TestVault(), OutboxLimits(), clock)
        return Uploader(outbox, keyboard.consent, transport)
    }

    /** The receiver's words, sorted. */
    private fun received(): List<String> {
        run(receive("--store", file("reports.db").path, "--export", file("reports.jsonl").path))
        return file("reports.jsonl").readLines().flatMap { line ->
            val counts = JSONObject(line).getJSONObject("counts")
            counts.keys().asSequence().flatMap { word -> List(counts.getInt(word)) { word } }
        }.sorted()
    }

    private fun settle() {
        thread.submit {}.get(600, TimeUnit.SECONDS)
        shadowOf(Looper.getMainLooper()).idle()
    }

    private fun file(name: String) = File(temporary.root, name)

    private fun brr(vararg arguments: String) = python("brrkit_toolchain", *arguments)

    private fun receive(vararg arguments: String) = python("examples.receiver", *arguments)

    private fun python(module: String, vararg arguments: String) =
        ProcessBuilder(python, "-m", module, *arguments).directory(root)

    private fun run(command: ProcessBuilder): String {
        val process = command.redirectError(file("brr.err")).start()
        val output = process.inputStream.bufferedReader().readText()
        assertEquals(file("brr.err").readText(), 0, process.waitFor())
        return output
    }

    private companion object {
        const val WORDS_A_DAY = 20
        val SETTINGS =
            ReleaseSettings(
                "exponential",
                2.0,
                10_000.0,
                reports = ReportSettings(CountsSetting(12.0, WORDS_A_DAY)),
                frames = FrameSettings(Frames(words = 4, aDay = 3)),
            )
        const val SENTENCE = "the people of london are in the house of the city"
        val COMMON = List(4) { SENTENCE.split(' ') }.flatten()
    }
}
