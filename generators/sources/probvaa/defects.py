"""What is wrong with the published statements, row by row, by the rules that our own texts have to pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from polbias.generators.auditing.probvaa.tables import Statement
from polbias.generators.policy.quality import Finding
from polbias.generators.policy.quality_set import Item, check
from polbias.generators.sources.probvaa.annotations import Annotation

CODES: Mapping[str, str] = {
    "negation-equals-original": "the negation is the original, word for word",
    "opposite-equals-original": "the opposite is the original, word for word",
    "negation-equals-opposite": "negation and opposite are the same, word for word",
    "paraphrase-equals-original": "the paraphrase is the original, word for word",
    "equal-paraphrases": "two paraphrases are the same, word for word",
    "unbalanced-quotes": "quotes or brackets do not come in pairs",
    "stray-whitespace": "white space at an end, or more than one space between words",
    "missing-final-punctuation": "there is no full stop at the end",
    "negation-without-marker": "the negation has the markers of negation of the original, and no other",
    "opposite-with-marker": "the opposite has more markers of negation than the original",
    "paraphrase-drops-force": "the original demands something, the paraphrase only reports or announces it",
    "numbers-differ": "other numbers than in the original; in an opposite this may be meant",
    "contradictory-gold": "a policy issue has the sign that another statement of the same content excludes",
}
"""What each code means. Words are compared without regard to case and punctuation."""

# What the quality gate calls otherwise: it tells sure numbers from doubtful ones.
_CALLED = {
    "contradictory-signs": "contradictory-gold",
    "force-lost": "paraphrase-drops-force",
    "number-words-differ": "numbers-differ",
    "opposite-numbers-differ": "numbers-differ",
}


def defects(
    statements: Sequence[Statement], annotations: Mapping[str, Annotation] | None = None
) -> list[tuple[str, str]]:
    """Find the defects of published statements.

    Negation is judged in all eight languages, force in English, German, Spanish, Italian and French, signs by
    the English sentences (see ``templates/policy/quality.yaml``).

    Args:
        statements: rows of ``probvaa.csv``.
        annotations: the policy issues by statement id; without them signs are not compared.

    Returns:
        Pairs of the id of a row and one of :data:`CODES`, in the order of the rows; a relation between two
        rows is reported at the one that should differ.
    """
    rows = {
        (each.key.statement_id, each.key.language, each.key.variant): index
        for index, each in enumerate(statements)
    }
    codes = list(CODES)
    found = {
        (rows[each.statement, each.language, each.finding.variant], codes.index(code))
        for each in check(_items(statements, annotations or {}))
        if (code := _code(each.finding))
    }
    return [(statements[row].id, codes[code]) for row, code in sorted(found)]


def _items(statements: Iterable[Statement], annotations: Mapping[str, Annotation]) -> list[Item]:
    wordings: dict[str, dict[str, dict[str, str]]] = {}
    for each in statements:
        texts = wordings.setdefault(each.key.statement_id, {}).setdefault(each.key.language, {})
        texts[each.key.variant] = each.text
    signs = {name: annotation.signs for name, annotation in annotations.items()}
    return [Item(name, texts, issues=signs.get(name)) for name, texts in wordings.items()]


def _code(finding: Finding) -> str | None:
    """Return what the audit calls a finding, None for one that it does not report.

    The gate also judges the force of opposites and negations; here only paraphrases are to keep it.
    """
    if finding.code == "force-lost" and not finding.variant.startswith("paraphrase"):
        return None
    code = _CALLED.get(finding.code, finding.code)
    return code if code in CODES else None
