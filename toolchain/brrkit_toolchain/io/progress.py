"""How far a command is: bars on a terminal; elsewhere, as in a log, a line now and then."""

from __future__ import annotations

import io
import sys
import time
from typing import Any

from tqdm import tqdm

SECONDS = 20.0
"""From one line to the next, and from the start of a process's first bar to its first line."""

_last: list[float] = []  # when the last line was printed, by any bar


class Progress(tqdm):  # type: ignore[type-arg]
    """A bar on a terminal. Elsewhere it prints a line where none was printed for 20 seconds."""

    def __init__(self, *arguments: Any, progress: bool = False, **options: Any) -> None:
        """Show nothing unless ``progress``; the rest is tqdm's."""
        self._lines = progress and not sys.stderr.isatty()
        if not progress:
            options["disable"] = True  # else TQDM_DISABLE decides
        elif self._lines:
            options |= {"mininterval": min(1.0, SECONDS), "file": io.StringIO(), "ncols": 80}
            if not _last:
                _last.append(time.monotonic())
        super().__init__(*arguments, **options)

    def display(self, msg: str | None = None, pos: int | None = None) -> None:
        """Show how far it is."""
        if not self._lines:
            super().display(msg, pos)
        elif time.monotonic() - _last[0] >= SECONDS:
            _last[0] = time.monotonic()
            print(str(self).strip(), file=sys.stderr, flush=True)
