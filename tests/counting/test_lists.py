"""``brr list``: strings in, a bundle without codes out; and every command on one."""

from __future__ import annotations

import json
import lzma
import random
import re
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from bundle_tools import contents, leftovers

from brrkit import Counts, CountsSetting, ParameterError, Reporter, WordBundle
from brrkit.bundle import INDEX, MANIFEST, PARITY
from brrkit.list_tokenizer import BOTH, EMOJI, KINDS, STRINGS, WORDS, ListTokenizer
from brrkit.masses import LEVELS, MOST
from brrkit.tokenizer import LONGEST
from brrkit.writing import ENGLISH
from brrkit_counting import build_list, calibrate_counts, lists
from brrkit_counting.calibrate import RANKS_OF_LISTS
from brrkit_toolchain import verify_bundle
from brrkit_toolchain.bundle import reference
from brrkit_toolchain.bundle.parity import KINDS as CASES
from brrkit_toolchain.bundle.parity import KINDS_OF_LISTS
from brrkit_toolchain.language.lexicon import RankedWords
from brrkit_toolchain.language.model import model_of_list
from brrkit_toolchain.writing.of_vocabulary import load_writing

sys.path.insert(0, str(Path(__file__).parents[1]))
import listed

if TYPE_CHECKING:
    from conftest import Brr

ROOT = Path(__file__).parents[2]
REFUSED = "Error: a list has no codes, so its strings can only be counted\n"
DAY = ("2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z")

PARTS = {
    "ar": "ال كتاب و",
    "de": "arbeit s zimmer haus -",
    "en": "a b 's n't '",
    "fa": "می \u200c خ",
    "fr": "l' avion ' qu' s",
    "ja": "猫 が 好 き a",
    "ko": "에 서 나",
    "th": "ก ข ค า",
    "tr": "I ı İ s",
    "zh": "东 西 人 大 a",
}
"""Of words, by language."""

Listed = Callable[..., WordBundle]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lists that every runtime's tests read."""
    made = tmp_path_factory.mktemp("lists")
    listed.main(str(made))
    return made


@pytest.fixture
def make(tmp_path: Path) -> Listed:
    """Make a list of lines, in a file ``list.txt``, or of another name."""

    def of_lines(*lines: str, name: str = "list.txt", **options: Any) -> WordBundle:
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        build_list(tmp_path / name, tmp_path / "made", force=True, **options)
        return WordBundle.open(tmp_path / "made")

    return of_lines


def strings_of(bundle: WordBundle) -> list[str]:
    return list(bundle.vocabulary)


