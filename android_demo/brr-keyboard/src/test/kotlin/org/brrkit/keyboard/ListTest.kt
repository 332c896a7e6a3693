package org.brrkit.keyboard

import android.os.Looper
import android.text.InputType
import android.view.inputmethod.EditorInfo
import android.widget.EditText
import java.io.File
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import org.brrkit.CountsSetting
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf

/** A list is counted in addition to the language's bundle, with a separate keyboard without a sink. */
@RunWith(RobolectricTestRunner::class)
class ListTest {
    private val app = RuntimeEnvironment.getApplication()
    private val worker = Executors.newSingleThreadExecutor()
    private val texts = mutableListOf<String>()
    private val releases = mutableListOf<Release>()
    private val english = BrrKeyboard.Builder(app) { bundleOf("64") }.sink { words, _ -> texts += words }.built()
    private val list = BrrKeyboard.Builder(app) { bundleOf("list-phrases") }.state("list").built()

    /** With this cap one draw of 2^63 gives another word. */
    private fun BrrKeyboard.Builder.built(): BrrKeyboard = vault(TestVault()).thread(worker).settings {
        ReleaseSettings("brr", 22.18, 10_000.0, reports = ReportSettings(CountsSetting(88.0, 50)))
    }.build()

    @After
    fun stop() = worker.shutdown()

    /** Types into a field, and sends its content, as messengers do. */
    private fun send(text: String) {
        val view = EditText(app)
        view.inputType = InputType.TYPE_CLASS_TEXT
        val info = EditorInfo()
        val editor = checkNotNull(view.onCreateInputConnection(info))
        val words = TypedWords(Field.of(info))
        val typed = StringBuilder()
        for (character in text.codePoints().toArray().map { String(Character.toChars(it)) }) {
            if (words.field.releases) typed.append(character)
            words.type(character, editor)?.let { word -> english.release(word) { releases += it } }
        }
        words.enter(editor)?.let { word -> english.release(word) { releases += it } }
        list.release(typed.toString()) { releases += it }
        worker.submit {}.get(600, TimeUnit.SECONDS)
        shadowOf(Looper.getMainLooper()).idle()
    }

    private fun counted(folder: String) =
        batchesIn(File(app.noBackupFilesDir, "brr/$folder"), TestVault()).single().sample.words

    @Test
    fun eachHasItsOwnOutboxAndConsentIsOne() {
        send("Good morning \uD83D\uDE02")
        assertEquals(setOf(Release.Report.OFF), releases.map { it.report }.toSet())
        english.consent.give()
        releases.clear()
        send("Good morning \uD83D\uDE02, how are you")
        assertEquals(setOf(Release.Report.COUNTED), releases.map { it.report }.toSet())
        assertEquals(Release.Text.NoSink, releases.last().text)
        assertEquals(listOf("", "good morning", "how are you"), counted("list/outbox"))
        val words = listOf("good", "morning", "how", "are", "you")
        val english = bundleOf("64").vocabulary
        assertEquals(words.map { if (english.find(it) < 0) "" else it }.sorted(), counted("outbox"))
        list.consent.withdraw()
        assertEquals(0, list.outbox.status().batches)
    }
}
