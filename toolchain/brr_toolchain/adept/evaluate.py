"""ADePT's experiments: what rewritten sentences are worth, and what they show of their readers.

As in the paper, an intent classifier is trained on rewritten sentences and tested on others as they
were typed (section 4.4), and a shadow model tells whether a sentence was among the former (4.5).
Other than in the paper, the autoencoder is trained on sentences of its own: half of the data. The
other half are the users': a quarter of it each for the classifier, its test, the shadow model, and
what that wasn't trained on.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from brr_runtime.errors import ParameterError
from brr_toolchain.adept.data import Sentences
from brr_toolchain.adept.gaussian import classical_mu, gaussian_epsilon
from brr_toolchain.adept.lattice import GAUSSIAN, vectors_clipped
from brr_toolchain.adept.model import Model, make_model, open_model
from brr_toolchain.adept.network import Array
from brr_toolchain.adept.release import VARIANTS
from brr_toolchain.adept.train import Settings
from brr_toolchain.evaluate.results import Results, Row, Unit, seeded
from brr_toolchain.evaluate.texts import run_units

NAME = "adept"
METRICS = ("accuracy", "auc", "true_epsilon")

ORIGINAL = "original text"
PUBLISHED_LAPLACE = "published laplace"
PUBLISHED_GAUSSIAN = "published gaussian"
CONTENDERS = (*VARIANTS, PUBLISHED_LAPLACE, PUBLISHED_GAUSSIAN)
EPSILONS = (10.0, 100.0, 1000.0)

_TOP = 5  # scores that the attack sees (section 4.5)
_LEAST = 40  # sentences


@dataclass(frozen=True)
class Part:
    """Some of the sentences, with their labels."""

    texts: list[str]
    labels: list[str]


def split(sentences: Sentences, seed: int) -> tuple[Part, tuple[Part, Part, Part, Part]]:
    """Return the public half, and quarters of the other: train, test, shadow, and its others.

    Raises:
        ParameterError: there are no labels, or too few sentences.
    """
    if sentences.labels is None or len(sentences.texts) < _LEAST:
        raise ParameterError(
            f"{sentences.name}: an evaluation takes {_LEAST} labelled sentences or more"
        )
    order = seeded("split", seed).permutation(len(sentences.texts))
    half = len(order) // 2
    labels = sentences.labels
    public, *quarters = (
        Part([sentences.texts[i] for i in part], [labels[i] for i in part])
        for part in (order[:half], *np.array_split(order[half:], 4))
    )
    train, test, shadow, others = quarters
    return public, (train, test, shadow, others)


def run(
    sentences: Sentences,
    settings: Settings,
    folder: Path,
    results: Results,
    *,
    contenders: Sequence[str] = CONTENDERS,
    epsilons: Sequence[float] = EPSILONS,
    delta: float = 1e-5,
    trials: int = 3,
    progress: bool = True,
) -> None:
    """Measure what has no results yet; models are kept in ``folder``, one a trial and norm.

    Args:
        sentences: with labels.
        settings: of the models; the norm is that of each variant.
        folder: of the models.
        results: where rows go, with ``METRICS``.
        contenders: of ``CONTENDERS``.
        epsilons: nominal.
        delta: of Gaussian noise.
        trials: splits, each with models of its own.
        progress: show bars on standard error.
    """
    models: dict[tuple[int, int], Model] = {}

    def model(norm: int, trial: int) -> Model:
        key = norm, trial
        if key not in models:
            path = folder / f"norm-{norm}-trial-{trial}"
            if not path.exists():
                public, _ = split(sentences, trial)
                own = replace(settings, norm=norm, seed=trial)
                whole = replace(sentences, texts=public.texts, labels=public.labels)
                make_model(whole, path, own, progress=progress)
            models[key], _ = open_model(path)
        return models[key]

    def measure(unit: Unit) -> Mapping[str, float]:
        _, (train, test, shadow, others) = split(sentences, unit.trial)
        if unit.epsilon is None:
            rewritten, true = [train, shadow], math.inf
        else:
            used = model(VARIANTS.get(unit.parameter, 2), unit.trial)
            pairs = [
                _rewritten(used, part, unit, delta, name)
                for name, part in (("train", train), ("shadow", shadow))
            ]
            rewritten, true = [part for part, _ in pairs], pairs[0][1]
        target, own = (_Classifier(part) for part in rewritten)
        return {
            "accuracy": target.accuracy(test),
            "auc": attack_auc(own, (shadow, others), target, (train, test)),
            "true_epsilon": true,
        }

    units = [Unit(ORIGINAL, "", None, None, trial) for trial in range(trials)]
    units += [
        Unit(NAME, contender, epsilon, None, trial)
        for trial in range(trials)
        for contender in contenders
        for epsilon in epsilons
    ]
    run_units(results, units, measure, progress=progress)


def _rewritten(
    model: Model, part: Part, unit: Unit, delta: float, purpose: str
) -> tuple[Part, float]:
    """Return what a contender makes of sentences, and its true epsilon."""
    assert unit.epsilon is not None
    generator = unit.generator("noise", purpose)
    latents = model.latents(part.texts, part.labels)
    if unit.parameter in VARIANTS:
        share = delta if unit.parameter == GAUSSIAN else None
        release = model.release(unit.parameter, unit.epsilon, share)
        released, true = release(latents, generator.bytes), float(release.effective_epsilon)
    else:
        released, true = published(
            unit.parameter, latents, model.clips[2], unit.epsilon, delta, generator
        )
    pairs = model.decode(released)
    labels = [label or "" for label, _ in pairs]
    return Part([text for _, text in pairs], labels), true


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


class _Classifier:
    """Logistic regression on the words of a sentence."""

    def __init__(self, part: Part) -> None:
        from sklearn.dummy import DummyClassifier
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline

        several = len(set(part.labels)) > 1  # of noise alone, there may be one
        last = LogisticRegression(max_iter=1_000) if several else DummyClassifier()
        words = CountVectorizer(token_pattern=r"\S+", binary=True)
        self._model = make_pipeline(words, last).fit(part.texts, part.labels)

    def accuracy(self, part: Part) -> float:
        return float((self._model.predict(part.texts) == np.array(part.labels)).mean())

    def scores(self, part: Part) -> NDArray[np.float64]:
        """Return the largest probabilities [m, 5] of each sentence, sorted."""
        scores = np.sort(self._model.predict_proba(part.texts), axis=1)[:, ::-1][:, :_TOP]
        return np.pad(scores, ((0, 0), (0, _TOP - scores.shape[1])))


def attack_auc(
    shadow: _Classifier,
    shadow_parts: tuple[Part, Part],
    target: _Classifier,
    target_parts: tuple[Part, Part],
) -> float:
    """Return the area under the ROC curve of the attack; 0.5 is guessing.

    Args:
        shadow: the attacker's own model.
        shadow_parts: sentences whose rewritten form it was trained on, and others; as typed.
        target: the model under attack.
        target_parts: the same of that.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    def answers(model: _Classifier, parts: tuple[Part, Part]) -> tuple[Any, Any]:
        scores = [model.scores(part) for part in parts]
        return np.concatenate(scores), np.repeat([1, 0], [len(part) for part in scores])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        attack = LogisticRegression(max_iter=1_000).fit(*answers(shadow, shadow_parts))
    scores, members = answers(target, target_parts)
    return float(roc_auc_score(members, attack.predict_proba(scores)[:, 1]))


def summary(rows: Sequence[Row]) -> str:
    """Return a table of means over trials with 95% t-intervals, in Markdown."""
    values: dict[tuple[str, float, str], list[float]] = {}
    for row in rows:
        epsilon = math.inf if row.epsilon is None else row.epsilon
        key = (row.parameter or row.mechanism, epsilon, row.metric)
        values.setdefault(key, []).append(row.value)
    lines = ["| | ε | true ε | intent accuracy | membership AUC |", "|---|---|---|---|---|"]
    for name, epsilon, metric in values:
        if metric == METRICS[0]:
            true = np.mean(values[name, epsilon, "true_epsilon"])
            shown = [_interval(values[name, epsilon, key]) for key in METRICS[:2]]
            lines.append(f"| {name} | {epsilon:g} | {true:,.5g} | {' | '.join(shown)} |")
    return "\n".join(lines)


def _interval(values: Sequence[float]) -> str:
    mean = f"{np.mean(values):.3f}"
    if len(values) < 2:
        return mean
    half = stats.t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / math.sqrt(len(values))
    return f"{mean} ± {half:.3f}"
