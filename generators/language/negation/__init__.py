"""Negation of policy statements by rule of grammar, explained; abstention where a rule is unsure."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from polbias.generators.language.negation.result import Negated

__all__ = ["LANGUAGES", "Negated", "negate"]

# Module and function of every language. A module is imported when first used: it reads a lexicon of its own.
_RULES = {
    "de": ("german", "negate_german"),
    "en": ("english", "negate_english"),
    "es": ("spanish_italian", "negate_spanish"),
    "it": ("spanish_italian", "negate_italian"),
}
LANGUAGES = tuple(_RULES)


def negate(statement: str, language: str) -> Negated:
    """Negate a statement by rule.

    Args:
        statement: one statement; of several sentences the one that demands something is negated.
        language: one of `LANGUAGES`.

    Returns:
        The negation with its rule; ``text`` is None where the rules abstain. Never the statement itself.

    Raises:
        ValueError: for an unknown language.
    """
    if language not in _RULES:
        raise ValueError(f"language {language!r} has no rules of negation; known are {', '.join(LANGUAGES)}")
    module, function = _RULES[language]
    rules = cast(Callable[[str], Negated], getattr(import_module(f"{__name__}.{module}"), function))
    return rules(statement)
