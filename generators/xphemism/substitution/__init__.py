"""Exchanging a word of a German claim, with article, adjectives, pronouns and verb in agreement."""

from polbias.generators.xphemism.substitution.edits import Substitution, TextEdit
from polbias.generators.xphemism.substitution.exchange import substitute

__all__ = ["Substitution", "TextEdit", "substitute"]
