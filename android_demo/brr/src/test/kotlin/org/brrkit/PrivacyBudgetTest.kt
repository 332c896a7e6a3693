package org.brrkit

import java.io.File
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.channels.FileLock
import java.nio.channels.ReadableByteChannel
import java.nio.channels.WritableByteChannel
import java.nio.file.Files
import java.security.MessageDigest
import java.time.Duration
import java.util.concurrent.atomic.AtomicInteger
import kotlin.random.Random
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Before
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder
import org.junit.rules.Timeout

private val HOUR = Duration.ofHours(1)
private const val HOUR_MS = 3_600_000L
private const val YEAR_MS = 365 * 24 * HOUR_MS
private const val U = "u"

/** The privacy budget: the spent amount is never below the released one, whatever happens. */
class PrivacyBudgetTest {
    @get:Rule
    val temporary = TemporaryFolder()

    /** A test that hangs fails. */
    @get:Rule
    val timeout: Timeout = Timeout.seconds(600)

    private var now = Instant(1_700_000_000_000, 500_000, "a")
    private lateinit var state: File
    private lateinit var budget: PrivacyBudget

    private fun pass(milliseconds: Long) {
        now = now.copy(time = now.time + milliseconds, uptime = now.uptime + milliseconds)
    }

    private fun setClock(by: Long) {
        now = now.copy(time = now.time + by)
    }

    private fun restart(off: Long, up: Long) {
        now = Instant(now.time + off + up, up, "%x".format(now.boot.toInt(16) + 1))
    }

    @Before
    fun tenAnHour() {
        state = File(temporary.root, "state")
        budget = budgetOf(10.0)
    }

    private fun budgetOf(limit: Double, period: Duration = HOUR) =
        PrivacyBudget(limit, period, state, { now })

    private fun refused(action: () -> Unit): String =
        assertThrows(BudgetException::class.java) { action() }.message!!

    private fun unusable(action: () -> Unit): String =
        assertThrows(BudgetFileException::class.java) { action() }.message!!

    private fun spent(): Long =
        Regex("\"spent\": ([0-9]+)").find(state.readText())!!.groupValues[1].toLong()

    @Test
    fun aNewBudgetIsFullAndWritesNothing() {
        assertEquals(10.0, budget.limit, 0.0)
        assertEquals(10.0, budget.remaining(), 0.0)
        assertFalse(state.exists())
    }

    @Test
    fun aPeriodHasTheUnitOfItsFirstRelease() {
        assertEquals(null, budget.unit())
        assertFalse(state.exists())
        budget.spend(1.0, unit = U)
        assertEquals(U, budgetOf(5.0).unit())
        pass(HOUR_MS - 1)
        assertEquals(U, budget.unit())
        pass(1)
        assertEquals(null, budget.unit())
        budget.spend(1.0, unit = "v")
        assertEquals("v", budget.unit())
        state.writeText("damaged")
        unusable { budget.unit() }
    }

    @Test
    fun theLimitCanBeReachedAndNotPassed() {
        budget.spend(1.0, 9, U)
        val before = state.readBytes()
        val tooMuch = listOf(1.0000001 to 1, 0.1 to 11, 0.5 to 3, 20.0 to 1, 1e9 to Int.MAX_VALUE)
        for ((epsilon, words) in tooMuch) {
            val message = refused { budget.spend(epsilon, words, U) }
            assertTrue(message, ", 1 of 10 is left; it renews in 3600 seconds" in message)
        }
        assertArrayEquals(before, state.readBytes())
        budget.spend(1.0, unit = U)
        assertEquals(0.0, budget.remaining(), 0.0)
        assertTrue("it costs 0.000000001, 0 of 10 is left" in refused { budget.spend(1e-9, 1, U) })
        budget.spend(1.0, 0, U)
    }

