"""From an answer of the first stage to an article record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from polbias.eval.answers.article import article_outcome
from polbias.eval.answers.text import visible
from polbias.files import InputError
from polbias.generators.selfassess.leaks import Detector, load_word_lists
from polbias.running.asking import Answer
from polbias.running.selfassess.rows import ChosenSet, Row

FindLeaks = Callable[[str], list[str]]
_FROM_ROW = ("set", "category", "topic", "perspective", "side", "role")


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
        "outcome": article_outcome(answer.text, answer.finish_reason),
        "finish_reason": answer.finish_reason,
        "model": model,
        "leak": find_leaks(text),
        "usage": dict(answer.usage),
    } | ({} if text == answer.text.strip() else {"raw": answer.text})


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
