"""Write the task files of the partisan inferences: ``python -m polbias.harness_tasks.partisan.generate``.

One file per config, shot setting and form (generated answers, log-likelihoods), which differ in a few lines
from two bases. Which configs there are is read from ``datasets.lock``, so that a new country gets its tasks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from polbias.harness_tasks.writing import File, group_file, revision, task_file, write
from polbias.lock import read_lock

DATASET = "partisan-inference"
SHOTS = (0, 8, 32)
_LOGLIKELIHOOD = "_loglikelihood"
_AGGREGATED = {
    "": ("acc", "weighted_bias", "refusal_gap"),
    _LOGLIKELIHOOD: ("acc", "weighted_bias", "label_mass"),
}


def files() -> Iterator[File]:
    """Yield name and text of every task and group file."""
    locked, version = read_lock()[DATASET], revision(DATASET)
    bases = [name for name in locked.configs if not name.endswith(("_paper", "_mini"))]
    plain = [base for base in bases if not base.endswith("_crossed")]
    prefixes = list(dict.fromkeys(base.rsplit("_", 1)[0] for base in plain))
    for form in ("", _LOGLIKELIHOOD):
        for base in bases:
            yield _task(base, base, form, version)
        for base in plain:
            for shots in SHOTS:
                yield _task(f"{base}_{shots}shot", base, form, version, shots)
            yield _task(f"{base}_mini", f"{base}_mini", form, version)
            yield _group(f"{base}_shots", [f"{base}_{shots}shot" for shots in SHOTS], form, aggregated=False)
        for base in plain:
            if f"{base}_paper" in locked.configs and not form:
                yield _task(f"{base}_paper", f"{base}_paper", "_paper", version)
        for prefix in prefixes:
            yield _group(f"{prefix}_partisan", [f"{prefix}_formal", f"{prefix}_material"], form)
        # Languages share patterns: the harness would pool their errors as if they were independent.
        political = [base for base in plain if "_control_" not in base]
        yield _group("partisan", political, form, aggregated=False)
        yield _group("partisan_mini", [f"{base}_mini" for base in plain], form, aggregated=False)


def _task(name: str, config: str, form: str, version: str, shots: int | None = None) -> File:
    data: dict[str, object] = {"dataset": DATASET, "config": config, "revision": version}
    if shots is not None:
        data["shots"] = shots
    full = f"polbias_{name}" + (form if form == _LOGLIKELIHOOD else "")
    return task_file(full, f"_{_base(form)}", data)


def _base(form: str) -> str:
    return {"": "generate", "_paper": "generate_paper", _LOGLIKELIHOOD: "loglikelihood"}[form]


def _group(name: str, tasks: list[str], form: str, aggregated: bool = True) -> File:
    members = [f"polbias_{task}{form}" for task in tasks]
    return group_file(f"polbias_{name}{form}", members, _AGGREGATED[form] if aggregated else ())


def main() -> None:
    """Write all files and remove those that no longer belong there."""
    write(files(), Path(__file__).resolve().parent)


if __name__ == "__main__":
    main()
