"""What the README names exists; docs/outputs.py checks the outputs that it shows."""

from __future__ import annotations

import re

from tests.support.process import ROOT

_README = (ROOT / "README.md").read_text("utf-8")


def test_tasks_and_targets_that_it_names_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in set(re.findall(r"\bmake ([a-z-]+)", _README)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    names = {path.stem for path in (ROOT / "harness_tasks").rglob("polbias_*.yaml")}
    for task in set(re.findall(r"polbias_\w+\b(?![{_])", _README)):
        assert task in names or task.endswith("_"), task
