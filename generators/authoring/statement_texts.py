"""All texts of policy statements, in one language or two: from rules, a model and a translator."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import get_args

import yaml

from polbias.aliases import Json
from polbias.generators.authoring import negation
from polbias.generators.authoring.quality_gate import TextFinding, defects
from polbias.generators.authoring.variants import (
    SourceStatement,
    Variant,
    VariantProblem,
    VariantRequest,
    translation_requests,
    variant_requests,
    variants,
)
from polbias.generators.policy.templates import VARIANTS, Language
from polbias.models.chat import Chat
from polbias.models.requests import Request, RequestsOutcome
from polbias.models.translate import DeepLTranslator

AnswerRequests = Callable[[Sequence[Request]], RequestsOutcome]
BUILD_LANGUAGES: tuple[str, ...] = get_args(Language)
TRANSLATED = "translated"
_PARAPHRASES = tuple(name for name in VARIANTS if name.startswith("paraphrase"))


@dataclass
class StatementTexts:
    """A statement with its texts.

    Args:
        statement: the statement.
        texts: by language and variant; a variant without a text is absent.
        opposite: kind and type of the opposite; empty if unknown.
        negation_rules: by language the rule of the negation, ``translated``, or None without rules.
        problems: by language and variant.
    """

    statement: SourceStatement
    texts: dict[str, dict[str, str]] = field(default_factory=dict)
    opposite: dict[str, str] = field(default_factory=dict)
    negation_rules: dict[str, str | None] = field(default_factory=dict)
    problems: list[tuple[str, str, VariantProblem]] = field(default_factory=list)

    def findings(self) -> list[tuple[str, TextFinding]]:
        """Return the findings of the quality gate with their languages."""
        return [
            (language, finding)
            for language, texts in self.texts.items()
            for finding in defects(texts, language, self.statement.country or None)
        ]

    def record(self) -> Json:
        """Return the statement as a record for JSON."""
        return {
            "id": self.statement.id,
            "language": self.statement.language,
            "texts": self.texts,
            "opposite": self.opposite or None,
            "negation_rules": self.negation_rules,
            "problems": [
                {"language": language, "variant": variant, **asdict(problem)}
                for language, variant, problem in self.problems
            ],
            "findings": [
                {"language": language, **asdict(finding), "sure": finding.sure}
                for language, finding in self.findings()
            ],
        }

    def review_lines(self) -> list[str]:
        """Return the problems and findings, one per line."""
        problems = [(language, name, p.code, p.detail) for language, name, p in self.problems]
        problems += [(language, f.variant, f.code, f.detail) for language, f in self.findings()]
        return [
            f"{self.statement.id} {language} {name}: {code}" + (f" ({detail})" if detail else "")
            for language, name, code, detail in problems
        ]

    def _add_negation(self, language: str) -> None:
        """Negate the text of a language by rule, if it has rules."""
        original = self.texts[language].get("original")
        if language not in negation.LANGUAGES or original is None:
            self.negation_rules[language] = None
            return
        result = negation.negate(original, language)
        self.negation_rules[language] = result.rule
        if result.text is None:
            problem = VariantProblem("not-negated", result.explanation)
            self.problems.append((language, "negation", problem))
        else:
            self.texts[language]["negation"] = result.text

    def _add(self, variant: Variant) -> None:
        """Add an answer of a service."""
        if variant.text is not None:
            self.texts.setdefault(variant.language, {})[variant.variant] = variant.text
            if variant.variant == "negation":
                self.negation_rules[variant.language] = TRANSLATED
        if variant.opposite_kind:
            self.opposite["kind"] = variant.opposite_kind
        if variant.opposite_type:
            self.opposite["type"] = variant.opposite_type
        self.problems += [(variant.language, variant.variant, problem) for problem in variant.problems]

    def _sort(self) -> None:
        """Put the texts of every language into the order of the variants."""
        for language, texts in self.texts.items():
            names = [*VARIANTS, *(name for name in texts if name not in VARIANTS)]
            self.texts[language] = {name: texts[name] for name in names if name in texts}


def collect_texts(
    statements: Sequence[SourceStatement],
    chat: Chat,
    answer: AnswerRequests,
    *,
    translator: Chat | DeepLTranslator | None = None,
    target: str | None = None,
    has_translated_paraphrases: bool = False,
) -> tuple[list[StatementTexts], bool]:
    """Return the texts of statements, and whether every request was answered.

    As in the paper, original, negation and opposite are translated, and the paraphrases of the other language
    are written from the translated original. The second step needs the answers of the first.

    Args:
        statements: the statements, all in one language.
        chat: writes paraphrases and opposites.
        answer: answers the requests of one step.
        translator: translates; by default `chat`.
        target: the other language; None for one language.
        has_translated_paraphrases: whether the paraphrases are translated, too.
    """
    entries = {statement.id: StatementTexts(statement) for statement in statements}
    for entry in entries.values():
        entry.texts[entry.statement.language] = {"original": entry.statement.text}
        entry._add_negation(entry.statement.language)
    requests = variant_requests(statements, chat, ["paraphrases", "opposite"])
    if target:
        known_texts = _variant_texts(entries.values(), ("original", "negation"))
        requests += translation_requests(known_texts, translator or chat, target)
    is_complete = _answer_step(entries, requests, answer)
    if target:
        names = ("opposite", *(_PARAPHRASES if has_translated_paraphrases else ()))
        requests = translation_requests(_variant_texts(entries.values(), names), translator or chat, target)
        if not has_translated_paraphrases:
            translated_originals = [
                replace(entry.statement, language=target, text=entry.texts[target]["original"])
                for entry in entries.values()
                if "original" in entry.texts.get(target, {})
            ]
            requests += variant_requests(translated_originals, chat, ["paraphrases"])
        is_complete &= _answer_step(entries, requests, answer)
        for entry in entries.values():
            texts = entry.texts.setdefault(target, {})
            if "negation" not in texts and "negation" not in entry.texts[entry.statement.language]:
                entry._add_negation(target)
    for entry in entries.values():
        entry._sort()
    return list(entries.values()), is_complete


def _variant_texts(
    entries: Iterable[StatementTexts], names: Sequence[str]
) -> list[tuple[SourceStatement, str]]:
    """Return the texts of variants in the language of the statements, with their names."""
    return [
        (replace(entry.statement, text=texts[name]), name)
        for entry in entries
        for texts in (entry.texts[entry.statement.language],)
        for name in names
        if name in texts
    ]


def _answer_step(
    entries: dict[str, StatementTexts], requests: Sequence[VariantRequest], answer: AnswerRequests
) -> bool:
    """Add the answers to requests to their statements; return whether all were answered."""
    if not requests:
        return True
    outcome = answer([variant_request.request for variant_request in requests])
    for variant in variants(requests, outcome.answers):
        entries[variant.statement_id]._add(variant)
    return outcome.complete


def missing_rules(language: str, target: str | None) -> list[str]:
    """Return a message for each language whose negations a person has to write."""
    rules = f"no negation rules (languages with rules: {', '.join(negation.LANGUAGES)})"
    if language in negation.LANGUAGES:
        return []
    if target is None or target not in negation.LANGUAGES:
        return [f"{code}: {rules}; write the negations by hand" for code in (language, target) if code]
    return [f"{language}: {rules}; write the negations by hand; those in {target} are by its rules"]


# Statement files for the build.

_HEADER = """\
# Texts by `polbias author variants`. A person adds to every statement a topic, and demands, rejects or
# issues, and checks every text; `polbias build` names what is missing.
"""
_ENTRIES_BY_HAND = re.compile(r"^\s+(?:topic|demands|rejects|issues|side):", re.MULTILINE)


def has_entries_by_hand(text: str) -> bool:
    """Whether a person has begun to fill in a statement file."""
    return _ENTRIES_BY_HAND.search(text) is not None


def statement_file(entries: Iterable[StatementTexts], languages: Iterable[str], country: str) -> str:
    """Return the statement file of a country, without the fields that a person has to fill in.

    Args:
        entries: the statements.
        languages: their languages; languages that the build does not accept are dropped.
        country: ISO 3166 code; any other text is dropped.
    """
    codes = [language for language in languages if language in BUILD_LANGUAGES]
    header = {"country": country} if re.fullmatch("[A-Z]{2}", country) else {}
    return "".join(
        [
            _HEADER,
            _dump({**header, "languages": codes}),
            "statements:\n",
            "\n".join(textwrap.indent(_dump([_statement_entry(entry, codes)]), "  ") for entry in entries),
        ]
    )


def _statement_entry(entry: StatementTexts, languages: Sequence[str]) -> Json:
    """Return a statement as an entry of a statement file."""
    wordings = {}
    for language in languages:
        texts = entry.texts.get(language, {})
        wording: Json = {name: texts[name] for name in ("original", "negation", "opposite") if name in texts}
        wordings[language] = {**wording, "paraphrases": [texts[n] for n in _PARAPHRASES if n in texts]}
    return {"id": entry.statement.id, "opposite": entry.opposite, **wordings}


def _dump(data: object) -> str:
    text: str = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=1_000_000)
    return text
