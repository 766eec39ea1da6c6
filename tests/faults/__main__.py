"""Run the fault campaign: ``python -m tests.faults [--seed N] [--kills 50] [--only PLACE] [-o faults.csv]``."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.faults.campaign.outcomes import Trial, table
from tests.faults.campaign.running import FAULTS, PLACES, campaign


def main() -> int:
    """Run it; the exit status is 1 if anything was lost, told or left behind, or asked again without need."""
    parser = argparse.ArgumentParser("python -m tests.faults", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kills", type=int, default=50, help="of every place")
    parser.add_argument("--only", action="append", choices=[place.name for place in PLACES])
    parser.add_argument("--fault", action="append", choices=[*FAULTS])
    parser.add_argument("-o", "--output", type=Path, help="file for the table (CSV)")
    given = parser.parse_args()
    if given.output:
        given.output.parent.mkdir(parents=True, exist_ok=True)
    started, trials = time.monotonic(), list[Trial]()
    for trial in campaign(given.seed, given.kills, given.only or (), given.fault or (), _say):
        trials.append(trial)
        if len(trials) % 25 == 0:
            _say(f"{len(trials)} trials, {time.monotonic() - started:.0f} s")
        if not trial.sound:
            _say(str(trial))
    made = table(trials)
    if given.output:
        given.output.write_text(made, "utf-8")
    print(made)  # noqa: T201
    _say(f"{len(trials)} trials, seed {given.seed}, {time.monotonic() - started:.0f} s")
    return int(not all(trial.sound for trial in trials))


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
