"""The design of the instrument, and which part of it each table of the paper shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from polbias.eval.report.words import Words, words

DOMAINS = ("deontic", "epistemic")
REASONING = ("logic", "syllogism")
STYLES = ("zero", "few", "cot")
TYPES = ("congruent", "incongruent", "nonsense")
SELECTION = "selection"
"""The reasoning of the selection task, beside :data:`REASONING`."""
ROSS = "Ross-Or-Intro"
"""The pattern that has no congruent contents (Tables 12 and 13)."""

SETTINGS = tuple(
    (domain, reasoning, style) for reasoning, domain, style in product(REASONING, DOMAINS, STYLES)
)
"""The cells of Table 5 from left to right."""
SHARED = tuple(product(REASONING, STYLES))
"""Where domains are compared."""

_VALID = ("NotMu-MiNot", "NotMi-MuNot", "MiNot-NotMu", "Mu-Mi", "NotMi-NotMu")
_INVALID = ("NotMu-NotMi", "MiNot-MuNot", "Mi-Mu")
_FORMS = {
    name: tuple(f"{form}-{each}" for form in ("Cat", "Hyp") for each in rules)
    for name, rules in {"entailment": ("MP", "MT"), "non-entailment": ("AC", "DA")}.items()
}


@dataclass(frozen=True)
class Patterns:
    """What a half of Tables 12 to 15 shows.

    Attributes:
        domain: deontic ("normative" in the paper) or epistemic.
        reasoning: logic or syllogism.
        patterns: from left to right.
    """

    domain: str
    reasoning: str
    patterns: tuple[str, ...]


PATTERN_TABLES: Mapping[str, Patterns] = {
    "table12a": Patterns("deontic", "logic", (*_VALID, "FC-Or-Elim")),
    "table12b": Patterns("deontic", "logic", (*_INVALID, "FC-Or-Intro", ROSS)),
    "table13a": Patterns("epistemic", "logic", _VALID),
    "table13b": Patterns("epistemic", "logic", _INVALID),
    "table14a": Patterns("deontic", "syllogism", _FORMS["entailment"]),
    "table14b": Patterns("deontic", "syllogism", _FORMS["non-entailment"]),
    "table15a": Patterns("epistemic", "syllogism", _FORMS["entailment"]),
    "table15b": Patterns("epistemic", "syllogism", _FORMS["non-entailment"]),
}
"""(a) patterns in which the hypothesis follows, (b) those in which it does not."""

PATTERN_FIGURES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "figure2": (
        ("Mu-Mi", "epistemic"),
        ("Mu-Mi", "deontic"),
        ("FC-Or-Intro", "deontic"),
        (ROSS, "deontic"),
    ),
    "figure3": tuple(
        (pattern, domain)
        for pattern in ("Cat-MT", "Cat-DA", "Hyp-MT", "Hyp-DA")
        for domain in reversed(DOMAINS)
    ),
}
"""Patterns and domains of Figures 2 and 3 from left to right."""


def said() -> Words:
    """Return the words of the instrument."""
    return words("normative")


def term(name: str) -> str:
    """Return what a domain, a style or the like is called in a row or below a bar."""
    return said().figures["figure2"].columns[name]


def setting_key(*parts: str) -> str:
    """Return the key of findings of a setting: "deontic_logic/zero", "logic/few"."""
    return "/".join(("_".join(parts[:-1]), parts[-1]))


def column_of(key: str) -> str:
    """Return the column of a setting in the tables that have one for each; "pooled" for all together."""
    return key.replace("/", "_") or "pooled"
