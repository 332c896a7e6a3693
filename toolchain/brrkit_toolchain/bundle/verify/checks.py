"""Checks of a bundle by itself. Each returns its result in one line, or raises CheckError."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from brrkit import Privatizer, WordBundle
from brrkit.bundle import INDEX, RANDOMIZER, check_content, read_manifest
from brrkit.exact import flip_threshold
from brrkit.list_tokenizer import STRINGS
from brrkit.mechanisms import MECHANISMS, ExactMechanism
from brrkit.randomizer import Randomizer
from brrkit.randomness import RandomSource
from brrkit.setting import Setting
from brrkit.tokenizer import tokenize
from brrkit_toolchain.bundle import reference
from brrkit_toolchain.bundle.verify.outcome import CheckError
from brrkit_toolchain.bundle.writer import NOT_SHIPPED
from brrkit_toolchain.channel.manifest_info import STRINGS_ARE, bits_shown
from brrkit_toolchain.codes.packing import unpack
from brrkit_toolchain.io.files import read_input
from brrkit_toolchain.language.cut_words import cut_words
from brrkit_toolchain.rounding import at_most
from brrkit_toolchain.writing.spellings import is_form_of_numbers

FALSE_ALARM_RATE = 1e-10
"""Probability that ``flip_rate`` fails on a correct bundle with a correct random source."""

_FLIP_EPSILONS = (0.25, 2.0)
_FLIP_BITS = 512_000
_GRAPH_CODES = 300
_SEARCHES = 500
_RANKED_SEARCHES = 50


def files(path: Path) -> str:
    """Every file has the manifest's size and SHA-256; files that aren't shipped may be missing."""
    manifest = read_manifest(path)
    unknown = set(manifest["files"]) - {INDEX, RANDOMIZER, *NOT_SHIPPED}
    if unknown:
        raise CheckError(f"manifest: unexpected files: {', '.join(sorted(unknown))}")
    sizes = {}
    for name in manifest["files"]:
        try:
            content = read_input(path / name)
        except OSError as error:
            if name in NOT_SHIPPED and isinstance(error, FileNotFoundError):
                continue  # ``golden.golden_cases`` makes new ones
            raise CheckError(f"{name}: can't be read ({error.strerror})") from None
        check_content(path / name, content, manifest)
        sizes[name] = len(content)
    missing = " and ".join(name for name in manifest["files"] if name not in sizes)
    without = f"; without {missing}, as shipped" if missing else ""
    return f"{len(sizes)} files of {sum(sizes.values()):,} bytes, and their manifest{without}"


def vocabulary(bundle: WordBundle) -> str:
    """Words are normalized, unique, and found by binary search and in texts; codes fit them."""
    words = list(bundle.vocabulary)  # UTF-8, as ``WordBundle.open`` checked
    for word_id, word in enumerate(words):
        if bundle.tokenizer.normalize(word) != word:
            raise CheckError(f"the word of rank {word_id} isn't normalized")
    if cut := cut_words(bundle.tokenizer):
        raise CheckError(
            f"{len(cut):,} of {len(bundle):,} words can't be typed, the first at rank "
            f"{bundle.vocabulary.find(cut[0])}: in a text, they are cut or lose signs, but the "
            "stated attack success includes them; build the bundle again"
        )
    ordered = [words[i].encode() for i in bundle.vocabulary.ids.unpack().tolist()]
    if any(a >= b for a, b in pairwise(ordered)):
        raise CheckError("the words aren't sorted by their bytes, or a word occurs twice")
    for word_id in np.linspace(0, len(bundle) - 1, num=min(1000, len(bundle)), dtype=int).tolist():
        if bundle.vocabulary.find(words[word_id]) != word_id:
            raise CheckError(f"binary search doesn't find the word of rank {word_id}")
    if not bundle.bits:
        return f"{len(bundle)} {STRINGS_ARE[bundle.list_of or STRINGS]}"
    shared = len(bundle) - len(np.unique(bundle.codes, axis=0))
    return (
        f"{len(bundle)} words x {bits_shown(bundle.manifest)} bits, all of which can be typed; "
        f"{shared} share the code of a more frequent one"
    )


def spellings(bundle: WordBundle) -> str:
    """Each spelling's word is in the vocabulary, and no spelling is, except forms of numbers."""
    find, all_of_them = bundle.vocabulary.find, bundle.writing.spellings
    lost = sum(find(word) is None for _, word in all_of_them)
    if lost:
        raise CheckError(
            f"{lost:,} of {len(all_of_them):,} spellings stand for no word of the vocabulary; "
            "build the bundle again"
        )
    words = [one for one, _ in all_of_them if not is_form_of_numbers(one)]
    if idle := sum(find(spelling) is not None for spelling in words):
        raise CheckError(
            f"{idle:,} of {len(all_of_them):,} spellings are themselves words of the "
            "vocabulary, so guesses of one word are counted as two; build the bundle again"
        )
    return f"{len(words):,} of words, {len(all_of_them) - len(words):,} of numbers"


