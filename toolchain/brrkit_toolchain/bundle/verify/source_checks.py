"""Checks of a bundle against its sources, such as the embeddings and the text."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import astuple, replace
from importlib.metadata import version
from math import sqrt
from pathlib import Path

import numpy as np

from brrkit import Privatizer, WordBundle
from brrkit.bundle import INDEX
from brrkit.list_tokenizer import STRINGS
from brrkit.messages import printable
from brrkit.policy import NO_POLICY
from brrkit.setting import Setting
from brrkit.tokenizer import Tokenizer
from brrkit_toolchain.bundle.verify.outcome import CheckError
from brrkit_toolchain.bundle.writer import encode_index, model_of
from brrkit_toolchain.channel import LAPLACE
from brrkit_toolchain.channel.drawing.full_size import Laplace
from brrkit_toolchain.channel.manifest_info import manifest_info
from brrkit_toolchain.codes import PORTABLE, make_codes
from brrkit_toolchain.counting import counting
from brrkit_toolchain.embeddings import Embeddings
from brrkit_toolchain.embeddings.of_bundle import source_difference
from brrkit_toolchain.io.files import file_digest, read_input
from brrkit_toolchain.language.learn import learn_language
from brrkit_toolchain.language.lexicon import tokenizer_of
from brrkit_toolchain.lists.files import read_list_file
from brrkit_toolchain.lists.one_code import with_one_code
from brrkit_toolchain.tasks import TASKS
from brrkit_toolchain.tasks.labeled import Task
from brrkit_toolchain.tasks.learn import learn_tasks
from brrkit_toolchain.utility.neighbors import (
    neighbor_overlap,
    pair_cosines,
    pair_distances,
    spearman,
)
from brrkit_toolchain.utility.retention import Utility, epsilon_of_estimated_loss, release_utility

_LEAST_EQUAL_BITS = 0.75
"""Smallest share if a machine's rounding changes the codes; 0.51 for codes from another seed."""

_NEIGHBOR_TOLERANCE = 0.02
_LEAST_RETENTION = 0.2
"""Spearman's correlation over random pairs; 64 random hyperplanes reach 0.4."""

_LEAST_COSINE_GAIN = 0.05
"""Smallest gain from the smallest estimated loss to the largest."""

_STANDARD_ERRORS = 8.0
"""Tolerance between two samples of words, each with a standard deviation of at most 1/2."""

_RANDOM_PAIRS = 100_000
_SAMPLED_WORDS = 1_000


def same_source(bundle: WordBundle, embeddings: Embeddings) -> str:
    """The manifest names the file, and it contains the bundle's words."""
    if difference := source_difference(bundle, embeddings):
        raise CheckError(difference)
    return f"{embeddings.source.name}, {len(embeddings.words)} words"


def rebuilt_list(bundle: WordBundle, strings: Path, progress: bool) -> str:
    """The manifest names the file, and it gives the same index, byte for byte."""
    stated, digest = bundle.manifest.get("source"), file_digest(strings)
    if not isinstance(stated, dict) or stated.get("sha256") != digest:
        raise CheckError(f"the list was made from another file than {strings.name}")
    as_is = bundle.list_of == STRINGS
    index = counting().list_index(strings, bundle.writing, as_is=as_is, progress=progress)
    if index != read_input(bundle.path / INDEX):
        raise CheckError(f"{strings.name} gives another {INDEX}")
    return f"reproduced: {INDEX} has SHA-256 {bundle.digest}"


def rebuilt_codes(bundle: WordBundle, embeddings: Embeddings, progress: bool) -> str:
    """The same method, settings and seed give the same index, byte for byte.

    If the method's codes depend on the machine, most of the bits are the same.
    """
    method = bundle.manifest["method"]
    codes = make_codes(
        embeddings.vectors,
        bits=bundle.word_bits,
        method=method["name"],
        effort=method["effort"],
        seed=method["seed"],
        progress=progress,
    ).packed
    codes = with_one_code(codes, bundle.policy.lists)
    own = bundle.word_bits // 64
    whole = np.hstack([codes, bundle.codes[:, own:]])
    index = encode_index(embeddings.words, whole, model_of(bundle))
    if index == read_input(bundle.path / INDEX):
        return f"reproduced: {INDEX} has SHA-256 {hashlib.sha256(index).hexdigest()}"
    equal = 1 - pair_distances(codes, bundle.codes[:, :own]).mean() / bundle.word_bits
    if method["name"] in PORTABLE:
        raise CheckError(
            f"not reproduced: the rebuild gives another {INDEX} ({equal:.1%} of the bits are the "
            "same); "
            f"brrkit {printable(str(method['version']))} built it, according to the manifest, and "
            f"this is brrkit {version('brrkit')}; rebuild it with this one, or verify it with "
            "that one"
        )
    if equal < _LEAST_EQUAL_BITS:
        raise CheckError(f"only {equal:.1%} of the bits are the same after rebuilding")
    return f"{equal:.3%} of the bits are the same; {method['name']} depends on the machine"


