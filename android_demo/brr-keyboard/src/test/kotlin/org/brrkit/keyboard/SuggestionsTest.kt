package org.brrkit.keyboard

import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test

/** Suggestions in other languages than English; the demo's tests have those in English. */
class SuggestionsTest {
    @Test
    fun behindAnArticleTheyGoOn() {
        val french = bundleOf("writing-fr")
        assertEquals(listOf("l'homme"), suggestions(french, "l'ho"))
        assertEquals(listOf("L’homme"), suggestions(french, "L’ho"))
        assertEquals(listOf("D'ÉCOLE"), suggestions(french, "D'ÉC"))
        assertTrue("d'accord" in suggestions(french, "d'ac"))
        val nearest = suggestions(french, "l'homme") // there is no longer word
        assertTrue("$nearest", nearest.size == 2 && nearest.all { it.startsWith("l'") })
        assertEquals(emptyList<String>(), suggestions(french, "x'ho"))
    }

    @Test
    fun decomposedLettersAreTheSame() {
        val french = bundleOf("writing-fr")
        assertEquals(listOf("école"), suggestions(french, "e\u0301c"))
    }

    @Test
    fun capitalsAreTheLanguages() {
        val turkish = bundleOf("writing-tr")
        assertEquals("İSTANBUL", suggestions(turkish, "İST").single())
        assertEquals("IŞIK", suggestions(turkish, "IŞ").single())
        assertEquals("İyi", suggestions(turkish, "İy").single())
    }

    @Test
    fun inAScriptWithoutSpacesTheyAreForTheLastWord() {
        val thai = bundleOf("writing-th")
        assertEquals(listOf("ร้านกาแฟ"), suggestions(thai, "ร้านกาแ"))
    }
}
