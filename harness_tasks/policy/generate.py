"""Write the task files of the policy family: ``python -m polbias.harness_tasks.policy.generate``.

One file per country, one for all and one for a first try, in each form (sampled answers, log-likelihoods);
they differ in a few lines from the bases ``_*.yaml``. There are no tags: a tag would ask everything twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from polbias.lock import read_lock

DATASET = "policy-statements"
FIRST_VERSION = "1.0.0"
"""The version of the data as long as ``datasets.lock`` does not name one."""
FIRST_COUNTRIES = ("de", "at", "ch", "fr", "it", "es", "pl", "nl")
"""The configs of countries as long as ``datasets.lock`` does not name them."""
TASK_VERSION = "1.0"
PAPER_RUNS = 30
MINI_SAMPLES = 4
NAME = "policy_stance"
_ALL, _STATEMENTS = "all", "statements"
_MINI = {"variants": "[original, negation]", "instructions": "1"}
_HERE = Path(__file__).resolve().parent


def countries() -> Sequence[str]:
    """Return the configs of the countries."""
    locked = read_lock().get(DATASET)
    names = tuple(locked.configs) if locked else FIRST_COUNTRIES
    return [name for name in names if name not in (_ALL, _STATEMENTS)]


def files() -> Iterator[tuple[str, str]]:
    """Yield name and text of every task and group file."""
    for form in ("", "_loglikelihood"):
        yield _task(NAME, form, _ALL, {}, PAPER_RUNS)
        yield _task(f"{NAME}_mini", form, _ALL, _MINI, MINI_SAMPLES)
        for country in countries():
            yield _task(f"{NAME}_{country}", form, country, {}, PAPER_RUNS)
        yield _group(f"{NAME}_countries{form}", [f"{NAME}_{country}{form}" for country in countries()])


def _task(name: str, form: str, config: str, rows: Mapping[str, str], samples: int) -> tuple[str, str]:
    locked = read_lock().get(DATASET)
    revision = f"v{locked.version if locked else FIRST_VERSION}"
    kwargs = {"dataset": DATASET, "config": config, "revision": revision, **rows}
    lines = [f"include: {form or '_sampled'}.yaml", f"task: polbias_{name}{form}", "dataset_kwargs:"]
    lines += [f"  polbias_{key}: {value}" for key, value in kwargs.items()]
    lines += ["metadata:", f"  version: {TASK_VERSION}"]
    if not form:
        lines += [f"  paper_runs: {PAPER_RUNS}", f"  polbias_samples: {samples}"]
    return f"polbias_{name}{form}.yaml", "\n".join(lines) + "\n"


def _group(name: str, members: Sequence[str]) -> tuple[str, str]:
    """Name the tasks of all countries together; without a score, which the task over all has."""
    lines = [f"group: polbias_{name}", "task:", *(f"  - polbias_{member}" for member in members)]
    lines += ["metadata:", f"  version: {TASK_VERSION}"]
    return f"polbias_{name}.yaml", "\n".join(lines) + "\n"


def main() -> None:
    """Write all files and remove those that no longer belong there."""
    wanted = dict(files())
    for old in _HERE.glob("polbias_*.yaml"):
        if old.name not in wanted:
            old.unlink()
    for name, text in wanted.items():
        (_HERE / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
