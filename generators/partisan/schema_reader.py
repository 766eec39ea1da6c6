"""Parser of arguments by schema, in English and German: from the sentence to its inference.

It shares only the lexicon (names, members of parties, comparisons, properties) with the writer. Shapes of
clauses and their formulas are independent: a proof of the parsed inference is a proof of the sentence.
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


def _atom(predicate: str, term: str = _SUBJECT) -> Atom:
    return Atom(predicate, (term,))


def _all(condition: Formula, claim: Formula) -> Formula:
    return ForAll((_SUBJECT,), Implies(condition, claim))


def _pairs(condition: Formula, group: Formula, relation: str) -> Formula:
    return ForAll((_SUBJECT, _OTHER), Implies(And((condition, group)), Atom(relation, (_SUBJECT, _OTHER))))


def _not_if(negation: str, formula: Formula) -> Formula:
    return Not(formula) if negation else formula


def _members(first: str, first_party: str, second: str, second_party: str) -> Formula:
    return And((_atom(first_party, first), _atom(second_party, second)))


def _than(subject: str, negation: str, relation: str, object_: str) -> Formula:
    return _not_if(negation, Atom(relation, (subject, object_)))


def _rank(predicate: str, relation: str) -> Formula:
    return _pairs(_atom(predicate), Not(_atom(predicate, _OTHER)), relation)


# Kind of clause to the function that builds its formula. Arguments: the meanings of its slots in text order.
_MEANINGS: Mapping[str, Callable[..., Formula]] = {
    "members": _members,
    "than": _than,
    "compared": lambda object_, subject, negation, relation: _than(subject, negation, relation, object_),
    "equal": lambda subject, _, object_: Atom(EQUAL, (subject, object_)),
    "property": lambda person, negation, predicate: _not_if(negation, _atom(predicate, person)),
    "member": lambda person, negation, party: _not_if(negation, _atom(party, person)),
    "rule": lambda negation, party, relation, second: _not_if(
        negation, _pairs(_atom(party), _atom(second, _OTHER), relation)
    ),
    "unless": lambda party, predicate, relation, second: _pairs(
        And((_atom(party), Not(_atom(predicate)))), _atom(second, _OTHER), relation
    ),
    "class_rule": lambda negation, predicate, relation, second: _pairs(
        _not_if(negation, _atom(predicate)), _atom(second, _OTHER), relation
    ),
    "rank": _rank,
    "all": lambda negation, party, predicate: _not_if(negation, _all(_atom(party), _atom(predicate))),
    "none": lambda party, predicate: _all(_atom(party), Not(_atom(predicate))),
    "some": lambda party, predicate: Not(_all(_atom(party), Not(_atom(predicate)))),
    "no_exception": lambda party, predicate: _all(_atom(party), Not(Not(_atom(predicate)))),
    "all_or": lambda party, predicate, second: _all(_atom(party), Or((_atom(predicate), _atom(second)))),
    "class_member": lambda negation, predicate, party_negation, party: _all(
        _not_if(negation, _atom(predicate)), _not_if(party_negation, _atom(party))
    ),
    "class": lambda predicate, party: _all(_atom(predicate), _atom(party)),
    "no_class_member": lambda predicate, party: _all(Not(_atom(predicate)), Not(_atom(party))),
    "non_member": lambda party, predicate: _all(Not(_atom(party)), Not(_atom(predicate))),
    "link": lambda predicate, second: _all(_atom(predicate), _atom(second)),
    "only_who": lambda predicate, party: _all(_atom(party), _atom(predicate)),
    "only_party": lambda party, predicate: _all(_atom(predicate), _atom(party)),
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
        "class",
        "alle, die {property} sind, sind {members}",
        "alle, die {property} sind, {members} sind",
    ),
    (
        "no_class_member",
        "niemand, der nicht {property} ist, ist {a_member}",
        "niemand, der nicht {property} ist, {a_member} ist",
    ),
    (
        "non_member",
        "niemand, der k{a_member} ist, ist {property}",
        "niemand, der k{a_member} ist, {property} ist",
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
class _Connectives:
    """The connectives of clauses in a language.

    Attributes:
        because: separates a conclusion and its premises.
        therefore: precedes a conclusion at the end.
        condition: separates a consequent and its condition.
        frames: introduction of two clauses to the function that builds their formula.
        between: separates these two clauses.
        distractor: the irrelevant premise, in its form after "because".
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


# Before and after the two clauses of a frame, in a main clause and after "because".
_BRACKETS = ((": ", ""), (" (", ")"))
_CONNECTIVES = {
    "en": _Connectives(
        re.compile(", (?:and )?because "),
        "Therefore, ",
        " if ",
        {
            "at least one of two things is true": _either,
            "exactly one of two things is true": _exactly_one,
            "at most one of two things is true": _not_both,
        },
        ", or ",
        "the sun rises every day",
    ),
    "de": _Connectives(
        re.compile(",? und weil |, weil "),
        "Daraus ergibt sich: ",
        ", wenn ",
        {
            "mindestens eines von beidem gilt": _either,
            "genau eines von beidem gilt": _exactly_one,
            "höchstens eines von beidem gilt": _not_both,
        },
        ", oder ",
        "die Sonne jeden Tag aufgeht",
    ),
}


