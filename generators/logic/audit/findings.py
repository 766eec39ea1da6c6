"""Verdicts and findings: every code that an audit can report, with what it means."""

from __future__ import annotations

from collections.abc import Mapping

CONFIRMED, CONTRADICTED, DEPENDS, UNPARSED = "confirmed", "contradicted", "depends", "unparsed"

VERDICTS: Mapping[str, str] = {
    CONFIRMED: "the gold label is right however the sentences are taken",
    CONTRADICTED: "the gold label is wrong however the sentences are taken",
    DEPENDS: "the gold label is right on some readings and wrong on others; the deciding choices are named",
    UNPARSED: "the item could not be read or decided; nothing is said about its gold label",
}

# What is wrong with the file, whatever the item says.
SURFACE: Mapping[str, str] = {
    "malformed-row": "the row does not have the columns of the file, or a value cannot be what it should be",
    "unknown-label": "the gold label is none of the format's",
    "duplicate-id": "an earlier item has the same id",
    "duplicate-item": "an earlier item has the same text",
    "conflicting-labels": "another item has the same text and the other gold label",
    "exemplar-leakage": "the item is also an exemplar of the few-shot prompts",
    "too-long": "a text is too long to be a sentence; it was not read",
    "whitespace": "spaces at the ends of a text, or several in a row",
}

# What is wrong with what the item says, and why it is no instance of its pattern. Formats have more codes.
DIAGNOSES: Mapping[str, str] = {
    "contradictory-premises": "on some reading the premises cannot all be true, so they support no label",
    "conclusion-repeats-premise": "the conclusion is one of the premises",
    "unknown-pattern": "the pattern in its label is not known",
    "does-not-instantiate": "on no reading does the item have the form of the pattern in its label",
    "other-pattern": "the item has the form of another pattern than that in its label",
    "missing-modal": "a clause is bare where the pattern has an operator",
    "surplus-modal": "a clause has an operator where the pattern has none",
    "operator-mismatch": "necessity for possibility or the reverse, or two kinds of necessity for one",
    "scope-mismatch": "an operator stands over the whole rule and not over its consequent, or the reverse",
    "negation-mismatch": "a clause is negated where the pattern's is not, or the reverse",
    "rule-mismatch": "the rule is not of the pattern's kind: about all, or a conditional about one thing",
    "conclusion-negates-consequent": "the conclusion denies the consequent of the rule, not its antecedent",
    "wrong-clause": "a clause repeats another one than it does in the pattern",
    "four-terms": "the premises have no term in common where the pattern has one",
    "content-mismatch": "the conclusion says something that the premises do not speak of",
    "other-individual": "the clauses are not about the same individual",
    "form-mismatch": "the item is built otherwise than the pattern in a way that has no name",
}


FINDINGS: Mapping[str, str] = {**SURFACE, **DIAGNOSES}


def meaning(code: str, more: Mapping[str, str] | None = None) -> str:
    """Return what a code means.

    Args:
        code: of a finding.
        more: the codes of a format.

    Returns:
        One sentence; the code itself in words if nobody explains it.
    """
    return FINDINGS.get(code) or (more or {}).get(code) or code.replace("-", " ")
