"""The report of an audit on a terminal: counts, then every contradicted and unread item, by diagnosis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from polbias.generators.auditing.audit import in_words
from polbias.generators.logic.audit.findings import (
    CONTRADICTED,
    UNPARSED,
    VERDICTS,
    meaning,
)
from polbias.generators.logic.audit.formats import Format
from polbias.generators.logic.audit.items import Audited, Item
from polbias.generators.logic.audit.summary import Summary

_KEPT = 300  # different items that are shown at the end; all are in the report files
_SHORT = 600  # characters of a text on the terminal
_COLOURS = {"confirmed": "green", "contradicted": "red", "depends": "yellow", "unparsed": "magenta"}


@dataclass
class Gallery:
    """Contradicted and unread items for the end of the report, as many as a person will read.

    Attributes:
        groups: (verdict, diagnosis) to the items shown, by their texts, each with how often they come.
        left_out: how many more items there are.
    """

    groups: dict[tuple[str, str], dict[tuple[str, ...], tuple[Audited, int]]] = field(default_factory=dict)
    left_out: int = 0
    _kept: int = 0

    def add(self, audited: Audited) -> None:
        """Keep an item, if it is one to show and there is room."""
        if audited.verdict not in (CONTRADICTED, UNPARSED):
            return
        diagnosis = ", ".join(audited.judgement.findings)
        group = self.groups.setdefault((audited.verdict, diagnosis), {})
        item = _shortened(audited.item)
        texts = (*item.texts, item.label or "", item.problem or "")
        if texts in group:
            first, times = group[texts]
            group[texts] = first, times + 1
        elif self._kept < _KEPT:
            group[texts] = replace(audited, item=item), 1
            self._kept += 1
        else:
            self.left_out += 1


def _shortened(item: Item) -> Item:
    """Return an item without what is not shown of it, which may be much."""
    shown = {"id": item.values.get("id"), "pattern": item.values.get("pattern")}
    return replace(
        item,
        values={role: value and value[:_SHORT] for role, value in shown.items()},
        texts=tuple(text[: _SHORT + 1] for text in item.sentences),
        label=item.label and item.label[:_SHORT],
    )


def describe(audited: Audited, form: Format, times: int = 1) -> RenderableType:
    """Lay out one item: what it says, how it was taken, and what is wrong with its label."""
    item, judgement = audited.item, audited.judgement
    name, place = _clean(item.values.get("id") or "item"), f"line {item.line:,}"
    head = Text(f"{name} ({place}{f' of {_clean(item.file)}' if item.file else ''})", "bold")
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
        ("right if", in_words(judgement.deciding) if judgement.deciding is not None else None),
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


def counts(summary: Summary, form: Format) -> Iterator[RenderableType]:
    """Yield the tables: verdicts by pattern, what verdicts depend on, findings with their meaning."""
    yield _verdicts(summary)
    if summary.deciding:
        table = _table("gold is right with", "items")
        for choices, number in summary.deciding.most_common():
            table.add_row(Text(_clean(in_words(dict(choices)))), f"{number:,}")
        yield table
    if summary.findings:
        table = _table("finding", "items", "meaning")
        for code, number in summary.findings.most_common():
            table.add_row(code, f"{number:,}", meaning(code, form.meanings))
        yield table
    unbalanced = summary.unbalanced()
    if unbalanced:
        table = _table("unbalanced: pattern", form.layout.cell, "items", "usual")
        for pattern, content, size, usual in unbalanced[:20]:
            table.add_row(Text(_clean(pattern)), Text(_clean(content)), f"{size:,}", f"{usual:,}")
        yield table


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


def print_counts(console: Console, summary: Summary, form: Format) -> None:
    """Print the tables, an empty line after each."""
    for table in counts(summary, form):
        console.print(table)
        console.print()


def print_gallery(console: Console, gallery: Gallery, form: Format) -> None:
    """Print contradicted and unread items, one heading for each diagnosis."""
    for (verdict, diagnosis), items in sorted(gallery.groups.items(), key=lambda g: (g[0][0], -len(g[1]))):
        if not items:
            continue
        number = sum(times for _, times in items.values())
        heading = Text(f"{verdict}: {diagnosis or 'no further diagnosis'} ({number:,})", "bold underline")
        console.print(heading)
        for audited, times in items.values():
            console.print(describe(audited, form, times))
    if gallery.left_out:
        console.print(f"and {gallery.left_out:,} more; --output FILE.json has all items")


def _clean(text: str) -> str:
    """Return text that cannot steer the terminal, and is not too long for it."""
    shown = text if len(text) <= _SHORT else text[: _SHORT - 1] + "…"
    return "".join(c if c.isprintable() else "�" for c in shown)
