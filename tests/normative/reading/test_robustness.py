"""Any text is read or refused; published items are read nearly all, in the form of their label."""

import csv
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polbias.generators.logic.formula import Atom, Inference, rebuild
from polbias.generators.logic.prover import ReadingError
from polbias.generators.normative.reading import read_item

PUBLISHED = Path(__file__).resolve().parents[4] / "shared" / "upstream" / "normative"

WORDS = [
    "you",
    "it",
    "there",
    "is",
    "not",
    "the",
    "a",
    "all",
    "every",
    "no",
    "must",
    "may",
    "can",
    "might",
    "have",
    "to",
    "be",
    "that",
    "if",
    "then",
    "or",
    "and",
    "who",
    "with",
    "of",
    '"A',
    'b"',
    "certain",
    "obligatory",
    "known",
    "obligation",
    "chance",
    "dog",
    "dogs",
    "sleeps",
    "slept",
    ",",
    ".",
    "She",
    "their",
    "it",
    "one",
    "necessarily",
    "wug",
    "Tom's",
    "doesn't",
    "either",
]


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join),
    st.lists(st.sampled_from(WORDS), max_size=10).map(" ".join),
    st.sampled_from(["deontic", "epistemic", None]),
)
def test_any_words_are_read_or_refused(premise, hypothesis, domain):
    try:
        read = read_item(premise, hypothesis, domain)
    except ReadingError:
        return
    assert read.readings
    assert all(str(reading.inference) for reading in read.readings)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60), st.text(max_size=40))
def test_any_characters_are_read_or_refused(premise, hypothesis):
    with suppress(ReadingError):
        read_item(premise, hypothesis, None)


def shape(inference):
    """Return an inference with letters for its atoms."""
    names = {}

    def change(formula):
        if isinstance(formula, Atom):
            terms = "(" + ",".join(formula.terms) + ")" if "x" in formula.terms else ""
            return Atom(names.setdefault(formula.predicate, "ABCDEFGH"[len(names)]), ("x",) if terms else ())
        return rebuild(formula, change)

    return str(Inference(tuple(map(change, inference.premises)), change(inference.conclusion)))


FORMS = {
    "NotMu-MiNot": "¬O A ⊢ P¬A",
    "NotMi-MuNot": "¬P A ⊢ O¬A",
    "MiNot-NotMu": "P¬A ⊢ ¬O A",
    "Mu-Mi": "O A ⊢ P A",
    "NotMi-NotMu": "¬P A ⊢ ¬O A",
    "NotMu-NotMi": "¬O A ⊢ ¬P A",
    "MiNot-MuNot": "P¬A ⊢ O¬A",
    "Mi-Mu": "P A ⊢ O A",
    "FC-Or-Elim": "P(A ∨ B) ⊢ P A",
    "FC-Or-Intro": "P A ⊢ P(A ∨ B)",
    "Ross-Or-Intro": "O A ⊢ O(A ∨ B)",
    "Hyp-MP": "(A → □ B); A ⊢ □ B",
    "Hyp-AC": "(A → □ B); □ B ⊢ A",
    "Cat-MP": "∀x (A(x) → □ B(x)); A ⊢ □ B",
    "Cat-MT": "∀x (A(x) → □ B(x)); ¬□ B ⊢ ¬A",
    "Cat-DA": "∀x (A(x) → □ B(x)); ¬A ⊢ ¬□ B",
}
# How many items of a label have its form at least; the others say something else.
LEAST = {"Hyp-MP": 40, "Hyp-AC": 53, "Cat-MP": 58, "Cat-MT": 45, "Cat-DA": 58}


@pytest.mark.parametrize(
    "name", ["deontic_single", "epistemic_multiple", "deontic_multiple", "epistemic_single"]
)
def test_published_items(name):
    path = PUBLISHED / f"{name}.tsv"
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    refused, formed, labels = 0, Counter(), Counter()
    for row in rows:
        label = row["inference-pattern"]
        labels[label] += 1
        try:
            read = read_item(row["premise_en"], row["hypothesis_en"], row["modal"])
        except ReadingError:
            refused += 1
            continue
        formed[label] += shape(read.readings[0].inference) == FORMS.get(label)
    assert refused < 0.03 * len(rows)
    if name in ("deontic_single", "epistemic_multiple"):
        for label in labels.keys() & FORMS.keys():
            assert formed[label] >= LEAST.get(label, labels[label])
