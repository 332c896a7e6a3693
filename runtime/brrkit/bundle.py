"""Open a bundle: a directory that the toolchain builds and an app ships.

The format is specified in ``spec/bundle-format.md``.
"""

from __future__ import annotations

import hashlib
import mmap
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from brrkit import strict_json
from brrkit.errors import BundleError, OutOfVocabularyError, ParameterError
from brrkit.folder import Folder
from brrkit.hamming import HammingIndex
from brrkit.list_tokenizer import KINDS, ListTokenizer
from brrkit.masses import Masses
from brrkit.messages import one_line
from brrkit.policy import NO_POLICY, Policy, read_policy
from brrkit.setting import (
    CountsSetting,
    Frames,
    Setting,
    is_digest,
    read_counts,
    read_frames,
    read_setting,
)
from brrkit.tensors import read_index
from brrkit.tokenizer import Tokenizer
from brrkit.vocabulary import Vocabulary
from brrkit.writing import ENGLISH, Writing, read_writing

FORMAT = "brr-bundle"
FORMAT_VERSION = 3

MANIFEST = "manifest.json"
INDEX = "index.safetensors"
RANDOMIZER = "randomizer.tflite"
PARITY = "parity.json"
"""Golden cases for implementers and CI; never read at run time, and not shipped to devices."""

SAMPLE = Path(__file__).parent / "sample"
"""The bundle that comes with brrkit."""

BITS = range(64, 513, 64)
"""Lengths of codes. A list has no codes, and its manifest says 0."""

GRAPHS = {
    64: "ac478cf28e07066e7261123668b9143aa2c4c19827900947200186685e3ba08f",
    128: "015376fdef531692fb94bd83c5e452894e305aad042a5e146134da6bfc1251db",
    192: "7abb8acf6bf478a8e387d061827602babbc6c3d600da1e6a585cb28ce3532319",
    256: "396833980553f94dcb406e56ef8e722399475c8e2c09b1378196ec286ea35bed",
    320: "e3d4c4057644e31f02e85c6328f30e92e233739c67a111b581af29976d28aa1a",
    384: "c5d0697506d094356c3fe283d657452e3d4c1711d4528ba5cac6b92ad2d823a7",
    448: "a4581f75e634498175018a7e86d60bf1f2d349aa257e0e28d26ecee78992896b",
    512: "f71694bc70b1af655850cc2e089a5625e799cbedbfa6e9b21e22a62a3c4493af",
}
"""SHA-256 of ``randomizer.tflite``, by the number of bits. A graph is code: any other graph could
flip other bits, or crash the interpreter."""

MANIFEST_LIMIT = 1 << 20
"""In bytes. A longer manifest is refused unparsed."""

_VOCABULARY_LIMIT = 1 << 24
_BIGRAMS_LIMIT = 1 << 24
_FILE_LIMIT = 2**31 - 1  # bytes; more, and a device can't map it
_OPEN_ATTEMPTS = 10


class Neighbor(NamedTuple):
    """A word near another word.

    Attributes:
        word: the near word, from the vocabulary.
        distance: Hamming distance between the two codes, in bits.
    """

    word: str
    distance: int


