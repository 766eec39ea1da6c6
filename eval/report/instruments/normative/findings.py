"""The tested estimates: effects of content and of domain, in each setting and over all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from polbias.eval.normative.analysis import Effect, Scored, effect, finding, unmatched
from polbias.eval.report.document import Finding, Notice, with_gap
from polbias.eval.report.instruments.normative.answers import Respondent
from polbias.eval.report.instruments.normative.layout import (
    DOMAINS,
    ROSS,
    SETTINGS,
    SHARED,
    column_of,
    said,
    setting_key,
    term,
)

CONTENT: Mapping[str, str] = {"content_effect": "incongruent", "content_effect_nonsense": "nonsense"}
"""Measures that compare congruent contents with others, and with which."""
DOMAIN = "domain_effect"
SELECTION_CONTENT, SELECTION_DOMAIN = "wason_content_effect", "wason_domain_effect"
HEADLINE = "content_effect"

_CONTENT_STRATA = ("domain", "task", "prompt_style", "pattern")
_DOMAIN_STRATA = ("task", "prompt_style", "pattern", "content_type")
_RULES = ("domain", "polarity", "prompt_style")
_MATERIAL = ("content_type", "polarity", "prompt_style")
AFFIRMATIVE = "p-q"
"""The form of a rule in which nothing is negated: the only one in which familiar contents are congruent."""


def findings(one: Respondent) -> Iterator[Finding]:
    """Yield the findings of a respondent.

    Those over all settings (``key`` empty) weight the settings equally, and the patterns within a setting.

    Args:
        one: the respondent.
    """
    problems = Scored.of_problems(one.ids, one.problems)
    parts = {each: problems.where(domain=each[0], task=each[1], prompt_style=each[2]) for each in SETTINGS}
    for measure, low in CONTENT.items():
        whole = effect(problems, "content_type", _CONTENT_STRATA, "congruent", low, grouped=3)
        yield from _found(one, measure, "", whole, measure == HEADLINE)
        for setting, part in parts.items():
            own = effect(part, "content_type", _CONTENT_STRATA, "congruent", low)
            yield from _found(one, measure, setting_key(*setting), own)
    pooled = effect(problems, "domain", _DOMAIN_STRATA, *DOMAINS, grouped=2)
    yield from _found(one, DOMAIN, "", pooled)
    for reasoning, style in SHARED:
        own = effect(problems.where(task=reasoning, prompt_style=style), "domain", _DOMAIN_STRATA, *DOMAINS)
        yield from _found(one, DOMAIN, setting_key(reasoning, style), own)
    yield from _of_selections(one)


def notices(asked: Sequence[Respondent], found: Sequence[Finding]) -> tuple[Notice, ...]:
    """Return what must be known of the answers: missing partners, and settings that only some were asked.

    Args:
        asked: the respondents.
        found: their findings.
    """
    return (*_unmatched(asked), *_unequal(asked, found))


def _of_selections(one: Respondent) -> Iterator[Finding]:
    scored = Scored.of_selections(one.selection_ids, one.selections)
    domains = {"": scored} | {domain: scored.where(domain=domain) for domain in DOMAINS}
    for key, part in domains.items():
        own = effect(part, "content_type", _RULES, "congruent", "arbitrary")
        yield from _found(one, SELECTION_CONTENT, key, own)
    yield from _found(one, SELECTION_DOMAIN, "", effect(scored, "domain", _MATERIAL, *DOMAINS))


def _found(
    one: Respondent, measure: str, key: str, own: Effect | None, headline: bool = False
) -> Iterator[Finding]:
    if own is not None:
        about, generated = _about(measure, key), one.method == "generated"
        yield from with_gap(finding(one.name, measure, key, about, own, headline, generated))


def _about(measure: str, key: str) -> str:
    if not key or measure == SELECTION_CONTENT:
        return term(f"wason_{key}") if key else ""
    table = "domain_effects" if measure == DOMAIN else "table5"
    return said().tables[table].columns[column_of(key)]


def _unmatched(asked: Sequence[Respondent]) -> Iterator[Notice]:
    for one in asked:
        problems = Scored.of_problems(one.ids, one.problems)
        cards = Scored.of_selections(one.selection_ids, one.selections).where(polarity=AFFIRMATIVE)
        patterns = [pattern for pattern in problems.factors["pattern"].levels if pattern != ROSS]
        missing = unmatched(cards, "content_type", _RULES, "congruent", ("arbitrary",))
        for pattern in patterns:
            part = problems.where(pattern=str(pattern))
            missing += unmatched(part, "content_type", _CONTENT_STRATA, "congruent", (*CONTENT.values(),))
        if missing:
            found = said().notices["unmatched_found"].format(count=missing, respondent=one.name)
            yield Notice(one.name, found, said().notices["unmatched_done"], serious=True)


def _unequal(asked: Sequence[Respondent], found: Sequence[Finding]) -> Iterator[Notice]:
    keys = {
        one.name: {each.key for each in found if each.respondent == one.name and each.measure == HEADLINE}
        for one in asked
    }
    for one in asked:
        others: set[str] = set()
        others.update(
            *(keys[other.name] for other in asked if other.method == one.method and keys[other.name])
        )
        lacking = len((others - keys[one.name]) - {""})
        if lacking and keys[one.name]:
            told = (
                said()
                .notices["unequal_found"]
                .format(respondent=one.name, count=len(keys[one.name]) - 1, total=len(others) - 1)
            )
            yield Notice(one.name, told, said().notices["unequal_done"])
