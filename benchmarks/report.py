"""Time and memory of `polbias report` on five instruments and ten models, about half a million samples."""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from benchmarks.measure import Line, Stopwatch, at_most

MODELS = 10
TOPICS = 450
_POLL_SECONDS = 0.25
_TASKS = (
    *("polbias_en_partisan", "polbias_de_partisan", "polbias_en_control_partisan"),
    *(f"polbias_policy_stance_{country}" for country in ("at", "ch", "de", "fr")),
    *("polbias_xphemism", "polbias_xphemism_en"),
    *("polbias_selfassess_preference", "polbias_selfassess_least_biased"),
    *("polbias_deontic_logic", "polbias_deontic_syllogism"),
    *("polbias_epistemic_logic", "polbias_epistemic_syllogism"),
)


def run() -> list[Line]:
    """Write the samples of ten models, and measure `polbias report` on them in a new process."""
    with tempfile.TemporaryDirectory(prefix="polbias-bench-") as name:
        folder = Path(name)
        write_runs(folder / "runs")
        command = [sys.executable, "-m", "polbias.cli.main", "report", str(folder / "runs")]
        seconds, peak = _run_and_measure([*command, "-o", str(folder / "report")], folder / "log.txt")
    return [
        at_most("report", seconds, "s", 60),
        at_most("peak memory, all processes", peak / 1e6, "MB", 2000),
    ]


def _run_and_measure(command: Sequence[str], log: Path) -> tuple[float, int]:
    """Return the seconds of a command and the peak bytes of its processes; shared pages count per process."""
    peak = 0
    with log.open("w") as log_file, Stopwatch() as watch:
        process = psutil.Popen(command, stdout=log_file, stderr=log_file)
        while process.poll() is None:
            with suppress(psutil.Error):  # a process may end while it is measured
                processes = (process, *process.children(recursive=True))
                peak = max(peak, sum(member.memory_info().rss for member in processes))
            time.sleep(_POLL_SECONDS)
    if process.returncode:
        raise RuntimeError(f"status {process.returncode}: {' '.join(command)}: {log.read_text()[-500:]}")
    return watch.seconds, peak


def write_runs(folder: Path) -> None:
    """Write runs of simulated models: the first by lm_eval, the others with some of its answers exchanged."""
    from polbias.eval.simulation.lm_eval import run_tasks as simulate
    from polbias.eval.simulation.respondents import make_respondent
    from polbias.experiments.demonstration import demonstration, write_choices

    folder.mkdir()
    demo = demonstration().model_copy(update={"topics": TOPICS})
    os.environ["POLBIAS_STAGE2"] = str(write_choices(demo, folder.parent))
    respondent = make_respondent("planted", effect=0.1, accuracy=0.85, unparsable=0.02)
    simulate(_TASKS, respondent, model="model-0").write(folder / "model-0")
    for number in range(1, MODELS):
        _exchange_answers(
            folder / "model-0", folder / f"model-{number}", number / MODELS, random.Random(number)
        )


def _exchange_answers(source: Path, target: Path, share: float, rng: random.Random) -> None:
    """Write a copy of a run that shuffles a share of the answers within each task."""
    target.mkdir()
    for path in sorted(source.iterdir()):
        if path.suffix == ".json":
            (target / path.name).write_bytes(path.read_bytes())
            continue
        samples: list[dict[str, Any]] = [json.loads(line) for line in path.open(encoding="utf-8")]
        positions = [position for position in range(len(samples)) if rng.random() < share]
        answers = [
            (samples[position]["resps"], samples[position]["filtered_resps"]) for position in positions
        ]
        rng.shuffle(answers)
        for position, (raw, filtered) in zip(positions, answers, strict=True):
            samples[position] |= {"resps": raw, "filtered_resps": filtered}
        with (target / path.name).open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(sample, ensure_ascii=False) + "\n" for sample in samples)
