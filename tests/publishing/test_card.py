"""The dataset card: valid Hub metadata, and nothing in it that is not so in the data."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from polbias.generators.partisan.templates import load_family
from polbias.manifest import read_manifest
from polbias.publishing.card import render_card
from polbias.registry import publication


@pytest.fixture(scope="module")
def folder(partisan_build: Path) -> Path:
    return partisan_build / "partisan-inference"


@pytest.fixture(scope="module")
def card(folder: Path) -> str:
    return render_card(read_manifest(folder), folder, publication("partisan-inference"))


def test_metadata_is_what_the_hub_understands(card: str, folder: Path) -> None:
    from huggingface_hub import DatasetCard

    data = DatasetCard(card).data.to_dict()
    manifest = read_manifest(folder)
    assert data["license"] == "cc-by-4.0"
    assert data["language"] == ["de", "en"]
    assert data["size_categories"] == ["10K<n<100K"]
    assert [entry["config_name"] for entry in data["configs"]] == list(manifest.configs)
    assert [entry["config_name"] for entry in data["configs"] if entry.get("default")] == ["en_formal"]
    for entry in data["configs"]:
        for files in entry["data_files"]:
            assert list(folder.glob(files["path"])), files


def test_every_column_is_explained(card: str, folder: Path) -> None:
    schema = pq.read_schema(next((folder / "en_formal").glob("test-*")))
    for name in schema.names:
        assert f"\n| `{name}` | " in card


def test_version_hashes_canary_errata_and_citation_are_there(card: str, folder: Path) -> None:
    manifest = read_manifest(folder)
    assert f"Version **{manifest.version}**" in card
    assert manifest.canary in card
    for splits in manifest.configs.values():
        for split in splits.values():
            assert split.content[:16] in card
    for erratum in load_family().errata:
        assert f"`{erratum.id}`" in card
    assert "Gubelmann, Reto and Karray, Ghassen" in card
    assert f"version = {{{manifest.version}}}" in card


def test_card_has_no_trace_of_templates(card: str) -> None:
    for trace in ("{%", "%}", "Undefined", "None"):
        assert trace not in card
