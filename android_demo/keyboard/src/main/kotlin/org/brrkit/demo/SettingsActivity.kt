package org.brrkit.demo

import android.app.Activity
import android.content.Intent
import android.os.Bundle
import android.provider.Settings.ACTION_INPUT_METHOD_SETTINGS
import android.view.View
import android.view.inputmethod.InputMethodManager
import android.widget.Button
import android.widget.EditText
import android.widget.RadioGroup
import android.widget.SeekBar
import android.widget.Switch
import android.widget.TextView
import java.io.IOException
import java.text.NumberFormat
import kotlin.math.abs
import kotlin.math.ceil
import kotlin.math.exp
import org.brrkit.Base
import org.brrkit.Estimate
import org.brrkit.Oov
import org.brrkit.keyboard.ReleaseSettings
import org.brrkit.keyboard.Strength

/** The settings, a field to try them in, and the log of the demo's sink. */
public class SettingsActivity : Activity() {
    private val app: KeyboardApplication
        get() = application as KeyboardApplication

    private val tryIt: EditText by lazy { findViewById(R.id.try_it) }
    private val consent: Switch by lazy { findViewById(R.id.consent) }
    private val mechanism: RadioGroup by lazy { findViewById(R.id.mechanism) }
    private val strength: SeekBar by lazy { findViewById(R.id.strength) }
    private val budget: SeekBar by lazy { findViewById(R.id.budget) }
    private val recommended: Button by lazy { findViewById(R.id.recommended) }
    private val oov: RadioGroup by lazy { findViewById(R.id.oov) }
    private val inputs: List<View>
        get() = listOf(mechanism, strength, recommended, budget, oov).flatMap { input ->
            if (input is RadioGroup) List(input.childCount, input::getChildAt) else listOf(input)
        }

