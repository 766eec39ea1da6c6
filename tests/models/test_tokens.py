"""How tokens are counted, and what prompts share at their beginnings."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from polbias.models.prices import parse_prices
from polbias.models.tokens import BLOCK, CHARACTERS, estimate_tokens, price_of, shared_tokens

SIZE = BLOCK * CHARACTERS


@given(st.lists(st.lists(st.sampled_from("ab"), max_size=4 * BLOCK), max_size=8))
def test_what_is_shared_are_whole_blocks_that_an_earlier_prompt_began_with(tokens: list[list[str]]) -> None:
    texts = ["".join(letter * CHARACTERS for letter in text) for text in tokens]
    seen: set[str] = set()
    found = 0
    for text in texts:
        starts = [text[: end + SIZE] for end in range(0, len(text) - SIZE + 1, SIZE)]
        found += BLOCK * sum(start in seen for start in starts)
        seen.update(starts)
    assert shared_tokens(texts) == found
    assert shared_tokens(texts, 3) == shared_tokens(texts * 3)


def test_by_the_rule_of_thumb_a_token_has_four_characters() -> None:
    texts = ["a" * SIZE + "b", "a" * SIZE + "c", "d"]
    assert estimate_tokens(texts) == (2 * SIZE + 3) / 4
    assert shared_tokens(texts) == BLOCK


def test_a_price_is_the_user_s_or_that_of_the_provider_s_own_server() -> None:
    given = parse_prices(["a=1/2", "3/4", "deepl=5"])
    assert [price_of(name, given, has_list_price=False).input for name in ("a", "b")] == [1, 3]
    assert price_of("", given, "deepl", has_list_price=False).input == 5
    assert price_of("gpt-5", {}, has_list_price=False) is None
    assert price_of("gpt-5", {}, has_list_price=True) is not None
