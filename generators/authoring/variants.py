"""Paraphrases, opposites and translations of policy statements from services, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from polbias.models.answer_parsing import clean_sentence, find_json, language_doubt, numbered_lines, plain
from polbias.models.bodies import TOO_LONG
from polbias.models.chat import Chat
from polbias.models.requests import Request, ServiceResponse
from polbias.models.service_settings import Role
from polbias.models.translate import DeepLTranslator, base_language, role_request

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
    """One request for variants of one statement; `language` is that of the variants."""

    statement: SourceStatement
    role: Role
    language: str
    request: Request


@dataclass(frozen=True)
class VariantProblem:
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
    """

    statement_id: str
    variant: str
    language: str
    text: str | None
    opposite_kind: str | None = None
    opposite_type: str | None = None
    problems: tuple[VariantProblem, ...] = ()


def variant_requests(
    statements: Iterable[SourceStatement],
    chat: Chat,
    roles: Sequence[Role],
    *,
    translator: Chat | DeepLTranslator | None = None,
    target: str = "en",
) -> list[VariantRequest]:
    """Make the requests for variants of statements."""
    made: list[VariantRequest] = []
    for statement in statements:
        for role in roles:
            language, name = statement.language, str(role)
            asked: Chat | DeepLTranslator = chat
            if role == "translation":
                if base_language(language) == base_language(target):
                    continue
                language, asked, name = target, translator or chat, f"translation-{target}"
            request = role_request(
                role,
                asked,
                f"{statement.id}/{statement.language}/{name}",
                statement.text,
                language=statement.language,
                target=language,
                country=statement.country,
                count=PARAPHRASES,
            )
            made.append(VariantRequest(statement, role, language, request))
    return made


def variants(made: Sequence[VariantRequest], answers: Sequence[ServiceResponse | None]) -> list[Variant]:
    """Variants from the answers to jobs: every one asked for, without text but with a reason if need be."""
    return [variant for job, answer in zip(made, answers, strict=True) for variant in _read(job, answer)]


def _read(job: VariantRequest, answer: ServiceResponse | None) -> list[Variant]:
    paraphrased, opposed = job.role == "paraphrases", job.role == "opposite"
    names = [f"paraphrase{n + 1}" for n in range(PARAPHRASES)] if paraphrased else [job.role]
    if answer is None or answer.finish in ("refusal", "content_filter", TOO_LONG):
        problem = VariantProblem("not-answered", "the service gave no answer; run again")
        if answer is not None:
            problem = VariantProblem("refused", f"finish_reason {answer.finish}")
        if answer is not None and answer.finish == TOO_LONG:
            problem = VariantProblem("cut-off", "the answer is longer than is read")
        return [Variant(job.statement.id, name, job.language, None, problems=(problem,)) for name in names]
    problems: list[VariantProblem] = []
    if answer.finish == "length":
        problems.append(VariantProblem("cut-off", "the answer reached its longest length"))
    data = None if job.request.service == "deepl" else find_json(answer.text)
    texts, loose = _texts(job, data, answer.text)
    if loose:
        problems.append(VariantProblem("not-json", "the answer is not in the form that was asked for"))
    names += [f"paraphrase{n + 1}" for n in range(len(names), len(texts))]
    texts += [None] * (len(names) - len(texts))
    found = []
    for index, (name, text) in enumerate(zip(names, texts, strict=True)):
        own = [*problems, *_doubts(job, text, texts[:index])]
        if paraphrased and index >= PARAPHRASES:
            own.append(VariantProblem("surplus", f"{len(texts)} paraphrases, {PARAPHRASES} asked for"))
        kind, type_ = (
            _word(data, field, expected, own) if opposed else None
            for field, expected in (("kind", OPPOSITE_KINDS), ("type", OPPOSITE_TYPES))
        )
        found.append(Variant(job.statement.id, name, job.language, text, kind, type_, tuple(own)))
    return found


def _texts(job: VariantRequest, data: Any, answer: str) -> tuple[list[str | None], bool]:
    """Return the sentences of an answer, and whether it was not in the form asked for."""
    if job.request.service == "deepl":
        return [clean_sentence(answer)], False
    said, paraphrased = data.get(job.role) if isinstance(data, dict) else data, job.role == "paraphrases"
    if paraphrased and isinstance(said, list):
        return [clean_sentence(text) or None if isinstance(text, str) else None for text in said], False
    if not paraphrased and isinstance(said, str):
        return [clean_sentence(said) or None], False
    lines: list[str | None] = [*numbered_lines(answer)] if paraphrased else []
    return lines or [plain(answer) or None], True


def _word(data: Any, field: str, expected: Sequence[str], problems: list[VariantProblem]) -> str | None:
    """Return what an answer says that an opposite is; None, and a problem, where that is unknown."""
    value = data.get(field) if isinstance(data, dict) else None
    value = value.strip().lower() or None if isinstance(value, str) else None
    if value in expected:
        return str(value)
    wrong = f"found {value!r}, expected one of: {', '.join(expected)}"
    problems.append(VariantProblem(f"unknown-{field}", wrong))
    return None


def _doubts(job: VariantRequest, text: str | None, before: Sequence[str | None]) -> list[VariantProblem]:
    if text is None:
        return [VariantProblem("missing", "the answer has no such sentence")]
    problems = []
    folded = _fold(text)
    if folded == _fold(job.statement.text):
        problems.append(VariantProblem("identical", "the same as the statement"))
    if any(other is not None and _fold(other) == folded for other in before):
        problems.append(VariantProblem("repeated", "the same as one before it"))
    if wrong := language_doubt(text, base_language(job.language), [base_language(job.statement.language)]):
        problems.append(VariantProblem(*wrong))
    return problems


def _fold(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!?… ")
