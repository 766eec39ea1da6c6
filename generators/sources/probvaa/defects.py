"""What is wrong with the published statements, row by row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from polbias.generators.sources.probvaa.annotations import Annotation
from polbias.generators.sources.probvaa.marks import (
    abstract,
    demands,
    has_force,
    negations,
    numbers,
    unbalanced,
    words,
)
from polbias.generators.sources.probvaa.statements import Statement

CODES: Mapping[str, str] = {
    "negation-equals-original": "the negation is the original, word for word",
    "opposite-equals-original": "the opposite is the original, word for word",
    "negation-equals-opposite": "negation and opposite are the same, word for word",
    "paraphrase-equals-original": "the paraphrase is the original, word for word",
    "equal-paraphrases": "two paraphrases are the same, word for word",
    "unbalanced-quotes": "quotes or brackets do not come in pairs",
    "stray-whitespace": "white space at an end, or more than one space between words",
    "missing-final-punctuation": "there is no full stop at the end",
    "negation-without-marker": "the negation has the markers of negation of the original, and no other",
    "opposite-with-marker": "the opposite has a marker of negation that the original has not",
    "paraphrase-drops-force": "the original demands something, the paraphrase only reports or announces it",
    "numbers-differ": "other numbers than in the original; in an opposite this may be meant",
    "contradictory-gold": "a policy issue has the sign that another statement of the same content excludes",
}
"""What each code means. Words are compared without regard to case and punctuation."""

_EQUAL = (
    ("negation", "original", "negation-equals-original"),
    ("opposite", "original", "opposite-equals-original"),
    ("opposite", "negation", "negation-equals-opposite"),
    *((f"paraphrase{number}", "original", "paraphrase-equals-original") for number in (1, 2, 3)),
    *(
        (f"paraphrase{two}", f"paraphrase{one}", "equal-paraphrases")
        for one, two in combinations((1, 2, 3), 2)
    ),
)
_ENDS = (".", "!", "?", '."', ".”", ".“", ".»", ".)", "!»", "?»", '?"', '!"')
_ALIKE = 0.75
"""Statements of two countries have the same content if they share this part of their words."""


def defects(
    statements: Sequence[Statement], annotations: Mapping[str, Annotation] | None = None
) -> list[tuple[str, str]]:
    """Find the defects of published statements.

    Negation is judged in all eight languages, force in English, German, Spanish, Italian and French, signs by
    the English sentences (see ``words.yaml``).

    Args:
        statements: rows of ``probvaa.csv``.
        annotations: the policy issues by statement id; without them signs are not compared.

    Returns:
        Pairs of the id of a row and one of :data:`CODES`, in the order of the rows; a relation between two
        rows is reported at the one that should differ.
    """
    joined: dict[tuple[str, int, str], dict[str, Statement]] = {}
    for each in statements:
        key = each.key.country, each.key.number, each.key.language
        joined.setdefault(key, {})[each.key.variant] = each
    found = [pair for each in statements for pair in _alone(each)]
    for variants in joined.values():
        found += _equal(variants)
        if "original" in variants:
            found += [pair for each in variants.values() for pair in _beside(each, variants["original"])]
    if annotations:
        found += _signs(joined, annotations)
    order = {each.id: index for index, each in enumerate(statements)}
    codes = {code: index for index, code in enumerate(CODES)}
    return sorted(dict.fromkeys(found), key=lambda pair: (order[pair[0]], codes[pair[1]]))


def _alone(each: Statement) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with one sentence by itself."""
    text = each.text
    if unbalanced(text):
        yield each.id, "unbalanced-quotes"
    if text != " ".join(text.split()):
        yield each.id, "stray-whitespace"
    if not text.rstrip().endswith(_ENDS):
        yield each.id, "missing-final-punctuation"


def _equal(variants: Mapping[str, Statement]) -> Iterator[tuple[str, str]]:
    """Yield the variants of a statement that say the same word for word."""
    said = {name: words(each.text) for name, each in variants.items()}
    for one, other, code in _EQUAL:
        if one in said and other in said and said[one] == said[other]:
            yield variants[one].id, code


def _beside(each: Statement, original: Statement) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a variant beside its original."""
    variant, language = each.key.variant, each.key.language
    if variant == "original":
        return
    here, there = negations(each.text, language), negations(original.text, language)
    if here is not None and there is not None:
        if variant == "negation" and here == there:
            yield each.id, "negation-without-marker"
        if variant == "opposite" and here.total() > there.total():
            yield each.id, "opposite-with-marker"
    demanded = variant.startswith("paraphrase") and demands(original.text, language)
    if demanded and not has_force(each.text, language):
        yield each.id, "paraphrase-drops-force"
    if numbers(each.text, language) != numbers(original.text, language):
        yield each.id, "numbers-differ"


def _signs(
    joined: Mapping[tuple[str, int, str], Mapping[str, Statement]], annotations: Mapping[str, Annotation]
) -> Iterator[tuple[str, str]]:
    """Yield the originals whose signs contradict those of another statement.

    Two statements contradict each other if they say the same, but for the country, with opposite signs, or if
    one says what the negation or the opposite of the other says, with equal signs.
    """
    english = [variants for (_, _, language), variants in joined.items() if language == "en"]
    known = [each for each in english if "original" in each]
    said = [{name: abstract(each.text, "en") for name, each in variants.items()} for variants in known]
    for (one, first), (two, second) in combinations(enumerate(said), 2):
        a, b = known[one]["original"], known[two]["original"]
        if a.key.statement_id not in annotations or b.key.statement_id not in annotations:
            continue
        relation = _relation(first, second)
        signs = annotations[a.key.statement_id].signs, annotations[b.key.statement_id].signs
        if relation and any(signs[0][name] * signs[1][name] * relation < 0 for name in signs[0]):
            yield a.id, "contradictory-gold"
            yield b.id, "contradictory-gold"


def _relation(first: Mapping[str, frozenset[str]], second: Mapping[str, frozenset[str]]) -> int:
    """Return 1 if two statements say the same, -1 if one says the contrary of the other, else 0."""
    best, sign = 0.0, 0
    for one, other, value in (
        ("original", "original", 1),
        ("negation", "original", -1),
        ("opposite", "original", -1),
        ("original", "negation", -1),
        ("original", "opposite", -1),
    ):
        a, b = first.get(one, frozenset()), second.get(other, frozenset())
        alike = len(a & b) / max(len(a | b), 1)
        if alike >= _ALIKE and alike > best:
            best, sign = alike, value
    return sign
