"""English clauses: phrases, finite and nonfinite verbs, and the word to negate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from polbias.generators.authoring.negation import NegationResult
from polbias.generators.authoring.negation.english_verbs import Finite, VerbReader
from polbias.generators.authoring.negation.english_words import (
    EnglishToken,
    VerbForm,
    closed_class_words,
    is_participle,
    is_plural,
    is_verb,
    strip_negation,
    table,
    verb_form,
    words,
)
from polbias.generators.language.english import capitalize_first, with_indefinite_article

# Results of the rules: a code, the word that triggers it, and the edits of the text.


@dataclass(frozen=True)
class ClauseEdit:
    """A replacement.

    Attributes:
        start: index of the first replaced character.
        end: index after the last one; equal to `start` for an insertion.
        new: the new text.
    """

    start: int
    end: int
    new: str


@dataclass(frozen=True)
class NegationSite:
    """A rule and its edits.

    Attributes:
        rule: code, one of ``rules`` in words.en.yaml.
        word: the word that triggers the rule.
        edits: of the statement, none overlapping; empty if the rule abstains.
        more: a second word for the explanation.
    """

    rule: str
    word: str = ""
    edits: tuple[ClauseEdit, ...] = ()
    more: str = ""


def abstain(reason: str, token: EnglishToken | None = None) -> NegationSite:
    """Return an abstention."""
    return NegationSite(f"abstain:{reason}", token.text if token else "")


def insert(at: int, new: str) -> ClauseEdit:
    """Return an insertion."""
    return ClauseEdit(at, at, new)


def substitute(token: EnglishToken, new: str) -> ClauseEdit:
    """Return the replacement of a token; keep a capital."""
    return ClauseEdit(token.start, token.end, capitalize_first(new) if token.text[0].isupper() else new)


def remove(tokens: list[EnglishToken], first: int, last: int) -> list[ClauseEdit]:
    """Return the edits that remove tokens with the blank before them.

    At the beginning of a sentence the blank after them is removed, and the next word is capitalized.
    """
    start, end = tokens[first].start, tokens[last].end
    if tokens[first].text[0].isupper() and last + 1 < len(tokens):
        return [ClauseEdit(start, tokens[last + 1].start + 1, tokens[last + 1].text[0].upper())]
    return [ClauseEdit(tokens[first - 1].end if first else start, end, "")]


def render(statement: str, decision: NegationSite) -> NegationResult:
    """Apply the edits of a decision."""
    text: str | None = None
    if decision.edits:
        text = statement
        for edit in sorted(decision.edits, key=lambda edit: (edit.start, edit.end), reverse=True):
            new = edit.new.upper() if statement.isupper() else edit.new
            text = text[: edit.start] + new + text[edit.end :]
        if text == statement:
            text, decision = None, NegationSite("abstain:unchanged")
    explanation = table("rules")[decision.rule].format(word=decision.word, more=decision.more)
    return NegationResult(text, decision.rule, explanation)


# Noun phrases under negation: articles, "some" and "any".


def head(reader: VerbReader, index: int) -> int | None:
    """Return the index of the head noun of the phrase that begins at a word, or None."""
    last = None
    while index < len(reader.tokens):
        low = reader.low(index)
        ends = low in closed_class_words() or not (reader.tokens[index].is_word or low[0].isdigit())
        postmodified = (
            last is not None and is_participle(low) and reader.low(index + 1) in words("prepositions")
        )
        if ends or postmodified:
            break
        last, index = index, index + 1
    return last


def article(reader: VerbReader, index: int) -> str | None:
    """Return the article of an indefinite noun phrase, "" for plurals and mass nouns, None if unclear."""
    at = head(reader, index)
    if at is None or reader.low(at + 1) == "or":
        return None
    noun = reader.low(at)
    if is_plural(noun) or noun in words("mass"):
        return ""
    if noun in words("count"):
        return with_indefinite_article(reader.tokens[index].text).split(" ")[0]
    return None


def to_any(reader: VerbReader, main: int) -> list[ClauseEdit] | None:
    """Return edits that adapt objects to "not": "some" becomes "any", a free "any" "just any"."""
    edits: list[ClauseEdit] = []
    positive = table("positive")
    for index in _predicate(reader, main):
        low, previous = reader.low(index), reader.low(index - 1)
        if low in positive:
            verbal = previous in ("be", "have") or is_verb(previous) or is_participle(previous)
            if index - 1 != main and not verbal:
                return None
            edits.append(substitute(reader.tokens[index], positive[low]))
        elif low in table("free") and low != "each" and previous not in ("than", "without", "before"):
            edits.append(insert(reader.tokens[index].start, "just "))
    return edits


def universal(reader: VerbReader, index: int) -> str:
    """Return the universal quantifier that replaces a free "any", or "each", under a negation."""
    word, noun = reader.low(index), head(reader, index + 1)
    is_plural_or_mass = noun is not None and (
        is_plural(reader.low(noun)) or reader.low(noun) in words("mass")
    )
    return "all" if word == "any" and is_plural_or_mass else table("free").get(word, word)


def to_some(reader: VerbReader, main: int) -> list[ClauseEdit] | None:
    """Return the edits of words that depend on a removed "not"; None if unclear."""
    edits: list[ClauseEdit] = []
    back = {negative: positive for positive, negative in table("positive").items()}
    for index in _predicate(reader, main):
        low, following = reader.low(index), reader.low(index + 1)
        if low in ("ever", "yet"):
            return None
        if (low, following) in (("any", "longer"), ("any", "more"), ("at", "all")):
            edits += remove(reader.tokens, index, index + 1)
        elif low == "anymore" or (low == "any" and following.endswith("er")):
            edits += remove(reader.tokens, index, index)
        elif low == "any" and (new := article(reader, index + 1)) is not None:
            edits += [substitute(reader.tokens[index], new)] if new else remove(reader.tokens, index, index)
        elif low in back:
            edits.append(substitute(reader.tokens[index], back[low]))
        elif low == "either" and not following.isalpha():
            edits.append(substitute(reader.tokens[index], "too"))
    return edits


def _predicate(reader: VerbReader, main: int) -> range:
    """Return the words after the finite verb in its clause."""
    end = main + 1
    while end < len(reader.tokens):
        low = reader.low(end)
        closed_off = low == "," and reader.low(end + 1) not in ("either", "too")
        if low in words("openers") | {";", ":"} or closed_off:
            break
        end += 1
    return range(main + 1, end)


# The finite verb of the main clause, found by counting open clauses.

# Costs in addition to english_verbs.py: an opener without a verb, and a second main verb after a comma,
# without a comma, or without a comma if lexical.
_UNFILLED, _SPLICE, _LOOSE, _LEXICAL = 2.0, 1.0, 2.5, 4.0
# Cost of a main verb that the pipeline's parser does not make the root of its sentence.
_NOT_ROOT = 1.0
# The smallest lead of the best reading, the highest cost of a main verb, the extra cost of a possible noun.
_MARGIN, _UNLIKELY, _DOUBTFUL = 0.35, 1.4, 0.6


@dataclass(frozen=True)
class Main:
    """The main clause.

    Attributes:
        finite: its finite verb.
        rival: index of another word that is nearly as likely the finite verb, or None.
        second: index of the finite verb of a further main clause or predicate, or None.
    """

    finite: Finite
    rival: int | None
    second: int | None


@dataclass(frozen=True)
class _State:
    """A partial reading of the sentence: open clauses and verbs so far."""

    open: int = 0
    main: Finite | None = None
    second: int | None = None
    sub: bool = False


class _ClauseParser:
    """Parses a sentence from left to right and keeps the cheapest path to each state.

    Every opener ("if", "who", "that") needs a finite verb; the first finite verb without an open opener
    belongs to the main clause. Ambiguous openers and verbs are tried both ways.
    """

    def __init__(self, reader: VerbReader) -> None:
        self.reader = reader
        self.tokens = reader.tokens
        self.last = -1  # the last word that can be a finite verb
        self.comma = -1
        self.coordinator = -1

    def parse(self) -> Main | None:
        states: dict[_State, float] = {_State(): 0.0}
        for index, token in enumerate(self.tokens):
            if token.low == ",":
                self.comma = index
                states = {state: cost + 0.4 * bool(state.open) for state, cost in states.items()}
            elif token.low in (";", ":", "–", "—"):
                self.comma = index
            elif token.low in words("coordinators"):
                self.coordinator = index
            else:
                states = self._step(index, states)
        return self._best(states)

    def _step(self, index: int, states: dict[_State, float]) -> dict[_State, float]:
        finite = self.reader.finite(index)
        opening = None if finite else self._opener(index)
        if finite is None and opening is None:
            return states
        following: dict[_State, float] = {}
        for state, cost in states.items():
            options: Iterable[tuple[_State, float]] = []
            if finite:
                options = self._verb(state, finite)
            elif opening:
                options = zip((replace(state, open=state.open + 1), state), opening, strict=True)
            for after, extra in options:
                if cost + extra < following.get(after, 90.0):
                    following[after] = cost + extra
        if finite:
            self.last = index
        # Limits the time for a sentence of many ambiguous words: keeps the best readings.
        return dict(sorted(following.items(), key=lambda item: item[1])[:12])

    def _verb(self, state: _State, finite: Finite) -> Iterator[tuple[_State, float]]:
        if finite.skip < 90:
            yield state, finite.skip
        index, cost = finite.index, finite.cost
        if index == 0 and self.reader.low(0) in words("inverted") and self.tokens[-1].low != "?":
            yield replace(state, open=1), 0.3  # "Should the crisis continue, ..."
        coordinated = self.last >= 0 and self.coordinator > self.last
        if state.open:
            yield replace(state, open=state.open - 1, sub=True), cost
            if state.sub and coordinated:
                yield state, cost + 0.8
        elif state.main is None:
            yield (
                replace(state, main=finite, sub=False),
                cost + self._fronting_cost() + self._parser_cost(index),
            )
            if state.sub and coordinated:
                yield state, cost + 0.8
        else:
            if state.sub and coordinated:
                yield state, cost + (0.1 if self.coordinator > self.comma else 0.5)
            if finite.form and finite.form.form == "base" and state.main.kind in ("modal", "do"):
                return  # its second infinitive: "should leave A and join B"
            second = state.second if state.second is not None else index
            likely = 0.3 if coordinated else _SPLICE if self.comma > self.last else _LOOSE
            if not coordinated and finite.kind == "lexical":
                likely = _LEXICAL
            yield replace(state, second=second, sub=False), cost + likely

    def _fronting_cost(self) -> float:
        """Return the cost of a main verb without a comma after a clause at the beginning."""
        first = self.reader.low(0)
        fronted = first in words("openers") - words("subject_openers")
        return 1.5 if fronted and self.comma < 0 else 0.0

    def _parser_cost(self, index: int) -> float:
        """Return the cost of a main verb that the parser does not make the root."""
        roots = [word.root for word in self.tokens[index].tags]
        return _NOT_ROOT if False in roots and True not in roots else 0.0

    def _opener(self, index: int) -> tuple[float, float] | None:
        """Return the costs of a clause that begins here, and of none."""
        low, previous, following = (self.reader.low(at) for at in (index, index - 1, index + 1))
        if low == "that":
            if previous in words("coordinators"):
                return 0.0, 0.5
            return (1.2, 0.0) if not previous or previous in words("prepositions") else (0.0, 1.0)
        if low in words("measuring") and following in ("extent", "many", "much"):
            return 0.0, 1.0
        if low in words("openers"):
            reduced = (
                following in words("reduced_after") or following.endswith("ing") or is_participle(following)
            )
            if low in ("who", "which", "what"):
                reduced = following == "to"
            return (1.0, 0.1) if reduced else (0.0, 3.0 if low in ("who", "whose") else 1.2)
        if low in words("optional_openers"):
            close = following in words("subject_pronouns") or previous in ("soon", "long", "far")
            return (0.0, 0.8) if close and (low == "as" or index == 0) else (0.7 if index else 0.4, 0.0)
        # The costs of a clause without opener.
        if index and previous in words("attitude"):
            return 0.1, 0.4
        subject = low in words("plain_subjects") and previous.isalpha()
        closes = previous in words("prepositions", "determiners")
        return (0.9, 0.0) if index and subject and not closes else None

    def _best(self, states: dict[_State, float]) -> Main | None:
        readings: dict[int, tuple[float, Finite, int | None]] = {}
        for state, cost in states.items():
            main = state.main
            if main is None:
                continue
            doubtful = main.form is not None and not main.form.is_verb_only
            total = cost + _UNFILLED * state.open + (_DOUBTFUL if doubtful else 0.0)
            if total < readings.get(main.index, (90.0, main, None))[0]:
                readings[main.index] = total, main, state.second
        ranked = sorted(readings.values(), key=lambda reading: reading[0])
        if not ranked:
            return None
        (cost, main, second), *others = ranked
        if main.kind == "lexical" and main.cost > _UNLIKELY:
            return None
        rival = others[0][1].index if others and others[0][0] - cost < _MARGIN else None
        return Main(main, rival, second)


def find_main(reader: VerbReader) -> Main | None:
    """Return the main clause of a sentence, or None if no finite verb is likely."""
    return _ClauseParser(reader).parse()


# Questions, with the subject after the finite verb, and demands, without a subject.

_MAX_SUBJECT = 12


def question(reader: VerbReader, main: Main | None) -> NegationSite | None:
    """Negate a question, or undo its negation; None if it is not a question."""
    if reader.tokens[-1].low != "?":
        return None
    if reader.low(0) in words("question_words") or reader.low(1) in words("question_words"):
        return abstain("question")
    if main is None or main.finite.index != 0 or main.finite.kind == "lexical":
        return None
    token = reader.tokens[0]
    if token.low.endswith("n't"):
        return NegationSite("undone", token.text, (substitute(token, strip_negation(token.low)),))
    end = _subject_end(reader, main)
    if end is None:
        return abstain("question")
    if reader.low(end + 1) == "not":
        return NegationSite("undone", "not", tuple(remove(reader.tokens, end + 1, end + 1)))
    return NegationSite("question", token.text, (insert(reader.tokens[end].end, " not"),))


def _subject_end(reader: VerbReader, main: Main) -> int | None:
    """Return the index of the subject's last word, or None if unclear."""
    if reader.low(1) in words("subject_pronouns") and reader.low(1) not in words("determiners"):
        return 1
    limit = min(_MAX_SUBJECT, len(reader.tokens))
    for index in range(2, limit):
        if reader.low(index) == "not":
            return index - 1
    if main.finite.kind not in ("modal", "do"):
        return None
    unsure: list[int] = []
    for index in range(2, limit):
        low, previous, following = reader.low(index), reader.low(index - 1), reader.low(index + 1)
        if not reader.tokens[index - 1].is_word or previous in closed_class_words():
            continue
        form = VerbForm(low, "base", True) if low in ("be", "have") else verb_form(low)
        if form is None or form.form != "base":
            continue
        if form.is_verb_only or following in words("determiners", "prepositions"):
            return index - 1
        unsure.append(index - 1)
    return unsure[0] if len(unsure) == 1 else None


