package org.brrkit.demo

import android.annotation.SuppressLint
import android.content.Context
import android.util.AttributeSet
import android.view.Gravity
import android.view.HapticFeedbackConstants
import android.view.MotionEvent
import android.view.View
import android.widget.Button
import android.widget.ImageButton
import android.widget.LinearLayout
import android.widget.TextView
import org.brrkit.keyboard.Field

/** The keys of a page. Each is a view of its own, so a screen reader finds it by itself. */
internal class KeyboardView(context: Context, attributes: AttributeSet?) :
    LinearLayout(context, attributes) {

    /** Called when a key is pressed, again and again while backspace is held. */
    var pressed: (KeyAction) -> Unit = {}

    /** The views of the page's keys. */
    var keys: Map<KeyAction, View> = emptyMap()
        private set

    private val names = KeyNames(resources)
    private val keyHeight = resources.getDimensionPixelSize(R.dimen.key_height)
    private var shown: State? = null

    private val repeat = object : Runnable {
        override fun run() {
            pressed(KeyAction.Backspace)
            postDelayed(this, REPEAT_MS)
        }
    }

    init {
        orientation = VERTICAL
        val side = resources.getDimensionPixelSize(R.dimen.keyboard_side)
        val edge = resources.getDimensionPixelSize(R.dimen.key_gap_vertical)
        setPadding(side, edge, side, edge)
    }

    /** Shows the keys of [page] for [field]. */
    fun show(page: Page, shift: ShiftState, field: Field) {
        val state = State(page, shift, field.action, field.isPassword)
        val before = shown
        if (state == before) return
        shown = state
        if (page != before?.page) build(page)
        keys.forEach { (action, view) -> label(action, view, state) }
        if (before == null) return
        if (page != before.page) announceForAccessibility(names.of(page))
        if (ShiftState.LOCKED in listOf(shift, before.shift) && shift != before.shift) {
            announceForAccessibility(names.of(shift))
        }
    }

    override fun onDetachedFromWindow() {
        removeCallbacks(repeat)
        super.onDetachedFromWindow()
    }

    private fun build(page: Page) {
        removeCallbacks(repeat)
        removeAllViews()
        keys = page.rows.flatMap { keys ->
            val row = LinearLayout(context)
            row.gravity = Gravity.CENTER_HORIZONTAL
            row.weightSum = ROW_WIDTH
            addView(row, LayoutParams(LayoutParams.MATCH_PARENT, keyHeight))
            keys.map { key ->
                val view = view(key.action)
                row.addView(view, LayoutParams(0, LayoutParams.MATCH_PARENT, key.width))
                key.action to view
            }
        }.toMap()
    }

    private fun view(action: KeyAction): View {
        val view = when (action) {
            KeyAction.Type(" ") -> Button(context, null, 0, R.style.Key_Space)
            is KeyAction.Type -> Button(context, null, 0, R.style.Key)
            is KeyAction.Turn -> Button(context, null, 0, R.style.Key_Function)
            KeyAction.Enter -> ImageButton(context, null, 0, R.style.Key_Action)
            else -> ImageButton(context, null, 0, R.style.Key_Function)
        }
        view.isFocusable = false
        view.setOnClickListener { pressed(action) } // a screen reader's double tap
        @SuppressLint("ClickableViewAccessibility") // clicks are handled, too
        view.setOnTouchListener { _, event -> touch(view, action, event) }
        return view
    }

    /** A key acts when it is touched, not when it is left: two thumbs overlap. */
    private fun touch(view: View, action: KeyAction, event: MotionEvent): Boolean {
        when (event.actionMasked) {
            MotionEvent.ACTION_DOWN -> {
                view.isPressed = true
                view.performHapticFeedback(HapticFeedbackConstants.KEYBOARD_TAP)
                if (action == KeyAction.Backspace) postDelayed(repeat, REPEAT_AFTER_MS)
                pressed(action)
            }
            MotionEvent.ACTION_UP, MotionEvent.ACTION_CANCEL -> {
                view.isPressed = false
                if (action == KeyAction.Backspace) removeCallbacks(repeat)
            }
        }
        return true
    }

    private fun label(action: KeyAction, view: View, state: State) {
        view.contentDescription = names.of(action, state.shift, state.enter, state.hidden)
        when {
            view is ImageButton -> view.setImageResource(icon(action, state))
            view is TextView && action is KeyAction.Type -> view.text = when {
                action.text == " " -> resources.getString(R.string.subtype)
                state.shift == ShiftState.OFF -> action.text
                else -> action.text.uppercase()
            }
            view is TextView && action is KeyAction.Turn -> view.setText(
                when (action.page) {
                    Page.LETTERS -> R.string.label_letters
                    Page.SYMBOLS -> R.string.label_symbols
                    Page.MORE_SYMBOLS -> R.string.label_more_symbols
                    Page.NUMBERS -> R.string.label_numbers
                },
            )
        }
    }

    private data class State(
        val page: Page,
        val shift: ShiftState,
        val enter: Int?,
        val hidden: Boolean,
    )

    private companion object {
        const val REPEAT_AFTER_MS = 400L
        const val REPEAT_MS = 50L

        fun icon(action: KeyAction, state: State): Int = when (action) {
            KeyAction.Shift -> when (state.shift) {
                ShiftState.OFF -> R.drawable.icon_shift
                ShiftState.ONCE -> R.drawable.icon_shift_once
                ShiftState.LOCKED -> R.drawable.icon_shift_locked
            }
            KeyAction.Backspace -> R.drawable.icon_backspace
            else -> enterIcon(state.enter)
        }
    }
}
