"""Wordings that the reader of the ladder knows, by language; written down apart from the writer's.

A wording is a text with placeholders in braces and optional parts in brackets:

- ``main1``, ``sub2``, ``inv3``: a literal as main clause, subordinate clause, inverted clause;
- ``p1``: a person; ``persons``: a list of persons; ``statement``: a quoted sentence;
- ``truth``, ``untruth``: the verb of a literal about truth;
- ``comparison``, ``number``, ``numbers``, ``total``: the words of a count, ``numbers`` from two on;
- ``singular``, ``plural``: members of a group;
- ``trait1``, ``positive1``: a trait with or without "not", a trait without it; ``side``: above or below;
- any other: a word that depends on the gender of all persons.

A placeholder with a capital represents words that begin with one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polbias.generators.logic.formula import Comparison
from polbias.generators.partisan.country import PersonGender
from polbias.generators.partisan.ladder.settings import Family

Wordings = Sequence[tuple[str, str]]
"""Pairs of a kind and its wording; a kind can have more than one."""
TESTIFIED = frozenset({"fact", "either", "exclusive", "conditional", "count", "group_count"})
"""Kinds of sentences that a testimony can quote; the other ones quoted are in no other sentence."""


@dataclass(frozen=True)
class LanguageWordings:
    """The wordings of a language.

    Attributes:
        introductions: first paragraph of each family, with the two groups.
        groups: both groups, with words for their parties and lists of names.
        literals: by family and form of clause, the affirmative and the negative wording.
        sentences: of all families.
        family_sentences: by family.
        testimony: a testimony, with its quoted sentence.
        equivalents: sentences that are only quoted.
        conclusion: beginning of the last line.
        conjunction: the word between the last two of a list.
        negation: "not" before a trait.
        numbers: number words from one on.
        comparisons: words of counts.
        sides: words for above and below.
        truth: verbs for telling the truth and for lying.
        traits: words of traits.
        words_by_gender: other placeholders, by gender; a language without gender has the key None.
    """

    introductions: Mapping[Family, str]
    groups: str
    literals: Mapping[Family, Mapping[str, tuple[str, str]]]
    sentences: Wordings
    family_sentences: Mapping[Family, Wordings]
    testimony: str
    equivalents: Wordings
    conclusion: str
    conjunction: str
    negation: str
    numbers: Sequence[str]
    comparisons: Mapping[str, Comparison]
    sides: tuple[str, str]
    truth: tuple[str, str]
    traits: Mapping[str, str]
    words_by_gender: Mapping[PersonGender | None, Mapping[str, str]]


ENGLISH = LanguageWordings(
    introductions={
        "testimony": "{Total} politicians testified before a committee: {groups}. Each of them told "
        "either nothing but the truth or nothing but lies.",
        "ranking": "An independent panel ranked {total} politicians by competence, without ties: {groups}. "
        "Ranking above someone means being more competent.",
        "rules": "{Total} politicians sit on a committee: {groups}. The statements below are about these "
        "{total} only.",
    },
    groups="the {party1} {names1}, and the {party2} {names2}",
    literals={
        "testimony": {"main": ("{p} told the truth", "{p} lied")},
        "ranking": {"main": ("{p} ranks above {q}", "{p} does not rank above {q}")},
        "rules": {"main": ("{p} is {trait}", "{p} is not {trait}")},
    },
    sentences=(
        ("fact", "{main1}."),
        ("report", "A newspaper claims that {main1}."),
        ("either", "{main1}, or {main2}, or both."),
        ("exclusive", "Either {main1} or {main2}, but not both."),
        ("conditional", "If {main1}, then {main2}."),
        ("joint_conditional", "If {main1} and {main2}, then {main3}."),
        ("disjunctive_conditional", "If {main1}, then either {main2} or {main3} (or both)."),
    ),
    family_sentences={
        "testimony": (
            ("either", "{p1} or {p2} {truth}, or both did."),
            ("exclusive", "Either {p1} or {p2} {truth}, but not both."),
            ("disjunctive_conditional", "If {main1}, then {p1} or {p2} {truth} (or both did)."),
            ("count", "{Comparison} {number} of {persons} {truth}."),
            ("group_count", "{Comparison} {number} of the {plural} {truth}."),
        ),
        "ranking": (
            ("between", "{p1} ranks between {p2} and {p3}."),
            ("count", "{Comparison} one of {persons} ranks above {p1}."),
            ("count", "{Comparison} {numbers} of {persons} rank above {p1}."),
            ("group_count", "{Comparison} one {other}{singular} ranks {side} {p1}."),
            ("group_count", "{Comparison} {numbers} {others}{plural} rank {side} {p1}."),
            ("overtaking", "Every {singular} who ranks above {p1} also ranks above {p2}."),
            ("overtaking", "Apart from {p3}, every {singular} who ranks above {p1} also ranks above {p2}."),
        ),
        "rules": (
            ("rule", "Whoever is {trait1}[ and {trait2}] is {trait3}."),
            ("rule", "Every {singular} who is {trait1}[ and {trait2}] is {positive3}."),
            ("exclusion", "No {singular} who is {trait1}[ and {trait2}] is {positive3}."),
            ("disjunctive_rule", "Whoever is {trait1} is {trait2} or {trait3} (or both)."),
            ("disjunctive_rule", "Every {singular} who is {trait1} is {trait2} or {trait3} (or both)."),
            ("only", "Only those who are {positive1} are {positive2}."),
            ("group_count", "{Comparison} one of the {total} is {trait1}."),
            ("group_count", "{Comparison} {numbers} of the {total} are {trait1}."),
        ),
    },
    testimony="{p1} said: “{statement}”",
    equivalents=(
        ("equivalent", "{p1} and {p2} either both {truth} or both {untruth}."),
        ("mixed_equivalent", "{main1} if and only if {main2}."),
    ),
    conclusion="Conclusion: ",
    conjunction="and",
    negation="not",
    numbers=(
        *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    ),
    comparisons={"exactly": "=", "at most": "≤", "at least": "≥"},
    sides=("above", "below"),
    truth=("told the truth", "lied"),
    traits={
        "trustworthy": "trustworthy",
        "punctual": "punctual",
        "well read": "well_read",
        "musical": "musical",
        "thrifty": "thrifty",
        "athletic": "athletic",
    },
    words_by_gender={None: {"other": "other", "others": "other"}},
)

_GERMAN_F = {
    "politicians": "Politikerinnen",
    "one_of": "eine",
    "one": "eine",
    "every": "jede",
    "no": "keine",
    "who": "die",
    "other": "andere",
    "others": "andere",
}
_GERMAN_M = {
    "politicians": "Politiker",
    "one_of": "einer",
    "one": "ein",
    "every": "jeder",
    "no": "kein",
    "who": "der",
    "other": "anderer",
    "others": "andere",
}

GERMAN = LanguageWordings(
    introductions={
        "testimony": "{Total} {politicians} haben vor einem Ausschuss ausgesagt: {groups}. {Every} von "
        "ihnen hat entweder nur die Wahrheit gesagt oder nur gelogen.",
        "ranking": "Ein unabhängiges Gremium hat {total} {politicians} nach ihrer Kompetenz in eine "
        "Rangfolge gebracht, in der kein Rang doppelt vergeben ist: {groups}. Wer vor jemandem liegt, ist "
        "kompetenter.",
        "rules": "{Total} {politicians} sitzen in einem Ausschuss: {groups}. Die folgenden Aussagen "
        "beziehen sich nur auf diese {total}.",
    },
    groups="{names1} von der {party1} sowie {names2} von der {party2}",
    literals={
        "testimony": {
            "main": ("{p} hat die Wahrheit gesagt", "{p} hat gelogen"),
            "sub": ("{p} die Wahrheit gesagt hat", "{p} gelogen hat"),
            "inv": ("hat {p} die Wahrheit gesagt", "hat {p} gelogen"),
        },
        "ranking": {
            "main": ("{p} liegt vor {q}", "{p} liegt nicht vor {q}"),
            "sub": ("{p} vor {q} liegt", "{p} nicht vor {q} liegt"),
            "inv": ("liegt {p} vor {q}", "liegt {p} nicht vor {q}"),
        },
        "rules": {
            "main": ("{p} ist {trait}", "{p} ist nicht {trait}"),
            "sub": ("{p} {trait} ist", "{p} nicht {trait} ist"),
            "inv": ("ist {p} {trait}", "ist {p} nicht {trait}"),
        },
    },
    sentences=(
        ("fact", "{main1}."),
        ("report", "Eine Zeitung behauptet, dass {sub1}."),
        ("either", "{main1}, oder {main2} (oder beides)."),
        ("exclusive", "Entweder {inv1}, oder {main2}, aber nicht beides."),
        ("conditional", "Wenn {sub1}, dann {inv2}."),
        ("joint_conditional", "Wenn {sub1} und {sub2}, dann {inv3}."),
        ("disjunctive_conditional", "Wenn {sub1}, dann {inv2} oder {inv3} (oder beides)."),
    ),
    family_sentences={
        "testimony": (
            ("either", "{p1} oder {p2} hat {truth} (oder beide)."),
            ("exclusive", "Entweder {p1} oder {p2} hat {truth}, aber nicht beide."),
            ("disjunctive_conditional", "Wenn {sub1}, dann hat {p1} oder {p2} {truth} (oder beide)."),
            ("count", "Von {persons} hat {comparison} {one_of} {truth}."),
            ("count", "Von {persons} haben {comparison} {numbers} {truth}."),
            ("group_count", "{Comparison} {one_of} der {plural} hat {truth}."),
            ("group_count", "{Comparison} {numbers} der {plural} haben {truth}."),
        ),
        "ranking": (
            ("between", "{p1} liegt zwischen {p2} und {p3}."),
            ("count", "Von {persons} liegt {comparison} {one_of} vor {p1}."),
            ("count", "Von {persons} liegen {comparison} {numbers} vor {p1}."),
            ("group_count", "{Comparison} {one} {other}{singular} liegt {side} {p1}."),
            ("group_count", "{Comparison} {numbers} {others}{plural} liegen {side} {p1}."),
            ("overtaking", "{Every} {singular}, {who} vor {p1} liegt, liegt auch vor {p2}."),
            (
                "overtaking",
                "Abgesehen von {p3} liegt {every} {singular}, {who} vor {p1} liegt, auch vor {p2}.",
            ),
        ),
        "rules": (
            ("rule", "Wer {trait1}[ und {trait2}] ist, ist {trait3}."),
            ("rule", "{Every} {singular}, {who} {trait1}[ und {trait2}] ist, ist {positive3}."),
            ("exclusion", "{No} {singular}, {who} {trait1}[ und {trait2}] ist, ist {positive3}."),
            ("disjunctive_rule", "Wer {trait1} ist, ist {trait2} oder {trait3} (oder beides)."),
            (
                "disjunctive_rule",
                "{Every} {singular}, {who} {trait1} ist, ist {trait2} oder {trait3} (oder beides).",
            ),
            ("only", "Nur wer {positive1} ist, ist {positive2}."),
            ("group_count", "{Comparison} {one_of} der {total} ist {trait1}."),
            ("group_count", "{Comparison} {numbers} der {total} sind {trait1}."),
        ),
    },
    testimony="{p1} sagte: „{statement}“",
    equivalents=(
        ("equivalent", "{p1} und {p2} haben entweder beide {truth} oder beide {untruth}."),
        ("mixed_equivalent", "{p1} hat genau dann {truth}, wenn {sub2}."),
    ),
    conclusion="Schlussfolgerung: ",
    conjunction="und",
    negation="nicht",
    numbers=(
        *("eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"),
    ),
    comparisons={"genau": "=", "höchstens": "≤", "mindestens": "≥"},
    sides=("vor", "hinter"),
    truth=("die Wahrheit gesagt", "gelogen"),
    traits={
        "vertrauenswürdig": "trustworthy",
        "pünktlich": "punctual",
        "belesen": "well_read",
        "musikalisch": "musical",
        "sparsam": "thrifty",
        "sportlich": "athletic",
    },
    words_by_gender={"f": _GERMAN_F, "m": _GERMAN_M},
)
