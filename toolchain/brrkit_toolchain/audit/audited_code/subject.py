"""The audited code: a mechanism of the runtime, or a factory's callable. Runs in a worker."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from brrkit import ParameterError, Privatizer, Stream, WordBundle
from brrkit.mechanisms.exponential import BIGRAM
from brrkit.setting import Setting
from brrkit.tokenizer import tokenize
from brrkit_toolchain.audit.audited_code.recorder import record_random_bytes
from brrkit_toolchain.audit.errors import AuditError
from brrkit_toolchain.audit.inputs import TOKENS
from brrkit_toolchain.audit.instances import Instance

Output = str | NDArray[np.float32] | None
"""A word or a text, a vector [d], or None for a refused word outside the vocabulary."""

_MESSAGE = 200  # characters shown of an exception's message


class AuditedCode(Protocol):
    """The audited code on one instance."""

    def words(self, words: Sequence[str]) -> list[Output]:
        """Return the output for each word; in one call, if the code can do that.

        What a mechanism of the runtime computes for a word without random bytes is computed once
        for all draws of the word in a row.
        """
        ...

    def calls(self, words: Sequence[str]) -> list[Output]:
        """The same, a call for each word, in which an app's code computes everything."""
        ...

    def texts(self, texts: Sequence[str]) -> list[Output]:
        """Return the output for each text, a call for each, computed as for ``words``."""
        ...

    def streams(self, texts: Sequence[str]) -> list[Output]:
        """The same, released word by word, if the code can do that."""
        ...

    def about(self, modes: Sequence[str]) -> list[Output]:
        """Return the ``modes`` (names of these methods) that the audited code supports."""
        ...

    def source(self, words: Sequence[str]) -> list[Output]:
        """Return the source of random bytes, and the bytes of each call, in hexadecimal.

        The source is "system", "other", or "unknown" for a factory's code. The calls are one for
        each of ``words``, then one with all of them. Only the bytes that brrkit's runtime draws are
        seen.
        """
        ...


@dataclass(frozen=True)
class Subject:
    """A description of the audited code, with which another process creates it.

    Attributes:
        mechanism: a name from ``brrkit.mechanisms.MECHANISMS``; or None.
        parameters: parameters of the mechanism.
        factory: "module:function", instead of a mechanism.
    """

    mechanism: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    factory: str = ""

    def __str__(self) -> str:
        if self.mechanism is None:
            return self.factory
        given = ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
        return f"{self.mechanism} ({given})" if given else self.mechanism

    def make(self, instance: Instance) -> AuditedCode:
        """Make the audited code on ``instance``: the runtime's production path, or a factory's.

        The outputs of a factory's callable are checked. For a word of the instance, it must return
        a string or, with vectors, a vector that always has the same length and is finite in
        float32. For another word, it may also raise an error or return None.

        Raises:
            AuditError: the factory can't be imported, raises, or returns no callable.
            ParameterError: the mechanism or a parameter is unknown or out of range.
        """
        if self.mechanism is None:
            return _Foreign(_call(self.factory, instance), self.factory, instance)
        return _Own(self.mechanism, self.parameters, instance)


class _Own:
    """A mechanism, used in the way of an app, but for ``reading_once`` and ``preparing_once``."""

    def __init__(self, mechanism: str, parameters: Mapping[str, Any], instance: Instance) -> None:
        setting = instance.setting
        if setting is None:
            if parameters.get("cap") is not None:
                parameters = {**parameters, "cap": instance.cap}
            setting = Setting(instance.epsilon, mechanism, parameters)
        self._privatizer = Privatizer(_opened(instance), setting)
        self._reading = reading_once(self._privatizer)
        self._history = getattr(self._privatizer.mechanism, "base", None) == BIGRAM

    def words(self, words: Sequence[str]) -> list[Output]:
        privatizer = preparing_once(self._reading)
        if self._history:  # words of one call form one text, and aren't drawn independently
            return [privatizer.word(word) for word in words]
        return list(privatizer.words(words))

    def calls(self, words: Sequence[str]) -> list[Output]:
        return [self._privatizer.word(word) for word in words]

    def texts(self, texts: Sequence[str]) -> list[Output]:
        privatizer = preparing_once(self._reading)
        return [privatizer.text(text) for text in texts]

    def streams(self, texts: Sequence[str]) -> list[Output]:
        privatizer, cut = preparing_once(self._reading), lru_cache(maxsize=1)(tokenize)
        return [" ".join(_streamed(privatizer.stream(), cut(text))) for text in texts]

    def about(self, modes: Sequence[str]) -> list[Output]:
        return [mode for mode in modes if hasattr(self, mode)]

    def source(self, words: Sequence[str]) -> list[Output]:
        alone: list[Callable[[], object]] = [partial(self._privatizer.word, word) for word in words]
        sources, taken = record_random_bytes([*alone, partial(self._privatizer.words, list(words))])
        return ["system" if all(source is os.urandom for source in sources) else "other", *taken]


def _streamed(stream: Stream, tokens: Sequence[str]) -> Iterator[str]:
    return (str(stream.word(token)) for token in tokens)


def reading_once(privatizer: Privatizer) -> Privatizer:
    """Return a copy that reads a text once for all its draws in a row, and few words once.

    Only the tokenizer is replaced, which takes no random bytes. So the same code draws, with the
    same random bytes.
    """
    once = copy(privatizer)
    tokenizer = once._tokenizer = copy(privatizer._tokenizer)
    vars(tokenizer)["read"] = lru_cache(maxsize=1)(tokenizer.read)
    vars(tokenizer)["look_up"] = lru_cache(maxsize=TOKENS)(tokenizer.look_up)
    return once


