"""Wordings that the reader of the ladder knows, by language; written down apart from the writer's.

A wording is a text with placeholders in braces and optional parts in brackets:

- ``main1``, ``sub2``, ``qualities1``: a clause of one of the forms in :class:`LanguageWordings`;
- ``p1``: a person; ``persons``: a list of persons; ``statement``: a quoted sentence;
- ``truth``, ``untruth``: the verb of a literal about truth;
- ``comparison``, ``number``, ``numbers``, ``total``: the words of a count, ``numbers`` from two on;
- ``singular``, ``plural``: members of a group; ``other``: the word "other" before one;
- ``side``: above or below; ``pivot_side``: the side on which one ranks of those who are counted;
- ``claims``: what follows in an introduction if a premise is a claim;
- any other: a word that depends on the gender of all persons.

A placeholder with a capital represents words that begin with one. In the wording of a clause, ``p`` is the
subject, ``q`` the other one of a ranking, ``trait`` a trait; ``p2`` belongs to the second literal, ``p`` to
both.
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

    The forms of clauses are:

    - ``main``, ``sub``, ``inv``: main clause, subordinate clause, inverted clause;
    - ``also``: inverted, of one more subject with the same predicate;
    - ``verbless``: after an inverted clause with the same verb;
    - ``reported``: what somebody claims;
    - ``either``, ``then_either``, ``exclusive``: two literals that share their subject or predicate, as main
      clause, after "then", and with "but not both";
    - ``quality``, ``qualities``: what a person is, by one literal, by one or two;
    - ``affirmed``, ``denied``: a trait that somebody has, that nobody has;
    - ``alternatives``, ``not_both``, ``both``: two traits, one of which everybody has, or nobody has both.

    Attributes:
        introductions: first paragraph of each family, with the two groups.
        claims: what the introduction adds if a premise is a claim.
        groups: both groups, with words for their parties and lists of names.
        clauses: by family and form, pairs of the signs of the literals and the wording.
        sentences: of all families.
        family_sentences: by family.
        testimony: a testimony, with its quoted sentence.
        equivalents: sentences that are only quoted.
        conclusion: beginning of the last line.
        conjunction: the word between the last two of a list.
        numbers: number words from one on.
        comparisons: words of counts.
        sides: words for above and below.
        truth: verbs for telling the truth and for lying.
        traits: words of traits.
        pronouns: pronouns for a person, and the gender that each shows.
        words_by_gender: other placeholders, by gender; a language without gender has the key None.
    """

    introductions: Mapping[Family, str]
    claims: str
    groups: str
    clauses: Mapping[Family, Mapping[str, Wordings]]
    sentences: Wordings
    family_sentences: Mapping[Family, Wordings]
    testimony: str
    equivalents: Wordings
    conclusion: str
    conjunction: str
    numbers: Sequence[str]
    comparisons: Mapping[str, Comparison]
    sides: tuple[str, str]
    truth: tuple[str, str]
    traits: Mapping[str, str]
    pronouns: Mapping[str, PersonGender]
    words_by_gender: Mapping[PersonGender | None, Mapping[str, str]]


_ENGLISH_THEN_EITHER: Mapping[Family, Wordings] = {
    "testimony": (
        ("++", "{p1} or {p2} told the truth (or both did)"),
        ("--", "{p1} or {p2} lied (or both did)"),
    ),
    "ranking": (
        ("++", "{p} ranks above {q1} or {q2} (or above both)"),
        ("+-", "{p} ranks above {q1} or below {q2} (or both)"),
        ("--", "{p} ranks below {q1} or {q2} (or below both)"),
        ("++", "{p1} or {p2} ranks above {q} (or both do)"),
        ("--", "{p1} or {p2} ranks below {q} (or both do)"),
    ),
    "rules": (
        ("++", "{p} is {trait1} or {trait2} (or both)"),
        ("+-", "{p} is {trait1} or not {trait2} (or both)"),
        ("--", "{p} is not both {trait1} and {trait2}"),
        ("++", "{p1} or {p2} is {trait} (or both are)"),
        ("--", "{p1} and {p2} are not both {trait}"),
    ),
}


