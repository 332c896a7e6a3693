"""The keyed memory: its file, its period, that no refusal tells words, and nothing is kept."""

from __future__ import annotations

import hashlib
import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from device import HOUR, Clock

from brrkit import (
    BudgetError,
    Counts,
    CountsSetting,
    Memory,
    MemoryFileError,
    OutOfVocabularyError,
    ParameterError,
    PrivacyBudget,
    Privatizer,
    Reporter,
    WordBundle,
    state_file,
)
from brrkit.memory import MemoryKey
from brrkit.period import Instant, device_clock
from brrkit.setting import Setting

SECRET = "zorblaxian"
LATER = 10**6  # seconds


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def memory(file: Path, clock: Clock) -> Memory:
    return Memory(HOUR, file, clock=clock)


def line_of(number: int, key: str, rest: str = '"elapsed": 0, "latest": 0') -> bytes:
    fields = (
        f'{{"format": "brr-memory", "format_version": 1, "number": {number}, "key": "{key}", '
        f'{rest}, "boot": "", "uptime": 0'
    )
    return f'{fields}, "sha256": "{hashlib.sha256(fields.encode()).hexdigest()}"}}\n'.encode()


# --- the first draws


@pytest.mark.parametrize("sizes", [[100], [1, 31, 32, 36], [33, 67], [8] * 12 + [4]])
def test_the_stream_is_the_same_however_it_is_read(sizes: list[int]) -> None:
    draw = MemoryKey(1, bytes(32)).draw("u", (b"brr", b""), "a")
    whole, read = draw.source()(100), draw.source()
    assert b"".join(map(read, sizes)) == whole
    assert len({whole[i : i + 4] for i in range(0, 100, 4)}) == 25


# --- a word's draws


@pytest.mark.parametrize("mechanism", ["brr", "vickrey", "exponential"])
def test_a_word_is_drawn_the_same_for_a_period(
    bundle64: WordBundle, memory: Memory, clock: Clock, mechanism: str
) -> None:
    """At an epsilon that keeps nothing, beside a second draw that changes nothing."""

    def release(privatizer: Privatizer) -> list[str]:
        return privatizer.words(words)

    words = [bundle64.vocabulary.word(i) for i in range(30)] + [SECRET, "hello, world", ""]
    # Parameters with which a first draw gives any word, and a second one doesn't change it.
    exponential = {"radius": 0, "base": "uniform"}
    parameters = {"brr": {}, "vickrey": {"t": 0.0}, "exponential": exponential}[mechanism]
    privatizer = Privatizer(
        bundle64, Setting(0.01, mechanism, parameters), memory=memory, second_epsilon=22
    )
    first = release(privatizer)
    assert len(set(first)) > 25
    assert [release(privatizer) for _ in range(5)] == [first] * 5
    assert privatizer.words(words[::-1]) == first[::-1]
    assert privatizer.word(words[3].upper()) == first[3]
    clock.pass_(HOUR - 0.001)
    assert release(privatizer) == first
    clock.pass_(0.001)
    second = release(privatizer)
    assert sum(a == b for a, b in zip(first, second, strict=True)) < 5
    assert release(privatizer) == second


def test_the_second_draws_are_fresh(bundle64: WordBundle, memory: Memory) -> None:
    privatizer = Privatizer(bundle64, Setting(1), memory=memory, second_epsilon=0.1)
    assert len(set(privatizer.words(["the"] * 100))) > 50


def test_second_epsilon_is_twice_the_first_by_default(bundle64: WordBundle, memory: Memory) -> None:
    for epsilon, expected in ((0.25, 0.5), (20, 22.18)):
        second = Privatizer(bundle64, Setting(epsilon), memory=memory)._second
        assert second is not None
        assert second.epsilon == expected


def test_a_recommended_setting_draws_twice_by_its_mechanism(
    bundle_of: Callable[..., WordBundle], memory: Memory
) -> None:
    bundle = bundle_of([0, 3, 5])
    setting = {"mechanism": "vickrey", "epsilon": 0.25, "parameters": {"t": 0.3}, "goal": ""}
    privatizer = Privatizer(
        replace(bundle, manifest={**bundle.manifest, "recommended": setting}),
        memory=memory,
    )
    assert privatizer._second is not None
    assert privatizer._second.setting[0] == b"vickrey"
    assert privatizer._second.epsilon == 0.5


