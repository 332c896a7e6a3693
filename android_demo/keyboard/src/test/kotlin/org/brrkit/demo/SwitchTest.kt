package org.brrkit.demo

import android.os.IBinder
import android.view.inputmethod.InputMethodManager
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config
import org.robolectric.annotation.Implementation
import org.robolectric.annotation.Implements
import org.robolectric.shadows.ShadowInputMethodManager

@RunWith(RobolectricTestRunner::class)
@Config(shadows = [SwitchingManager::class])
class SwitchTest {
    @After
    fun reset() {
        SwitchingManager.offers = false
        SwitchingManager.switched = 0
    }

    @Test
    fun theNextKeyboardIsOfferedWhereTheSystemWantsIt() {
        val phone = Phone()
        phone.enter()
        assertFalse(KeyAction.Switch in phone.keys)
        SwitchingManager.offers = true // another keyboard was turned on
        phone.enter()
        for (page in listOf(Page.SYMBOLS, Page.EMOJI, Page.LETTERS)) {
            phone.press(KeyAction.Turn(page))
            assertTrue("$page", KeyAction.Switch in phone.keys)
        }
        phone.press(KeyAction.Switch)
        assertEquals(1, SwitchingManager.switched)
        assertEquals("", phone.text)
    }
}

/** Other keyboards, or none. */
@Implements(InputMethodManager::class)
class SwitchingManager : ShadowInputMethodManager() {
    @Implementation
    @Suppress("UNUSED_PARAMETER")
    protected fun shouldOfferSwitchingToNextInputMethod(token: IBinder?): Boolean = offers

    @Implementation
    @Suppress("UNUSED_PARAMETER")
    protected fun switchToNextInputMethod(token: IBinder?, onlyCurrent: Boolean): Boolean {
        switched++
        return true
    }

    companion object {
        var offers = false
        var switched = 0
    }
}
