"""Minimal pairs of any claims, with a result for every row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from polbias.errors import InputError, replace_surrogates
from polbias.generators.authoring.claims import ROLES, wrong_gold, wrong_text
from polbias.generators.table_files import ColumnRole, read_tables, resolve_columns
from polbias.generators.xphemism.items import MinimalPair, PairMaker
from polbias.generators.xphemism.vocabulary.lexicon import EMPTY, WordPair

# Rows of ``pairs.tsv``.


def pairs_tsv(pairs: Iterable[WordPair]) -> str:
    """Render word pairs in the format of ``pairs.tsv``, with its header."""
    lines = ["\t".join(WordPair.model_fields)]
    lines += [
        "\t".join(_format_cell(getattr(pair, name)) for name in WordPair.model_fields) for pair in pairs
    ]
    return "\n".join(lines) + "\n"


def _format_cell(value: str | bool | None) -> str:
    if value is None:
        return EMPTY
    return str(int(value)) if isinstance(value, bool) else value


# A file of claims to turn into minimal pairs; every row has a result.

# Words of a row; without them, every lexicon word in the claim is exchanged.
_WORDS = (ColumnRole("base_word"), ColumnRole("exchange_word"))
_CLAIM = tuple(ColumnRole(role.name, role.aliases, role.name == "claim") for role in ROLES)


@dataclass(frozen=True, slots=True)
class PairRequest:
    """A row of the file.

    Attributes:
        row: line number, from 1.
        values: cells as text, by column.
        claim_id: id of the claim; derived from the line if the file has no ids.
        claim: its text.
        base_word: the word to exchange, or empty.
        exchange_word: its replacement, or empty.
        problem: reason why the row is unusable, or None.
    """

    row: int
    values: Mapping[str, str]
    claim_id: str
    claim: str
    base_word: str
    exchange_word: str
    problem: str | None


def read_requests(path: Path, columns: Mapping[str, str]) -> list[PairRequest]:
    """Return the rows of a file of claims: CSV, TSV, JSON lines or Parquet.

    Raises:
        InputError: naming every line whose gold label is neither empty nor true or false.
    """
    requests: list[PairRequest] = []
    gold_errors: list[tuple[str, str]] = []
    for table in read_tables(path):
        column_by_role = resolve_columns(table.columns, (*_CLAIM, *_WORDS), columns, table.path)
        for line, cells, unreadable in table.rows(table.columns):
            named_cells = zip(table.columns, cells, strict=True)
            texts = {
                replace_surrogates(name): "" if value is None else str(value) for name, value in named_cells
            }
            values = {name: replace_surrogates(text) for name, text in texts.items()}
            value_by_role = {
                role: values.get(replace_surrogates(column), "").strip()
                for role, column in column_by_role.items()
            }
            words = (value_by_role.get("base_word", ""), value_by_role.get("exchange_word", ""))
            claim_id = value_by_role.get("claim_id") or f"row-{line}"
            problems = (
                f"{column}: found half a character" for column in texts if values[column] != texts[column]
            )
            problem = unreadable or next(problems, None) or wrong_text(value_by_role.get("claim"))
            if error := None if unreadable else wrong_gold(value_by_role.get("gold")):
                gold_errors.append((f"{table.path}:{line}", error))
            requests.append(
                PairRequest(line, values, claim_id, value_by_role.get("claim", ""), *words, problem)
            )
    if gold_errors:
        location, error = gold_errors[0]
        also = f" (and {len(gold_errors) - 1} more, such as {gold_errors[1][0]})" if gold_errors[1:] else ""
        raise InputError(f"{location}: gold: {error}{also}; correct it, or leave the cell empty")
    return requests


def make_pairs(request: PairRequest, maker: PairMaker) -> list[MinimalPair]:
    """Return the minimal pairs of a row, at least one."""
    base, exchange = request.base_word, request.exchange_word
    pairs: list[MinimalPair] = []
    reason = "no-hit: no word of the lexicon stands there"
    if request.problem:
        reason = f"bad-row: {request.problem}"
    elif base and exchange:
        pairs = [maker.make(request.claim, base, exchange)]
    else:
        pairs = [*maker.make_all(request.claim, base)]
    return pairs or [MinimalPair(base, exchange, "", None, "none", reason, ())]
