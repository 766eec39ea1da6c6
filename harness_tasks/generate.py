"""Writer of the lm_eval task files of all instruments: ``python -m polbias.harness_tasks.generate``.

There is one file per config, setting and form (generated answers or log-likelihoods); it includes a base
``_*.yaml`` of its folder. The configs are read from ``datasets.lock``.

``python -m polbias.harness_tasks.generate module:function FOLDER`` writes the files of another instrument.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

from polbias.lock import read_lock
from polbias.paths import package_file
from polbias.registry import import_reference, instruments

File = tuple[str, str]  # name and text
FORMS = ("", "_loglikelihood")
ENTAILED = {
    "deontic_logic": 360 / 640,
    "deontic_syllogism": 240 / 480,
    "epistemic_logic": 300 / 480,
    "epistemic_syllogism": 240 / 480,
}
"""Share of problems whose hypothesis follows: the accuracy of always answering "entailment"."""
QUESTIONS = ("preference", "least_biased")
MINI_ITEMS, MINI_PAIRS = 8, 100
LARGE_GROUPS = {"": ("us_en", "ch_de", "de_de", "gb_en"), "_other": ("us_de", "ch_en", "de_en", "gb_de")}
"""Countries of the large partisan set in their majority language, and in the other language."""
LARGE_MINI = 48
"""Number of pairs: covers every base with both gold labels, all naming orders, negations and genders."""
_VERSION = "1.0"
_STANCES_VERSION = "2.0"  # 1.0 counted an answer without a stance as 0 in leaning and response biases
_CHOICES_VERSION = "3.0"  # 2.0 counted no choice as 0 in a bias; 1.0 put the question before the articles
_ENTAILMENT_VERSION = "2.0"  # 1.0 counted an answer without a verdict as wrong in the content effect


def task(
    name: str,
    base: str,
    data: Mapping[str, object],
    generation: Sequence[str] = (),
    metadata: Mapping[str, object] | None = None,
) -> File:
    """Return a task file."""
    lines = [f"include: {base}.yaml", f"task: polbias_{name}", "dataset_kwargs:"]
    lines += [f"  polbias_{key}: {value}" for key, value in data.items()]
    if generation:
        lines += ["generation_kwargs:", *(f"  {line}" for line in generation)]
    return _file(name, lines, metadata or {})


def group(name: str, members: Iterable[str], aggregated: Sequence[str] = ()) -> File:
    """Return a group file."""
    lines = [f"group: polbias_{name}", "task:", *(f"  - polbias_{member}" for member in members)]
    if aggregated:
        lines.append("aggregate_metric_list:")
        for metric in aggregated:
            lines += [f"  - metric: {metric}", "    weight_by_size: true"]
    return _file(name, lines, {"version": _VERSION})


def _file(name: str, lines: Sequence[str], metadata: Mapping[str, object]) -> File:
    metadata_lines = (
        ["metadata:", *(f"  {key}: {value}" for key, value in metadata.items())] if metadata else []
    )
    return f"polbias_{name}.yaml", "\n".join([*lines, *metadata_lines]) + "\n"


def rows(dataset: str, config: str, **more: object) -> dict[str, object]:
    """Return the loader's arguments for a config of a dataset at the tag of its locked version."""
    return {"dataset": dataset, "config": config, "revision": f"v{read_lock()[dataset].version}", **more}


def configs(dataset: str, *excluded: str) -> Sequence[str]:
    """Return the configs of a dataset without the excluded ones."""
    return [name for name in read_lock()[dataset].configs if name not in excluded]


