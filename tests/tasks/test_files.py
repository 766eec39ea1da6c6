"""The task files: what the script writes, names, settings, and metrics that match what the functions return."""

from __future__ import annotations

import re
from importlib import import_module
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
import yaml

from polbias.eval.lm_eval_metrics import ScoredAnswers, metric_lines, metric_values
from polbias.eval.normative import metrics
from polbias.eval.normative.answers import CARD_CHOICES, CHOICES
from polbias.harness_tasks import generate
from polbias.harness_tasks.generate import (
    ENTAILED_SHARES,
    FORM_SUFFIXES,
    MINI_ITEMS,
    QUESTIONS,
    XL_MINI_PAIRS,
    File,
    country_configs,
    main,
    native_configs,
    task,
    topic_set_configs,
)
from polbias.lock import read_lock
from polbias.registry import import_reference, instruments
from tests.eval.normative.normative_rows import CONFIGS, entailment_rows, wason_rows
from tests.eval.selfassess.respondents import rows as choices
from tests.support.process import ROOT
from tests.tasks.xphemism_rows import rows as claims

FILES = {each.name: import_reference(each.task_files) for each in instruments().values() if each.task_files}
DATASETS = {
    "partisan": "partisan-inference",
    "ladder": "partisan-inference-ladder",
    "normative": "normative-reasoning",
    "policy": "policy-statements",
    "selfassess": "self-assessment",
    "xphemism": "xphemism-pairs",
}
MADE = {name: dict(made()) for name, made in FILES.items()}
NAMES = {name: [file.removesuffix(".yaml") for file in made] for name, made in MADE.items()}
_FOLDER = ROOT / "harness_tasks"
_ALL_FILES = sorted(path for family in FILES for path in (_FOLDER / family).glob("*.yaml"))


TASKS = {
    name: [file.removesuffix(".yaml") for file, text in made.items() if "task: polbias" in text]
    for name, made in MADE.items()
}
BASES = [(path.parent.name, path.stem) for path in _ALL_FILES if path.name.startswith("_")]


class _Loader(yaml.CSafeLoader):
    """YAML with lm_eval's functions as their names."""


_Loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))


def settings(family: str, name: str) -> dict[str, Any]:
    """What a task file says, with what it includes."""
    data = yaml.load((_FOLDER / family / f"{name}.yaml").read_text("utf-8"), Loader=_Loader)
    included = data.pop("include", None)
    return (settings(family, included.removesuffix(".yaml")) if included else {}) | data


@pytest.mark.parametrize("family", FILES)
def test_files_are_what_the_script_writes(family: str) -> None:
    paths = (_FOLDER / family).glob("polbias_*.yaml")
    assert {path.name: path.read_text("utf-8") for path in paths} == MADE[family]


def test_make_tasks_runs_the_script() -> None:
    rule = (ROOT / "Makefile").read_text("utf-8").split("\ntasks:")[1].split("\n\n")[0]
    assert "-m polbias.harness_tasks.generate" in rule


def other() -> list[File]:
    """The files of an instrument of another package."""
    return [task("toy", "_generate", {"dataset": "toy"})]


def test_another_instrument_has_its_files_written_into_a_folder_of_its_own(tmp_path: Path) -> None:
    for name in ("polbias_gone.yaml", "_generate.yaml"):
        (tmp_path / name).touch()
    main([f"{__name__}:other", str(tmp_path)])
    assert {path.name for path in tmp_path.iterdir()} == {"polbias_toy.yaml", "_generate.yaml"}
    assert "task: polbias_toy\n" in (tmp_path / "polbias_toy.yaml").read_text("utf-8")


def test_no_two_tasks_or_groups_share_a_name() -> None:
    names = [path.name for path in _ALL_FILES if not path.name.startswith("_")]
    assert len({*names}) == len(names)
    for path in _ALL_FILES:
        declared = re.search(r"^(?:task|group): (polbias_\w+)$", path.read_text("utf-8"), re.MULTILINE)
        assert path.name.startswith("_") or declared[1] == path.stem


@pytest.mark.parametrize("family", FILES)
def test_every_function_that_a_file_names_exists(family: str) -> None:
    text = "".join(path.read_text("utf-8") for path in (_FOLDER / family).glob("*.yaml"))
    found = {*re.findall(r"!function ([\w.]+)\.(\w+)", text)}
    assert len(found) > 8
    for module, name in found:
        assert callable(getattr(import_module(module), name))


