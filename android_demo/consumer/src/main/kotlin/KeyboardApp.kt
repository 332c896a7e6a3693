import android.app.Activity
import android.app.Application
import android.inputmethodservice.InputMethodService
import android.os.Bundle
import android.view.View
import android.view.inputmethod.EditorInfo
import android.widget.Button
import android.widget.CheckBox
import android.widget.LinearLayout
import android.widget.TextView
import java.io.File
import org.brrkit.WordBundle
import org.brrkit.keyboard.BrrKeyboard
import org.brrkit.keyboard.Field
import org.brrkit.keyboard.Release
import org.brrkit.keyboard.TypedWords

/* The following are the lines of docs/tutorial/keyboard.md, in order. */

class KeyboardApp : Application() {
    val keyboard by lazy {
        BrrKeyboard.Builder(this) { WordBundle.open(assets, "bundle") }
            .sink { words, _ -> save(words) }
            .build()
    }

    private fun save(words: List<String>) {
        val lines = words.joinToString("\n", "", "\n")
        File(noBackupFilesDir, "released.txt").appendText(lines)
    }
}

class Keyboard : InputMethodService() {
    private val keyboard get() = (application as KeyboardApp).keyboard
    private var words = TypedWords(Field.of(EditorInfo()))
    private lateinit var strip: TextView

    override fun onCreateInputView(): View {
        strip = TextView(this)
        val keys = LinearLayout(this)
        for (key in listOf("a", "e", "i", "n", "s", "t", " ")) {
            val button = Button(this)
            button.text = key
            button.setOnClickListener { type(key) }
            keys.addView(button)
        }
        val view = LinearLayout(this)
        view.orientation = LinearLayout.VERTICAL
        view.addView(strip)
        view.addView(keys)
        return view
    }

    override fun onStartInput(info: EditorInfo, restarting: Boolean) {
        words = TypedWords(Field.of(info))
        keyboard.beginText()
    }

    private fun type(key: String) {
        val typed = words.type(key, currentInputConnection) ?: return
        if (words.beginsText) keyboard.beginText() // in a field that was emptied
        keyboard.release(typed) { strip.text = describe(it.text) }
    }

    private fun describe(text: Release.Text): String =
        when (text) {
            is Release.Text.Sent -> text.words.joinToString(" ")
            Release.Text.Off -> "off"
            Release.Text.BudgetUsedUp -> "nothing more today"
            else -> "not released"
        }
}

class Settings : Activity() {
    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        val consent = (application as KeyboardApp).keyboard.consent
        val agree = CheckBox(this)
        agree.text = "Give this app randomized copies of my words"
        agree.isChecked = consent.isGiven
        agree.setOnCheckedChangeListener { _, agreed ->
            if (agreed) consent.give() else consent.withdraw()
        }
        setContentView(agree)
    }
}