    /** Also with a lease, another object's spending, and reports that share the budget. */
    @Test
    fun wordsLeftAreWhatSpendAllows() {
        val random = Random(5)
        repeat(60) {
            state.delete()
            val used = budgetOf(random.nextDouble(0.1, 30.0))
            val other = budgetOf(used.limit + 3)
            repeat(random.nextInt(30)) {
                val spender = if (random.nextInt(10) > 0) used else other
                runCatching { spender.spend(listOf(0.3, 0.6255, 7.5).random(random), unit = U) }
                if (random.nextInt(20) == 0) pass(HOUR_MS)
            }
            val epsilon = listOf(0.1, 0.3, 0.6255).random(random)
            val left = used.wordsLeft(epsilon, U)
            refused { used.spend(epsilon, left + 1, U) }
            assertEquals(left, used.wordsLeft(epsilon, U))
            if (left > 0 && random.nextBoolean()) used.spend(epsilon, left, U)
            else repeat(left) { used.spend(epsilon, unit = U) }
            assertEquals(0, used.wordsLeft(epsilon, U))
        }
    }

    @Test
    fun wordsLeftAreOfAUnitAndAtMostWhatSpendTakes() {
        assertEquals(4, budget.wordsLeft(2.5, U))
        assertEquals(Int.MAX_VALUE, budgetOf(1e9).wordsLeft(1e-9, U))
        assertFalse(state.exists())
        budget.spend(1.0, unit = U)
        assertEquals(3, budget.wordsLeft(2.5, U))
        assertEquals(0, budget.wordsLeft(2.5, "v"))
        for (epsilon in listOf(0.0, -1.0, Double.NaN, 1.1e9)) {
            assertThrows(ParameterException::class.java) { budget.wordsLeft(epsilon, U) }
        }
        assertThrows(ParameterException::class.java) { budget.wordsLeft(1.0, "a b") }
        state.writeText("damaged")
        unusable { budget.wordsLeft(1.0, U) }
    }

    @Test
    fun decimalsReachTheLimitExactly() {
        val cases = listOf(0.1 to 0.1, 1.0 to 0.1, 0.3 to 0.1, 5.5 to 0.55, 22.18 to 22.18)
        for ((limit, epsilon) in cases) {
            state.delete()
            val words = Math.round(limit / epsilon).toInt()
            repeat(words) { budgetOf(limit).spend(epsilon, 1, U) }
            assertEquals(0.0, budgetOf(limit).remaining(), 0.0)
            refused { budgetOf(limit).spend(1e-9, 1, U) }
        }
    }

    @Test
    fun wrongNumbersAreRefused() {
        val wrong = listOf(0.0, -1.0, Double.NaN, Double.POSITIVE_INFINITY)
        for (number in wrong + 1.1e9) {
            assertThrows(ParameterException::class.java) { budgetOf(number) }
        }
        for (number in wrong + 0.5) {
            assertThrows(ParameterException::class.java) { budgetOf(1.0, seconds(number)) }
        }
        val costs = listOf(-1.0 to 1, 1.0 to -1, Double.NaN to 1, wrong.last() to 0, 1.1e9 to 0)
        for ((epsilon, words) in costs) {
            assertThrows(ParameterException::class.java) { budget.spend(epsilon, words, U) }
        }
        for (unit in listOf("", "a b", "a\"", "a\n", "é", "a".repeat(65))) {
            assertThrows(ParameterException::class.java) { budget.spend(1.0, 1, unit) }
        }
        for (path in listOf("", ".", "..", "a\u0000b")) {
            assertThrows(ParameterException::class.java) { PrivacyBudget(1.0, HOUR, File(path)) }
        }
        assertFalse(state.exists())
    }

    @Test
    fun aCostIsRoundedUpAndALimitDown() {
        val budget = budgetOf(1.9999999999)
        assertEquals(1.999999999, budget.remaining(), 0.0)
        budget.spend(1.0000000001, 1, U)
        assertEquals(0.999999998, budget.remaining(), 0.0)
    }

