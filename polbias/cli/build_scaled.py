"""`polbias build` in any size, by any executor: plan, progress and result."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from rich.console import Console
from rich.filesize import decimal
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

from polbias.files import InputError, PolbiasError, build_root

if TYPE_CHECKING:
    from polbias.scaling.run import Run

_LOCAL_EVERY, _REMOTE_EVERY = 0.5, 5.0  # seconds between looks at what is complete


def build_scaled(
    names: Sequence[str] | None,
    out: str | None,
    templates: Path | None,
    rows: int | None,
    shards: int | None,
    executor: str,
    workers: int,
    fresh: bool,
    lean: bool,
    option: Sequence[str],
    logs: Path | None,
    plan: bool,
) -> None:
    """Build a dataset in shards and say what was done, or say what there is to do."""
    from polbias.scaling.build import build_at_scale
    from polbias.scaling.executors import EXECUTORS, Resources
    from polbias.scaling.run import plan_run, scalable

    console = Console()
    started = time.perf_counter()
    if not names or len(names) != 1:
        raise InputError(
            f"found {len(names or ())} names of datasets; the options of scale are for one dataset, such as "
            "partisan-inference-xl"
        )
    if executor not in EXECUTORS:
        raise InputError(f"--executor: found {executor!r}, expected one of {', '.join(EXECUTORS)}")
    name, options, publication = names[0], _options(option), scalable(names[0])
    if lean and not publication.derived:
        raise InputError(f"--lean: no columns of {name} follow from others; leave it out")
    with console.status(f"{name}: reading templates and proving gold labels"):
        spec = publication.specify(templates, rows=rows, fresh=fresh)
        run = plan_run(_location(out), spec, rows, fresh, shards, publication.derived if lean else ())
    title = f"[bold]{name} {spec.version}[/]: {run.rows:,} rows in {len(run.slices):,} shards"
    if plan:
        console.print(f"{title}, about {decimal(run.size())}")
        console.print(f"into {run.url}", soft_wrap=True, highlight=False)
        return
    done = build_at_scale(
        run,
        publication,
        EXECUTORS[executor],
        Resources(workers, logs or _logs(run), options),
        templates,
        console.status,
        partial(_followed, console, run),
    )
    seconds = time.perf_counter() - started
    console.print(f"{title}, {done.made:,} made, {done.kept:,} kept, {seconds:.1f} s")
    console.print(f"in {done.url}", soft_wrap=True, highlight=False)


def _location(out: str | None) -> str:
    """Return the folder or address that holds builds: the one that is given, else ``scaled`` beside those."""
    place = out or str(build_root().parent / "scaled")
    return place if "://" in place else str(Path(place).absolute())  # a worker may start in another folder


def _logs(run: Run) -> Path:
    attempt = f"{time.strftime('%Y%m%d-%H%M%S')}-{run.mark[:8]}"
    if run.where.folder:
        return run.where.folder / ".run" / "logs" / attempt
    return Path(_location(None)) / ".logs" / run.spec.name / attempt


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


@contextmanager
def _followed(console: Console, run: Run, kept: int) -> Iterator[None]:
    """Show a progress bar while shards are made; whoever makes them leaves records."""
    from polbias.scaling.shards import recorded

    if kept:
        console.print(f"{kept} of {len(run.slices)} shards are there and whole")
    columns = (MofNCompleteColumn(), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress("shards", *columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=len(run.slices), completed=kept)
        ended = threading.Event()

        def follow() -> None:
            while not ended.wait(_LOCAL_EVERY if run.where.folder else _REMOTE_EVERY):
                # A look may fail; what fails for good is said by who makes the shards.
                with suppress(PolbiasError, OSError):
                    progress.update(task, completed=len(recorded(run)))

        follower = threading.Thread(target=follow, daemon=True)
        follower.start()
        try:
            yield
        finally:
            ended.set()
            follower.join()
