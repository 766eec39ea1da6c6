"""Defects of the published pairs of PolBiX."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from polbias.aliases import Json
from polbias.generators.auditing.polbix.edits import OUTSIDE, Edit, agrees, edits
from polbias.generators.auditing.polbix.files import ClaimPair, Labels, Pair, Polbix, load
from polbias.generators.auditing.polbix.occurrences import Finder, Occurrences, spans
from polbias.generators.auditing.probvaa.files import by_group
from polbias.generators.language.german_words import is_known
from polbias.generators.policy.quality import numbers, unbalanced, words
from polbias.generators.xphemism.matching.text import Hit
from polbias.generators.xphemism.substitution.words import Token, tokenise
from polbias.generators.xphemism.vocabulary.lexicon import Lexicon

# What rows say of each other: duplicates, and labels of one pair that contradict each other.

Finding = tuple[str, str]
_Key = Callable[[ClaimPair], Hashable]


def duplicates(claims: Sequence[ClaimPair]) -> Iterator[Finding]:
    """Yield the rows that repeat a base claim, or another row in all.

    A base claim can be another row's base claim or its exchange claim. Claims are compared without regard to
    case and punctuation, whole rows letter for letter but for the id.
    """
    yield from _repeated(claims, "duplicate-base-claim", lambda row: words(row.base_claim))
    exchanged = {words(row.exchange_claim): row.id for row in claims if row.exchange_claim}
    for row in claims:
        if exchanged.get(words(row.base_claim), row.id) != row.id:
            yield row.id, "base-claim-is-exchange-claim"
    yield from _repeated(claims, "duplicate-row", lambda row: replace(row, id="", line=0))


def contradictions(claims: Sequence[ClaimPair], table: Mapping[Pair, Labels]) -> Iterator[Finding]:
    """Yield the rows whose labels are not those that other rows or a table give the same pair."""
    known: dict[Pair, set[Labels]] = {}
    for row in claims:
        known.setdefault(row.words, set()).add(row.labels)
    for row in claims:
        if len(known[row.words]) > 1:
            yield row.id, "inconsistent-labels"
        for other in known.get(row.words[::-1], ()):
            expected = other.reversed()
            if row.labels.shift != expected.shift:
                yield row.id, "reversed-shift"
            if row.labels.axis != expected.axis:
                yield row.id, "reversed-axis"
            if replace(row.labels, shift=expected.shift, axis=expected.axis) != expected:
                yield row.id, "reversed-judgment"
        back = table.get(row.words[::-1])
        labels = table.get(row.words) or (back and back.reversed())
        if labels and labels != row.labels:
            yield row.id, "label-differs-from-table"


def printed_table(lexicon: Lexicon) -> dict[Pair, Labels]:
    """Return the labels of Table 5 by pair, with words as they are printed and as they are meant."""
    return {
        (pair.first, second): Labels(pair.shift, pair.axis, pair.judgmental_first, pair.judgmental_second)
        for pair in lexicon.pairs
        for second in filter(None, (pair.second, pair.printed))
    }


def _repeated(claims: Sequence[ClaimPair], code: str, key: _Key) -> Iterator[Finding]:
    counts = Counter(map(key, claims))
    return ((row.id, code) for row in claims if counts[key(row)] > 1)


# Names among the words that changed, as far as their form tells.

_ACRONYM = re.compile(r"[^\W\d_]*[A-ZÄÖÜ][^\W\d_]*[A-ZÄÖÜ][^\W\d_]*")
_ADDRESS = re.compile(r"@(\w+)")
_MISMATCH = frozenset({"spelling", "content"})


def name_changed(base: str, exchange: str, edits: Iterable[Edit]) -> bool:
    """Return whether a name was dropped, added, exchanged or written otherwise.

    A name is a word with several capitals (AfD, NATO), also as a part of a compound with hyphens, an address
    (@...), or one of two words that follow each other with capitals and are in no dictionary.
    """
    changed = [each for each in edits if each.kind in _MISMATCH]
    if not changed:
        return False
    before, after = frozenset(_names(base)), frozenset(_names(exchange))
    for each in changed:
        removed, added = (set(re.split(r"[\s-]+", text)) for text in (each.removed, each.added))
        if (removed - added) & before or (added - removed) & after:
            return True
    return False


def _names(text: str) -> Iterator[str]:
    tokens = tokenise(text)
    yield from (part for each in tokens for part in each.text.split("-") if _ACRONYM.fullmatch(part))
    yield from _ADDRESS.findall(text)
    for one, two in pairwise(tokens):
        if two.start == one.end + 1 and _unknown(one) and _unknown(two):
            yield from (one.text, two.text)


def _unknown(token: Token) -> bool:
    return token.is_noun and not token.opens and not is_known(token.text)


# What is wrong with the published rows.

CODES: Mapping[str, str] = {
    "base-word-absent": "the base claim does not have the base word, in no form and in no compound",
    "exchange-word-in-base": "the base claim already has the exchange word",
    "base-word-in-exchange": "the exchange claim still has the base word",
    "exchange-word-absent": "the exchange claim does not have the exchange word",
    "reversed-direction": "each claim has the word that the other one should have",
    "same-word-on-both-sides": "both claims have the same word of the pair, so that nothing was exchanged",
    "identical-claims": "the two claims are the same, word for word",
    "missing-exchange-claim": "this copy has no exchange claim",
    "base-word-quoted": "the base word stands inside quotation marks, which the annotation rules exclude",
    "base-word-in-name": "the base word is part of a proper name, which the annotation rules exclude",
    "edit-outside-phrase": "words changed that neither belong to the exchanged noun phrase nor agree with it",
    "content-changed": "the exchange claim drops, adds or exchanges another word with content",
    "number-changed": "the claims name different numbers",
    "name-changed": "a name was dropped, added, exchanged or written otherwise",
    "mood-changed": "indicative in one claim, subjunctive of reported speech in the other",
    "spelling-changed": "another word is written otherwise: a slip mended or made, a hyphen, a capital",
    "punctuation-changed": "marks differ between the claims",
    "broken-agreement": "article, adjectives or verb of the exchanged noun phrase do not agree with it",
    "unbalanced-quotes": "quotes or brackets of a claim do not come in pairs",
    "stray-whitespace": "white space at an end, before a comma or stop, or more than one space between words",
    "missing-final-punctuation": "a claim does not end with a mark",
    "character-entity": "a claim has a character of HTML in its coded form, such as &amp;",
    "duplicate-base-claim": "another row has the same base claim",
    "base-claim-is-exchange-claim": "another row has this base claim as its exchange claim",
    "duplicate-row": "another row is the same but for its id",
    "inconsistent-labels": "rows of one pair in one direction have different labels",
    "reversed-shift": "the pair the other way round does not have the mirrored shift",
    "reversed-judgment": "the pair the other way round does not have the judgements exchanged",
    "reversed-axis": "the pair the other way round has another axis",
    "label-differs-from-table": "the labels are not those of the table of word pairs",
    "stale-label": "a file of answers has other labels, another truth or other words for this row",
}
"""What each code means."""
INFORMATION = frozenset({"missing-exchange-claim"})
"""Codes that say something of the copy, not of the data."""
NOT_MINIMAL = frozenset(
    {"base-word-absent", "exchange-word-in-base", "base-word-in-exchange", "exchange-word-absent",
     "reversed-direction", "same-word-on-both-sides", "identical-claims"}
)  # fmt: skip
"""Codes of rows that are no minimal pair of the two words at all."""
_STRAY = re.compile(r"^\s|\s$|\s\s|\s[,;.!?](?!\.)|\t")
_NO_NAME = re.compile(r"#$|\bk?eine?[nmrs]?\s+\w+\s$", re.IGNORECASE)
"""Before a hashtag, or before a noun with an indefinite article: no proper name has one."""
_ENTITY = re.compile(r"&(?:[a-z]{2,6}|#\d+);")
_FINAL = re.compile(r"""[.!?…:]["'“”‘’»«)\]]*\s*$""")


