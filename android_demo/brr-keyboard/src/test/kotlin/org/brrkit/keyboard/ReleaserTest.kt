package org.brrkit.keyboard

import java.io.File
import java.time.Duration
import java.util.concurrent.Executor
import org.brrkit.CountsSetting
import org.brrkit.Frames
import org.brrkit.Memory
import org.brrkit.RandomSource
import org.brrkit.SystemRandom
import org.json.JSONObject
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder

/** Text and counts are two jobs. Each works if the other can't. */
class ReleaserTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private val now = Executor { it.run() }
    private var bundle = bundleOf("64")
    private val outboxFolder by lazy { File(temporary.root, "outbox") }
    private val outbox by lazy { Outbox(outboxFolder, TestVault(), OutboxLimits(), TestClock()) }
    private val consent by lazy { Consent(File(temporary.root, "consent"), outbox).also { it.give() } }
    private var settings = ReleaseSettings("brr", 1.0, 100.0, reports = ReportSettings(CountsSetting(9.0, 2)))
    private var taken = 0
    private val random = RandomSource {
        SystemRandom.fill(it)
        taken += it.size
    }
    private val texts = mutableListOf<String>()

    private fun releaser(
        sink: PrivatizedTextSink? = PrivatizedTextSink { words, _ -> texts += words },
        memory: Memory? = null,
    ) = Releaser(
        BundleThread(now, now) { bundle },
        consent,
        { settings },
        File(temporary.root, "budget of ${bundle.digest}"),
        memory,
        sink,
        Reporter(outbox, memory, random),
        random,
    )

    private fun Releaser.released(typed: String): Release {
        lateinit var result: Release
        release(typed) { result = it }
        return result
    }

    private fun Releaser.spent() = settings.dailyBudget - budget(settings).remaining()

    @Test
    fun withoutASinkNoTextIsDrawn() {
        val releaser = releaser(sink = null)
        settings = settings.copy(reports = null)
        assertEquals(Release(Release.Text.NoSink, Release.Report.NO_SETTING), releaser.released("the"))
        assertEquals(0, taken)
        assertEquals(0.0, releaser.spent(), 0.0)
        settings = settings.copy(reports = ReportSettings(CountsSetting(9.0, 2)))
        assertEquals(Release(Release.Text.NoSink, Release.Report.COUNTED), releaser.released("the"))
        assertTrue("$taken bytes aren't numbers of counts", taken >= 8 && taken % 8 == 0)
        assertEquals(9.0, releaser.spent(), 0.001)
    }

    @Test
    fun withoutASettingForCountsTheTextIsReleasedAllTheSame() {
        settings = settings.copy(reports = ReportSettings())
        val release = releaser().released("the")
        assertEquals(texts, (release.text as Release.Text.Sent).words)
        assertEquals(Release.Report.NO_SETTING, release.report)
        assertFalse(outboxFolder.exists())
    }

    @Test
    fun aTextThatCantBeReleasedIsCountedAllTheSame() {
        settings = settings.copy(strength = Strength.Recommended) // the bundle recommends none
        val counted = Release(Release.Text.Unavailable, Release.Report.COUNTED)
        assertEquals(counted, releaser().released("the"))
        assertEquals(1L, batchesIn(outboxFolder, TestVault()).single().sample.seen)
    }

    /** Above the app's limit, no text is drawn, and nothing is spent. */
    @Test
    fun aStrengthAboveTheAppsLimitReleasesNoText() {
        settings = settings.copy(reports = null, mostAttackSuccess = 1.0)
        val releaser = releaser()
        assertTrue(releaser.released("the").text is Release.Text.Sent)
        val spent = releaser.spent()
        taken = 0
        texts.clear()
        settings = settings.copy(mostAttackSuccess = 0.001, frames = FrameSettings(Frames(1, 1)))
        val unavailable = releaser.released("the")
        assertEquals(Release.Text.Unavailable to Release.Report.UNAVAILABLE, unavailable.text to unavailable.frames)
        assertEquals(emptyList<String>(), texts)
        assertEquals(0, taken)
        assertEquals(spent, releaser.spent(), 0.0)
    }

    /** A word of text costs 1, one of a report 9, of 20.5: then only the day's sample continues. */
    @Test
    fun textAndCountsHaveOneBudget() {
        settings = settings.copy(dailyBudget = 20.5)
        val releaser = releaser()
        repeat(2) {
            val release = releaser.released("the")
            assertTrue(release.text is Release.Text.Sent)
            assertEquals(Release.Report.COUNTED, release.report)
        }
        assertEquals(20.0, releaser.spent(), 0.001)
        val usedUp = Release(Release.Text.BudgetUsedUp, Release.Report.COUNTED)
        assertEquals(usedUp, releaser.released("the"))
        assertEquals(3L, batchesIn(outboxFolder, TestVault()).single().sample.seen)
        settings = settings.copy(reports = ReportSettings(CountsSetting(9.0, 3))) // another sample
        val both = Release(Release.Text.BudgetUsedUp, Release.Report.BUDGET_USED_UP)
        assertEquals(both, releaser.released("the"))
    }

    private fun frames() = openDayIn(outboxFolder, TestVault())

    /** Words of one text share frames; words of different texts don't. */
    @Test
    fun aTextIsReleasedInFrames() {
        settings = settings.copy(reports = null, frames = FrameSettings(Frames(3, 4)))
        val releaser = releaser(sink = null)
        val framed = Release(Release.Text.NoSink, Release.Report.NO_SETTING, Release.Report.COUNTED)
        repeat(4) { assertEquals(framed, releaser.released("the")) }
        assertEquals("a frame and a piece", 1L, frames().sample.seen)
        releaser.beginText()
        assertEquals("which is filled", 2L, frames().sample.seen)
        releaser.released("the")
        releaser.beginText()
        releaser.beginText()
        releaser.beginDay(bundle)
        assertEquals(3L, frames().sample.seen)
        assertEquals("of another budget", 0.0, releaser.spent(), 0.0)
        assertEquals(emptyList<String>(), texts)
        val setting = JSONObject(frames().source.setting)
        assertEquals("brr", setting.getString("mechanism"))
        settings = settings.copy(strength = Strength.Chosen("brr", 2.0))
        releaser.released("the")
        assertEquals("a day of another setting", 0L, frames().sample.seen)
    }

    /** By default, and without consent, there are none. */
    @Test
    fun framesAreOffUntilTheSettingsHaveThem() {
        assertEquals(null, ReleaseSettings("brr", 1.0, 100.0).frames)
        val releaser = releaser(sink = null)
        assertEquals(Release.Report.NO_SETTING, releaser.released("the").frames)
        releaser.beginText()
        releaser.beginDay(bundle)
        settings = settings.copy(frames = FrameSettings(Frames(3, 4)))
        consent.withdraw()
        assertEquals(Release.Report.OFF, releaser.released("the").frames)
        releaser.beginText()
        releaser.beginDay(bundle)
        assertEquals(0, outbox.status().frameDays)
    }

    /** A day has its frames, whatever else is released. A limit that could reveal typing times is refused. */
    @Test
    fun noOtherReleaseTakesTheFramesBudget() {
        settings = settings.copy(reports = null, dailyBudget = 12.0, frames = FrameSettings(Frames(3, 2)))
        val releaser = releaser()
        repeat(12) { releaser.released("the") }
        assertEquals(Release.Text.BudgetUsedUp, releaser.released("the").text)
        assertEquals(Release.Report.COUNTED, releaser.released("the").frames)
        settings = settings.copy(dailyBudget = 11.9)
        assertEquals(Release.Report.UNAVAILABLE, releaser.released("the").frames)
        settings = settings.copy(dailyBudget = 12.0, frames = FrameSettings()) // the bundle has no shape
        assertEquals(Release.Report.UNAVAILABLE, releaser.released("the").frames)
    }

    /** Each release is paid for, also that of a repeated word, so no refusal reveals it. */
    @Test
    fun oneMemoryIsForBoth() {
        val memory = Memory(Duration.ofDays(30), File(temporary.root, "memory"), TestVault())
        val releaser = releaser(memory = memory)
        repeat(3) { releaser.released("the") }
        assertEquals("three words of text, two of reports", 3 * 1.0 + 2 * 9.0, releaser.spent(), 0.001)
        assertTrue("repeats" in batchesIn(outboxFolder, TestVault()).single().source.setting)
    }

    @Test
    fun withoutConsentNothingIsDrawn() {
        consent.withdraw()
        val off = Release(Release.Text.Off, Release.Report.OFF, Release.Report.OFF)
        assertEquals(off, releaser().released("the"))
        assertEquals(0, taken)
        assertFalse(outboxFolder.exists())
    }

    /** A finished word is cut by the bundle: a word of text leaves for each token. */
    @Test
    fun aFinishedWordIsCutByTheBundle() {
        for ((language, typed, count) in listOf(
            Triple("64", "l'homme", 1), Triple("fr", "l'homme", 2), Triple("fr", "l'homme,l'eau", 4),
            Triple("tr", "IŞIK", 1), Triple("de", "Hundeleine", 2), Triple("fa", "می\u200cخواهم", 1),
            Triple("zh", "很好很差", 3), Triple("th", "ร้านกาแฟดี", 3),
        )) {
            bundle = bundleOf(if (language == "64") language else "writing-$language")
            settings = settings.copy(reports = null, dailyBudget = 1e6)
            val release = releaser().released(typed)
            assertEquals(typed, count, (release.text as Release.Text.Sent).words.size)
            assertEquals(typed, count, bundle.tokenize(typed).size)
        }
    }
}
