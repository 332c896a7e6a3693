"""ADePT's experiments: the utility of rewritten sentences, and what they reveal.

As in the paper, an intent classifier is trained on rewritten sentences, and tested on other typed
ones (section 4.4). A shadow model decides whether a sentence was among the training sentences
(4.5). Unlike in the paper, the autoencoder is trained on separate sentences, half of the data. The
other half are the users' sentences: a quarter of it each for the classifier, its test, the shadow
model, and sentences on which that wasn't trained.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.exact import check_epsilon
from brrkit.tokenizer import tokenize
from brrkit_adept.clip import vectors_clipped
from brrkit_adept.data import LabeledSentences, Sentences
from brrkit_adept.model import Model, make_model, open_model
from brrkit_adept.network import Array
from brrkit_adept.settings import Settings
from brrkit_toolchain.embeddings.reader import Embeddings
from brrkit_toolchain.io.files import write_text
from research.adept.classifier import Classifier, attack_auc
from research.adept.gaussian import classical_mu, gaussian_epsilon
from research.adept.lattice import GAUSSIAN, LatticeRelease
from research.adept.shrink import make_shrinkage
from research.adept.variants import CODES, VARIANTS, check_privacy, release
from research.adept.word_level import WORD_MECHANISMS, WordLevel, recommended_radius
from research.papers.results import Results, Unit, seeded
from research.papers.texts import run_units

NAME = "adept"
METRICS = ("accuracy", "auc", "kept", "true_epsilon", "mean_privacy_loss", "median_privacy_loss")
"""Intent accuracy; AUC of the attack; share of a sentence's words in the release; the epsilon
between any two sentences; and for mechanisms with such a loss, that between two test sentences of
equally many words: mean and median over pairs of ``words.PAIRS``."""

ORIGINAL = "original text"
MAJORITY = "majority class"
PUBLISHED_LAPLACE = "published laplace"
PUBLISHED_GAUSSIAN = "published gaussian"
CONTENDERS = (*VARIANTS, PUBLISHED_LAPLACE, PUBLISHED_GAUSSIAN, *WORD_MECHANISMS)


def contenders(words: bool) -> tuple[str, ...]:
    """Return all contenders, those on words only if there are ``words``."""
    return CONTENDERS if words else CONTENDERS[: -len(WORD_MECHANISMS)]


EPSILONS = (10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
CODE_EPSILONS = (1.0, 2.0, 5.0, *EPSILONS)
WORD_EPSILONS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
"""Per bit; for words."""

EXAMPLES = "examples.json"
EXAMPLE_EPSILONS = (10.0, 100.0, 1000.0)

_LEAST = 40  # sentences
_EXAMPLES = 3


def split(
    sentences: Sentences, seed: int
) -> tuple[
    LabeledSentences,
    tuple[LabeledSentences, LabeledSentences, LabeledSentences, LabeledSentences],
]:
    """Return the public half, and quarters of the other: train, test, shadow, and its others.

    Raises:
        ParameterError: there are no labels, or too few sentences.
    """
    if sentences.labels is None or len(sentences.texts) < _LEAST:
        raise ParameterError(
            f"{sentences.name}: an evaluation takes {_LEAST} labeled sentences or more"
        )
    order = seeded("split", seed).permutation(len(sentences.texts))
    half = len(order) // 2
    labels = sentences.labels
    public, *quarters = (
        LabeledSentences([sentences.texts[i] for i in part], [labels[i] for i in part])
        for part in (order[:half], *np.array_split(order[half:], 4))
    )
    train, test, shadow, others = quarters
    return public, (train, test, shadow, others)


@dataclass(frozen=True)
class Plan:
    """The plan of the measurements.

    Attributes:
        settings: settings of the models; the norm is that of each variant.
        labeled: whether a sentence's label is encoded with it; otherwise, it stays as typed,
            without any guarantee.
        embeddings: initial word vectors of a training; None for random ones.
        clip: C, as a multiple of the model's.
        shrunk: whether noised vectors are moved towards the public sentences' mean.
        bundle: bundle of word-level mechanisms; None without any.
        contenders: some of ``CONTENDERS``.
        epsilons: nominal epsilons between any two sentences; by default, those of the contender.
        word_epsilons: epsilons per bit of distance between two words.
        delta: delta of Gaussian noise.
        trials: number of splits, each with its own models.
    """

    settings: Settings
    labeled: bool = True
    embeddings: Embeddings | None = None
    clip: float = 1.0
    shrunk: bool = False
    bundle: WordBundle | None = None
    contenders: Sequence[str] = CONTENDERS
    epsilons: Sequence[float] = ()
    word_epsilons: Sequence[float] = WORD_EPSILONS
    delta: float = 1e-5
    trials: int = 3

    def __post_init__(self) -> None:
        for contender in self.contenders:
            if contender not in CONTENDERS:
                raise ParameterError(
                    f"there is no such --variant; choose one of: {', '.join(CONTENDERS)}"
                )
            if contender in WORD_MECHANISMS:
                if self.bundle is None:
                    raise ParameterError(
                        f"--variant {contender} privatizes words: give a --bundle of them"
                    )
                for epsilon in self.word_epsilons:
                    check_epsilon(epsilon)
                continue
            variant = contender if contender in VARIANTS else GAUSSIAN
            for epsilon in self.epsilons or EPSILONS:  # with the usual ones delta is checked, too
                check_privacy(variant, epsilon, self.delta if variant == GAUSSIAN else None)
        if not 0 < self.clip < math.inf:
            raise ParameterError(f"clip must be positive, not {self.clip:g}")

    @property
    def description(self) -> dict[str, Any]:
        """The settings that results in one file must share."""
        model = {k: v for k, v in asdict(self.settings).items() if k not in ("norm", "seed")}
        words = None
        if self.bundle is not None:
            digest = hashlib.sha256(self.bundle.codes.tobytes()).hexdigest()
            words = {
                "words": len(self.bundle),
                "bits": self.bundle.bits,
                "codes": digest,
                "radius": recommended_radius(self.bundle),
            }
        return {
            "model": model,
            "labelled": self.labeled,
            "embeddings": None if self.embeddings is None else asdict(self.embeddings.source),
            "clip": self.clip,
            "shrunk": self.shrunk,
            "delta": self.delta,
            "bundle": words,
        }

    def units(self) -> list[Unit]:
        """Return the measured units, trial by trial."""
        units = []
        for trial in range(self.trials):
            units += [Unit(name, "", None, None, trial) for name in (ORIGINAL, MAJORITY)]
            for contender in self.contenders:
                if contender in WORD_MECHANISMS:
                    epsilons = self.word_epsilons
                else:
                    usual = CODE_EPSILONS if contender == CODES else EPSILONS
                    epsilons = self.epsilons or usual
                units += [Unit(NAME, contender, epsilon, None, trial) for epsilon in epsilons]
        return units


@dataclass(frozen=True)
class _Released:
    """A contender's rewritten sentences, and the losses of ``METRICS``."""

    part: LabeledSentences
    true_epsilon: float
    mean_privacy_loss: float
    median_privacy_loss: float


