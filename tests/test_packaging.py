"""What a wheel holds, and that it works away from the checkout."""

from __future__ import annotations

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


def test_installed_wheel_builds_into_the_current_folder(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    # The wheel's own lm_eval folder would hide the real package; pip puts both into one folder.
    work = tmp_path / "work"
    work.mkdir()
    done = run_python(
        [
            "-c",
            "import sys; sys.path.insert(0, sys.argv.pop(1)); import polbias.cli.main as m; m.run()",
            str(site),
            "build",
            *(name for name in registry.names() if not name.endswith("-xl")),
        ],
        cwd=work,
    )
    assert "matches datasets.lock" in done.stdout
    assert (work / "build" / "datasets" / "partisan-inference" / "manifest.json").is_file()


def test_folders_and_lock_of_the_checkout_are_links() -> None:
    for name in ("templates", "generators", "cards", "harness_tasks", "eval", "datasets.lock"):
        link = ROOT / "polbias" / name
        assert link.is_symlink()
        assert link.resolve() == ROOT / name
