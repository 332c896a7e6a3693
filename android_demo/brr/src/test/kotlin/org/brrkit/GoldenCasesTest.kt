package org.brrkit

import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test

/**
 * Golden cases: frozen ones, those of a bundle that the toolchain has just built and, in the nightly tests, those
 * of all bundles.
 */
class GoldenCasesTest {
    private fun casesOf(kind: String, least: Int, check: (WordBundle, Map<*, *>) -> Unit) {
        val cases = Vectors.cases(kind)
        assertTrue("${cases.size} of $kind", cases.size >= least)
        for ((bundle, case) in cases) check(bundle, case)
    }

    @Test
    fun everyMechanismIsThere() {
        for (kind in listOf("cases", "memory", "streams", "calls", "marked")) {
            val mechanisms = Vectors.cases(kind).map { (_, case) -> case["mechanism"] }
            assertEquals(kind, setOf("brr", "vickrey", "exponential"), mechanisms.toSet())
        }
    }

    @Test
    fun releases() = casesOf("cases", 40) { bundle, case ->
        val random = Replay(bytesOf(case["random"] as String))
        val privatizer = Privatizer(
            bundle,
            (case["epsilon"] as Number).toDouble(),
            case["mechanism"] as String,
            random = random,
            parameters = case.parameters(),
        )
        assertEquals("$case", case["output"], privatizer.released(bundle, case))
        assertEquals("$case", 0, random.left)
    }

    @Test
    fun memories() = casesOf("memory", 40) { bundle, case ->
        val random = Replay(bytesOf(case["random"] as String))
        val privatizer = Privatizer(
            bundle,
            (case["epsilon"] as Number).toDouble(),
            case["mechanism"] as String,
            memory = memoryOf(case),
            secondEpsilon = (case["second_epsilon"] as Number).toDouble(),
            random = random,
            parameters = case.parameters(),
        )
        assertEquals("$case", case["output"], privatizer.released(bundle, case))
        assertEquals("$case", 0, random.left)
    }

    @Test
    fun streams() = casesOf("streams", 20) { bundle, case ->
        val random = Replay(bytesOf(case["random"] as String))
        val stream = privatizerOf(bundle, case, random).stream()
        assertEquals("$case", case["outputs"], case.strings("words").map(stream::word))
        assertEquals("$case", 0, random.left)
    }

    @Test
    fun calls() = casesOf("calls", 40) { bundle, case ->
        val random = Replay(bytesOf(case["random"] as String))
        val privatizer = privatizerOf(bundle, case, random)
        val outputs = if ("texts" in case) privatizer.texts(case.strings("texts"))
        else privatizer.words(case.strings("words"))
        assertEquals("$case", case["outputs"], outputs)
        assertEquals("$case", 0, random.left)
    }

    @Test
    fun marked() = casesOf("marked", 120) { bundle, case ->
        val random = Replay(bytesOf(case["random"] as String))
        val text = case["text"] as String
        val released = privatizerOf(bundle, case, random).text(text, case.marks(text), case.rest())
        assertEquals("$case", case["output"], released)
        assertEquals("$case", 0, random.left)
    }

    @Test
    fun sessions() = casesOf("sessions", 10) { bundle, case ->
        val random = Replay(bytesOf(case["random"] as String))
        val session = Session(bundle, random)
        val hidden = case.strings("texts").zip(case["marks"] as List<*>) { text, marks ->
            session.hide(text, mapOf("marks" to marks).marks(text))
        }
        assertEquals("$case", case["outputs"], hidden)
        assertEquals("$case", 0, random.left)
        assertEquals("$case", case["restored"], session.restore(case["reply"] as String))
    }

    private fun privatizerOf(bundle: WordBundle, case: Map<*, *>, random: RandomSource) = Privatizer(
        bundle,
        (case["epsilon"] as Number).toDouble(),
        case["mechanism"] as String,
        oov = if (case["oov"] == "drop") Oov.DROP else Oov.RANDOM,
        random = random,
        parameters = case.parameters(),
    )

    private fun Map<*, *>.strings(name: String) = (this[name] as List<*>).map { it as String }

    @Test
    fun counts() = casesOf("counts", 100) { bundle, case ->
        val random = Replay(bytesOf(case["random"] as String))
        val released = countsOf(bundle, case, random).word(case["word"] as String)
        assertEquals("$case", case["output"], released)
        assertEquals("$case", 0, random.left)
    }

    @Test
    fun frames() = casesOf("frames", 30) { bundle, case ->
        val random = Replay(bytesOf(case["random"] as String))
        assertEquals("$case", case["days"], framedDays(bundle, case, random))
        assertEquals("$case", 0, random.left)
    }

    @Test
    fun noisedCodes() = casesOf("cases", 40) { bundle, case ->
        if ("noised" in case) {
            val random = Replay(bytesOf(case["random"] as String))
            val found = bundle.tokenizer.lookUp(case["word"] as String)
            val id = if (found < 0) bundle.masses.draw(random) else found
            bundle.policy.passing?.coin(found, random)
            val code = bundle.codes[id]
            val numbers = ByteArray(4 * bundle.bits).also(random::fill)
            val threshold = (case["threshold"] as Long + Int.MIN_VALUE).toInt()
            KotlinRandomizer.flip(code, numbers, threshold)
            assertEquals("$case", case["noised"], hexadecimal(bytesOf(code)))
        }
    }

    @Test
    fun thresholds() = casesOf("thresholds", 30) { _, case ->
        assertEquals(case["threshold"], flipThreshold((case["epsilon"] as Number).toDouble()))
    }

    @Test
    fun texts() = casesOf("texts", 100) { bundle, case ->
        val tokens = bundle.tokenizer.read(case["text"] as String)
        assertEquals(case["tokens"], tokens.map { it.text })
        assertEquals(case["finished"], bundle.finished(case["text"] as String).codePoints.toLong())
        val ids = tokens.map { it.wordId }
        assertEquals(case["words"], ids.map { if (it < 0) null else bundle.vocabulary.word(it) })
    }
}

fun bytesOf(code: LongArray): ByteArray =
    ByteArray(8 * code.size) { (code[it / 8] ushr 8 * (it % 8)).toByte() }
