package org.brrkit.keyboard

import android.text.InputType
import android.view.inputmethod.EditorInfo
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test

class FieldTest {
    /** Every possible class and variation of text. */
    @Test
    fun onlyPlainTextIsReleased() {
        val released = (0..0xFFF).filter { field(it).releases }
        val plain = listOf(
            InputType.TYPE_TEXT_VARIATION_NORMAL,
            InputType.TYPE_TEXT_VARIATION_SHORT_MESSAGE,
            InputType.TYPE_TEXT_VARIATION_LONG_MESSAGE,
            InputType.TYPE_TEXT_VARIATION_EMAIL_SUBJECT,
            InputType.TYPE_TEXT_VARIATION_WEB_EDIT_TEXT,
        )
        assertEquals(plain.map { TEXT or it }.sorted(), released)
    }

    @Test
    fun flagsForbidIt() {
        assertTrue(field(TEXT or InputType.TYPE_TEXT_FLAG_MULTI_LINE).releases)
        assertFalse(field(TEXT or InputType.TYPE_TEXT_FLAG_NO_SUGGESTIONS).releases)
        val incognito = EditorInfo.IME_FLAG_NO_PERSONALIZED_LEARNING
        assertFalse(field(TEXT, incognito or EditorInfo.IME_ACTION_SEND).releases)
    }

    @Test
    fun passwordsAreKnown() {
        val passwords = (0..0xFFF).filter { field(it).isPassword }
        val expected = listOf(
            TEXT or InputType.TYPE_TEXT_VARIATION_PASSWORD,
            TEXT or InputType.TYPE_TEXT_VARIATION_VISIBLE_PASSWORD,
            TEXT or InputType.TYPE_TEXT_VARIATION_WEB_PASSWORD,
            InputType.TYPE_CLASS_NUMBER or InputType.TYPE_NUMBER_VARIATION_PASSWORD,
        )
        assertEquals(expected.sorted(), passwords)
    }

    @Test
    fun enterDoesWhatTheFieldSays() {
        assertEquals(EditorInfo.IME_ACTION_SEND, field(TEXT, EditorInfo.IME_ACTION_SEND).action)
        assertNull(field(TEXT, EditorInfo.IME_ACTION_NONE).action)
        assertNull(field(TEXT, EditorInfo.IME_ACTION_UNSPECIFIED).action)
        val newLine = EditorInfo.IME_ACTION_SEND or EditorInfo.IME_FLAG_NO_ENTER_ACTION
        assertNull(field(TEXT, newLine).action)
        assertEquals(4711, field(TEXT).copy(actionId = 4711).action)
    }

    private fun field(type: Int, options: Int = 0) = Field("app", 1, type, options, 0)

    private companion object {
        const val TEXT = InputType.TYPE_CLASS_TEXT
    }
}
