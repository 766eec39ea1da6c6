"""The task files: what the script writes, names, versions, functions."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from polbias.harness_tasks.generate import File, main, task
from polbias.harness_tasks.generate import partisan as files
from polbias.manifest import read_lock
from polbias.registry import instruments, resolve
from tests.support.process import ROOT

FILES = {each.name: resolve(each.task_files) for each in instruments().values() if each.task_files}
_FOLDER = ROOT / "harness_tasks" / "partisan"
_FILES = sorted(_FOLDER.glob("*.yaml"))
_ALL_FILES = sorted(path for family in FILES for path in (ROOT / "harness_tasks" / family).glob("*.yaml"))


@pytest.mark.parametrize("family", FILES)
def test_files_are_what_the_script_writes(family: str) -> None:
    paths = (ROOT / "harness_tasks" / family).glob("polbias_*.yaml")
    assert {path.name: path.read_text("utf-8") for path in paths} == dict(FILES[family]())


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


@pytest.mark.parametrize("path", _ALL_FILES, ids=lambda path: path.stem)
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
    for made in FILES.values():
        for _, text in made():
            if text.startswith("group:"):
                members = re.findall(r"  - (polbias_\w+)", text)
                assert len({member.endswith("_loglikelihood") for member in members}) == 1
