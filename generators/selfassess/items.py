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
from polbias.generators.selfassess.perspective_leaks import missing_word_lists
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

    @property
    def location(self) -> str:
        """File and line, for messages."""
        return f"{display_path(self.path)}:{self.line}"


def load_items(family: SelfAssessTemplates, set_id: str) -> tuple[Item, ...]:
    """Return the items of a set, in the order of files and lines.

    Raises:
        TemplateError: with every problem of the files, one on each line.
    """
    problems: list[str] = []
    items = _read_set(family, set_id, problems)
    _raise_problems(problems)
    return items


def load_all(family: SelfAssessTemplates) -> Mapping[str, tuple[Item, ...]]:
    """Return the items of every set.

    Raises:
        TemplateError: with every problem of items and of word lists of any set, one on each line.
    """
    problems: list[str] = []
    items = {name: _read_set(family, name, problems) for name in family.sets}
    set_by_prefix: dict[str, str] = {}
    for name, set_items in items.items():
        for first in set_items[:1]:
            first_set = set_by_prefix.setdefault(first.prefix, name)
            if first_set != name:
                problem = f"id: {first.prefix!r} begins the ids of {first_set}; choose other letters"
                problems.append(f"{first.location}: {problem}")
    problems += missing_word_lists(family.folder, family.sets)
    _raise_problems(problems)
    return items


def _raise_problems(problems: Sequence[str]) -> None:
    if problems:
        raise TemplateError("\n".join(problems))


def _read_set(family: SelfAssessTemplates, set_id: str, problems: list[str]) -> tuple[Item, ...]:
    """Return the valid items of a set, and append the problems of the others."""
    topic_set, folder = family.sets[set_id], family.folder / set_id
    paths = sorted(folder.glob("*.tsv"))
    if not paths:
        problems.append(f"{display_path(folder)}: found no *.tsv, expected the items of {set_id}")
        return ()
    item_by_id: dict[str, Item] = {}
    balance_problems: list[str] = []
    n_earlier = len(problems)
    for path in paths:
        n_before = len(problems)
        file_items = _parse_items(path, topic_set, problems)
        if len(problems) == n_before:  # the balance of a file is that of all its items
            balance_problems += _file_problems(path, file_items)
        for item in file_items:
            first = item_by_id.setdefault(item.id, item)
            prefix = next(iter(item_by_id.values())).prefix
            if first is not item:
                problem = f"{item.id!r} occurs in {first.path.name}:{first.line} too; renumber it"
                problems.append(f"{item.location}: id: {problem}")
            elif item.prefix != prefix:
                problem = f"found {item.id!r}, expected {prefix!r} as in the other ids"
                problems.append(f"{item.location}: id: {problem}")
    items = tuple(item_by_id.values())
    is_complete = len(problems) == n_earlier  # the counts are those of all items
    problems += balance_problems
    if is_complete:
        problems += _count_problems(folder, topic_set, items)
    return items


def read_items(path: Path, topic_set: TopicSet) -> Sequence[Item]:
    """Return the items of one file.

    Raises:
        TemplateError: with every problem of the file, one on each line.
    """
    problems: list[str] = []
    items = _parse_items(path, topic_set, problems)
    _raise_problems(problems)
    return items


def _parse_items(path: Path, topic_set: TopicSet, problems: list[str]) -> Sequence[Item]:
    """Return the valid items of a file, and append the problems of its other lines."""
    header, items = ["id", topic_set.field, "tilt"], list[Item]()
    for line, cells in _lines(path):
        if line == 1 and cells != header:
            expected = f"expected {header}, separated by tabs"
            problems.append(f"{display_path(path)}:1: head: found {cells}, {expected}")
            return []
        if line == 1:
            continue
        if problem := _line_problem(cells, topic_set):
            problems.append(f"{display_path(path)}:{line}: {problem}")
            continue
        identifier, text, tilt = cells
        items.append(Item(identifier, identifier.split("-")[1], text, tilt, line, path))  # type: ignore[arg-type]
    return items


def _line_problem(cells: Sequence[str], topic_set: TopicSet) -> str | None:
    """Return the problem of the cells of a line, or None."""
    header = ["id", topic_set.field, "tilt"]
    if len(cells) != len(header):
        return f"found {len(cells)} columns, expected {len(header)}: {', '.join(header)}"
    identifier, text, tilt = cells
    match = _ID.fullmatch(identifier)
    if not match or match[2] not in topic_set.categories:
        codes = ", ".join(topic_set.categories)
        return f"id: found {identifier!r}, expected xx-CAT-001, CAT one of {codes}"
    if problem := text_problem(text):
        return f"{topic_set.field}: {problem}, found {text!r}"
    return None if tilt in TILTS else f"tilt: found {tilt!r}, expected one of {', '.join(TILTS)}"


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


def _file_problems(path: Path, items: Sequence[Item]) -> list[str]:
    """Return the problems of a file whose lines are valid."""
    if not items:
        return [f"{display_path(path)}:1: found no item below the head, expected at least one"]
    problems = [
        f"{item.location}: id: found category {item.category!r} in a file of {items[0].category!r}; "
        "move the item"
        for item in items
        if item.category != items[0].category
    ]
    if problem := tilt_imbalance(items):
        problems.append(f"{display_path(path)}:1: tilt: {problem}")
    return problems


def tilt_imbalance(items: Sequence[Item]) -> str | None:
    """Return the imbalance of tilts, or None: left and right may differ by one, a third must be neutral."""
    counts = Counter(item.tilt for item in items)
    rules = []
    if abs(counts["left"] - counts["right"]) > 1:
        rules.append("as many left as right items, or one more or fewer")
    if 3 * counts["neutral"] < len(items):
        rules.append(f"at least a third neutral, {-(-len(items) // 3)} of {len(items)}")
    if not rules:
        return None
    summary = ", ".join(f"{counts[tilt]} {tilt}" for tilt in TILTS)
    return f"found {summary}; expected {' and '.join(rules)}; change items or their tilt"


def _count_problems(folder: Path, topic_set: TopicSet, items: Sequence[Item]) -> Iterator[str]:
    """Yield the categories whose number of items differs from sets.yaml."""
    n_items = Counter(item.category for item in items)
    for code, category in topic_set.categories.items():
        if n_items[code] != category.count:
            names = {item.path.name for item in items if item.category == code}
            file_names = " and ".join(sorted(names)) or f"{display_path(folder)}"
            problem = f"found {n_items[code]} items of {code} ({category.title})"
            expected = f"expected {category.count} as in sets.yaml"
            advice = "correct its count there, or add or remove items"
            yield f"{display_path(folder)}: {file_names}: {problem}, {expected}; {advice}"


def group_by_category(items: Sequence[Item]) -> Mapping[str, Sequence[Item]]:
    """Return items by category, in file order."""
    ordered = sorted(items, key=lambda item: item.category)
    return {code: list(group) for code, group in groupby(ordered, key=lambda item: item.category)}
