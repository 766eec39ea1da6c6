"""Prompts from a user's copy of ProbVAA."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from polbias.errors import InputError
from polbias.generators.engine import TableRows
from polbias.generators.policy.published import dataset, load
from polbias.generators.policy.tables import dataset as own
from tests.support.process import run_polbias
from tests.support.shared import shared

PUBLISHED = shared("upstream/probvaa")
pytestmark = pytest.mark.skipif(
    PUBLISHED is None, reason="needs a copy of the published ProbVAA in ../shared"
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    assert PUBLISHED is not None
    return Path(shutil.copytree(PUBLISHED, tmp_path / "probvaa"))


def test_twelve_prompts_for_each_english_text(copy: Path) -> None:
    spec = dataset(load(copy))
    rows = len(TableRows(spec.tables[0]))
    lines = (copy / "probvaa.csv").read_text("utf-8-sig").splitlines()
    english = Counter(line.split(",")[0].rsplit("_", 1)[-1] for line in lines)["en"]
    assert rows == 12 * english == 10872
    assert list(spec.tables[0].columns) == list(own().tables[0].columns)


def test_the_command_builds_a_folder(copy: Path, tmp_path: Path) -> None:
    done = run_polbias("author", "import", "probvaa", copy, "--output", tmp_path / "out")
    assert "all: 10,872 prompts" in done.stdout
    folder = tmp_path / "out" / "probvaa"
    assert "must not be published" in (folder / "README.md").read_text("utf-8")
    table = pq.read_table(folder / "all")
    assert set(table["source"].to_pylist()) == {"ProbVAA (Ceron et al. 2024), a user's copy"}


def test_a_statement_without_a_variant_is_an_error(copy: Path) -> None:
    path = copy / "probvaa.csv"
    text = path.read_text("utf-8-sig")
    kept = [line for line in text.splitlines() if not line.startswith("es_3_0000101_en")]
    path.write_text("\n".join(kept) + "\n", "utf-8")
    with pytest.raises(InputError, match="es_3 in 'en' has no negation"):
        dataset(load(copy))