def same_text(bundle: WordBundle, text: Path, digest: str) -> str:
    """The manifest names the file, if it names any; ``digest`` is its SHA-256."""
    stated = manifest_info(bundle.manifest).text
    if stated is None:
        raise CheckError(
            "the manifest names no text whose words were counted; leave out the text, or rebuild "
            "with it"
        )
    if stated.sha256 is None:
        return f"{stated.name}: the manifest has no SHA-256 of it; only its counts can be compared"
    if digest != stated.sha256:
        raise CheckError(f"{text}: isn't {stated.name}, which the manifest names: its bytes differ")
    return f"{stated.name}, SHA-256 {digest}"


def rank_tokenizer(bundle: WordBundle) -> Tokenizer:
    """Return the tokenizer of the build, when the bundle had no masses yet."""
    words = list(bundle.vocabulary)
    return tokenizer_of(words, bundle.writing)


def rebuilt_language(bundle: WordBundle, text: Path, column: str | None, progress: bool) -> str:
    """Counting the text again gives the same masses and bigrams, byte for byte."""
    stated = manifest_info(bundle.manifest).text
    assert stated is not None  # checked by ``same_text``
    made, described = learn_language(
        rank_tokenizer(bundle), text, column, stated.least, progress=progress
    )
    kept = model_of(bundle)
    if not np.array_equal(made.masses, kept.masses):
        raise CheckError("not reproduced: the text gives other masses")
    pairs = ("before", "after", "gains")
    if not all(np.array_equal(getattr(made, name), getattr(kept, name)) for name in pairs):
        raise CheckError("not reproduced: the text gives other bigrams")
    if stated.tokens not in (None, described["text"]["tokens"]):
        raise CheckError(f"the text has {described['text']['tokens']:,} words of the vocabulary")
    return f"reproduced: {len(bundle):,} masses and {len(made.gains):,} bigrams"


def same_list(bundle: WordBundle, path: Path) -> str:
    """The manifest names the file, and each of its words is typed as a list's word."""
    file = read_list_file(path, bundle.writing)
    stated = bundle.manifest["source"].get("lists", [])
    named = [each["sha256"] for each in stated if each["list"] == file.name]
    if not named:
        raise CheckError(f"{path}: the bundle was built without a list {printable(file.name)}")
    if named != [file_digest(path)]:
        raise CheckError(f"{path}: its bytes differ from those of the list that the manifest names")
    heads = {each.head for each in bundle.policy.lists}
    lost = [word for word in file.line_of if bundle.tokenizer.look_up(word) not in heads]
    if lost:
        raise CheckError(f"{file.at(lost[0])} is on no list of the bundle; build it again")
    return f"{file.name}: {len(file.line_of):,} words, SHA-256 {named[0]}"


def rebuilt_tasks(bundle: WordBundle, tasks: Sequence[Task], progress: bool) -> str:
    """Learning the tasks again gives the same task bits, and the bundle's other data about them."""
    stated = bundle.manifest.get("tasks", [])
    if len(stated) != len(tasks):
        raise CheckError(
            f"the bundle has {len(stated)} tasks, but {len(tasks)} are given; give all of them, "
            "in the order in which it was built"
        )
    least = {task.least for task in manifest_info(bundle.manifest).tasks}
    if len(least) != 1:
        raise CheckError(
            "manifest: 'tasks' lack 'least', or state different values; rebuild the bundle"
        )
    made = learn_tasks(tasks, rank_tokenizer(bundle), least=least.pop(), progress=progress)
    for task, ours, theirs in zip(tasks, made.described, stated, strict=True):
        if ours["source"]["sha256"] != theirs["source"]["sha256"]:
            raise CheckError(
                f"{task.path}: isn't {printable(str(theirs['source']['name']))}, which the "
                "manifest names here: its bytes differ"
            )
    packed = with_one_code(made.packed, bundle.policy.lists)
    if not np.array_equal(packed, bundle.codes[:, -packed.shape[1] :]):
        raise CheckError("not reproduced: the labeled texts give other task bits")
    if made.described != stated:
        raise CheckError("not reproduced: the labeled texts give another description of tasks")
    if hashlib.sha256(made.held_out).hexdigest() != bundle.manifest["files"][TASKS]["sha256"]:
        raise CheckError(f"not reproduced: the labeled texts give another {TASKS}")
    return f"reproduced: task bits of {len(bundle):,} words"


