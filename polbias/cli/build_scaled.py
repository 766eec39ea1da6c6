"""`polbias build` in any size, by any executor: plan, progress and result."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from polbias.files import InputError, PolbiasError, build_root
from polbias.manifest import read_lock

if TYPE_CHECKING:
    from polbias.scaling import Size
    from polbias.scaling.plan import Plan
    from polbias.scaling.run import Run


# `polbias build` in any size, by any executor: what is shown of it.


@dataclass(frozen=True)
class Scale:
    """The options of `polbias build` beyond those of a plain build.

    Attributes:
        rows: of the whole dataset; None for as many as are published.
        fresh: whether they are ones that the published dataset does not hold.
        shards: how many in all; None for as few as possible.
        executor: a name in `polbias.scaling.EXECUTORS`.
        workers: how many shards are made at a time.
        options: KEY=VALUE for the executor.
        logs: folder of the executor's logs; None for one in the run's folder.
    """

    rows: int | None = None
    fresh: bool = False
    shards: int | None = None
    executor: str = "inprocess"
    workers: int = 1
    options: Sequence[str] = ()
    logs: Path | None = None

    @property
    def size(self) -> Size:
        """How much of a dataset is built."""
        from polbias.scaling import Size

        return Size(self.rows, self.fresh)


def one_name(names: Sequence[str] | None) -> str:
    """Return the only name."""
    if not names or len(names) != 1:
        raise InputError(
            f"found {len(names or ())} names of datasets; the options of scale are for one dataset, such as "
            "normative-reasoning-xl"
        )
    return names[0]


def build_scaled(name: str, scale: Scale, out: str | None, templates: Path | None) -> None:
    """Build a dataset in shards and say what was done."""
    from polbias.scaling import EXECUTORS, Resources, build_at_scale
    from polbias.scaling.run import scalable

    console = Console()
    started = time.perf_counter()
    executor = EXECUTORS[checked_executor(scale.executor)]
    run = prepared(console, name, scale, out, templates)
    resources = Resources(scale.workers, scale.logs or _logs(run), _options(scale.options))
    watcher = Shown(console)
    try:
        done = build_at_scale(run, scalable(name), executor, resources, watcher, templates)
    finally:
        watcher.close()
    seconds = time.perf_counter() - started
    manifest = done.manifest
    console.print(
        f"[bold]{manifest.dataset} {manifest.version}[/]: {manifest.rows:,} rows in {len(run.slices):,} "
        f"shards, {done.made:,} made, {done.kept:,} kept, {seconds:.1f} s"
    )
    console.print(f"in {done.url}", soft_wrap=True, highlight=False)


def checked_executor(name: str) -> str:
    """Return an executor's name."""
    from polbias.scaling import EXECUTORS

    if name not in EXECUTORS:
        raise InputError(f"--executor: found {name!r}, expected one of {', '.join(EXECUTORS)}")
    return name


def prepared(console: Console, name: str, scale: Scale, out: str | None, templates: Path | None) -> Run:
    """Return the run that options describe."""
    from polbias.scaling.run import plan_run, scalable

    publication = scalable(name)
    with console.status(f"{name}: reading templates and proving gold labels"):
        spec = publication.specify(templates, rows=scale.rows, fresh=scale.fresh)
        return plan_run(location(out), spec, scale.size, scale.shards)


def location(out: str | None) -> str:
    """Return the folder or address that holds builds: the one that is given, else ``scaled`` beside those."""
    place = out or str(build_root().parent / "scaled")
    return place if "://" in place else str(Path(place).absolute())  # a worker may start in another folder


def _logs(run: Run) -> Path:
    from polbias.scaling.storage import LocalPlace

    where = run.where
    attempt = f"{time.strftime('%Y%m%d-%H%M%S')}-{run.mark[:8]}"
    if isinstance(where, LocalPlace):
        return where.folder / ".run" / "logs" / attempt
    return build_root().parent / "scaled" / ".logs" / run.spec.name / attempt


def _options(given: Sequence[str]) -> Mapping[str, Any]:
    found = {}
    for option in given:
        key, equals, value = option.partition("=")
        if not equals or not key.strip():
            raise InputError(f"--option: found {option!r}, expected KEY=VALUE, such as partition=cpu")
        # Only whole numbers and flags are anything but text: YAML would read 01:30:00 as a number.
        plain = value.strip()
        found[key.strip()] = yaml.safe_load(plain) if plain.isdigit() or plain in ("true", "false") else plain
    return found


# `polbias build --plan`: what a build would take.

_UNITS = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))


def print_plan(
    name: str,
    scale: Scale,
    out: str | None,
    templates: Path | None,
    price: float | None = None,
    measure: bool = False,
) -> None:
    """Print what a build would take; nothing is built."""
    from polbias.scaling.plan import estimate, load_stored, plan, tables
    from polbias.scaling.run import cut_tables
    from polbias.scaling.storage import LocalPlace, place

    console = Console()
    executor = checked_executor(scale.executor)
    stored = None if measure or templates else load_stored()
    known = stored.datasets.get(name) if stored else None
    if stored and known and known.version == read_lock()[name].version:
        where = place(location(out), name)
        made, measured = tables(known, scale.size)
        slices = cut_tables(made, scale.shards)
        found = estimate(slices, measured, executor, scale.workers, not isinstance(where, LocalPlace))
        version, conditions = known.version, stored.conditions
    else:
        run = prepared(console, name, scale, out, templates)
        where, version, conditions = run.where, run.spec.version, "this machine, now"
        found = plan(run, executor, scale.workers)
    table = Table(box=None, show_header=False, pad_edge=False)
    for what, value in _lines(found, scale, price, conditions):
        table.add_row(what, value)
    console.print(f"[bold]{name} {version}[/], into {where.url}", soft_wrap=True, highlight=False)
    console.print(table)
    console.print(f"start-up and cost of a shard: {found.profile.source}", soft_wrap=True, highlight=False)
    cores = os.cpu_count() or 1
    if executor == "local" and scale.workers > cores:
        console.print(f"[yellow]{scale.workers} workers share {cores} cores here; it will take longer[/]")


def _lines(found: Plan, scale: Scale, price: float | None, conditions: str) -> list[tuple[str, str]]:
    lines = [
        ("rows", f"{found.rows:,}"),
        ("shards", f"{found.shards:,}"),
        ("size", _size(found.size)),
        ("rate of a worker", f"{found.rate:,.0f} rows/s, measured on: {conditions}"),
        (
            "time",
            f"{_time(found.making)} with {scale.workers} worker(s), then {_time(found.merging)} to merge",
        ),
        ("worker-hours", f"{found.worker_hours:,.3g}"),
    ]
    if price is not None:
        lines.append(("cost", f"{found.cost(price):,.2f} at {price:g} an hour"))
    return lines


def _size(count: float) -> str:
    for unit, name in _UNITS:
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count:.0f} bytes"


def _time(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min {rest} s"


# How a build in shards gets on: rows, shards and rate, from the markers that workers leave.

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
    from polbias.scaling.shards import marked
    from polbias.scaling.storage import LocalPlace

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
