"""Negation of Spanish and Italian statements: "no" or "non" before the finite verb and its clitics."""

from __future__ import annotations

import re
from functools import cache

import simplemma

from polbias.aliases import Json
from polbias.generators.authoring.negation import (
    NegationResult,
    Pipeline,
    TaggedStatement,
    lists,
    tagger_objection,
)
from polbias.generators.authoring.negation.english_words import sentences
from polbias.generators.language.english import capitalize_first

_WORD = re.compile(r"[^\W\d_]+|\S")
_TO_THE = {"al", "allo", "alla"}
_ASIDE = re.compile(r"\([^()]*\)|\"[^\"]*\"|“[^”]*”|«[^»]*»")


@cache
def _words(language: str, name: str) -> frozenset[str]:
    return frozenset(_lists(language)[name].split())


def _lists(language: str) -> Json:
    return lists(f"words.{language}")


def negate_romance(statement: str, language: str, pipeline: Pipeline | None = None) -> NegationResult:
    """Negate a Spanish or Italian statement."""
    text = statement.strip()
    if not text:
        return NegationResult(None, "abstain:empty", "There is no statement.")
    if "?" in text:
        return NegationResult(
            None, "abstain:question", "The position of a negation in a question is unclear."
        )
    analysis = pipeline.read(text) if pipeline else None
    bounds = sentences(text, analysis)
    candidates = [(begin, end) for begin, end in bounds if any(map(str.isalpha, text[begin:end]))]
    if len(candidates) > 1:
        candidates = [span for span in candidates if _demands(text[slice(*span)], language)]
        if len(candidates) != 1:
            reason = "There are several sentences, and it is unclear which of them is the demand."
            return NegationResult(None, "abstain:several-sentences", reason)
    if not candidates:
        return NegationResult(None, "abstain:no-finite-verb", "There is no word to negate.")
    begin, end = candidates[0]
    inner = _negate_sentence(text[begin:end], language, begin, analysis)
    return NegationResult(
        inner.text and text[:begin] + inner.text + text[end:], inner.rule, inner.explanation
    )


def _demands(sentence: str, language: str) -> bool:
    return any(match.group().lower() in _words(language, "deontic") for match in _WORD.finditer(sentence))


def _tokens(text: str, start: int, analysis: TaggedStatement | None) -> list[tuple[int, int, str]]:
    """Return the words of a sentence outside brackets and quotations: begin, end, and lower case."""
    visible = _ASIDE.sub(lambda match: " " * len(match.group()), text)
    if analysis is None:
        return [(match.start(), match.end(), match.group().lower()) for match in _WORD.finditer(visible)]
    pieces = analysis.pieces(visible, start, opaque=[match.span() for match in _ASIDE.finditer(text)])
    # An elided word has its apostrophe ("dell'"), unlike the entries of the lists.
    return [(begin, end, text[begin:end].lower().rstrip("'’") or "'") for begin, end in pieces]


def _negate_sentence(
    text: str, language: str, offset: int, analysis: TaggedStatement | None
) -> NegationResult:
    tokens = _tokens(text, offset, analysis)
    lows = [low for _, _, low in tokens]
    (particle,) = _words(language, "negation")
    if not _words(language, "negative").isdisjoint(lows):
        return NegationResult(
            None, "abstain:negative-word", "The statement has a negative word, and its removal is unclear."
        )
    if any(mark in lows[:-1] for mark in (":", ";")):
        return NegationResult(
            None, "abstain:coordination", "A second clause follows, which would stay asserted."
        )
    verb = _find_finite(lows, text, tokens, language)
    if verb is None:
        return NegationResult(None, "abstain:no-finite-verb", "No finite verb of a main clause was found.")
    if second := _second_verb(lows, verb, language):
        return NegationResult(
            None,
            "abstain:coordination",
            f'A second clause follows with "{second}", which would stay asserted.',
        )
    first = verb
    while first > 0 and lows[first - 1] in _words(language, "clitics") | {"'", "’"}:
        first -= 1
    start, word = tokens[first][0], text[tokens[verb][0] : tokens[verb][1]]
    tags = analysis.words_between(offset + tokens[verb][0], offset + tokens[verb][1]) if analysis else ()
    objection = tagger_objection(tags)
    disagreement = f'The rule took "{word}" for the finite verb, but the pipeline says {objection}.'
    abstention = NegationResult(None, "abstain:pipeline-disagrees", disagreement) if objection else None
    before = lows[first - 1] if first else ""
    if before == particle:
        phase = _lists(language)["phased_undone"].get(lows[first - 2]) if first > 1 else None
        cut = tokens[first - (2 if phase else 1)][0]
        remaining_text = _exchange(f"{phase} {text[start:]}" if phase else text[start:], language, "undone")
        remaining_text = capitalize_first(remaining_text) if text[cut].isupper() else remaining_text
        return abstention or NegationResult(
            text[:cut] + remaining_text,
            "undone",
            f'"{word}" was already negated, so "{particle}" was taken out.',
        )
    at = next((index for index, low in enumerate(lows) if low.isalpha()), first)
    if lows[at] == particle:
        at += 1
        if at < len(lows) and lows[at] in _words(language, "not_before"):
            remaining_text = text[tokens[at][0] :]
            undone = text[: tokens[at - 1][0]] + capitalize_first(remaining_text)
            return NegationResult(
                undone, "undone", f'"{lows[at]}" was already negated, so "{particle}" was taken out.'
            )
    elif lows[at] in _words(language, "not_before") and at < first:
        word, start, rule = text[tokens[at][0] : tokens[at][1]], tokens[at][0], "focus-word"
        explanation = f'The statement turns on "{word}", so "{particle}" came before it.'
        return NegationResult(_insert(text, start, particle), rule, explanation)
    if phase := _lists(language)["phased"].get(before):
        text = text[: tokens[first - 1][0]] + phase + text[tokens[first - 1][1] :]
        start += len(phase) - len(before)
    elif before in _words(language, "not_before"):
        start = tokens[first - 1][0]
    plain = _insert(text, start, particle)
    negated = plain[:start] + _exchange(plain[start:], language, "inserted")
    explanation = f'"{particle}" came before the finite verb "{word}" and its clitics.'
    if negated != plain:
        explanation = (
            f'"{particle} {word}" would have another meaning; the negation only denies the statement.'
        )
    return abstention or NegationResult(
        negated, "not-before-verb" if negated == plain else "dual", explanation
    )


