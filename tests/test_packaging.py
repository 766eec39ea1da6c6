"""What a wheel holds, and that it works away from the checkout."""

from __future__ import annotations

import json
import subprocess
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from polbias import registry
from tests.support.process import ROOT, run_python
from tests.support.wheel import build_wheel

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the checkout."""
    return build_wheel(tmp_path_factory.mktemp("wheel"))


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
        "polbias/eval/answers/validity.py",
        "polbias/harness_tasks/partisan/polbias_en_formal.yaml",
        "lm_eval/tasks/polbias/partisan/polbias_en_formal.yaml",
        "lm_eval/tasks/polbias/partisan/_generate.yaml",
    ):
        assert expected in names
    yaml_here = {
        p.relative_to(ROOT).as_posix()
        for d in ("templates", "eval", "harness_tasks")
        for p in (ROOT / d).rglob("*.yaml")
    }
    assert {f"polbias/{name}" for name in yaml_here} <= names
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
    made = [name for name in registry.names() if not name.endswith("-xl")]
    assert run(*polbias, "build", *made).count("matches datasets.lock") == len(made)
    shown = ("--model", "dummy", "--tasks", "polbias_en_formal_mini,polbias_xphemism_mini", "--no-cache")
    run(*polbias, "eval", *shown, "--output_path", "runs", "--no-report")
    run(*polbias, "report", "runs", "-o", "report")
    summary = json.loads((work / "report" / "summary.json").read_text("utf-8"))
    assert {each["instrument"] for each in summary["findings"]} == {"partisan", "xphemism"}
    assert (work / "report" / "report.html").is_file()


def test_folders_and_lock_of_the_checkout_are_links() -> None:
    for name in ("templates", "generators", "cards", "harness_tasks", "eval", "datasets.lock"):
        link = ROOT / "polbias" / name
        assert link.is_symlink()
        assert link.resolve() == ROOT / name
