"""What counts as part of the exchange, and what as a change beside it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.generators.auditing.polbix.edits import Edit, edits
from polbias.generators.auditing.polbix.occurrences import same_spelled_otherwise, same_word, verb_number


def compared(base: str, exchange: str, word: str, other: str, *, agreement: bool = True) -> set[Edit]:
    spans = [
        (text.index(each), text.index(each) + len(each)) for text, each in ((base, word), (exchange, other))
    ]
    return set(edits(base, exchange, spans[:1], spans[1:], agreement))


def kinds(base: str, exchange: str, word: str, other: str, *, agreement: bool = True) -> set[str]:
    return {each.kind for each in compared(base, exchange, word, other, agreement=agreement)}


@pytest.mark.parametrize(
    ("base", "exchange", "word", "other", "expected"),
    [
        ("Er lobt den Abriss.", "Er lobt den Rückbau.", "Abriss", "Rückbau", set()),
        ("Er lobt die alte Mauer.", "Er lobt den alten Zaun.", "Mauer", "Zaun", {"phrase"}),
        ("Er geht in der Krise unter.", "Er geht im Sturm unter.", "Krise", "Sturm", {"phrase"}),
        ("Das Ende von Armut.", "Das Ende der Not.", "Armut", "Not", {"phrase"}),
        ("Medien loben das Amt.", "Die Presse lobt das Amt.", "Medien", "Presse", {"phrase", "agreement"}),
        ("Eine Mauer, die fällt, stört.", "Ein Zaun, der fällt, stört.", "Mauer", "Zaun", {"phrase", "agreement"}),
        ("Er will Ruhe, Abriss bringt Lärm.", "Er will Ruhe; Rückbau bringt Lärm.", "Abriss", "Rückbau", {"punctuation"}),
        ("Ein Foto zeige den Abriss.", "Ein Foto zeigt den Rückbau.", "Abriss", "Rückbau", {"mood"}),
        ("Der Abriss sei teuer.", "Der Rückbau ist teuer.", "Abriss", "Rückbau", {"mood"}),
        ("Die Nato lobt den Abriss.", "Die NATO lobt den Rückbau.", "Abriss", "Rückbau", {"spelling"}),
        ("Lärm u. Abriss.", "Lärm und Rückbau.", "Abriss", "Rückbau", {"spelling", "punctuation"}),
        ("Der Abriss kostet 2 Taler.", "Der Rückbau kostet zwei Taler.", "Abriss", "Rückbau", {"spelling"}),
        ("Nun kam der Abriss rasch.", "Der Rückbau kam nun rasch.", "Abriss", "Rückbau", {"function", "phrase"}),
        ("Er lobt Abriss bei Nacht.", "Er lobt Rückbau in Nacht.", "Abriss", "Rückbau", {"function"}),
        ("Er lobt den Abriss laut.", "Er rügt den Rückbau laut.", "Abriss", "Rückbau", {"content"}),
        ("Seine Fähigkeit zum Abriss.", "Seine Unfähigkeit zum Rückbau.", "Abriss", "Rückbau", {"content"}),
        ("Der Abriss der grünen Halle.", "Der Rückbau der Halle.", "Abriss", "Rückbau", {"content"}),
    ],
)  # fmt: skip
def test_kinds(base: str, exchange: str, word: str, other: str, expected: set[str]) -> None:
    assert kinds(base, exchange, word, other) == expected


def test_without_another_number_a_verb_has_no_reason_to_change() -> None:
    sentences = ("Der Abriss droht, wenn Hallen leer stehen.", "Der Rückbau droht, wenn Hallen leer steht.")
    assert kinds(*sentences, "Abriss", "Rückbau", agreement=False) == {"function"}


def test_parts_of_a_compound_are_no_content_of_their_own() -> None:
    found = compared(
        "Die Dienstwagen Subvention kommt.", "Die Dienstwagenhilfe kommt.", "Subvention", "Dienstwagenhilfe"
    )
    assert {each.kind for each in found} == {"phrase"}


def test_a_word_that_replaced_the_word_is_part_of_the_exchange() -> None:
    found = edits("Er lobt den Abriss.", "Er lobt den Umbau.", [(12, 18)], [])
    assert found == ()


@given(
    st.lists(st.sampled_from(["Der", "alte", "Zaun", "steht", ",", "weil", "er", "hält", "."]), min_size=1)
)
def test_equal_claims_have_no_edits(tokens: list[str]) -> None:
    text = " ".join(tokens)
    assert edits(text, text, [], []) == ()


def test_forms_of_one_word() -> None:
    assert same_word("zeigt", "zeige")
    assert same_word("drohenden", "drohender")
    assert not same_word("loben", "rügen")
    assert same_spelled_otherwise("Paritaet", "Parität")
    assert not same_spelled_otherwise("fähig", "unfähig")
    assert [verb_number(word) for word in ("zeigt", "zeigen", "wäre", "wären", "Haus")] == [
        "sg",
        "pl",
        "sg",
        "pl",
        None,
    ]


@given(st.text(max_size=40), st.text(max_size=40), st.integers(0, 40), st.integers(0, 40))
def test_any_two_texts_can_be_compared(base: str, exchange: str, start: int, length: int) -> None:
    span = [(start, start + length)]
    for each in edits(base, exchange, span, span):
        assert each.removed or each.added
