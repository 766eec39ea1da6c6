"""Reader of the ladder's sentences: each has exactly one wording, and each wording one formula."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from string import ascii_lowercase

from polbias.errors import PolbiasError
from polbias.generators.logic.finite import IDENTICAL
from polbias.generators.logic.formula import (
    And,
    Atom,
    Comparison,
    Count,
    CountOf,
    ForAll,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    negate,
)
from polbias.generators.partisan.country import PersonGender
from polbias.generators.partisan.ladder.reader_wordings import TESTIFIED, LanguageWordings
from polbias.generators.partisan.ladder.settings import (
    ABOVE,
    GROUPS,
    TRUTHFUL,
    VARIABLE,
    Family,
    Group,
)

_FIRST_MARK = "\ue000"
_PERSONS = "[\ue000-\ue019]"
_PART = re.compile(r"\{(\w+?)(\d?)\}|([\[\]])|([^{}\[\]]+)")
_PREDICATES: Mapping[Family, str] = {"testimony": TRUTHFUL, "ranking": ABOVE}
_JOINED_FORMS = {"either": "either", "exclusive": "exclusive", "disjunctive_conditional": "then_either"}
Patterns = Sequence[tuple[str, re.Pattern[str]]]
"""Pairs of a kind, or of the signs of literals, and the pattern of its wording."""


class LadderReadingError(PolbiasError):
    """A text is not an argument of the ladder."""


def person_mark(index: int) -> str:
    """Return the character that replaces a person's name in a sentence."""
    return chr(ord(_FIRST_MARK) + index)


def choice(texts: Sequence[str]) -> str:
    """Return a pattern of one of some texts, the longest first."""
    return f"(?:{'|'.join(map(re.escape, sorted(texts, key=len, reverse=True)))})"


def compile_wording(wording: str, fragments: Mapping[str, str], words: Mapping[str, str]) -> re.Pattern[str]:
    """Return the pattern of a wording.

    Args:
        wording: text with placeholders and optional parts.
        fragments: patterns of placeholders without their number; they are groups of the pattern.
        words: texts of other placeholders; the word "other" is a group, too.
    """
    pattern = ""
    for name, number, bracket, text in _PART.findall(wording):
        if bracket:
            pattern += "(?:" if bracket == "[" else ")?"
        elif text:
            pattern += re.escape(text)
        elif name in ("other", "others"):
            pattern += f"(?P<other>{re.escape(words[name])})"
        elif (key := name.lower()) in words:
            word = words[key]
            pattern += re.escape(word if name == key else word.capitalize())
        else:
            pattern += f"(?P<{name}{number}>{fragments[name]})"
    return re.compile(pattern)


