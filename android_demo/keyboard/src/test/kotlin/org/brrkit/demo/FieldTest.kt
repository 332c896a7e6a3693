package org.brrkit.demo

import android.text.InputType
import android.view.inputmethod.EditorInfo
import org.brrkit.keyboard.Field
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Test

class FieldTest {
    @Test
    fun plainTextIsReleased() {
        for (variation in listOf(
            InputType.TYPE_TEXT_VARIATION_NORMAL,
            InputType.TYPE_TEXT_VARIATION_SHORT_MESSAGE,
            InputType.TYPE_TEXT_VARIATION_LONG_MESSAGE,
            InputType.TYPE_TEXT_VARIATION_EMAIL_SUBJECT,
            InputType.TYPE_TEXT_VARIATION_WEB_EDIT_TEXT,
            InputType.TYPE_TEXT_FLAG_MULTI_LINE,
        )) {
            assertEquals(true, field(TEXT or variation).releases)
        }
    }

    @Test
    fun nothingElseIs() {
        for (type in PRIVATE_TYPES) assertEquals("$type", false, field(type).releases)
        val incognito = EditorInfo.IME_FLAG_NO_PERSONALIZED_LEARNING
        assertEquals(false, field(TEXT, incognito or EditorInfo.IME_ACTION_SEND).releases)
    }

    @Test
    fun numbersBeginWithTheSymbols() {
        assertEquals(Page.SYMBOLS, field(InputType.TYPE_CLASS_NUMBER).page)
        assertEquals(Page.SYMBOLS, field(InputType.TYPE_CLASS_PHONE).page)
        assertEquals(Page.LETTERS, field(TEXT).page)
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
}

/** Input types of fields that are never released. */
internal val PRIVATE_TYPES: List<Int> = listOf(
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
    InputType.TYPE_NULL,
)
