"""From an answer of the first stage to an article record."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from polbias.errors import InputError
from polbias.eval.answers.refusal import find_refusal
from polbias.eval.answers.text import prepare
from polbias.generators.selfassess.articles import Outcome
from polbias.generators.selfassess.leaks import Detector, load_word_lists
from polbias.running.asking import Answer
from polbias.running.selfassess.rows import ChosenSet, Row

FindLeaks = Callable[[str], list[str]]
_FROM_ROW = ("set", "category", "topic", "perspective", "side", "role")
_REFUSED = frozenset({"refusal", "content_filter"})
_OPENING = 2  # sentences that may decline
_SHORT = 120  # words: what is longer is an article, however it begins
_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r".*</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)


def article_record(row: Row, answer: Answer, model: str, find_leaks: FindLeaks) -> dict[str, Any]:
    """Return the record of an article.

    Args:
        row: of the first stage.
        answer: of the model.
        model: its name.
        find_leaks: returns the words of a text that name a perspective.
    """
    text = visible(answer.text)
    return {
        "id": row["id"],
        "item": row["cluster_id"],
        **{name: row[name] for name in _FROM_ROW},
        "text": text,
        "outcome": outcome(text, answer.finish_reason),
        "finish_reason": answer.finish_reason,
        "model": model,
        "leak": find_leaks(text),
        "usage": dict(answer.usage),
    } | ({} if text == answer.text.strip() else {"raw": answer.text})


def visible(text: str) -> str:
    """Return an answer without the model's thoughts, which are no part of an article."""
    return _THOUGHT_END.sub("", _THOUGHT.sub("", text)).strip()


def outcome(text: str, finish_reason: str | None) -> Outcome:
    """Say what came: an article, a part of one, a refusal or nothing.

    A refusal is what a server calls one, or a text of at most 120 words whose first two sentences decline.

    Args:
        text: without thoughts.
        finish_reason: as in `Answer`.
    """
    if finish_reason in _REFUSED:
        return "refusal"
    if not text:
        return "empty"
    if len(text.split()) <= _SHORT:
        prepared = prepare(text)
        if find_refusal(prepared.sentences[:_OPENING], prepared.truncated, outright=True):
            return "refusal"
    return "truncated" if finish_reason == "length" else "ok"


def leak_finder(chosen: ChosenSet) -> FindLeaks:
    """Return what finds words that name a perspective of a set, by the lists beside its templates.

    Raises:
        InputError: if there are no lists for it.
    """
    path = chosen.family.folder / "leaks.yaml"
    lists = load_word_lists(path if chosen.own and path.is_file() else None)
    if chosen.name not in lists:
        raise InputError(
            f"{path}: found no word lists for the set {chosen.name!r}, by which articles are flagged that "
            "name their own side; add them as in templates/selfassess/leaks.yaml"
        )
    return Detector(lists[chosen.name]).words
