"""Claims of any file or Hub dataset, checked."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import yaml

from polbias.errors import InputError
from polbias.generators.table_files import ColumnRole, UserTable, from_arrow, read_tables, resolve_columns
from polbias.generators.xphemism.matching import Matcher
from polbias.optional import LazyModule
from polbias.paths import package_file
from polbias.spreadsheets import SheetProblem

if TYPE_CHECKING:
    import datasets
else:
    datasets = LazyModule("datasets", "eval")

# Claims of the Hub as a table.


def _read_hub(name: str, config: str | None, split: str) -> UserTable:
    """Read a split of a dataset, of labels the names; a dataset with one config needs no name of it."""
    try:
        data = datasets.load_dataset(name, config, split=split)
    except (OSError, ValueError) as error:  # what datasets raises derives from one of them
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(f"{name}: cannot be loaded ({reason}); check name, config and split") from None
    # Not `to_pandas`: beside a missing value the number 7 would be 7.0, also in an id.
    table = from_arrow(Path(name), data.with_format("arrow")[:])
    for column, feature in data.features.items():
        if labels := getattr(feature, "names", None):
            table.frame[column] = table.frame[column].replace(dict(enumerate(labels)))
    return table


# What reading claims gives: claims, and what is wrong with the rows that are none.

Gold = Literal["true", "false"]
_GOLDS: tuple[Gold, ...] = get_args(Gold)
Label = Literal["true", "false", "skip"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim with its gold label.

    Attributes:
        claim_id: as in the file, else made from the text.
        text: without white space at its ends.
        gold: whether it is true.
        source: name of the file or dataset.
        row: its line in the file (in Parquet and on the Hub the number of the row), from 1.
    """

    claim_id: str
    text: str
    gold: Gold
    source: str
    row: int


@dataclass(frozen=True, slots=True)
class Claims:
    """What was read.

    Attributes:
        claims: the usable ones, in the order of the file.
        problems: the rows left out because something is wrong with them.
    """

    claims: tuple[Claim, ...]
    problems: tuple[SheetProblem, ...]


# From rows of a table to claims: labels, lengths, repetitions, damaged letters.

ROLES = (
    ColumnRole(
        "claim", ("base_claim", "text", "statement", "claim_text", "behauptung", "aussage"), required=True
    ),
    ColumnRole(
        "gold",
        ("label", "golden_truthfulness_base_claim", "truthfulness", "verdict", "rating", "bewertung"),
        required=True,
    ),
    ColumnRole("claim_id", ("id",)),
)
_MAX_WORDS = 100  # Jakob et al. 2025, section 3.2
_LONGEST_WORD = 100  # characters: a text without blanks is no claim either
# What UTF-8 looks like when it was taken for Windows-1252: "Ã¼" for "ü", "â€ž" for a quotation mark.
_MISREAD = re.compile(r"Ã[\u0080-\u00bf\u0152-\u0178\u2013-\u203a\u20ac\u2122]|â€.")
_LOST = re.compile("[\ufffd\ud800-\udfff]")
_BOTH = "both are left out"
_KNOWN = "true or false in a usual spelling (wahr, falsch, 1, 0), or a label that `labels` names"


def read_claims(path: Path, columns: Mapping[str, str], labels: Mapping[str, Label]) -> Claims:
    """Read the claims of a file or folder; a row that cannot be used is reported, and the rest is read."""
    return _claims_of(read_tables(path), columns, labels)


def read_hub_claims(
    name: str, config: str | None, split: str, columns: Mapping[str, str], labels: Mapping[str, Label]
) -> Claims:
    """Read the claims of a split of a Hub dataset, as those of a file."""
    return _claims_of([_read_hub(name, config, split)], columns, labels)


def _claims_of(
    tables: Iterable[UserTable], columns: Mapping[str, str], labels: Mapping[str, Label]
) -> Claims:
    reader = _ClaimReader(_labels(labels))
    for table in tables:
        reader.read(table, columns)
    return reader.result()


