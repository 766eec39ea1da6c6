"""Rows of ``pairs.tsv``: how they are written, and how a new one is called."""

from __future__ import annotations

import re
from collections.abc import Iterable

from polbias.generators.xphemism.vocabulary.lexicon import Pair
from polbias.generators.xphemism.words import EMPTY

_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "é": "e", "è": "e"})
_OTHER = re.compile(r"[^a-z0-9]+")


def pair_id(first: str, second: str) -> str:
    """Return what a pair is called: ``pair_id("Abriss", "Rückbau") == "abriss_rueckbau"``."""
    return "_".join(_OTHER.sub("-", word.lower().translate(_LETTERS)).strip("-") for word in (first, second))


def pairs_tsv(pairs: Iterable[Pair]) -> str:
    """Return pairs in the form of ``pairs.tsv``, with its head."""
    lines = ["\t".join(Pair.model_fields)]
    lines += ["\t".join(_cell(getattr(pair, name)) for name in Pair.model_fields) for pair in pairs]
    return "\n".join(lines) + "\n"


def _cell(value: str | bool | None) -> str:
    if value is None:
        return EMPTY
    return str(int(value)) if isinstance(value, bool) else value
