"""The table of languages: what is typed, its tokens, and the words that are found."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import random
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bundle_tools import text_embeddings

from brrkit import ParameterError, WordBundle
from brrkit.normal_form import normalize
from brrkit.tokenizer import Tokenizer
from brrkit.writing import ENGLISH, Writing, read_writing
from brrkit_toolchain.bundle.build import build_bundle
from brrkit_toolchain.bundle.plan import BuildPlan
from brrkit_toolchain.bundle.sources import BundleSources
from brrkit_toolchain.bundle.verify import checks, golden, verify_bundle
from brrkit_toolchain.language.coverage import UnknownWords
from brrkit_toolchain.language.cut_words import cut_words
from brrkit_toolchain.language.lexicon import tokenizer_of
from brrkit_toolchain.language.texts import TextIds
from brrkit_toolchain.tasks.corpus import read_corpus
from brrkit_toolchain.tasks.dataset import read_dataset
from brrkit_toolchain.writing.describe import describe_writing
from brrkit_toolchain.writing.languages import LANGUAGES
from brrkit_toolchain.writing.of_vocabulary import (
    FIRST,
    detect_writing,
    drop_absent_clitics,
    load_writing,
)
from brrkit_toolchain.writing.of_vocabulary import writing_of as plain_writing_of
from brrkit_toolchain.writing.scripts import UNSPACED

DATA = Path(os.environ.get("BRR_DATA", "../shared/data")) / "languages"
real = pytest.mark.skipif(not DATA.is_dir(), reason=f"{DATA} isn't there")

# The vocabularies, most frequent word first.
VOCABULARIES = {
    "en": "the don't can do café naïve it dog",
    "fr": "l' d' qu' le homme il elle j' ai eau aujourd'hui été cœur école jusqu' à œuf",
    "it": "l' un' dell' il entrata amica ora c' è perché d' all' acqua",
    "ca": "l' d' home aigua col·legi anar el fer que",
    "es": "el niño casa color qué años está",
    "pt": "a casa coração d' água mar não",
    "de": "der straße haus arbeit zimmer mädchen geht es fluss kind grün masse brücke",
    "nl": "de foto auto het café één",
    "ru": "еще все елка книга дом замок новый",
    "uk": "м'ята їжа дім об'єкт",
    "el": "ο λόγος αγαπώ σε σ' απ' εδώ μαΐου καλημέρα",
    "tr": "ışık istanbul ırak ev ankara kitap ılık ali izmir",
    "fi": "talo koira työ suomi kissa yö",
    "pl": "łódź żółć książka źle",
    "cs": "příliš kůň žluťoučký",
    "ar": "كتاب مدرسة الى أحمد على محمد هذا بيت",
    "fa": "می\u200c کتاب خواهم ها علی کنم خانه\u200c",
    "he": "שלום צה\"ל ילד ג'ירפה",
    "hi": "हिंदी ज़रूरत पढ़ना फिर लड़का मैं",
    "ja": "私 は 東京 に 行き ます コーヒー ガム を 飲む 2 a",
    "zh": "酒店 的 早餐 很 差 中国 人 wifi 好 2",
    "ko": "영화 학교 너무 재미 배우 있다 한국",
    "th": "ฉัน รัก กิน ข้าว ประเทศ ไทย",
}

CASES = [
    ("en", "Don’t", "don't", "don't"),
    ("en", "CAFE\u0301 cafe\u0301s", "café cafés", "café ?"),
    ("en", "dog's", "dog's", "dog"),
    ("en", "DOOOOOG doggg's dooon’t", "dooooog doggg's dooon't", "dog dog don't"),
    ("fr", "L’homme", "l' homme", "l' homme"),
    ("fr", "qu'il", "qu' il", "qu' il"),
    ("fr", "J’AI l'eau", "j' ai l' eau", "j' ai l' eau"),
    ("fr", "aujourd’hui", "aujourd'hui", "aujourd'hui"),
    ("fr", "jusqu'à", "jusqu' à", "jusqu' à"),
    ("fr", "l'E\u0301COLE", "l' école", "l' école"),
    ("fr", "coeur Œuf oeufs", "coeur œuf oeufs", "cœur œuf ?"),
    ("fr", "écoles hommes", "écoles hommes", "école homme"),
    ("fr", "d'une l’", "d' une l'", "d' ? l'"),
    ("it", "L'ORA dell'entrata", "l' ora dell' entrata", "l' ora dell' entrata"),
    ("it", "un’amica c'è", "un' amica c' è", "un' amica c' è"),
    ("it", "perche\u0301", "perché", "perché"),
    ("ca", "COL·LEGI l'home", "col·legi l' home", "col·legi l' home"),
    ("ca", "anar · fer'n", "anar fer'n", "anar fer"),
    ("es", "niños CASAS", "niños casas", "niño casa"),
    ("es", "¿Que\u0301? colores", "qué colores", "qué color"),
    ("pt", "d'água d’mar", "d' água d' mar", "d' água d' mar"),
    ("pt", "corac\u0327a\u0303o casas", "coração casas", "coração casa"),
    ("de", "STRASSE Strasse", "strasse strasse", "straße straße"),
    ("de", "Hausmädchen", "haus mädchen", "haus mädchen"),
    ("de", "Arbeitszimmer", "arbeit zimmer", "arbeit zimmer"),
    ("de", "Flussstraße maaasse", "fluss straße maaasse", "fluss straße masse"),
    ("de", "Maedchen gruen", "maedchen gruen", "mädchen grün"),
    ("de", "geht's", "geht's", "geht"),
    ("de", "Brücken Flusses", "brücken flusses", "brücke fluss"),
    ("de", "Masse Kinder", "masse kinder", "masse kind"),
    ("nl", "foto’s", "foto's", "foto"),
    ("nl", "e\u0301e\u0301n café", "één café", "één café"),
    ("ru", "ещё ЁЛКА всё", "еще елка все", "еще елка все"),
    ("ru", "книгами замо\u0301к", "книгами замок", "? замок"),
    ("ru", "домами", "домами", "?"),
    ("uk", "М’ЯТА обʼєкт", "м'ята об'єкт", "м'ята об'єкт"),
    ("uk", "і\u0308жа", "їжа", "їжа"),
    ("el", "ΛΟΓΟΣ λόγοσ", "λογος λόγος", "? λόγος"),
    ("el", "σ'αγαπώ ΑΠ’ΕΔΩ", "σ' αγαπώ απ' εδω", "σ' αγαπώ απ' ?"),
    ("tr", "IŞIK ışık", "ışık ışık", "ışık ışık"),
    ("tr", "İSTANBUL’DA i\u0307stanbul", "istanbul'da istanbul", "istanbul istanbul"),
    ("tr", "Irak ILIK", "ırak ılık", "ırak ılık"),
    ("tr", "Ali'nin Ankara'dan", "ali'nin ankara'dan", "ali ankara"),
    ("tr", "kitapları", "kitapları", "kitap"),
    ("fi", "talossa koiran", "talossa koiran", "talo koira"),
    ("fi", "TYO\u0308 öitä", "työ öitä", "työ ?"),
    ("pl", "Z\u0307O\u0301L\u0301", "żóĺ", "?"),
    ("pl", "ŁÓDŹ ksia\u0328z\u0307ka", "łódź książka", "łódź książka"),
    ("cs", "PŘÍLIŠ ku\u030an\u030c", "příliš kůň", "příliš kůň"),
    ("ar", "كِتَاب كتـــاب", "كتاب كتاب", "كتاب كتاب"),
    ("ar", "احمد مدرسه", "احمد مدرسه", "أحمد مدرسة"),
    ("ar", "الكتاب والبيت", "الكتاب والبيت", "كتاب بيت"),
    ("ar", "إلى كتابها", "إلى كتابها", "الى كتاب"),
    ("fa", "می\u200cخواهم", "می\u200c خواهم", "می\u200c خواهم"),
    ("fa", "كتاب کتاب\u200cها", "کتاب کتاب\u200cها", "کتاب کتاب"),
    ("fa", "علي خانه\u200c", "علی خانه", "علی ?"),
    ("he", "שָׁלוֹם צה״ל", 'שלום צה"ל', 'שלום צה"ל'),
    ("he", 'ג׳ירפה "ילד"', "ג'ירפה ילד", "ג'ירפה ילד"),
    ("hi", "हिँदी", "हिँदी", "हिंदी"),
    ("hi", "\u095e\u093f\u0930", "फ\u093cिर", "फिर"),
    ("ja", "私は東京に行きます", "私 は 東京 に 行き ます", "私 は 東京 に 行き ます"),
    ("ja", "ｺｰﾋｰを飲む。", "コーヒー を 飲む", "コーヒー を 飲む"),
    ("ja", "ｶﾞﾑ カ\u3099ム Ａ２", "ガム ガム a2", "ガム ガム ?"),
    ("zh", "酒店的早餐很差", "酒店 的 早餐 很 差", "酒店 的 早餐 很 差"),
    ("zh", "中国人王小明ＷＩＦＩ好", "中国 人 王小明 wifi 好", "中国 人 ? wifi 好"),
    ("zh", "酒店，２好！", "酒店 2 好", "酒店 2 好"),
    ("ko", "영화가 학교에서", "영화가 학교에서", "영화 학교"),
    ("ko", "\u1112\u1161\u11ab국은 배우들이", "한국은 배우들이", "한국 배우"),
    ("ko", "너무재미", "너무재미", "?"),
    ("th", "ฉันรักประเทศไทย", "ฉัน รัก ประเทศ ไทย", "ฉัน รัก ประเทศ ไทย"),
]


def writing_of(code: str) -> Writing:
    return drop_absent_clitics(plain_writing_of(code), VOCABULARIES[code].split())


def tokenizer(code: str) -> Tokenizer:
    return tokenizer_of(VOCABULARIES[code].split(), writing_of(code))


@pytest.mark.parametrize(("code", "typed", "tokens", "words"), CASES)
def test_what_is_typed_is_found(code: str, typed: str, tokens: str, words: str) -> None:
    cut = tokenizer(code)
    assert cut.tokenize(typed) == tokens.split()
    vocabulary = VOCABULARIES[code].split()
    found = [None if word == "?" else vocabulary.index(word) for word in words.split()]
    assert [cut.look_up(token) for token in cut.tokenize(typed)] == found


def test_there_are_sixty_cases_of_all_languages() -> None:
    assert len(CASES) >= 60
    assert {code for code, *_ in CASES} == {*LANGUAGES} == {*VOCABULARIES}


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_manifest_can_hold_it(code: str) -> None:
    writing = plain_writing_of(code)
    held = json.loads(json.dumps(writing.to_json()))
    assert read_writing(held) == writing
    strings = [*writing.before, *writing.endings, *writing.links]
    strings += [each for pair in (*writing.rewritten, *writing.spellings) for each in pair]
    strings += [text for _, text in writing.replaced]
    strings += LANGUAGES[code].typical.split()
    assert [text for text in strings if normalize(text, writing) != text] == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_language_is_found_by_its_words(code: str) -> None:
    own = LANGUAGES[code].typical.split()
    others = [f"w{number}" for number in range(200)]
    assert detect_writing([*others, *own[: len(own) * 3 // 4]]).language == code
    assert detect_writing([*others, *own[: len(own) // 3]]) == ENGLISH
    assert detect_writing(map(str.upper, own)).language in (code, "en" if code == "tr" else code)


def test_a_script_without_spaces_is_found() -> None:
    lao = ["ຂ້ອຍ", "ກິນ", "ເຂົ້າ", "ໄປ", "ບ້ານ"]
    assert detect_writing(lao).unspaced == UNSPACED
    khmer = detect_writing(["ខ្ញុំ", "ញ៉ាំ", "បាយ"])
    assert tokenizer_of(["ខ្ញុំ", "ញ៉ាំ", "បាយ"], khmer).tokenize("ខ្ញុំញ៉ាំបាយ។") == ["ខ្ញុំ", "ញ៉ាំ", "បាយ"]
    assert detect_writing([*lao, *(f"w{number}" for number in range(100))]) == ENGLISH


def test_words_before_others_stand_in_the_vocabulary() -> None:
    french = plain_writing_of("fr")
    assert drop_absent_clitics(french, ["l'", "d", "qu", "homme"]).before == ("l'", "d'", "qu'")
    assert drop_absent_clitics(french, ["homme"]) == replace(french, before=())
    assert drop_absent_clitics(plain_writing_of("fa"), ["می"]).before == ("می\u200c",)
    assert drop_absent_clitics(ENGLISH, ["homme"]) == ENGLISH


class TestGiven:
    def test_a_code_or_a_file(self, tmp_path: Path) -> None:
        assert load_writing("en") == ENGLISH
        french = load_writing("fr")
        assert french == plain_writing_of("fr")
        (tmp_path / "mine.json").write_text(json.dumps(french.to_json()), encoding="utf-8")
        assert load_writing(tmp_path / "mine.json") == french

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("French", None, "French isn't a supported language: en, ar, ca, "),
            ("missing.json", None, "missing.json: can't be read"),
            ("bad.json", "{", "bad.json: isn't JSON"),
            ("bad.json", "{}", "write an object with all keys of"),
            ("bad.json", {"endings": ["S"]}, r"endings has a string .* \('S'\)"),
            ("bad.json", {"before": ["l’"]}, "before has a string"),
            ("bad.json", {"replaced": {"ß": "q", "ж": "ß"}, "rewritten": []}, "replaced has a"),
            ("bad.json", {"shortest_part": 0}, "within their limits"),
            ("bad.json", {"unspaced": [[0xD800, 0xDFFF]]}, "not the writing rules of a language"),
        ],
    )
    def test_errors(
        self, name: str, content: str | dict[str, object] | None, message: str, tmp_path: Path
    ) -> None:
        given = name
        if name.endswith(".json"):
            given = str(tmp_path / name)
            if content is not None:
                text = content
                if isinstance(content, dict):
                    text = json.dumps(plain_writing_of("fr").to_json() | content)
                Path(given).write_text(str(text), encoding="utf-8")
        with pytest.raises(ParameterError, match=message):
            load_writing(given)


Build = Callable[..., WordBundle]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Build a bundle of some words, with vectors that are drawn."""

    def of_words(words: Sequence[str], **options: Any) -> WordBundle:
        vectors = np.random.default_rng(0).standard_normal((len(words), 8)).round(3)
        (tmp_path / "words.txt").write_bytes(text_embeddings(words, vectors))
        output = tmp_path / "bundle"
        built = build_bundle(
            tmp_path / "words.txt", output, BuildPlan(method="lsh", **options), force=True
        )
        assert built.output == output
        return WordBundle.open(output)

    return of_words


