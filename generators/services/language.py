"""Whether a sentence is in the language that was asked for, by the share of words that a lexicon knows."""

from __future__ import annotations

from collections.abc import Iterable

import simplemma

# Measured on 150 sentences of each language of the published ProbVAA: none is below .67 in its own language,
# and all but one of 900 have their highest share there.
_KNOWN = 0.65
LANGUAGES = frozenset({"de", "en", "es", "fr", "hu", "it", "nl", "pl"})


def doubt(text: str, language: str, others: Iterable[str] = ()) -> tuple[str, str] | None:
    """Return why a sentence may not be in a language, or None if nothing speaks against it.

    Args:
        text: a sentence.
        language: the language that it should be in; one that is not covered is never doubted.
        others: languages that it may be in instead.

    Returns:
        ``wrong-language`` or ``not-recognised``, and a detail.
    """
    if language not in LANGUAGES:
        return None
    share = simplemma.in_target_language(text, lang=language)
    rivals = {other: _share(text, other) for other in sorted({*others, "en"} & LANGUAGES - {language})}
    best = max(rivals, key=lambda other: rivals[other], default=language)
    if rivals and rivals[best] > max(share, _KNOWN) and (share < _KNOWN or rivals[best] - share > 0.3):
        return (
            "wrong-language",
            f"expected {language}, reads like {best} ({share:.0%} against {rivals[best]:.0%})",
        )
    if share < _KNOWN:
        return "not-recognised", f"only {share:.0%} of the words are known in {language}"
    return None


def _share(text: str, language: str) -> float:
    return float(simplemma.in_target_language(text, lang=language))
