"""Every sentence of every build is read back to the formula that it was made from."""

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from polbias.generators.engine import DatasetSpec
from polbias.generators.normative.gold_verification import verify_gold_labels
from polbias.manifest import read_manifest


@pytest.fixture
def folder(normative_build: Path, tmp_path: Path) -> Path:
    """A copy of the build that a test may spoil."""
    return Path(shutil.copytree(normative_build / "normative-reasoning", tmp_path / "normative-reasoning"))


def _change(folder: Path, config: str, column: str, old: str, new: str, rows: slice = slice(None)) -> int:
    """Replace a text in a column of some rows; return how many rows have changed."""
    path = folder / next(iter(read_manifest(folder).configs[config]["test"].files)).path
    table = pq.read_table(path)
    values = table[column].to_pylist()
    changed = list(values)
    for index in range(*rows.indices(len(values))):
        value = values[index]
        changed[index] = (
            [v.replace(old, new) for v in value] if isinstance(value, list) else value.replace(old, new)
        )
    at = table.schema.get_field_index(column)
    pq.write_table(
        table.set_column(at, table.schema.field(at), pa.array(changed, table.schema.field(at).type)), path
    )
    manifest = read_manifest(folder)  # the rows of other configs are right, as the next test says
    only = manifest.model_copy(update={"configs": {config: manifest.configs[config]}})
    (folder / "manifest.json").write_text(only.to_json(), "utf-8")
    return sum(before != after for before, after in zip(values, changed, strict=True))


def test_every_row_is_read_back_and_proved(normative_build: Path) -> None:
    folder = normative_build / "normative-reasoning"
    proofs = verify_gold_labels(folder)
    assert proofs.failed == ()
    assert proofs.excused == 0
    assert proofs.n_proved == read_manifest(folder).rows == 14323


@pytest.mark.parametrize(
    ("config", "column", "old", "new", "message"),
    [
        ("deontic_logic", "hypothesis", "must", "may", "in the sentences, expected"),
        ("epistemic_logic", "premises", "certain", "uncertain", ""),
        ("deontic_syllogism", "premises", "All ", "Some ", ""),
        ("epistemic_syllogism", "hypothesis", " is not a", " is a", "in the sentences, expected"),
        ("epistemic_syllogism", "premises", "All ", "A all ", ""),
        ("deontic_syllogism", "gold", "non-entailment", "entailment", "found gold entailment, expected"),
        ("wason", "rule", "If ", "Only if ", "expected 'If a"),
        ("wason", "gold", "A,", "B,", "found gold B"),
    ],
)
def test_a_changed_sentence_or_gold_is_found(
    folder: Path, config: str, column: str, old: str, new: str, message: str
) -> None:
    changed = _change(folder, config, column, old, new)
    proofs = verify_gold_labels(folder)
    assert changed > 0
    assert len(proofs.failed) == changed
    assert all(message in line for line in proofs.failed)


def test_ungrammatical_sentences_are_found(folder: Path) -> None:
    assert _change(folder, "deontic_syllogism", "premises", " is a ", " is an ", slice(0, 100)) > 10
    found = verify_gold_labels(folder).failed
    assert found
    assert all("found language errors: article" in line for line in found)


def test_specification_is_that_of_the_build(normative: DatasetSpec, normative_build: Path) -> None:
    manifest = read_manifest(normative_build / "normative-reasoning")
    assert list(manifest.configs) == normative.configs