def similarity(bundle: WordBundle, embeddings: Embeddings) -> str:
    """Hamming distances keep the source's similarities as well as the manifest states."""
    stated = bundle.manifest["quality"]["nn10"]
    seed = bundle.manifest["method"]["seed"]  # with other queries, results would differ by chance
    codes = bundle.codes[:, : bundle.word_bits // 64]
    nn10 = neighbor_overlap(embeddings.vectors, codes, seed=seed)
    generator = np.random.default_rng(0)
    left, right = generator.integers(0, len(bundle), (2, _RANDOM_PAIRS))
    cosines = pair_cosines(embeddings.vectors[left], embeddings.vectors[right])
    distances = pair_distances(codes[left], codes[right])
    retention = spearman(cosines, -distances)
    if retention < _LEAST_RETENTION:
        raise CheckError(f"Spearman {retention:.3f} with the cosines of random pairs")
    if nn10 < stated - _NEIGHBOR_TOLERANCE:
        raise CheckError(f"NN@10 is {nn10:.3f}, but the manifest says {stated:.3f}")
    similar = f"Spearman {retention:.3f} with the cosines of {_RANDOM_PAIRS} random pairs"
    return f"NN@10 {nn10:.3f}; {similar}"


def full_size(bundle: WordBundle, embeddings: Embeddings) -> str:
    """The words' utility agrees with the manifest, and grows with epsilon."""
    generator = np.random.default_rng(0)
    ids = generator.choice(len(bundle), min(_SAMPLED_WORDS, len(bundle)), replace=False)
    words = [bundle.vocabulary.word(i) for i in ids]
    distances, stated = bundle.manifest["distances"], bundle.manifest["utility"]
    tolerance = _STANDARD_ERRORS * 0.5 * sqrt(1 / len(ids) + 1 / stated["words"])
    alone = replace(bundle, policy=NO_POLICY)
    lines, cosines = [], []
    for point, estimated_loss in enumerate(stated["estimated_losses"]):
        epsilon = epsilon_of_estimated_loss(estimated_loss, distances["hamming"]["average"])
        privatizer = Privatizer(alone, Setting(epsilon, "brr"))
        released = [bundle.vocabulary.find(word) for word in privatizer.words(words)]
        ours = release_utility(embeddings.vectors, ids, np.array(released))
        full = Laplace(
            embeddings.vectors, estimated_loss / distances["euclidean"]["average"], generator
        )
        theirs = release_utility(embeddings.vectors, ids, full(ids))
        for name, fresh in (("brr", ours), (LAPLACE, theirs)):
            noted = Utility(**stated["mechanisms"][name][point])
            for what, now, then in zip(
                ("unchanged share", "cosine"), astuple(fresh), astuple(noted), strict=True
            ):
                if not abs(now - then) <= tolerance:
                    raise CheckError(
                        f"{name} at E={estimated_loss:g}: {what} {now:.3f}, the manifest says "
                        f"{then:.3f}"
                    )
        cosines.append(ours.cosine)
        lines.append(
            f"E={estimated_loss:g}: unchanged {ours.unchanged:.3f} "
            f"(full size {theirs.unchanged:.3f}), cosine {ours.cosine:.3f} ({theirs.cosine:.3f})"
        )
    found = "; ".join(lines)
    if cosines[-1] < min(cosines[0] + _LEAST_COSINE_GAIN, 1 - _LEAST_COSINE_GAIN):
        raise CheckError(f"a larger epsilon doesn't keep more of the words: {found}")
    return found
