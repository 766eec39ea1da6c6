"""Claims of any file or Hub dataset, parsed and validated."""

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
    datasets = LazyModule("datasets")

# Claims of the Hub as a table.


def _read_hub(name: str, config: str | None, split: str) -> UserTable:
    """Read a split of a dataset with label names as values; `config` is optional if there is only one."""
    try:
        data = datasets.load_dataset(name, config, split=split)
    except (OSError, ValueError) as error:  # every error of datasets derives from one of them
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(f"{name}: cannot be loaded ({reason}); check name, config and split") from None
    # Not `to_pandas`: it turns the number 7 into 7.0 in a column with a missing value, even in an id.
    table = from_arrow(Path(name), data.with_format("arrow")[:])
    for column, feature in data.features.items():
        if labels := getattr(feature, "names", None):
            table.frame[column] = table.frame[column].replace(dict(enumerate(labels)))
    return table


# Results of parsing: claims, and the problems of unusable rows.

Gold = Literal["true", "false"]
_GOLDS: tuple[Gold, ...] = get_args(Gold)
Label = Literal["true", "false", "skip"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim with its gold label.

    Attributes:
        claim_id: as in the file, else derived from the text.
        text: stripped of white space.
        gold: whether the claim is true.
        source: name of the file or dataset.
        row: line in the file (in Parquet and on the Hub the number of the row), from 1.
    """

    claim_id: str
    text: str
    gold: Gold
    source: str
    row: int


@dataclass(frozen=True, slots=True)
class Claims:
    """Usable claims and the problems of the other rows.

    Attributes:
        claims: in the order of the file.
        problems: of the dropped rows.
    """

    claims: tuple[Claim, ...]
    problems: tuple[SheetProblem, ...]


# Table rows to claims: labels, lengths, duplicates, damaged characters.

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
_LONGEST_WORD = 100  # characters: a text without blanks is not a claim either
# UTF-8 decoded as Windows-1252: "Ã¼" for "ü", "â€ž" for a quotation mark.
_MISREAD_UTF8 = re.compile(r"Ã[\u0080-\u00bf\u0152-\u0178\u2013-\u203a\u20ac\u2122]|â€.")
_LOST_CHARACTER = re.compile("[\ufffd\ud800-\udfff]")
_BOTH_EXCLUDED = "both are excluded"
_EXPECTED_GOLD = "true or false in a usual spelling (wahr, falsch, 1, 0), or a label that `labels` names"


def read_claims(path: Path, columns: Mapping[str, str], labels: Mapping[str, Label]) -> Claims:
    """Read the claims of a file or folder; unusable rows are reported and dropped."""
    return _claims_of(read_tables(path), columns, labels)


def read_hub_claims(
    name: str, config: str | None, split: str, columns: Mapping[str, str], labels: Mapping[str, Label]
) -> Claims:
    """Read the claims of a split of a Hub dataset, like `read_claims`."""
    return _claims_of([_read_hub(name, config, split)], columns, labels)


def _claims_of(
    tables: Iterable[UserTable], columns: Mapping[str, str], labels: Mapping[str, Label]
) -> Claims:
    reader = _ClaimReader(_labels(labels))
    for table in tables:
        reader.read(table, columns)
    return reader.result()


class _ClaimReader:
    """Collects claims row by row and detects duplicates."""

    def __init__(self, labels: Mapping[str, Label]) -> None:
        self._labels = labels
        self._by_text: dict[str, Claim] = {}
        self._by_id: dict[str, Claim] = {}
        self._contradicted: set[str] = set()
        self._problems: list[tuple[str, int, SheetProblem]] = []

    def read(self, table: UserTable, columns: Mapping[str, str]) -> None:
        column_by_role = resolve_columns(table.columns, ROLES, columns, table.path)
        for line, cells, problem in table.rows([*column_by_role.values()]):
            if problem:
                self._report(table.path.name, line, "", problem)
            elif wrong := self._add_claim(
                table.path.name, line, dict(zip(column_by_role, cells, strict=True))
            ):
                self._report(table.path.name, line, column_by_role.get(wrong[0], wrong[0]), wrong[1])

    def result(self) -> Claims:
        claims = tuple(claim for key, claim in self._by_text.items() if key not in self._contradicted)
        ordered = sorted(self._problems, key=lambda entry: entry[:2])
        return Claims(claims, tuple(problem for _, _, problem in ordered))

    def _report(self, source: str, line: int, field: str, message: str) -> None:
        problem = SheetProblem(f"{source}:{line}", f"field {field!r}" if field else "", message)
        self._problems.append((source, line, problem))

    def _add_claim(self, source: str, line: int, values: Mapping[str, Any]) -> tuple[str, str] | None:
        """Add the claim of a row, or return its role and error."""
        gold = self._labels.get(_normalize(values["gold"]))
        if gold == "skip":
            return None
        if wrong := wrong_text(values["claim"]):
            return "claim", wrong
        if gold is None:
            return "gold", f"found {_abbreviate(values['gold'])}, expected {_EXPECTED_GOLD}"
        text = values["claim"].strip()
        digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
        id_value = values.get("claim_id")
        claim_id = ("" if id_value is None else str(id_value).strip()) or f"c{digest[:12]}"
        claim = Claim(claim_id, text, gold, source, line)
        key = " ".join(text.split()).casefold()
        if first := self._by_text.get(key):
            return self._report_repeat(first, claim, key)
        if claim_id in self._by_id:
            location = f"row {self._by_id[claim_id].row}"
            return "claim_id", f"found {claim_id!r} again, expected unique ids; {location} has it first"
        self._by_text[key] = self._by_id[claim_id] = claim
        return None

    def _report_repeat(self, first: Claim, claim: Claim, key: str) -> tuple[str, str]:
        location = f"row {first.row}" if first.source == claim.source else f"{first.source}, row {first.row}"
        if first.gold == claim.gold:
            return "claim", f"found the same claim as in {location}, expected each once; the first is used"
        first_gold, gold = repr(first.gold), repr(claim.gold)
        if key not in self._contradicted:
            self._contradicted.add(key)
            message = (
                f"found {first_gold}, but {gold} in row {claim.row} for the same claim; {_BOTH_EXCLUDED}"
            )
            self._report(first.source, first.row, "gold", message)
        return (
            "gold",
            f"found {gold}, but {first_gold} in {location} for this claim, expected one; {_BOTH_EXCLUDED}",
        )


def wrong_text(text: object) -> str | None:
    """Return the error of a claim's text, or None."""
    if not isinstance(text, str) or not text.strip():
        return f"found {_abbreviate(text)}, expected the text of a claim"
    lost = _LOST_CHARACTER.search(text)
    if lost:
        return f"found a lost character at position {lost.end()}, expected text in UTF-8"
    misread = _MISREAD_UTF8.search(text)
    if misread:
        return f"found {misread.group()!r}, which is UTF-8 that was read as Latin-1; expected proper letters"
    if "\0" in text:
        return "found a NUL character, expected text"
    n_words, max_characters = len(text.split()), _MAX_WORDS * _LONGEST_WORD
    if len(text) > max_characters:
        return f"found {len(text):,} characters, expected at most {max_characters:,}"
    return f"found {n_words} words, expected at most {_MAX_WORDS}" if n_words > _MAX_WORDS else None


def _labels(user_labels: Mapping[str, Label]) -> Mapping[str, Label]:
    wrong = [label for label in user_labels.values() if label not in get_args(Label)]
    if wrong:
        raise InputError(f"labels: found {wrong[0]!r} as a meaning, expected 'true', 'false' or 'skip'")
    return {**_usual_labels(), **{_normalize(name): label for name, label in user_labels.items()}}


@cache
def _usual_labels() -> dict[str, Label]:
    path = package_file("generators/authoring/claim_labels.yaml")
    spellings = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {spelling: gold for gold in _GOLDS for spelling in str(spellings[gold]).split()}


def wrong_gold(value: object) -> str | None:
    """Return the error of a gold label that is neither empty nor true or false in a usual spelling."""
    if not _normalize(value) or _normalize(value) in _usual_labels():
        return None
    return f"found {_abbreviate(value)}, expected true or false in a usual spelling (wahr, falsch, 1, 0)"


def _normalize(value: object) -> str:
    return "" if value is None else " ".join(str(value).split()).casefold().rstrip(".!")


def _abbreviate(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


# Claims sampled by words of the lexicon.


def limit_per_keyword(
    claims: Sequence[Claim], matcher: Matcher, seed: int, max_claims: int
) -> list[tuple[str, Claim]]:
    """Sample at most `max_claims` true and `max_claims` false claims per word; return (word, claim) pairs.

    The rank of a claim depends on seed, word and text only, not on the order of the file.
    Source:
        Jakob et al. 2025, section 3.2.
    """
    by_cell: defaultdict[tuple[str, Gold], list[Claim]] = defaultdict(list)
    for index, hits in matcher.find_all([claim.text for claim in claims]):
        claim = claims[index]
        for word in dict.fromkeys(hit.word for hit in hits if not (hit.quoted or hit.proper)):
            by_cell[word, claim.gold].append(claim)
    sampled_claims: list[tuple[str, Claim]] = []
    for word in matcher.words:
        for gold in _GOLDS:
            cell = sorted(by_cell[word, gold], key=lambda claim: _sampling_key(seed, word, claim))[
                :max_claims
            ]
            cell.sort(key=lambda claim: (claim.claim_id, claim.text))
            sampled_claims += [(word, claim) for claim in cell]
    return sampled_claims


def _sampling_key(seed: int, word: str, claim: Claim) -> tuple[bytes, str]:
    text = f"{seed}\0{word}\0{claim.text}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), claim.claim_id
