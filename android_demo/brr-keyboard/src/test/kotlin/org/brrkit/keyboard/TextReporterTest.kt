package org.brrkit.keyboard

import java.io.ByteArrayInputStream
import java.io.File
import java.time.Duration
import java.util.Locale
import org.brrkit.Base
import org.brrkit.BudgetException
import org.brrkit.Frames
import org.brrkit.Mark
import org.brrkit.Mechanism
import org.brrkit.ParameterException
import org.brrkit.PrivacyBudget
import org.brrkit.RandomSource
import org.brrkit.Setting
import org.brrkit.WordBundle
import org.json.JSONArray
import org.json.JSONObject
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNotNull
import org.junit.Assert.assertNull
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder

/** Days of frames in an outbox: their content, their beginning and end, and their files. */
class TextReporterTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private val directory by lazy { File(temporary.root, "outbox") }
    private val vault = TestVault()
    private val clock = TestClock()
    private val bundle = bundleOf("64")
    private val setting = Setting(1.0)
    private val outbox by lazy { outbox() }

    private fun outbox(limits: OutboxLimits = OutboxLimits()) = Outbox(directory, vault, limits, clock)

    private fun texts(
        shape: Frames = Frames(2, 3),
        outbox: Outbox = outbox(),
        setting: Setting = this.setting,
        budget: PrivacyBudget? = null,
    ) = TextReporter(outbox, bundle, setting, shape, budget)

    private fun tomorrow() {
        clock.now += DAY_MS
    }

    private fun budget(limit: Double) =
        PrivacyBudget(limit, Duration.ofDays(9), File(temporary.root, "budget"))

    private val key get() = checkNotNull(OutboxKey.read(File(directory, "key"), vault))

    private fun open(): OpenDay? = if (files(".open").isEmpty()) null else openDayIn(directory, vault)

    /** All that wait of days that are over, which are closed by this. */
    private fun waiting(): List<Frame> {
        outbox().anyFrame()
        return files(".frames").flatMap { file ->
            val number = file.name.substringBefore('.').toLong()
            checkNotNull(Frame.ofBytes(checkNotNull(key.open(Kind.FRAMES, number, file.readBytes()))))
        }
    }

    private fun files(suffix: String = ""): List<File> =
        directory.listFiles().orEmpty().filter { it.name.endsWith(suffix) }.sortedBy(File::getName)

    /** Frozen cases; ids are the system's here. */
    @Test
    fun daysAreAsTheVectorsSay() {
        val spec = File("../../spec")
        val kinds = JSONObject(File(spec, "vectors/frames.json").readText()).getJSONObject("bundles")
        for (name in kinds.keys()) {
            val bundle = WordBundle.open(File(spec, "conformance/$name"))
            val cases = kinds.getJSONObject(name).getJSONArray("frames")
            // Each third: all of them are the library's golden cases.
            for (case in 0 until cases.length() step 3) follow(bundle, cases.getJSONObject(case))
        }
    }

    private fun follow(bundle: WordBundle, case: JSONObject) {
        val hexadecimal = case.getString("random").chunked(2)
        val bytes = ByteArrayInputStream(ByteArray(hexadecimal.size) { hexadecimal[it].toInt(16).toByte() })
        val shape = case.getJSONObject("frames").let { Frames(it.getInt("words"), it.getInt("a_day")) }
        val setting = Setting(case.getDouble("epsilon"), mechanismOf(case))
        val random = RandomSource { check(bytes.read(it) == it.size) }
        val texts = TextReporter(outbox, bundle, setting, shape, random = random)
        val days = case.getJSONArray("days").let { List(it.length(), it::getJSONArray) }.iterator()
        val steps = case.getJSONArray("steps")
        for (step in List(steps.length(), steps::getJSONObject)) {
            when {
                step.has("add") -> texts.add(step.getString("add"), step.marks())
                step.has("word") -> texts.word(step.getString("word"))
                step.has("end") -> texts.end()
                else -> {
                    texts.end()
                    texts.beginDay()
                    tomorrow()
                    val frames = waiting()
                    val expected = days.next().let { List(it.length(), it::getJSONObject) }
                    val words = expected.map { strings(it.getJSONArray("words")) }
                    assertEquals("$case", words.sortedBy { "$it" }, frames.map { it.words }.sortedBy { "$it" })
                    bytes.skip(16L * shape.aDay)
                    frames.forEach { outbox.remove(it, status = null) }
                }
            }
        }
        assertEquals("$case", 0, bytes.available())
        outbox.clear()
    }

    private fun mechanismOf(case: JSONObject): Mechanism {
        val given = case.getJSONObject("parameters")
        fun number(name: String) = if (given.has(name)) given.getDouble(name) else null
        val t = given.opt("t")
        return when {
            case.getString("mechanism") == "brr" -> Mechanism.brr()
            t is JSONArray -> Mechanism.vickrey(List(t.length(), t::getDouble))
            case.getString("mechanism") == "vickrey" -> Mechanism.vickrey(number("t") ?: 0.5)
            else -> Mechanism.exponential(
                number("radius")?.toInt(),
                if (given.has("base")) Base.valueOf(given.getString("base").uppercase()) else null,
                number("cap"),
                number("task_weight")?.toInt(),
            )
        }
    }

    private fun JSONObject.marks(): List<Mark> {
        val marks = optJSONArray("marks") ?: return emptyList()
        val text = getString("add")
        return List(marks.length(), marks::getJSONArray).map {
            val (start, end) = List(2) { place -> text.offsetByCodePoints(0, it.getInt(place)) }
            Mark(start, end, if (it.length() > 2) it.getString(2) else null)
        }
    }

    /** For any typing at any time: the same number of frames and words, and the same payment. */
    @Test
    fun nothingButWordsDependsOnWhatIsTyped() {
        val days = listOf("", "the", "the of and ".repeat(40))
        val seen = days.map { typed ->
            val budget = PrivacyBudget(1e6, Duration.ofDays(9), temporary.newFile().also { it.delete() })
            val texts = texts(budget = budget)
            if (typed.isEmpty()) texts.beginDay() else typed.split(' ').forEach(texts::word)
            texts.end()
            assertEquals(texts.loss, 1e6 - budget.remaining(), 1e-6)
            val names = files().map(File::getName)
            tomorrow()
            val frames = waiting()
            assertEquals(3, frames.map { it.id }.toSet().size)
            val shown = listOf(budget.remaining(), outbox.status().copy(bytes = 0), names, frames.map { it.words.size })
            outbox.clear()
            clock.now = TestClock().now
            shown
        }
        assertEquals(1, seen.toSet().size)
    }

    @Test
    fun aReportIsOneFrameAndSaysNothingOfTheDevice() {
        texts().add("the people of london")
        tomorrow()
        val frame = waiting()[0]
        val content = frame.report()
        keep("frames", content)
        assertEquals(1024, content.size)
        val report = JSONObject(String(content))
        val fields = setOf("format", "format_version", "bundle", "setting", "batch", "period", "words")
        assertEquals(fields, report.keys().asSequence().toSet())
        assertEquals("brr-frames", report.getString("format"))
        assertEquals(frame.words, strings(report.getJSONArray("words")))
        assertEquals("2023-11-14T00:00:00Z", report.getJSONObject("period").getString("start"))
        assertEquals(1.0, report.getJSONObject("setting").getDouble("epsilon"), 0.0)
        assertEquals(setOf("mechanism", "epsilon", "parameters"), report.getJSONObject("setting").keys().asSequence().toSet())
        assertEquals(bundle.manifest["sha256"], report.getString("bundle"))
        val sorted = waiting().map { it.words.joinToString("\n") }
        assertEquals("not as they came", sorted.sorted(), sorted)
    }

    @Test
    fun aDayIsPaidOnceAndGoesOnAfterARestart() {
        val budget = budget(1e6)
        fun cost(action: () -> Unit): Double {
            val before = budget.remaining()
            action()
            return before - budget.remaining()
        }
        val texts = texts(budget = budget)
        assertEquals(texts.loss, cost(texts::beginDay), 1e-6)
        assertEquals(0.0, cost { texts.add("the people of london") }, 0.0)
        val kept = checkNotNull(open())
        assertEquals(2L, kept.sample.seen)
        assertEquals(0.0, cost { texts(budget = budget).add("the") }, 0.0)
        assertEquals(3L, open()?.sample?.seen)
        assertEquals("typed frames have places of their own", kept.sample.frames.take(2), open()?.sample?.frames?.take(2))
        tomorrow()
        assertEquals(texts.loss, cost { texts.word("the") }, 1e-6)
        assertEquals(2, outbox.status().frameDays)
        assertEquals(0L, open()?.sample?.seen)
    }

    @Test
    fun aDayThatTheBudgetRefusesIsNone() {
        val loss = texts().loss
        val texts = texts(budget = budget(1.5 * loss))
        texts.beginDay()
        tomorrow()
        repeat(2) { assertThrows(BudgetException::class.java) { texts.word("the") } }
        assertThrows(BudgetException::class.java, texts::beginDay)
        assertNull(open())
        assertEquals("yesterday's wait", 3, waiting().size)
        texts.end() // there is no text in progress, so no day begins
    }

    /** Otherwise frames of too many days would leave. */
    @Test
    fun noDayIsOpenedTwiceWhateverTheClockSays() {
        val texts = texts()
        texts.add("the")
        clock.now -= 3 * DAY_MS
        texts.add("people of london")
        assertEquals(FIRST_DAY to 3L, open()?.let { it.day to it.sample.seen })
        assertEquals(0, waiting().size)
        clock.now += 4 * DAY_MS
        waiting().forEach { outbox.remove(it, status = null) }
        assertEquals(0, outbox.status().frameDays)
        clock.now -= DAY_MS
        texts().add("the") // as after a restart
        assertEquals(FIRST_DAY + 1, open()?.day)
        clock.now += DAY_MS
        assertEquals(0, waiting().size)
        tomorrow()
        assertEquals(List(3) { FIRST_DAY + 1 }, waiting().map { it.day })
    }

    /** Both days together would exceed the limit. */
    @Test
    fun anotherSettingOrShapeTakesTheDaysPlace() {
        texts().add("the")
        clock.now -= DAY_MS
        texts(setting = Setting(2.0)).add("of")
        assertEquals("the same day", FIRST_DAY, open()?.day)
        clock.now += DAY_MS
        assertEquals(1L, open()?.sample?.seen)
        assertEquals(1 to 1, outbox.status().let { it.frameDays to it.dropped })
        texts(Frames(2, 4), setting = Setting(2.0)).beginDay()
        assertEquals(0L to FIRST_DAY, open()?.let { it.sample.seen to it.day })
        assertEquals(2, outbox.status().dropped)
        tomorrow()
        assertEquals(4, waiting().size)
        texts().beginDay()
        assertEquals("yesterday's wait", 2 to 2, outbox.status().let { it.frameDays to it.dropped })
    }

    @Test
    fun aDaysFramesGoTogetherWhereThereIsNoRoom() {
        val texts = texts()
        repeat(9) {
            texts.add("the")
            tomorrow()
        }
        val days = waiting().map { it.day - FIRST_DAY }
        assertEquals((2L..8L).flatMap { day -> List(3) { day } }, days)
        assertEquals(7 to 2, outbox.status().let { it.frameDays to it.dropped })
        outbox.keep("counted")
        assertEquals("they aren't of the other limits", 7, outbox(OutboxLimits(1, 1)).status().frameDays)
    }

    /**
     * Words released before a withdrawal don't leave after it, nor do those from before midnight leave the next
     * day.
     */
    @Test
    fun aPieceInProgressGoesWhereADayBegins() {
        for (between in listOf(outbox::clear, ::tomorrow)) {
            val texts = texts()
            texts.word("the")
            between()
            texts.word("of")
            assertEquals(0L, open()?.sample?.seen)
            texts.word("of")
            assertEquals(1L, open()?.sample?.seen)
            outbox.clear()
        }
    }

    /** The power is cut after the day's frames are written, and before the open day is deleted. */
    @Test
    fun anInterruptedEndOfADayIsRepeated() {
        texts().add("the people of london")
        val open = files(".open").single()
        val content = open.readBytes()
        val words = checkNotNull(open()).sample.frames.toSet()
        tomorrow()
        val first = waiting().map { it.id }
        open.writeBytes(content)
        File(directory, "000000000001.open.new").writeText("half of a fi")
        val again = waiting()
        assertEquals(3, again.size)
        assertEquals(words, again.map { it.words }.toSet())
        assertTrue(first.none { id -> again.any { it.id == id } })
        assertEquals(0, outbox.status().let { it.damaged + it.dropped })
    }

    /** Both files, truncated and with bytes changed: nothing comes out, and the device continues. */
    @Test
    fun damageIsNoticedAndDroppedWhole() {
        val texts = texts(Frames(1, 2))
        texts.add("the people of london")
        tomorrow()
        texts.beginDay()
        val whole = files().associateWith(File::readBytes)
        var damaged = 0
        for (suffix in listOf(".frames", ".open")) {
            val file = files(suffix).single()
            val good = file.readBytes()
            val cut = (good.indices step 49).map(good::copyOf)
            val changed = (good.indices step 7).map { at ->
                good.copyOf().also { it[at] = (it[at].toInt() xor (1 shl at % 8)).toByte() }
            }
            val older = String(good, Charsets.ISO_8859_1).replaceFirst(" 2\n", " 1\n").toByteArray(Charsets.ISO_8859_1)
            for (content in cut + changed + listOf(good + 0, older)) {
                file.writeBytes(content)
                val frame = outbox.anyFrame()
                assertEquals("${content.size} bytes", suffix == ".frames", frame == null)
                assertEquals(++damaged, outbox.status().damaged)
                assertEquals(1, outbox.status().frameDays)
                whole.filterKeys { it.name != "losses" }.forEach { (file, c) -> file.writeBytes(c) }
            }
        }
        assertEquals(2, outbox.status().frameDays)
        files(".open").single().writeText("")
        texts(Frames(1, 2)).add("the")
        assertEquals("a day begins in the damaged one's place", FIRST_DAY + 1 to 1L, open()?.let { it.day to it.sample.seen })
    }

    /** They are authentic, but not a day of frames, or not of this place. */
    @Test
    fun aFileThatIsNoDayIsDamaged() {
        texts().add("the people")
        val open = files(".open").single()
        val content = String(checkNotNull(key.open(Kind.OPEN, 1, open.readBytes())))
        val made = listOf(
            "{}", "[]", "x",
            content.replace("\"a_day\":3", "\"a_day\":2"),
            content.replace("\"words\":2", "\"words\":3"),
            content.replace("\"words\":2", "\"words\":0"),
            content.replace("\"seen\":1", "\"seen\":-1"),
            content.replace("\"seen\":1", "\"seen\":\"many\""),
            content.replace("\"frames\":[[", "\"frames\":[[],["),
        )
        assertEquals(made.size, (made - content).toSet().size)
        val sealed = made.map { key.seal(Kind.OPEN, 1, it.toByteArray()) } +
            key.seal(Kind.OPEN, 2, content.toByteArray()) + key.seal(Kind.FRAMES, 1, content.toByteArray())
        for ((number, file) in sealed.withIndex()) {
            open.writeBytes(file)
            assertNull(outbox.anyFrame())
            assertEquals(number + 1, outbox.status().damaged)
            assertEquals(0, outbox.status().frameDays)
        }
        open.writeBytes(key.seal(Kind.OPEN, 1, content.toByteArray()))
        tomorrow()
        val frames = waiting().size
        assertEquals(3, frames)
        files(".frames").single().renameTo(File(directory, "000000000001.frames"))
        assertNull(outbox.anyFrame())
        assertEquals(sealed.size + 1, outbox.status().damaged)
    }

    @Test
    fun theFilesHaveNothingThatCanBeRead() {
        texts().add("the people of london")
        tomorrow()
        texts().beginDay()
        val words = waiting().flatMap { it.words }.toSet() + bundle.manifest["sha256"] as String + "mechanism"
        for (file in files(".frames") + files(".open")) {
            val content = file.readText(Charsets.ISO_8859_1)
            for (word in words) if (word.length > 6) assertTrue(file.name, word !in content)
        }
    }

    /** A file's name has plain digits, even if the language has other digits. */
    @Test
    fun anotherLanguagesDigitsChangeNothing() {
        val before = Locale.getDefault()
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"))
            texts().add("the")
            outbox.keep("counted")
            tomorrow()
            assertEquals(3, waiting().size)
            assertNotNull(outbox.oldest())
        } finally {
            Locale.setDefault(before)
        }
    }

    @Test
    fun aMarkIsOneWord() {
        val texts = texts(Frames(1, 9))
        assertThrows(ParameterException::class.java) { texts.add("the", listOf(Mark(2, 9))) }
        assertEquals(0L, open()?.sample?.seen)
        texts.add("the people of london", listOf(Mark(4, 13)))
        assertEquals(3L, open()?.sample?.seen)
    }
}

private const val FIRST_DAY = 19_675L // of TestClock
