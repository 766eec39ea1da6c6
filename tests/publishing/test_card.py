"""The dataset cards: valid Hub metadata, short, loadable, and nothing in them that is not so in the data."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from polbias.generators.partisan.templates import load_family
from polbias.manifest import read_manifest
from polbias.paths import package_file
from polbias.publishing.card import describe, render_card
from polbias.registry import dataset_names, publication
from tests.support.process import ROOT

_MAX_WORDS = 1500  # outside of what a reader opens
_MAX_TABLE_ROWS = 12
# What the Hub understands (`huggingface_hub.DatasetCardData`)
_CREATORS = {"found", "crowdsourced", "expert-generated", "machine-generated", "no-annotation", "other"}


@pytest.fixture(scope="module", params=dataset_names())
def folder(request: pytest.FixtureRequest, all_builds: Path) -> Path:
    return all_builds / str(request.param)


@pytest.fixture(scope="module")
def card(folder: Path) -> str:
    return render_card(read_manifest(folder), folder, publication(folder.name), namespace="alice")


@pytest.fixture(scope="module")
def visible(card: str) -> str:
    """The text of the card without metadata and without what a reader has to open."""
    body = card.split("---\n", 2)[2]
    assert body.count("<details>") == body.count("</details>")
    return re.sub(r"(?s)<details>.*?</details>", "", body)


def test_metadata_is_what_the_hub_understands(card: str, folder: Path) -> None:
    from huggingface_hub import DatasetCard

    data = DatasetCard(card).data.to_dict()
    manifest = read_manifest(folder)
    assert re.fullmatch(r"cc-by(-nc)?-4\.0", data["license"])
    assert {*data["annotations_creators"]} <= _CREATORS
    assert [entry["config_name"] for entry in data["configs"]] == list(manifest.configs)
    defaults = [entry["config_name"] for entry in data["configs"] if entry.get("default")]
    assert defaults == [next(iter(manifest.configs))]
    for entry in data["configs"]:
        for files in entry["data_files"]:
            assert list(folder.glob(files["path"])), files


def test_annotations_creators_say_what_is_proved(card: str, folder: Path) -> None:
    creators = yaml.safe_load(card.split("---\n")[1])["annotations_creators"]
    bases = Counter[str]()
    for file in folder.glob("*/test-*.parquet"):
        bases.update(pq.read_table(file, columns=["proof"])["proof"].to_pylist())
    has_proofs = any(basis.startswith("proved:") for basis in bases)
    assert ("machine-generated" in creators) == has_proofs


def test_card_is_short_and_its_long_tables_are_collapsed(visible: str) -> None:
    assert len(visible.split()) <= _MAX_WORDS
    tables = re.findall(r"(?m)(?:^\|.*\n)+", visible)
    assert max(table.count("\n") - 2 for table in tables) <= _MAX_TABLE_ROWS


def test_example_and_limits_precede_collapsed_tables(card: str) -> None:
    positions = [
        card.index(text) for text in ("load_dataset(", "```text", "polbias ", "## Limits", "<details>")
    ]
    assert positions[-1] == max(positions)
    assert positions[0] < positions[1] < positions[3]


def test_load_line_names_a_config_of_the_namespace(card: str, folder: Path) -> None:
    manifest = read_manifest(folder)
    [(repo, config, version)] = re.findall(r'load_dataset\("(.*?)", "(.*?)", revision="v(.*?)"', card)
    assert repo == f"alice/{folder.name}"
    assert "test" in manifest.configs[config]
    assert version == manifest.version
    assert "alice" not in card.replace(repo, "")


def test_tasks_and_commands_exist(card: str) -> None:
    names = {path.stem for path in package_file("harness_tasks").glob("*/polbias_*.yaml")}
    card_without_citation = card.split("## Licence and citation")[0]
    tasks = {*re.findall(r"\bpolbias_[a-z0-9_]+", card_without_citation)}
    assert tasks
    assert tasks <= names
    scored = re.search(r"(?m)^polbias (eval --tasks \w+|selfassess run) --model hf", card)
    assert scored


def test_files_of_the_toolkit_exist(card: str) -> None:
    for path in re.findall(r"`(templates/[\w./-]+)`", card):
        assert (ROOT / path).exists(), path


def test_paper_and_dataset_can_be_cited(card: str, folder: Path) -> None:
    [bibtex] = re.findall(r"(?s)```bibtex\n(.*?)```", card)
    assert bibtex.count("{") == bibtex.count("}")
    keys = re.findall(r"(?m)^@\w+\{([\w]+),$", bibtex)
    assert keys[1:] == [f"polbias_{folder.name.replace('-', '_')}"]
    assert f"version = {{{read_manifest(folder).version}}}" in bibtex
    for entry in bibtex.split("\n@"):
        assert {"title", "author", "year"} <= {*re.findall(r"(?m)^  (\w+) *= \{", entry)}


def test_every_column_is_explained_as_it_is_in_this_dataset(card: str, folder: Path) -> None:
    meanings = dict(re.findall(r"(?m)^\| `(\w+)` \| [\w ]+ \| (.*) \|$", card))
    values: dict[str, set[str]] = {"gold": set(), "pair_kind": set()}
    for file in folder.glob("*/test-*.parquet"):
        table = pq.read_table(file)
        assert {*table.column_names} <= {*meanings}
        for column in {*values} & {*table.column_names}:
            values[column] |= {*table[column].to_pylist()} - {None}
    assert ("null in all rows" in meanings.get("gold", "null in all rows")) == (not values["gold"])
    assert {*re.findall(r"`([a-z-]+)`: ", meanings["pair_kind"])} == values["pair_kind"]


def test_version_hash_and_canary_are_there(card: str, folder: Path) -> None:
    manifest = read_manifest(folder)
    assert f"Version **{manifest.version}**" in card
    assert manifest.canary in card
    assert manifest.content_hash in card


def test_errata_are_named(all_builds: Path) -> None:
    folder = all_builds / "partisan-inference"
    card = render_card(read_manifest(folder), folder, publication(folder.name))
    for erratum in load_family().errata:
        assert f"`{erratum.id}`" in card


def test_card_has_no_trace_of_templates(card: str, folder: Path) -> None:
    text = card.replace("{{ perspective }}", "").replace("{{ topic }}", "")  # prompts of self-assessment
    for trace in ("{%", "%}", "{{ ", " }}", "Undefined", "None", "NAMESPACE"):
        assert trace not in text


def test_counterpart_is_the_row_of_the_same_pair(all_builds: Path) -> None:
    manifest = read_manifest(all_builds / "partisan-inference")
    schemas = [pq.read_schema(next((all_builds / "partisan-inference" / "en_formal").glob("test-*")))]
    one_config = manifest.model_copy(update={"configs": {"en_formal": manifest.configs["en_formal"]}})

    def counterpart(*pair_ids: str | None) -> object:
        rows = [{"id": index, "pair_id": pair_id} for index, pair_id in enumerate(pair_ids)]
        return describe(one_config, schemas, rows, [{}])["counterpart"]

    assert counterpart("a", "a") == {"id": 1, "pair_id": "a"}
    assert counterpart("a", "b") is None
    assert counterpart(None, None) is None
    assert counterpart("a") is None
