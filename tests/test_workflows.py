"""What the workflow files name is there: paths of the checkout and targets of the Makefile."""

from __future__ import annotations

import re

import pytest
import yaml

from tests.support.process import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PATH = re.compile(
    r"(?<![\w./:@-])(?:\./)?((?:tests|docs|eval|requirements|polbias|\.ci|\.github)(?:/[\w.*-]+)*)"
)
MADE = {"polbias"}  # the command and the package


def strings(value: object) -> list[str]:
    """All strings in a workflow."""
    if isinstance(value, dict):
        return [text for part in value.values() for text in strings(part)]
    if isinstance(value, list):
        return [text for part in value for text in strings(part)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_every_path_and_target_of_a_workflow_exists(workflow: object) -> None:
    texts = strings(yaml.safe_load(workflow.read_text("utf-8")))  # type: ignore[attr-defined]
    paths = {path for text in texts for path in PATH.findall(text) if path not in MADE}
    assert paths
    assert not [path for path in paths if not [*ROOT.glob(path)]]
    targets = {
        word for text in texts for words in re.findall(r"\bmake ([\w ./-]+)", text) for word in words.split()
    }
    rules = (ROOT / "Makefile").read_text("utf-8")
    environments = {f".venv/{name}" for name in re.findall(r"^\$\(VENV\)/(\.\w+):", rules, re.MULTILINE)}
    assert not targets - environments - {*re.findall(r"^([\w-]+):", rules, re.MULTILINE)}
