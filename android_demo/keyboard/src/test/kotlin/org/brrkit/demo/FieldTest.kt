package org.brrkit.demo

import android.text.InputType
import org.brrkit.keyboard.Field
import org.junit.Assert.assertEquals
import org.junit.Test

class FieldTest {
    @Test
    fun numbersHaveAPad() {
        assertEquals(Page.NUMBERS, field(InputType.TYPE_CLASS_NUMBER).page)
        assertEquals(Page.NUMBERS, field(InputType.TYPE_CLASS_PHONE).page)
        assertEquals(Page.SYMBOLS, field(InputType.TYPE_CLASS_DATETIME).page) // "/" and ":"
        assertEquals(Page.LETTERS, field(TEXT).page)
    }

    private fun field(type: Int) = Field("app", 1, type, 0, 0)
}
