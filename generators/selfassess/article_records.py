"""Records of articles that a model wrote: parsed, validated and grouped by item."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

from polbias.aliases import Document
from polbias.errors import InputError, replace_json_surrogates
from polbias.generators.selfassess.templates import NEUTRAL, Article, Role, SelfAssessTemplates
from polbias.lines import read_lines
from polbias.yaml_models import display_path

Outcome = Literal["ok", "refusal", "truncated", "empty"]
_TEXTS = ("id", "set", "item", "category", "topic", "perspective", "side", "role", "text", "outcome")
_ROLES: tuple[Role, ...] = get_args(Role)
_OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


@dataclass(frozen=True, slots=True)
class ArticleRecord:
    """One article, or the response that a model gave instead.

    Attributes:
        set: the set.
        item: id of the item.
        category: of the item.
        topic: of the item.
        article: role and perspective of the request.
        text: the response, stripped.
        outcome: ok, refusal, truncated or empty.
        model: name of the model.
        leak: words that name a perspective; None if not checked.
        location: file and line, for messages.
    """

    set: str
    item: str
    category: str
    topic: str
    article: Article
    text: str
    outcome: Outcome
    model: str
    leak: tuple[str, ...] | None
    location: str


ArticlesByItem = Mapping[Article, ArticleRecord]
"""The records of one model about one item; missing articles are absent."""


def read_articles(path: Path) -> Iterator[tuple[str, Document]]:
    """Yield location and content of every line of a file of article records (JSON Lines)."""
    for number, line in read_lines(path):
        if not line.strip():
            continue
        location = f"{display_path(path)}:{number}"
        try:
            record = replace_json_surrogates(json.loads(line.decode("utf-8")))
        except (ValueError, RecursionError):
            raise InputError(
                f"{location}: found invalid JSON, expected an article record; restore it"
            ) from None
        if not isinstance(record, dict):
            type_name = type(record).__name__
            raise InputError(f"{location}: found a {type_name}, expected an article record; restore it")
        yield location, record


def group_by_item(
    family: SelfAssessTemplates, records: Iterable[tuple[str, Document]]
) -> list[ArticlesByItem]:
    """Group records by model, set and item, in the order of first occurrence."""
    groups: dict[tuple[str, str, str], dict[Article, ArticleRecord]] = {}
    for location, data in records:
        record = validate_record(family, location, data)
        group = groups.setdefault((record.model, record.set, record.item), {})
        if record.article in group:
            first = group[record.article].location
            raise InputError(f"{location}: id: {data['id']!r} of this model occurs in {first} too; keep one")
        reference = next(iter(group.values()), record)
        for name in ("category", "topic"):
            if getattr(reference, name) != getattr(record, name):
                value, expected = getattr(record, name), getattr(reference, name)
                raise InputError(
                    f"{location}: {name}: found {value!r}, expected {expected!r} as in {reference.location}"
                )
        group[record.article] = record
    return [*groups.values()]


def validate_record(family: SelfAssessTemplates, location: str, data: Document) -> ArticleRecord:
    """Return the record of a line, with its fields checked against the templates."""
    for name in _TEXTS:
        if name not in data or not isinstance(data[name], str):
            value = repr(data[name])[:40] if name in data else "nothing"
            raise InputError(f"{location}: {name}: found {value}, expected a text; add it")
    _check_choice(location, "set", data["set"], tuple(family.sets))
    topic_set = family.sets[data["set"]]
    role, perspective = data["role"], data["perspective"]
    _check_choice(location, "role", role, _ROLES)
    _check_choice(
        location, "perspective", perspective, (NEUTRAL,) if role == NEUTRAL else tuple(topic_set.perspectives)
    )
    _check_choice(location, "side", data["side"], (topic_set.side_of(perspective),))
    _check_choice(location, "outcome", data["outcome"], _OUTCOMES)
    model, leak = data.get("model"), data.get("leak")
    if not isinstance(model, str | None):
        raise InputError(f"{location}: model: found {model!r}, expected a name")
    if leak is not None and not (isinstance(leak, list) and all(isinstance(word, str) for word in leak)):
        raise InputError(f"{location}: leak: found {str(leak)[:40]}, expected a list of words or nothing")
    return ArticleRecord(
        data["set"],
        data["item"],
        data["category"],
        data["topic"],
        Article(cast(Role, role), perspective),
        data["text"].strip(),
        cast(Outcome, data["outcome"]),
        model or "",
        None if leak is None else tuple(leak),
        location,
    )


def _check_choice(location: str, field: str, value: str, expected: tuple[str, ...]) -> None:
    if value not in expected:
        raise InputError(
            f"{location}: {field}: found {value!r}, expected {' or '.join(expected)}; correct it"
        )