def imperative(reader: VerbReader, main: Main | None) -> NegationSite | None:
    """Negate a demand such as "Abolish the tax."; None if it is not one."""
    start = 1 if reader.low(0) == "please" else 0
    if start >= len(reader.tokens):
        return None
    first, following = reader.tokens[start], reader.low(start + 1)
    if first.low in ("don't", "never") or (first.low, following) == ("do", "not"):
        last = start + (first.low == "do")
        verb = reader.low(last + 1)
        if not is_verb(verb) and verb not in ("be", "have", "let"):
            return None
        return NegationSite("undone", first.text, tuple(remove(reader.tokens, start, last)))
    if main is not None and main.finite.kind != "lexical":
        return None
    if first.low == "let's" or (first.low, following) == ("let", "us"):
        last = start + (first.low == "let")
        return NegationSite("imperative", first.text, (insert(reader.tokens[last].end, " not"),))
    if not _demands(reader, start):
        return None
    return NegationSite("imperative", first.text, (substitute(first, f"do not {first.low}"),))


def _demands(reader: VerbReader, start: int) -> bool:
    """Whether a sentence begins with the base form of a verb, not with a noun as in "Tax cuts"."""
    first, following = reader.low(start), reader.low(start + 1)
    form = verb_form(first)
    if first in ("be", "do", "have") and following.isalpha() and following not in words("subject_pronouns"):
        return True
    if form is None or form.form != "base" or not following.isalpha():
        return False
    if following in words("determiners", "object_pronouns"):
        return True
    if following in closed_class_words() and following != "more":
        return form.is_verb_only and following not in ("of", "is", "are", "for")
    return form.is_verb_only or first in words("imperatives")
