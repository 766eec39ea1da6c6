"""The review file: doubtful texts for a native speaker to judge, as a TSV that any spreadsheet opens."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from polbias.cells import guarded, unguarded
from polbias.files import InputError
from polbias.generators.engine.spreadsheets import SheetError, sheet, sheet_lines, sheet_text
from polbias.generators.policy.quality import codes
from polbias.generators.policy.quality_set import Found, Item
from polbias.generators.policy.quality_words import quality
from polbias.generators.policy.statements import VARIANTS
from polbias.template_files import MAX_TEXT, shown

COLUMNS = ("statement", "language", "variant", "text", "findings", "suggestion", "decision", "reviewer")
ACCEPT, REJECT = "accept", "reject"
_NEEDED = 5  # columns that are never empty
_DECISIONS = "'accept', 'reject' or the corrected sentence"
# Tabs, line ends and braces, and what YAML cannot hold: the statement file would be lost.
_UNFIT = re.compile("[^ -z|~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Row:
    """One text with its findings and what the reviewer decided.

    Attributes:
        statement: its id.
        language: of the text.
        variant: such as "negation".
        text: as it stood when the file was written.
        findings: codes of the gate.
        suggestion: what the gate would write; empty if it knows nothing better.
        decision: "accept", "reject", the corrected sentence, or empty while nobody has decided.
        reviewer: who decided.
        line: in the file it was read from; 0 if it was not.
    """

    statement: str
    language: str
    variant: str
    text: str
    findings: tuple[str, ...]
    suggestion: str = ""
    decision: str = ""
    reviewer: str = ""
    line: int = 0

    @property
    def key(self) -> Key:
        """Statement, language and variant."""
        return self.statement, self.language, self.variant

    @property
    def kind(self) -> Literal["open", "accept", "reject", "correct"]:
        """What kind of decision it is."""
        if self.decision in ("", ACCEPT, REJECT):
            return self.decision or "open"  # type: ignore[return-value]
        return "correct"


def rows(statements: Sequence[Item], found: Iterable[Found]) -> list[Row]:
    """Return the rows of the texts that have findings, in the order of the findings.

    Args:
        statements: the statements that went through the gate.
        found: what it found.
    """
    texts = {item.id: item.wordings for item in statements}
    by_place: dict[Key, list[str]] = {}
    for each in found:
        place = each.statement, each.language, each.finding.variant
        by_place.setdefault(place, []).append(each.finding.code)
    made = []
    for (statement, language, variant), names in by_place.items():
        text = texts[statement][language][variant]
        mended = " ".join(text.split()) if "stray-whitespace" in names else text
        if "missing-final-punctuation" in names:
            mended = mended.rstrip(" ,;:") + "."
        made.append(Row(statement, language, variant, text, tuple(names), mended if mended != text else ""))
    return made


def write_review(path: Path, found: Iterable[Row]) -> None:
    """Write a review file; decisions that it already holds on the same texts are kept.

    A decision on a text that is no longer in doubt, or has changed, goes.

    Args:
        path: the file; it need not exist.
        found: the rows.

    Raises:
        SheetError: if the file exists and cannot be read, so that no work in it is lost.
        InputError: if it cannot be written.
    """
    before = {(row.key, row.text): row for row in read_review(path)} if path.exists() else {}
    lines = []
    for row in found:
        old = before.get((row.key, row.text))
        kept = replace(row, decision=old.decision, reviewer=old.reviewer) if old else row
        lines.append(
            [*kept.key, kept.text, ", ".join(kept.findings), kept.suggestion, kept.decision, kept.reviewer]
        )
    text = sheet(COLUMNS, ([guarded(cell) for cell in line] for line in lines))
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8", newline="")
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InputError(
            f"{shown(path)}: cannot be written ({error.strerror}); choose another place"
        ) from None


def read_review(path: Path) -> list[Row]:
    """Read a review file, as it was written or as a spreadsheet saved it.

    Args:
        path: the file.

    Returns:
        Its rows in order, those without a decision too.

    Raises:
        SheetError: with one line for every line of the file that cannot be used: file, line, field, what was
            found, what was expected and what to do.
    """
    text = sheet_text(path, "a review file")
    problems: list[str] = []
    read: dict[Key, Row] = {}
    for line, cells in _records(path, text):
        name = f"{shown(path)}:{line}"
        if isinstance(cells, str):
            problems.append(f"{name}: {cells}")
            continue
        row = _row(line, cells)
        problem = _problem(row)
        if row.key in read:
            first = read[row.key].line
            problem = f"statement: {' '.join(row.key)} stands in line {first} too; keep one of the lines"
        if problem:
            problems.append(f"{name}: {problem}")
        else:
            read[row.key] = row
    if problems:
        raise SheetError(problems)
    return list(read.values())


def _records(path: Path, text: str) -> Iterator[tuple[int, list[str] | str]]:
    """Yield line and cells of every line after the head, or what is wrong with it."""
    lines = sheet_lines(text)
    _, first = next(lines, (1, [""]))
    head = [cell.strip() for cell in first] if isinstance(first, list) else []
    if head != list(COLUMNS):
        expected = ", ".join(COLUMNS)
        found = ", ".join(head)[:80] or "nothing"
        raise SheetError(
            [f"{shown(path)}:1: head: found {found}; expected {expected}, separated by tabs; restore it"]
        )
    for line, cells in lines:
        if isinstance(cells, str):
            yield line, cells
            continue
        if len(cells) >= _NEEDED:  # some programs drop empty cells at the end
            cells += [""] * (len(COLUMNS) - len(cells))
        count = len(cells)
        wrong = f"found {count} columns, expected {len(COLUMNS)}; restore the tabs of this line"
        yield line, cells if count == len(COLUMNS) else wrong


def _row(line: int, cells: Sequence[str]) -> Row:
    cells = [unguarded(cell) for cell in cells]
    statement, language, variant, text, findings, suggestion, decision, reviewer = cells
    names = tuple(name.strip() for name in findings.split(",") if name.strip())
    decision = decision.strip()
    if decision.lower() in (ACCEPT, REJECT):
        decision = decision.lower()
    place = statement.strip(), language.strip(), variant.strip()
    return Row(*place, text, names, suggestion, decision, reviewer.strip(), line)


def _problem(row: Row) -> str | None:
    """Return what is wrong with a row by itself: field, found, expected, what to do."""
    for field, value in zip(COLUMNS, (*row.key, row.text), strict=False):
        if not value:
            return f"{field}: found nothing, expected what was there; restore it"
    if row.variant not in VARIANTS:
        return f"variant: found {row.variant!r}, expected one of {', '.join(VARIANTS)}; restore it"
    unknown = [name for name in row.findings if name not in codes()]
    if unknown:
        return f"findings: found {unknown[0]!r}, expected codes such as 'force-lost'; restore it"
    if row.kind == "correct":
        wrong = _wrong(row.decision)
        if wrong:
            return f"decision: found {row.decision[:60]!r}, {wrong}"
        if row.decision == row.text:
            return "decision: found the text unchanged, expected a correction; write 'accept' to leave it"
    if row.decision and not row.reviewer:
        return "reviewer: found nothing beside a decision, expected a name or initials; add them"
    if row.reviewer and not row.decision:
        return f"decision: found nothing beside the reviewer {row.reviewer!r}, expected {_DECISIONS}; add it"
    return None


def _wrong(decision: str) -> str | None:
    if len(decision) > MAX_TEXT:
        return f"{len(decision):,} characters, expected at most {MAX_TEXT:,}; shorten it"
    if _UNFIT.search(decision):
        return f"expected one line without tabs, braces and control characters; write {_DECISIONS}"
    if not decision.endswith(quality().limits.ends):
        return f"expected {_DECISIONS}; a sentence ends with a full stop"
    return None


def decisions(reviewed: Iterable[Row]) -> Mapping[Key, Row]:
    """Return the rows that somebody has decided, by statement, language and variant."""
    return {row.key: row for row in reviewed if row.kind != "open"}
