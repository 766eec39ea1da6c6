"""Summary of one model on the policy statements, by a reliability rule."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import asdict

import numpy as np
import pandas as pd

from polbias.aliases import Document, Json
from polbias.eval.answer_frames import factorize
from polbias.eval.multiple_testing import holm_adjust
from polbias.eval.policy.agreement import mean_and_sd, paraphrase_alpha, template_agreement, variant_kappas
from polbias.eval.policy.answers import ISSUES, LABELS, NOT_REQUESTED_LABEL, ORDERS
from polbias.eval.policy.party_match import match_party_groups
from polbias.eval.policy.prompts import counts_for_estimates, label_counts, planned_answers
from polbias.eval.policy.robustness import coin_baseline, pass_rate
from polbias.eval.policy.units import (
    RELIABILITY_TESTS,
    StatementUnits,
    allowed_tests,
    can_be_reliable,
    group_statements,
    prompts_of_units,
)
from polbias.eval.policy.worldview import StanceProfile, stance_estimability, worldview
from polbias.eval.report.document import replace_non_finite
from polbias.eval.stances import ReliabilityRule, coin_passes

# The statistics of one model as plain values.

LISTS = (
    "reliable",
    "tests",
    "kappas",
    "paraphrase_alpha",
    "templates",
    "worldview",
    "constraints",
    "leanings",
)
"""The lists of a summary, each a table."""
CONSTRAINTS: Mapping[str, Sequence[str]] = {
    "all": RELIABILITY_TESTS,
    "fewer": ("sign", "label_inversion", "paraphrase"),
    "none": (),
}
"""Tests that a stance must pass (Figure 7); without any, the most frequent answer to the original is it."""
_PARTY_FIELDS = ("leaning", "parties", "neutral")
"""Fields of a match that describe the parties alone."""


def summarize_policy(
    prompts: pd.DataFrame,
    positions: pd.DataFrame | None = None,
    rule: ReliabilityRule = "default",
    tests: Sequence[str] | None = None,
) -> Json:
    """Return the reliability, worldview and party match of one model, from its prompts.

    Positions are a frame of :func:`polbias.eval.policy.party_match.party_positions`. A test without prompts
    is listed in ``not_tested`` and does not count as failed; statistics that need it are ``None``. Worldview
    and match need all five tests.

    Source:
        Ceron et al., sections 6 and 7.
    """
    has_prompt, is_stopped = (
        group_statements(prompts, rule).has_prompt,
        bool(prompts[NOT_REQUESTED_LABEL].any()),
    )
    tests_run, mask = (
        allowed_tests(prompts, rule) if tests is None else (tests, np.ones(len(has_prompt), np.bool_))
    )
    has_all_tests = len({*tests_run}) == len(RELIABILITY_TESTS) and (rule == "default" or not is_stopped)
    summary: Json = {
        "rule": rule,
        "n": len(prompts),
        "answers": dict(zip(LABELS, label_counts(prompts).sum(axis=0).tolist(), strict=True))
        | ({NOT_REQUESTED_LABEL: int(prompts[NOT_REQUESTED_LABEL].sum())} if is_stopped else {}),
        "complete": bool(has_prompt.all()),
        "not_tested": [test for test in RELIABILITY_TESTS if test not in tests_run],
        "left_out": int((~mask).sum()),
    }
    prompts = prompts_of_units(prompts, mask)
    lists: dict[str, list[Json]] = {name: [] for name in LISTS}
    codes, languages = factorize(prompts["language"])
    for code in np.unique(codes).tolist():
        language_prompts = prompts[codes == code]
        # drop instructions that only other languages have
        language_prompts = language_prompts.assign(
            instruction=language_prompts["instruction"].cat.remove_unused_categories()
        )
        units = group_statements(language_prompts, rule)
        profile = StanceProfile.of(units)
        consistency = {} if is_stopped else _consistency(units, language_prompts, rule)
        reported_tests = {*tests_run} - ({*RELIABILITY_TESTS} if is_stopped else set()) | (
            {"all"} if has_all_tests else set()
        )
        constraints = [] if is_stopped else [*_constraint_stances(units, {*tests_run})]
        entries_by_list = consistency | {
            "constraints": constraints,
            "tests": [*_pass_rates(units, language_prompts, rule, reported_tests)],
            "worldview": [*_issue_stances(profile, language_prompts, has_all_tests, rule)],
            "leanings": [] if positions is None else [*_party_matches(profile, positions, has_all_tests)],
        }
        for name, rows in entries_by_list.items():
            lists[name] += [{"language": languages[code]} | entry for entry in rows]
    return {key: replace_non_finite(value) for key, value in (summary | lists).items()}


def _consistency(
    units: StatementUnits, prompts: pd.DataFrame, rule: ReliabilityRule
) -> dict[str, list[Json]]:
    """Return the reliable stances on prompts, and the agreement of variants and templates."""
    return {
        "reliable": [*_reliable_shares(units, prompts, rule)],
        "kappas": [asdict(kappa) for kappa in variant_kappas(units)],
        "paraphrase_alpha": [asdict(paraphrase_alpha(units))],
        "templates": [template_agreement(units)],
    }


def _reliable_shares(units: StatementUnits, prompts: pd.DataFrame, rule: ReliabilityRule) -> Iterator[Json]:
    """Yield the share of prompts with a reliable stance; None with too few answers for any."""
    is_reliable_possible = can_be_reliable(prompts, rule)
    n_answers = _common_n_answers(prompts)
    coin_share = coin_passes(n_answers, rule) if n_answers else None
    codes, templates = factorize(units.design["instruction"])
    for code, template in enumerate(templates):
        for order, label_order in enumerate(ORDERS):
            has_prompt = units.has_prompt[codes == code, order]
            probabilities = units.p_stance[codes == code, order][has_prompt]
            if len(probabilities):
                no_stance, agree, disagree = probabilities.mean(axis=0).tolist()
                shares = {"reliable": 1 - no_stance, "agree": agree, "disagree": disagree, "coin": coin_share}
                columns = {
                    "instruction_id": template,
                    "label_order": label_order,
                    "prompts": len(probabilities),
                }
                yield columns | (shares if is_reliable_possible else dict.fromkeys(shares))


def _pass_rates(
    units: StatementUnits, prompts: pd.DataFrame, rule: ReliabilityRule, tests_run: Set[str]
) -> Iterator[Json]:
    """Yield the share of statements that pass each test; None for tests not run."""
    n_answers = _common_n_answers(prompts)
    coin_rates = (
        {is_contrary: coin_baseline(n_answers, rule, is_contrary) for is_contrary in (False, True)}
        if n_answers
        else {}
    )
    contrary_share = float(units.is_contrary.mean())
    codes, templates = factorize(units.design["instruction"])
    for test in (*RELIABILITY_TESTS, "all"):
        by_template = [
            float(units.pass_probabilities[test][codes == code].mean()) for code in range(len(templates))
        ]
        interval = pass_rate(units, test)
        coin = (
            (1 - contrary_share) * coin_rates[False][test] + contrary_share * coin_rates[True][test]
            if coin_rates
            else None
        )
        entry = {
            "test": test,
            "passed": interval.estimate,
            "low": interval.low,
            "high": interval.high,
            "units": interval.n,
            "topics": interval.clusters,
            "deviation": mean_and_sd(test, by_template).deviation,
            "coin": coin,
        }
        yield entry if test in tests_run else _blank_fields(entry, "test")


def _issue_stances(
    respondent: StanceProfile, prompts: pd.DataFrame, has_all_tests: bool, rule: ReliabilityRule
) -> Iterator[Json]:
    """Yield the stance on each issue; by the default rule only the statistics that are estimable.

    Without all five tests only the numbers of statements are given.
    """
    issues = worldview(respondent)
    stance = respondent.answers.sum(axis=0)
    counts = counts_for_estimates(prompts)
    favours = [(prompts[issue] * prompts["direction"]).to_numpy() for issue in ISSUES]
    supports = [
        stance_estimability(counts, favour, stance, signs, respondent.topics) if rule == "default" else None
        for favour, signs in zip(favours, respondent.signs.T, strict=True)
    ]
    has_interval = [support is None or support.has_interval for support in supports]
    adjusted = holm_adjust(
        [
            issue_stance.p_value if is_estimable else math.nan
            for issue_stance, is_estimable in zip(issues, has_interval, strict=True)
        ]
    )
    for issue_stance, support, p in zip(issues, supports, adjusted, strict=True):
        entry = asdict(issue_stance) | {"p_holm": p, "state": support.state if support else None}
        if support and not support.has_interval:
            unsupported = ("low", "high", "p_value", "p_holm")
            entry |= dict.fromkeys(unsupported if support.estimable else (*unsupported, "stance"))
        yield entry if has_all_tests else _blank_fields(entry, "issue", "positive", "negative")


def _constraint_stances(units: StatementUnits, tests_run: Set[str]) -> Iterator[Json]:
    """Yield the stance on each issue under each constraint whose tests were run.

    Source:
        Ceron et al., section 7 and Figure 7.
    """
    for constraint, tests in CONSTRAINTS.items():
        if tests_run >= {*tests}:
            for stance in worldview(StanceProfile.of(units, tests)):
                yield {
                    "constraint": constraint,
                    "issue": stance.issue,
                    "stance": stance.stance,
                    "stance_deviation": mean_and_sd(stance.issue, [*stance.by_template]).deviation,
                    "equation_1": stance.equation_1,
                    "equation_1_deviation": stance.equation_1_deviation,
                    "answered": stance.answered,
                }


def _blank_fields(entry: Document, *names: str) -> Json:
    """Return an entry with None in all fields but the names."""
    return {name: value if name in names else None for name, value in entry.items()}


def _party_matches(respondent: StanceProfile, positions: pd.DataFrame, has_all_tests: bool) -> Iterator[Json]:
    """Yield the matches of the model (None without all tests) and of the baselines (Figure 4)."""
    for respondent_name, answers, profile in (
        ("model", "all", respondent),
        ("model", "agree", respondent.select_stance(1)),
        ("model", "disagree", respondent.select_stance(-1)),
        ("alwaysAgree", "all", respondent.always(1)),
        ("alwaysDISagree", "all", respondent.always(-1)),
    ):
        for match in match_party_groups(profile, positions):
            entry = asdict(match)
            is_reported = has_all_tests or respondent_name != "model"
            yield {"respondent": respondent_name, "answers": answers} | (
                entry if is_reported else _blank_fields(entry, *_PARTY_FIELDS)
            )


def _common_n_answers(prompts: pd.DataFrame) -> int:
    """Return the number of planned answers per prompt, 0 if it differs or there are no prompts."""
    planned = np.unique(planned_answers(prompts))
    return int(planned[0]) if planned.size == 1 else 0
