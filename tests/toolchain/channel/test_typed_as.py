"""What the toolchain computes and draws is what a device with a policy does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from brrkit import Privatizer, WordBundle
from brrkit.hamming import HammingIndex
from brrkit.policy import Passing, Policy, SecretList
from brrkit.setting import Setting
from brrkit_toolchain.attackers.one_word import make_prior, weighted_success
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.evidence import START
from brrkit_toolchain.channel.typed_as import TypedAs

MEMBERS, PASSING = (1, 4, 6), (0, 3)
"""Of eight words; 2 and 5 have one code."""

POLICY = Policy((SecretList("names", MEMBERS, ("zoltan",)),), Passing(PASSING, 0.75))


def with_policy(bundle: WordBundle, policy: Policy) -> WordBundle:
    """Return a bundle with a policy; the members of a list have their head's code."""
    codes = np.array(bundle.codes)
    for each in policy.lists:
        codes[list(each.members)] = codes[each.head]
    return replace(bundle, policy=policy, codes=codes, index=HammingIndex(codes))


@pytest.fixture(scope="module")
def eight_listed(eight: WordBundle) -> WordBundle:
    return with_policy(eight, POLICY)


@pytest.fixture(scope="module")
def listed() -> WordBundle:
    """Words with bigrams and task bits."""
    names = SecretList("names", (17, 22, 26), ())
    bundle = WordBundle.open(Path(__file__).parents[3] / "spec" / "conformance" / "tasks")
    return with_policy(bundle, Policy((names,), Passing((0, 5, 16), 0.95)))


def matrix(bundle: WordBundle, setting: Setting) -> NDArray[np.float64]:
    """K(y|x) [n, n], from the runtime's fractions; a row for each typed word x."""
    privatizer, words = Privatizer(bundle, setting), bundle.vocabulary
    return np.array([[float(p) for p in privatizer.distribution(word).values()] for word in words])


def settings(base: str) -> Setting:
    return Setting(0.15, parameters={"base": base, "radius": 4})


def exact(channel: Channel, word: int, before: int | None) -> list[Fraction]:
    """K(y|x) from the integers that the toolchain computes and draws with."""
    weighted = channel.weighted
    assert weighted is not None
    own = int(channel.typed.ids[word])
    apart = HammingIndex(channel.codes).distances(channel.codes[own])
    masses = [int(m) for m in weighted.measure(before) * channel.weights[apart]]
    share = Fraction(channel.typed.threshold * int(channel.typed.passing[word]), 2**63)
    row = [(1 - share) * Fraction(mass, sum(masses)) for mass in masses]
    row[word] += share
    return row


@pytest.mark.parametrize("base", ["uniform", "unigram", "bigram"])
def test_the_channel_is_the_runtimes_exactly(listed: WordBundle, base: str) -> None:
    """A member, a head, an ordinary and a passing word; a text's first one, and after another."""
    channel = Channel(listed, settings(base))
    privatizer, word_of = Privatizer(listed, channel.setting), listed.vocabulary.word
    for word in (22, 17, 11, 5):
        for before in (None, 18, 16) if base == "bigram" else (None,):
            said = None if before is None else word_of(before)
            stated = list(privatizer.distribution(word_of(word), before=said).values())
            assert exact(channel, word, before) == stated
            if before is not None:
                continue
            typed = np.zeros(len(listed) + 1)
            typed[word] = 1
            expected = pytest.approx([float(p) for p in stated], rel=1e-12)
            assert channel.linear.forward(typed) == expected
            around = channel.around(np.array([word]))
            assert np.hstack(list(around.columns(channel.weights)))[0] == expected
            unchanged = around.unchanged(channel.weights)
            assert unchanged[0] == pytest.approx(float(stated[word]), rel=1e-12)
            agreement, distinct = around.repeats(channel.weights, 3)
            shares = np.array([float(p) for p in stated])
            assert agreement[0] == pytest.approx((shares**2).sum(), rel=1e-9)
            assert distinct[0] == pytest.approx((1 - (1 - shares) ** 3).sum(), rel=1e-9)


@pytest.mark.parametrize("base", ["unigram", "bigram"])
def test_attackers_know_it(listed: WordBundle, base: str) -> None:
    """The likelihoods are in proportion to K_h(y|x); those of a list's members are equal."""
    channel = Channel(listed, settings(base))
    outputs, before = np.array([5, 6, 22, 5]), np.array([START, 16, 17, 18])
    found = channel.evidence.likelihoods(outputs, before)
    inputs = np.array([17, 22, 26, 11, 0, 16, 5])
    for row, output, history in zip(found, outputs.tolist(), before.tolist(), strict=True):
        told = None if history == START or base == "unigram" else history
        likely = np.array([float(exact(channel, x, told)[output]) for x in inputs.tolist()])
        assert row[inputs] / row[11] == pytest.approx(likely / likely[3], rel=1e-4)
        assert 1e-3 < row.max() <= 1.01
        members = row[list(listed.policy.lists[0].members)]
        assert (members == members[0]).all()


