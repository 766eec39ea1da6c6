"""Further word pairs from a chat model, and their review."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from polbias.aliases import Document
from polbias.files import guarded, package_file
from polbias.generators.authoring.annotation.tasks import Guideline
from polbias.generators.authoring.pairs import pair_id
from polbias.generators.engine.spreadsheets import REJECT, Problem, ReviewFile, sheet
from polbias.generators.xphemism.vocabulary.lexicon import EMPTY, LONGEST, Lexicon, Pair
from polbias.models import Answer, Chat, Request, settings
from polbias.models.prompts import spoken, tidy
from polbias.template_files import Entry, Text, Texts, load_template

# What ``generation.yaml`` says: the prompts for further pairs and for the grammar check.

Column = Literal["kind", "neutral", "xphemism", "camp"]
PairKind = Literal["dysphemism", "euphemism"]
_Prose = Annotated[str, StringConstraints(min_length=1)]
_PATH = "templates/xphemism/generation.yaml"


class FurtherPairs(Entry):
    """How further pairs are asked for.

    Attributes:
        source: of the prompt.
        prompt: the user turn.
        parameters: sent with it.
        answer_characters: length of an answer, for the estimate.
        columns: beginnings of words in the head of an answer's table, in lower case.
        kinds: the same for the two kinds of pairs.
    """

    source: Text
    prompt: _Prose
    parameters: Document
    answer_characters: int = Field(gt=0)
    columns: Mapping[Column, tuple[Text, ...]]
    kinds: Mapping[PairKind, Text]


class GrammarPrompt(Entry):
    """How a grammar check is asked for; ``user`` is Jinja text with ``sentence``."""

    source: Text
    system: _Prose
    user: _Prose
    parameters: Document

    def turns(self, sentence: str) -> list[dict[str, str]]:
        """Return the messages about a sentence."""
        texts = Texts(package_file(_PATH), {})
        user = texts.render("grammar_check.user", self.user, {"sentence": sentence})
        return [{"role": "system", "content": self.system}, {"role": "user", "content": user}]


class GenerationFile(Entry):
    """The whole file."""

    further_pairs: FurtherPairs
    grammar_check: GrammarPrompt


@cache
def generation() -> GenerationFile:
    """Return what ships with the package."""
    return load_template(package_file(_PATH), GenerationFile)


# Further word pairs from a chat model: what it is asked, and its table line by line.

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


def requests(chat: Chat, runs: int = 1) -> list[Request]:
    """Make the requests for further pairs.

    Source:
        Jakob et al. 2025, section 3.1 and Appendix C.1.
    """
    asked = generation().further_pairs
    expected = settings().expected_tokens(asked.answer_characters)
    turns = [{"role": "user", "content": asked.prompt}]
    return [
        chat.request(
            f"pairs/{run}", turns, expected_tokens=expected, **({"seed": run} | dict(asked.parameters))
        )
        for run in range(1, runs + 1)
    ]


def suggestions(answers: Sequence[Answer | None], lexicon: Lexicon) -> tuple[list[Suggestion], list[Problem]]:
    """Read the answers to `requests`."""
    found: list[Suggestion] = []
    unread: list[Problem] = []
    for number, answer in enumerate(answers, 1):
        place = f"answer {number}"
        if answer is None:
            unread.append(Problem(place, "not answered; run again", repr("")))
            continue
        rows, rest = read_table(answer.text, place)
        found += rows
        unread += rest
        if answer.finish != "stop":
            said = f"finish_reason {answer.finish}: the table may be incomplete"
            unread.append(Problem(place, said, repr("")))
    known: dict[frozenset[str], Status] = {_key(p.first, p.second): "in-lexicon" for p in lexicon.pairs}
    marked = []
    for each in found:
        key = _key(each.neutral, each.xphemism)
        marked.append(replace(each, status=known.get(key, "new")))
        known.setdefault(key, "repeated")
    return marked, unread


def read_table(answer: str, place: str) -> tuple[list[Suggestion], list[Problem]]:
    """Read a table of pairs: Markdown, or separated by tabs or semicolons, with or without a head.

    Without a head the columns are neutral word, X-phemism, kind and camp, after a number if there is one.
    """
    found: list[Suggestion] = []
    unread: list[Problem] = []
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
            continue
        try:
            found.append(_row(cells, columns, here))
        except ValueError as error:
            unread.append(Problem(here, str(error), repr(line[:80])))
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


def _row(cells: Sequence[str], columns: Mapping[Column, int] | None, place: str) -> Suggestion:
    """Return the pair of a line; a ValueError says why there is none."""
    if len(cells) < 2:
        raise ValueError("no line of a table")
    if columns is None:
        start = 1 if _NUMBER.fullmatch(cells[0]) else 0
        columns = {column: start + index for index, column in enumerate(_ORDER)}
        kinds = [index for index, cell in enumerate(cells) if _kind(cell)]
        if kinds and columns["kind"] not in kinds:
            raise ValueError(f"the kind stands in column {kinds[0] + 1}, expected {columns['kind'] + 1}")
    texts = {column: cells[index] if index < len(cells) else "" for column, index in columns.items()}
    neutral, xphemism = texts["neutral"], texts["xphemism"]
    if not neutral or not xphemism:
        raise ValueError("a word is missing")
    if _key(neutral, xphemism) == _key(neutral, neutral):
        raise ValueError("both words are the same")
    return Suggestion(neutral, xphemism, _kind(texts.get("kind", "")), texts.get("camp", ""), place)


def _kind(cell: str) -> PairKind | Literal[""]:
    low = cell.lower()
    said = [kind for kind, start in generation().further_pairs.kinds.items() if start in low]
    return said[0] if len(said) == 1 else ""


def _key(*words: str) -> frozenset[str]:
    """Return what words have in common with the same ones in another order or case."""
    return frozenset(unicodedata.normalize("NFC", " ".join(word.split())).casefold() for word in words)


# The review file of suggested pairs: a person accepts or rejects, corrects the words and may label them.

_SAID = ("neutral", "xphemism", "kind", "camp", "status", "place")
_LABELS = ("axis", "shift", "judgmental_first", "judgmental_second")
_DECIDED = ("decision", "first", "second", *_LABELS, "reviewer")
REVIEW = ReviewFile("a review file of word pairs", ("neutral", "xphemism"), _SAID, _DECIDED)
COLUMNS = REVIEW.columns
UNLABELLED = ("pair_id", "first", "second", "collected", "printed")


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What a person decided.

    Attributes:
        pairs: accepted and labelled, rows for ``pairs.tsv``.
        unlabelled: accepted without labels, by column; they can be exported for annotation.
        words: of all accepted pairs, those that need a row in ``morphology.*.tsv``.
        rejected: how many were.
        open: how many have no decision.
    """

    pairs: tuple[Pair, ...]
    unlabelled: tuple[Mapping[str, str], ...]
    words: tuple[str, ...]
    rejected: int
    open: int


