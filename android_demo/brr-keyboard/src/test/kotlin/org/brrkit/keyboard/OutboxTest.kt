package org.brrkit.keyboard

import java.io.File
import java.io.IOException
import java.util.Random // Kotlin's looks for Android, whose classes Robolectric loads later
import kotlin.concurrent.thread
import org.brrkit.FrameSample
import org.brrkit.Frames
import org.brrkit.SystemRandom
import org.json.JSONObject
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNotEquals
import org.junit.Assert.assertNull
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder

class OutboxTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private val directory by lazy { File(temporary.root, "outbox") }
    private val vault = TestVault()
    private val clock = TestClock()
    private val outbox by lazy { outbox() }

    private fun outbox(limits: OutboxLimits = OutboxLimits()) =
        Outbox(directory, vault, limits, clock)

    private fun tomorrow() {
        clock.now += DAY_MS
    }

    /** As in the other languages' tests. */
    @Test
    fun aBatchHasOneOfFewSizes() {
        val sizes = mapOf(
            2 to 1024, 1023 to 1024, 1024 to 1024, 1025 to 2048, 2049 to 4096, 1_000_000 to (1 shl 20),
        )
        for ((size, most) in sizes) {
            val json = "{" + "x".repeat(size - 1)
            assertEquals(json + " ".repeat(most - size), String(padded(json.toByteArray())))
        }
    }

    /** Of 2,000 places four words of 9 bytes or more, each with 2^-72. False alarm: 1e-17. */
    @Test
    fun wordsAreOnDiskAtOnceAndEncrypted() {
        outbox.keep("zebra crossing")
        outbox.keep("apple trees", "", "mango")
        for (file in files()) {
            assertTrue(file.name, file.length() < 2_000)
            for (word in listOf("zebra crossing", "apple trees", "\"counts\"", "5b5b5b5b5b")) {
                assertFalse(file.name, word in file.readText(Charsets.ISO_8859_1))
            }
        }
        tomorrow()
        val batch = checkNotNull(outbox().oldest()) // as after a restart
        val sorted = listOf("", "apple trees", "mango", "zebra crossing")
        assertEquals(sorted, batch.sample.words) // not as they came
        assertTrue(batch.id, Regex("[0-9a-f]{32}").matches(batch.id))
    }

    /** 190 pairs of 12 bytes. False alarm: 1e-26. */
    @Test
    fun noNonceComesTwice() {
        val nonces = List(20) {
            outbox.keep("zebra")
            File(directory, "000000000001.batch").readBytes().slice(19 until 31)
        }
        assertEquals(20, nonces.toSet().size)
    }

    @Test
    fun aReportSaysItsDayAndNothingOfTheDevice() {
        outbox.keep("zebra", "")
        tomorrow()
        outbox.keep("apple")
        val content = checkNotNull(outbox.oldest()).report()
        keep("counts", content)
        val report = JSONObject(String(content))
        val fields = setOf(
            "format", "format_version", "bundle", "setting", "batch", "period", "words",
        )
        assertEquals(fields, report.keys().asSequence().toSet())
        assertEquals("counts", report.getString("setting"))
        val period = report.getJSONObject("period")
        assertEquals("2023-11-14T00:00:00Z", period.getString("start"))
        assertEquals("2023-11-15T00:00:00Z", period.getString("end"))
    }

    @Test
    fun aDayIsDueWhenItIsOverAndStaysAsItIsThen() {
        outbox.keep("zebra")
        clock.now += DAY_MS - clock.now % DAY_MS - 1 // midnight is near
        outbox.keep("mango")
        assertNull(outbox.oldest())
        clock.now += 1
        val batch = checkNotNull(outbox.oldest())
        assertEquals(listOf("mango", "zebra"), batch.sample.words)
        outbox.keep("apple")
        assertArrayEquals(batch.report(), outbox.oldest()?.report())
        outbox.remove(batch, status = null)
        assertNull("it is today's", outbox.oldest())
        tomorrow()
        val next = checkNotNull(outbox.oldest())
        assertEquals(listOf("apple"), next.sample.words)
        assertNotEquals(batch.id, next.id)
    }

    @Test
    fun aDayHasItsWordsAtMostAndSaysWhichOnesAreNew() {
        val new = mutableListOf<Int>()
        repeat(10) { time ->
            outbox.add(SOURCE, 5, 3, SystemRandom) { room ->
                new += room
                List(3) { "word$time-$it" }
            }
        }
        assertEquals(listOf(3, 2) + List(8) { 0 }, new)
        tomorrow()
        val sample = checkNotNull(outbox.oldest()).sample
        assertEquals(5, sample.words.toSet().size)
        assertEquals(30L, sample.seen)
    }

    /** The drawn number makes the reservoir's third word replace the second one. */
    @Test
    fun theSourceDecidesWhichWordsStay() {
        fun sample(place: Byte): List<String> {
            val other = Outbox(temporary.newFolder(), vault, OutboxLimits(), clock)
            other.keep("a", "b", wordsADay = 2)
            other.add(SOURCE, 2, 1, { it[0] = place }) { listOf("c") }
            tomorrow()
            return checkNotNull(other.oldest()).sample.words
        }
        assertEquals(listOf("b", "c"), sample(0))
        assertEquals(listOf("a", "c"), sample(1))
        assertEquals(listOf("a", "b"), sample(2))
    }

    /** Otherwise more of a day's words than allowed would leave. */
    @Test
    fun noDayIsOpenedTwiceWhateverTheClockSays() {
        fun days() = batches().map { it.day - FIRST_DAY }
        outbox.keep("first")
        clock.now -= 3 * DAY_MS
        outbox.keep("second")
        assertEquals(listOf(0L), days())
        assertNull(outbox.oldest())
        clock.now += 4 * DAY_MS
        val sent = checkNotNull(outbox.oldest())
        assertEquals(listOf("first", "second"), sent.sample.words)
        outbox.remove(sent, status = null)
        clock.now -= DAY_MS
        outbox().keep("third") // as after a restart
        assertEquals(listOf(1L), days())
        assertNull(outbox.oldest())
        clock.now += DAY_MS
        assertNull(outbox.oldest())
        outbox.keep("fourth")
        assertEquals(listOf(1L), days())
        tomorrow()
        assertEquals(listOf("fourth", "third"), outbox.oldest()?.sample?.words)
    }

    /** Both samples together would exceed the allowed number of words. */
    @Test
    fun anotherSettingTakesTheDaysPlace() {
        outbox.keep("zebra")
        val other = SOURCE.copy(setting = """{"mechanism": "counts", "cap": 9.0}""")
        clock.now -= DAY_MS
        outbox.keep("mango", source = other)
        assertEquals("the same day", listOf(FIRST_DAY), batches().map { it.day })
        clock.now += DAY_MS
        outbox.keep("apple", source = other, wordsADay = 3)
        assertEquals(1, outbox.status().batches)
        assertEquals(2, outbox.status().dropped)
        tomorrow()
        outbox.keep("lemon")
        val batch = checkNotNull(outbox.oldest())
        assertEquals(other to listOf("apple"), batch.source to batch.sample.words)
        assertEquals(2, outbox.status().batches)
    }

    @Test
    fun whatIsntDrawnChangesNothing() {
        outbox.keep("zebra")
        val before = outbox.status()
        for (source in listOf(SOURCE, SOURCE.copy(setting = "\"recommended\""))) {
            assertThrows(IllegalStateException::class.java) {
                outbox.add(source, 1_000, 1, SystemRandom) { error("no budget") }
            }
        }
        assertEquals(before, outbox.status())
        assertEquals(listOf("zebra"), allWords())
    }

    @Test
    fun whatIsTooMuchGoesOldestFirstAndIsCounted() {
        val small = outbox(OutboxLimits(batches = 3))
        repeat(5) {
            small.keep("word$it")
            tomorrow()
        }
        assertEquals(3, small.status().batches)
        assertEquals(2, small.status().dropped)
        assertEquals(listOf("word2"), small.oldest()?.sample?.words)

        val tiny = Outbox(File(temporary.root, "tiny"), vault, OutboxLimits(9, 2_000), clock)
        repeat(12) {
            tiny.keep("word$it")
            tomorrow()
        }
        val status = tiny.status()
        assertTrue("$status", status.bytes in 1_000..2_000)
        assertEquals(12, status.batches + status.dropped)
    }

    private fun refuse(box: Outbox, status: Int, vararg words: String) {
        box.keep(*words)
        tomorrow()
        box.remove(checkNotNull(box.oldest()), status)
    }

    private fun refused(box: Outbox) = box.refusedBatches()
        .map { it.status to JSONObject(it.report).getJSONArray("words").join(",") }

    @Test
    fun whatWasRefusedGoesFirstWhereThereIsNoRoom() {
        val small = outbox(OutboxLimits(batches = 3))
        repeat(3) { refuse(small, 409 + it, "word$it") }
        val all = listOf(409 to "\"word0\"", 410 to "\"word1\"", 411 to "\"word2\"")
        assertEquals(all, refused(small))
        for (file in files()) {
            val content = file.readText(Charsets.ISO_8859_1)
            for (word in listOf("word", "refusal")) assertFalse(file.name, word in content)
        }
        small.keep("kept")
        assertEquals(all.drop(1), refused(outbox())) // as after a restart
        repeat(4) {
            small.keep("next$it")
            tomorrow()
        }
        assertEquals(listOf<Any>(), refused(small))
        val status = small.status()
        assertEquals(3 to 3, status.batches to status.refused)
        assertEquals("what waits goes only after them", 1, status.dropped)
    }

    /** A refused batch in place of a waiting one would be sent again. */
    @Test
    fun whatWasRefusedIsntTakenForWhatWaits() {
        refuse(outbox, 409, "zebra")
        val file = File(directory, "000000000001.refused")
        val content = file.readBytes()
        file.renameTo(File(directory, "000000000001.batch"))
        assertNull(outbox.oldest())
        assertEquals(1, outbox.status().damaged)
        file.writeBytes(content.copyOf().also { it[40] = (it[40].toInt() xor 1).toByte() })
        assertEquals(listOf<Any>(), refused(outbox))
        File(directory, "key").writeBytes(ByteArray(7))
        file.writeBytes(content)
        assertEquals(listOf<Any>(), refused(outbox()))
        assertFalse(file.exists())
    }

    /** Every file, truncated and with each byte changed: nothing comes out. */
    @Test
    fun damageIsNoticedAndDroppedWhole() {
        outbox.keep("zebra", "apple")
        tomorrow()
        var damaged = 0
        for (name in listOf("key", "000000000001.batch")) {
            val file = File(directory, name)
            val good = file.readBytes()
            val cut = (good.indices step 9).map(good::copyOf)
            val changed = good.indices.map { at ->
                good.copyOf().also { it[at] = (it[at].toInt() xor (1 shl at % 8)).toByte() }
            }
            val whole = files().associateWith(File::readBytes)
            for (content in cut + changed + listOf(good + 0)) {
                file.writeBytes(content)
                assertNull("$name: ${content.size} bytes", outbox().oldest())
                assertEquals(++damaged, outbox().status().damaged)
                assertEquals(0, outbox().status().batches)
                whole.filterKeys { it.name != "losses" }.forEach { (file, c) -> file.writeBytes(c) }
            }
        }
        assertEquals(listOf("apple", "zebra"), outbox().oldest()?.sample?.words)
    }

    @Test
    fun aFileInAnothersPlaceIsDamaged() {
        repeat(2) {
            outbox.keep("word$it")
            tomorrow()
        }
        File(directory, "000000000001.batch").renameTo(File(directory, "000000000003.batch"))
        assertEquals(listOf("word1"), outbox.oldest()?.sample?.words)
        outbox.remove(checkNotNull(outbox.oldest()), status = null)
        assertNull(outbox.oldest())
        assertEquals(1, outbox.status().damaged)
    }

    @Test
    fun afterADamagedKeyItGoesOn() {
        outbox.keep("zebra")
        File(directory, "key").writeBytes(ByteArray(7))
        outbox().keep("apple")
        tomorrow()
        assertEquals(listOf("apple"), outbox.oldest()?.sample?.words) // the older object sees the new key
        assertEquals(1, outbox.status().damaged)
    }

    @Test
    fun aVaultThatFailsLosesNothing() {
        outbox.keep("zebra")
        tomorrow()
        vault.fails = true
        val error = assertThrows(IOException::class.java) { outbox().keep("apple") }
        assertTrue(error.message, "its vault fails" in error.message!!)
        assertThrows(IOException::class.java) { outbox().oldest() }
        vault.fails = false
        assertEquals(listOf("zebra"), outbox().oldest()?.sample?.words)
    }

    @Test
    fun clearingLeavesNothingAndSurvivesACrash() {
        outbox.keep("zebra")
        outbox.clear()
        assertEquals(listOf("lock"), files().map(File::getName))
        outbox.keep("apple")
        File(directory, "key").delete() // the first step of clear, before a power cut
        File(directory, "000000000009.batch.new").writeText("half of a fi")
        tomorrow()
        assertNull(outbox().oldest())
        assertEquals(listOf("lock"), files().map(File::getName))
    }

    @Test
    fun threadsAndObjectsShareIt() {
        val writers = List(4) { writer ->
            thread { repeat(25) { outbox().keep("w$writer-$it") } }
        }
        writers.forEach(Thread::join)
        assertEquals(100, allWords().toSet().size)
    }

    /** Whenever the process is killed, exactly the acknowledged words are there. */
    @Test
    fun aKilledProcessLosesNothing() {
        val random = Random(20)
        var acknowledged = 0
        var frames = 0L
        repeat(5) { round ->
            val told = temporary.newFile()
            val child = writingProcess("r$round", told)
            while (told.readText().count { it == '\n' } < 5 && child.isAlive) Thread.sleep(5)
            Thread.sleep(random.nextLong(50, 250))
            child.destroyForcibly().waitFor()
            acknowledged += told.readText().count { it == '\n' }
            val words = allWords()
            val last = words.filter { it.startsWith("r$round-") }
            assertEquals(List(last.size) { "r$round-$it" }.toSet(), last.toSet())
            assertTrue("${words.size}, $acknowledged", words.size in acknowledged..acknowledged + 1)
            acknowledged = words.size // one may be stored, and not told
            val day = openDayIn(directory, vault).sample
            frames += told.readText().count { it == '\n' }
            assertTrue("${day.seen}, $frames", day.seen in frames..frames + 1)
            assertEquals(framesOf(day.seen).frames, day.frames)
            frames = day.seen
        }
        assertTrue("$acknowledged", acknowledged > 20)
        assertEquals(0, outbox.status().damaged)
    }

    private fun writingProcess(prefix: String, told: File): Process {
        val java = File(System.getProperty("java.home"), "bin/java").path
        val classes = System.getProperty("surefire.test.class.path")
            ?: System.getProperty("java.class.path")
        return ProcessBuilder(
            java, "-cp", classes, "-Xshare:auto", "-XX:TieredStopAtLevel=1",
            "org.brrkit.keyboard.OutboxTestKt", directory.path, prefix,
        ).redirectOutput(told).redirectError(ProcessBuilder.Redirect.INHERIT).start()
    }

    private fun allWords(): List<String> = batches().flatMap { it.sample.words }

    private fun batches(): List<Batch> = batchesIn(directory, vault)

    private fun files(): List<File> = directory.listFiles().orEmpty().sortedBy(File::getName)
}

private const val FIRST_DAY = 19_675L // of TestClock
private val SHAPE = Frames(2, 2)

/** A day whose frames state their number. */
private fun framesOf(seen: Long) = FrameSample(SHAPE, seen, List(2) { listOf("$seen", "$it") })

private const val WRITTEN = 150 // of a process: five have fewer than a sample takes

/** Puts words into an outbox, prints each one, and waits to be killed. */
internal fun main(arguments: Array<String>) {
    val outbox = Outbox(File(arguments[0]), TestVault(), clock = TestClock()) // in one day
    repeat(WRITTEN) {
        outbox.keep("${arguments[1]}-$it")
        outbox.addFrames(SOURCE, SHAPE, { framesOf(0) }) { day -> framesOf(day.seen + 1) }
        println("${arguments[1]}-$it")
    }
    Thread.sleep(Long.MAX_VALUE)
}
