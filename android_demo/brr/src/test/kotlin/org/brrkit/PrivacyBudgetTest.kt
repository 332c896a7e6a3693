package org.brrkit

import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Before
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder
import java.io.File
import java.util.concurrent.TimeUnit
import kotlin.random.Random

private const val HOUR = 3600.0

/** The privacy budget: never less spent than released, whatever happens. */
class PrivacyBudgetTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private var now = 1_700_000_000L
    private lateinit var state: File
    private lateinit var budget: PrivacyBudget

    @Before
    fun tenAnHour() {
        state = File(temporary.root, "state")
        budget = budgetOf(10.0)
    }

    private fun budgetOf(limit: Double, period: Double = HOUR) =
        PrivacyBudget(limit, period, state) { now }

    private fun refused(action: () -> Unit): String =
        assertThrows(BudgetException::class.java) { action() }.message!!

    @Test
    fun aNewBudgetIsFullAndWritesNothing() {
        assertEquals(10.0, budget.remaining(), 0.0)
        assertFalse(state.exists())
    }

    @Test
    fun theLimitCanBeReachedAndNotPassed() {
        budget.spend(1.0, 9)
        val before = state.readBytes()
        val tooMuch = listOf(1.0000001 to 1, 0.1 to 11, 0.5 to 3, 20.0 to 1, 1e300 to 9)
        for ((epsilon, words) in tooMuch) {
            val message = refused { budget.spend(epsilon, words) }
            assertTrue(message, ", 1 of 10 is left; it renews in 3600 seconds" in message)
        }
        assertArrayEquals(before, state.readBytes())
        budget.spend(1.0)
        assertEquals(0.0, budget.remaining(), 0.0)
        assertTrue("it costs 0.000000001, 0 of 10 is left" in refused { budget.spend(1e-9) })
        budget.spend(1.0, 0)
    }

    @Test
    fun decimalsReachTheLimitExactly() {
        val cases = listOf(0.1 to 0.1, 1.0 to 0.1, 0.3 to 0.1, 5.5 to 0.55, 22.18 to 22.18)
        for ((limit, epsilon) in cases) {
            state.delete()
            val words = Math.round(limit / epsilon).toInt()
            repeat(words) { budgetOf(limit).spend(epsilon) }
            assertEquals(0.0, budgetOf(limit).remaining(), 0.0)
            refused { budgetOf(limit).spend(1e-9) }
        }
    }

    @Test
    fun wrongNumbersAreRefused() {
        val wrong = listOf(0.0, -1.0, Double.NaN, Double.POSITIVE_INFINITY)
        for (number in wrong + 1.1e9) {
            assertThrows(ParameterException::class.java) { budgetOf(number) }
        }
        for (number in wrong + 0.5) {
            assertThrows(ParameterException::class.java) { budgetOf(1.0, number) }
        }
        for ((epsilon, words) in listOf(-1.0 to 1, 1.0 to -1, Double.NaN to 1, wrong.last() to 0)) {
            assertThrows(ParameterException::class.java) { budget.spend(epsilon, words) }
        }
        assertFalse(state.exists())
    }

    @Test
    fun aPeriodStartsWithItsFirstReleaseAndRenews() {
        budget.spend(1.0)
        now += 36_000
        assertEquals(10.0, budget.remaining(), 0.0) // looking starts nothing
        now += 1_800
        budget.spend(1.0)
        now += 3_599
        assertEquals(9.0, budget.remaining(), 0.0)
        assertTrue("it renews in 1 seconds" in refused { budget.spend(10.0) })
        now += 1
        assertEquals(10.0, budget.remaining(), 0.0)
    }

    @Test
    fun settingTheClockBackRenewsNothing() {
        budget.spend(1.0, 9)
        for (back in listOf(1L, 3_600L, 1_700_000_000L, 1L shl 33)) {
            now -= back
            assertEquals(1.0, budget.remaining(), 0.0)
            refused { budget.spend(1.0, 2) }
            now += back
        }
        now += 3_600
        budget.spend(1.0, 10)
        now -= 3_600
        refused { budget.spend(1.0) }
    }

    @Test
    fun theLatestTimeEverSeenIsKept() {
        budget.spend(1.0)
        now += 100
        budget.spend(1.0)
        now -= 3_600 // to before the period
        budget.spend(1.0)
        assertTrue("\"latest\": 1700000100," in state.readText())
        assertEquals(7.0, budget.remaining(), 0.0)
        assertTrue("it renews in 3500 seconds" in refused { budget.spend(8.0) })
    }

    @Test
    fun aClockBefore1970IsTakenAs1970() {
        now = -5
        budget.spend(1.0)
        assertTrue("\"period_start\": 0, \"latest\": 0," in state.readText())
        assertEquals(9.0, budget.remaining(), 0.0)
    }

    @Test
    fun theStateIsPythons() {
        budget.spend(0.5, 3)
        now += 10
        budget.spend(0.5)
        assertEquals(
            """{"format": "brr-budget", "format_version": 1, "period_start": 1700000000, """ +
                """"latest": 1700000010, "spent": 2000000000}""",
            state.readText(),
        )
    }

    private val good = mapOf<String, Any?>(
        "format" to "brr-budget",
        "format_version" to 1L,
        "period_start" to 1_700_000_000L,
        "latest" to 1_700_000_000L,
        "spent" to 5_000_000_000L,
    )

    @Test
    fun aDamagedStateStopsReleases() {
        val text = toJson(good)
        val damaged = listOf(
            "", "\u0000".repeat(100), "{", "{}", "[]", "null", "5", "[".repeat(4000),
            " ".repeat(5000) + text, text.dropLast(1), text + "x", toJson(good + ("more" to 1)),
            toJson(good - "spent"),
        ) + listOf<Pair<String, Any?>>(
            "format" to "brr-bundle", "format" to null, "format_version" to 2, "spent" to -1,
            "format_version" to "1", "period_start" to -1, "period_start" to 1.5,
            "period_start" to 1_700_000_001, "period_start" to true, "latest" to "now",
            "latest" to 1_699_999_999, "spent" to 1.0, "spent" to null, "spent" to "0",
            "spent" to listOf(0), "spent" to java.math.BigInteger.TEN.pow(400),
            "spent" to java.math.BigInteger.ONE.shiftLeft(63),
        ).map { toJson(good + it) }
        for (content in damaged) {
            state.writeText(content)
            for (message in listOf(refused { budget.remaining() }, refused { budget.spend(1.0) })) {
                assertTrue(message, "$state: not a budget's state; nothing is released" in message)
            }
            assertEquals("a damaged state was replaced", content, state.readText())
        }
        state.writeText(text)
        assertEquals(5.0, budget.remaining(), 0.0)
    }

    @Test
    fun aStateThatCantBeWrittenStopsReleases() {
        File(temporary.root, "file").createNewFile()
        File(temporary.root, "folder").mkdir()
        for (path in listOf("missing/state", "file/state", "folder")) {
            val broken = PrivacyBudget(10.0, HOUR, File(temporary.root, path))
            assertTrue("can't be " in refused { broken.remaining() })
            assertTrue("can't be " in refused { broken.spend(1.0) })
        }
    }

    @Test
    fun aLeftOverTemporaryFileIsNoState() {
        budget.spend(1.0)
        File(temporary.root, "state.new").writeText("garbage")
        assertEquals(9.0, budget.remaining(), 0.0)
        budget.spend(1.0)
        assertEquals(8.0, budget.remaining(), 0.0)
    }

    @Test
    fun threadsAndProcessesShareABudget() {
        val released = File(temporary.root, "released")
        val children = List(3) { spendingProcess(20.0, 40, released) }
        inThreads { spendAndNote(state, 20.0, 10, released) }
        for (child in children) assertEquals(0, child.waitFor())
        assertEquals(160, released.length()) // 200 wanted, 20 / 0.125 allowed
        assertEquals(0.0, PrivacyBudget(20.0, 1e6, state).remaining(), 0.0)
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
            child.destroyForcibly().waitFor(10, TimeUnit.SECONDS)
            total = released.length()
            val spent = (1e6 - PrivacyBudget(1e6, 1e6, state).remaining()) / 0.125
            assertTrue("$spent spent, $total released", spent >= total && spent <= total + it + 1)
        }
        assertTrue("$total", total > 8)
    }

    private fun spendingProcess(limit: Double, times: Int, released: File): Process {
        val java = File(System.getProperty("java.home"), "bin/java").path
        val classes = System.getProperty("surefire.test.class.path")
            ?: System.getProperty("java.class.path")
        return ProcessBuilder(
            java, "-cp", classes, "-Xshare:auto", "-XX:TieredStopAtLevel=1",
            "org.brrkit.PrivacyBudgetTestKt", state.path, "$limit", "$times", released.path,
        ).inheritIO().start()
    }
}

/** Spends an eighth so many times; after each, a byte is appended to [released]. */
private fun spendAndNote(state: File, limit: Double, times: Int, released: File) {
    val budget = PrivacyBudget(limit, 1e6, state)
    repeat(times) {
        try {
            budget.spend(0.125)
            released.appendBytes(byteArrayOf(1))
        } catch (_: BudgetException) {
            return // the limit is reached
        }
    }
}

fun main(arguments: Array<String>) {
    val (state, limit, times, released) = arguments
    spendAndNote(File(state), limit.toDouble(), times.toInt(), File(released))
}
