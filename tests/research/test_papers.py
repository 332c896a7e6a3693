"""The papers' experiments on made-up texts, small enough to be run in seconds.

Everything is seeded: a test that passes once passes always on one machine. What depends on the
machine, since noise decides what a classifier learns, is marked with its ``false_alarm``.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from bundle_tools import ENCYCLOPEDIA, leftovers
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit_toolchain.channel.drawing.full_size import Mahalanobis
from brrkit_toolchain.embeddings import Embeddings
from research.papers import inference
from research.papers.__main__ import papers as command_line
from research.papers.bundle_words import open_bundle_words
from research.papers.contenders import DEVICE, MADLIB, Contender
from research.papers.page import write_page

# Of Madlib: next to pure noise, and next to none. The sample's vectors are long.
LOW, HIGH = "0.001", "6"


@pytest.fixture(autouse=True, scope="module")
def fewer_attacked() -> Iterator[None]:
    """Judge attacks by a tenth of the draws: shares of all or of none of the words need no more."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("brrkit_toolchain.utility.mechanism._ATTACK_DRAWS", 1_000)
        yield


Papers = Callable[..., Any]


@pytest.fixture
def papers(benchmark_command: Callable[..., Any]) -> Papers:
    """Run ``python -m research.papers`` in this process."""
    return partial(benchmark_command, command_line)


Numbers = dict[tuple[str, str, str, str], float]
"""Values by mechanism, parameter, epsilon of Madlib and metric, of trial 0."""


@pytest.fixture(scope="session")
def lexicon(
    sample_source: Embeddings,
    clusters: tuple[NDArray[np.intp], NDArray[np.intp]],
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, Path]:
    """The two clusters as positive and negative words."""
    folder = tmp_path_factory.mktemp("lexicon")
    files = (folder / "positive.txt", folder / "negative.txt")
    for file, ids in zip(files, clusters, strict=True):
        text = "; made up\n" + "".join(f"{sample_source.words[i]}\n" for i in ids)
        file.write_text(text, encoding="utf-8")
    return files


@pytest.fixture
def arguments(sample_bundle: Path, labeled_texts: Path) -> list[object]:
    """What the experiments on texts take, at the smallest size."""
    columns = ["--text-column", "body", "--label-column", "kind"]
    size = ["--scale", "0.005", "--trials", "1"]
    return [sample_bundle, "--embeddings", ENCYCLOPEDIA, "--data", labeled_texts, *columns, *size]


def read_csv(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))


def numbers(folder: Path, experiment: str) -> Numbers:
    average = json.loads((folder / f"{experiment}.json").read_bytes())["settings"]["averages"]
    return {
        (
            row["mechanism"],
            row["parameter"],
            f"{float(row['estimated_loss']) / average['euclidean']:.3g}"
            if row["estimated_loss"]
            else "",
            row["metric"],
        ): float(row["value"])
        for row in read_csv(folder / f"{experiment}.csv")
        if row["trial"] == "0"
    }


