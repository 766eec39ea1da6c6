from __future__ import annotations

import importlib
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from polbias.errors import BuildError
from polbias.scaling.storage import Storage


@pytest.fixture(params=["local", "file", "memory"])
def where(request, tmp_path):
    out = {"local": str(tmp_path), "file": f"file://{tmp_path}", "memory": f"memory://{uuid4()}"}
    return Storage(f"{out[request.param]}/numbers")


def test_files_are_written_read_listed_and_removed(where):
    assert where.sizes() == {}
    assert where.read("a/b.json") is None
    where.write("a/b.json", b"first")
    where.write("a/b.json", b"second")
    where.write("c", b"")
    assert where.read("a/b.json") == b"second"
    assert where.sizes() == {"a/b.json": 6, "c": 0}
    assert where.sha256("a/b.json") == "16367aacb67a4a017c8da8ab95682ccb390863780f7114dda0a0e0c55644c7c4"
    where.remove("c")
    assert where.sizes() == {"a/b.json": 6}


def test_a_file_of_a_workspace_is_put_in_its_place(where):
    with where.workspace("x/shard") as folder:
        (folder / "x").mkdir(parents=True)
        (folder / "x/shard").write_bytes(b"rows")
    assert where.read("x/shard") == b"rows"


def test_what_a_service_refuses_is_one_line(monkeypatch):
    where = Storage(f"memory://{uuid4()}/numbers")

    def refuse(*_, **__):
        raise RuntimeError("quota exceeded\nmore that nobody reads")

    monkeypatch.setattr(type(where._files.fs), "pipe_file", refuse)
    with pytest.raises(BuildError, match=r"numbers/a: cannot be written \(quota exceeded\); check") as caught:
        where.write("a", b"")
    assert "\n" not in str(caught.value)


def test_an_address_that_needs_a_package_names_the_extra(monkeypatch):
    registry = importlib.import_module("fsspec.registry")
    for protocol in ("s3", "s3a"):
        monkeypatch.delitem(registry._registry, protocol, raising=False)
    for module in [name for name in sys.modules if name.split(".")[0] == "s3fs"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(BuildError, match="pip install '.*s3fs"):
        Storage("s3://bucket/folder/numbers")


def test_an_unknown_address_is_an_error():
    with pytest.raises(BuildError, match="not an address"):
        Storage("nowhere://bucket/numbers")


def test_a_file_in_the_place_of_a_folder_is_an_error(tmp_path: Path):
    (tmp_path / "numbers").write_text("mine")
    with pytest.raises(BuildError, match="another file or folder has this path"):
        Storage(str(tmp_path / "numbers")).write("a", b"")
    assert (tmp_path / "numbers").read_text() == "mine"


def test_a_folder_in_the_place_of_a_file_is_an_error(tmp_path: Path):
    (tmp_path / "numbers/a").mkdir(parents=True)
    with pytest.raises(BuildError, match="another file or folder has this path"):
        Storage(str(tmp_path / "numbers")).write("a", b"")
    assert list((tmp_path / "numbers/a").iterdir()) == []
