"""Further items from a chat model: categories first, then topics or titles under each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from polbias.files import InputError
from polbias.generators.authoring.items import closest_earlier, words
from polbias.generators.selfassess.alikeness import item_rules
from polbias.generators.selfassess.generation import generation
from polbias.generators.selfassess.items import TILTS
from polbias.generators.selfassess.leaks import find_leaks, load_word_lists
from polbias.generators.selfassess.templates import Set
from polbias.generators.services.parsing import find_json, numbered_lines, tidy
from polbias.models import Answer, Chat, Request, settings

Status = Literal["new", "near-duplicate", "malformed"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request for items of one category."""

    category: str
    request: Request


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An item that a model suggests.

    Attributes:
        category: title of its category.
        text: the item.
        tilt: left, right or neutral as the model says; empty if it does not.
        place: answer and number.
        status: ``new``, ``near-duplicate`` of an item or an earlier suggestion, or ``malformed``.
        near: that item.
        score: Jaccard of the two.
        notes: what is wrong with the form.
    """

    category: str
    text: str
    tilt: str
    place: str
    status: Status = "new"
    near: str = ""
    score: float = 0.0
    notes: str = ""


def category_request(
    chat: Chat, chosen: Set, count: int, parameters: Mapping[str, Any] | None = None
) -> Request:
    """Make the request for categories, the first step.

    Args:
        chat: the model.
        chosen: the set whose matter they should cover.
        count: how many.
        parameters: set before those of ``generation.yaml``; None leaves one out.

    Raises:
        InputError: if none is wanted.

    Source:
        Kennedy et al. 2025, section 3.
    """
    _at_least_one("categories", count)
    said = generation().categories
    turns = [
        {"role": "user", "content": generation().render("categories", _slots(chosen) | {"count": count})}
    ]
    expected = _tokens(count * said.answer_characters)
    return chat.request(
        "categories", turns, expected_tokens=expected, **(dict(said.parameters) | dict(parameters or {}))
    )


def read_categories(answer: Answer | None) -> list[str]:
    """Return the categories of an answer, each once.

    Raises:
        InputError: if there are none in it.
    """
    found = find_json(answer.text) if answer else None
    listed = found.get("categories") if isinstance(found, dict) else found
    told = listed if isinstance(listed, list) else []
    names = [name for each in told if isinstance(each, str) and (name := tidy(each))]
    names = names or (numbered_lines(answer.text) if answer else [])
    if not names:
        said = repr(answer.text[:80]) if answer else "no answer"
        raise InputError(
            f"categories: found {said}, expected a list; ask again with another model or --categories"
        )
    return list(dict.fromkeys(names))


def item_requests(
    chat: Chat,
    chosen: Set,
    categories: Sequence[str],
    count: int,
    runs: int = 1,
    parameters: Mapping[str, Any] | None = None,
) -> list[Asked]:
    """Make the requests for items, the second step.

    Args:
        chat: the model.
        chosen: the set that they are for.
        categories: their titles.
        count: items of each category and run.
        runs: how often each category is asked for, with a seed of its own.
        parameters: set before those of ``generation.yaml``; None leaves one out.

    Raises:
        InputError: if there is nothing to ask.

    Source:
        Kennedy et al. 2025, section 3.
    """
    _at_least_one("count", count)
    _at_least_one("runs", runs)
    said = generation().items
    shortest, longest = generation().words(chosen.field)
    slots = _slots(chosen) | {"count": count, "shortest": shortest, "longest": longest}
    asked = []
    for category in categories:
        prompt = generation().render(chosen.field, slots | {"category": category})
        turns = [{"role": "user", "content": prompt}]
        for run in range(1, runs + 1):
            given = {"seed": run} | dict(said.parameters) | dict(parameters or {})
            expected = _tokens(count * said.answer_characters)
            request = chat.request(f"{category}/{run}", turns, expected_tokens=expected, **given)
            asked.append(Asked(category, request))
    return asked


def suggestions(
    set_id: str,
    chosen: Set,
    asked: Sequence[Asked],
    answers: Sequence[Answer | None],
    known: Sequence[str] = (),
) -> tuple[list[Suggestion], list[str]]:
    """Read the answers, and mark what is malformed or nearly repeats an item or an earlier suggestion.

    Args:
        set_id: the set.
        chosen: the same.
        asked: the requests.
        answers: one for each, in their order; None where the service failed.
        known: the items that there are.

    Returns:
        Suggestions in the order of the answers, and a line for every answer that could not be read.
    """
    found: list[Suggestion] = []
    problems: list[str] = []
    for each, answer in zip(asked, answers, strict=True):
        name = each.request.id
        if answer is None:
            problems.append(f"{name}: not answered; run again")
            continue
        read = _read(answer.text)
        found += [
            Suggestion(each.category, text, tilt, f"{name}, {number}")
            for number, (text, tilt) in enumerate(read, 1)
        ]
        if not read:
            problems.append(f"{name}: no list of items in {answer.text[:80]!r}")
        elif answer.finish != "stop":
            problems.append(f"{name}: finish_reason {answer.finish}; the list may be incomplete")
    texts = [*known, *(each.text for each in found)]
    near = closest_earlier(texts, item_rules().limits.jaccard)[len(known) :]
    marked = []
    for suggestion, pair in zip(found, near, strict=True):
        notes = "; ".join(_faults(set_id, chosen, suggestion))
        status: Status = "near-duplicate" if pair else "malformed" if notes else "new"
        close, score = (texts[pair.first], round(pair.score, 2)) if pair else ("", 0.0)
        marked.append(
            Suggestion(
                suggestion.category,
                suggestion.text,
                suggestion.tilt,
                suggestion.place,
                status,
                close,
                score,
                notes,
            )
        )
    return marked, problems


def _read(answer: str) -> list[tuple[str, str]]:
    """Return text and tilt of the items in an answer."""
    data = find_json(answer)
    listed = data.get("items") if isinstance(data, dict) else data
    found: list[tuple[str, str]] = []
    if isinstance(listed, list):
        for each in listed:
            text = each.get("text") if isinstance(each, dict) else each
            tilt = each.get("tilt") if isinstance(each, dict) else ""
            if isinstance(text, str) and tidy(text):
                known = tilt.strip().lower() if isinstance(tilt, str) else ""
                found.append((tidy(text), known if known in TILTS else ""))
    return found or [(text, "") for text in numbered_lines(answer)]


def _faults(set_id: str, chosen: Set, suggestion: Suggestion) -> list[str]:
    shortest, longest = generation().words(chosen.field)
    count, text = len(words(suggestion.text)), suggestion.text
    faults = []
    if not shortest <= count <= longest:
        faults.append(f"{count} words, expected {shortest} to {longest}")
    if text.endswith(("?", "!", ".", ":")):
        faults.append(f"ends with {text[-1]!r}")
    if any(mark in text for mark in "{}\t"):
        faults.append("has braces or tabs")
    if set_id in load_word_lists() and (named := find_leaks(text, set_id)):
        faults.append(f"names a perspective: {', '.join(named)}")
    if not suggestion.tilt:
        faults.append("no tilt")
    return faults


def _slots(chosen: Set) -> dict[str, Any]:
    language = settings().languages.get(chosen.language.split("-")[0], chosen.language)
    sides = {each.side: each.label for each in chosen.perspectives.values()}
    return {"about": chosen.about, "language": language, "left": sides["left"], "right": sides["right"]}


def _tokens(characters: int) -> int:
    return math.ceil(characters / settings().tokens.characters_per_token)


def _at_least_one(name: str, count: int) -> None:
    if count < 1:
        raise InputError(f"{name}: found {count}, expected at least 1")
