"""The task files: what the script writes, names, versions, functions."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from polbias.harness_tasks.partisan.generate import files
from polbias.lock import read_lock
from tests.support.process import ROOT

_FOLDER = ROOT / "harness_tasks" / "partisan"
_FILES = sorted(_FOLDER.glob("*.yaml"))


def test_files_are_what_the_script_writes() -> None:
    written = {path.name: path.read_text("utf-8") for path in _FILES if not path.name.startswith("_")}
    assert written == dict(files())


@pytest.mark.parametrize("path", _FILES, ids=lambda path: path.stem)
def test_every_function_that_a_file_names_exists(path: Path) -> None:
    for module, name in re.findall(r"!function ([\w.]+)\.(\w+)", path.read_text("utf-8")):
        assert callable(getattr(import_module(module), name))


def test_names_revisions_and_configs() -> None:
    locked = read_lock()["partisan-inference"]
    asked = set()
    for name, text in files():
        assert name.startswith("polbias_")
        if "task: polbias" in text:
            assert f"polbias_revision: v{locked.version}\n" in text
            asked.add(re.search(r"polbias_config: (\w+)", text)[1])
    assert asked == set(locked.configs)


def test_the_tasks_that_the_design_names_are_there() -> None:
    names = {path.stem for path in _FILES}
    for base in (
        "en_formal",
        "en_material",
        "de_formal",
        "de_material",
        "en_control_formal",
        "en_control_material",
    ):
        for suffix in ("", "_0shot", "_8shot", "_32shot", "_mini"):
            assert f"polbias_{base}{suffix}" in names
            assert f"polbias_{base}{suffix}_loglikelihood" in names


def test_no_group_mixes_generated_answers_and_likelihoods() -> None:
    for _, text in files():
        if text.startswith("group:"):
            members = re.findall(r"  - (polbias_\w+)", text)
            assert len({member.endswith("_loglikelihood") for member in members}) == 1