def test_sums_over_the_channel_are_those_of_its_matrix(eight_listed: WordBundle) -> None:
    channel = Channel(eight_listed, settings("unigram"))
    K, linear, generator = matrix(eight_listed, channel.setting), channel.linear, rng()
    assert (K[list(MEMBERS)] == K[MEMBERS[0]]).all()
    drawn = K.copy()
    drawn[PASSING, PASSING] -= 0.75
    drawn[list(PASSING)] *= 4
    everything = np.vstack([K, channel.stand_ins @ drawn])
    shares, values = generator.random((9, 2)), generator.random((8, 2))
    assert linear.forward(shares) == pytest.approx(everything.T @ shares, rel=1e-12)
    assert linear.backward(values) == pytest.approx(everything @ values, rel=1e-12)
    assert linear.diagonal == pytest.approx(K.diagonal(), rel=1e-12)
    assert linear.into(np.arange(8)) == pytest.approx(K.T, rel=1e-12)
    first, second = linear.moments(np.array([0, 6, 5]), variances := generator.random(9))
    some = everything[:, [0, 6, 5]]
    assert first == pytest.approx(some.T @ variances, rel=1e-12)
    assert second == pytest.approx((some.T * variances) @ some, rel=1e-12)
    for prior in (make_prior("isolated", 8), make_prior("frequencies", 8)):
        success = weighted_success(channel, prior)
        best = (prior[:, None] * K).max(axis=0)
        assert success.right == pytest.approx(best, rel=1e-12)
        assert success.worst == max(success.words[[1, 2, 4, 5, 6, 7]])  # a passing word isn't


@pytest.mark.parametrize("mechanism", ["exponential", "brr", "vickrey"])
def test_draws_have_the_channels_shares(eight_listed: WordBundle, mechanism: str) -> None:
    """Members come out alike, passing words by their coin, and never for an unknown one."""
    parameters: Mapping[str, Any] = {"base": "unigram"} if mechanism == "exponential" else {}
    bundle, setting = eight_listed, Setting(0.3, mechanism, parameters)
    release = Channel(bundle, setting).releaser(rng())
    inputs = np.repeat(np.arange(8), 20_000)

    def counts(stood_in: bool) -> NDArray[np.int64]:
        outputs = release(inputs, np.arange(len(inputs)), np.full(len(inputs), stood_in))
        return np.bincount(8 * inputs + outputs, minlength=64).reshape(8, 8)

    found, drawn = counts(False), counts(True) / 20_000
    K = np.array(drawn)  # of a list the head's share, as the device draws
    K[list(MEMBERS)] = drawn[list(MEMBERS)].mean(axis=0)
    K[list(PASSING)] *= 0.25
    K[PASSING, PASSING] += 0.75
    spread = np.sqrt(20_000 * K * (1 - K)) * 2
    assert (abs(found - 20_000 * K) < 5 * spread + 5).all()
    assert drawn[3, 3] < 0.7
    if mechanism == "exponential":
        for row, expected in zip(found, matrix(bundle, setting), strict=True):
            assert stats.chisquare(row, 20_000 * expected).pvalue > 1e-9


def test_what_passed_is_the_word_released_before(listed: WordBundle) -> None:
    """After 5, which mostly passes, words come out as the base ``bigram`` has them after 5."""
    channel = Channel(listed, Setting(0.3, parameters={"base": "bigram"}))
    outputs = channel.releaser(rng())(np.tile([5, 33], 20_000), np.repeat(np.arange(20_000), 2))
    first, second = outputs[::2], outputs[1::2]
    assert (first == 5).mean() > 0.95
    after, alone = exact(channel, 33, 5)[33], exact(channel, 33, None)[33]
    assert (second[first == 5] == 33).mean() == pytest.approx(float(after), abs=0.02)
    assert after > alone + Fraction(1, 10)


def test_without_a_policy_no_coin_is_drawn(eight: WordBundle) -> None:
    asked: list[int] = []
    nothing = TypedAs.of(eight)
    assert nothing.is_empty
    passed = nothing.passed(np.arange(8), lambda size: asked.append(size) or bytes(size))
    assert not passed.any()
    assert asked == []


def rng() -> np.random.Generator:
    return np.random.default_rng(0)
