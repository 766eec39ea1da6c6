"""Word pairs and grammar checks of a chat model, and the verdict of the rules on them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal

from polbias.aliases import Json
from polbias.generators.authoring.pairs import PairRequest
from polbias.generators.language.german import slug
from polbias.generators.xphemism.items import MinimalPair, PairMaker
from polbias.generators.xphemism.vocabulary.lexicon import LONGEST, Lexicon
from polbias.models.answer_parsing import single_line, strip_reasoning, table_rows
from polbias.models.bodies import TOO_LONG
from polbias.models.chat import Chat
from polbias.models.requests import Request, ServiceResponse
from polbias.models.service_settings import settings
from polbias.paths import package_file
from polbias.yaml_models import TemplateModel, load_template, require_placeholders

# Prompts of the paper.

Column = Literal["first", "second", "kind", "camp"]


class AuthorPrompt(TemplateModel):
    """A printed prompt, with the expected length of an answer in characters."""

    source: Annotated[str, require_placeholders("paper")]
    answer_characters: int = 0
    system: str = ""
    user: Annotated[str, require_placeholders("sentence")]


class AuthorPrompts(TemplateModel):
    """Prompts, and the headings of a table in an answer."""

    prompts: Mapping[Literal["propose", "check"], AuthorPrompt]
    headings: Mapping[Column, tuple[str, ...]]
    kinds: Mapping[str, str]


@cache
def author_prompts() -> AuthorPrompts:
    """Return the prompts that ship with the package."""
    return load_template(package_file("templates/xphemism/author_prompts.yaml"), AuthorPrompts)


def _request(chat: Chat, id: str, prompt: AuthorPrompt, user: str, n_characters: int, **seed: int) -> Request:
    system = [{"role": "system", "content": prompt.system}] if prompt.system else []
    messages = [*system, {"role": "user", "content": user}]
    return chat.request(id, messages, expected_tokens=settings().expected_tokens(n_characters), **seed)


# The verdict of the rule-based exchange on an output of a model.

RuleVerdict = Literal["agrees", "differs", "cannot say"]
_IMPOSSIBLE = ("part-of-speech", "verb-phrase")  # reasons why no form of a word replaces the other


def _unusable_answer(answer: ServiceResponse | None) -> str:
    """Return why an answer has no usable text; empty if it has."""
    if answer is None:
        return "not-answered: the service gave no answer; run again"
    if answer.finish in ("refusal", "content_filter"):
        return f"refused: finish_reason {answer.finish}"
    return "cut-off: the answer exceeds its maximum length" if answer.finish in ("length", TOO_LONG) else ""


# Word pairs (C.1).


@dataclass(frozen=True, slots=True)
class ProposedPair:
    """A word pair of a model.

    Attributes:
        first: the neutral word.
        second: the X-phemism.
        kind: ``dysphemism``, ``euphemism`` or the model's text.
        camp: political camp, in the model's words.
    """

    first: str
    second: str
    kind: str
    camp: str


def proposal_requests(chat: Chat, repeats: int) -> list[Request]:
    """Return the requests of word pairs; the second and further ones differ in their seed."""
    prompt = author_prompts().prompts["propose"]
    return [
        _request(
            chat,
            f"propose-{number}",
            prompt,
            prompt.user,
            prompt.answer_characters,
            **({"seed": number} if number > 1 else {}),
        )
        for number in range(1, repeats + 1)
    ]


def parse_proposals(
    requests: Sequence[Request], answers: Sequence[ServiceResponse | None]
) -> tuple[list[ProposedPair], list[str]]:
    """Return the distinct word pairs in the answers' tables, and the problems of answers and rows."""
    pairs: dict[tuple[str, str], ProposedPair] = {}
    problems: list[str] = []
    for request, answer in zip(requests, answers, strict=True):
        if unusable := _unusable_answer(answer):
            problems.append(f"{request.id}: {unusable}")
        proposals = list(_parse_table(table_rows(answer.text))) if answer else []
        if not proposals and not unusable:
            problems.append(f"{request.id}: found no table of word pairs, expected one; read the recording")
        for pair in proposals:
            if problem := _row_problem(pair):
                problems.append(f"{request.id}: {pair.first[:40]!r}, {pair.second[:40]!r}: {problem}")
            else:
                pairs.setdefault((pair.first, pair.second), pair)
    return list(pairs.values()), problems


def _parse_table(rows: Sequence[Sequence[str]]) -> Iterator[ProposedPair]:
    columns: dict[Column, int] = {}
    for cells in rows:
        if heading := _parse_heading(cells):
            columns = heading
            continue
        has_number = not columns and cells[0].rstrip(".)").isdigit()
        values = cells[1:] if has_number else cells
        positions = columns or {"first": 0, "second": 1, "kind": 2, "camp": 3}
        cell_by_column = {
            name: values[position] for name, position in positions.items() if position < len(values)
        }
        kind = cell_by_column.get("kind", "")
        names = author_prompts().kinds
        kind = next((name for part, name in names.items() if part in kind.lower()), kind)
        yield ProposedPair(
            cell_by_column.get("first", ""),
            cell_by_column.get("second", ""),
            kind,
            cell_by_column.get("camp", ""),
        )


