"""A full build of the partisan dataset, and a second one that finds nothing to do."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.measure import Line, Measured, Stopwatch, at_most, medians

_NAME = "partisan-inference"


def run() -> list[Line]:
    """Build several times, each in a process of its own."""
    found = medians(build, rounds=5)
    return [
        Line("rows in all configs", found["rows"], "rows"),
        at_most("full build, after imports", found["seconds"], "s", 5),
        Line("of it: templates, grammar, proofs", found["specify"], "s"),
        at_most("peak memory", found["peak_mb"], "MB", 400),
        Line("second build, nothing to do", found["again"], "s"),
    ]


def build() -> Measured:
    """Build into an empty folder, then again."""
    from polbias import registry
    from polbias.publishing.card import build as build_folder

    publication = registry.publication(_NAME)
    with tempfile.TemporaryDirectory() as folder:
        with Stopwatch() as first_part:
            publication.specify()
        with Stopwatch() as whole:
            built = build_folder(_NAME, Path(folder))
        with Stopwatch() as second:
            again = build_folder(_NAME, Path(folder))
    if again.changed:
        raise AssertionError("the second build made something anew")
    return {
        "rows": built.manifest.rows,
        "seconds": whole.seconds,
        "specify": first_part.seconds,
        "again": second.seconds,
    }
