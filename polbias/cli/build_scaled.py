"""`polbias build` at any scale: options of executors, addresses of builds, progress."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

from polbias.errors import InputError, PolbiasError
from polbias.paths import build_root
from polbias.terminal import Console

if TYPE_CHECKING:
    from polbias.scaling.run import ScaledRun

_LOCAL_EVERY, _REMOTE_EVERY = 0.5, 5.0  # seconds between polls of the shard records


def builds_address(out: str | None) -> str:
    """Return the folder or address of builds; default: ``scaled`` next to the folder of other builds."""
    address = out or str(build_root().parent / "scaled")
    # a worker may start in another folder
    return address if "://" in address else str(Path(address).absolute())


def log_folder(run: ScaledRun) -> Path:
    """Return the folder of the executor's logs."""
    attempt = f"{time.strftime('%Y%m%d-%H%M%S')}-{run.run_hash[:8]}"
    if run.storage.folder:
        return run.storage.folder / ".run" / "logs" / attempt
    return Path(builds_address(None)) / ".logs" / run.spec.name / attempt


def parse_executor_options(texts: Sequence[str]) -> Mapping[str, Any]:
    """Return the executor's options by name."""
    options = {}
    for option in texts:
        key, equals, value = option.partition("=")
        if not equals or not key.strip():
            raise InputError(f"--option: found {option!r}, expected KEY=VALUE, such as partition=cpu")
        # Parse only digits, true and false: YAML would read 01:30:00 as a number.
        stripped = value.strip()
        options[key.strip()] = (
            yaml.safe_load(stripped) if stripped.isdigit() or stripped in ("true", "false") else stripped
        )
    return options


@contextmanager
def track_progress(console: Console, run: ScaledRun, n_existing: int) -> Iterator[None]:
    """Show a progress bar from the shard records that the executor writes."""
    from polbias.scaling.shards import recorded_shards

    if n_existing:
        console.print(f"{n_existing} of {len(run.slices)} shards exist and are complete")
    columns = (MofNCompleteColumn(), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress("shards", *columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=len(run.slices), completed=n_existing)
        ended = threading.Event()

        def follow() -> None:
            while not ended.wait(_LOCAL_EVERY if run.storage.folder else _REMOTE_EVERY):
                # A poll may fail; the executor reports permanent errors.
                with suppress(PolbiasError, OSError):
                    progress.update(task, completed=len(recorded_shards(run)))

        follower = threading.Thread(target=follow, daemon=True)
        follower.start()
        try:
            yield
        finally:
            ended.set()
            follower.join()
