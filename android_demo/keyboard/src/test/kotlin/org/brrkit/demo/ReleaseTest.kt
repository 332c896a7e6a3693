package org.brrkit.demo

import android.text.InputType
import android.view.inputmethod.EditorInfo
import java.io.File
import java.time.Duration
import kotlin.random.Random
import org.brrkit.CountsSetting
import org.brrkit.Memory
import org.brrkit.Oov
import org.brrkit.RandomSource
import org.brrkit.WordBundle
import org.brrkit.keyboard.R as Strip
import org.brrkit.keyboard.Release
import org.brrkit.keyboard.ReleaseSettings
import org.brrkit.keyboard.Releaser
import org.brrkit.keyboard.ReportSettings
import org.brrkit.keyboard.Reporter
import org.brrkit.keyboard.Strength
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNotEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.shadows.ShadowLog

/** The text that leaves the keyboard, and the text that doesn't. */
@RunWith(RobolectricTestRunner::class)
class ReleaseTest {
    private val phone = Phone()
    private val sent get() = phone.app.sent

    /** Of 40 words, each like any of 20,000. False alarm: 1e-12. */
    @Test
    fun theSinkGetsPrivatizedWordsOnly() {
        settings { it.copy(strength = Strength.Chosen("brr", 0.001)) } // nearly uniform: the same word is a rare accident
        val typed = List(40) { "london" }
        phone.enter()
        phone.type(typed.joinToString(" ", postfix = " "))
        phone.settle()
        assertEquals(40, sent.size)
        assertTrue("$sent", sent.flatten().toSet().size > 20)
        assertTrue("$sent", sent.flatten().count { it == "london" } <= 5)
        val known = bundle { bundle -> sent.flatten().all { bundle.vocabulary.find(it) >= 0 } }
        assertTrue(known)
    }

    @Test
    fun aWordIsDrawnOnceAndTheStripShowsThatDraw() {
        settings { it.copy(strength = Strength.Chosen("brr", 0.5)) }
        phone.enter()
        phone.type("book ")
        phone.settle()
        val draws = phone.app.draws
        assertTrue(draws > 0)
        phone.showKeyboard()
        phone.moveCursor(0)
        phone.settle()
        assertEquals("showing draws nothing", draws, phone.app.draws)
        assertEquals(1, sent.size)
        assertEquals(sent.single().joinToString(" "), phone.releaseText)
        phone.moveCursor(5)
        phone.type("flight ")
        phone.settle()
        // This mechanism draws a fixed number of bytes for a word, in one go.
        assertEquals("one draw a word", 2 * draws, phone.app.draws)
        val shown = phone.releaseText // the older word only if there is room for it
        assertTrue(shown, sent.flatten().joinToString(" ").endsWith(shown))
        assertTrue(shown, shown.endsWith(sent.last().joinToString(" ")))
        assertEquals("and its cost", 2 * cost(), spent(), 1e-8)
    }

    /** By the app's own key and the same random bytes: each text is released by one stream. */
    @Test
    fun theWordsOfATextAreOneStreamAndEachTextBeginsAnew() {
        settings { it.copy(strength = Strength.Chosen("exponential", 0.02), dailyBudget = 1_000.0) }
        val texts = listOf(
            "one of the most famous and old books in the city of london ",
            "this is a new text in the same field as the one before ",
            "and this one is in another field ",
        )
        phone.app.source = Random(1).let { random -> RandomSource { random.nextBytes(it) } }
        val field = phone.enter()
        phone.type(texts[0])
        field.setText("") // it was sent
        phone.type(texts[1])
        phone.enter()
        phone.type(texts[2])
        phone.settle()
        val settings = settings()
        val memory = Memory(
            Duration.ofDays(30),
            File(phone.app.noBackupFilesDir, "brr/en/memory.json"),
            phone.app.vault,
        )
        val expected = bundle { bundle ->
            assertTrue(bundle.manifest["bigrams"] as Long > 0)
            val random = Random(1)
            val privatizer = settings.privatizer(bundle, null, memory) { random.nextBytes(it) }
            texts.map { text -> privatizer.stream().let { bundle.tokenize(text).mapNotNull(it::word) } }
        }
        assertEquals(expected.flatten(), sent.flatten())
    }

    @Test
    fun aContractionIsOneWord() {
        phone.enter()
        for (typed in listOf("don't ", "London's ", "zbigniew's ", "o'brien ")) phone.type(typed)
        phone.settle()
        assertEquals(listOf(1, 1, 1, 1), sent.map(List<String>::size))
    }

    @Test
    fun unfinishedWordsStay() {
        phone.enter()
        phone.type("book a fli")
        phone.settle()
        assertEquals(2, sent.size)
        phone.enter() // another field: the word is never finished
        phone.type(" ")
        phone.settle()
        assertEquals(2, sent.size)
    }

