"""From rows of a table to claims: labels, lengths, repetitions, damaged letters."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import yaml

from polbias.files import InputError
from polbias.generators.logic.audit.columns import Role, resolve
from polbias.generators.logic.audit.tables import Row, Table
from polbias.generators.xphemism.claim_records import Claim, Claims, Gold, Label, Problem
from polbias.locations import package_file

ROLES = (
    Role("claim", ("base_claim", "text", "statement", "claim_text", "behauptung", "aussage"), required=True),
    Role(
        "gold",
        ("label", "golden_truthfulness_base_claim", "truthfulness", "verdict", "rating", "bewertung"),
        required=True,
    ),
    Role("claim_id", ("id",)),
)
_LONGEST_WORD = 100  # characters: a text without blanks is no claim either
# What UTF-8 looks like when it was taken for Windows-1252: "Ã¼" for "ü", "â€ž" for a quotation mark.
_MISREAD = re.compile(r"Ã[\u0080-\u00bf\u0152-\u0178\u2013-\u203a\u20ac\u2122]|â€.")
_BOTH = "both are left out"
_KNOWN = "true or false in a usual spelling (wahr, falsch, 1, 0), or a label that `labels` names"


def read_tables(
    tables: Iterable[Table], columns: Mapping[str, str], labels: Mapping[str, Label], max_words: int
) -> Claims:
    """Return the claims of tables; arguments as for :func:`~polbias.generators.xphemism.claims.read_claims`.

    Raises:
        InputError: if a column is missing or a label has no known meaning.
    """
    reader = _Reader(_labels(labels), max_words)
    for table in tables:
        reader.read(table, columns)
    return reader.result()


class _Reader:
    """Takes rows one by one and remembers what the next ones must not repeat."""

    def __init__(self, labels: Mapping[str, Label], max_words: int) -> None:
        self._labels = labels
        self._max_words = max_words
        self._by_text: dict[str, Claim] = {}
        self._by_id: dict[str, Claim] = {}
        self._contradicted: set[str] = set()
        self._problems: list[Problem] = []
        self._skipped = 0

    def read(self, table: Table, columns: Mapping[str, str]) -> None:
        found = resolve(table.columns, ROLES, columns, table.path)
        wanted = list(dict.fromkeys(found.values()))
        for row in table.rows(wanted):
            if row.problem:
                self._problems.append(Problem(table.path.name, row.line, None, row.problem))
            else:
                values = {role: row.values[wanted.index(column)] for role, column in found.items()}
                self._take(table.path.name, row, values, found)

    def result(self) -> Claims:
        claims = tuple(claim for key, claim in self._by_text.items() if key not in self._contradicted)
        return Claims(
            claims, tuple(sorted(self._problems, key=lambda each: (each.source, each.row))), self._skipped
        )

    def _take(self, source: str, row: Row, values: Mapping[str, Any], columns: Mapping[str, str]) -> None:
        def problem(role: str, message: str) -> None:
            self._problems.append(Problem(source, row.line, columns.get(role, role), message))

        gold = self._labels.get(_plain(values["gold"]))
        if gold == "skip":
            self._skipped += 1
            return
        wrong = wrong_text(values["claim"], self._max_words)
        if wrong:
            problem("claim", wrong)
            return
        if gold is None:
            problem("gold", f"found {_brief(values['gold'])}, expected {_KNOWN}")
            return
        text = values["claim"].strip()
        digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
        name = _brief_id(values.get("claim_id")) or f"c{digest[:12]}"
        claim = Claim(name, text, gold, source, row.line)
        key = " ".join(text.split()).casefold()
        first = self._by_text.get(key)
        if first:
            self._repeated(first, claim, key, problem)
        elif name in self._by_id:
            problem(
                "claim_id",
                f"found {name!r} again, expected unique ids; row {self._by_id[name].row} has it first",
            )
        else:
            self._by_text[key] = self._by_id[name] = claim

    def _repeated(self, first: Claim, claim: Claim, key: str, problem: Callable[[str, str], None]) -> None:
        place = f"row {first.row}" if first.source == claim.source else f"{first.source}, row {first.row}"
        if first.gold == claim.gold:
            problem("claim", f"found the same claim as in {place}, expected each once; the first one is kept")
            return
        problem(
            "gold",
            f"found {claim.gold!r}, but {first.gold!r} in {place} for the same claim, expected one; {_BOTH}",
        )
        if key not in self._contradicted:
            self._contradicted.add(key)
            message = (
                f"found {first.gold!r}, but {claim.gold!r} in row {claim.row} for the same claim; {_BOTH}"
            )
            self._problems.append(Problem(first.source, first.row, "gold", message))


def wrong_text(text: object, max_words: int) -> str | None:
    """Return what is wrong with the text of a claim."""
    if not isinstance(text, str) or not text.strip():
        return f"found {_brief(text)}, expected the text of a claim"
    if "\ufffd" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        place = next(
            i for i, letter in enumerate(text) if letter == "\ufffd" or "\ud800" <= letter <= "\udfff"
        )
        return f"found a lost character at place {place + 1}, expected text in the encoding given (UTF-8)"
    misread = _MISREAD.search(text)
    if misread:
        return f"found {misread.group()!r}, which is UTF-8 that was read as Latin-1; expected proper letters"
    if "\0" in text:
        return "found a NUL character, expected text"
    words, most = len(text.split()), max_words * _LONGEST_WORD
    if len(text) > most:
        return f"found {len(text):,} characters, expected at most {most:,}"
    return f"found {words} words, expected at most {max_words}" if words > max_words else None


def _labels(own: Mapping[str, Label]) -> Mapping[str, Label]:
    wrong = [label for label in own.values() if label not in ("true", "false", "skip")]
    if wrong:
        raise InputError(f"labels: found {wrong[0]!r} as a meaning, expected 'true', 'false' or 'skip'")
    return {**_usual(), **{_plain(name): label for name, label in own.items()}}


@cache
def _usual() -> dict[str, Label]:
    path = package_file("generators/authoring/claim_labels.yaml")
    spellings = yaml.safe_load(path.read_text(encoding="utf-8"))
    golds: tuple[Gold, ...] = ("true", "false")
    return {spelling: gold for gold in golds for spelling in str(spellings[gold]).split()}


def _plain(value: object) -> str:
    return "" if value is None else " ".join(str(value).split()).casefold().rstrip(".!")


def _brief_id(value: object) -> str | None:
    return None if value is None or not str(value).strip() else str(value).strip()


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
