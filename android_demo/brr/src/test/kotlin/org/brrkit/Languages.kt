package org.brrkit

import java.text.Normalizer
import kotlin.random.Random

/**
 * A language in a test: letters of its words, and the differences of its `writing` from that of English.
 *
 * @property letters code points for random words.
 */
class Language(val name: String, val letters: String, vararg differences: Pair<String, Any>) {

    /** In the form of a manifest. */
    val fields: Map<String, Any> = mapOf(
        "language" to name,
        "replaced" to emptyMap<String, String>(),
        "joiners" to emptyList<String>(),
        "before" to emptyList<String>(),
        "endings" to emptyList<String>(),
        "shortest_stem" to 1L,
        "spellings" to emptyMap<String, String>(),
        "rewritten" to emptyList<List<String>>(),
        "longest_run" to 0L,
        "unspaced" to emptyList<List<Long>>(),
        "links" to emptyList<String>(),
        "shortest_part" to 4L,
    ) + differences

    val writing: Writing = readWriting(fields)!!
}

private val HAN = listOf(listOf(0x3400L, 0x4DBFL), listOf(0x4E00L, 0x9FFFL), listOf(0x20000L, 0x2FFFFL))

/** One for each rule at least. */
val LANGUAGES: List<Language> = listOf(
    Language(
        "fr",
        "abelmoéœ\u0301",
        "before" to listOf("l'", "d'", "qu'", "jusqu'", "j'"),
        "joiners" to listOf("-"),
        "rewritten" to listOf(listOf("œ", "oe"), listOf("é", "e")),
        "spellings" to mapOf("aux" to "à", "du" to "de", "00h" to "7h", "b0" to "bo", "omm" to "om"),
        "longest_run" to 2L,
    ),
    Language(
        "de",
        "abenstüß\u0308",
        "links" to listOf("", "s", "es", "-"),
        "joiners" to listOf("-"),
        "rewritten" to listOf(listOf("ß", "ss"), listOf("ae", "ä"), listOf("ue", "ü")),
        "endings" to listOf("'s", "s"),
        "shortest_part" to 2L,
        "spellings" to mapOf("0" to "eins", "0000" to "2000", "bs" to "bis"),
        "longest_run" to 1L,
    ),
    Language(
        "tr",
        "aIıİilnşk\u0307",
        "replaced" to mapOf("I" to "ı", "İ" to "i", "â" to "a"),
        "endings" to listOf("'da", "'nın", "lar", "lık", "ar", "a"),
        "shortest_stem" to 2L,
    ),
    Language("el", "αάσςονΣΑ\u0301", "rewritten" to listOf(listOf("ά", "α"))),
    Language(
        "fa",
        "ابپکكیيـم",
        "replaced" to mapOf("ك" to "ک", "ي" to "ی", "ـ" to "", "\u200f" to ""),
        "joiners" to listOf("\u200c"),
        "endings" to listOf("\u200cها", "ها"),
        "rewritten" to listOf(listOf("\u200c", "")),
    ),
    Language(
        "ar",
        "ابتلوه\u064b\u0651\u0654ئ",
        "before" to listOf("و", "ال", "وال", "ب"),
        "endings" to listOf("ه", "ها"),
        "replaced" to mapOf("\u064b" to "", "\u0651" to "", "أ" to "ا"),
        "shortest_stem" to 2L,
    ),
    Language(
        "ko",
        "가각은는밤\u1100\u1161\u11a8하",
        "endings" to listOf("은", "는", "에서", "서"),
        "longest_run" to 3L,
    ),
    Language("zh", "我喜欢吃苹果\uD840\uDC00\uF900", "unspaced" to HAN, "longest_run" to 2L),
    Language(
        "ja",
        "日本語かがカ\u3099ー",
        "unspaced" to listOf(listOf(0x3041L, 0x3096L), listOf(0x3099L, 0x30FFL)) + HAN,
    ),
    Language(
        "th",
        "กขคา\u0e33\u0e38\u0e48ไ",
        "unspaced" to listOf(listOf(0x0E01L, 0x0E30L), listOf(0x0E31L, 0x0E7FL)),
    ),
    Language(
        "hi",
        "कखग\u093c\u0958\u094dि\u0901",
        "rewritten" to listOf(listOf("\u0901", "\u0902")),
        "replaced" to mapOf("\u200d" to ""),
        "endings" to listOf("ों"),
    ),
)