    @Test
    fun aPeriodBelongsToAUnit() {
        budget.spend(1.0, 1, "one")
        val before = state.readBytes()
        pass(HOUR_MS - 1000)
        for (words in 0..1) {
            val message = refused { budget.spend(1.0, words, "another") }
            assertTrue(message, "its own state file" in message)
            assertTrue(message, message.endsWith("the period ends in 1 seconds"))
        }
        assertArrayEquals(before, state.readBytes())
        pass(1000)
        budget.spend(2.0, 1, "another")
        refused { budget.spend(1.0, 1, "one") }
        assertEquals(8.0, budget.remaining(), 0.0)
    }

    @Test
    fun aPeriodStartsWithItsFirstReleaseAndRenews() {
        budget.spend(1.0, 1, U)
        pass(10 * HOUR_MS)
        assertEquals(10.0, budget.remaining(), 0.0) // looking starts nothing
        pass(HOUR_MS / 2)
        budget.spend(1.0, 1, U)
        pass(HOUR_MS - 1)
        assertEquals(9.0, budget.remaining(), 0.0)
        assertTrue("it renews in 1 seconds" in refused { budget.spend(10.0, 1, U) })
        pass(1)
        assertEquals(10.0, budget.remaining(), 0.0)
    }

    @Test
    fun settingTheClockRenewsAndDelaysNothing() {
        for (step in listOf(HOUR_MS, -HOUR_MS, YEAR_MS, -YEAR_MS, -now.time)) {
            state.delete()
            budget.spend(1.0, 10, U)
            repeat(20) {
                setClock(step)
                refused { budget.spend(1.0, 1, U) }
                setClock(-2 * step)
                assertEquals(0.0, budget.remaining(), 0.0)
            }
            pass(HOUR_MS)
            assertEquals(10.0, budget.remaining(), 0.0)
        }
    }

    @Test
    fun theTimeOffCounts() {
        budget.spend(1.0, 10, U)
        pass(600_000)
        restart(off = 1_200_000, up = 60_000)
        assertTrue("it renews in 1740 seconds" in refused { budget.spend(1.0, 1, U) })
        pass(1_739_999)
        assertEquals(0.0, budget.remaining(), 0.0)
        pass(1)
        assertEquals(10.0, budget.remaining(), 0.0)
    }

    @Test
    fun afterTheFirstLookTheClockDoesntCount() {
        val looks = listOf({ assertEquals(0.0, budget.remaining(), 0.0) }, { refused { spend() } })
        for (look in looks) {
            state.delete()
            budget.spend(1.0, 10, U)
            restart(off = 60_000, up = 5_000)
            look()
            setClock(YEAR_MS)
            assertEquals(0.0, budget.remaining(), 0.0)
            pass(HOUR_MS - 65_001)
            refused { spend() }
            pass(1)
            assertEquals(10.0, budget.remaining(), 0.0)
        }
    }

    private fun spend() = budget.spend(1.0, 1, U)

    @Test
    fun aWrongClockAfterARestartRenewsNothing() {
        budget.spend(1.0, 10, U)
        repeat(3) {
            val right = now.time + 70_000
            restart(off = 60_000, up = 10_000)
            now = now.copy(time = 100_000) // 1970
            assertEquals(0.0, budget.remaining(), 0.0)
            now = now.copy(time = right)
            assertEquals(0.0, budget.remaining(), 0.0)
            pass(100_000)
        }
        val right = now.time
        pass(HOUR_MS - 130_000)
        now = now.copy(time = 100_000)
        budget.spend(1.0, 10, U) // a new period, under the wrong clock
        now = now.copy(time = right + HOUR_MS - 130_000)
        restart(off = 60_000, up = 10_000)
        assertEquals(0.0, budget.remaining(), 0.0)
    }

    @Test
    fun withoutAnIdOfTheStartASmallerUptimeTells() {
        now = now.copy(boot = "")
        budget.spend(1.0, 10, U) // up for 500 s
        now = Instant(now.time + 100_000, 20_000, "")
        assertEquals(0.0, budget.remaining(), 0.0)
        now = Instant(now.time + 100_000_000, 80_000, "") // taken for 60 s: never too much
        assertTrue("it renews in 3440 seconds" in refused { spend() })
        now = Instant(now.time + HOUR_MS, 5_000, "")
        assertEquals(10.0, budget.remaining(), 0.0)
    }

