"""A grammar check of shifted claims by a chat model, whose edits are checked in turn."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile
from typing import TYPE_CHECKING, Literal, cast

from polbias.aliases import Document
from polbias.generators.authoring.word_pairs import generation
from polbias.generators.xphemism.matching.text import Hit
from polbias.generators.xphemism.substitution import words as closed
from polbias.generators.xphemism.substitution.clause import clause_at, in_number
from polbias.generators.xphemism.substitution.edits import Edit
from polbias.generators.xphemism.substitution.phrase import read_phrase
from polbias.generators.xphemism.substitution.words import (
    CONTRACTIONS,
    Token,
    Tokens,
    determiner_of,
    tokenise,
)
from polbias.models import Answer, Chat, Price, Recorder, Request, run, settings
from polbias.models.prompts import spoken

if TYPE_CHECKING:
    from rich.console import Console


# Where a shifted claim differs from its base claim, and whether the exchange may change it there.

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


# An optional grammar check of shifted claims by a chat model, whose edits are checked in turn.
# The published claims went through such a step, and in about 40% of them it changed words elsewhere. Here a
# correction is used only if every change is an ending or an article within the exchanged noun phrase.

Span = tuple[int, int]
Status = Literal["unchanged", "corrected", "refused", "not-answered"]
_FOLDED = str.maketrans("äöü", "aou")
# What inflection may exchange for one another at the end of a word.
_ENDING = re.compile(r"|e|e?[mnrst]|ens|ern|nen|ns|se[ns]?|st|ten?")


@dataclass(frozen=True, slots=True)
class ShiftedClaim:
    """A claim with its word exchanged.

    Attributes:
        id: unique.
        text: the claim.
        allowed: offsets of what may be changed, as start and end; see `allowed_spans`.
    """

    id: str
    text: str
    allowed: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """What the grammar check did to a claim.

    Attributes:
        id: of the claim.
        text: the claim to use; as it was unless the status is ``corrected``.
        status: ``refused`` if the answer changes what it must not.
        reason: of a refusal or a missing answer; empty otherwise.
        answer: what the model said, word for word; None if it said nothing.
    """

    id: str
    text: str
    status: Status
    reason: str = ""
    answer: str | None = None


def allowed_spans(shifted: str, edits: Iterable[Edit]) -> tuple[Span, ...]:
    """Return where a grammar check may change a shifted claim: in what the exchange itself has changed.

    Around the exchanged word this is its noun phrase, from a preposition or article to the word.
    """
    tokens = tokenise(shifted)
    spans = []
    moved = 0
    for edit in sorted(edits, key=lambda each: each.start):
        start = edit.start + moved
        end = start + len(edit.new)
        moved += len(edit.new) - (edit.end - edit.start)
        places = [place for place, token in enumerate(tokens) if token.start < end and start < token.end]
        if places:
            first = read_phrase(tokens, places[0]).first if edit.kind == "word" else places[0]
            spans.append((tokens[first].start, tokens[places[-1]].end))
    return tuple(spans)


def check_grammar(
    claims: Sequence[ShiftedClaim],
    service: Chat,
    recorder: Recorder,
    *,
    parameters: Document | None = None,
    prices: Mapping[str, Price] | None = None,
    yes: bool = False,
    confirm: Callable[[str], bool] | None = None,
    console: Console | None = None,
) -> list[Checked]:
    """Have the grammar of shifted claims checked, and use only what the check may change.

    Source:
        Jakob et al. 2025, section 3.3 and Appendix C.2.
    """
    asked = grammar_requests(claims, service, parameters)
    outcome = run(asked, [service], recorder, prices=prices, yes=yes, confirm=confirm, console=console)
    return [judge(claim, answer) for claim, answer in zip(claims, outcome.answers, strict=True)]


def grammar_requests(
    claims: Iterable[ShiftedClaim], service: Chat, parameters: Document | None = None
) -> list[Request]:
    """Make the requests of `check_grammar`, for instance to plan it."""
    prompt = generation().grammar_check
    common = dict(prompt.parameters) | dict(parameters or {})
    per_token = settings().tokens.characters_per_token
    return [
        service.request(
            f"grammar/{claim.id}",
            prompt.turns(claim.text),
            expected_tokens=math.ceil(len(claim.text) / per_token),
            **common,
        )
        for claim in claims
    ]


def judge(claim: ShiftedClaim, answer: Answer | None) -> Checked:
    """Decide whether an answer is used.

    Of a corrected claim only the words change that may: case and punctuation elsewhere stay as they were,
    whatever the answer has, and quotes around it do not matter.
    """
    if answer is None:
        return Checked(claim.id, claim.text, "not-answered", "the service gave no answer; run again")
    if answer.finish != "stop":
        reason = f"finish_reason {answer.finish}"
        return Checked(claim.id, claim.text, "not-answered", reason, answer.text)
    edits = edit_report(claim.text, " ".join(spoken(answer.text).split()), claim.allowed).edits
    if not edits:
        return Checked(claim.id, claim.text, "unchanged", "", answer.text)
    reason = next(filter(None, map(_refusal, edits)), "")
    if reason:
        return Checked(claim.id, claim.text, "refused", reason, answer.text)
    parts, done = [], 0
    for edit in edits:
        parts += [claim.text[done : edit.start], " ".join(edit.shifted)]
        done = edit.end
    return Checked(claim.id, "".join([*parts, claim.text[done:]]), "corrected", "", answer.text)


def _refusal(edit: TokenEdit) -> str:
    """Return why an edit is not made; empty if it is."""
    shown = f"{' '.join(edit.base)!r} became {' '.join(edit.shifted)!r}"
    if not edit.inside:
        return f"outside the noun phrase: {shown}"
    ones, others = _spelled_out(edit.base), _spelled_out(edit.shifted)
    if not (len(ones) == len(others) and all(map(_same_word, ones, others))):
        return f"more than articles and endings: {shown}"
    return ""


def _spelled_out(words: Iterable[str]) -> list[str]:
    """Return words in lower case, contractions as the two words that they are."""
    low = (word.lower() for word in words)
    return [part for word in low for part in CONTRACTIONS.get(word, (word,))]


def _same_word(one: str, other: str) -> bool:
    determiners = determiner_of(one), determiner_of(other)
    if any(determiners):
        return determiners[0] == determiners[1]
    one, other = one.translate(_FOLDED), other.translate(_FOLDED)
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    return common > 1 and all(_ENDING.fullmatch(word[common:]) for word in (one, other))
