"""What auditors of published data read off one sentence, by the lists of the quality gate."""

from polbias.generators.policy.quality_words import numbers, unbalanced, words

__all__ = ["numbers", "unbalanced", "words"]
