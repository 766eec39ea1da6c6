"""A grammar check of shifted claims by a chat model, whose edits are checked in turn."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import StringConstraints

from polbias.aliases import Document
from polbias.files import package_file
from polbias.generators.xphemism.substitution.edits import Edit
from polbias.generators.xphemism.substitution.phrase import read_phrase
from polbias.generators.xphemism.substitution.words import CONTRACTIONS, determiner_of, tokenise
from polbias.models import Answer, Chat, Recorder, Request, run, settings
from polbias.models.prompts import spoken
from polbias.template_files import Entry, Text, Texts, load_template

if TYPE_CHECKING:
    from rich.console import Console


# What is asked (``generation.yaml``, word for word as the paper prints it).

_PATH = "templates/xphemism/generation.yaml"


class GrammarPrompt(Entry):
    """How a grammar check is asked for; ``user`` is Jinja text with ``sentence``."""

    source: Text
    system: Annotated[str, StringConstraints(min_length=1)]
    user: Annotated[str, StringConstraints(min_length=1)]
    parameters: Document

    def turns(self, sentence: str) -> list[dict[str, str]]:
        """Return the messages about a sentence."""
        texts = Texts(package_file(_PATH), {})
        user = texts.render("grammar_check.user", self.user, {"sentence": sentence})
        return [{"role": "system", "content": self.system}, {"role": "user", "content": user}]


class GenerationFile(Entry):
    """The whole file."""

    grammar_check: GrammarPrompt


@cache
def generation() -> GenerationFile:
    """Return what ships with the package."""
    return load_template(package_file(_PATH), GenerationFile)


# Where a shifted claim differs from its base claim, and whether the exchange may change it there.

Span = tuple[int, int]


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


def token_edits(base: str, shifted: str, allowed: Iterable[Span]) -> list[TokenEdit]:
    """Return where a shifted claim differs from its base claim; an insertion beside a span is inside it."""
    spans = list(allowed)
    left, right = ([token for token in tokenise(text) if token.kind != "mark"] for text in (base, shifted))
    free = [any(token.start < end and start < token.end for start, end in spans) for token in left]
    matcher = SequenceMatcher(
        None, [token.low for token in left], [token.low for token in right], autojunk=False
    )
    found: list[TokenEdit] = []
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind == "equal":
            continue
        if first == last:
            at = left[first].start if first < len(left) else len(base.rstrip())
            place, inside = (at, at), any(free[max(0, first - 1) : first + 1])
        else:
            place, inside = (left[first].start, left[last - 1].end), all(free[first:last])
        old, new = (tuple(token.text for token in part) for part in (left[first:last], right[start:end]))
        found.append(TokenEdit(*place, old, new, inside))
    return found


# An optional grammar check of shifted claims by a chat model, whose edits are checked in turn.
# The published claims went through such a step, and in about 40% of them it changed words elsewhere. Here a
# correction is used only if every change is an ending or an article within the exchanged noun phrase.

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
        text: the claim to use; as it was unless the status is ``corrected``.
        status: ``refused`` if the answer changes what it must not.
        reason: of a refusal or a missing answer; empty otherwise.
    """

    text: str
    status: Status
    reason: str = ""


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
    yes: bool = False,
    confirm: Callable[[str], bool] | None = None,
    console: Console | None = None,
) -> list[Checked]:
    """Have the grammar of shifted claims checked, and use only what the check may change.

    Source:
        Jakob et al. 2025, section 3.3 and Appendix C.2.
    """
    asked = grammar_requests(claims, service)
    outcome = run(asked, [service], recorder, yes=yes, confirm=confirm, console=console)
    return [judge(claim, answer) for claim, answer in zip(claims, outcome.answers, strict=True)]


def grammar_requests(claims: Iterable[ShiftedClaim], service: Chat) -> list[Request]:
    """Make the requests of `check_grammar`, for instance to plan it."""
    prompt = generation().grammar_check
    return [
        service.request(
            f"grammar/{claim.id}",
            prompt.turns(claim.text),
            expected_tokens=settings().expected_tokens(len(claim.text)),
            **prompt.parameters,
        )
        for claim in claims
    ]


def judge(claim: ShiftedClaim, answer: Answer | None) -> Checked:
    """Decide whether an answer is used.

    Of a corrected claim only the words change that may: case and punctuation elsewhere stay as they were,
    whatever the answer has, and quotes around it do not matter.
    """
    if answer is None:
        return Checked(claim.text, "not-answered", "the service gave no answer; run again")
    if answer.finish != "stop":
        return Checked(claim.text, "not-answered", f"finish_reason {answer.finish}")
    edits = token_edits(claim.text, " ".join(spoken(answer.text).split()), claim.allowed)
    if reason := next(filter(None, map(_refusal, edits)), ""):
        return Checked(claim.text, "refused", reason)
    text = claim.text
    for edit in reversed(edits):
        text = text[: edit.start] + " ".join(edit.shifted) + text[edit.end :]
    return Checked(text, "corrected" if edits else "unchanged")


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
