"""The quality gate: what is wrong, or may be, with the variants of a policy statement, whatever their origin.

Our own templates, the answers of services and imported statements all go through :func:`defects`. What each
code means and whether it is sure is in ``templates/policy/quality.yaml``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from polbias.generators.policy.quality_words import (
    evaluates,
    force,
    judges_force,
    markers,
    misprints,
    odd_numbers,
    overlap,
    prohibits,
    quality,
    reads_as,
    spaced,
    unbalanced,
    words,
)

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
class Finding:
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
    """Return the meaning of every code.

    Args:
        kind: only those that are "sure", or only the "doubtful" ones.
    """
    return {name: code.meaning for name, code in quality().codes.items() if kind in (None, code.kind)}


def defects(texts: Mapping[str, str], language: str, country: str | None = None) -> list[Finding]:
    """Find the defects of the variants of one statement in one language.

    Args:
        texts: text by variant: "original", "paraphrase1" to "paraphrase3", "negation", "opposite". Any may be
            missing; what only shows beside a missing one is not judged.
        language: such as "en". What needs word lists is judged only in languages that have them.
        country: ISO 3166 code, for spelling that differs by country.

    Returns:
        The findings in the order of the variants given, then of the codes; each code once per variant. A
        relation between two texts is reported at the one that should differ.
    """
    found = [finding for name, text in texts.items() for finding in _alone(name, text, language, country)]
    found += _equal(texts)
    if "original" in texts:
        for name, text in texts.items():
            if name != "original":
                found += _beside(name, text, texts["original"], language)
    found += _near(texts, {(finding.variant, finding.code) for finding in found})
    names, known = list(texts), list(quality().codes)
    once = {(finding.variant, finding.code): finding for finding in reversed(found)}
    return sorted(once.values(), key=lambda each: (names.index(each.variant), known.index(each.code)))


def _alone(name: str, text: str, language: str, country: str | None) -> Iterator[Finding]:
    """Yield what is wrong with one text by itself."""
    limits = quality().limits
    if unbalanced(text):
        yield Finding(name, "unbalanced-quotes")
    if not spaced(text):
        yield Finding(name, "stray-whitespace")
    if not text.rstrip().endswith(limits.ends):
        yield Finding(name, "missing-final-punctuation", f"ends {text[-12:]!r}")
    other = reads_as(text, language)
    if other != language:
        yield Finding(name, "wrong-language", f"reads as {other}")
    if len(text.split()) > limits.words:
        yield Finding(name, "too-long", f"{len(text.split())} words")
    misprinted = misprints(text, language, country)
    if misprinted:
        yield Finding(name, "typography", "; ".join(misprinted))


def _equal(texts: Mapping[str, str]) -> Iterator[Finding]:
    """Yield the variants that say the same word for word."""
    said = {name: words(text) for name, text in texts.items()}
    for one, other, code in _EQUAL:
        if one in said and other in said and said[one] == said[other]:
            yield Finding(one, code, other)


def _near(texts: Mapping[str, str], known: set[tuple[str, str]]) -> Iterator[Finding]:
    """Yield paraphrases with nearly all words of the original or of one before, unless they are equal."""
    before = [name for name in ("original",) if name in texts]
    for name in _PARAPHRASES:
        if name not in texts:
            continue
        alike = [(overlap(texts[name], texts[other]), other) for other in before]
        share, other = max(alike, default=(0.0, ""))
        equal = {(name, "paraphrase-equals-original"), (name, "equal-paraphrases")} & known
        if share >= quality().limits.near_identical and not equal:
            yield Finding(name, "near-identical-paraphrase", f"{share:.0%} of {other}")
        before.append(name)


def _beside(name: str, text: str, original: str, language: str) -> Iterator[Finding]:
    """Yield what is wrong with a variant beside its original."""
    yield from _negated(name, text, original, language)
    if judges_force(language):
        yield from _forced(name, text, original, language)
    odd = odd_numbers(text, original, language)
    if odd and name == "opposite":
        yield Finding(name, "opposite-numbers-differ")
    elif odd:
        yield Finding(name, "numbers-differ" if odd == "digits" else "number-words-differ")


def _negated(name: str, text: str, original: str, language: str) -> Iterator[Finding]:
    here, there = markers(text, language), markers(original, language)
    if here is None or there is None:
        return
    if name == "negation":
        if here == there:
            yield Finding(name, "negation-without-marker")
        if prohibits(text, language) and not prohibits(original, language):
            yield Finding(name, "negation-too-strong")
    elif here.total() != there.total():
        kind = "opposite" if name == "opposite" else "paraphrase"
        more = here.total() > there.total()
        only = ", ".join(each.split()[0] for each in (here - there if more else there - here))
        yield Finding(name, f"{kind}-{'with' if more else 'drops'}-marker", only)


def _forced(name: str, text: str, original: str, language: str) -> Iterator[Finding]:
    here, there = force(text, language), force(original, language)
    if here == there or (here is None and evaluates(text, language)):
        return
    if here is None:
        yield Finding(name, "force-lost", f"original: {there}")
    elif there in (None, "may") and here != "may":
        yield Finding(name, "force-added", here)
    elif there is not None:
        yield Finding(name, "force-changed", f"original: {there}, here: {here}")
