"""Review of policy statements by a native speaker."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polbias.atomic_write import write_text
from polbias.generators.authoring.quality_gate import StatementFinding, codes
from polbias.generators.policy.items import GateItem
from polbias.generators.policy.templates import VARIANTS
from polbias.generators.policy.text_checks import quality
from polbias.limits import MAX_TEXT
from polbias.spreadsheet_cells import escape_formula
from polbias.spreadsheets import ACCEPT, REJECT, read_rows, sheet

# The review file: doubtful texts that a native speaker judges, as TSV for any spreadsheet.

COLUMNS = ("statement", "language", "variant", "text", "findings", "suggestion", "decision", "reviewer")
_N_REQUIRED_COLUMNS = 5  # columns that are never empty
_DECISIONS = "'accept', 'reject' or the corrected sentence"
# Tabs, line ends, braces, and characters that the YAML of a statement file cannot contain.
_UNFIT = re.compile("[^ -z|~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """One text with its findings and the reviewer's decision.

    Attributes:
        statement: id of the statement.
        language: of the text.
        variant: such as "negation".
        text: as of the writing of the file.
        findings: codes of the gate.
        suggestion: the gate's correction; empty if it has none.
        decision: "accept", "reject", the corrected sentence, or empty while undecided.
        reviewer: name or initials of the reviewer.
    """

    statement: str
    language: str
    variant: str
    text: str
    findings: tuple[str, ...]
    suggestion: str = ""
    decision: str = ""
    reviewer: str = ""

    @property
    def key(self) -> Key:
        """Statement, language and variant."""
        return self.statement, self.language, self.variant

    @property
    def kind(self) -> str:
        """The kind of decision: "accept", "reject", "correct", or empty while undecided."""
        return self.decision if self.decision in ("", ACCEPT, REJECT) else "correct"


def rows(statements: Sequence[GateItem], findings: Iterable[StatementFinding]) -> list[ReviewRow]:
    """Return the review rows of the texts with findings, in the order of the findings."""
    wordings = {item.id: item.wordings for item in statements}
    codes_by_key: dict[Key, list[str]] = {}
    for statement_finding in findings:
        key = statement_finding.statement, statement_finding.language, statement_finding.finding.variant
        codes_by_key.setdefault(key, []).append(statement_finding.finding.code)
    review_rows = []
    for (statement, language, variant), finding_codes in codes_by_key.items():
        text = wordings[statement][language][variant]
        suggestion = " ".join(text.split()) if "stray-whitespace" in finding_codes else text
        if "missing-final-punctuation" in finding_codes:
            suggestion = suggestion.rstrip(" ,;:") + "."
        review_rows.append(
            ReviewRow(
                statement,
                language,
                variant,
                text,
                tuple(finding_codes),
                suggestion if suggestion != text else "",
            )
        )
    return review_rows


def write_review(path: Path, review_rows: Iterable[ReviewRow]) -> None:
    """Write a review file, and keep its existing decisions on unchanged texts.

    Decisions on texts that changed or have no more findings are dropped.
    """
    earlier_rows = {(row.key, row.text): row for row in read_review(path)} if path.exists() else {}
    lines = []
    for row in review_rows:
        earlier_row = earlier_rows.get((row.key, row.text), row)
        cells = (
            *row.key,
            row.text,
            ", ".join(row.findings),
            row.suggestion,
            earlier_row.decision,
            earlier_row.reviewer,
        )
        lines.append([escape_formula(cell) for cell in cells])
    write_text(path, sheet(COLUMNS, lines))


def read_review(path: Path) -> list[ReviewRow]:
    """Parse a review file, as written or as saved by a spreadsheet."""
    line_by_key: dict[Key, int] = {}

    def read(cells: Mapping[str, str], line: int) -> ReviewRow:
        finding_codes = tuple(name.strip() for name in cells["findings"].split(",") if name.strip())
        decision = cells["decision"]
        if decision.lower() in (ACCEPT, REJECT):
            decision = decision.lower()
        key = cells["statement"], cells["language"], cells["variant"]
        row = ReviewRow(*key, cells["text"], finding_codes, cells["suggestion"], decision, cells["reviewer"])
        if key in line_by_key:
            raise ValueError(
                f"statement: found {' '.join(key)} in line {line_by_key[key]} too; keep one of the lines"
            )
        if error := _row_error(row):
            raise ValueError(error)
        line_by_key[key] = line
        return row

    return read_rows(
        path, COLUMNS, "a review file", read, exact=("text", "suggestion"), min_cells=_N_REQUIRED_COLUMNS
    )


def _row_error(row: ReviewRow) -> str | None:
    """Return the error of a row: field, found, expected, advice."""
    for field, value in zip(COLUMNS, (*row.key, row.text), strict=False):
        if not value:
            return f"{field}: found nothing, expected the original value; restore it"
    if row.variant not in VARIANTS:
        return f"variant: found {row.variant!r}, expected one of {', '.join(VARIANTS)}; restore it"
    unknown = [name for name in row.findings if name not in codes()]
    if unknown:
        return f"findings: found {unknown[0]!r}, expected codes such as 'force-lost'; restore it"
    if row.kind == "correct":
        error = _correction_error(row.decision)
        if error:
            return f"decision: found {row.decision[:60]!r}, {error}"
        if row.decision == row.text:
            return "decision: found the text unchanged, expected a correction; write 'accept' to leave it"
    if row.decision and not row.reviewer:
        return "reviewer: found nothing with a decision, expected a name or initials; add them"
    if row.reviewer and not row.decision:
        return f"decision: found nothing with reviewer {row.reviewer!r}, expected {_DECISIONS}; add it"
    return None


def _correction_error(decision: str) -> str | None:
    if len(decision) > MAX_TEXT:
        return f"{len(decision):,} characters, expected at most {MAX_TEXT:,}; shorten it"
    if _UNFIT.search(decision):
        return f"expected one line without tabs, braces and control characters; write {_DECISIONS}"
    if not decision.endswith(quality().limits.ends):
        return f"expected {_DECISIONS}; a sentence ends with a full stop"
    return None
