"""How long a user waits for `import polbias` and for `polbias --help`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.measure import ROOT, Line, Stopwatch, at_most

ROUNDS = 5


def run() -> list[Line]:
    """Start each several times, in turn, in fresh processes."""
    script = Path(sys.executable).parent / "polbias"
    command = [str(script)] if script.is_file() else [sys.executable, "-m", "polbias.cli.main"]
    starts = {
        "pass": [sys.executable, "-c", "pass"],
        "import": [sys.executable, "-c", "import polbias"],
        "help": [*command, "--help"],
    }
    seconds: dict[str, list[float]] = {name: [] for name in starts}
    for _ in range(ROUNDS + 1):
        for name, arguments in starts.items():
            seconds[name].append(_seconds(arguments))
    # The first round fills the caches of the file system.
    bare, imported, helped = (median(values[1:]) for values in seconds.values())
    return [
        Line("python -c pass", bare, "s"),
        at_most("import polbias", imported, "s", 0.2),
        at_most("polbias --help", helped, "s", 0.5),
    ]


def _seconds(arguments: Sequence[str]) -> float:
    with Stopwatch() as watch:
        subprocess.run(arguments, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    return watch.seconds