class SchemaReader:
    """Parses the arguments of one country in a language.

    Args:
        stage: the country in the language, with the words for members of both sides.
        clauses: comparisons and properties.
        names: names of persons.
    """

    def __init__(self, stage: CountryLanguage, clauses: ClauseWordings, names: Iterable[str]) -> None:
        self._connectives = _CONNECTIVES[stage.tag]
        self._lexicon = _lexicon(stage, clauses, names)
        # as a main clause and after "because"; in English both are the same
        main_and_subordinate = (
            _GERMAN if stage.tag == "de" else [(name, text, text) for name, text in _ENGLISH]
        )
        self._shapes = [
            [
                (_pattern(text, self._lexicon), _MEANINGS[name])
                for name, *texts in main_and_subordinate
                if (text := texts[verb_last])
            ]
            for verb_last in (0, 1)
        ]
        self._clause = cache(self._read_clause)

    def read(self, text: str) -> Inference:
        """Parse an argument; raise unless every clause has exactly one formula."""
        connectives = self._connectives
        if not text.endswith("."):
            raise ArgumentReadingError(f"found no full stop at the end of {text!r}")
        if connectives.therefore in text:
            *premises, conclusion_text = text[:-1].split(". ")
            if not conclusion_text.startswith(connectives.therefore):
                raise ArgumentReadingError(f"found no conclusion after {connectives.therefore!r}: {text!r}")
            formulas = [self._read_only_formula(premise, 0) for premise in premises]
            return Inference(
                tuple(formulas),
                self._read_only_formula(conclusion_text.removeprefix(connectives.therefore), 0),
            )
        conclusion, *premises = connectives.because.split(text[:-1])
        return Inference(
            tuple(self._read_only_formula(premise, 1) for premise in premises),
            self._read_only_formula(conclusion, 0),
        )

    def _read_only_formula(self, text: str, verb_last: int) -> Formula:
        formulas = list(
            dict.fromkeys(
                (*self._clause(text, verb_last), *self._clause(text[:1].lower() + text[1:], verb_last))
            )
        )
        if len(formulas) != 1:
            raise ArgumentReadingError(f"found {len(formulas)} readings of {text!r}, expected one")
        return formulas[0]

    def _read_clause(self, text: str, verb_last: int) -> tuple[Formula, ...]:
        return tuple(dict.fromkeys(self._find_formulas(text, verb_last)))

    def _find_formulas(self, text: str, verb_last: int) -> Iterator[Formula]:
        connectives = self._connectives
        if verb_last and text == connectives.distractor:
            yield Atom("distractor")
        for frame, meaning in connectives.frames.items():
            opening, closing = _BRACKETS[verb_last]
            if text.startswith(frame + opening) and text.endswith(closing):
                both = text.removeprefix(frame + opening).removesuffix(closing)
                for first, second in _split_at_each(both, connectives.between):
                    for left in self._clause(first[:1].lower() + first[1:], 0) or self._clause(first, 0):
                        yield from (meaning(left, right) for right in self._clause(second, 0))
        for consequent, condition in _split_at_each(text, connectives.condition):
            for consequent_formula in self._clause(consequent, verb_last):
                yield from (
                    Implies(antecedent, consequent_formula) for antecedent in self._clause(condition, 1)
                )
        for pattern, meaning in self._shapes[verb_last]:
            if match := pattern.fullmatch(text):
                words = match.groupdict().items()
                yield meaning(*(self._lexicon[name.rstrip("0123456789")][word] for name, word in words))


def _split_at_each(text: str, mark: str) -> Iterator[tuple[str, str]]:
    for match in re.finditer(re.escape(mark), text):
        yield text[: match.start()], text[match.end() :]


def _pattern(shape: str, lexicon: Mapping[str, Mapping[str, Any]]) -> re.Pattern[str]:
    """Return the regular expression of a shape, with a numbered group per slot."""
    regex = ""
    for number, piece in enumerate(re.split(r"[{}]", shape)):
        if number % 2:
            words = sorted(lexicon[piece], key=len, reverse=True)
            regex += f"(?P<{piece}{number}>{'|'.join(map(re.escape, words))})"
        else:
            regex += re.escape(piece)
    return re.compile(regex)


def _lexicon(
    stage: CountryLanguage, clauses: ClauseWordings, names: Iterable[str]
) -> Mapping[str, Mapping[str, Any]]:
    """Map each slot to its forms and their meanings."""
    sides = [stage.words.sides[side] for side in LEANINGS]
    is_english = stage.tag == "en"
    members = {(gender, side.label): getattr(side.member, gender) for side in sides for gender in ("f", "m")}
    articles = {"f": "eine", "m": "ein"}
    label_by_phrase = {
        (f"{'an' if takes_an(noun) else 'a'} {noun}" if is_english else f"{articles[gender]} {noun}"): label
        for (gender, label), noun in members.items()
    }
    relations = {comparison.more: SUPERIOR for comparison in clauses.comparisons.values()}
    relations |= {comparison.less: INFERIOR for comparison in clauses.comparisons.values()}
    return {
        "name": {name: name for name in names}
        | dict.fromkeys((clauses.juror.first, clauses.juror.again), JUROR_PREDICATE),
        "member": {noun: label for (_, label), noun in members.items()},
        "members": {side.member.plural: side.label for side in sides},
        "a_member": label_by_phrase,
        "relation": relations,
        "equal": {comparison.equal: comparison.equal for comparison in clauses.comparisons.values()},
        "property": {text: name for name, text in clauses.properties.items()},
        "not": {"": "", "not " if is_english else "nicht ": "not"},
        "deny": {"": "", "k": "not"},
    }
