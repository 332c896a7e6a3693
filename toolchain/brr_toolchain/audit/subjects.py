"""What is audited: a mechanism of the runtime, or whatever a factory makes."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brr_runtime import Bundle, ParameterError, Privatizer
from brr_toolchain.audit.errors import AuditError
from brr_toolchain.audit.instances import Instance

Output = str | NDArray[np.float32] | None
"""A word, a vector [d], or None where a word outside the vocabulary was refused."""

Draw = Callable[[str, int], list[Output]]
"""Returns what comes out for a word, so many times in a row."""

_MESSAGE = 200  # characters of somebody else's exception


@dataclass(frozen=True)
class Subject:
    """Names the audited code, so that another process can make it again.

    Attributes:
        mechanism: a name from ``brr_runtime.mechanisms.MECHANISMS``; or None.
        parameters: of the mechanism.
        factory: "module:function", in place of a mechanism.
    """

    mechanism: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    factory: str = ""

    def __str__(self) -> str:
        if self.mechanism is None:
            return self.factory
        given = ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
        return f"{self.mechanism} ({given})" if given else self.mechanism

    def prepare(self, instance: Instance) -> Draw:
        """Make the audited code on ``instance``: the runtime's production path, or a factory's.

        What is drawn from a factory's callable is checked: for a word of the instance it must
        return a string, or with vectors a vector of the same length every time, finite in float32.
        For another word it may also raise or return None.

        Raises:
            AuditError: the factory can't be imported, raises, or returns no callable.
            ParameterError: the mechanism or a parameter is unknown or out of range.
        """
        if self.mechanism is None:
            return _draw_from(_make(self.factory, instance), self.factory, instance)
        assert instance.bundle is not None
        bundle = Bundle.open(instance.bundle)
        privatizer = Privatizer(
            bundle, instance.epsilon, mechanism=self.mechanism, **self.parameters
        )
        return lambda word, count: list(privatizer.words([word] * count))


def _make(name: str, instance: Instance) -> Callable[[str], Any]:
    """Call the factory "module:function"; modules of the current directory are found, too."""
    module_name, _, function = name.partition(":")
    if not module_name or not function:
        raise ParameterError(f"factory {name!r} isn't of the form module:function")
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
        given = [Bundle.open(instance.bundle), *given]
    elif instance.vectors is not None:
        given = [list(instance.words), instance.vectors.copy(), *given]
    try:
        release: Any = factory(*given)
    except (Exception, SystemExit) as error:
        raise AuditError(f"{name}: the factory raised {_described(error)}") from None
    if not callable(release):
        raise AuditError(f"{name}: the factory returned {_kind(release)}, not a callable")
    made: Callable[[str], Any] = release
    return made


def _draw_from(release: Callable[[str], Any], name: str, instance: Instance) -> Draw:
    known = set(instance.words)
    shape: tuple[int, ...] | None = None  # of the first output; () for a word

    def draw_one(word: str) -> Output:
        nonlocal shape
        try:
            output = release(word)
        except (Exception, SystemExit) as error:
            if word not in known:
                return None
            raise AuditError(f"{name}: raised {_described(error)} for the word {word!r}") from None
        if output is None and word not in known:
            return None
        checked: Output = output if isinstance(output, str) else None
        if checked is None and instance.vectors is not None:
            checked = _as_vector(output)
        if checked is None:
            wanted = "a string" if instance.vectors is None else "a string or a vector of numbers"
            raise AuditError(
                f"{name}: returned {_kind(output)} for the word {word!r}, not {wanted}"
            )
        if not isinstance(checked, str) and not np.isfinite(checked).all():
            raise AuditError(
                f"{name}: returned a vector for the word {word!r} that has a value that is NaN, "
                "infinite or beyond float32"
            )
        found = () if isinstance(checked, str) else checked.shape
        if shape is None:
            shape = found
        if found != shape:
            raise AuditError(
                f"{name}: returned {_described_shape(found)} for the word {word!r} after "
                f"{_described_shape(shape)}; all outputs must be of one kind"
            )
        return checked

    return lambda word, count: [draw_one(word) for _ in range(count)]


def _as_vector(output: object) -> NDArray[np.float32] | None:
    try:
        array = np.asarray(output)
    except Exception:  # whatever a foreign type makes of it
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
