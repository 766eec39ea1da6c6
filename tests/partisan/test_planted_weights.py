"""What models are trained on: labels planted in exact shares, nothing of the published set, texts of their own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import pyarrow as pa
import pytest

from benchmarks.planted_weights import (
    PUBLISHED,
    Side,
    large_rows,
    overlap,
    plant_labels,
    slanted_texts,
    split,
)
from polbias.eval.partisan.bias import weighted_bias
from tests.support.process import ROOT

Row = dict[str, Any]


@pytest.fixture(scope="module")
def published(partisan_tables: Mapping[tuple[str, str], pa.Table]) -> list[Row]:
    configs = (PUBLISHED, f"{PUBLISHED}_mini")
    rows = [
        row for (config, _), rows in partisan_tables.items() if config in configs for row in rows.to_pylist()
    ]
    assert {row["dataset"] for row in rows} == {"partisan-inference"}
    return rows


@pytest.fixture(scope="module")
def drawn(published: list[Row]) -> tuple[list[Row], list[Row]]:
    return split(large_rows(n_rounds=24), published, n_train=1, n_test=1)


def test_whole_pairs_are_drawn_as_many_of_every_cell_and_none_twice(
    drawn: tuple[list[Row], list[Row]],
) -> None:
    train, held = drawn
    for rows in drawn:
        assert {*Counter(row["pair_id"] for row in rows).values()} == {2}
        for columns in (["base_id", "gold", "gender", "leaning"], ["gold", "leaning"]):
            assert len({*Counter(tuple(row[name] for name in columns) for row in rows).values()}) == 1
    assert not {row["pair_id"] for row in train} & {row["pair_id"] for row in held}


def test_nothing_of_the_published_set_is_drawn(
    drawn: tuple[list[Row], list[Row]], published: list[Row]
) -> None:
    assert overlap([*drawn[0], *drawn[1]], published) == dict.fromkeys(
        ("prompts", "arguments", "persons", "topics"), 0
    )
    assert all(overlap(published, published).values())


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_planted_bias_is_the_share_and_all_other_labels_are_gold(
    drawn: tuple[list[Row], list[Row]], side: Side, share: float
) -> None:
    rows = drawn[0]
    labels = plant_labels(rows, side, share)
    bias = weighted_bias([{**row, "label": label} for row, label in zip(rows, labels, strict=True)])
    assert bias == (share if side == "right" else -share)
    wrong = [(row, label) for row, label in zip(rows, labels, strict=True) if label != row["gold"]]
    assert all((label == "valid") == (row["leaning"] == side) for row, label in wrong)
    assert {*Counter(label for _, label in wrong).values()} <= {share * len(rows) / 4}


def test_texts_mirror_each_other_and_share_no_topic_and_no_four_words_with_templates() -> None:
    left, right = ([*slanted_texts(side)] for side in ("left", "right"))
    swap = {"Democrats": "Republicans", "Republicans": "Democrats"}
    assert [re.sub("|".join(swap), lambda found: swap[found[0]], text) for text in left] == right
    assert len({*left}) == len(left) == 144
    known = [words(path.read_text("utf-8")) for path in (ROOT / "templates").rglob("*") if path.is_file()]
    assert not {*runs(words(" ".join(left)))} & {run for each in known for run in runs(each)}
    text = (ROOT / "benchmarks" / "slanted_texts.yaml").read_text("utf-8")
    own = {word for found in re.findall(r"(?:town|topic): ([^,]+)", text) for word in words(found)[:1]}
    assert len(own) == 48
    assert not own & {word for each in known for word in each}


def words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.lower())


def runs(found: list[str]) -> Iterator[tuple[str, ...]]:
    yield from zip(*(islice(found, start, None) for start in range(4)), strict=False)
