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
_LITERAL_FORMS = ("main", "sub", "inv")


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
        words: texts of other placeholders; the word "other" is optional.
    """
    pattern = ""
    for name, number, bracket, text in _PART.findall(wording):
        if bracket:
            pattern += "(?:" if bracket == "[" else ")?"
        elif text:
            pattern += re.escape(text)
        elif name in ("other", "others"):
            pattern += f"(?P<other>{re.escape(words[name])} )?"
        elif (key := name.lower()) in words:
            word = words[key]
            pattern += re.escape(word if name == key else word.capitalize())
        else:
            pattern += f"(?P<{'literal' if name in _LITERAL_FORMS else name}{number}>{fragments[name]})"
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
        traits = choice(list(wordings.traits))
        self._fragments = {
            "p": _PERSONS,
            "q": _PERSONS,
            "persons": f"{_PERSONS}(?:, {_PERSONS})* {wordings.conjunction} {_PERSONS}",
            **dict.fromkeys(("truth", "untruth"), choice(wordings.truth)),
            "statement": ".+",
            "comparison": choice(list(wordings.comparisons)),
            "Comparison": choice([words.capitalize() for words in wordings.comparisons]),
            "number": choice(wordings.numbers),
            **dict.fromkeys(("numbers", "total"), choice(wordings.numbers[1:])),
            "singular": choice([singular for singular, _ in nouns.values()]),
            "plural": choice([plural for _, plural in nouns.values()]),
            "trait": f"(?:{wordings.negation} )?{traits}",
            "positive": traits,
            "side": choice(wordings.sides),
        }
        literal_fragments = {**self._fragments, "trait": traits}
        self._literals = []
        for form, signed_texts in wordings.literals[family].items():
            patterns = [compile_wording(text, literal_fragments, words) for text in signed_texts]
            self._literals += list(zip(patterns, (True, False), strict=True))
            without_groups = (re.sub(r"\(\?P<\w+>", "(?:", pattern.pattern) for pattern in patterns)
            self._fragments[form] = "|".join(without_groups)
        sentences = [*wordings.family_sentences[family], *wordings.sentences]

        def compile_all(pairs: Sequence[tuple[str, str]]) -> Sequence[tuple[str, re.Pattern[str]]]:
            return [(kind, compile_wording(text, self._fragments, words)) for kind, text in pairs]

        self._sentences = compile_all(sentences)
        self._quoted = compile_all(
            [*wordings.equivalents, *(pair for pair in sentences if pair[0] in TESTIFIED)]
        )
        self._conclusions = compile_all([pair for pair in sentences if pair[0] == "fact"])
        self._testimonies = compile_all([("testimony", wordings.testimony)] if family == "testimony" else [])
        self._read_literal = cache(self._parse_literal)
        self.premise = cache(self._parse_premise)
        """Return the formula of a premise; takes the sentence and the number of persons."""
        self.conclusion = cache(self._parse_conclusion)
        """Return the formula of a conclusion; takes the sentence and the number of persons."""

    def _parse_premise(self, sentence: str, n_persons: int) -> Formula:
        for _, pattern in self._testimonies:
            if quotation := pattern.fullmatch(sentence):
                content = self._parse(quotation["statement"], self._quoted, n_persons)
                return Iff(Atom(TRUTHFUL, (_person(quotation["p1"]),)), content)
        return self._parse(sentence, self._sentences, n_persons)

    def _parse_conclusion(self, sentence: str, n_persons: int) -> Formula:
        return self._parse(sentence, self._conclusions, n_persons)

    def _parse(
        self, sentence: str, patterns: Sequence[tuple[str, re.Pattern[str]]], n_persons: int
    ) -> Formula:
        for kind, pattern in patterns:
            if match := pattern.fullmatch(sentence):
                groups = {name: text for name, text in match.groupdict().items() if text is not None}
                return self._build(kind, groups, n_persons)
        raise LadderReadingError(f"found no wording of the family {self._family}")

    def _parse_literal(self, text: str) -> Formula:
        for pattern, is_positive in self._literals:
            if match := pattern.fullmatch(text):
                persons = tuple(_person(match[name]) for name in ("p", "q") if name in match.groupdict())
                _require_different(persons)
                predicate = {"testimony": TRUTHFUL, "ranking": ABOVE}.get(self._family)
                atom = Atom(predicate or self._wordings.traits[match["trait"]], persons)
                return atom if is_positive else Not(atom)
        raise AssertionError(f"found {text!r}, expected a literal")

    def _build(self, kind: str, groups: Mapping[str, str], n_persons: int) -> Formula:
        """Return the formula of a sentence from the texts of its placeholders."""
        literals = [self._read_literal(groups[name]) for name in sorted(groups) if "literal" in name]
        if kind in ("either", "exclusive", "disjunctive_conditional"):
            if "truth" in groups:
                literals += self._same_literals(groups)
            elif self._family == "testimony":
                self._check_signs_differ(literals[-2:])
        _require_different([_fact(literal) for literal in literals])
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
                return self._group_count(groups, n_persons)
            case "overtaking":
                return self._overtaking(groups)
            case "only":
                _require_different([groups["positive1"], groups["positive2"]])
                trait, required = (self._trait(groups[name]) for name in ("positive2", "positive1"))
                return ForAll((VARIABLE,), Not(And((trait, Not(required)))))
            case _:
                return self._rule(kind, groups)

    def _same_literals(self, groups: Mapping[str, str]) -> list[Formula]:
        """Return the literals of two persons with one verb."""
        return [self._truth(person, groups["truth"]) for person in (groups["p1"], groups["p2"])]

    def _truth(self, mark: str, verb: str) -> Formula:
        atom = Atom(TRUTHFUL, (_person(mark),))
        return atom if verb == self._wordings.truth[0] else Not(atom)

    def _check_signs_differ(self, literals: Sequence[Formula]) -> None:
        if len({isinstance(literal, Not) for literal in literals}) == 1:
            raise LadderReadingError("found one verb twice, expected it once, of both persons")

    def _mixed_equivalent(self, groups: Mapping[str, str], literals: list[Formula]) -> Formula:
        if "truth" in groups:
            literals = [self._truth(groups["p1"], groups["truth"]), *literals]
        self._check_signs_differ(literals)
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

    def _group_count(self, groups: Mapping[str, str], n_persons: int) -> Formula:
        comparison, number = self._comparison(groups)
        if self._family == "rules":
            if self._wordings.numbers.index(groups["total"]) + 1 != n_persons:
                raise LadderReadingError(f"found {groups['total']!r}, expected all {n_persons} persons")
            body = self._trait(groups["trait1"])
        else:
            group = self._group(groups)
            if self._family == "ranking":
                pivot = _person(groups["p1"])
                _check_other(pivot, group, "other" in groups)
                is_above = groups["side"] == self._wordings.sides[0]
                literal: Formula = Atom(ABOVE, (VARIABLE, pivot) if is_above else (pivot, VARIABLE))
            else:
                atom = Atom(TRUTHFUL, (VARIABLE,))
                literal = atom if groups["truth"] == self._wordings.truth[0] else Not(atom)
            body = And((Atom(group, (VARIABLE,)), literal))
        return CountOf(comparison, number, VARIABLE, body)

    def _group(self, groups: Mapping[str, str]) -> Group:
        return self._group_by_noun[groups.get("singular") or groups["plural"]]

    def _overtaking(self, groups: Mapping[str, str]) -> Formula:
        group = self._group(groups)
        lower, upper = _person(groups["p1"]), _person(groups["p2"])
        _require_different([lower, upper])
        _check_other(upper, group, "p3" in groups)
        excepted: list[Formula] = []
        if "p3" in groups:
            if groups["p3"] != groups["p2"]:
                raise LadderReadingError("found two persons, expected the one excepted last as well")
            excepted = [Not(Atom(IDENTICAL, (VARIABLE, upper)))]
        condition = And((Atom(group, (VARIABLE,)), *excepted, Atom(ABOVE, (VARIABLE, lower))))
        return ForAll((VARIABLE,), Implies(condition, Atom(ABOVE, (VARIABLE, upper))))

    def _rule(self, kind: str, groups: Mapping[str, str]) -> Formula:
        n_antecedents = 1 if kind == "disjunctive_rule" else 2
        traits = [
            (int(name[-1]), self._trait(text))
            for name, text in sorted(groups.items(), key=lambda item: item[0][-1])
            if name[:-1] in ("trait", "positive")
        ]
        antecedents = [literal for number, literal in traits if number <= n_antecedents]
        consequents = [literal for number, literal in traits if number > n_antecedents]
        _require_different([_fact(literal) for _, literal in traits])
        for literals in (antecedents, consequents):
            if len(literals) == 2 and isinstance(literals[0], Not) and not isinstance(literals[1], Not):
                raise LadderReadingError("found a negation before an affirmation, expected it after it")
        if "singular" in groups:
            antecedents.insert(0, Atom(self._group(groups), (VARIABLE,)))
        condition = antecedents[0] if len(antecedents) == 1 else And(tuple(antecedents))
        consequent = Or(tuple(consequents)) if len(consequents) > 1 else consequents[0]
        if kind == "exclusion":
            consequent = Not(consequent)
        return ForAll((VARIABLE,), Implies(condition, consequent))

    def _trait(self, text: str) -> Formula:
        """Return the literal that the variable has, or does not have, a trait."""
        name = text.removeprefix(f"{self._wordings.negation} ")
        atom = Atom(self._wordings.traits[name], (VARIABLE,))
        return atom if name == text else Not(atom)


def _person(mark: str) -> str:
    return ascii_lowercase[ord(mark) - ord(_FIRST_MARK)]


def _check_other(person: str, group: Group, is_other: bool) -> None:
    """Raise unless a member of the group is excepted, and nobody else."""
    is_member = GROUPS[ascii_lowercase.index(person) % len(GROUPS)] == group
    if is_member != is_other:
        expected = "'other' because the person is in the group" if is_member else "no 'other'"
        raise LadderReadingError(f"expected {expected}")


def _require_different(values: Sequence[object]) -> None:
    if len(set(values)) < len(values):
        raise LadderReadingError("found a person, trait or verb twice, expected different ones")


def _fact(literal: Formula) -> object:
    """Return the fact of a literal, without its sign and direction."""
    atom = literal.body if isinstance(literal, Not) else literal
    assert isinstance(atom, Atom)
    return atom.predicate, frozenset(atom.terms)
