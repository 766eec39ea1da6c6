"""The overlap of two sets in n-grams: against a plain count, and for the large set and the published one."""

from __future__ import annotations

import re

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from polbias.generators.engine import Rows
from polbias.generators.partisan.overlap import Overlap, fillers, masked, report, table
from polbias.generators.partisan.xl.tables import dataset

_WORDS = st.lists(st.sampled_from(["a", "b", "c", "Ä", "d-e", "7"]), max_size=9).map(" ".join)


def _plainly(items: list[str], others: list[str], size: int) -> Overlap:
    """Count with sets of tuples."""

    def grams(text: str) -> list[tuple[str, ...]]:
        words = re.findall(r"[\w-]+", text.lower())
        return [tuple(words[i : i + size]) for i in range(len(words) - size + 1)]

    known = {gram for text in others for gram in grams(text)}
    found = [[gram in known for gram in grams(text)] for text in items]
    return Overlap(size, False, len(items), sum(map(any, found)), sum(map(len, found)), sum(map(sum, found)))


@given(st.lists(_WORDS, max_size=6), st.lists(_WORDS, max_size=6), st.integers(1, 4))
def test_counts_are_those_of_a_plain_count(items: list[str], others: list[str], size: int) -> None:
    found = report(pa.array(items, pa.string()), pa.array(others, pa.string()), sizes=(size,))
    assert found == (_plainly(items, others, size),)


def test_a_slice_and_chunks_are_read_as_what_they_hold() -> None:
    texts = pa.array(["x y z", "a b c", "a b d", "c b a"])
    chunked = pa.chunked_array([texts.slice(1, 1), texts.slice(2, 1)])
    expected = _plainly(["a b c", "a b d"], ["c b a", "a b"], 2)
    assert report(texts.slice(1, 2), pa.array(["c b a", "a b"]), sizes=(2,)) == (expected,)
    assert report(chunked, pa.array(["c b a", "a b"]), sizes=(2,)) == (expected,)


def test_masks_hide_whole_fillers_and_leave_endings() -> None:
    texts = pa.array(["Ann Lee is older than Ann", "eine ältere Frau", "the shareholder"])
    found = masked(texts, ["Ann", "Ann Lee", "older", "älter", "holder"])
    assert found.to_pylist() == ["_ is _ than _", "eine _e Frau", "the shareholder"]
    assert masked(texts, []).equals(texts)


def test_masked_sets_share_patterns_and_fresh_ones_no_long_stretch(partisan_tables) -> None:
    reference = pa.concat_tables(
        [t for (config, split), t in partisan_tables.items() if split == "test" and "_paper" not in config]
    )["argument"]
    spec = next(t for t in dataset(rows=576, fresh=True).tables if t.config == "us_en_formal_fresh")
    items = Rows(spec).batch(0, 576)["argument"]
    found = {(each.masked, each.size): each for each in report(items, reference, fillers())}
    assert set(found) == {(False, 8), (False, 13), (True, 8), (True, 13)}
    assert found[True, 8].touched == found[True, 8].items == 576
    assert found[False, 13].touched == 0
    assert (
        report(reference, reference, sizes=(8,))[0].shared
        == report(reference, reference, sizes=(8,))[0].ngrams
    )


def test_the_table_is_plain() -> None:
    text = table([Overlap(8, False, 1000, 250, 4000, 100), Overlap(13, True, 0, 0, 0, 0)])
    lines = text.splitlines()
    assert lines[0].split() == ["n", "fillers", "items", "touched", "n-grams", "shared"]
    assert lines[1].split() == ["8", "as", "is", "1,000", "25.0%", "4,000", "2.5%"]
    assert lines[2].split() == ["13", "masked", "0", "-", "0", "-"]
