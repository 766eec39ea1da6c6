"""Claims from a user's file or a Hub dataset; what is wrong with a row is reported, and the rest is read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from polbias.generators.authoring.claims import read_tables
from polbias.generators.xphemism.claim_files import HubTable, open_claims
from polbias.generators.xphemism.claim_records import Claim, Claims, Gold, Label, Problem
from polbias.generators.xphemism.matching import Hit, Matcher

__all__ = [
    "MAX_WORDS",
    "PER_KEYWORD",
    "Claim",
    "Claims",
    "Gold",
    "KeywordClaim",
    "Label",
    "Problem",
    "limit_per_keyword",
    "load_claims",
    "read_claims",
]
MAX_WORDS = 100  # Jakob et al. 2025, section 3.2
PER_KEYWORD = 5  # of each gold label, ibid.


@dataclass(frozen=True, slots=True)
class KeywordClaim:
    """A claim drawn for a word.

    Attributes:
        word: of the lexicon.
        claim: that contains it.
        hits: where.
    """

    word: str
    claim: Claim
    hits: tuple[Hit, ...]


def read_claims(
    path: Path,
    columns: Mapping[str, str] | None = None,
    labels: Mapping[str, Label] | None = None,
    max_words: int = MAX_WORDS,
    encoding: str = "utf-8",
) -> Claims:
    """Read claims from CSV, TSV, JSON lines or Parquet.

    Args:
        path: a file, or a folder of Parquet files.
        columns: names of the user's columns by role ("claim", "gold", "claim_id"); the usual names are known.
        labels: meaning of the user's labels, besides the usual spellings of true and false in English and
            German.
        max_words: longer claims are left out, as in the paper (section 3.2).
        encoding: of a text file. Bytes that it does not allow make a problem of their row.

    Raises:
        InputError: if there is no such file, it is no table, a column is missing or the encoding is unknown.
    """
    with open_claims(path, encoding) as tables:
        return read_tables(tables, columns or {}, labels or {}, max_words)


def load_claims(
    name: str,
    config: str | None = None,
    split: str = "train",
    revision: str | None = None,
    columns: Mapping[str, str] | None = None,
    labels: Mapping[str, Label] | None = None,
    max_words: int = MAX_WORDS,
) -> Claims:
    """Read claims from a dataset of a Hub, or from a folder that ``datasets`` can load.

    Args:
        name: such as ``"user/claims"``.
        config: name of the config, if there are several.
        split: which rows.
        revision: commit, tag or branch.
        columns: as in :func:`read_claims`.
        labels: as in :func:`read_claims`; of a ``ClassLabel`` column the names count, not the numbers.
        max_words: as in :func:`read_claims`.

    Raises:
        InputError: if it cannot be loaded or a column is missing.
    """
    return read_tables([HubTable(name, config, split, revision)], columns or {}, labels or {}, max_words)


def limit_per_keyword(
    claims: Iterable[Claim], matcher: Matcher, seed: int, most: int = PER_KEYWORD, marked: bool = False
) -> tuple[KeywordClaim, ...]:
    """Draw at most so many true and so many false claims for each word (paper: section 3.2).

    Which claim comes before which depends on seed, word and text only, not on the order of the file.

    Args:
        claims: to draw from.
        matcher: finds the words.
        seed: of the draw.
        most: claims of each gold label for each word.
        marked: whether also hits in quotations and proper names count, which the paper's annotation excludes.

    Returns:
        The claims by word, in the order of the matcher; of a word the true ones first, then by ``claim_id``.
    """
    pool = list(claims)
    by_cell: dict[tuple[str, Gold], list[KeywordClaim]] = {}
    for place, hits in matcher.find_all([claim.text for claim in pool]):
        by_word: dict[str, list[Hit]] = {}
        for hit in hits:
            if marked or not (hit.quoted or hit.proper):
                by_word.setdefault(hit.word, []).append(hit)
        claim = pool[place]
        for word, own in by_word.items():
            by_cell.setdefault((word, claim.gold), []).append(KeywordClaim(word, claim, tuple(own)))
    golds: tuple[Gold, ...] = ("true", "false")
    drawn: list[KeywordClaim] = []
    for word in matcher.words:
        for gold in golds:
            cell = sorted(by_cell.get((word, gold), ()), key=lambda each: _lot(seed, each))[:most]
            drawn += sorted(cell, key=lambda each: (each.claim.claim_id, each.claim.text))
    return tuple(drawn)


def _lot(seed: int, drawn: KeywordClaim) -> tuple[bytes, str]:
    text = f"{seed}\0{drawn.word}\0{drawn.claim.text}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), drawn.claim.claim_id
