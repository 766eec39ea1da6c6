"""The items of a set: topics or titles, one file a category, read and counted."""

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
        category: its code.
        text: the topic or title.
        tilt: whose agenda it is closer to as a subject.
        line: in its file.
        path: of its file.
    """

    id: str
    category: str
    text: str
    tilt: Tilt
    line: int
    path: Path

    @property
    def prefix(self) -> str:
        """The letters that ids of a set begin with."""
        return self.id.partition("-")[0]


def load_items(family: SelfAssessTemplates, set_id: str) -> tuple[Item, ...]:
    """Return the items of a set, in the order of files and lines."""
    chosen, folder = family.sets[set_id], family.folder / set_id
    paths = sorted(folder.glob("*.tsv"))
    if not paths:
        raise TemplateError(f"{display_path(folder)}: found no *.tsv, expected the items of {set_id}")
    items: list[Item] = []
    for path in paths:
        own = list(read_items(path, chosen))
        _check_file(path, own)
        items += own
    seen: dict[str, Item] = {}
    for item in items:
        problem = None
        if item.id in seen:
            other = seen[item.id]
            problem = f"{item.id!r} stands in {other.path.name}:{other.line} too; renumber it"
        elif item.prefix != items[0].prefix:
            problem = f"found {item.id!r}, expected {items[0].prefix!r} as in the other ids"
        if problem:
            raise TemplateError(f"{display_path(item.path)}:{item.line}: id: {problem}")
        seen[item.id] = item
    _check_counts(folder, chosen, items)
    return tuple(items)


def load_all(family: SelfAssessTemplates) -> Mapping[str, tuple[Item, ...]]:
    """Return the items of every set."""
    items = {name: load_items(family, name) for name in family.sets}
    seen: dict[str, str] = {}
    for name, own in items.items():
        first = own[0]
        if first.prefix in seen:
            where, other = f"{display_path(first.path)}:{first.line}", seen[first.prefix]
            raise TemplateError(
                f"{where}: id: {first.prefix!r} begins the ids of {other}; choose other letters"
            )
        seen[first.prefix] = name
    return items


def read_items(path: Path, chosen: TopicSet) -> Iterator[Item]:
    """Yield the items of one file."""
    head, name = ["id", chosen.field, "tilt"], display_path(path)
    for line, cells in _lines(path):
        where = f"{name}:{line}"
        if line == 1:
            if cells != head:
                raise TemplateError(f"{where}: head: found {cells}, expected {head}, separated by tabs")
            continue
        if len(cells) != len(head):
            raise TemplateError(
                f"{where}: found {len(cells)} columns, expected {len(head)}: {', '.join(head)}"
            )
        identifier, text, tilt = cells
        matched = _ID.fullmatch(identifier)
        if not matched or matched[2] not in chosen.categories:
            known = ", ".join(chosen.categories)
            raise TemplateError(f"{where}: id: found {identifier!r}, expected xx-CAT-001, CAT one of {known}")
        if problem := text_problem(text):
            raise TemplateError(f"{where}: {chosen.field}: {problem}, found {text!r}")
        if tilt not in TILTS:
            raise TemplateError(f"{where}: tilt: found {tilt!r}, expected one of {', '.join(TILTS)}")
        yield Item(identifier, matched[2], text, tilt, line, path)


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
    """Return what is wrong with the text of an item; None if nothing is."""
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
            where, found = f"{display_path(path)}:{item.line}: id", f"category {item.category!r}"
            raise TemplateError(f"{where}: found {found} in a file of {items[0].category!r}; move the item")
    if problem := tilt_imbalance(items):
        raise TemplateError(f"{display_path(path)}:1: tilt: {problem}")


def tilt_imbalance(items: Sequence[Item]) -> str | None:
    """Return how tilts are out of balance, or None: left and right equal within one, a third neutral."""
    counts = Counter(item.tilt for item in items)
    told = ", ".join(f"{counts[tilt]} {tilt}" for tilt in TILTS)
    if abs(counts["left"] - counts["right"]) > 1:
        return f"found {told}; expected as many left as right ones, or one more or less"
    if 3 * counts["neutral"] < len(items):
        return f"found {told}; expected at least a third neutral"
    return None


def _check_counts(folder: Path, chosen: TopicSet, items: Sequence[Item]) -> None:
    found = Counter(item.category for item in items)
    for code, category in chosen.categories.items():
        if found[code] != category.count:
            names = {item.path.name for item in items if item.category == code}
            where = " and ".join(sorted(names)) or f"{display_path(folder)}"
            what = f"found {found[code]} items of {code} ({category.title})"
            raise TemplateError(
                f"{display_path(folder)}: {where}: {what}, expected {category.count} as in sets.yaml"
            )


def by_category(items: Sequence[Item]) -> Mapping[str, Sequence[Item]]:
    """Return items by category, in their order."""
    ordered = sorted(items, key=lambda item: item.category)
    return {code: list(own) for code, own in groupby(ordered, key=lambda item: item.category)}