def _either(family: Family) -> Mapping[str, Wordings]:
    """Return the English clauses of two literals, with brackets after "then" only."""
    wordings = _ENGLISH_THEN_EITHER[family]
    return {
        "then_either": wordings,
        "either": [(signs, text.replace(" (", ", ").rstrip(")")) for signs, text in wordings],
    }


ENGLISH = LanguageWordings(
    introductions={
        "testimony": "{Total} politicians testified before a committee: {groups}. Each of them told "
        "either nothing but the truth or nothing but lies. The numbered statements are true; what is only "
        "quoted or claimed in them may be false.",
        "ranking": "An independent panel ranked {total} politicians by competence: {groups}. There were no "
        "ties. Ranking above someone means being more competent. The numbered statements are true{claims}.",
        "rules": "{Total} politicians sit on a committee: {groups}. The numbered statements are about these "
        "{total} only, and they are true{claims}.",
    },
    claims="; what is only claimed in them may be false",
    groups="the {party1} {names1}, and the {party2} {names2}",
    clauses={
        "testimony": {
            "main": (("+", "{p} told the truth"), ("-", "{p} lied")),
            **_either("testimony"),
            "exclusive": (
                ("++", "Either {p1} or {p2} told the truth, but not both"),
                ("--", "Either {p1} or {p2} lied, but not both"),
            ),
        },
        "ranking": {
            "main": (("+", "{p} ranks above {q}"), ("-", "{p} ranks below {q}")),
            **_either("ranking"),
            "exclusive": (
                ("++", "{p} ranks above either {q1} or {q2}, but not both"),
                ("--", "{p} ranks below either {q1} or {q2}, but not both"),
                ("++", "Either {p1} or {p2} ranks above {q}, but not both"),
                ("--", "Either {p1} or {p2} ranks below {q}, but not both"),
            ),
        },
        "rules": {
            "main": (("+", "{p} is {trait}"), ("-", "{p} is not {trait}")),
            **_either("rules"),
            "exclusive": (
                ("++", "{p} is either {trait1} or {trait2}, but not both"),
                ("++", "Either {p1} or {p2} is {trait}, but not both"),
            ),
            "quality": (("+", "{trait}"), ("-", "not {trait}")),
            "qualities": (
                ("+", "{trait}"),
                ("-", "not {trait}"),
                ("++", "{trait1} and {trait2}"),
                ("+-", "{trait1} but not {trait2}"),
                ("--", "neither {trait1} nor {trait2}"),
            ),
            "affirmed": (("+", "{trait}"),),
            "denied": (("-", "{trait}"),),
            "alternatives": (
                ("++", "{trait1} or {trait2} (or both)"),
                ("+-", "{trait1} or not {trait2} (or both)"),
            ),
            "not_both": (("--", "not both {trait1} and {trait2}"),),
            "both": (("--", "both {trait1} and {trait2}"),),
        },
    },
    sentences=(
        ("fact", "{main1}."),
        ("report", "A newspaper claims that {main1}."),
        ("either", "{main1}, or {main2}, or both."),
        ("either", "{either1}."),
        ("exclusive", "Either {main1} or {main2}, but not both."),
        ("exclusive", "{exclusive1}."),
        ("conditional", "If {main1}, then {main2}."),
        ("joint_conditional", "If {main1} and {main2}, then {main3}."),
        ("disjunctive_conditional", "If {main1}, then either {main2} or {main3} (or both)."),
        ("disjunctive_conditional", "If {main1}, then {then_either2}."),
    ),
    family_sentences={
        "testimony": (
            ("count", "{Comparison} {number} of {persons} {truth}."),
            ("group_count", "{Comparison} {number} of the {plural} {truth}."),
        ),
        "ranking": (
            ("between", "{p1} ranks somewhere between {p2} and {p3}."),
            ("count", "{Comparison} one of {persons} ranks above {p1}."),
            ("count", "{Comparison} {numbers} of {persons} rank above {p1}."),
            ("group_count", "{Comparison} one {singular} ranks {side} {p1}."),
            ("group_count", "{Comparison} {numbers} {plural} rank {side} {p1}."),
            ("group_count", "{p1} ranks {pivot_side} {comparison} one {other} {singular}."),
            ("group_count", "{p1} ranks {pivot_side} {comparison} {numbers} {other} {plural}."),
            ("overtaking", "Every {singular} who ranks above {p1} also ranks above {p2}."),
            ("none_between", "No {singular} ranks both above {p1} and below {p2}."),
        ),
        "rules": (
            ("rule", "Whoever is {qualities1} is {quality2}."),
            ("rule", "Every {singular} who is {qualities1} is {affirmed2}."),
            ("rule", "No {singular} who is {qualities1} is {denied2}."),
            ("rule", "Whoever is {quality1} is {alternatives2}."),
            ("rule", "Every {singular} who is {quality1} is {alternatives2}."),
            ("rule", "Whoever is {quality1} is {not_both2}."),
            ("rule", "No {singular} who is {quality1} is {both2}."),
            ("only", "Only those who are {affirmed1} are {affirmed2}."),
            ("group_count", "{Comparison} one of the {total} is {quality1}."),
            ("group_count", "{Comparison} {numbers} of the {total} are {quality1}."),
        ),
    },
    testimony="{p1} said: “{statement}”",
    equivalents=(
        ("equivalent", "{p1} and {p2} either both {truth} or both {untruth}."),
        ("mixed_equivalent", "{main1} if and only if {main2}."),
    ),
    conclusion="Conclusion: ",
    conjunction="and",
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
    pronouns={"she": "f", "he": "m"},
    words_by_gender={None: {"other": "other"}},
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
    "another": "einer anderen",
    "this": "diese",
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
    "another": "einem anderen",
    "this": "dieser",
}

