"""Exchanging a word of a German claim, with article, adjectives, pronouns and verb in agreement."""

from polbias.generators.xphemism.substitution.edits import Edit, Substitution
from polbias.generators.xphemism.substitution.exchange import substitute

__all__ = ["Edit", "Substitution", "substitute"]
