package org.brrkit.demo

import android.annotation.SuppressLint
import android.content.Context
import android.util.AttributeSet
import android.util.TypedValue
import android.view.Gravity
import android.view.HapticFeedbackConstants
import android.view.MotionEvent
import android.view.View
import android.view.ViewConfiguration
import android.widget.Button
import android.widget.ImageButton
import android.widget.LinearLayout
import android.widget.TextView
import java.util.Locale

/** The keys of a page. Each is a separate view, so a screen reader finds it. */
internal class KeyboardView(context: Context, attributes: AttributeSet?) :
    LinearLayout(context, attributes) {

    /** Called when a key is pressed, again and again while backspace is held. */
    var pressed: (KeyAction) -> Unit = {}

    /** The layer for previews and choices. */
    lateinit var popups: KeyPopups

    /** The views of the page's keys. */
    var keys: Map<KeyAction, View> = emptyMap()
        private set

    private val names = KeyNames(resources)
    private val keyHeight = resources.getDimensionPixelSize(R.dimen.key_height)
    private var shown: State? = null

    /** A touched key with choices. It is typed when the finger leaves it. */
    private var held: KeyAction? = null

    private val repeat = object : Runnable {
        override fun run() {
            pressed(KeyAction.Backspace)
            postDelayed(this, REPEAT_MS)
        }
    }

    private val hold = Runnable { held?.let { keys[it]?.performLongClick() } }

    init {
        orientation = VERTICAL
        layoutDirection = LAYOUT_DIRECTION_LTR // even if the system's language is written from right to left
        val side = resources.getDimensionPixelSize(R.dimen.keyboard_side)
        val edge = resources.getDimensionPixelSize(R.dimen.key_gap_vertical)
        setPadding(side, edge, side, edge)
    }

    /** Shows a page of keys; if [switches], with a key for the next language or keyboard. */
    fun show(typing: Typing, switches: Boolean) {
        val (page, shift, field) = Triple(typing.page, typing.shift, typing.field)
        val layout = typing.layout
        val state = State(page, layout, switches, shift, typing.language, field.action, field.isPassword)
        val before = shown
        if (state == before) return
        shown = state
        if (page != before?.page || layout != before.layout || switches != before.switches) {
            build(page, layout, switches)
        }
        keys.forEach { (action, view) -> label(action, view, state) }
        if (before == null) return
        if (page != before.page) announceForAccessibility(names.of(page))
        if (ShiftState.LOCKED in listOf(shift, before.shift) && shift != before.shift) {
            announceForAccessibility(names.of(shift))
        }
    }

    /** Releases the held key, and closes its choices. */
    fun cancel() {
        held = null
        removeCallbacks(hold)
        removeCallbacks(repeat)
        popups.hidePreview()
        popups.close()
    }

    override fun onDetachedFromWindow() {
        cancel()
        super.onDetachedFromWindow()
    }

    private fun build(page: Page, layout: Layout, switches: Boolean) {
        cancel()
        removeAllViews()
        keys = page.rows(switches, layout).flatMap { keys ->
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
            KeyAction.Turn(Page.EMOJI) -> ImageButton(context, null, 0, R.style.Key_Function)
            is KeyAction.Turn -> Button(context, null, 0, R.style.Key_Function)
            KeyAction.Enter -> ImageButton(context, null, 0, R.style.Key_Action)
            else -> ImageButton(context, null, 0, R.style.Key_Function)
        }
        if (view is TextView) {
            // A key's text doesn't grow with the font size, because it would be cut off.
            val isLabel = action is KeyAction.Turn || action == KeyAction.Type(" ")
            val share = if (isLabel) LABEL_SHARE else CHARACTER_SHARE
            val size = minOf(view.textSize, share * keyHeight)
            view.setTextSize(TypedValue.COMPLEX_UNIT_PX, size)
        }
        view.isFocusable = false
        view.setOnClickListener { pressed(action) } // a screen reader's double tap
        if (action.choices.isNotEmpty()) view.setOnLongClickListener { offer(action, view) }
        @SuppressLint("ClickableViewAccessibility") // clicks are handled, too
        view.setOnTouchListener { _, event -> touch(view, action, event) }
        return view
    }

    /**
     * A key acts when it is touched. A key with choices acts when the finger leaves it, or when the next key is
     * touched. Two thumbs may therefore overlap.
     */
    private fun touch(view: View, action: KeyAction, event: MotionEvent): Boolean {
        when (event.actionMasked) {
            MotionEvent.ACTION_DOWN -> {
                typeHeld()
                popups.close()
                view.isPressed = true
                view.performHapticFeedback(HapticFeedbackConstants.KEYBOARD_TAP)
                preview(view, action)
                if (action == KeyAction.Backspace) postDelayed(repeat, REPEAT_AFTER_MS)
                if (action.choices.isEmpty()) {
                    pressed(action)
                } else {
                    held = action
                    postDelayed(hold, ViewConfiguration.getLongPressTimeout().toLong())
                }
            }
            MotionEvent.ACTION_MOVE -> popups.slide(view, event.x, event.y)
            MotionEvent.ACTION_UP, MotionEvent.ACTION_CANCEL -> {
                view.isPressed = false
                popups.hidePreview()
                if (action == KeyAction.Backspace) removeCallbacks(repeat)
                if (event.actionMasked == MotionEvent.ACTION_CANCEL) {
                    cancel()
                } else {
                    if (held == action) typeHeld()
                    popups.leave()
                }
            }
        }
        return true
    }

    private fun typeHeld() {
        removeCallbacks(hold)
        held?.let(pressed)
        held = null
    }

    private fun offer(action: KeyAction, view: View): Boolean {
        val state = shown ?: return false
        held = null
        val choices = action.choices.map { text ->
            val type = KeyAction.Type(text)
            Choice(text, label(type, state), names.of(type, state.shift, null, state.hidden))
        }
        val name = names.of(action, ShiftState.OFF, null, state.hidden)
        announceForAccessibility(resources.getString(R.string.key_choices, name))
        popups.open(view, choices) { pressed(KeyAction.Type(it.text)) }
        return true
    }

    private fun preview(view: View, action: KeyAction) {
        val state = shown ?: return
        // The characters of a password aren't shown to bystanders.
        if (state.hidden || action !is KeyAction.Type || action.text == " ") return
        popups.preview(view, label(action, state))
    }

    private fun label(action: KeyAction, view: View, state: State) {
        view.contentDescription = names.of(action, state.shift, state.enter, state.hidden)
        when {
            view is ImageButton -> view.setImageResource(icon(action, state))
            view is TextView && action is KeyAction.Type -> view.text = label(action, state)
            view is TextView && action is KeyAction.Turn -> view.setText(
                when (action.page) {
                    Page.LETTERS -> R.string.label_letters
                    Page.SYMBOLS -> R.string.label_symbols
                    Page.MORE_SYMBOLS -> R.string.label_more_symbols
                    Page.NUMBERS -> R.string.label_numbers
                    Page.EMOJI -> R.string.key_emoji
                },
            )
        }
    }

    private fun label(action: KeyAction.Type, state: State): String =
        when (action.text) {
            " " -> name(state.language)
            NON_JOINER -> NON_JOINER_LABEL
            else -> state.shift.cased(action.text, state.language)
        }

    private fun name(language: Locale): String =
        if (language.language == Locale.ENGLISH.language) resources.getString(R.string.subtype)
        else language.getDisplayLanguage(language)

    private data class State(
        val page: Page,
        val layout: Layout,
        val switches: Boolean,
        val shift: ShiftState,
        val language: Locale,
        val enter: Int?,
        val hidden: Boolean,
    )

    private companion object {
        const val REPEAT_AFTER_MS = 400L
        const val REPEAT_MS = 50L

        // The largest share of a key's height.
        const val CHARACTER_SHARE = 0.5f
        const val LABEL_SHARE = 0.32f

        const val NON_JOINER_LABEL = "›|‹"

        fun icon(action: KeyAction, state: State): Int = when (action) {
            KeyAction.Shift -> when (state.shift) {
                ShiftState.OFF -> R.drawable.icon_shift
                ShiftState.ONCE -> R.drawable.icon_shift_once
                ShiftState.LOCKED -> R.drawable.icon_shift_locked
            }
            KeyAction.Backspace -> R.drawable.icon_backspace
            KeyAction.Switch -> R.drawable.icon_switch
            is KeyAction.Turn -> R.drawable.icon_emoji
            else -> enterIcon(state.enter)
        }
    }
}
