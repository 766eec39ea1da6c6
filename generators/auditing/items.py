"""Items of a benchmark, whatever its format, and findings about them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from polbias.errors import InputError, replace_surrogates
from polbias.generators.table_files import ColumnRole, UserTable, read_tables, resolve_columns

# Verdicts and findings: every code that an audit can report, with what it means.

CONFIRMED, CONTRADICTED, DEPENDS, UNPARSED = "confirmed", "contradicted", "depends", "unparsed"

VERDICTS: Mapping[str, str] = {
    CONFIRMED: "the gold label is right however the sentences are taken",
    CONTRADICTED: "the gold label is wrong however the sentences are taken",
    DEPENDS: "the gold label is right on some readings and wrong on others; the deciding choices are named",
    UNPARSED: "the item could not be read or decided; nothing is said about its gold label",
}

FINDINGS: Mapping[str, str] = {
    # What is wrong with the file, whatever the item says.
    "malformed-row": "the row does not have the columns of the file, or a value cannot be what it should be",
    "unknown-label": "the gold label is none of the format's",
    "duplicate-id": "an earlier item has the same id",
    "duplicate-item": "an earlier item has the same text",
    "conflicting-labels": "another item has the same text and the other gold label",
    "exemplar-leakage": "the item is also an exemplar of the few-shot prompts",
    "too-long": "a text is too long to be a sentence; it was not read",
    "whitespace": "spaces at the ends of a text, or several in a row",
    # What is wrong with what the item says; formats have more.
    "contradictory-premises": "on some reading the premises cannot all be true, so they support no label",
    "conclusion-repeats-premise": "the conclusion is one of the premises",
    "unknown-pattern": "the pattern in its label is not known",
    "does-not-instantiate": "on no reading does the item have the form of the pattern in its label",
    "other-pattern": "the item has the form of another pattern than that in its label",
}


def meaning(code: str, format_meanings: Mapping[str, str]) -> str:
    """Return what a code means, of a format too."""
    return FINDINGS.get(code) or format_meanings.get(code) or code.replace("-", " ")


# What an audit handles: items as they stand in a file, and what was found out about them.


@dataclass(frozen=True, slots=True)
class AuditItem:
    """One item of a file.

    Attributes:
        line: its line (in Parquet: its row), from 1.
        values: what stands in its columns, by role; None where there is nothing.
        texts: its sentences as written, in the order of the format's text roles.
        gold: whether its label says that the conclusion follows; None if the label is none of the format's.
        label: its label in the format's spelling, or as written.
        problem: if it could not be taken from the file, why; then it has no values.
        file: the file's name, if there are several.
    """

    line: int
    values: Mapping[str, str | None] = field(default_factory=dict)
    texts: tuple[str, ...] = ()
    gold: bool | None = None
    label: str | None = None
    problem: str | None = None
    file: str | None = None

    @property
    def sentences(self) -> tuple[str, ...]:
        """Its texts with single spaces."""
        return tuple(" ".join(text.split()) for text in self.texts)


@dataclass(frozen=True, slots=True)
class ItemVerdict:
    """What is known about the gold label of an item.

    Attributes:
        verdict: one of `polbias.generators.auditing.items.VERDICTS`.
        instantiates: whether it has the form of the pattern in its label; None if that is not known.
        reading: what it says, as a formula.
        countermodel: how its premises can be true and its conclusion false, where the gold says it follows.
        proof: why it follows (or its premises contradict each other), where the gold does not fit that.
        deciding: the smallest set of choices, name to value, with which the gold is right.
        findings: codes of what is wrong with what it says.
        slips: codes of what is wrong with its language.
        resembles: the other pattern whose form it has.
        message: why it could not be read or decided.
    """

    verdict: str
    instantiates: bool | None = None
    reading: str | None = None
    countermodel: str | None = None
    proof: str | None = None
    deciding: Mapping[str, str] | None = None
    findings: tuple[str, ...] = ()
    slips: tuple[str, ...] = ()
    resembles: str | None = None
    message: str | None = None


def unparsed_verdict(message: str, *findings: str) -> ItemVerdict:
    """Return the judgement of an item of which nothing can be said."""
    return ItemVerdict(UNPARSED, message=message, findings=findings)


@dataclass(frozen=True, slots=True)
class AuditedItem:
    """An item with all that was found.

    Attributes:
        item: the item.
        judgement: of its gold label.
        findings: all codes: those of the judgement, and what is wrong with the item as a row of its file.
        twin: line of the first item with the same text.
    """

    item: AuditItem
    judgement: ItemVerdict
    findings: tuple[str, ...]
    duplicate_of_line: int | None = None

    @property
    def verdict(self) -> str:
        """The verdict on its gold label."""
        return self.judgement.verdict

    @property
    def is_flagged(self) -> bool:
        """Whether a reader of the file must know about it: anything but confirmed and without findings."""
        return self.verdict != "confirmed" or bool(self.findings) or self.judgement.instantiates is False


def text_key(texts: tuple[str, ...]) -> int:
    """Return a 63-bit hash of the texts of an item; spaces do not count."""
    joined = "\x1f".join(" ".join(text.split()) for text in texts)
    return int.from_bytes(hashlib.blake2b(joined.encode(), digest_size=8).digest(), "big") >> 1


# What the engine has to be told about a kind of benchmark.


@dataclass(frozen=True)
class ItemLayout:
    """How the files of a format look.

    Attributes:
        roles: of the columns; ``id``, ``gold`` and ``pattern`` among them.
        texts: the roles that hold an item's sentences.
        labels: spelling of a gold label to whether it says that the conclusion follows; the first spelling of
            each is the one in reports.
        repeated: groups of roles whose texts together make a duplicate; the first group counts that the file
            has columns for.
        cell: the role that a design balances within each pattern.
        uniform: whether a design also has all patterns equally often.
    """

    roles: Sequence[ColumnRole]
    texts: Sequence[str]
    labels: Mapping[str, bool]
    duplicate_keys: Sequence[Sequence[str]]
    cell: str
    uniform: bool = True

    def label(self, gold: bool) -> str:
        """Return the spelling of a gold label in reports."""
        return next(label for label, is_valid in self.labels.items() if is_valid is gold)


class ItemFormat(Protocol):
    """A kind of benchmark.

    Attributes:
        name: as on the command line.
        layout: how its files look.
        exemplars: texts of the few-shot exemplars that its paper prints.
        meanings: its own codes of findings, each with what it means.
    """

    name: str
    layout: ItemLayout
    exemplars: Sequence[Sequence[str]]
    meanings: Mapping[str, str]

    def judge(self, item: AuditItem, neighbours: Sequence[AuditItem]) -> ItemVerdict:
        """Judge an item."""


# The items of a file, or of the files of a folder: rows with their columns assigned and checked.

_MAX_DISPLAYED = 60


class ItemSource:
    """The items of what a user gave; it can be gone through again and again.

    Args:
        path: a file, or a folder of Parquet files.
        layout: of its format.
        chosen: columns that the user named, by role.

    Raises:
        InputError: if there is no such file, it is no table, or it has not the columns of the format.

    Attributes:
        path: as given.
        files: all files.
        repeated: the roles whose texts make a duplicate.
    """

    def __init__(self, path: Path, layout: ItemLayout, user_columns: Mapping[str, str]) -> None:
        self.path = path
        self._layout = layout
        self._tables: list[tuple[UserTable, Mapping[str, str]]] = [
            (table, resolve_columns(table.columns, layout.roles, user_columns, table.path))
            for table in read_tables(path)
        ]
        self.files = tuple(table.path for table, _ in self._tables)
        common_roles = set.intersection(*(set(columns) for _, columns in self._tables))
        self.duplicate_key = next(
            roles for roles in (*layout.duplicate_keys, layout.texts) if common_roles.issuperset(roles)
        )

    def __iter__(self) -> Iterator[AuditItem]:
        """Yield all items, those that could not be taken from their row too."""
        has_several_files = len(self._tables) > 1
        for table, columns in self._tables:
            file = table.path.name if has_several_files else None
            for line, cells, problem in table.rows([*columns.values()]):
                if problem:
                    yield AuditItem(line, problem=problem, file=file)
                else:
                    yield self._item(line, dict(zip(columns, cells, strict=True)), file)

    def _item(self, line: int, cells: Mapping[str, Any], file: str | None) -> AuditItem:
        values: dict[str, str | None] = {}
        for name, value in cells.items():
            text = value if isinstance(value, str) else _to_text(value)
            problem = (
                f"found {_shorten(value)}, expected text" if text is _NO_TEXT else _find_text_problem(text)
            )
            if problem:
                return AuditItem(line, problem=f"{name}: {problem}", file=file)
            values[name] = text
        texts = []
        for name in self._layout.texts:
            text = values.get(name)
            if text is None or not text.strip():
                return AuditItem(line, problem=f"{name}: found nothing, expected a sentence", file=file)
            texts.append(text)
        for name, text in values.items():
            if text is not None and name not in self._layout.texts:
                values[name] = text.strip() or None
        label = values.get("gold")
        normalized_label = label.casefold().replace("_", "-") if label else None
        gold = self._layout.labels.get(normalized_label) if normalized_label else None
        return AuditItem(
            line,
            values,
            tuple(texts),
            gold,
            label if gold is None else self._layout.label(gold),
            file=file,
        )


_NO_TEXT = "\0no text"


def _to_text(value: Any) -> str | None:
    """Return a value of a JSON or Parquet column as text; premises may come as a list of sentences."""
    if value is None:
        return None
    if isinstance(value, list | tuple) and value and all(isinstance(part, str) for part in value):
        return " ".join(value)
    if isinstance(value, bool | int | float):
        return str(value)
    return _NO_TEXT


def _find_text_problem(text: str | None) -> str | None:
    if text and "\0" in text:
        return "found a NUL character, which no text has"
    return "found half a character (a lone surrogate)" if text and replace_surrogates(text) != text else None


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_DISPLAYED else text[: _MAX_DISPLAYED - 1] + "…"


def read_texts(path: Path, layout: ItemLayout) -> Iterator[tuple[str, ...]]:
    """Yield the texts of the items of a file of exemplars."""
    roles = [role for role in layout.roles if role.name in layout.texts]
    for item in ItemSource(path, replace(layout, roles=roles), {}):
        if item.problem:
            raise InputError(f"{path}:{item.line}: {item.problem}; correct the file of exemplars")
        yield item.texts


# An audited item as it stands in a report.


def record(audited: AuditedItem, layout: ItemLayout) -> dict[str, Any]:
    """Return an item with all that was found, ready for JSON."""
    item, judgement = audited.item, audited.judgement
    texts = item.texts or (None,) * len(layout.texts)
    return {
        "id": item.values.get("id"),
        **({"file": item.file} if item.file else {}),
        "line": item.line,
        "verdict": judgement.verdict,
        "instantiates": judgement.instantiates,
        "gold": item.label,
        "pattern": item.values.get("pattern"),
        layout.cell: item.values.get(layout.cell),
        **dict(zip(layout.texts, texts, strict=True)),
        "reading": judgement.reading,
        "deciding": dict(judgement.deciding) if judgement.deciding is not None else None,
        "countermodel": judgement.countermodel,
        "proof": judgement.proof,
        "findings": list(audited.findings),
        "resembles": judgement.resembles,
        "duplicate_of_line": audited.duplicate_of_line,
        "message": judgement.message,
    }
