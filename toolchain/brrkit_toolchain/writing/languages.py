"""The languages with known writing, one entry for each.

An entry only has the rules that differ from `PLAIN`, with their evidence. "Measured" means that the
words beyond the 8,000 most frequent ones that an ending, a spelling or a compound finds were read.
For languages with vectors (de, fr, ko, ru), it was also counted how many have their word among
their 100 nearest neighbors: 20 to 130 times as many as by chance
(benchmarks/results/written-in.md). Rules that were wrong more than about one time in twenty are
left out: compounds of Finnish (tule|vaan), prefixes of Arabic as words of their own (ب|رلمان),
Arabic ي, ك and ان.

`longest_run` is 2 in every language. Among the most frequent words of wordfreq (60,000 for English,
20,000 each for ar, de, es, fi, fr, hi, it, ja, ko, pt, ru, tr, uk and zh), those with three equal
letters in a row were read: numerals (iii), abbreviations (www, ссср), drawn-out words (hmmm,
hahaaa), and German compounds (Missstände). A vocabulary contains these, or cuts the compound, so
only unknown words lose letters. There was no list to read for ca, cs, el, fa, he, nl, pl and th.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from brrkit_toolchain.writing.scripts import (
    ARABIC_MARKS,
    HAN,
    HEBREW_MARKS,
    KANA,
    STRESS,
    THAI,
    WORD_ENDS,
    instead,
)


@dataclass(frozen=True)
class Language:
    """A language.

    Attributes:
        name: name in English.
        typical: some of its most frequent words, separated by spaces, which identify it.
        rules: the fields of ``Writing`` that differ from `PLAIN`.
        closed: more words of closed classes (pronouns, prepositions, conjunctions, auxiliaries),
            which don't identify it, since some kinds of texts hardly have them.
    """

    name: str
    typical: str
    rules: dict[str, Any] = field(default_factory=dict)
    closed: str = ""

    @property
    def function_words(self) -> tuple[str, ...]:
        """Words with next to no meaning by themselves."""
        return (*self.typical.split(), *self.closed.split())


PLAIN: dict[str, Any] = {
    "replaced": (),
    "joiners": (),
    "before": (),
    "endings": (),
    "shortest_stem": 4,
    "spellings": (),
    "rewritten": (),
    "longest_run": 2,
    "unspaced": (),
    "links": (),
    "shortest_part": 4,
}
"""The rules for an unknown language: spaces and punctuation separate words."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _elided(text: str) -> tuple[str, ...]:
    """Return separate words that lose their vowel before a vowel: "l d" gives l' and d'."""
    return tuple(f"{word}'" for word in text.split())


def _words_for(text: str) -> tuple[tuple[str, str], ...]:
    """Return pairs for ``rewritten``: "ae ä" replaces ae by ä."""
    forms = text.split()
    return tuple(zip(forms[::2], forms[1::2], strict=True))


def _both_ways(text: str) -> tuple[tuple[str, str], ...]:
    """Return pairs in both directions: "ss ß" replaces ß by ss, and ss by ß."""
    pairs = _words_for(text)
    return tuple(pair for one, other in pairs for pair in ((one, other), (other, one)))


# Pronouns and plurals after an Arabic word, and parts before it without a space: the article, also
# after prepositions and "and". Measured.
_ARABIC_ENDINGS = _words("هما ها هم هن كم نا ات ين ون ه ة")
_ARABIC_ARTICLES = (("وال", "ال"), ("وال", ""), ("بال", ""), ("لل", ""), ("ال", ""))

# Plural, possessor, cases, "with", "is". Measured.
_TURKISH_ENDINGS = _words(
    "lar ler ları leri ların lerin lara lere larda lerde lardan lerden larını lerini larına "
    "lerine larında lerinde ı i u ü yı yi yu yü nı ni nu nü ın in un ün nın nin nun nün a e ya ye "
    "na ne da de ta te nda nde dan den tan ten ndan nden la le yla yle ım im um üm sı si su sü "
    "ını ini unu ünü ına ine una üne ında inde unda ünde ından inden undan ünden dır dir dur dür "
    "tır tir tur tür"
)
# After the apostrophe of a name of any length; the longest first, since each is searched anywhere.
_TURKISH_NAMES = _words(
    "'daki 'deki 'taki 'teki 'ndan 'nden 'nın 'nin 'nun 'nün 'nda 'nde 'dan 'den 'tan 'ten 'yla "
    "'yle 'dır 'dir 'dur 'dür 'tır 'tir 'lar 'ler 'yı 'yi 'yu 'yü 'nı 'ni 'nu 'nü 'ın 'in 'un 'ün "
    "'ya 'ye 'na 'ne 'da 'de 'ta 'te 'la 'le 'lı 'li 'ı 'i 'u 'ü 'a 'e"
)

