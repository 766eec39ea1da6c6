"""The task files of the normative family: names, settings, and metrics that match what the functions return."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest
import yaml

from polbias.eval.normative import metrics, wason
from polbias.harness_tasks.generate import ENTAILED
from polbias.harness_tasks.generate import normative as files
from polbias.manifest import read_lock
from tests.eval.normative.normative_rows import CONFIGS, entailment_rows, wason_rows
from tests.support.process import ROOT

DATASET = "normative-reasoning"
_FOLDER = ROOT / "harness_tasks" / "normative"


class _Loader(yaml.SafeLoader):
    """YAML with lm_eval's functions as their names."""


_Loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))


def settings(name: str) -> dict[str, Any]:
    """What a task file says, with what it includes."""
    data = yaml.load((_FOLDER / name).read_text("utf-8"), Loader=_Loader)
    included = data.pop("include", None)
    return (settings(included) if included else {}) | data


TASKS = [
    path.name for path in sorted(_FOLDER.glob("polbias_*.yaml")) if "task: polbias" in path.read_text("utf-8")
]


def test_the_names_that_the_design_gives_are_there() -> None:
    names = {name.removesuffix(".yaml") for name, _ in files()}
    for config in CONFIGS:
        assert {f"polbias_{config}_{style}" for style in ("zero", "few", "cot")} <= names
        assert {f"polbias_{config}_{style}_loglikelihood" for style in ("zero", "few")} <= names
        assert {f"polbias_{config}", f"polbias_{config}_loglikelihood"} <= names
    assert {
        f"polbias_{name}{form}" for name in ("wason", "normative") for form in ("", "_loglikelihood")
    } <= names
    assert len(names) == 4 * (3 + 2 + 2) + 4


@pytest.mark.parametrize("name", TASKS)
def test_settings(name: str) -> None:
    found = settings(name)
    locked = read_lock().get(DATASET)
    assert found["dataset_kwargs"]["polbias_dataset"] == DATASET
    assert locked is None or found["dataset_kwargs"]["polbias_revision"] == f"v{locked.version}"
    style = found["dataset_kwargs"]["polbias_style"]
    assert style in name or "wason" in name
    assert found["doc_to_text"] == "prompt"
    assert found["metadata"]["version"] == 1.0
    assert 0 < found["metadata"]["chance"] <= 0.5
    if name.endswith("_loglikelihood.yaml"):
        assert found["output_type"] == "multiple_choice"
        return
    limit = 32 if "wason" in name else 2048 if style == "cot" else 10
    assert found["generation_kwargs"] == {
        "until": [],
        "do_sample": False,
        "temperature": 0,
        "max_gen_toks": limit,
    }


@pytest.mark.parametrize("name", TASKS)
def test_every_metric_that_a_function_returns_is_listed_and_nothing_else(name: str) -> None:
    found = settings(name)
    config = found["dataset_kwargs"]["polbias_config"]
    doc = wason_rows(1)[0] if config == "wason" else entailment_rows(config, contents=1)[0]
    module, function = found["process_results"].rsplit(".", 2)[1:]
    process: Callable[..., Any] = getattr({"metrics": metrics, "wason": wason}[module], function)
    likely = [(-1.0, False)] * len(found.get("doc_to_choice", ()))
    returned = list(process(doc, likely or ["entailment"]))
    assert sorted(returned) == sorted(entry["metric"] for entry in found["metric_list"])
    for metric in returned:
        if f"{metric}_stderr" in returned:  # else lm_eval puts its own error over ours
            assert returned.index(f"{metric}_stderr") > returned.index(metric)
    assert ("acc_sdl" in returned) == (config == "deontic_logic")


def test_choices_are_those_of_the_functions() -> None:
    assert settings("_loglikelihood.yaml")["doc_to_choice"] == [*metrics.CHOICES]
    assert settings("_wason_loglikelihood.yaml")["doc_to_choice"] == [*wason.CHOICES]
    assert [*wason.CHOICES] == [", ".join(pair) for pair in combinations("ABCD", 2)]
    for row in wason_rows():
        assert wason.CHOICES[wason.gold_index(row)].replace(" ", "") == row["gold"]


def test_baselines_are_those_of_the_paper_s_counts() -> None:
    # section 4.1: 360 of 640, 300 of 480, and half of the syllogisms
    assert ENTAILED == {
        "deontic_logic": 0.5625,
        "epistemic_logic": 0.625,
        "deontic_syllogism": 0.5,
        "epistemic_syllogism": 0.5,
    }
    for name, text in files():
        if re.search(r"config: (?!wason)", text):
            assert settings(name)["metadata"]["always_entailment"] >= 0.5
