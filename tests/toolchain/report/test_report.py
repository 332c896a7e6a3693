"""The page of ``brr report``: complete, self-contained, and true to the bundle."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from bundle_tools import ENCYCLOPEDIA, contents, leftovers, rewrite
from html_page import Page

from brrkit import CountsSetting, ParameterError, Privatizer, WordBundle
from brrkit.bundle import INDEX, MANIFEST, RANDOMIZER
from brrkit.mechanisms import MECHANISMS
from brrkit.setting import Setting
from brrkit_toolchain import (
    TextFiles,
    measure_among,
    measure_text,
    measure_writers,
    write_recommended,
)
from brrkit_toolchain.audit import Audit, audit_factory
from brrkit_toolchain.bundle.build import build_bundle
from brrkit_toolchain.bundle.plan import BuildPlan
from brrkit_toolchain.report import ReportOptions, content, figures, write_report_page
from brrkit_toolchain.report.playground import playground_page
from brrkit_toolchain.report.statements.number_format import odds, percent, probability

if TYPE_CHECKING:
    from conftest import Brr


EVIL = "<script>alert(1)</script>&amp;"


def device_bytes(bundle: Path) -> int:
    return sum((bundle / name).stat().st_size for name in (MANIFEST, INDEX, RANDOMIZER))


def report(bundle: Path, output: Path, **options: Any) -> Page:
    write_report_page(WordBundle.open(bundle), output, **{"audit": False, **options})
    return Page(output.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def sample_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of 500 words has all that one of 2,000 has."""
    output = tmp_path_factory.mktemp("built") / "sample"
    options: dict[str, Any] = {"bits": 64, "method": "lsh", "vocabulary_size": 500, "seed": 3}
    build_bundle(ENCYCLOPEDIA, output, BuildPlan(**options))
    return output


def once(draw: Callable[..., Any], shown: Callable[[Any], str]) -> Callable[..., Any]:
    """Return ``draw``, which draws once what is ``shown`` alike and has the same options."""
    drawn: dict[str, Any] = {}

    def remembered(data: Any, **options: Any) -> Any:
        key = f"{shown(data)} {options}"
        if key not in drawn:
            drawn[key] = draw(data, **options)
        return drawn[key]

    return remembered


@pytest.fixture(autouse=True, scope="module")
def curves_once() -> Iterator[None]:
    """The same codes and settings give the same curves, so they are drawn once.

    By a tenth of an attack's draws: no test looks at how often it succeeds.
    """

    def shown(opened: WordBundle) -> str:
        return f"{opened.codes.tobytes()!r} {opened.manifest['distances']}"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(content, "measure_curves", once(content.measure_curves, shown))
        patch.setattr("brrkit_toolchain.utility.mechanism._ATTACK_DRAWS", 1_000)
        patch.setattr("brrkit_toolchain.attackers.closed_list._DRAWN_HISTORIES", 500)
        yield