    @Test
    fun anyClockCounts() {
        for (time in listOf(Long.MIN_VALUE, -5, 0, 1, Long.MAX_VALUE)) {
            state.delete()
            now = Instant(time, 500_000, "a")
            repeat(2) {
                budget.spend(1.0, 10, U)
                refused { spend() }
                now = now.copy(uptime = now.uptime + HOUR_MS)
                assertEquals(10.0, budget.remaining(), 0.0)
            }
        }
    }

    /** In any time shorter than a period: the bound of `docs/explanation/proofs.md`. */
    @Test
    fun whatAWindowCanHold() {
        val source = Random(5)
        var most = 0
        for (wrong in listOf(false, true)) {
            repeat(40) {
                state = File(temporary.root, "history-$wrong-$it")
                val (released, restarts) = history(source, budgetOf(3.0), wrong)
                for (start in released) {
                    val held = released.count { time -> time in start until start + HOUR_MS }
                    val inside = restarts.count { time -> time in start + 1 until start + HOUR_MS }
                    assertTrue("$held, $inside", held <= 3 * (2 + if (wrong) inside else 0))
                    if (inside == 0) most = maxOf(most, held)
                }
            }
        }
        assertTrue("it isn't vacuous", most > 3)
    }

    /** Returns the true times of releases and of restarts, in a history of 80 events. */
    private fun history(
        source: Random,
        budget: PrivacyBudget,
        wrong: Boolean,
    ): Pair<List<Long>, List<Long>> {
        var trueTime = 0L
        val released = mutableListOf<Long>()
        val restarts = mutableListOf<Long>()
        repeat(80) {
            val length = listOf(1L, 60, 1000, 2000, 3600, 10_800).random(source) * 1000
            when (source.nextInt(8)) {
                0 -> {
                    pass(length)
                    trueTime += length
                }
                1 -> {
                    val up = listOf(1_000L, 600_000, 5_000_000).random(source)
                    restart(length, up)
                    trueTime += length + up
                    restarts += trueTime
                }
                2 -> if (wrong) setClock(listOf(1, -1).random(source) * maxOf(length, YEAR_MS))
                3 -> budget.remaining()
                else -> try {
                    budget.spend(1.0, 1, U)
                    released += trueTime
                } catch (_: BudgetException) {
                    // the limit is reached
                }
            }
        }
        return released to restarts
    }

    @Test
    fun theDefaultClocksAreTheSystems() {
        val start = System.currentTimeMillis()
        val before = deviceClock()
        PrivacyBudget(1.0, HOUR, state).spend(1.0, 1, U)
        val after = deviceClock()
        val uptime = Regex("\"uptime\": ([0-9]+)").find(state.readText())!!.groupValues[1].toLong()
        assertTrue("$uptime", uptime in before.uptime..after.uptime)
        assertTrue(before.time in start..System.currentTimeMillis())
        assertEquals(before.boot, after.boot)
        val boot = File("/proc/sys/kernel/random/boot_id")
        if (boot.exists()) assertEquals(boot.readText().trim(), before.boot)
    }

    private val good = listOf(
        "format" to "\"brr-budget\"",
        "format_version" to "1",
        "unit" to "\"u\"",
        "spent" to "5000000000",
        "elapsed" to "0",
        "latest" to "1700000000000",
        "boot" to "\"a\"",
        "uptime" to "500000",
    )

    private fun fieldsOf(values: List<Pair<String, String>>) =
        values.joinToString(", ", "{") { (name, value) -> "\"$name\": $value" }

    /** Returns a state's line with the right digest. */
    private fun signed(fields: String): String {
        val digest = MessageDigest.getInstance("SHA-256").digest(fields.toByteArray())
        return "$fields, \"sha256\": \"${hexadecimal(digest)}\"}\n"
    }

