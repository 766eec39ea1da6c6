"""Write the task files of the policy family: ``python -m polbias.harness_tasks.policy.generate``.

One file per country, one for all and one for a first try, in each form (sampled answers, log-likelihoods);
they differ in a few lines from the bases ``_*.yaml``. There are no tags: a tag would ask everything twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from polbias.harness_tasks.writing import File, group_file, revision, task_file, write
from polbias.lock import read_lock

DATASET = "policy-statements"
TASK_VERSION = "1.0"
PAPER_RUNS = 30
MINI_SAMPLES = 4
NAME = "policy_stance"
_ALL, _STATEMENTS = "all", "statements"
_MINI = {"variants": "[original, negation]", "instructions": "1"}


def countries() -> Sequence[str]:
    """Return the configs of the countries."""
    return [name for name in read_lock()[DATASET].configs if name not in (_ALL, _STATEMENTS)]


def files() -> Iterator[File]:
    """Yield name and text of every task and group file."""
    for form in ("", "_loglikelihood"):
        yield _task(NAME, form, _ALL, {}, PAPER_RUNS)
        yield _task(f"{NAME}_mini", form, _ALL, _MINI, MINI_SAMPLES)
        for country in countries():
            yield _task(f"{NAME}_{country}", form, country, {}, PAPER_RUNS)
        yield _group(f"{NAME}_countries{form}", [f"{NAME}_{country}{form}" for country in countries()])


def _task(name: str, form: str, config: str, rows: Mapping[str, str], samples: int) -> File:
    kwargs = {"dataset": DATASET, "config": config, "revision": revision(DATASET), **rows}
    metadata: dict[str, object] = {"version": TASK_VERSION}
    if not form:
        metadata |= {"paper_runs": PAPER_RUNS, "polbias_samples": samples}
    return task_file(f"polbias_{name}{form}", form or "_sampled", kwargs, metadata=metadata)


def _group(name: str, members: Sequence[str]) -> File:
    """Name the tasks of all countries together; without a score, which the task over all has."""
    return group_file(f"polbias_{name}", [f"polbias_{member}" for member in members], version=TASK_VERSION)


def main() -> None:
    """Write all files and remove those that no longer belong there."""
    write(files(), Path(__file__).resolve().parent)


if __name__ == "__main__":
    main()