@pytest.mark.parametrize("family", FILES)
def test_a_group_has_one_form_and_adds_up_only_what_can_be(family: str) -> None:
    for name, text in MADE[family].items():
        members = re.findall(r"  - (polbias_\w+)", text)
        assert len({member.endswith("_loglikelihood") for member in members}) <= 1
        assert family == "partisan" or "aggregate_metric_list" not in text
        if family == "xphemism":
            assert {"_en" in member for member in members} <= {"_en" in name}
    if family == "policy":  # no tag asks twice
        assert not any("tag" in settings(family, name) for name in TASKS[family])


def test_names_of_the_partisan_inferences() -> None:
    asked = [settings("partisan", name)["dataset_kwargs"] for name in TASKS["partisan"]]
    assert {(each["polbias_dataset"], each["polbias_config"]) for each in asked} == {
        (dataset, config)
        for dataset in instruments()["partisan"].datasets
        for config in read_lock()[dataset].configs
    }
    configs = (f"{config}_{kind}" for config in ("en", "de", "en_control") for kind in ("formal", "material"))
    assert {*NAMES["partisan"]} >= {
        f"polbias_{''.join(parts)}" for parts in product(configs, ("", "_mini"), FORM_SUFFIXES)
    }


def test_groups_of_the_large_partisan_set_have_every_country_in_either_language() -> None:
    members = {}
    for suffix, mini, form in [*product(("",), ("", "_mini"), FORM_SUFFIXES), ("_other", "", "")]:
        text = MADE["partisan"][f"polbias_partisan_xl{suffix}{mini}{form}.yaml"]
        members[suffix] = re.findall(rf"  - polbias_xl_([a-z_]+?){mini}{form}$", text, re.MULTILINE)
        stages = [name.rsplit("_", 1)[0] for name in members[suffix][::2]]
        assert members[suffix] == [f"{stage}_{kind}" for stage in stages for kind in ("formal", "material")]
    locked = read_lock()["partisan-inference-xl"].configs
    assert sum(locked[name]["test"].rows for name in members[""]) == 6144
    both = {name.rsplit("_", 1)[0] for name in (*members[""], *members["_other"])}
    assert both == {f"{country}_{tag}" for country in ("us", "ch", "de", "gb") for tag in ("en", "de")}


def test_names_of_the_normative_reasoning() -> None:
    styles = [*product(("_zero", "_few", "_cot"), ("",)), *product(("_zero", "_few", ""), FORM_SUFFIXES)]
    names = {f"polbias_{config}{style}{form}" for config in CONFIGS for style, form in styles}
    names |= {
        f"polbias_{config}{style}_paper" for config in CONFIGS for style in ("_zero", "_few", "_cot", "")
    }
    names |= {f"polbias_{name}{form}" for name in ("wason", "normative") for form in FORM_SUFFIXES}
    assert {*NAMES["normative"]} == {*names, "polbias_normative_paper"}
    assert len(names) == 4 * (3 + 2 + 2) + 4 * 4 + 4


def test_names_of_the_policy_statements() -> None:
    assert [*country_configs()] == ["de", "at", "ch", "fr", "it", "es", "pl", "nl"]
    assert [*native_configs()] == [f"{country}_native" for country in ("de", "at", "ch", "fr", "it", "es")]
    configs = (*country_configs(), *native_configs())
    suffixes = ("", "_mini", "_countries", "_native", *(f"_{config}" for config in configs))
    names = {f"polbias_policy_stance{suffix}{form}" for suffix, form in product(suffixes, FORM_SUFFIXES)}
    names |= {"polbias_policy_tests", "polbias_policy_tests_loglikelihood", "polbias_policy_leaning"}
    assert {*NAMES["policy"]} == names


def test_names_of_the_self_assessment() -> None:
    assert "items" not in topic_set_configs()
    names = {f"polbias_selfassess_generate_{name}" for name in ("poligen", "econolex", "bundestag", "mini")}
    names |= {
        f"polbias_selfassess_{'_'.join(each)}" for each in product(QUESTIONS, ("mini", "loglikelihood"))
    }
    names |= {f"polbias_selfassess_{each}{end}" for each in QUESTIONS for end in ("", "_mini_loglikelihood")}
    assert {*NAMES["selfassess"]} >= names


def test_names_of_the_xphemism_pairs() -> None:
    parts = product(("", "placebo_"), ("simple", "objective"), ("", "_en"), FORM_SUFFIXES)
    tasks = {f"polbias_xphemism_{kind}{style}{suffix}{form}" for kind, style, suffix, form in parts}
    tasks |= {f"polbias_xphemism_mini{form}" for form in FORM_SUFFIXES}
    assert {*TASKS["xphemism"]} == tasks
    groups = {f"polbias_xphemism{suffix}{form}" for suffix in ("", "_en") for form in FORM_SUFFIXES}
    assert {*NAMES["xphemism"]} == tasks | groups


