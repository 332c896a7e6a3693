package org.brrkit.demo

import android.content.Context
import android.graphics.Typeface
import android.util.AttributeSet
import android.view.View
import android.widget.Button
import android.widget.LinearLayout
import org.brrkit.keyboard.SUGGESTIONS

/** Suggested words to tap. */
internal class SuggestionStrip(context: Context, attributes: AttributeSet?) :
    LinearLayout(context, attributes) {

    /** Called with the tapped word, and with the text for which it was suggested. */
    var chosen: (String, String) -> Unit = { _, _ -> }

    private var prefix = ""

    private val buttons = List(SUGGESTIONS) { Button(context, null, 0, R.style.Suggestion) }

    init {
        showDividers = SHOW_DIVIDER_MIDDLE
        dividerDrawable = context.getDrawable(R.drawable.divider)
        buttons.forEach { button ->
            button.isFocusable = false
            button.setOnClickListener { chosen(button.text.toString(), prefix) }
            addView(button, LayoutParams(0, LayoutParams.WRAP_CONTENT, 1f))
        }
        show("", emptyList())
    }

    /** Shows [words] for [prefix]. The best word is the first, and is shown in the middle. */
    fun show(prefix: String, words: List<String>) {
        this.prefix = prefix
        visibility = if (words.isEmpty()) View.INVISIBLE else View.VISIBLE
        buttons.forEach { it.visibility = View.INVISIBLE }
        words.zip(FROM_THE_MIDDLE).forEachIndexed { rank, (word, place) ->
            val button = buttons[place]
            button.visibility = View.VISIBLE
            button.text = word
            button.contentDescription = resources.getString(R.string.suggestion, word)
            button.typeface = if (rank == 0) MEDIUM else Typeface.DEFAULT
        }
    }

    private companion object {
        val FROM_THE_MIDDLE = listOf(1, 0, 2)
        val MEDIUM: Typeface = Typeface.create("sans-serif-medium", Typeface.NORMAL)
    }
}
