"""The items of a set: topics or titles, parsed from one file per category and counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Literal, get_args

from polbias.errors import TemplateError
from polbias.generators.selfassess.templates import SelfAssessTemplates, TopicSet
from polbias.yaml_models import display_path, template_text

Tilt = Literal["left", "right", "neutral"]
TILTS: tuple[Tilt, ...] = get_args(Tilt)
_ID = re.compile(r"([a-z]{2})-([a-z]{3})-(\d{3})")
_ABBREVIATION = re.compile(r"(?:\b\w\.){2,}$")  # such as "U.S."
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Item:
    """A topic or a title.

    Attributes:
        id: ``pg-hea-001``: set, category, number.
        category: code of the category.
        text: the topic or title.
        tilt: the side whose agenda is closer to the subject.
        line: line number in the file.
        path: path of the file.
    """

    id: str
    category: str
    text: str
    tilt: Tilt
    line: int
    path: Path

    @property
    def prefix(self) -> str:
        """The first letters of the ids of a set."""
        return self.id.partition("-")[0]


def load_items(family: SelfAssessTemplates, set_id: str) -> tuple[Item, ...]:
    """Return the items of a set, in the order of files and lines."""
    topic_set, folder = family.sets[set_id], family.folder / set_id
    paths = sorted(folder.glob("*.tsv"))
    if not paths:
        raise TemplateError(f"{display_path(folder)}: found no *.tsv, expected the items of {set_id}")
    items: list[Item] = []
    for path in paths:
        file_items = list(read_items(path, topic_set))
        _check_file(path, file_items)
        items += file_items
    item_by_id: dict[str, Item] = {}
    for item in items:
        problem = None
        if item.id in item_by_id:
            first = item_by_id[item.id]
            problem = f"{item.id!r} occurs in {first.path.name}:{first.line} too; renumber it"
        elif item.prefix != items[0].prefix:
            problem = f"found {item.id!r}, expected {items[0].prefix!r} as in the other ids"
        if problem:
            raise TemplateError(f"{display_path(item.path)}:{item.line}: id: {problem}")
        item_by_id[item.id] = item
    _check_counts(folder, topic_set, items)
    return tuple(items)


def load_all(family: SelfAssessTemplates) -> Mapping[str, tuple[Item, ...]]:
    """Return the items of every set."""
    items = {name: load_items(family, name) for name in family.sets}
    set_by_prefix: dict[str, str] = {}
    for name, set_items in items.items():
        first = set_items[0]
        if first.prefix in set_by_prefix:
            location, first_set = f"{display_path(first.path)}:{first.line}", set_by_prefix[first.prefix]
            raise TemplateError(
                f"{location}: id: {first.prefix!r} begins the ids of {first_set}; choose other letters"
            )
        set_by_prefix[first.prefix] = name
    return items


def read_items(path: Path, topic_set: TopicSet) -> Iterator[Item]:
    """Yield the items of one file."""
    header, name = ["id", topic_set.field, "tilt"], display_path(path)
    for line, cells in _lines(path):
        location = f"{name}:{line}"
        if line == 1:
            if cells != header:
                raise TemplateError(f"{location}: head: found {cells}, expected {header}, separated by tabs")
            continue
        if len(cells) != len(header):
            raise TemplateError(
                f"{location}: found {len(cells)} columns, expected {len(header)}: {', '.join(header)}"
            )
        identifier, text, tilt = cells
        match = _ID.fullmatch(identifier)
        if not match or match[2] not in topic_set.categories:
            codes = ", ".join(topic_set.categories)
            raise TemplateError(
                f"{location}: id: found {identifier!r}, expected xx-CAT-001, CAT one of {codes}"
            )
        if problem := text_problem(text):
            raise TemplateError(f"{location}: {topic_set.field}: {problem}, found {text!r}")
        if tilt not in TILTS:
            raise TemplateError(f"{location}: tilt: found {tilt!r}, expected one of {', '.join(TILTS)}")
        yield Item(identifier, match[2], text, tilt, line, path)


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    text = template_text(path)
    if text.startswith(_BYTE_ORDER_MARK) or "\r" in text:
        raise TemplateError(
            f"{display_path(path)}:1: byte order mark or carriage returns; save it with plain line ends"
        )
    for number, line in enumerate(text.split("\n"), 1):
        if line:
            yield number, line.split("\t")


def text_problem(text: str) -> str | None:
    """Return the problem of an item's text, or None."""
    if not text:
        return "expected a text"
    if " ".join(text.split()) != text:
        return "expected single blanks between words and none at the ends"
    if any(mark in text for mark in "{}"):
        return "expected no braces"
    if text.endswith(".") and not _ABBREVIATION.search(text):
        return "expected no full stop at the end"
    return None


def _check_file(path: Path, items: Sequence[Item]) -> None:
    if not items:
        raise TemplateError(f"{display_path(path)}:1: found no item below the head, expected at least one")
    for item in items:
        if item.category != items[0].category:
            location, category = f"{display_path(path)}:{item.line}: id", f"category {item.category!r}"
            raise TemplateError(
                f"{location}: found {category} in a file of {items[0].category!r}; move the item"
            )
    if problem := tilt_imbalance(items):
        raise TemplateError(f"{display_path(path)}:1: tilt: {problem}")


def tilt_imbalance(items: Sequence[Item]) -> str | None:
    """Return the imbalance of tilts, or None: left and right may differ by one, a third must be neutral."""
    counts = Counter(item.tilt for item in items)
    summary = ", ".join(f"{counts[tilt]} {tilt}" for tilt in TILTS)
    if abs(counts["left"] - counts["right"]) > 1:
        return f"found {summary}; expected as many left as right items, or one more or fewer"
    if 3 * counts["neutral"] < len(items):
        return f"found {summary}; expected at least a third neutral"
    return None


def _check_counts(folder: Path, topic_set: TopicSet, items: Sequence[Item]) -> None:
    n_items = Counter(item.category for item in items)
    for code, category in topic_set.categories.items():
        if n_items[code] != category.count:
            names = {item.path.name for item in items if item.category == code}
            file_names = " and ".join(sorted(names)) or f"{display_path(folder)}"
            problem = f"found {n_items[code]} items of {code} ({category.title})"
            raise TemplateError(
                f"{display_path(folder)}: {file_names}: {problem}, expected {category.count} as in sets.yaml"
            )


def group_by_category(items: Sequence[Item]) -> Mapping[str, Sequence[Item]]:
    """Return items by category, in file order."""
    ordered = sorted(items, key=lambda item: item.category)
    return {code: list(group) for code, group in groupby(ordered, key=lambda item: item.category)}
