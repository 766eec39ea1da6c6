"""`polbias push`: only what is verified is published, unless the card says that it is not; dry runs need no Hub."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from polbias.lock import read_lock, write_lock
from polbias.manifest import read_manifest
from polbias.paths import package_file
from polbias.publishing.card import build
from tests.publishing.conftest import TOKEN
from tests.support.hub import LoopbackHub
from tests.support.process import run_polbias

# The client uploads with an argument that its own HTTP library has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")

DATASET = "self-assessment"
OTHER = "xphemism-pairs"
WRITES = ("POST", "PUT")
NOTICE = "Not verified"


@pytest.fixture(scope="module")
def verified(all_builds: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two verified builds and a lock that both match."""
    folder = tmp_path_factory.mktemp("verified")
    for name in (DATASET, OTHER):
        shutil.copytree(all_builds / name, folder / name)
    write_lock({name: read_lock()[name] for name in (DATASET, OTHER)}, folder / "datasets.lock")
    polbias(folder, "verify", DATASET, OTHER)
    return folder


@pytest.fixture
def builds(verified: Path, tmp_path: Path) -> Path:
    """A copy of the verified builds."""
    return Path(shutil.copytree(verified, tmp_path / "builds"))


def polbias(
    builds: Path, *arguments: str, env: Mapping[str, str] | None = None, status: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run a command on the builds, and check its exit status."""
    environment = {"POLBIAS_LOCK": str(builds / "datasets.lock"), "HF_TOKEN": TOKEN, "COLUMNS": "200"}
    done = run_polbias(*arguments, "--output", str(builds), env={**environment, **(env or {})}, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done


def unlock(builds: Path, name: str) -> None:
    """Change the lock, so that a build does not match it."""
    path = builds / "datasets.lock"
    locked = read_lock(path)
    write_lock({**locked, name: locked[name].model_copy(update={"version": "9.9.9"})}, path)


def card_on(hub: LoopbackHub, name: str = DATASET) -> str:
    return hub.read(f"alice/{name}", "README.md").decode("utf-8")


def test_a_verified_build_is_published_once_and_loads_from_its_namespace(
    hub: LoopbackHub, builds: Path
) -> None:
    first = polbias(builds, "push", DATASET)
    version = read_manifest(builds / DATASET).version
    assert set(hub.tags(f"alice/{DATASET}")) == {f"v{version}"}
    assert f"v{version}" in first.stdout
    assert f'load_dataset("alice/{DATASET}"' in card_on(hub)
    assert NOTICE not in card_on(hub)
    hub.requests.clear()
    polbias(builds, "push", DATASET)
    assert not [line for line in hub.requests if line.startswith(WRITES)]


def test_nothing_is_uploaded_when_one_of_the_builds_is_not_verified(hub: LoopbackHub, builds: Path) -> None:
    unlock(builds, OTHER)
    done = polbias(builds, "push", DATASET, OTHER, status=1)
    assert "9.9.9" in done.stdout
    assert "9.9.9" in done.stderr
    assert "--unverified" in done.stderr
    assert not [line for line in hub.requests if line.startswith(WRITES)]
    assert polbias(builds, "push", "--dry-run", DATASET, OTHER, status=1).stderr == done.stderr


def test_nothing_is_uploaded_when_one_of_the_plans_is_refused(hub: LoopbackHub, builds: Path) -> None:
    polbias(builds, "push", OTHER)
    card = builds / OTHER / "README.md"
    card.write_text(card.read_text("utf-8") + "\nMore.\n", "utf-8")
    assert "README.md" in polbias(builds, "push", DATASET, OTHER, status=1).stderr
    assert not hub.exists(f"alice/{DATASET}")


def test_the_card_of_an_unverified_build_tells_its_problems(hub: LoopbackHub, builds: Path) -> None:
    unlock(builds, OTHER)
    polbias(builds, "push", "--unverified", DATASET, OTHER)
    assert NOTICE not in card_on(hub)
    top = card_on(hub, OTHER).partition("\n## ")[0]
    assert NOTICE in top
    assert "9.9.9" in top
    again = polbias(builds, "push", "--unverified", OTHER)
    assert len(hub.commits(f"alice/{OTHER}")) == 2
    assert "nothing to do" in again.stdout


def test_files_that_differ_from_the_manifest_are_never_published(hub: LoopbackHub, builds: Path) -> None:
    path = next((builds / DATASET).rglob("*.parquet"))
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    assert path.name in polbias(builds, "push", "--unverified", DATASET, status=1).stderr
    assert not [line for line in hub.requests if line.startswith(WRITES)]


def test_own_content_is_verified_against_its_templates_and_its_lock(hub: LoopbackHub, tmp_path: Path) -> None:
    templates, builds = tmp_path / "selfassess", tmp_path / "builds"
    shutil.copytree(package_file("templates/selfassess"), templates)
    path = templates / "dataset.yaml"
    version = read_lock()[DATASET].version
    path.write_text(path.read_text("utf-8").replace(version, "7.0.0", 1), "utf-8")
    build(DATASET, builds, templates)
    own = ("push", DATASET, "--templates", str(templates))
    assert "7.0.0" in polbias(builds, *own, env={"POLBIAS_LOCK": ""}, status=1).stderr
    polbias(builds, "lock", DATASET)
    polbias(builds, *own)
    assert set(hub.tags(f"alice/{DATASET}")) == {"v7.0.0"}
    assert NOTICE not in card_on(hub)


@pytest.fixture
def dead_endpoint(monkeypatch: pytest.MonkeyPatch) -> str:
    """Address at which nobody listens, as the Hub's."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}"
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", address)
    return address


def test_a_dry_run_without_token_and_namespace_asks_nobody(hub: LoopbackHub, builds: Path) -> None:
    done = polbias(builds, "push", "--dry-run", DATASET, OTHER, env={"HF_TOKEN": ""})
    lines = done.stdout.splitlines()
    for line, name in zip(lines, (DATASET, OTHER), strict=True):
        n_files = sum(path.is_file() and not path.name.startswith(".") for path in (builds / name).rglob("*"))
        assert name in line
        assert f" {n_files} files" in line
        assert f"v{read_manifest(builds / name).version}" in line
        assert "HF_TOKEN" in line
    assert hub.requests == []


@pytest.mark.parametrize("namespace", ["", "alice"])
@pytest.mark.parametrize("token", ["", TOKEN])
def test_a_dry_run_without_network_says_that_it_did_not_compare(
    builds: Path, dead_endpoint: str, token: str, namespace: str
) -> None:
    env = {"HF_TOKEN": token, "POLBIAS_NAMESPACE": namespace}
    done = polbias(builds, "push", "--dry-run", DATASET, env=env)
    assert "could not compare with the Hub" in done.stdout
    assert " files" in done.stdout
    if namespace:
        assert done.stdout.startswith(f"{namespace}/{DATASET}: ")
    assert "push again" not in done.stdout


def test_a_dry_run_asks_a_silent_hub_once(
    hub: LoopbackHub, builds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polbias.publishing.client.TIMEOUT_S", 0.2)
    hub.stall_next("GET ", times=99)
    polbias(builds, "push", "--dry-run", DATASET, OTHER, env={"POLBIAS_NAMESPACE": "alice"})
    assert len(hub.requests) == 1


def test_a_dry_run_without_token_compares_with_what_is_public(hub: LoopbackHub, builds: Path) -> None:
    polbias(builds, "push", DATASET)
    hub.requests.clear()
    env = {"HF_TOKEN": "", "POLBIAS_NAMESPACE": "alice"}
    lines = polbias(builds, "push", "--dry-run", OTHER, DATASET, env=env).stdout.splitlines()
    assert len(lines) == 2
    assert OTHER in lines[0]
    assert "could not compare with the Hub" in lines[0]
    assert DATASET in lines[1]
    assert "nothing to do" in lines[1]
    assert all(line.startswith("GET ") for line in hub.requests)
