"""A full build of the partisan dataset, and a second one that finds nothing to do."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.measure import Line, Measured, Stopwatch, apart, at_most, median

ROUNDS = 5
_NAME = "partisan-inference"


def run() -> list[Line]:
    """Build several times, each in a process of its own."""
    runs = [apart(build) for _ in range(ROUNDS)]
    seconds, again, specify = (median([run[key] for run in runs]) for key in ("seconds", "again", "specify"))
    return [
        Line("rows in all configs", runs[0]["rows"], "rows"),
        at_most("full build, after imports", seconds, "s", 5),
        Line("of it: templates, grammar, proofs", specify, "s"),
        at_most("peak memory", max(run["peak_mb"] for run in runs), "MB", 400),
        Line("second build, nothing to do", again, "s"),
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