class TestBuild:
    @pytest.mark.parametrize(
        ("lines", "kind"),
        [
            (["😀", "❤️"], EMOJI),
            (["Good morning", "no"], WORDS),
            (["😀", "no"], BOTH),
            (["no 😀", "no 😂"], BOTH),
            (["😀 😀", "😂"], EMOJI),
        ],
    )
    def test_what_it_is_of(self, make: Listed, lines: list[str], kind: str) -> None:
        bundle = make(*lines)
        assert bundle.list_of == bundle.manifest["list_of"] == kind
        assert (bundle.bits, bundle.graph, len(bundle)) == (0, b"", 2)
        assert sorted(contents(bundle.path)) == sorted([MANIFEST, INDEX, PARITY])

    def test_strings_are_as_texts_have_them(self, make: Listed) -> None:
        lines = ["  Good \t Morning!", "❤️", "", "   ", "I CAN'T", "cafe\u0301", "1\ufe0f\u20e3"]
        assert strings_of(make(*lines)) == ["good morning", "❤", "i can't", "café", "1\u20e3"]

    def test_or_as_they_are(self, make: Listed) -> None:
        lines = ["Open", "open", " open", "a" * LONGEST, "e\u0301", "é"]
        bundle = make(*lines, as_is=True)
        assert bundle.list_of == STRINGS
        assert strings_of(bundle) == lines

    def test_of_a_language(self, make: Listed) -> None:
        bundle = make("l'avion", "bonjour", written_in="fr")
        assert bundle.writing.language == "fr"
        assert strings_of(bundle) == ["l'avion", "bonjour"]
        assert bundle.tokenize("L’avion, bonjour l'ami") == ["l'avion", "bonjour", "l'", "ami"]
        assert "writing" not in make("a", "b").manifest

    def test_the_order_says_how_often(self, make: Listed) -> None:
        bundle = make("c", "a", "b", "a")
        assert strings_of(bundle) == ["c", "a", "b"]
        assert bundle.manifest["base"] == {"masses": "ranks", "text": None}
        masses = LEVELS[bundle.masses.words].astype(float)
        assert masses[0] > masses[1] > masses[2]

    @pytest.mark.parametrize("name", ["list.csv", "list.tsv", "list.jsonl"])
    def test_or_counts_do(self, make: Listed, name: str) -> None:
        rows = [("b", 10), ("a", 1_000), ("never", 0), ("B", 30)]
        if name == "list.jsonl":
            lines = [json.dumps({"count": str(count), "word": word}) for word, count in rows]
        else:
            separator = "," if name == "list.csv" else "\t"
            table = [("word", "count"), *rows]
            lines = [f"{word}{separator}{count}" for word, count in table]
        bundle = make(*lines, name=name)
        assert strings_of(bundle) == ["a", "b", "never"]
        assert bundle.manifest["base"]["masses"] == "counts"
        masses = LEVELS[bundle.masses.words].astype(float)
        assert masses[0] / masses[1] == pytest.approx(25, rel=0.1)
        assert masses[1] / masses[2] == pytest.approx(40, rel=0.1)

    def test_what_is_there_twice(self, tmp_path: Path) -> None:
        (tmp_path / "l.txt").write_text("Yes\nno\nyes\n❤️\n❤\nNO\nno\n", "utf-8")
        result = build_list(tmp_path / "l.txt", tmp_path / "made")
        assert (result.strings, result.repeated, result.kind) == (3, 4, BOTH)
        assert result.changed == {}
        assert result.output == tmp_path / "made"

    def test_the_same_twice(self, tmp_path: Path) -> None:
        (tmp_path / "l.txt").write_text("\n".join(listed.PHRASES), "utf-8")
        for name in ("one", "two"):
            build_list(tmp_path / "l.txt", tmp_path / name)
        assert contents(tmp_path / "one") == contents(tmp_path / "two")

    def test_phrases_of_other_phrases(self, make: Listed) -> None:
        bundle = make("a b", "a", "b", "a b c d", "c", " ".join("abcdefgh"))
        for string in strings_of(bundle):
            assert bundle.tokenize(string) == [string]

    @pytest.mark.parametrize("as_is", [False, True])
    def test_many(self, tmp_path: Path, as_is: bool) -> None:
        source = random.Random("many")
        letters = "abcdefghijklmnopqrst"
        made = {" ".join(source.choices(letters, k=source.randint(3, 8))) for _ in range(5_000)}
        (tmp_path / "l.txt").write_text("\n".join(sorted(made)), "utf-8")
        build_list(tmp_path / "l.txt", tmp_path / "made", as_is=as_is)
        bundle = WordBundle.open(tmp_path / "made")
        assert len(bundle) == len(made) > 4_500
        assert set(strings_of(bundle)) == made


