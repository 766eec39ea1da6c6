"""Where words of the lexicon stand in German texts: exact, inflected, inside compounds, quoted, in names."""

from polbias.generators.xphemism.matching.matcher import Matcher
from polbias.generators.xphemism.matching.text import CompoundMember, Hit, HitKind

__all__ = ["CompoundMember", "Hit", "HitKind", "Matcher"]
