"""Write the task files of the X-phemism pairs: ``python -m polbias.harness_tasks.xphemism.generate``.

One file per kind of pair (political, placebo), prompt style, language of the instruction and form (generated
answers, log-likelihoods), which differ in a few lines from the bases ``_*.yaml``, and one for a first try in
each form. Both arms of a pair are in the same task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from polbias.harness_tasks.writing import File, group_file, revision, task_file, write

DATASET = "xphemism-pairs"
TASK_VERSION = "1.0"
PAPER_RUNS = 3
MINI_PAIRS = 100
FORMS = ("", "_loglikelihood")
KINDS = {"": "pairs", "placebo_": "placebo"}
"""Part of the name to the config of the dataset."""
STYLES = ("simple", "objective")
LANGUAGES = {"": "de", "_en": "en"}
"""Part of the name to the language of the instruction; the claims are German in all."""


def files() -> Iterator[File]:
    """Yield name and text of every task and group file."""
    for form in FORMS:
        for suffix, language in LANGUAGES.items():
            members = []
            for kind, config in KINDS.items():
                for style in STYLES:
                    name = f"xphemism_{kind}{style}{suffix}"
                    members.append(name)
                    yield _task(name, form, config, {"style": style, "instruction": language})
            yield _group(f"xphemism{suffix}{form}", [f"{member}{form}" for member in members])
        yield _task(
            "xphemism_mini",
            form,
            KINDS[""],
            {"style": STYLES[0], "instruction": LANGUAGES[""], "pairs": MINI_PAIRS},
        )


def _task(name: str, form: str, config: str, rows: Mapping[str, object]) -> File:
    base = f"{form or '_generate'}{'_placebo' if config == KINDS['placebo_'] else ''}"
    kwargs = {"dataset": DATASET, "config": config, "revision": revision(DATASET), **rows}
    metadata = {"version": TASK_VERSION, "paper_runs": PAPER_RUNS}
    return task_file(f"polbias_{name}{form}", base, kwargs, metadata=metadata)


def _group(name: str, members: Sequence[str]) -> File:
    """Name tasks together; without a score, as prompt styles share claims and kinds are compared."""
    return group_file(f"polbias_{name}", [f"polbias_{member}" for member in members], version=TASK_VERSION)


def main() -> None:
    """Write all files and remove those that no longer belong there."""
    write(files(), Path(__file__).resolve().parent)


if __name__ == "__main__":
    main()
