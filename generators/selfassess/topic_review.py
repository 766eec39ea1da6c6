"""The review file of suggested items: a person accepts or rejects, corrects the text and says the tilt."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polbias.files import InputError
from polbias.generators.authoring.topics import Suggestion
from polbias.generators.engine.spreadsheets import SheetError
from polbias.generators.engine.suggestions import ReviewFile
from polbias.generators.selfassess.items import TILTS, Item, untidy
from polbias.generators.selfassess.templates import Set
from polbias.template_files import shown

_SAID = ("category", "text", "tilt", "status", "near", "score", "notes", "place")
_DECIDED = ("decision", "correction", "corrected_tilt", "reviewer")
_FILE = ReviewFile("a review file of items", ("category", "text"), _SAID, _DECIDED)
COLUMNS = _FILE.columns
ACCEPT, REJECT = "accept", "reject"
_LAST = 999  # number that an id can have
_LETTERS_TRIED = 60  # of a title, for a code
_LETTERS = re.compile(r"[a-z]{2}")


@dataclass(frozen=True, slots=True)
class Accepted:
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


def review_tsv(found: Iterable[Suggestion], before: Sequence[Mapping[str, str]] = ()) -> str:
    """Return a review file; see `ReviewFile.text`."""
    return _FILE.text(found, before)


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the lines of a review file, whatever is decided; see `ReviewFile.rows`."""
    return _FILE.rows(path)


def read_review(path: Path, chosen: Set, items: Sequence[Item], prefix: str | None = None) -> Accepted:
    """Read a review file that somebody has filled in, and number what is accepted.

    ``decision`` is accept, reject or empty; ``correction`` and ``corrected_tilt`` replace text and tilt where
    they are not empty.

    Args:
        path: the file.
        chosen: the set.
        items: its items, after which numbers go on; may be empty.
        prefix: two letters that ids begin with; by default those of the items.

    Raises:
        SheetError: with one line for every line that cannot be used.
        InputError: if there is no prefix, or there are too many items for three digits.
    """
    letters = prefix or next((item.prefix for item in items), "")
    if not _LETTERS.fullmatch(letters):
        raise InputError(
            f"prefix: found {letters!r}, expected the two letters that ids begin with, such as pg"
        )
    codes = {category.title: code for code, category in chosen.categories.items()}
    last = {
        item.category: max(_number(each) for each in items if each.category == item.category)
        for item in items
    }
    taken = {item.text.casefold() for item in items}
    files: dict[str, list[tuple[str, str, str]]] = {}
    titles: dict[str, str] = {}
    problems: list[str] = []
    rows = read_rows(path)
    for row in rows:
        decision = row["decision"].lower()
        text, tilt = row["correction"] or row["text"], row["corrected_tilt"] or row["tilt"]
        problem = _problem(row, decision, text, tilt)
        if not problem and decision == ACCEPT and text.casefold() in taken:
            problem = "text: found an item that is there already; reject it"
        if problem:
            problems.append(f"{shown(path)}:{row['line']}: {problem}")
        elif decision == ACCEPT:
            taken.add(text.casefold())
            code = codes.get(row["category"])
            if code is None:
                code = _code(row["category"], codes.values())
                if code is None:
                    raise InputError(
                        f"{shown(path)}:{row['line']}: category: found {row['category'][:60]!r}, no three "
                        "letters of which are free as a code; rename it"
                    )
                codes[row["category"]] = code
                titles[code] = row["category"]
            last[code] = last.get(code, 0) + 1
            if last[code] > _LAST:
                raise InputError(f"{shown(path)}: category {code} has more than {_LAST} items; split it")
            files.setdefault(code, []).append((f"{letters}-{code}-{last[code]:03}", text, tilt))
    if problems:
        raise SheetError(problems)
    decisions = Counter(row["decision"].lower() for row in rows)
    return Accepted(files, titles, decisions[REJECT], decisions[""])


def _problem(row: Mapping[str, str], decision: str, text: str, tilt: str) -> str:
    if decision not in ("", ACCEPT, REJECT):
        return f"decision: found {row['decision']!r}, expected accept, reject or nothing; correct it"
    if not (row["category"] and row["text"]):
        return "category, text: found nothing, expected what was suggested; restore it"
    if decision and not row["reviewer"]:
        return "reviewer: found nothing beside a decision, expected a name or initials; add them"
    if decision != ACCEPT:
        return ""
    if tilt not in TILTS:
        return f"corrected_tilt: found {tilt or 'nothing'}, expected one of {', '.join(TILTS)}; add it"
    if wrong := untidy(text):
        return f"correction: found {text[:60]!r}, {wrong}; correct it"
    return ""


def _number(item: Item) -> int:
    return int(item.id.rpartition("-")[2])


def _code(title: str, taken: Iterable[str]) -> str | None:
    """Return three letters for a new category: of its title, the first that are free."""
    known, letters = set(taken), re.sub(r"[^a-z]", "", title.lower())[:_LETTERS_TRIED] + "abc"
    for second in range(1, len(letters) - 1):
        for third in range(second + 1, len(letters)):
            code = letters[0] + letters[second] + letters[third]
            if code not in known:
                return code
    return None
