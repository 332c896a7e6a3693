package org.brrkit.demo

import org.junit.Assert.assertEquals
import org.junit.Test

class ShiftStateTest {
    @Test
    fun taps() {
        assertEquals(ShiftState.ONCE, ShiftState.OFF.tapped(again = false))
        assertEquals(ShiftState.LOCKED, ShiftState.ONCE.tapped(again = true))
        assertEquals(ShiftState.OFF, ShiftState.ONCE.tapped(again = false))
        assertEquals(ShiftState.OFF, ShiftState.LOCKED.tapped(again = false))
        assertEquals(ShiftState.OFF, ShiftState.LOCKED.tapped(again = true))
    }

    @Test
    fun characters() {
        assertEquals(ShiftState.OFF, ShiftState.ONCE.next(capital = false))
        assertEquals(ShiftState.ONCE, ShiftState.OFF.next(capital = true))
        assertEquals(ShiftState.LOCKED, ShiftState.LOCKED.next(capital = false))
    }
}
