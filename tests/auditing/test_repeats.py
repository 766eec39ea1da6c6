"""Repeated items are found as by comparing every item with all before it."""

from __future__ import annotations

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from polbias.generators.auditing.audit import find_repeats
from polbias.generators.auditing.items import text_key

ITEMS = st.lists(
    st.tuples(st.integers(0, 6), st.booleans(), st.none() | st.sampled_from("abcd")), max_size=30
)


@given(ITEMS)
def test_the_same_is_found_as_by_comparing_all(items: list[tuple[int, bool, str | None]]) -> None:
    rows = [(line, text_key((str(text),)), gold, name) for line, (text, gold, name) in enumerate(items, 2)]
    repeats = find_repeats(pd.DataFrame(rows, columns=["line", "text", "gold", "id"])).to_dict("index")
    for place, (text, _, identifier) in enumerate(items):
        before = [line for line, other in enumerate(items[:place], 2) if other[0] == text]
        same_id = identifier is not None and identifier in [other[2] for other in items[:place]]
        both = len({gold for other, gold, _ in items if other == text}) == 2
        expected = {"twin": before[0] if before else 0, "has_earlier_id": same_id, "has_both_labels": both}
        assert repeats.get(place, dict.fromkeys(expected, 0)) == expected


def test_spaces_do_not_make_another_text_but_letters_and_borders_do() -> None:
    assert text_key(("a  b ", "c")) == text_key(("a b", "c"))
    different = [("a b", "c"), ("A b", "c"), ("a", "b c"), ("a b c",), ("a b", "d")]
    assert len({text_key(texts) for texts in different}) == len(different)
    assert all(0 <= text_key(texts) < 1 << 63 for texts in different)
