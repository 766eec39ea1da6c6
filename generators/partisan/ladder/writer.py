"""Writer of the ladder's arguments: from formulas and a cast to sentences in English or German."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from polbias.generators.language import english, german
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
    Inference,
    Not,
    Or,
    negate,
)
from polbias.generators.partisan.ladder.casts import Cast
from polbias.generators.partisan.ladder.premises import kind_of
from polbias.generators.partisan.ladder.settings import ABOVE, GROUPS, TRUTHFUL, VARIABLE, Group
from polbias.generators.partisan.ladder.skeletons import Gold
from polbias.generators.partisan.ladder.words import Joined, JoinedLiterals, LadderWords, Predicate
from polbias.generators.partisan.xl_templates import CountryLanguage, EnglishPolitics, GermanPolitics

_Form = Literal["singular", "plural", "reported"]
_PairKind = Literal["either", "exclusive", "disjunctive_conditional"]
_Signs = Literal["affirmative", "mixed", "negative"]
_COMPARISON_WORDS: dict[Comparison, str] = {"=": "exactly", "≤": "at_most", "≥": "at_least"}


class Clause(NamedTuple):
    """A subject and its predicate; the order of words differs in German."""

    subject: str
    finite: str
    complement: str

    @property
    def main(self) -> str:
        """The main clause."""
        return _join(self.subject, self.finite, self.complement)

    @property
    def last(self) -> str:
        """The clause with its verb last, as after "wenn"."""
        return _join(self.subject, self.complement, self.finite)

    @property
    def inverted(self) -> str:
        """The clause with its verb first, as after "dann"."""
        return _join(self.finite, self.subject, self.complement)


def _join(*words: str) -> str:
    return " ".join(filter(None, words))


class LadderWriter:
    """Writes the arguments of a country in a language.

    Args:
        words: the words of the language.
        politics: the words for parties and their members.
        swiss_spelling: whether ss is written for ß.
    """

    def __init__(
        self, words: LadderWords, politics: EnglishPolitics | GermanPolitics, swiss_spelling: bool = False
    ) -> None:
        self.words, self._politics = words, politics
        self._spell: Callable[[str], str] = german.spell_swiss if swiss_spelling else str

    @classmethod
    def for_stage(cls, words: LadderWords, stage: CountryLanguage) -> LadderWriter:
        """Return the writer of a country in a language."""
        return cls(words, stage.words, stage.tag == "de" and stage.country.country == "CH")

    def premise(self, formula: Formula, cast: Cast) -> str:
        """Return the sentence of a premise."""
        return self._spell(self._sentences(cast).premise(formula))

    def conclusion(self, formula: Formula, cast: Cast) -> str:
        """Return the sentence of a conclusion."""
        return self.premise(formula, cast)

    def introduction(self, cast: Cast, premises: Sequence[Formula] = ()) -> str:
        """Return the sentences before the premises: the persons, their parties and the situation.

        Args:
            cast: the persons.
            premises: the premises; a claim of a report can be false.
        """
        introduction, setting = self.words.introduction, cast.setting
        sentences = self._sentences(cast)
        first, second = (
            introduction.group.format(
                members=self._member(cast, group, len(members)),
                names=sentences.join_items([cast.name(person) for person in members]),
                party=self._party(cast, group),
            )
            for group, members in ((group, setting.members(group)) for group in GROUPS)
        )
        number = self.words.numbers[setting.n_persons - 1]
        text = getattr(introduction, setting.family).format(
            number=number if setting.family == "ranking" else english.capitalize_first(number),
            count=number,
            politicians=self._plural(self._politics.role.plural, getattr(self._politics.role, cast.gender)),
            groups=introduction.groups.format(first=first, second=second),
            each=self.words.each[cast.gender],
            above=introduction.above[cast.gender],
            claimed=introduction.claimed if "report" in map(kind_of, premises) else "",
        )
        return self._spell(text)

    def argument(self, inference: Inference, cast: Cast) -> str:
        """Return the introduction, the numbered premises and the conclusion, one a line."""
        lines = self.words.argument
        premises = (
            lines.premise.format(number=number, sentence=self.premise(formula, cast))
            for number, formula in enumerate(inference.premises, 1)
        )
        conclusion = lines.conclusion.format(sentence=self.conclusion(inference.conclusion, cast))
        introduction = self.introduction(cast, inference.premises)
        return "\n".join([introduction, *premises, "", conclusion])

    def prefix(self, instruction: str, examples: str | None = None) -> str:
        """Return the prompt before its argument: an instruction, by its id, and examples."""
        frames = self.words.prompts
        text = frames.zero_shot if examples is None else frames.few_shot
        return self._spell(
            text.format(instruction=self.words.instructions[instruction].text, examples=examples)
        )

    def example(self, inference: Inference, cast: Cast, gold: Gold) -> str:
        """Return an argument with its label."""
        label = self.words.labels[gold]
        return self.words.prompts.example.format(argument=self.argument(inference, cast), label=label)

    def join_examples(self, examples: Sequence[str]) -> str:
        """Return examples in one text."""
        return self.words.prompts.between_examples.join(examples)

    def _sentences(self, cast: Cast) -> _Sentences:
        return _Sentences(self.words, cast, lambda group, number: self._member(cast, group, number))

    def _party(self, cast: Cast, group: Group) -> str:
        """Return the party of a group after "of"."""
        if isinstance(self._politics, EnglishPolitics):
            return self._politics.sides[cast.leaning(group)].group.text
        party = self._politics.sides[cast.leaning(group)].group
        noun = party.dative or party.text
        return german.definite_dative(noun, party.gender) if party.gender else noun

    def _member(self, cast: Cast, group: Group, number: int) -> str:
        """Return the noun for one or more members of a group."""
        member = self._politics.sides[cast.leaning(group)].member
        singular: str = getattr(member, cast.gender)
        return singular if number == 1 else self._plural(member.plural, singular)

    def _plural(self, plural_of_both: str, singular: str) -> str:
        """Return the plural of one gender: in English the only plural."""
        if isinstance(self._politics, GermanPolitics):
            return german.plural_of_persons(singular)
        return plural_of_both


class _Sentences:
    """Writes the premises of one cast.

    Args:
        words: the words of the language.
        cast: the persons.
        member: returns the noun for a number of members of a group.
    """

    def __init__(self, words: LadderWords, cast: Cast, member: Callable[[Group, int], str]) -> None:
        self._words, self._cast, self._member = words, cast, member
        self._frames = words.sentences

    def premise(self, formula: Formula) -> str:
        """Return the sentence of a premise."""
        match kind_of(formula), formula:
            case "testimony", Iff(Atom(_, (speaker,)), content):
                sentence = (
                    _as_sentence(self._equivalent(content.left, content.right))
                    if isinstance(content, Iff)
                    else self.premise(content)
                )
                return self._frames.testimony.format(speaker=self._name(speaker), sentence=sentence)
            case kind, _:
                return _as_sentence(self._text(kind, formula))

    def join_items(self, items: Sequence[str]) -> str:
        """Return items with a comma or the conjunction between two of them."""
        *firsts, last = items
        return _join(", ".join(firsts), self._words.words.conjunction, last) if firsts else last

    def _text(self, kind: str, formula: Formula) -> str:
        """Return the text of a premise of a kind, without full stop."""
        frames = self._frames
        match kind, formula:
            case "fact", literal:
                return self._clause(literal).main
            case "report", Or((literal, _)):
                return frames.report.format(claim=self._clause(literal, "reported"))
            case "either", Or((first, second)):
                return self._pair("either", first, second)
            case "exclusive", Not(Iff(first, second)):
                return self._pair("exclusive", first, second)
            case "conditional" | "joint_conditional", Implies(condition, consequence):
                return self._conditional(condition, consequence)
            case "disjunctive_conditional", Implies(condition, Or((first, second))):
                return self._pair("disjunctive_conditional", first, second, condition)
            case "between", Iff(Atom(_, (first_person, person)), Atom(_, (_, second_person))):
                first_name, second_name = self._name(first_person), self._name(second_person)
                return frames.between.format(person=self._name(person), first=first_name, second=second_name)
            case "count", Count(comparison, number, parts):
                return self._count(comparison, number, parts)
            case "group_count", CountOf(comparison, number, _, body):
                return self._group_count(comparison, number, body)
            case "overtaking", ForAll(_, Implies(And(conditions), Atom(_, (_, upper)))):
                return self._overtaking(conditions, upper)
            case "only", ForAll(_, Not(And((trait, Not(required))))):
                return frames.only.format(trait=self._trait(trait), required=self._trait(required))
            case "rule" | "disjunctive_rule", ForAll(_, Implies(condition, consequence)):
                return self._rule(condition, consequence)
        raise ValueError(f"found {formula}, expected a premise of kind {kind}")

    def _pair(
        self, kind: _PairKind, first: Formula, second: Formula, condition: Formula | None = None
    ) -> str:
        """Return the text of two literals, in one clause where their subjects or predicates are the same."""
        frames, family = self._frames, self._cast.setting.family
        clauses = {} if condition is None else {"condition": self._clause(condition)}
        if _is_same_of_two(first, second) and (family != "rules" or not _has_negation(first, second)):
            frame: str = getattr(frames, f"{kind}_same")
            return frame.format(
                first=self._clause(first).subject,
                second=self._clause(second).subject,
                suffix=self._words.person_suffix[family],
                **_predicate_words(self._clause(second)),
                **clauses,
            )
        if joined := self._join_literals(kind, first, second, condition):
            clause, suffix = joined
            if suffix:
                frame = getattr(frames, f"{kind}_joined")
                return frame.format(joined=clause, suffix=suffix, **clauses)
            return frames.conditional.format(consequence=clause, **clauses) if clauses else clause.main
        frame = getattr(frames, kind)
        return frame.format(first=self._consequence(first, condition), second=self._clause(second), **clauses)

    def _join_literals(
        self, kind: _PairKind, first: Formula, second: Formula, condition: Formula | None
    ) -> tuple[Clause, str | None] | None:
        """Return two literals in one clause and its words for "or both", if there is such a clause."""
        family = self._cast.setting.family
        form = _exclusive_form(first, second) if kind == "exclusive" else _signs(first, second)
        if family == "testimony":
            return None
        frames: JoinedLiterals = getattr(self._words.joined, family)
        if frames.not_both and _is_same_of_two(first, second) and form != "exclusive_negative":
            subject = self.join_items([self._clause(literal).subject for literal in (first, second)])
            complement = frames.not_both.complement.format(object=self._object(second))
            return Clause(subject, frames.not_both.finite, complement), None
        joined: Joined | None = getattr(frames, form, None)
        if joined is None or _subject(first) != _subject(second):
            return None
        complement = joined.complement.format(first=self._object(first), second=self._object(second))
        return self._consequence(first, condition)._replace(complement=complement), joined.suffix

    def _equivalent(self, first: Formula, second: Formula) -> str:
        first_clause, second_clause = self._clause(first), self._clause(second)
        if not _is_same_of_two(first, second):
            return self._frames.equivalent.format(first=first_clause, second=second_clause)
        opposite = self._clause(negate(second))
        return self._frames.equivalent_same.format(
            first=first_clause.subject,
            second=second_clause.subject,
            **_predicate_words(second_clause),
            opposite=_join(opposite.finite, opposite.complement),
            opposite_complement=opposite.complement,
        )

    def _conditional(self, condition: Formula, consequence: Formula) -> str:
        """Return a conditional with one or more literals in its antecedent."""
        frames = self._frames
        if isinstance(condition, And):
            clauses = [self._clause(part) for part in condition.parts]
            antecedent = _Clauses(clauses, self._words.words.conjunction)
            return frames.conditional.format(condition=antecedent, consequence=self._clause(consequence))
        frame = frames.conditional_same if _is_same_of_two(condition, consequence) else frames.conditional
        return frame.format(
            condition=self._clause(condition), consequence=self._consequence(consequence, condition)
        )

    def _consequence(self, literal: Formula, condition: Formula | None) -> Clause:
        """Return a literal as a clause, in rules with a pronoun for the person of the condition."""
        clause = self._clause(literal)
        if (
            condition is None
            or self._cast.setting.family != "rules"
            or _subject(literal) != _subject(condition)
        ):
            return clause
        return clause._replace(subject=self._words.pronoun[self._cast.gender])

    def _count(self, comparison: Comparison, number: int, parts: Sequence[Formula]) -> str:
        clauses = [self._clause(part, _form(number)) for part in parts]
        if len({clause[1:] for clause in clauses}) != 1:
            raise ValueError(f"found {', '.join(map(str, parts))}, expected the same of different persons")
        return self._frames.count.format(
            number=self._compare(comparison, number),
            names=self.join_items([clause.subject for clause in clauses]),
            **_predicate_words(clauses[0]),
        )

    def _group_count(self, comparison: Comparison, number: int, body: Formula) -> str:
        group, (literal,) = _split_group(body)
        match group, literal:
            case str(), Atom(_, (first, second)):
                return self._count_in_group(comparison, number, group, first, second)
        words = {
            "number": self._compare(comparison, number),
            **_predicate_words(self._clause(literal, _form(number))),
        }
        if group is None:
            count = self._words.numbers[self._cast.setting.n_persons - 1]
            return self._frames.count_of_all.format(count=count, **words)
        return self._frames.count_of_group.format(members=self._member(group, 2), **words)

    def _count_in_group(
        self, comparison: Comparison, number: int, group: Group, first: str, second: str
    ) -> str:
        """Return a count of the members of a group above or below a person, who may be one of them."""
        above, below = self._words.predicates.above, self._words.predicates.below
        pivot, predicate, inverse = (second, above, below) if first == VARIABLE else (first, below, above)
        counted_clause = self._predicate(VARIABLE, predicate, _form(number), other=self._name(pivot))
        words = {
            "number": self._compare(comparison, number, is_before_noun=True),
            **_predicate_words(counted_clause),
        }
        members = self._member(group, number)
        if pivot not in self._cast.setting.members(group):
            return self._frames.count_in_group.format(members=members, **words)
        other = self._words.other
        members = _join(other.singular[self._cast.gender] if number == 1 else other.plural, members)
        clause = self._predicate(pivot, inverse, "singular", other=_join(words["number"], members))
        return self._frames.count_of_others.format(pivot=clause, members=members, **words)

    def _compare(self, comparison: Comparison, number: int, is_before_noun: bool = False) -> str:
        """Return a number with its comparison, such as "at least two"."""
        one = self._words.one.article if is_before_noun else self._words.one.pronoun
        numeral = one[self._cast.gender] if number == 1 else self._words.numbers[number - 1]
        return _join(getattr(self._words.comparisons, _COMPARISON_WORDS[comparison]), numeral)

    def _overtaking(self, conditions: Sequence[Formula], upper: str) -> str:
        match conditions:
            case (Atom() as member, *exceptions, Atom(_, (_, lower))):
                frame = self._frames.overtaking_except if exceptions else self._frames.overtaking
                names = {"lower": self._name(lower), "upper": self._name(upper)}
                return frame.format(**names, **self._determiners(_as_group(member.predicate)))
        raise ValueError(f"found {', '.join(map(str, conditions))}, expected a group first")

    def _rule(self, condition: Formula, consequence: Formula) -> str:
        group, antecedents = _split_group(condition)
        frame = "rule"
        match consequence:
            case Or((Not(first), Not(second))) if group is not None:
                frame, text = "rule_against_group", self._two_traits("together", first, second)
            case Or((first, second)):
                signs = _signs(first, second)
                frame = "rule" if signs == "negative" else "disjunctive_rule"
                complement = getattr(self._words.joined.rules, signs).complement
                text = complement.format(first=self._object(first), second=self._object(second))
            case Not(trait) if group is not None:
                frame, text = "rule_against_group", self._trait(trait)
            case _:
                text = self._trait(consequence)
        words = {"condition": self._antecedent(antecedents), "consequence": text}
        if group is not None:
            words |= self._determiners(group)
            frame = frame if frame == "rule_against_group" else f"{frame}_of_group"
        sentence: str = getattr(self._frames, frame)
        return sentence.format(**words)

    def _antecedent(self, literals: Sequence[Formula]) -> str:
        """Return one or two traits of a variable, such as "musical but not thrifty"."""
        match literals:
            case (literal,):
                return self._trait(literal)
            case (first, second):
                return self._two_traits(_signs(first, second), first, second)
        raise ValueError(f"found {', '.join(map(str, literals))}, expected one or two traits")

    def _two_traits(self, form: str, first: Formula, second: Formula) -> str:
        frame: str = getattr(self._words.two_traits, form)
        return frame.format(first=self._object(first), second=self._object(second))

    def _determiners(self, group: Group) -> dict[str, str]:
        """Return the noun for a member of a group, and the articles and pronouns that agree with it."""
        words, gender = self._words, self._cast.gender
        determiners = {name: getattr(words, name)[gender] for name in ("every", "no_one", "relative")}
        return {"member": self._member(group, 1), **determiners}

    def _trait(self, literal: Formula) -> str:
        match literal:
            case Not(Atom(trait, _)):
                return _join(self._words.words.negation, self._words.traits[trait])
            case Atom(trait, _):
                return self._words.traits[trait]
        raise ValueError(f"found {literal}, expected a trait")

    def _object(self, literal: Formula) -> str:
        """Return the name of the second person of a literal, or its trait, whether it is negated or not."""
        atom = _atom(literal)
        return self._name(atom.terms[1]) if atom.predicate == ABOVE else self._words.traits[atom.predicate]

    def _clause(self, literal: Formula, form: _Form = "singular") -> Clause:
        """Return a literal as a clause; the subject of a clause about a variable is empty."""
        predicates, is_negated = self._words.predicates, isinstance(literal, Not)
        match _atom(literal):
            case Atom(predicate, (person,)) if predicate == TRUTHFUL:
                return self._predicate(person, predicates.lie if is_negated else predicates.truth, form)
            case Atom(predicate, (person, other)) if predicate == ABOVE:
                # There are no ties: who does not rank above somebody ranks below.
                rank = predicates.below if is_negated else predicates.above
                return self._predicate(person, rank, form, other=self._name(other))
            case Atom(_, (person,)):
                return self._predicate(person, predicates.trait, form, trait=self._trait(literal))
        raise ValueError(f"found {literal}, expected a fact of the family")

    def _predicate(self, person: str, predicate: Predicate, form: _Form, **words: str) -> Clause:
        subject = "" if person == VARIABLE else self._name(person)
        return Clause(subject, getattr(predicate, form), predicate.complement.format(**words))

    def _name(self, person: str) -> str:
        return self._cast.surname(person)


class _Clauses(NamedTuple):
    """Several clauses that are joined by a conjunction."""

    clauses: Sequence[Clause]
    conjunction: str

    @property
    def main(self) -> str:
        """Main clauses."""
        return f" {self.conjunction} ".join(clause.main for clause in self.clauses)

    @property
    def last(self) -> str:
        """Clauses with their verbs last."""
        return f" {self.conjunction} ".join(clause.last for clause in self.clauses)


def _as_sentence(text: str) -> str:
    return f"{english.capitalize_first(text)}."


def _predicate_words(clause: Clause) -> dict[str, str]:
    predicate = _join(clause.finite, clause.complement)
    return {"predicate": predicate, "finite": clause.finite, "complement": clause.complement}


def _form(number: int) -> _Form:
    return "singular" if number == 1 else "plural"


def _atom(literal: Formula) -> Atom:
    match literal:
        case Atom():
            return literal
        case Not(Atom() as atom):
            return atom
        case _:
            raise ValueError(f"found {literal}, expected an atom or its negation")


def _subject(literal: Formula) -> str:
    return _atom(literal).terms[0]


def _has_negation(*literals: Formula) -> bool:
    return any(isinstance(literal, Not) for literal in literals)


def _signs(first: Formula, second: Formula) -> _Signs:
    """Return the signs of two literals.

    Raises:
        ValueError: if only the first is negated: its "not" could be taken to reach over both.
    """
    if not _has_negation(first):
        return "mixed" if _has_negation(second) else "affirmative"
    if not _has_negation(second):
        raise ValueError(f"found {first} before {second}, expected the affirmative literal first")
    return "negative"


def _exclusive_form(first: Formula, second: Formula) -> str:
    """Return the name of the clause of two literals of which one is true, by their signs."""
    n_negations = sum(map(_has_negation, (first, second)))
    return ("exclusive", "", "exclusive_negative")[n_negations]


def _is_same_of_two(first: Formula, second: Formula) -> bool:
    """Whether two literals say the same of two persons."""
    first_atom, second_atom = _atom(first), _atom(second)
    return (
        _subject(first) != _subject(second)
        and _has_negation(first) == _has_negation(second)
        and (first_atom.predicate, *first_atom.terms[1:]) == (second_atom.predicate, *second_atom.terms[1:])
    )


def _as_group(predicate: str) -> Group:
    return GROUPS[GROUPS.index(predicate)]


def _split_group(condition: Formula) -> tuple[Group | None, Sequence[Formula]]:
    """Return the group of a condition, if it has one, and its literals."""
    parts = condition.parts if isinstance(condition, And) else (condition,)
    match parts:
        case (Atom(predicate, _), *literals) if predicate in GROUPS:
            return _as_group(predicate), literals
        case _:
            return None, parts
