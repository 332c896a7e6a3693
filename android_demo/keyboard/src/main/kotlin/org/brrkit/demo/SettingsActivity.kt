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
import kotlin.math.abs
import org.brrkit.Oov
import org.brrkit.keyboard.ReleaseSettings
import org.brrkit.keyboard.Strength

/** The settings, a field to try them, and the log of the demo's sink. */
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

    private val meaning by lazy { Meaning(resources) }
    private var refreshes = 0

    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        setContentView(R.layout.settings)
        (lastNonConfigurationInstance as CharSequence?)?.let(tryIt::setText)
        inputs.forEach { it.isEnabled = false }
        consent.isChecked = app.keyboard.consent.isGiven
        consent.setOnCheckedChangeListener { _, given -> turn(given) }
        text(R.id.memory_note, meaning.memory())
        findViewById<View>(R.id.languages_note).show(app.languages.size > 1)
        val advanced = findViewById<View>(R.id.advanced)
        findViewById<Button>(R.id.show_advanced).setOnClickListener { button ->
            advanced.show(advanced.visibility == View.GONE)
            val isShown = advanced.visibility == View.VISIBLE
            (button as Button).setText(if (isShown) R.string.hide_advanced else R.string.show_advanced)
        }
        findViewById<View>(R.id.enable).setOnClickListener {
            startActivity(Intent(ACTION_INPUT_METHOD_SETTINGS))
        }
        findViewById<View>(R.id.choose).setOnClickListener {
            getSystemService(InputMethodManager::class.java).showInputMethodPicker()
        }
    }

    /** Typed text survives a rotation of the screen in this process, but not in the system's saved state. */
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
            if (given) {
                app.keyboard.consent.give()
            } else {
                app.withdraw()
                app.log.clear()
                text(R.id.log, getString(R.string.sent_nothing))
            }
        } catch (error: IOException) {
            showFailure(error)
        }
        consent.isChecked = app.keyboard.consent.isGiven
    }

    /** Shows the log, and the rest of the budget. */
    private fun showSent() {
        val words = app.log.words
        if (words.isNotEmpty()) text(R.id.log, words.joinToString(" "))
        refresh()
    }

    private fun refresh() {
        val asked = ++refreshes
        text(R.id.languages_note, meaning.languages(app.language))
        app.keyboard.bundle.run({ bundle ->
            outlook(bundle, app.releaseSettings(bundle), app.keyboard.releaser)
        }) { result ->
            // An older answer would move the slider back under the finger.
            if (asked == refreshes) result.fold(::show, ::showFailure)
        }
    }

    private fun showFailure(error: Throwable) {
        text(R.id.state, getString(R.string.unavailable, error.message))
        findViewById<View>(R.id.state).show(true)
    }

    private fun show(outlook: Outlook) {
        val settings = outlook.settings
        findViewById<View>(R.id.state).show(false)
        text(R.id.secrets, meaning.secrets(outlook))
        findViewById<View>(R.id.secrets).show(outlook.lists.isNotEmpty())
        text(R.id.reports, meaning.reports(outlook))
        showProtection(outlook)
        text(R.id.budget_left, meaning.budgetLeft(outlook))
        text(R.id.budget_note, meaning.budget(outlook))
        text(R.id.details, meaning.details(outlook))
        text(R.id.epsilon, meaning.epsilon(outlook))
        stopListening()
        text(R.id.limit, settings.mostAttackSuccess?.let(meaning::limit).orEmpty())
        findViewById<View>(R.id.limit).show(settings.mostAttackSuccess != null)
        for ((name, button) in RADIO_BUTTONS) {
            val isOffered = name == outlook.mechanism || outlook.strengthsOf[name] != null
            findViewById<View>(button).show(isOffered)
        }
        mechanism.check(RADIO_BUTTONS.getValue(outlook.mechanism))
        oov.check(OOVS.getValue(settings.oov))
        strength.max = outlook.offers.lastIndex
        strength.progress = outlook.place
        strength.speak(getString(R.string.strength), meaning.place(outlook))
        budget.max = BUDGETS.lastIndex
        budget.progress = BUDGETS.nearest(settings.dailyBudget)
        budget.speak(getString(R.string.budget), meaning.budgetSize(outlook))
        inputs.forEach { it.isEnabled = true }
        recommended.show(outlook.canRecommend && !outlook.isRecommended)
        listen(outlook)
    }

    private fun showProtection(outlook: Outlook) {
        val measured = outlook.offer.measured
        show(R.id.unchanged, measured?.let(meaning::unchanged))
        show(R.id.attack, measured?.let(meaning::attack))
        show(R.id.attack_of_all, measured?.let(meaning::attackOfAll))
        show(R.id.worst, measured?.let(meaning::worst))
        text(R.id.attacker, meaning.attacker(outlook))
        findViewById<View>(R.id.protection).contentDescription = meaning.protection(outlook)
    }

    private fun show(id: Int, fact: Fact?) {
        val view = findViewById<FactView>(id)
        view.show(fact != null)
        fact?.let(view::show)
    }

    private fun stopListening() {
        listOf(mechanism, oov).forEach { it.setOnCheckedChangeListener(null) }
        listOf(strength, budget).forEach { it.setOnSeekBarChangeListener(null) }
        recommended.setOnClickListener(null)
    }

    /** Saves choices from now on. Each control changes only its own setting. */
    private fun listen(outlook: Outlook) {
        var settings = outlook.settings
        fun save(changed: ReleaseSettings) {
            settings = changed
            app.settings.save(changed)
            refresh()
        }
        mechanism.setOnCheckedChangeListener { _, id ->
            val name = RADIO_BUTTONS.entries.first { it.value == id }.key
            outlook.strengthsOf[name]?.let { save(settings.copy(strength = it)) }
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

    private fun View.show(isShown: Boolean) {
        visibility = if (isShown) View.VISIBLE else View.GONE
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
        val OOVS = mapOf(
            Oov.RANDOM to R.id.oov_random,
            Oov.DROP to R.id.oov_drop,
            Oov.ERROR to R.id.oov_error,
        )

        fun List<Double>.nearest(value: Double): Int = indices.minBy { abs(this[it] - value) }
    }
}
