"""The quality gate of policy statements: defects within and across statements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from polbias.generators.policy.items import GateItem
from polbias.generators.policy.text_checks import (
    Force,
    changed_words,
    detect_language,
    evaluates,
    force,
    has_clean_spacing,
    has_unbalanced_marks,
    markers,
    misprints,
    number_mismatch,
    overlap,
    prohibits,
    quality,
    unclear_negation,
    without_country_names,
    words,
)

# The quality gate: certain and possible defects of the variants of a policy statement. :func:`defects` checks
# template texts, service responses and imported statements. ``templates/policy/quality.yaml`` defines each
# code and whether it is certain.

_PARAPHRASES = ("paraphrase1", "paraphrase2", "paraphrase3")
_CONTRARIES = ("negation", "opposite")
# A variant, the reference from which it must differ, and the code of equality.
_MUST_DIFFER = (
    ("negation", "original", "negation-equals-original"),
    ("opposite", "original", "opposite-equals-original"),
    ("opposite", "negation", "negation-equals-opposite"),
    *((name, "original", "paraphrase-equals-original") for name in _PARAPHRASES),
    *((name, contrary, "paraphrase-equals-contrary") for name in _PARAPHRASES for contrary in _CONTRARIES),
    *((second, first, "equal-paraphrases") for first, second in combinations(_PARAPHRASES, 2)),
)


@dataclass(frozen=True, slots=True, order=True)
class TextFinding:
    """A certain or possible defect of one text.

    Attributes:
        variant: such as "negation".
        code: one of :func:`codes`.
        detail: evidence in words; may be empty.
    """

    variant: str
    code: str
    detail: str = ""

    @property
    def sure(self) -> bool:
        """Whether the text is wrong whatever its intended meaning."""
        return quality().codes[self.code].kind == "sure"


def codes(kind: str | None = None) -> Mapping[str, str]:
    """Return the meaning of every code."""
    return {name: code.meaning for name, code in quality().codes.items() if kind in (None, code.kind)}


def defects(texts: Mapping[str, str], language: str, country: str | None = None) -> list[TextFinding]:
    """Find the defects of the variants of one statement in one language."""
    findings = [
        finding for name, text in texts.items() for finding in _check_text(name, text, language, country)
    ]
    findings += _check_equal(texts)
    if "original" in texts:
        for name, text in texts.items():
            if name != "original":
                findings += _compare_with_original(name, text, texts["original"], language)
    findings += _check_near_identical(texts, {(finding.variant, finding.code) for finding in findings})
    finding_by_key = {(finding.variant, finding.code): finding for finding in reversed(findings)}
    return [finding_by_key[key] for key in product(texts, quality().codes) if key in finding_by_key]


def _check_text(name: str, text: str, language: str, country: str | None) -> Iterator[TextFinding]:
    """Yield the defects of one text without comparison."""
    limits = quality().limits
    if has_unbalanced_marks(text):
        yield TextFinding(name, "unbalanced-quotes")
    if not has_clean_spacing(text):
        yield TextFinding(name, "stray-whitespace")
    if not text.rstrip().endswith(limits.ends):
        yield TextFinding(name, "missing-final-punctuation", f"ends {text[-12:]!r}")
    detected_language = detect_language(text, language)
    if detected_language != language:
        yield TextFinding(name, "wrong-language", f"reads as {detected_language}")
    if len(text.split()) > limits.words:
        yield TextFinding(name, "too-long", f"{len(text.split())} words")
    misprinted = misprints(text, language, country)
    if misprinted:
        yield TextFinding(name, "typography", "; ".join(misprinted))


def _check_equal(texts: Mapping[str, str]) -> Iterator[TextFinding]:
    """Yield variants with identical words."""
    words_by_variant = {name: words(text) for name, text in texts.items()}
    for variant, reference, code in _MUST_DIFFER:
        if (
            variant in words_by_variant
            and reference in words_by_variant
            and words_by_variant[variant] == words_by_variant[reference]
        ):
            yield TextFinding(variant, code, reference)


def _check_near_identical(
    texts: Mapping[str, str], defect_keys: set[tuple[str, str]]
) -> Iterator[TextFinding]:
    """Yield paraphrases that share nearly all words with an earlier text but are not equal to one."""
    references = ["original"] if "original" in texts else []
    for name in _PARAPHRASES:
        if name not in texts:
            continue
        overlaps = [(overlap(texts[name], texts[reference]), reference) for reference in references]
        share, reference = max(overlaps, default=(0.0, ""))
        equal = {(name, "paraphrase-equals-original"), (name, "equal-paraphrases")} & defect_keys
        if share >= quality().limits.near_identical and not equal:
            yield TextFinding(name, "near-identical-paraphrase", f"{share:.0%} of {reference}")
        references.append(name)


def _compare_with_original(name: str, text: str, original: str, language: str) -> Iterator[TextFinding]:
    """Yield the defects of a variant compared with its original."""
    yield from _compare_negation(name, text, original, language)
    if language in quality().force:
        yield from _compare_force(name, text, original, language)
    mismatch = number_mismatch(text, original, language)
    if mismatch and name == "opposite":
        yield TextFinding(name, "opposite-numbers-differ")
    elif mismatch:
        yield TextFinding(name, "numbers-differ" if mismatch == "digits" else "number-words-differ")


def _compare_negation(name: str, text: str, original: str, language: str) -> Iterator[TextFinding]:
    text_markers, original_markers = markers(text, language), markers(original, language)
    if text_markers is None or original_markers is None:
        return
    if name == "negation":
        if text_markers == original_markers:
            yield TextFinding(name, "negation-without-marker")
        if unclear := unclear_negation(text, original, language):
            yield TextFinding(name, "negation-unclear", unclear)
        if prohibits(text, language) and not prohibits(original, language):
            yield TextFinding(name, "negation-too-strong")
    elif text_markers.total() != original_markers.total():
        kind = "opposite" if name == "opposite" else "paraphrase"
        has_more = text_markers.total() > original_markers.total()
        extra_words = ", ".join(
            marker.split()[0]
            for marker in (text_markers - original_markers if has_more else original_markers - text_markers)
        )
        yield TextFinding(name, f"{kind}-{'with' if has_more else 'drops'}-marker", extra_words)


def _compare_force(name: str, text: str, original: str, language: str) -> Iterator[TextFinding]:
    text_force, original_force = force(text, language), force(original, language)
    if text_force == original_force or (text_force is None and evaluates(text, language)):
        return
    if text_force is None:
        yield TextFinding(name, "force-lost", f"original: {original_force}")
    elif original_force in (None, "may") and text_force != "may":
        yield TextFinding(name, "force-added", text_force)
    elif original_force is not None:
        yield TextFinding(name, "force-changed", f"original: {original_force}, here: {text_force}")


# Checks across statements: duplicate texts, conflicting signs and types.

_LANGUAGE = "en"  # every statement has it, so the checks compare statements of all countries in it
# Relation of two statements if these variants of them are similar.
_RELATIONS = (
    ("original", "original", 1),
    ("negation", "original", -1),
    ("opposite", "original", -1),
    ("original", "negation", -1),
    ("original", "opposite", -1),
)


@dataclass(frozen=True, slots=True)
class StatementFinding:
    """A finding with its statement and language.

    Attributes:
        statement: id of the statement.
        language: of the text.
        finding: variant and code.
    """

    statement: str
    language: str
    finding: TextFinding


def check(statements: Sequence[GateItem]) -> list[StatementFinding]:
    """Check statements within and across each other; return each finding once, in the order of the texts."""
    findings = [
        StatementFinding(item.id, language, finding)
        for item in statements
        for language, texts in item.wordings.items()
        for finding in defects(texts, language, item.country)
    ]
    findings += [
        *_find_unnamed_countries(statements),
        *_find_duplicates(statements),
        *_find_similar(statements),
        *_find_type_conflicts(statements),
    ]
    finding_by_key = {
        (finding.statement, finding.language, finding.finding.variant, finding.finding.code): finding
        for finding in findings
    }
    keys = (
        (item.id, language, variant, code)
        for item in statements
        for language, texts in item.wordings.items()
        for variant, code in product(texts, quality().codes)
    )
    return [finding_by_key[key] for key in keys if key in finding_by_key]


def _find_unnamed_countries(statements: Sequence[GateItem]) -> Iterator[StatementFinding]:
    """Yield the texts that do not name their country."""
    for item in statements:
        for language, name_parts in item.names.items():
            for variant, text in item.wordings[language].items():
                if not any(name_part in text.lower() for name_part in name_parts):
                    yield StatementFinding(
                        item.id, language, TextFinding(variant, "country-not-named", item.country or "")
                    )


def _find_duplicates(statements: Sequence[GateItem]) -> Iterator[StatementFinding]:
    """Yield the texts that an earlier statement contains."""
    first_id_by_words: dict[tuple[str, tuple[str, ...]], str] = {}
    for item in statements:
        for language, texts in item.wordings.items():
            for variant, text in texts.items():
                first_id = first_id_by_words.setdefault((language, words(text)), item.id)
                if first_id != item.id:
                    yield StatementFinding(
                        item.id, language, TextFinding(variant, "duplicate-statement", first_id)
                    )


def _find_similar(statements: Sequence[GateItem]) -> Iterator[StatementFinding]:
    """Yield similar originals, also with other issues or topics, and with contradictory signs."""
    candidates = [item for item in statements if "original" in item.wordings.get(_LANGUAGE, {})]
    word_sets = [
        {name: without_country_names(text, _LANGUAGE) for name, text in item.wordings[_LANGUAGE].items()}
        for item in candidates
    ]
    for first, second in combinations(range(len(candidates)), 2):
        relation = _relation(word_sets[first], word_sets[second])
        if not relation:
            continue
        pairs = ((candidates[first], candidates[second]), (candidates[second], candidates[first]))
        first_signs, second_signs = (
            {i: sign for i, sign in (item.issues or {}).items() if sign} for item in pairs[0]
        )
        sign_products = {
            issue: first_signs.get(issue, 0) * second_signs.get(issue, 0)
            for issue in {**first_signs, **second_signs}
        }
        issues_by_code = {
            "contradictory-signs": [
                issue for issue, sign_product in sign_products.items() if sign_product * relation < 0
            ],
            "issues-differ": [issue for issue, sign_product in sign_products.items() if not sign_product],
        }
        for item, counterpart in pairs:
            yield StatementFinding(
                item.id, _LANGUAGE, TextFinding("original", "similar-statement", counterpart.id)
            )
            for code, issues in issues_by_code.items():
                if issues:
                    detail = f"{counterpart.id}: {', '.join(issues)}"
                    yield StatementFinding(item.id, _LANGUAGE, TextFinding("original", code, detail))
            if item.topic != counterpart.topic:
                yield StatementFinding(
                    item.id, _LANGUAGE, TextFinding("original", "topics-differ", counterpart.id)
                )


def _relation(first: Mapping[str, frozenset[str]], second: Mapping[str, frozenset[str]]) -> int:
    """Return 1 if two statements agree in meaning, -1 if they are contrary, else 0."""
    best_similarity, sign = 0.0, 0
    for first_variant, second_variant, relation in _RELATIONS:
        first_words, second_words = (
            first.get(first_variant, frozenset()),
            second.get(second_variant, frozenset()),
        )
        similarity = len(first_words & second_words) / max(len(first_words | second_words), 1)
        if similarity >= quality().limits.alike and similarity > best_similarity:
            best_similarity, sign = similarity, relation
    return sign


def _find_type_conflicts(statements: Sequence[GateItem]) -> Iterator[StatementFinding]:
    """Yield opposites with the exchanged words and force of another one, but the other type."""
    items_by_exchange: dict[tuple[Force | None, tuple[tuple[str, ...], ...]], list[GateItem]] = {}
    for item in statements:
        texts = item.wordings.get(_LANGUAGE, {})
        if item.opposite_type and "original" in texts and "opposite" in texts:
            exchanges = tuple(sorted(changed_words(texts["original"], texts["opposite"])))
            # Of two duties one can reject both; of "should" and a fact one cannot.
            items_by_exchange.setdefault((force(texts["original"], _LANGUAGE), exchanges), []).append(item)
    for group in items_by_exchange.values():
        for item in group:
            other = next(
                (candidate for candidate in group if candidate.opposite_type != item.opposite_type), None
            )
            if other:
                detail = f"{other.id} is {other.opposite_type}"
                yield StatementFinding(
                    item.id, _LANGUAGE, TextFinding("opposite", "opposite-type-differs", detail)
                )
