"""`polbias audit --format polbix` as a user types it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.polbix_files import row, write_claims
from tests.support.process import run_polbias

pytest.importorskip("ahocorasick_rs")


def audit(*args: object) -> subprocess.CompletedProcess[str]:
    done = run_polbias("audit", *args, "--format", "polbix", env={"COLUMNS": "120"}, check=False)
    assert "Traceback" not in done.stderr
    return done


def test_a_file_and_its_folder(tmp_path: Path) -> None:
    data, out = tmp_path / "data", tmp_path / "report.json"
    data.mkdir()
    path = write_claims(data, row(), row(id="b", base_claim="Die Stadt lärmt.", exchange_claim=""))
    for source in (path, data):
        done = audit(source, "--output", out)
        assert done.returncode == 1
        assert "2 items: 1 with findings" in done.stdout
        assert "base-word-absent" in done.stdout
        report = json.loads(out.read_text("utf-8"))
        assert [(each["id"], bool(each["findings"])) for each in report["items"]] == [
            ("abriss_rückbau_1", False),
            ("b", True),
        ]


def test_exit_0_where_there_is_nothing_to_report(tmp_path: Path) -> None:
    done = audit(
        write_claims(tmp_path, row(), row(id="b", base_claim="Der Abriss kommt.", exchange_claim=""))
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "2 items: 0 with findings" in done.stdout


def test_exit_2_with_one_line(tmp_path: Path) -> None:
    path = write_claims(tmp_path, row(shift="up"))
    for args, message in (
        ((path,), "field 'shift': found 'up'"),
        ((tmp_path / "none",), "found nothing there"),
        ((path, "--output", tmp_path / "a.csv"), "expected a file that ends in .json"),
        ((tmp_path, "--output", tmp_path / "a.json"), "lies among the files that are audited"),
    ):
        done = audit(*args)
        assert done.returncode == 2
        assert message in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
        assert done.stdout == ""
