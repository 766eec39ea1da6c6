"""Report an audit: counts, flagged items on the terminal, report files."""

from __future__ import annotations

import csv
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

import polbias
from polbias.aliases import Document
from polbias.atomic_write import draft_path
from polbias.errors import InputError
from polbias.generators.auditing.audit import format_choices
from polbias.generators.auditing.items import (
    CONTRADICTED,
    UNPARSED,
    VERDICTS,
    AuditedItem,
    AuditItem,
    ItemFormat,
    ItemLayout,
    meaning,
    record,
)
from polbias.spreadsheet_cells import escape_formula
from polbias.terminal import Console

# Counts of an audit, in bounded memory.

_MAX_KEYS = 2000  # distinct values of a column; further values are counted together
_MAX_KEY_LENGTH = 200  # characters
_OTHER = "(others)"


class Summary:
    """Running counts of audited items.

    Args:
        layout: layout of the format, with the role that a design balances.

    Attributes:
        items: number of items.
        flagged: number of items that need attention.
        verdicts: number of items by verdict.
        groups: number of items by (pattern, gold, verdict); pattern and gold can be empty.
        instantiates: number of items by whether they have the form of their pattern.
        deciding: number of items by their deciding choices.
        findings: number of items by code.
        cells: number of items by pattern and value of the balanced role.
    """

    def __init__(self, layout: ItemLayout) -> None:
        self._cell = layout.cell
        self._uniform = layout.uniform
        self.items = 0
        self.flagged = 0
        self.verdicts: Counter[str] = Counter(dict.fromkeys(VERDICTS, 0))
        self.groups: Counter[tuple[str, str, str]] = Counter()
        self.instantiates: Counter[bool | None] = Counter()
        self.deciding: Counter[tuple[tuple[str, str], ...]] = Counter()
        self.findings: Counter[str] = Counter()
        self.cells: Counter[tuple[str, str]] = Counter()

    def add(self, audited: AuditedItem) -> None:
        """Count an item."""
        item, judgement = audited.item, audited.judgement
        pattern = item.values.get("pattern") or ""
        self.items += 1
        self.flagged += audited.is_flagged
        self.verdicts[audited.verdict] += 1
        self.instantiates[judgement.instantiates] += 1
        self.findings.update(audited.findings)
        if judgement.deciding is not None:
            self.deciding[tuple(judgement.deciding.items())] += 1
        _count(self.groups, (pattern, item.label or "", audited.verdict))
        content = item.values.get(self._cell)
        if pattern and content:
            _count(self.cells, (pattern, content))

    def unbalanced_cells(self) -> list[tuple[str, str, int, int]]:
        """Return (pattern, value, items, usual number) of the cells without the usual number of items."""
        patterns = dict.fromkeys(pattern for pattern, _ in self.cells)
        contents = dict.fromkeys(content for _, content in self.cells)
        rows = [
            [(pattern, content, self.cells[pattern, content]) for content in contents] for pattern in patterns
        ]
        unbalanced = []
        for row in rows:
            sizes = Counter(size for cells in (rows if self._uniform else [row]) for *_, size in cells)
            usual = max(sizes.items(), key=lambda entry: (entry[1], entry[0]))[0]
            unbalanced += [(pattern, content, size, usual) for pattern, content, size in row if size != usual]
        return unbalanced

    def as_dict(self) -> Document:
        """Return the counts as a JSON document."""
        keys = dict.fromkeys((pattern, gold) for pattern, gold, _ in self.groups)
        return {
            "items": self.items,
            "flagged": self.flagged,
            "verdicts": dict(self.verdicts),
            "instantiates": {json.dumps(key): self.instantiates[key] for key in (True, False, None)},
            "patterns": [
                {"pattern": pattern or None, "gold": gold or None}
                | {verdict: self.groups[pattern, gold, verdict] for verdict in VERDICTS}
                for pattern, gold in keys
            ],
            "depends_on": [
                {"choices": dict(choices), "items": number} for choices, number in self.deciding.most_common()
            ],
            "findings": dict(self.findings.most_common()),
            "unbalanced": [
                {"pattern": pattern, self._cell: content, "items": size, "usual": usual}
                for pattern, content, size, usual in self.unbalanced_cells()
            ],
        }