def policy(bundle: WordBundle) -> str:
    """A list's words and forms are one word for everything after a token's look-up.

    They have one code, and so one row of integers. Equal random bytes give equal words.
    """
    if bundle.policy.passing is not None and not bundle.policy.lists:
        return f"{len(bundle.policy.passing.words):,} words pass"
    privatizers = [partial(Privatizer, bundle, Setting(1.0, mechanism)) for mechanism in MECHANISMS]
    words = forms = 0
    for each in bundle.policy.lists:
        codes = bundle.codes[list(each.members)]
        if (codes != codes[0]).any():
            raise CheckError(f"the words of {each.name} have several codes; build the bundle again")
        for form in each.forms:
            if tokenize(form, bundle.writing) != [form]:
                raise CheckError(f"a form of {each.name} is no token; build the bundle again")
        typed = [*map(bundle.vocabulary.word, each.members[:: len(each.members) - 1 or 1])]
        typed += each.forms[-1:]
        for privatizer in privatizers:
            _check_equal(each.name, typed, privatizer)
        words, forms = words + len(each.members), forms + len(each.forms)
    return f"{len(bundle.policy.lists)} lists, {words:,} words, {forms:,} forms: one word each"


def _check_equal(name: str, typed: Sequence[str], privatizer: Callable[..., Privatizer]) -> None:
    content = os.urandom(1 << 16)
    released = {privatizer(random=BytesIO(content).read).word(word) for word in typed}
    if len(released) > 1:
        raise CheckError(f"two words of {name} have different outputs for the same random bytes")
    made = privatizer()
    if isinstance(made.mechanism, ExactMechanism):
        first, *others = map(made.distribution, typed)
        if any(other != first for other in others):
            raise CheckError(f"two words of {name} have different probabilities")