@pytest.mark.parametrize("epsilon", [0, 23, "a"])
def test_bad_second_epsilons(bundle64: WordBundle, memory: Memory, epsilon: Any) -> None:
    with pytest.raises(ParameterError):
        Privatizer(bundle64, Setting(0.5), memory=memory, second_epsilon=epsilon)
    with pytest.raises(ParameterError, match="give a memory"):
        Privatizer(bundle64, Setting(0.5), second_epsilon=1)


def test_there_is_no_distribution_with_a_memory(bundle64: WordBundle, memory: Memory) -> None:
    privatizer = Privatizer(bundle64, Setting(0.5), memory=memory)
    with pytest.raises(ParameterError, match="memory"):
        privatizer.distribution("the")


def test_unknown_words_are_left_out_or_refused(bundle64: WordBundle, memory: Memory) -> None:
    drop = Privatizer(bundle64, Setting(5), oov="drop", memory=memory, second_epsilon=22)
    assert len(drop.words(["the", SECRET, "of"])) == 2
    with pytest.raises(OutOfVocabularyError, match="word 2 of 3"):
        Privatizer(bundle64, Setting(5), oov="error", memory=memory).words(["the", SECRET, "of"])


def test_half_a_surrogate_pair_is_a_word_like_any_other(
    bundle64: WordBundle, memory: Memory
) -> None:
    privatizer = Privatizer(bundle64, Setting(0.01), memory=memory, second_epsilon=22)
    assert len(privatizer.words(["a\ud800"] * 2)) == 2


# --- the budget


def test_a_budget_counts_every_release(
    bundle64: WordBundle, memory: Memory, tmp_path: Path
) -> None:
    budget = PrivacyBudget(100, 10**6, tmp_path / "budget")
    privatizer = Privatizer(bundle64, Setting(0.5), memory=memory, budget=budget)
    privatizer.words(["the", "THE", "of", SECRET, "the"])
    assert budget.remaining() == 97.5
    privatizer.word("the")
    assert budget.remaining() == 97


def patterns(count: int) -> list[list[int]]:
    """Return all ways in which ``count`` words can repeat, each as their numbers from 0."""
    if not count:
        return [[]]
    return [[*first, i] for first in patterns(count - 1) for i in range(len({*first}) + 1)]


def shown(
    bundle: WordBundle, words: list[str], way: str, limit: float, folder: Path
) -> list[object]:
    """Return what shows of the releases of ``words``, but which words come out.

    Args:
        bundle: with which they are released.
        words: what is typed, in order.
        way: what is called; ``again`` is ``word``, each time by another process.
        limit: of the budget.
        folder: where the files are; an empty one.
    """
    seen: list[object] = []
    clock = Clock()

    def started() -> tuple[PrivacyBudget, Privatizer, Reporter]:
        budget = PrivacyBudget(limit, HOUR, folder / "budget", clock=clock)
        memory = Memory(HOUR, folder / "memory", clock=clock)
        counts = Counts(bundle, CountsSetting(0.5, 9), memory=memory)
        privatizer = Privatizer(bundle, Setting(0.5), memory=memory, budget=budget)
        return budget, privatizer, Reporter(counts, budget=budget)

    budget, privatizer, reporter = started()
    stream = privatizer.stream()
    for word in [*words, words[0]]:
        if way == "again":
            budget, privatizer, reporter = started()
        try:
            match way:
                case "words":
                    seen.append(len(privatizer.words(words)))
                case "text":
                    seen.append(len(privatizer.text(" ".join(words)).split()))
                case "texts":
                    seen.append(len(privatizer.texts([word, "", " ".join(words)])))
                case "stream":
                    seen.append(stream.word(word) is None)
                case "reports":
                    reporter.add([word])
                case _:
                    seen.append(privatizer.word(word) is None)
        except BudgetError as error:
            seen.append((str(error), error.left, error.renews_in))
        seen += [budget.remaining(), budget.words_left(0.5, unit=bundle.digest)]
        seen += [len(file.read_bytes()) for file in sorted(folder.iterdir())]
        clock.pass_(1)
    for file in folder.iterdir():
        file.unlink()
    return seen


