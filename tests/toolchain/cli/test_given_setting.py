"""A setting that was found is used as it is: it need not be written into a bundle first."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from bundle_tools import ENCYCLOPEDIA

from brrkit import BundleError, CountsSetting, ParameterError, Privatizer, Setting, WordBundle
from brrkit_counting import FrequencyOptions, estimate_frequencies
from brrkit_toolchain import (
    CorpusPlan,
    Unchanged,
    audit_setting,
    calibrate_words,
    measure_text,
    measure_words,
    posterior_vectors,
    privatize_file,
    write_recommended,
    write_report_page,
)
from brrkit_toolchain.privatize import processes
from brrkit_toolchain.report.content import measure_content


def seeded() -> Callable[[int], bytes]:
    return random.Random(7).randbytes


@pytest.fixture(scope="module")
def plain(sample_bundle: Path) -> WordBundle:
    """A bundle that recommends nothing."""
    opened = WordBundle.open(sample_bundle)
    assert opened.recommended is None
    return opened


@pytest.fixture(scope="module")
def setting(plain: WordBundle) -> Setting:
    found = calibrate_words(plain, Unchanged(0.3), sample=60).setting
    assert found.certificate is not None
    return found


@pytest.fixture
def written(bundle: Path, setting: Setting) -> WordBundle:
    """The same bundle, with the setting written into it."""
    write_recommended(bundle, setting)
    return WordBundle.open(bundle)


@pytest.fixture
def texts(plain: WordBundle, tmp_path: Path) -> Path:
    source, file = random.Random(5), tmp_path / "typed.txt"
    words = [plain.vocabulary.word(i) for i in range(60)]
    weights = [1 / (i + 1) for i in range(60)]
    lines = [" ".join(source.choices(words, weights, k=20)) for _ in range(450)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def test_privatizer(plain: WordBundle, written: WordBundle, setting: Setting) -> None:
    assert written.recommended == setting
    words = [plain.vocabulary.word(i) for i in range(300)]
    given = Privatizer(plain, setting, random=seeded())
    recommended = Privatizer(written, random=seeded())
    assert given.words(words) == recommended.words(words)
    assert given.certified_epsilon == recommended.certified_epsilon == setting.certified_epsilon
    assert given.certified_epsilon < given.effective_epsilon


def test_privatize_file(
    plain: WordBundle,
    written: WordBundle,
    setting: Setting,
    texts: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worker = processes.Worker
    monkeypatch.setattr(processes, "Worker", lambda job: worker(job, seeded()))
    given, recommended = texts.with_name("given.txt"), texts.with_name("recommended.txt")
    assert privatize_file(plain, texts, given, CorpusPlan(setting=setting)) == 450
    assert privatize_file(written, texts, recommended) == 450
    assert given.read_text() == recommended.read_text() != texts.read_text()


def test_measurements(
    plain: WordBundle, written: WordBundle, setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("brrkit_toolchain.utility.mechanism._ATTACK_DRAWS", 1_000)
    given = measure_words(plain, setting, sample=30)
    assert given == measure_words(written, sample=30)
    assert given.setting == setting


def test_report(plain: WordBundle, setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brrkit_toolchain.utility.mechanism._ATTACK_DRAWS", 1_000)
    found = measure_content(plain, None, None, (), setting, audit=False, seed=1, progress=False)
    assert found.setting.as_run == setting.as_run
    assert found.facts.guarantee.epsilon == setting.certified_epsilon


def test_estimate(plain: WordBundle, written: WordBundle, setting: Setting, tmp_path: Path) -> None:
    typed = random.Random(3).choices(
        [plain.vocabulary.word(i) for i in range(40)], [1 / (i + 1) for i in range(40)], k=20_000
    )
    released = Counter(Privatizer(plain, setting, random=seeded()).words(typed))
    table = tmp_path / "week.csv"
    rows = "".join(f"{word},{count}\n" for word, count in released.items())
    table.write_text("word,count\n" + rows)
    given = estimate_frequencies(plain, [table], FrequencyOptions(setting=setting, every=False))
    recommended = estimate_frequencies(written, [table], FrequencyOptions(every=False))
    assert given.estimate.top == recommended.estimate.top != ()
    assert given.estimate.reports == recommended.estimate.reports == 20_000
    assert given.origin.setting == recommended.origin.setting == {"epsilon": setting.epsilon}


def test_vectors(plain: WordBundle, written: WordBundle, setting: Setting) -> None:
    given = posterior_vectors(plain, ENCYCLOPEDIA, setting)
    assert (given == posterior_vectors(written, ENCYCLOPEDIA)).all()


def output_of(texts: Path) -> Path:
    return texts.with_name("out.txt")


def uses(bundle: WordBundle, texts: Path, setting: Setting | None) -> list[Callable[[], object]]:
    """Return calls of all that takes a setting, or the bundle's where there is none."""
    output = output_of(texts)
    return [
        lambda: Privatizer(bundle, setting),
        lambda: privatize_file(bundle, texts, output, CorpusPlan(setting=setting)),
        lambda: measure_words(bundle, setting),
        lambda: measure_text(bundle, texts, setting),
        lambda: audit_setting(bundle, setting),
        lambda: write_report_page(bundle, output, setting, audit=False),
        lambda: estimate_frequencies(bundle, [texts], FrequencyOptions(setting=setting)),
        lambda: posterior_vectors(bundle, ENCYCLOPEDIA, setting),
    ]


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"epsilon": 0.0}, "epsilon must be a number"),
        ({"mechanism": "laplas"}, "there is no such mechanism"),
        ({"parameters": {"radius": 65}}, "radius must be an integer"),
        ({"parameters": {"t": 1}}, "has no parameter 't'"),
    ],
)
def test_a_wrong_one_is_the_callers(
    plain: WordBundle, setting: Setting, texts: Path, changed: dict[str, object], says: str
) -> None:
    wrong = replace(setting, certificate=None, **changed)  # type: ignore[arg-type]
    for use in uses(plain, texts, wrong):
        with pytest.raises(ParameterError, match=says) as caught:
            use()
        assert "manifest.json" not in str(caught.value)
    assert not output_of(texts).exists()


def test_a_wrong_recommended_one_is_the_bundles(
    bundle: Path, setting: Setting, texts: Path
) -> None:
    write_recommended(bundle, replace(setting, parameters={"t": 1}, certificate=None))
    for use in uses(WordBundle.open(bundle), texts, None):
        with pytest.raises(BundleError, match=r"manifest\.json: field 'recommended': "):
            use()
    assert not output_of(texts).exists()


def test_a_certificate_of_another_setting_is_refused(
    plain: WordBundle, bundle: Path, setting: Setting, texts: Path
) -> None:
    other = replace(setting, epsilon=setting.epsilon / 2)
    for use in (*uses(plain, texts, other), lambda: write_recommended(bundle, other)):
        with pytest.raises(ParameterError, match="its certificate belongs to another setting"):
            use()
    assert not output_of(texts).exists()


def test_a_setting_for_counts_is_no_setting_for_text(plain: WordBundle) -> None:
    with pytest.raises(ParameterError, match="setting must be a Setting"):
        Privatizer(plain, CountsSetting(9.0))  # type: ignore[arg-type]
