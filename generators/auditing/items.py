"""Items of an audited benchmark of any format, their verdicts and findings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from polbias.errors import InputError, replace_surrogates
from polbias.generators.table_files import ColumnRole, UserTable, read_tables, resolve_columns

# Verdicts and findings: every code of an audit report, with its meaning.

CONFIRMED, CONTRADICTED, DEPENDS, UNPARSED = "confirmed", "contradicted", "depends", "unparsed"

VERDICTS: Mapping[str, str] = {
    CONFIRMED: "the gold label is right in every interpretation",
    CONTRADICTED: "the gold label is wrong in every interpretation",
    DEPENDS: "the gold label is right in some interpretations only; the deciding choices are listed",
    UNPARSED: "the item could not be parsed or decided",
}

FINDINGS: Mapping[str, str] = {
    # Problems of the row.
    "malformed-row": "the row does not have the columns of the file, or a value is invalid",
    "unknown-label": "the format has no such gold label",
    "duplicate-id": "an earlier item has the same id",
    "duplicate-item": "an earlier item has the same text",
    "conflicting-labels": "another item has the same text and the other gold label",
    "exemplar-leakage": "the item is also a few-shot example",
    "too-long": "a text is too long to be a sentence and was not parsed",
    "whitespace": "spaces at the ends of a text, or several in a row",
    # Problems of the content; formats add codes.
    "contradictory-premises": "on some reading the premises cannot all be true, so they support no label",
    "conclusion-repeats-premise": "the conclusion is one of the premises",
    "unknown-pattern": "the format has no such pattern",
    "does-not-instantiate": "on no reading does the item have the form of the pattern in its label",
    "other-pattern": "the item has the form of another pattern than its label names",
}


def meaning(code: str, format_meanings: Mapping[str, str]) -> str:
    """Return the meaning of a finding's code; `format_meanings` has the codes of a format."""
    return FINDINGS.get(code) or format_meanings.get(code) or code.replace("-", " ")


# Items as in their file, and audited items.


@dataclass(frozen=True, slots=True)
class AuditItem:
    """One item of a file.

    Attributes:
        line: line number (in Parquet: row number), from 1.
        values: role to value; None for an empty value.
        texts: its sentences as written, in the order of the format's text roles.
        gold: True if the gold label is "the conclusion follows"; None if the format has no such label.
        label: gold label in the format's spelling, or as written.
        problem: why the row cannot be parsed; such an item has no values.
        file: file name, if there are several files.
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
        """The texts with single spaces."""
        return tuple(" ".join(text.split()) for text in self.texts)


@dataclass(frozen=True, slots=True)
class ItemVerdict:
    """Verdict on the gold label of an item, with its evidence.

    Attributes:
        verdict: one of `polbias.generators.auditing.items.VERDICTS`.
        instantiates: whether the item has the form of the pattern in its label; None if unknown.
        reading: the item as a formula.
        countermodel: model with true premises and a false conclusion, if the gold label is "follows".
        proof: proof of the conclusion, or of a contradiction in the premises, if it refutes the gold label.
        deciding: the smallest set of choices, name to value, that makes the gold label right.
        findings: codes of problems of the content.
        slips: codes of errors of language.
        resembles: another pattern whose form the item has.
        message: why the item could not be parsed or decided.
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
    """Return the verdict on an item that cannot be parsed or decided."""
    return ItemVerdict(UNPARSED, message=message, findings=findings)


@dataclass(frozen=True, slots=True)
class AuditedItem:
    """An item with its verdict and findings.

    Attributes:
        item: the item.
        judgement: verdict on its gold label.
        findings: codes of the verdict and of problems of the row.
        duplicate_of_line: line of the first item with the same text.
    """

    item: AuditItem
    judgement: ItemVerdict
    findings: tuple[str, ...]
    duplicate_of_line: int | None = None

    @property
    def verdict(self) -> str:
        """Code of the verdict."""
        return self.judgement.verdict

    @property
    def is_flagged(self) -> bool:
        """Whether the item needs attention: it has findings, or is not confirmed."""
        return self.verdict != "confirmed" or bool(self.findings) or self.judgement.instantiates is False


def text_key(texts: tuple[str, ...]) -> int:
    """Return a 63-bit hash of the texts of an item; runs of spaces count as one."""
    joined = "\x1f".join(" ".join(text.split()) for text in texts)
    return int.from_bytes(hashlib.blake2b(joined.encode(), digest_size=8).digest(), "big") >> 1


# Formats of benchmarks.


@dataclass(frozen=True)
class ItemLayout:
    """Columns and gold labels of the files of a format.

    Attributes:
        roles: column roles, with ``id``, ``gold`` and ``pattern`` among them.
        texts: roles of an item's sentences.
        labels: spelling of a gold label to whether the conclusion follows; reports use the first spelling of
            each value.
        duplicate_keys: groups of roles; items with the same texts in a group are duplicates. The first group
            whose columns the file has is used.
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
    """Format of a benchmark.

    Attributes:
        name: name on the command line.
        layout: columns and gold labels of its files.
        exemplars: texts of the few-shot exemplars in its paper.
        meanings: code to meaning, for the findings of this format.
    """

    name: str
    layout: ItemLayout
    exemplars: Sequence[Sequence[str]]
    meanings: Mapping[str, str]

    def judge(self, item: AuditItem, neighbours: Sequence[AuditItem]) -> ItemVerdict:
        """Return the verdict on an item."""


# Read the items of a file, or of the files of a folder.

_MAX_DISPLAYED = 60


class ItemSource:
    """Items of a user's file or folder; it can be iterated repeatedly.

    Args:
        path: a file, or a folder of Parquet files.
        layout: layout of its format.
        user_columns: role to column, as set by the user.

    Raises:
        InputError: if the file does not exist, is not a table, or lacks columns of the format.

    Attributes:
        path: the path.
        files: all files.
        duplicate_key: roles whose equal texts make two items duplicates.
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
        """Yield all items, also malformed ones."""
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
    """Convert a value of a JSON or Parquet column to text; premises may be a list of sentences."""
    if value is None:
        return None
    if isinstance(value, list | tuple) and value and all(isinstance(part, str) for part in value):
        return " ".join(value)
    if isinstance(value, bool | int | float):
        return str(value)
    return _NO_TEXT


def _find_text_problem(text: str | None) -> str | None:
    if text and "\0" in text:
        return "found a NUL character, expected text"
    return "found half a character (a lone surrogate)" if text and replace_surrogates(text) != text else None


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_DISPLAYED else text[: _MAX_DISPLAYED - 1] + "…"


def read_texts(path: Path, layout: ItemLayout) -> Iterator[tuple[str, ...]]:
    """Yield the texts of each item of a file of few-shot exemplars."""
    roles = [role for role in layout.roles if role.name in layout.texts]
    for item in ItemSource(path, replace(layout, roles=roles), {}):
        if item.problem:
            raise InputError(f"{path}:{item.line}: {item.problem}; correct the file of exemplars")
        yield item.texts


# Records of audited items in reports.


def record(audited: AuditedItem, layout: ItemLayout) -> dict[str, Any]:
    """Return an audited item as a JSON record."""
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