    private fun assertDamaged(content: ByteArray) {
        state.writeBytes(content)
        val message = unusable { budget.remaining() }
        assertTrue(message, "$state: not a budget's state, or damaged; nothing is" in message)
    }

    @Test
    fun aDamagedStateStopsReleases() {
        val fields = fieldsOf(good)
        val text = signed(fields)
        val numbers = listOf(
            "-1", "-0", "00", "01", "+1", "1.0", "1e3", "true", "null", "\"0\"", "[0]", "NaN", "",
            "１", "1".repeat(20), "1".repeat(400), "9223372036854775808",
        )
        val hostile = listOf("spent", "elapsed", "latest", "uptime").flatMap { name ->
            numbers.map { name to it }
        } + listOf("elapsed", "latest", "uptime").map { it to "1000000000000000" } + listOf(
            "format" to "\"brr-bundle\"", "format_version" to "2", "unit" to "\"\"",
            "unit" to "\"a b\"", "unit" to "\"${"a".repeat(65)}\"", "boot" to "\"A\"",
            "boot" to "\"${"a".repeat(37)}\"", "boot" to "null",
        )
        val damaged = listOf(
            "", "\u0000".repeat(100), "{", "{}", "[]", "null", "5", "[".repeat(4000),
            " ".repeat(5000) + text, text.dropLast(1), text + "x", text + "\n", text + text,
            "$fields}\n", signed(fields.replace(", ", ",")), signed("$fields, \"spent\": 0"),
            signed(fieldsOf(good.reversed())), signed(fieldsOf(good - good[3])),
            signed(fields.replace("\"u\"", "\"\\u0075\"")), signed(fields).uppercase(),
        ) + hostile.map { (name, value) -> signed(fieldsOf(good.replaced(name, value))) }
        for (content in damaged) {
            assertDamaged(content.toByteArray())
            unusable { spend() }
            assertEquals("a damaged state was replaced", content, state.readText())
        }
        state.writeText(text)
        assertEquals(5.0, budget.remaining(), 0.0)
    }

    private fun List<Pair<String, String>>.replaced(name: String, value: String) =
        map { if (it.first == name) name to value else it }

    /** Every flipped bit, truncation, missing byte and swap, and some inserted bytes. */
    @Test
    fun noDamageGivesAnythingBack() {
        now = now.copy(boot = "ef2dfdac-f43f-4f69-9b69-13a9458de22e")
        budget.spend(0.123456789, 61, "0123456789abcdef".repeat(4))
        pass(12_345)
        budget.spend(0.25, 1, "0123456789abcdef".repeat(4))
        val line = state.readBytes()
        for (i in line.indices) {
            val (before, after) = line.copyOf(i) to line.copyOfRange(i + 1, line.size)
            for (bit in 0 until 8) {
                assertDamaged(before + (line[i].toInt() xor (1 shl bit)).toByte() + after)
            }
            assertDamaged(before)
            assertDamaged(before + after)
            for (extra in "0 9\"a,\n") assertDamaged(before + extra.code.toByte() + line[i] + after)
            if (after.isNotEmpty() && after[0] != line[i]) {
                assertDamaged(before + after[0] + line[i] + after.drop(1))
            }
        }
        state.writeBytes(line)
        assertEquals(2.219135871, budget.remaining(), 0.0)
    }

    private fun assertRefused(path: File, expected: String) {
        val budget = PrivacyBudget(10.0, HOUR, path)
        for (attempt in listOf({ budget.remaining() }, { budget.spend(1.0, 1, U) })) {
            val message = unusable { attempt() }
            assertTrue(message, expected in message)
            assertTrue(message, message.length <= 400 && '\n' !in message)
        }
    }