GERMAN = LanguageWordings(
    introductions={
        "testimony": "{Total} {politicians} haben vor einem Ausschuss ausgesagt: {groups}. {Every} von "
        "ihnen hat entweder nur die Wahrheit gesagt oder nur gelogen. Die nummerierten Aussagen sind wahr; "
        "was darin nur zitiert oder behauptet wird, kann falsch sein.",
        "ranking": "Ein unabhängiges Gremium hat {total} {politicians} nach ihrer Kompetenz in eine "
        "Rangfolge gebracht: {groups}. Kein Rang ist doppelt vergeben. Wer vor {another} liegt, ist "
        "kompetenter als {this}. Die nummerierten Aussagen sind wahr{claims}.",
        "rules": "{Total} {politicians} sitzen in einem Ausschuss: {groups}. Die nummerierten Aussagen "
        "beziehen sich nur auf diese {total} und sind wahr{claims}.",
    },
    claims="; was darin nur behauptet wird, kann falsch sein",
    groups="{names1} von der {party1} sowie {names2} von der {party2}",
    clauses={
        "testimony": {
            "main": (("+", "{p} hat die Wahrheit gesagt"), ("-", "{p} hat gelogen")),
            "sub": (("+", "{p} die Wahrheit gesagt hat"), ("-", "{p} gelogen hat")),
            "inv": (("+", "hat {p} die Wahrheit gesagt"), ("-", "hat {p} gelogen")),
            "also": (("+", "hat auch {p} die Wahrheit gesagt"), ("-", "hat auch {p} gelogen")),
            "verbless": (("+", "{p} die Wahrheit gesagt"), ("-", "{p} gelogen")),
            "reported": (("+", "{p} habe die Wahrheit gesagt"), ("-", "{p} habe gelogen")),
            "either": (
                ("++", "{p1} oder {p2} hat die Wahrheit gesagt (oder beide)"),
                ("--", "{p1} oder {p2} hat gelogen (oder beide)"),
            ),
            "then_either": (
                ("++", "hat {p1} oder {p2} die Wahrheit gesagt (oder beide)"),
                ("--", "hat {p1} oder {p2} gelogen (oder beide)"),
            ),
            "exclusive": (
                ("++", "Entweder {p1} oder {p2} hat die Wahrheit gesagt, aber nicht beide"),
                ("--", "Entweder {p1} oder {p2} hat gelogen, aber nicht beide"),
            ),
        },
        "ranking": {
            "main": (("+", "{p} liegt vor {q}"), ("-", "{p} liegt hinter {q}")),
            "sub": (("+", "{p} vor {q} liegt"), ("-", "{p} hinter {q} liegt")),
            "inv": (("+", "liegt {p} vor {q}"), ("-", "liegt {p} hinter {q}")),
            "also": (("+", "liegt auch {p} vor {q}"), ("-", "liegt auch {p} hinter {q}")),
            "verbless": (("+", "{p} vor {q}"), ("-", "{p} hinter {q}")),
            "reported": (("+", "{p} liege vor {q}"), ("-", "{p} liege hinter {q}")),
            "either": (
                ("++", "{p} liegt vor {q1} oder vor {q2} (oder vor beiden)"),
                ("+-", "{p} liegt vor {q1} oder hinter {q2} (oder beides)"),
                ("--", "{p} liegt hinter {q1} oder hinter {q2} (oder hinter beiden)"),
                ("++", "{p1} oder {p2} liegt vor {q} (oder beide)"),
                ("--", "{p1} oder {p2} liegt hinter {q} (oder beide)"),
            ),
            "then_either": (
                ("++", "liegt {p} vor {q1} oder vor {q2} (oder vor beiden)"),
                ("+-", "liegt {p} vor {q1} oder hinter {q2} (oder beides)"),
                ("--", "liegt {p} hinter {q1} oder hinter {q2} (oder hinter beiden)"),
                ("++", "liegt {p1} oder {p2} vor {q} (oder beide)"),
                ("--", "liegt {p1} oder {p2} hinter {q} (oder beide)"),
            ),
            "exclusive": (
                ("++", "{p} liegt entweder vor {q1} oder vor {q2}, aber nicht vor beiden"),
                ("--", "{p} liegt entweder hinter {q1} oder hinter {q2}, aber nicht hinter beiden"),
                ("++", "Entweder {p1} oder {p2} liegt vor {q}, aber nicht beide"),
                ("--", "Entweder {p1} oder {p2} liegt hinter {q}, aber nicht beide"),
            ),
        },
        "rules": {
            "main": (("+", "{p} ist {trait}"), ("-", "{p} ist nicht {trait}")),
            "sub": (("+", "{p} {trait} ist"), ("-", "{p} nicht {trait} ist")),
            "inv": (("+", "ist {p} {trait}"), ("-", "ist {p} nicht {trait}")),
            "also": (("+", "ist auch {p} {trait}"), ("-", "ist auch {p} nicht {trait}")),
            "verbless": (("+", "{p} {trait}"), ("-", "{p} nicht {trait}")),
            "reported": (("+", "{p} sei {trait}"), ("-", "{p} sei nicht {trait}")),
            "either": (
                ("++", "{p} ist {trait1} oder {trait2} (oder beides)"),
                ("+-", "{p} ist {trait1} oder nicht {trait2} (oder beides)"),
                ("--", "{p} ist nicht zugleich {trait1} und {trait2}"),
                ("++", "{p1} oder {p2} ist {trait} (oder beide)"),
                ("--", "{p1} und {p2} sind nicht beide {trait}"),
            ),
            "then_either": (
                ("++", "ist {p} {trait1} oder {trait2} (oder beides)"),
                ("+-", "ist {p} {trait1} oder nicht {trait2} (oder beides)"),
                ("--", "ist {p} nicht zugleich {trait1} und {trait2}"),
                ("++", "ist {p1} oder {p2} {trait} (oder beide)"),
                ("--", "sind {p1} und {p2} nicht beide {trait}"),
            ),
            "exclusive": (
                ("++", "{p} ist entweder {trait1} oder {trait2}, aber nicht beides"),
                ("++", "Entweder {p1} oder {p2} ist {trait}, aber nicht beide"),
            ),
            "quality": (("+", "{trait}"), ("-", "nicht {trait}")),
            "qualities": (
                ("+", "{trait}"),
                ("-", "nicht {trait}"),
                ("++", "{trait1} und {trait2}"),
                ("+-", "{trait1} und nicht {trait2}"),
                ("--", "weder {trait1} noch {trait2}"),
            ),
            "affirmed": (("+", "{trait}"),),
            "denied": (("-", "{trait}"),),
            "alternatives": (
                ("++", "{trait1} oder {trait2} (oder beides)"),
                ("+-", "{trait1} oder nicht {trait2} (oder beides)"),
            ),
            "not_both": (("--", "nicht zugleich {trait1} und {trait2}"),),
            "both": (("--", "zugleich {trait1} und {trait2}"),),
        },
    },
    sentences=(
        ("fact", "{main1}."),
        ("report", "Eine Zeitung behauptet, {reported1}."),
        ("either", "{main1}, oder {main2} (oder beides)."),
        ("either", "{either1}."),
        ("exclusive", "Entweder {inv1}, oder {main2}, aber nicht beides."),
        ("exclusive", "{exclusive1}."),
        ("conditional", "Wenn {sub1}, dann {inv2}."),
        ("conditional", "Wenn {sub1}, dann {also2}."),
        ("joint_conditional", "Wenn {sub1} und {sub2}, dann {inv3}."),
        ("disjunctive_conditional", "Wenn {sub1}, dann {inv2} oder {verbless3} (oder beides)."),
        ("disjunctive_conditional", "Wenn {sub1}, dann {then_either2}."),
    ),
    family_sentences={
        "testimony": (
            ("count", "Von {persons} hat {comparison} {one_of} {truth}."),
            ("count", "Von {persons} haben {comparison} {numbers} {truth}."),
            ("group_count", "{Comparison} {one_of} der {plural} hat {truth}."),
            ("group_count", "{Comparison} {numbers} der {plural} haben {truth}."),
        ),
        "ranking": (
            ("between", "{p1} liegt irgendwo zwischen {p2} und {p3}."),
            ("count", "Von {persons} liegt {comparison} {one_of} vor {p1}."),
            ("count", "Von {persons} liegen {comparison} {numbers} vor {p1}."),
            ("group_count", "{Comparison} {one} [{other} ]{singular} liegt {side} {p1}."),
            ("group_count", "{Comparison} {numbers} [{others} ]{plural} liegen {side} {p1}."),
            ("overtaking", "{Every} {singular}, {who} vor {p1} liegt, liegt auch vor {p2}."),
            ("none_between", "{No} {singular} liegt vor {p1} und zugleich hinter {p2}."),
        ),
        "rules": (
            ("rule", "Wer {qualities1} ist, ist {quality2}."),
            ("rule", "{Every} {singular}, {who} {qualities1} ist, ist {affirmed2}."),
            ("rule", "{No} {singular}, {who} {qualities1} ist, ist {denied2}."),
            ("rule", "Wer {quality1} ist, ist {alternatives2}."),
            ("rule", "{Every} {singular}, {who} {quality1} ist, ist {alternatives2}."),
            ("rule", "Wer {quality1} ist, ist {not_both2}."),
            ("rule", "{No} {singular}, {who} {quality1} ist, ist {both2}."),
            ("only", "Nur wer {affirmed1} ist, ist {affirmed2}."),
            ("group_count", "{Comparison} {one_of} der {total} ist {quality1}."),
            ("group_count", "{Comparison} {numbers} der {total} sind {quality1}."),
        ),
    },
    testimony="{p1} sagte: „{statement}“",
    equivalents=(
        ("equivalent", "{p1} und {p2} haben entweder beide {truth} oder beide {untruth}."),
        ("mixed_equivalent", "{p1} hat genau dann {truth}, wenn {sub2}."),
    ),
    conclusion="Schlussfolgerung: ",
    conjunction="und",
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
    pronouns={"sie": "f", "er": "m"},
    words_by_gender={"f": _GERMAN_F, "m": _GERMAN_M},
)
