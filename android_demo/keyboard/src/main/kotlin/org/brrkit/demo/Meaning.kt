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

/** A share: its name, and its value in words and as a percentage. */
internal data class Fact(val name: String, val value: String, val of100: Int)

/** Describes settings in the language of the interface. */
internal class Meaning(private val resources: Resources) {
    private val numbers = NumberFormat.getInstance(
        numberLocale(resources.configuration.locales[0], text(R.string.language)),
    ).also { it.maximumFractionDigits = 2 }

    /** The protection of words in the bundle's lists. */
    fun secrets(outlook: Outlook): String = text(R.string.secrets, outlook.lists.joinToString())

    /** The share of words that leave unchanged, if it was measured. */
    fun unchanged(measured: Measured): Fact {
        val share = measured.allWords?.unchanged ?: measured.unchanged
        return Fact(text(R.string.strength_unchanged), about(share), share.about)
    }

    /** The share of words that an attacker recovers, of all words or of those that aren't very frequent. */
    fun attack(measured: Measured): Fact {
        val ofContent = measured.over == "content"
        val name = if (ofContent) R.string.strength_attack_content else R.string.strength_attack
        return found(name, measured.attackSuccess)
    }

    /** The share of all words that they recover, if the first share is of some words only. */
    fun attackOfAll(measured: Measured): Fact? =
        measured.allWords?.let { found(R.string.strength_attack, it.attackSuccess) }

    /** The share that they recover of the least protected words, if it was measured. */
    fun worst(measured: Measured): Fact? =
        measured.worst?.let { found(R.string.strength_worst, it) }

    /** The attacker of these shares, or a note that there are none; and the recommendation. */
    fun attacker(outlook: Outlook): String {
        val measured = outlook.offer.measured
        val who = if (measured == null) R.string.strength_unknown else ATTACKERS[measured.attacker]
        val own = R.string.strength_recommended.takeIf { outlook.isRecommended }
        return listOfNotNull(who, own).joinToString(" ", transform = ::text)
    }

    /** The whole description of the strength, as sentences. */
    fun protection(outlook: Outlook): String {
        val measured = outlook.offer.measured
        val facts = measured
            ?.let { listOfNotNull(unchanged(it), attack(it), attackOfAll(it), worst(it)) }.orEmpty()
        return (facts.map(::sentence) + attacker(outlook)).joinToString(" ")
    }

    /** The chosen strength, and its attack success. */
    fun place(outlook: Outlook): String = text(
        R.string.strength_place,
        number(outlook.place + 1),
        number(outlook.offers.size),
        outlook.offer.measured?.let { sentence(attack(it)) } ?: text(R.string.strength_unknown),
    )

    /** The strengths that the app doesn't offer. */
    fun limit(mostAttackSuccess: Double): String =
        text(R.string.strength_limit, number(floor(100 * mostAttackSuccess + ROUNDING)))

    fun reports(outlook: Outlook): String =
        outlook.wordsADay?.let { count(R.plurals.reports, it) } ?: text(R.string.no_reports)

    /** The number of words that the rest of the budget allows. */
    fun budgetLeft(outlook: Outlook): String = count(R.plurals.budget_left, outlook.wordsLeft)

    /** The number of words that the whole budget allows. */
    fun budgetSize(outlook: Outlook): String = count(R.plurals.budget_size, outlook.wordsInAll)

    /** The budget's unit, and the time of its renewal. */
    fun budget(outlook: Outlook): String {
        val reports = outlook.wordsADay?.let { text(R.string.budget_reports) }
        return listOfNotNull(text(R.string.budget_note, days), reports).joinToString(" ")
    }

    /** A note that the budget belongs to the [language] with this tag. */
    fun languages(language: String): String =
        text(R.string.languages_note, Locale.forLanguageTag(language).let { it.getDisplayLanguage(it) })

    fun memory(): String = text(R.string.memory_note, days)

    /** The measurement, the words that leave more often, and the limit of the loss between any two words. */
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

/** The number format for texts in a [language]: the [phone]'s, if its language is the same. */
internal fun numberLocale(phone: Locale, language: String): Locale =
    if (phone.language == language) phone else Locale.forLanguageTag(language)
