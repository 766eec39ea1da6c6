"""How a build in shards gets on: rows, shards and rate, from the markers that workers leave."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from polbias.files import PolbiasError

if TYPE_CHECKING:
    from polbias.scaling.run import Run

_LOCAL_EVERY, _REMOTE_EVERY = 0.5, 5.0  # seconds between looks at what is complete


@dataclass
class Shown:
    """Shows a build on the console."""

    console: Console
    _status: Any = field(default=None)

    def checking(self) -> None:
        """Say that what is there is being hashed."""
        self._say("hashing what is there")

    def merging(self) -> None:
        """Say that all shards are there."""
        self._say("merging: hashes, card and manifest")

    def close(self) -> None:
        """Take away what is shown."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    @contextmanager
    def making(self, run: Run, kept: int) -> Iterator[None]:
        """Show a progress bar while shards are made; `kept` of them are there already."""
        self.close()
        if kept:
            self.console.print(f"{kept} of {len(run.slices)} shards are there and whole")
        columns = (
            TextColumn("{task.completed:,.0f} of {task.total:,.0f} rows"),
            BarColumn(),
            TextColumn("{task.fields[shards]} shards, {task.fields[rate]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=self.console, transient=True) as progress:
            task = progress.add_task("", total=run.rows, shards=f"{kept}/{len(run.slices)}", rate="")
            ended = threading.Event()
            follower = threading.Thread(target=_follow, args=(run, progress, task, ended), daemon=True)
            follower.start()
            try:
                yield
            finally:
                ended.set()
                follower.join()

    def _say(self, what: str) -> None:
        self.close()
        self._status = self.console.status(what)
        self._status.start()


def _follow(run: Run, progress: Progress, task: Any, ended: threading.Event) -> None:
    """Bring a progress bar up to date until all is made; whoever makes the shards leaves markers."""
    from polbias.scaling.places import LocalPlace
    from polbias.scaling.shards import marked

    where = run.where
    began, first = time.perf_counter(), None
    while not ended.wait(_LOCAL_EVERY if isinstance(where, LocalPlace) else _REMOTE_EVERY):
        try:
            done = marked(where, run.slices)
        except (PolbiasError, OSError):
            continue  # a look that failed; what fails for good is said by who makes the shards
        rows = sum(each.rows for each in done)
        first = rows if first is None else first
        rate = (rows - first) / (time.perf_counter() - began)
        progress.update(
            task, completed=rows, shards=f"{len(done)}/{len(run.slices)}", rate=f"{rate:,.0f} rows/s"
        )
