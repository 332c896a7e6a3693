package org.brrkit.demo

import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import org.brrkit.WordBundle
import org.brrkit.keyboard.BrrKeyboard
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner

/** Suggestions beside releases, and beside a finger that is faster. */
@RunWith(RobolectricTestRunner::class)
class SuggestionsTest {
    private val phone = Phone()
    private val app = phone.app

    @Test
    fun theyDoNotWaitForTheDisk() {
        phone.enter()
        phone.settle()
        val flushed = CountDownLatch(1)
        app.beforeDraw = { flushed.await(600, TimeUnit.SECONDS) }
        try {
            phone.type("book lon")
            phone.settleSuggestions()
            assertTrue(app.sent.isEmpty())
            assertTrue("${shown()}", "london" in shown())
        } finally {
            flushed.countDown()
        }
        phone.settle()
        assertEquals(1, app.sent.size)
    }

    @Test
    fun aWordIsPaidForOnDiskBeforeItIsDrawnOrLeaves() {
        phone.enter()
        phone.settle()
        val bundle = WordBundle.open(app.assets, "bundles/en")
        val settings = app.settings.load(bundle)
        val cost = settings.privatizer(bundle).certifiedEpsilon
        val spent = mutableListOf<Double>()
        fun note() {
            // The state that another process would find after a kill at this instant.
            spent += settings.dailyBudget - app.keyboard.releaser.budget(settings).remaining()
        }
        app.beforeAccept = ::note
        phone.type("book flight ")
        phone.settle()
        assertEquals(2, app.sent.size)
        val expected = listOf(cost, 2 * cost)
        assertEquals(2, spent.size)
        for ((all, counted) in expected.zip(spent)) assertTrue("$spent", counted >= all - 1e-8)
    }

    @Test
    fun aLateAnswerIsDropped() {
        phone.enter()
        phone.settle()
        phone.type("lond")
        app.lookups.submit {}.get() // it has been looked up, and waits for the main thread
        val before = shown()
        phone.type("on ") // the word is finished: there is nothing to suggest
        phone.settleSuggestions()
        assertEquals(emptyList<String>(), before + shown())
    }

    @Test
    fun theyGoWhereTheCursorLeavesTheWord() {
        phone.enter()
        phone.type("see lond")
        phone.settle()
        assertTrue("london" in shown())
        phone.moveCursor(2)
        phone.settleSuggestions()
        assertEquals(emptyList<String>(), shown())
    }

    @Test
    fun aSuggestionForAnotherTextIsNotChosen() {
        phone.enter()
        phone.type("lond")
        phone.settle()
        val button = phone.suggestions.first { it.text.toString() == "london" }
        phone.press(KeyAction.Type("o")) // faster than the look-up
        button.performClick()
        assertEquals("londo", phone.text)
        phone.settle()
        assertTrue("${app.sent}", app.sent.isEmpty())
        phone.suggestions.first { it.text.toString() == "london" }.performClick()
        assertEquals("london ", phone.text)
    }

    @Test
    fun onlyTheLastRequestIsLookedUpAndAnswered() {
        phone.settle()
        val answered = mutableListOf<String>()
        val gate = CountDownLatch(1)
        app.lookups.execute { gate.await(600, TimeUnit.SECONDS) }
        val keyboard: BrrKeyboard = app.keyboard
        for (prefix in listOf("b", "bo", "boo")) {
            keyboard.suggest(prefix) { words -> answered += "$prefix: ${words.size}" }
        }
        gate.countDown()
        phone.settle()
        assertEquals(listOf("boo: 3"), answered)
        keyboard.suggest("fl") { answered += "fl" }
        keyboard.suggest("") { answered += "nothing" }
        phone.settle()
        assertEquals(listOf("boo: 3"), answered)
        keyboard.suggest("fl") { answered += "fl" }
        phone.settle()
        assertEquals(listOf("boo: 3", "fl"), answered)
    }

    private fun shown() = phone.suggestions.map { it.text.toString() }
}
