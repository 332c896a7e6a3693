package org.brrkit

import kotlin.random.Random
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNotEquals
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Test

private const val SECRET = "hunter2secret"

/**
 * Sessions: surrogates reveal nothing about the replaced texts, and a reply gets these back. Frozen cases cover
 * the draws.
 */
class SessionTest {
    private val bundle = Vectors.bundles.getValue("policy")

    private fun session(seed: Long = 1) = Session(bundle, Random(seed)::nextBytes)

    /** Hides values in the places of the template's `{}`, each of a list or unknown. */
    private fun Session.hide(template: String, vararg values: Pair<String, String?>): String {
        val text = StringBuilder()
        val marks = ArrayList<Mark>()
        template.split("{}").forEachIndexed { place, part ->
            text.append(part)
            val (value, list) = values.getOrNull(place) ?: return@forEachIndexed
            marks += Mark(text.length, text.length + value.length, list)
            text.append(value)
        }
        return hide("$text", marks)
    }

    private fun conversation(seed: Long, people: List<String>, others: List<String>): List<String> {
        val session = session(seed)
        val (a, b, c) = people.map { it to "names" }
        val (x, y) = others.map { it to null }
        return listOf(
            session.hide("👍 Dear {}, ({}) met {} today.", a, x, b),
            session.hide("{}: {} and {}, {}!", b, a, c, x),
            session.hide("So? {} {}", y, a),
        )
    }

    @Test
    fun surrogatesDoNotDependOnWhatIsMarked() {
        for (seed in 1L..50) {
            val expected = conversation(seed, listOf("Maria", "John", "Sarah"), listOf("table", "7"))
            for ((people, others) in listOf(
                listOf("Zoltan", "priya", "Dr. O’Hara-Müller") to listOf("世界 ก", "the"),
                listOf(SECRET, "Maria Müller", "maria") to listOf("john", "👍"),
            )) {
                assertEquals(expected, conversation(seed, people, others))
            }
            // What is equal shows.
            assertNotEquals(expected, conversation(seed, listOf("Maria", "MARIA", "Sarah"), listOf("table", "7")))
        }
    }

    @Test
    fun aReplyGetsBackWhatWasTyped() {
        val session = session()
        val given = arrayOf("Zoltan" to "names", "Maria Müller" to "names", "MIGRAINE" to "illness_2", "x-7" to null)
        val hidden = session.hide("Dear {}, {} has {} ({}).", *given)
        assertEquals("Dear Zoltan, Maria Müller has MIGRAINE (x-7).", session.restore(hidden))
        val (one, other, illness, code) = given.map { (text, list) -> session.hide("{}", text.lowercase() to list) }
        assertEquals("Dear $one, $other has $illness ($code).", hidden)
        for ((reply, expected) in listOf(
            "${one.uppercase()}’s $illness" to "Zoltan’s MIGRAINE",
            "$one-${other.uppercase()}" to "Zoltan-Maria Müller",
            "‘$other’, $other`s" to "‘Maria Müller’, Maria Müller`s",
            "${one}x x$one $one\u0301 ${one}7" to "${one}x x$one $one\u0301 ${one}7",
            "\n  $code\t👍\uD83D" to "\n  x-7\t👍\uD83D",
            "" to "",
            "'" to "'",
        )) {
            assertEquals(expected, session.restore(reply))
        }
        val another = session(2)
        assertEquals(hidden, another.restore(hidden))
    }

    @Test
    fun aListMayHaveNoWordLeft() {
        val session = session()
        val kept = session.hide("{} {}", "a" to "illness_2", "b" to "illness_2")
        repeat(2) {
            val error = assertThrows(ParameterException::class.java) { session.hide("{}", SECRET to "illness_2") }
            assertEquals(
                "all words of the list 'illness_2' are already in use in this session; begin another one",
                error.message,
            )
        }
        assertEquals(kept, session.hide("{} {}", "A" to "illness_2", "b" to "illness_2"))
        // What fails keeps nothing.
        val another = session()
        val three = arrayOf("a" to "illness_2", "b" to "illness_2", SECRET to "illness_2")
        assertThrows(ParameterException::class.java) { another.hide("{} {} {}", *three) }
        val hidden = another.hide("{} {}", "c" to "illness_2", "d" to "illness_2")
        assertEquals("c d", another.restore(hidden))
    }

    @Test
    fun unknownMarksStandForWordsOfNoListThatDoNotPass() {
        val session = session()
        val all = bundle.policy.lists.flatMap { it.members } + bundle.policy.passing!!.words
        val others = (0 until bundle.size) - all.toSet()
        val found = others.map { session.hide("{}", "$it" to null) }
        assertEquals(others.map(bundle.vocabulary::word).toSet(), found.toSet())
        val error = assertThrows(ParameterException::class.java) { session.hide("{}", SECRET to null) }
        assertEquals("all words are already in use in this session; begin another one", error.message)
    }

    @Test
    fun wrongMarksAndBundlesAreRefused() {
        for (mark in listOf(Mark(3, 2), Mark(0, 2, "places"), Mark(0, 14))) {
            val error = assertThrows(ParameterException::class.java) { session().hide(SECRET, listOf(mark)) }
            assertFalse(SECRET in error.message!!)
        }
        val error = assertThrows(ParameterException::class.java) { Session(Work.lists.values.first()) }
        assertEquals("a list has no codes, so its strings can only be counted", error.message)
    }

    @Test
    fun nothingTypedIsShown() {
        val session = session()
        val hidden = session.hide(SECRET, listOf(Mark(0, 4, "names")))
        assertEquals(SECRET, session.restore(hidden))
        assertFalse(SECRET in "$session $hidden")
        assertTrue(hidden in bundle.policy.lists[0].members.map(bundle.vocabulary::word))
    }
}