    @Test
    fun linksAreRefused() {
        for (name in listOf("link", "link.lock")) {
            spend()
            val link = File(temporary.root, name).toPath()
            Files.deleteIfExists(link)
            for (target in listOf("state", "missing", name)) {
                Files.createSymbolicLink(link, File(temporary.root, target).toPath())
                assertRefused(File(temporary.root, "link"), "$name: a symbolic link; nothing is")
                Files.delete(link)
            }
            Files.createLink(link, state.toPath())
            assertRefused(File(temporary.root, "link"), "$name: has 2 hard links; nothing is")
            assertTrue("state: has 2 hard links" in unusable { budget.remaining() })
            Files.delete(link)
        }
        assertFalse(File(temporary.root, "missing").exists())
        assertEquals(8.0, budget.remaining(), 0.0)
    }

    @Test
    fun whatIsntAFileIsRefusedAtOnce() {
        for (name in listOf("state", "state.lock")) {
            val file = File(temporary.root, name)
            file.delete()
            assertEquals(0, ProcessBuilder("mkfifo", file.path).start().waitFor())
            assertRefused(state, "$name: not a regular file; nothing is released until")
            file.delete()
            file.mkdir()
            assertRefused(state, "$name: not a regular file; nothing is released until")
            file.delete()
        }
        val new = File(temporary.root, "state.new")
        assertEquals(0, ProcessBuilder("mkfifo", new.path).start().waitFor())
        spend()
        assertFalse(new.exists())
        val victim = temporary.newFile()
        Files.createSymbolicLink(new.toPath(), victim.toPath())
        spend()
        assertEquals(0, victim.length())
    }

    @Test
    fun twoPathsToADirectoryAreOneBudget() {
        val alias = File(temporary.root, "alias")
        Files.createSymbolicLink(alias.toPath(), temporary.root.toPath())
        val released = File(temporary.root, "released")
        val roundabout = File(alias, "../${temporary.root.name}/state")
        val children = listOf(state, File(alias, "state"), roundabout)
            .map { spendingProcess(5.0, 40, released, it) }
        for (child in children) assertEquals(0, child.waitFor())
        assertEquals(40, released.length()) // 120 wanted, 5 / 0.125 allowed
        assertEquals(listOf("state.lock"), temporary.root.list()!!.filter { it.endsWith(".lock") })
    }

    @Test
    fun messagesAreOneShortLine() {
        for (name in listOf("x".repeat(300), "d/".repeat(3000) + "x", "a\nb\u001b[31m")) {
            val path = File(temporary.root, name)
            if (name.length < 100) path.writeText("damaged")
            assertRefused(path, "nothing is released until")
        }
    }

    /**
     * No test can cut the power, so this one checks the folder at every flush. The old state stays in place until
     * the new one is on disk, and the replacement is flushed.
     */
    @Test
    fun theStateIsFlushedBeforeItTakesItsPlace() {
        spend()
        val old = state.readText()
        val new = File(temporary.root, "state.new")
        val events = mutableListOf<String>()
        val watched = PrivacyBudget(10.0, HOUR, state, { now }) { path, options ->
            Watched(FileChannel.open(path, *options)) { what ->
                val length = if (new.exists()) new.length() else null
                val stored = if (state.readText() == old) "old" else "new"
                events += "$what ${path.fileName}: $stored state, new file $length"
            }
        }
        watched.spend(1.0, 1, U)
        val size = state.length()
        val folder = temporary.root.name
        assertEquals(
            listOf(
                "write state.new: old state, new file $size",
                "force state.new: old state, new file $size",
                "force $folder: new state, new file null",
            ),
            events,
        )
    }

    @Test
    fun aStateThatCantBeWrittenStopsReleases() {
        File(temporary.root, "file").createNewFile()
        File(temporary.root, "folder").mkdir()
        for (path in listOf("missing/state", "file/state", "folder")) {
            val broken = PrivacyBudget(10.0, HOUR, File(temporary.root, path))
            assertTrue("nothing is released until" in unusable { broken.remaining() })
            assertTrue("nothing is released until" in unusable { broken.spend(1.0, 1, U) })
        }
    }

    @Test
    fun aLeftOverTemporaryFileIsNoState() {
        budget.spend(1.0, 1, U)
        File(temporary.root, "state.new").writeText("garbage")
        assertEquals(9.0, budget.remaining(), 0.0)
        budget.spend(1.0, 1, U)
        assertEquals(8.0, budget.remaining(), 0.0)
    }

