package org.brrkit

import java.io.File
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.file.Files
import java.security.MessageDigest
import java.time.Duration
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNotEquals
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder

/** The frozen cases of `spec/vectors` that don't belong to a bundle; the others are in [GoldenCasesTest]. */
class VectorsTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private var now = Instant(0, 0, "")

    @Test
    fun exactNumbers() {
        for (case in Vectors.read("exact").objects("cases")) assertEquals(case, numbersOf(case))
    }

    @Test
    fun premises() {
        val content = Vectors.read("tables")
        fun number(case: Map<*, *>, name: String) = (case[name] as Number).toDouble()
        val checks = content.objects("weights").map { case ->
            val weights = (case["weights"] as String).split(" ").map(String::toLong).toLongArray()
            val (total, cap) = case["total"] as String to (case["cap"] as Number?)?.toDouble()
            val largest = (case["largest"] as Long).toInt()
            case to { checkWeights(weights, number(case, "epsilon"), largest, total.toBigInteger(), cap) }
        } + content.objects("flips").map { case ->
            case to { checkFlips(case["threshold"] as Long, number(case, "epsilon")) }
        } + content.objects("keep").map { case ->
            val threshold = (case["threshold"] as String).toBigInteger()
            case to { checkKeep(threshold, number(case, "cap"), (case["symbols"] as Long).toInt()) }
        }
        assertTrue(checks.size >= 40)
        for ((case, check) in checks) {
            if (case["holds"] == true) check()
            else assertThrows("$case", ParameterException::class.java) { check() }
        }
    }

    @Test
    fun printedTables() {
        for (case in Vectors.read("tables").objects("printed")) {
            val bundle = temporary.newFolder()
            Vectors.folder(case["bundle"] as String).copyRecursively(bundle, overwrite = true)
            File(bundle, "manifest.json").writeText(case["manifest"] as String)
            assertEquals(case["tables"], tablesOf(WordBundle.open(bundle)))
        }
        assertThrows(ParameterException::class.java) { tablesOf(Vectors.bundles.getValue("list")) }
    }

    @Test
    fun texts() {
        for (given in Vectors.read("tokenizer").objects("vocabularies")) {
            val vocabulary = (given["vocabulary"] as List<*>).map { it as String }
            val masses = (given["masses"] as List<*>).map { (it as Long).toInt() }
            val writing = checkNotNull(readWriting(given["writing"])) { "$given" }
            val tokenizer = tokenizerOf(writing, vocabulary, masses, given["list_of"] as String?)
            for (case in given.objects("texts")) {
                val text = case["text"] as String
                val tokens = tokenizer.read(text)
                assertEquals("$case", case["tokens"], tokens.map { it.text })
                assertEquals("$case", case["words"], tokens.map { vocabulary.getOrNull(it.wordId) })
                assertEquals("$case", case["finished"], tokenizer.finished(text).codePoints.toLong())
            }
        }
    }

    @Test
    fun everyCodePoint() {
        var next = 0L
        for (case in Vectors.read("tokenizer").objects("characters")) {
            assertEquals(next, case["first"])
            val codePoints = (case["first"] as Long).toInt()..(case["last"] as Long).toInt()
            val made = ByteBuffer.allocate(4 * codePoints.count()).order(ByteOrder.LITTLE_ENDIAN)
            for (codePoint in codePoints) made.putInt(outcome(codePoint))
            val digest = MessageDigest.getInstance("SHA-256").digest(made.array())
            assertEquals("$case", case["sha256"], hexadecimal(digest))
            next = codePoints.last + 1L
        }
        assertEquals(0x110000L, next)
    }

    private fun outcome(codePoint: Int): Int {
        val normal = Writing.ENGLISH.normalize(String(Character.toChars(codePoint)))
        return when (normal.codePoints) {
            0 -> -3
            1 -> normal.codePointAt(0).let { if (isSeparator(it)) -1 else it }
            else -> -2
        }
    }

    /** However they are read. */
    @Test
    fun aMemorysFirstDraws() {
        for (case in Vectors.read("memory").objects("draws")) {
            val file = temporary.newFile().apply { writeText(case["file"] as String) }
            setClock(case["file"] as String)
            val key = Memory(seconds(1e12), file, null) { now }.key()
            val setting = MechanismSetting(case["mechanism"] as String, bytesOf(case["numbers"] as String))
            val word = (case["word"] as String).takeIf { case["known"] as Boolean }
            val draw = key.draw(case["unit"] as String, setting, word)
            val parts = listOf(1, 31, 33, 35).map { size -> ByteArray(size).also(draw::fill) }
            assertEquals("$case", case["bytes"], hexadecimal(parts.reduce(ByteArray::plus)))
            assertEquals(case["file"], file.readText())
        }
    }

    /** They are written again as they are. */
    @Test
    fun aBudgetsStates() {
        for (state in Vectors.read("budget")["states"] as List<*>) {
            val file = temporary.newFile().apply { writeText(state as String) }
            val fields = setClock(state as String)
            val budget = PrivacyBudget(1e9, seconds(1e12), file, { now })
            val left = (1_000_000_000_000_000_000 - fields["spent"] as Long).toBigDecimal().movePointLeft(9)
            assertEquals(left.toDouble(), budget.remaining(), 0.0)
            val before = Files.getAttribute(file.toPath(), "unix:ino")
            budget.spend(1.0, 0, fields["unit"] as String)
            assertNotEquals(before, Files.getAttribute(file.toPath(), "unix:ino"))
            assertEquals(state, file.readText())
        }
    }

    @Test
    fun aBudgetsLeases() {
        for ((number, case) in Vectors.read("budget").objects("leases").withIndex()) {
            val file = File(temporary.root, "$number")
            val budget = PrivacyBudget((case["limit"] as Number).toDouble(), Duration.ofHours(1), file, { now })
            for (release in case["releases"] as List<*>) {
                val (epsilon, words, stored) = release as List<*>
                allows(budget, epsilon, words, "u")
                assertEquals(stored, (parseJson(file.readBytes()) as Map<*, *>)["spent"].toString())
            }
        }
    }

    @Test
    fun aBudgetsHistories() {
        for ((number, case) in Vectors.read("budget").objects("histories").withIndex()) {
            val file = File(temporary.root, "$number")
            val period = seconds((case["period"] as Number).toDouble())
            val budgets = (case["limits"] as Map<*, *>).mapValues { (_, limit) ->
                PrivacyBudget((limit as Number).toDouble(), period, file, { now })
            }
            for (step in case.objects("steps")) {
                val (time, uptime, boot) = step["now"] as List<*>
                now = Instant(time as Long, uptime as Long, boot as String)
                val budget = budgets.getValue(step["by"])
                val allowed = allows(budget, step["epsilon"], step["words"], step["unit"])
                assertEquals("$step", step["allowed"], allowed)
                assertEquals("$step", (step["left"] as Number).toDouble(), budget.remaining(), 0.0)
                assertEquals("$step", step["file"], if (file.exists()) file.readText() else null)
            }
        }
    }

    private fun allows(budget: PrivacyBudget, epsilon: Any?, words: Any?, unit: Any?): Boolean = try {
        budget.spend((epsilon as Number).toDouble(), (words as Long).toInt(), unit as String)
        true
    } catch (_: BudgetException) {
        false
    }

    /** Makes it the time of a state, whose fields this returns. */
    private fun setClock(state: String): Map<*, *> {
        val fields = parseJson(state.toByteArray()) as Map<*, *>
        now = Instant(fields["latest"] as Long, fields["uptime"] as Long, fields["boot"] as String)
        return fields
    }

    @Test
    fun manifestsAreRefused() {
        val content = Vectors.read("refused-manifests")
        val bundle = temporary.newFolder()
        Vectors.folder(content["bundle"] as String).copyRecursively(bundle, overwrite = true)
        val manifest = File(bundle, "manifest.json")
        manifest.writeText(content["accepted"] as String)
        WordBundle.open(bundle)
        val refused = content.objects("refused")
        assertTrue(refused.size >= 280)
        for (case in refused) {
            manifest.writeText(case["manifest"] as String)
            assertThrows(case["wrong"] as String, BundleException::class.java) { WordBundle.open(bundle) }
        }
    }
}