@pytest.mark.parametrize("way", ["word", "again", "words", "text", "texts", "stream", "reports"])
def test_a_refusal_depends_on_the_number_of_releases_alone(
    bundle64: WordBundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """In all patterns of repeats: what is refused, is left, and is stored.

    Of up to five words one by one, and of up to four in a call, each of which is released alike.
    """
    monkeypatch.setattr(os, "fsync", lambda _: None)
    some = ["the", SECRET, "of", f"{SECRET}s", "and"]
    for count in range(1, 6 if way == "word" else 5):
        for limit in (0.5, 0.5 * max(count - 1, 1), 0.5 * count, 0.5 * count + 0.25):
            seen = [
                shown(bundle64, [some[i] for i in pattern], way, limit, tmp_path)
                for pattern in patterns(count)
            ]
            assert seen == seen[:1] * len(seen)
            assert any(isinstance(what, tuple) for what in seen[0])  # something is refused


# --- the file


def test_the_file_is_made_by_the_first_release(
    bundle64: WordBundle, memory: Memory, file: Path, clock: Clock
) -> None:
    privatizer = Privatizer(bundle64, Setting(0.5), memory=memory)
    assert not file.exists()
    privatizer.word(SECRET)
    content = file.read_bytes()
    rest = '"elapsed": 0, "latest": 1700000000000'
    key = memory.key()
    expected = line_of(1, key.secret.hex(), rest)
    assert content[:175] == expected[:175]
    assert len(key.secret) == 32
    assert b'"boot": "a", "uptime": 500000' in content
    clock.pass_(0.01)
    privatizer.words([SECRET, "the"])
    assert file.read_bytes() == content  # no use leaves a trace


def test_nothing_typed_and_no_key_is_shown_or_stored(
    bundle64: WordBundle, memory: Memory, file: Path, tmp_path: Path
) -> None:
    privatizer = Privatizer(bundle64, Setting(0.5), memory=memory)
    privatizer.words([SECRET, "the"])
    key = memory.key()
    draw = key.draw(bundle64.digest, privatizer.mechanism.setting, None)
    for shown in map(repr, (memory, key, draw, privatizer, (key, [draw]))):
        assert key.secret.hex() not in shown
        assert repr(key.secret)[2:10] not in shown
        assert SECRET not in shown
    for path in tmp_path.iterdir():
        assert SECRET.encode() not in path.read_bytes()


def test_every_period_has_a_key_of_its_own(memory: Memory, file: Path, clock: Clock) -> None:
    secrets = []
    for number in range(1, 6):
        assert memory.key().number == number
        secrets.append(memory.key().secret)
        assert secrets[-1].hex() in file.read_text()
        clock.pass_(HOUR)
    assert len(set(secrets)) == 5
    memory.key()
    left = "".join(path.read_text() for path in file.parent.iterdir())
    assert not any(secret.hex() in left for secret in secrets)


def test_keys_are_the_system_s(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.urandom", lambda size: bytes(range(100, 100 + size)))
    assert memory.key().secret == bytes(range(100, 132))


def test_a_period_is_counted_as_a_budget_s(memory: Memory, clock: Clock) -> None:
    first = memory.key().secret
    start = clock.now
    clock.now = start + LATER  # the clock is set: nothing
    assert memory.key().secret == first
    clock.now, clock.up = start - LATER, clock.up + 1
    assert memory.key().secret == first
    clock.now, clock.up, clock.boot = start + HOUR / 2, 1, "b"  # half an hour off
    assert memory.key().secret == first
    clock.now, clock.up = start + LATER, 2  # counted already
    assert memory.key().secret == first
    clock.up = 1 + HOUR / 2
    assert memory.key().secret != first


def test_another_object_and_a_deleted_file(memory: Memory, file: Path, clock: Clock) -> None:
    first = memory.key().secret
    assert Memory(HOUR, file, clock=clock).key().secret == first
    file.unlink()
    assert memory.key().secret != first


def test_no_damage_gives_another_key(
    bundle64: WordBundle, memory: Memory, file: Path, clock: Clock
) -> None:
    """Every flipped bit, cut and doubled byte of a real file stops releases and changes nothing."""
    memory.key()
    line = file.read_bytes()
    flipped = [
        line[:i] + bytes([line[i] ^ 1 << bit]) + line[i + 1 :]
        for i in range(len(line))
        for bit in ((i * 5) % 8, 0)
    ]
    cut = [line[:i] for i in range(0, len(line), 7)] + [line + b"\n", line * 9, b"\0" * 10_000]
    signed = [line_of(0, "ab" * 32), line_of(1, "ab" * 31), line_of(1, "AB" * 32)]
    signed += [line_of(1, "ab" * 32, rest) for rest in ('"elapsed": -1, "latest": 0', '"x": 0')]
    privatizer = Privatizer(bundle64, Setting(0.5), memory=memory)
    for damaged in flipped + cut + signed:
        file.write_bytes(damaged)
        with pytest.raises(MemoryFileError, match="nothing is released until it is restored"):
            privatizer.word("the")
        assert file.read_bytes() == damaged
    file.write_bytes(line)
    memory.key()


def test_the_largest_numbers_are_no_exception(memory: Memory, file: Path) -> None:
    largest = 10**15 - 1
    file.write_bytes(line_of(largest, "ab" * 32, f'"elapsed": {largest}, "latest": {largest}'))
    for _ in range(2):
        assert memory.key().number == largest
    assert memory.key().secret != bytes.fromhex("ab" * 32)


def test_a_key_that_can_t_be_stored_isn_t_used(
    bundle64: WordBundle,
    memory: Memory,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    def fails(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(state_file.os, "fsync", fails)
        with pytest.raises(MemoryFileError, match="can't be written"):
            Privatizer(bundle64, Setting(0.5), memory=memory).word("the")
    assert not file.exists()
    with pytest.raises(MemoryFileError, match="missing"):
        Memory(1, tmp_path / "missing" / "memory").key()


# --- threads and processes


def test_threads_get_one_key(memory: Memory, in_8_threads: Callable[..., None]) -> None:
    found = []
    in_8_threads(lambda _: found.extend(memory.key().secret for _ in range(20)))
    assert len(found) == 160
    assert len(set(found)) == 1


def hurried() -> Instant:
    """Tell a time that passes twenty times as fast: so a second has many periods."""
    now = device_clock()
    return now._replace(time=20 * now.time, uptime=20 * now.uptime)


def test_processes_get_one_key_for_a_period(file: Path, tmp_path: Path) -> None:
    """Four processes begin at once, and live through a dozen periods, however long that takes."""
    children = []
    for place in range(4):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                memory = Memory(0.3 + 0.7, file, clock=hurried)
                number = 0
                with (tmp_path / f"keys-{place}").open("w") as keys:
                    while number < 12:
                        key = memory.key()
                        number = key.number
                        print(number, key.secret.hex(), file=keys)
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    keys: dict[str, set[str]] = {}
    for place, child in enumerate(children):
        assert os.waitpid(child, 0)[1] == 0
        for line in (tmp_path / f"keys-{place}").read_text().splitlines():
            number, secret = line.split()
            keys.setdefault(number, set()).add(secret)
    assert keys.keys() >= set(map(str, range(1, 13)))  # who makes a key notes it
    assert all(len(secrets) == 1 for secrets in keys.values())


def test_killed_at_any_instant_a_key_that_was_used_is_the_file_s(
    file: Path, run_python: Callable[..., str]
) -> None:
    """A process uses keys of very short periods, and is killed; what it used last is stored."""
    for attempt in range(12):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                clock = Clock()
                memory = Memory(1, file, clock=clock)
                while True:
                    clock.pass_(1)
                    os.write(write, b"%d " % memory.key().number)
            finally:
                os._exit(1)
        os.close(write)
        time.sleep(0.02 + 0.005 * attempt)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        used = b""
        while part := os.read(read, 65536):
            used += part
        os.close(read)
        if used:
            stored = Memory(10**9, file, clock=Clock()).key().number
            assert stored >= int(used.split()[-1])


def test_a_forked_process_has_the_same_first_draws_and_its_own_second(
    bundle64: WordBundle, memory: Memory
) -> None:
    words = [bundle64.vocabulary.word(i) for i in range(40)]
    first = Privatizer(
        bundle64, Setting(0.01, parameters={"radius": 0}), memory=memory, second_epsilon=22
    )
    second = Privatizer(bundle64, Setting(20), memory=memory, second_epsilon=0.01)
    read, write = os.pipe()
    child = os.fork()
    released = f"{first.words(words)}\n{second.words(words)}"
    if child == 0:
        os.write(write, released.encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(write)
    theirs = os.read(read, 65536).decode().split("\n")
    os.close(read)
    ours = released.split("\n")
    assert ours[0] == theirs[0]
    assert ours[1] != theirs[1]
