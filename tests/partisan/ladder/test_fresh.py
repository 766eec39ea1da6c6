"""`polbias build --fresh`: other items drawn into a folder, resumed by a second run, and proved."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from polbias.generators.partisan.ladder.bank import read_bank_file
from polbias.generators.partisan.ladder.gold_verification import verify_gold_labels
from polbias.generators.partisan.ladder.settings import FAMILIES
from polbias.paths import package_file
from tests.support.process import run_polbias

DATASET = "partisan-inference-ladder"
FEW = """
bank: 12
fewshot: 6
bands: [[1]]
levels:
  1:
    testimony: {persons: 4, core: [2, 2], steps: [2, 5], surplus: 3, guesser: 30, distractors: 1, kinds: [fact, testimony]}
    ranking: {persons: 4, core: [2, 2], steps: [2, 5], surplus: 2, guesser: 30, distractors: 0, kinds: [fact]}
    rules: {persons: 3, traits: 5, core: [2, 3], steps: [2, 5], surplus: 3, guesser: 30, distractors: 0, kinds: [rule, fact]}
"""


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    """The templates with one level of few skeletons."""
    folder = tmp_path / "templates"
    shutil.copytree(package_file("templates/partisan"), folder)
    (folder / "ladder" / "levels.yaml").write_text(FEW, "utf-8")
    return folder


def test_fresh_items_are_drawn_resumed_and_proved(tmp_path: Path, templates: Path) -> None:
    command = ["build", DATASET, "--fresh", "x", "-o", tmp_path / "fresh", "--templates", templates]
    run_polbias(*command)
    bank, build = tmp_path / "fresh" / f".{DATASET}-x", tmp_path / "fresh" / DATASET
    texts = {path.name: path.read_bytes() for path in bank.glob("*.tsv")}
    assert set(texts) == {f"{family}_1.tsv" for family in FAMILIES}
    for name in texts:
        uses = [entry.use for entry in read_bank_file(bank / name)]
        assert (uses.count("test"), uses.count("fewshot")) == (12, 6)
        assert all(entry.id.endswith("-x") for entry in read_bank_file(bank / name))
    candidates = bank / "candidates" / "ranking_1.tsv"
    candidates.write_text("".join(candidates.read_text("utf-8").splitlines(True)[:9]), "utf-8")
    run_polbias(*command)
    assert {path.name: path.read_bytes() for path in bank.glob("*.tsv")} == texts
    rows = sum(pq.read_metadata(path).num_rows for path in build.rglob("*.parquet"))
    proofs = verify_gold_labels(build, templates)
    assert (proofs.n_proved, proofs.failed) == (rows, ())
