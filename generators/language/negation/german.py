"""Negation of German statements by rule: "soll nicht", "kein", or an existing negation taken away.

The main clause is split into its topological fields (`german_clause`), its middle field into phrases
(`german_phrases`). Rules in a fixed order then place one negation (`german_place`, `german_front`), or take
one away (`german_undo`). It has scope over the whole claim; where no rule ensures this, there is no answer.
"""

from __future__ import annotations

from polbias.generators.authoring.negation import objection
from polbias.generators.authoring.negation.german import negate_clause
from polbias.generators.authoring.negation.german_clause import parse
from polbias.generators.authoring.negation.german_rules import undo
from polbias.generators.authoring.negation.german_text import Token, sentences, tokens
from polbias.generators.language import german_words as lexicon
from polbias.generators.language.negation.german_edits import Edits
from polbias.generators.language.negation.german_front import without_additive
from polbias.generators.language.negation.german_unsure import UnsureError
from polbias.generators.language.negation.pipeline import Pipeline
from polbias.generators.language.negation.result import Negated


def negate_german(statement: str, pipeline: Pipeline | None = None) -> Negated:
    """Return the negation of a statement in German.

    Of several sentences the last one is negated, if it alone makes a demand: those before it describe.

    Args:
        statement: One statement; white space around it and Swiss spelling are kept.
        pipeline: See `negate` of the package.

    Returns:
        The negation with the rule that made it; without text where the rules are unsure.
    """
    found = tokens(statement, pipeline.read(statement) if pipeline else None)
    if not found:
        return Negated(None, "abstain:empty", "There is nothing to negate.")
    parts = sentences(found)
    try:
        edits = _negate(parts)
    except UnsureError as unsure:
        return Negated(None, unsure.code, f"No negation was formed: {unsure.reason}.")
    end = statement[sum(len(token.before) + len(token.text) for token in found) :]
    before = "".join(token.before + token.text for part in parts[:-1] for token in part)
    text = before + edits.apply(parts[-1]) + end
    if text == statement:
        return Negated(
            None, "abstain:structure", "No negation was formed: the rules left the statement as it is."
        )
    return Negated(text, edits.rule, edits.why)


def _negate(parts: list[list[Token]]) -> Edits:
    """Return the changes to the last sentence.

    Raises:
        UnsureError: If the statement is a question, makes several claims, or is not covered.
    """
    last = parts[-1]
    if any(token.text == "?" for part in parts for token in part):
        raise UnsureError("abstain:question", "a question has no negation")
    if any(token.low in lexicon.MODAL for part in parts[:-1] for token in part):
        raise UnsureError("abstain:several-claims", "more than one sentence makes a claim")
    clause = parse(last)
    finite = last[clause.finite]
    said = objection(finite.tags)
    if said:
        reason = lexicon.RULES["abstain:pipeline-disagrees"].format(word=finite.text, more=said)
        raise UnsureError("abstain:pipeline-disagrees", reason)
    undone = undo(clause)
    if undone:
        return undone
    auch = without_additive(clause)
    if auch is None:
        return negate_clause(clause)
    edits = negate_clause(clause)
    edits.replaced[auch] = ""
    edits.rule = "additive-dropped"
    edits.why += ' "Auch" was removed, since before a negation it would say that others should not either.'
    return edits
