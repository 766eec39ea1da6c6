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


def category_request(chat: Chat, topic_set: TopicSet, count: int) -> Request:
    """Make the request for categories, the first step.

    Source:
        Kennedy et al. 2025, section 3.
    """
    step, values = generation().categories, {**_template_values(topic_set), "count": count}
    return _request(chat, "categories", "categories.prompt", step.prompt, values, step, {})


def read_categories(answer: ServiceResponse | None) -> list[str]:
    """Return the categories of an answer, each once."""
    text = answer.text if answer else ""
    data = find_json(text)
    value = data.get("categories") if isinstance(data, dict) else data
    entries = value if isinstance(value, list) else []
    names = [name for entry in entries if isinstance(entry, str) and (name := clean_sentence(entry))]
    names = names or numbered_lines(text)
    if not names:
        excerpt = repr(text[:80]) if answer else "no answer"
        raise InputError(
            f"categories: found {excerpt}, expected a list; ask again with another model or --categories"
        )
    return list(dict.fromkeys(names))


def item_requests(chat: Chat, topic_set: TopicSet, categories: Sequence[str]) -> list[tuple[str, Request]]:
    """Make the requests for items, the second step, one for each category, with its name.

    Source:
        Kennedy et al. 2025, section 3.
    """
    step = generation().items
    shortest, longest = step.words[topic_set.field]
    values = _template_values(topic_set) | {"count": _PER_CATEGORY, "shortest": shortest, "longest": longest}
    name, template = f"items.{topic_set.field}", step.title if topic_set.field == "title" else step.topic
    requests = []
    for category in categories:
        category_values = values | {"category": category}
        requests.append((category, _request(chat, category, name, template, category_values, step, {"seed": 1})))
    return requests


def _request(
    chat: Chat, id: str, name: str, template: str, values: Json, step: _Step, parameters: Document
) -> Request:
    prompt = TemplateRenderer(package_file(_PATH), {}).render(name, template, values)
    expected = settings().expected_tokens(values["count"] * step.answer_characters)
    messages = [{"role": "user", "content": prompt}]
    return chat.request(id, messages, expected_tokens=expected, **{**parameters, **step.parameters})


def suggestions(
    set_id: str,
    topic_set: TopicSet,
    requests: Sequence[tuple[str, Request]],
    answers: Sequence[ServiceResponse | None],
    existing_texts: Sequence[str],
) -> tuple[list[Suggestion], list[str]]:
    """Read the answers, and mark what is malformed or nearly repeats an item or an earlier suggestion."""
    items: list[tuple[str, str, str, str]] = []  # category, text, tilt, place
    problems: list[str] = []
    for (category, request), answer in zip(requests, answers, strict=True):
        name = request.id
        if answer is None:
            problems.append(f"{name}: not answered; run again")
            continue
        parsed_items = _parse_items(answer.text)
        items += [(category, *item, f"{name}, {number}") for number, item in enumerate(parsed_items, 1)]
        if not parsed_items:
            problems.append(f"{name}: no list of items in {answer.text[:80]!r}")
        elif answer.finish != "stop":
            problems.append(f"{name}: finish_reason {answer.finish}; the list may be incomplete")
    texts = [*existing_texts, *(text for _, text, *_ in items)]
    nearest_pairs = nearest_earlier_text(texts, item_rules().limits.jaccard)[len(existing_texts) :]
    suggested_items = []
    for (category, text, tilt, location), pair in zip(items, nearest_pairs, strict=True):
        notes = "; ".join(_find_faults(set_id, topic_set, text, tilt))
        status: Status = "near-duplicate" if pair else "malformed" if notes else "new"
        nearest, score = (texts[pair.first], round(pair.score, 2)) if pair else ("", 0.0)
        suggested_items.append(Suggestion(category, text, tilt, status, nearest, score, notes, location))
    return suggested_items, problems


def _parse_items(answer: str) -> list[tuple[str, str]]:
    """Return text and tilt of the items in an answer."""
    data = find_json(answer)
    entries = data.get("items") if isinstance(data, dict) else data
    items: list[tuple[str, str]] = []
    if isinstance(entries, list):
        for entry in entries:
            text = entry.get("text") if isinstance(entry, dict) else entry
            tilt = entry.get("tilt") if isinstance(entry, dict) else ""
            if isinstance(text, str) and clean_sentence(text):
                tilt_label = tilt.strip().lower() if isinstance(tilt, str) else ""
                items.append((clean_sentence(text), tilt_label if tilt_label in TILTS else ""))
    return items or [(text, "") for text in numbered_lines(answer)]