    private var refreshes = 0

    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        setContentView(R.layout.settings)
        (lastNonConfigurationInstance as CharSequence?)?.let(tryIt::setText)
        inputs.forEach { it.isEnabled = false }
        consent.isChecked = app.keyboard.consent.isGiven
        consent.setOnCheckedChangeListener { _, given -> turn(given) }
        findViewById<View>(R.id.enable).setOnClickListener {
            startActivity(Intent(ACTION_INPUT_METHOD_SETTINGS))
        }
        findViewById<View>(R.id.choose).setOnClickListener {
            getSystemService(InputMethodManager::class.java).showInputMethodPicker()
        }
    }

    /** What is typed outlives a turn of the screen in this process, not in the system's state. */
    override fun onRetainNonConfigurationInstance(): Any = tryIt.text

    override fun onStart() {
        super.onStart()
        app.log.changed = ::showSent
        showSent()
    }

    override fun onStop() {
        app.log.changed = {}
        super.onStop()
    }

    private fun turn(given: Boolean) {
        try {
            val consent = app.keyboard.consent
            if (given) {
                consent.give()
            } else {
                consent.withdraw()
                app.log.clear()
                text(R.id.log, getString(R.string.sent_nothing))
            }
        } catch (error: IOException) {
            showFailure(error)
        }
        consent.isChecked = app.keyboard.consent.isGiven
    }

    /** Shows the log, and what it left of the budget. */
    private fun showSent() {
        val words = app.log.words
        if (words.isNotEmpty()) text(R.id.log, words.joinToString(" "))
        refresh()
    }

    private fun refresh() {
        val asked = ++refreshes
        app.keyboard.bundle.run({ bundle ->
            outlook(bundle, app.releaseSettings(bundle), app.keyboard.releaser)
        }) { result ->
            // An older answer would move a slider back under the finger.
            if (asked == refreshes) result.fold(::show, ::showFailure)
        }
    }

    private fun showFailure(error: Throwable) {
        text(R.id.state, getString(R.string.unavailable, error.message))
        findViewById<View>(R.id.state).visibility = View.VISIBLE
    }

    private fun show(outlook: Outlook) {
        val settings = outlook.settings
        findViewById<View>(R.id.state).visibility = View.GONE
        showStrength(outlook)
        val reported = outlook.wordsADay?.let { getString(R.string.reports, number(it)) }
        text(R.id.reports, reported ?: getString(R.string.no_reports))
        text(R.id.budget_left, getString(R.string.budget_left, number(outlook.wordsLeft)))
        text(
            R.id.budget_epsilon,
            getString(
                R.string.budget_epsilon,
                number(outlook.left),
                number(settings.dailyBudget),
                number(outlook.cost),
            ),
        )
        stopListening()
        mechanism.check(RADIO_BUTTONS.getValue(outlook.mechanism))
        oov.check(OOVS.getValue(settings.oov))
        strength.max = outlook.offers.lastIndex
        strength.progress = outlook.place
        budget.max = BUDGETS.lastIndex
        budget.progress = BUDGETS.nearest(settings.dailyBudget)
        inputs.forEach { it.isEnabled = true }
        val canGoBack = outlook.canRecommend && !outlook.isRecommended
        recommended.visibility = if (canGoBack) View.VISIBLE else View.GONE
        listen(outlook)
    }

    private fun showStrength(outlook: Outlook) {
        val offer = outlook.offers[outlook.place]
        val measured = offer.measured
        val lines = if (measured == null) listOf(getString(R.string.strength_unknown)) else listOfNotNull(
            getString(R.string.strength_unchanged, about(measured.unchanged)),
            getString(named(measured.attacker), most(measured.attackSuccess)),
            measured.worst?.let { getString(R.string.strength_worst, most(it)) },
        )
        val own = if (outlook.isRecommended) getString(R.string.strength_recommended) else null
        text(R.id.strength_words, (lines + listOfNotNull(own)).joinToString("\n"))
        val of = when {
            measured == null -> null
            measured.text == null -> getString(R.string.strength_of_words)
            measured.over == "content" -> getString(R.string.strength_of_content)
            else -> getString(R.string.strength_of_texts)
        }
        val epsilon = getString(R.string.strength_epsilon, number(offer.epsilon))
        val cap = outlook.cap?.let { getString(R.string.cap_number, number(it)) }
        text(
            R.id.strength_epsilon,
            (listOfNotNull(of) + readily(outlook) + listOfNotNull(epsilon, cap)).joinToString(" "),
        )
    }

    /** Says which words come out more readily, and how far any two can be told apart. */
    private fun readily(outlook: Outlook): List<String> {
        val base = outlook.base ?: return emptyList()
        val most = outlook.cap?.let { getString(R.string.cap, number(ceil(exp(it)))) }
        return listOf(getString(BASES.getValue(base)), most ?: getString(R.string.no_cap))
    }

    private fun named(attacker: String): Int = when (attacker) {
        "isolated" -> R.string.strength_isolated
        "frequencies" -> R.string.strength_frequencies
        "sentence" -> R.string.strength_sentence
        "informed" -> R.string.strength_informed
        else -> R.string.strength_named
    }

    private fun about(share: Estimate): String = when (share.about) {
        0 -> getString(R.string.rate_few)
        100 -> getString(R.string.rate_all)
        else -> getString(R.string.rate_about, share.about)
    }

    private fun most(share: Estimate): String =
        if (share.most == 100) getString(R.string.rate_all)
        else getString(R.string.rate_most, share.most)

    private fun stopListening() {
        listOf(mechanism, oov).forEach { it.setOnCheckedChangeListener(null) }
        listOf(strength, budget).forEach { it.setOnSeekBarChangeListener(null) }
        recommended.setOnClickListener(null)
    }

    /** Saves what is chosen from now on: each control changes what it is for, and nothing else. */
    private fun listen(outlook: Outlook) {
        var settings = outlook.settings
        fun save(changed: ReleaseSettings) {
            settings = changed
            app.settings.save(changed)
            refresh()
        }
        mechanism.setOnCheckedChangeListener { _, id ->
            val name = RADIO_BUTTONS.entries.first { it.value == id }.key
            save(settings.copy(strength = outlook.strengthsOf.getValue(name)))
        }
        oov.setOnCheckedChangeListener { _, id ->
            save(settings.copy(oov = OOVS.entries.first { it.value == id }.key))
        }
        strength.setOnSeekBarChangeListener(
            OnMoved { save(settings.copy(strength = outlook.offers[it].strength)) },
        )
        recommended.setOnClickListener { save(settings.copy(strength = Strength.Recommended)) }
        budget.setOnSeekBarChangeListener(
            OnMoved { save(settings.copy(dailyBudget = BUDGETS[it])) },
        )
    }

    private fun text(view: Int, text: String) {
        findViewById<TextView>(view).text = text
    }

    private class OnMoved(val moved: (Int) -> Unit) : SeekBar.OnSeekBarChangeListener {
        override fun onProgressChanged(bar: SeekBar, progress: Int, fromUser: Boolean) {
            if (fromUser) moved(progress)
        }

        override fun onStartTrackingTouch(bar: SeekBar) = Unit

        override fun onStopTrackingTouch(bar: SeekBar) = Unit
    }

    private companion object {
        val RADIO_BUTTONS = mapOf(
            "brr" to R.id.brr,
            "vickrey" to R.id.vickrey,
            "exponential" to R.id.exponential,
        )
        val BASES = mapOf(
            Base.UNIFORM to R.string.base_uniform,
            Base.WORDS to R.string.base_words,
            Base.LANGUAGE to R.string.base_language,
        )
        val OOVS = mapOf(
            Oov.RANDOM to R.id.oov_random,
            Oov.DROP to R.id.oov_drop,
            Oov.ERROR to R.id.oov_error,
        )

        /** As the phone's language writes it. */
        fun number(value: Number): String =
            NumberFormat.getInstance().also { it.maximumFractionDigits = 2 }.format(value)

        fun List<Double>.nearest(value: Double): Int = indices.minBy { abs(this[it] - value) }
    }
}