    @Test
    fun threadsAndProcessesShareABudget() {
        val released = File(temporary.root, "released")
        val children = List(3) { spendingProcess(20.0, 1000, released) }
        inThreads { spendAndNote(PrivacyBudget(20.0, seconds(1e6), state), 1000, released) }
        for (child in children) assertEquals(0, child.waitFor())
        assertEquals(160, released.length()) // 20 / 0.125; whoever is refused has used up its lease
        assertEquals(0.0, PrivacyBudget(20.0, seconds(1e6), state).remaining(), 0.0)
    }

    @Test
    fun killedAtAnyInstantNoLessIsSpentThanReleased() {
        val released = File(temporary.root, "released")
        val source = Random(1)
        var total = 0L
        repeat(8) {
            val child = spendingProcess(1e6, 1_000_000, released)
            while (released.length() == total) Thread.sleep(1) // it has started
            Thread.sleep(source.nextLong(60))
            child.destroyForcibly().waitFor()
            total = released.length()
            val spent = (1e6 - PrivacyBudget(1e6, seconds(1e6), state).remaining()) / 0.125
            // Each loses an unreleased word and a lease, which is at most the amount that it released.
            assertTrue("$spent spent, $total released", spent >= total && spent <= 2 * total + it + 1)
        }
        assertTrue("$total", total >= 8)
    }

    @Test
    fun aLeaseNeedsNoDiskAndWhatIsBeyondItDoes() {
        repeat(2) { spend() } // and one more
        assertEquals(3_000_000_000, spent())
        assertEquals(8.0, budget.remaining(), 0.0)
        assertEquals(7.0, budgetOf(10.0).remaining(), 0.0) // another one's lease isn't its own
        state.writeText("damaged")
        unusable { budget.spend(1.0, 2, U) }
        spend()
        unusable { spend() }
        assertEquals("damaged", state.readText())
    }

    @Test
    fun aLeaseEndsWithItsPeriod() {
        repeat(2) { spend() }
        pass(HOUR_MS)
        assertTrue(", 10 of 10 is left" in refused { budget.spend(1.0, 11, U) })
        budget.spend(1.0, 10, U)
        assertEquals(10_000_000_000, spent())
        pass(HOUR_MS)
        repeat(2) { spend() }
        pass(HOUR_MS)
        budgetOf(10.0).spend(1.0, 10, U)
        assertTrue(", 0 of 10 is left" in refused { spend() })
    }

    @Test
    fun aLeaseLastsAsLongAsItsPeriod() {
        repeat(2) { spend() }
        setClock(YEAR_MS)
        pass(HOUR_MS - 1)
        spend()
        assertEquals(3_000_000_000, spent())
    }

    @Test
    fun aLeaseEndsWithARestart() {
        repeat(2) { spend() }
        restart(off = 1, up = 1)
        spend()
        assertEquals(4_000_000_000, spent())
    }

    @Test
    fun aLeaseIsOfOneUnit() {
        repeat(2) { spend() }
        for (words in 0..1) {
            val message = refused { budget.spend(1.0, words, "another") }
            assertTrue(message, "its own state file" in message)
        }
        spend()
        assertEquals(3_000_000_000, spent())
    }

    @Test
    fun leasesLeaveTheOthersMostOfWhatIsLeft() {
        val budgets = List(5) { budgetOf(1000.0) }
        for (budget in budgets) {
            budget.spend(1.0, 100, U)
            val left = 999_000_000_000 - spent()
            budget.spend(1.0, 1, U)
            assertTrue(1_000_000_000_000 - spent() >= left / 8 * 7)
        }
        val last = budgetOf(1000.0)
        last.spend(1.0, last.remaining().toInt(), U)
        assertEquals(1_000_000_000_000, spent())
        for (budget in budgets) budget.spend(1.0, budget.remaining().toInt(), U)
        assertEquals(1_000_000_000_000, spent())
    }