FRENCH = [*LANGUAGES["fr"].typical.split(), "l'", "d", "Homme", "école", "E\u0301COLE"]


class TestBuild:
    def test_a_language_is_given_or_found(self, build: Build) -> None:
        for options in ({}, {"written_in": "fr"}):
            bundle = build(FRENCH, **options)
            assert bundle.writing == drop_absent_clitics(plain_writing_of("fr"), ["l'", "d"])
            assert bundle.tokenize("L’homme d'école") == ["l'", "homme", "d'", "école"]
            assert bundle.vocabulary.find("école") is not None
            checks.vocabulary(bundle)
            golden.golden_cases(bundle.path, bundle)
        english = build(LANGUAGES["en"].typical.split())
        assert english.writing == ENGLISH
        assert "writing" not in english.manifest
        assert "writing" not in build(FRENCH, written_in="en").manifest

    def test_words_are_normalized_by_it(self, build: Build, tmp_path: Path) -> None:
        words = [*LANGUAGES["ru"].typical.split(), "ёлка", "елка", "еще"]
        (tmp_path / "list.txt").write_text("\n".join([*words[:9], "ёлка"]), encoding="utf-8")
        assert build(words).vocabulary.find("елка") == words.index("ёлка")
        bundle = build(words, word_list=tmp_path / "list.txt")
        assert bundle.vocabulary.find("елка") is not None
        assert len(bundle) == 10

    def test_texts_are_cut_by_it(self, build: Build, tmp_path: Path) -> None:
        chinese = [*LANGUAGES["zh"].typical.split(), "酒店", "早餐"]
        (tmp_path / "text.txt").write_text("酒店的早餐在中\n" * 1200, encoding="utf-8")
        bundle = build(chinese, text=tmp_path / "text.txt")
        assert bundle.masses.bigrams > 0
        with pytest.raises(ParameterError, match="no spaces between words, and is cut as English"):
            build(chinese, written_in="en", text=tmp_path / "text.txt")

    def test_words_that_others_cut_are_left_out(self, build: Build, tmp_path: Path) -> None:
        """Others take their place; a public text may cut other words than ranks do."""
        typical = LANGUAGES["zh"].typical.split()
        chinese = [*typical, "wifi密码", "酒店", "的是", "早餐", "我在", "酒店早餐", "东西"]
        text = tmp_path / "text.txt"
        text.write_text("酒店，早餐\n我，在，的，是\n" * 2400, encoding="utf-8")
        size = len(typical) + 3
        for options, left in (({}, "酒店 早餐 我在"), ({"text": text}, "酒店 早餐 东西")):
            bundle = build(chinese, vocabulary_size=size, **options)
            assert list(bundle.vocabulary) == [*typical, *left.split()], options
            assert cut_words(bundle.tokenizer) == []
            verified = verify_bundle(bundle.path, BundleSources(tmp_path / "words.txt", **options))
            assert [check for check in verified.checks if not check.passed] == []

    def test_it_is_shown(self, build: Build) -> None:
        line = describe_writing(build(FRENCH).writing)
        assert line.startswith(
            "French; separate words: l' d'; endings removed from unknown words: s x"
        )
        assert describe_writing(plain_writing_of("zh")).startswith("Chinese; text without spaces")
        assert "compounds are cut in two" in describe_writing(plain_writing_of("de"))
        assert "replaced: ё to е" in describe_writing(plain_writing_of("ru"))
        assert "10 signs left out" in describe_writing(plain_writing_of("ar"))
        assert describe_writing(ENGLISH).endswith("'re 've 'll 'd 'm; 3 spellings")


