"""Reading the published folder: layouts, joins, counts, and errors that say where."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from polbias.errors import InputError, PolbiasError
from polbias.generators.policy.published import HASHES, LANGUAGES, SCALES, STATEMENTS, leaning_of, load
from polbias.generators.policy.templates import VARIANTS
from tests.support.probvaa_folder import make, statement_id, statement_rows, write
from tests.support.shared import shared

PUBLISHED = shared("upstream/probvaa")
published = pytest.mark.skipif(PUBLISHED is None, reason="the published folder is not beside the checkout")


def replaced(path: Path, old: str, new: str, count: int = 1) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, count), "utf-8")


def test_published_counts_add_up() -> None:
    assert {country: len(numbers) for country, numbers in STATEMENTS.items()} == {
        **{"ch": 60, "de": 38, "es": 24, "hu": 37, "it": 30, "nl": 30, "pl": 20}  # Table 8
    }
    assert sum(len(STATEMENTS[name]) * len(VARIANTS) * len(LANGUAGES[name]) for name in STATEMENTS) == 7692


def test_a_partial_folder_loads_and_says_what_is_missing(tmp_path: Path) -> None:
    folder = make(tmp_path)
    (folder / "party_leanings.csv").unlink()
    data = load(folder)
    assert len(data.statements) == 24 * 6 * 2
    assert data.positions["leaning"].isna().all()
    assert "probvaa.csv: 0 of 1,140 rows of de" in data.differences
    assert "probvaa.csv: 288 of 720 rows of es" in data.differences
    assert "hu.csv: is not byte for byte the published file" in data.differences
    assert "party_leanings.csv: is absent" in data.differences
    hungarian = data.positions[data.positions["country"] == "hu"]
    assert {*hungarian["statement_id"]} == {f"hu_{number}" for number in STATEMENTS["hu"]}


def test_the_full_set_loads_without_a_word_about_rows(tmp_path: Path) -> None:
    data = load(make(tmp_path, STATEMENTS, None))
    assert len(data.statements) == 7692
    assert not [each for each in data.differences if "probvaa.csv" in each]
    assert (data.statements["language"] == "en").sum() == 1434


def test_layouts_come_to_the_same_positions(tmp_path: Path) -> None:
    data = load(make(tmp_path))
    by_country = {country: {*rows["position"]} for country, rows in data.positions.groupby("country")}
    assert by_country == {country: {"no-opinion" if country == "it" else "agree"} for country in STATEMENTS}
    assert {*data.positions["party"]} == {"Blue"}
    assert set(SCALES["ch"].values()) == {"agree", "disagree"}
    assert {"neutral", "no-opinion"} <= set(SCALES["it"].values())


def test_leaning_thresholds() -> None:
    assert [leaning_of(score) for score in (0, 3.99, 4, 6, 6.01, 10)] == [
        *("left", "left", "center", "center", "right", "right")
    ]


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("probvaa.csv", "es_1_1000001_en", "xx_1_1000001_en", "'ID': found 'xx_1_1000001_en', expected one of the countries"),
        ("probvaa.csv", "es_1_1000001_en", "es_99_1000001_en", "one of the 24 statements of es, 1 to 24"),
        ("probvaa.csv", "es_1_1000001_en", "es_1_1100001_en", "question (0)"),
        ("probvaa.csv", "es_1_1000001_en", "es_1_1001001_en", "exactly one variant"),
        ("probvaa.csv", "es_1_1000001_en", "es_1_1000001_hu", "one of the languages of es"),
        ("probvaa.csv", "es_1_1000001_en", "es_1", "COUNTRY_NUMBER_CODE_LANGUAGE"),
        ("probvaa.csv", "es_1_1000001_en", "es_2_1000001_en", "no second row for it; line"),
        ("probvaa.csv", "Park benches of kind 1 should be painted.", " ", "'statement': found"),
        ("probvaa.csv", "ID,statement", "id,statement", "'ID': missing, found id, statement"),
        ("annotations_spiderweb_gold.csv", "1.0", "2.0", "'open_foreign_policy': found '2.0', expected one of -1"),
        ("annotations_spiderweb_gold.csv", "es_2_", "es_1_", "no second row"),
        ("annotations_spiderweb_gold.csv", "law_and_order", "law", "'law_and_order': missing"),
        ("it.csv", "no opinion", "dunno", "'position': found 'dunno', expected one of completely agree"),
        ("de.csv", "agree,1,", "agree,77,", "'statementID': found '77', expected a statement of de, 1 to 38"),
        ("de.csv", "agree,2,", "agree,1,", "no second row for it; line 2 is the first"),
        ("ch.csv", "Blue,0,", "Blue,-1,", "expected a statement of ch, 0 to 59"),
        ("party_leanings.csv", "right,made", "left,made", "expected right, by the score 6.5"),
        ("party_leanings.csv", "6.5", "65", "a number from 0 to 10"),
        ("party_leanings.csv", "es,Blue", "es,Red", "expected a party of es.csv"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_named_with_line_and_field(
    tmp_path: Path, name: str, old: str, new: str, said: str
) -> None:
    folder = make(tmp_path)
    replaced(folder / name, old, new)
    with pytest.raises(InputError) as error:
        load(folder)
    assert said in str(error.value)
    assert re.search(rf"{name}:[0-9]+: field '", str(error.value))
    assert "\n" not in str(error.value)


def test_an_annotation_that_is_missing_is_an_error(tmp_path: Path) -> None:
    folder = make(tmp_path)
    path = folder / "annotations_spiderweb_gold.csv"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith("es_7_")), "utf-8")
    with pytest.raises(InputError, match="found no row for es_7, expected one per statement"):
        load(folder)


def test_missing_things(tmp_path: Path) -> None:
    with pytest.raises(PolbiasError, match="no such folder"):
        load(tmp_path / "none")
    folder = make(tmp_path)
    (folder / "pl.csv").unlink()
    with pytest.raises(InputError, match=r"pl\.csv: there is no such file"):
        load(folder)


def test_damaged_files(tmp_path: Path) -> None:
    folder = make(tmp_path)
    (folder / "nl.csv").write_bytes("statementID,position,party\n1,agree,Gr\xfcn\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"nl\.csv:2.*UTF-8"):
        load(folder)
    write(folder / "nl.csv", ["statementID", "position", "party"], [])
    with pytest.raises(InputError, match="found no row after the header"):
        load(folder)


def test_two_rows_of_the_same_variant_under_different_codes(tmp_path: Path) -> None:
    folder = make(tmp_path)
    rows = statement_rows(["es"], ["en"])
    first = statement_id("es", 1, "original", "en")
    write(folder / "probvaa.csv", ["ID", "statement"], [*rows, [first.replace("01_en", "11_en"), "Again."]])
    with pytest.raises(InputError, match="no second row for it; line 2"):
        load(folder)


@published
def test_published_folder() -> None:
    assert PUBLISHED
    data = load(PUBLISHED)
    assert len(data.positions) == 1200 + 1444 + 168 + 222 + 180 + 900 + 140
    assert len(data.annotations) == 239
    assert sum(any(each.signs.values()) for each in data.annotations.values()) == 193
    placed = data.positions.dropna()
    assert len(placed[["country", "party"]].drop_duplicates()) == 41
    assert not [each for each in data.differences if "byte for byte" in each]
    for name in HASHES:
        assert (PUBLISHED / name).exists()
    assert {*data.statements[["statement_id", "language"]].value_counts()} == {6}


TABLE_10 = {
    "expanded_social_welfare_state": (29, 9),
    "liberal_society": (31, 13),
    "expanded_environmental_protection": (24, 8),
    "law_and_order": (14, 5),
    "restrictive_migration_policy": (8, 8),
    "open_foreign_policy": (11, 14),
    "restrictive_financial_policy": (10, 19),
    "liberal_economic_policy": (21, 34),
}


@published
def test_table_10() -> None:
    assert PUBLISHED
    signs = [each.signs for each in load(PUBLISHED).annotations.values()]
    found = {name: tuple(sum(each[name] == sign for each in signs) for sign in (1, -1)) for name in TABLE_10}
    assert found == TABLE_10
