package org.brrkit.demo

import android.content.Intent
import android.inputmethodservice.InputMethodService
import android.os.SystemClock
import android.view.View
import android.view.inputmethod.EditorInfo
import org.brrkit.keyboard.Field
import org.brrkit.keyboard.Release
import org.brrkit.keyboard.ReleaseStrip

/** The keyboard: brings the field, the keys, the strips and the releaser together. */
public class BrrInputMethodService : InputMethodService() {
    private val app: KeyboardApplication
        get() = application as KeyboardApplication

    private var typing = Typing(Field.of(EditorInfo()))
    private var releases = emptyList<Release>()
    private var views: Views? = null

    override fun onCreate() {
        super.onCreate()
        app.keyboard.bundle.run({}) { if (it.isFailure) add(Release.Unavailable) }
    }

    override fun onCreateInputView(): View {
        val root = layoutInflater.inflate(R.layout.keyboard, null)
        val made = Views(root)
        made.keys.pressed = ::press
        made.suggestions.chosen = ::choose
        made.releases.openSettings = ::openSettings
        // Where the navigation bar lies over the keyboard, make room for it.
        root.setOnApplyWindowInsetsListener { view, insets ->
            @Suppress("DEPRECATION") // its replacement needs a newer Android than this app
            view.setPadding(0, 0, 0, insets.systemWindowInsetBottom)
            insets
        }
        views = made
        show()
        return root
    }

    override fun onStartInput(info: EditorInfo, restarting: Boolean) {
        super.onStartInput(info, restarting)
        val field = Field.of(info)
        if (field != typing.field) {
            typing = Typing(field)
            releases = emptyList()
        }
        look()
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
        look()
    }

    private fun look() {
        currentInputConnection?.let(typing::look)
        show()
    }

    private fun press(action: KeyAction) {
        val editor = currentInputConnection ?: return
        typing.press(action, editor, SystemClock.uptimeMillis())?.let(::release)
        show()
    }

    private fun choose(suggestion: String) {
        val editor = currentInputConnection ?: return
        typing.choose(suggestion, editor)?.let(::release)
        show()
    }

    private fun release(word: String) = app.keyboard.release(word, ::add)

    private fun add(release: Release) {
        releases = (releases + release).takeLast(RELEASES_KEPT)
        show()
    }

    private fun show() {
        val shown = views ?: return
        shown.keys.show(typing.page, typing.shift, typing.field)
        if (typing.field.releases) shown.releases.show(releases) else shown.releases.showPrivate()
        suggest(shown.suggestions)
    }

    private fun suggest(strip: SuggestionStrip) {
        val prefix = typing.prefix
        if (prefix.isEmpty()) return strip.show(emptyList())
        app.keyboard.suggest(prefix) { words ->
            // By now, something else may be typed.
            if (typing.prefix == prefix) strip.show(words)
        }
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
