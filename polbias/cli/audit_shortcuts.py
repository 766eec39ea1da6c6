"""`polbias audit --shortcuts`: what of the labels of a set is guessed without the task."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from polbias import registry
from polbias.atomic_write import write_text
from polbias.builds import is_built
from polbias.errors import InputError
from polbias.paths import build_root

if TYPE_CHECKING:
    from polbias.generators.auditing.shortcut_designs import ShortcutDesign
    from polbias.generators.auditing.shortcuts import Shortcut
    from polbias.terminal import Console


def audit_shortcuts(data: Path, columns: Mapping[str, str], output: Sequence[Path]) -> int:
    """Print and write the tests of a file, a folder or a build; return the number of unknown shortcuts."""
    from polbias.terminal import Console

    for path in output:
        if path.suffix != ".json":
            raise InputError(f"{path}: expected a file that ends in .json; use -o {path.stem}.json")
    tests, unknown = _run_tests(_find_build(data), columns)
    if not tests:
        raise InputError(
            f"{data}: found no label to guess, expected a gold label or a side of two to twenty values on at "
            "least 20 different items; use --column gold=NAME or side=NAME"
        )
    _print(Console(highlight=False), tests, unknown)
    for path in output:
        records = [
            {**asdict(test), "is_leak": test.is_leak, "is_known": test.is_leak and test not in unknown}
            for test in tests
        ]
        write_text(path, json.dumps(records, indent=1, ensure_ascii=False) + "\n")
    return len(unknown)


def _find_build(data: Path) -> Path:
    """Return the build of a dataset that is named, else the path."""
    if not data.exists() and str(data) in registry.dataset_names():
        return build_root() / data
    return data


def _run_tests(data: Path, columns: Mapping[str, str]) -> tuple[list[Shortcut], list[Shortcut]]:
    """Return all tests, and those of shortcuts that the dataset is not known to have."""
    from polbias.eval.multiple_testing import holm_adjust
    from polbias.generators.auditing.general import table_shortcuts
    from polbias.generators.auditing.shortcut_designs import build_shortcuts, unknown_shortcuts
    from polbias.manifest import read_manifest

    folder = data if is_built(data) else data.parent
    if design := None if columns or not data.is_dir() else _find_design(folder):
        configs = None if folder == data else [data.name]
        tests = build_shortcuts(read_manifest(folder), folder, design, holm_adjust, configs)
        if tests or configs is None:
            return tests, [*unknown_shortcuts(tests, design)]
    if is_built(data):
        raise InputError(
            f"{data}: found the folder of a build, expected the folder of a config; add its name"
        )
    tests = table_shortcuts(data, columns, holm_adjust)
    return tests, [test for test in tests if test.is_leak]


def _find_design(folder: Path) -> ShortcutDesign | None:
    """Return the design of the dataset whose build is in a folder; None without a build or design."""
    from polbias.generators.auditing.shortcut_designs import read_design
    from polbias.manifest import read_manifest

    name = read_manifest(folder).dataset if is_built(folder) else ""
    return read_design(name, registry.publication(name), None) if name in registry.dataset_names() else None


def _print(console: Console, tests: Sequence[Shortcut], unknown: Sequence[Shortcut]) -> None:
    from rich.table import Table

    for config in dict.fromkeys(test.config for test in tests):
        table = Table(box=None, pad_edge=False)
        for name in ("label", "guessed from", "AUC", "by chance", "accuracy", "majority", "p", ""):
            table.add_column(name, justify="left" if name in ("label", "guessed from", "") else "right")
        rows = [test for test in tests if test.config == config]
        for test in rows:
            guess = test.guess
            verdict = "" if test.is_testable else "few groups"
            if test.is_leak:
                verdict = "shortcut" if test in unknown else "known"
            p = "<.001" if test.adjusted_p < 0.001 else f"{test.adjusted_p:.3f}".lstrip("0")
            by_chance = f"{guess.low:.2f} to {guess.high:.2f}"
            shares = f"{guess.accuracy:.1%}", f"{guess.majority:.1%}"
            table.add_row(test.label, test.clue, f"{guess.auc:.3f}", by_chance, *shares, p, verdict)
        guess = rows[0].guess
        size = f"{guess.items:,} different items in {guess.groups:,} groups"
        console.print(f"[bold]{config}[/]: {size}" if config else size, soft_wrap=True)
        console.print(table)
    n_known = sum(test.is_leak for test in tests) - len(unknown)
    console.print(
        f"[bold]{len(tests):,} tests[/]: {len(unknown)} shortcuts"
        + (f", {n_known} known ones (templates/.../shortcuts.yaml)" if n_known else ""),
        soft_wrap=True,
    )
