"""Small trained pipelines of spaCy, made by rule: nothing has to be downloaded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest


def tagger(language: str, tags: Mapping[str, str]) -> Any:
    """Return a pipeline that knows some words.

    Args:
        language: of its tokeniser.
        tags: word to part of speech, and behind a blank its morphology: ``{"plans": "VERB VerbForm=Fin"}``.
    """
    spacy = pytest.importorskip("spacy")
    nlp = spacy.blank(language)
    ruler = nlp.add_pipe("attribute_ruler")
    for word, tag in tags.items():
        pos, _, morph = tag.partition(" ")
        ruler.add([[{"LOWER": word}]], {"POS": pos, "MORPH": morph, "LEMMA": word.removesuffix("s")})
    return nlp
