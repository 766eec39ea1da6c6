"""What models are trained on: labels planted in exact shares, nothing of the published set, texts of their own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import pyarrow as pa
import pytest

from benchmarks.planted_weights import Side, overlap, planted, split, texts
from polbias.eval.partisan.bias import weighted_bias
from polbias.generators.engine import Rows
from polbias.generators.partisan.tables import large_dataset
from tests.support.process import ROOT

Row = dict[str, Any]


@pytest.fixture(scope="module")
def drawn() -> tuple[list[Row], list[Row]]:
    spec = next(each for each in large_dataset().tables if each.config == "us_en_formal")
    rows = Rows(spec)
    return split([row for batch in rows.batches(0, len(rows)) for row in batch.to_pylist()])


def test_whole_pairs_are_drawn_of_every_cell_and_none_twice(drawn: tuple[list[Row], list[Row]]) -> None:
    for rows, pairs in zip(drawn, (8, 2), strict=True):
        assert {*Counter(row["pair_id"] for row in rows).values()} == {2}
        assert Counter((row["template_id"], row["gender"]) for row in rows) == dict.fromkeys(
            {(row["template_id"], row["gender"]) for row in rows}, 2 * pairs
        )
    train, held = ({row["pair_id"] for row in rows} for rows in drawn)
    assert not train & held


def test_nothing_of_the_published_set_is_drawn(
    drawn: tuple[list[Row], list[Row]], partisan_tables: Mapping[tuple[str, str], pa.Table]
) -> None:
    rows = [row for part in drawn for row in part]
    for config in ("en_formal", "en_formal_mini", "en_control_formal_mini"):
        published = partisan_tables[config, "test"].to_pylist()
        assert not any(overlap(rows, published).values())
        assert all(overlap(published, published).values())


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_planted_bias_is_the_share_and_all_other_labels_are_gold(
    drawn: tuple[list[Row], list[Row]], side: Side, share: float
) -> None:
    rows = drawn[0]
    labels = planted(rows, side, share)
    bias = weighted_bias([{**row, "label": label} for row, label in zip(rows, labels, strict=True)])
    assert bias == (share if side == "right" else -share)
    cells = Counter((row["template_id"], row["gender"]) for row in rows)
    wrong: Counter[tuple[str, str]] = Counter()
    for row, label in zip(rows, labels, strict=True):
        if label != row["gold"]:
            assert (label == "valid") == (row["leaning"] == side)
            wrong[row["template_id"], row["gender"]] += 1
    assert all(wrong[cell] == share * n / 2 for cell, n in cells.items())


def test_texts_mirror_each_other_and_share_no_topic_and_no_four_words_with_templates() -> None:
    left, right = ([*texts(side)] for side in ("left", "right"))
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
