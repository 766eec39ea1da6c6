"""How a folder takes the place of another."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from polbias import atomic_write
from polbias.atomic_write import recover_folder, replace_folder


def folder(path: Path, content: str) -> Path:
    path.mkdir()
    (path / "file").write_text(content)
    return path


def content(path: Path) -> str:
    return (path / "file").read_text()


@pytest.fixture(params=["exchange", "two renames"])
def way(request, monkeypatch) -> str:
    if request.param == "two renames":
        monkeypatch.setattr(atomic_write, "_exchange", lambda *_: False)
    return request.param


@pytest.mark.usefixtures("way")
def test_a_folder_takes_the_place_of_another(tmp_path: Path) -> None:
    target = folder(tmp_path / "target", "old")
    replace_folder(folder(tmp_path / "new", "new"), target)
    assert content(target) == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["target"]


@pytest.mark.usefixtures("way")
def test_a_folder_takes_an_empty_place(tmp_path: Path) -> None:
    replace_folder(folder(tmp_path / "new", "new"), tmp_path / "target")
    assert content(tmp_path / "target") == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["target"]


def test_two_renames_can_be_cut_off_and_undone(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(atomic_write, "_exchange", lambda *_: False)
    target = folder(tmp_path / "target", "old")
    new = folder(tmp_path / "new", "new")
    rename = Path.rename

    def cut_off(self: Path, to: Path) -> Path:
        if self == new:
            raise InterruptedError
        return rename(self, to)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", cut_off)
        with pytest.raises(InterruptedError):
            replace_folder(new, target)
    recover_folder(target)
    assert content(target) == "old"
    replace_folder(new, target)
    assert content(target) == "new"


def test_a_replacement_cut_off_before_its_cleaning_is_completed(tmp_path: Path) -> None:
    target = folder(tmp_path / "target", "new")
    folder(tmp_path / ".target.previous", "old")
    recover_folder(target)
    assert content(target) == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["target"]


def test_there_may_be_nothing_to_recover(tmp_path: Path) -> None:
    recover_folder(tmp_path / "target")
    assert list(tmp_path.iterdir()) == []


def test_platforms_without_the_system_call_are_recognised(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(atomic_write.ctypes, "CDLL", lambda *_args, **_kwargs: object())
    target = folder(tmp_path / "target", "old")
    replace_folder(folder(tmp_path / "new", "new"), target)
    assert content(target) == "new"


def test_a_reader_never_finds_the_folder_missing(tmp_path: Path) -> None:
    target, probe = folder(tmp_path / "target", "0"), folder(tmp_path / "probe", "0")
    if not atomic_write._exchange(probe, target):
        pytest.skip("this file system cannot exchange two folders")
    missing, stop = [], threading.Event()

    def read() -> None:
        while not stop.is_set():
            if not target.exists():
                missing.append(1)

    reader = threading.Thread(target=read)
    reader.start()
    for i in range(200):
        replace_folder(folder(tmp_path / "new", str(i)), target)
    stop.set()
    reader.join()
    assert content(target) == "199"
    assert not missing
