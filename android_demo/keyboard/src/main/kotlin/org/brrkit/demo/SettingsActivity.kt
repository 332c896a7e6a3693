package org.brrkit.demo

import android.app.Activity
import android.content.Intent
import android.os.Bundle
import android.provider.Settings.ACTION_INPUT_METHOD_SETTINGS
import android.view.View
import android.view.inputmethod.InputMethodManager
import android.widget.EditText
import android.widget.RadioGroup
import android.widget.SeekBar
import android.widget.Switch
import android.widget.TextView
import java.io.IOException
import java.text.NumberFormat
import kotlin.math.abs
import org.brrkit.Oov
import org.brrkit.keyboard.ReleaseSettings

/** The settings, a field to try them in, and the log of the demo's sink. */
public class SettingsActivity : Activity() {
    private val app: KeyboardApplication
        get() = application as KeyboardApplication

    private val tryIt: EditText by lazy { findViewById(R.id.try_it) }
    private val consent: Switch by lazy { findViewById(R.id.consent) }
    private val mechanism: RadioGroup by lazy { findViewById(R.id.mechanism) }
    private val strength: SeekBar by lazy { findViewById(R.id.strength) }
    private val budget: SeekBar by lazy { findViewById(R.id.budget) }
    private val oov: RadioGroup by lazy { findViewById(R.id.oov) }
    private val inputs: List<View>
        get() = listOf(mechanism, strength, budget, oov).flatMap { input ->
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
            val settings = app.settings.load(bundle)
            val left = app.keyboard.releaser.budget(settings).remaining()
            val manifest = bundle.manifest
            val own = manifest.recommended?.takeIf {
                it.mechanism == settings.mechanism && it.epsilon == settings.epsilon
            }
            val strengths = manifest.strengths(settings.mechanism)
            val rates = manifest.rates(settings)
            Outlook(settings, bundle.bits, strengths, rates, own?.goal, left)
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
        text(R.id.budget_left, getString(R.string.budget_left, number(outlook.wordsLeft)))
        text(
            R.id.budget_epsilon,
            getString(
                R.string.budget_epsilon,
                number(outlook.left),
                number(settings.dailyBudget),
                number(settings.epsilon),
            ),
        )
        stopListening()
        mechanism.check(MECHANISMS.getValue(settings.mechanism))
        oov.check(OOVS.getValue(settings.oov))
        strength.max = outlook.strengths.lastIndex
        strength.progress = outlook.strengths.nearest(settings.epsilon)
        budget.max = BUDGETS.lastIndex
        budget.progress = BUDGETS.nearest(settings.dailyBudget)
        inputs.forEach { it.isEnabled = true }
        listen(outlook)
    }

    private fun showStrength(outlook: Outlook) {
        val rates = outlook.rates
        val lines = listOfNotNull(
            rates?.let { getString(R.string.rates, said(it.unchanged), said(it.named)) },
            rates?.worst?.let { getString(R.string.rates_worst, said(it)) },
            if (rates == null) getString(R.string.rates_unknown) else null,
            outlook.goal?.let { getString(R.string.strength_goal, it) },
        )
        text(R.id.strength_words, lines.joinToString("\n"))
        text(
            R.id.strength_epsilon,
            getString(R.string.strength_epsilon, number(outlook.settings.epsilon), outlook.bits),
        )
    }

    private fun said(rate: Rate): String =
        if (rate.low == null) getString(R.string.rate_most, rate.high)
        else getString(R.string.rate_between, rate.low, rate.high)

    private fun stopListening() {
        listOf(mechanism, oov).forEach { it.setOnCheckedChangeListener(null) }
        listOf(strength, budget).forEach { it.setOnSeekBarChangeListener(null) }
    }

    /** Saves what is chosen from now on. */
    private fun listen(outlook: Outlook) {
        var settings = outlook.settings
        fun save(changed: ReleaseSettings) {
            settings = changed
            app.settings.save(changed)
            refresh()
        }
        mechanism.setOnCheckedChangeListener { _, id ->
            save(settings.copy(mechanism = MECHANISMS.entries.first { it.value == id }.key))
        }
        oov.setOnCheckedChangeListener { _, id ->
            save(settings.copy(oov = OOVS.entries.first { it.value == id }.key))
        }
        strength.setOnSeekBarChangeListener(
            OnMoved { save(settings.copy(epsilon = outlook.strengths[it])) },
        )
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
        val MECHANISMS = mapOf(
            "brr" to R.id.brr,
            "vickrey" to R.id.vickrey,
            "exponential" to R.id.exponential,
        )
        val OOVS = mapOf(
            Oov.RANDOM to R.id.oov_random,
            Oov.DROP to R.id.oov_drop,
            Oov.ERROR to R.id.oov_error,
        )

        val NUMBERS: NumberFormat =
            NumberFormat.getInstance().also { it.maximumFractionDigits = 4 }

        fun number(value: Number): String = NUMBERS.format(value)

        fun List<Double>.nearest(value: Double): Int = indices.minBy { abs(this[it] - value) }
    }
}
