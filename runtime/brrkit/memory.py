"""A keyed memory: a word that is typed again gets the same first draw, and no word is stored.

Without it, every release of a word is an independent draw, and its privacy losses add up. With it,
a pseudo-random function of the word gives the randomness of its first draw, under a key that lasts
for one period. ``spec/state-files.md`` specifies the function.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from brrkit.errors import MemoryFileError
from brrkit.period import (
    PERIOD_FIELDS,
    Instant,
    Period,
    device_clock,
    period_length,
    read_clock,
)
from brrkit.randomness import RandomSource
from brrkit.state_file import StateFile, locked, state_path

_DOMAIN = b"brrkit memory"
_KEY_BYTES = 32
_NUMBER_MAX = 10**15 - 1
_STATE_FORM = re.compile(
    rb'(\{"format": "brr-memory", "format_version": 1, "number": ([1-9][0-9]{0,14}), '
    rb'"key": "([0-9a-f]{64})", %b), "sha256": "([0-9a-f]{64})"\}\n' % PERIOD_FIELDS.encode()
)
_STATE_LIMIT = 1_024  # bytes; the longest state is shorter


@dataclass(frozen=True, repr=False)
class MemoryKey:
    """The key of a period. It is secret: the object's representation doesn't show it.

    Attributes:
        number: number of the period, from 1.
        secret: 32 bytes.
    """

    number: int
    secret: bytes

    def draw(self, unit: str, setting: tuple[bytes, bytes], word: str | None) -> Draw:
        """Return the first draw of a word.

        Args:
            unit: ``WordBundle.digest``.
            setting: ``Mechanism.setting``.
            word: the typed word of the vocabulary; None for an unknown word. All unknown words
                share one draw: a separate draw would be the word's pseudonym.
        """
        fields = (
            _DOMAIN,
            _eight(self.number),
            unit.encode(),
            *setting,
            b"unknown" if word is None else b"known",
            (word or "").encode(),
        )
        return Draw(self.secret, b"".join(map(_field, fields)))


@dataclass(frozen=True, repr=False)
class Draw:
    """The first draw of a word in a period: its own random bytes, always the same.

    Attributes:
        secret: the period's key.
        message: the word, and everything else that its draw depends on.
    """

    secret: bytes
    message: bytes

    def source(self) -> RandomSource:
        """Return a source of the random bytes, which starts at the first byte."""
        block, left = 0, b""

        def read(size: int) -> bytes:
            nonlocal block, left
            while len(left) < size:
                counted = self.message + _field(_eight(block))
                left += hmac.digest(self.secret, counted, "sha256")
                block += 1
            part, left = left[:size], left[size:]
            return part

        return read


@dataclass(frozen=True, repr=False)
class _State:
    """A period, as of its start or of the first look after a restart."""

    key: MemoryKey
    period: Period


class Memory:
    """The key of the running period, in a private file. It gives a word the same first draw again.

    After the end of the period, the next release replaces the key. Time is measured as for
    ``PrivacyBudget``. Deleting the file, or restoring an old copy, starts another period: each word
    gets one more first draw, at the cost of its epsilon. Anyone who has the file can test guesses
    of released words. Keep it where only the app can read and write, and exclude it from backups.
    Safe to share between threads and processes, and across fork.

    Proof: ``docs/explanation/proofs.md``, "Memory".
    """

    def __init__(
        self, period: float, key_file: str | Path, *, clock: Callable[[], Instant] = device_clock
    ) -> None:
        """Describe the memory; the first release creates the file.

        Args:
            period: length of a period in seconds, from 1 to 1e12.
            key_file: path of a file in an existing directory; a lock file appears next to it. A
                relative path is resolved now, from the current directory.
            clock: function that reads the device's clocks; for tests.

        Raises:
            ParameterError: period is out of range, or key_file can't name a file.
        """
        self._length = period_length(period, "memory")
        self.period = float(period)
        self.key_file = state_path(key_file, "a memory's key_file")
        self._clock = clock

    def key(self) -> MemoryKey:
        """Return the running period's key. It is on disk before anything uses it.

        Raises:
            MemoryFileError: the file is damaged, or can't be read or written. Nothing may be
                released.
        """
        with locked(self.key_file, MemoryFileError) as file:
            return self._look(file).key

    def _look(self, file: StateFile) -> _State:
        """Return the running period as of now; a new one, with a new key, if there is none."""
        now = read_clock(self._clock)
        content = file.read(_STATE_LIMIT)
        if content is None:
            return _stored(file, _State(_new_key(1), Period.starting(now)))
        stored = _parsed(content)
        if stored is None:
            raise MemoryFileError(
                f"{self.key_file}: not a memory's key, or damaged; nothing is released until it is "
                "restored, or removed: each word then gets a new first draw"
            )
        period = stored.period.at(now)
        if period.elapsed >= self._length:
            key = _new_key(min(stored.key.number + 1, _NUMBER_MAX))
            return _stored(file, _State(key, replace(period, elapsed=0)))
        if not stored.period.is_of(now):
            return _stored(file, _State(stored.key, period))
        return stored


def _new_key(number: int) -> MemoryKey:
    return MemoryKey(number, os.urandom(_KEY_BYTES))


def _stored(file: StateFile, state: _State) -> _State:
    """Store a state before it is used."""
    fields = (
        f'{{"format": "brr-memory", "format_version": 1, "number": {state.key.number}, '
        f'"key": "{state.key.secret.hex()}", {state.period.fields}'
    )
    digest = hashlib.sha256(fields.encode()).hexdigest()
    file.replace(f'{fields}, "sha256": "{digest}"}}\n'.encode())
    return state


def _parsed(content: bytes) -> _State | None:
    """Return the state that ``content`` stands for, or None if it stands for none."""
    match = _STATE_FORM.fullmatch(content)
    if match is None:
        return None
    fields, number, secret, *period, digest = match.groups()
    if hashlib.sha256(fields).hexdigest() != digest.decode():
        return None
    key = MemoryKey(int(number), bytes.fromhex(secret.decode()))
    return _State(key, Period.of_fields(*period))


def _field(content: bytes) -> bytes:
    """Return ``content`` after its length, so that a row of fields has only one reading."""
    return len(content).to_bytes(4, "little") + content


def _eight(number: int) -> bytes:
    return number.to_bytes(8, "little")
