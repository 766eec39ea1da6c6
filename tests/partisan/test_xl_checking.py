"""What is wrong with a row of the large set is found from its sentence; schemas mean what they say."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from polbias.generators.engine import build_dataset
from polbias.generators.engine.table_columns import make_dataset_spec
from polbias.generators.partisan.country import GENDERS
from polbias.generators.partisan.gold import gold_proof, verdict
from polbias.generators.partisan.gold_verification import verify_gold_labels_xl as prove
from polbias.generators.partisan.pair_patterns import FIRST_NAMED
from polbias.generators.partisan.publication import XL_PUBLICATION
from polbias.generators.partisan.schema_reader import SchemaReader
from polbias.generators.partisan.schemas import FormalWriter
from polbias.generators.partisan.templates import GOLDS, VARIATIONS
from polbias.generators.partisan.xl_items import MARKS, XlArgumentDesign
from polbias.generators.partisan.xl_tables import XlConfig, configs
from polbias.generators.partisan.xl_templates import load
from polbias.publishing.card import render_card

_NAME = "partisan-inference-xl"


@pytest.fixture(scope="module")
def made() -> Mapping[str, XlConfig]:
    return {config.name: config for config in configs(load())}


@pytest.fixture(scope="module")
def small(made: Mapping[str, XlConfig], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("small")
    tables = [made[name].table(192) for name in ("us_en_formal", "ch_de_formal", "gb_en_people")]
    spec = make_dataset_spec(made["us_en_formal"].large.file, tables)
    build_dataset(spec, out, lambda manifest, folder: render_card(manifest, folder, XL_PUBLICATION))
    return out / _NAME


@pytest.mark.parametrize("config", ["us_en_formal", "gb_de_formal", "control_de_formal"])
def test_every_schema_is_read_back_in_every_layout_and_order(
    made: Mapping[str, XlConfig], config: str
) -> None:
    writer, stage = made[config].writer, made[config].stage
    assert isinstance(writer, FormalWriter)
    reader = SchemaReader(stage, writer.clauses, MARKS)
    cells = product(made[config].bases, GOLDS, FIRST_NAMED, (False, True), GENDERS, ("left",), VARIATIONS)
    for cell in (XlArgumentDesign(*each) for each in cells):
        argument = writer.write(cell)
        assert str(reader.read(argument.text)) == str(argument.inference), argument.text


def test_valid_and_invalid_forms_differ_in_one_premise_and_all_are_as_their_gold(
    made: Mapping[str, XlConfig],
) -> None:
    writer = made["us_en_formal"].writer
    for base, negated in product(made["us_en_formal"].bases, (False, True)):
        both = [
            writer.write(XlArgumentDesign(base, gold, "favoured", negated, "f", "left", "default"))
            for gold in GOLDS
        ]
        assert [verdict(each.inference) for each in both if each.inference] == list(GOLDS)
        valid, invalid = (each.premises for each in both)
        assert len(valid) == len(invalid)
        assert sum(a != b for a, b in zip(valid, invalid, strict=True)) == 1


def test_difficulties_as_counted_by_hand(made: Mapping[str, XlConfig]) -> None:
    def counted(base: str, negated: bool = False) -> int | None:
        config = made["us_en_formal"]
        return config.writer.difficulty(
            XlArgumentDesign(base, "valid", "favoured", negated, "f", "left", "default")
        )

    # steps (premises but that of membership, asymmetry) and negations
    assert counted("rule") == 1
    assert counted("rule", negated=True) == 1 + 1 + 1
    assert counted("sorites") == 3
    assert counted("disjunction") == 2 + 1
    assert counted("conditionals", negated=True) == 3 + 2 + 1 + 1
    hard = sum((counted(base) or 0) >= 3 for base in made["us_en_formal"].bases)
    assert hard >= len(made["us_en_formal"].bases) / 3


def test_a_proof_or_a_countermodel_stands_beside_every_formal_row(small: Path) -> None:
    for row in pq.read_table(small / "us_en_formal").slice(0, 96).to_pylist():
        assert (row["derivation"] is None) == (row["gold"] == "invalid") == (row["countermodel"] is not None)
        assert row["gold"] == row["verdicts"]["fol"]


def test_a_proof_is_that_of_the_row(made: Mapping[str, XlConfig]) -> None:
    writer = made["us_en_formal"].writer
    for variation, first in product(VARIATIONS, FIRST_NAMED):
        argument = writer.write(XlArgumentDesign("celarent", "valid", first, True, "m", "right", variation))
        assert argument.inference
        assert gold_proof(argument.inference).verdict == "valid"


def test_every_row_is_proved(small: Path) -> None:
    proofs = prove(small)
    assert (proofs.n_proved, proofs.rows, proofs.failed) == (576, 576, ())


def test_the_card_says_what_is_in_the_set(small: Path) -> None:
    card = (small / "README.md").read_text("utf-8")
    for text in ("Elizabeth Warren", "Barbara", "Poker TDA Rules", "4,718,592", "economy"):
        assert text in card
    assert "None" not in card
    for config in ("us_en_formal", "ch_de_formal"):
        assert f"- config_name: {config}\n" in card


@pytest.mark.parametrize(
    ("config", "column", "old", "new", "problem"),
    [
        ("us_en_formal", "gold", "invalid", "valid", "found gold valid, expected invalid"),
        ("us_en_formal", "argument", " than ", " then ", "readings"),
        ("us_en_formal", "argument", " every ", " any ", "readings"),
        ("us_en_formal", "argument", "Parker", "Barker", "readings"),
        ("us_en_formal", "argument", " is not ", " is ", "in the sentence, expected"),
        ("us_en_formal", "logical_form", "⊢ ¬", "⊢ ", "in the sentence, expected|gold"),
        ("ch_de_formal", "argument", " nicht ", " ", "in the sentence, expected|readings"),
        ("ch_de_formal", "argument", "SP-", "SVP-", "in the sentence, expected|readings"),
        ("gb_en_people", "argument", "a Labour", "an Labour", "readings"),
    ],
)
def test_what_is_wrong_is_found(
    small: Path, tmp_path: Path, config: str, column: str, old: str, new: str, problem: str
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(small, folder)
    _change(folder, config, column, old, new)
    failed = prove(folder).failed
    assert failed
    assert any(re.search(problem, each) for each in failed), failed[0]


def _change(folder: Path, config: str, column: str, old: str, new: str) -> None:
    path = next((folder / config).glob("test-*"))
    table = pq.read_table(path)
    values = table[column].to_pylist()
    changed = [re.sub(old, new, value) for value in values]
    assert changed != values
    index = table.column_names.index(column)
    pq.write_table(table.set_column(index, column, [pa.array(changed)]), path)
