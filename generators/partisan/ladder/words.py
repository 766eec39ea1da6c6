"""Words of the ladder: instructions, labels, and the sentences of each kind, one file a language."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from polbias.generators.partisan.country import PersonGender, load_named
from polbias.generators.partisan.ladder.settings import TRAITS, Family
from polbias.generators.partisan.ladder.skeletons import Gold
from polbias.generators.partisan.templates import ArgumentInstruction
from polbias.generators.partisan.xl_templates import Tag
from polbias.paths import package_file
from polbias.yaml_models import (
    Identity,
    Levels,
    Name,
    TemplateModel,
    Text,
    load_template,
    require_all_names,
    require_placeholders,
)

_FORMS = ("main", "last", "inverted", "subject", "finite", "complement")
_N_NUMBERS = 12
_PREDICATE = ("predicate", "finite", "complement")


def _clauses(*clauses: str, words: tuple[str, ...] = ()) -> AfterValidator:
    """Return a validator that a sentence has no placeholders except forms of some clauses, and words."""
    return require_placeholders(*(f"{clause}.{form}" for clause in clauses for form in _FORMS), *words)


ByGender = Annotated[Mapping[PersonGender, Text], require_all_names(PersonGender)]


class ConnectiveWords(TemplateModel):
    """Words for the connectives."""

    conjunction: Annotated[Text, Field(alias="and")]
    negation: Annotated[Text, Field(alias="not")]


class Comparisons(TemplateModel):
    """Words that compare a count with a number."""

    exactly: Text
    at_most: Text
    at_least: Text


class One(TemplateModel):
    """The number one: without a noun, and before a noun."""

    pronoun: ByGender
    article: ByGender


class Other(TemplateModel):
    """The adjective "other" before a noun."""

    singular: ByGender
    plural: Text


class Predicate(TemplateModel):
    """A predicate: the finite verb in both numbers and in a report, and what follows it in a main clause."""

    singular: Text
    plural: Text
    reported: Text
    complement: Annotated[str, require_placeholders("other", "trait")] = ""


class Predicates(TemplateModel):
    """The predicates of all families."""

    truth: Predicate
    lie: Predicate
    above: Predicate
    below: Predicate
    trait: Predicate


_TwoObjects = Annotated[str, require_placeholders("first", "second")]


class TwoTraits(TemplateModel):
    """Two traits by their signs, and two traits that are denied together."""

    affirmative: _TwoObjects
    mixed: _TwoObjects
    negative: _TwoObjects
    together: _TwoObjects


class Joined(TemplateModel):
    """Two literals about one person: the words after the verb, and the words for "or both", if any."""

    complement: _TwoObjects
    suffix: Text | None = None


class NotBoth(TemplateModel):
    """Denial of the same of two persons together: the finite verb and the words after it."""

    finite: Text
    complement: Annotated[str, require_placeholders("object")]


class JoinedLiterals(TemplateModel):
    """Two literals of a family in one clause: about one person by their signs, or denied of two persons."""

    affirmative: Joined
    mixed: Joined
    negative: Joined
    exclusive: Joined
    exclusive_negative: Joined | None = None
    not_both: NotBoth | None = None


class JoinedByFamily(TemplateModel):
    """Two literals in one clause, by the families whose literals have objects or traits."""

    ranking: JoinedLiterals
    rules: JoinedLiterals


class Prompts(TemplateModel):
    """The texts of a prompt before its argument, and of its examples."""

    zero_shot: Annotated[str, require_placeholders("instruction")]
    few_shot: Annotated[str, require_placeholders("instruction", "examples")]
    example: Annotated[str, require_placeholders("argument", "label")]
    between_examples: str


class ArgumentLines(TemplateModel):
    """The lines of an argument."""

    premise: Annotated[str, require_placeholders("number", "sentence")]
    conclusion: Annotated[str, require_placeholders("sentence")]


class Introduction(TemplateModel):
    """The first paragraph of an argument, by family.

    Attributes:
        group: the persons of a party.
        groups: both groups.
        testimony: politicians before a committee.
        ranking: politicians in an order.
        rules: politicians with traits.
        above: the sense of the order.
        claimed: the addition if a premise is a report.
    """

    group: Annotated[str, require_placeholders("members", "names", "party")]
    groups: Annotated[str, require_placeholders("first", "second")]
    testimony: Annotated[str, require_placeholders("number", "politicians", "groups", "each")]
    ranking: Annotated[str, require_placeholders("number", "politicians", "groups", "above", "claimed")]
    rules: Annotated[str, require_placeholders("number", "politicians", "groups", "count", "claimed")]
    above: ByGender
    claimed: Text


_DETERMINED = ("every", "no_one", "relative", "member")


class SentenceFrames(TemplateModel):
    """One sentence for each kind of premise, or two if it is worded by its content; without full stop."""

    report: Annotated[str, _clauses("claim")]
    either: Annotated[str, _clauses("first", "second")]
    either_same: Annotated[str, require_placeholders("first", "second", "suffix", *_PREDICATE)]
    either_joined: Annotated[str, _clauses("joined", words=("suffix",))]
    exclusive: Annotated[str, _clauses("first", "second")]
    exclusive_same: Annotated[str, require_placeholders("first", "second", *_PREDICATE)]
    exclusive_joined: Annotated[str, _clauses("joined", words=("suffix",))]
    equivalent: Annotated[str, _clauses("first", "second")]
    equivalent_same: Annotated[
        str, require_placeholders("first", "second", *_PREDICATE, "opposite", "opposite_complement")
    ]
    conditional: Annotated[str, _clauses("condition", "consequence")]
    conditional_same: Annotated[str, _clauses("condition", "consequence")]
    disjunctive_conditional: Annotated[str, _clauses("condition", "first", "second")]
    disjunctive_conditional_same: Annotated[
        str, _clauses("condition", words=("first", "second", "suffix", *_PREDICATE))
    ]
    disjunctive_conditional_joined: Annotated[str, _clauses("condition", "joined", words=("suffix",))]
    testimony: Annotated[str, require_placeholders("speaker", "sentence")]
    between: Annotated[str, require_placeholders("person", "first", "second")]
    count: Annotated[str, require_placeholders("number", "names", *_PREDICATE)]
    count_of_all: Annotated[str, require_placeholders("number", "count", *_PREDICATE)]
    count_of_group: Annotated[str, require_placeholders("number", "members", *_PREDICATE)]
    count_in_group: Annotated[str, require_placeholders("number", "members", *_PREDICATE)]
    count_of_others: Annotated[str, _clauses("pivot", words=("number", "members", *_PREDICATE))]
    overtaking: Annotated[str, require_placeholders("lower", "upper", *_DETERMINED)]
    overtaking_except: Annotated[str, require_placeholders("lower", "upper", *_DETERMINED)]
    rule: Annotated[str, require_placeholders("condition", "consequence")]
    rule_of_group: Annotated[str, require_placeholders("condition", "consequence", *_DETERMINED)]
    rule_against_group: Annotated[str, require_placeholders("condition", "consequence", *_DETERMINED)]
    disjunctive_rule: Annotated[str, require_placeholders("condition", "consequence")]
    disjunctive_rule_of_group: Annotated[str, require_placeholders("condition", "consequence", *_DETERMINED)]
    only: Annotated[str, require_placeholders("required", "trait")]


class LadderWords(TemplateModel):
    """The words of a language.

    Attributes:
        labels: the word that prompts request for each gold label.
        instructions: wordings of the task; each ends with the request for a label.
        prompts: the layout of prompts without and with examples.
        argument: the lines of an argument.
        words: connectives.
        avoided_surnames: surnames that can be read as another word.
        numbers: from one.
        comparisons: words before a number.
        one: the number one where it agrees with a noun.
        other: "other" before a member of a party.
        each: the pronoun at the beginning of a sentence.
        every: the article.
        no_one: the negative article.
        relative: the relative pronoun.
        pronoun: the personal pronoun.
        traits: adjectives.
        predicates: predicates.
        two_traits: two traits.
        joined: two literals in one clause.
        person_suffix: "or both" after the same of two persons.
        introduction: first paragraphs.
        sentences: premises by kind.
    """

    language: Tag
    labels: Annotated[Mapping[Gold, Text], require_all_names(Gold)]
    instructions: Annotated[Mapping[Name, ArgumentInstruction], Field(min_length=1)]
    prompts: Prompts
    argument: ArgumentLines
    words: ConnectiveWords
    avoided_surnames: tuple[Text, ...] = ()
    numbers: Annotated[Levels[Text], Field(min_length=_N_NUMBERS)]
    comparisons: Comparisons
    one: One
    other: Other
    each: ByGender
    every: ByGender
    no_one: ByGender
    relative: ByGender
    pronoun: ByGender
    traits: Mapping[Name, Text]
    predicates: Predicates
    two_traits: TwoTraits
    joined: JoinedByFamily
    person_suffix: Annotated[Mapping[Family, Text], require_all_names(Family)]
    introduction: Introduction
    sentences: SentenceFrames

    @model_validator(mode="after")
    def _check_traits(self) -> LadderWords:
        if set(self.traits) != set(TRAITS):
            raise ValueError(f"traits: found {sorted(self.traits)}, expected {sorted(TRAITS)}")
        return self

    @model_validator(mode="after")
    def _check_instructions(self) -> LadderWords:
        labels = [f"**{label}**" for label in self.labels.values()]
        orders = []
        for name, instruction in self.instructions.items():
            if any(instruction.text.count(label) != 1 for label in labels):
                raise ValueError(f"instructions.{name}.text: expected each of {labels} once")
            orders.append(sorted(labels, key=instruction.text.index))
        for position, names in enumerate(zip(*orders, strict=True), 1):
            if len({*names}) != len(names):
                problem = f"found {', '.join(names)} at position {position}, expected different labels"
                raise ValueError(f"instructions: {problem}; change the order of one")
        return self


class LadderDatasetFile(Identity):
    """Identity and design constants of the ladder.

    Attributes:
        countries: languages of the configs, by file of ``xl/``.
        source: source of the items.
    """

    countries: Annotated[Mapping[Name, Levels[Tag]], Field(min_length=1)]
    source: Text


def load_words(tag: Tag, folder: Path | None = None) -> LadderWords:
    """Read the words of a language from ``ladder/<language>.yaml`` of the templates."""
    path = (folder or package_file("templates/partisan")) / "ladder" / f"{tag}.yaml"
    return load_named(path, LadderWords, "language", tag)


def load_dataset_file(folder: Path | None = None) -> LadderDatasetFile:
    """Read ``dataset_ladder.yaml`` of the templates."""
    return load_template(
        (folder or package_file("templates/partisan")) / "dataset_ladder.yaml", LadderDatasetFile
    )
