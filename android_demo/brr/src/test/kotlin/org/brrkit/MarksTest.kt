package org.brrkit

import java.io.File
import java.time.Duration
import kotlin.random.Random
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder

private const val SECRET = "hunter2secret"

/**
 * Marks: each is one token, whatever it covers, and no token is cut. These are the facts that no frozen case
 * covers.
 */
class MarksTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private val bundle = Vectors.bundles.getValue("policy")

    private val pieces = (
        "a É ß σ Σ ς x 7 ' ’ ` ´ \u0301 \u200d \u00ad . - – \n 👍 👩🏽‍⚕️ \u0387 =\u0338 ﬁ が ก 世 𐐀 l' ’s the maria zoltan " +
            "marie-anne straße"
        ).split(' ') + listOf(" ", " ", " ")

    /** Texts with marks anywhere in them, between characters. */
    private fun cases(seed: Int, times: Int, action: (String, List<Mark>, Random) -> Unit) {
        val source = Random(seed)
        repeat(times) {
            val text = List(source.nextInt(1, 13)) { pieces.random(source) }.joinToString("")
            val places = (0..text.codePoints).map { text.offsetByCodePoints(0, it) }
            val marks = List(source.nextInt(4)) {
                val start = source.nextInt(places.size - 1)
                val end = source.nextInt(start + 1, minOf(places.size, start + 9))
                Mark(places[start], places[end], listOf("names", "illness_2", null).random(source))
            }
            action(text, marks, source)
        }
    }

    private fun seeded(seed: Long) = RandomSource(Random(seed)::nextBytes)

    private fun privatizer(random: RandomSource, oov: Oov = Oov.RANDOM) =
        Privatizer(bundle, 0.3, oov = oov, random = random)

    /** The tokens of the parts, marks too, are those of the whole text, in any spaced language. */
    @Test
    fun noTokenIsCut() {
        for (name in listOf("policy", "spaced", "tasks")) {
            val some = Vectors.bundles.getValue(name)
            cases(1, 3_000) { text, marks, _ ->
                val cut = cutMarks(text, marks.map { it.copy(list = null) }, some)
                val parts = around(text, cut)
                val all = parts.zip(cut.map { text.substring(it.start, it.end) } + "").flatMap { it.toList() }
                assertEquals(text, all.joinToString(""))
                assertEquals("$text $cut", some.tokenize(text), all.flatMap(some::tokenize))
            }
        }
    }

    @Test
    fun marksCoverWhatWasMarkedInOrderAndApart() = cases(2, 3_000) { text, marks, source ->
        val cut = cutMarks(text, marks, bundle)
        val ends = cut.flatMap { listOf(it.start, it.end) }
        assertEquals(ends.sorted(), ends)
        assertTrue(cut.all { it.start < it.end })
        assertTrue(marks.all { given -> cut.any { it.start <= given.start && given.end <= it.end } })
        fun List<Mark>.places() = map { it.start to it.end }
        assertEquals(cut.places(), cutMarks(text, marks.shuffled(source), bundle).places())
        assertEquals(cut, cutMarks(text, cut, bundle)) // once is enough
    }

    /** Marks are written as `start-end` and `start-end:list`, in UTF-16. */
    @Test
    fun howMarksAreCut() {
        fun marks(text: String) = text.split(' ').map { mark ->
            val (start, end) = mark.substringBefore(':').split('-').map(String::toInt)
            Mark(start, end, mark.substringAfter(':', "").ifEmpty { null })
        }
        for ((text, given, expected) in listOf(
            Triple("Dr. O'Hara-Miller's", "6-8", "4-19"), // a joiner joins
            Triple("Dr. O`Hara, Miller", "6-8", "4-10"), // a look-alike is no end
            Triple("a.b", "0-1", "0-1"),
            Triple("in cafe\u0301", "3-4", "3-8"), // marks on letters
            Triple("👍👍Anna x", "4-5", "4-8"), // two units each
            Triple("👍Anna", "0-3", "0-6"),
            Triple("𐐀nna𐐁 b", "3-4", "0-7"),
            Triple("Anna, Maria", "0-2:names 8-9", "0-4:names 6-11"),
            Triple("Anna Maria", "0-4 4-5 5-10:names", "0-4 4-5 5-10:names"),
            Triple("Anna Maria", "8-9 1-6:names", "0-10:names"),
            Triple("Anna Maria", "2-3:names 1-2:illness_2", "0-4:illness_2"),
            Triple("Anna", "1-3:names 1-2", "0-4"), // sorted by the end, too
            Triple("Anna", "1-2:names 1-2", "0-4:names"), // then in the order given
            Triple(" , ", "1-2", "1-2"),
        )) {
            assertEquals(text, marks(expected), cutMarks(text, marks(given), bundle))
        }
        val unspaced = Vectors.bundles.getValue("unspaced") // no script without spaces is widened
        assertEquals(listOf(Mark(1, 4)), cutMarks("一丁ab丁", listOf(Mark(1, 3)), unspaced))
    }

    /** For any text in the marks: equal bytes give equal outputs, and the same number of bytes is used. */
    @Test
    fun whatAMarkCoversDoesNotShow() {
        var compared = 0
        for (oov in listOf(Oov.RANDOM, Oov.DROP)) {
            for (rest in Rest.entries) {
                cases(3, 300) { text, marks, source ->
                    val cut = cutMarks(text, marks, bundle)
                    val parts = around(text, cut)
                    val seed = source.nextLong()
                    val seen = listOf(null, "a", "$SECRET; 7 words, all ก secret!", ". 👍").mapNotNull { other ->
                        val changed = StringBuilder(parts[0])
                        val given = cut.zip(parts.drop(1)) { mark, behind ->
                            val start = changed.length
                            changed.append(other ?: text.substring(mark.start, mark.end))
                            mark.copy(start = start, end = changed.length).also { changed.append(behind) }
                        }
                        // Where a letter stands beside, another text is marked.
                        if (cutMarks("$changed", given, bundle) != given) return@mapNotNull null
                        val random = seeded(seed)
                        val output = privatizer(random, oov).text("$changed", given, rest)
                        assertFalse(SECRET in output)
                        output to hexadecimal(ByteArray(8).also(random::fill))
                    }
                    assertEquals(1, seen.toSet().size)
                    compared += seen.size - 1
                }
            }
        }
        assertTrue("$compared", compared > 1_000)
    }

    @Test
    fun theRestPassesAsItWasTyped() = cases(4, 300) { text, marks, source ->
        val cut = cutMarks(text, marks, bundle)
        val seed = source.nextLong()
        val typed = cut.map { mapOf("names" to "maria", "illness_2" to "cancer")[it.list] ?: "xqzz" }
        val words = privatizer(seeded(seed)).words(typed)
        val expected = around(text, cut).zip(words + "") { part, word -> part + word }.joinToString("")
        assertEquals(expected, privatizer(seeded(seed)).text(text, marks, Rest.PASS))
    }

    @Test
    fun anUnknownMarkThatIsDroppedLeavesNothing() {
        val marks = listOf(Mark(7, 10), Mark(15, 17, "names"))
        val released = privatizer(seeded(1), Oov.DROP).text("👍 Ask Zoë, or Maria: now!", marks, Rest.PASS)
        assertEquals("👍 Ask , or ${privatizer(seeded(1)).word("Maria")}: now!", released)
    }

    @Test
    fun marksWithoutAPolicyAreUnknownWords() {
        fun some() = Privatizer(Work.bundle64, 1.0, random = seeded(1))
        assertEquals(some().text("what xqzz weather"), some().text("what is the weather", listOf(Mark(5, 11))))
    }

    @Test
    fun aBudgetCountsTokensOrOnlyMarks() {
        val marks = listOf(Mark(5, 10, "names"), Mark(15, 16, "names"))
        for ((rest, number) in listOf(Rest.RELEASE to 4, Rest.PASS to 2)) {
            val budget = PrivacyBudget(number + 0.5, Duration.ofHours(1), File(temporary.newFolder(), "state"))
            val some = Privatizer(bundle, 1.0, "brr", budget = budget)
            some.text("Call Maria and Zoltan!", marks, rest)
            val error = assertThrows(BudgetException::class.java) { some.text("Call Maria and Zoltan!", marks, rest) }
            assertFalse("Maria" in error.message!!)
            assertEquals("nothing is marked", some.text("nothing is marked", rest = Rest.PASS))
        }
    }

    @Test
    fun textsAreTextsOneAfterTheOther() {
        val texts = listOf("Maria is here", "", "asthma, doctor")
        val marks = listOf(listOf(Mark(0, 5, "names")), emptyList(), listOf(Mark(0, 6, "illness_2"), Mark(8, 9)))
        for (rest in Rest.entries) {
            val alone = privatizer(seeded(1))
            val expected = texts.zip(marks) { text, ofText -> alone.text(text, ofText, rest) }
            assertEquals(expected, privatizer(seeded(1)).texts(texts, marks, rest))
        }
    }

    @Test
    fun wrongMarksAreRefusedBeforeAnythingIsDrawn() {
        val text = "$SECRET 👍 is my name"
        val some = privatizer({ error("drawn") })
        val place = "mark 2: must satisfy 0 <= start < end <= length of the text, and cut no character (UTF-16)"
        val list = "mark 2: the bundle's policy has no such list; its lists: names, illness_2"
        for ((mark, message) in listOf(
            Mark(-1, 1) to place, Mark(3, 3) to place, Mark(4, 3) to place, Mark(0, text.length + 1) to place,
            Mark(text.length, text.length + 1) to place, Mark(0, 15) to place, Mark(15, 17) to place,
            Mark(14, 15) to place, Mark(Int.MIN_VALUE, Int.MAX_VALUE) to place,
            Mark(0, 2, "places") to list, Mark(0, 2, SECRET) to list, Mark(0, 2, "") to list,
        )) {
            for (rest in Rest.entries) {
                for (release in listOf<() -> Any>(
                    { some.text(text, listOf(Mark(0, 1), mark), rest) },
                    { some.texts(listOf("", text), listOf(emptyList(), listOf(Mark(0, 1), mark)), rest) },
                )) {
                    val error = assertThrows("$mark", ParameterException::class.java) { release() }
                    assertEquals(message, error.message)
                }
            }
        }
        val none = assertThrows(ParameterException::class.java) {
            Privatizer(Work.bundle64, 1.0).text(text, listOf(Mark(0, 1, "names")))
        }
        assertEquals("mark 1: the bundle's policy has no such list; its lists: none", none.message)
        val few = assertThrows(ParameterException::class.java) { some.texts(listOf(text, text), listOf(emptyList())) }
        assertEquals("marks needs one list of marks for each text", few.message)
        for (rest in Rest.entries) {
            val unknown = assertThrows(OutOfVocabularyException::class.java) {
                privatizer(seeded(1), Oov.ERROR).text(text, listOf(Mark(0, 5)), rest)
            }
            assertFalse(SECRET in unknown.message!!)
        }
    }
}