def graph(bundle: WordBundle) -> str:
    """The TFLite graph is the toolchain's, and works as the XOR randomizer."""
    generator = np.random.default_rng()
    codes = generator.integers(0, 2**64, (_GRAPH_CODES, bundle.bits // 64), np.uint64)
    thresholds = [1, 2**31, *generator.integers(1, 2**31, 6).tolist()]
    for threshold in thresholds:
        numbers = generator.integers(-(2**31), 2**31, (_GRAPH_CODES, bundle.bits))
        # Half of them are next to the threshold, where a wrong graph differs.
        edges = threshold - 2**31 + generator.integers(-1, 2, numbers.shape)
        numbers = np.where(generator.random(numbers.shape) < 0.5, edges, numbers)
        drawn = numbers.clip(-(2**31)).astype("<i4")
        try:
            randomizer = Randomizer(bundle.graph, bundle.bits, threshold)
            noised = randomizer(codes, BytesIO(drawn.tobytes()).read)
        except Exception as error:  # an interpreter may raise anything
            raise CheckError(
                f"{RANDOMIZER}: the graph can't be run ({type(error).__name__})"
            ) from None
        for code, row, result in zip(codes, drawn, noised, strict=True):
            if result.tobytes() != reference.flip(code.tobytes(), row.tobytes(), threshold):
                raise CheckError(f"{RANDOMIZER}: differs from the XOR randomizer (T = {threshold})")
    return f"equal to NumPy's XOR on {_GRAPH_CODES * len(thresholds):,} new codes"


def flip_rate(bundle: WordBundle, random: RandomSource = os.urandom) -> str:
    """The production path flips each position with the probability T / 2^32, without repetition."""
    details = []
    codes = _FLIP_BITS // bundle.bits
    alpha = FALSE_ALARM_RATE / len(_FLIP_EPSILONS) / 2
    for epsilon in _FLIP_EPSILONS:
        threshold = flip_threshold(epsilon)
        probability = threshold / 2**32
        zeros = np.zeros((codes, bundle.bits // 64), np.uint64)
        randomizer = Randomizer(bundle.graph, bundle.bits, threshold)
        flips = unpack(randomizer(zeros, random))
        p_total = float(_p_values(flips.sum(), flips.size, probability))
        by_position = _p_values(flips.sum(axis=0), codes, probability)
        rate = flips.mean()
        if p_total < alpha:
            raise CheckError(
                f"epsilon {epsilon}: {rate:.5f} of the bits flip instead of {probability:.5f} "
                f"(binomial test, p = {p_total:.1e})"
            )
        if by_position.min() * bundle.bits < alpha:
            bit = int(by_position.argmin())
            raise CheckError(f"epsilon {epsilon}: bit {bit} flips at a wrong rate")
        if epsilon == min(_FLIP_EPSILONS) and len(np.unique(flips, axis=0)) < codes:
            raise CheckError(f"epsilon {epsilon}: two codes got the same noise: the source repeats")
        details.append(f"{rate:.5f} (expected {probability:.5f}) at epsilon {epsilon}")
    return f"{'; '.join(details)}; false-alarm rate {FALSE_ALARM_RATE:g}"


def _p_values(counts: NDArray[np.int64], trials: int, rate: float) -> NDArray[np.float64]:
    """Return twice the smaller tail of the binomial distribution, for each of ``counts``."""
    from scipy.special import bdtr, bdtrc  # scipy.stats takes a second to import

    below, above = bdtr(counts, trials, rate), bdtrc(counts - 1, trials, rate)
    return np.asarray(2 * np.minimum(below, above), np.float64)


def search(bundle: WordBundle) -> str:
    """The runtime's search agrees with faiss IndexBinaryFlat, with ties to the lower rank."""
    import faiss

    generator = np.random.default_rng()
    picked = bundle.codes[generator.integers(0, len(bundle), _SEARCHES)]
    shape = (3, *picked.shape)
    noise = np.bitwise_and.reduce(generator.integers(0, 2**64, shape, np.uint64), axis=0)
    queries = picked ^ noise
    ids, distances = bundle.index.nearest(queries)
    flat = faiss.IndexBinaryFlat(bundle.bits)
    flat.add(np.ascontiguousarray(bundle.codes).view(np.uint8))
    expected, _ = flat.search(queries.view(np.uint8), 1)
    if not np.array_equal(distances, expected):
        raise CheckError("a distance differs from that of faiss IndexBinaryFlat")
    for query, found in zip(queries[:_RANKED_SEARCHES], ids[:, 0], strict=False):
        if reference.distances(bundle.codes, query.tobytes()).argmin() != found:
            raise CheckError("a nearest code isn't the one of the lowest rank")
    return f"correct for {_SEARCHES} noised codes"


def certificate(bundle: WordBundle, progress: bool) -> str:
    """The recommended setting's privacy loss on this vocabulary is at most the stated one."""
    from brrkit_toolchain.channel import Channel

    privatizer = Privatizer(bundle)  # raises an error if the certificate isn't for this bundle
    epsilon, stated = privatizer.epsilon, privatizer.certified_epsilon
    privacy_loss = Channel(bundle, privatizer.setting, progress=progress).loss
    assert privacy_loss is not None  # only such settings have a certificate
    if privacy_loss > stated:
        raise CheckError(
            f"at the recommended setting, epsilon {epsilon}, the privacy loss per bit is "
            f"{privacy_loss}, more than certified_epsilon {stated}; calibrate the bundle again"
        )
    return (
        f"at the recommended setting, epsilon {epsilon:.4g}, the privacy loss per bit is "
        f"{at_most(privacy_loss)}; certified_epsilon: {at_most(stated)}"
    )
