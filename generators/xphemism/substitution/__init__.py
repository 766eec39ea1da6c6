"""Substitution of a word in a German claim, with agreement of article, adjectives, pronouns and verb."""

from polbias.generators.xphemism.substitution.edits import Substitution, TextEdit
from polbias.generators.xphemism.substitution.exchange import substitute

__all__ = ["Substitution", "TextEdit", "substitute"]