@dataclass(frozen=True)
class Judged:
    """A row with what is wrong with it.

    Attributes:
        row: as read.
        hit: how the base word stands in the base claim, "exact", "inflected", "compound", "derived"
            (only a word of the same family) or "absent".
        findings: codes in the order of :data:`CODES`.
        edits: what changed beside the word itself; none without an exchange claim.
    """

    row: ClaimPair
    hit: str
    findings: tuple[str, ...]
    edits: tuple[Edit, ...]


def defects(data: Polbix) -> list[Judged]:
    """Find the defects of published rows."""
    finder = Finder()
    table = data.pairs or printed_table(finder.lexicon)
    related: dict[str, set[str]] = {}
    for row_id, code in (*duplicates(data.claims), *contradictions(data.claims, table), *_stale(data)):
        related.setdefault(row_id, set()).add(code)
    judged = []
    for row in data.claims:
        found = finder.occurrences(row)
        changed = _edits(row, found, finder)
        codes = {*related.get(row.id, ()), *_pair(row, found), *_form(row), *_changes(row, changed)}
        if _disagrees(row, found, finder):
            codes.add("broken-agreement")
        kind = min(map(_hit_kind, found.base_in_base), key=_KINDS.index, default="absent")
        judged.append(Judged(row, kind, tuple(code for code in CODES if code in codes), changed))
    return judged


_KINDS = ("exact", "inflected", "compound", "derived")


def _hit_kind(hit: Hit) -> str:
    return "derived" if hit.kind == "compound" and hit.member is None else hit.kind


