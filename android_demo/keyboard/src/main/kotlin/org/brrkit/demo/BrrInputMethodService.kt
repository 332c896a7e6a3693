package org.brrkit.demo

import android.content.Intent
import android.inputmethodservice.InputMethodService
import android.os.IBinder
import android.os.SystemClock
import android.view.View
import android.view.inputmethod.EditorInfo
import android.view.inputmethod.InputMethodManager
import org.brrkit.WordBundle
import org.brrkit.Writing
import org.brrkit.keyboard.Field
import org.brrkit.keyboard.Outcome
import org.brrkit.keyboard.Release
import org.brrkit.keyboard.ReleaseStrip

/** The keyboard. Connects the field, the keys, the strips and the releaser. */
public class BrrInputMethodService : InputMethodService() {
    private val app: KeyboardApplication
        get() = application as KeyboardApplication

    /** The writing rules of the bundle's language; those of English until the bundle is open. */
    private var writing = Writing.ENGLISH
    private var typing = Typing(Field.of(EditorInfo()), writing)
    private var releases = emptyList<Release>()
    private var views: Views? = null

    /** The text of the last request for suggestions. */
    private var asked = ""
    private var switches = false

    override fun onCreate() {
        super.onCreate()
        open()
    }

    /** Types by the bundle's writing rules, once the bundle is open. */
    private fun open() {
        val keyboard = app.keyboard
        keyboard.bundle.run(WordBundle::writing) { if (keyboard === app.keyboard) opened(it) }
    }

    private fun opened(outcome: Outcome<Writing>) = outcome.fold(
        {
            writing = it
            // If the language is the expected one, the unfinished word stays.
            if (it.language != typing.writing.language) typing = Typing(typing.field, it)
            currentInputConnection?.let(typing::look)
            show()
        },
        { add(Release(Release.Text.Unavailable, Release.Report.UNAVAILABLE)) },
    )

    override fun onCreateInputView(): View {
        val root = layoutInflater.inflate(R.layout.keyboard, null)
        val made = Views(root)
        made.keys.pressed = ::press
        made.keys.popups = root.findViewById(R.id.popups)
        made.suggestions.chosen = ::choose
        made.releases.onOpenSettings(::openSettings)
        // Leaves room for a navigation bar or a cutout over the keyboard.
        root.setOnApplyWindowInsetsListener { view, insets ->
            @Suppress("DEPRECATION") // its replacement requires a newer Android version
            view.setPadding(
                insets.systemWindowInsetLeft,
                0,
                insets.systemWindowInsetRight,
                insets.systemWindowInsetBottom,
            )
            insets
        }
        views = made
        asked = ""
        switches = mayOfferSwitch()
        show()
        showReleases()
        return root
    }

    override fun onStartInput(info: EditorInfo, restarting: Boolean) {
        super.onStartInput(info, restarting)
        val field = Field.of(info)
        if (field != typing.field) {
            typing = Typing(field, writing)
            releases = emptyList()
            app.keyboard.beginText()
        }
        views?.keys?.cancel()
        switches = mayOfferSwitch()
        val editor = currentInputConnection
        if (editor != null) typing.look(editor)
        show()
        showReleases()
    }

    override fun onUpdateSelection(
        oldStart: Int,
        oldEnd: Int,
        newStart: Int,
        newEnd: Int,
        composingStart: Int,
        composingEnd: Int,
    ) {
        super.onUpdateSelection(oldStart, oldEnd, newStart, newEnd, composingStart, composingEnd)
        currentInputConnection?.let { typing.select(newStart, newEnd, it) }
        show()
    }

    private fun press(action: KeyAction) {
        if (action == KeyAction.Switch) return switch()
        val editor = currentInputConnection ?: return
        typing.press(action, editor, SystemClock.uptimeMillis())?.let(::release)
        show()
    }

    private fun choose(suggestion: String, prefix: String) {
        val editor = currentInputConnection ?: return
        typing.choose(suggestion, prefix, editor)?.let(::release)
        show()
    }

    private fun release(word: String) {
        if (typing.beginsText) app.keyboard.beginText()
        app.keyboard.release(word, ::add)
    }

    private fun add(release: Release) {
        releases = (releases + release).takeLast(RELEASES_KEPT)
        showReleases()
    }

    private fun show() {
        val shown = views ?: return
        shown.keys.show(typing, switches)
        suggest(shown.suggestions)
    }

    private fun showReleases() {
        val strip = views?.releases ?: return
        if (typing.field.releases) strip.show(releases) else strip.showPrivate()
    }

    private fun suggest(strip: SuggestionStrip) {
        val prefix = typing.prefix
        if (prefix == asked) return
        asked = prefix
        if (prefix.isEmpty()) strip.show(prefix, emptyList())
        app.keyboard.suggest(prefix) { strip.show(prefix, it.map(typing::written)) }
    }

    private val token: IBinder?
        get() = window?.window?.attributes?.token

    private fun mayOfferSwitch(): Boolean = app.languages.size > 1 || offersKeyboard()

    // InputMethodService's own methods require a newer Android version.
    @Suppress("DEPRECATION")
    private fun offersKeyboard(): Boolean =
        getSystemService(InputMethodManager::class.java)
            .shouldOfferSwitchingToNextInputMethod(token)

    @Suppress("DEPRECATION")
    private fun switchKeyboard() {
        getSystemService(InputMethodManager::class.java).switchToNextInputMethod(token, false)
    }

    /**
     * Switches to the next language. After the last one, switches to the next keyboard or, without one, to the
     * first language.
     */
    private fun switch() {
        val next = app.languages.getOrNull(app.languages.indexOf(app.language) + 1)
        if (next == null && offersKeyboard()) switchKeyboard()
        if (app.languages.size == 1) return
        app.language = next ?: app.languages.first()
        typing = Typing(typing.field)
        app.keyboard.beginText()
        open()
    }

    private fun openSettings() {
        val intent = Intent(this, SettingsActivity::class.java)
        startActivity(intent.addFlags(Intent.FLAG_ACTIVITY_NEW_TASK))
    }

    private class Views(root: View) {
        val keys: KeyboardView = root.findViewById(R.id.keys)
        val suggestions: SuggestionStrip = root.findViewById(R.id.suggestions)
        val releases: ReleaseStrip = root.findViewById(R.id.releases)
    }

    private companion object {
        const val RELEASES_KEPT = 20
    }
}
