"""What holds of the negation of any English text."""

from __future__ import annotations

import re

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from polbias.generators.authoring.negation import negate
from polbias.generators.authoring.negation.english_words import table
from polbias.paths import package_file

_SUBJECTS = (
    "The state",
    "The king, who is old,",
    "Companies that pollute rivers",
    "Every second canton that borders on France",
    "If the budget allows it, the army",
    "In 2035, 12.5% of the budget",
    'The "debt brake"',
    "All schools",
    "Only citizens",
    "Raising taxes by 3%",
)
_PREDICATES = (
    "should pay for the damage",
    "must be reformed by 2040",
    "can be abolished (e.g. in towns)",
    'is "fair"',
    "has to leave",
    "ought to be free",
    "threatens our culture",
    "should only be granted to farmers",
    "needs a bigger army",
    "went too far",
    "will cost 1,000 euros when prices fall",
)
_STATEMENTS = st.builds("{} {}.".format, st.sampled_from(_SUBJECTS), st.sampled_from(_PREDICATES))
_MARKED = (
    "the state should not no any some all only if that who and or but is are does do did have has taxes tax harm "
    "cuts never nobody there need need to will can't it's 's , . ? ! ; : ( ) \" ' – 5% more either May be"
)
_WORDS = st.sampled_from(_MARKED.split())
_SOUP = st.lists(_WORDS, max_size=30).map(" ".join)
_REASONS = yaml.safe_load(package_file("generators/authoring/negation/unsure.yaml").read_text("utf-8"))[
    "reasons"
]
_REVERSIBLE = ("not-after-auxiliary", "need-not", "do-support", "focus-word", "question", "imperative")


@given(st.one_of(st.text(max_size=200), _SOUP, _STATEMENTS))
@settings(max_examples=400, deadline=None)
def test_no_text_is_an_error_and_none_is_its_own_negation(text: str) -> None:
    found = negate(text, "en")
    assert found.text is None or (found.text.strip() and found.text not in (text, text.strip()))
    assert (found.text is None) == found.rule.startswith("abstain:")
    assert found.rule in table("rules") or found.rule.removeprefix("abstain:") in _REASONS
    assert found.explanation


@given(_STATEMENTS)
@settings(max_examples=100, deadline=None)
def test_the_negation_of_the_negation_is_the_statement(statement: str) -> None:
    found = negate(statement, "en")
    assert found.rule in _REVERSIBLE
    assert found.text is not None
    assert negate(found.text, "en").text == statement


@pytest.mark.parametrize(
    "statement",
    [
        "Should churches be taxed?",
        "Abolish the wealth tax.",
        "There is a need for more police.",
        "There are new jobs.",
    ],
)
def test_some_other_rules_can_be_reversed_too(statement: str) -> None:
    once = negate(statement, "en").text
    assert once is not None
    assert negate(once, "en").text == statement


@given(_STATEMENTS)
@settings(max_examples=100, deadline=None)
def test_numbers_quotations_and_brackets_stay(statement: str) -> None:
    aside = re.compile(r"\d[\d.,%]*|\"[^\"]*\"|\([^)]*\)")
    negation = negate(statement, "en").text
    assert negation is not None
    assert aside.findall(negation) == aside.findall(statement)


@given(_STATEMENTS, st.sampled_from(["", " ", "\n", "  \t"]))
@settings(max_examples=50, deadline=None)
def test_outer_blanks_do_not_matter(statement: str, blanks: str) -> None:
    assert negate(blanks + statement + blanks, "en") == negate(statement, "en")


def test_every_rule_has_an_explanation_that_can_be_filled_in() -> None:
    for rule, explanation in table("rules").items():
        filled = explanation.format(word="word", more="more")
        assert filled.endswith("."), rule
        assert "{" not in filled, rule