class TestWrongStrings:
    @pytest.mark.parametrize(
        ("lines", "options", "message"),
        [
            ([], {}, "list.txt: has no strings; write one on each line"),
            (["", " \t"], {}, "has no strings"),
            (["a"], {}, "has 1 different strings, and a list needs 2 to 1,000,000; add"),
            (["a", "A", "a"], {}, "has 1 different strings"),
            (["a", "?!"], {}, r"line 2: has no word or emoji; leave it out, or use --strings"),
            ([":)", ":-D"], {}, "line 1: has no word or emoji"),
            ([":+1:", "ok", ":-1:"], {}, r'line 1 and line 3: ":\+1:" and ":-1:" are one string'),
            (["C", "C++", "C#"], {}, r'line 1 and line 2: "C" and "C\+\+" are .* "c", .*--strings'),
            (
                ["no", "well-known", "well known"],
                {},
                "line 2 and line 3: .* are one string in texts",
            ),
            (
                ["a", "b c d e f g h i j"],
                {},
                "line 2: a phrase can have 8 words .* this one has 9 and 17; s",
            ),
            (["a", "x" * 257], {}, "line 2: a phrase can .* 256 characters, .* has 1 and 257; s"),
            (["a", "x" * 257], {"as_is": True}, "line 2: has more than 256 characters, or a"),
            (["a", "b\x01"], {"as_is": True}, "line 2: .* or a control character; shorten it"),
            (
                ["can", "can't", "cannot", "x"],
                {"written_in": "qq"},
                "qq isn't a supported language",
            ),
            (["a", "b"], {"seed": 2**32}, "seed must be from 0"),
        ],
    )
    def test_errors(
        self, make: Listed, tmp_path: Path, lines: list[str], options: dict[str, Any], message: str
    ) -> None:
        with pytest.raises(ParameterError, match=message):
            make(*lines, **options)
        assert leftovers(tmp_path) == ["list.txt"]

    def test_a_string_that_others_take_the_place_of(self, make: Listed, tmp_path: Path) -> None:
        """ "Hauszimmer" isn't cut until "haus" is a string by itself."""
        with pytest.raises(ParameterError, match=r"line 3: texts with this string match other"):
            make("- Haus", "Zimmer", "Hauszimmer und", written_in="de")
        assert leftovers(tmp_path) == ["list.txt"]

    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            (["word,count", "a,1", "b,x"], "line 3.*: count isn't an integer from 0 to 10"),
            (["word,count", "a,1", "b,-1"], "count isn't an integer"),
            (["word,count", "a,1", f"b,{10**15}"], "count isn't an integer"),
            (["word,count", "a,1", "b,１"], "count isn't an integer"),
            (["word", "a", "b"], "no column 'count'"),
            (["word,count"], "has no strings"),
        ],
    )
    def test_errors_of_tables(self, make: Listed, rows: list[str], message: str) -> None:
        with pytest.raises(ParameterError, match=message):
            make(*rows, name="list.csv")

    def test_other_files(self, tmp_path: Path, brr: Brr) -> None:
        (tmp_path / "latin.txt").write_bytes(b"caf\xe9\nb\n")
        for name, message in (("latin.txt", "line 1"), ("none.txt", "can't be read"), ("", "")):
            refused = brr("list", tmp_path / name, "--output", tmp_path / "made")
            assert refused.code != 0
            assert refused.err.startswith("Error: ")
            assert refused.err.count("\n") == 1
            assert message in refused.err
        assert leftovers(tmp_path) == ["latin.txt"]

    def test_too_many(self, make: Listed, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(lists, "MOST_STRINGS", 3)
        assert len(make("a", "b", "c")) == 3
        with pytest.raises(
            ParameterError, match=r"line 5: up to here, 4 different lines .* 2 to 3 strings"
        ):
            make("a", "b", "c", "a", "d")
        monkeypatch.setattr(lists, "_MOST_CHARACTERS", 5)
        with pytest.raises(ParameterError, match=r"line 3: .* have 6 characters, .* 5 characters"):
            make("aa", "bb", "cc")

    def test_lines_that_are_alike_take_no_memory(self, tmp_path: Path) -> None:
        """A small compressed file has very many lines; held, these would take 33 MB."""
        lines = [f"{letter * 99}\n" for letter in "ab"]
        (tmp_path / "l.txt").write_bytes(lzma.compress("".join(lines).encode() * 30_000))
        tracemalloc.start()
        made = lists.make_list(tmp_path / "l.txt", ENGLISH)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert (len(made.words), made.repeated) == (2, 59_998)
        assert peak < 25_000_000


class TestGoldenCases:
    @pytest.mark.parametrize("name", ["emoji", "french", "phrases", "strings"])
    def test_of_what_needs_no_codes(self, folder: Path, name: str) -> None:
        cases = json.loads((folder / f"list-{name}" / PARITY).read_bytes())
        for kind in CASES:
            assert bool(cases[kind]) == (kind in KINDS_OF_LISTS)
        bundle = WordBundle.open(folder / f"list-{name}")
        for case in cases["texts"]:
            tokens = bundle.tokenizer.read(case["text"])
            assert [token.text for token in tokens] == case["tokens"]
            word = bundle.vocabulary.word
            found = [None if t.word_id is None else word(t.word_id) for t in tokens]
            assert found == case["words"]
            assert bundle.finished(case["text"]) == "" and case["finished"] == 0
        met = {word for case in cases["texts"] for word in case["words"]}
        assert met > {None}

    def test_reference_and_runtime_find_the_same(self) -> None:
        """In random texts of emoji, their parts and words, for random lists of every kind."""
        source = random.Random("lists")
        outcomes: set[tuple[str, bool, bool]] = set()
        for _ in range(1_000):
            case = listed.random_case(source)
            lexicon = reference.Lexicon.of(case.words, case.masses, case.writing, case.list_of)
            tokens = case.tokenizer().read(case.text)
            words = [None if word_id is None else case.words[word_id] for _, word_id in tokens]
            found = list(zip((token.text for token in tokens), words, strict=True))
            assert found == reference.read(case.text, lexicon), case
            outcomes |= {(str(case.list_of), " " in text, word is None) for text, word in found}
        assert {
            (kind, phrase, known)
            for kind in KINDS
            for phrase, known in ((True, False), (False, False), (False, True))
        } <= outcomes

    def test_a_token_stands_for_the_same_alone(self, tmp_path: Path) -> None:
        """In languages whose words cut others, for lists as ``brr list`` makes them."""
        source, made, known = random.Random("alone"), 0, 0
        for number in range(200):
            language = source.choice(list(PARTS))
            writing, parts = load_writing(language), [*PARTS[language].split(), " ", "😀"]
            rows = ["".join(source.choices(parts, k=source.randint(1, 5))) for _ in range(6)]
            table = "".join(f"{row},{source.choice([1, 10, 1_000])}\n" for row in rows)
            (tmp_path / "l.csv").write_text(f"word,count\n{table}", "utf-8")
            try:
                a_list = lists.make_list(tmp_path / "l.csv", writing)
            except ParameterError:  # too few, or in the place of one another
                continue
            words, masses = a_list.words, a_list.language.masses
            tokenizer = ListTokenizer(writing, RankedWords(words), masses, a_list.kind)
            lexicon = reference.Lexicon.of(words, masses.tolist(), writing.to_json(), a_list.kind)
            made += 1
            for _ in range(6):
                for token in tokenizer.read("".join(source.choices(parts, k=9))):
                    word = None if token.word_id is None else words[token.word_id]
                    assert tokenizer.look_up(token.text) == token.word_id, number
                    assert reference.look_up(token.text, lexicon) == word, number
                    known += word is not None
        assert made > 120
        assert known > 1_000

    def test_the_tables_are_one(self) -> None:
        page = (ROOT / "spec" / "bundle-format.md").read_text("utf-8")
        table = re.search(r" *```pictographs\n(.*?)```", page, re.DOTALL)
        assert table
        assert table[1].split() == reference.PICTOGRAPHS.split()


@pytest.fixture
def a_list(folder: Path, tmp_path: Path, brr: Brr) -> Path:
    """A list with a setting for counts, to spoil."""
    (tmp_path / "l.csv").write_text("word,count\ngood morning,50\n👍,30\nno,20\n", "utf-8")
    build_list(tmp_path / "l.csv", tmp_path / "l")
    assert brr("calibrate", tmp_path / "l", "--for", "counts", "--cap", "3", "--write").code == 0
    return tmp_path / "l"


class TestCommands:
    def test_list_shows_what_it_made(self, brr: Brr, tmp_path: Path) -> None:
        (tmp_path / "l.txt").write_text("yes\nno\nYes\n", "utf-8")
        made = brr("list", tmp_path / "l.txt", "--output", tmp_path / "made")
        assert made.out.startswith("List of 2 words and phrases\n  source      l.txt\n")
        assert "skipped     1 lines with a string of another line" in made.out
        assert made.out.endswith(f"Wrote {tmp_path / 'made'}\n")
        assert brr("list", tmp_path / "l.txt", "--output", tmp_path / "made").code == 1
        again = ["--output", tmp_path / "made", "--force", "--strings", "--json"]
        shown = json.loads(brr("list", tmp_path / "l.txt", *again).out)
        assert shown["manifest"]["list_of"] == STRINGS
        assert shown["repeated"] == 0

    def test_strings_that_lose_signs_are_shown(self, brr: Brr, tmp_path: Path) -> None:
        (tmp_path / "l.txt").write_text("A+\n.NET\nH&M\n❤️\nyes\nDon’t\n", "utf-8")
        made = brr("list", tmp_path / "l.txt", "--output", tmp_path / "made")
        shown = (
            "  changed     3 strings lose signs in texts (--strings counts strings as they are):"
        )
        assert f"{shown}\n    A+ → a\n    .NET → net\n    H&M → h m\nWrote" in made.out
        again = brr("list", tmp_path / "l.txt", "--output", tmp_path / "made", "--force", "--json")
        assert json.loads(again.out)["changed"] == {"A+": "a", ".NET": "net", "H&M": "h m"}
        as_is = brr("list", tmp_path / "l.txt", "--output", tmp_path / "is", "--strings")
        assert "lose signs" not in as_is.out
        (tmp_path / "l.txt").write_text("".join(f"{number}+\n" for number in range(30)), "utf-8")
        made = brr("list", tmp_path / "l.txt", "--output", tmp_path / "many")
        assert made.out.count(" → ") == 20
        assert "\n    and 10 more (--json has all)\n" in made.out

    def test_inspect(self, brr: Brr, a_list: Path) -> None:
        shown = brr("inspect", a_list).out
        assert shown.startswith("List of 3 words, phrases and emoji\n")
        assert "from the strings' counts" in shown
        assert "cap 3, 1 words a day" in shown
        assert "bits" not in shown
        assert json.loads(brr("inspect", a_list, "--json").out)["list_of"] == BOTH

    def test_verify(self, brr: Brr, a_list: Path, tmp_path: Path) -> None:
        assert "l: all 3 checks passed" in brr("verify", a_list).out
        again = brr("verify", a_list, "--strings", tmp_path / "l.csv")
        assert again.code == 0
        assert f"reproduced: {INDEX} has SHA-256" in again.out
        (tmp_path / "other.csv").write_text("word,count\ngood morning,50\n👍,30\nno,21\n", "utf-8")
        other = brr("verify", a_list, "--strings", tmp_path / "other.csv")
        assert other.code == 1
        assert "was made from another file than other.csv" in other.out
        for option in ("--embeddings", "--text"):
            refused = brr("verify", a_list, option, tmp_path / "l.csv")
            assert refused.code == 1
            assert "a list is made of strings only" in refused.out

    def test_verify_finds_a_wrong_case(self, a_list: Path) -> None:
        cases = json.loads((a_list / PARITY).read_bytes())
        for kind, field in (("texts", "tokens"), ("counts", "output"), ("samples", "outputs")):
            spoiled = json.loads(json.dumps(cases))
            spoiled[kind][-1][field] = ["spoiled"] if field != "output" else "spoiled"
            (a_list / PARITY).write_text(json.dumps(spoiled), "utf-8")
            assert not verify_bundle(a_list).passed

    def test_a_bundle_with_codes_has_no_strings(self, brr: Brr, bundle: Path) -> None:
        refused = brr("verify", bundle, "--strings", bundle / MANIFEST)
        assert refused.code == 1
        assert "only a list is made of strings; leave them out" in refused.out

    def test_calibrate(self, brr: Brr, a_list: Path) -> None:
        shown = brr("calibrate", a_list, "--for", "counts", "--attack-success", "0.6").out
        assert " between any two strings of a report, " in shown
        assert "A string is kept with probability" in shown
        assert "the string of rank 1 (5.0" in shown
        refused = brr("calibrate", a_list, "--for", "counts")
        assert refused.code == 1
        assert "attacker already recovers 50.0% of the strings" in refused.err
        assert "give a larger --attack-success, or give --cap" in refused.err
        of_text = brr("calibrate", a_list, "--for", "counts", "--text", a_list / PARITY)
        assert "attackers are assumed to know the frequencies that 'brr list'" in of_text.err

    def test_calibration_knows_the_counts(self, a_list: Path) -> None:
        found = calibrate_counts(WordBundle.open(a_list), attack_success=0.6)
        assert found.shares[1] == pytest.approx(0.5, rel=0.02)
        assert found.shares.keys() == {rank for rank in RANKS_OF_LISTS if rank <= 3}
        assert 0.599 < found.setting.measured["frequencies"] <= 0.6

    def test_what_needs_codes(
        self, brr: Brr, a_list: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(a_list.parent)
        Path("texts.txt").write_text("good morning\n" * 300, "utf-8")
        before = leftovers(Path())
        for name, *options in (
            ["privatize"],
            ["measure", "--epsilon", "1"],
            ["measure", "--text", "texts.txt"],
            ["neighbors", "no"],
            ["guess"],
            ["vectors", "--embeddings", "texts.txt", "--output", "v.txt"],
            ["evaluate", "--embeddings", "texts.txt", "--data", "texts.txt"],
            ["calibrate"],
            ["calibrate", "--text", "texts.txt"],
            ["audit"],
        ):
            refused = brr(name, "l", *options, stdin=b"no\n")
            assert (refused.code, refused.out, refused.err) == (1, "", REFUSED)
            assert leftovers(Path()) == before

    def test_report(self, brr: Brr, a_list: Path, tmp_path: Path) -> None:
        page = tmp_path / "report.html"
        assert brr("report", a_list, "--output", page).code == 0
        html = page.read_text("utf-8")
        for said in (
            "3 words, phrases and emoji, from l.csv",
            "all 3 checks passed",
            "e^3",
            "20.1",
        ):
            assert said in html
        assert "good morning" not in html
        for options in (["--epsilon", "1"], ["--words", "no"], ["--text", str(a_list / PARITY)]):
            refused = brr("report", a_list, "--output", page, *options)
            assert refused.code == 1
            assert "a list has no codes, so its page has no setting for text" in refused.err
        assert page.read_text("utf-8") == html

    def test_a_report_needs_a_setting(self, brr: Brr, folder: Path, tmp_path: Path) -> None:
        refused = brr("report", folder / "list-emoji", "--output", tmp_path / "r.html")
        assert refused.code == 1
        assert "recommends no setting for counts; run 'brr calibrate --for counts" in refused.err
        assert leftovers(tmp_path) == []

    def test_estimate(self, brr: Brr, a_list: Path, tmp_path: Path) -> None:
        """Of 3,000 reports two thirds say 👍, 15 standard deviations of its share above 0."""
        reporter = Reporter(Counts(WordBundle.open(a_list)))
        with (tmp_path / "week.jsonl").open("wb") as batches:
            for number in range(3_000):
                reporter.add(["👍🏽" if number % 3 else "nothing of it"])
                batches.write(reporter.batch(*DAY) + b"\n")
        arguments = ["estimate", tmp_path / "week.jsonl", "--bundle", a_list, "--top", "1"]
        page, table = tmp_path / "p.html", tmp_path / "t.csv"
        shown = brr(*arguments, "--word", "Good morning!", "--page", page, "--output", table)
        assert shown.code == 0, shown.err
        rows = [line.split() for line in shown.out.splitlines() if line.startswith("👍")]
        assert 0.5 < float(rows[0][2]) < 0.8
        assert "\ngood morning" in shown.out
        assert "👍" in page.read_text("utf-8")
        assert len(table.read_text("utf-8").splitlines()) == 4

    def test_estimate_without_a_setting(self, brr: Brr, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "r.csv").write_text("word,count\n👍,3\n", "utf-8")
        command = ("estimate", tmp_path / "r.csv", "--bundle", folder / "list-emoji")
        assert "recommends no setting for counts; give the cap" in brr(*command).err
        assert brr(*command, "--epsilon", 1).err == REFUSED


def test_masses_of_counts_keep_their_ratios() -> None:
    """Each is within a level of what its count says, for a million strings, too."""
    for often in (np.array([10**9, 10**5, 1]), np.full(1_000_000, 5), np.arange(1_000_000)[::-1]):
        masses = LEVELS[model_of_list(often.astype(np.float64), len(often)).masses]
        assert masses.sum() <= MOST
        ratios = masses[: len(often) // 2 + 1] / masses[0]
        wanted = np.maximum(often, 1)[: len(often) // 2 + 1] / often[0]
        assert np.abs(ratios / wanted - 1).max() < 0.14


def test_a_setting_needs_no_codes(folder: Path) -> None:
    bundle = WordBundle.open(folder / "list-strings")
    assert Counts(bundle, CountsSetting(1.0)).loss <= 1.0
