package org.brrkit.demo

import android.app.Activity
import android.os.Looper
import android.os.SystemClock
import android.text.InputType
import android.view.MotionEvent
import android.view.View
import android.view.ViewGroup
import android.view.ViewGroup.LayoutParams.MATCH_PARENT
import android.view.ViewGroup.LayoutParams.WRAP_CONTENT
import android.view.inputmethod.EditorInfo
import android.view.inputmethod.InputConnection
import android.widget.EditText
import android.widget.FrameLayout
import android.widget.LinearLayout
import android.widget.TextView
import java.time.Duration
import org.brrkit.keyboard.R as Strip
import org.robolectric.Robolectric
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.android.controller.ServiceController

internal const val TEXT = InputType.TYPE_CLASS_TEXT

/** An app with text fields, the keyboard, and fingers; [watch] may stand between the first two. */
internal class Phone(private val watch: (InputConnection) -> InputConnection = { it }) {
    val app = RuntimeEnvironment.getApplication() as TestApplication
    val controller: ServiceController<BrrInputMethodService> =
        Robolectric.buildService(BrrInputMethodService::class.java).create()
    val service: BrrInputMethodService = controller.get()
    private val activity = Robolectric.buildActivity(Activity::class.java).setup().get()
    private val fields = LinearLayout(activity)
    private val bottom = FrameLayout(activity)
    lateinit var keyboard: View
        private set
    lateinit var editor: EditText
        private set

    init {
        val screen = LinearLayout(activity)
        screen.orientation = LinearLayout.VERTICAL
        screen.addView(fields, LinearLayout.LayoutParams(MATCH_PARENT, 0, 1f))
        screen.addView(bottom, LinearLayout.LayoutParams(MATCH_PARENT, WRAP_CONTENT))
        activity.setContentView(screen)
        showKeyboard()
    }

    /** Makes the keyboard's views, as the system does at first and after the screen turns. */
    fun showKeyboard() {
        keyboard = service.onCreateInputView()
        bottom.removeAllViews()
        bottom.addView(keyboard, MATCH_PARENT, WRAP_CONTENT)
        shadowOf(Looper.getMainLooper()).idle()
    }

    /** Puts the cursor into a new field. */
    fun enter(type: Int = TEXT, options: Int = 0, id: Int = View.generateViewId()): EditText {
        val field = EditText(activity)
        field.id = id
        field.inputType = type
        field.imeOptions = options
        fields.addView(field)
        field.requestFocus()
        return field.also(::attach)
    }

    /** Connects the keyboard to [field]. */
    fun attach(field: EditText, restarting: Boolean = false) {
        editor = field
        val info = EditorInfo()
        info.packageName = activity.packageName
        info.fieldId = field.id
        val connection = watch(field.onCreateInputConnection(info))
        val input = service.onCreateInputMethodInterface()
        if (restarting) input.restartInput(connection, info) else input.startInput(connection, info)
    }

    /** Types [text] key by key, turning pages as needed. */
    fun type(text: String) = text.codePoints().forEach { character ->
        val action = KeyAction.Type(String(Character.toChars(Character.toLowerCase(character))))
        if (action !in keys) turnTo(Page.entries.first { page -> action in page.actions })
        val shifted = shift != ShiftState.OFF
        val isCapital = Character.isUpperCase(character)
        if (Character.isLetter(character) && isCapital != shifted) press(KeyAction.Shift)
        press(action)
    }

    fun backspace(times: Int = 1) = repeat(times) { press(KeyAction.Backspace) }

    /** Touches a key, lets it go, and waits [pause] ms. */
    fun press(action: KeyAction, pause: Long = 1_000) {
        val key = keys.getValue(action)
        touch(key, MotionEvent.ACTION_DOWN)
        touch(key, MotionEvent.ACTION_UP)
        SystemClock.setCurrentTimeMillis(SystemClock.uptimeMillis() + pause)
    }

    fun touch(key: View, action: Int, x: Float = key.width / 2f, y: Float = key.height / 2f) {
        val now = SystemClock.uptimeMillis()
        val event = MotionEvent.obtain(now, now, action, x, y, 0)
        key.dispatchTouchEvent(event)
        event.recycle()
    }

    private fun turnTo(page: Page) {
        if (KeyAction.Turn(page) !in keys) press(KeyAction.Turn(Page.SYMBOLS))
        if (KeyAction.Turn(page) in keys) press(KeyAction.Turn(page))
    }

    fun moveCursor(position: Int) {
        editor.setSelection(position)
        report()
    }

    /** Tells the keyboard where the cursor is, as the system does after every change. */
    fun report() = service.onUpdateSelection(
        -1, -1, editor.selectionStart, editor.selectionEnd, -1, -1,
    )

    /** Holds a key until it offers its choices. */
    fun hold(action: KeyAction): View {
        val key = keys.getValue(action)
        touch(key, MotionEvent.ACTION_DOWN)
        shadowOf(Looper.getMainLooper()).idleFor(Duration.ofSeconds(1))
        return key
    }

    /** Waits for the background work. */
    fun settle() = app.settle()

    /** Waits for suggestions only. */
    fun settleSuggestions() = app.settle(app.lookups)

    /** Lets the screen put new views in their places. */
    fun layOut() = shadowOf(Looper.getMainLooper()).idle()

    val text: String
        get() = editor.text.toString()
    val keys: Map<KeyAction, View>
        get() = keyboard.findViewById<KeyboardView>(R.id.keys).keys
    val popups: KeyPopups
        get() = keyboard.findViewById(R.id.popups)
    val releaseText: String
        get() = keyboard.findViewById<TextView>(Strip.id.brr_release_text).text.toString()
    val suggestions: List<TextView>
        get() = keyboard.findViewById<SuggestionStrip>(R.id.suggestions).children()
            .filterIsInstance<TextView>()
            .filter { it.isShown }
    val shift: ShiftState
        get() = ShiftState.entries.firstOrNull { state ->
            keys[KeyAction.Shift]?.contentDescription == KeyNames(service.resources).of(state)
        } ?: ShiftState.OFF
}

internal val Page.actions: List<KeyAction>
    get() = rows(switches = false, layoutOf("en")).flatten().map(Key::action)

internal fun ViewGroup.children(): List<View> = List(childCount, ::getChildAt)

internal fun descendants(view: View): List<View> =
    listOf(view) + (view as? ViewGroup)?.children().orEmpty().flatMap(::descendants)
