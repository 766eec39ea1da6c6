"""What people or a model read is stated on the card of exactly these rows, and of no others."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from polbias.cli.annotate import agreement_data
from polbias.generators.authoring.annotation.answers import AnnotatorAnswer, CollectedAnswers
from polbias.generators.authoring.annotation.tasks import TaskSet, read_tasks
from polbias.manifest import Manifest, read_manifest
from polbias.paths import package_file
from polbias.publishing import card as cards
from polbias.publishing.card import build, render_card
from polbias.registry import dataset_names, publication
from tests.support.process import run_polbias

_MODEL_READ = "language model that had not written them read"
_PEOPLE_RATED = "Rated by"
_DATASET = "policy-statements"


def _card(folder: Path, manifest: Manifest | None = None) -> str:
    return render_card(manifest or read_manifest(folder), folder, publication(folder.name))


@pytest.mark.parametrize("dataset", dataset_names())
def test_content_that_no_model_read_says_nothing(dataset: str, all_builds: Path) -> None:
    readings = yaml.safe_load((package_file("templates/panels") / "readings.yaml").read_text("utf-8"))
    content = read_manifest(all_builds / dataset).content_hash
    was_read = any(reading["content"] == content for reading in readings.values())
    assert (_MODEL_READ in _card(all_builds / dataset)) == was_read


def test_templates_of_a_user_get_no_sentence(tmp_path: Path) -> None:
    templates = tmp_path / "templates"
    shutil.copytree(package_file("templates/policy"), templates)
    statements = templates / "statements" / "nl.yaml"
    text = statements.read_text("utf-8")
    assert text.count("Dutch") > 1
    statements.write_text(text.replace("Dutch", "Netherlandish", 1), "utf-8")
    card = (build(_DATASET, tmp_path, templates).folder / "README.md").read_text("utf-8")
    assert _MODEL_READ not in card
    assert "--templates" in card.split("## ")[0]


def test_one_changed_row_silences_a_reading(
    all_builds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = all_builds / _DATASET
    manifest = read_manifest(folder)
    reading = {"read": 160, "wrong": 0, "version": manifest.version, "content": manifest.content_hash}
    panels = tmp_path / "panels"
    shutil.copytree(package_file("templates/panels"), panels)
    (panels / "readings.yaml").write_text(yaml.safe_dump({_DATASET: reading}), "utf-8")
    monkeypatch.setattr(
        cards,
        "package_file",
        lambda path: panels if path == "templates/panels" else package_file(path),
    )
    config, splits = next(iter(manifest.configs.items()))
    split = splits["test"].model_copy(update={"tree": "0" * 64, "content": "0" * 64})
    changed = manifest.model_copy(update={"configs": manifest.configs | {config: splits | {"test": split}}})
    assert changed.content_hash != manifest.content_hash
    assert _MODEL_READ in _card(folder, manifest)
    assert _MODEL_READ not in _card(folder, changed)


def test_content_hash_is_of_configs_rows_and_not_of_their_order(all_builds: Path) -> None:
    manifest = read_manifest(all_builds / _DATASET)
    reordered = dict(reversed(manifest.configs.items()))
    assert manifest.model_copy(update={"configs": reordered}).content_hash == manifest.content_hash
    fewer = {name: splits for name, splits in manifest.configs.items() if name != "nl"}
    assert manifest.model_copy(update={"configs": fewer}).content_hash != manifest.content_hash


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[TaskSet], None]:
    """Return a function that installs the agreement of an annotator who gave the gold answers."""
    panels = tmp_path / "panels"
    shutil.copytree(package_file("templates/panels"), panels)
    monkeypatch.setattr(
        cards,
        "package_file",
        lambda path: panels if path == "templates/panels" else package_file(path),
    )

    def install_agreement(tasks: TaskSet) -> None:
        answers = tuple(
            AnnotatorAnswer(task.id, "ann", {"answer": task.row["gold"]}, "", "") for task in tasks.tasks
        )
        agreement = agreement_data(tasks, CollectedAnswers(answers, ()), [])
        (panels / f"{tasks.kind}.json").write_text(json.dumps(agreement), "utf-8")

    return install_agreement


def test_a_panel_is_stated_on_the_card_of_the_rows_that_it_saw(
    all_builds: Path, tmp_path: Path, install: Callable[[TaskSet], None]
) -> None:
    export = tmp_path / "export"
    arguments = ("-o", export, "--annotator", "ann", "--n", "5")
    run_polbias(
        "author", "annotate", "export", _DATASET, *arguments, env={"POLBIAS_DATA_DIR": str(all_builds)}
    )
    tasks = read_tasks(export)
    folder = all_builds / _DATASET
    assert tasks.content == read_manifest(folder).content_hash
    install(tasks)
    assert _PEOPLE_RATED in _card(folder)
    install(tasks.model_copy(update={"content": "0" * 64}))
    assert _PEOPLE_RATED not in _card(folder)
    install(tasks.model_copy(update={"content": None}))
    assert _PEOPLE_RATED not in _card(folder)
