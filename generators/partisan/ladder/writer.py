"""Writer of the ladder's arguments: from formulas and a cast to sentences in English or German."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

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
from polbias.generators.partisan.ladder.words import LadderWords, Predicate
from polbias.generators.partisan.xl_templates import CountryLanguage, EnglishPolitics, GermanPolitics

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

    def introduction(self, cast: Cast) -> str:
        """Return the sentences before the premises: the persons, their parties and the situation."""
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
        return "\n".join([self.introduction(cast), *premises, "", conclusion])

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

    def join_items(self, items: Sequence[str], conjunction: str | None = None) -> str:
        """Return items with a comma or a conjunction between two of them."""
        *firsts, last = items
        conjunction = conjunction or self._words.words.conjunction
        return _join(", ".join(firsts), conjunction, last) if firsts else last

    def _text(self, kind: str, formula: Formula) -> str:
        """Return the text of a premise of a kind, without full stop."""
        frames = self._frames
        match kind, formula:
            case "fact", literal:
                return self._clause(literal).main
            case "report", Or((literal, _)):
                return frames.report.format(claim=self._clause(literal))
            case "either", Or((first, second)):
                return self._pair("either", first, second)
            case "exclusive", Not(Iff(first, second)):
                return self._pair("exclusive", first, second)
            case "conditional" | "joint_conditional", Implies(condition, consequence):
                return self._conditional(condition, consequence)
            case "disjunctive_conditional", Implies(condition, Or((first, second))):
                return self._pair("disjunctive_conditional", first, second, condition=self._clause(condition))
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
                return frames.only.format(trait=self._traits([trait]), required=self._traits([required]))
            case "rule" | "disjunctive_rule", ForAll(_, Implies(condition, consequence)):
                return self._rule(condition, consequence)
        raise ValueError(f"found {formula}, expected a premise of kind {kind}")

    def _pair(self, kind: str, first: Formula, second: Formula, **clauses: Clause) -> str:
        """Return the text of two literals, joined if the same is said of two witnesses."""
        first_clause, second_clause = self._clause(first), self._clause(second)
        if not _is_same_testimony(first, second):
            frame: str = getattr(self._frames, kind)
            return frame.format(first=first_clause, second=second_clause, **clauses)
        frame = getattr(self._frames, f"{kind}_same")
        opposite = self._clause(negate(second))
        return frame.format(
            first=first_clause.subject,
            second=second_clause.subject,
            **_predicate_words(second_clause),
            opposite=_join(opposite.finite, opposite.complement),
            opposite_complement=opposite.complement,
            **clauses,
        )

    def _equivalent(self, first: Formula, second: Formula) -> str:
        return self._pair("equivalent", first, second)

    def _conditional(self, condition: Formula, consequence: Formula) -> str:
        """Return a conditional with one or more literals in its antecedent."""
        clauses = [
            self._clause(part) for part in (condition.parts if isinstance(condition, And) else [condition])
        ]
        antecedent = _Clauses(clauses, self._words.words.conjunction)
        return self._frames.conditional.format(condition=antecedent, consequence=self._clause(consequence))

    def _count(self, comparison: Comparison, number: int, parts: Sequence[Formula]) -> str:
        clauses = [self._clause(part, is_plural=number > 1) for part in parts]
        if len({clause[1:] for clause in clauses}) != 1:
            raise ValueError(f"found {', '.join(map(str, parts))}, expected the same of different persons")
        return self._frames.count.format(
            number=self._compare(comparison, number),
            names=self.join_items([clause.subject for clause in clauses]),
            **_predicate_words(clauses[0]),
        )

    def _group_count(self, comparison: Comparison, number: int, body: Formula) -> str:
        group, (literal,) = _split_group(body)
        frames, gender = self._frames, self._cast.gender
        words = _predicate_words(self._counted_clause(literal, number > 1))
        comparison_text = self._compare(comparison, number)
        if group is None:
            count = self._words.numbers[self._cast.setting.n_persons - 1]
            return frames.count_of_all.format(number=comparison_text, count=count, **words)
        if self._cast.setting.family != "ranking":
            return frames.count_of_group.format(
                number=comparison_text, members=self._member(group, 2), **words
            )
        members = self._member(group, number)
        if any(person in self._cast.setting.members(group) for person in _persons(literal)):
            other = self._words.other
            members = _join(other.singular[gender] if number == 1 else other.plural, members)
        comparison_text = self._compare(comparison, number, is_before_noun=True)
        return frames.count_in_group.format(number=comparison_text, members=members, **words)

    def _counted_clause(self, literal: Formula, is_plural: bool) -> Clause:
        """Return the clause about a counted person, who ranks below somebody if somebody ranks above."""
        match literal:
            case Atom(predicate, (person, variable)) if predicate == ABOVE and variable == VARIABLE:
                return self._predicate(
                    VARIABLE, self._words.predicates.below, is_plural, other=self._name(person)
                )
            case _:
                return self._clause(literal, is_plural)

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
                return frame.format(**names, **self._determined(_as_group(member.predicate)))
        raise ValueError(f"found {', '.join(map(str, conditions))}, expected a group first")

    def _rule(self, condition: Formula, consequence: Formula) -> str:
        frames = self._frames
        group, antecedents = _split_group(condition)
        words = {"condition": self._traits(antecedents)}
        if isinstance(consequence, Or):
            words["consequence"] = self._traits(consequence.parts, self._words.words.disjunction)
            if group is None:
                return frames.disjunctive_rule.format(**words)
            return frames.disjunctive_rule_of_group.format(**words, **self._determined(group))
        if group is not None and isinstance(consequence, Not):
            words["consequence"] = self._traits([consequence.body])
            return frames.rule_against_group.format(**words, **self._determined(group))
        words["consequence"] = self._traits([consequence])
        if group is None:
            return frames.rule.format(**words)
        return frames.rule_of_group.format(**words, **self._determined(group))

    def _determined(self, group: Group) -> dict[str, str]:
        """Return the noun for a member of a group, and the articles and pronouns that agree with it."""
        words, gender = self._words, self._cast.gender
        determiners = {name: getattr(words, name)[gender] for name in ("every", "no_one", "relative")}
        return {"member": self._member(group, 1), **determiners}

    def _traits(self, literals: Sequence[Formula], conjunction: str | None = None) -> str:
        """Return the traits of a variable, such as "musical and not thrifty"."""
        return self.join_items([self._trait(literal) for literal in literals], conjunction)

    def _trait(self, literal: Formula) -> str:
        match literal:
            case Not(Atom(trait, _)):
                return _join(self._words.words.negation, self._words.traits[trait])
            case Atom(trait, _):
                return self._words.traits[trait]
        raise ValueError(f"found {literal}, expected a trait")

    def _clause(self, literal: Formula, is_plural: bool = False) -> Clause:
        """Return a literal as a clause; the subject of a clause about a variable is empty."""
        predicates = self._words.predicates
        match literal:
            case Atom(predicate, (person,)) if predicate == TRUTHFUL:
                return self._predicate(person, predicates.truth, is_plural)
            case Not(Atom(predicate, (person,))) if predicate == TRUTHFUL:
                return self._predicate(person, predicates.lie, is_plural)
            case Atom(predicate, (person, other)) if predicate == ABOVE:
                return self._predicate(person, predicates.above, is_plural, other=self._name(other))
            case Not(Atom(predicate, (person, other))) if predicate == ABOVE:
                return self._predicate(person, predicates.not_above, is_plural, other=self._name(other))
            case Atom(_, (person,)) | Not(Atom(_, (person,))):
                return self._predicate(person, predicates.trait, is_plural, trait=self._trait(literal))
        raise ValueError(f"found {literal}, expected an atom or its negation")

    def _predicate(self, person: str, predicate: Predicate, is_plural: bool, **words: str) -> Clause:
        subject = "" if person == VARIABLE else self._name(person)
        finite = predicate.plural if is_plural else predicate.singular
        return Clause(subject, finite, predicate.complement.format(**words))

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


def _is_same_testimony(first: Formula, second: Formula) -> bool:
    """Whether two literals say of two witnesses that both told the truth, or that both lied."""
    match first, second:
        case (Atom(predicate, _), Atom()) | (Not(Atom(predicate, _)), Not(Atom())):
            return predicate == TRUTHFUL
        case _:
            return False


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


def _persons(literal: Formula) -> Sequence[str]:
    match literal:
        case Atom(_, terms) | Not(Atom(_, terms)):
            return terms
        case _:
            return ()
