package org.brrkit.demo

import android.content.res.Resources
import java.text.NumberFormat
import java.util.Locale
import kotlin.math.ceil
import kotlin.math.exp
import kotlin.math.floor
import org.brrkit.Base
import org.brrkit.Estimate
import org.brrkit.Measured

/** A share: what it is of, and how large it is, in words and as a number of 100. */
internal data class Fact(val name: String, val value: String, val of100: Int)

/** Says what settings mean, in the language of the interface. */
internal class Meaning(private val resources: Resources) {
    private val numbers = NumberFormat.getInstance(
        numberLocale(resources.configuration.locales[0], text(R.string.language)),
    ).also { it.maximumFractionDigits = 2 }

    /** What never leaves of words in the bundle's lists. */
    fun secrets(outlook: Outlook): String = text(R.string.secrets, outlook.lists.joinToString())

    /** How many words leave unchanged, of all, where that was measured. */
    fun unchanged(measured: Measured): Fact {
        val share = measured.allWords?.unchanged ?: measured.unchanged
        return Fact(text(R.string.strength_unchanged), about(share), share.about)
    }

    /** How many words an attacker finds out, of all or of those that aren't very frequent. */
    fun attack(measured: Measured): Fact {
        val ofContent = measured.over == "content"
        val name = if (ofContent) R.string.strength_attack_content else R.string.strength_attack
        return found(name, measured.attackSuccess)
    }

    /** How many of all words they find out, if the first number is of some. */
    fun attackOfAll(measured: Measured): Fact? =
        measured.allWords?.let { found(R.string.strength_attack, it.attackSuccess) }

    /** How many of the words that are least protected they find out, if that was measured. */
    fun worst(measured: Measured): Fact? =
        measured.worst?.let { found(R.string.strength_worst, it) }

    /** Who the attacker of the numbers is, or that there are no numbers; and what is recommended. */
    fun attacker(outlook: Outlook): String {
        val measured = outlook.offer.measured
        val who = if (measured == null) R.string.strength_unknown else ATTACKERS[measured.attacker]
        val own = R.string.strength_recommended.takeIf { outlook.isRecommended }
        return listOfNotNull(who, own).joinToString(" ", transform = ::text)
    }

    /** All that is said of the strength, one sentence after the other. */
    fun protection(outlook: Outlook): String {
        val measured = outlook.offer.measured
        val facts = measured
            ?.let { listOfNotNull(unchanged(it), attack(it), attackOfAll(it), worst(it)) }.orEmpty()
        return (facts.map(::sentence) + attacker(outlook)).joinToString(" ")
    }

    /** Which of the strengths is chosen, and how much an attacker finds out then. */
    fun place(outlook: Outlook): String = text(
        R.string.strength_place,
        number(outlook.place + 1),
        number(outlook.offers.size),
        outlook.offer.measured?.let { sentence(attack(it)) } ?: text(R.string.strength_unknown),
    )

    /** Which strengths the app doesn't offer. */
    fun limit(mostAttackSuccess: Double): String =
        text(R.string.strength_limit, number(floor(100 * mostAttackSuccess + ROUNDING)))

    fun reports(outlook: Outlook): String =
        outlook.wordsADay?.let { count(R.plurals.reports, it) } ?: text(R.string.no_reports)

    /** How many words the rest of the budget is enough for. */
    fun budgetLeft(outlook: Outlook): String = count(R.plurals.budget_left, outlook.wordsLeft)

    /** How many words the whole budget is enough for. */
    fun budgetSize(outlook: Outlook): String = count(R.plurals.budget_size, outlook.wordsInAll)

    /** What the budget counts, and when it is renewed. */
    fun budget(outlook: Outlook): String {
        val reports = outlook.wordsADay?.let { text(R.string.budget_reports) }
        return listOfNotNull(text(R.string.budget_note, days), reports).joinToString(" ")
    }

    /** That the budget is of the [language] with this tag. */
    fun languages(language: String): String =
        text(R.string.languages_note, Locale.forLanguageTag(language).let { it.getDisplayLanguage(it) })

    fun memory(): String = text(R.string.memory_note, days)

    /** How it was measured, which words leave more often, how far any two can be told apart. */
    fun details(outlook: Outlook): String {
        val measured = outlook.offer.measured
        val how = when {
            measured == null -> null
            measured.text == null -> text(R.string.strength_of_words)
            measured.over == "content" -> text(R.string.strength_of_content)
            else -> text(R.string.strength_of_texts)
        }
        val base = outlook.base ?: return how.orEmpty()
        val most = outlook.cap?.let { text(R.string.cap, number(ceil(exp(it))), number(it)) }
        return listOfNotNull(how, text(BASES.getValue(base)), most ?: text(R.string.no_cap))
            .joinToString(" ")
    }

    fun epsilon(outlook: Outlook): String = text(
        R.string.epsilon,
        number(outlook.offer.epsilon),
        number(outlook.cost),
        number(outlook.left),
        number(outlook.settings.dailyBudget),
    )

    private val days = number(MEMORY_PERIOD.toDays())

    private fun sentence(fact: Fact): String = text(R.string.fact, fact.name, fact.value)

    private fun found(name: Int, share: Estimate): Fact {
        val value =
            if (share.most == 100) text(R.string.rate_all)
            else text(R.string.rate_most, number(share.most))
        return Fact(text(name), value, share.most)
    }

    private fun about(share: Estimate): String = when (share.about) {
        0 -> text(R.string.rate_few)
        100 -> text(R.string.rate_all)
        else -> text(R.string.rate_about, number(share.about))
    }

    private fun number(value: Number): String = numbers.format(value)

    private fun text(id: Int, vararg arguments: String): String =
        if (arguments.isEmpty()) resources.getString(id) else resources.getString(id, *arguments)

    private fun count(id: Int, count: Int): String =
        resources.getQuantityString(id, count, number(count))

    private companion object {
        val ATTACKERS = mapOf(
            "isolated" to R.string.attacker_isolated,
            "frequencies" to R.string.attacker_frequencies,
            "sentence" to R.string.attacker_sentence,
            "informed" to R.string.attacker_informed,
        )
        val BASES = mapOf(
            Base.UNIFORM to R.string.base_uniform,
            Base.UNIGRAM to R.string.base_unigram,
            Base.BIGRAM to R.string.base_bigram,
        )
    }
}

/** How numbers in texts of a [language] are written: as on the [phone], if it speaks that language. */
internal fun numberLocale(phone: Locale, language: String): Locale =
    if (phone.language == language) phone else Locale.forLanguageTag(language)