@dataclass(frozen=True, eq=False, repr=False)
class WordBundle:
    """An opened bundle. Immutable, and safe to share between threads and across fork.

    A bundle without codes is a list: ``Counts`` can count its strings, but ``Privatizer`` can't
    release them. A bundle equals only itself. Two bundles with equal ``digest`` have the same
    words, masses and codes.

    Attributes:
        path: the directory.
        manifest: the parsed ``manifest.json``.
        codes: uint64[n, bits / 64] in rank order, mapped from the file; uint64[n, 0] for a list.
        vocabulary: the n words, mapped from the file, and copied at the first look-up.
        masses: the mass of each word, mapped from the file.
        index: the codes, ready for searching.
        graph: content of ``randomizer.tflite``; empty for a list.
        policy: the lists of secret words, and the passing words.
    """

    path: Path
    manifest: Mapping[str, Any]
    codes: NDArray[np.uint64]
    vocabulary: Vocabulary
    masses: Masses
    index: HammingIndex
    graph: bytes
    policy: Policy = NO_POLICY

    @classmethod
    def open(cls, path: str | Path, *, verify_hashes: bool = True) -> WordBundle:
        """Map the bundle in the directory ``path``.

        Args:
            path: a directory from ``brr build`` or ``brr list``.
            verify_hashes: compare the SHA-256 of the manifest, the index and the graph with the
                manifest. Skip this only for files with other protection, such as an app's signed
                package.

        Raises:
            BundleError: a file is missing, damaged, or of an unknown format version.
        """
        if sys.byteorder != "little":
            raise BundleError("a bundle can only be mapped on a little-endian machine")
        path = Path(path)
        for _ in range(_OPEN_ATTEMPTS):
            with Folder(path) as folder:
                try:
                    return cls._open(folder, verify_hashes)
                except BundleError:
                    # Whoever replaces a bundle deletes the old files, perhaps during the reading.
                    if folder.is_current():
                        raise
        raise BundleError(f"{path}: replaced again and again while it was opened; try again later")

    @classmethod
    def sample(cls) -> WordBundle:
        """Map the bundle that comes with brrkit: 20,000 words of everyday English, calibrated.

        Use it to try things out. ``sample.md``, in the package, states its sources and license.
        """
        return cls.open(SAMPLE)

    @classmethod
    def _open(cls, folder: Folder, verify_hashes: bool) -> WordBundle:
        manifest = _read_manifest(folder, verify_hashes)
        index = _map(folder, INDEX, manifest, verify_hashes)
        bits, size = manifest["bits"], manifest["vocabulary_size"]
        codes, vocabulary, masses = read_index(
            folder.path / INDEX, index, size, bits, manifest["bigrams"]
        )
        graph = _graph(folder, manifest, verify_hashes) if bits else b""
        policy = _policy(folder, manifest, vocabulary)
        searched = HammingIndex(codes)
        return cls(folder.path, manifest, codes, vocabulary, masses, searched, graph, policy)

    @property
    def bits(self) -> int:
        """Length of a code in bits, with its task bits; 0 for a list."""
        return int(self.manifest["bits"])

    @property
    def task_bits(self) -> int:
        """The number of task bits, the last bits of a code, learned from the bundle's tasks."""
        return int(self.manifest.get("task_bits", 0))

    @property
    def word_bits(self) -> int:
        """Length of a code in bits, without its task bits."""
        return self.bits - self.task_bits

    @property
    def list_of(self) -> str | None:
        """The kind of a list's strings, one of ``brrkit.list_tokenizer.KINDS``; else None."""
        kind: str | None = self.manifest.get("list_of")
        return kind

    @property
    def writing(self) -> Writing:
        """The writing rules of the bundle's language."""
        return read_writing(self.manifest.get("writing")) or ENGLISH

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer, which cuts texts and looks up tokens."""
        self.vocabulary.find("")  # copies the blocks now, so that the first word takes no longer
        cut_by = self.writing, self.vocabulary, self.masses.words
        if self.list_of is None:
            return Tokenizer(*cut_by, policy=self.policy)
        return ListTokenizer(*cut_by, self.list_of)

    @property
    def recommended(self) -> Setting | None:
        """The recommended setting for text, if an app gives none; None if there is none."""
        return read_setting(self.manifest.get("recommended"), self.word_bits)

    @property
    def counts(self) -> CountsSetting | None:
        """The recommended setting for counts, if an app gives none; None if there is none."""
        return read_counts(self.manifest.get("counts"))

    @property
    def frames(self) -> Frames | None:
        """The shape of a device's day of text, if an app gives none; None if there is none."""
        return read_frames(self.manifest.get("frames"))

    @property
    def digest(self) -> str:
        """SHA-256 of the index (codes, words and masses). An epsilon refers to one index.

        Batches of reports name the bundle by another digest, ``manifest["sha256"]``, which also
        changes with the bundle's settings.
        """
        return str(self.manifest["files"][INDEX]["sha256"])

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __repr__(self) -> str:
        holds = f"{len(self)} words x {self.bits} bits"
        chosen = str(self.recommended or "nothing")
        if self.list_of is not None:
            holds = f"list of {len(self)} strings"
            chosen = f"cap={self.counts.cap!r}" if self.counts else "nothing"
        return one_line(
            f"<WordBundle {self.path}: {holds}, digest {self.digest[:8]}, recommends {chosen}>"
        )

    def tokenize(self, text: str) -> list[str]:
        """Return the normalized tokens of ``text``. ``Privatizer.text`` releases a word for each.

        The cuts depend on the bundle's writing rules and on its words. Where these rules have
        ``before`` or ``links``, forms of the policy's lists stay uncut, too:
        ``spec/bundle-format.md``, "Tokenizer".
        """
        return self.tokenizer.tokenize(text)

    def finished(self, text: str) -> str:
        """Return the finished part of a text in progress: the part that can already be released.

        It ends with the last character that separates words, even in a script without spaces. Its
        tokens stay the text's first tokens, whatever is typed next. With a list, no part is
        finished before the whole text.

        Args:
            text: the text typed since the last finished part.

        Returns:
            The beginning of ``text``, with the separator; or the empty string.
        """
        return self.tokenizer.finished(text)

    def neighbors(self, word: str, k: int = 10) -> list[Neighbor]:
        """Return the k other words nearest to ``word``, the nearest first.

        Use it to inspect a bundle; it privatizes nothing.

        Raises:
            OutOfVocabularyError: the word isn't in the vocabulary.
            ParameterError: k isn't from 1 to n - 1, or the bundle is a list.
        """
        check_codes(self)
        if not 1 <= k < len(self):
            raise ParameterError(f"k must be from 1 to {len(self) - 1}, not {k!r}")
        word_id = self.vocabulary.find(self.tokenizer.normalize(word))
        if word_id is None:
            raise OutOfVocabularyError("the word is out of vocabulary: it has no neighbors")
        ids, distances = self.index.nearest(self.codes[word_id : word_id + 1], k + 1)
        pairs = zip(ids[0].tolist(), distances[0].tolist(), strict=True)
        # A word with the same code and a lower rank may come first. Drop the word itself.
        others = [Neighbor(self.vocabulary.word(i), d) for i, d in pairs if i != word_id]
        return others[:k]


