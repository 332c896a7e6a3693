package org.brrkit

import java.io.File
import java.time.Duration
import kotlin.random.Random
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNotEquals
import org.junit.Assert.assertNull
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder

/**
 * The words that tokens are typed as, and passing words: the facts that no frozen case covers. All random bytes
 * are given.
 */
class PolicyTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private val bundle = Vectors.bundles.getValue("policy")
    private val passing = checkNotNull(bundle.policy.passing)
    private val mechanisms = listOf("brr", "vickrey", "exponential")

    /** Opens a conformance bundle whose manifest is changed. */
    private fun opened(name: String, old: String, new: String): WordBundle {
        val folder = temporary.newFolder()
        Vectors.folder(name).copyRecursively(folder, overwrite = true)
        File(folder, "manifest.json").run {
            val text = readText()
            check(old in text)
            writeText(text.replaceFirst(old, new))
        }
        return WordBundle.open(folder, verifyHashes = false)
    }

    private fun word(id: Int) = bundle.vocabulary.word(id)

    @Test
    fun aPolicyIsRead() {
        val (names, illnesses) = bundle.policy.lists
        assertEquals("names 22, illness_2 27", "${names.name} ${names.head}, ${illnesses.name} ${illnesses.head}")
        assertEquals(listOf("asthma", "cancer"), illnesses.members.map(::word))
        assertEquals(listOf("migraine", "a1c", "hiv"), illnesses.forms)
        assertEquals(listOf("the", "of", "and", "to", "is", "on", "what"), passing.words.map(::word))
        assertEquals(0.95, passing.probability, 0.0)
        assertEquals(8_762_203_435_012_036_608, passing.threshold) // of the double
        assertEquals(emptyList<SecretList>(), Work.bundle64.policy.lists)
        assertNull(Work.bundle64.policy.passing)
    }

    /** Most wrong ones are among `spec/vectors/refused-manifests.json`. */
    @Test
    fun aWrongPolicyIsRefused() {
        fun refused(name: String, old: String, new: String) =
            assertThrows(BundleException::class.java) { opened(name, old, new) }.message!!
        val ofAList = refused("list", "{", """{"policy": {"lists": []},""")
        assertTrue(ofAList, "manifest.json: field 'policy' is missing or wrong; rebuild" in ofAList)
        val ofAWord = refused("policy", "\"zoltan\"", "\"doctor\"")
        assertTrue(ofAWord, "manifest.json: field 'policy' has a form that is a word; rebuild" in ofAWord)
        assertTrue("zoltan" !in ofAWord + ofAList)
        val nothing = opened("spaced", "{", """{"policy": {"lists": []},""").policy
        assertEquals(emptyList<SecretList>(), nothing.lists)
    }

    /** Returns all that leaves a device for a [text], and its stored state, from the same bytes. */
    private fun left(text: String, mechanism: String): List<Any?> {
        val source = Random(7)
        var drawn = 0
        val random = RandomSource {
            source.nextBytes(it)
            drawn += it.size
        }
        val state = File(temporary.newFolder(), "budget")
        val budget = PrivacyBudget(1e6, Duration.ofHours(1), state, { Instant(0, 0, "") })
        val words = bundle.tokenize(text)
        val seen = ArrayList<Any?>()
        for (memory in listOf(null, memoryOf(mapOf("number" to 1, "key" to "ab".repeat(32))))) {
            for (oov in listOf(Oov.RANDOM, Oov.DROP)) {
                val some = Privatizer(bundle, 0.5, mechanism, oov, budget, memory, random = random)
                val stream = some.stream()
                seen.add(some.text(text))
                seen.addAll(some.words(words) + words.map(some::word) + words.map(stream::word))
            }
            val counts = Counts.Builder(bundle).setting(CountsSetting(4.0)).memory(memory).random(random).build()
            seen.addAll(counts.words(words))
        }
        return seen + drawn + state.readText()
    }

    @Test
    fun nothingTellsWordsOfAListApart() {
        for (mechanism in mechanisms) {
            for ((one, other) in listOf(
                "Maria and JOHN’s asthma" to "zoltan and Priya's MIGRAINE",
                "is Anna from Paris qwx7" to "is marie-anne from Paris vbn",
                "the cancer, Zoltan's, zoltán" to "the A1C, sarah, maria",
            )) {
                assertEquals(left(one, mechanism), left(other, mechanism))
            }
        }
        // Other words are told apart, so that this can fail.
        val some = listOf("the asthma", "the maria", "the paris", "the qwx7", "asthma")
        assertEquals(some.size, some.map { left(it, "exponential") }.toSet().size)
    }

    @Test
    fun whatIsCutIsTypedAsThePolicySays() {
        fun read(writing: Writing, words: List<String>, forms: List<String>, text: String): String {
            val policy = Policy(listOf(SecretList("a", listOf(0, 1), forms)), null)
            val tokens = tokenizerOf(writing, words, policy = policy).read(text)
            return tokens.joinToString(" ") { "${it.text}=${it.wordId}" }
        }
        val german = LANGUAGES.single { it.name == "de" }.writing
        assertEquals("tages=0 licht=0", read(german, listOf("tages", "licht"), emptyList(), "tageslicht"))
        assertEquals("tageslicht=-1", read(german, listOf("tages", "haus"), listOf("licht"), "tageslicht"))
        assertEquals("tageslicht=0", read(german, listOf("tages", "licht"), listOf("tageslicht"), "Tageslicht"))
        val chinese = LANGUAGES.single { it.name == "zh" }.writing
        assertEquals("文字=0 漢=0", read(chinese, listOf("中", "文字"), listOf("漢"), "文字漢"))
        assertEquals("文字=0 漢=-1", read(chinese, listOf("中", "文字"), listOf("字漢"), "文字漢"))
    }

    @Test
    fun aCoinDecidesExactly() {
        for ((number, passes) in listOf(
            0L to true, passing.threshold - 1 to true, passing.threshold to false, Long.MAX_VALUE to false,
        )) {
            for (bytes in listOf(eightBytes(number), eightBytes(number or Long.MIN_VALUE))) {
                for (id in UNKNOWN_WORD until bundle.size) {
                    val expected = if (passes && id in passing.words) -1 else 0
                    assertEquals("$number $id", expected, passing.coin(id, Replay(bytes)))
                }
            }
        }
    }

    /** Gives a [number] for each integer, and flips all bits; [asked] are the sizes. */
    private fun flipping(number: Long, asked: MutableList<Int> = ArrayList()) = RandomSource { bytes ->
        asked += bytes.size
        if (bytes.size == Long.SIZE_BYTES) eightBytes(number).copyInto(bytes) else bytes.fill(-128)
    }

    @Test
    fun everyWordHasACoinBeforeItsDraw() {
        for (number in listOf(0, passing.threshold - 1, passing.threshold)) {
            val asked = ArrayList<Int>()
            val some = Privatizer(bundle, 0.5, "brr", random = flipping(number, asked))
            val released = some.words(listOf("the", "John", "rain"))
            assertEquals(number < passing.threshold, released[0] == "the")
            assertNotEquals("john", released[1])
            assertNotEquals("rain", released[2])
            val draw = 4 * bundle.bits
            assertEquals(listOf(8, draw, 8, draw, 8, draw), asked)
        }
        // The stand-in comes first.
        for ((oov, expected) in listOf(Oov.RANDOM to "8 8 512 8 512", Oov.DROP to "8 512")) {
            val asked = ArrayList<Int>()
            Privatizer(bundle, 0.5, "brr", oov, random = flipping(0, asked)).text("qwx7 the")
            assertEquals(expected, asked.joinToString(" "))
        }
    }

    /** The stand-in is the first word, and each coin lets words pass. */
    @Test
    fun aStandInNeverPasses() {
        val (unknown, known) = Privatizer(bundle, 0.5, "brr", random = flipping(0)).words(listOf("qwx7", word(0)))
        assertEquals(word(0), known)
        assertNotEquals(word(0), unknown)
    }

    /** Opens the bundle with the largest gains that there are: behind *what*, nearly always *is* comes out. */
    private fun gaining(): WordBundle {
        val folder = temporary.newFolder()
        Vectors.folder("policy").copyRecursively(folder, overwrite = true)
        val index = File(folder, "index.safetensors")
        val content = index.readBytes()
        val size = content.longAt(0).toInt()
        val header = parseJson(content.copyOfRange(8, 8 + size)) as Map<*, *>
        val (start, end) = (header["gains"] as Map<*, *>)["data_offsets"] as List<*>
        content.fill(-1, 8 + size + (start as Long).toInt(), 8 + size + (end as Long).toInt())
        index.writeBytes(content)
        return WordBundle.open(folder, verifyHashes = false)
    }

    @Test
    fun whatPassedIsTheWordBefore() {
        val some = gaining()
        val behind = List(100) { seed ->
            val source = Random(seed)
            var coins = 0
            val random = RandomSource { bytes ->
                source.nextBytes(bytes)
                if (coins++ == 0) bytes.fill(0) // what lets the first word pass
            }
            val (first, second) = Privatizer(some, 1e-3, random = random).words(listOf("what", "rain"))
            assertEquals("what", first)
            second
        }
        assertTrue("$behind", behind.count { it == "is" } > 80)
    }

    private fun firstDraws(of: WordBundle, words: List<String>): List<String> = Privatizer(
        of,
        0.01,
        "brr",
        memory = memoryOf(mapOf("number" to 1, "key" to "cd".repeat(32))),
        secondEpsilon = 22.0,
        random = Random(1)::nextBytes,
    ).words(words)

    /** Keyed by its spelling, an unknown word's draws would be its pseudonym. Without a policy, too. */
    @Test
    fun aMemoryHasOneDrawForAllThatIsTypedAsOneWord() {
        for (some in listOf(bundle, Work.bundle64)) {
            val unknown = List(20) { "qxqxq$it" } + listOf("two words", "", "\uD800")
            assertEquals(1, firstDraws(some, unknown).toSet().size)
            val names = listOf("maria", "James", "john's", "sarah", "zoltan", "Zoltán", "marie-anne")
            assertEquals(some == bundle, firstDraws(some, names).toSet().size == 1)
            assertTrue(firstDraws(some, List(30, some.vocabulary::word)).toSet().size > 1)
        }
    }

    @Test
    fun aMemorysDrawsAreOthersWhereOtherWordsPass() {
        val words = "for with my at from you play book find rain doctor boston monday paris good new cold".split(' ')
        val own = firstDraws(bundle, words)
        val rarer = firstDraws(opened("policy", "0.95", "0.5"), words)
        val others = firstDraws(opened("policy", "    0,\n    1,", "    0,"), words)
        assertEquals(3, setOf(own, rarer, others).size)
    }
}