LANGUAGES: dict[str, Language] = {
    "en": Language(
        "English",
        "the of and to in a is for that it on with as was be by are this from have not at or an "
        "they which but his had were",
        closed="i you he she we me him her us them my your its our their these those who what when "
        "where why how do does did am been being has can could will would shall should may might "
        "must if because so than then there into out up down over under about after before "
        "between through during without within against off until while though",
    ),
    "ar": Language(
        "Arabic",
        "في من على أن لا إلى ما عن هذا مع التي كل هذه أو هو كان الذي ذلك بعد بين كانت قبل هي حتى "
        "قد",
        {
            "replaced": ARABIC_MARKS,
            "endings": _ARABIC_ENDINGS,
            "shortest_stem": 3,
            # Many write alef without its hamza, and the last letter in either of two ways.
            "rewritten": (
                *(("أ", "ا"), ("إ", "ا"), ("آ", "ا"), ("ا", "أ"), ("ا", "إ")),
                *_both_ways("ى ي ة ه"),
                *_ARABIC_ARTICLES,
            ),
        },
    ),
    "ca": Language(
        "Catalan",
        "de la i el a que en les els per del un una amb al no és es són com va més ha o dels "
        "aquest seva també però",
        {
            "joiners": ("·",),  # col·legi
            "before": _elided("l d n s m t"),
            "endings": _words("'n 'l 's 'm 't 'ls 'ns"),  # pronouns behind verbs
            "shortest_stem": 2,
        },
    ),
    "cs": Language(
        "Czech",
        "a se v na je že o s z do i to k ve pro za by ale si po jako od který jsou jsem není bylo "
        "tak",
    ),
    "de": Language(
        "German",
        "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es "
        "an werden aus er hat dass sie nach wird bei",
        {
            "endings": _words("s es e en n er em"),  # measured
            # From keyboards without umlauts, from Switzerland, and for ist's, which is ist es.
            "rewritten": (*_both_ways("ß ss"), *_words_for("ae ä oe ö ue ü"), ("'s", "")),
            "links": ("", "s"),  # measured; more links found hardly any more words
        },
    ),
    "el": Language(
        "Greek",
        "και το να του η της με που την από για ο τα είναι οι στο θα τον σε ότι των στην δεν ένα "
        "μια τους τη στη αυτό",
        # Without their last vowel, before one: σ' αγαπώ, often without a space.
        {"before": _elided("σ τ μ ν θ απ γι παρ κατ μετ αλλ ούτ")},
    ),
    "es": Language(
        "Spanish",
        "de la que el en y a los se del las un por con no una su para es al lo como más o pero "
        "sus le ya este sí porque esta",
        {"endings": ("s", "es")},  # measured
    ),
    "fa": Language(
        "Persian",
        "و در به از که این را با است برای آن یک خود تا کرد بر هم نیز می او شد ما باید اما شود دارد",
        {
            "replaced": (
                *ARABIC_MARKS,
                *instead("كک يی ىی ٠۰ ١۱ ٢۲ ٣۳ ٤۴ ٥۵ ٦۶ ٧۷ ٨۸ ٩۹"),  # Arabic keyboards' letters
            ),
            "joiners": ("\u200c",),  # the zero-width non-joiner, inside words
            "before": ("نمی\u200c", "می\u200c"),  # of verbs
            "endings": tuple(
                f"\u200c{ending}"
                for ending in _words("ها های هایی هایم هایت هایش ای ام اید اند ایم اش تر ترین")
            ),
            "shortest_stem": 2,
            "rewritten": (("\u200c", ""),),
        },
    ),
    "fi": Language(
        "Finnish",
        "ja on ei että se oli mutta ole kun niin myös hän jos ovat voi nyt sen kuin tai joka olla "
        "sitä vain jo kanssa tämä",
        {
            # Cases, possessors and "too". Measured.
            "endings": _words(
                "a ä ta tä tta ttä n en in ssa ssä sta stä lla llä lta ltä lle ksi na nä t et "
                "issa issä ista istä illa illä ilta iltä ille iksi ina inä ia iä ja jä ita itä "
                "iden jen ien ssaan ssään staan stään nsa nsä an än on seen kin kaan kään"
            ),
        },
    ),
    "fr": Language(
        "French",
        "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se il "
        "sont avec ce son mais nous",
        {
            "before": _elided("l d qu n s c j m t jusqu lorsqu puisqu quoiqu quelqu presqu entr"),
            "endings": _words("s x es e"),  # measured
            "rewritten": _both_ways("oe œ ae æ"),
        },
    ),
    "he": Language(
        "Hebrew",
        "של את על לא עם זה הוא גם או כי אני היא יש אל כל אם מה אבל היה אין אך כמו בין ידי לו",
        {
            "replaced": (*HEBREW_MARKS, ("\u05c7", ""), ("״", '"'), ("׳", "'")),
            "joiners": ('"',),  # inside abbreviations: צה"ל
        },
    ),
    "hi": Language(
        "Hindi",
        "के है में की से और को का हैं पर भी एक तो नहीं ने कर ही हो लिए कि इस था यह गया",
        {
            # The dot below and the sign of a nasal vowel are often left out or changed.
            "rewritten": (("\u093c", ""), ("ँ", "ं"), ("ं", "ँ")),
        },
    ),
    "it": Language(
        "Italian",
        "di e che il la a in non per un è del si con una le da sono i della al come ma più dei "
        "alla lo gli nel anche",
        {
            "before": _elided(
                "l d un c m t s v n dell all dall nell sull coll dov cos com quest quell bell "
                "sant anch tutt gl nient mezz senz quand pover buon grand"
            ),
        },
    ),
    "ja": Language(
        "Japanese",
        "の に は て を が た と で し も な ない だ か から です する ます こと この いる ある れ",
        {"replaced": WORD_ENDS, "unspaced": tuple(sorted(HAN + KANA))},
    ),
    "ko": Language(
        "Korean",
        "이 그 것 수 더 안 잘 이런 그리고 있는 하는 왜 너무 정말 다 내가 또 좀 가장 있다 한 없는 "
        "그냥 는 을 에 의 를 은",
        {
            # Particles behind nouns, and "is". Measured.
            "endings": _words(
                "은 는 이 가 을 를 에 에서 에게 한테 께서 의 도 로 으로 와 과 만 까지 부터 보다 "
                "처럼 하고 이나 랑 이랑 라고 이라고 라는 이라는 들 들이 들은 들을 들의 들도 요 다 "
                "이다 입니다 인 이고 에는 에도 에서는 에서도 로는 으로는 만은 라도 이라도 인데 "
                "이지만"
            ),
            "shortest_stem": 2,
        },
    ),
    "nl": Language(
        "Dutch",
        "de van een het en in is dat op te zijn voor met die niet aan er om ook als dan maar bij "
        "uit nog naar wordt heeft hij",
        {"endings": ("'s",), "shortest_stem": 2},  # foto's
    ),
    "pl": Language(
        "Polish",
        "w i na z się do nie to że jest o jak za od po przez ale dla co czy są tym już tylko był "
        "ma może jego",
    ),
    "pt": Language(
        "Portuguese",
        "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao "
        "ele das tem à",
        {"before": _elided("d"), "endings": ("s", "es")},  # endings: measured
    ),
    "ru": Language(
        "Russian",
        "и в не на что с он как это по но к из у за от так же для бы все было только или его она "
        "был они",
        {
            "replaced": (*instead("ёе Ёе"), *STRESS),  # most write е for ё
            # Cases. Measured.
            "endings": _words(
                "а я у ю е и ы ом ем ой ей ою ею ов ев ам ям ах ях ами ями ого его ому ему ый ий "
                "ая ое ые ых их ым им ую юю ыми ими"
            ),
        },
    ),
    "th": Language(
        "Thai",
        "ที่ และ ใน ของ เป็น การ มี ไม่ ได้ ว่า จะ ให้ กับ จาก นี้ ก็ คน ไป มา แต่ หรือ อยู่",
        {"replaced": WORD_ENDS, "unspaced": THAI},
    ),
    "tr": Language(
        "Turkish",
        "ve bir bu için de da çok ile ne daha en gibi olarak her kadar olan ben var ama sonra ki "
        "o değil olduğu",
        {
            # Dotted and dotless i are two letters; the lower case of İ elsewhere leaves a separate
            # dot.
            "replaced": (*instead("Iı İi"), ("\u0307", "")),
            "endings": _TURKISH_ENDINGS,
            "rewritten": tuple((ending, "") for ending in _TURKISH_NAMES),
        },
    ),
    "uk": Language(
        "Ukrainian",
        "в на не і у з що та до це за а я як про для від так але він його все то є ви по й які",
        {"replaced": STRESS},
    ),
    "zh": Language(
        "Chinese",
        "的 是 在 了 我 和 有 不 人 也 你 他 这 中 与 就 都 一个 说 我们 会 到 要 来",
        {"replaced": WORD_ENDS, "unspaced": HAN},
    ),
}