def run(
    sentences: Sentences, plan: Plan, folder: Path, results: Results, *, progress: bool = True
) -> None:
    """Measure units without results; ``folder`` stores a model for each trial and norm.

    Args:
        sentences: sentences with labels.
        plan: plan of the measurements.
        folder: folder of the models.
        results: results to which rows are added, with ``METRICS``.
        progress: show bars on standard error.
    """
    rewriter = _Rewriter(sentences, plan, folder, progress)

    def measure(unit: Unit) -> Mapping[str, float]:
        _, (train, test, shadow, others) = split(sentences, unit.trial)
        if unit.mechanism == MAJORITY:
            usual = Counter(train.labels).most_common(1)[0][0]
            share = float(np.mean([label == usual for label in test.labels]))
            return dict(zip(METRICS, (share, 0.5, 0.0, 0.0, 0.0, 0.0), strict=True))
        released = [
            rewriter(unit, part, name) for part, name in ((train, "train"), (shadow, "shadow"))
        ]
        target, own = (Classifier(each.part) for each in released)
        values = (
            target.accuracy(test),
            attack_auc(own, (shadow, others), target, (train, test)),
            kept(train.texts, released[0].part.texts),
            released[0].true_epsilon,
            released[0].mean_privacy_loss,
            released[0].median_privacy_loss,
        )
        return dict(zip(METRICS, values, strict=True))

    run_units(results, plan.units(), measure, progress=progress)


def write_examples(sentences: Sentences, plan: Plan, folder: Path, output: Path) -> None:
    """Write Table 1 of the paper: some of the first trial's test sentences, rewritten.

    Args:
        sentences: sentences with labels.
        plan: plan of the measurements; among usual epsilons, only ``EXAMPLE_EPSILONS`` are shown.
        folder: folder of the models.
        output: folder of the results, in which ``EXAMPLES`` is written or replaced.
    """
    _, (_, test, _, _) = split(sentences, 0)
    usual = [i for i, text in enumerate(test.texts) if 6 <= len(tokenize(text)) <= 12]
    chosen = (usual or list(range(len(test.texts))))[:_EXAMPLES]
    part = LabeledSentences([test.texts[i] for i in chosen], [test.labels[i] for i in chosen])
    rewriter = _Rewriter(sentences, plan, folder, progress=False)
    rows = []
    for unit in replace(plan, epsilons=plan.epsilons or EXAMPLE_EPSILONS).units():
        if unit.trial == 0 and unit.mechanism == NAME:
            released = rewriter(unit, part, "examples")
            pairs = [
                list(pair) for pair in zip(released.part.labels, released.part.texts, strict=True)
            ]
            true = released.true_epsilon
            shown = None if math.isinf(true) else float(f"{true:.6g}")
            rows.append([unit.parameter, unit.epsilon, shown, pairs])
    typed = [list(pair) for pair in zip(part.labels, part.texts, strict=True)]
    content = json.dumps({"typed": typed, "rewritten": rows}, indent=1, ensure_ascii=False)
    write_text(output / EXAMPLES, content + "\n")


