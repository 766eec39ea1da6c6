"""Commands where some datasets are not built, or cannot be built without an extra."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from polbias import optional, registry
from polbias.builds import find_unbuilt
from polbias.errors import PolbiasError
from polbias.experiments.demonstration import demonstration, run_respondents
from polbias.lock import LockedDataset, read_lock, write_lock
from tests.publishing.conftest import TOKEN
from tests.support.process import run_polbias, run_python
from tests.support.site import link_packages

DATASET, GERMAN = "self-assessment", "xphemism-pairs"
PACKAGES = ("ahocorasick_rs", "spacy")


def polbias(*arguments: object, status: int = 0, **env: str) -> subprocess.CompletedProcess[str]:
    done = run_polbias(*arguments, env={"COLUMNS": "200", "NO_COLOR": "1", **env}, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done


def error(*arguments: object, status: int = 1, **env: str) -> str:
    """Return the only line that a failing command prints."""
    done = polbias(*arguments, status=status, **env)
    assert not done.stdout
    (line,) = done.stderr.splitlines()
    return line


def assert_named(line: str, *datasets: str) -> None:
    """The line names these datasets and no other."""
    assert {name for name in registry.dataset_names() if name in line.replace(",", " ").split()} == {
        *datasets
    }


@pytest.fixture
def one_build(all_builds: Path, tmp_path: Path) -> Path:
    """A folder of builds with one dataset."""
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / DATASET).symlink_to(all_builds / DATASET)
    return folder


@pytest.fixture
def without_german(monkeypatch: pytest.MonkeyPatch) -> None:
    """An install without the extra that the German pairs need."""
    monkeypatch.setattr(optional, "is_installed", lambda package: package not in PACKAGES)


def assert_installs_first(text: str) -> None:
    """The text names the packages, and the build only after their installation."""
    install, build = text.find("pip install"), text.find(f"polbias build {GERMAN}")
    assert 0 <= install < build
    assert all(package in text[install:build] for package in PACKAGES)


@pytest.mark.e2e
def test_a_build_of_all_leaves_out_what_lacks_packages(tmp_path: Path) -> None:
    (site := tmp_path / "site").mkdir()
    environment = link_packages(site, without=PACKAGES)
    out = tmp_path / "out"
    command = ["-S", "-m", "polbias.cli.main", "build", "--output", str(out)]
    done = run_python(command, env={"COLUMNS": "200", **environment})
    others = [name for name in registry.dataset_names() if name != GERMAN]
    assert find_unbuilt(registry.dataset_names(), out) == [GERMAN]
    assert done.stdout.count("matches datasets.lock") == len(others)
    line = done.stdout.splitlines()[-1]
    assert line.startswith(f"{len(others)} ")
    assert_named(line.partition(";")[2].partition(";")[0], GERMAN)
    assert_installs_first(line)


@pytest.mark.usefixtures("without_german")
def test_a_named_dataset_that_lacks_packages_is_an_error(tmp_path: Path) -> None:
    done = polbias("build", GERMAN, DATASET, "--output", tmp_path, status=1)
    (line,) = done.stderr.splitlines()
    assert_installs_first(line)
    assert find_unbuilt([GERMAN, DATASET], tmp_path) == [GERMAN]


@pytest.mark.usefixtures("without_german")
def test_every_command_says_what_to_install_before_the_build(one_build: Path) -> None:
    here = {"POLBIAS_DATA_DIR": str(one_build)}
    assert_installs_first(polbias("list", "--output", one_build).stdout)
    for command in ("verify", "lock", "push"):
        assert_installs_first(error(command, GERMAN, "--output", one_build, HF_TOKEN=TOKEN))
    assert_installs_first(error("show", "placebo", "--output", one_build))
    serve = ("simulate", "serve", "--effect", ".1", "--side", "left", "--dataset", GERMAN)
    assert_installs_first(error(*serve, **here))


@pytest.mark.usefixtures("without_german")
def test_the_demonstration_names_what_is_not_built_before_it_simulates(
    all_builds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(tmp_path))
    for name in registry.dataset_names():
        if name != GERMAN:
            (tmp_path / name).symlink_to(all_builds / name)
    lines: list[str] = []
    with pytest.raises(PolbiasError) as caught:
        run_respondents(demonstration(), tmp_path / "runs", lines.append)
    assert_installs_first(str(caught.value))
    assert not lines
    assert not (tmp_path / "runs").exists()


def test_verify_and_push_take_what_is_built_and_name_the_rest(one_build: Path, tmp_path: Path) -> None:
    unbuilt = [name for name in registry.dataset_names() if name != DATASET]
    for command in (("verify",), ("push", "--dry-run")):
        done = polbias(*command, "--output", one_build, HF_HUB_OFFLINE="1")
        first_line, *result = done.stdout.splitlines()
        assert str(one_build) in first_line
        assert_named(first_line.partition(";")[0], *unbuilt)
        assert any(DATASET in line for line in result)
        line = error(*command, DATASET, *unbuilt, "--output", one_build, HF_HUB_OFFLINE="1")
        assert_named(line.partition(";")[0], *unbuilt)


@pytest.mark.parametrize("command", [("verify",), ("push",), ("push", "--dry-run")], ids=" ".join)
def test_a_folder_without_builds_is_one_error(command: tuple[str, ...], tmp_path: Path) -> None:
    line = error(*command, "--output", tmp_path / "none", HF_TOKEN=TOKEN)
    assert str(tmp_path / "none") in line
    assert "`polbias build`" in line


def test_show_finds_a_config_in_whichever_dataset_is_built(one_build: Path) -> None:
    shown = polbias("show", "bundestag", "-n", "1", "--output", one_build).stdout
    assert "bundestag/test row 0" in shown


@pytest.mark.parametrize("config", ["us_en_formal", "partisan-inference-xl/us_en_formal"])
def test_show_names_the_dataset_of_a_config_that_is_not_built(config: str, one_build: Path) -> None:
    line = error("show", config, "--output", one_build)
    assert "`polbias build partisan-inference-xl`" in line
    assert str(one_build) in line


def test_show_names_the_nearest_configs_of_all_datasets_and_no_others(one_build: Path) -> None:
    published = [config for dataset in read_lock().values() for config in dataset.configs]
    line = error("show", "us_en_forml", "--output", one_build)
    assert "us_en_formal" in line
    for name in ("us_en_forml", "nosuch"):
        line = error("show", name, "--output", one_build)
        assert len([config for config in published if config in line.replace("?", "").split()]) <= 3
        assert "polbias list" in line


def test_show_names_unbuilt_datasets_whose_configs_nothing_lists(one_build: Path, tmp_path: Path) -> None:
    lock = tmp_path / "own.lock"
    locked: dict[str, LockedDataset] = {name: read_lock()[name] for name in read_lock() if name != GERMAN}
    write_lock(locked, lock)
    line = error("show", "placebo", "--output", one_build, POLBIAS_LOCK=str(lock))
    assert f"polbias build {GERMAN}" in line


def test_a_simulated_model_without_builds_says_where_it_looked(tmp_path: Path) -> None:
    serve = ("simulate", "serve", "--effect", ".1", "--side", "left")
    line = error(*serve, status=2, POLBIAS_DATA_DIR=str(tmp_path / "none"))
    for expected in (str(tmp_path / "none"), "POLBIAS_DATA_DIR", "`polbias build`", "--rows"):
        assert expected in line
