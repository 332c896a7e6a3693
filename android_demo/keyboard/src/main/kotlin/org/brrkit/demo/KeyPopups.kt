package org.brrkit.demo

import android.content.Context
import android.graphics.Rect
import android.util.AttributeSet
import android.view.Gravity
import android.view.View
import android.view.accessibility.AccessibilityNodeInfo
import android.widget.Button
import android.widget.FrameLayout
import android.widget.LinearLayout
import android.widget.TextView

/** A character to choose: its [label], its spoken name, and its text. */
internal class Choice(val text: String, val label: String, val name: String)

/**
 * The popups over the keys: the character under the finger, and the choices of a key.
 *
 * They are in the keyboard's own window, which always has room: the strips are above the keys.
 */
internal class KeyPopups(context: Context, attributes: AttributeSet?) :
    FrameLayout(context, attributes) {

    private val preview = TextView(context, null, 0, R.style.Popup_Preview)
    private val row = LinearLayout(context, null, 0, R.style.Popup)
    private val side = resources.getDimensionPixelSize(R.dimen.touch_target)

    init {
        layoutDirection = LAYOUT_DIRECTION_LTR // as the keys
        preview.importantForAccessibility = IMPORTANT_FOR_ACCESSIBILITY_NO
        for (view in listOf(preview, row)) {
            view.visibility = GONE
            addView(view, LayoutParams(LayoutParams.WRAP_CONTENT, LayoutParams.WRAP_CONTENT))
        }
    }

    /** Shows the character of [key], until [hidePreview]. */
    fun preview(key: View, label: CharSequence) {
        preview.text = label
        preview.minWidth = key.width
        place(preview, key)
    }

    fun hidePreview() {
        preview.visibility = GONE
        preview.text = ""
    }

    /** Shows the choices of [key], until one is [chosen], or [close]. */
    fun open(key: View, offered: List<Choice>, chosen: (Choice) -> Unit) {
        hidePreview()
        row.removeAllViews()
        for (choice in offered) {
            val button = Button(context, null, 0, R.style.Popup_Choice)
            button.text = choice.label
            button.contentDescription = choice.name
            button.setOnClickListener {
                close()
                chosen(choice)
            }
            row.addView(button, LinearLayout.LayoutParams(side, side))
        }
        place(row, key)
        row.getChildAt(0).performAccessibilityAction(
            AccessibilityNodeInfo.ACTION_ACCESSIBILITY_FOCUS, null,
        )
    }

    /** Marks the choice under a finger, which is at [x], [y] of [key]. */
    fun slide(key: View, x: Float, y: Float) {
        val (left, top) = locationOf(key)
        for (button in buttons) {
            val (at, above) = locationOf(button)
            // A position a little below counts, too, because a finger hides its target.
            val around = Rect(at, above, at + button.width, above + button.height * 5 / 4)
            button.isPressed = around.contains(left + x.toInt(), top + y.toInt())
        }
    }

    /** Chooses the marked choice. Without one, the choices wait for a tap. */
    fun leave() {
        buttons.firstOrNull(View::isPressed)?.performClick()
    }

    fun close() {
        row.visibility = GONE
        row.removeAllViews()
    }

    /** The buttons of the visible choices. */
    val buttons: List<View>
        get() = List(row.childCount, row::getChildAt)

    /** The label of the visible preview, if any. */
    val shownPreview: CharSequence?
        get() = preview.text.takeIf { preview.visibility == VISIBLE }

    /** Puts [view] above [key], within this view. */
    private fun place(view: View, key: View) {
        view.visibility = VISIBLE
        view.measure(
            MeasureSpec.makeMeasureSpec(width, MeasureSpec.AT_MOST),
            MeasureSpec.makeMeasureSpec(height, MeasureSpec.AT_MOST),
        )
        val own = locationOf(this)
        val its = locationOf(key)
        val left = its[0] - own[0] + (key.width - view.measuredWidth) / 2
        val params = view.layoutParams as LayoutParams
        params.gravity = Gravity.TOP or Gravity.LEFT
        params.leftMargin = left.coerceIn(0, maxOf(0, width - view.measuredWidth))
        params.topMargin = maxOf(0, its[1] - own[1] - view.measuredHeight)
        view.layoutParams = params
    }

    private fun locationOf(view: View) = IntArray(2).also(view::getLocationInWindow)
}
