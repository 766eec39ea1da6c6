"""Items about some, many or two of a class, with answers that follow from how they were made.

A sentence is made from a logical form: a quantifier over the members of a class, an operator and negations in
their order on the surface, one or two such clauses. The answer is found by going through all small models: up
to four members, what each of them does in each of up to three alternatives. It shares no code with the auditor.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations_with_replacement, product

# A model: for each alternative the members of whom the action is true, as bits, and how many members there are.
Model = tuple[tuple[int, ...], int]
MEMBERS, ALTERNATIVES = 4, 3


@cache
def models() -> tuple[Model, ...]:
    """Return all models: what members do in up to three alternatives, of which order does not matter."""
    return tuple(
        (worlds, members)
        for members in range(1, MEMBERS + 1)
        for size in range(1, ALTERNATIVES + 1)
        for worlds in product(range(1 << members), repeat=size)
        if list(worlds) == sorted(worlds)
    )


@dataclass(frozen=True)
class Quantifier:
    """A quantifier with its words.

    Attributes:
        english: the noun phrase; ``{s}`` and ``{p}`` are the noun in the singular and the plural.
        german: likewise.
        plural: whether the verb is in the plural, in English and in German.
        holds: whether it holds of so many of so many members.
    """

    english: str
    german: str
    plural: tuple[bool, bool]
    holds: Callable[[int, int], bool]


def _q(english: str, german: str, number: str, holds: Callable[[int, int], bool]) -> Quantifier:
    return Quantifier(english, german, (number[0] == "p", number[1] == "p"), holds)


QUANTIFIERS = (
    _q("some {p}", "einige {p}", "pp", lambda n, of: n >= 1),
    _q("some {p}", "manche {p}", "pp", lambda n, of: n >= 1),
    _q("some {s}", "irgendein {s}", "ss", lambda n, of: n >= 1),
    _q("someone", "jemand", "ss", lambda n, of: n >= 1),
    _q("somebody", "irgendjemand", "ss", lambda n, of: n >= 1),
    _q("some of the {p}", "einige der {g}", "pp", lambda n, of: n >= 1),
    _q("at least one {s}", "mindestens ein {s}", "ss", lambda n, of: n >= 1),
    _q("at least one of the {p}", "wenigstens einer der {g}", "ss", lambda n, of: n >= 1),
    _q("one of the {p}", "einer der {g}", "ss", lambda n, of: n >= 1),
    _q("a certain {s}", "ein gewisser {s}", "ss", lambda n, of: n >= 1),
    _q("a {s}", "ein {s}", "ss", lambda n, of: n >= 1),
    _q("several {p}", "mehrere {p}", "pp", lambda n, of: n >= 2),
    _q("a few {p}", "ein paar {p}", "pp", lambda n, of: n >= 2),
    _q("two {p}", "zwei {p}", "pp", lambda n, of: n >= 2),
    _q("three {p}", "drei {p}", "pp", lambda n, of: n >= 3),
    _q("2 {p}", "2 {p}", "pp", lambda n, of: n >= 2),
    _q("at least two {p}", "mindestens zwei {p}", "pp", lambda n, of: n >= 2),
    _q("more than one {s}", "mehr als ein {s}", "ss", lambda n, of: n > 1),
    _q("more than 2 {p}", "mehr als 2 {p}", "pp", lambda n, of: n > 2),
    _q("at most two {p}", "höchstens zwei {p}", "pp", lambda n, of: n <= 2),
    _q("fewer than three {p}", "weniger als drei {p}", "pp", lambda n, of: n < 3),
    _q("exactly one {s}", "genau ein {s}", "ss", lambda n, of: n == 1),
    _q("many {p}", "viele {p}", "pp", lambda n, of: n >= 2),
    _q("few {p}", "wenige {p}", "pp", lambda n, of: n <= 1),
    _q("most {p}", "die meisten {p}", "pp", lambda n, of: 2 * n > of),
    _q("half of the {p}", "die Hälfte der {g}", "ps", lambda n, of: 2 * n >= of),
    _q("a number of {p}", "eine Reihe von {d}", "ps", lambda n, of: n >= 2),
    _q("every {s}", "jeder {s}", "ss", lambda n, of: n == of),
    _q("all {p}", "alle {p}", "pp", lambda n, of: n == of),
    _q("each of the {p}", "jeder der {g}", "ss", lambda n, of: n == of),
    _q("everyone", "jeder", "ss", lambda n, of: n == of),
    _q("no {s}", "kein {s}", "ss", lambda n, of: n == 0),
    _q("none of the {p}", "keiner der {g}", "ps", lambda n, of: n == 0),
    _q("nobody", "niemand", "ss", lambda n, of: n == 0),
    _q("not every {s}", "nicht jeder {s}", "ss", lambda n, of: n < of),
    _q("not all {p}", "nicht alle {p}", "pp", lambda n, of: n < of),
    _q("{p}", "{p}", "pp", lambda n, of: n == of),
)

# Nouns: English singular and plural; German singular, plural, genitive plural, dative plural.
NOUNS = (
    ("driver", "drivers", "Fahrer", "Fahrer", "Fahrer", "Fahrern"),
    ("minister", "ministers", "Minister", "Minister", "Minister", "Ministern"),
    ("guard", "guards", "Wächter", "Wächter", "Wächter", "Wächtern"),
    ("baker", "bakers", "Bäcker", "Bäcker", "Bäcker", "Bäckern"),
    ("member of the club", "members of the club", "Teilnehmer", "Teilnehmer", "Teilnehmer", "Teilnehmern"),
    ("student", "students", "Schüler", "Schüler", "Schüler", "Schülern"),
)
# Verb phrases: English; German what precedes the infinitive, the infinitive, "negated" is nicht before that.
ACTIONS = (
    ("park here", "hier", "parken"),
    ("leave", "", "gehen"),
    ("sign the list", "die Liste", "unterschreiben"),
    ("stay at home", "zu Hause", "bleiben"),
    ("sleep", "", "schlafen"),
)


@dataclass(frozen=True)
class Verb:
    """An operator of the verb group with its negations: English in the singular and plural, German."""

    english: tuple[str, str]
    german: tuple[str, str, bool]
    holds: Callable[[Sequence[bool]], bool]


DEONTIC = (
    Verb(("must", "must"), ("muss", "müssen", False), all),
    Verb(("may", "may"), ("darf", "dürfen", False), any),
    Verb(("must not", "must not"), ("darf", "dürfen", True), lambda done: not any(done)),
    Verb(("need not", "need not"), ("muss", "müssen", True), lambda done: not all(done)),
    Verb(("is required to", "are required to"), ("muss", "müssen", False), all),
    Verb(("is allowed to", "are allowed to"), ("darf", "dürfen", False), any),
    Verb(("is not allowed to", "are not allowed to"), ("darf", "dürfen", True), lambda done: not any(done)),
    Verb(("does not have to", "do not have to"), ("muss", "müssen", True), lambda done: not all(done)),
)
EPISTEMIC = (
    Verb(("might", "might"), ("könnte", "könnten", False), any),
    Verb(("will certainly", "will certainly"), ("wird bestimmt", "werden bestimmt", False), all),
)
OUTSIDE = (  # operators before the clause: English, German, whether all alternatives count, whether denied
    ("It is certain that", "Es ist sicher, dass", True, False),
    ("It is possible that", "Es ist möglich, dass", False, False),
    ("It is not certain that", "Es ist nicht sicher, dass", True, True),
    ("It is not possible that", "Es ist nicht möglich, dass", False, True),
)
DENIALS = (
    ("It is not the case that", "Es ist nicht der Fall, dass"),
    ("It is not true that", "Es ist nicht wahr, dass"),
)


@dataclass(frozen=True)
class Sentence:
    """A sentence in both languages, and in which models it is true."""

    english: str
    german: str
    true: frozenset[int]


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


@cache
def _inside(quantifier: Quantifier, verb: Verb) -> frozenset[int]:
    """Return the models where so many members stand under an operator of the verb group."""
    return frozenset(
        place
        for place, (worlds, members) in enumerate(models())
        if quantifier.holds(
            sum(verb.holds([bool(world >> one & 1) for world in worlds]) for one in range(members)), members
        )
    )


@cache
def _outside(quantifier: Quantifier, necessary: bool, negated: bool) -> frozenset[int]:
    """Return the models where it is certain, or possible, that so many do something, or do not."""

    def count(world: int, members: int) -> int:
        done = world.bit_count()
        return members - done if negated else done

    return frozenset(
        place
        for place, (worlds, members) in enumerate(models())
        if (all if necessary else any)(quantifier.holds(count(world, members), members) for world in worlds)
    )


def _clause(
    rng: random.Random, quantifier: Quantifier, noun: Sequence[str], action: Sequence[str], epistemic: bool
) -> tuple[str, str, str, frozenset[int]]:
    """Return a clause: English, German as main and as subordinate clause, and where it is true."""
    singular, plural, one, several, genitive, dative = noun
    english = quantifier.english.format(s=singular, p=plural)
    german = quantifier.german.format(s=one, p=several, g=genitive, d=dative)
    verb = rng.choice(EPISTEMIC if epistemic else DEONTIC)
    finite = verb.german[quantifier.plural[1]]
    before = " ".join(part for part in (action[1], "nicht" if verb.german[2] else "", action[2]) if part)
    return (
        f"{english} {verb.english[quantifier.plural[0]]} {action[0]}",
        f"{german} {finite} {before}",
        f"{german} {before} {finite}",
        _inside(quantifier, verb),
    )


def _sentence(
    rng: random.Random, quantifier: Quantifier, noun: Sequence[str], action: Sequence[str], epistemic: bool
) -> Sentence:
    """Return a sentence: a clause, or one after an operator or a denial."""
    everything = frozenset(range(len(models())))
    if epistemic and rng.random() < 0.7:
        english, german, necessary, denied = rng.choice(OUTSIDE)
        negated = rng.random() < 0.4
        noun_phrase = quantifier.english.format(s=noun[0], p=noun[1])
        subject = quantifier.german.format(s=noun[2], p=noun[3], g=noun[4], d=noun[5])
        finite = ("wird", "werden")[quantifier.plural[1]]
        words = " ".join(part for part in (action[1], "nicht" if negated else "", action[2]) if part)
        true = _outside(quantifier, necessary, negated)
        return Sentence(
            f"{english} {noun_phrase} will {'not ' if negated else ''}{action[0]}.",
            f"{german} {subject} {words} {finite}.",
            everything - true if denied else true,
        )
    english, main, subordinate, true = _clause(rng, quantifier, noun, action, epistemic)
    if rng.random() < 0.4:
        denial = rng.choice(DENIALS)
        return Sentence(f"{denial[0]} {english}.", f"{denial[1]} {subordinate}.", everything - true)
    if rng.random() < 0.15:
        other = _clause(rng, quantifier, noun, action, epistemic)
        joint = rng.choice((("and", "und"), ("or", "oder")))
        return Sentence(
            f"{_capital(english)} {joint[0]} {other[0]}.",
            f"{_capital(main)} {joint[1]} {other[1]}.",
            true & other[3] if joint[0] == "and" else true | other[3],
        )
    return Sentence(f"{_capital(english)}.", f"{_capital(main)}.", true)


def items(seed: int, number: int) -> Iterator[tuple[Sentence, Sentence, bool, str]]:
    """Yield premise, hypothesis, whether it follows, and the domain."""
    rng = random.Random(seed)
    while number:
        noun, action, epistemic = rng.choice(NOUNS), rng.choice(ACTIONS), rng.random() < 0.35
        first = rng.choice(QUANTIFIERS)
        # Whether "everyone" speaks of the members only cannot be told beside another noun phrase.
        alike = [one for one in QUANTIFIERS if ("{" in one.english) == ("{" in first.english)]
        second = first if rng.random() < 0.5 else rng.choice(alike)
        premise, hypothesis = (_sentence(rng, one, noun, action, epistemic) for one in (first, second))
        kind = rng.random()
        if kind < 0.12:
            other = _sentence(rng, rng.choice(alike), noun, action, epistemic)
            premise = Sentence(
                f"{premise.english} {other.english}",
                f"{premise.german} {other.german}",
                premise.true & other.true,
            )
        elif kind < 0.24:
            rain = "If it rains, " + premise.english[0].lower() + premise.english[1:]
            premise = replace(premise, english=f"{rain} It rains.", german=f"Es regnet. {premise.german}")
        if premise.true and premise.english != hypothesis.english:
            number -= 1
            yield (
                premise,
                hypothesis,
                premise.true <= hypothesis.true,
                "epistemic" if epistemic else "deontic",
            )


# Controls: nothing is counted, so that the auditor has to decide them.

ONE = _q("", "", "ss", lambda n, of: n == of)
NAMES = (("Anna", "Anna"), ("Bruno", "Bruno"), ("the mayor", "der Bürgermeister"))


def controls(seed: int, number: int) -> Iterator[tuple[Sentence, Sentence, bool, str]]:
    """Yield premise, hypothesis, whether it follows, and the domain, about one individual."""
    rng = random.Random(seed)
    one = {place for place, (_, members) in enumerate(models()) if members == 1}
    while number:
        name, action, epistemic = rng.choice(NAMES), rng.choice(ACTIONS), rng.random() < 0.35
        single = Quantifier(name[0], name[1], (False, False), ONE.holds)
        premise, hypothesis = (_sentence(rng, single, NOUNS[0], action, epistemic) for _ in range(2))
        if premise.true & one and premise.english != hypothesis.english:
            number -= 1
            follows = premise.true & one <= hypothesis.true
            yield premise, hypothesis, follows, "epistemic" if epistemic else "deontic"


# Syllogisms about two classes: what every individual is, and whether it must, need not and must not, or must not.

_Individual = tuple[bool, bool, str]
_KINDS: tuple[_Individual, ...] = tuple(product((True, False), (True, False), ("must", "free", "must not")))
_CLASSES = (
    ("baker", "bakers", "singer", "singers", "Bäcker", "Bäcker", "Sänger", "Sänger"),
    ("guest", "guests", "dancer", "dancers", "Mieter", "Mieter", "Spieler", "Spieler"),
)
_COUNTS = (
    ("Some", "Einige", lambda n, of: n >= 1),
    ("At least one of the", "Wenigstens einer der", lambda n, of: n >= 1),
    ("Two", "Zwei", lambda n, of: n >= 2),
    ("Several", "Mehrere", lambda n, of: n >= 2),
    ("Most", "Die meisten", lambda n, of: 2 * n > of),
    ("All", "Alle", lambda n, of: n == of),
    ("No", "Keine", lambda n, of: n == 0),
)
_DUTIES = (
    ("must sign the list", "müssen die Liste unterschreiben", ("must",)),
    ("may sign the list", "dürfen die Liste unterschreiben", ("must", "free")),
    ("must not sign the list", "dürfen die Liste nicht unterschreiben", ("must not",)),
    ("need not sign the list", "müssen die Liste nicht unterschreiben", ("free", "must not")),
)


@cache
def _groups() -> tuple[tuple[_Individual, ...], ...]:
    """Return all groups of up to four individuals of which some are of each class."""
    groups = (group for size in range(1, 5) for group in combinations_with_replacement(_KINDS, size))
    return tuple(group for group in groups if any(one[0] for one in group) and any(one[1] for one in group))


def syllogisms(seed: int, number: int) -> Iterator[tuple[Sentence, Sentence, bool, str]]:
    """Yield premises, hypothesis, whether it follows, and the domain."""
    rng = random.Random(seed)
    while number:
        names = rng.choice(_CLASSES)
        sentences = [_of_classes(rng, names, place) for place in (rng.randrange(2), 2, rng.randrange(2))]
        rng.shuffle(sentences)
        *premises, hypothesis = sentences
        true = premises[0].true & premises[1].true
        if true:
            number -= 1
            english, german = (" ".join(getattr(one, to) for one in premises) for to in ("english", "german"))
            yield Sentence(english, german, true), hypothesis, true <= hypothesis.true, "deontic"


def _of_classes(rng: random.Random, names: Sequence[str], place: int) -> Sentence:
    """Return what so many of a class must or may do (0, 1), or that so many of the first are of the second (2)."""
    english, german, holds = rng.choice(_COUNTS)
    about = place % 2
    if place == 2:
        end, ende, fits = f"are {names[3]}", f"sind {names[7]}", lambda one: one[1]
    else:
        end, ende, statuses = rng.choice(_DUTIES)
        fits = lambda one: one[2] in statuses  # noqa: E731
    true = frozenset(
        at
        for at, group in enumerate(_groups())
        if holds(sum(one[about] and fits(one) for one in group), sum(one[about] for one in group))
    )
    return Sentence(
        f"{english} {names[1 + 2 * about]} {end}.", f"{german} {names[5 + 2 * about]} {ende}.", true
    )
