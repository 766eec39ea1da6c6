"""Pipelines that return a parse made by hand: words, heads, parts of speech, morphology, lemmas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from polbias.generators.authoring.negation import Pipeline


def parsed(language: str, *tokens: str) -> Pipeline:
    """Return a pipeline with one parse, token by token: ``"Geld NOUN ausgeben Gender=Neut"``.

    Args:
        language: of the pipeline.
        tokens: word, part of speech, word that is its head (its own for the root), and perhaps morphology
            and, after a blank and "=", the lemma. The head is the nearest token with that text.
    """
    spacy = pytest.importorskip("spacy")
    fields = [token.split() for token in tokens]
    words = [field[0] for field in fields]
    spaces = [index + 1 < len(words) and words[index + 1] != "." for index in range(len(words))]
    heads = [_nearest(words, index, field[2]) for index, field in enumerate(fields)]
    doc = spacy.tokens.Doc(
        spacy.blank(language).vocab,
        words=words,
        spaces=spaces,
        pos=[field[1] for field in fields],
        heads=heads,
        deps=["ROOT" if head == index else "dep" for index, head in enumerate(heads)],
        morphs=[next((part for part in field[3:] if not part.startswith("=")), "") for field in fields],
        lemmas=[next((part[1:] for part in field[3:] if part.startswith("=")), field[0]) for field in fields],
    )
    return Pipeline(_Parser(language, doc), "hand-made")


def _nearest(words: Sequence[str], index: int, head: str) -> int:
    positions = [position for position, word in enumerate(words) if word == head]
    return min(positions, key=lambda position: abs(position - index))


class _Parser:
    def __init__(self, lang: str, doc: Any) -> None:
        self.lang, self._doc = lang, doc

    def __call__(self, text: str) -> Any:
        assert self._doc.text == text
        return self._doc