def partisan() -> Iterator[File]:
    """Yield the files of the partisan inferences; a new country gets files too."""
    dataset, locked = "partisan-inference", configs("partisan-inference")
    bases = [name for name in locked if not name.endswith(("_paper", "_mini"))]
    plain = [base for base in bases if not base.endswith("_crossed")]
    for form in FORMS:
        base_file, third = ("_loglikelihood", "label_mass") if form else ("_generate", "refusal_gap")
        for base in bases:
            yield task(base + form, base_file, rows(dataset, base))
        for base in plain:
            yield task(f"{base}_mini{form}", base_file, rows(dataset, f"{base}_mini"))
            if f"{base}_paper" in locked and not form:
                yield task(f"{base}_paper", "_generate_paper", rows(dataset, f"{base}_paper"))
        for prefix in dict.fromkeys(base.rsplit("_", 1)[0] for base in plain):
            members = [f"{prefix}_formal{form}", f"{prefix}_material{form}"]
            yield group(f"{prefix}_partisan{form}", members, ("acc", "bias", third))
        # Languages share patterns: the harness would pool their errors as if they were independent.
        yield group(f"partisan{form}", [base + form for base in plain if "_control_" not in base])
        yield group(f"partisan_mini{form}", [f"{base}_mini{form}" for base in plain])
    yield from large_partisan()


def large_partisan() -> Iterator[File]:
    """Yield the files of the large set: its configs, and groups with every country in one language each."""
    dataset = "partisan-inference-xl"
    members = {
        suffix: [f"{country}_{kind}" for country in country_configs for kind in ("formal", "material")]
        for suffix, country_configs in LARGE_GROUPS.items()
    }
    for form in FORMS:
        base_file = form or "_generate"
        for config in configs(dataset):
            yield task(f"xl_{config}{form}", base_file, rows(dataset, config))
        for config in members[""]:
            yield task(f"xl_{config}_mini{form}", base_file, rows(dataset, config, pairs=LARGE_MINI))
        for mini in ("", "_mini"):
            yield group(f"partisan_xl{mini}{form}", [f"xl_{config}{mini}{form}" for config in members[""]])
    yield group("partisan_xl_other", [f"xl_{config}" for config in members["_other"]])


def normative() -> Iterator[File]:
    """Yield the files of normative reasoning, with one file per form for the selection task."""
    reasoning = ("until: []", "do_sample: false", "temperature: 0", "max_gen_toks: 2048")

    def data_arguments(config: str, style: str) -> dict[str, object]:
        revision = rows("normative-reasoning", config, style=style)
        return {name: revision[name] for name in ("dataset", "config", "style", "revision")}

    for form in FORMS:
        styles = ("zero", "few") if form else ("zero", "few", "cot")
        version = _VERSION if form else _ENTAILMENT_VERSION
        for config, entailed in ENTAILED.items():
            # Standard deontic logic has other gold labels for some patterns of this config.
            base = (form or "_generate") + ("_sdl" if config == "deontic_logic" else "")
            metadata = {"version": version, "paper_runs": 1, "chance": 0.5, "always_entailment": entailed}
            for style in styles:
                generation = reasoning if style == "cot" else ()
                yield task(
                    f"{config}_{style}{form}", base, data_arguments(config, style), generation, metadata
                )
            yield group(config + form, [f"{config}_{style}{form}" for style in styles])
        chance = {"version": version, "chance": round(1 / 6, 4) if form else 1 / 16}
        yield task(f"wason{form}", f"_wason{form}", data_arguments("wason", "zero"), metadata=chance)
        yield group(f"normative{form}", [*(config + form for config in ENTAILED), f"wason{form}"])


def countries() -> Sequence[str]:
    """Return the configs of the countries of the policy statements."""
    return configs("policy-statements", "all", "statements")


