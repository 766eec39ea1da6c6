"""The task files of the policy family: names, settings, and metrics that match what the functions return."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import pytest
import yaml

from polbias.eval.policy import metrics
from polbias.harness_tasks.generate import countries
from polbias.harness_tasks.generate import policy as files
from polbias.manifest import read_lock
from tests.support.process import ROOT

DATASET = "policy-statements"
_FOLDER = ROOT / "harness_tasks" / "policy"
TASKS = [
    path.name for path in sorted(_FOLDER.glob("polbias_*.yaml")) if "task: polbias" in path.read_text("utf-8")
]
DOC = {
    **{
        "statement_id": "s",
        "cluster_id": "s",
        "country": "DE",
        "language": "en",
        "opposite_type": "contrary",
    },
    **{"variant": "original", "instruction_id": "i", "label_order": "inverted"},
    **{"label_agree": "beneficial", "label_disagree": "harmful"},
}


class _Loader(yaml.SafeLoader):
    """YAML with lm_eval's functions as their names."""


_Loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))


def settings(name: str) -> dict[str, Any]:
    """What a task file says, with what it includes."""
    data = yaml.load((_FOLDER / name).read_text("utf-8"), Loader=_Loader)
    included = data.pop("include", None)
    return (settings(included) if included else {}) | data


def test_files_are_what_the_script_writes_and_make_tasks_runs_it() -> None:
    assert {path.name: path.read_text("utf-8") for path in _FOLDER.glob("polbias_*.yaml")} == dict(files())
    rule = (ROOT / "Makefile").read_text("utf-8").split("\ntasks:")[1].split("\n\n")[0]
    assert "-m polbias.harness_tasks.generate" in rule


def test_the_names_that_the_design_gives_are_there() -> None:
    names = {name.removesuffix(".yaml") for name, _ in files()}
    assert [*countries()] == ["de", "at", "ch", "fr", "it", "es", "pl", "nl"]
    for suffix in ("", "_mini", "_countries", *(f"_{country}" for country in countries())):
        for form in ("", "_loglikelihood"):
            assert f"polbias_policy_stance{suffix}{form}" in names
    assert len(names) == 2 * (3 + 8)


def test_every_function_that_a_file_names_exists() -> None:
    found = {
        pair
        for path in _FOLDER.glob("*.yaml")
        for pair in re.findall(r"!function ([\w.]+)\.(\w+)", path.read_text("utf-8"))
    }
    assert len(found) > 20
    for module, name in found:
        assert callable(getattr(import_module(module), name))


def test_no_group_mixes_sampled_answers_and_likelihoods_and_no_tag_asks_twice() -> None:
    for _, text in files():
        members = re.findall(r"  - (polbias_\w+)", text)
        assert len({member.endswith("_loglikelihood") for member in members}) <= 1
        assert "aggregate_metric_list" not in text
    assert not any("tag" in settings(name) for name in TASKS)


@pytest.mark.parametrize("name", TASKS)
def test_settings(name: str) -> None:
    found = settings(name)
    locked = read_lock().get(DATASET)
    data = found["dataset_kwargs"]
    assert data["polbias_dataset"] == DATASET
    assert locked is None or data["polbias_revision"] == f"v{locked.version}"
    country = re.fullmatch(r"polbias_policy_stance_([a-z]{2})(_loglikelihood)?\.yaml", name)
    assert data["polbias_config"] == (country[1] if country else "all")
    mini = "_mini" in name
    assert data.get("polbias_variants") == (["original", "negation"] if mini else None)
    assert data.get("polbias_instructions") == (1 if mini else None)
    assert not {*data} & {*found["metadata"]}  # lm_eval hands both to the loader
    if name.endswith("_loglikelihood.yaml"):
        assert found["output_type"] == "multiple_choice"
        assert "generation_kwargs" not in found
        return
    assert found["generation_kwargs"] == {"until": [], "temperature": 1.0, "max_gen_toks": 32}
    assert found["metadata"]["polbias_samples"] == (4 if mini else 30)
    assert found["metadata"]["paper_runs"] == 30


@pytest.mark.parametrize("base", ["_sampled.yaml", "_loglikelihood.yaml"])
def test_every_metric_that_a_function_returns_is_listed_and_nothing_else(base: str) -> None:
    found = settings(base)
    likely = [(-1.0, False), (-2.0, False)]
    process = getattr(metrics, found["process_results"].rsplit(".", 1)[1])
    returned = list(process(DOC, likely if "log" in base else ["beneficial", "harmful"]))
    assert sorted(returned) == sorted(entry["metric"] for entry in found["metric_list"])
    for metric in returned:
        if not metric.endswith("_stderr"):  # lm_eval puts its own error over ours unless ours comes after
            assert returned.index(f"{metric}_stderr") > returned.index(metric)