def _parse_heading(cells: Sequence[str]) -> dict[Column, int]:
    """Return the positions of the columns if a row has the headings of both words."""
    positions: dict[Column, int] = {}
    for position, cell in enumerate(cells):
        headings = author_prompts().headings.items()
        matches = (name for name, parts in headings if any(part in cell.lower() for part in parts))
        name = next(matches, None)
        if name and name not in positions:
            positions[name] = position
    return positions if {"first", "second"} <= positions.keys() else {}


def _row_problem(pair: ProposedPair) -> str:
    words = (pair.first, pair.second)
    if not all(words):
        return "found one word, expected two"
    if max(map(len, words)) > LONGEST:
        return f"found more than {LONGEST} characters"
    return "found one word twice" if pair.first == pair.second else ""


def pair_id(first: str, second: str) -> str:
    """Return the id of a word pair as in ``pairs.tsv``: ``berliner-mauer_schandmauer``."""
    return "_".join(re.sub(r"[^a-z0-9]+", "-", slug(word)).strip("-") for word in (first, second))


def judge_proposal(pair: ProposedPair, lexicon: Lexicon, maker: PairMaker) -> Json:
    """Return a row of the table: the pair, its id in the lexicon, and whether the rules can exchange it.

    The rules agree if they put the X-phemism in place of the neutral word, and differ if no form of the one
    can replace the other.
    """
    current_id = next(
        (row.pair_id for row in lexicon.pairs if {row.first, row.second} == {pair.first, pair.second}), ""
    )
    result = maker.make(pair.first, pair.first, pair.second)
    verdict: RuleVerdict = "agrees" if result.status == "made" else "cannot say"
    if result.reason.startswith(_IMPOSSIBLE):
        verdict = "differs"
    return {
        "pair_id": current_id or pair_id(pair.first, pair.second),
        "first": pair.first,
        "second": pair.second,
        "kind": pair.kind,
        "camp": pair.camp,
        "in_lexicon": "yes" if current_id else "no",
        "rules": verdict,
        "rules_reason": result.reason,
    }


# Grammar check of claims after the exchange (C.2).


@dataclass(frozen=True, slots=True)
class GrammarCheck:
    """A claim with one word replaced as it stands, for a model to correct.

    Attributes:
        row: row of the file of claims.
        pair: result of the rules.
        replaced_claim: claim with the other word, and nothing adapted; None without the word in it.
        request: request to the model; None without such a claim.
    """

    row: PairRequest
    pair: MinimalPair
    replaced_claim: str | None
    request: Request | None


def grammar_checks(
    results: Sequence[tuple[PairRequest, MinimalPair]], maker: PairMaker, chat: Chat
) -> list[GrammarCheck]:
    """Return a check for every pair; the service gets claims in which a word could be replaced."""
    prompt = author_prompts().prompts["check"]
    checks: list[GrammarCheck] = []
    for number, (row, pair) in enumerate(results, 1):
        replaced, request = None, None
        if not row.problem and pair.base_word and pair.exchange_word:
            replaced = maker.replace_word(row.claim, pair.base_word, pair.exchange_word)
        if replaced is not None:
            user = prompt.user.format(sentence=replaced)
            request = _request(chat, f"{row.claim_id}-{number}", prompt, user, len(replaced))
        checks.append(GrammarCheck(row, pair, replaced, request))
    return checks


def judge_grammar(check: GrammarCheck, answer: ServiceResponse | None) -> Json:
    """Return the columns of a check: the claims sent and returned, and whether the rules make the same."""
    columns = {"replaced_claim": check.replaced_claim or "", "checked_claim": ""}
    if check.request is None:
        return columns | _verdict("cannot say", check.pair.reason)
    if unusable := _unusable_answer(answer):
        return columns | _verdict("cannot say", unusable)
    checked_claim = columns["checked_claim"] = _clean_claim(
        answer.text if answer else "", columns["replaced_claim"]
    )
    if check.pair.status != "made":
        return columns | _verdict("cannot say", check.pair.reason)
    if checked_claim == " ".join(check.pair.shifted_claim.split()):
        return columns | _verdict("agrees", "")
    return columns | _verdict("differs", "other-text: the rules make the text in shifted_claim")


def _clean_claim(text: str, replaced_claim: str) -> str:
    """Return a model's claim in one line, without quotation marks or a number that were not sent."""
    has_marks = single_line(replaced_claim) != " ".join(replaced_claim.split())
    return " ".join(strip_reasoning(text).split()) if has_marks else single_line(text)


def _verdict(verdict: RuleVerdict, reason: str) -> Json:
    return {"rules": verdict, "rules_reason": reason}