def _pair(row: ClaimPair, found: Occurrences) -> Iterator[str]:
    """Yield what is wrong with the places of the two words."""
    base, exchange = found.base_in_base, found.exchange_in_base
    if not base:
        yield "base-word-absent"
    if exchange and (not base or any(each.kind != "compound" for each in exchange)):
        yield "exchange-word-in-base"
    if any(each.quoted for each in base):
        yield "base-word-quoted"
    if any(each.proper and not _NO_NAME.search(row.base_claim[: each.token_start]) for each in base):
        yield "base-word-in-name"
    if row.exchange_claim is None:
        yield "missing-exchange-claim"
        return
    if words(row.base_claim) == words(row.exchange_claim):
        yield "identical-claims"
    base_after, exchange_after = found.base_in_exchange, found.exchange_in_exchange
    if base_after and (not exchange_after or any(each.kind != "compound" for each in base_after)):
        yield "base-word-in-exchange"
    if not exchange_after:
        yield "exchange-word-absent"
    if not base and exchange and base_after and not exchange_after:
        yield "reversed-direction"
    if (not base and exchange and exchange_after) or (base and base_after and not exchange_after):
        yield "same-word-on-both-sides"


def _edits(row: ClaimPair, found: Occurrences, finder: Finder) -> tuple[Edit, ...]:
    if row.exchange_claim is None:
        return ()
    before, after = found.exchanged
    shapes = [
        {(each.number, each.gender) for hit in hits for each in finder.readings(hit, text) or ()}
        for hits, text in ((before, row.base_claim), (after, row.exchange_claim))
    ]
    in_compounds = bool(before and after) and all(
        each.kind == "compound" and each.member != "head" for each in before
    )
    other = not in_compounds and not (len(shapes[0]) == 1 and shapes[0] == shapes[1])
    return edits(row.base_claim, row.exchange_claim, spans(before), spans(after), other)


def _changes(row: ClaimPair, changed: tuple[Edit, ...]) -> Iterator[str]:
    """Yield what the edits beside the exchange are."""
    kinds = {each.kind for each in changed}
    if kinds & OUTSIDE:
        yield "edit-outside-phrase"
    yield from (f"{kind}-changed" for kind in ("content", "mood", "spelling", "punctuation") if kind in kinds)
    if row.exchange_claim is not None:
        if numbers(row.base_claim, "de") != numbers(row.exchange_claim, "de"):
            yield "number-changed"
        if name_changed(row.base_claim, row.exchange_claim, changed):
            yield "name-changed"


def _disagrees(row: ClaimPair, found: Occurrences, finder: Finder) -> bool:
    """Return whether a noun phrase of the exchange claim is broken that was not so in the base claim."""
    if row.exchange_claim is None:
        return False
    before, after = found.exchanged
    broken = []
    for hits, text in ((after, row.exchange_claim), (before, row.base_claim)):
        known = [(each, finder.readings(each, text)) for each in hits]
        broken.append(any(r and not agrees(text, each.token_start, each.token_end, r) for each, r in known))
    return broken[0] and not broken[1]


def _form(row: ClaimPair) -> Iterator[str]:
    """Yield what is wrong with the claims as texts."""
    for text in filter(None, (row.base_claim, row.exchange_claim)):
        if unbalanced(text):
            yield "unbalanced-quotes"
        if _STRAY.search(text):
            yield "stray-whitespace"
        if not _FINAL.search(text):
            yield "missing-final-punctuation"
        if _ENTITY.search(text):
            yield "character-entity"


def _stale(data: Polbix) -> Iterator[tuple[str, str]]:
    """Yield the rows for which a file of answers says something else."""
    known = {each.id: each for each in data.claims}
    for answers in data.answers.values():
        for each in answers:
            row = known.get(each.id)
            here = (each.labels, each.gold, each.base_word, each.exchange_word)
            if row and here != (row.labels, row.gold, *row.words):
                yield row.id, "stale-label"


# An audit of a user's copy of the published files, as one dictionary, and the ids to leave out.


def audit(data: Path) -> Json:
    """Audit ``dataset.csv``, or the folder that holds it with tables of pairs and files of answers."""
    known = load(data)
    judged = defects(known)
    hits = Counter(each.hit for each in judged)
    counts = Counter(code for each in judged for code in each.findings)
    summary = {
        "items": len(judged),
        "with_findings": sum(bool(set(each.findings) - INFORMATION) for each in judged),
        "not_minimal": sum(_is_defective(each) for each in judged),
        "findings": {code: counts[code] for code in CODES},
        "meaning": dict(CODES),
        "by_origin": by_group(CODES, ((each.row.origin, each.findings) for each in judged)),
        "base_word": {kind: hits[kind] for kind in (*_KINDS, "absent")},
        "differences": list(known.differences),
    }
    return {"format": "polbix", "summary": summary, "items": [_item(each) for each in judged]}


def defective_ids(data: Path) -> frozenset[str]:
    """Return the ids of the rows that are no minimal pair of their two words, to leave out of an analysis."""
    return frozenset(each.row.id for each in defects(load(data)) if _is_defective(each))


def _is_defective(judged: Judged) -> bool:
    return not NOT_MINIMAL.isdisjoint(judged.findings)


def _item(judged: Judged) -> Json:
    return {
        "id": judged.row.id,
        "line": judged.row.line,
        "base_word": judged.hit,
        "findings": list(judged.findings),
        "edits": [{"kind": each.kind, "removed": each.removed, "added": each.added} for each in judged.edits],
    }
