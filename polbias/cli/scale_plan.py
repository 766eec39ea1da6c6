"""`polbias build --plan`: what a build would take."""

from __future__ import annotations

import os
from pathlib import Path

from rich.console import Console
from rich.table import Table

from polbias.cli.scaling import Scale, checked_executor, prepared
from polbias.scaling.planning import Plan, plan

_UNITS = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))


def print_plan(
    name: str, scale: Scale, out: str | None, templates: Path | None, price: float | None = None
) -> None:
    """Print what a build would take; nothing is built.

    Args:
        name: the dataset.
        scale: how much and by whom.
        out: folder or address.
        templates: a template folder of the user's own.
        price: of a worker for an hour, in any currency.

    Raises:
        PolbiasError: if an option is wrong.
    """
    console = Console()
    executor = checked_executor(scale.executor)
    run = prepared(console, name, scale, out, templates)
    found = plan(run, executor, scale.workers)
    table = Table(box=None, show_header=False, pad_edge=False)
    for what, value in _lines(found, scale, price):
        table.add_row(what, value)
    console.print(
        f"[bold]{name} {run.spec.version}[/], into {run.where.url}", soft_wrap=True, highlight=False
    )
    console.print(table)
    console.print(f"start-up and cost of a shard: {found.profile.source}", soft_wrap=True, highlight=False)
    cores = os.cpu_count() or 1
    if executor == "local" and scale.workers > cores:
        console.print(f"[yellow]{scale.workers} workers share {cores} cores here; it will take longer[/]")


def _lines(found: Plan, scale: Scale, price: float | None) -> list[tuple[str, str]]:
    lines = [
        ("rows", f"{found.rows:,}"),
        ("shards", f"{found.shards:,}"),
        ("size", _size(found.size)),
        ("rate of a worker", f"{found.rate:,.0f} rows/s, measured now on this machine"),
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
