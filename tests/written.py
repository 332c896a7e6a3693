"""Small vocabularies in many scripts, and how their languages are written."""

from __future__ import annotations

import hashlib
import random
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from brrkit.bundle import INDEX, MANIFEST, PARITY, RANDOMIZER
from brrkit.list_tokenizer import ListTokenizer
from brrkit.tokenizer import Tokenizer
from brrkit.writing import ENGLISH, read_writing
from brrkit_toolchain.bundle.parity import golden_cases
from brrkit_toolchain.bundle.writer import (
    encode_index,
    encode_json,
    encode_manifest,
    write_bundle,
)
from brrkit_toolchain.codes.graph import read_randomizer
from brrkit_toolchain.language.lexicon import RankedWords
from brrkit_toolchain.language.model import model_of_ranks

_PLAIN = ENGLISH.to_json() | {"endings": [], "spellings": {}}
_HAN, _KANA = [[0x3400, 0x4DBF], [0x4E00, 0x9FFF]], [[0x3041, 0x3096], [0x30A1, 0x30FF]]
_HARAKAT = {chr(mark): "" for mark in range(0x64B, 0x653)}

WRITINGS: dict[str, dict[str, Any]] = {
    language: _PLAIN | {"language": language} | own
    for language, own in {
        "fr": {
            "before": ["l'", "d'", "qu'", "n'", "s'", "c'", "j'", "jusqu'", "lorsqu'"],
            "rewritten": [["oe", "œ"], ["œ", "oe"]],
        },
        "de": {
            "rewritten": [["ss", "ß"], ["ß", "ss"], ["ae", "ä"], ["oe", "ö"], ["ue", "ü"]],
            "links": ["", "s"],
        },
        "tr": {
            "replaced": {"I": "ı", "İ": "i"},
            "endings": ["'da", "'de", "'nın", "'nin", "'ya", "'ye", "lar", "ler", "da", "de", "lu"],
            "shortest_stem": 2,
            "spellings": {"bana": "ben", "ben": "bana", "00da": "oda"},
            "longest_run": 1,
        },
        "el": {"rewritten": [["ά", "α"], ["ό", "ο"]]},
        "ru": {"replaced": {"ё": "е", "Ё": "е"}, "longest_run": 0},
        "fa": {
            "replaced": {"ك": "ک", "ي": "ی", "ـ": "", **_HARAKAT},
            "joiners": ["\u200c", "-"],
            "endings": ["\u200cها", "ها"],
        },
        "ar": {
            "replaced": {"ـ": "", **_HARAKAT},
            "rewritten": [["أ", "ا"], ["إ", "ا"], ["ى", "ي"], ["ة", "ه"]],
        },
        "he": {"replaced": {chr(mark): "" for mark in range(0x5B0, 0x5BD)}, "joiners": ['"', "״"]},
        "hi": {"rewritten": [["ज़", "ज"]]},
        "ko": {"endings": ["은", "는", "이", "가", "을", "를", "에서"], "shortest_stem": 2},
        "zh": {"unspaced": _HAN},
        "ja": {"unspaced": [*_KANA, *_HAN], "links": ["", "の"], "shortest_part": 2},
        "th": {"unspaced": [[0x0E01, 0x0E3A], [0x0E40, 0x0E4E]]},
        "en": ENGLISH.to_json()
        | {"spellings": {"cant": "can", "dat": "that", "noww": "of", "00th": "the", "00": "of"}},
    }.items()
}

WORDS: dict[str, list[str]] = {
    language: words.split()
    for language, words in {
        "fr": "de la le l' d' et les qu' à un une n' s' c' est il homme femme eau école "
        "aujourd'hui jusqu' heure d'accord cœur œuvre été français garçon où entrée on ami rue",
        "de": "der die und das in ist haus tür straße bahn hof bahnhof arbeit zimmer hunde leine "
        "kind garten schule buch über für müssen groß maß stab masse s tages licht lots sang",
        "tr": "bir ve bu ışık istanbul ankara ben bana çok için şey kitap kitaplar ev evler oda su "
        "kadın ırmak iyi öğretmen güzel",
        "el": "και το οδος οδός λόγος σοφος άνθρωπος ανθρωπος ο η στην πόλη σας ς θάλασσα",
        "ru": "и в не на елка все дом человек еще москва мой он чай",
        "fa": "و در به می\u200cخواهم کتاب کتاب\u200cها کتابها خانه می خواهم یک ایران علی زبان "
        "سی-ام",
        "ar": "في من على كتاب الكتاب مدرسه مدرسة احمد أحمد الى إلى يوم محمد سلام",
        "he": 'של את על שלום עולם צה"ל ספר בית מים הבית',
        "hi": "और के में है जमीन ज़मीन हिन्दी दुनिया नमस्ते किताब घर पानी",
        "ko": "영화 정말 재미 있다 영화가 학교 사람 우리 집 물 서울 음악",
        "zh": "的 了 酒店 早餐 很 差 很差 服务 房间 好 不好 不 前台 我 我们 在 北京 大学 北京大学 "
        "学生 大 学 生 一个 一 个 多 wifi",
        "ja": "の は を 私 東京 東京都 都 京都 京 大学 本 日本 日本語 語 カメラ コーヒー "
        "です ます ありがとう ん",
        "th": "ที่ การ และ น้ำ ใน มา ประเทศไทย ประเทศ ไทย คน ดี มาก ร้าน กาแฟ ตา กลม ตาก ลม",
        "en": "the of and to do don't it's cat's café naïve can will shall it o'clock",
    }.items()
}


