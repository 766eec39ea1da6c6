"""The README names what exists, counts what is built, and shows the page as it is.

docs/outputs.py checks the outputs that it prints.
"""

from __future__ import annotations

import re
import runpy

from polbias.harness_tasks.generate import LADDER_PAIRS
from polbias.lm_eval_runner.tasks import catalogue
from polbias.lock import read_lock
from tests.support.process import ROOT

_README = (ROOT / "README.md").read_text("utf-8")


def test_tasks_and_targets_that_it_names_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in set(re.findall(r"\bmake ([a-z-]+)", _README)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    names = {path.stem for path in (ROOT / "harness_tasks").rglob("polbias_*.yaml")}
    for task in set(re.findall(r"polbias_\w+\b(?![{_])", _README)):
        assert task in names or task.endswith("_"), task


def test_prompts_of_the_instruments_are_those_of_the_lock() -> None:
    listed = re.findall(r"^\| (\S+)[^|]*\|.*\| ([\d,]+) \|[^|]*\|$", _README, re.MULTILINE)
    rows = {
        name: {config: splits["test"].rows for config, splits in dataset.configs.items()}
        for name, dataset in read_lock().items()
    }
    tasks = catalogue([])
    large = [tasks.tasks[task].data["config"] for task in tasks.members("polbias_partisan_xl")]
    ladder = tasks.members("polbias_ladder")
    assert {name: int(count.replace(",", "")) for name, count in listed} == {
        "Partisan": sum(rows["partisan-inference-xl"][config] for config in large),
        # of each level as many pairs as a task takes
        "Ladder,": 2 * LADDER_PAIRS * len(ladder),
        "Policy": rows["policy-statements"]["all"],
        # each pair and placebo is asked in German and in English
        "X-phemism": (rows["xphemism-pairs"]["pairs"] + rows["xphemism-pairs"]["placebo"]) // 2,
        "Self-assessment": sum(count for name, count in rows["self-assessment"].items() if name != "items"),
        "Normative": sum(
            count
            for name, count in rows["normative-reasoning"].items()
            if name.endswith(("_balanced", "wason"))
        ),
    }


def test_the_picture_is_taken_from_the_templates_of_the_page() -> None:
    shots = runpy.run_path(str(ROOT / "docs" / "shots.py"))
    assert shots["picture_hash"]() == shots["templates_hash"]()
