"""Write the task files of the normative family: ``python -m polbias.harness_tasks.normative.generate``.

One file per config, prompt style and form (generated answers, log-likelihoods), which differ in a few lines
from the bases ``_*.yaml``, and one for the selection task in each form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from polbias.lock import read_lock

DATASET = "normative-reasoning"
FIRST_VERSION = "1.0.0"
"""The version of the data as long as ``datasets.lock`` does not name one."""
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
_HERE = Path(__file__).resolve().parent
_REASONING = ("until: []", "do_sample: false", "temperature: 0", "max_gen_toks: 2048")


def files() -> Iterator[tuple[str, str]]:
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
) -> tuple[str, str]:
    locked = read_lock().get(DATASET)
    kwargs = {"dataset": DATASET, **data, "revision": f"v{locked.version if locked else FIRST_VERSION}"}
    lines = [f"include: {base}.yaml", f"task: polbias_{name}", "dataset_kwargs:"]
    lines += [f"  polbias_{key}: {value}" for key, value in kwargs.items()]
    if generation:
        lines += ["generation_kwargs:", *(f"  {line}" for line in generation)]
    lines += ["metadata:", f"  version: {TASK_VERSION}"]
    lines += [f"  {key}: {value}" for key, value in metadata.items()]
    return f"polbias_{name}.yaml", "\n".join(lines) + "\n"


def _group(name: str, members: list[str]) -> tuple[str, str]:
    """Name tasks together; without a score, as prompt styles share problems and configs are not pooled."""
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
