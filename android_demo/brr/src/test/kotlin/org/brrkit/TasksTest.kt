package org.brrkit

import java.io.File
import java.nio.file.Files
import java.security.MessageDigest
import org.brrkit.mechanisms.Ingredients
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNotEquals
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Test

/** Task bits: their manifest, and the effect of a task weight. */
class TasksTest {
    private val bundle = Work.withTasks

    @Test
    fun theManifestSaysHowManyTaskBitsThereAre() {
        assertEquals(listOf(128, 64, 64), listOf(bundle.bits, bundle.taskBits, bundle.wordBits))
        assertEquals(0, Work.bundle64.taskBits)
        for (taskBits in listOf(64, 128, 192)) {
            val opened = open("256", "\"task_bits\": $taskBits")
            assertEquals(listOf(taskBits, 256 - taskBits), listOf(opened.taskBits, opened.wordBits))
        }
        val wrong = listOf(
            "0", "63", "65", "96", "256", "320", "-64", "64.0", "6.4e1", "\"64\"", "true", "null", "[64]",
            "18446744073709551680", // 2^64 + 64
        )
        for ((name, values) in mapOf("256" to wrong, "64" to wrong + "64")) {
            for (value in values) {
                val error = assertThrows(value, BundleException::class.java) {
                    open(name, "\"task_bits\": $value")
                }
                assertTrue(error.message, "manifest.json: field 'task_bits' is" in error.message!!)
            }
        }
    }

    @Test
    fun aTaskWeightIsOfTheLastBitsAlone() {
        fun numbers(of: WordBundle, vararg parameters: Pair<String, Any?>) =
            Mechanism("exponential", mapOf(*parameters))
                .sampler(Ingredients(of, 0.5, KotlinRandomizer)).setting.numbers
        for (weight in listOf(0, 1, 2, 16)) {
            val weights = weightTable(0.5, 64 + weight * 64, bundle.size.toLong(), 8)
            val digest = MessageDigest.getInstance("SHA-256").digest(bytesOf(weights))
            assertArrayEquals(digest + 0, numbers(bundle, "base" to "uniform", "task_weight" to weight))
        }
        // Without its task bits, it equals the bundle from which it was made.
        assertArrayEquals(numbers(Work.bundle64), numbers(bundle, "task_weight" to 0))
        assertArrayEquals(numbers(bundle), numbers(bundle, "task_weight" to 1L))
    }

    /** With a weight of 0, the same random bytes give the same words as on the bundle without task bits. */
    @Test
    fun whatATaskWeightReleases() {
        fun released(of: WordBundle, taskWeight: Int?): List<String> {
            val bytes = ByteArray(100_000) { (37 * it + it / 256).toByte() }
            val mechanism = Mechanism.exponential(taskWeight = taskWeight)
            return Privatizer.Builder(of).setting(Setting(0.05, mechanism)).random(Replay(bytes)).build()
                .words(List(500, of.vocabulary::word))
        }
        assertEquals(released(Work.bundle64, null), released(bundle, 0))
        assertEquals(released(bundle, null), released(bundle, 1))
        val all = listOf(0, 1, 2, 16).map { released(bundle, it) }
        assertEquals(all.size, all.toSet().size)
    }

    @Test
    fun aRadiusIsAtMostTheBitsWithoutTaskBits() {
        Privatizer(bundle, Setting(0.5, Mechanism.exponential(radius = 64)))
        val error = assertThrows(ParameterException::class.java) {
            Privatizer(bundle, Setting(0.5, Mechanism.exponential(radius = 65)))
        }
        assertEquals("radius must be an integer from 0 to 64 (bits), not 65", error.message)
    }

    @Test
    fun wrongTaskWeightsAreRefused() {
        fun message(of: WordBundle, weight: Any?) = assertThrows(ParameterException::class.java) {
            Privatizer(of, 0.5, parameters = mapOf("task_weight" to weight))
        }.message
        for (weight in listOf(-1, 17, 1L shl 32, 2.0, "2", true, null)) {
            assertEquals("task_weight must be an integer from 0 to 16, not $weight", message(bundle, weight))
        }
        for (weight in listOf(0, 1, 2)) {
            assertEquals(
                "parameter task_weight needs task bits, and the bundle has none; build it with tasks",
                message(Work.bundle64, weight),
            )
        }
    }

    @Test
    fun aTaskWeightIsPartOfAMechanism() {
        val mechanism = Mechanism.exponential(radius = 8, taskWeight = 2)
        assertEquals(Mechanism("exponential", mapOf("task_weight" to 2L, "radius" to 8.0)), mechanism)
        assertNotEquals(Mechanism.exponential(radius = 8), mechanism)
        assertNotEquals(Mechanism.exponential(radius = 8, taskWeight = 3), mechanism)
        assertEquals("exponential(radius = 8, task_weight = 2)", "$mechanism")
    }

    @Test
    fun aTaskWeightCanBeRecommended() {
        fun recommending(parameters: String, name: String = "tasks") = open(
            name,
            """"recommended": {"mechanism": "exponential", "epsilon": 0.5, "parameters": {$parameters}, "goal": ""}""",
        )
        val recommended = recommending("\"radius\": 64, \"task_weight\": 3")
        val mechanism = Mechanism.exponential(radius = 64, taskWeight = 3)
        assertEquals(mechanism, recommended.recommended!!.mechanism)
        assertEquals(
            Privatizer(bundle, Setting(0.5, mechanism)).effectiveEpsilon,
            Privatizer(recommended).effectiveEpsilon,
            0.0,
        )
        val wrong = listOf("-1", "17", "2.0", "\"2\"", "true", "null").map { "\"task_weight\": $it" }
        for (parameters in wrong + "\"radius\": 65") {
            val error = assertThrows(parameters, BundleException::class.java) { recommending(parameters) }
            assertTrue(error.message, "field 'recommended' is missing or wrong" in error.message!!)
        }
        val error = assertThrows(BundleException::class.java) {
            Privatizer(recommending("\"task_weight\": 2", "64"))
        }
        assertTrue(error.message, "'recommended': parameter task_weight needs task bits" in error.message!!)
    }

    /** Except in `exponential`, a task bit counts like any other. */
    @Test
    fun neighborsAreByAllBits() {
        val codes = List(bundle.size) { bundle.codes[it] }
        fun distance(id: Int) = codes[0].indices.sumOf { (codes[0][it] xor codes[id][it]).countOneBits() }
        val nearest = bundle.neighbors(bundle.vocabulary.word(0), 20).map { it.distance }
        assertEquals(List(bundle.size - 1) { distance(it + 1) }.sorted().take(20), nearest)
    }

    /** Opens a bundle with another field in its manifest. */
    private fun open(name: String, field: String): WordBundle {
        val folder = Files.createTempDirectory("brr").toFile()
        try {
            Work.file("bundles/$name").copyRecursively(folder, overwrite = true)
            File(folder, "manifest.json").run { writeText(readText().replaceFirst("{", "{$field,")) }
            return WordBundle.open(folder, verifyHashes = false)
        } finally {
            folder.deleteRecursively()
        }
    }
}