class SentenceReader:
    """Reads sentences with marks instead of names.

    Args:
        wordings: the wordings of the language.
        family: family of the item.
        gender: gender of the persons; None in a language that does not show it.
        nouns: singular and plural of the members of each group.
    """

    def __init__(
        self,
        wordings: LanguageWordings,
        family: Family,
        gender: PersonGender | None,
        nouns: Mapping[Group, tuple[str, str]],
    ) -> None:
        self._wordings, self._family = wordings, family
        self._group_by_noun = {noun: group for group, pair in nouns.items() for noun in pair}
        words = wordings.words_by_gender[gender]
        clause_fragments = {"p": _PERSONS, "q": _PERSONS, "trait": choice(list(wordings.traits))}
        self._clauses: Mapping[str, Patterns] = {
            form: [(signs, compile_wording(text, clause_fragments, words)) for signs, text in pairs]
            for form, pairs in wordings.clauses[family].items()
        }
        fragments = {
            "p": _PERSONS,
            "persons": f"{_PERSONS}(?:, {_PERSONS})* {wordings.conjunction} {_PERSONS}",
            **dict.fromkeys(("truth", "untruth"), choice(wordings.truth)),
            "statement": ".+",
            "comparison": choice(list(wordings.comparisons)),
            "Comparison": choice([words.capitalize() for words in wordings.comparisons]),
            "number": choice(wordings.numbers),
            **dict.fromkeys(("numbers", "total"), choice(wordings.numbers[1:])),
            "singular": choice([singular for singular, _ in nouns.values()]),
            "plural": choice([plural for _, plural in nouns.values()]),
            **dict.fromkeys(("side", "pivot_side"), choice(wordings.sides)),
            **{form: _any_of(patterns) for form, patterns in self._clauses.items()},
        }
        pronouns = [word for word, word_gender in wordings.pronouns.items() if gender in (None, word_gender)]
        self._pronoun = re.compile(rf"({_PERSONS})([^,]*, .*?)\b{choice(pronouns)}\b")
        sentences = [*wordings.family_sentences[family], *wordings.sentences]

        def compile_all(pairs: Sequence[tuple[str, str]]) -> Patterns:
            return [(kind, compile_wording(text, fragments, words)) for kind, text in pairs]

        self._sentences = compile_all(sentences)
        self._quoted = compile_all(
            [*wordings.equivalents, *(pair for pair in sentences if pair[0] in TESTIFIED)]
        )
        self._conclusions = compile_all([pair for pair in sentences if pair[0] == "fact"])
        self._testimonies = compile_all([("testimony", wordings.testimony)] if family == "testimony" else [])
        self._read_clause = cache(self._parse_clause)
        self.premise = cache(self._parse_premise)
        """Return the formula of a premise; takes the sentence and the number of persons."""
        self.conclusion = cache(self._parse_conclusion)
        """Return the formula of a conclusion; takes the sentence and the number of persons."""

    def _parse_premise(self, sentence: str, n_persons: int) -> Formula:
        for _, pattern in self._testimonies:
            if quotation := pattern.fullmatch(sentence):
                content = self._parse(quotation["statement"], self._quoted, n_persons)
                return Iff(Atom(TRUTHFUL, (_person(quotation["p1"]),)), content)
        if self._family != "rules":
            return self._parse(sentence, self._sentences, n_persons)
        # A pronoun is read as the person named first, the subject of the antecedent.
        resolved = self._pronoun.sub(r"\1\2\1", sentence, count=1)
        formula = self._parse(resolved, self._sentences, n_persons)
        if _takes_pronoun(formula) != (resolved != sentence):
            raise LadderReadingError(
                "expected a pronoun exactly if the consequent begins with the same person"
            )
        return formula

    def _parse_conclusion(self, sentence: str, n_persons: int) -> Formula:
        return self._parse(sentence, self._conclusions, n_persons)

    def _parse(self, sentence: str, patterns: Patterns, n_persons: int) -> Formula:
        for kind, pattern in patterns:
            if match := pattern.fullmatch(sentence):
                groups = {name: text for name, text in match.groupdict().items() if text is not None}
                return self._build(kind, groups, n_persons)
        raise LadderReadingError(f"found no wording of the family {self._family}")

    def _parse_clause(self, form: str, text: str) -> Sequence[Formula]:
        """Return the literals of a clause."""
        for signs, pattern in self._clauses[form]:
            if match := pattern.fullmatch(text):
                groups = match.groupdict()
                return [self._literal(groups, number, sign) for number, sign in enumerate(signs, 1)]
        raise AssertionError(f"found {text!r}, expected a clause")

    def _literal(self, groups: Mapping[str, str], number: int, sign: str) -> Formula:
        """Return one literal of a clause; it is about the variable if the clause has no subject."""
        subject, other, trait = (
            groups.get(name) or groups.get(f"{name}{number}", "") for name in ("p", "q", "trait")
        )
        persons = tuple(_person(mark) for mark in (subject, other) if mark)
        _require_different(persons)
        atom = Atom(_PREDICATES.get(self._family) or self._wordings.traits[trait], persons or (VARIABLE,))
        return atom if sign == "+" else Not(atom)

    def _build(self, kind: str, groups: Mapping[str, str], n_persons: int) -> Formula:
        """Return the formula of a sentence from the texts of its placeholders."""
        clauses = [
            self._read_clause(name[:-1], text)
            for name, text in sorted(groups.items(), key=lambda item: item[0][-1])
            if name[:-1] in self._clauses
        ]
        literals = [literal for clause in clauses for literal in clause]
        _require_different([_fact(literal) for literal in literals])
        if kind in _JOINED_FORMS and len(clauses[-1]) == 1:
            self._check_apart(kind, *literals[-2:])
        match kind:
            case "fact":
                return literals[0]
            case "report":
                return Or((literals[0], negate(literals[0])))
            case "either":
                return Or(tuple(literals))
            case "exclusive":
                return Not(Iff(*literals))
            case "conditional":
                if "also" in self._clauses and _share_predicate(*literals) != ("also2" in groups):
                    raise LadderReadingError("expected 'also' exactly where only the subjects differ")
                return Implies(*literals)
            case "joint_conditional":
                return Implies(And(tuple(literals[:2])), literals[2])
            case "disjunctive_conditional":
                return Implies(literals[0], Or(tuple(literals[1:])))
            case "equivalent":
                _require_different([groups["truth"], groups["untruth"]])
                literals = self._same_literals(groups)
                _require_different(literals)
                return Iff(*literals)
            case "mixed_equivalent":
                return self._mixed_equivalent(groups, literals)
            case "between":
                persons = [_person(groups[name]) for name in ("p1", "p2", "p3")]
                _require_different(persons)
                person, first, second = persons
                return Iff(Atom(ABOVE, (first, person)), Atom(ABOVE, (person, second)))
            case "count":
                return self._count(groups)
            case "group_count":
                return self._group_count(groups, literals, n_persons)
            case "overtaking" | "none_between":
                return self._overtaking(groups, kind == "none_between")
            case "only":
                required, trait = literals
                return ForAll((VARIABLE,), Not(And((trait, Not(required)))))
            case _:
                antecedents, consequents = clauses
                return self._rule(groups, antecedents, consequents)

    def _check_apart(self, kind: str, first: Formula, second: Formula) -> None:
        """Raise if two literals in clauses of their own should be in one, or in the other order."""
        signs = "".join("-" if isinstance(literal, Not) else "+" for literal in (first, second))
        if signs == "-+" and kind != "exclusive":
            raise LadderReadingError("found a negation before an affirmation, expected it after it")
        for joined_signs, text in self._wordings.clauses[self._family][_JOINED_FORMS[kind]]:
            shared = _subject(first) == _subject(second) if "{p}" in text else _share_predicate(first, second)
            if joined_signs == signs and shared:
                raise LadderReadingError(f"found two clauses, expected {text!r}")

    def _same_literals(self, groups: Mapping[str, str]) -> list[Formula]:
        """Return the literals of two persons with one verb."""
        return [self._truth(person, groups["truth"]) for person in (groups["p1"], groups["p2"])]

    def _truth(self, mark: str, verb: str) -> Formula:
        atom = Atom(TRUTHFUL, (_person(mark),))
        return atom if verb == self._wordings.truth[0] else Not(atom)

    def _mixed_equivalent(self, groups: Mapping[str, str], literals: list[Formula]) -> Formula:
        if "truth" in groups:
            literals = [self._truth(groups["p1"], groups["truth"]), *literals]
        if len({isinstance(literal, Not) for literal in literals}) == 1:
            raise LadderReadingError("found one verb twice, expected it once, of both persons")
        _require_different([_fact(literal) for literal in literals])
        return Iff(*literals)

    def _comparison(self, groups: Mapping[str, str]) -> tuple[Comparison, int]:
        number = groups.get("number") or groups.get("numbers") or self._wordings.numbers[0]
        words = groups.get("comparison") or groups["Comparison"].lower()
        comparison = self._wordings.comparisons[words]
        return comparison, self._wordings.numbers.index(number) + 1

    def _count(self, groups: Mapping[str, str]) -> Formula:
        marks = re.findall(_PERSONS, groups["persons"])
        comparison, number = self._comparison(groups)
        if number >= len(marks):
            raise LadderReadingError(f"found {number} of {len(marks)} persons, expected fewer than all")
        _require_different([*marks, *([groups["p1"]] if "p1" in groups else [])])
        if self._family == "ranking":
            pivot = _person(groups["p1"])
            parts: list[Formula] = [Atom(ABOVE, (_person(mark), pivot)) for mark in marks]
        else:
            parts = [self._truth(mark, groups["truth"]) for mark in marks]
        return Count(comparison, number, tuple(parts))

    def _group_count(self, groups: Mapping[str, str], literals: Sequence[Formula], n_persons: int) -> Formula:
        comparison, number = self._comparison(groups)
        if self._family == "rules":
            if self._wordings.numbers.index(groups["total"]) + 1 != n_persons:
                raise LadderReadingError(f"found {groups['total']!r}, expected all {n_persons} persons")
            body = literals[0]
        else:
            group = self._group(groups)
            if self._family == "ranking":
                pivot = _person(groups["p1"])
                _check_other(pivot, group, "other" in groups)
                above, below = self._wordings.sides
                is_above = groups.get("side") == above or groups.get("pivot_side") == below
                literal: Formula = Atom(ABOVE, (VARIABLE, pivot) if is_above else (pivot, VARIABLE))
            else:
                atom = Atom(TRUTHFUL, (VARIABLE,))
                literal = atom if groups["truth"] == self._wordings.truth[0] else Not(atom)
            body = And((Atom(group, (VARIABLE,)), literal))
        return CountOf(comparison, number, VARIABLE, body)

    def _group(self, groups: Mapping[str, str]) -> Group:
        return self._group_by_noun[groups.get("singular") or groups["plural"]]

    def _overtaking(self, groups: Mapping[str, str], excepts_upper: bool) -> Formula:
        group = self._group(groups)
        lower, upper = _person(groups["p1"]), _person(groups["p2"])
        _require_different([lower, upper])
        _check_other(upper, group, excepts_upper)
        excepted = [Not(Atom(IDENTICAL, (VARIABLE, upper)))] if excepts_upper else []
        condition = And((Atom(group, (VARIABLE,)), *excepted, Atom(ABOVE, (VARIABLE, lower))))
        return ForAll((VARIABLE,), Implies(condition, Atom(ABOVE, (VARIABLE, upper))))

    def _rule(
        self, groups: Mapping[str, str], antecedents: Sequence[Formula], consequents: Sequence[Formula]
    ) -> Formula:
        if "singular" in groups:
            antecedents = [Atom(self._group(groups), (VARIABLE,)), *antecedents]
        condition = And(tuple(antecedents)) if len(antecedents) > 1 else antecedents[0]
        consequent = Or(tuple(consequents)) if len(consequents) > 1 else consequents[0]
        return ForAll((VARIABLE,), Implies(condition, consequent))


