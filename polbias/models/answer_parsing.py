"""The JSON and the lines in a response of a service, and the language of a sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from contextlib import suppress

import simplemma

from polbias.errors import replace_json_surrogates

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_FENCE = re.compile(r"```[\w-]*+\s*+(.*?)```", re.DOTALL)
_OPENING = re.compile(r"[{\[]")
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_NUMBERED = re.compile(r"^[^\S\n]*+(?:\(?\d{1,2}[.):]|[-*•–])\s++(\S[^\n]*)", re.MULTILINE)
_NUMBER = re.compile(r"^\s*\(?\d{1,2}[.)]\s+(?=\S)")
_MOST_TRIED = 1_000
"""Brackets from which JSON is tried; each failure takes as long as the text is."""
_QUOTES = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"), ("'", "'"), ("‘", "’"))


def strip_reasoning(answer: str) -> str:
    """Return an answer without the thoughts that some models write before it."""
    return _THOUGHT.sub("", answer)


def find_json(answer: str) -> dict[str, object] | list[object] | None:
    """Return the first JSON object or list in an answer, or None.

    Thoughts, code fences and words around it do not matter, nor does a comma too many.
    """
    text = strip_reasoning(answer)
    for candidate in (*_FENCE.findall(text), text):
        found = _whole(candidate) or _first(_TRAILING_COMMA.sub(r"\1", candidate))
        if found is not None:
            with suppress(RecursionError):  # as deep as it can be read: it holds no answer
                return replace_json_surrogates(found)
    return None


def numbered_lines(answer: str) -> list[str]:
    """Return the texts of a list with numbers or bullets, without those of which nothing is left."""
    return [text for text in map(clean_sentence, _NUMBERED.findall(strip_reasoning(answer))) if text]


def plain(answer: str) -> str:
    """Return an answer that is no JSON as one line."""
    return clean_sentence(strip_reasoning(answer).replace("```", " "))


def clean_sentence(text: str) -> str:
    """Return a sentence without a number before it, quotes around it and blanks too many."""
    text = _NUMBER.sub("", " ".join(text.split()))
    for left, right in _QUOTES:
        inner = text[1:-1]
        if (
            len(text) > 1
            and text[0] == left
            and text[-1] == right
            and left not in inner
            and right not in inner
        ):
            return inner.strip()
    return text


def _whole(text: str) -> dict[str, object] | list[object] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) and value else None


def _first(text: str) -> dict[str, object] | list[object] | None:
    """Return the first object in a text, or else its first list."""
    decoder = json.JSONDecoder()
    listed: list[object] | None = None
    start = 0
    for _ in range(_MOST_TRIED):
        found = _OPENING.search(text, start)
        if found is None:
            break
        try:
            value, start = decoder.raw_decode(text, found.start())
        except ValueError:
            start = found.end()
            continue
        except RecursionError:  # a thousand brackets deep: no answer, nor what stands in it
            return listed
        if isinstance(value, dict) and value:
            return value
        if isinstance(value, list) and value and listed is None:
            listed = value
    return listed


# Whether a sentence is in the language that was asked for, by the share of words that a lexicon knows.

# Measured on 150 sentences of each language of the published ProbVAA: none is below .67 in its own language,
# and all but one of 900 have their highest share there.
_KNOWN = 0.65
LANGUAGES = frozenset({"de", "en", "es", "fr", "hu", "it", "nl", "pl"})


def language_doubt(text: str, language: str, others: Iterable[str] = ()) -> tuple[str, str] | None:
    """Return why a sentence may not be in a language, or None if nothing speaks against it."""
    if language not in LANGUAGES:
        return None
    share = simplemma.in_target_language(text, lang=language)
    near = sorted({*others, "en"} & LANGUAGES - {language})
    rivals = {other: simplemma.in_target_language(text, lang=other) for other in near}
    best = max(rivals, key=lambda other: rivals[other], default=language)
    if rivals and rivals[best] > max(share, _KNOWN) and (share < _KNOWN or rivals[best] - share > 0.3):
        return (
            "wrong-language",
            f"expected {language}, reads like {best} ({share:.0%} against {rivals[best]:.0%})",
        )
    if share < _KNOWN:
        return "not-recognised", f"only {share:.0%} of the words are known in {language}"
    return None
