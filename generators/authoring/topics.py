"""Further topics or titles from a chat model, and their review."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from polbias.aliases import Document, Json
from polbias.errors import InputError
from polbias.generators.authoring.set_similarity import item_rules
from polbias.generators.language.similarity import nearest_earlier_text, words
from polbias.generators.selfassess.items import TILTS, Item, text_problem
from polbias.generators.selfassess.perspective_leaks import find_leaks, load_word_lists
from polbias.generators.selfassess.templates import TopicSet
from polbias.jinja_texts import TemplateRenderer
from polbias.models.answer_parsing import clean_sentence, find_json, numbered_lines
from polbias.models.chat import Chat
from polbias.models.requests import Request, ServiceResponse
from polbias.models.service_settings import settings
from polbias.paths import package_file
from polbias.spreadsheets import REJECT, ReviewFile
from polbias.yaml_models import TemplateModel, Text, display_path, load_template

# What ``generation.yaml`` says: the prompts for categories and for further items.

_PATH = "templates/selfassess/generation.yaml"
_Prose = Annotated[str, StringConstraints(min_length=1)]


class _Step(TemplateModel):
    parameters: Document
    answer_characters: int = Field(gt=0)


class _Categories(_Step):
    prompt: _Prose


class _Items(_Step):
    topic: _Prose
    title: _Prose
    words: Mapping[str, tuple[int, int]]


class GenerationFile(TemplateModel):
    """The whole file: one prompt for categories, one for topics, one for titles, and how long items are."""

    source: Text
    categories: _Categories
    items: _Items


@cache
def generation() -> GenerationFile:
    """Return what ships with the package."""
    return load_template(package_file(_PATH), GenerationFile)


# Further items from a chat model: categories first, then topics or titles under each.

Status = Literal["new", "near-duplicate", "malformed"]
_PER_CATEGORY = 40  # items in one answer


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An item that a model suggests.

    Attributes:
        category: title of its category.
        text: the item.
        tilt: left, right or neutral as the model says; empty if it does not.
        status: ``new``, ``near-duplicate`` of an item or an earlier suggestion, or ``malformed``.
        near: that item.
        score: Jaccard of the two.
        notes: what is wrong with the form.
        place: answer and number.
    """

    category: str
    text: str
    tilt: str
    status: Status
    nearest: str
    score: float
    notes: str
    location: str


def category_request(chat: Chat, chosen: TopicSet, count: int) -> Request:
    """Make the request for categories, the first step.

    Source:
        Kennedy et al. 2025, section 3.
    """
    step, slots = generation().categories, {**_slots(chosen), "count": count}
    return _request(chat, "categories", "categories.prompt", step.prompt, slots, step, {})


def read_categories(answer: ServiceResponse | None) -> list[str]:
    """Return the categories of an answer, each once."""
    text = answer.text if answer else ""
    found = find_json(text)
    listed = found.get("categories") if isinstance(found, dict) else found
    told = listed if isinstance(listed, list) else []
    names = [name for each in told if isinstance(each, str) and (name := clean_sentence(each))]
    names = names or numbered_lines(text)
    if not names:
        said = repr(text[:80]) if answer else "no answer"
        raise InputError(
            f"categories: found {said}, expected a list; ask again with another model or --categories"
        )
    return list(dict.fromkeys(names))


def item_requests(chat: Chat, chosen: TopicSet, categories: Sequence[str]) -> list[tuple[str, Request]]:
    """Make the requests for items, the second step, one for each category, with its name.

    Source:
        Kennedy et al. 2025, section 3.
    """
    step = generation().items
    shortest, longest = step.words[chosen.field]
    slots = _slots(chosen) | {"count": _PER_CATEGORY, "shortest": shortest, "longest": longest}
    name, text = f"items.{chosen.field}", step.title if chosen.field == "title" else step.topic
    asked = []
    for category in categories:
        own = slots | {"category": category}
        asked.append((category, _request(chat, category, name, text, own, step, {"seed": 1})))
    return asked


def _request(
    chat: Chat, id: str, name: str, text: str, slots: Json, step: _Step, parameters: Document
) -> Request:
    prompt = TemplateRenderer(package_file(_PATH), {}).render(name, text, slots)
    expected = settings().expected_tokens(slots["count"] * step.answer_characters)
    turns = [{"role": "user", "content": prompt}]
    return chat.request(id, turns, expected_tokens=expected, **{**parameters, **step.parameters})


def suggestions(
    set_id: str,
    chosen: TopicSet,
    asked: Sequence[tuple[str, Request]],
    answers: Sequence[ServiceResponse | None],
    known: Sequence[str],
) -> tuple[list[Suggestion], list[str]]:
    """Read the answers, and mark what is malformed or nearly repeats an item or an earlier suggestion."""
    found: list[tuple[str, str, str, str]] = []  # category, text, tilt, place
    problems: list[str] = []
    for (category, request), answer in zip(asked, answers, strict=True):
        name = request.id
        if answer is None:
            problems.append(f"{name}: not answered; run again")
            continue
        read = _read(answer.text)
        found += [(category, *item, f"{name}, {number}") for number, item in enumerate(read, 1)]
        if not read:
            problems.append(f"{name}: no list of items in {answer.text[:80]!r}")
        elif answer.finish != "stop":
            problems.append(f"{name}: finish_reason {answer.finish}; the list may be incomplete")
    texts = [*known, *(text for _, text, *_ in found)]
    near = nearest_earlier_text(texts, item_rules().limits.jaccard)[len(known) :]
    marked = []
    for (category, text, tilt, place), pair in zip(found, near, strict=True):
        notes = "; ".join(_faults(set_id, chosen, text, tilt))
        status: Status = "near-duplicate" if pair else "malformed" if notes else "new"
        close, score = (texts[pair.first], round(pair.score, 2)) if pair else ("", 0.0)
        marked.append(Suggestion(category, text, tilt, status, close, score, notes, place))
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
            if isinstance(text, str) and clean_sentence(text):
                known = tilt.strip().lower() if isinstance(tilt, str) else ""
                found.append((clean_sentence(text), known if known in TILTS else ""))
    return found or [(text, "") for text in numbered_lines(answer)]