@pytest.fixture(autouse=True, scope="module")
def plots_once() -> Iterator[None]:
    """The same data gives the same plot (``test_plots.py``), so it is drawn once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "line_plot", once(figures.line_plot, str))
        yield


@pytest.fixture(scope="module")
def html(sample_bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    output = tmp_path_factory.mktemp("report") / "report.html"
    write_report_page(WordBundle.open(sample_bundle), output, audit=False)
    return output.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


class TestPage:
    def test_nothing_is_loaded(self, page: Page, html: str) -> None:
        assert page.tags["script"] == page.tags["link"] == page.tags["img"] == 0
        for _, name, value in page.attributes:
            if name in ("src", "href", "xlink:href", "srcset", "action"):
                assert value.startswith("#")
        assert "@import" not in html
        assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)\)", html))

    def test_ids_are_unique_and_resolve(self, page: Page) -> None:
        ids = Counter(value for _, name, value in page.attributes if name == "id")
        assert not [name for name, count in ids.items() if count > 1]
        for _, name, value in page.attributes:
            if name in ("href", "xlink:href"):
                assert value[1:] in ids

    def test_plots_have_titles_and_follow_the_theme(self, page: Page, html: str) -> None:
        assert page.tags["figure"] == page.tags["figcaption"] == page.tags["svg"] == 7
        assert sum(name == "aria-labelledby" for _, name, _ in page.attributes) == 7
        for series in set(re.findall(r"var\((--series-\d+)\)", html)):
            assert html.count(f"{series}:") == 2  # light and dark
        plots = html[html.index("<svg") : html.rindex("</svg>")]
        assert not re.findall(r"#[0-9a-f]{6}\b", re.sub(r'(href="|url\()#\S*', "", plots))

    def test_numbers_are_the_bundles(self, page: Page, sample_bundle: Path) -> None:
        manifest = WordBundle.open(sample_bundle).manifest
        text = page.words()
        assert "500 words × 64 bits" in text
        assert "All words can be typed." in text
        assert manifest["sha256"] in text
        assert f"{manifest['quality']['nn10']:.3f}" in text
        for name, points in manifest["utility"]["mechanisms"].items():
            shown = " ".join(f"{point['cosine']:.2f}" for point in points)
            assert f"{'Madlib (Laplace)' if name == 'laplace' else name} {shown}" in text

    def test_every_mechanism_has_examples(self, page: Page, sample_bundle: Path) -> None:
        bundle = WordBundle.open(sample_bundle)
        section = page.words().partition("What words become")[2].partition("Compared with")[0]
        for name in MECHANISMS:
            assert f"{name} ε" in section
        outputs = section.partition("are marked.")[2].split()
        known = [word for word in outputs if bundle.vocabulary.find(word) is not None]
        assert len(known) >= len(MECHANISMS) * 8 * 6  # a word and five releases, eight times

    def test_it_leads_with_what_can_be_signed(self, page: Page) -> None:
        first = page.words().partition("What the bound says")[0]
        asked = ("Users", "Receiver", "What leaves", "As typed", "Attackers", "Proven", "Measured")
        places = [
            first.index(f" {about} ")
            for about in (*asked, "Unknown words", "A day", "A year", "Tested")
        ]
        assert places == sorted(places)
        assert re.search(
            r"If words are typed with the frequencies of Zipf's law, an attacker who sees one word "
            r"and knows how often words are typed recovers [\d.]+% of them\. Of the least "
            r"protected 1%, they recover [\d.]+%\. After the most revealing release, they may be "
            r"[\d.]+% sure of one word\. An attacker who reads a whole text recovers more words: ",
            first,
        ), first
        assert (
            "codes and golden cases: not run. The guarantee, on the running code: not run" in first
        )
        assert "reviewed by" in first

    def test_the_rest_folds_away(self, page: Page, html: str) -> None:
        visible, _, folded = html.partition("<details")
        assert visible.count("<h2>") == 6
        assert "<h2>" not in folded
        assert "<svg" not in visible
        assert "details::details-content { content-visibility: visible" in visible  # in print
        assert page.tags["details"] == page.tags["summary"] > 10

    def test_it_says_what_a_reviewer_asks(self, page: Page, sample_bundle: Path) -> None:
        text = page.words()
        for asked in (
            *("The guarantee in full", "Unit of privacy", "Adjacency", "Assumptions", "Local"),
            *("Parameters, and what each bounds", "A user's day and year", "What stays open"),
            *("What was tested", "command that repeats it", "Format version"),
        ):
            assert asked in text
        # The most exposed words: the attacker's success on each, exactly.
        bundle = WordBundle.open(sample_bundle)
        epsilon = float(re.search(r"ε of exponential ([\d.]+)", text)[1])  # type: ignore[index]
        table = text.partition("The most exposed words")[2].partition("If the attacker knows")[0]
        rows = re.findall(r"(\S+) (\d\.\d+) (\d\.\d+)(?= |$)", table)
        assert len(rows) == 12
        word, success, unchanged = rows[0]
        privatizer = Privatizer(bundle, Setting(epsilon))
        assert float(privatizer.distribution(word)[word]) == pytest.approx(
            float(unchanged), abs=0.02
        )
        assert float(success) >= float(rows[-1][1])

    def test_it_can_be_tried(self, page: Page, sample_bundle: Path) -> None:
        (frame,) = [value for tag, name, value in page.attributes if name == "srcdoc"]
        assert frame == playground_page(WordBundle.open(sample_bundle))
        assert ("iframe", "sandbox", "allow-scripts") in page.attributes
        assert "at most 4.00 MB" not in page.words()

    def test_probabilities(self) -> None:
        shares = (1.0, 0.2, 0.456, 0.1, 0.0705, 0.0004)
        assert [probability(share) for share in shares] == [
            *("1.00", "0.20", "0.46", "0.10"),
            *("0.070", "0.000"),
        ]

    def test_without_a_recommendation_it_says_so(self, page: Page) -> None:
        assert "(an example; the bundle recommends none)" in page.words()
        assert "recommended by this bundle" not in page.words()


class TestWhatABundleHas:
    @pytest.fixture(scope="class")
    @staticmethod
    def page(sample_bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Page:
        """Of a large one that recommends a setting for text, and one for counts."""
        folder = tmp_path_factory.mktemp("has")
        bundle = Path(shutil.copytree(sample_bundle, folder / "bundle"))
        rewrite(bundle, edit=lambda fields: fields["source"].update(name=EVIL))
        write_recommended(bundle, Setting(0.61, goal="unchanged 0.7 & more"))
        write_recommended(bundle, CountsSetting(6.0, 2, "a test", {}))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(content, "_MOST_PLAYGROUND_BYTES", device_bytes(bundle) - 1)
            return report(bundle, folder / "report.html")

    def test_a_recommended_setting_is_marked(self, page: Page) -> None:
        text = page.words()
        assert "exponential, epsilon=0.61 (recommended by this bundle)" in text
        assert "unchanged 0.7 & more" in text
        assert "the bundle recommends none" not in text
        # The setting's examples come first.
        first = text.partition("What words become")[2]
        assert first.index("exponential ε") < first.index("brr ε") < first.index("vickrey ε")

    def test_counts_are_there(self, page: Page) -> None:
        text = page.words()
        assert "For counting: at most 2 released words a day." in text
        assert "privacy loss of counting: at most 2 released words a day 12 4,380" in text
        assert "cap of counts 6" in text
        assert "a person's day loses at most 12" in text
        assert re.search(
            r"the same, shuffled [\d.]+ A person's day, if the reports of 100,000 reporters are "
            r"shuffled and nobody sees who sent which: central ε, with δ = 1e-06",
            text,
        )

    def test_a_large_one_can_not_be_tried(self, page: Page) -> None:
        assert page.tags["iframe"] == 0
        assert re.search(r"it would need the bundle's [\d.]+ kB", page.words())

    def test_what_it_says_is_text_not_markup(self, page: Page) -> None:
        assert page.tags["script"] == 0
        assert EVIL in page.text


WORD = {"attacker": "frequencies", "over": "all", "text": None}
READER = {"attacker": "sentence", "over": "content", "text": "typed.txt"}


@pytest.mark.parametrize(
    ("of", "unchanged", "says"),
    [
        (
            WORD,
            0.97,
            [
                "single words are typed with the frequencies of Zipf's law, 97% come out as typed",
                "nothing was changed is correct for 97% of single words typed with the frequencies",
                "An attacker who reads a whole text recovers more words: brr report --text "
                "measures how many.",
                "attackers who read a text not run",
                "An attacker who sees one word and knows how often words are typed recovers these",
            ],
        ),
        (
            READER,
            0.99,
            [
                "When the setting was chosen, 99% of content words of typed.txt came out as typed.",
                "When the setting was chosen, an attacker who reads all released words of a text "
                "and knows the language was expected to recover 46% of content words of "
                "typed.txt, given ten",
                "reads all released words of a text and knows the language; typed.txt, when the "
                "setting was chosen – 0.46 – –",
                "An attacker who sees one word and assumes that all words are equally likely "
                "recovers these",
            ],
        ),
    ],
)
def test_what_was_measured_and_certified_is_shown(
    bundle: Path, tmp_path: Path, of: dict[str, str | None], unchanged: float, says: list[str]
) -> None:
    """Numbers that nobody would measure, so they are the bundle's."""
    share = {"low": 0.1, "high": 0.9}
    setting = {
        "mechanism": "exponential",
        "epsilon": 0.61,
        "parameters": {"radius": 6},
        "goal": "a test",
        "certificate": {"certified_epsilon": 0.345, "index": WordBundle.open(bundle).digest},
        "measured": {
            **of,
            "unchanged": {"value": unchanged, **share},
            "attack_success": {"value": 0.456, **share},
            "worst": {"value": 0.789, **share},
        },
    }
    rewrite(bundle, edit=lambda fields: fields.update(recommended=setting))
    opened = WordBundle.open(bundle)
    text = report(bundle, tmp_path / "report.html").words()
    assert "(recommended by this bundle); certified epsilon 0.345." in text
    assert f"pays for {int(300 / 0.345)} words" in text
    for line in says:
        assert line in text
    farthest = opened.manifest["distances"]["hamming"]["maximum"]
    factor, exponent = odds(Fraction("0.345") * Fraction(farthest))
    assert f"the two words farthest apart {farthest:.3g} {exponent} {factor} to 1" in text


