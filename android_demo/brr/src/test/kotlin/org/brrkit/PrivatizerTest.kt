package org.brrkit

import java.io.File
import java.security.MessageDigest
import java.time.Duration
import java.util.Collections
import java.util.concurrent.atomic.AtomicInteger
import kotlin.math.exp
import kotlin.random.Random
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertSame
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder

private const val UNKNOWN = "hunter2secret"
private val TEXTS = listOf("The of, and", "", "to $UNKNOWN in $UNKNOWN", "?!", "the the")

class PrivatizerTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private val bundle = Work.bundle64
    private val mechanisms = listOf("brr", "vickrey", "exponential")

    @Test
    fun releasesWordsOfTheVocabulary() = mechanisms.forEach { mechanism ->
        val privatizer = Privatizer(bundle, 0.5, mechanism)
        val released = privatizer.text("The quick brown fox — and $UNKNOWN!").split(' ')
        assertEquals(6, released.size)
        for (word in released) assertTrue(bundle.vocabulary.find(word) >= 0)
        assertTrue(privatizer.effectiveEpsilon in 0.49..0.5)
        assertEquals(0.5, privatizer.epsilon, 0.0)
    }

    /** 40 pairs, each equal with 1/1,700. False alarm: 1e-70. */
    @Test
    fun theSystemsRandomnessIsFresh() = mechanisms.forEach { mechanism ->
        val alike = if (mechanism == "exponential") mapOf("base" to "uniform") else emptyMap()
        val privatizer = Privatizer(bundle, 0.01, mechanism, parameters = alike)
        val words = List(40) { "the" }
        assertFalse(privatizer.words(words) == privatizer.words(words))
    }

    @Test
    fun unknownWordsFollowThePolicy() {
        val random = Privatizer(bundle, 1.0)
        assertEquals(2, random.words(listOf("the", UNKNOWN)).size)
        val drop = Privatizer(bundle, 1.0, oov = Oov.DROP)
        assertEquals(1, drop.words(listOf(UNKNOWN, "the", UNKNOWN)).size)
        assertNull(drop.word(UNKNOWN))
        assertEquals("", drop.text(UNKNOWN))
        val error = assertThrows(OutOfVocabularyException::class.java) {
            Privatizer(bundle, 1.0, oov = Oov.ERROR).words(listOf("the", UNKNOWN))
        }
        assertTrue(error.message, error.message!!.startsWith("word 2 of 2 is out of vocabulary"))
        assertFalse("hunter2" in error.message!!)
    }

    @Test
    fun whetherANameIsKnownDoesntShowInTheNumberOfWords() {
        val known = listOf("john", "zbigniew", "o").map { bundle.vocabulary.find(it) >= 0 }
        assertEquals(listOf(true, false, true), known)
        for (mechanism in mechanisms) {
            val privatizer = Privatizer(bundle, 0.5, mechanism)
            for (text in listOf("John's book", "Zbigniew's book", "o'brien's ’book’")) {
                repeat(300) { assertEquals(text, 2, privatizer.text(text).split(' ').size) }
            }
        }
    }

    @Test
    fun wordsAndTextsAreLookedUpAlike() {
        for (typed in listOf("John's", "'JOHN'", "o’brien", "can't", "won't", "john'd've")) {
            for (oov in Oov.entries) {
                val outputs = listOf<(Privatizer) -> Any?>(
                    { it.word(typed) },
                    { it.words(listOf(typed)).firstOrNull() },
                    { it.text(typed).ifEmpty { null } },
                ).map { release ->
                    val random = Replay(Random(1).nextBytes(4_000))
                    try {
                        release(Privatizer(bundle, 0.5, oov = oov, random = random))
                    } catch (_: OutOfVocabularyException) {
                        "refused"
                    }
                }
                assertEquals("$typed $oov $outputs", 1, outputs.toSet().size)
            }
        }
    }

    @Test
    fun whatIsntATokenIsOneUnknownWord() {
        for (typed in listOf("", " ", "...", "'", "hello world", "the,", "\uD800")) {
            val outputs = listOf(typed, UNKNOWN).map {
                val random = Replay(Random(1).nextBytes(4_000))
                Privatizer(bundle, 1.0, random = random).word(it)
            }
            assertEquals(typed, outputs[1], outputs[0])
        }
    }

    /** A word that is left out or refused is revealed as unknown. */
    @Test
    fun everyWordCostsWhateverBecomesOfIt() = Oov.entries.forEach { oov ->
        val budget = budget(10.0)
        val privatizer = Privatizer(bundle, 0.5, oov = oov, budget = budget)
        try {
            privatizer.words(listOf("the", UNKNOWN, "of"))
        } catch (_: OutOfVocabularyException) {
            assertEquals(Oov.ERROR, oov)
        }
        assertEquals(8.5, budget.remaining(), 0.0)
    }

    @Test
    fun aRefusedReleaseDrawsNothing() {
        val privatizer =
            Privatizer(bundle, 1.0, oov = Oov.ERROR, random = Replay(ByteArray(0)))
        assertThrows(OutOfVocabularyException::class.java) { privatizer.word(UNKNOWN) }
    }

    @Test
    fun theBudgetCountsWordsAndStopsBeforeAnythingIsDrawn() {
        val budget = budget(2.5)
        val privatizer = Privatizer(bundle, 0.5, budget = budget)
        privatizer.words(listOf("the", UNKNOWN, "of"))
        assertEquals(1.0, budget.remaining(), 0.0)
        val empty = Replay(ByteArray(0))
        val other = Privatizer(bundle, 0.5, oov = Oov.ERROR, budget = budget, random = empty)
        for (words in listOf(listOf("the", "of", "and"), List(3) { UNKNOWN })) {
            assertThrows(BudgetException::class.java) { other.words(words) }
        }
        assertEquals(1.0, budget.remaining(), 0.0)
        assertThrows(IllegalStateException::class.java) { other.words(listOf("the", "of")) }
        assertEquals("spent before it is drawn", 0.0, budget.remaining(), 0.0)
    }

    @Test
    fun textsAreEachTextWithTheSameRandomBytes() = mechanisms.forEach { mechanism ->
        for (oov in listOf(Oov.RANDOM, Oov.DROP)) {
            val key = File(temporary.newFolder(), "key")
            for (memory in listOf(null, Memory(Duration.ofDays(1), key))) {
                val (many, one) = List(2) {
                    val random = Replay(ByteArray(40_000) { (37 * it + it / 256).toByte() })
                    val budget = budget(99.0)
                    Privatizer(bundle, 0.5, mechanism, oov, budget, memory, random = random)
                }
                assertEquals(TEXTS.map(one::text), many.texts(TEXTS))
                assertEquals(emptyList<String>(), many.texts(emptyList()))
            }
        }
    }

    @Test
    fun allTextsArePaidForOrNoneIsReleased() {
        val budget = budget(4.5) // 9 words
        val random = Replay(ByteArray(0))
        val refused = Privatizer(bundle, 0.5, budget = budget, random = random)
        assertThrows(BudgetException::class.java) { refused.texts(TEXTS + "of") }
        assertEquals(4.5, budget.remaining(), 0.0)
        val paid = Privatizer(bundle, 0.5, budget = budget)
        assertEquals(listOf(3, 0, 4, 0, 2), paid.texts(TEXTS).map { bundle.tokenize(it).size })
        assertEquals(0.0, budget.remaining(), 0.0)
        val other = budget(10.0)
        val erring = Privatizer(bundle, 0.5, oov = Oov.ERROR, budget = other, random = random)
        assertThrows(OutOfVocabularyException::class.java) { erring.texts(TEXTS) }
        assertEquals("whatever was unknown", 5.5, other.remaining(), 0.0)
    }

    @Test
    fun aBundlesDigestIsItsIndexs() {
        val index = Work.file("bundles/64/index.safetensors").readBytes()
        val digest = MessageDigest.getInstance("SHA-256").digest(index)
        assertEquals(hexadecimal(digest), bundle.digest)
    }

    @Test
    fun effectiveEpsilonsAreNeverAboveTheRequestedOne() {
        for (mechanism in mechanisms) {
            for (epsilon in listOf(1e-9, 0.1, 0.5, 0.9217476330502254, 3.0, 22.18)) {
                val effective = Privatizer(bundle, epsilon, mechanism).effectiveEpsilon
                assertTrue("$mechanism $epsilon $effective", effective > 0 && effective <= epsilon)
            }
        }
    }

    @Test
    fun theDefaultIsTheExponentialMechanismWithAnEighthOfTheBits() {
        for (each in Work.bundles.values) {
            val radius = each.wordBits / 8
            fun released(mechanism: String?, parameters: Map<String, Any>): List<String> {
                val random = Replay(ByteArray(40_000) { (37 * it + it / 256).toByte() })
                val words = List(200) { each.vocabulary.word(it % each.size) }
                return Privatizer(each, 0.5, mechanism, random = random, parameters = parameters)
                    .words(words)
            }
            val default = released(null, emptyMap())
            assertEquals(default, released("exponential", mapOf("radius" to radius)))
            assertEquals(default, released("exponential", mapOf("radius" to radius.toLong())))
            assertFalse(default == released("exponential", mapOf("radius" to 2 * radius)))
        }
    }

    @Test
    fun mechanismsAsTypesAreThoseOfFiles() {
        val bytes = Random(1).nextBytes(4_000)
        val pairs = listOf(
            Mechanism.brr() to Mechanism("brr", emptyMap()),
            Mechanism.exponential() to Mechanism.named("exponential"),
            Mechanism.exponential(radius = 6) to Mechanism("exponential", mapOf("radius" to 6L)),
            Mechanism.exponential(base = Base.UNIGRAM) to
                Mechanism("exponential", mapOf("base" to "unigram")),
            Mechanism.exponential(16, Base.BIGRAM, 9.0) to
                Mechanism("exponential", mapOf("cap" to 9L, "base" to "bigram", "radius" to 16)),
            Mechanism.vickrey() to Mechanism("vickrey", mapOf("t" to 0.5)),
            Mechanism.vickrey(0.25) to Mechanism("vickrey", mapOf("t" to 0.25)),
            Mechanism.vickrey(listOf(0.1, 0.2)) to
                Mechanism("vickrey", mapOf("t" to listOf(0.1, 0.2))),
        )
        assertEquals(pairs.size, pairs.map { it.first }.toSet().size)
        for ((typed, named) in pairs) {
            assertEquals(named, typed)
            assertEquals(named.hashCode(), typed.hashCode())
            val released = listOf(typed, named).map {
                Privatizer.Builder(bundle).setting(Setting(0.5, it)).random(Replay(bytes)).build()
                    .word("the")
            }
            assertEquals("$typed", released[0], released[1])
            assertTrue("$typed", "$typed".startsWith(typed.name))
        }
        val error = assertThrows(ParameterException::class.java) {
            Privatizer(bundle, Setting(1.0, Mechanism.exponential(radius = 65)))
        }
        assertEquals("radius must be an integer from 0 to 64 (bits), not 65", error.message)
    }

    @Test
    fun weightsFallGentlyWithinTheRadius() {
        val gentle = weightTable(0.5, 64, 2_000L, 64)
        assertEquals(weightTable(0.5 / 8, 64, 2_000L, 0).toList(), gentle.toList())
        for (radius in listOf(0, 1, 8, 63)) {
            val weights = weightTable(0.5, 64, 2_000L, radius)
            assertEquals(gentle.take(radius + 1), weights.take(radius + 1))
            for (distance in radius until 64) {
                val step = weights[distance].toDouble() / weights[distance + 1]
                assertEquals(exp(0.25), step, 1e-6)
            }
        }
    }

    @Test
    fun theBudgetCountsTheEffectiveEpsilon() {
        val budget = budget(25.0)
        val privatizer = Privatizer(bundle, 20.0, "brr", budget = budget)
        assertEquals(20.0, privatizer.epsilon, 0.0)
        assertTrue(privatizer.effectiveEpsilon < 19.99) // a threshold of 9 rather than 8.85
        assertEquals(privatizer.effectiveEpsilon, privatizer.certifiedEpsilon, 0.0)
        privatizer.words(listOf("the"))
        assertEquals(25 - privatizer.effectiveEpsilon, budget.remaining(), 2e-9)
    }

    @Test
    fun theBudgetCountsTheCertifiedEpsilon() {
        val certified = bundleRecommending(
            """{"mechanism": "exponential", "epsilon": 0.5, "parameters": {"base": "unigram"}, "goal": "",
                "certificate": {"certified_epsilon": 0.375, "index": "${bundle.digest}"}}""",
        )
        val memory = Memory(Duration.ofHours(1), File(temporary.newFolder(), "memory"))
        for (each in listOf(null, memory)) {
            val budget = budget(1.0)
            Privatizer.Builder(certified).budget(budget).memory(each).build()
                .words(listOf("the", "of"))
            assertEquals(0.25, budget.remaining(), 0.0)
        }
    }

    @Test
    fun wrongParametersAreRefused() {
        fun refused(message: String, make: () -> Any) {
            val error = assertThrows(ParameterException::class.java) { make() }
            assertTrue(error.message, message in error.message!!)
        }
        val wrong = listOf(0.0, -1.0, 1e-10, 22.19, Double.NaN, Double.POSITIVE_INFINITY)
        for (epsilon in wrong) {
            for (mechanism in mechanisms) {
                refused("epsilon must be a number from") { Privatizer(bundle, epsilon, mechanism) }
            }
        }
        refused("mechanism 'laplace' is unknown; choose one of: brr, vickrey, exponential") {
            Privatizer(bundle, 1.0, "laplace")
        }
        refused("the bundle recommends no setting; give one, or") { Privatizer(bundle) }
        fun vickrey(vararg parameters: Pair<String, Any>) =
            Privatizer(bundle, 1.0, "vickrey", parameters = mapOf(*parameters))
        val wrongT = listOf(
            -0.1, 1.1, Double.NaN, "0.5", true, listOf<Double>(), listOf(0.5, -1.0), listOf("x"),
            listOf(Double.POSITIVE_INFINITY),
        )
        for (t in wrongT) refused("t must be") { vickrey("t" to t) }
        refused("k is 3, but t gives 2 candidates") { vickrey("k" to 3) }
        refused("t has 65 numbers; give at most 64") { vickrey("t" to List(65) { 0.1 }) }
        assertTrue(vickrey("t" to List(64) { 0.1 }).word("the") != null)
        refused("'vickrey' has no parameter 's'; it takes t, k") { vickrey("s" to 1) }
        refused("'brr' has no parameter 't'; it takes none") {
            Privatizer(bundle, 1.0, "brr", parameters = mapOf("t" to 0.5))
        }
        refused("'exponential' has no parameter 't'; it takes radius, base, cap, task_weight") {
            Privatizer(bundle, 1.0, parameters = mapOf("t" to 0.5))
        }
        for (radius in listOf(-1, 65, 1L shl 32, 8.0, "8", true, null)) {
            refused("radius must be an integer from 0 to") {
                Privatizer(bundle, 1.0, parameters = mapOf("radius" to radius))
            }
        }
        assertTrue(vickrey("t" to listOf(0.1, 0, 0.3f), "k" to 3).word("the") != null)
    }

    @Test
    fun theRecommendedSettingIsUsed() {
        fun recommending(setting: String) = Privatizer(bundleRecommending(setting))
        val setting =
            """{"mechanism": "vickrey", "epsilon": 1, "parameters": {"t": 0.25}, "goal": ""}"""
        assertEquals(1.0, recommending(setting).epsilon, 0.0)
        val everything =
            """{"mechanism": "exponential", "epsilon": 1, "parameters": {"radius": 64}, "goal": ""}"""
        assertEquals(1.0 / 8, recommending(everything).effectiveEpsilon, 1e-9)
        val measure = everything.replace("64", "16, \"base\": \"unigram\", \"cap\": 9.5")
        val given = Privatizer(bundle, Setting(1.0, Mechanism.exponential(16, Base.UNIGRAM, 9.5)))
        assertEquals(given.effectiveEpsilon, recommending(measure).effectiveEpsilon, 0.0)
        val unknowns = listOf("vickrey" to "new", "0.25" to "1.5").map { (good, bad) ->
            setting.replace(good, bad)
        } + listOf("unigram" to "prior", "9.5" to "0", "9.5" to "88.5").map { (good, bad) ->
            measure.replace(good, bad)
        }
        for (unknown in unknowns) {
            val error = assertThrows(BundleException::class.java) { recommending(unknown) }
            assertTrue(error.message, "manifest.json: field 'recommended': " in error.message!!)
            assertTrue(error.message!!.endsWith("write it again with 'brr calibrate --write'"))
        }
    }

    /** As the reader's other rules for types. */
    @Test
    fun aBaseOrACapOfAnotherTypeIsADamagedManifest() {
        val wrong = listOf("\"base\": 1", "\"base\": null", "\"cap\": \"9\"", "\"cap\": null", "\"cap\": true")
        for (parameter in wrong) {
            val error = assertThrows(BundleException::class.java) {
                bundleRecommending(
                    """{"mechanism": "exponential", "epsilon": 1, "parameters": {$parameter}, "goal": ""}""",
                )
            }
            assertTrue(error.message, "field 'recommended' is missing or wrong" in error.message!!)
        }
    }

    @Test
    fun whatWasMeasuredIsRead() {
        fun measured(fields: String) = bundleRecommending(
            """{"mechanism": "brr", "epsilon": 1, "parameters": {}, "goal": "",
                "measured": {$fields}}""",
        ).recommended!!.measured!!
        fun Estimate.ends() = listOf(value, low, high)
        val who = """"attacker": "sentence", "over": "content", "text": "typed.txt", """
        val shares = who + """"unchanged": {"value": 0.2, "low": 0.1, "high": 0.3},
            "attack_success": {"value": 1, "low": 0, "high": 1}"""
        val read = measured(shares + """, "worst": null""")
        assertEquals(listOf("sentence", "content", "typed.txt"), read.run { listOf(attacker, over, text) })
        assertEquals(listOf(0.2, 0.1, 0.3), read.unchanged.ends())
        assertEquals(listOf(1.0, 0.0, 1.0), read.attackSuccess.ends())
        assertNull(read.worst)
        val worst = """, "worst": {"value": 0.5, "low": 0.4, "high": 0.6}"""
        assertEquals(listOf(0.5, 0.4, 0.6), measured(shares + worst).worst!!.ends())
        assertNull(measured(shares.replace("\"typed.txt\"", "null") + worst).text)
        val half = """{"value": 0.5, "low": 0.4, "high": 0.6}"""
        val every = """{"unchanged": $half, "attack_success": $half, "worst": null}"""
        fun beside(words: String, unknown: String) =
            shares + worst + """, "all_words": $words, "unknown_recognized": $unknown"""
        assertNull(read.allWords)
        assertNull(read.unknownRecognized)
        assertNull(measured(beside("null", "null")).run { allWords ?: unknownRecognized })
        val both = measured(beside(every, half))
        assertEquals(listOf(0.5, 0.4, 0.6), both.allWords!!.unchanged.ends())
        assertEquals(listOf(0.5, 0.4, 0.6), both.allWords!!.attackSuccess.ends())
        assertNull(both.allWords!!.worst)
        assertEquals(listOf(0.5, 0.4, 0.6), both.unknownRecognized!!.ends())
        val wrongBeside = listOf("0.5", "[]", "{}", half, every.replace("worst", "best"), every.replace("0.6", "1.1"))
            .map { beside(it, half) } + listOf("0.5", "{}", half.replace("0.6", "1.1")).map { beside(every, it) }
        val nothing = who + """"unchanged": null, "attack_success": null, "worst": null"""
        val wrong = listOf("", """, "worst": 0.5""", worst.replace("0.6", "1.1")).map { shares + it }
        val damaged = listOf(
            "\"sentence\"" to "null",
            "\"content\"" to "1",
            "\"typed.txt\"" to "0",
            "\"text\"" to "\"file\"",
            "\"over\"" to "\"of\"",
            "\"attacker\"" to "\"prior\"",
        ).map { (good, bad) -> shares.replace(good, bad) + worst }
        for (fields in wrong + wrongBeside + damaged + nothing) {
            assertThrows(BundleException::class.java) { measured(fields) }
        }
    }

    @Test
    fun aCertificateChangesNoWeights() {
        fun setting(
            certified: Any,
            index: String = bundle.digest,
            mechanism: String = "exponential",
            parameters: String = """{"base": "unigram"}""",
        ) = bundleRecommending(
            """{"mechanism": "$mechanism", "epsilon": 0.5, "parameters": $parameters, "goal": "",
                "certificate": {"certified_epsilon": $certified, "index": "$index"}}""",
        )
        val bytes = ByteArray(4_096) { (it * it shr 5).toByte() } // some numbers are drawn again
        val words = List(40, bundle.vocabulary::word)
        val unigram = mapOf("base" to "unigram")
        val given = Privatizer(bundle, 0.5, random = Replay(bytes), parameters = unigram)
        val expected = given.words(words)
        for (certified in listOf(0.25, 0.31830988618379067, 0.5)) { // epsilon / 2 to epsilon
            val bundle = setting(certified)
            assertEquals(certified, bundle.recommended!!.certifiedEpsilon!!, 0.0)
            val privatizer = Privatizer(bundle, random = Replay(bytes))
            assertEquals(0.5, privatizer.epsilon, 0.0)
            assertEquals(given.effectiveEpsilon, privatizer.effectiveEpsilon, 0.0)
            assertEquals(certified, privatizer.certifiedEpsilon, 0.0)
            assertEquals(expected, privatizer.words(words))
        }
        // A given epsilon has no certificate.
        val own = Privatizer(setting(0.3), 0.5, parameters = unigram)
        assertEquals(given.effectiveEpsilon, own.certifiedEpsilon, 0.0)

        val range = "its certified_epsilon isn't from epsilon / 2 to epsilon"
        val refused = listOf(
            setting(0.3, "0".repeat(64)) to "its certificate belongs to another index.safetensors",
            setting(0.24999999999999997) to range,
            setting(0.5000000000000001) to range,
            setting("-1e300") to range,
            setting("1000000000000000000000000000000") to range,
            setting(0.3, parameters = "{}") to "base 'bigram' has no certificate",
            setting(0.3, parameters = "{\"base\": \"bigram\"}") to
                "base 'bigram' has no certificate",
            setting(0.3, mechanism = "brr", parameters = "{}") to
                "a certificate is for mechanism 'exponential', not 'brr'",
            setting(0.3, mechanism = "vickrey", parameters = "{}") to
                "a certificate is for mechanism 'exponential', not 'vickrey'",
        )
        for ((recommending, what) in refused) {
            val error = assertThrows(BundleException::class.java) { Privatizer(recommending) }
            assertTrue(error.message, "field 'recommended': $what; write it" in error.message!!)
        }
    }

    @Test
    fun aSettingGoesFromOnePrivatizerToAnother() {
        val tried = Setting(0.6, Mechanism.exponential(radius = 8))
        assertSame(tried, Privatizer(bundle, tried).setting)
        val certified = bundleRecommending(
            """{"mechanism": "exponential", "epsilon": 0.5, "parameters": {"cap": 9, "base": "unigram"},
                "goal": "", "certificate": {"certified_epsilon": 0.375, "index": "${bundle.digest}"}}""",
        )
        val recommended = certified.recommended!!
        assertSame(recommended, Privatizer(certified).setting)
        assertEquals(0.375, Privatizer(bundle, recommended).certifiedEpsilon, 0.0)
        // Its parameters are the same, in another order.
        val same = recommended.copy(mechanism = Mechanism.exponential(base = Base.UNIGRAM, cap = 9.0))
        assertEquals(0.375, Privatizer(bundle, same).certifiedEpsilon, 0.0)
        val another = "its certificate belongs to another setting; leave it out"
        val refused = listOf(
            bundle to recommended.copy(epsilon = 0.6) to another,
            bundle to recommended.copy(mechanism = Mechanism.exponential(base = Base.UNIGRAM)) to another,
            bundle to recommended.copy(mechanism = Mechanism.brr()) to
                "a certificate is for mechanism 'exponential', not 'brr'",
            Work.bundles.getValue("256") to recommended to
                "its certificate belongs to another index.safetensors",
        )
        for ((made, message) in refused) {
            val (bundle, setting) = made
            val error = assertThrows(ParameterException::class.java) { Privatizer(bundle, setting) }
            assertEquals(message, error.message)
        }
        val copy = Privatizer(bundle, recommended.copy(epsilon = 0.6, certificate = null))
        assertEquals(copy.effectiveEpsilon, copy.certifiedEpsilon, 0.0)
    }

    /** Each draws from a source of its own. */
    @Test
    fun threadsGetWhatTheyWouldAlone() = mechanisms.forEach { mechanism ->
        val seeds = AtomicInteger()
        val sources = ThreadLocal.withInitial { Random(seeds.getAndIncrement()) }
        val shared = Privatizer(
            bundle, 0.5, mechanism, random = { sources.get().nextBytes(it) },
        )
        fun released() = List(200) { shared.word(bundle.vocabulary.word(it)) }
        val together = Collections.synchronizedSet(HashSet<List<String?>>())
        inThreads { together += released() }
        val alone = List(8) { seed ->
            sources.set(Random(seed))
            released()
        }
        assertEquals(8, seeds.get())
        assertEquals(alone.toSet(), together)
    }

    private fun bundleRecommending(setting: String): WordBundle {
        val folder = temporary.newFolder()
        Work.file("bundles/64").copyRecursively(folder, overwrite = true)
        val manifest = File(folder, "manifest.json")
        manifest.writeText(manifest.readText().replaceFirst("{", "{\"recommended\": $setting,"))
        return WordBundle.open(folder, verifyHashes = false)
    }

    private fun budget(limit: Double): PrivacyBudget =
        PrivacyBudget(limit, Duration.ofHours(1), File(temporary.newFolder(), "state"))
}
