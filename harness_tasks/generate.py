"""Write the lm_eval task files of all instruments: ``python -m polbias.harness_tasks.generate``.

There is one file per config, prompt style and answer form (generated or log-likelihood); each includes a base
file ``_*.yaml`` from its folder. The configs are read from ``datasets.lock``.

``python -m polbias.harness_tasks.generate module:function FOLDER`` writes the files of a custom instrument.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

from polbias.eval.power.design import read_designs
from polbias.lock import read_lock
from polbias.paths import package_file
from polbias.registry import import_reference, instruments

File = tuple[str, str]  # name and text
FORM_SUFFIXES = ("", "_loglikelihood")
ENTAILED_SHARES = {
    "deontic_logic": 360 / 640,
    "deontic_syllogism": 240 / 480,
    "epistemic_logic": 300 / 480,
    "epistemic_syllogism": 240 / 480,
}
"""Share of problems of the paper's configs whose hypothesis follows: the accuracy of a constant yes."""
_BALANCED_SHARE = 0.5
QUESTIONS = ("preference", "least_biased")
MINI_ITEMS, MINI_PAIRS = 8, 100
XL_MINI_PAIRS = 48
"""Covers every base with both gold labels, both orders of naming the parties, negations and genders."""
LADDER_PAIRS = 64
"""Pairs of a level in a task."""
LADDER_COUNTRIES = ("us_en", "de_de")
"""Countries, in one language, of the group of all levels."""
_VERSION = "1.0"
_STANCES_VERSION = "2.0"  # 1.0 counted an answer without a stance as 0 in leaning and acquiescence
_CHOICES_VERSION = "3.0"  # 2.0 counted no choice as 0 in a bias; 1.0 put the question before the articles
# 2.0 prompted with the paper's configs; 1.0 counted no verdict as wrong in the content effect
_ENTAILMENT_VERSION = "3.0"
_ENTAILMENT_LIKELIHOOD_VERSION = "2.0"  # 1.0 prompted with the paper's configs
_PAPER_ENTAILMENT_VERSION = "2.0"  # as _ENTAILMENT_VERSION
_WASON_VERSION = "2.0"  # 1.0 counted an answer without a verdict as wrong in the content effect


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


def loader_arguments(dataset: str, config: str, **more: object) -> dict[str, object]:
    """Return the arguments of the loader for a config, at the tag of the dataset's locked version."""
    return {"dataset": dataset, "config": config, "revision": f"v{read_lock()[dataset].version}", **more}


def configs(dataset: str, *excluded: str) -> Sequence[str]:
    """Return the configs of a dataset without the excluded ones."""
    return [name for name in read_lock()[dataset].configs if name not in excluded]


def partisan() -> Iterator[File]:
    """Yield the files of the partisan inferences, for every country in the lock."""
    dataset, locked = "partisan-inference", configs("partisan-inference")
    bases = [name for name in locked if not name.endswith(("_paper", "_mini"))]
    plain = [base for base in bases if not base.endswith("_crossed")]
    for form in FORM_SUFFIXES:
        base_file, extra_metric = ("_loglikelihood", "label_mass") if form else ("_generate", "refusal_gap")
        for base in bases:
            yield task(base + form, base_file, loader_arguments(dataset, base))
        for base in plain:
            yield task(f"{base}_mini{form}", base_file, loader_arguments(dataset, f"{base}_mini"))
            if f"{base}_paper" in locked and not form:
                yield task(f"{base}_paper", "_generate_paper", loader_arguments(dataset, f"{base}_paper"))
        for prefix in dict.fromkeys(base.rsplit("_", 1)[0] for base in plain):
            members = [f"{prefix}_formal{form}", f"{prefix}_material{form}"]
            yield group(f"{prefix}_partisan{form}", members, ("acc", "bias", extra_metric))
        # Languages share patterns, but the harness would pool their standard errors as independent ones.
        yield group(f"partisan{form}", [base + form for base in plain if "_control_" not in base])
        yield group(f"partisan_mini{form}", [f"{base}_mini{form}" for base in plain])
    yield from xl_partisan()


def xl_stems() -> tuple[Sequence[str], Sequence[str]]:
    """Return the countries of the XL group in its language, as ``us_en``, and those in the other language.

    The group is the one that ``eval/power/instruments.yaml`` names.
    """
    formal = "_formal"  # every country and language has this config
    all_stems = [
        name.removesuffix(formal) for name in configs("partisan-inference-xl") if name.endswith(formal)
    ]
    group_configs = read_designs()["partisan"]["configs"]
    stems = [name.removesuffix(formal) for name in group_configs if name.endswith(formal)]
    other_stems = [
        other
        for stem in stems
        for other in all_stems
        if other != stem and other.split("_")[0] == stem.split("_")[0]
    ]
    return stems, other_stems