def _any_of(patterns: Patterns) -> str:
    """Return a pattern of any of some clauses, without their groups."""
    return "|".join(re.sub(r"\(\?P<\w+>", "(?:", pattern.pattern) for _, pattern in patterns)


def _takes_pronoun(formula: Formula) -> bool:
    """Whether the antecedent of a conditional about persons and its consequent begin with the same person."""
    match formula:
        case Implies((Atom() | Not()) as antecedent, Or((first, second))):
            return _subject(first) == _subject(antecedent) and not _share_predicate(first, second)
        case Implies((Atom() | Not()) as antecedent, consequent):
            return _subject(consequent) == _subject(antecedent)
        case _:
            return False


def _share_predicate(first: Formula, second: Formula) -> bool:
    """Whether two literals differ in their subject only."""
    first_without, second_without = (
        (isinstance(literal, Not), _atom(literal).predicate, _atom(literal).terms[1:])
        for literal in (first, second)
    )
    return first_without == second_without


def _subject(literal: Formula) -> str:
    return _atom(literal).terms[0]


def _atom(literal: Formula) -> Atom:
    atom = literal.body if isinstance(literal, Not) else literal
    assert isinstance(atom, Atom)
    return atom


def _person(mark: str) -> str:
    return ascii_lowercase[ord(mark) - ord(_FIRST_MARK)]


def _check_other(person: str, group: Group, is_other: bool) -> None:
    """Raise unless a member of the group is excepted, and nobody else."""
    is_member = GROUPS[ascii_lowercase.index(person) % len(GROUPS)] == group
    if is_member != is_other:
        raise LadderReadingError(
            f"expected the wording about {'other members' if is_member else 'members'} of the group"
        )


def _require_different(values: Sequence[object]) -> None:
    if len(set(values)) < len(values):
        raise LadderReadingError("found a person, trait or verb twice, expected different ones")


def _fact(literal: Formula) -> object:
    """Return the fact of a literal, without its sign and direction."""
    atom = _atom(literal)
    return atom.predicate, frozenset(atom.terms)
