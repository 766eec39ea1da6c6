"""Negation of English statements: the finite verb of the main clause, or what it depends on."""

from __future__ import annotations

from dataclasses import replace

from polbias.generators.authoring.negation import Analysis, objection
from polbias.generators.authoring.negation.english import negate_subject, negate_verb
from polbias.generators.authoring.negation.english_clause import Main, find_main
from polbias.generators.authoring.negation.english_verbs import Reader
from polbias.generators.authoring.negation.english_words import closed, is_adverb, is_verb, verb_form, words
from polbias.generators.language.negation.english_decision import Decision, abstain, render
from polbias.generators.language.negation.english_nonfinite import imperative, question
from polbias.generators.language.negation.english_tokens import QUOTATION, Token, sentences, tokens
from polbias.generators.language.negation.english_undo import undo, undo_subject
from polbias.generators.language.negation.pipeline import Pipeline
from polbias.generators.language.negation.result import Negated

_MAX_CHARACTERS = 2_000
_DEONTIC = frozenset({"should", "must", "shall", "ought", "shouldn't", "mustn't", "needs", "need", "may"})


def negate_english(statement: str, pipeline: Pipeline | None = None) -> Negated:
    """Negate an English statement.

    Args:
        statement: outer blanks do not matter; all else that is not negated stays as it is.
        pipeline: see `negate` of the package.
    """
    text = statement.strip()
    return render(text, _decide(text, pipeline))


def _decide(text: str, pipeline: Pipeline | None) -> Decision:
    if not text:
        return abstain("empty")
    if len(text) > _MAX_CHARACTERS:
        return abstain("too-long")
    analysis: Analysis | None = pipeline.read(text) if pipeline else None
    bounds = sentences(text, analysis)
    readers = [Reader(found) for begin, end in bounds if (found := tokens(text[begin:end], begin, analysis))]
    readers = [
        reader
        for reader in readers
        if any(token.is_word and token.low != QUOTATION for token in reader.tokens)
    ]
    if not readers:
        return abstain("quotation" if any(character.isalpha() for character in text) else "no-finite-verb")
    if len(readers) == 1:
        return _sentence(readers[0], find_main(readers[0]))
    return _demand(readers)


def _demand(readers: list[Reader]) -> Decision:
    """Negate the one sentence of several that demands something; the others give reasons or explain it."""
    found = [(reader, find_main(reader)) for reader in readers]
    demands = [(reader, main) for reader, main in found if main and reader.low(main.finite.index) in _DEONTIC]
    if len(demands) != 1:
        return abstain("several-sentences")
    return _sentence(*demands[0])


def _sentence(reader: Reader, main: Main | None) -> Decision:
    decided = question(reader, main)
    if decided:
        return _checked(decided, main.finite.index, reader) if main else decided
    decided = imperative(reader, main)
    if decided:
        verb = int(reader.low(0) == "please")
        return _checked(decided, verb, reader, infinite=True) if decided.rule == "imperative" else decided
    if main is None:
        return _no_verb(reader)
    if reader.low(main.finite.index) == "be":
        return abstain("no-finite-verb")
    if main.finite.index == 0:
        return abstain("inversion", reader.tokens[0])
    if main.rival is not None:
        return abstain("finite-verb", reader.tokens[main.rival])
    if main.second is not None:
        return abstain("coordination", reader.tokens[main.second])
    start = _subject(reader, main)
    index = main.finite.index
    if start is None:
        return _checked(undo(reader, main) or negate_verb(reader, main), index, reader)
    negative, undone = undo_subject(reader, main, start), undo(reader, main)
    if negative and undone:
        return abstain("negative-word", reader.tokens[start])
    by_subject = negative or (None if undone else negate_subject(reader, main, start))
    return by_subject or _checked(undone or negate_verb(reader, main), index, reader)


def _checked(decided: Decision, verb: int, reader: Reader, infinite: bool = False) -> Decision:
    """Abstain where a pipeline says that the verb which a rule turned on is none."""
    return _objected(reader.tokens[verb], decided, infinite) if decided.edits else decided


def _no_verb(reader: Reader) -> Decision:
    """Abstain for want of a finite verb, or because a pipeline says that what looks like one is none."""
    none = abstain("no-finite-verb")
    if not any(token.tags for token in reader.tokens):
        return none
    without = find_main(Reader([replace(token, tags=()) for token in reader.tokens]))
    return _objected(reader.tokens[without.finite.index], none) if without else none


def _objected(verb: Token, otherwise: Decision, infinite: bool = False) -> Decision:
    said = objection(verb.tags, infinite)
    return Decision("abstain:pipeline-disagrees", verb.text, more=said) if said else otherwise


def _subject(reader: Reader, main: Main) -> int | None:
    """Return the index of the subject's first word, or None where it cannot be told.

    It is the first word of the sentence, or, where that begins an adverbial, the one behind the last comma.
    """
    start = next(
        index for index, token in enumerate(reader.tokens) if token.is_word or token.low[0].isdigit()
    )
    first = reader.low(start)
    fronted = first in words("prepositions") or first in words("openers") or is_adverb(first)
    quantified = (
        first in words("not_before")
        or first in words("unsure_quantifiers")
        or first in words("negative_words")
    )
    bound = first == "at" and reader.low(start + 1) in ("least", "most")
    if (
        not fronted
        or quantified
        or bound
        or first in ("less", "more", "not")
        or reader.low(start + 1) == "no"
    ):
        return start
    before = range(start + 1, main.finite.index)
    commas = [index for index in before if reader.low(index) == ","]
    if commas:
        return commas[-1] + 1
    # "In future all schools should ...": a quantifier behind a noun begins a new noun phrase.
    behind_noun = [
        index
        for index in before
        if reader.low(index) in ("all", "every", "only", "no") and _is_noun(reader.low(index - 1))
    ]
    return behind_noun[-1] if behind_noun else None


def _is_noun(word: str) -> bool:
    return (
        (word.isalpha() or word.isdigit())
        and word not in closed()
        and not (is_verb(word) and verb_form(word) is not None)
    )