def xl_partisan() -> Iterator[File]:
    """Yield the files of the XL set: a task per config, and groups with one language per country."""
    dataset = "partisan-inference-xl"
    members, other_members = (
        [f"{stem}_{kind}" for stem in stems for kind in ("formal", "material")] for stems in xl_stems()
    )
    for form in FORM_SUFFIXES:
        base_file = form or "_generate"
        for config in configs(dataset):
            yield task(f"xl_{config}{form}", base_file, loader_arguments(dataset, config))
        for config in members:
            yield task(
                f"xl_{config}_mini{form}", base_file, loader_arguments(dataset, config, pairs=XL_MINI_PAIRS)
            )
        for mini in ("", "_mini"):
            yield group(f"partisan_xl{mini}{form}", [f"xl_{config}{mini}{form}" for config in members])
    yield group("partisan_xl_other", [f"xl_{config}" for config in other_members])


def ladder() -> Iterator[File]:
    """Yield the files of the ladder: a task per level, a group per country, and a group of two countries."""
    dataset = "partisan-inference-ladder"
    stems = dict.fromkeys(config.rsplit("_", 1)[0] for config in configs(dataset))
    for form in FORM_SUFFIXES:
        for config in configs(dataset):
            data = loader_arguments(dataset, config, default_pairs=LADDER_PAIRS, default_shots=0)
            yield task(f"ladder_{config}{form}", form or "_generate", data)
        for stem in stems:
            members = [config for config in configs(dataset) if config.startswith(f"{stem}_")]
            yield group(f"ladder_{stem}{form}", [f"ladder_{config}{form}" for config in members])
        yield group(f"ladder{form}", [f"ladder_{stem}{form}" for stem in LADDER_COUNTRIES])


def normative() -> Iterator[File]:
    """Yield the files of normative reasoning, with two files for the selection task, one per answer form.

    The tasks prompt with the balanced configs; those in ``_paper`` prompt with the paper's.
    """
    cot_generation = ("until: []", "do_sample: false", "temperature: 0", "max_gen_toks: 2048")

    def style_arguments(config: str, style: str) -> dict[str, object]:
        arguments = loader_arguments("normative-reasoning", config, style=style)
        return {name: arguments[name] for name in ("dataset", "config", "style", "revision")}

    def config_files(
        config: str, suffix: str, base: str, version: str, share: float, styles: Sequence[str]
    ) -> Iterator[File]:
        metadata = {"version": version, "paper_runs": 1, "chance": 0.5, "always_entailment": share}
        name = config.removesuffix("_balanced")
        for style in styles:
            generation = cot_generation if style == "cot" else ()
            arguments = style_arguments(config, style)
            yield task(f"{name}_{style}{suffix}", base, arguments, generation, metadata)
        yield group(name + suffix, [f"{name}_{style}{suffix}" for style in styles])

    for config, share in ENTAILED_SHARES.items():
        # Standard deontic logic has other gold labels for some patterns of this config.
        base = "_generate" + ("_sdl" if config == "deontic_logic" else "")
        yield from config_files(
            config, "_paper", base, _PAPER_ENTAILMENT_VERSION, share, ("zero", "few", "cot")
        )
    yield group("normative_paper", [f"{config}_paper" for config in ENTAILED_SHARES])
    for form in FORM_SUFFIXES:
        styles = ("zero", "few") if form else ("zero", "few", "cot")
        version = _ENTAILMENT_LIKELIHOOD_VERSION if form else _ENTAILMENT_VERSION
        for config in ENTAILED_SHARES:
            yield from config_files(
                f"{config}_balanced", form, form or "_generate", version, _BALANCED_SHARE, styles
            )
        # Four cards have 16 subsets; log-likelihoods are compared among the 6 pairs.
        wason_version = _VERSION if form else _WASON_VERSION
        wason_metadata = {"version": wason_version, "chance": round(1 / 6, 4) if form else 1 / 16}
        yield task(f"wason{form}", f"_wason{form}", style_arguments("wason", "zero"), metadata=wason_metadata)
        yield group(f"normative{form}", [*(config + form for config in ENTAILED_SHARES), f"wason{form}"])


_NATIVE = "_native"


def country_configs() -> Sequence[str]:
    """Return the configs of the policy statements that have one country, prompted in English."""
    return [name for name in configs("policy-statements", "all", "statements") if not name.endswith(_NATIVE)]


