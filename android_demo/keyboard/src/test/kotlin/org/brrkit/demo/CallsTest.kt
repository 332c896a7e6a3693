package org.brrkit.demo

import android.text.InputType
import android.view.inputmethod.InputConnection
import java.lang.reflect.InvocationTargetException
import java.lang.reflect.Proxy
import org.junit.Assert.assertEquals
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner

/** The number of calls from a key to the app's field, which is in another process. */
@RunWith(RobolectricTestRunner::class)
class CallsTest {
    private val calls = mutableListOf<String>()
    private val phone = Phone { editor ->
        Proxy.newProxyInstance(javaClass.classLoader, arrayOf(InputConnection::class.java)) {
                _, method, arguments ->
            calls += method.name
            try {
                method.invoke(editor, *arguments.orEmpty())
            } catch (error: InvocationTargetException) {
                throw error.targetException
            }
        } as InputConnection
    }

    @Test
    fun aLetterReadsOnceAndWritesOnce() {
        phone.enter()
        phone.type("lon")
        assertEquals(listOf("getTextBeforeCursor", "commitText"), after(KeyAction.Type("d")))
        assertEquals(listOf("getTextBeforeCursor", "commitText"), after(KeyAction.Type("o")))
    }

    @Test
    fun theEndOfAWordReadsBothSides() {
        phone.enter()
        phone.type("london")
        val expected = listOf("getTextBeforeCursor", "getTextAfterCursor", "commitText")
        assertEquals(expected, after(KeyAction.Type(" ")))
        assertEquals(listOf("commitText"), after(KeyAction.Type(" ")))
    }

    @Test
    fun onlyFieldsWithCapitalsAreAskedForThemAndNotInsideOfAWord() {
        phone.enter(TEXT or InputType.TYPE_TEXT_FLAG_CAP_SENTENCES)
        phone.type("Hi")
        assertEquals(listOf("getTextBeforeCursor", "commitText"), after(KeyAction.Type("s")))
        assertEquals("getCursorCapsMode", after(KeyAction.Type(".")).last())
        assertEquals(listOf("commitText", "getCursorCapsMode"), after(KeyAction.Type(" ")))
    }

    @Test
    fun aBackspaceLooksAtTheSelectionAndAtTheWord() {
        phone.enter()
        phone.type("lon")
        val deletion = listOf("getSelectedText", "getTextBeforeCursor", "deleteSurroundingText")
        // Where it has brought the cursor isn't known, so the field is looked at.
        assertEquals(deletion + "getTextBeforeCursor", after(KeyAction.Backspace))
    }

    @Test
    fun aPasswordIsWrittenAndNeverRead() {
        phone.enter(TEXT or InputType.TYPE_TEXT_VARIATION_PASSWORD)
        for (key in "se 1.t".map { KeyAction.Type("$it") }.filter { it in phone.keys }) {
            assertEquals(listOf("commitText"), after(key))
        }
        val deletion = listOf("getSelectedText", "deleteSurroundingTextInCodePoints")
        assertEquals(deletion, after(KeyAction.Backspace))
    }

    @Test
    fun aTurnOfThePageCallsNothing() {
        phone.enter(TEXT or InputType.TYPE_TEXT_FLAG_CAP_SENTENCES)
        assertEquals(emptyList<String>(), after(KeyAction.Turn(Page.SYMBOLS)))
        assertEquals(emptyList<String>(), after(KeyAction.Turn(Page.LETTERS)))
    }

    /** The calls for a key, and for the field's report of the cursor that follows. */
    private fun after(key: KeyAction): List<String> {
        phone.report() // so that the cursor is known
        calls.clear()
        phone.press(key)
        phone.report()
        return calls.toList()
    }
}