/** Texts in a language that are relevant to a tokenizer, and others. */
class RandomTexts(private val language: Language, private val source: Random) {
    private val lists = listOf("before", "endings", "joiners", "links").flatMap { language.fields[it] as List<*> }
    private val pairs = (language.fields["rewritten"] as List<*>).flatMap { it as List<*> }
    private val maps = listOf("replaced", "spellings").flatMap { name ->
        (language.fields[name] as Map<*, *>).entries.flatMap { listOf(it.key, it.value) }
    }
    private val pieces = (lists + pairs + maps).map { it as String } + OTHERS
    private val letters = language.letters.codePoints().toArray().map { String(Character.toChars(it)) }
    private val words = List(8) { word() }

    /** Returns a few letters. */
    fun word(): String = List(source.nextInt(1, 5)) { letters.random(source) }.joinToString("")

    /** Returns words of a vocabulary, pieces of the language, and others, with few spaces between them. */
    fun text(): String = List(source.nextInt(10)) {
        when (source.nextInt(10)) {
            0, 1 -> " "
            2, 3 -> written(words.random(source))
            4, 5 -> words.random(source)
            6 -> List(source.nextInt(1, 4)) { marks.random(source) }.joinToString("")
            7 -> randomCodePoint(source)
            else -> pieces.random(source)
        }
    }.joinToString("")

    /** Returns words that may be looked up for [text], in the vocabulary's form, and their masses. */
    fun vocabulary(text: String): Pair<List<String>, List<Int>> {
        val writing = language.writing
        val tokens = tokenizerOf(writing, listOf("a")).tokens("$text ${text()}")
        val parts = tokens.flatMap { token ->
            val at = source.nextInt(token.length + 1)
            listOf(token, token.trim('\''), token.take(at), token.drop(at), token.dropLast(at))
        }
        val all = (words.map(writing::normalize) + parts + pieces.map(writing::normalize))
            .filter { it.isNotEmpty() && it.none { character -> character < ' ' || character.isSurrogate() } }
        val some = all.distinct().shuffled(source)
        val vocabulary = some.take(source.nextInt(some.size)) + "can"
        return vocabulary.distinct().let { it to it.map { source.nextInt(1, 256) } }
    }

    private fun written(word: String): String = when (source.nextInt(5)) {
        0 -> word.uppercase()
        1 -> letters.random(source).let { word.replaceFirst(it, it.repeat(source.nextInt(2, 6))) }
        2 -> Normalizer.normalize(word, Normalizer.Form.NFD)
        3 -> word + words.random(source)
        else -> word.replace('\'', '’')
    }

    private companion object {
        val OTHERS = (
            "a B é É İ Σ σ ß ǅ 👍 ʼ ＇ Д Ա ! _ ' ’ it do 7 12 1999 - \u200c \u0130 \uFF21 \u1100 \u11a8 漢 中文 กก " +
                "n't 's 're 've 'll 'd 'm can't won't shan't"
            ).split(' ')
        val marks = ("\u0300 \u0301 \u0323 \u0308 \u0345 \u0591 \u064b \u093c \u094d \u0e38 \u1161 \u11a8 " +
            "\u3099 \u0340 \u0344").split(' ')
    }
}

/** Returns any character. */
fun randomCodePoint(source: Random): String {
    val codePoint = source.nextInt(if (source.nextBoolean()) 0x110000 else 0x3200)
    return if (codePoint in 0xD800..0xDFFF) "x" else String(Character.toChars(codePoint))
}

/** Returns a writing that takes each of its rules from one of [LANGUAGES]. */
fun randomLanguage(source: Random): Language {
    val one = LANGUAGES.random(source)
    if (source.nextBoolean()) return one
    val mixed = one.fields.keys.associateWith { LANGUAGES.random(source).fields.getValue(it) }
    return Language(one.name, one.letters, *mixed.toList().toTypedArray())
}
