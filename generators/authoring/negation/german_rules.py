"""The negation of a clause that is negated already: its negation is taken away."""

from __future__ import annotations

from polbias.generators.authoring.negation.german_clause import Clause
from polbias.generators.authoring.negation.german_phrases import Phrase
from polbias.generators.language import german_words as lexicon
from polbias.generators.language.negation.german_articles import without_kein
from polbias.generators.language.negation.german_edits import Edits
from polbias.generators.language.negation.german_phrases import Reader
from polbias.generators.language.negation.german_unsure import UnsureError


def undo(clause: Clause) -> Edits | None:
    """Return the changes that take away the negation of a main clause, or None if it has none.

    Raises:
        UnsureError: If there are two negations, or one that has no plain affirmative counterpart.
    """
    positions = [*clause.front, *clause.middle, *clause.cluster, *clause.after]
    negative = lexicon.NEGATIVE_ARTICLES | lexicon.NEVER | lexicon.OTHER_NEGATIVES | {"nicht"}
    found = [k for k in positions if clause.low(k) in negative and not _in_attribute(clause, k)]
    if not found:
        return None
    if any(token.low == "sondern" for token in clause.tokens):
        raise UnsureError("abstain:contrast", '"nicht ... sondern" sets two things against each other')
    if len(found) > 1:
        raise UnsureError("abstain:double", "there is more than one negation in the clause")
    position = found[0]
    if any(clause.low(k) in lexicon.FRONT_FOCUS for k in positions if k < position):
        raise UnsureError(
            "abstain:contrast", "only one part of the statement is negated, and it is set against another"
        )
    low, before = clause.low(position), clause.low(position - 1) if position else ""
    if low in lexicon.OTHER_NEGATIVES:
        raise UnsureError(
            "abstain:scope", f'"{low}" has no affirmative counterpart that says just the opposite'
        )
    if before in ("noch", "auch"):
        raise UnsureError("abstain:scope", f'"{before} {low}" changes with the negation, not only loses it')
    if low in lexicon.NEGATIVE_ARTICLES:
        return _without_kein(clause, position)
    return _without_nicht(clause, position, before)


def _in_attribute(clause: Clause, position: int) -> bool:
    """Return whether a "nicht" negates an adjective before its noun: "von nicht verwertbarem Plastik"."""
    if clause.low(position) != "nicht" or position + 2 >= len(clause.tokens) or not position:
        return False
    openers = lexicon.DEFINITE | lexicon.INDEFINITE | lexicon.PREPOSITIONS | lexicon.CONJUNCTIONS
    if clause.low(position - 1) not in openers or clause.low(position + 1) in lexicon.DEFINITE:
        return False
    noun = lexicon.is_noun(clause.tokens[position + 2].text)
    return noun and lexicon.is_inflected(clause.low(position + 1))


def _without_nicht(clause: Clause, position: int, before: str) -> Edits:
    word = clause.tokens[position].text
    removed = {position: ""}
    if before in lexicon.INTENSIFIERS:
        removed[position - 1] = ""
    if _no_longer(clause, position):
        why = f'"{word} mehr" became "weiterhin": what should stop according to the statement should go on.'
        return Edits("undone-weiterhin", why, replaced={position: "weiterhin", position + 1: ""})
    lowered_next = position == 0
    edits = Edits("undone", f'"{word}" was removed: the statement was negated already.', replaced=removed)
    if lowered_next and len(clause.tokens) > 1:
        following = clause.tokens[1].text
        edits.replaced[1] = following[:1].upper() + following[1:]
    return edits


def _no_longer(clause: Clause, position: int) -> bool:
    """Return whether "nicht mehr" means "no longer"; before a noun or "als" it means "not more".

    Raises:
        UnsureError: If it can mean either.
    """
    if position + 1 >= len(clause.tokens) or clause.low(position + 1) != "mehr":
        return False
    following = position + 2
    if (
        following in clause.cluster
        or following >= len(clause.tokens)
        or clause.tokens[following].kind == "mark"
    ):
        return True
    token = clause.tokens[following]
    if lexicon.is_noun(token.text) or token.low == "als" or lexicon.is_inflected(token.low):
        return False
    if token.low in lexicon.PREPOSITIONS | lexicon.DEFINITE or token.kind == "word":
        return True
    raise UnsureError("abstain:scope", '"nicht mehr" can mean "no longer" or "not more"')


def _without_kein(clause: Clause, position: int) -> Edits:
    field = clause.front if position in clause.front else clause.middle
    if field is clause.front:
        raise UnsureError(
            "abstain:scope", '"kein" before the finite verb speaks of all, and its negation of some'
        )
    if position not in field:
        raise UnsureError("abstain:structure", '"kein" stands after the verbs')
    phrase = _phrase_with(clause, position)
    if phrase is None:
        raise UnsureError("abstain:structure", 'the noun that belongs to "kein" was not found')
    passive_subject = clause.passive and (not clause.front or clause.low(clause.front[0]) == "es")
    changes = without_kein(clause.tokens, position, phrase, passive_subject, clause.low(clause.finite))
    new = changes[position]
    mehr = [k for k in clause.middle if k > phrase.last and clause.low(k) == "mehr"]
    if mehr:
        if len(mehr) > 1 or clause.low(min(mehr[0] + 1, len(clause.tokens) - 1)) == "als":
            raise UnsureError("abstain:scope", '"kein ... mehr" can mean "no longer" or "not more"')
        changes[position], changes[mehr[0]] = f"weiterhin {new}".strip(), ""
        why = f'"{clause.tokens[position].text} ... mehr" became "weiterhin": what should stop should go on.'
        return Edits("undone-weiterhin", why, replaced=changes)
    why = (
        f'"{clause.tokens[position].text}" became "{new}"'
        if new
        else f'"{clause.tokens[position].text}" was removed'
    )
    return Edits("undone-kein", f"{why}: the statement was negated already.", replaced=changes)


def _phrase_with(clause: Clause, position: int) -> Phrase | None:
    """Return the noun phrase after "kein", read as one without article."""
    rest = [k for k in clause.middle if k > position]
    phrases = Reader(clause.tokens, rest, frozenset(), False).read() if rest else []
    if not phrases or not lexicon.is_noun(clause.tokens[phrases[0].head].text):
        return None
    return phrases[0]
