package org.brrkit.keyboard

import android.content.Context
import android.graphics.Typeface
import android.text.Layout
import android.text.SpannableString
import android.text.Spanned
import android.text.TextUtils
import android.text.style.StyleSpan
import android.util.AttributeSet
import android.view.Gravity
import android.view.View
import android.widget.ImageView
import android.widget.LinearLayout
import android.widget.TextView

/**
 * Shows what leaves the device: the words that the sink received or, without a sink, that a few words a day leave
 * for counting.
 *
 * A screen reader reads it under a resting finger. It announces only changes: that nothing leaves this field,
 * that nothing leaves any more, and that words leave again. It doesn't announce each word, which would drown out
 * the typing.
 *
 * ```
 * strip.onOpenSettings { startActivity(settings) }
 * keyboard.release(typed) { release -> strip.show(listOf(release)) }
 * ```
 */
public class ReleaseStrip @JvmOverloads constructor(
    context: Context,
    attributes: AttributeSet? = null,
) : LinearLayout(context, attributes) {

    private var openSettings = Runnable {}

    private val icon: ImageView
    private val text: TextView
    private var announced = State.NOTHING_YET

    init {
        gravity = Gravity.CENTER_VERTICAL
        View.inflate(context, R.layout.brr_release_strip, this)
        icon = findViewById(R.id.brr_release_icon)
        text = findViewById(R.id.brr_release_text)
        findViewById<View>(R.id.brr_open_settings).setOnClickListener { openSettings.run() }
        show(emptyList())
    }

    /** Runs [action] whenever the settings button is tapped. */
    public fun onOpenSettings(action: Runnable) {
        openSettings = action
    }

    /** Shows that nothing leaves the field. */
    public fun showPrivate() {
        setBackgroundResource(R.color.brr_private)
        icon.setImageResource(R.drawable.brr_icon_private)
        notice(R.string.brr_private_field)
        announce(State.PRIVATE)
    }

    /** Shows the last of [releases]: the sent words, or the reason why there are none. */
    public fun show(releases: List<Release>) {
        setBackgroundResource(R.color.brr_release)
        icon.setImageResource(R.drawable.brr_icon_leaves)
        val state = State.of(releases.lastOrNull())
        if (state == State.LEAVES) {
            showSent(releases.mapNotNull { (it.text as? Release.Text.Sent)?.words })
        } else {
            notice(state.sentence)
        }
        announce(state)
    }

    private fun announce(state: State) {
        if (state == announced || state == State.LEFT_OUT) return
        announced = state
        if (state != State.NOTHING_YET) announceForAccessibility(text.contentDescription)
    }

    /** Shows a sentence. In a large font, it takes several lines. */
    private fun notice(sentence: Int) {
        text.setSingleLine(false)
        text.ellipsize = null
        say(resources.getString(sentence))
    }

    private fun showSent(sent: List<List<String>>) {
        text.setSingleLine(true)
        text.ellipsize = TextUtils.TruncateAt.START
        // As many words as fit; before the first layout, all.
        val choices = (minOf(sent.size, MOST_SHOWN_WORDS) downTo 1).map { sentence(sent.takeLast(it)) }
        val words = choices.firstOrNull { Layout.getDesiredWidth(it, text.paint) <= text.width }
        say(words ?: if (text.width == 0) choices.first() else choices.last(), sent.last().joined())
    }

    /** Joins the words, and emphasizes the newest. */
    private fun sentence(sent: List<List<String>>): CharSequence {
        val words = SpannableString(sent.flatten().joined())
        val newest = words.length - sent.last().joined().length
        val bold = StyleSpan(Typeface.BOLD)
        words.setSpan(bold, newest, words.length, Spanned.SPAN_EXCLUSIVE_EXCLUSIVE)
        return words
    }

    private fun say(message: CharSequence, spoken: CharSequence = message) {
        text.contentDescription = resources.getString(R.string.brr_leaves, spoken)
        if (text.text.toString() != message.toString()) text.text = message
    }

    /** The state until the next change. [LEFT_OUT] doesn't affect the next word. */
    private enum class State(val sentence: Int) {
        NOTHING_YET(R.string.brr_nothing_yet),
        PRIVATE(R.string.brr_private_field),
        LEAVES(R.string.brr_leaves),
        COUNTED(R.string.brr_counted),
        NOT_COUNTED(R.string.brr_not_counted),
        LEFT_OUT(R.string.brr_left_out),
        OFF(R.string.brr_off),
        BUDGET_USED_UP(R.string.brr_budget_used_up),
        UNAVAILABLE(R.string.brr_not_ready),
        ;

        companion object {
            /** Returns the state after [release]. */
            fun of(release: Release?): State = when (release?.text) {
                null -> NOTHING_YET
                is Release.Text.Sent -> LEAVES
                Release.Text.NoSink ->
                    of(release.report.takeIf { it != Release.Report.NO_SETTING } ?: release.frames)
                Release.Text.LeftOut -> LEFT_OUT
                Release.Text.Off -> OFF
                Release.Text.BudgetUsedUp -> BUDGET_USED_UP
                Release.Text.Unavailable -> UNAVAILABLE
            }

            private fun of(report: Release.Report): State = when (report) {
                Release.Report.COUNTED -> COUNTED
                Release.Report.NO_SETTING -> NOT_COUNTED
                Release.Report.OFF -> OFF
                Release.Report.BUDGET_USED_UP -> BUDGET_USED_UP
                Release.Report.UNAVAILABLE -> UNAVAILABLE
            }
        }
    }

    private companion object {
        const val MOST_SHOWN_WORDS = 12

        fun List<String>.joined() = joinToString(" ")
    }
}
