"""From an answer of the second stage to a judgement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from polbias.eval.selfassess.samples import outcome
from polbias.running.asking import Answer

_LEFT_OUT = frozenset({"prompt", "messages"})  # the articles are on file already
_REFUSED = frozenset({"refusal", "content_filter"})


def judgement(row: Mapping[str, Any], answer: Answer, model: str) -> dict[str, Any]:
    """Return the judgement that an answer is: the row without its prompt, the raw answer, and its reading.

    Args:
        row: of the second stage.
        answer: of the model.
        model: its name; the one that wrote the articles is kept as ``author``.
    """
    kept = {name: value for name, value in row.items() if name not in _LEFT_OUT}
    said = {"answer": answer.text, "finish_reason": answer.finish_reason, "usage": dict(answer.usage)}
    return _read({**kept, "author": row["model"], "model": model, **said})


def judgements(entries: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return judgements on file with their answers read anew, by the reader of this version.

    They are sorted by id: in which order answers came says nothing, and must not show in a report.
    """
    return sorted((_read(entry) for entry in entries), key=lambda each: str(each["id"]))


def _read(entry: Mapping[str, Any]) -> dict[str, Any]:
    finish = entry["finish_reason"]
    found, choice = outcome(entry["answer"], entry["ways"], entry["language"], entry["prefill"])
    if found == "unparsable" and finish in _REFUSED:
        found = "refusal"
    elif found == "unparsable" and finish == "length":
        found = "truncated"
    return {**entry, "choice": choice, "outcome": found}