def native_configs() -> Sequence[str]:
    """Return the configs of the policy statements that are prompted in a language of the country."""
    return [name for name in configs("policy-statements") if name.endswith(_NATIVE)]


def policy() -> Iterator[File]:
    """Yield the files of the policy statements.

    They have no tags: running a tag would prompt the statements twice, as part of all countries and alone.
    """
    runs, name = 30, "policy_stance"
    for form in FORM_SUFFIXES:
        mini = {"variants": "[original, negation]", "instructions": "1"}
        for suffix, config, samples, more in (
            ("", "all", runs, {}),
            ("_mini", "all", 4, mini),
            *((f"_{config}", config, runs, {}) for config in (*country_configs(), *native_configs())),
        ):
            metadata: dict[str, object] = {"version": _VERSION}
            if not form:
                metadata = {"version": _STANCES_VERSION, "paper_runs": runs, "polbias_samples": samples}
            data = loader_arguments("policy-statements", config, **more)
            yield task(f"{name}{suffix}{form}", form or "_sampled", data, metadata=metadata)
        yield group(f"{name}_countries{form}", [f"{name}_{country}{form}" for country in country_configs()])
        yield group(f"{name}{_NATIVE}{form}", [f"{name}_{config}{form}" for config in native_configs()])
    sampled: dict[str, object] = {"version": _STANCES_VERSION, "paper_runs": runs}
    every_prompt = loader_arguments("policy-statements", "all")
    tested_prompts = every_prompt | {"prompts": "tested"}
    # policy_leaning has no log-likelihood form: policy_stance_loglikelihood is the same task.
    yield task("policy_leaning", "_leaning", every_prompt, metadata=sampled | {"polbias_samples": 1})
    yield task("policy_tests", "_sampled", tested_prompts, metadata=sampled | {"polbias_samples": runs})
    yield task("policy_tests_loglikelihood", "_loglikelihood", tested_prompts, metadata={"version": _VERSION})


def xphemism() -> Iterator[File]:
    """Yield the files of the X-phemism pairs; both versions of a claim are in the same task."""
    dataset, metadata = "xphemism-pairs", {"version": _VERSION, "paper_runs": 3}
    for form in FORM_SUFFIXES:
        base = form or "_generate"
        for suffix, language in {"": "de", "_en": "en"}.items():  # instruction language; claims are German
            members = []
            for kind, style in product(("", "placebo_"), ("simple", "objective")):
                members.append(f"xphemism_{kind}{style}{suffix}{form}")
                data = loader_arguments(
                    dataset, "placebo" if kind else "pairs", style=style, instruction=language
                )
                yield task(members[-1], f"{base}_placebo" if kind else base, data, metadata=metadata)
            yield group(f"xphemism{suffix}{form}", members)
        data = loader_arguments(dataset, "pairs", style="simple", instruction="de", pairs=MINI_PAIRS)
        yield task(f"xphemism_mini{form}", base, data, metadata=metadata)


def topic_set_configs() -> Sequence[str]:
    """Return the configs of the topic sets of the self-assessment."""
    return configs("self-assessment", "items")


def selfassess() -> Iterator[File]:
    """Yield the files of the self-assessment.

    First stage: one task per set generates articles. Second stage: one task per question reads the rows built
    from the articles; those in ``_paper`` read the rows in the paper's wording.
    """
    writing_metadata: dict[str, object] = {"version": _VERSION}
    items: dict[str, object] = {"polbias_items": MINI_ITEMS}  # metadata, so that --metadata can override it
    choice_metadata: dict[str, object] = {"version": _CHOICES_VERSION}
    name = "selfassess_generate"
    for config in topic_set_configs():
        yield task(
            f"{name}_{config}",
            "_write",
            loader_arguments("self-assessment", config),
            metadata=writing_metadata,
        )
    yield group(name, [f"{name}_{config}" for config in topic_set_configs()])
    yield task(
        f"{name}_mini",
        "_write",
        loader_arguments("self-assessment", topic_set_configs()[0]),
        metadata=writing_metadata | items,
    )
    for question, form in product(QUESTIONS, FORM_SUFFIXES):
        for suffix, metadata in {"": choice_metadata, "_mini": choice_metadata | items}.items():
            task_name = f"selfassess_{question}{suffix}{form}"
            yield task(task_name, f"_choose{form}", {"question": question}, metadata=metadata)
    for question in QUESTIONS:
        arguments = {"question": question, "wording": "paper"}
        yield task(f"selfassess_{question}_paper", "_choose", arguments, metadata={"version": _VERSION})


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
