package org.brrkit.demo

import android.os.Build
import android.view.View

/** Android 11's `View.setStateDescription`: the Maven build compiles with the classes of Android 8. */
private val setState by lazy {
    View::class.java.getMethod("setStateDescription", CharSequence::class.java)
}

/**
 * Makes a screen reader say [value] for this control, called [name], instead of a percentage; before Android 11,
 * in addition to it.
 */
internal fun View.speak(name: String, value: String) {
    if (Build.VERSION.SDK_INT >= ANDROID_11) {
        contentDescription = name
        setState.invoke(this, value)
    } else {
        contentDescription = "$name: $value"
    }
}

private const val ANDROID_11 = 30