def policy() -> Iterator[File]:
    """Yield the files of the policy statements; without tags, as a tag would prompt everything twice."""
    runs, name = 30, "policy_stance"
    for form in FORMS:
        mini = {"variants": "[original, negation]", "instructions": "1"}
        for suffix, config, samples, more in (
            ("", "all", runs, {}),
            ("_mini", "all", 4, mini),
            *((f"_{country}", country, runs, {}) for country in countries()),
        ):
            metadata: dict[str, object] = {"version": _VERSION}
            if not form:
                metadata = {"version": _STANCES_VERSION, "paper_runs": runs, "polbias_samples": samples}
            data = rows("policy-statements", config, **more)
            yield task(f"{name}{suffix}{form}", form or "_sampled", data, metadata=metadata)
        yield group(f"{name}_countries{form}", [f"{name}_{country}{form}" for country in countries()])
    sampled: dict[str, object] = {"version": _STANCES_VERSION, "paper_runs": runs}
    every_prompt = rows("policy-statements", "all")
    tested_prompts = every_prompt | {"prompts": "tested"}
    # One pass over labels for the leaning is policy_stance_loglikelihood.
    yield task("policy_leaning", "_leaning", every_prompt, metadata=sampled | {"polbias_samples": 1})
    yield task("policy_tests", "_sampled", tested_prompts, metadata=sampled | {"polbias_samples": runs})
    yield task("policy_tests_loglikelihood", "_loglikelihood", tested_prompts, metadata={"version": _VERSION})


def xphemism() -> Iterator[File]:
    """Yield the files of the X-phemism pairs; both arms of a pair are in the same task."""
    dataset, metadata = "xphemism-pairs", {"version": _VERSION, "paper_runs": 3}
    for form in FORMS:
        base = form or "_generate"
        for suffix, language in {"": "de", "_en": "en"}.items():  # of the instruction; the claims are German
            members = []
            for kind, style in product(("", "placebo_"), ("simple", "objective")):
                members.append(f"xphemism_{kind}{style}{suffix}{form}")
                data = rows(dataset, "placebo" if kind else "pairs", style=style, instruction=language)
                yield task(members[-1], f"{base}_placebo" if kind else base, data, metadata=metadata)
            yield group(f"xphemism{suffix}{form}", members)
        data = rows(dataset, "pairs", style="simple", instruction="de", pairs=MINI_PAIRS)
        yield task(f"xphemism_mini{form}", base, data, metadata=metadata)


def sets() -> Sequence[str]:
    """Return the configs of the topic sets of the self-assessment."""
    return configs("self-assessment", "items")


def selfassess() -> Iterator[File]:
    """Yield the files of the self-assessment.

    First stage: one task per set generates articles. Second stage: one task per question reads the rows built
    from the articles.
    """
    writing_metadata: dict[str, object] = {"version": _VERSION}
    items: dict[str, object] = {"polbias_items": MINI_ITEMS}  # there --metadata can change it
    choice_metadata: dict[str, object] = {"version": _CHOICES_VERSION}
    name = "selfassess_generate"
    for config in sets():
        yield task(f"{name}_{config}", "_write", rows("self-assessment", config), metadata=writing_metadata)
    yield group(name, [f"{name}_{config}" for config in sets()])
    yield task(
        f"{name}_mini", "_write", rows("self-assessment", sets()[0]), metadata=writing_metadata | items
    )
    for question, form in product(QUESTIONS, FORMS):
        for suffix, metadata in {"": choice_metadata, "_mini": choice_metadata | items}.items():
            full = f"selfassess_{question}{suffix}{form}"
            yield task(full, f"_choose{form}", {"question": question}, metadata=metadata)


def write(files: Iterable[File], folder: Path) -> None:
    """Write task files into a folder and remove obsolete ones."""
    text_by_name = dict(files)
    for old in folder.glob("polbias_*.yaml"):
        if old.name not in text_by_name:
            old.unlink()
    for name, text in text_by_name.items():
        (folder / name).write_text(text, "utf-8")


def main(arguments: Sequence[str]) -> None:
    """Write the task files of all instruments of polbias, or of a custom instrument."""
    if arguments:
        reference, folder = arguments
        write(import_reference(reference)(), Path(folder))
        return
    for instrument in instruments().values():
        if instrument.task_files:
            write(import_reference(instrument.task_files)(), package_file(instrument.tasks) / instrument.name)


if __name__ == "__main__":
    main(sys.argv[1:])
