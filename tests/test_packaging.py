"""What a wheel holds, and that it works away from the checkout."""

from __future__ import annotations

import json
import subprocess
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from tests.support.process import ROOT, run_python

pytestmark = pytest.mark.e2e
FOLDERS = ("templates", "generators", "cards", "harness_tasks", "eval")


def test_wheel_holds_code_templates_cards_tasks_and_lock(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for expected in (
        "polbias/py.typed",
        "polbias/datasets.lock",
        "polbias/templates/partisan/countries/ch-de.yaml",
        "polbias/templates/partisan/errata.yaml",
        "polbias/cards/partisan-inference.md.jinja",
        "polbias/cards/_partials/metadata.md.jinja",
        "polbias/cards/columns.yaml",
        "polbias/eval/extraction/validity.py",
        "polbias/harness_tasks/partisan/polbias_en_formal.yaml",
        "lm_eval/tasks/polbias/partisan/polbias_en_formal.yaml",
        "lm_eval/tasks/polbias/partisan/_generate.yaml",
    ):
        assert expected in names
    folders = ("polbias", *FOLDERS)
    here = {path.relative_to(ROOT) for each in folders for path in (ROOT / each).rglob("*") if path.is_file()}
    assert {name for name in names if name.startswith("polbias/")} == {
        path.as_posix() if path.parts[0] == "polbias" else f"polbias/{path.as_posix()}"
        for path in here
        if "__pycache__" not in path.parts
    }
    assert not any(name.startswith("tests") for name in names)


def test_it_is_small_and_its_description_renders(wheel: Path) -> None:
    assert wheel.stat().st_size < 3_000_000
    run_python(["-m", "twine", "check", "--strict", str(wheel)])


def test_from_the_wheel_to_a_report_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv")
    python, work = tmp_path / "venv" / "bin" / "python", tmp_path / "work"
    work.mkdir()
    # What polbias needs is lent by this environment, whose own link to the checkout is not followed from there.
    (site,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")

    def run(*told: str) -> str:
        command = [python, "-I", *told]
        done = subprocess.run(command, cwd=work, env={"HF_HUB_OFFLINE": "1"}, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run_python(["-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", str(wheel)])
    assert run("-c", "import polbias; print(polbias.__file__)").startswith(str(site))
    polbias = (str(python.with_name("polbias")),)
    assert "matches datasets.lock" in run(*polbias, "build", "policy-statements")
    asked = ("--tasks", "polbias_policy_stance_mini", "--limit", "8")
    run(*polbias, "eval", "--model", "dummy", *asked, "--no-cache", "--output_path", "runs")
    (found,) = work.rglob("summary.json")
    summary = json.loads(found.read_text("utf-8"))
    assert {each["instrument"] for each in summary["findings"]} == {"policy"}
    assert found.with_name("report.html").is_file()


def test_folders_and_lock_of_the_checkout_are_links() -> None:
    for name in (*FOLDERS, "datasets.lock"):
        link = ROOT / "polbias" / name
        assert link.is_symlink()
        assert link.resolve() == ROOT / name