def _count(counter: Counter[Any], key: tuple[str, ...]) -> None:
    """Count a key; once there are `_MAX_KEYS` keys, count new keys together."""
    key = tuple(part[:_MAX_KEY_LENGTH] for part in key)
    if key not in counter and len(counter) >= _MAX_KEYS:
        key = (_OTHER,) * len(key)
    counter[key] += 1


# The report on a terminal: counts, then contradicted and unparsed items by diagnosis.

_MAX_DISPLAYED = 300  # distinct items at the end of the report; report files have all items
_MAX_TEXT_LENGTH = 600  # characters of a text on the terminal
_COLOURS = {"confirmed": "green", "contradicted": "red", "depends": "yellow", "unparsed": "magenta"}


@dataclass
class FlaggedItems:
    """Contradicted and unparsed items for the end of the report, at most `_MAX_DISPLAYED`.

    Attributes:
        groups: (verdict, diagnosis) to the displayed items, by their texts, with their number of occurrences.
        n_omitted: number of further items.
    """

    groups: dict[tuple[str, str], dict[tuple[str, ...], tuple[AuditedItem, int]]] = field(
        default_factory=dict
    )
    n_omitted: int = 0
    _n_displayed: int = 0

    def add(self, audited: AuditedItem) -> None:
        """Add a contradicted or unparsed item, or count it as omitted."""
        if audited.verdict not in (CONTRADICTED, UNPARSED):
            return
        diagnosis = ", ".join(audited.judgement.findings)
        group = self.groups.setdefault((audited.verdict, diagnosis), {})
        item = _shorten(audited.item)
        texts = (*item.texts, item.label or "", item.problem or "")
        if texts in group:
            first, times = group[texts]
            group[texts] = first, times + 1
        elif self._n_displayed < _MAX_DISPLAYED:
            group[texts] = replace(audited, item=item), 1
            self._n_displayed += 1
        else:
            self.n_omitted += 1


def _shorten(item: AuditItem) -> AuditItem:
    """Return an item with its displayed fields only, truncated."""
    values = {"id": item.values.get("id"), "pattern": item.values.get("pattern")}
    return replace(
        item,
        values={role: value and value[:_MAX_TEXT_LENGTH] for role, value in values.items()},
        texts=tuple(text[: _MAX_TEXT_LENGTH + 1] for text in item.sentences),
        label=item.label and item.label[:_MAX_TEXT_LENGTH],
    )


def describe(audited: AuditedItem, form: ItemFormat, times: int = 1) -> RenderableType:
    """Render one item: its texts, its reading and the evidence on its label."""
    item, judgement = audited.item, audited.judgement
    name, location = _clean(item.values.get("id") or "item"), f"line {item.line:,}"
    head = Text(f"{name} ({location}{f' of {_clean(item.file)}' if item.file else ''})", "bold")
    head.append(f"  {audited.verdict}", _COLOURS[audited.verdict])
    if item.label:
        head.append(f", gold: {_clean(item.label)}")
    if item.values.get("pattern"):
        head.append(f", {_clean(item.values['pattern'] or '')}")
    if times > 1:
        head.append(f", and {times - 1:,} more with this text", "dim")
    facts = Table.grid(padding=(0, 2), expand=False)
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    for role, text in zip(form.layout.texts, item.sentences, strict=False):
        facts.add_row(role, Text(_clean(text)))
    rows: Sequence[tuple[str, str | None]] = (
        ("reading", judgement.reading),
        ("right if", format_choices(judgement.deciding) if judgement.deciding is not None else None),
        ("countermodel", judgement.countermodel),
        ("proof", judgement.proof),
        ("form of", judgement.resembles),
        ("findings", ", ".join(audited.findings) or None),
        ("message", judgement.message),
    )
    for title, value in rows:
        if value:
            facts.add_row(title, Text(_clean(value)))
    return Padding(Group(head, Padding(facts, (0, 0, 0, 2))), (0, 0, 1, 0))


