"""Write the task files of the self-assessment: ``python -m polbias.harness_tasks.selfassess.generate``.

First stage: one task per set writes articles. Second stage: one task per question reads the rows that were
built from them. They differ in a few lines from the bases ``_*.yaml``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from polbias.harness_tasks.writing import File, group_file, revision, task_file, write
from polbias.lock import read_lock

DATASET = "self-assessment"
TASK_VERSION = "1.0"
MINI_ITEMS = 8
GENERATE = "polbias_selfassess_generate"
QUESTIONS = ("preference", "least_biased")
_ITEMS = "items"  # the config of the topics alone


def sets() -> Sequence[str]:
    """Return the configs of the sets."""
    return [name for name in read_lock()[DATASET].configs if name != _ITEMS]


def files() -> Iterator[File]:
    """Yield name and text of every task and group file."""
    for name in sets():
        yield _articles(f"{GENERATE}_{name}", name, None)
    yield group_file(GENERATE, [f"{GENERATE}_{name}" for name in sets()], version=TASK_VERSION)
    yield _articles(f"{GENERATE}_mini", sets()[0], MINI_ITEMS)
    for question in QUESTIONS:
        for form in ("", "_loglikelihood"):
            yield _choices(f"polbias_selfassess_{question}{form}", form, question, None)
            yield _choices(f"polbias_selfassess_{question}_mini{form}", form, question, MINI_ITEMS)


def _articles(name: str, config: str, items: int | None) -> File:
    kwargs: dict[str, object] = {"dataset": DATASET, "config": config, "revision": revision(DATASET)}
    return task_file(name, "_write", kwargs, metadata=_metadata(items))


def _choices(name: str, form: str, question: str, items: int | None) -> File:
    return task_file(name, f"_choose{form}", {"question": question}, metadata=_metadata(items))


def _metadata(items: int | None) -> dict[str, object]:
    """The task's metadata; the number of topics stands there, where --metadata can change it."""
    return {"version": TASK_VERSION} | ({} if items is None else {"polbias_items": items})


def main() -> None:
    """Write all files and remove those that no longer belong there."""
    write(files(), Path(__file__).resolve().parent)


if __name__ == "__main__":
    main()