    @Test
    fun aSentWordIsNotSentAgainWhenItIsCorrected() {
        phone.enter()
        phone.type("hello ")
        phone.backspace(2)
        phone.type("p ")
        phone.moveCursor(2)
        phone.type("x ")
        phone.settle()
        assertEquals("hex llp ", phone.text)
        assertEquals(1, sent.size)
    }

    @Test
    fun aWordTypedOntoAnotherIsNotSent() {
        val field = phone.enter()
        field.setText("world")
        phone.moveCursor(0)
        phone.type("hello")
        phone.type("'")
        phone.moveCursor(11)
        phone.type("s ")
        phone.settle()
        assertEquals("hello'worlds ", phone.text)
        assertTrue("$sent", sent.isEmpty())
    }

    @Test
    fun aWordThatTheAppTookAwayIsNotSent() {
        val field = phone.enter()
        phone.type("hello")
        field.setText("")
        phone.type(" ")
        phone.settle()
        assertTrue("$sent", sent.isEmpty())
    }

    @Test
    fun pastedTextIsNotSent() {
        val field = phone.enter()
        field.append("pasted words")
        phone.moveCursor(12)
        phone.type(" he")
        field.append("llo") // onto what is typed
        phone.type(" ")
        field.append("more")
        phone.type(".")
        phone.settle()
        assertEquals("pasted words hello more.", phone.text)
        assertTrue("$sent", sent.isEmpty())
    }

    @Test
    fun aFieldThatTurnsPrivateYieldsNothing() {
        val field = phone.enter()
        phone.type("lond")
        field.inputType = TEXT or InputType.TYPE_TEXT_VARIATION_VISIBLE_PASSWORD
        field.setSelection(4)
        phone.attach(field, restarting = true)
        phone.settle()
        assertTrue(phone.suggestions.isEmpty())
        phone.type("on ")
        phone.settle()
        assertEquals("london ", phone.text)
        assertTrue("$sent", sent.isEmpty())
    }

    @Test
    fun aReleaseThatEndsInAPrivateFieldIsNotShownThere() {
        phone.enter()
        phone.type("book ") // the bundle isn't open yet: this waits
        phone.enter(TEXT or InputType.TYPE_TEXT_VARIATION_PASSWORD)
        phone.type("london ")
        phone.settle()
        assertEquals(1, sent.size)
        assertEquals(phone.service.getString(Strip.string.brr_private_field), phone.releaseText)
    }

    @Test
    fun privateFieldsYieldNothing() {
        val incognito = EditorInfo.IME_FLAG_NO_PERSONALIZED_LEARNING
        phone.enter()
        phone.type("hello ")
        phone.settle()
        val draws = phone.app.draws
        val fields = PRIVATE_TYPES.map { it to 0 } + (TEXT to incognito)
        for ((type, options) in fields) {
            phone.enter(type, options)
            phone.type("london 42")
            phone.settle()
            assertEquals("$type", emptyList<String>(), phone.suggestions.map { it.text })
            phone.press(KeyAction.Enter)
            phone.settle()
            val notice = phone.service.getString(Strip.string.brr_private_field)
            assertEquals("$type", notice, phone.releaseText)
        }
        assertEquals(1, sent.size)
        assertEquals(draws, phone.app.draws)
    }

    @Test
    fun theBudgetStopsTheSink() {
        settings { it.copy(strength = Strength.Chosen("exponential", 0.5), dailyBudget = 1.6) }
        phone.enter()
        phone.type("one two three four five ")
        phone.settle()
        assertEquals(3, sent.size)
        assertEquals(phone.service.getString(Strip.string.brr_budget_used_up), phone.releaseText)
        assertEquals("one two three four five ", phone.text)
    }

    @Test
    fun theBudgetOutlivesTheProcess() {
        settings { it.copy(strength = Strength.Chosen("exponential", 0.5), dailyBudget = 1.6) }
        phone.enter()
        phone.type("one two three ")
        phone.settle()
        val app = phone.app
        val file = File(app.noBackupFilesDir, "brr/en/budget.json")
        val consent = app.keyboard.consent
        val next = Releaser(
            app.keyboard.bundle, consent, app::releaseSettings, file, null, app.sink,
            Reporter(app.keyboard.outbox), app.random,
        )
        val releases = mutableListOf<Release>()
        next.release("four") { releases += it }
        phone.settle()
        assertEquals(listOf(Release.Text.BudgetUsedUp), releases.map { it.text })
        assertEquals(3, sent.size)
    }

    @Test
    fun aDamagedBudgetStopsTheSink() {
        File(phone.app.noBackupFilesDir, "brr/en/budget.json").writeText("{}")
        phone.enter()
        phone.type("one ")
        phone.settle()
        assertTrue(sent.isEmpty())
        assertEquals(phone.service.getString(Strip.string.brr_not_ready), phone.releaseText)
    }

