"""Article, adjectives and verb beside a noun of the lexicon."""

from __future__ import annotations

import pytest

from polbias.generators.auditing.polbix.edits import agrees
from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon
from polbias.generators.xphemism.vocabulary.paradigms import forms

WORDS = load_lexicon().words


@pytest.mark.parametrize(
    ("text", "noun", "word", "expected"),
    [
        ("Das gilt für die Friedensmission.", "Friedensmission", "Friedensmission", True),
        ("Das gilt für den Friedensmission.", "Friedensmission", "Friedensmission", False),
        ("Er sitzt in einem Gefängnis.", "Gefängnis", "Gefängnis", True),
        ("Er sitzt in einer Gefängnis.", "Gefängnis", "Gefängnis", False),
        ("Er sitzt im alten Gefängnis.", "Gefängnis", "Gefängnis", True),
        ("Er sitzt im altes Gefängnis.", "Gefängnis", "Gefängnis", False),
        ("Er hilft mit Kohlekraftwerken.", "Kohlekraftwerken", "Kohlekraftwerke", True),
        ("Er hilft mit den Kohlekraftwerke.", "Kohlekraftwerke", "Kohlekraftwerke", False),
        ("Die Kohlekraftwerke sind laut.", "Kohlekraftwerke", "Kohlekraftwerke", True),
        ("Die Kohlekraftwerke ist laut.", "Kohlekraftwerke", "Kohlekraftwerke", False),
        ("Nun ist es so: Die Kohlekraftwerke ruhen.", "Kohlekraftwerke", "Kohlekraftwerke", True),
        ("Ein Land, das Kohlekraftwerke baut.", "Kohlekraftwerke", "Kohlekraftwerke", True),
        ("Der Bau der Kohlekraftwerke ist teuer.", "Kohlekraftwerke", "Kohlekraftwerke", True),
        ("Er will Kohlekraftwerke.", "Kohlekraftwerke", "Kohlekraftwerke", True),
    ],
)
def test_agreement(text: str, noun: str, word: str, *, expected: bool) -> None:
    start = text.index(noun)
    assert agrees(text, start, start + len(noun), forms(WORDS[word])[noun]) == expected
