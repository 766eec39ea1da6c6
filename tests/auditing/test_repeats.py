"""Repeated items are found from hashes alone, as by comparing every item with all before it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from polbias.generators.auditing.audit import DuplicateFinder, earlier
from polbias.generators.auditing.items import text_key

ITEMS = st.lists(
    st.tuples(st.integers(0, 6), st.booleans(), st.none() | st.sampled_from("abcd")), max_size=30
)


@given(ITEMS)
def test_the_same_is_found_as_by_comparing_all(items: list[tuple[int, bool, str | None]]) -> None:
    survey = DuplicateFinder()
    keys = [text_key((str(text),)) for text, _, _ in items]
    for key, (_, gold, identifier) in zip(keys, items, strict=True):
        survey.add(key, gold, identifier)
    repeats = survey.finish()
    texts: dict[int, int] = {}
    ids: dict[int, int] = {}
    for line, (key, (text, _, identifier)) in enumerate(zip(keys, items, strict=True), 1):
        before = [number for number, other in enumerate(items[: line - 1], 1) if other[0] == text]
        assert earlier(texts, repeats.texts, key, line) == (before[0] if before else None)
        assert (key in repeats.conflicting) == (len({gold for other, gold, _ in items if other == text}) == 2)
        if identifier is not None:
            same = [number for number, other in enumerate(items[: line - 1], 1) if other[2] == identifier]
            found = earlier(ids, repeats.ids, text_key((identifier,)), line)
            assert found == (same[0] if same else None)


def test_spaces_do_not_make_another_text_but_letters_and_borders_do() -> None:
    assert text_key(("a  b ", "c")) == text_key(("a b", "c"))
    different = [("a b", "c"), ("A b", "c"), ("a", "b c"), ("a b c",), ("a b", "d")]
    assert len({text_key(texts) for texts in different}) == len(different)
    assert all(0 <= text_key(texts) < 1 << 63 for texts in different)


def test_sixteen_bytes_an_item() -> None:
    survey = DuplicateFinder()
    for number in range(20_000):
        survey.add(number, True, str(number))
    held = survey._texts.buffer_info()[1] * survey._texts.itemsize
    held += survey._ids.buffer_info()[1] * survey._ids.itemsize
    assert held == 16 * 20_000