    @Test
    fun nothingIsDrawnOrSentWhileItIsOff() {
        phone.enter()
        phone.type("book ")
        phone.settle()
        val (draws, spent) = phone.app.draws to spent()
        phone.app.keyboard.consent.withdraw()
        phone.type("london ")
        phone.settle()
        assertEquals(1, sent.size)
        assertEquals(draws, phone.app.draws)
        assertEquals(spent, spent(), 0.0)
        assertEquals(phone.service.getString(Strip.string.brr_off), phone.releaseText)
        phone.app.keyboard.consent.give()
        phone.type("flight ")
        phone.settle()
        assertEquals(2, sent.size)
    }

    /** Beside the text that the app's sink gets: one budget, and an outbox of the day's words. */
    @Test
    fun typedWordsAreCounted() {
        settings { it.copy(strength = Strength.Chosen("brr", 0.5), dailyBudget = 100.0) }
        phone.app.reports = ReportSettings(CountsSetting(cap = 9.0, wordsADay = 2))
        val before = spent()
        phone.enter()
        phone.type("book london flight city ")
        phone.settle()
        assertEquals(4, sent.size)
        assertEquals(4 * cost() + 2 * 9.0, spent() - before, 0.001)
        assertEquals(1, phone.app.keyboard.outbox.status().batches)
        phone.app.keyboard.consent.withdraw()
        assertEquals(0, phone.app.keyboard.outbox.status().batches)
    }

    /** A first draw is made once, so only the second draw differs. */
    @Test
    fun aWordTypedOftenShowsWhatItsFirstDrawShows() {
        settings { it.copy(strength = Strength.Chosen("brr", 0.02), dailyBudget = 100.0) }
        val before = spent()
        phone.enter()
        phone.type("london london london ")
        phone.settle()
        assertEquals(3, sent.size)
        assertEquals("each is paid for", 3 * 0.02, spent() - before, 1e-9)
        assertTrue(File(phone.app.noBackupFilesDir, "brr/en/memory.json").isFile)
    }

    @Test
    fun unknownWordsFollowThePolicy() {
        val unknown = "qxqxq "
        phone.enter()
        phone.type(unknown)
        phone.settle()
        assertEquals("random", 1, sent.size)
        assertNotEquals(listOf("qxqxq"), sent.single())
        for (policy in listOf(Oov.DROP, Oov.ERROR)) {
            settings { it.copy(oov = policy) }
            phone.type(unknown)
            phone.settle()
            assertEquals("$policy", 1, sent.size)
            assertEquals(phone.service.getString(Strip.string.brr_left_out), phone.releaseText)
        }
    }

    @Test
    fun nothingTypedIsLoggedOrStored() {
        phone.enter()
        phone.type("Xylophonist qxqxq london ")
        phone.settle()
        assertEquals(3, sent.size)
        val secrets = listOf("xylophonist", "qxqxq") // london might be drawn
        val logged = ShadowLog.getLogs().map { "${it.tag} ${it.msg} ${it.throwable}" }
        val stored = phone.app.dataDir.walk().filter(File::isFile).map { it.readText() }.toList()
        assertTrue("the budget is stored", stored.isNotEmpty())
        for (text in logged + stored) {
            secrets.forEach { assertFalse(text, text.contains(it, ignoreCase = true)) }
        }
    }

    private fun <T : Any> bundle(work: (WordBundle) -> T): T {
        lateinit var result: T
        phone.app.keyboard.bundle.run(work) { result = it.getOrThrow() }
        phone.settle()
        return result
    }

    private fun settings() = bundle(phone.app.settings::load)

    private fun settings(change: (ReleaseSettings) -> ReleaseSettings) =
        phone.app.settings.save(change(settings()))

    private fun cost() = settings().let { settings ->
        bundle { settings.privatizer(it).certifiedEpsilon }
    }

    private fun spent(): Double = settings().let { settings ->
        settings.dailyBudget - phone.app.keyboard.releaser.budget(settings).remaining()
    }
}

/** Input types of fields that are never released. */
private val PRIVATE_TYPES: List<Int> = listOf(
    TEXT or InputType.TYPE_TEXT_VARIATION_PASSWORD,
    TEXT or InputType.TYPE_TEXT_VARIATION_VISIBLE_PASSWORD,
    TEXT or InputType.TYPE_TEXT_VARIATION_WEB_PASSWORD,
    TEXT or InputType.TYPE_TEXT_VARIATION_EMAIL_ADDRESS,
    TEXT or InputType.TYPE_TEXT_VARIATION_URI,
    TEXT or InputType.TYPE_TEXT_VARIATION_PERSON_NAME,
    TEXT or InputType.TYPE_TEXT_FLAG_NO_SUGGESTIONS,
    InputType.TYPE_CLASS_NUMBER,
    InputType.TYPE_CLASS_NUMBER or InputType.TYPE_NUMBER_VARIATION_PASSWORD,
    InputType.TYPE_CLASS_PHONE,
    InputType.TYPE_CLASS_DATETIME,
)