def test_a_recommended_list_of_rates(bundle: Path, tmp_path: Path) -> None:
    setting = {
        "mechanism": "vickrey",
        "epsilon": 0.7,
        "parameters": {"t": [0.1, 0.2, 0.3]},
        "goal": "support 20",
    }
    rewrite(bundle, edit=lambda fields: fields.update(recommended=setting))
    text = report(bundle, tmp_path / "report.html").words()
    assert "vickrey, epsilon=0.7, t=[0.1, 0.2, 0.3] (recommended by this bundle)" in text
    # Its probabilities have no formula: what is known of its attackers is drawn.
    assert re.search(
        r"recovers [\d.]+% of words; with 95% confidence, no such attacker exceeds [\d.]+%\.",
        text,
    )
    assert "attackers who see one word estimated from draws brr measure BUNDLE" in text


def test_the_command_explains_a_given_setting(brr: Brr, bundle: Path, tmp_path: Path) -> None:
    setting = {"mechanism": "vickrey", "epsilon": 2.0, "parameters": {"t": 0.1}, "goal": "x"}
    rewrite(bundle, edit=lambda fields: fields.update(recommended=setting))
    output, given = tmp_path / "page.html", ["--epsilon", 0.613, "--radius", 6, "--no-audit"]
    outcome = brr("report", bundle, "--output", output, *given)
    assert (outcome.code, outcome.err) == (0, "")
    text = Page(output.read_text(encoding="utf-8")).words()
    assert "exponential" in text
    assert "0.613" in text
    outcome = brr("report", bundle, "--output", output, "--radius", 6)
    assert (outcome.code, outcome.out) == (1, "")
    assert "need an epsilon" in outcome.err


