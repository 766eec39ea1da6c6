"""How tokens are counted, and what prompts share at their beginnings."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.files import InputError
from polbias.models.requests import parse_prices
from polbias.models.tokens import BLOCK, CHARACTERS, Tokens, by_tokenizer, load_tokens, price_of

SIZE = BLOCK * CHARACTERS


class Letters:
    """A tokenizer with a token for every letter."""

    def encode(self, text: str, add_special_tokens: bool) -> list[str]:
        assert not add_special_tokens
        return list(text)


@given(st.lists(st.text("ab", max_size=4 * BLOCK), max_size=8))
def test_what_is_shared_are_whole_blocks_that_an_earlier_prompt_began_with(texts: list[str]) -> None:
    seen: set[str] = set()
    found = 0
    for text in texts:
        starts = [text[: end + BLOCK] for end in range(0, len(text) - BLOCK + 1, BLOCK)]
        found += BLOCK * sum(start in seen for start in starts)
        seen.update(starts)
    tokens = by_tokenizer(Letters(), "letters")
    assert tokens.shared(texts) == found
    assert tokens.shared(texts, 3) == tokens.shared(texts * 3)


def test_by_the_rule_of_thumb_a_token_has_four_characters() -> None:
    texts = ["a" * SIZE + "b", "a" * SIZE + "c", "d"]
    assert Tokens().count(texts) == (2 * SIZE + 3) / 4
    assert Tokens().shared(texts) == BLOCK


def test_a_tokenizer_of_a_folder_counts(tiny_model: Path) -> None:
    tokens = load_tokens(str(tiny_model))
    assert tokens.count(["grün", "a b"]) == len("grün".encode()) + 3


def test_a_tokenizer_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--tokenizer"):
        load_tokens(str(tmp_path / "none"))


def test_a_price_is_the_user_s_or_that_of_the_provider_s_own_server() -> None:
    given = parse_prices(["a=1/2", "3/4", "deepl=5"])
    assert [price_of(name, given, listed=False).input for name in ("a", "b")] == [1, 3]
    assert price_of("", given, "deepl", listed=False).input == 5
    assert price_of("gpt-5", {}, listed=False) is None
    assert price_of("gpt-5", {}, listed=True) is not None