def check_codes(bundle: WordBundle) -> None:
    """Check that a bundle isn't a list.

    Raises:
        ParameterError: it is one.
    """
    if not bundle.bits:
        raise ParameterError("a list has no codes, so its strings can only be counted")


def manifest_digest(text: bytes, digest: str) -> str:
    """Return the SHA-256 of a manifest's bytes with its own ``digest`` replaced by zeros."""
    return hashlib.sha256(text.replace(digest.encode(), b"0" * len(digest))).hexdigest()


def read_manifest(folder: Path, *, verify_hash: bool = True) -> dict[str, Any]:
    """Parse and check ``manifest.json`` in ``folder``.

    Raises:
        BundleError: it is missing, damaged, or of an unknown format version.
    """
    with Folder(folder) as opened:
        return _read_manifest(opened, verify_hash)


def _read_manifest(folder: Folder, verify_hash: bool) -> dict[str, Any]:
    path = folder.path / MANIFEST
    text = folder.read(MANIFEST, MANIFEST_LIMIT)
    try:
        manifest = strict_json.parse(text) if len(text) <= MANIFEST_LIMIT else None
    except ValueError:
        manifest = None
    if not isinstance(manifest, dict):
        raise BundleError(f"{path}: not a manifest (JSON object, at most 1 MB); rebuild the bundle")

    def check(valid: bool, field: str) -> None:
        if not valid:
            raise BundleError(f"{path}: field '{field}' is missing or wrong; rebuild the bundle")

    check(manifest.get("format") == FORMAT, "format")
    version = manifest.get("format_version")
    check(type(version) is int, "format_version")
    if version != FORMAT_VERSION:
        raise BundleError(
            f"{path}: format version {version} is unknown (this brrkit reads {FORMAT_VERSION}); "
            "update brrkit or rebuild the bundle"
        )
    digest = str(manifest.get("sha256"))
    check(is_digest(digest), "sha256")
    if verify_hash and manifest_digest(text, digest) != digest:
        raise BundleError(f"{path}: changed since it was built (SHA-256); rebuild the bundle")
    bits: Any = manifest.get("bits")
    size: Any = manifest.get("vocabulary_size")
    check(type(bits) is int and (bits in BITS or bits == 0), "bits")
    check("list_of" not in manifest if bits else manifest.get("list_of") in KINDS, "list_of")
    check(type(size) is int and 2 <= size <= _VOCABULARY_LIMIT, "vocabulary_size")
    task_bits = 0
    if "task_bits" in manifest:
        task_bits = manifest["task_bits"]
        check(type(task_bits) is int and task_bits in range(64, bits, 64), "task_bits")
    bigrams = manifest.get("bigrams")
    check(type(bigrams) is int and 0 <= bigrams <= (_BIGRAMS_LIMIT if bits else 0), "bigrams")
    files = manifest.get("files")
    for name in (INDEX, RANDOMIZER, PARITY) if bits else (INDEX, PARITY):
        entry = files.get(name) if isinstance(files, dict) else None
        check(
            isinstance(entry, dict)
            and type(entry.get("size")) is int
            and 0 <= entry["size"] <= _FILE_LIMIT
            and is_digest(entry.get("sha256")),
            f"files.{name}",
        )
    if "writing" in manifest:
        check(read_writing(manifest["writing"]) is not None, "writing")
    if "policy" in manifest:
        check(bits > 0 and read_policy(manifest["policy"], size) is not None, "policy")
    if "recommended" in manifest:
        check(
            bits > 0 and read_setting(manifest["recommended"], bits - task_bits) is not None,
            "recommended",
        )
    if "counts" in manifest:
        check(read_counts(manifest["counts"]) is not None, "counts")
    if "frames" in manifest:
        check(bits > 0 and read_frames(manifest["frames"]) is not None, "frames")
    return manifest