def read_review(path: Path, lexicon: Lexicon, guideline: Guideline) -> Reviewed:
    """Read a review file that somebody has filled in.

    ``decision`` is accept, reject or empty; ``first`` and ``second`` replace the suggested words where they
    are not empty; the labels are all given or none of them.
    """
    taken = {pair.pair_id for pair in lexicon.pairs}
    known = {_key(pair.first, pair.second) for pair in lexicon.pairs}
    pairs: list[Pair] = []
    unlabelled: list[Mapping[str, str]] = []
    words: dict[str, None] = {}

    def accept(row: Mapping[str, str]) -> None:
        both = row["first"] or row["neutral"], row["second"] or row["xphemism"]
        name = pair_id(*both)
        if unfit := next(filter(_unfit, both), None):
            expected = f"expected a word in letters, fewer than {LONGEST // 2}; correct it"
            raise ValueError(f"first, second: found {unfit[:60]!r}, {expected}")
        if _key(*both) in known or name in taken:
            raise ValueError(f"decision: found a pair that is there already, {name}; reject it")
        labels = _labels(row, guideline)
        taken.add(name)
        words.update(dict.fromkeys(word for word in both if word not in lexicon.words))
        made = dict(zip(UNLABELLED, (name, *both, "generated", EMPTY), strict=True))
        if labels:
            pairs.append(Pair.model_validate(made | labels))
        else:
            unlabelled.append(made)

    counts = REVIEW.read(path, "the suggested words; restore them", accept)
    return Reviewed(tuple(pairs), tuple(unlabelled), tuple(words), counts[REJECT], counts[""])


def unlabelled_tsv(reviewed: Reviewed) -> str:
    """Return the accepted pairs without labels as a table that can be exported for annotation."""
    return sheet(UNLABELLED, ([guarded(row[name]) for name in UNLABELLED] for row in reviewed.unlabelled))


def _unfit(word: str) -> bool:
    """Return whether a word cannot stand in ``pairs.tsv``, or gives a pair no name or one that cannot."""
    name = pair_id(word, "").strip("_")
    return not word.isprintable() or len(word) > LONGEST or not 0 < len(name) < LONGEST // 2


def _labels(row: Mapping[str, str], guideline: Guideline) -> dict[str, str]:
    """Return the labels of a line, none if there are none."""
    labels: dict[str, str] = {}
    for variable in guideline.steps:
        if said := row[variable.id]:
            labels[variable.id] = variable.known(said, variable.id, "correct it")
    missing = next((step.id for step in guideline.steps if step.id not in labels), "")
    if labels and missing:
        raise ValueError(f"{missing}: found nothing beside other labels, expected all labels or none; add it")
    return labels
