"""Run the benchmarks: ``python -m benchmarks [--only NAME] [--json FILE]``."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.measure import Line, Stopwatch, available_cores

NAMES = ("engine", "calls", "report", "scale")
LONG = ("calibration", "ladder", "planted_weights", "power")
"""Benchmarks that take many minutes; they run only with ``--only``."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run benchmarks and print one table per benchmark."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=importlib.import_module("benchmarks").__doc__
    )
    parser.add_argument(
        "--only", action="append", choices=(*NAMES, *LONG), help="run this benchmark; repeatable"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a JSON file")
    options = parser.parse_args(arguments)
    console = Console()
    if not console.is_terminal:
        console.width = 120
    machine = f"{platform.machine()}, {available_cores()} cores, Python {platform.python_version()}"
    console.print(f"polbias benchmarks on {machine}; medians; ratios within one run, of processor time")
    results: dict[str, list[Any]] = {}
    for name in options.only or NAMES:
        module = importlib.import_module(f"benchmarks.{name}")
        with console.status(f"{name} ..."), Stopwatch() as watch:
            results[name] = module.run()
        load = f"load {os.getloadavg()[0]:.1f}, {watch.processor:.1f} s of processor in {watch.seconds:.1f} s"
        console.print(f"{name}: {load}")
        console.print(getattr(module, "table", _table)(name, results[name]))
    if options.json:
        figures = {name: [asdict(line) for line in lines] for name, lines in results.items()}
        options.json.write_text(json.dumps({"machine": machine} | figures, indent=1) + "\n", "utf-8")


def _table(name: str, lines: Sequence[Line]) -> Table:
    table = Table(title=name, title_justify="left")
    table.add_column("measured", no_wrap=True)
    table.add_column("median", justify="right", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    table.add_column("aim", no_wrap=True)
    for line in lines:
        verdict = {None: "", True: "[green]met[/] ", False: "[red]missed[/] "}[line.met]
        table.add_row(line.label, _number(line.value), line.unit, verdict + line.aim)
    return table


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    main()