def check_content(
    path: Path,
    content: bytes | mmap.mmap,
    manifest: Mapping[str, Any],
    *,
    verify_hash: bool = True,
) -> None:
    """Check the content of the bundle's file ``path`` against the manifest.

    Raises:
        BundleError: it has another size or SHA-256.
    """
    expected = manifest["files"][path.name]
    if len(content) != expected["size"]:
        raise BundleError(
            f"{path}: {len(content)} bytes, the manifest says {expected['size']}; "
            "rebuild the bundle"
        )
    if verify_hash and hashlib.sha256(content).hexdigest() != expected["sha256"]:
        raise BundleError(f"{path}: changed since it was built (SHA-256); rebuild the bundle")


def _policy(folder: Folder, manifest: Mapping[str, Any], vocabulary: Vocabulary) -> Policy:
    policy = read_policy(manifest.get("policy"), len(vocabulary)) or NO_POLICY
    if any(vocabulary.find(form) is not None for each in policy.lists for form in each.forms):
        raise BundleError(
            f"{folder.path / MANIFEST}: field 'policy' has a form that is a word; rebuild the "
            "bundle"
        )
    return policy


def _graph(folder: Folder, manifest: Mapping[str, Any], verify_hashes: bool) -> bytes:
    graph = bytes(_map(folder, RANDOMIZER, manifest, verify_hashes))
    bits = manifest["bits"]
    if hashlib.sha256(graph).hexdigest() != GRAPHS[bits]:
        raise BundleError(
            f"{folder.path / RANDOMIZER}: not the randomizer of {bits} bits; rebuild the bundle"
        )
    return graph


def _map(
    folder: Folder, name: str, manifest: Mapping[str, Any], verify_hash: bool
) -> mmap.mmap | bytes:
    mapped = folder.map(name)
    check_content(folder.path / name, mapped, manifest, verify_hash=verify_hash)
    return mapped