    @Test
    fun aRemovedStateIsForgottenAtTheNextLook() {
        repeat(2) { spend() }
        state.delete()
        assertEquals(10.0, budget.remaining(), 0.0)
        spend()
        assertEquals(1_000_000_000, spent())
    }

    @Test
    fun threadsShareALease() {
        val budget = budgetOf(200.0)
        val released = AtomicInteger()
        inThreads {
            try {
                while (true) {
                    budget.spend(0.125, 1, U)
                    released.incrementAndGet()
                }
            } catch (_: BudgetException) {
                // the limit is reached
            }
        }
        assertEquals(1600, released.get())
    }

    @Test
    fun usedUpSaysWhatIsLeftAndUntilWhen() {
        repeat(2) { spend() }
        pass(600_500)
        for ((words, unit, left) in listOf(Triple(9, U, 8.0), Triple(1, "another", 0.0))) {
            val error = assertThrows(BudgetException::class.java) { budget.spend(1.0, words, unit) }
            assertEquals(left, error.left, 0.0)
            assertEquals(Duration.ofSeconds(3000), error.renewsIn)
        }
    }

    private fun spendingProcess(
        limit: Double,
        times: Int,
        released: File,
        state: File = this.state,
    ): Process {
        val java = File(System.getProperty("java.home"), "bin/java").path
        val classes = System.getProperty("surefire.test.class.path")
            ?: System.getProperty("java.class.path")
        return ProcessBuilder(
            java, "-cp", classes, "-Xshare:auto", "-XX:TieredStopAtLevel=1",
            "org.brrkit.PrivacyBudgetTestKt", state.path, "$limit", "$times", released.path,
        ).inheritIO().start()
    }
}

/** A file's channel that reports every write and flush. */
private class Watched(
    private val channel: FileChannel,
    private val tell: (String) -> Unit,
) : FileChannel() {
    override fun write(source: ByteBuffer) = channel.write(source).also { tell("write") }

    override fun force(metaData: Boolean) {
        channel.force(metaData)
        tell("force")
    }

    override fun read(target: ByteBuffer) = channel.read(target)

    override fun lock(position: Long, size: Long, shared: Boolean): FileLock =
        channel.lock(position, size, shared)

    override fun implCloseChannel() = channel.close()

    /** The rest isn't used; a test that gets here fails. */
    private fun unused(): Nothing = throw UnsupportedOperationException()

    override fun read(targets: Array<ByteBuffer>, offset: Int, length: Int): Nothing = unused()

    override fun write(sources: Array<ByteBuffer>, offset: Int, length: Int): Nothing = unused()

    override fun position(): Nothing = unused()

    override fun position(newPosition: Long): Nothing = unused()

    override fun size(): Nothing = unused()

    override fun truncate(size: Long): Nothing = unused()

    override fun transferTo(position: Long, count: Long, target: WritableByteChannel): Nothing =
        unused()

    override fun transferFrom(source: ReadableByteChannel, position: Long, count: Long): Nothing =
        unused()

    override fun read(target: ByteBuffer, position: Long): Nothing = unused()

    override fun write(source: ByteBuffer, position: Long): Nothing = unused()

    override fun map(mode: MapMode, position: Long, size: Long): Nothing = unused()

    override fun tryLock(position: Long, size: Long, shared: Boolean): Nothing = unused()
}

/** Spends an eighth a number of times. Appends a byte to [released] after each. */
private fun spendAndNote(budget: PrivacyBudget, times: Int, released: File) {
    repeat(times) {
        try {
            budget.spend(0.125, 1, U)
            released.appendBytes(byteArrayOf(1))
        } catch (_: BudgetException) {
            return // the limit is reached
        }
    }
}

fun main(arguments: Array<String>) {
    val (state, limit, times, released) = arguments
    val budget = PrivacyBudget(limit.toDouble(), seconds(1e6), File(state))
    spendAndNote(budget, times.toInt(), File(released))
}