def _faults(set_id: str, chosen: TopicSet, text: str, tilt: str) -> list[str]:
    shortest, longest = generation().items.words[chosen.field]
    count = len(words(text))
    faults = []
    if not shortest <= count <= longest:
        faults.append(f"{count} words, expected {shortest} to {longest}")
    if text.endswith(("?", "!", ".", ":")):
        faults.append(f"ends with {text[-1]!r}")
    if any(mark in text for mark in "{}\t"):
        faults.append("has braces or tabs")
    if set_id in load_word_lists() and (named := find_leaks(text, set_id)):
        faults.append(f"names a perspective: {', '.join(named)}")
    if not tilt:
        faults.append("no tilt")
    return faults


def _slots(chosen: TopicSet) -> Json:
    language = settings().languages.get(chosen.language.split("-")[0], chosen.language)
    sides = {each.side: each.label for each in chosen.perspectives.values()}
    return {"about": chosen.about, "language": language, "left": sides["left"], "right": sides["right"]}


# The review file of suggested items: a person accepts or rejects, corrects the text and says the tilt.

_SAID = tuple(field.name for field in fields(Suggestion))
_DECIDED = ("decision", "correction", "corrected_tilt", "reviewer")
REVIEW = ReviewFile("a review file of items", ("category", "text"), _SAID, _DECIDED)
COLUMNS = REVIEW.columns
_LAST = 999  # number that an id can have
_LETTERS_TRIED = 60  # of a title, for a code


@dataclass(frozen=True, slots=True)
class AcceptedItems:
    """What a person decided.

    Attributes:
        files: rows of an item file (id, text, tilt) by category code.
        titles: of categories that the set does not have, by their new code.
        rejected: how many were.
        open: how many have no decision.
    """

    files: Mapping[str, Sequence[tuple[str, str, str]]]
    titles: Mapping[str, str]
    rejected: int
    open: int

    def tsv(self, code: str, field: str) -> str:
        """Return the item file of a category; its cells are never in quotes."""
        return "".join("\t".join(cells) + "\n" for cells in (("id", field, "tilt"), *self.files[code]))

    def lines(self) -> list[str]:
        """Return what ``sets.yaml`` needs, and how tilts are balanced, as a person reads it."""
        lines = []
        for code, rows in self.files.items():
            counts = Counter(tilt for _, _, tilt in rows)
            told = ", ".join(f"{counts[tilt]} {tilt}" for tilt in TILTS)
            new = f", a new category: {self.titles[code]}" if code in self.titles else ""
            lines.append(f"{code}: {len(rows)} more items ({told}){new}; add them to its count in sets.yaml")
        return lines


def read_review(path: Path, chosen: TopicSet, items: Sequence[Item]) -> AcceptedItems:
    """Read a review file that somebody has filled in, and number what is accepted.

    ``decision`` is accept, reject or empty; ``correction`` and ``corrected_tilt`` replace text and tilt where
    they are not empty.
    """
    if not items:
        raise InputError(
            f"{display_path(path)}: found no item of the set, expected one whose id new ids follow; write it "
            "by hand"
        )
    letters = items[0].prefix
    codes = {category.title: code for code, category in chosen.categories.items()}
    last = Counter[str]()
    for item in items:
        last[item.category] = max(last[item.category], int(item.id.rpartition("-")[2]))
    taken = {item.text.casefold() for item in items}
    files: dict[str, list[tuple[str, str, str]]] = {}
    titles: dict[str, str] = {}

    def accept(row: Mapping[str, str]) -> None:
        text, tilt = row["correction"] or row["text"], row["corrected_tilt"] or row["tilt"]
        title = row["category"]
        if tilt not in TILTS:
            raise ValueError(
                f"corrected_tilt: found {tilt or 'nothing'}, expected one of {', '.join(TILTS)}; add it"
            )
        if wrong := text_problem(text):
            raise ValueError(f"correction: found {text[:60]!r}, {wrong}; correct it")
        if text.casefold() in taken:
            raise ValueError("text: found an item that is there already; reject it")
        if title not in codes:
            code = _code(title, codes.values())
            if code is None:
                raise ValueError(
                    f"category: found {title[:60]!r}, no three letters of which are free as a code; rename it"
                )
            codes[title], titles[code] = code, title
        code = codes[title]
        taken.add(text.casefold())
        last[code] += 1
        if last[code] > _LAST:
            raise InputError(f"{display_path(path)}: category {code} has more than {_LAST} items; split it")
        files.setdefault(code, []).append((f"{letters}-{code}-{last[code]:03}", text, tilt))

    counts = REVIEW.read(path, "what was suggested; restore it", accept)
    return AcceptedItems(files, titles, counts[REJECT], counts[""])


def _code(title: str, taken: Iterable[str]) -> str | None:
    """Return three letters for a new category: of its title, the first that are free."""
    known = set(taken)
    letters = re.sub(r"[^a-z]", "", title.lower())[:_LETTERS_TRIED] + "abc"
    codes = (letters[0] + "".join(two) for two in combinations(letters[1:], 2))
    return next((code for code in codes if code not in known), None)