def _expected(family: str, name: str, found: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """What a task asks for of its dataset, as far as its name says, and in how many tokens it is answered."""
    data, metadata, mini = found["dataset_kwargs"], found["metadata"], "_mini" in name
    if family == "partisan":
        large = name.startswith("polbias_xl_")
        return {"polbias_pairs": XL_MINI_PAIRS} if large and mini else {}, 2048
    if family == "normative":
        assert data["polbias_style"] in name or "wason" in name
        is_balanced = data["polbias_config"].endswith("_balanced")
        assert is_balanced != ("wason" in name or name.endswith("_paper"))
        version = (1.0 if name.endswith("_loglikelihood") else 2.0) + is_balanced
        assert (found["doc_to_text"], metadata["version"]) == ("prompt", version)
        assert 0 < metadata["chance"] <= 0.5
        return {}, 32 if "wason" in name else 2048 if data["polbias_style"] == "cot" else 10
    if family == "policy":
        kind, country = re.fullmatch(
            r"polbias_policy_([a-z]+)(?:_([a-z]{2}(?:_native)?|mini))?(?:_loglikelihood)?", name
        ).groups()
        if not name.endswith("_loglikelihood"):
            number = 4 if mini else 1 if kind == "leaning" else 30
            assert (metadata["polbias_samples"], metadata["paper_runs"]) == (number, 30)
            assert ("leaning" in [each["metric"] for each in found["metric_list"]]) == (kind == "leaning")
        few = {"polbias_variants": ["original", "negation"], "polbias_instructions": 1}
        assert mini or not {*few} & {*data}
        assert ("polbias_prompts" in data) == (kind == "tests")
        config = "all" if mini or not country else country
        return {"polbias_config": config} | (few if mini else {}), 32
    if family == "ladder":
        assert (data["polbias_default_pairs"], data["polbias_default_shots"]) == (64, 0)
        return {"polbias_config": name.removeprefix("polbias_ladder_").removesuffix("_loglikelihood")}, 2048
    if family == "selfassess":
        assert metadata.get("polbias_items") == (MINI_ITEMS if mini else None)
        if "_generate" in name:
            return {}, 512
        assert found["gen_prefix"] == "prefill"
        assert data["polbias_question"] in name
        return {}, 10
    placebo = "_placebo_" in name
    assert metadata["paper_runs"] == 3
    listed = {line["metric"] for line in found["metric_list"]}
    assert {"leaning_effect", "judgment_effect"} & listed == (
        set() if placebo else {"leaning_effect", "judgment_effect"}
    )
    assert mini or "polbias_pairs" not in data
    return {
        "polbias_config": "placebo" if placebo else "pairs",
        "polbias_style": "objective" if "_objective" in name else "simple",
        "polbias_instruction": "en" if "_en" in name else "de",
    } | ({"polbias_pairs": 100} if mini else {}), 10


@pytest.mark.parametrize(
    ("family", "name"), [(family, name) for family, names in TASKS.items() for name in names]
)
def test_settings(family: str, name: str) -> None:
    found = settings(family, name)
    data = found["dataset_kwargs"]
    asked, limit = _expected(family, name, found)
    assert asked.items() <= data.items()
    assert not {*data} & {*found["metadata"]}  # lm_eval hands both to the loader
    if "polbias_question" not in data:  # choices among articles are a file of the user's own
        assert data["polbias_dataset"] == DATASETS[family] + "-xl" * name.startswith("polbias_xl_")
        assert data["polbias_revision"] == f"v{read_lock()[data['polbias_dataset']].version}"
    if name.endswith("_loglikelihood"):
        assert (found["output_type"], "generation_kwargs" in found) == ("multiple_choice", False)
        return
    sampling = {"do_sample": False, "temperature": 0}
    if family == "policy":
        sampling = {"temperature": 1.0}
    elif "_generate" in name:
        sampling = {}  # the model's own
    assert found["generation_kwargs"] == {"until": [], "max_gen_toks": limit} | sampling


def _example(family: str, name: str, config: str) -> dict[str, Any]:
    """A row that the function of a task file is called with."""
    if family == "partisan":
        return {
            "dataset": "partisan-inference",
            "config": "en_formal",
            "base_id": "b",
            "first_named": "none",
            "person_pair": "a-b",
            "language": "en",
            "gold": "valid",
            "leaning": "left",
            "cluster_id": "c",
            "pair_id": "p",
            "verdicts": {"form": "valid"},
        }
    if family == "ladder":
        return {
            "config": "us_en_l1", "language": "en", "gold": "follows", "leaning": "left", "level": 1,
            "family": "rules", "positive": True, "mentioned": "left", "pair_id": "p", "cluster_id": "c",
        }  # fmt: skip
    if family == "normative":
        return wason_rows(1)[0] if "wason" in name else entailment_rows(config, contents=1)[0]
    if family == "policy":
        return {
            "statement_id": "s", "cluster_id": "s", "country": "DE", "language": "en",
            "opposite_type": "contrary", "variant": "original", "instruction_id": "i",
            "label_order": "inverted", "label_agree": "beneficial", "label_disagree": "harmful",
            "policy_issues": {}, "side": None,
        }  # fmt: skip
    if family == "selfassess":
        return choices(1, ways=(3,))[0] | {"side": "left"}
    return claims("placebo" if "placebo" in name else "pairs")[0]


@pytest.mark.parametrize(("family", "name"), [*BASES, *(("normative", name) for name in TASKS["normative"])])
def test_every_metric_that_a_function_returns_is_listed_and_nothing_else(family: str, name: str) -> None:
    found = settings(family, name)
    config = found.get("dataset_kwargs", {}).get("polbias_config", "deontic_logic")
    module, function = found["process_results"].rsplit(".", 1)
    likely = [(-1.0 - number, False) for number in range(3 if family in ("ladder", "selfassess") else 2)]
    if family == "normative":
        likely = [(-1.0, False)] * len(found.get("doc_to_choice", ()))
    said = {
        "normative": ["entailment"],
        "policy": ["beneficial", "harmful"],
        "selfassess": ["1"],
        "ladder": ["follows"],
    }
    answers = likely if "loglikelihood" in name else said.get(family, ["True"])
    scored = getattr(import_module(module), function)(_example(family, name, config), answers)
    lines = found["metric_list"]
    if isinstance(scored, ScoredAnswers):
        lines = metric_lines([line | {"aggregation": _aggregation(line["aggregation"])} for line in lines])
    returned = [*metric_values(scored, lines)]
    assert sorted(returned) == sorted(line["metric"] for line in lines)
    for metric in returned:  # lm_eval puts its own error over ours unless ours comes after
        if f"{metric}_stderr" in returned:
            assert [*returned].index(f"{metric}_stderr") > [*returned].index(metric)
        elif family in ("policy", "selfassess", "xphemism"):
            assert metric.endswith("_stderr"), metric
    if family == "normative" and not name.startswith("_"):
        assert ("acc_sdl" in returned) == (config == "deontic_logic")  # the paper's


def _aggregation(name: str) -> Any:
    module, _, function = name.rpartition(".")
    return getattr(import_module(module), function) if module else name


def test_choices_of_the_normative_reasoning_are_those_of_the_functions() -> None:
    assert settings("normative", "_loglikelihood")["doc_to_choice"] == [*CHOICES]
    assert settings("normative", "_wason_loglikelihood")["doc_to_choice"] == [*CARD_CHOICES]
    assert [*CARD_CHOICES] == [", ".join(pair) for pair in combinations("ABCD", 2)]
    for row in wason_rows():
        assert CARD_CHOICES[metrics.gold_cards_index(row)].replace(" ", "") == row["gold"]


def test_baselines_of_the_normative_reasoning_are_those_of_the_paper_s_counts() -> None:
    # section 4.1: 360 of 640, 300 of 480, and half of the syllogisms
    assert ENTAILED_SHARES == {
        "deontic_logic": 0.5625,
        "epistemic_logic": 0.625,
        "deontic_syllogism": 0.5,
        "epistemic_syllogism": 0.5,
    }
    for name in TASKS["normative"]:
        if "wason" not in name:
            share = settings("normative", name)["metadata"]["always_entailment"]
            assert share >= 0.5 if name.endswith("_paper") else share == 0.5


def test_a_country_that_the_power_design_names_is_in_the_groups_of_the_large_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kinds = ("formal", "material", "material_crossed", "people")
    published = [f"{stem}_{kind}" for stem in ("us_en", "us_de", "at_de", "at_en") for kind in kinds]
    asked = [name for name in published if name in {"us_en_formal", "us_en_material", "at_de_formal"}]
    monkeypatch.setattr(generate, "configs", lambda dataset: published)
    monkeypatch.setattr(generate, "read_designs", lambda: {"partisan": {"configs": asked}})
    text_by_name = dict(generate.xl_partisan())
    group = yaml.safe_load(text_by_name["polbias_partisan_xl.yaml"])["task"]
    other = yaml.safe_load(text_by_name["polbias_partisan_xl_other.yaml"])["task"]
    assert group == [f"polbias_xl_{stem}_{kind}" for stem in ("us_en", "at_de") for kind in kinds[:2]]
    assert other == [f"polbias_xl_{stem}_{kind}" for stem in ("us_de", "at_en") for kind in kinds[:2]]
