"""Review of policy statements by a native speaker."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from polbias.files import InputError, guarded, write_text
from polbias.generators.engine.spreadsheets import ACCEPT, REJECT, SheetError, read_rows, sheet
from polbias.generators.policy.quality import Found, Item, codes, defects, quality
from polbias.generators.policy.templates import VARIANTS, StatementsFile, load_statements, texts
from polbias.limits import MAX_TEXT
from polbias.template_files import shown

# The review file: doubtful texts for a native speaker to judge, as a TSV that any spreadsheet opens.

COLUMNS = ("statement", "language", "variant", "text", "findings", "suggestion", "decision", "reviewer")
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
    def kind(self) -> str:
        """What kind of decision it is: "accept", "reject", "correct", or empty while there is none."""
        return self.decision if self.decision in ("", ACCEPT, REJECT) else "correct"


def rows(statements: Sequence[Item], found: Iterable[Found]) -> list[Row]:
    """Return the rows of the texts that have findings, in the order of the findings."""
    wordings = {item.id: item.wordings for item in statements}
    by_place: dict[Key, list[str]] = {}
    for each in found:
        place = each.statement, each.language, each.finding.variant
        by_place.setdefault(place, []).append(each.finding.code)
    made = []
    for (statement, language, variant), names in by_place.items():
        text = wordings[statement][language][variant]
        mended = " ".join(text.split()) if "stray-whitespace" in names else text
        if "missing-final-punctuation" in names:
            mended = mended.rstrip(" ,;:") + "."
        made.append(Row(statement, language, variant, text, tuple(names), mended if mended != text else ""))
    return made


def write_review(path: Path, found: Iterable[Row]) -> None:
    """Write a review file; decisions that it already holds on the same texts are kept.

    A decision on a text that is no longer in doubt, or has changed, goes.
    """
    before = {(row.key, row.text): row for row in read_review(path)} if path.exists() else {}
    lines = []
    for row in found:
        old = before.get((row.key, row.text), row)
        cells = *row.key, row.text, ", ".join(row.findings), row.suggestion, old.decision, old.reviewer
        lines.append([guarded(cell) for cell in cells])
    write_text(path, sheet(COLUMNS, lines))


def read_review(path: Path) -> list[Row]:
    """Read a review file, as it was written or as a spreadsheet saved it."""
    first: dict[Key, int] = {}

    def read(cells: Mapping[str, str], line: int) -> Row:
        names = tuple(name.strip() for name in cells["findings"].split(",") if name.strip())
        decision = cells["decision"]
        if decision.lower() in (ACCEPT, REJECT):
            decision = decision.lower()
        place = cells["statement"], cells["language"], cells["variant"]
        row = Row(*place, cells["text"], names, cells["suggestion"], decision, cells["reviewer"], line)
        if place in first:
            raise ValueError(
                f"statement: {' '.join(place)} stands in line {first[place]} too; keep one of the lines"
            )
        if problem := _problem(row):
            raise ValueError(problem)
        first[place] = line
        return row

    return read_rows(path, COLUMNS, "a review file", read, exact=("text", "suggestion"), least=_NEEDED)


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


# Corrections of a review file put into the statement files, where nothing else changes.


def apply_corrections(review: Path, reviewed: Iterable[Row], files: Sequence[Path]) -> list[Row]:
    """Write the corrections of a review into statement files: all of them, or none if one cannot be used.

    Comments, order and layout stay; of a file only the corrected sentences change. Returns what is decided.
    """
    known = {path: load_statements(path) for path in files}
    before = {path: _texts(file) for path, file in known.items()}
    owner = {statement: path for path, found in before.items() for statement, _, _ in found}
    decided = [row for row in reviewed if row.decision]
    problems = {row.key: _stale(row, owner, before) for row in decided}
    corrected = [row for row in decided if row.kind == "correct" and not problems[row.key]]
    own = {path: [row for row in corrected if owner[row.statement] == path] for path in files}
    after = {path: before[path] | {row.key: row.decision for row in found} for path, found in own.items()}
    for row in corrected:
        path = owner[row.statement]
        problems[row.key] = _defective(row, after[path], known[path].country)
    told = [f"{shown(review)}:{row.line}: {problems[row.key]}" for row in decided if problems[row.key]]
    if told:
        raise SheetError(told)
    new = {path: _corrected(path, found, after[path]) for path, found in own.items() if found}
    for path, text in new.items():
        write_text(path, text)
    return decided


def _texts(file: StatementsFile) -> dict[Key, str]:
    return {
        (each.id, language, variant): text
        for each in file.statements
        for language, variant, text in texts(each)
    }


def _stale(row: Row, owner: Mapping[str, Path], before: Mapping[Path, Mapping[Key, str]]) -> str | None:
    """Return why a row does not fit the statement files."""
    if row.statement not in owner:
        return f"statement: found {row.statement!r}, expected the id of a statement; restore it"
    path = owner[row.statement]
    current = before[path].get(row.key)
    if current is None:
        here = dict.fromkeys(
            language for statement, language, _ in before[path] if statement == row.statement
        )
        return f"language: found {row.language!r}, expected one of {', '.join(here)}; restore it"
    if current not in (row.text, row.decision):
        return (
            f"text: found {row.text[:60]!r}, but {shown(path)} now has {current[:60]!r}; "
            "write the review file anew and decide on the new text"
        )
    return None


def _defective(row: Row, after: Mapping[Key, str], country: str) -> str | None:
    """Return the sure defect that a correction would bring in."""
    own = {key[2]: text for key, text in after.items() if key[:2] == row.key[:2]}
    for each in defects(own, row.language, country):
        if each.sure and each.variant == row.variant:
            found = f"found {row.decision[:60]!r}, which has the defect {each.code}"
            return f"decision: {found}; write another correction"
    return None


def _corrected(path: Path, rows: Sequence[Row], after: Mapping[Key, str]) -> str:
    """Return the new text of a file, once it is sure that it says what it should."""
    try:
        text = path.read_bytes().decode("utf-8")
        root = yaml.compose(text, Loader=yaml.SafeLoader)  # the C loader's marks count bytes in some versions
        places = [(_scalar(root, row), row) for row in rows]
        for node, row in sorted(places, key=lambda each: each[0].start_mark.index, reverse=True):
            new = _written(row.decision) + ("\n" if node.style in ("|", ">") else "")
            text = text[: node.start_mark.index] + new + text[node.end_mark.index :]
        right = _texts(StatementsFile.model_validate(yaml.safe_load(text))) == after
    # The parser with marks refuses some files that the other one takes.
    except (yaml.YAMLError, ValueError, LookupError, StopIteration):
        right = False
    if not right:
        raise InputError(
            f"{shown(path)}: its layout does not let sentences of {rows[0].statement} be exchanged; "
            "save it as UTF-8 without a byte order mark, or correct it by hand"
        )
    return text


def _scalar(root: yaml.Node | None, row: Row) -> yaml.ScalarNode:
    assert root is not None
    statements = _under(root, "statements").value
    statement = next(each for each in statements if _under(each, "id").value == row.statement)
    wording = _under(statement, row.language)
    if row.variant.startswith("paraphrase"):
        node = _under(wording, "paraphrases").value[int(row.variant[-1]) - 1]
    else:
        node = _under(wording, row.variant)
    assert isinstance(node, yaml.ScalarNode)
    return node


def _under(node: yaml.Node, key: str) -> yaml.Node:
    found: yaml.Node = next(value for name, value in node.value if name.value == key)
    return found


def _written(sentence: str) -> str:
    """Return a sentence as a YAML scalar: plain if that reads back as it is, else in double quotes."""
    try:
        plain = all(yaml.safe_load(form) == [sentence] for form in (f"- {sentence}\n", f"[{sentence}]\n"))
    except yaml.YAMLError:
        plain = False
    return sentence if plain else json.dumps(sentence, ensure_ascii=False)
