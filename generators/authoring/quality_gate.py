"""The quality gate of policy statements: defects of a statement, and of statements beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from polbias.generators.policy.items import GateItem
from polbias.generators.policy.text_checks import (
    Force,
    changed_words,
    detect_language,
    evaluates,
    force,
    has_clean_spacing,
    has_unbalanced_marks,
    markers,
    misprints,
    number_mismatch,
    overlap,
    prohibits,
    quality,
    without_country_names,
    words,
)

# The quality gate: what is wrong, or may be, with the variants of a policy statement, whatever their origin.
# Our own templates, the answers of services and imported statements all go through :func:`defects`. What each
# code means and whether it is sure is in ``templates/policy/quality.yaml``.

_PARAPHRASES = ("paraphrase1", "paraphrase2", "paraphrase3")
_CONTRARIES = ("negation", "opposite")
# The variant that should differ, the one that it should differ from, and the code if it does not.
_EQUAL = (
    ("negation", "original", "negation-equals-original"),
    ("opposite", "original", "opposite-equals-original"),
    ("opposite", "negation", "negation-equals-opposite"),
    *((name, "original", "paraphrase-equals-original") for name in _PARAPHRASES),
    *((name, other, "paraphrase-equals-contrary") for name in _PARAPHRASES for other in _CONTRARIES),
    *((two, one, "equal-paraphrases") for one, two in combinations(_PARAPHRASES, 2)),
)


@dataclass(frozen=True, slots=True, order=True)
class TextFinding:
    """One thing that is wrong, or may be, with one text.

    Attributes:
        variant: such as "negation".
        code: one of :func:`codes`.
        detail: what was found, in words; may be empty.
    """

    variant: str
    code: str
    detail: str = ""

    @property
    def sure(self) -> bool:
        """Whether the text is wrong whatever it was meant to say."""
        return quality().codes[self.code].kind == "sure"


def codes(kind: str | None = None) -> Mapping[str, str]:
    """Return the meaning of every code."""
    return {name: code.meaning for name, code in quality().codes.items() if kind in (None, code.kind)}


def defects(texts: Mapping[str, str], language: str, country: str | None = None) -> list[TextFinding]:
    """Find the defects of the variants of one statement in one language."""
    found = [finding for name, text in texts.items() for finding in _alone(name, text, language, country)]
    found += _equal(texts)
    if "original" in texts:
        for name, text in texts.items():
            if name != "original":
                found += _beside(name, text, texts["original"], language)
    found += _near(texts, {(finding.variant, finding.code) for finding in found})
    once = {(finding.variant, finding.code): finding for finding in reversed(found)}
    return [once[place] for place in product(texts, quality().codes) if place in once]


def _alone(name: str, text: str, language: str, country: str | None) -> Iterator[TextFinding]:
    """Yield what is wrong with one text by itself."""
    limits = quality().limits
    if has_unbalanced_marks(text):
        yield TextFinding(name, "unbalanced-quotes")
    if not has_clean_spacing(text):
        yield TextFinding(name, "stray-whitespace")
    if not text.rstrip().endswith(limits.ends):
        yield TextFinding(name, "missing-final-punctuation", f"ends {text[-12:]!r}")
    other = detect_language(text, language)
    if other != language:
        yield TextFinding(name, "wrong-language", f"reads as {other}")
    if len(text.split()) > limits.words:
        yield TextFinding(name, "too-long", f"{len(text.split())} words")
    misprinted = misprints(text, language, country)
    if misprinted:
        yield TextFinding(name, "typography", "; ".join(misprinted))


def _equal(texts: Mapping[str, str]) -> Iterator[TextFinding]:
    """Yield the variants that say the same word for word."""
    said = {name: words(text) for name, text in texts.items()}
    for one, other, code in _EQUAL:
        if one in said and other in said and said[one] == said[other]:
            yield TextFinding(one, code, other)


def _near(texts: Mapping[str, str], known: set[tuple[str, str]]) -> Iterator[TextFinding]:
    """Yield paraphrases with nearly all words of the original or of one before, unless they are equal."""
    before = ["original"] if "original" in texts else []
    for name in _PARAPHRASES:
        if name not in texts:
            continue
        alike = [(overlap(texts[name], texts[other]), other) for other in before]
        share, other = max(alike, default=(0.0, ""))
        equal = {(name, "paraphrase-equals-original"), (name, "equal-paraphrases")} & known
        if share >= quality().limits.near_identical and not equal:
            yield TextFinding(name, "near-identical-paraphrase", f"{share:.0%} of {other}")
        before.append(name)


def _beside(name: str, text: str, original: str, language: str) -> Iterator[TextFinding]:
    """Yield what is wrong with a variant beside its original."""
    yield from _negated(name, text, original, language)
    if language in quality().force:
        yield from _forced(name, text, original, language)
    odd = number_mismatch(text, original, language)
    if odd and name == "opposite":
        yield TextFinding(name, "opposite-numbers-differ")
    elif odd:
        yield TextFinding(name, "numbers-differ" if odd == "digits" else "number-words-differ")


def _negated(name: str, text: str, original: str, language: str) -> Iterator[TextFinding]:
    here, there = markers(text, language), markers(original, language)
    if here is None or there is None:
        return
    if name == "negation":
        if here == there:
            yield TextFinding(name, "negation-without-marker")
        if prohibits(text, language) and not prohibits(original, language):
            yield TextFinding(name, "negation-too-strong")
    elif here.total() != there.total():
        kind = "opposite" if name == "opposite" else "paraphrase"
        more = here.total() > there.total()
        only = ", ".join(each.split()[0] for each in (here - there if more else there - here))
        yield TextFinding(name, f"{kind}-{'with' if more else 'drops'}-marker", only)


def _forced(name: str, text: str, original: str, language: str) -> Iterator[TextFinding]:
    here, there = force(text, language), force(original, language)
    if here == there or (here is None and evaluates(text, language)):
        return
    if here is None:
        yield TextFinding(name, "force-lost", f"original: {there}")
    elif there in (None, "may") and here != "may":
        yield TextFinding(name, "force-added", here)
    elif there is not None:
        yield TextFinding(name, "force-changed", f"original: {there}, here: {here}")


# What only shows beside other statements: the same text twice, signs and types that do not fit together.

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
class StatementFinding:
    """A finding with its place.

    Attributes:
        statement: its id.
        language: of the text.
        finding: variant and code.
    """

    statement: str
    language: str
    finding: TextFinding


def check(statements: Sequence[GateItem]) -> list[StatementFinding]:
    """Put whole statements through the gate, each by itself and beside all others."""
    found = [
        StatementFinding(item.id, language, finding)
        for item in statements
        for language, texts in item.wordings.items()
        for finding in defects(texts, language, item.country)
    ]
    found += [*_unnamed(statements), *_twice(statements), *_alike(statements), *_types(statements)]
    once = {(each.statement, each.language, each.finding.variant, each.finding.code): each for each in found}
    places = (
        (item.id, language, variant, code)
        for item in statements
        for language, texts in item.wordings.items()
        for variant, code in product(texts, quality().codes)
    )
    return [once[place] for place in places if place in once]


def _unnamed(statements: Sequence[GateItem]) -> Iterator[StatementFinding]:
    """Yield the texts that do not name their country."""
    for item in statements:
        for language, parts in item.names.items():
            for variant, text in item.wordings[language].items():
                if not any(part in text.lower() for part in parts):
                    yield StatementFinding(
                        item.id, language, TextFinding(variant, "country-not-named", item.country or "")
                    )


def _twice(statements: Sequence[GateItem]) -> Iterator[StatementFinding]:
    """Yield the texts that stand in an earlier statement too."""
    first: dict[tuple[str, tuple[str, ...]], str] = {}
    for item in statements:
        for language, texts in item.wordings.items():
            for variant, text in texts.items():
                owner = first.setdefault((language, words(text)), item.id)
                if owner != item.id:
                    yield StatementFinding(
                        item.id, language, TextFinding(variant, "duplicate-statement", owner)
                    )


def _alike(statements: Sequence[GateItem]) -> Iterator[StatementFinding]:
    """Yield originals that say nearly the same as another one, with other issues or topics or not."""
    known = [item for item in statements if "original" in item.wordings.get(_LANGUAGE, {})]
    said = [
        {name: without_country_names(text, _LANGUAGE) for name, text in item.wordings[_LANGUAGE].items()}
        for item in known
    ]
    for one, other in combinations(range(len(known)), 2):
        relation = _relation(said[one], said[other])
        if not relation:
            continue
        pairs = ((known[one], known[other]), (known[other], known[one]))
        one_way, other_way = (
            {i: sign for i, sign in (item.issues or {}).items() if sign} for item in pairs[0]
        )
        both = {issue: one_way.get(issue, 0) * other_way.get(issue, 0) for issue in {**one_way, **other_way}}
        odd = {
            "contradictory-signs": [issue for issue, product in both.items() if product * relation < 0],
            "issues-differ": [issue for issue, product in both.items() if not product],
        }
        for item, twin in pairs:
            yield StatementFinding(item.id, _LANGUAGE, TextFinding("original", "similar-statement", twin.id))
            for code, issues in odd.items():
                if issues:
                    detail = f"{twin.id}: {', '.join(issues)}"
                    yield StatementFinding(item.id, _LANGUAGE, TextFinding("original", code, detail))
            if item.topic != twin.topic:
                yield StatementFinding(item.id, _LANGUAGE, TextFinding("original", "topics-differ", twin.id))


def _relation(first: Mapping[str, frozenset[str]], second: Mapping[str, frozenset[str]]) -> int:
    """Return 1 if two statements say the same, -1 if one says the contrary of the other, else 0."""
    best, sign = 0.0, 0
    for one, other, value in _RELATIONS:
        a, b = first.get(one, frozenset()), second.get(other, frozenset())
        alike = len(a & b) / max(len(a | b), 1)
        if alike >= quality().limits.alike and alike > best:
            best, sign = alike, value
    return sign


def _types(statements: Sequence[GateItem]) -> Iterator[StatementFinding]:
    """Yield opposites that exchange the same words at the same force as another one, of the other type."""
    exchanged: dict[tuple[Force | None, tuple[tuple[str, ...], ...]], list[GateItem]] = {}
    for item in statements:
        texts = item.wordings.get(_LANGUAGE, {})
        if item.opposite_type and "original" in texts and "opposite" in texts:
            words = tuple(sorted(changed_words(texts["original"], texts["opposite"])))
            # Of two duties one can reject both, of "should" and what is the case not.
            exchanged.setdefault((force(texts["original"], _LANGUAGE), words), []).append(item)
    for group in exchanged.values():
        for item in group:
            other = next((each for each in group if each.opposite_type != item.opposite_type), None)
            if other:
                detail = f"{other.id} is {other.opposite_type}"
                yield StatementFinding(
                    item.id, _LANGUAGE, TextFinding("opposite", "opposite-type-differs", detail)
                )