class TestCoverage:
    WORDS = tuple(f"w{number}" for number in range(200))

    def texts(self, share: float) -> list[str]:
        """Return texts of which a share of the words is known."""
        drawn = random.Random("coverage")
        words = [drawn.choice(self.WORDS[:120]) for _ in range(1000)]
        return [word if drawn.random() < share else "unknown" for word in words]

    def check(self, texts: Sequence[str], writing: Writing = ENGLISH) -> None:
        convert = TextIds(tokenizer_of(self.WORDS, writing))
        for text in texts:
            convert(text)
        convert.coverage.refuse("a.txt", writing)

    def test_known_words_are_fine(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.check(self.texts(0.7))
            self.check([])
            self.check(["unknown"] * 9 + list(self.WORDS[:50]))

    def test_a_small_vocabulary_warns_and_another_language_is_refused(self) -> None:
        with pytest.warns(UnknownWords, match=r"a.txt: 6\d% of its words .* larger vocabulary"):
            self.check(self.texts(0.4))
        with pytest.raises(ParameterError, match=r"99% of its words .* of its language \(English"):
            self.check(self.texts(0.01))

    def test_what_is_not_cut_is_refused(self) -> None:
        texts = ["酒店的早餐很差" + chr(0x4E00 + number) for number in range(200)]
        with pytest.raises(ParameterError, match="it has no spaces between words"):
            self.check(texts)
        with pytest.raises(ParameterError, match="few of the vocabulary's frequent words"):
            self.check(texts, plain_writing_of("zh"))


class TestCommandsThatReadTexts:
    TEXT = "".join(f"酒店的早餐很差{chr(0x4E00 + number)}\n" for number in range(200))

    def test_a_corpus(self, tmp_path: Path) -> None:
        (tmp_path / "in.txt").write_text(self.TEXT, encoding="utf-8")
        command = [sys.executable, "-m", "brrkit_toolchain", "privatize", "--sample"]
        options = ["--epsilon", "1", "--input", "in.txt", "--output", "out.txt"]
        done = subprocess.run(
            [*command, *options], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        (said,) = (line for line in done.stderr.splitlines() if line.startswith("Warning: "))
        assert "in.txt: 100% of its words aren't in the vocabulary: it has no spaces" in said

    def test_labeled_texts(self, tmp_path: Path) -> None:
        rows = [f"{text},{number % 2}" for number, text in enumerate(self.TEXT.split())]
        (tmp_path / "in.csv").write_text("\n".join(["text,label", *rows, "the,0"]))
        dataset = read_dataset(tmp_path / "in.csv", "text", "label")
        with pytest.warns(UnknownWords, match="in.csv: 100% of its words .* no spaces"):
            read_corpus(dataset, WordBundle.sample().tokenizer)


def vector_words(name: str, code: str) -> list[str]:
    """Return the words of a file of vectors, as a bundle of the language has them."""
    with lzma.open(DATA / name, "rt", encoding="utf-8") as file:
        next(file)
        words = [line.partition(" ")[0] for line in file]
    writing = plain_writing_of(code)
    return list(dict.fromkeys(normalize(word, writing) for word in words))


def known_share(words: Sequence[str], writing: Writing, texts: Sequence[str]) -> float:
    convert = TextIds(tokenizer_of(words, drop_absent_clitics(writing, words)))
    for text in texts:
        convert(text)
    return 1 - convert.coverage.unknown / convert.coverage.tokens


@real
class TestRealData:
    @pytest.mark.parametrize(
        ("code", "vectors", "text", "before", "least"),
        [
            ("fr", "fr.spacy.300d.vec.xz", "fr.eltec.txt.xz", 0.85, 0.91),
            ("de", "de.eltec-w2v.100d.vec.xz", "de.eltec.txt.xz", 0.94, 0.96),
            ("ru", "ru.ruslit-w2v.100d.vec.xz", "ru.ruslit.txt.xz", 0.89, 0.887),
        ],
    )
    def test_more_words_are_known(
        self, code: str, vectors: str, text: str, before: float, least: float
    ) -> None:
        words = vector_words(vectors, code)
        assert detect_writing(words[:FIRST]).language == code
        with lzma.open(DATA / text, "rt", encoding="utf-8") as file:
            texts = [line for number, line in enumerate(file) if number % 4 == 0]
        english = known_share(words, ENGLISH, texts)
        assert english < before
        assert max(english, least) < known_share(words, plain_writing_of(code), texts)

    def test_chinese_is_cut_as_a_segmenter_cuts_it(self) -> None:
        words = vector_words("zh.reviews-w2v.100d.vec.xz", "zh")
        assert detect_writing(words[:FIRST]).language == "zh"
        cut = tokenizer_of(words, plain_writing_of("zh"))
        with gzip.open(DATA / "zh.hotel.sentiment.csv.gz", "rt", encoding="utf-8") as file:
            reviews = [line.split(",", 1)[1] for line in list(file)[1:1001]]
        right, cuts, expected = boundaries(cut, reviews)
        assert 2 * right / (cuts + expected) > 0.96


def boundaries(cut: Tokenizer, reviews: Sequence[str]) -> tuple[int, int, int]:
    """Count boundaries inside runs of Chinese letters: the same in both, ours, the reviews'."""
    right = ours = theirs = 0
    for review in reviews:
        tokens = [normalize(token, cut.writing) for token in review.split()]
        # A stretch is what stands between other characters.
        stretches: list[list[str]] = [[]]
        for token in tokens:
            if all(0x4E00 <= ord(character) <= 0x9FFF for character in token):
                stretches[-1].append(token)
            else:
                stretches.append([])
        for stretch in stretches:
            expected = ends(stretch)
            found = ends(cut.tokenize("".join(stretch)))
            right += len(expected & found)
            ours, theirs = ours + len(found), theirs + len(expected)
    return right, ours, theirs


def ends(tokens: Sequence[str]) -> set[int]:
    """Return where ``tokens``, one after the other, end; but for the last."""
    return set(np.cumsum([len(token) for token in tokens])[:-1].tolist())
