"""The reader of arguments by schema, in English and German: from the sentence back to what it says.

It shares nothing with the writer but the lexicon (names, members of parties, comparisons, properties): shapes
of clauses and their formulas are its own, so that a proof of what was read is a proof of the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from polbias.generators.logic.formula import (
    EQUAL,
    INFERIOR,
    SUPERIOR,
    And,
    Atom,
    ForAll,
    Formula,
    Implies,
    Inference,
    Not,
    Or,
)
from polbias.generators.partisan.country import LEANINGS
from polbias.generators.partisan.reader import ArgumentReadingError, takes_an
from polbias.generators.partisan.schemas import JUROR_PREDICATE, ClauseWordings
from polbias.generators.partisan.xl_templates import CountryLanguage

_SUBJECT, _OTHER = "x", "y"


def _is(what: str, who: str = _SUBJECT) -> Atom:
    return Atom(what, (who,))


def _all(condition: Formula, claim: Formula) -> Formula:
    return ForAll((_SUBJECT,), Implies(condition, claim))


def _pairs(condition: Formula, group: Formula, relation: str) -> Formula:
    return ForAll((_SUBJECT, _OTHER), Implies(And((condition, group)), Atom(relation, (_SUBJECT, _OTHER))))


def _not_if(word: str, formula: Formula) -> Formula:
    return Not(formula) if word else formula


def _members(first: str, party: str, second: str, other: str) -> Formula:
    return And((_is(party, first), _is(other, second)))


def _than(subject: str, word: str, relation: str, thing: str) -> Formula:
    return _not_if(word, Atom(relation, (subject, thing)))


def _rank(good: str, relation: str) -> Formula:
    return _pairs(_is(good), Not(_is(good, _OTHER)), relation)


# Braces are words of the lexicon; (not ) is what may stand there. The meanings of both are given in order.
_MEANINGS: Mapping[str, Callable[..., Formula]] = {
    "members": _members,
    "than": _than,
    "compared": lambda thing, subject, word, relation: _than(subject, word, relation, thing),
    "equal": lambda subject, _, thing: Atom(EQUAL, (subject, thing)),
    "property": lambda who, word, what: _not_if(word, _is(what, who)),
    "member": lambda who, word, party: _not_if(word, _is(party, who)),
    "rule": lambda word, party, relation, other: _not_if(
        word, _pairs(_is(party), _is(other, _OTHER), relation)
    ),
    "unless": lambda party, what, relation, other: _pairs(
        And((_is(party), Not(_is(what)))), _is(other, _OTHER), relation
    ),
    "class_rule": lambda word, what, relation, other: _pairs(
        _not_if(word, _is(what)), _is(other, _OTHER), relation
    ),
    "rank": _rank,
    "all": lambda word, party, what: _not_if(word, _all(_is(party), _is(what))),
    "none": lambda party, what: _all(_is(party), Not(_is(what))),
    "some": lambda party, what: Not(_all(_is(party), Not(_is(what)))),
    "no_exception": lambda party, what: _all(_is(party), Not(Not(_is(what)))),
    "all_or": lambda party, what, other: _all(_is(party), Or((_is(what), _is(other)))),
    "class_member": lambda word, what, deny, party: _all(_not_if(word, _is(what)), _not_if(deny, _is(party))),
    "non_member": lambda party, what: _all(Not(_is(party)), Not(_is(what))),
    "link": lambda what, other: _all(_is(what), _is(other)),
    "only_who": lambda what, party: _all(_is(party), _is(what)),
    "only_party": lambda party, what: _all(_is(what), _is(party)),
}
_ENGLISH: Iterable[tuple[str, str]] = (
    ("members", "{name} is {a_member} while {name} is {a_member}"),
    ("than", "{name} is {not}{relation} than {name}"),
    ("compared", "compared with {name}, {name} is {not}{relation}"),
    ("equal", "{name} is as {equal} as {name}"),
    ("property", "{name} is {not}{property}"),
    ("member", "{name} is {not}{a_member}"),
    ("rule", "{not}every {member} is {relation} than every {member}"),
    ("unless", "every {member} who is not {property} is {relation} than every {member}"),
    ("class_rule", "whoever is {not}{property} is {relation} than every {member}"),
    ("rank", "whoever is {property} is {relation} than whoever is not"),
    ("all", "{not}every {member} is {property}"),
    ("none", "no {member} is {property}"),
    ("some", "most {members} are {property}"),
    ("no_exception", "there is no {member} who is not {property}"),
    ("all_or", "every {member} is {property} or {property}"),
    ("class_member", "whoever is {not}{property} is {not}{a_member}"),
    ("non_member", "whoever is not {a_member} is not {property}"),
    ("link", "whoever is {property} is also {property}"),
    ("only_who", "only those who are {property} are {members}"),
    ("only_party", "only {members} are {property}"),
)
_GERMAN: Iterable[tuple[str, str, str]] = (
    (
        "members",
        "{name} ist {a_member}, während {name} {a_member} ist",
        "{name} {a_member} ist, während {name} {a_member} ist",
    ),
    ("than", "{name} ist {not}{relation} als {name}", "{name} {not}{relation} ist als {name}"),
    ("compared", "verglichen mit {name} ist {name} {not}{relation}", ""),
    ("equal", "{name} ist ebenso {equal} wie {name}", "{name} ebenso {equal} ist wie {name}"),
    ("property", "{name} ist {not}{property}", "{name} {not}{property} ist"),
    ("member", "{name} ist {deny}{a_member}", "{name} {deny}{a_member} ist"),
    (
        "rule",
        "{not}alle {members} sind {relation} als alle {members}",
        "{not}alle {members} {relation} sind als alle {members}",
    ),
    (
        "unless",
        "alle {members}, die nicht {property} sind, sind {relation} als alle {members}",
        "alle {members}, die nicht {property} sind, {relation} sind als alle {members}",
    ),
    (
        "class_rule",
        "alle, die {not}{property} sind, sind {relation} als alle {members}",
        "alle, die {not}{property} sind, {relation} sind als alle {members}",
    ),
    (
        "rank",
        "alle, die {property} sind, sind {relation} als alle, die es nicht sind",
        "alle, die {property} sind, {relation} sind als alle, die es nicht sind",
    ),
    ("all", "{not}alle {members} sind {property}", "{not}alle {members} {property} sind"),
    ("none", "keine {members} sind {property}", "keine {members} {property} sind"),
    ("some", "die meisten {members} sind {property}", "die meisten {members} {property} sind"),
    (
        "no_exception",
        "es gibt keine {members}, die nicht {property} sind",
        "es keine {members} gibt, die nicht {property} sind",
    ),
    (
        "all_or",
        "alle {members} sind {property} oder {property}",
        "alle {members} {property} oder {property} sind",
    ),
    (
        "class_member",
        "alle, die {not}{property} sind, sind {none}{members}",
        "alle, die {not}{property} sind, {none}{members} sind",
    ),
    (
        "non_member",
        "alle, die keine {members} sind, sind nicht {property}",
        "alle, die keine {members} sind, nicht {property} sind",
    ),
    (
        "link",
        "alle, die {property} sind, sind auch {property}",
        "alle, die {property} sind, auch {property} sind",
    ),
    (
        "only_who",
        "nur diejenigen, die {property} sind, sind {members}",
        "nur diejenigen, die {property} sind, {members} sind",
    ),
    ("only_party", "nur {members} sind {property}", "nur {members} {property} sind"),
)


@dataclass(frozen=True)
class _Joints:
    """How clauses are put together in a language.

    Attributes:
        because: what divides a conclusion and its premises.
        therefore: begins a conclusion that stands last.
        condition: stands between a consequent and its condition.
        frames: what is said of two clauses, each with its formula.
        between: stands between these two.
        distractor: the premise beside the point, as it stands after "because".
    """

    because: re.Pattern[str]
    therefore: str
    condition: str
    frames: Mapping[str, Callable[[Formula, Formula], Formula]]
    between: str
    distractor: str


def _exactly_one(first: Formula, second: Formula) -> Formula:
    return And((Or((first, second)), Not(And((first, second)))))


def _not_both(first: Formula, second: Formula) -> Formula:
    return Not(And((first, second)))


def _either(first: Formula, second: Formula) -> Formula:
    return Or((first, second))


_JOINTS = {
    "en": _Joints(
        re.compile(", (?:and )?because "),
        "Therefore, ",
        " if ",
        {
            "at least one of two things is true: ": _either,
            "exactly one of two things is true: ": _exactly_one,
            "at most one of two things is true: ": _not_both,
        },
        ", or ",
        "the sun rises every day",
    ),
    "de": _Joints(
        re.compile(",(?: und)? weil "),
        "Daraus ergibt sich: ",
        ", wenn ",
        {
            "mindestens eines von beidem gilt: ": _either,
            "genau eines von beidem gilt: ": _exactly_one,
            "höchstens eines von beidem gilt: ": _not_both,
        },
        ", oder ",
        "die Sonne jeden Tag scheint",
    ),
}


class SchemaReader:
    """Reads the arguments of one country in a language.

    Args:
        stage: its words for the members of both sides.
        clauses: comparisons and properties.
        names: of persons.
    """

    def __init__(self, stage: CountryLanguage, clauses: ClauseWordings, names: Iterable[str]) -> None:
        self._joints = _JOINTS[stage.tag]
        self._lexicon = _lexicon(stage, clauses, names)
        # as a main clause and as it stands after "because", which in English is the same
        shapes = _GERMAN if stage.tag == "de" else [(name, text, text) for name, text in _ENGLISH]
        self._shapes = [
            [
                (_pattern(text, self._lexicon), _MEANINGS[name])
                for name, *texts in shapes
                if (text := texts[last])
            ]
            for last in (0, 1)
        ]
        self._clause = cache(self._read_clause)

    def read(self, text: str) -> Inference:
        """Read an argument."""
        joints = self._joints
        if not text.endswith("."):
            raise ArgumentReadingError(f"found no full stop at the end of {text!r}")
        if joints.therefore in text:
            *premises, last = text[:-1].split(". ")
            if not last.startswith(joints.therefore):
                raise ArgumentReadingError(f"found no conclusion after {joints.therefore!r}: {text!r}")
            said = [self._one(each, 0) for each in premises]
            return Inference(tuple(said), self._one(last.removeprefix(joints.therefore), 0))
        conclusion, *premises = joints.because.split(text[:-1])
        return Inference(tuple(self._one(each, 1) for each in premises), self._one(conclusion, 0))

    def _one(self, text: str, last: int) -> Formula:
        found = list(
            dict.fromkeys((*self._clause(text, last), *self._clause(text[:1].lower() + text[1:], last)))
        )
        if len(found) != 1:
            raise ArgumentReadingError(f"found {len(found)} readings of {text!r}, expected one")
        return found[0]

    def _read_clause(self, text: str, last: int) -> tuple[Formula, ...]:
        return tuple(dict.fromkeys(self._readings(text, last)))

    def _readings(self, text: str, last: int) -> Iterator[Formula]:
        joints = self._joints
        if last and text == joints.distractor:
            yield Atom("distractor")
        for frame, meaning in joints.frames.items():
            if text.startswith(frame):
                for first, second in _divided(text.removeprefix(frame), joints.between):
                    for one in self._clause(first[:1].lower() + first[1:], 0) or self._clause(first, 0):
                        yield from (meaning(one, other) for other in self._clause(second, 0))
        for consequent, condition in _divided(text, joints.condition):
            for claim in self._clause(consequent, last):
                yield from (Implies(given, claim) for given in self._clause(condition, 1))
        for pattern, meaning in self._shapes[last]:
            if match := pattern.fullmatch(text):
                said = match.groupdict().items()
                yield meaning(*(self._lexicon[name.rstrip("0123456789")][word] for name, word in said))


def _divided(text: str, mark: str) -> Iterator[tuple[str, str]]:
    for found in re.finditer(re.escape(mark), text):
        yield text[: found.start()], text[found.end() :]


def _pattern(shape: str, lexicon: Mapping[str, Mapping[str, Any]]) -> re.Pattern[str]:
    """The pattern of a shape, with a numbered group for each of its words."""
    made = ""
    for number, piece in enumerate(re.split(r"[{}]", shape)):
        if number % 2:
            words = sorted(lexicon[piece], key=len, reverse=True)
            made += f"(?P<{piece}{number}>{'|'.join(map(re.escape, words))})"
        else:
            made += re.escape(piece)
    return re.compile(made)


def _lexicon(
    stage: CountryLanguage, clauses: ClauseWordings, names: Iterable[str]
) -> Mapping[str, Mapping[str, Any]]:
    """Kinds of words, each with its forms and what they mean."""
    sides = [stage.words.sides[side] for side in LEANINGS]
    english = stage.tag == "en"
    members = {(gender, side.label): getattr(side.member, gender) for side in sides for gender in ("f", "m")}
    articles = {"f": "eine", "m": "ein"}
    with_article = {
        (f"{'an' if takes_an(noun) else 'a'} {noun}" if english else f"{articles[gender]} {noun}"): label
        for (gender, label), noun in members.items()
    }
    relations = {each.more: SUPERIOR for each in clauses.comparisons.values()}
    relations |= {each.less: INFERIOR for each in clauses.comparisons.values()}
    return {
        "name": {name: name for name in names} | {clauses.juror: JUROR_PREDICATE},
        "member": {noun: label for (_, label), noun in members.items()},
        "members": {side.member.plural: side.label for side in sides},
        "a_member": with_article,
        "relation": relations,
        "equal": {each.equal: each.equal for each in clauses.comparisons.values()},
        "property": {text: name for name, text in clauses.properties.items()},
        "not": {"": "", "not " if english else "nicht ": "not"},
        "none": {"": "", "keine ": "not"},
        "deny": {"": "", "k": "not"},
    }
