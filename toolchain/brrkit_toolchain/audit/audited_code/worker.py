"""The process that runs the audited code: it sends draws, and nothing else.

The process that started it gives the verdict and the report, so audited code can't reach a pass by
ending, hanging or printing. Requests are lines of JSON on standard input. An answer is 8 bytes with
its length, a line of JSON, and the vectors if there are any, on the original standard output.
Audited code can neither print to it nor read the requests.
"""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from brrkit.errors import BrrError
from brrkit_toolchain.audit.audited_code.subject import AuditedCode, Output


def serve(setup: str) -> None:
    """Answer requests until there are no more.

    Args:
        setup: a file with the pickled subject and instances, written by the parent.
    """
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    subject, instances = pickle.loads(Path(setup).read_bytes())
    made: dict[int, AuditedCode] = {}
    for line in requests:
        number, mode, anew, inputs = json.loads(line)
        try:
            if anew or number not in made:
                made[number] = subject.make(instances[number])
            answer = encode(getattr(made[number], mode)(inputs))
        except BrrError as error:
            answer = json.dumps({"error": type(error).__name__, "message": str(error)}).encode()
        answers.write(len(answer).to_bytes(8, "little") + answer)
        answers.flush()


def encode(outputs: Sequence[Output]) -> bytes:
    """Return the answer that carries ``outputs``."""
    vectors = [output for output in outputs if isinstance(output, np.ndarray)]
    if not vectors:
        return json.dumps({"words": list(outputs)}).encode()
    refused = [i for i, output in enumerate(outputs) if output is None]
    head = {"count": len(outputs), "refused": refused, "dimensions": len(vectors[0])}
    return json.dumps(head).encode() + b"\n" + np.stack(vectors).astype("<f4").tobytes()


def decode(answer: bytes) -> tuple[list[Output], dict[str, Any] | None]:
    """Return the content of an answer: outputs, or an error with its type and message.

    Raises:
        ValueError: the answer isn't from ``encode``.
    """
    line, _, rest = answer.partition(b"\n")
    try:
        head = json.loads(line)
        if "message" in head:
            return [], {"error": str(head["error"]), "message": str(head["message"])}
        if "words" in head:
            if {*map(type, head["words"])} <= {str, type(None)}:
                return list(head["words"]), None
            raise ValueError
        dimensions, refused = int(head["dimensions"]), frozenset(head["refused"])
        rows = iter(np.frombuffer(rest, "<f4").reshape(-1, dimensions))
        outputs = [None if i in refused else next(rows) for i in range(int(head["count"]))]
    except (ValueError, KeyError, TypeError, StopIteration):
        raise ValueError("not an answer") from None
    return outputs, None