@dataclass(frozen=True)
class Case:
    """A text, and what it is cut by.

    Attributes:
        text: as somebody might type it, or somebody hostile.
        words: the vocabulary, by id.
        masses: theirs, as bytes.
        writing: a manifest's object.
        list_of: what the words are, where they are the strings of a list.
    """

    text: str
    words: list[str]
    masses: list[int]
    writing: dict[str, Any]
    list_of: str | None = None

    def tokenizer(self) -> Tokenizer:
        """Return what cuts the text."""
        writing = read_writing(self.writing)
        assert writing
        cut_by = writing, RankedWords(self.words), np.array(self.masses, np.uint8)
        return Tokenizer(*cut_by) if self.list_of is None else ListTokenizer(*cut_by, self.list_of)


def random_case(source: random.Random, language: str | None = None) -> Case:
    """Return a text in a language, by default in any, with some of the language's words."""
    language = language or source.choice(list(WRITINGS))
    writing = WRITINGS[language]
    every = list(dict.fromkeys((*WORDS[language], *WORDS["en"][: source.choice([0, 4])])))
    words = source.sample(every, source.randint(2, len(every)))
    masses = [source.choice([1, 2, 7, 8, 100, source.randrange(1, 256)]) for _ in words]
    marks = [chr(source.randrange(0x300, 0x370)), "\u0301", "\u0327", "\u064e", "\u05b8", "\u093c"]
    marks += ["\u3099", "\u11ab", "\u1161", "\u0e48", "\u0651"]
    strange = [chr(source.choice([*range(0x370, 0x3400), *range(0x4E00, 0xD800)]))]
    strange += [chr(end) for pair in writing["unspaced"] for end in pair]
    parts: list[str] = []
    for _ in range(source.randrange(12)):
        kind = source.random()
        word = source.choice(every)
        if kind < 0.35:
            parts.append(source.choice([word, word, word.upper(), word.title()]))
        elif kind < 0.45:
            parts.append(unicodedata.normalize("NFD", word))
        elif kind < 0.6:
            own = [*writing["replaced"], *writing["joiners"], *writing["before"], *writing["links"]]
            own += [*writing["endings"], *writing["spellings"]]
            own += [spelling for pair in writing["rewritten"] for spelling in pair]
            parts.append(source.choice(own or ["'s"]))
        elif kind < 0.8:
            parts.append(source.choice([" ", " ", "'", "’", "-", "\u200c", "7", ", ", "σ", "Σ"]))
        elif kind < 0.9:
            parts += source.choices(marks, k=source.choice([1, 2, 40]))
        else:
            parts.append(source.choice(strange))
    if parts and source.random() < 0.2:
        parts.append(parts[-1][-1:] * source.choice([1, 2, 3, 70]))
    text = "".join(parts)
    if source.random() < 0.05:
        text = (
            "".join(source.choices([*writing["before"], *writing["endings"], "'", "s"], k=60))
            + text
        )
    if source.random() < 0.02:
        text *= source.choice([20, 2000 // max(len(text), 1) + 1])
    return Case(text, words, masses, writing)


_BUNDLES = ("fr", "de", "tr", "fa", "ko", "zh", "ja", "th")


def main(output: str) -> None:
    """Write the bundles."""
    for number, language in enumerate(_BUNDLES):
        words = [*WORDS[language], *WORDS["en"]]
        words = list(dict.fromkeys(words))
        codes = np.random.default_rng(number).integers(0, 2**64, (len(words), 1), np.uint64)
        model = model_of_ranks(len(words))
        index = encode_index(words, codes, model)
        unit = hashlib.sha256(index).hexdigest()
        golden = golden_cases(words, codes, model, 0, unit, {"writing": WRITINGS[language]})
        files = {INDEX: index, RANDOMIZER: read_randomizer(64), PARITY: encode_json(golden)}
        fields = {
            "bits": 64,
            "writing": WRITINGS[language],
            "vocabulary_size": len(words),
            "bigrams": 0,
        }
        folder = Path(output, f"writing-{language}")
        write_bundle(folder, {MANIFEST: encode_manifest(fields, files), **files}, force=True)