class _ClaimReader:
    """Takes rows one by one and remembers what the next ones must not repeat."""

    def __init__(self, labels: Mapping[str, Label]) -> None:
        self._labels = labels
        self._by_text: dict[str, Claim] = {}
        self._by_id: dict[str, Claim] = {}
        self._contradicted: set[str] = set()
        self._problems: list[tuple[str, int, SheetProblem]] = []

    def read(self, table: UserTable, columns: Mapping[str, str]) -> None:
        found = resolve_columns(table.columns, ROLES, columns, table.path)
        for line, cells, problem in table.rows([*found.values()]):
            if problem:
                self._report(table.path.name, line, "", problem)
            elif wrong := self._take(table.path.name, line, dict(zip(found, cells, strict=True))):
                self._report(table.path.name, line, found.get(wrong[0], wrong[0]), wrong[1])

    def result(self) -> Claims:
        claims = tuple(claim for key, claim in self._by_text.items() if key not in self._contradicted)
        ordered = sorted(self._problems, key=lambda each: each[:2])
        return Claims(claims, tuple(problem for _, _, problem in ordered))

    def _report(self, source: str, line: int, field: str, message: str) -> None:
        problem = SheetProblem(f"{source}:{line}", f"field {field!r}" if field else "", message)
        self._problems.append((source, line, problem))

    def _take(self, source: str, line: int, values: Mapping[str, Any]) -> tuple[str, str] | None:
        """Keep the claim of a row, or return in which role what is wrong."""
        gold = self._labels.get(_plain(values["gold"]))
        if gold == "skip":
            return None
        if wrong := wrong_text(values["claim"]):
            return "claim", wrong
        if gold is None:
            return "gold", f"found {_brief(values['gold'])}, expected {_KNOWN}"
        text = values["claim"].strip()
        digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
        given = values.get("claim_id")
        name = ("" if given is None else str(given).strip()) or f"c{digest[:12]}"
        claim = Claim(name, text, gold, source, line)
        key = " ".join(text.split()).casefold()
        if first := self._by_text.get(key):
            return self._repeated(first, claim, key)
        if name in self._by_id:
            place = f"row {self._by_id[name].row}"
            return "claim_id", f"found {name!r} again, expected unique ids; {place} has it first"
        self._by_text[key] = self._by_id[name] = claim
        return None

    def _repeated(self, first: Claim, claim: Claim, key: str) -> tuple[str, str]:
        place = f"row {first.row}" if first.source == claim.source else f"{first.source}, row {first.row}"
        if first.gold == claim.gold:
            return "claim", f"found the same claim as in {place}, expected each once; the first one is kept"
        found, other = repr(first.gold), repr(claim.gold)
        if key not in self._contradicted:
            self._contradicted.add(key)
            message = f"found {found}, but {other} in row {claim.row} for the same claim; {_BOTH}"
            self._report(first.source, first.row, "gold", message)
        return "gold", f"found {other}, but {found} in {place} for the same claim, expected one; {_BOTH}"


def wrong_text(text: object) -> str | None:
    """Return what is wrong with the text of a claim."""
    if not isinstance(text, str) or not text.strip():
        return f"found {_brief(text)}, expected the text of a claim"
    lost = _LOST.search(text)
    if lost:
        return f"found a lost character at place {lost.end()}, expected text in UTF-8"
    misread = _MISREAD.search(text)
    if misread:
        return f"found {misread.group()!r}, which is UTF-8 that was read as Latin-1; expected proper letters"
    if "\0" in text:
        return "found a NUL character, expected text"
    words, most = len(text.split()), _MAX_WORDS * _LONGEST_WORD
    if len(text) > most:
        return f"found {len(text):,} characters, expected at most {most:,}"
    return f"found {words} words, expected at most {_MAX_WORDS}" if words > _MAX_WORDS else None


def _labels(own: Mapping[str, Label]) -> Mapping[str, Label]:
    wrong = [label for label in own.values() if label not in get_args(Label)]
    if wrong:
        raise InputError(f"labels: found {wrong[0]!r} as a meaning, expected 'true', 'false' or 'skip'")
    return {**_usual(), **{_plain(name): label for name, label in own.items()}}


@cache
def _usual() -> dict[str, Label]:
    path = package_file("generators/authoring/claim_labels.yaml")
    spellings = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {spelling: gold for gold in _GOLDS for spelling in str(spellings[gold]).split()}


def _plain(value: object) -> str:
    return "" if value is None else " ".join(str(value).split()).casefold().rstrip(".!")


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


# Claims drawn for the words of the lexicon.


def limit_per_keyword(
    claims: Sequence[Claim], matcher: Matcher, seed: int, most: int
) -> list[tuple[str, Claim]]:
    """Draw at most so many true and so many false claims for each word that they contain, and return both.

    Which claim comes before which depends on seed, word and text only, not on the order of the file.

    Source:
        Jakob et al. 2025, section 3.2.
    """
    by_cell: defaultdict[tuple[str, Gold], list[Claim]] = defaultdict(list)
    for place, hits in matcher.find_all([claim.text for claim in claims]):
        claim = claims[place]
        for word in dict.fromkeys(hit.word for hit in hits if not (hit.quoted or hit.proper)):
            by_cell[word, claim.gold].append(claim)
    drawn: list[tuple[str, Claim]] = []
    for word in matcher.words:
        for gold in _GOLDS:
            cell = sorted(by_cell[word, gold], key=lambda claim: _lot(seed, word, claim))[:most]
            cell.sort(key=lambda claim: (claim.claim_id, claim.text))
            drawn += [(word, claim) for claim in cell]
    return drawn


def _lot(seed: int, word: str, claim: Claim) -> tuple[bytes, str]:
    text = f"{seed}\0{word}\0{claim.text}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), claim.claim_id
