"""Paraphrases, opposites and translations of policy statements from services, and their problems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polbias.models.answer_parsing import (
    clean_sentence,
    find_json,
    language_doubt,
    numbered_lines,
    single_line,
)
from polbias.models.bodies import TOO_LONG
from polbias.models.chat import Chat
from polbias.models.requests import Request, ServiceResponse
from polbias.models.service_settings import Role
from polbias.models.translate import DeepLTranslator, base_language, build_role_request

PARAPHRASES = 3
OPPOSITE_KINDS = ("verb", "adjective", "quantity", "rewrite")
OPPOSITE_TYPES = ("contradictory", "contrary")


@dataclass(frozen=True)
class SourceStatement:
    """A policy statement in one language (BCP 47); `country` is a code or a name, or empty."""

    id: str
    language: str
    text: str
    country: str = ""


@dataclass(frozen=True)
class VariantRequest:
    """A request for variants of one statement.

    Args:
        statement: the statement, or the variant to translate.
        role: the prompt.
        language: of the requested texts.
        variants: names of the requested texts.
        request: the request to the service.
    """

    statement: SourceStatement
    role: Role
    language: str
    variants: tuple[str, ...]
    request: Request


@dataclass(frozen=True)
class VariantProblem:
    """A reason to review a variant.

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
    """One variant of a statement from a service.

    Args:
        statement_id: the statement.
        variant: ``original``, ``negation``, ``opposite``, ``paraphrase1`` and so on.
        language: of the text.
        text: the sentence; None if there is none.
        opposite_kind: kind of change in an opposite.
        opposite_type: contradictory or contrary, of an opposite.
        problems: reasons to review it; empty if none was detected.
    """

    statement_id: str
    variant: str
    language: str
    text: str | None
    opposite_kind: str | None = None
    opposite_type: str | None = None
    problems: tuple[VariantProblem, ...] = ()


_VARIANTS: Mapping[Role, tuple[str, ...]] = {
    "paraphrases": tuple(f"paraphrase{number + 1}" for number in range(PARAPHRASES)),
    "opposite": ("opposite",),
}


def variant_requests(
    statements: Iterable[SourceStatement], chat: Chat, roles: Sequence[Role]
) -> list[VariantRequest]:
    """Build the requests for paraphrases and opposites of statements, in their language."""
    return [
        _build_request(statement, role, chat, statement.language, _VARIANTS[role])
        for statement in statements
        for role in roles
    ]


def translation_requests(
    texts: Iterable[tuple[SourceStatement, str]], service: Chat | DeepLTranslator, target: str
) -> list[VariantRequest]:
    """Build the requests that translate texts, each with the name of its variant."""
    return [
        _build_request(statement, "translation", service, target, (variant,)) for statement, variant in texts
    ]


def _build_request(
    statement: SourceStatement,
    role: Role,
    service: Chat | DeepLTranslator,
    language: str,
    names: tuple[str, ...],
) -> VariantRequest:
    name = f"{names[0]}-{language}" if role == "translation" else role
    request = build_role_request(
        role,
        service,
        f"{statement.id}/{statement.language}/{name}",
        statement.text,
        language=statement.language,
        target=language,
        country=statement.country,
        count=PARAPHRASES,
    )
    return VariantRequest(statement, role, language, names, request)


def variants(requests: Sequence[VariantRequest], answers: Sequence[ServiceResponse | None]) -> list[Variant]:
    """Parse responses to requests; a requested variant without text has a problem."""
    return [
        variant
        for variant_request, answer in zip(requests, answers, strict=True)
        for variant in _parse_answer(variant_request, answer)
    ]


def _parse_answer(variant_request: VariantRequest, answer: ServiceResponse | None) -> list[Variant]:
    is_paraphrase, is_opposite = variant_request.role == "paraphrases", variant_request.role == "opposite"
    names = [*variant_request.variants]
    if answer is None or answer.finish in ("refusal", "content_filter", TOO_LONG):
        problem = VariantProblem("not-answered", "the service gave no answer; run again")
        if answer is not None:
            problem = VariantProblem("refused", f"finish_reason {answer.finish}")
        if answer is not None and answer.finish == TOO_LONG:
            problem = VariantProblem("cut-off", "the response exceeds the maximum length")
        return [
            Variant(variant_request.statement.id, name, variant_request.language, None, problems=(problem,))
            for name in names
        ]
    problems: list[VariantProblem] = []
    if answer.finish == "length":
        problems.append(VariantProblem("cut-off", "the answer reached its longest length"))
    data = None if variant_request.request.service == "deepl" else find_json(answer.text)
    texts, is_malformed = _parse_texts(variant_request, data, answer.text)
    if is_malformed:
        problems.append(VariantProblem("not-json", "the response is not in the requested format"))
    names += [f"paraphrase{n + 1}" for n in range(len(names), len(texts))]
    texts += [None] * (len(names) - len(texts))
    answer_variants = []
    for index, (name, text) in enumerate(zip(names, texts, strict=True)):
        variant_problems = [*problems, *_find_problems(variant_request, text, texts[:index])]
        if is_paraphrase and index >= PARAPHRASES:
            variant_problems.append(
                VariantProblem("surplus", f"{len(texts)} paraphrases, {PARAPHRASES} requested")
            )
        kind, type_ = (
            _parse_field(data, field, expected, variant_problems) if is_opposite else None
            for field, expected in (("kind", OPPOSITE_KINDS), ("type", OPPOSITE_TYPES))
        )
        answer_variants.append(
            Variant(
                variant_request.statement.id,
                name,
                variant_request.language,
                text,
                kind,
                type_,
                tuple(variant_problems),
            )
        )
    return answer_variants


def _parse_texts(variant_request: VariantRequest, data: Any, answer: str) -> tuple[list[str | None], bool]:
    """Return the sentences of a response, and whether its format was wrong."""
    if variant_request.request.service == "deepl":
        return [clean_sentence(answer)], False
    value, is_paraphrase = (
        data.get(variant_request.role) if isinstance(data, dict) else data,
        variant_request.role == "paraphrases",
    )
    if is_paraphrase and isinstance(value, list):
        return [clean_sentence(text) or None if isinstance(text, str) else None for text in value], False
    if not is_paraphrase and isinstance(value, str):
        return [clean_sentence(value) or None], False
    lines: list[str | None] = [*numbered_lines(answer)] if is_paraphrase else []
    return lines or [single_line(answer) or None], True


def _parse_field(
    data: Any, field: str, expected: Sequence[str], problems: list[VariantProblem]
) -> str | None:
    """Return a property of the opposite; None, and a problem, if unknown."""
    value = data.get(field) if isinstance(data, dict) else None
    value = value.strip().lower() or None if isinstance(value, str) else None
    if value in expected:
        return str(value)
    detail = f"found {value!r}, expected one of: {', '.join(expected)}"
    problems.append(VariantProblem(f"unknown-{field}", detail))
    return None


def _find_problems(
    variant_request: VariantRequest, text: str | None, previous: Sequence[str | None]
) -> list[VariantProblem]:
    if text is None:
        return [VariantProblem("missing", "the answer has no such sentence")]
    problems = []
    folded = _fold(text)
    if folded == _fold(variant_request.statement.text):
        problems.append(VariantProblem("identical", "the same as the statement"))
    if any(sentence is not None and _fold(sentence) == folded for sentence in previous):
        problems.append(VariantProblem("repeated", "the same as one before it"))
    if doubt := language_doubt(
        text, base_language(variant_request.language), [base_language(variant_request.statement.language)]
    ):
        problems.append(VariantProblem(*doubt))
    return problems


def _fold(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!?… ")
