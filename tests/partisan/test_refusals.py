"""Other numbers of shots and other instructions than the published ones: built, or refused by field."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from polbias.errors import TemplateError
from polbias.generators.partisan.tables import dataset
from polbias.paths import package_file


def folder_with(tmp_path: Path, old: str, new: str) -> Path:
    folder = tmp_path / "partisan"
    shutil.copytree(package_file("templates/partisan"), folder)
    path = folder / "dataset.yaml"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    return folder


def test_without_shots_no_examples_are_held_out(tmp_path: Path) -> None:
    made = dataset(folder_with(tmp_path, "shots: [0, 8, 32]", "shots: [0]"))
    assert {table.split for table in made.tables} == {"test"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("shots: [0, 8, 32]", "shots: [0, 4]", "shots.1: found 4; expected: input should be 0, 8 or 32"),
        ("shots: [0, 8, 32]", "shots: [8]", "mini.shots: found [0], expected numbers of shots: (8,)"),
        (
            'instructions: ["1"]',
            'instructions: ["2"]',
            "mini.instructions: found ['2'], no formal instructions in instructions.en.yaml",
        ),
        ('"{paper}, {source}"', '"{paper}, {table}"', "provenance.printed: found '{paper}, {table}'"),
    ],
)
def test_a_wrong_field_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(TemplateError) as refused:
        dataset(folder_with(tmp_path, old, new))
    assert message in str(refused.value)
    assert "dataset.yaml:" in str(refused.value)
