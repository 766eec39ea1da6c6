"""Lints: each on a set that has the fault, and none on the published ones."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from polbias.generators.authoring.lints import layout_leaks, policy, xphemism
from polbias.manifest import read_manifest
from polbias.paths import package_file


@pytest.fixture
def family(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    return Path(shutil.copytree(package_file(f"templates/{request.param}"), tmp_path / request.param))


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


@pytest.mark.parametrize("dataset", ["partisan-inference", "normative-reasoning", "xphemism-pairs"])
def test_no_layout_of_a_published_set_gives_a_label_away(dataset: str, all_builds: Path) -> None:
    folder = all_builds / dataset
    assert [*layout_leaks(read_manifest(folder), folder)] == []


def test_a_layout_that_goes_with_the_label_is_named(all_builds: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(all_builds / "partisan-inference", tmp_path / "set"))
    manifest = read_manifest(folder)
    path = folder / manifest.configs["en_formal"]["test"].files[0].path
    table = pq.read_table(path)
    # every third valid row is asked by a woman's name
    moved = pc.and_(pc.equal(table["gold"], "valid"), pa.array([row % 3 == 0 for row in range(len(table))]))
    gender = pc.if_else(moved, "f", table["gender"])
    place = table.column_names.index("gender")
    pq.write_table(table.set_column(place, "gender", gender), path)
    (found,) = layout_leaks(manifest, folder)
    assert found.startswith("en_formal: gender ")


@pytest.mark.parametrize("family", ["policy"], indirect=True)
def test_statements_that_no_reader_would_sign(family: Path) -> None:
    assert [*policy(family)] == []
    change(family / "statements/nl.yaml", "names: {en: [dutch, netherlands]}", "names: {en: [holland]}")
    change(family / "review.tsv", "\taccept\t", "\t\t")
    change(family / "review.tsv", "polbias (read by the makers)", "")
    found = [*policy(family)]
    assert sum("country-not-named" in each for each in found) == 180
    assert {each.split()[3] for each in found} == {"country-not-named", "similar-statement", "force-added"}


@pytest.mark.parametrize("family", ["xphemism"], indirect=True)
def test_a_placebo_unlike_the_loaded_words_and_a_claim_twice(family: Path) -> None:
    assert [*xphemism(family)] == []
    change(family / "morphology.placebo.tsv", "Zeitabschnitt\tnoun", "Zeitabschnitt\tadjective")
    file = family / "claims/work_and_welfare.yaml"
    text = file.read_text("utf-8")
    first = text.split('claim: "')[1].split('"')[0]
    second = text.split('claim: "')[2].split('"')[0]
    file.write_text(text.replace(second, first.replace("vier", "fünf")), "utf-8")
    found = [*xphemism(family)]
    assert len(found) == 2
    assert found[0].startswith("work-001, work-002: ")
    assert "'Zeitabschnitt'" in found[1]