class _Rewriter:
    """Every contender on one data set; models are trained, or opened, when they are needed."""

    def __init__(self, sentences: Sentences, plan: Plan, folder: Path, progress: bool) -> None:
        self._sentences, self._plan, self._folder = sentences, plan, folder
        self._progress = progress
        self._models: dict[tuple[int, int], Model] = {}
        self._public: dict[tuple[int, int], NDArray[np.float64]] = {}
        self._words = None if plan.bundle is None else WordLevel(plan.bundle)

    def __call__(self, unit: Unit, part: LabeledSentences, purpose: str) -> _Released:
        """Return sentences as a unit's contender releases them; noise depends on ``purpose``."""
        if unit.epsilon is None:
            return _Released(part, math.inf, math.inf, math.inf)
        generator = unit.generator("noise", purpose)
        if unit.parameter in WORD_MECHANISMS:
            assert self._words is not None
            texts = self._words.rewrite(part.texts, unit.parameter, unit.epsilon, generator)
            losses = unit.epsilon * self._words.distances(part.texts, generator)
            mean, median = (
                float(f(losses)) if losses.size else math.inf for f in (np.mean, np.median)
            )
            return _Released(LabeledSentences(texts, part.labels), math.inf, mean, median)
        model = self._model(VARIANTS.get(unit.parameter, 2), unit.trial)
        latents = model.latents(part.texts, part.labels if self._plan.labeled else None)
        if unit.parameter in VARIANTS:
            share = self._plan.delta if unit.parameter == GAUSSIAN else None
            made = release(model, unit.parameter, unit.epsilon, share)
            released, true = made(latents, generator.bytes), float(made.effective_epsilon)
            if self._plan.shrunk and isinstance(made, LatticeRelease):
                vectors = self._public_vectors(made, unit.trial)
                released = make_shrinkage(vectors, noise_variance(made))(released)
        else:
            released, true = published(
                unit.parameter, latents, model.clips[2], unit.epsilon, self._plan.delta, generator
            )
        pairs = model.decode(released)
        written = [label or "" for label, _ in pairs] if self._plan.labeled else part.labels
        return _Released(LabeledSentences([text for _, text in pairs], written), true, true, true)

    def _public_vectors(self, release: LatticeRelease, trial: int) -> NDArray[np.float64]:
        """Return the clipped vectors of sentences that a model was trained on."""
        key = VARIANTS[release.variant], trial
        if key not in self._public:
            public, _ = split(self._sentences, trial)
            labels = public.labels if self._plan.labeled else None
            self._public[key] = self._model(*key).latents(public.texts, labels).astype(np.float64)
        return release.clip * vectors_clipped(self._public[key] / release.clip, release.norm)

    def _model(self, norm: int, trial: int) -> Model:
        key = norm, trial
        if key not in self._models:
            path = self._folder / f"norm-{norm}-trial-{trial}"
            if not path.exists():
                public, _ = split(self._sentences, trial)
                labels = public.labels if self._plan.labeled else None
                make_model(
                    replace(self._sentences, texts=public.texts, labels=labels),
                    path,
                    replace(self._plan.settings, norm=norm, seed=trial),
                    embeddings=self._plan.embeddings,
                    progress=self._progress,
                )
            opened, _ = open_model(path)
            clips = {number: clip * self._plan.clip for number, clip in opened.clips.items()}
            self._models[key] = replace(opened, clips=clips)
        return self._models[key]


def noise_variance(release: LatticeRelease) -> float:
    """Return the variance of a coordinate's noise, about: that of continuous noise."""
    return (1 if release.variant == GAUSSIAN else 2) * (release.scale * release.clip) ** 2


def kept(typed: Sequence[str], released: Sequence[str]) -> float:
    """Return the mean share of a sentence's different words that are in the release."""
    shares = []
    for before, after in zip(typed, released, strict=True):
        words = set(tokenize(before))
        shares.append(len(words & set(tokenize(after))) / len(words))
    return float(np.mean(shares))


def published(
    kind: str,
    latents: Array,
    clip: float,
    epsilon: float,
    delta: float,
    generator: np.random.Generator,
) -> tuple[Array, float]:
    """Return latent vectors as ADePT was published, in floating point, and the true epsilon.

    An L2 clip with Laplace noise of scale 2C / epsilon, whose true epsilon is sqrt(n) times as
    large (Habernal, Theorem 5.1); or with Gaussian noise by the classical formula.
    """
    clipped = clip * vectors_clipped(latents / clip, 2)
    if kind == PUBLISHED_LAPLACE:
        noise = generator.laplace(0, 2 * clip / epsilon, clipped.shape)
        true = epsilon * math.sqrt(latents.shape[1])
    else:
        mu = classical_mu(epsilon, delta)
        noise = generator.normal(0, 2 * clip / mu, clipped.shape)
        true = gaussian_epsilon(mu, delta)
    return (clipped + noise).astype(np.float32), true
