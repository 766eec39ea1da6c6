"""No right label of a quantified item is called wrong, and no wrong one right, in English or German.

`-m faults` tries 2,000 items a language, the suite a part of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain

import pytest

from polbias.generators.auditing.items import AuditItem
from polbias.generators.auditing.normative import NormativeFormat, make
from tests.auditing.quantified import QUANTIFIERS, Sentence, controls, items, models, syllogisms

Cases = Iterator[tuple[Sentence, Sentence, bool, str]]
LANGUAGES = ("english", "german")


@pytest.fixture(scope="module")
def form() -> NormativeFormat:
    return make()


def _verdicts(form: NormativeFormat, language: str, cases: Cases) -> Counter[tuple[bool, str]]:
    """Count the verdicts on the right label and on the wrong one; tell the items that are judged wrongly."""
    counts: Counter[tuple[bool, str]] = Counter()
    wrong: list[tuple[str, str, bool, str]] = []
    for premise, hypothesis, follows, domain in cases:
        texts = getattr(premise, language), getattr(hypothesis, language)
        for gold in (True, False):
            verdict = form.judge(AuditItem(1, {"domain": domain}, texts, gold, "label")).verdict
            counts[gold == follows, verdict] += 1
            if verdict == ("contradicted" if gold == follows else "confirmed"):
                wrong.append((*texts, follows, verdict))
    assert wrong == []
    return counts


def _check(form: NormativeFormat, language: str, seed: int, number: int) -> None:
    cases = chain(items(seed, number * 3 // 4), syllogisms(seed, number // 4))
    counts = _verdicts(form, language, cases)
    if language == "english":
        assert counts[True, "confirmed"] > 0.2 * number


@pytest.mark.parametrize("language", LANGUAGES)
def test_quantified_items(form: NormativeFormat, language: str) -> None:
    _check(form, language, 1, 280)


@pytest.mark.faults
@pytest.mark.parametrize("language", LANGUAGES)
def test_two_thousand_quantified_items(form: NormativeFormat, language: str) -> None:
    _check(form, language, 2, 2000)


def test_items_about_one_individual_stay_proved(form: NormativeFormat) -> None:
    counts = _verdicts(form, "english", controls(1, 200))
    assert counts[True, "confirmed"] > 0.95 * 200
    assert counts[False, "contradicted"] > 0.95 * 200


@pytest.mark.parametrize(
    "subject", [one.english.format(s="driver", p="drivers") for one in QUANTIFIERS if "{" in one.english]
)
def test_a_counted_subject_is_no_proposition(form: NormativeFormat, subject: str) -> None:
    """Of none of these does P follow from O, not O from P not, as it does of one driver."""
    first = subject[0].upper() + subject[1:]
    for premise, hypothesis in (
        (f"{first} may park here.", f"It is not the case that {subject} must not park here."),
        (f"It is not the case that {subject} must park here.", f"{first} need not park here."),
    ):
        judged = form.judge(AuditItem(1, {"domain": "deontic"}, (premise, hypothesis), True, "label"))
        assert subject in UNIVERSAL or f"⟨{subject}" not in (judged.reading or "")
        assert judged.verdict in (
            ("confirmed", "depends", "unparsed")
            if subject in UNIVERSAL
            else ("contradicted", "depends", "unparsed")
        )


UNIVERSAL = (
    "every driver",
    "all drivers",
    "each of the drivers",
    "drivers",
    "no driver",
    "none of the drivers",
)


@pytest.mark.parametrize(
    ("premise", "hypothesis", "verdict"),
    [
        ("You may stay or you must pay.", "You must pay or you may stay.", "confirmed"),
        ("Either you must pay or you may leave.", "You may leave or you must pay.", "confirmed"),
        ("You must pay and you may leave.", "You may leave.", "confirmed"),
        ("You must pay and may leave.", "You must leave.", "contradicted"),
        ("You must pay or you may leave.", "You must pay.", "contradicted"),
        (
            "If it rains, you may stay or you must pay. It rains.",
            "You must pay or you may stay.",
            "confirmed",
        ),
        ("It is permitted to stay and required to pay.", "It is required to pay.", "unparsed"),
        ("You must pay, yet you may leave.", "You may leave.", "unparsed"),
        ("It is certain that Anna left and you may stay.", "You may stay.", "unparsed"),
        ("You must read some books.", "It is not the case that you need not read some books.", "unparsed"),
        ("Anna may invite two friends.", "It is not true that Anna must not invite two friends.", "unparsed"),
        ("Anna or Bruno may park.", "It is not the case that Anna or Bruno must not park.", "unparsed"),
        ("Somebody's car may be towed.", "It is not true that somebody's car must not be towed.", "unparsed"),
        ("Some drivers must pay.", "Some drivers may pay.", "confirmed"),
        ("Not all guests must stay.", "Some guests need not stay.", "confirmed"),
        ("All tickets might lose.", "It is possible that all tickets lose.", "unparsed"),
        ("All bakers sing. Some guests are bakers.", "Some guests sing.", "confirmed"),
        ("Anna darf hier parken.", "Es ist nicht der Fall, dass Anna hier nicht parken darf.", "unparsed"),
    ],
)
def test_verdicts(form: NormativeFormat, premise: str, hypothesis: str, verdict: str) -> None:
    assert form.judge(AuditItem(1, {}, (premise, hypothesis), True, "label")).verdict == verdict


def test_a_model_has_members_and_alternatives() -> None:
    assert all(worlds and members for worlds, members in models())


def test_cases_have_both_answers() -> None:
    makers: tuple[Callable[[int, int], Cases], ...] = (items, syllogisms, controls)
    for make_cases in makers:
        follows = [case[2] for case in make_cases(3, 200)]
        assert 10 < sum(follows) < 190
