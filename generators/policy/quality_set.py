"""What only shows beside other statements: the same text twice, signs and types that do not fit together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from polbias.generators.policy.quality import Finding, defects
from polbias.generators.policy.quality_words import abstract, changed, quality, words
from polbias.generators.policy.statements import VARIANTS, StatementsFile

_LANGUAGE = "en"  # every statement has it, so statements of all countries are compared in it
# How two statements relate if these variants of them say the same.
_RELATIONS = (
    ("original", "original", 1),
    ("negation", "original", -1),
    ("opposite", "original", -1),
    ("original", "negation", -1),
    ("original", "opposite", -1),
)


@dataclass(frozen=True, slots=True)
class Item:
    """A statement as the gate sees it.

    Attributes:
        id: unique.
        wordings: language to variant to text.
        country: ISO 3166 code, or None.
        issues: policy issue to 1 or -1; 0 or none for one that it does not touch.
        opposite_type: "contradictory" or "contrary", or None if nobody has said.
    """

    id: str
    wordings: Mapping[str, Mapping[str, str]]
    country: str | None = None
    issues: Mapping[str, int] | None = None
    opposite_type: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A finding with its place.

    Attributes:
        statement: its id.
        language: of the text.
        finding: variant and code.
    """

    statement: str
    language: str
    finding: Finding


def items(files: Iterable[StatementsFile]) -> list[Item]:
    """Return the statements of our own files for the gate."""
    return [
        Item(
            statement.id,
            {
                language: {variant: wording.text(variant) for variant in VARIANTS}
                for language, wording in statement.wordings.items()
            },
            file.country,
            {str(issue): int(sign) for issue, sign in statement.issues.items()},
            statement.opposite.type,
        )
        for file in files
        for statement in file.statements
    ]


def check(statements: Sequence[Item]) -> list[Found]:
    """Put whole statements through the gate, each by itself and beside all others.

    Args:
        statements: any number, in any languages.

    Returns:
        The findings in the order of the statements, languages, variants and codes; each code once per text.
    """
    found = [
        Found(item.id, language, finding)
        for item in statements
        for language, texts in item.wordings.items()
        for finding in defects(texts, language, item.country)
    ]
    found += [*_twice(statements), *_alike(statements), *_types(statements)]
    once = {(each.statement, each.language, each.finding.variant, each.finding.code): each for each in found}
    places = [
        (item.id, language, variant)
        for item in statements
        for language, texts in item.wordings.items()
        for variant in texts
    ]
    order = {place: index for index, place in enumerate(places)}
    known = {code: index for index, code in enumerate(quality().codes)}

    def key(each: Found) -> tuple[int, int]:
        place = each.statement, each.language, each.finding.variant
        return order[place], known[each.finding.code]

    return sorted(once.values(), key=key)


def _twice(statements: Sequence[Item]) -> Iterator[Found]:
    """Yield the texts that stand in an earlier statement too."""
    first: dict[tuple[str, tuple[str, ...]], str] = {}
    for item in statements:
        for language, texts in item.wordings.items():
            for variant, text in texts.items():
                owner = first.setdefault((language, words(text)), item.id)
                if owner != item.id:
                    yield Found(item.id, language, Finding(variant, "duplicate-statement", owner))


def _alike(statements: Sequence[Item]) -> Iterator[Found]:
    """Yield originals that say nearly the same as another one, and those whose signs then contradict."""
    known = [item for item in statements if "original" in item.wordings.get(_LANGUAGE, {})]
    said = [
        {name: abstract(text, _LANGUAGE) for name, text in item.wordings[_LANGUAGE].items()} for item in known
    ]
    for one, other in combinations(range(len(known)), 2):
        relation = _relation(said[one], said[other])
        if not relation:
            continue
        pairs = ((known[one], known[other]), (known[other], known[one]))
        signs = pairs[0][0].issues or {}, pairs[0][1].issues or {}
        against = [issue for issue in signs[0] if signs[0][issue] * signs[1].get(issue, 0) * relation < 0]
        for item, twin in pairs:
            yield Found(item.id, _LANGUAGE, Finding("original", "similar-statement", twin.id))
            if against:
                detail = f"{twin.id}: {', '.join(against)}"
                yield Found(item.id, _LANGUAGE, Finding("original", "contradictory-signs", detail))


def _relation(first: Mapping[str, frozenset[str]], second: Mapping[str, frozenset[str]]) -> int:
    """Return 1 if two statements say the same, -1 if one says the contrary of the other, else 0."""
    best, sign = 0.0, 0
    for one, other, value in _RELATIONS:
        a, b = first.get(one, frozenset()), second.get(other, frozenset())
        alike = len(a & b) / max(len(a | b), 1)
        if alike >= quality().limits.alike and alike > best:
            best, sign = alike, value
    return sign


def _types(statements: Sequence[Item]) -> Iterator[Found]:
    """Yield opposites that exchange the same words as another one, of the other type."""
    exchanged: dict[tuple[str, tuple[str, ...], tuple[str, ...]], list[Item]] = {}
    for item, language in product(statements, (_LANGUAGE,)):
        texts = item.wordings.get(language, {})
        if item.opposite_type and "original" in texts and "opposite" in texts:
            gone, come = sorted(changed(texts["original"], texts["opposite"]))
            exchanged.setdefault((language, gone, come), []).append(item)
    for (language, _, _), group in exchanged.items():
        for item in group:
            other = next((each for each in group if each.opposite_type != item.opposite_type), None)
            if other:
                detail = f"{other.id} is {other.opposite_type}"
                yield Found(item.id, language, Finding("opposite", "opposite-type-differs", detail))
