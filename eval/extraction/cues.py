"""Cues of a label: the words that carry it, their scope, and the verdict that a reader gives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import yaml

from polbias.aliases import Document, Json
from polbias.eval.extraction.text import AnswerToken, Sentence

# The cue words of the extractors, read from ``cues/*.yaml``.
# A cue file is a mapping of blocks. The alternatives of a block stand on lines of their own, or are
# separated by two spaces; a line that begins with ``#`` is a comment. ``<name>`` inside an
# alternative stands for a block of that name under ``groups``. A block becomes one compiled pattern
# that matches any of its alternatives as whole words.

LANGUAGES = ("de", "en")
Patterns = Mapping[str, re.Pattern[str]]
_GROUP = re.compile(r"<(\w+)>")
_WORD, _WORD_WITH_APOSTROPHES = r"\w+", r"[\w']+"
_CUES = Path(__file__).parent / "cues"


class Cues(dict[str, re.Pattern[str]]):
    """The patterns of a cue file by name, each compiled when it is first looked up.

    "idioms.valid" is the block "valid" among the idioms, and the name of a group is a pattern as well.

    Args:
        file: The name of the file; ``cues/validity.en.yaml`` explains what stands in one.
        question: The name of the file that amends it for another question.
    """

    def __init__(self, file: str, question: str | None = None) -> None:
        super().__init__()
        self._file, self._question = file, question

    @cached_property
    def blocks(self) -> Json:
        """What the file says."""
        blocks = read_cues(self._file)
        if not self._question:
            return blocks
        changes = read_cues(self._question)
        return _amended({**blocks, **changes.get("instead", {})}, changes["more"], changes["without"])

    @cached_property
    def words(self) -> frozenset[str]:
        """Words that tell the language."""
        return frozenset(self.blocks["function_words"].split())

    def part(self, name: str) -> Patterns:
        """Return the patterns of a block of blocks."""
        return {each: self[f"{name}.{each}"] for each in self.blocks[name]}

    def __missing__(self, name: str) -> re.Pattern[str]:
        block: Any = self.blocks
        for step in name.split("."):
            block = block.get(step, f"<{step}>")
        body = "|".join(_items(block))
        while _GROUP.search(body):  # groups may refer to groups
            body = _GROUP.sub(lambda match: f"(?:{'|'.join(_items(self.blocks['groups'][match[1]]))})", body)
        body = body.replace(_WORD, _WORD_WITH_APOSTROPHES)
        return self.setdefault(name, re.compile(rf"(?<![\w'])(?:{body})(?![\w'])"))


@cache
def load_grammar(language: str, question: str = "validity") -> Cues:
    """Load what the verdicts of a language look like."""
    return Cues(f"validity.{language}", None if question == "validity" else f"{question}.{language}")


@cache
def shared(name: str) -> re.Pattern[str]:
    """A pattern that holds of all languages."""
    return re.compile(read_cues("shared")[name])


def primary_language(language: str) -> str:
    """Return the language that an extractor reads."""
    primary = language.replace("_", "-").split("-")[0].lower()
    if primary not in LANGUAGES:
        raise ValueError(f"language {language!r} is not supported; choose one of {', '.join(LANGUAGES)}")
    return primary


def tongue(tokens: Iterable[AnswerToken], default: str, question: str = "validity") -> Cues:
    """Tell the language of a sentence by its function words."""
    words = [token.text for token in tokens]
    grammars = {name: load_grammar(name, question) for name in LANGUAGES}
    counts = {name: sum(word in each.words for word in words) for name, each in grammars.items()}
    return grammars[max(LANGUAGES, key=lambda name: (counts[name], name == default))]


@cache
def read_cues(name: str) -> Json:
    """Read a cue file."""
    text = (_CUES / f"{name}.yaml").read_text(encoding="utf-8")
    data: Json = yaml.load(text, Loader=yaml.BaseLoader)
    return data


def _amended(data: Document, more: Document, without: Document) -> Json:
    """Add alternatives to blocks and take others away."""
    amended = dict(data)
    for name in {**more, **without}:
        block, added, excluded = data.get(name, ""), more.get(name), without.get(name)
        if isinstance(block, Mapping):
            amended[name] = _amended(block, added or {}, excluded or {})
        else:
            kept = [item for item in _items(block) if item not in _items(excluded or "")]
            amended[name] = "\n".join([*kept, added or ""])
    return amended


def _items(block: str) -> list[str]:
    """Split a block into its alternatives."""
    lines = (line for line in block.splitlines() if not line.lstrip().startswith("#"))
    return [item for line in lines for item in re.split(r"  +", line.strip()) if item]


# The clauses of a sentence: what is asserted in them, and how far negators reach.

Span = tuple[int, int]


class ClauseScope:
    """A sentence, its clauses and the stretches in which nothing is asserted.

    Insertions between commas in the middle of a predicate, as in "is, therefore, valid", are left
    out of it.

    Args:
        sentence: The sentence.
        grammar: The grammar of its language.
    """

    def __init__(self, sentence: Sentence, grammar: Cues) -> None:
        self.sentence, self.lists = _without_insertions(sentence), grammar
        self.text = self.sentence.text

    # Most sentences hold no claim, and then none of the following is looked for.

    @cached_property
    def strong(self) -> list[Span]:
        """Where clauses end that nothing bears across."""
        return self.spans("strong")

    @cached_property
    def bounds(self) -> list[Span]:
        """Where clauses end."""
        handed = self.spans("transparent")
        soft = (span for span in self.spans("soft") if not any(within(span, other) for other in handed))
        return sorted([*self.strong, *soft])

    @cached_property
    def silences(self) -> list[Span]:
        """Where nothing is asserted."""
        return [*self._conditions, *self._silences()]

    @cached_property
    def _neutral(self) -> list[Span]:
        return self.spans("neutral")

    @cached_property
    def _conditions(self) -> list[Span]:
        return [self._condition(match) for match in self.lists["conditional"].finditer(self.text)]

    def spans(self, name: str) -> list[Span]:
        """Find the matches of a list in the text."""
        return [match.span() for match in self.lists[name].finditer(self.text)]

    def begin(self, position: int, bounds: list[Span] | None = None) -> int:
        """Find where the clause of a position begins."""
        return max((end for _, end in bounds or self.bounds if end <= position), default=0)

    def end(self, position: int, bounds: list[Span] | None = None) -> int:
        """Find where the clause of a position ends."""
        return next((start for start, _ in bounds or self.bounds if start >= position), len(self.text))

    def bearing(self, start: int, end: int) -> Span:
        """Find the stretch in which negators and modal verbs bear on some words."""
        return self.begin(start), self.end(end) if self.lists.blocks["reach"] == "clause" else end

    def negated(self, start: int, end: int, *, inside: bool = False) -> bool:
        """Say whether an odd number of negators bears on some words."""
        found = (
            match.span() for match in self.lists["negators"].finditer(self.text, *self.bearing(start, end))
        )
        counted = [span for span in found if not any(within(span, other) for other in self._neutral)]
        return sum(inside or not start <= low < end for low, _ in counted) % 2 == 1

    def silent(self, position: int) -> bool:
        """Say whether nothing is asserted at a position."""
        return any(low <= position < high for low, high in self.silences)

    def supposed(self, position: int) -> bool:
        """Say whether a condition governs a position that is more than the truth of the premises."""
        return any(
            end <= position <= self.end(end, self.strong) and not self._harmless(max(start - 10, 0), end)
            for start, end in self._conditions
        )

    def _harmless(self, start: int, end: int) -> bool:
        """Say whether a condition asks no more than the premises do."""
        if self.lists["concessive"].search(self.text, start, end):
            return True
        circular = self.lists["circular"].search(self.text, start, end)
        return not circular and bool(self.lists["harmless"].search(self.text, start, end))

    def _condition(self, match: re.Match[str]) -> Span:
        """Return the stretch of a conditional clause."""
        start = match.end() + 2 * self.text.startswith(" ,", match.end())
        ends = (self.text.find(mark, start) for mark in (" ,", " then ", " dann "))
        return match.start(), min([self.end(start, self.strong), *(end for end in ends if end >= 0)])

    def _silences(self) -> Iterator[Span]:
        """Yield the stretches of questions, of the task, of definitions and of reports."""
        if self.text.endswith("?"):
            yield 0, len(self.text)
        for names, bounds in (
            (("task", "definition"), self.strong),
            (("declining", "reporting"), self.bounds),
        ):
            for name in names:
                for start, end in self.spans(name):
                    yield start, self.end(end, bounds)


def within(inner: Span, outer: Span) -> bool:
    """Say whether one stretch lies in another."""
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _without_insertions(sentence: Sentence) -> Sentence:
    while match := shared("insertion").search(sentence.text):
        low, high = sentence.origin(*match.span("inserted"))
        sentence = Sentence(tuple(token for token in sentence.tokens if not low <= token.start < high))
    return sentence


# Claims: words of an output that speak for a label.

SAME = {"valid": "valid", "invalid": "invalid"}
OPPOSITE = {"valid": "invalid", "invalid": "valid"}


class Strength(IntEnum):
    """How much a claim says, from a hint to an explicit marker."""

    HINT = 0
    PARAPHRASE = 1
    SENTENCE = 2
    MARKER = 3


@dataclass(frozen=True, slots=True)
class LabelClaim:
    """Words that speak for a label.

    Attributes:
        label: The label; "unparsable" where the words say that there is no decision.
        strength: How explicit the words are.
        reason: The code that a verdict by this claim gets.
        span: Where the words stand in the original text.
        sentence: The number of their sentence.
        asserted: Whether the claim is made, not only asked or supposed.
        concluding: Whether its sentence draws the conclusion of the answer.
        contrasted: Whether its sentence sets it against what was said before.
        shifted: Whether its sentence says that one verdict gave way to another.
        reading: Whether its sentence gives the verdict of one reading among several.
        item: Whether it ends a listed argument, as in "ARGUMENT: **valid**".
    """

    label: str
    strength: Strength
    reason: str
    span: tuple[int, int]
    sentence: int
    asserted: bool = True
    concluding: bool = False
    contrasted: bool = False
    shifted: bool = False
    reading: bool = False
    item: bool = False

    @property
    def decides(self) -> bool:
        """Whether the claim speaks for one of the two verdicts."""
        return self.label in OPPOSITE

    @property
    def open(self) -> bool:
        """Whether it is only asked, supposed or hinted at, so that "it is not" can answer it."""
        stands = self.asserted and self.strength > Strength.HINT
        return self.decides and self.reason not in {"reply", "hint"} and not stands

    def contradicts(self, other: LabelClaim) -> bool:
        """Say whether two claims speak for opposite verdicts."""
        return self.decides and other.label == OPPOSITE[self.label]


# What an extractor says about one model output.


@dataclass(frozen=True, slots=True)
class Verdict:
    """The label of one free text, with the words that decided it.

    Attributes:
        label: The label, such as "valid", "invalid", "refusal" or "unparsable".
        reason: A short machine-readable code that says what kind of evidence decided.
        span: Character offsets ``(start, end)`` into the original text of the deciding words;
            ``None`` where no words decided.
    """

    label: str
    reason: str
    span: tuple[int, int] | None = None

    @property
    def outcome(self) -> str:
        """The label, or "truncated" where the text breaks off before one."""
        return "truncated" if self.reason == "truncated" else self.label