@pytest.fixture(scope="module")
def made(sample_bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """The audit of a constant."""
    folder = tmp_path_factory.mktemp("constant")
    (folder / "audited_constant.py").write_text(
        "def make(bundle, epsilon): return lambda word: 'x'"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        return audit_factory(WordBundle.open(sample_bundle), "audited_constant:make", samples=1_000)


@pytest.mark.parametrize("passes", [True, False])
def test_the_audit_is_shown(
    passes: bool, made: Audit, bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A constant's was run, which is quick; it is shown once as if a part had failed.

    The bundle is verified besides.
    """

    def audit(opened: WordBundle, name: str, *, progress: bool) -> Audit:
        parts = [replace(made.parts[0], passed=passes), *made.parts[1:]]
        return replace(made, subject=name, parts=tuple(parts))

    monkeypatch.setattr(content, "audit_mechanism", audit)
    setting = Setting(1.0, "vickrey")
    page = report(bundle, tmp_path / "report.html", setting=setting, audit=True)
    text, result = page.words(), f"vickrey {'passed' if passes else 'FAILED'}"
    assert "files, codes and golden cases all 6 checks passed brr verify" in text
    command = "brr audit BUNDLE --mechanism vickrey"
    assert f"the guarantee, on the running code {result} {command}" in text
    assert f"The guarantee, on the running code: {result}. " in text
    assert (("td", "class", "failed") in page.attributes) is not passes
    section = text.partition("The audit in numbers")[2]
    assert f"Parts: {', '.join(part.name for part in made.parts)}. " in section
    assert f"Not tested: {'; '.join(made.unseen)}." in section
    assert result in section


class TestAmong:
    """Attackers who know that the word is one of a list."""

    def test_each_example_and_the_words_nearest_to_it(self, bundle: Path, tmp_path: Path) -> None:
        opened = WordBundle.open(bundle)
        setting = {"mechanism": "exponential", "epsilon": 0.61, "parameters": {"radius": 6}}
        rewrite(bundle, edit=lambda fields: fields.update(recommended={**setting, "goal": "x"}))
        word = opened.vocabulary.word(100)
        distances = opened.index.distances(opened.codes[100])
        nearest = np.argsort(distances, kind="stable")[:20].tolist()
        assert 100 in nearest
        lines = "\n".join(opened.vocabulary.word(i) for i in nearest)
        (tmp_path / "list.txt").write_text(lines, encoding="utf-8")
        text = report(bundle, tmp_path / "report.html", options=ReportOptions([word])).words()
        section = text.partition("is one of a list")[2].partition("Strength against")[0]
        (found,) = measure_among(
            opened, [tmp_path / "list.txt"], Setting(0.61, parameters={"radius": 6})
        )
        cells = " ".join(probability(each.value) for each in found.success.values())
        assert "List words chance 1 2 5 20 " in section
        assert f"{word} and the 19 words nearest to it 20 0.050 {cells}" in section
        assert section.count("nearest to it") == 1
        assert "lower bound" not in section
        assert f"{word} " in text.partition("What words become")[2].partition("Compared with")[0]
        assert "Tested by brr report BUNDLE on" in text
        assert "lists from files: 0; lists of words with near codes: 1 brr measure BUNDLE" in text

    def test_a_word_that_shares_its_code_is_on_its_list(self, eight: WordBundle) -> None:
        """w5 has the code of w2, which is the first at no distance."""
        ids = [content._nearest_lists(eight, [word])[0].ids.tolist() for word in ("w2", "w5")]
        assert ids == [list(range(8))] * 2
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(content, "_WORDS_OF_NEAREST_LIST", 2)
            (last,) = content._nearest_lists(eight, ["w5"])
        assert (last.ids.tolist(), last.name) == ([2, 5], "w5 and the 1 words nearest to it")

    def test_lists_of_files(self, brr: Brr, bundle: Path, tmp_path: Path) -> None:
        opened = WordBundle.open(bundle)
        setting = {"mechanism": "brr", "epsilon": 0.6, "parameters": {}, "goal": "a test"}
        rewrite(bundle, edit=lambda fields: fields.update(recommended=setting))
        for name, ids in {"a.txt": range(30, 40), "b.txt": range(60, 63)}.items():
            lines = [opened.vocabulary.word(i) for i in ids]
            (tmp_path / name).write_text("\n".join([*lines, "xyzzyx"]), encoding="utf-8")
        html = tmp_path / "report.html"
        options = ["--among", tmp_path / "a.txt", "--among", tmp_path / "b.txt", "--no-audit"]
        outcome = brr("report", bundle, *options, "--output", html)
        assert (outcome.code, outcome.err) == (0, "")
        text = Page(html.read_text(encoding="utf-8")).words()
        for name, words, chance in (("a.txt", 10, "0.10"), ("b.txt", 3, "0.33")):
            (found,) = measure_among(opened, [tmp_path / name], Setting(0.6, "brr"))
            cells = " ".join(probability(each.value) for each in found.success.values())
            more = "(1 more isn't in the vocabulary)"
            assert f"{name} {more} {words} {chance} {cells}" in text
        assert "from draws only, so their success is a lower bound. Attack success by" in text
        assert "Tested by brr report BUNDLE --among FILE on" in text
        assert "lists from files: 2; lists of words with near codes: 8 brr measure BUNDLE" in text
        assert "xyzzyx" not in html.read_text(encoding="utf-8")

    def test_errors_leave_everything_as_it_was(
        self, brr: Brr, sample_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        word = WordBundle.open(sample_bundle).vocabulary.word(30)
        Path("few.txt").write_text(f"{word}\nxyzzyx\n", encoding="utf-8")
        before = contents(tmp_path)
        for options, says in (
            (["--among", "none.txt"], "none.txt: the word list can't be read"),
            (["--among", "few.txt"], "few.txt: 1 of its words are in the bundle's vocabulary"),
            (["--among", "few.txt", "--output", "few.txt"], "few.txt"),
        ):
            outcome = brr("report", sample_bundle, "--no-audit", *options)
            assert (outcome.code, outcome.out, outcome.err.count("\n")) == (1, "", 1)
            assert says in outcome.err
            assert "xyzzyx" not in outcome.err
        assert contents(tmp_path) == before


class TestBadInput:
    def test_unknown_word(self, brr: Brr, bundle: Path, tmp_path: Path) -> None:
        outcome = brr("report", bundle, "--words", "the,xyzzyx", "--output", tmp_path / "r.html")
        assert outcome.code == 1
        assert "example word 2 of 2 isn't in the vocabulary" in outcome.err
        assert "xyzzyx" not in outcome.err
        assert leftovers(tmp_path) == ["bundle"]

    @pytest.mark.parametrize(
        "values",
        [
            {
                "source": {"name": [], "dimensions": "x"},
                "utility": {"words": 9, "estimated_losses": "x", "mechanisms": {"brr": 1}},
                "quality": {"nn10": None, "similarity": 3},
                "method": [1],
            },
            {},
        ],
        ids=["wrong", "missing"],
    )
    def test_fields_that_no_reader_needs(
        self, bundle: Path, tmp_path: Path, values: dict[str, object]
    ) -> None:
        def edit(fields: dict[str, Any]) -> None:
            for name in ("source", "utility", "quality", "method"):
                del fields[name]
            fields.update(values)

        rewrite(bundle, edit=edit)
        page = report(bundle, tmp_path / "report.html")
        text = page.words()
        assert "500 words × 64 bits" in text
        for absent in ("None", "[", "encyclopedia.vec.xz", "Compared with the full-size mechanism"):
            assert absent not in text
        assert page.tags["svg"] == 3

    def test_a_manifest_without_distances(self, brr: Brr, bundle: Path, tmp_path: Path) -> None:
        rewrite(bundle, edit=lambda fields: fields.pop("distances"))
        outcome = brr("report", bundle, "--output", tmp_path / "report.html", "--no-audit")
        assert outcome.code == 1
        assert "field 'distances.hamming.average' of the manifest isn't a positive" in outcome.err
        assert leftovers(tmp_path) == ["bundle"]

    def test_a_device(self, brr: Brr, bundle: Path) -> None:
        outcome = brr("report", bundle, "--output", "/dev/null", "--no-audit")
        assert (outcome.code, outcome.err) == (
            1,
            "Error: /dev/null: not a regular file; name another one\n",
        )
        assert Path("/dev/null").is_char_device()


class TestText:
    """``brr report --text``, on texts in which frequent words lead to fixed ones."""

    @pytest.fixture(scope="class")
    @staticmethod
    def texts(sample_bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
        """A folder with texts of 70 words."""
        folder = tmp_path_factory.mktemp("texts")
        opened, rng = WordBundle.open(sample_bundle), np.random.default_rng(0)
        ids = (rng.zipf(1.3, (200, 70)) - 1) % 100
        ids[:, 1::2] = 200 + ids[:, ::2]
        spelled = [" ".join(opened.vocabulary.word(i) for i in row) for row in ids.tolist()]
        (folder / "typed.txt").write_text("\n".join(spelled[:60]) + "\n", encoding="utf-8")
        (folder / "public.txt").write_text("\n".join(spelled[60:]) + "\n", encoding="utf-8")
        (folder / "short.txt").write_text("a few words\n", encoding="utf-8")
        (folder / "foreign.txt").write_text("qwxz jkvq\n" * 9_000, encoding="utf-8")
        return folder

    def test_the_page_says_what_measure_text_says(
        self, brr: Brr, bundle: Path, texts: Path, tmp_path: Path
    ) -> None:
        setting = {"mechanism": "exponential", "epsilon": 0.45, "parameters": {"radius": 6}}
        rewrite(bundle, edit=lambda fields: fields.update(recommended={**setting, "goal": "x"}))
        html = tmp_path / "report.html"
        language = ["--public-text", texts / "public.txt", "--embeddings", ENCYCLOPEDIA]
        options = ["--text", texts / "typed.txt", *language, "--tokens", 1_500]
        outcome = brr("report", bundle, *options, "--output", html, "--no-audit")
        assert (outcome.code, outcome.err) == (0, "")
        page = Page(html.read_text(encoding="utf-8"))
        text = page.words()
        found = measure_text(
            WordBundle.open(bundle),
            TextFiles(texts / "typed.txt", texts / "public.txt"),
            embeddings=ENCYCLOPEDIA,
            tokens=1_500,
        )
        sentence = found.attackers["sentence"]
        top1 = sentence["all"].top1
        in_content = sentence["content"].top1
        value, of_content = map(probability, (top1.value, in_content.value))
        assert (
            "An attacker who reads all released words of a text and knows the language recovers "
            f"{percent(top1.value)} of all words and {percent(in_content.value)} of content words "
            "of typed.txt."
        ) in text
        assert (
            "reads all released words of a text and knows the language; typed.txt "
            f"{value} {of_content} "
        ) in text
        assert (
            f"attackers who read a text {found.tokens:,} words of {found.texts:,} texts of "
            "typed.txt brr measure BUNDLE --text FILE"
        ) in text
        assert "unknown" not in sentence
        for kind in sentence:
            cells = " ".join(f"{each[kind].top1.value:.3f}" for each in found.attackers.values())
            tokens, same = sentence[kind].tokens, found.unchanged[kind].value
            shown = {"all": "all words", "content": "content words"}.get(kind, kind)
            assert f"{shown} {tokens:,} {cells} {same:.3f}" in text
        assert (
            f"learned the language from the bundle, {found.own_tokens:,} other words of that file "
            f"and {140 * 70:,} words of public.txt."
        ) in text
        expected = found.expected["sentence"]
        both = [percent(expected[over].value) for over in ("all", "content")]
        assert (
            f"expected to recover {both[0]} of all words of the vocabulary and {both[1]} of" in text
        )
        assert found.cosine is not None
        assert f"cosine of released to typed words is {found.cosine['all']:.2f} for all" in text
        assert "lower bound" not in text
        assert page.tags["figure"] == page.tags["svg"] == 9
        assert {"by-class-title", "length-title"} <= {
            value for _, name, value in page.attributes if name == "id"
        }

    def test_half_of_it_as_language_and_a_sampled_mechanism(
        self, bundle: Path, texts: Path, tmp_path: Path
    ) -> None:
        setting = {"mechanism": "brr", "epsilon": 0.8, "parameters": {}, "goal": "a test"}
        rewrite(bundle, edit=lambda fields: fields.update(recommended=setting))
        page = report(bundle, tmp_path / "r.html", text=texts / "public.txt", tokens=1_000)
        text = page.words()
        assert f"learned the language from the bundle, {140 * 70 - 1_050:,} other words of" in text
        assert "from draws only, so their success is a lower bound. This page shows no" in text
        assert "The mean cosine" not in text

    def test_texts_too_short_for_lengths(self, bundle: Path, texts: Path, tmp_path: Path) -> None:
        words = (texts / "public.txt").read_text(encoding="utf-8").split()
        lines = [" ".join(words[i : i + 10]) for i in range(0, len(words), 10)]
        (tmp_path / "short.txt").write_text("\n".join(lines), encoding="utf-8")
        page = report(bundle, tmp_path / "r.html", text=tmp_path / "short.txt", tokens=1_000)
        assert "reads all released words of a text" in page.words()
        assert not any(value == "length-title" for _, _, value in page.attributes)

    def test_errors_leave_the_page_that_was_there(
        self,
        brr: Brr,
        sample_bundle: Path,
        texts: Path,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        folder = Path(shutil.copytree(texts, tmp_path / "texts"))
        (folder / "report.html").write_text("was here", encoding="utf-8")
        before = contents(folder)
        monkeypatch.chdir(folder)
        for options, says in (
            (["--text", "short.txt"], "short.txt: has 3 words; give at least"),
            (["--text", "foreign.txt"], "foreign.txt: 100% of its words aren't in the voc"),
            (["--text", "typed.txt", "--public-text", "short.txt"], "short.txt: has 3 words"),
            (["--text", "typed.txt", "--output", "typed.txt"], "typed.txt"),
            (["--tokens", "5"], "--embeddings and --writer need --text; add it"),
            (["--seed", "-1"], "--seed must be 0 or more"),
        ):
            outcome = brr("report", sample_bundle, "--no-audit", *options)
            assert (outcome.code, outcome.out, outcome.err.count("\n")) == (1, "", 1)
            assert says in outcome.err
            assert contents(folder) == before

    def test_who_wrote_it_is_a_line_to_sign(
        self, sample_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        opened, draw = WordBundle.open(sample_bundle), np.random.default_rng(0)
        own = np.array([*opened.vocabulary]).reshape(2, -1)
        rows = [f"w{i % 2},{' '.join(draw.choice(own[i % 2], 5))}" for i in range(200)]
        table = tmp_path / "t.csv"
        table.write_text("sender,text\n" + "\n".join(rows) + "\n")
        monkeypatch.setattr(content, "_attack", lambda *_: None)
        files = TextFiles(table, column="text")
        shown = ReportOptions(writers=["sender"])
        words = report(sample_bundle, tmp_path / "r.html", text=files, options=shown).words()
        (line,) = re.findall(r"Who wrote it: sender An attacker chooses .*? succeeds in \S+", words)
        found = measure_writers(opened, files, "sender", Setting(1.0))
        typed = percent(found.typed[20].value)
        assert f"from 20 texts as typed, the attacker succeeds in {typed}" in line
        assert "and from their lengths alone in 50%. Chance is 50%;" in line

    def test_options_of_a_text_without_one(self, eight: WordBundle, tmp_path: Path) -> None:
        with pytest.raises(ParameterError, match="embeddings need a text; add it"):
            write_report_page(eight, tmp_path / "r.html", options=ReportOptions(embeddings="e.txt"))
        with pytest.raises(ParameterError, match="writers need a text; add it"):
            write_report_page(eight, tmp_path / "r.html", options=ReportOptions(writers=["a"]))