def print_counts(console: Console, summary: Summary, form: ItemFormat) -> None:
    """Print tables of verdicts by pattern, deciding choices, findings with meanings, unbalanced cells."""
    tables = [_verdicts(summary)]
    if summary.deciding:
        table = _table("gold is right with", "items")
        for choices, number in summary.deciding.most_common():
            table.add_row(Text(_clean(format_choices(dict(choices)))), f"{number:,}")
        tables.append(table)
    if summary.findings:
        table = _table("finding", "items", "meaning")
        for code, number in summary.findings.most_common():
            table.add_row(code, f"{number:,}", meaning(code, form.meanings))
        tables.append(table)
    unbalanced = summary.unbalanced_cells()
    if unbalanced:
        table = _table("unbalanced: pattern", form.layout.cell, "items", "usual")
        for pattern, content, size, usual in unbalanced[:20]:
            table.add_row(Text(_clean(pattern)), Text(_clean(content)), f"{size:,}", f"{usual:,}")
        tables.append(table)
    for table in tables:
        console.print(table)
        console.print()


def _verdicts(summary: Summary) -> Table:
    table = _table("pattern", "gold", *VERDICTS, "items")
    for verdict, colour in _COLOURS.items():
        next(column for column in table.columns if column.header == verdict).style = colour

    def row(pattern: str, gold: str, numbers: Mapping[str, int], **style: Any) -> None:
        cells = [f"{numbers[verdict]:,}" if numbers[verdict] else "" for verdict in VERDICTS]
        total = sum(numbers[verdict] for verdict in VERDICTS)
        table.add_row(Text(_clean(pattern)), Text(_clean(gold)), *cells, f"{total:,}", **style)

    for pattern, gold in dict.fromkeys((pattern, gold) for pattern, gold, _ in summary.groups):
        numbers = {verdict: summary.groups[pattern, gold, verdict] for verdict in VERDICTS}
        row(pattern or "(none)", gold or "(none)", numbers)
    row("all", "", summary.verdicts, style="bold")
    return table


