package org.brrkit.demo

import java.util.Locale

/** Whether letters are capital. */
internal enum class ShiftState {
    OFF,

    /** For one letter. */
    ONCE,
    LOCKED,
    ;

    /** The state after a tap on shift; a second tap at once locks it. */
    fun tapped(again: Boolean): ShiftState = when {
        this == LOCKED -> OFF
        again -> LOCKED
        this == ONCE -> OFF
        else -> ONCE
    }

    /** The state before the next character; [capital] says that a sentence begins here. */
    fun next(capital: Boolean): ShiftState = when {
        this == LOCKED -> LOCKED
        capital -> ONCE
        else -> OFF
    }

    /** Returns [text] in the case in which it is typed. A letter without a single capital (ß) stays. */
    fun cased(text: String, language: Locale): String =
        if (this == OFF) text else text.uppercase(language).takeIf { it.length == text.length } ?: text
}
