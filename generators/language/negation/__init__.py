"""Negation of policy statements by rule of grammar, explained; abstention where a rule is unsure."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from polbias.generators.language.negation.pipeline import Pipeline
    from polbias.generators.language.negation.result import Negated

__all__ = ["LANGUAGES", "negate"]

# Module and function of every language. A module is imported when first used: it reads a lexicon of its own.
_RULES = {
    "de": ("german", "negate_german"),
    "en": ("english", "negate_english"),
    "es": ("spanish_italian", "negate_spanish"),
    "it": ("spanish_italian", "negate_italian"),
}
LANGUAGES = tuple(_RULES)
_LONGEST = 1_000  # characters; the rules look ahead from every word, which takes ever longer


def negate(statement: str, language: str, pipeline: Pipeline | None = None) -> Negated:
    """Negate a statement by rule.

    Args:
        statement: one statement; of several sentences the one that demands something is negated.
        language: one of `LANGUAGES`.
        pipeline: of spaCy (see `pipeline.blank` and `pipeline.load`), whose tokens and tags the
            rules take; by default they go by their own.

    Returns:
        The negation with its rule; ``text`` is None where the rules abstain. Never the statement itself.

    Raises:
        InputError: for a pipeline of another language.
        ValueError: for an unknown language.
    """
    if language not in _RULES:
        raise ValueError(f"language {language!r} has no rules of negation; known are {', '.join(LANGUAGES)}")
    if len(statement) > _LONGEST:
        explanation = f"No negation was formed: more than {_LONGEST:,} characters are no single statement."
        return Negated(None, "abstain:too-long", explanation)
    module, function = _RULES[language]
    if pipeline is not None:
        pipeline.require(language)
    rules = getattr(import_module(f"{__name__}.{module}"), function)
    return cast("Callable[[str, Pipeline | None], Negated]", rules)(statement, pipeline)
