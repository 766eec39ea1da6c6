"""The task files of the self-assessment: names, settings, and metrics that match what the functions return."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from polbias.eval.selfassess import metrics
from polbias.harness_tasks.generate import MINI_ITEMS, QUESTIONS, sets
from polbias.harness_tasks.generate import selfassess as files
from polbias.manifest import read_lock
from tests.eval.selfassess.respondents import rows
from tests.support.process import ROOT

DATASET = "self-assessment"
_FOLDER = ROOT / "harness_tasks" / "selfassess"
_BASES = ("_write.yaml", "_choose.yaml", "_choose_loglikelihood.yaml")
needs_lock = pytest.mark.skipif(DATASET not in read_lock(), reason="the dataset is not locked yet")


class _Loader(yaml.SafeLoader):
    """YAML with lm_eval's functions as their names."""


_Loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))


def settings(name: str) -> dict[str, Any]:
    """What a task file says, with what it includes."""
    data = yaml.load((_FOLDER / name).read_text("utf-8"), Loader=_Loader)
    included = data.pop("include", None)
    return (settings(included) if included else {}) | data


@needs_lock
def test_files_are_what_the_script_writes() -> None:
    assert {path.name: path.read_text("utf-8") for path in _FOLDER.glob("polbias_*.yaml")} == dict(files())
    assert "items" not in sets()


def test_the_names_that_the_design_gives_are_there() -> None:
    names = {path.stem for path in _FOLDER.glob("polbias_*.yaml")}
    for name in ("poligen", "econolex", "bundestag", "mini"):
        assert f"polbias_selfassess_generate_{name}" in names
    for question in QUESTIONS:
        for suffix in ("", "_mini", "_loglikelihood", "_mini_loglikelihood"):
            assert f"polbias_selfassess_{question}{suffix}" in names


def test_every_function_that_a_file_names_exists() -> None:
    found = {
        pair
        for path in _FOLDER.glob("*.yaml")
        for pair in re.findall(r"!function ([\w.]+)\.(\w+)", path.read_text("utf-8"))
    }
    assert len(found) > 8
    for module, name in found:
        assert callable(getattr(import_module(module), name))


def test_no_group_mixes_forms_and_none_adds_up_sets() -> None:
    for path in _FOLDER.glob("*.yaml"):
        text = path.read_text("utf-8")
        members = re.findall(r"  - (polbias_\w+)", text)
        assert len({member.endswith("_loglikelihood") for member in members}) <= 1
        assert "aggregate_metric_list" not in text


@pytest.mark.parametrize(
    "path", sorted(_FOLDER.glob("polbias_selfassess_*.yaml")), ids=lambda path: path.stem
)
def test_settings(path: Path) -> None:
    found = settings(path.name)
    if "group" in found:
        return
    assert not {*found["dataset_kwargs"]} & {*found["metadata"]}  # lm_eval hands both to the loader
    assert found["metadata"].get("polbias_items") == (MINI_ITEMS if "_mini" in path.stem else None)
    if "_generate" in path.stem:
        assert found["generation_kwargs"] == {"until": [], "max_gen_toks": 512}  # the model's own sampling
        return
    assert found["gen_prefix"] == "prefill"
    assert found["dataset_kwargs"]["polbias_question"] in path.stem
    if path.stem.endswith("_loglikelihood"):
        assert (found["output_type"], "generation_kwargs" in found) == ("multiple_choice", False)
    else:
        greedy = {"until": [], "do_sample": False, "temperature": 0, "max_gen_toks": 10}
        assert found["generation_kwargs"] == greedy


@pytest.mark.parametrize("base", _BASES)
def test_every_metric_that_a_function_returns_is_listed_and_nothing_else(base: str) -> None:
    found = settings(base)
    process = getattr(metrics, found["process_results"].rsplit(".", 1)[1])
    doc = rows(1, ways=(3,))[0] | {"side": "left"}
    likely = [(-1.0, False), (-2.0, False), (-3.0, False)]
    returned = list(process(doc, likely if "likelihood" in base else ["1"]))
    assert sorted(returned) == sorted(entry["metric"] for entry in found["metric_list"])
    for metric in returned:
        if not metric.endswith("_stderr"):  # lm_eval puts its own error over ours unless ours comes after
            assert returned.index(f"{metric}_stderr") > returned.index(metric)
