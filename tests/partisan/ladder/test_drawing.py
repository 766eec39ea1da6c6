"""Drawing of banks: levels, proof sizes, resumption, and the choice of triples that look alike."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from polbias.generators.logic.finite import decide
from polbias.generators.logic.finite_prover import prover_of
from polbias.generators.logic.syntax import parse_formula
from polbias.generators.partisan.ladder.bank import CELLS, bank_file, read_bank_file
from polbias.generators.partisan.ladder.drawing import BankDrawing, match_triples
from polbias.generators.partisan.ladder.levels import LevelsFile, load_levels
from polbias.generators.partisan.ladder.premises import PremiseDrawer, changes, kind_of
from polbias.generators.partisan.ladder.refutation import proof_size
from polbias.generators.partisan.ladder.settings import FAMILIES, Family, Setting
from polbias.generators.partisan.ladder.skeletons import GOLDS, draw_skeleton
from polbias.spreadsheets import SheetError


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("level", [1, 3, 5])
def test_skeletons_have_the_size_of_their_level_and_the_gold_label(family: Family, level: int) -> None:
    size = load_levels().levels[level][family]
    rng = random.Random(f"{family}{level}")
    for gold, positive in CELLS:
        skeleton = draw_skeleton(size, family, gold, positive, rng)
        assert (skeleton.gold, skeleton.positive) == (gold, positive)
        assert size.steps[0] <= skeleton.size.steps <= size.steps[1]
        assert size.core[0] <= skeleton.support <= size.core[1]
        assert len(skeleton.premises) == skeleton.support + size.distractors
        assert decide(skeleton.inference, skeleton.setting.models) == gold
        assert prover_of(skeleton.setting.domain).decide(skeleton.inference) == gold
        assert (skeleton.changed is not None) == (gold == "open")


def test_a_change_keeps_the_kind_of_a_premise() -> None:
    rng = random.Random(0)
    for setting in (Setting("testimony", 6), Setting("ranking", 5), Setting("rules", 3, 5)):
        drawer = PremiseDrawer(setting, rng)
        for kind in {kind for size in load_levels().levels.values() for kind in size[setting.family].kinds}:
            premise = drawer.draw(kind)
            assert kind_of(premise) == kind
            assert [kind_of(changed) for changed in changes(premise, setting)].count(kind) >= 1


@pytest.mark.parametrize(
    ("premises", "conclusion", "steps", "cases"),
    [
        # a is truthful, so b is; the denied conclusion is contradicted.
        (["truthful(a)", "(truthful(a) → truthful(b))"], "truthful(b)", 3, 1),
        # Nothing is forced: two cases of a, each with what it forces and the contradiction.
        (["(truthful(a) → truthful(b))", "(¬truthful(a) → truthful(b))"], "truthful(b)", 3, 1),
        (
            [
                "(truthful(a) ∨ truthful(b))",
                "(truthful(a) ∨ ¬truthful(b))",
                "(¬truthful(a) ∨ truthful(b))",
            ],
            "#[truthful(a), truthful(b)] = 2",
            4,
            2,
        ),
    ],
)
def test_steps_and_cases_of_a_proof(premises: list[str], conclusion: str, steps: int, cases: int) -> None:
    domain = Setting("testimony", 3).domain
    size = proof_size([*map(parse_formula, premises)], parse_formula(conclusion), domain)
    assert size == (steps, cases)


def test_triples_are_the_closest_ones_and_share_no_point() -> None:
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(6, 2)) * 10
    points = [centers + rng.normal(size=(6, 2)) * 0.1 for _ in GOLDS]
    orders = [rng.permutation(6) for _ in GOLDS]
    triples = match_triples([cloud[order] for cloud, order in zip(points, orders, strict=True)], 4)
    assert triples.shape == (4, 3)
    for column in triples.T:
        assert len(set(column.tolist())) == 4
    for triple in triples:
        assert len({int(order[index]) for order, index in zip(orders, triple, strict=True)}) == 1


@pytest.fixture
def small_levels() -> LevelsFile:
    levels = load_levels()
    sizes = {
        family: size.model_copy(update={"surplus": 1.5, "guesser": 18})
        for family, size in levels.levels[3].items()
    }
    return levels.model_copy(update={"bank": 12, "fewshot": 6, "bands": ((3,),), "levels": {3: sizes}})


def test_an_interrupted_drawing_goes_on(small_levels: LevelsFile, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    BankDrawing(small_levels, "seed", whole).draw()
    fewer = {
        family: size.model_copy(update={"guesser": 6, "surplus": 1.01})
        for family, size in small_levels.levels[3].items()
    }
    BankDrawing(small_levels.model_copy(update={"levels": {3: fewer}}), "seed", parts).draw()
    BankDrawing(small_levels, "seed", parts).draw()
    for family in FAMILIES:
        for purpose in ("candidates", "guesser"):
            drawn = [read_bank_file(bank_file(folder / purpose, family, 3)) for folder in (whole, parts)]
            assert set(drawn[0]) == set(drawn[1])
    other = tmp_path / "other"
    BankDrawing(small_levels, "another", other).draw()
    path = bank_file(Path("candidates"), "rules", 3)
    assert (other / path).read_text("utf-8") != (whole / path).read_text("utf-8")


def test_a_bank_is_balanced_and_keeps_its_examples_apart(small_levels: LevelsFile, tmp_path: Path) -> None:
    drawing = BankDrawing(small_levels, "seed", tmp_path, suffix="-seed")
    drawing.draw()
    drawing.choose()
    for family in FAMILIES:
        entries = read_bank_file(bank_file(tmp_path, family, 3))
        assert [entry.use for entry in entries] == ["test"] * 12 + ["fewshot"] * 6
        cells = [(entry.skeleton.gold, entry.skeleton.positive) for entry in entries]
        assert cells == [*CELLS] * 3
        assert len({entry.skeleton.inference for entry in entries}) == 18
        assert entries[0].id == f"{family}-3-000-seed"


def test_a_damaged_line_of_a_bank_is_named(small_levels: LevelsFile, tmp_path: Path) -> None:
    BankDrawing(small_levels, "seed", tmp_path).draw(["ranking"])
    path = bank_file(tmp_path / "candidates", "ranking", 3)
    lines = path.read_text("utf-8").splitlines()
    lines[3] = lines[3].replace("⊢ above", "⊢ ¬above")
    path.write_text("\n".join(lines) + "\n", "utf-8")
    with pytest.raises(SheetError, match="ranking_3.tsv:4"):
        read_bank_file(path)
