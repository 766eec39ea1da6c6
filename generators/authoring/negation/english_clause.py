"""The finite verb of the main clause, found by counting clauses that are open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from polbias.generators.authoring.negation.english_verbs import Finite, Reader
from polbias.generators.authoring.negation.english_words import is_participle, words

# Costs beside those of english_evidence.py: of an opener that no verb follows, and of a second main verb
# behind a comma, without one, and one that is lexical.
_UNFILLED, _SPLICE, _LOOSE, _LEXICAL = 2.0, 1.0, 2.5, 4.0
# What a pipeline's parser costs a main verb that is not the root of its sentence.
_NOT_ROOT = 1.0
# The smallest lead of the best reading, the highest cost of a main verb, and what a possible noun costs more.
_MARGIN, _UNLIKELY, _DOUBTFUL = 0.35, 1.4, 0.6
_INVERTED = frozenset({"should", "were", "had"})


@dataclass(frozen=True)
class Main:
    """The main clause.

    Attributes:
        finite: its finite verb.
        rival: index of another word that is nearly as likely its finite verb, or None.
        second: index of the finite verb of a further main clause or predicate, or None.
    """

    finite: Finite
    rival: int | None
    second: int | None


@dataclass(frozen=True)
class _State:
    """How the sentence is read so far: clauses open, and what has been found."""

    open: int = 0
    main: Finite | None = None
    second: int | None = None
    sub: bool = False


class _Parser:
    """Reads a sentence from left to right and keeps the cheapest way to each state.

    Every opener ("if", "who", "that") waits for a finite verb of its own, and the first finite verb that none
    waits for is that of the main clause. What may or may not be an opener or a verb is tried both ways.
    """

    def __init__(self, reader: Reader) -> None:
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
            options = self._verb(state, finite) if finite else self._open(state, opening or (0.0, 0.0))
            for after, extra in options:
                if cost + extra < following.get(after, 90.0):
                    following[after] = cost + extra
        if finite:
            self.last = index
        # A sentence of many ambiguous words must not take long: the best readings are enough.
        return dict(sorted(following.items(), key=lambda item: item[1])[:12])

    def _open(self, state: _State, opening: tuple[float, float]) -> Iterator[tuple[_State, float]]:
        yield replace(state, open=state.open + 1), opening[0]
        yield state, opening[1]

    def _verb(self, state: _State, finite: Finite) -> Iterator[tuple[_State, float]]:
        if finite.skip < 90:
            yield state, finite.skip
        index, cost = finite.index, finite.cost
        if index == 0 and self.reader.low(0) in _INVERTED and self.tokens[-1].low != "?":
            yield replace(state, open=1), 0.3  # "Should the crisis continue, ..."
        coordinated = self.last >= 0 and self.coordinator > self.last
        if state.open:
            yield replace(state, open=state.open - 1, sub=True), cost
            if state.sub and coordinated:
                yield state, cost + 0.8
        elif state.main is None:
            yield replace(state, main=finite, sub=False), cost + self._uncommon(index) + self._beside(index)
            if state.sub and coordinated:
                yield state, cost + 0.8
        else:
            if state.sub and coordinated:
                yield state, cost + (0.1 if self.coordinator > self.comma else 0.5)
            second = state.second if state.second is not None else index
            likely = 0.3 if coordinated else _SPLICE if self.comma > self.last else _LOOSE
            if not coordinated and finite.kind == "lexical":
                likely = _LEXICAL
            if self._bare(state.main, finite):
                return
            yield replace(state, second=second, sub=False), cost + likely

    def _bare(self, main: Finite, finite: Finite) -> bool:
        """Say whether a base form behind a modal is its second infinitive: "should leave A and join B"."""
        form = finite.form
        return form is not None and form.form == "base" and main.kind in ("modal", "do")

    def _uncommon(self, index: int) -> float:
        """Return the cost of a main verb that no comma divides from a clause at the beginning."""
        first = self.reader.low(0)
        fronted = first in words("openers") and first not in words("subject_openers")
        return 1.5 if fronted and self.comma < 0 else 0.0

    def _beside(self, index: int) -> float:
        """Return the cost of a main verb that a parser does not take for the root."""
        roots = [word.root for word in self.tokens[index].tags]
        return _NOT_ROOT if False in roots and True not in roots else 0.0

    def _opener(self, index: int) -> tuple[float, float] | None:
        """Return the costs of a clause that begins here, and of none."""
        low, previous, following = (self.reader.low(at) for at in (index, index - 1, index + 1))
        if low == "that":
            if not previous or previous in words("prepositions") or previous in words("coordinators"):
                return (0.0, 0.5) if previous in words("coordinators") else (1.2, 0.0)
            return 0.0, 1.0
        if low in ("what", "whatever", "which", "whichever", "how") and following in (
            "extent",
            "many",
            "much",
        ):
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
        subject = low in ("the", "we", "they", "he", "she", "i", "you") and previous.isalpha()
        closes = previous in words("prepositions") or previous in words("determiners")
        return (0.9, 0.0) if index and subject and not closes else None

    def _best(self, states: dict[_State, float]) -> Main | None:
        costs: dict[int, tuple[float, _State]] = {}
        for state, cost in states.items():
            if state.main is None:
                continue
            doubtful = state.main.form is not None and not state.main.form.only
            total = cost + _UNFILLED * state.open + (_DOUBTFUL if doubtful else 0.0)
            if total < costs.get(state.main.index, (90.0, state))[0]:
                costs[state.main.index] = (total, state)
        ranked = sorted(costs.values(), key=lambda item: item[0])
        if not ranked:
            return None
        cost, state = ranked[0]
        if state.main is None or (state.main.kind == "lexical" and state.main.cost > _UNLIKELY):
            return None
        rival = ranked[1][1].main if len(ranked) > 1 and ranked[1][0] - cost < _MARGIN else None
        return Main(state.main, rival.index if rival else None, state.second)


def find_main(reader: Reader) -> Main | None:
    """Return the main clause of a sentence, or None where no finite verb is likely.

    Args:
        reader: of the sentence's tokens.
    """
    return _Parser(reader).parse()