def _table(*headers: str) -> Table:
    table = Table(*headers, box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for column in table.columns:
        if column.header in (*VERDICTS, "items", "usual"):
            column.justify = "right"
        elif column.header == "meaning":
            column.overflow = "fold"
        else:
            column.no_wrap = True
    return table


def print_flagged_items(console: Console, flagged: FlaggedItems, form: ItemFormat) -> None:
    """Print contradicted and unparsed items under a heading per diagnosis."""
    for (verdict, diagnosis), items in sorted(flagged.groups.items(), key=lambda g: (g[0][0], -len(g[1]))):
        if not items:
            continue
        number = sum(times for _, times in items.values())
        heading = Text(f"{verdict}: {diagnosis or 'no further diagnosis'} ({number:,})", "bold underline")
        console.print(heading)
        for audited, times in items.values():
            console.print(describe(audited, form, times))
    if flagged.n_omitted:
        console.print(f"and {flagged.n_omitted:,} more; --output FILE.json has all items")


def _clean(text: str) -> str:
    """Truncate text and replace control characters of the terminal."""
    displayed = text if len(text) <= _MAX_TEXT_LENGTH else text[: _MAX_TEXT_LENGTH - 1] + "…"
    return "".join(c if c.isprintable() else "�" for c in displayed)


# Write reports to JSON or CSV, atomically.


class ReportFiles:
    """The report files of an audit, as a context manager.

    Items are written to a temporary file; `finish` replaces the report files. Without `finish`, existing
    files stay unchanged.

    Args:
        paths: report files; the suffix sets the file format.
        inputs: files that must not be overwritten.
        form: the format.

    Raises:
        InputError: if a path cannot be written to, is an input, or has an unknown suffix.
    """

    def __init__(self, paths: Sequence[Path], inputs: Sequence[Path], form: ItemFormat) -> None:
        self._form = form
        self._targets = [_resolve_target(path, inputs) for path in paths]
        if len(set(self._targets)) != len(self._targets):
            raise InputError("--output: found the same file twice, expected each once; remove one")
        self._items: IO[str] | None = None
        self._separator = "\n    "

    def __enter__(self) -> ReportFiles:
        for target in reversed(self._targets):
            if self._items:
                self._items.close()
            with _report_write_errors(target):
                self._items = tempfile.TemporaryFile("w+", encoding="utf-8", dir=target.parent)
        return self

    def __exit__(self, *error: object) -> None:
        with suppress(OSError):  # on a full disk, closing fails too
            if self._items:
                self._items.close()

    def add(self, audited: AuditedItem) -> None:
        """Write an item to the temporary file."""
        if self._items:
            line = json.dumps(record(audited, self._form.layout), ensure_ascii=False)
            with _report_write_errors(self._targets[0]):
                self._items.write(self._separator + line)
            self._separator = ",\n    "

    def finish(self, source: Path, summary: Summary) -> None:
        """Write the report files and move them to their paths."""
        head = {
            "format": self._form.name,
            "file": source.name,
            "polbias": polbias.__version__,
            "summary": summary.as_dict(),
            "meanings": {code: meaning(code, self._form.meanings) for code in sorted(summary.findings)},
        }
        for target in self._targets:
            assert self._items
            draft = draft_path(target)
            try:
                with _report_write_errors(target):
                    self._items.seek(0)
                    with draft.open("w", encoding="utf-8", newline="") as file:
                        _KINDS[target.suffix.lower()](file, head, self._items)
                    draft.replace(target)
            finally:
                draft.unlink(missing_ok=True)


def _resolve_target(path: Path, inputs: Sequence[Path]) -> Path:
    """Resolve the path of a report file; raise InputError if it cannot be written."""
    target = path.resolve()
    if target.suffix.lower() not in _KINDS:
        raise InputError(f"--output {path}: found suffix {path.suffix!r}, expected {' or '.join(_KINDS)}")
    if target.exists() and not target.is_file():
        raise InputError(f"--output {path}: not a regular file; use another path")
    if not target.parent.is_dir():
        raise InputError(f"--output {path}: there is no folder {target.parent}; create it first")
    for file in inputs:
        if file.resolve() == target or (target.exists() and file.samefile(target)):
            raise InputError(f"--output {path}: found the audited file; use another path")
    return target


@contextmanager
def _report_write_errors(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{target}: cannot be written ({error.strerror}); check folder, permissions and space"
        ) from None


def _write_json(file: IO[str], head: Document, items: IO[str]) -> None:
    """Write the head and the items, one item per line."""
    start = json.dumps(head, ensure_ascii=False, indent=2).removesuffix("\n}")
    file.write(start + ',\n  "items": [')
    shutil.copyfileobj(items, file)
    file.write("\n  ]\n}\n")


def _write_csv(file: IO[str], head: Document, items: IO[str]) -> None:
    """Write one line per item, with findings and choices as text."""
    table = csv.writer(file, lineterminator="\n")
    for number, line in enumerate(filter(str.strip, items)):
        item = json.loads(line.strip().rstrip(","))
        item["findings"] = " ".join(item["findings"])
        item["deciding"] = format_choices(item["deciding"]) if item["deciding"] is not None else None
        if not number:
            table.writerow(item)
        table.writerow(escape_formula(cell) if isinstance(cell, str) else cell for cell in item.values())


_KINDS: Mapping[str, Callable[[IO[str], Document, IO[str]], None]] = {
    ".json": _write_json,
    ".csv": _write_csv,
}
