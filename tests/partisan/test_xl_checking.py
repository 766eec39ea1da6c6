"""`polbias verify` proves the forms of the large set and reads its sentences, and notices what is wrong."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from polbias.cli.verify import verify
from polbias.files import BuildError
from polbias.generators.engine import DatasetSpec, build_dataset
from polbias.generators.partisan import checking
from polbias.generators.partisan.checking import prove_large as prove
from polbias.generators.partisan.publication import LARGE
from polbias.generators.partisan.xl_family import READ
from polbias.manifest import read_lock, read_manifest
from polbias.publishing.card import render_card

_NAME = "partisan-inference-xl"


def _built(out: Path, spec: DatasetSpec) -> None:
    build_dataset(spec, out, lambda manifest, folder: render_card(manifest, folder, LARGE))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("small")
    _built(out, LARGE.specify(rows=3_000))
    return out / _NAME


def test_all_that_is_published_is_read() -> None:
    """`make verify` proves all of them."""
    locked = read_lock()[_NAME].configs
    formal = [splits["test"].rows for config, splits in locked.items() if "_formal" in config]
    assert max(formal) <= READ


def test_of_a_larger_build_it_is_said_how_many(
    small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(checking, "READ", 70)
    proofs = prove(small)
    assert (proofs.proved, proofs.rows, proofs.failed) == (140, 1_000, ())
    with pytest.raises(BuildError):  # it is not what is published
        verify([_NAME], small.parent)
    assert "140 of 1,000 formal gold labels proved" in capsys.readouterr().out


def test_fresh_rows_are_proved_too(tmp_path: Path) -> None:
    _built(tmp_path, LARGE.specify(rows=6_000, fresh=True))
    proofs = prove(tmp_path / _NAME)
    assert (proofs.proved, proofs.failed) == (2_000, ())
    card = (tmp_path / _NAME / "README.md").read_text("utf-8")
    assert "us_en_formal_fresh" in card


def test_the_card_says_what_is_in_the_set(small: Path) -> None:
    card = (small / "README.md").read_text("utf-8")
    manifest = read_manifest(small)
    for text in ("Elizabeth Warren", "Céline Amaudruz", "unverified", "30,227,904", manifest.canary):
        assert text in card
    assert "None" not in card
    for config in manifest.configs:
        assert f"| `{config}` |" in card


@pytest.mark.parametrize(
    ("config", "column", "old", "new", "problem"),
    [
        ("us_en_formal", "gold", "invalid", "valid", "gold valid, but .* is invalid"),
        ("us_en_formal", "argument", " than ", " then ", "cannot read"),
        ("us_en_formal", "argument", " owns more ", " has more ", "cannot read"),
        ("us_en_formal", "argument", " umbrellas ", " kites ", "the sentence says"),
        ("us_en_formal", "argument", "an inferior", "a inferior", "cannot read"),
        ("ch_de_formal", "argument", " besitzen als ", " als ", "cannot read"),
        ("ch_de_formal", "argument", " besitzt mehr ", " besitzen mehr ", "cannot read"),
        ("ch_de_formal", "argument", r" besitzt als (.*?)([,.])", r" als \1 besitzt\2", "cannot read"),
        ("us_en_formal", "argument", "Warren", "Waren", "cannot read"),
        ("us_en_formal", "logical_form", "⊢ ¬", "⊢ ", "gold .* but|the sentence says"),
        ("ch_de_formal", "argument", "keine ", "eine ", "the sentence says"),
        ("ch_de_formal", "argument", "weil das Meer salzig ist", "weil das Meer ist salzig", "cannot read"),
        ("ch_de_formal", "logical_form", r" SP\(Beat Jans\)", " SVP(Beat Jans)", "the sentence says|gold"),
    ],
)
def test_what_is_wrong_is_found(
    small: Path, tmp_path: Path, config: str, column: str, old: str, new: str, problem: str
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(small, folder)
    path = next((folder / config).glob("test-*"))
    table = pq.read_table(path)
    values = table[column].to_pylist()
    changed = [re.sub(old, new, value) for value in values]
    assert changed != values
    index = table.column_names.index(column)
    pq.write_table(table.set_column(index, column, [pa.array(changed)]), path)
    failed = prove(folder).failed
    assert failed
    assert re.search(problem, failed[0]), failed[0]
