"""The task files of the X-phemism pairs: names, settings, and metrics that match what the functions return."""

from __future__ import annotations

import re
from importlib import import_module
from itertools import product
from typing import Any

import pytest
import yaml

from polbias.eval.xphemism import metrics
from polbias.harness_tasks.generate import FORMS
from polbias.harness_tasks.generate import xphemism as files
from polbias.manifest import read_lock
from tests.support.process import ROOT
from tests.tasks.xphemism_rows import rows

DATASET = "xphemism-pairs"
_FOLDER = ROOT / "harness_tasks" / "xphemism"
TASKS = [
    path.name for path in sorted(_FOLDER.glob("polbias_*.yaml")) if "task: polbias" in path.read_text("utf-8")
]
BASES = sorted(path.name for path in _FOLDER.glob("_*.yaml"))


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


def test_names() -> None:
    parts = product(("", "placebo_"), ("simple", "objective"), ("", "_en"), FORMS)
    tasks = {f"polbias_xphemism_{kind}{style}{suffix}{form}" for kind, style, suffix, form in parts}
    tasks |= {f"polbias_xphemism_mini{form}" for form in FORMS}
    assert {name.removesuffix(".yaml") for name in TASKS} == tasks
    groups = {f"polbias_xphemism{suffix}{form}" for suffix in ("", "_en") for form in FORMS}
    assert {name.removesuffix(".yaml") for name, _ in files()} == tasks | groups


def test_a_group_has_one_form_one_language_and_no_score() -> None:
    for name, text in files():
        members = re.findall(r"  - (polbias_\w+)", text)
        assert len({member.endswith("_loglikelihood") for member in members}) <= 1
        assert {"_en" in member for member in members} <= {"_en" in name}
        assert "aggregate_metric_list" not in text


@pytest.mark.parametrize("name", TASKS)
def test_settings(name: str) -> None:
    found = settings(name)
    data = found["dataset_kwargs"]
    placebo, mini = "_placebo_" in name, "_mini" in name
    assert data == {
        "polbias_dataset": DATASET,
        "polbias_config": "placebo" if placebo else "pairs",
        "polbias_revision": f"v{read_lock()[DATASET].version}",
        "polbias_style": "objective" if "_objective" in name else "simple",
        "polbias_instruction": "en" if "_en" in name else "de",
        **({"polbias_pairs": 100} if mini else {}),
    }
    assert not {*data} & {*found["metadata"]}  # lm_eval hands both to the loader
    assert found["metadata"]["paper_runs"] == 3
    assert found["process_results"].endswith("_placebo") == placebo
    if name.endswith("_loglikelihood.yaml"):
        assert found["output_type"] == "multiple_choice"
        assert "generation_kwargs" not in found
        return
    wanted = {"until": [], "do_sample": False, "temperature": 0, "max_gen_toks": 10}
    assert found["generation_kwargs"] == wanted


@pytest.mark.parametrize("base", BASES)
def test_every_metric_that_a_function_returns_is_listed_and_nothing_else(base: str) -> None:
    found = settings(base)
    config = "placebo" if "placebo" in base else "pairs"
    likely = [(-1.0, False), (-2.0, False)]
    process = getattr(metrics, found["process_results"].rsplit(".", 1)[1])
    returned = list(process(rows(config)[0], likely if "log" in base else ["True"]))
    assert sorted(returned) == sorted(entry["metric"] for entry in found["metric_list"])
    for metric in returned:
        if not metric.endswith("_stderr"):  # lm_eval puts its own error over ours unless ours comes after
            assert returned.index(f"{metric}_stderr") > returned.index(metric)


def test_every_function_that_a_file_names_exists() -> None:
    found = {
        pair
        for path in _FOLDER.glob("*.yaml")
        for pair in re.findall(r"!function ([\w.]+)\.(\w+)", path.read_text("utf-8"))
    }
    assert len(found) > 10
    for module, name in found:
        assert callable(getattr(import_module(module), name))
