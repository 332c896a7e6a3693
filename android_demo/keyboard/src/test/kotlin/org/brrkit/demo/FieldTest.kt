package org.brrkit.demo

import android.text.InputType
import org.brrkit.keyboard.Field
import org.junit.Assert.assertEquals
import org.junit.Test

class FieldTest {
    @Test
    fun numbersBeginWithTheSymbols() {
        assertEquals(Page.SYMBOLS, field(InputType.TYPE_CLASS_NUMBER).page)
        assertEquals(Page.SYMBOLS, field(InputType.TYPE_CLASS_PHONE).page)
        assertEquals(Page.LETTERS, field(TEXT).page)
    }

    private fun field(type: Int) = Field("app", 1, type, 0, 0)
}
