"""Titles of a user's news, without those about financial metrics alone."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import blake2b
from pathlib import Path

from pydantic import Field

from polbias.files import InputError, draft_of, guarded, package_file
from polbias.generators.engine.spreadsheets import sheet
from polbias.generators.language.similarity import folded
from polbias.generators.selfassess.perspective_leaks import Pattern
from polbias.limits import MAX_LINE
from polbias.lines import text_lines
from polbias.template_files import Entry, Name, Text, load_template, shown

# Tell news titles about financial metrics alone from those about policies and decisions.


class _Patterns(Entry):
    patterns: tuple[Pattern, ...] = Field(min_length=1)

    @cached_property
    def union(self) -> re.Pattern[str]:
        """All of them as one."""
        each = (one.inline for one in self.patterns)
        return re.compile(rf"(?<![\w&])(?:{'|'.join(each)})(?![\w&])")


class Reason(_Patterns):
    """Why a title is left out: it has one of the patterns.

    Attributes:
        says: in words.
        always: whether words of policy do not rescue the title.
    """

    says: Text
    always: bool = False


class _Columns(Entry):
    title: tuple[Text, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Title:
    """A title and what became of it.

    Attributes:
        row: below the head, from 1.
        text: with single blanks.
        reason: why it is left out, or None if it is kept.
        words: what the reason was found in; empty if there is none.
        policy: words of policy in it.
    """

    row: int
    text: str
    reason: str | None
    words: str = ""
    policy: str = ""


class TitleRules(Entry):
    """The paper's exclusion of purely financial titles, as ``titles.yaml`` has it.

    Attributes:
        columns: names of the column.
        reasons: in order.
        unless: what rescues a title.

    Source:
        Kennedy et al. 2025, section 3.
    """

    columns: _Columns
    reasons: Mapping[Name, Reason]
    unless: _Patterns

    def judge(self, title: str, row: int = 0) -> Title:
        """Return whether a title is left out, and why."""
        plain = title.replace("’", "'")
        rescued = self.unless.union.search(plain)
        policy = rescued[0] if rescued else ""
        for name, reason in self.reasons.items():
            if (reason.always or not rescued) and (found := reason.union.search(plain)):
                return Title(row, title, name, found[0], policy)
        return Title(row, title, None, "", policy)


@cache
def title_rules(path: Path | None = None) -> TitleRules:
    """Return the rules of a file, or those that ship with the package."""
    return load_template(path or package_file("templates/selfassess/titles.yaml"), TitleRules)


# Import of a user's own news titles, such as a copy of FNSPID: read, sifted by the rules, counted.

EMPTY, REPEATED = "empty", "repeated"
KEPT_COLUMNS = ("row", "title", "policy")
EXCLUDED_COLUMNS = ("row", "title", "reason", "words")
_MARKS = ",\t;"


Counts = Counter[str | None]
"""How many titles were left out by reason, and with None how many were kept."""


def told(counts: Counts, rules: TitleRules) -> list[str]:
    """Return the counts as a person reads them."""
    says = {name: reason.says for name, reason in rules.reasons.items()}
    says |= {EMPTY: "no title", REPEATED: "the same as one that is kept"}
    total, kept = counts.total(), counts[None]
    lines = [f"{total:,} titles: {kept:,} kept, {total - kept:,} left out"]
    return lines + [f"  {count:,} {name}: {says[name]}" for name, count in counts.most_common() if name]


def read_column(path: Path, column: str | None = None) -> Iterator[tuple[int, str]]:
    """Yield row number and text of one column of a table, row by row."""
    before = csv.field_size_limit(MAX_LINE)  # FNSPID has whole articles beside their titles
    try:
        rows = (f"{line}\n" for _, line in text_lines(path, MAX_LINE, strict=True))
        first = next(rows, "")
        mark = max(_MARKS, key=first.count)
        reader = csv.reader(rows, delimiter=mark)
        head = next(csv.reader([first], delimiter=mark), [])
        place = _place(path, [name.strip() for name in head], column)
        for row, cells in enumerate(reader, 1):
            yield row, " ".join(cells[place].split()) if place < len(cells) else ""
    except csv.Error as error:
        raise InputError(
            f"{shown(path)}:{reader.line_num + 1}: no table ({error}); restore this line"
        ) from None
    finally:
        csv.field_size_limit(before)


def _place(path: Path, head: Sequence[str], column: str | None) -> int:
    wanted = (column,) if column else (*title_rules().columns.title, "topic")
    lowered = [name.lower() for name in head]
    for name in wanted:
        if name.lower() in lowered:
            return lowered.index(name.lower())
    found = ", ".join(filter(None, head))[:120] or "nothing"
    expected = f"a column {column!r}" if column else f"a column such as {wanted[0]!r} or {wanted[1]!r}"
    raise InputError(f"{shown(path)}:1: head: found {found}; expected {expected}; name one with --column")


def sift(path: Path, rules: TitleRules, column: str | None = None) -> Iterator[Title]:
    """Yield every title with what becomes of it.

    Source:
        Kennedy et al. 2025, section 3 (EconoLex). The paper's selection went on by hand, for titles open to
        both readings; the words of policy in a title (`policy`) are a beginning of that.
    """
    kept: set[bytes] = set()
    for row, text in read_column(path, column):
        if not text:
            yield Title(row, text, EMPTY)
            continue
        title = rules.judge(text, row)
        if title.reason is None:
            key = blake2b(folded(text).encode(), digest_size=12).digest()
            if key in kept:
                title = Title(row, text, REPEATED, text)
            kept.add(key)
        yield title


def write_sifted(
    path: Path, rules: TitleRules, kept: Path, excluded: Path | None = None, column: str | None = None
) -> Counts:
    """Write the titles that are kept, and those that are not, each with its reason."""
    counts = Counts()
    targets = [target for target in (kept, excluded) if target]
    if len({target.resolve() for target in (path, *targets)}) <= len(targets):
        raise InputError(f"{kept}: found the same file twice, expected one to read and others to write")
    drafts = {target: draft_of(target) for target in targets}
    try:
        with ExitStack() as stack:
            files = {
                target: stack.enter_context(draft.open("w", encoding="utf-8", newline=""))
                for target, draft in drafts.items()
            }
            files[kept].write(sheet(KEPT_COLUMNS, []))
            if excluded:
                files[excluded].write(sheet(EXCLUDED_COLUMNS, []))
            for title in sift(path, rules, column):
                counts[title.reason] += 1
                if title.reason is None:
                    files[kept].write(_line(str(title.row), title.text, title.policy))
                elif excluded:
                    files[excluded].write(_line(str(title.row), title.text, title.reason, title.words))
        for target, draft in drafts.items():
            draft.replace(target)
    except OSError as error:
        raise InputError(f"{error.filename or kept}: cannot be written ({error.strerror})") from None
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)
    return counts


def _line(*cells: str) -> str:
    return sheet([guarded(cell) for cell in cells], [])
