package org.brrkit.demo

import android.widget.TextView
import java.io.File
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config

/** The demo with a bundle of another language than English. */
@RunWith(RobolectricTestRunner::class)
@Config(application = TestApplication::class)
class OtherLanguageTest {
    private val phone = Phone()

    /** Until the bundle is open nothing is known of its language. */
    private fun open(language: String) {
        phone.app.bundle = File(System.getProperty("brr.work").orEmpty(), "bundles/writing-$language")
        phone.settle()
        phone.enter()
    }

    @After
    fun end() = phone.app.onTerminate()

    @Test
    fun aFrenchWordIsReleasedWithItsArticle() {
        open("fr")
        phone.type("l'homme, l'ho")
        phone.settle()
        assertEquals(listOf(2), phone.app.sent.map { it.size })
        assertEquals(listOf("l'homme"), phone.suggestions.map { "${it.text}" })
        phone.suggestions.single().performClick()
        phone.settle()
        assertEquals("l'homme, l'homme ", phone.text)
        assertEquals(listOf(2, 2), phone.app.sent.map { it.size })
    }

    /** In English an i alone is a capital. */
    @Test
    fun noOtherLanguageHasThePronounI() {
        open("tr")
        phone.type("i ve i. ")
        phone.settle()
        assertEquals("i ve i. ", phone.text)
        assertEquals(listOf(1, 1, 1), phone.app.sent.map { it.size })
    }

    @Test
    fun capitalsAreTheLanguages() {
        open("tr")
        val space = phone.keys.getValue(KeyAction.Type(" ")) as TextView
        assertEquals("Türkçe", space.text.toString())
        phone.press(KeyAction.Shift)
        phone.press(KeyAction.Type("i"))
        phone.type("yi ")
        phone.settle()
        assertEquals("İyi ", phone.text)
        assertEquals(1, phone.app.sent.size)
    }

    @Test
    fun germanCompoundsAreTwoWords() {
        open("de")
        phone.type("hundeleine ")
        phone.settle()
        assertEquals(listOf(2), phone.app.sent.map { it.size })
    }
}
