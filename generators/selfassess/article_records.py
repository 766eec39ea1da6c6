"""Records of articles that a model has written: read, checked, and gathered by item."""

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
    """One article, or what came in its place.

    Attributes:
        set: the set.
        item: id of the item.
        category: of the item.
        topic: of the item.
        article: whose request, which perspective.
        text: what the model wrote, without blanks at its ends.
        outcome: ok, refusal, truncated or empty.
        model: who wrote it.
        leak: words that name a perspective; None if nobody has looked.
        place: where it was read, for messages.
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
"""What one model wrote about one item; what is missing is not there."""


def read_articles(path: Path) -> Iterator[tuple[str, Document]]:
    """Yield place and content of every line of a file of article records (JSON Lines)."""
    for number, line in read_lines(path):
        if not line.strip():
            continue
        where = f"{display_path(path)}:{number}"
        try:
            record = replace_json_surrogates(json.loads(line.decode("utf-8")))
        except (ValueError, RecursionError):
            raise InputError(f"{where}: no line of JSON, expected an article record; restore it") from None
        if not isinstance(record, dict):
            found = type(record).__name__
            raise InputError(f"{where}: found a {found}, expected an article record; restore it")
        yield where, record


def gather(family: SelfAssessTemplates, records: Iterable[tuple[str, Document]]) -> list[ArticlesByItem]:
    """Return what was written, by model, set and item, in the order in which they first occur."""
    groups: dict[tuple[str, str, str], dict[Article, ArticleRecord]] = {}
    for place, data in records:
        record = validate_record(family, place, data)
        group = groups.setdefault((record.model, record.set, record.item), {})
        if record.article in group:
            first = group[record.article].location
            raise InputError(f"{place}: id: {data['id']!r} of this model stands in {first} too; keep one")
        other = next(iter(group.values()), record)
        for name in ("category", "topic"):
            if getattr(other, name) != getattr(record, name):
                found, expected = getattr(record, name), getattr(other, name)
                raise InputError(
                    f"{place}: {name}: found {found!r}, expected {expected!r} as in {other.location}"
                )
        group[record.article] = record
    return [*groups.values()]


def validate_record(family: SelfAssessTemplates, place: str, data: Document) -> ArticleRecord:
    """Return a record whose fields are those of the family."""
    for name in _TEXTS:
        if name not in data or not isinstance(data[name], str):
            found = repr(data[name])[:40] if name in data else "nothing"
            raise InputError(f"{place}: {name}: found {found}, expected a text; add it")
    _one_of(place, "set", data["set"], tuple(family.sets))
    chosen = family.sets[data["set"]]
    role, perspective = data["role"], data["perspective"]
    _one_of(place, "role", role, _ROLES)
    _one_of(place, "perspective", perspective, (NEUTRAL,) if role == NEUTRAL else tuple(chosen.perspectives))
    _one_of(place, "side", data["side"], (chosen.side_of(perspective),))
    _one_of(place, "outcome", data["outcome"], _OUTCOMES)
    model, leak = data.get("model"), data.get("leak")
    if not isinstance(model, str | None):
        raise InputError(f"{place}: model: found {model!r}, expected a name")
    if leak is not None and not (isinstance(leak, list) and all(isinstance(word, str) for word in leak)):
        raise InputError(f"{place}: leak: found {str(leak)[:40]}, expected a list of words or nothing")
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
        place,
    )


def _one_of(place: str, field: str, found: str, expected: tuple[str, ...]) -> None:
    if found not in expected:
        raise InputError(f"{place}: {field}: found {found!r}, expected {' or '.join(expected)}; correct it")
