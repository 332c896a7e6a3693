"""The progress of a command: bars on a terminal; elsewhere, such as in a log, occasional lines."""

from __future__ import annotations

import io
import sys
import time
from typing import Any

from tqdm import tqdm

SECONDS = 20.0
"""Time between lines, and from the start of a process's first bar to its first line."""

_last: list[float] = []  # when the last line was printed, by any bar


class Progress(tqdm):  # type: ignore[type-arg]
    """A bar on a terminal. Elsewhere, it prints a line if none was printed for 20 seconds.

    A bar that has printed a line also prints one when it finishes, at 100%. A bar that a ``with``
    statement ends without an error has finished, even if its total was only an estimate.
    """

    def __init__(self, *arguments: Any, progress: bool = False, **options: Any) -> None:
        """Show nothing without ``progress``; the other arguments are tqdm's."""
        self._lines = progress and not sys.stderr.isatty()
        self._printed: tuple[float, float | None] | None = None  # state of its last line
        if not progress:
            options["disable"] = True  # else TQDM_DISABLE decides
        elif self._lines:
            options |= {"mininterval": min(1.0, SECONDS), "file": io.StringIO(), "ncols": 80}
            if not _last:
                _last.append(time.monotonic())
        super().__init__(*arguments, **options)

    def __exit__(self, kind: Any, *rest: Any) -> None:
        """Close the bar."""
        if kind is None and self.total and 0 < self.n < self.total:
            self.total = self.n
        super().__exit__(kind, *rest)

    def close(self) -> None:
        """Show the end, if the bar has finished."""
        super().close()
        finished = self.total and self.n >= self.total
        if finished and self._printed not in (None, self._far):
            self._print()

    def display(self, msg: str | None = None, pos: int | None = None) -> None:
        """Show the progress."""
        if not self._lines:
            super().display(msg, pos)
        elif time.monotonic() - _last[0] >= SECONDS:
            self._print()

    @property
    def _far(self) -> tuple[float, float | None]:
        return self.n, self.total

    def _print(self) -> None:
        _last[0], self._printed = time.monotonic(), self._far
        print(str(self).strip(), file=sys.stderr, flush=True)
