"""Matching of lexicon words in German texts: exact, inflected, inside compounds, quoted, in names."""

from polbias.generators.xphemism.matching.matcher import Matcher

__all__ = ["Matcher"]
