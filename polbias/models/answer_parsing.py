"""Parse JSON and lists from a response of a service, and check the language of a sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from contextlib import suppress

import simplemma

from polbias.errors import replace_json_surrogates

_REASONING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_CODE_FENCE = re.compile(r"```[\w-]*+\s*+(.*?)```", re.DOTALL)
_OPENING = re.compile(r"[{\[]")
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_LIST_ITEM = re.compile(r"^[^\S\n]*+(?:\(?\d{1,2}[.):]|[-*•–])\s++(\S[^\n]*)", re.MULTILINE)
_NUMBER = re.compile(r"^\s*\(?\d{1,2}[.)]\s+(?=\S)")
_TABLE_RULE = re.compile(r"\s*:?-*:?\s*")
_MAX_BRACKETS = 1_000
"""Brackets where parsing JSON is tried; each failure takes time linear in the length of the text."""
_QUOTES = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"), ("'", "'"), ("‘", "’"))


def strip_reasoning(response: str) -> str:
    """Return a response without the reasoning that some models write before the answer."""
    return _REASONING.sub("", response)


def find_json(response: str) -> dict[str, object] | list[object] | None:
    """Return the first JSON object or list in a response, or None.

    Reasoning, code fences, text around the JSON and trailing commas are ignored.
    """
    text = strip_reasoning(response)
    for candidate in (*_CODE_FENCE.findall(text), text):
        data = _parse_json(candidate) or _find_first_json(_TRAILING_COMMA.sub(r"\1", candidate))
        if data is not None:
            with suppress(RecursionError):  # nested too deep for an answer
                return replace_json_surrogates(data)
    return None


def numbered_lines(response: str) -> list[str]:
    """Return the items of a numbered or bulleted list in a response, cleaned, without empty ones."""
    return [text for text in map(clean_sentence, _LIST_ITEM.findall(strip_reasoning(response))) if text]


def table_rows(response: str) -> list[list[str]]:
    """Return the cells of the tables in a response: Markdown, or lines with tabs or semicolons."""
    rows = []
    for line in strip_reasoning(response).splitlines():
        separator = next((mark for mark in ("|", "\t", ";") if mark in line), None)
        cells = line.strip().strip("|").split(separator) if separator else []
        if len(cells) > 1 and not all(_TABLE_RULE.fullmatch(cell) for cell in cells):
            rows.append([clean_sentence(cell.strip().strip("*_`")) for cell in cells])
    return rows


def single_line(response: str) -> str:
    """Return a response that is not JSON as one line."""
    return clean_sentence(strip_reasoning(response).replace("```", " "))


def clean_sentence(text: str) -> str:
    """Return a sentence without leading number, surrounding quotes and repeated blanks."""
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


def _parse_json(text: str) -> dict[str, object] | list[object] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) and value else None


def _find_first_json(text: str) -> dict[str, object] | list[object] | None:
    """Return the first object in a text, otherwise the first list."""
    decoder = json.JSONDecoder()
    first_list: list[object] | None = None
    start = 0
    for _ in range(_MAX_BRACKETS):
        bracket = _OPENING.search(text, start)
        if bracket is None:
            break
        try:
            value, start = decoder.raw_decode(text, bracket.start())
        except ValueError:
            start = bracket.end()
            continue
        except RecursionError:  # about a thousand nested brackets, not an answer
            return first_list
        if isinstance(value, dict) and value:
            return value
        if isinstance(value, list) and value and first_list is None:
            first_list = value
    return first_list


# Language of a sentence, by the share of its words in a lexicon.

# Measured on 150 sentences per language of the published ProbVAA: no sentence is below .67 in the lexicon of
# its language, and all but one of 900 have their highest share there.
_MIN_KNOWN_SHARE = 0.65
LANGUAGES = frozenset({"de", "en", "es", "fr", "hu", "it", "nl", "pl"})


def language_doubt(text: str, language: str, other_languages: Iterable[str] = ()) -> tuple[str, str] | None:
    """Return a problem, as key and description, of a sentence that may be in another language, or None.

    The problem is "wrong-language" if another language of `other_languages` or English fits better, and
    "not-recognised" if the lexicon has less than 65% of the words.
    """
    if language not in LANGUAGES:
        return None
    share = simplemma.in_target_language(text, lang=language)
    candidates = sorted({*other_languages, "en"} & LANGUAGES - {language})
    share_by_language = {
        candidate: simplemma.in_target_language(text, lang=candidate) for candidate in candidates
    }
    best = max(share_by_language, key=lambda candidate: share_by_language[candidate], default=language)
    if (
        share_by_language
        and share_by_language[best] > max(share, _MIN_KNOWN_SHARE)
        and (share < _MIN_KNOWN_SHARE or share_by_language[best] - share > 0.3)
    ):
        return (
            "wrong-language",
            f"expected {language}, reads like {best} ({share:.0%} against {share_by_language[best]:.0%})",
        )
    if share < _MIN_KNOWN_SHARE:
        return "not-recognised", f"only {share:.0%} of the words are known in {language}"
    return None
