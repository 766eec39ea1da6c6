"""Prompts from a user's copy of the released normative data, with the verdicts of the auditor."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from polbias.errors import InputError
from polbias.generators.auditing.published_normative import NAME, PublishedNormative, dataset, list_ids, load
from polbias.generators.engine import TableRows
from polbias.generators.normative.tables import dataset as own_dataset
from tests.support.process import ROOT, run_polbias
from tests.support.released_normative import DEONTIC, EPISTEMIC, HEADER, make, write
from tests.support.shared import shared

RELEASED = shared("upstream/normative")
released = pytest.mark.skipif(RELEASED is None, reason="needs a copy of the released data in ../shared")


def _rows(data: PublishedNormative, config: str) -> list[dict[str, object]]:
    table = next(table for table in dataset(data).tables if table.config == config)
    rows = TableRows(table)
    return [row for batch in rows.batches(0, len(rows)) for row in batch.to_pylist()]


def test_every_label_has_the_verdict_of_the_auditor(tmp_path: Path) -> None:
    data = load(make(tmp_path))
    assert data.verdict_counts() == {
        "deontic_logic": {"confirmed": 5, "contradicted": 0, "depends": 1, "unparsed": 0},
        "epistemic_syllogism": {"confirmed": 3, "contradicted": 1, "depends": 0, "unparsed": 1},
    }
    wrong, *doubtful = data.doubtful_labels()
    assert (wrong["pattern"], wrong["verdict"], wrong["ids"]) == ("Hyp-MT", "contradicted", "3")
    assert [(group["pattern"], group["verdict"], group["ids"]) for group in doubtful] == [
        ("NotMu-MiNot", "depends", "3"),
        ("Hyp-AC", "unparsed", "5"),
    ]
    assert doubtful[0]["reason"] == "can choose to: permission"


def test_differences_are_files_and_cells(tmp_path: Path) -> None:
    differences = load(make(tmp_path)).differences
    assert (
        "epistemic.tsv: is not byte for byte one of deontic_single.tsv, epistemic_multiple.tsv" in differences
    )
    assert "deontic_logic: 6 of 640 items" in differences
    assert "deontic_logic: NotMu-MiNot, congruent: 1 items, expected 20" in differences
    assert "epistemic_logic: 0 of 480 items" in differences
    assert not [line for line in differences if "Ross-Or-Intro, congruent" in line]


def test_a_prompt_per_item_and_style(tmp_path: Path) -> None:
    rows = _rows(load(make(tmp_path)), "epistemic_syllogism")
    assert Counter(row["prompt_style"] for row in rows) == dict.fromkeys(("zero", "few", "cot"), 5)
    assert len({row["id"] for row in rows}) == 15
    wrong = next(row for row in rows if row["id"] == "epistemic_syllogism/zero/Hyp-MT/3")
    assert wrong["gold"] == "entailment"
    assert (wrong["audit"], wrong["gold_sdl"], wrong["proof"]) == (
        "contradicted",
        "non-entailment",
        "annotated",
    )
    assert wrong["findings"] == ["does-not-instantiate"]
    assert wrong["premises"] == [
        "If the kettle is on, then it is certain that the water is hot.",
        "It is not certain that the water is hot.",
    ]
    assert str(wrong["prompt"]).endswith(
        f"\n\nPremise: {EPISTEMIC[2][1]}\nHypothesis: The water is not hot.\nAnswer:"
    )
    few = next(row for row in rows if row["id"] == "epistemic_syllogism/few/Hyp-MT/3")
    assert str(few["prompt"]).count("Hypothesis:") == 1 + 8
    unparsed = next(row for row in rows if row["pattern"] == "Hyp-AC")
    assert (unparsed["audit"], unparsed["logical_form"], unparsed["verdicts"]) == ("unparsed", None, None)


def test_items_about_the_same_clauses_are_a_cluster(tmp_path: Path) -> None:
    rows = _rows(load(make(tmp_path)), "deontic_logic")
    clusters = {(row["pattern"], row["content_type"]): row["cluster_id"] for row in rows}
    assert clusters["NotMu-MiNot", "congruent"] == clusters["Mi-Mu", "congruent"]
    assert len({*clusters.values()}) == 3


def test_columns_are_those_of_the_dataset_and_the_verdict(tmp_path: Path) -> None:
    columns = [*dataset(load(make(tmp_path))).tables[0].columns]
    own_columns = [*own_dataset().tables[0].columns]
    assert {*columns} - {*own_columns} == {"audit", "findings"}
    assert [name for name in columns if name in own_columns] == [
        name for name in own_columns if name in columns
    ]


def _changed(row: int, column: str, value: str) -> list[list[str]]:
    rows = [[*values] for values in DEONTIC]
    rows[row][HEADER.index(column)] = value
    return rows


@pytest.mark.parametrize(
    ("row", "column", "value", "problem"),
    [
        (0, "gold", "maybe", ":2: field 'gold': found 'maybe', expected one of entailment, non-entailment"),
        (1, "modal", "alethic", ":3: field 'domain': found 'alethic', expected one of deontic, normative, ep"),
        (2, "inference-pattern", "Mu", ":4: field 'pattern': found 'Mu', expected one of NotMu-MiNot, "),
        (2, "inference-pattern", "NotMi-Mi", ":4: field 'pattern': found 'NotMi-Mi'"),
        (3, "content-type", "odd", ":5: field 'content_type': found 'odd', expected one of congruent, incongr"),
        (4, "content-type", "", ":6: field 'content_type': found None"),
        (4, "premise_en", " ", ":6: premise: found nothing, expected a sentence"),
        (5, "ID", "", ":7: field 'id': found nothing, expected a number"),
        (5, "ID", "1", ":7: field 'id': found '1', expected no second item of deontic_logic with it; "),
    ],
)  # fmt: skip
def test_a_wrong_value_is_named_with_line_and_field(
    tmp_path: Path, row: int, column: str, value: str, problem: str
) -> None:
    path = write(tmp_path / "items.tsv", _changed(row, column, value))
    with pytest.raises(InputError) as error:
        load([path])
    assert f"{path}{problem}" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_pattern_of_the_other_domain_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "items.tsv", _changed(0, "inference-pattern", "FC-Or-Elim"))
    load([path])
    rows = [[*values[:5], "FC-Or-Elim", "epistemic"] for values in EPISTEMIC]
    with pytest.raises(InputError, match=r":2: field 'pattern': found 'FC-Or-Elim'"):
        load([write(path, rows)])


def test_a_file_without_a_column_or_without_rows(tmp_path: Path) -> None:
    rows = [values[:-1] for values in DEONTIC]
    with pytest.raises(InputError, match="expected also domain"):
        load([write(tmp_path / "items.tsv", rows, HEADER[:-1])])
    with pytest.raises(InputError, match="found no item after the header"):
        load([write(tmp_path / "items.tsv", [])])
    with pytest.raises(InputError, match="there is no such file"):
        load([tmp_path / "none.tsv"])


def test_other_column_names(tmp_path: Path) -> None:
    path = write(tmp_path / "items.tsv", DEONTIC, [*HEADER[:-1], "kind"])
    assert len(load([path], {"domain": "kind"}).problems["deontic_logic"]) == 6


def test_runs_of_ids() -> None:
    assert list_ids(["61", "62", "63", "65", "a", "7"]) == "61-63, 65, a, 7"


def test_the_command_builds_a_folder_that_is_not_published(tmp_path: Path) -> None:
    done = run_polbias("author", "import", "normative", *make(tmp_path), "-o", tmp_path / "out")
    assert "epistemic_syllogism: Hyp-MT: label contradicted: 3" in done.stdout
    assert "deontic_logic: 18 prompts" in done.stdout
    card = (tmp_path / "out" / NAME / "README.md").read_text("utf-8")
    assert "must not be published" in card
    assert "| `epistemic_syllogism` | Hyp-MT | contradicted |  | 3 |" in card
    assert set(pq.read_table(tmp_path / "out" / NAME / "deontic_logic")["dataset"].to_pylist()) == {NAME}
    pushed = run_polbias("push", NAME, "--dry-run", check=False)
    assert pushed.returncode != 0


@released
def test_released_files_have_the_listed_defects() -> None:
    assert RELEASED is not None
    data = load([RELEASED / "deontic_single.tsv", RELEASED / "epistemic_multiple.tsv"])
    assert data.differences == ["epistemic_logic: 0 of 480 items", "deontic_syllogism: 0 of 480 items"]
    files = {"deontic_logic": "deontic_single", "epistemic_syllogism": "epistemic_multiple"}
    for config, name in files.items():
        lines = (ROOT / f"docs/errata/normative-{name}.jsonl").read_text("utf-8").splitlines()
        listed = {entry["id"]: entry for entry in map(json.loads, lines)}
        rows = [row for row in _rows(data, config) if row["prompt_style"] == "zero"]
        assert len(rows) == {"deontic_logic": 640, "epistemic_syllogism": 480}[config]
        for row in rows:
            entry = listed.get(str(row["id"]).rpartition("/")[2], {"verdict": "confirmed"})
            assert row["audit"] == entry["verdict"]
    assert data.doubtful_labels()[0]["ids"] == "61-86, 88-120"
