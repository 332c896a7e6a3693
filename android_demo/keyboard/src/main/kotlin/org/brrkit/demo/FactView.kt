package org.brrkit.demo

import android.content.Context
import android.util.AttributeSet
import android.view.View
import android.widget.LinearLayout
import android.widget.ProgressBar
import android.widget.TextView

/** The name of a share, its value in words, and a bar. */
internal class FactView(context: Context, attributes: AttributeSet?) :
    LinearLayout(context, attributes) {

    init {
        View.inflate(context, R.layout.fact, this)
    }

    fun show(fact: Fact) {
        findViewById<TextView>(R.id.fact_name).text = fact.name
        findViewById<TextView>(R.id.fact_value).text = fact.value
        findViewById<ProgressBar>(R.id.fact_share).progress = fact.of100
    }
}