def _exchange(text: str, language: str, change: str) -> str:
    """Replace the text after the edit by its opposite, by the first matching pattern."""
    for pattern, new in _lists(language)["exchanged"][change].items():
        if re.match(pattern, text):
            return re.sub(pattern, new, text, count=1)
    return text


def _insert(text: str, at: int, particle: str) -> str:
    """Insert the particle; at the beginning of a sentence it takes the capital of the next word."""
    if text[at].isupper() and not text[:at].strip(" \t\"'¡«“(-"):
        return f"{text[:at]}{particle.capitalize()} {text[at].lower()}{text[at + 1 :]}"
    return f"{text[:at]}{particle} {text[at:]}"


def _find_finite(lows: list[str], text: str, tokens: list[tuple[int, int, str]], language: str) -> int | None:
    """Return the index of the main clause's finite verb: the first without an open "que" or "che".

    Lexical verbs are considered on the second pass, possible nouns on the third.
    """
    for effort in range(3):
        waiting = 0
        for index, low in enumerate(lows):
            if low in _words(language, "openers"):
                waiting += 1
                continue
            is_finite = low in _words(language, "finite") and not _is_blocked(
                lows, index, language, strict=False
            )
            first = low.endswith(("mos", "iamo", "emo")) or {*lows[index + 1 : index + 2]} & _TO_THE
            is_name = text[tokens[index][0]].isupper() and not (index == 0 and first)
            # An opener accepts a lexical verb on every pass.
            is_lexical = (
                (effort or waiting) and not is_name and _is_lexical_verb(lows, index, language, effort > 1)
            )
            if is_finite or is_lexical:
                if not waiting:
                    return index
                waiting -= 1
    return None


def _second_verb(lows: list[str], verb: int, language: str) -> str:
    """Return the finite verb of a clause joined to the main clause, or ""."""
    joined = False
    for index in range(verb + 1, len(lows)):
        if lows[index] in _words(language, "openers"):
            return ""
        joined |= lows[index] in _words(language, "coordinators")
        follows = lows[index - 1] in _words(language, "coordinators")
        finite = lows[index] in _words(language, "finite") and (
            follows or not _is_blocked(lows, index, language, strict=False)
        )
        if joined and (finite or _is_lexical_verb(lows, index, language, guess=False)):
            return lows[index]
    return ""


def _is_blocked(lows: list[str], index: int, language: str, strict: bool) -> bool:
    previous = lows[index - 1] if index else ""
    if previous in _words(language, "clitics") and not strict:
        return False
    return previous in _words(language, "blocking") - _words(language, "negation")


def _is_lexical_verb(lows: list[str], index: int, language: str, guess: bool) -> bool:
    low = lows[index]
    if not low.isalpha() or len(low) < 4 or _is_blocked(lows, index, language, strict=True):
        return False
    if low.endswith(tuple(_words(language, "sure_endings"))):
        return True
    if low.endswith(tuple(_words(language, "nonfinite_endings"))):
        return False
    infinitives = tuple(_words(language, "infinitive_endings"))
    lemma = str(simplemma.lemmatize(low, language))
    if lemma == low and guess and low[-1] in "ae":
        return any(simplemma.is_known(low[:-1] + ending, language) for ending in infinitives)
    verb = lemma != low and lemma.endswith(infinitives)
    return verb and low.endswith(tuple(_words(language, "finite_endings")))
