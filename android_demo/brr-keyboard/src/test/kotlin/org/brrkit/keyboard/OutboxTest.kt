package org.brrkit.keyboard

import java.io.File
import java.io.IOException
import java.util.concurrent.TimeUnit
import kotlin.concurrent.thread
import kotlin.random.Random
import org.json.JSONObject
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
    private var now = 1_700_000_000_000L
    private val outbox by lazy { outbox() }

    private fun outbox(limits: OutboxLimits = OutboxLimits()) =
        Outbox(directory, vault, limits) { now }

    @Test
    fun wordsAreOnDiskAtOnceAndEncrypted() {
        outbox.accept(listOf("zebra"), SOURCE)
        outbox.accept(listOf("apple", "mango"), SOURCE)
        for (file in files()) {
            for (word in listOf("zebra", "apple", "recommended", "5b5b5b")) {
                assertFalse(file.name, word in file.readText(Charsets.ISO_8859_1))
            }
        }
        val batch = checkNotNull(outbox().oldest(1)) // as after a restart
        assertEquals(listOf("apple", "mango", "zebra"), batch.words) // not as they came
        assertTrue(batch.id, Regex("[0-9a-f]{32}").matches(batch.id))
    }

    /** 190 pairs of 12 bytes. False alarm: 1e-26. */
    @Test
    fun noNonceComesTwice() {
        val nonces = List(20) {
            outbox.accept(listOf("zebra"), SOURCE)
            File(directory, "000000000001.batch").readBytes().slice(19 until 31)
        }
        assertEquals(20, nonces.toSet().size)
    }

    @Test
    fun aReportSaysDaysAndNothingOfTheDevice() {
        outbox.accept(listOf("zebra"), SOURCE)
        now += 24 * 3_600_000
        outbox.accept(listOf("apple"), SOURCE)
        val content = checkNotNull(outbox.oldest(1)).report()
        keep("recommended", content)
        val report = JSONObject(String(content))
        val fields = setOf(
            "format", "format_version", "bundle", "setting", "batch", "period", "words",
        )
        assertEquals(fields, report.keys().asSequence().toSet())
        assertEquals("recommended", report.getString("setting"))
        val period = report.getJSONObject("period")
        assertEquals("2023-11-14T00:00:00Z", period.getString("start"))
        assertEquals("2023-11-16T00:00:00Z", period.getString("end"))
    }

    @Test
    fun aBatchThatMayHaveBeenSentStaysAsItIs() {
        outbox.accept(listOf("zebra"), SOURCE)
        val batch = checkNotNull(outbox.oldest(1))
        outbox.accept(listOf("apple"), SOURCE)
        assertEquals(batch, outbox.oldest(1))
        outbox.remove(batch, refused = false)
        val next = checkNotNull(outbox.oldest(1))
        assertEquals(listOf("apple"), next.words)
        assertNotEquals(batch.id, next.id)
    }

    @Test
    fun aBatchThatIsNotDueWaitsForTheNextDay() {
        outbox.accept(listOf("zebra"), SOURCE)
        assertNull(outbox.oldest(2))
        now += 24 * 3_600_000
        assertEquals(listOf("zebra"), outbox.oldest(2)?.words)
    }

    @Test
    fun anotherSettingIsAnotherBatch() {
        outbox.accept(listOf("zebra"), SOURCE)
        val other = SOURCE.copy(setting = """{"mechanism":"exponential","epsilon":0.5}""")
        outbox.accept(listOf("apple"), other)
        assertEquals(2, outbox.status().batches)
        val first = checkNotNull(outbox.oldest(1))
        assertEquals(SOURCE, first.source)
        outbox.remove(first, refused = false)
        assertEquals(other, outbox.oldest(1)?.source)
    }

    @Test
    fun wordsThatRevealWhatTheyLeaveOutAreNotTaken() {
        assertThrows(IOException::class.java) {
            outbox.accept(listOf("zebra"), SOURCE.copy(isEstimable = false))
        }
        assertFalse(directory.exists())
    }

    @Test
    fun whatIsTooMuchGoesOldestFirstAndIsCounted() {
        val small = outbox(OutboxLimits(batches = 3, batchWords = 2))
        repeat(10) { small.accept(listOf("word$it"), SOURCE) }
        assertEquals(3, small.status().batches)
        assertEquals(2, small.status().dropped)
        assertEquals(listOf("word4", "word5"), small.oldest(1)?.words)

        val tiny = Outbox(File(temporary.root, "tiny"), vault, OutboxLimits(9, 2_000, 5)) { now }
        repeat(60) { tiny.accept(listOf("word$it"), SOURCE) }
        val status = tiny.status()
        assertTrue("$status", status.bytes in 1_000..2_000)
        assertEquals(12, status.batches + status.dropped)
    }

    /** Every file, cut short and with every byte changed: nothing comes out. */
    @Test
    fun damageIsNoticedAndDroppedWhole() {
        outbox.accept(listOf("zebra", "apple"), SOURCE)
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
                assertNull("$name: ${content.size} bytes", outbox().oldest(1))
                assertEquals(++damaged, outbox().status().damaged)
                assertEquals(0, outbox().status().batches)
                whole.filterKeys { it.name != "losses" }.forEach { (file, c) -> file.writeBytes(c) }
            }
        }
        assertEquals(listOf("apple", "zebra"), outbox().oldest(1)?.words)
    }

    @Test
    fun aFileInAnothersPlaceIsDamaged() {
        val small = outbox(OutboxLimits(batchWords = 1))
        repeat(2) { small.accept(listOf("word$it"), SOURCE) }
        File(directory, "000000000001.batch").renameTo(File(directory, "000000000003.batch"))
        assertEquals(listOf("word1"), small.oldest(1)?.words)
        small.remove(checkNotNull(small.oldest(1)), refused = false)
        assertNull(small.oldest(1))
        assertEquals(1, small.status().damaged)
    }

    @Test
    fun afterADamagedKeyItGoesOn() {
        outbox.accept(listOf("zebra"), SOURCE)
        File(directory, "key").writeBytes(ByteArray(7))
        outbox().accept(listOf("apple"), SOURCE)
        assertEquals(listOf("apple"), outbox.oldest(1)?.words) // the older object sees the new key
        assertEquals(1, outbox.status().damaged)
    }

    @Test
    fun aVaultThatFailsLosesNothing() {
        outbox.accept(listOf("zebra"), SOURCE)
        vault.fails = true
        val error = assertThrows(IOException::class.java) {
            outbox().accept(listOf("apple"), SOURCE)
        }
        assertTrue(error.message, "its vault fails" in error.message!!)
        assertThrows(IOException::class.java) { outbox().oldest(1) }
        vault.fails = false
        assertEquals(listOf("zebra"), outbox().oldest(1)?.words)
    }

    @Test
    fun clearingLeavesNothingAndSurvivesACrash() {
        outbox.accept(listOf("zebra"), SOURCE)
        outbox.clear()
        assertEquals(listOf("lock"), files().map(File::getName))
        outbox.accept(listOf("apple"), SOURCE)
        File(directory, "key").delete() // what a clear does first, and then the power is cut
        File(directory, "000000000009.batch.new").writeText("half of a fi")
        assertNull(outbox().oldest(1))
        assertEquals(listOf("lock"), files().map(File::getName))
    }

    @Test
    fun threadsAndObjectsShareIt() {
        val writers = List(4) { writer ->
            thread { repeat(25) { outbox().accept(listOf("w$writer-$it"), SOURCE) } }
        }
        writers.forEach(Thread::join)
        assertEquals(100, allWords().toSet().size)
    }

    /** What was acknowledged is there, whenever the process is killed; nothing else is. */
    @Test
    fun aKilledProcessLosesNothing() {
        val random = Random(20)
        var acknowledged = 0
        repeat(5) { round ->
            val told = temporary.newFile()
            val child = writingProcess("r$round", told)
            while (told.length() == 0L && child.isAlive) Thread.sleep(5)
            Thread.sleep(random.nextLong(50, 250))
            child.destroyForcibly().waitFor(10, TimeUnit.SECONDS)
            acknowledged += told.readText().count { it == '\n' }
            val words = allWords()
            val last = words.filter { it.startsWith("r$round-") }
            assertEquals(List(last.size) { "r$round-$it" }.toSet(), last.toSet())
            assertTrue("${words.size}, $acknowledged", words.size in acknowledged..acknowledged + 1)
            acknowledged = words.size // one may be stored, and not told
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

    /** Reads the batches without closing any. */
    private fun allWords(): List<String> {
        val key = checkNotNull(OutboxKey.read(File(directory, "key"), vault))
        return files().filter { it.name.endsWith(".batch") }.flatMap {
            val number = it.name.removeSuffix(".batch").toLong()
            checkNotNull(Batch.ofBytes(checkNotNull(key.open(number, it.readBytes())))).words
        }
    }

    private fun files(): List<File> = directory.listFiles().orEmpty().sortedBy(File::getName)
}

/** Puts words into an outbox until it is killed, and tells each one. */
internal fun main(arguments: Array<String>) {
    val outbox = Outbox(File(arguments[0]), TestVault())
    for (number in generateSequence(0, Int::inc)) {
        outbox.accept(listOf("${arguments[1]}-$number"), SOURCE)
        println("${arguments[1]}-$number")
    }
}