class TestSentiment:
    @pytest.mark.false_alarm(1e-9)
    def test_little_noise_costs_nothing_and_much_hides_the_words(
        self, papers: Papers, arguments: list[object], tmp_path: Path
    ) -> None:
        """Of 900 words, each kept with 1/1,000 at most, 18 or more are with less than 10^-15."""
        epsilons = ["--epsilon", LOW, "--epsilon", HIGH]
        outcome = papers("sentiment", *arguments, *epsilons, "--output", tmp_path)
        assert (outcome.code, outcome.err) == (0, "")
        found = numbers(tmp_path, "sentiment")
        baseline = found["baseline", "", "", "accuracy"]
        assert baseline > 0.85
        for contender in (MADLIB, *DEVICE):
            name = (contender.mechanism, contender.parameter)
            assert found[(*name, LOW, "unchanged")] < 0.02
            assert found[(*name, LOW, "named")] < 0.02
            assert found[(*name, HIGH, "unchanged")] > 0.95
            assert found[(*name, HIGH, "named")] > 0.95
            assert abs(found[(*name, HIGH, "accuracy")] - baseline) < 0.05
        assert "original text: " in outcome.out
        assert "sentiment.csv" in outcome.out
        # All mechanisms lose as much, by their own epsilons.
        described = (tmp_path / "sentiment.json").read_text()
        average = json.loads(described)["settings"]["averages"]
        rows = [row for row in read_csv(tmp_path / "sentiment.csv") if row["epsilon"]]
        for epsilon in (LOW, HIGH):
            loss = pytest.approx(float(epsilon) * average["euclidean"], rel=1e-5)
            equal = {r["mechanism"]: r for r in rows if float(r["estimated_loss"]) == loss}
            assert equal.keys() == {row["mechanism"] for row in rows}
            assert float(equal["laplace"]["epsilon"]) == pytest.approx(float(epsilon))
            assert float(equal["brr"]["epsilon"]) * average["hamming"] == loss
        assert "texts.csv" in described
        for folder in (tmp_path.parent, Path(sys.prefix)):
            assert str(folder) not in described

    @pytest.mark.false_alarm(1e-9)
    def test_much_noise_costs_everything(
        self,
        papers: Papers,
        arguments: list[object],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """A classifier of noise is right more often than not in half of all trials at most.

        The accuracy itself says little: some random direction parts two clusters well, or the wrong
        way round, so it spreads from 0.07 to 0.93. But what labels noise has doesn't matter: with
        all of them exchanged, every decision is the other one, and as likely. (That a class more
        frequent in training is rarer in testing can only make it worse.) So all 32 trials of one of
        the 4 mechanisms are above 1/2 with a probability of 4 / 2^32 < 10^-9; each is, if the
        classifier sees the words.
        """
        monkeypatch.setattr("research.papers.sentiment.attacked", lambda *_: 0.0)
        trials = 32
        command = [*arguments, "--epsilon", LOW, "--trials", trials, "--output", tmp_path]
        outcome = papers("sentiment", *command)
        assert (outcome.code, outcome.err) == (0, "")
        rows = read_csv(tmp_path / "sentiment.csv")
        for contender in (MADLIB, *DEVICE):
            accuracies = [
                float(row["value"])
                for row in rows
                if (row["mechanism"], row["metric"]) == (contender.mechanism, "accuracy")
            ]
            assert len(accuracies) == trials
            assert min(accuracies) <= 0.5


class TestMembership:
    @pytest.mark.false_alarm(1e-9)
    def test_units(self, papers: Papers, arguments: list[object], tmp_path: Path) -> None:
        epsilons = ["--epsilon", LOW, "--epsilon", HIGH]
        outcome = papers("membership", *arguments, *epsilons, "--output", tmp_path)
        assert (outcome.code, outcome.err) == (0, "")
        found = numbers(tmp_path, "membership")
        baseline = ("baseline", "", "", "auc")
        assert set(found) == {
            baseline,
            *((c.mechanism, c.parameter, e, "auc") for c in (MADLIB, *DEVICE) for e in (LOW, HIGH)),
        }
        assert all(0 <= value <= 1 for value in found.values())
        # The texts come out as they went in; the attack's own seed differs. A standard deviation
        # is 0.014 (20 trials).
        assert abs(found["exponential", "", HIGH, "auc"] - found[baseline]) < 0.1


class TestInference:
    @pytest.mark.false_alarm(1e-9)
    def test_error_and_flips(
        self,
        papers: Papers,
        sample_bundle: Path,
        lexicon: tuple[Path, Path],
        clusters: tuple[NDArray[np.intp], NDArray[np.intp]],
        tmp_path: Path,
    ) -> None:
        outcome = papers(
            *("inference", sample_bundle, "--embeddings", ENCYCLOPEDIA),
            *("--lexicon", *lexicon, "--scale", "0.005", "--trials", "1"),
            *("--epsilon", LOW, "--epsilon", HIGH, "--output", tmp_path),
        )
        assert (outcome.code, outcome.err) == (0, "")
        found = numbers(tmp_path, "inference")
        words = len(set(clusters[0]) | set(clusters[1])) - len(set(clusters[0]) & set(clusters[1]))
        settings = json.loads((tmp_path / "inference.json").read_bytes())["settings"]
        assert settings["lexicon_words"] == words
        for contender in inference.CONTENDERS:
            name = (contender.mechanism, contender.parameter)
            # Pure noise: the guess is a word like any other, its sentiment a coin's. Standard
            # deviations are 0.0002 and 0.007 (12 trials).
            assert found[(*name, LOW, "error")] == pytest.approx(1 - 1 / words, abs=0.01)
            assert found[(*name, LOW, "flips")] == pytest.approx(0.5, abs=0.1)
            assert found[(*name, HIGH, "flips")] < 0.1
        for name in ("laplace", "brr", "exponential"):
            assert found[name, "", HIGH, "error"] < 0.05
        # The second neighbor is one word, and another word's second neighbor too.
        assert found["laplace-vickrey", "t=1", HIGH, "error"] > 0.1

    def test_priors(self) -> None:
        words = [f"w{i}" for i in range(40)]
        known = {f"w{i}": i % 2 == 0 for i in range(1, 40)} | {"absent": True}
        counts = np.arange(40)
        found = inference.find_words(words, known, counts)
        assert found.ids.tolist() == list(range(1, 40))
        assert found.positive[:3].tolist() == [False, True, False]
        assert found.prior == pytest.approx(np.arange(1, 40) / np.arange(40).sum())
        assert inference.find_words(words, known, None).prior == pytest.approx(1 / 39)
        assert found.flips(np.array([0, 0]), np.array([1, 2])).tolist() == [True, False]

    @pytest.mark.parametrize("contender", inference.RANKS)
    def test_kth_neighbor_is_always_the_kth(
        self, sample_bundle: Path, contender: Contender
    ) -> None:
        subject = open_bundle_words(sample_bundle, str(ENCYCLOPEDIA), progress=False)
        ids = np.arange(50)
        # So little noise that the k-th nearest is that of the word itself, but more than faiss
        # rounds away: with two distances of 0 there would be a choice.
        released = subject.mechanism(contender, 1e3, np.random.default_rng(0))(ids)
        k = int(contender.parameter.removeprefix("k="))
        vectors = subject.vectors.astype(np.float64)
        distances = np.linalg.norm(vectors[ids, None] - vectors[None], axis=2)
        assert released.tolist() == np.argsort(distances, axis=1)[:, k - 1].tolist()

    def test_mahalanobis_loss(self, sample_bundle: Path) -> None:
        subject = open_bundle_words(sample_bundle, str(ENCYCLOPEDIA), progress=False)
        epsilon = 50 / subject.average(inference.MAHALANOBIS)
        mechanism = Mahalanobis(subject.vectors, epsilon, np.random.default_rng(0))
        generator = np.random.default_rng(7)
        left, right = generator.integers(len(subject.words), size=(2, 20_000))
        average = mechanism.distances(subject.vectors[left], subject.vectors[right]).mean()
        assert epsilon * average == pytest.approx(50, rel=0.02)


class TestStorage:
    def test_rows(self, papers: Papers, sample_bundle: Path, tmp_path: Path) -> None:
        outcome = papers(
            *("storage", sample_bundle, "--embeddings", ENCYCLOPEDIA),
            *("--scale", "0.001", "--trials", "2", "--output", tmp_path),
        )
        assert (outcome.code, outcome.err) == (0, "")
        rows = read_csv(tmp_path / "storage.csv")
        values = {(row["mechanism"], row["parameter"], row["metric"]): row["value"] for row in rows}
        opened = WordBundle.open(sample_bundle)
        assert float(values["brr", "runtime", "index_bytes"]) == opened.codes.nbytes == 2000 * 8
        dimensions = opened.manifest["source"]["dimensions"]
        assert float(values["laplace", "NumPy", "index_bytes"]) == 2000 * dimensions * 4
        assert all(float(v) > 0 for v in values.values())
        assert "97.9%" in outcome.out


class TestBadInput:
    def test_options(self, papers: Papers, arguments: list[object], tmp_path: Path) -> None:
        for option, expected in (("--scale", "the scale is neither"), ("--epsilon", "epsilon -1")):
            outcome = papers("sentiment", *arguments, option, "-1", "--output", tmp_path / "out")
            assert (outcome.code, outcome.out, outcome.err.count("\n")) == (1, "", 1)
            assert expected in outcome.err
        assert not (tmp_path / "out").exists()


class TestPage:
    def test_page_and_figures(
        self, papers: Papers, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        stored = made_up_results(tmp_path_factory.mktemp("stored"))
        (stored / "remarks.md").write_text("Not shown.\n\n## membership\n\nA remark.\n")
        outcome = papers("page", stored, "--output", tmp_path / "results.md")
        assert (outcome.code, outcome.err) == (0, "")
        page = (tmp_path / "results.md").read_text(encoding="utf-8")
        figures = re.findall(r"\]\((figures/[^)]+)\)", page)
        assert len(figures) == len(set(figures)) == 6
        for figure in figures:
            assert ElementTree.parse(tmp_path / figure).getroot().attrib["role"] == "img"
        assert sorted(figures) == [f"figures/{name}" for name in leftovers(tmp_path / "figures")]
        assert "0.750 ± " in page
        assert "papers sentiment toy" in page
        assert "Some CPU, 4 cores" in page
        assert leftovers(tmp_path) == ["figures", "results.md"]
        before = page[: page.index("A remark.")]
        assert before.rstrip().endswith("(BRR, figure 1b)")
        assert "Not shown" not in page

    def test_bad_folders(self, papers: Papers, tmp_path: Path) -> None:
        outcome = papers("page", tmp_path)
        assert (outcome.code, outcome.err.count("\n")) == (1, 1)
        assert "holds no results" in outcome.err
        made_up_results(tmp_path)
        (tmp_path / "remarks.md").write_text("## sentimental\n\nA remark.\n")
        outcome = papers("page", tmp_path)
        assert outcome.code == 1
        assert "'## sentimental' names no experiment" in outcome.err
        assert "results.md" not in leftovers(tmp_path)

    def test_a_page_isn_t_its_results(self, papers: Papers, tmp_path: Path) -> None:
        made_up_results(tmp_path)
        before = (tmp_path / "sentiment.csv").read_bytes()
        outcome = papers("page", tmp_path, "--output", tmp_path / "sentiment.csv")
        assert outcome.code == 1
        assert "input of this command" in outcome.err
        assert (tmp_path / "sentiment.csv").read_bytes() == before


def test_the_page_in_docs_is_that_of_its_results(
    rewritten_page: Callable[..., tuple[Path, str]],
) -> None:
    results = Path(__file__).parents[2] / "research" / "results"
    made, written = rewritten_page("papers", "papers.md", write_page)
    figures = sorted(path.name for path in (results / "figures").glob("*.svg"))
    assert [name for name in figures if name in written] == leftovers(made / "figures")


def made_up_results(folder: Path) -> Path:
    """Write results with known numbers."""
    from research.papers import membership, sentiment, storage
    from research.papers.results import Results, Unit
    from research.papers.texts import CONTENDERS

    averages = {"hamming": 100.0, "euclidean": 10.0}
    settings = {
        "embeddings": "toy.txt",
        "words": 10,
        "bits": 64,
        "method": "lsh",
        "dimensions": 4,
        "averages": averages,
        "data": "toy.csv",
        "lexicon_words": 5,
        "size": "Some texts",
    }
    machine = {"cpu": "Some CPU", "cores": 4, "python": "3.11", "versions": {"numpy": "2"}}

    def begin(experiment: object, place: Path) -> Results:
        name, metrics = experiment.NAME, experiment.METRICS  # type: ignore[attr-defined]
        return Results(place, name, metrics, settings, f"papers {name} toy", machine)

    for experiment in (sentiment, membership, inference):
        place = folder / "sub" if experiment is inference else folder
        results = begin(experiment, place)
        contenders = inference.CONTENDERS if experiment is inference else CONTENDERS
        for trial, value in enumerate((0.7, 0.8)):
            units = [
                Unit(c.mechanism, c.parameter, epsilon, 10 * epsilon, trial)
                for c in contenders
                for epsilon in (1.0, 2.0)
            ]
            for unit in [Unit("baseline", "", None, None, trial), *units]:
                results.add(unit, dict.fromkeys(experiment.METRICS, value))
    results = begin(storage, folder)
    for name in (("brr", "runtime"), ("laplace", "NumPy")):
        values = {"index_bytes": 1e6, "vocabulary_bytes": 2e6, "seconds": 1e-4}
        results.add(Unit(*name, 1.0, storage.LOSS, 0), values)
    return folder