def preparing_once(privatizer: Privatizer) -> Privatizer:
    """Return a copy that prepares a word once for all its draws in a row.

    Only the mechanism's ``prepare``, if it has one, is replaced. So the same code draws, with the
    same random bytes.
    """
    once, mechanism = copy(privatizer), privatizer.mechanism
    prepare: Callable[..., Any] | None = getattr(mechanism, "prepare", None)
    if prepare is None:
        return once
    last: tuple[Any, ...] = ()

    def prepared(code: NDArray[np.uint64], following: object) -> Any:
        nonlocal last
        content = code.tobytes()
        if not (last and last[0] == content and last[1] is following):
            last = content, following, prepare(code, following)
        return last[2]

    once.mechanism = copy(mechanism)
    vars(once.mechanism)["prepare"] = prepared
    return once


class _Foreign:
    """A factory's callable, with checks of its outputs."""

    def __init__(self, release: Callable[[str], Any], name: str, instance: Instance) -> None:
        self._release = release
        self._name = name
        self._known = frozenset(instance.words)
        self._vectors = instance.vectors is not None
        self._shape: tuple[int, ...] | None = None  # shape of the first output; () for a word

    def words(self, words: Sequence[str]) -> list[Output]:
        return [self._draw(word) for word in words]

    calls = words

    def texts(self, texts: Sequence[str]) -> list[Output]:
        release = self._release.text  # type: ignore[attr-defined]
        outputs: list[Output] = []
        for text in texts:
            try:
                output = release(text)
            except (Exception, SystemExit) as error:
                raise AuditError(
                    f"{self._name}: text raised {_described(error)} for {text!r}"
                ) from None
            if not isinstance(output, str):
                raise AuditError(
                    f"{self._name}: text returned {_kind(output)} for {text!r}, not a string"
                )
            outputs.append(output)
        return outputs

    streams = texts

    def about(self, modes: Sequence[str]) -> list[Output]:
        texts = callable(getattr(self._release, "text", None))
        return [mode for mode in modes if hasattr(self, mode) and (mode != "texts" or texts)]

    def source(self, words: Sequence[str]) -> list[Output]:
        together = self.texts if self.about(["texts"]) else self.words
        alone: list[Callable[[], object]] = [partial(self.calls, [word]) for word in words]
        _, taken = record_random_bytes([*alone, partial(together, [" ".join(words)])])
        return ["unknown", *taken]

    def _draw(self, word: str) -> Output:
        try:
            output = self._release(word)
        except (Exception, SystemExit) as error:
            if word not in self._known:
                return None
            raise AuditError(
                f"{self._name}: raised {_described(error)} for the word {word!r}"
            ) from None
        if output is None and word not in self._known:
            return None
        checked: Output = output if isinstance(output, str) else None
        if checked is None and self._vectors:
            checked = _as_vector(output)
        if checked is None:
            wanted = "a string or a vector of numbers" if self._vectors else "a string"
            raise AuditError(
                f"{self._name}: returned {_kind(output)} for the word {word!r}, not {wanted}"
            )
        if not isinstance(checked, str) and not np.isfinite(checked).all():
            raise AuditError(
                f"{self._name}: returned a vector for the word {word!r} that has a value that is "
                "NaN, infinite or beyond float32"
            )
        found = () if isinstance(checked, str) else checked.shape
        if self._shape is None:
            self._shape = found
        if found != self._shape:
            raise AuditError(
                f"{self._name}: returned {_described_shape(found)} for the word {word!r} after "
                f"{_described_shape(self._shape)}; all outputs must be of one kind"
            )
        return checked


def _call(name: str, instance: Instance) -> Callable[[str], Any]:
    """Call the factory "module:function"; modules in the current directory are found, too."""
    module_name, _, function = name.partition(":")
    if not module_name or not function:
        raise ParameterError(
            "the factory isn't of the form module:function; write it like noise:create"
        )
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        raise AuditError(f"{name}: the module can't be imported: {_described(error)}") from None
    factory = getattr(module, function, None)
    if not callable(factory):
        raise AuditError(f"{name}: the module has no function {function!r}; check the name")
    given: list[Any] = [instance.epsilon]
    if instance.bundle is not None:
        given = [_opened(instance), *given]
    elif instance.vectors is not None:
        given = [list(instance.words), instance.vectors.copy(), *given]
        given += [] if instance.delta is None else [instance.delta]
    try:
        release: Any = factory(*given)
    except (Exception, SystemExit) as error:
        raise AuditError(f"{name}: the factory raised {_described(error)}") from None
    if not callable(release):
        raise AuditError(f"{name}: the factory returned {_kind(release)}, not a callable")
    made: Callable[[str], Any] = release
    return made


_bundles: dict[Path, WordBundle] = {}


def _opened(instance: Instance) -> WordBundle:
    assert instance.bundle is not None
    if instance.bundle not in _bundles:
        _bundles[instance.bundle] = WordBundle.open(instance.bundle)
    return _bundles[instance.bundle]


def _as_vector(output: object) -> NDArray[np.float32] | None:
    try:
        array = np.asarray(output)
    except Exception:  # a foreign type may raise anything
        return None
    if array.ndim != 1 or not array.size or array.dtype.kind not in "fiu":
        return None
    with np.errstate(over="ignore"):
        return array.astype(np.float32)


def _described(error: BaseException) -> str:
    """Return an exception's type and message on one line."""
    message = " ".join(str(error).split())[:_MESSAGE]
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _described_shape(shape: tuple[int, ...]) -> str:
    return f"a vector of {shape[0]} numbers" if shape else "a string"


def _kind(value: object) -> str:
    return f"a value of type {type(value).__name__}"
