"""Where a shifted claim differs from its base claim, and whether the exchange may change it there."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import cast

from polbias.generators.xphemism.matching.hit import Hit
from polbias.generators.xphemism.substitution import words as closed
from polbias.generators.xphemism.substitution.clause import clause_at
from polbias.generators.xphemism.substitution.phrase import read_phrase
from polbias.generators.xphemism.substitution.tokens import Token, Tokens, tokenise
from polbias.generators.xphemism.substitution.verbs import in_number

Span = tuple[int, int]
_PRONOUNS = frozenset(form for table in closed.PRONOUNS.values() for row in table.values() for form in row)
_RELATIVES = frozenset(
    form for table in (closed.RELATIVES, closed.WELCH) for row in table.values() for form in row
)


@dataclass(frozen=True, slots=True)
class TokenEdit:
    """One place where two claims differ; case and punctuation do not count.

    Attributes:
        start: offset in the base claim of what differs there; of an insertion, of the token after it.
        end: offset after it; of an insertion the same as ``start``.
        base: the words of the base claim, () of an insertion.
        shifted: the words of the shifted claim, () of a deletion.
        inside: whether the exchange may change that place.
    """

    start: int
    end: int
    base: tuple[str, ...]
    shifted: tuple[str, ...]
    inside: bool


@dataclass(frozen=True, slots=True)
class EditReport:
    """The differences of a pair of claims.

    Attributes:
        edits: in the order of the claim.
    """

    edits: tuple[TokenEdit, ...]

    @property
    def inside(self) -> bool:
        """Return whether every difference is where the exchange may change the claim."""
        return all(edit.inside for edit in self.edits)

    @property
    def outside(self) -> tuple[TokenEdit, ...]:
        """Return the differences elsewhere."""
        return tuple(edit for edit in self.edits if not edit.inside)


def edit_report(base: str, shifted: str, allowed: Span | Hit | Sequence[Span | Hit]) -> EditReport:
    """Return where a shifted claim differs from its base claim.

    Inside is the noun phrase of a hit from its preposition to its last word; a pronoun or relative pronoun
    and a finite verb beside it are inside if nothing but their gender or number changes. So a grammar check
    that changes the mood of a verb, a tense or another word is outside.

    Args:
        base: the claim as it was.
        shifted: the claim with its word exchanged, by rule or after a grammar check.
        allowed: what may change: the hit of the base word, a pair of offsets in the base claim, or several of
            them.

    Source: PolBiX, Appendix C.2 ("nur Artikelanpassungen und Wortendungsanpassungen").
    """
    tokens = tokenise(base)
    free: set[int] = set()
    agreeing: set[int] = set()
    for each in _listed(allowed):
        if isinstance(each, Hit):
            _around(tokens, each, free, agreeing)
        else:
            start, end = each
            free |= {place for place, token in enumerate(tokens) if token.start < end and start < token.end}
    return EditReport(tuple(_edits(tokens, tokenise(shifted), free, agreeing)))


def _listed(allowed: Span | Hit | Sequence[Span | Hit]) -> list[Span | Hit]:
    """Return what may change as a list; a pair of numbers is one span."""
    if isinstance(allowed, Hit):
        return [allowed]
    if len(allowed) == 2 and isinstance(allowed[0], int):
        return [cast(Span, allowed)]
    return list(cast("Sequence[Span | Hit]", allowed))


def _around(tokens: Tokens, hit: Hit, free: set[int], agreeing: set[int]) -> None:
    """Add the places of the noun phrase of a hit, and of what agrees with it beside it."""
    own = [
        place
        for place, token in enumerate(tokens)
        if token.start < hit.token_end and hit.token_start < token.end
    ]
    if not own:
        return
    phrase = read_phrase(tokens, own[0])
    free |= set(range(phrase.first, own[-1] + 1))
    before, after = phrase.first - 1, own[-1] + 1
    agreeing |= {before} if before >= 0 and tokens[before].low in _PRONOUNS else set()
    agreeing |= {finite} if (finite := clause_at(tokens, own[0]).finite) is not None else set()
    if after + 1 >= len(tokens) or tokens[after].text != ",":
        return
    relative = after + 1 + (tokens[after + 1].low in closed.PREPOSITIONS)
    if relative < len(tokens) and tokens[relative].low in _RELATIVES:
        agreeing.add(relative)
        finite = clause_at(tokens, relative).finite
        agreeing |= {finite} if finite is not None else set()


def _edits(
    base: Tokens, shifted: Tokens, free: Collection[int], agreeing: Collection[int]
) -> list[TokenEdit]:
    places = [place for place, token in enumerate(base) if token.kind != "mark"]
    left = [base[place] for place in places]
    right = [token for token in shifted if token.kind != "mark"]
    matcher = SequenceMatcher(
        None, [token.low for token in left], [token.low for token in right], autojunk=False
    )
    found: list[TokenEdit] = []
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind == "equal":
            continue
        old, new = left[first:last], right[start:end]
        if first == last:
            inside = bool({*places[max(0, first - 1) : first], *places[first : first + 1]} & set(free))
            offsets = (
                (left[first].start,) * 2 if first < len(left) else (base[-1].end,) * 2 if base else (0, 0)
            )
        else:
            offsets = (old[0].start, old[-1].end)
            inside = _is_inside(places[first:last], old, new, free, agreeing)
        words = tuple(token.text for token in old), tuple(token.text for token in new)
        found.append(TokenEdit(*offsets, *words, inside))
    return found


def _is_inside(
    places: Sequence[int],
    old: Sequence[Token],
    new: Sequence[Token],
    free: Collection[int],
    agreeing: Collection[int],
) -> bool:
    """Return whether a replacement is inside: places beside the phrase may only change gender or number."""
    if all(place in free for place in places):
        return True
    if any(place not in free and place not in agreeing for place in places):
        return False
    lead = next((k for k, place in enumerate(places) if place in free), len(places))
    trail = next((k for k, place in enumerate(reversed(places)) if place in free), 0)
    if lead + trail > len(new) or any(place not in free for place in places[lead : len(places) - trail]):
        return False
    pairs = [*zip(old[:lead], new[:lead], strict=True)]
    pairs += zip(old[len(old) - trail :], new[len(new) - trail :], strict=True)
    return all(_agrees(before.low, after.low) for before, after in pairs)


def _agrees(old: str, new: str) -> bool:
    """Return whether one form differs from the other in gender or number alone."""
    if (old in _PRONOUNS and new in _PRONOUNS) or (old in _RELATIVES and new in _RELATIVES):
        return True
    return new in (in_number(old, "sg"), in_number(old, "pl"))
