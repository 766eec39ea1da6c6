"""The published files of PolBiX: what they hold, and a user's copy of them, read and checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polbias.aliases import Document
from polbias.files import InputError, file_sha256, read_json
from polbias.generators.auditing.probvaa.files import Once, Record, records, records_of
from polbias.generators.user_tables import TabSeparated
from polbias.generators.xphemism.vocabulary.lexicon import MIRRORED, Axis, Shift

# What the published files of PolBiX hold: counts and hashes.
# Source: Jakob et al., "PolBiX" (2025), section 3, Table 1 and Figure 4; the figures by label are counted in
# the published ``dataset.csv``.

ROWS = 930
"""Claims (section 3.3, Table 1)."""
COUNTS: Mapping[str, Mapping[str, int]] = {
    "gold": {"true": 577, "false": 353},
    "shift": {"right": 390, "left": 322, "none": 218},
    "axis": {"social": 472, "economic": 452, "none": 6},
    "judgmental_base": {"no": 914, "yes": 16},
    "judgmental_exchange": {"no": 764, "yes": 166},
    "origin": {"DefaktS": 191, "Medienkompass": 567, "NewsPolyML": 172},
}
"""Claims by label."""
DIRECTED, UNORDERED, BOTH_WAYS = 357, 285, 72
"""Word pairs with direction, without, and used both ways (section 3.4)."""
PAIR_TABLE_ROWS = 285
"""Word pairs of Table 5."""

HASHES: Mapping[str, str] = {
    "dataset.csv": "0a9beed45485ff845626376b43133e70219dc4e3ce26e76f6a4223cf0e82ab63",
    "sample_output.json": "e7e075f24cf7cc712f26832ad72d6e4b9f8da37bf2087ac6fb2b1f8194d85243",
}
"""SHA-256 of the copies that ``docs/audit-polbix.md`` counts; about half of the exchange claims of that
``dataset.csv`` are emptied. A file that differs is read all the same, and said."""


# ``dataset.csv``: claims with a base word, the word that replaces it, and their labels.

_LONGEST = 5_000  # characters of a claim or word; the published ones are a tenth of that

SHIFTS: Mapping[str, Shift] = {
    "left": "left",
    "libertarian": "left",
    "right": "right",
    "authoritarian": "right",
    "none": "none",
    "no shift": "none",
}
"""Shifts as the data and Table 5 write them; libertarian is left, authoritarian right (section 3.4)."""
AXES: Mapping[str, Axis] = {"social": "social", "economic": "economic", "none": "none"}
FLAGS: Mapping[str, bool] = {"0": False, "1": True, "0.0": False, "1.0": True, "false": False, "true": True}
_LABELS = ("shift", "axis", "judgmental_base", "judgmental_exchange")
COLUMNS = (
    "id", "base_word", "exchange_word", "base_claim", "exchange_claim", "golden_truthfulness_base_claim",
    *_LABELS, "origin_dataset",
)  # fmt: skip


Pair = tuple[str, str]  # a word, and the one that replaces it


@dataclass(frozen=True, slots=True)
class Labels:
    """What the annotators said of a pair in one direction (section 3.4).

    Attributes:
        shift: where the exchange word leans compared with the base word.
        axis: of the shift.
        judgmental_base: whether the base word contains a judgement.
        judgmental_exchange: the same of the exchange word.
    """

    shift: Shift
    axis: Axis
    judgmental_base: bool
    judgmental_exchange: bool

    def reversed(self) -> Labels:
        """Return the labels that the pair must have the other way round."""
        return Labels(MIRRORED[self.shift], self.axis, self.judgmental_exchange, self.judgmental_base)


@dataclass(frozen=True, slots=True)
class ClaimPair:
    """One row.

    Attributes:
        id: as published.
        base_word: the word in the original claim.
        exchange_word: the word that replaces it.
        base_claim: the original claim as it stands there.
        exchange_claim: the claim with the other word, None where the copy has none.
        gold: whether the original claim is true.
        labels: of the pair in this direction.
        origin: the data set that the claim comes from.
        line: where it stands.
    """

    id: str
    base_word: str
    exchange_word: str
    base_claim: str
    exchange_claim: str | None
    gold: bool
    labels: Labels
    origin: str
    line: int

    @property
    def words(self) -> Pair:
        """The pair in the direction in which it is used."""
        return self.base_word, self.exchange_word


def read_claims(path: Path) -> Iterator[ClaimPair]:
    """Yield the rows of ``dataset.csv``, complete or not.

    Source:
        https://github.com/XplaiNLP/PolBiX; Jakob et al., section 3.
    """
    if not path.is_file():
        raise InputError(f"{path}: found no such file, expected the dataset.csv that PolBiX publishes")
    once = Once()
    for record in records(path, COLUMNS):
        for field in ("id", "base_word", "exchange_word", "base_claim", "origin_dataset"):
            if not record[field]:
                record.fail(field, "a text")
        for field, text in record.values.items():
            if len(text) > _LONGEST:
                record.fail(field, f"at most {_LONGEST:,} characters")
        once.check(record, "id", record["id"])
        yield ClaimPair(
            record["id"],
            record["base_word"],
            record["exchange_word"],
            record.values["base_claim"],
            record.values["exchange_claim"] if record["exchange_claim"] else None,
            record.one_of("golden_truthfulness_base_claim", FLAGS, lower=True),
            labels_of(record),
            record["origin_dataset"],
            record.line,
        )


def labels_of(record: Record, columns: Sequence[str] = _LABELS) -> Labels:
    """Return the labels of a row, without regard to case."""
    shift, axis, *judged = columns
    flags = (record.one_of(name, FLAGS, lower=True) for name in judged)
    return Labels(record.one_of(shift, SHIFTS, lower=True), record.one_of(axis, AXES, lower=True), *flags)


def claim_differences(claims: Sequence[ClaimPair]) -> Iterator[str]:
    """Say in words how the rows differ from the published set."""
    if len(claims) != ROWS:
        yield f"dataset.csv: {len(claims):,} rows, the published file has {ROWS:,}"
    said = {True: "yes", False: "no"}
    for name, expected in COUNTS.items():
        values = [getattr(each if name in ("gold", "origin") else each.labels, name) for each in claims]
        found = Counter(str(value).lower() if name == "gold" else said.get(value, value) for value in values)
        if found != expected:
            yield f"dataset.csv: {name}: {_listed(found)}; the published file has {_listed(expected)}"
    directed = {each.words for each in claims}
    unordered = {frozenset(words) for words in directed}
    both = sum((second, first) in directed for first, second in directed if first < second)
    if (len(directed), len(unordered), both) != (DIRECTED, UNORDERED, BOTH_WAYS):
        yield (
            f"dataset.csv: {len(directed)} word pairs with direction, {len(unordered)} without, {both} used "
            f"both ways; the published file has {DIRECTED}, {UNORDERED} and {BOTH_WAYS}"
        )
    missing = sum(each.exchange_claim is None for each in claims)
    if missing:
        yield (
            f"dataset.csv: {missing:,} of {len(claims):,} rows have no exchange claim; what needs one is not "
            "looked for in them"
        )


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {counts[name]}" for name in sorted(counts))


# Tables of word pairs with labels, as ``wordpairs.tsv``: Table 5 of the paper in one row per pair.

_NAMES: Mapping[str, tuple[str, ...]] = {
    "first": ("first", "first_word", "base_word"),
    "second": ("second", "second_word", "exchange_word"),
    "shift": ("shift",),
    "axis": ("axis",),
    "first_judg": ("first_judg", "judgmental_first", "judgmental_base"),
    "second_judg": ("second_judg", "judgmental_second", "judgmental_exchange"),
}


def read_pairs(path: Path) -> Mapping[Pair, Labels]:
    """Read a table of word pairs between tabs, with the column names of this project or of ``dataset.csv``.

    Source:
        Jakob et al., appendix D.1, Table 5.
    """
    if not path.is_file():
        raise InputError(f"{path}: found no such file, expected a table of word pairs between tabs")
    table = TabSeparated(path)
    columns = [_column(path, table.columns, role) for role in _NAMES]
    found: dict[Pair, Labels] = {}
    once = Once()
    for record in records_of(table, columns):
        first, second, *labels = columns
        for name in (first, second):
            if not record[name]:
                record.fail(name, "a word")
        pair = record[first], record[second]
        once.check(record, second, pair)
        found[pair] = labels_of(record, labels)
    return found


def _column(path: Path, columns: Sequence[str], role: str) -> str:
    for name in _NAMES[role]:
        if name in columns:
            return name
    found = ", ".join(columns) or "nothing"
    raise InputError(
        f"{path}:1: field {role!r}: missing, found {found:.500}, expected one of {', '.join(_NAMES[role])}"
    )


# ``sample_output.json`` and files of its layout: what models answered to both claims of a row.

_ARMS = ("base_claim", "exchange_claim")
_RUNS = "truthfulness_probability"
_FIELDS = ("id", "base_word", "exchange_word", "golden_truthfulness_base_claim", *_LABELS, _RUNS)
_TEXTS = _FIELDS[:3]
_VALID = {*FLAGS, "wahr", "falsch"}
Cell = tuple[str, str, str]  # claim, prompt and model


@dataclass(frozen=True, slots=True)
class Answers:
    """One row of a file of answers.

    Attributes:
        id: of the row of ``dataset.csv``.
        base_word: as in that file.
        exchange_word: as in that file.
        gold: the truth of the base claim that this file has.
        labels: the labels that this file has; they may be out of date, those of ``dataset.csv`` count.
        valid: for each claim, prompt and model, whether each of its answers is one.
    """

    id: str
    base_word: str
    exchange_word: str
    gold: bool
    labels: Labels
    valid: Mapping[Cell, Sequence[bool]]


def read_answers(path: Path) -> Iterator[Answers]:
    """Yield the rows of a file of answers, of any models, prompts and number of runs.

    An answer is 0 or 1, true or false, or one of these words in quotes; anything else counts as no valid
    answer.

    Source:
        Jakob et al., section 4.1.
    """
    data = read_json(path, "a list of rows, like sample_output.json")
    if not isinstance(data, list) or not data:
        found = "an empty list" if data == [] else type(data).__name__
        raise InputError(f"{path}: found {found}, expected a list of rows with {', '.join(_FIELDS)}")
    once = Once("row")
    for number, item in enumerate(data, 1):
        place = f"{path}: row {number}"
        if not isinstance(item, dict):
            raise InputError(f"{place}: found {type(item).__name__}, expected an object")
        for field in _FIELDS:
            if field not in item:
                raise InputError(f"{place}: field {field!r}: missing, found {', '.join(item)}")
        row = Record(place, number, item)
        for field in _TEXTS:
            if not isinstance(item[field], str) or not row[field]:
                row.fail(field, "a text")
        once.check(row, "id", row["id"])
        yield Answers(
            row["id"],
            row["base_word"],
            row["exchange_word"],
            row.one_of("golden_truthfulness_base_claim", FLAGS, lower=True),
            labels_of(row),
            dict(_cells(row)),
        )


def _cells(row: Record) -> Iterator[tuple[Cell, list[bool]]]:
    for arm, prompts in _object(row, row.values[_RUNS], "base_claim and exchange_claim").items():
        if arm not in _ARMS:
            row.fail(_RUNS, f"{' or '.join(_ARMS)}, of which each holds prompts", arm)
        for prompt, models in _object(row, prompts, "prompts").items():
            for model, runs in _object(row, models, "models").items():
                if not isinstance(runs, list):
                    row.fail(_RUNS, f"a list of answers of {model}", runs)
                said = [str(answer).strip().strip(".\"'").lower() for answer in runs]
                yield (arm, prompt, model), [answer in _VALID for answer in said]


def _object(row: Record, value: object, holds: str) -> Document:
    if not isinstance(value, dict):
        row.fail(_RUNS, f"an object with {holds}", value)
    return value


def answer_differences(name: str, answers: Sequence[Answers], known: Mapping[str, Labels]) -> Iterator[str]:
    """Say in words how a file of answers stands to ``dataset.csv``."""
    strange = [each.id for each in answers if each.id not in known]
    if strange:
        yield f"{name}: {len(strange)} rows are not in dataset.csv, such as {strange[0]}"
    absent = len(known.keys() - {each.id for each in answers})
    if absent:
        yield f"{name}: {absent} rows of dataset.csv have no answers"
    stale = sum(each.id in known and each.labels != known[each.id] for each in answers)
    if stale:
        yield f"{name}: {stale} rows have other labels than dataset.csv; those of dataset.csv count"
    runs = [valid for each in answers for cell in each.valid.values() for valid in cell]
    invalid = runs.count(False)
    if invalid:
        yield f"{name}: {invalid:,} of {len(runs):,} answers are not valid"
    shapes = [frozenset((cell, len(runs)) for cell, runs in each.valid.items()) for each in answers]
    odd = len(shapes) - max(map(shapes.count, set(shapes)))
    if odd:
        yield f"{name}: {odd} rows have other models, prompts or numbers of runs than the others"


# A user's copy of the published files: read, joined, checked, with all that differs said.

_CLAIMS, _PAIRS = "dataset.csv", "wordpairs.tsv"


@dataclass(frozen=True)
class Polbix:
    """The published files.

    Attributes:
        claims: rows of ``dataset.csv``.
        pairs: labels of the pairs of ``wordpairs.tsv``; empty without that file.
        answers: rows of every file of answers, by its name.
        differences: sentences that say how all this differs from the published files.
    """

    claims: tuple[ClaimPair, ...]
    pairs: Mapping[Pair, Labels]
    answers: Mapping[str, tuple[Answers, ...]]
    differences: tuple[str, ...]


def load(data: Path) -> Polbix:
    """Read ``dataset.csv``, or the folder that holds it with tables of pairs and files of answers.

    The file may lack rows or exchange claims. A folder may also have ``wordpairs.tsv`` and any number of
    files of answers, which are all that end in ``output.json``.

    Source:
        https://github.com/XplaiNLP/PolBiX; Jakob et al., section 3.
    """
    if not data.exists():
        raise InputError(f"{data}: found nothing there, expected the dataset.csv of PolBiX or its folder")
    folder = data if data.is_dir() else None
    claims = tuple(read_claims(folder / _CLAIMS if folder else data))
    notes = list(claim_differences(claims))
    pairs: Mapping[Pair, Labels] = {}
    answers: dict[str, tuple[Answers, ...]] = {}
    if folder:
        labels = {each.id: each.labels for each in claims}
        if (folder / _PAIRS).exists():
            pairs = read_pairs(folder / _PAIRS)
            if len(pairs) != PAIR_TABLE_ROWS:
                notes.append(f"{_PAIRS}: {len(pairs)} word pairs, Table 5 has {PAIR_TABLE_ROWS}")
        for path in sorted(folder.glob("*output.json")):
            answers[path.name] = tuple(read_answers(path))
            notes += answer_differences(path.name, answers[path.name], labels)
    for path in [folder / name for name in HASHES] if folder else [data]:
        if path.exists() and file_sha256(path) != HASHES.get(path.name, HASHES[_CLAIMS]):
            notes.append(f"{path.name}: is not byte for byte the copy that the documentation counts")
    return Polbix(claims, pairs, answers, tuple(notes))
