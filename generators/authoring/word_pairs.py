"""Further word pairs from a chat model: what it is asked, and its table line by line."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from polbias.files import InputError
from polbias.generators.services.parsing import spoken, tidy
from polbias.generators.xphemism.generation import Column, PairKind, generation
from polbias.generators.xphemism.vocabulary.lexicon import Lexicon
from polbias.models import Answer, Chat, Request, settings

Status = Literal["new", "in-lexicon", "repeated"]
_ORDER: tuple[Column, ...] = ("neutral", "xphemism", "kind", "camp")
_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r":?-+:?")
_NUMBER = re.compile(r"\(?\d{1,3}[.):]?")
_MARKS = "*_`"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A pair that a model suggests.

    Attributes:
        neutral: the neutral word.
        xphemism: the loaded word.
        kind: dysphemism or euphemism; empty if the model says neither or both.
        camp: who uses the word, as the model says.
        place: answer and line.
        status: whether it is in the lexicon already, or was suggested before, in either direction.
    """

    neutral: str
    xphemism: str
    kind: PairKind | Literal[""]
    camp: str
    place: str
    status: Status = "new"


@dataclass(frozen=True, slots=True)
class Unread:
    """A line of an answer, or a whole one, that is no pair.

    Attributes:
        place: answer and line.
        text: what stands there.
        reason: why it cannot be read.
    """

    place: str
    text: str
    reason: str

    def line(self) -> str:
        """Return it as a person reads it."""
        return f"{self.place}: {self.reason}: {self.text[:80]!r}"


def requests(chat: Chat, runs: int = 1, parameters: Mapping[str, Any] | None = None) -> list[Request]:
    """Make the requests for further pairs.

    Args:
        chat: the model.
        runs: how often it is asked, each time with a seed of its own (the paper got 450 pairs, a hundred at a
            time).
        parameters: set before those of ``generation.yaml``; None leaves one out.

    Raises:
        InputError: if there is no run.

    Source:
        Jakob et al. 2025, section 3.1 and Appendix C.1.
    """
    if runs < 1:
        raise InputError(f"runs: found {runs}, expected at least 1")
    asked = generation().further_pairs
    expected = math.ceil(asked.answer_characters / settings().tokens.characters_per_token)
    turns = [{"role": "user", "content": asked.prompt}]
    common = dict(asked.parameters) | dict(parameters or {})
    return [
        chat.request(f"pairs/{run}", turns, expected_tokens=expected, **({"seed": run} | common))
        for run in range(1, runs + 1)
    ]


def suggestions(answers: Sequence[Answer | None], lexicon: Lexicon) -> tuple[list[Suggestion], list[Unread]]:
    """Read the answers to `requests`.

    Args:
        answers: in the order of the requests; None where a service failed.
        lexicon: what is known already.

    Returns:
        Pairs in the order of the answers, and every line that is none.
    """
    found: list[Suggestion] = []
    unread: list[Unread] = []
    for number, answer in enumerate(answers, 1):
        place = f"answer {number}"
        if answer is None:
            unread.append(Unread(place, "", "not answered; run again"))
            continue
        rows, rest = read_table(answer.text, place)
        found += rows
        unread += rest
        if answer.finish != "stop":
            unread.append(Unread(place, "", f"finish_reason {answer.finish}: the table may be incomplete"))
    known: dict[frozenset[str], Status] = {_key(p.first, p.second): "in-lexicon" for p in lexicon.pairs}
    marked = []
    for each in found:
        key = _key(each.neutral, each.xphemism)
        marked.append(replace(each, status=known.get(key, "new")))
        known.setdefault(key, "repeated")
    return marked, unread


def read_table(answer: str, place: str) -> tuple[list[Suggestion], list[Unread]]:
    """Read a table of pairs: Markdown, or separated by tabs or semicolons, with or without a head.

    Without a head the columns are neutral word, X-phemism, kind and camp, after a number if there is one.

    Args:
        answer: what the model said.
        place: its name, for messages.
    """
    found: list[Suggestion] = []
    unread: list[Unread] = []
    columns: Mapping[Column, int] | None = None
    lines = [line.strip() for line in spoken(answer).splitlines()]
    for number, (line, following) in enumerate(zip(lines, [*lines[1:], ""], strict=False), 1):
        cells = _cells(line)
        if not line or line.startswith("```") or _is_rule(cells):
            continue
        here = f"{place}, line {number}"
        head = _head(cells)
        if head or (following and _is_rule(_cells(following))):
            columns = head
        elif len(cells) < 2:
            unread.append(Unread(here, line, "no line of a table"))
        else:
            read = _row(cells, columns, here)
            if isinstance(read, str):
                unread.append(Unread(here, line, read))
            else:
                found.append(read)
    return found, unread


def _is_rule(cells: Sequence[str]) -> bool:
    return all(_RULE.fullmatch(cell) for cell in cells if cell)


def _cells(line: str) -> list[str]:
    if "|" in line:
        cells = _BAR.split(line.removeprefix("|").removesuffix("|"))
        return [_clean(cell.replace("\\|", "|")) for cell in cells]
    separator = "\t" if "\t" in line else ";"
    return [_clean(cell) for cell in line.split(separator)]


def _clean(cell: str) -> str:
    text = " ".join(cell.split())
    while text and text[0] in _MARKS and text[-1] == text[0] and len(text) > 1:
        text = text[1:-1].strip()
    return text if _NUMBER.fullmatch(text) else tidy(text)


def _head(cells: Sequence[str]) -> Mapping[Column, int] | None:
    """Return where the columns stand if this is the head of a table."""
    places: dict[Column, int] = {}
    for place, cell in enumerate(cells):
        words = re.findall(r"[\w-]+", cell.lower())
        for column, starts in generation().further_pairs.columns.items():
            if column not in places and any(word.startswith(tuple(starts)) for word in words):
                places[column] = place
                break
    return places if {"neutral", "xphemism"} <= places.keys() else None


def _row(cells: Sequence[str], columns: Mapping[Column, int] | None, place: str) -> Suggestion | str:
    """Return the pair of a line, or why there is none."""
    if columns is None:
        start = 1 if _NUMBER.fullmatch(cells[0]) else 0
        columns = {column: start + index for index, column in enumerate(_ORDER)}
        kinds = [index for index, cell in enumerate(cells) if _kind(cell)]
        if kinds and columns["kind"] not in kinds:
            return f"the kind stands in column {kinds[0] + 1}, expected {columns['kind'] + 1}"
    texts = {column: cells[index] if index < len(cells) else "" for column, index in columns.items()}
    neutral, xphemism = texts["neutral"], texts["xphemism"]
    if not neutral or not xphemism:
        return "a word is missing"
    if _key(neutral, xphemism) == _key(neutral, neutral):
        return "both words are the same"
    return Suggestion(neutral, xphemism, _kind(texts.get("kind", "")), texts.get("camp", ""), place)


def _kind(cell: str) -> PairKind | Literal[""]:
    low = cell.lower()
    said = [kind for kind, start in generation().further_pairs.kinds.items() if start in low]
    return said[0] if len(said) == 1 else ""


def _key(*words: str) -> frozenset[str]:
    """Return what words have in common with the same ones in another order or case."""
    return frozenset(unicodedata.normalize("NFC", " ".join(word.split())).casefold() for word in words)


def is_known(first: str, second: str, lexicon: Lexicon) -> bool:
    """Return whether two words are a pair of the lexicon, in either direction."""
    return any(_key(first, second) == _key(pair.first, pair.second) for pair in lexicon.pairs)
