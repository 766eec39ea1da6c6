"""`polbias build` in any size, by any executor: what is shown of it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from rich.console import Console

from polbias.files import InputError
from polbias.locations import build_root

if TYPE_CHECKING:
    from polbias.scaling import Size
    from polbias.scaling.run import Run


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
    """Return the only name.

    Raises:
        InputError: if there is none, or more than one.
    """
    if not names or len(names) != 1:
        raise InputError(
            f"found {len(names or ())} names of datasets; the options of scale are for one dataset, such as "
            "normative-reasoning-xl"
        )
    return names[0]


def build_scaled(name: str, scale: Scale, out: str | None, templates: Path | None) -> None:
    """Build a dataset in shards and say what was done.

    Args:
        name: the dataset.
        scale: how much and by whom.
        out: folder or address; ``scaled`` beside the folder of builds if None.
        templates: a template folder of the user's own.

    Raises:
        PolbiasError: if an option is wrong, or something cannot be written.
    """
    from polbias.cli.scale_progress import Shown
    from polbias.scaling import EXECUTORS, Resources, build_at_scale
    from polbias.scaling.contract import scalable

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
    """Return an executor's name.

    Raises:
        InputError: if there is none of that name.
    """
    from polbias.scaling import EXECUTORS

    if name not in EXECUTORS:
        raise InputError(f"--executor: found {name!r}, expected one of {', '.join(EXECUTORS)}")
    return name


def prepared(console: Console, name: str, scale: Scale, out: str | None, templates: Path | None) -> Run:
    """Return the run that options describe.

    Raises:
        PolbiasError: if there are not as many rows, or the number of shards is impossible.
    """
    from polbias.scaling.contract import scalable
    from polbias.scaling.run import plan_run

    publication = scalable(name)
    with console.status(f"{name}: reading templates and proving gold labels"):
        spec = publication.specify(templates, rows=scale.rows, fresh=scale.fresh)
        return plan_run(location(out), spec, scale.size, scale.shards)


def location(out: str | None) -> str:
    """Return the folder or address that holds builds: the one that is given, else ``scaled`` beside those."""
    place = out or str(build_root().parent / "scaled")
    return place if "://" in place else str(Path(place).absolute())  # a worker may start in another folder


def _logs(run: Run) -> Path:
    from polbias.scaling.places import LocalPlace

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
