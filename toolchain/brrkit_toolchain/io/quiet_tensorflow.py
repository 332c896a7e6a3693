"""TensorFlow, without the messages of its libraries at import."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def import_tensorflow() -> Any:
    """Return the module ``tensorflow``; the first import takes seconds."""
    if "tensorflow" not in sys.modules:
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")  # the same sums in the same order
        with _silent_stderr():
            import tensorflow
    import tensorflow

    return tensorflow


@contextmanager
def _silent_stderr() -> Iterator[None]:
    # C++ prints the messages before it reads its log levels, so only the descriptor stops them.
    sys.stderr.flush()
    saved = os.dup(2)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(nothing)
