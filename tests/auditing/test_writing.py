"""Report files: their content, and that they appear whole or not at all."""

from __future__ import annotations

import csv
import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

import polbias
from polbias.errors import InputError
from polbias.generators.auditing import report
from polbias.generators.auditing.report import ReportFiles, Summary
from tests.auditing.support import HEADER, ITEMS, LAYOUT, Notation, audit, sample, write

GOLDEN = Path(__file__).parent / "golden" / "sample.json"
TEXTS = ("countermodel", "proof", "message")  # how proofs are worded is tested where they are written


def _report(tmp_path: Path, *names: str) -> list[Path]:
    source, paths = sample(tmp_path / "sample.tsv"), [tmp_path / name for name in names]
    summary = Summary(LAYOUT)
    with ReportFiles(paths, [source], Notation()) as reports:
        for item in audit(source):
            summary.add(item)
            reports.add(item)
        reports.finish(source, summary)
    return paths


def _without_wording(report: dict[str, Any]) -> dict[str, Any]:
    items = [item | {key: item[key] is not None for key in TEXTS} for item in report["items"]]
    assert report["polbias"] == polbias.__version__
    return report | {"items": items, "polbias": "(version)"}


def test_json_is_the_golden_file(tmp_path: Path) -> None:
    (path,) = _report(tmp_path, "out.json")
    found = _without_wording(json.loads(path.read_text("utf-8")))
    if os.environ.get("POLBIAS_WRITE_GOLDEN"):
        GOLDEN.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", "utf-8")
    assert found == json.loads(GOLDEN.read_text("utf-8"))


def test_json_has_summary_before_items_and_one_line_an_item(tmp_path: Path) -> None:
    (path,) = _report(tmp_path, "out.json")
    text = path.read_text("utf-8")
    assert list(json.loads(text)) == ["format", "file", "polbias", "summary", "meanings", "items"]
    lines = [line for line in text.splitlines() if line.startswith('    {"id"')]
    assert [json.loads(line.rstrip(","))["id"] for line in lines] == [row[0] for row, _ in ITEMS]
    assert "∨" in text  # not escaped


def test_csv_has_the_same_items(tmp_path: Path) -> None:
    as_json, as_csv = _report(tmp_path, "out.json", "out.csv")
    items = json.loads(as_json.read_text("utf-8"))["items"]
    with as_csv.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(items[0])
    for row, item in zip(rows, items, strict=True):
        assert row["verdict"] == item["verdict"]
        assert row["findings"].split() == item["findings"]
        assert row["reading"] == (item["reading"] or "")
    assert rows[2]["deciding"] == "or: free choice"


def test_two_reports_are_the_same_byte_for_byte(tmp_path: Path) -> None:
    (path,) = _report(tmp_path, "out.json")
    before = path.read_bytes()
    assert _report(tmp_path, "out.json")[0].read_bytes() == before


def test_nothing_is_left_beside_the_reports(tmp_path: Path) -> None:
    _report(tmp_path, "out.json", "out.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "out.json", "sample.tsv"]


def test_an_audit_that_is_broken_off_changes_nothing(tmp_path: Path) -> None:
    source, path = sample(tmp_path / "sample.tsv"), tmp_path / "out.json"
    path.write_text("before")

    def broken_off() -> None:
        with ReportFiles([path, tmp_path / "out.csv"], [source], Notation()) as reports:
            reports.add(audit(source)[0])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken_off()
    assert path.read_text() == "before"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["out.json", "sample.tsv"]


def test_a_full_disk_is_one_line_and_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(report.shutil, "copyfileobj", full)
    with pytest.raises(InputError, match=r"out\.json: cannot be written \(No space left on device\)"):
        _report(tmp_path, "out.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sample.tsv"]


def _refused(paths: list[Path], source: Path) -> str:
    with pytest.raises(InputError) as caught:
        ReportFiles(paths, [source], Notation())
    return str(caught.value)


def test_the_input_is_never_overwritten(tmp_path: Path) -> None:
    source = write(tmp_path / "items.csv", [HEADER], ",")
    (tmp_path / "link.csv").symlink_to(source)
    (tmp_path / "hard.csv").hardlink_to(source)
    for name in ("items.csv", "link.csv", "hard.csv"):
        assert "found the audited file; use another path" in _refused([tmp_path / name], source)


def test_paths_that_cannot_be_are_refused(tmp_path: Path) -> None:
    source = sample(tmp_path / "sample.tsv")
    assert "found suffix '.xml', expected .json or .csv" in _refused([tmp_path / "out.xml"], source)
    assert "there is no folder" in _refused([tmp_path / "none" / "out.json"], source)
    assert "found the same file twice" in _refused(
        [tmp_path / "a.json", tmp_path / "x" / ".." / "a.json"], source
    )
    (tmp_path / "folder.json").mkdir()
    assert "not a regular file" in _refused([tmp_path / "folder.json"], source)
    (tmp_path / "null.json").symlink_to("/dev/null")
    assert "suffix" in _refused([tmp_path / "null.json"], source)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_one_line(tmp_path: Path) -> None:
    source = sample(tmp_path / "sample.tsv")
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    with pytest.raises(InputError, match="cannot be written"):
        ReportFiles([folder / "out.json"], [source], Notation()).__enter__()
