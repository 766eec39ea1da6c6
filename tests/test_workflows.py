"""What workflows name is there, by commit; what is installed has hashes; releases are built apart."""

from __future__ import annotations

import re

import pytest
import yaml

from tests.support.process import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PATH = re.compile(
    r"(?<![\w./:@-])(?:\./)?((?:tests|docs|eval|requirements|polbias|\.ci|\.github)(?:/[\w.*-]+)*)"
)
MADE = {"polbias"}  # the command and the package


def strings(value: object) -> list[str]:
    """All strings in a workflow."""
    if isinstance(value, dict):
        return [text for part in value.values() for text in strings(part)]
    if isinstance(value, list):
        return [text for part in value for text in strings(part)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_every_path_and_target_of_a_workflow_exists(workflow: object) -> None:
    texts = strings(yaml.safe_load(workflow.read_text("utf-8")))  # type: ignore[attr-defined]
    paths = {path for text in texts for path in PATH.findall(text) if path not in MADE}
    assert paths
    assert not [path for path in paths if not [*ROOT.glob(path)]]
    targets = {
        word for text in texts for words in re.findall(r"\bmake ([\w ./-]+)", text) for word in words.split()
    }
    rules = (ROOT / "Makefile").read_text("utf-8")
    environments = {f".venv/{name}" for name in re.findall(r"^\$\(VENV\)/(\.\w+):", rules, re.MULTILINE)}
    assert not targets - environments - {*re.findall(r"^([\w-]+):", rules, re.MULTILINE)}


def jobs(name: str) -> dict[str, dict[str, object]]:
    """The jobs of a workflow."""
    return dict(yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text("utf-8"))["jobs"])


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_is_named_by_commit_and_version(workflow: object) -> None:
    lines = re.findall(r"uses: *(.*)", workflow.read_text("utf-8"))  # type: ignore[attr-defined]
    assert lines
    assert not [line for line in lines if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)]


def test_what_is_published_is_built_where_only_the_build_tool_is_installed() -> None:
    steps = jobs("release.yml")["build"]["steps"]
    commands = [step["run"] for step in steps if "run" in step]  # type: ignore[attr-defined]
    installed = [command for command in commands if re.search(r"\b(install|make|\.ci/run)\b", command)]
    assert installed == ["python -m pip install --no-deps --require-hashes -r requirements/release.txt"]
    assert "python -m build --no-isolation" in commands
    assert {"check", "build", "sbom"} <= {*jobs("release.yml")["publish"]["needs"]}  # type: ignore[misc]


def test_a_release_has_a_bill_of_materials() -> None:
    commands = [text for text in strings(jobs("release.yml")["sbom"]) if "cyclonedx-py" in text]
    assert len(commands) == 1
    assert "requirements/env.txt" in commands[0]


REQUIREMENTS = sorted((ROOT / "requirements").glob("*.txt"))


@pytest.mark.parametrize("path", REQUIREMENTS, ids=lambda path: path.name)
def test_every_requirement_has_a_version_and_a_hash(path: object) -> None:
    text = path.read_text("utf-8")  # type: ignore[attr-defined]
    entries = re.split(r"\n(?=\S)", text.strip())
    assert entries
    assert not [
        e for e in entries if not re.match(r"[\w.-]+(\[\w+\])?==\S+.*?\\\n +--hash=sha256:[0-9a-f]{64}", e)
    ]


def test_requirements_are_installed_by_their_hashes() -> None:
    texts = [(ROOT / "Makefile").read_text("utf-8"), *(path.read_text("utf-8") for path in WORKFLOWS)]
    lines = [line for text in texts for line in text.splitlines() if " -r requirements/" in line]
    assert not [line for line in lines if "--require-hashes" not in line]
    assert "--no-deps --require-hashes -r\n" in texts[0]
