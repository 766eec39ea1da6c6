"""Drafts of runs that were killed are removed by the next one; those of runs that go on are not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from polbias.atomic_write import draft_path, write_text


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A draft of a process that is no more."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    own = draft_path(tmp_path / "table.csv")
    return own.with_name(own.name.replace(f"-{os.getpid()}.", f"-{process.pid}."))


def test_a_file_that_a_killed_run_left_is_removed_by_the_next_write(killed: Path, tmp_path: Path) -> None:
    killed.write_text("half a tab")
    write_text(tmp_path / "table.csv", "a whole table")
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def test_a_folder_that_a_killed_run_left_is_removed(killed: Path, tmp_path: Path) -> None:
    (killed / "tables").mkdir(parents=True)
    (killed / "tables" / "half").write_text("")
    draft_path(tmp_path / "table.csv")
    assert not list(tmp_path.iterdir())


def test_what_others_are_writing_stays(killed: Path, tmp_path: Path) -> None:
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    name = draft_path(tmp_path / "table.csv").name
    kept = [
        tmp_path / name.replace(f"-{os.getpid()}.", f"-{other.pid}."),  # a process that goes on
        tmp_path / f".table.csv.another-machine-{killed.name.rpartition('-')[2]}",
        tmp_path / killed.name.replace("table", "tables"),  # of another file
        tmp_path / ".table.csv.draft",
        tmp_path / "table.csv",
    ]
    for path in kept:
        path.write_text("theirs")
    assert draft_path(tmp_path / "table.csv").name == name
    assert sorted(tmp_path.iterdir()) == sorted(kept)
    other.communicate(b"\n")


def test_two_machines_and_two_processes_write_to_two_drafts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {draft_path(tmp_path / "x")}
    monkeypatch.setattr("platform.node", lambda: "elsewhere")
    found.add(draft_path(tmp_path / "x"))
    monkeypatch.setattr("os.getpid", lambda: 1)
    found.add(draft_path(tmp_path / "x"))
    assert len(found) == 3
    assert {path.parent for path in found} == {tmp_path}


def test_names_with_signs_of_patterns_are_names(tmp_path: Path) -> None:
    (tmp_path / ".ab.csv").write_text("")
    draft_path(tmp_path / "[ab]*.csv")
    assert (tmp_path / ".ab.csv").exists()