def _find_faults(set_id: str, topic_set: TopicSet, text: str, tilt: str) -> list[str]:
    shortest, longest = generation().items.words[topic_set.field]
    count = len(words(text))
    faults = []
    if not shortest <= count <= longest:
        faults.append(f"{count} words, expected {shortest} to {longest}")
    if text.endswith(("?", "!", ".", ":")):
        faults.append(f"ends with {text[-1]!r}")
    if any(mark in text for mark in "{}\t"):
        faults.append("has braces or tabs")
    if set_id in load_word_lists() and (leaks := find_leaks(text, set_id)):
        faults.append(f"names a perspective: {', '.join(leaks)}")
    if not tilt:
        faults.append("no tilt")
    return faults


def _template_values(topic_set: TopicSet) -> Json:
    language = settings().languages.get(topic_set.language.split("-")[0], topic_set.language)
    sides = {perspective.side: perspective.label for perspective in topic_set.perspectives.values()}
    return {"about": topic_set.about, "language": language, "left": sides["left"], "right": sides["right"]}


# The review file of suggested items: a person accepts or rejects, corrects the text and says the tilt.

_SUGGESTION_COLUMNS = tuple(field.name for field in fields(Suggestion))
_DECISION_COLUMNS = ("decision", "correction", "corrected_tilt", "reviewer")
REVIEW = ReviewFile("a review file of items", ("category", "text"), _SUGGESTION_COLUMNS, _DECISION_COLUMNS)
COLUMNS = REVIEW.columns
_MAX_NUMBER = 999  # number that an id can have
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
            tilt_counts = ", ".join(f"{counts[tilt]} {tilt}" for tilt in TILTS)
            new = f", a new category: {self.titles[code]}" if code in self.titles else ""
            lines.append(f"{code}: {len(rows)} more items ({tilt_counts}){new}; add them to its count in sets.yaml")
        return lines


def read_review(path: Path, topic_set: TopicSet, items: Sequence[Item]) -> AcceptedItems:
    """Read a review file that somebody has filled in, and number what is accepted.

    ``decision`` is accept, reject or empty; ``correction`` and ``corrected_tilt`` replace text and tilt where
    they are not empty.
    """
    if not items:
        raise InputError(
            f"{display_path(path)}: found no item of the set, expected one whose id new ids follow; write it "
            "by hand"
        )
    prefix = items[0].prefix
    codes = {category.title: code for code, category in topic_set.categories.items()}
    last_number = Counter[str]()
    for item in items:
        last_number[item.category] = max(last_number[item.category], int(item.id.rpartition("-")[2]))
    used_texts = {item.text.casefold() for item in items}
    files: dict[str, list[tuple[str, str, str]]] = {}
    titles: dict[str, str] = {}

    def accept(row: Mapping[str, str]) -> None:
        text, tilt = row["correction"] or row["text"], row["corrected_tilt"] or row["tilt"]
        title = row["category"]
        if tilt not in TILTS:
            raise ValueError(
                f"corrected_tilt: found {tilt or 'nothing'}, expected one of {', '.join(TILTS)}; add it"
            )
        if error := text_problem(text):
            raise ValueError(f"correction: found {text[:60]!r}, {error}; correct it")
        if text.casefold() in used_texts:
            raise ValueError("text: found an item that is there already; reject it")
        if title not in codes:
            code = _free_code(title, codes.values())
            if code is None:
                raise ValueError(
                    f"category: found {title[:60]!r}, no three letters of which are free as a code; rename it"
                )
            codes[title], titles[code] = code, title
        code = codes[title]
        used_texts.add(text.casefold())
        last_number[code] += 1
        if last_number[code] > _MAX_NUMBER:
            raise InputError(f"{display_path(path)}: category {code} has more than {_MAX_NUMBER} items; split it")
        files.setdefault(code, []).append((f"{prefix}-{code}-{last_number[code]:03}", text, tilt))

    counts = REVIEW.read(path, "what was suggested; restore it", accept)
    return AcceptedItems(files, titles, counts[REJECT], counts[""])


def _free_code(title: str, existing_codes: Iterable[str]) -> str | None:
    """Return three letters for a new category: of its title, the first that are free."""
    code_set = set(existing_codes)
    letters = re.sub(r"[^a-z]", "", title.lower())[:_LETTERS_TRIED] + "abc"
    codes = (letters[0] + "".join(two) for two in combinations(letters[1:], 2))
    return next((code for code in codes if code not in code_set), None)
