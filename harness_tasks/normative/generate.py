"""Write the task files of the normative family: ``python -m polbias.harness_tasks.normative.generate``.

One file per config, prompt style and form (generated answers, log-likelihoods), which differ in a few lines
from the bases ``_*.yaml``, and one for the selection task in each form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from polbias.harness_tasks.writing import File, group_file, revision, task_file, write

DATASET = "normative-reasoning"
TASK_VERSION = "1.0"
ENTAILED = {
    "deontic_logic": 360 / 640,
    "deontic_syllogism": 240 / 480,
    "epistemic_logic": 300 / 480,
    "epistemic_syllogism": 240 / 480,
}
"""Share of problems whose hypothesis follows: the accuracy of always saying so."""
SDL = ("deontic_logic",)
"""Configs in which standard deontic logic has other gold labels for some patterns."""
STYLES = {"": ("zero", "few", "cot"), "_loglikelihood": ("zero", "few")}
_REASONING = ("until: []", "do_sample: false", "temperature: 0", "max_gen_toks: 2048")


def files() -> Iterator[File]:
    """Yield name and text of every task and group file."""
    for form, styles in STYLES.items():
        base = "loglikelihood" if form else "generate"
        for config, entailed in ENTAILED.items():
            for style in styles:
                yield _task(
                    f"{config}_{style}{form}",
                    f"_{base}_sdl" if config in SDL else f"_{base}",
                    {"config": config, "style": style},
                    {"paper_runs": 1, "chance": 0.5, "always_entailment": entailed},
                    _REASONING if style == "cot" else (),
                )
            yield _group(f"{config}{form}", [f"{config}_{style}{form}" for style in styles])
        chance = {"chance": round(1 / 6, 4) if form else 1 / 16}
        yield _task(f"wason{form}", f"_wason{form}", {"config": "wason", "style": "zero"}, chance)
        yield _group(f"normative{form}", [*(f"{config}{form}" for config in ENTAILED), f"wason{form}"])


def _task(
    name: str,
    base: str,
    data: Mapping[str, str],
    metadata: Mapping[str, float],
    generation: tuple[str, ...] = (),
) -> File:
    kwargs = {"dataset": DATASET, **data, "revision": revision(DATASET)}
    described = {"version": TASK_VERSION, **metadata}
    return task_file(f"polbias_{name}", base, kwargs, generation, described)


def _group(name: str, members: list[str]) -> File:
    """Name tasks together; without a score, as prompt styles share problems and configs are not pooled."""
    return group_file(f"polbias_{name}", [f"polbias_{member}" for member in members], version=TASK_VERSION)


def main() -> None:
    """Write all files and remove those that no longer belong there."""
    write(files(), Path(__file__).resolve().parent)


if __name__ == "__main__":
    main()
