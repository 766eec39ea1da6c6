"""Paraphrases, opposites and translations of policy statements from services, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polbias.files import InputError
from polbias.models.chat import Chat
from polbias.models.prompts import Role, doubt, find_json, numbered_lines, plain, settings, tidy
from polbias.models.requests import Answer, Request
from polbias.models.translate import Translate, base_language, role_request

PARAPHRASES = 3
OPPOSITE_KINDS = ("verb", "adjective", "quantity", "rewrite")
OPPOSITE_TYPES = ("contradictory", "contrary")


@dataclass(frozen=True)
class Statement:
    """A policy statement in one language (BCP 47); `country` is a code or a name, or empty."""

    id: str
    language: str
    text: str
    country: str = ""


@dataclass(frozen=True)
class Job:
    """One request for variants of one statement; `language` is that of the variants."""

    statement: Statement
    role: Role
    language: str
    request: Request


@dataclass(frozen=True)
class Problem:
    """Why a variant needs a look.

    Args:
        code: ``not-answered``, ``not-json``, ``refused``, ``cut-off``, ``missing``, ``surplus``,
            ``identical``, ``repeated``, ``wrong-language``, ``not-recognised``, ``unknown-kind`` or
            ``unknown-type``.
        detail: in words.
    """

    code: str
    detail: str


@dataclass(frozen=True)
class Variant:
    """One variant of a statement, as a service gave it.

    Args:
        statement_id: the statement.
        variant: ``paraphrase1`` and so on, ``opposite`` or ``translation``.
        language: of the text.
        text: the sentence; None if there is none.
        opposite_kind: what was changed, of an opposite.
        opposite_type: contradictory or contrary, of an opposite.
        problems: why somebody must look at it; empty if nothing is known.
        answer: what the service said, word for word.
    """

    statement_id: str
    variant: str
    language: str
    text: str | None
    opposite_kind: str | None = None
    opposite_type: str | None = None
    problems: tuple[Problem, ...] = ()
    answer: str | None = None


def jobs(
    statements: Iterable[Statement],
    chat: Chat,
    roles: Sequence[Role] = ("paraphrases", "opposite"),
    *,
    translator: Chat | Translate | None = None,
    target: str = "en",
    parameters: Mapping[str, Any] | None = None,
) -> list[Job]:
    """Make the requests for variants of statements."""
    known = settings()
    made: list[Job] = []
    seen: set[tuple[str, str]] = set()
    for statement in statements:
        place = f"statement {statement.id!r} ({statement.language})"
        if not statement.text.strip():
            raise InputError(f"{place}: found no text")
        if base_language(statement.language) not in known.languages:
            raise InputError(
                f"{place}: language unknown; expected one of: {', '.join(sorted(known.languages))}"
            )
        if (statement.id, statement.language) in seen:
            raise InputError(f"{place}: given twice; keep one")
        seen.add((statement.id, statement.language))
        for role in roles:
            if role not in known.roles:
                raise InputError(f"role {role!r} is unknown; expected one of: {', '.join(known.roles)}")
            if role == "translation" and base_language(statement.language) == base_language(target):
                continue
            language = target if role == "translation" else statement.language
            asked = translator or chat if role == "translation" else chat
            name = f"translation-{language}" if role == "translation" else role
            request = role_request(
                role,
                asked,
                f"{statement.id}/{statement.language}/{name}",
                statement.text,
                language=statement.language,
                target=language,
                country=statement.country,
                count=PARAPHRASES,
                parameters=parameters,
            )
            made.append(Job(statement, role, language, request))
    return made


def variants(made: Sequence[Job], answers: Sequence[Answer | None]) -> list[Variant]:
    """Variants from the answers to jobs: every one asked for, without text but with a reason if need be."""
    found: list[Variant] = []
    for job, answer in zip(made, answers, strict=True):
        found += _read(job, answer)
    return found


def _read(job: Job, answer: Answer | None) -> list[Variant]:
    problems: list[Problem] = []
    if answer is None:
        problems.append(Problem("not-answered", "the service gave no answer; run again"))
    elif answer.finish in ("refusal", "content_filter"):
        problems.append(Problem("refused", f"finish_reason {answer.finish}"))
        answer = Answer("", answer.finish) if answer.finish == "content_filter" else answer
    elif answer.finish == "length":
        problems.append(Problem("cut-off", "the answer reached its longest length"))
    names = [f"paraphrase{n + 1}" for n in range(PARAPHRASES)] if job.role == "paraphrases" else [job.role]
    if answer is None or answer.finish in ("refusal", "content_filter"):
        said = None if answer is None else answer.text
        common = tuple(problems)
        return [_variant(job, name, None, common, said) for name in names]
    data: Any = None
    if job.request.service == "deepl":
        texts: list[str | None] = [tidy(answer.text)]
    else:
        data = find_json(answer.text)
        texts, loose = _texts(job, data, answer.text)
        if loose:
            problems.append(Problem("not-json", "the answer is not in the form that was asked for"))
    names += [f"paraphrase{n + 1}" for n in range(len(names), len(texts))]
    texts += [None] * (len(names) - len(texts))
    kind, type_ = (_word(data, field) if job.role == "opposite" else None for field in ("kind", "type"))
    found = []
    for index, (name, text) in enumerate(zip(names, texts, strict=True)):
        own = [*problems, *_doubts(job, text, texts[:index])]
        if job.role == "paraphrases" and index >= PARAPHRASES:
            own.append(Problem("surplus", f"{len(texts)} paraphrases, {PARAPHRASES} asked for"))
        if job.role == "opposite":
            own += _unknown("kind", kind, OPPOSITE_KINDS) + _unknown("type", type_, OPPOSITE_TYPES)
        found.append(_variant(job, name, text, tuple(own), answer.text, kind, type_))
    return found


def _texts(job: Job, data: Any, answer: str) -> tuple[list[str | None], bool]:
    """Return the sentences of a chat answer, and whether it was not in the form asked for."""
    if job.role == "paraphrases":
        listed = data.get("paraphrases") if isinstance(data, dict) else data
        if isinstance(listed, list):
            return [tidy(text) or None if isinstance(text, str) else None for text in listed], False
        lines: list[str | None] = [*numbered_lines(answer)]
        return lines or [plain(answer) or None], True
    text = data.get(job.role) if isinstance(data, dict) else None
    if isinstance(text, str):
        return [tidy(text) or None], False
    return [plain(answer) or None], True


def _word(data: Any, field: str) -> str | None:
    value = data.get(field) if isinstance(data, dict) else None
    return value.strip().lower() or None if isinstance(value, str) else None


def _unknown(field: str, value: str | None, expected: Sequence[str]) -> list[Problem]:
    if value in expected:
        return []
    return [Problem(f"unknown-{field}", f"found {value!r}, expected one of: {', '.join(expected)}")]


def _doubts(job: Job, text: str | None, before: Sequence[str | None]) -> list[Problem]:
    if text is None:
        return [Problem("missing", "the answer has no such sentence")]
    problems = []
    folded = _fold(text)
    if folded == _fold(job.statement.text):
        problems.append(Problem("identical", "the same as the statement"))
    if any(other is not None and _fold(other) == folded for other in before):
        problems.append(Problem("repeated", "the same as one before it"))
    if wrong := doubt(text, base_language(job.language), [base_language(job.statement.language)]):
        problems.append(Problem(*wrong))
    return problems


def _fold(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!?… ")


def _variant(
    job: Job,
    name: str,
    text: str | None,
    problems: tuple[Problem, ...],
    said: str | None,
    kind: str | None = None,
    type_: str | None = None,
) -> Variant:
    known_kind = kind if kind in OPPOSITE_KINDS else None
    known_type = type_ if type_ in OPPOSITE_TYPES else None
    return Variant(job.statement.id, name, job.language, text, known_kind, known_type, problems, said)
