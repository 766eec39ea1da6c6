"""Exchanging a word of a German claim, with article, adjectives, pronouns and verb in agreement."""

from polbias.generators.xphemism.substitution.exchange import substitute
from polbias.generators.xphemism.substitution.result import Edit, EditKind, ReviewError, Substitution

__all__ = ["Edit", "EditKind", "ReviewError", "Substitution", "substitute"]
