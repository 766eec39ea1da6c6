"""`polbias build --plan`: what a build would take."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from polbias.cli.build_scaled import Scale, checked_executor, location, prepared
from polbias.lock import read_lock

if TYPE_CHECKING:
    from polbias.scaling.planning import Plan

_UNITS = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))


def print_plan(
    name: str,
    scale: Scale,
    out: str | None,
    templates: Path | None,
    price: float | None = None,
    measure: bool = False,
) -> None:
    """Print what a build would take; nothing is built.

    Args:
        name: the dataset.
        scale: how much and by whom.
        out: folder or address.
        templates: a template folder of the user's own.
        price: of a worker for an hour, in any currency.
        measure: measure on this machine rather than take the shipped calibration.

    Raises:
        PolbiasError: if an option is wrong.
    """
    from polbias.scaling.places import LocalPlace, place
    from polbias.scaling.plan import load_stored, tables
    from polbias.scaling.planning import estimate, plan
    from polbias.scaling.slices import cut_tables

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
