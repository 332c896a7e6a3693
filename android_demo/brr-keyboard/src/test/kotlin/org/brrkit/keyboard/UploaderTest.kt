package org.brrkit.keyboard

import java.io.File
import java.io.IOException
import java.time.Duration
import org.brrkit.BrrException
import org.brrkit.FrameSample
import org.brrkit.Frames
import org.brrkit.ParameterException
import org.brrkit.RandomSource
import org.json.JSONObject
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder

class UploaderTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private val clock = TestClock()
    private val outbox by lazy {
        Outbox(File(temporary.root, "outbox"), TestVault(), OutboxLimits(), clock)
    }
    private val consent by lazy { Consent(File(temporary.root, "consent"), outbox) }
    private val sent = mutableListOf<JSONObject>()
    private var answer: () -> Reply = { Reply(200) }
    private val uploader by lazy {
        val transport = Transport {
            sent += JSONObject(String(it))
            answer()
        }
        Uploader(outbox, consent, transport)
    }

    private fun fill(days: Int) = repeat(days) {
        outbox.keep("word$it")
        clock.now += DAY_MS
    }

    @Test
    fun withoutConsentNothingIsSentAndNothingStays() {
        assertFalse(consent.isGiven)
        fill(3)
        assertEquals(Upload.Off, uploader.run())
        assertEquals(0, sent.size)
        assertEquals(0, outbox.status().batches)
    }

    @Test
    fun withdrawingDeletesWhatWaitsAndEndsARun() {
        consent.give()
        fill(6)
        answer = {
            consent.withdraw() // while the first batch is on its way
            Reply(200)
        }
        assertEquals(Upload.Off, uploader.run())
        assertEquals(1, sent.size)
        assertEquals(listOf("lock"), File(temporary.root, "outbox").list()!!.toList())
        answer = { Reply(200) }
        consent.give()
        assertEquals(Upload.Done(0, 0), uploader.run())
    }

    /** Consent ends first. After any interruption, nothing is sent, and the rest is deleted later. */
    @Test
    fun anInterruptedWithdrawalIsFinishedLater() {
        consent.give()
        fill(3)
        File(temporary.root, "consent").delete()
        Consent(File(temporary.root, "consent"), outbox).settle()
        assertEquals(0, outbox.status().batches)
    }

    @Test
    fun consentThatCantBeStoredIsNotGiven() {
        val nowhere = Consent(File(temporary.root, "missing/consent"), null)
        assertTrue(runCatching { nowhere.give() }.exceptionOrNull() is IOException)
        assertFalse(nowhere.isGiven)
    }

    @Test
    fun allDaysThatAreOverGoOldestFirst() {
        consent.give()
        fill(3)
        outbox.keep("today")
        assertEquals(Upload.Done(3, 0), uploader.run())
        val words = sent.map { it.getJSONArray("words").join(" ") }
        assertEquals(listOf("\"word0\"", "\"word1\"", "\"word2\""), words)
        assertEquals(3, sent.map { it.getString("batch") }.toSet().size)
        assertEquals(1, outbox.status().batches)
        assertEquals(Upload.Done(0, 0), uploader.run())
    }

    /** The receiver may have it, because only the answer was lost. It is sent again unchanged. */
    @Test
    fun aBatchWithoutAnAnswerIsSentAgainUnchanged() {
        consent.give()
        fill(1)
        answer = { throw IOException("no network") }
        assertEquals(Upload.Failed(0, null), uploader.run())
        outbox.keep("later")
        clock.now += DAY_MS
        answer = { Reply(503, Duration.ofMinutes(10)) }
        assertEquals(Upload.Failed(0, Duration.ofMinutes(10)), uploader.run())
        answer = { Reply(200) }
        assertEquals(Upload.Done(2, 0), uploader.run())
        assertEquals(sent[0].toString(), sent[1].toString())
        assertEquals(sent[0].toString(), sent[2].toString())
        assertFalse(sent[3].getString("batch") == sent[0].getString("batch"))
    }

    @Test
    fun whatTheReceiverNeverTakesGoesAndIsCounted() {
        consent.give()
        for (status in listOf(400, 409, 413, 422)) {
            fill(1)
            answer = { Reply(status) }
            assertEquals(Upload.Done(0, 1), uploader.run())
        }
        assertEquals(4, outbox.status().refused)
        fill(1)
        for (status in listOf(301, 302, 401, 403, 404, 408, 429, 500, 503)) {
            answer = { Reply(status) }
            assertEquals("$status", Upload.Failed(0, null), uploader.run())
        }
        assertEquals(1, outbox.status().batches)
    }

    /** The app sees refused reports and the reason; they aren't sent again. */
    @Test
    fun whatIsRefusedIsKeptForTheAppAndIsntSentAgain() {
        consent.give()
        fill(3)
        val answers = listOf(Reply(409), Reply(200), Reply(413)).iterator()
        answer = { answers.next() }
        assertEquals(Upload.Done(1, 2), uploader.run())
        val refused = outbox.refusedBatches()
        assertEquals(listOf(409, 413), refused.map { it.status })
        val reports = refused.map { JSONObject(it.report).toString() }
        assertEquals(listOf(sent[0], sent[2]).map { it.toString() }, reports)
        answer = { Reply(200) }
        sent.clear()
        fill(1)
        assertEquals(Upload.Done(1, 0), uploader.run())
        assertEquals(1, sent.size)
        outbox.keep("waits")
        outbox.removeRefused()
        assertEquals(listOf<RefusedBatch>(), outbox.refusedBatches())
        assertEquals(1, outbox.status().batches)
        assertEquals("they stay counted", 2, outbox.status().refused)
        clock.now += DAY_MS
        answer = { Reply(422) }
        uploader.run()
        assertEquals(1, outbox.refusedBatches().size)
        consent.withdraw()
        assertEquals(listOf<RefusedBatch>(), outbox.refusedBatches())
    }

    private val shape = Frames(1, 4)
    private val fillers = FrameSample(shape, 0, List(4) { listOf("w$it") })

    private fun frames(days: Int, box: Outbox = outbox) = repeat(days) {
        box.addFrames(SOURCE, shape, { fillers }) { it }
        clock.now += DAY_MS
    }

    private fun words(report: JSONObject) = report.getJSONArray("words").getString(0)

    /** A run sends one frame, before the batches, even if there are none. */
    @Test
    fun aRunSendsOneFrame() {
        consent.give()
        frames(2)
        repeat(2) { assertEquals(Upload.Done(1, 0), uploader.run()) }
        fill(2)
        assertEquals(Upload.Done(3, 0), uploader.run())
        val formats = listOf("brr-frames", "brr-frames", "brr-frames", "brr-reports", "brr-reports")
        assertEquals(formats, sent.map { it.getString("format") })
        repeat(5) { assertEquals(Upload.Done(1, 0), uploader.run()) }
        assertEquals(Upload.Done(0, 0), uploader.run())
        assertEquals(0, outbox.status().frameDays)
        val each = sent.filter { it.getString("format") == "brr-frames" }.map(::words).sorted()
        assertEquals(List(8) { "w${it / 2}" }, each)
        assertEquals(10, sent.map { it.getString("batch") }.toSet().size)
    }

    /**
     * Of 8 frames of two days each is the first one with 1/8. In 400 runs one of them is so in fewer
     * than 10 or more than 110: by Chernoff's bound each with less than e^-31 and e^-46. False alarm: 1e-12.
     */
    @Test
    fun anyFrameIsTheFirstToLeave() {
        frames(2)
        val first = List(400) { checkNotNull(outbox.anyFrame()).let { it.day to it.words } }
        val times = first.groupingBy { it }.eachCount()
        assertEquals(8, times.size)
        assertTrue("$times", times.values.all { it in 10..110 })
    }

    /** Without an answer, it stays, with its id. A refused one is kept for the app. */
    @Test
    fun aFrameIsSentUntilThereIsAnAnswer() {
        consent.give()
        frames(1)
        answer = { Reply(503) }
        repeat(9) { assertEquals(Upload.Failed(0, null), uploader.run()) }
        answer = { Reply(422) }
        assertEquals(Upload.Done(0, 1), uploader.run())
        answer = { Reply(200) }
        repeat(4) { uploader.run() }
        assertEquals("each has one id", 4, sent.map { it.getString("batch") }.toSet().size)
        assertEquals(13, sent.size)
        val refused = outbox.refusedBatches().single()
        assertEquals(422 to "${sent[9]}", refused.status to "${JSONObject(refused.report)}")
        assertEquals(1, outbox.status().refused)
    }

    /** The hook begins a day only with consent. If no day can begin, waiting reports leave. */
    @Test
    fun aRunBeginsTheDay() {
        var begun = 0
        var error: BrrException? = null
        val own = Uploader(outbox, consent, { Reply(200) }, UploadPolicy(Frames(8, 6))) {
            begun++
            error?.let { throw it }
            outbox.addFrames(SOURCE, shape, { fillers }) { it }
        }
        assertEquals(Upload.Off, own.run())
        assertEquals(0, begun)
        consent.give()
        assertEquals(Upload.Done(0, 0), own.run())
        clock.now += DAY_MS
        error = ParameterException("no budget")
        assertEquals(Upload.Done(1, 0), own.run())
        assertEquals(2, begun)
        assertEquals("twice as many runs as frames", Duration.ofHours(2), own.policy.interval)
    }

    /** If a batch fails, the next frame leaves at the same time as without the batch. */
    @Test
    fun withFramesNoFailureChangesWhenARunFollows() {
        val policy = UploadPolicy(Frames(8, 8))
        for (byte in listOf<Byte>(0, 17, 99)) {
            val random = RandomSource { it.fill(byte) }
            val waits = listOf(0, 1, 7).map { policy.waitAfter(it, Duration.ofHours(9).takeIf { _ -> it > 0 }, random) }
            assertEquals(1, waits.toSet().size)
            assertTrue("$waits", waits[0] in policy.interval.dividedBy(2)..policy.interval.multipliedBy(2))
        }
    }

    /** Of 200 waits among 50 or more, 20 or fewer differ. False alarm: 1e-30. */
    @Test
    fun theBackOffDoublesAndJitters() {
        val second = Duration.ofSeconds(1)
        val policy = UploadPolicy(
            interval = second, firstBackoff = Duration.ofMillis(100), lastBackoff = second,
        )
        val waits = (0..20).associateWith { failures ->
            List(200) { policy.waitAfter(failures).toMillis() }
        }
        assertTrue(waits.getValue(0).all { it in 500..1_500 })
        val most = mapOf(1 to 100L, 2 to 200L, 4 to 800L, 5 to 1_000L, 20 to 1_000L)
        for ((failures, longest) in most) {
            val drawn = waits.getValue(failures)
            assertTrue("$failures", drawn.all { it in longest / 2..longest })
            assertTrue("jitter after $failures", drawn.toSet().size > 20)
        }
        assertTrue(List(50) { policy.waitAfter(1, second) }.all { it == second })
        assertEquals(second, policy.waitAfter(1, Duration.ofDays(999), RandomSource { })) // not for ever
    }
}
