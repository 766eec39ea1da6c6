"""What is left of an output without its thinking."""

from __future__ import annotations

import pytest

from polbias.eval.extraction.preparation import visible


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("  An article.\n", "An article."),
        ("<think>Left or right?</think>\nAn article.", "An article."),
        ("Left or right?</think>An article.", "An article."),
        ("An <reasoning>hm</reasoning>article.", "An article."),
        ("An article. <THINK>And", "An article."),
        ("<think>", ""),
        ("[THINK]hm[/THINK]An article.", "An article."),
        ("2 < 3 and 4 > 3.", "2 < 3 and 4 > 3."),
    ],
)
def test_thoughts_are_not_visible(text: str, left: str) -> None:
    assert visible(text) == left
