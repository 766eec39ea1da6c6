"""What is said of one model on the policy statements, by a rule of reliability."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence, Set
from dataclasses import asdict

import numpy as np
import pandas as pd

from polbias.aliases import Document, Json
from polbias.eval.answer_frames import factorize
from polbias.eval.multiple_testing import holm_adjust
from polbias.eval.policy.agreement import mean_and_sd, paraphrase_alpha, template_agreement, variant_kappas
from polbias.eval.policy.answers import ISSUES, LABELS, NOT_REQUESTED_LABEL, ORDERS
from polbias.eval.policy.party_match import match_party_groups
from polbias.eval.policy.prompts import all_counts, estimate_counts, planned_answers
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
from polbias.eval.report.document import finite
from polbias.eval.stances import ReliabilityRule, coin_passes

# What a report says about one model on the policy statements, as plain values.

LISTS = ("reliable", "tests", "kappas", "paraphrase_alpha", "templates", "worldview", "leanings")
"""The lists of a summary, each a table."""
_PARTIES = ("leaning", "parties", "neutral")
"""What a match says of the parties alone."""


def summarize_policy(
    prompts: pd.DataFrame,
    positions: pd.DataFrame | None = None,
    rule: ReliabilityRule = "default",
    tests: Sequence[str] | None = None,
) -> Json:
    """Reliability, worldview and party match of one model, from its prompts.

    Parties are matched by their :func:`polbias.eval.policy.party_match.party_positions`. A test that was not
    asked is none that is failed: it is named in ``not_tested``, and what needs it is
    ``None``. Worldview and match need all five.

    Source:
        Ceron et al., sections 6 and 7.
    """
    asked, is_stopped = group_statements(prompts, rule).has_prompt, bool(prompts[NOT_REQUESTED_LABEL].any())
    made, mask = allowed_tests(prompts, rule) if tests is None else (tests, np.ones(len(asked), np.bool_))
    whole = len({*made}) == len(RELIABILITY_TESTS) and (rule == "default" or not is_stopped)
    summary: Json = {
        "rule": rule,
        "n": len(prompts),
        "answers": dict(zip(LABELS, all_counts(prompts).sum(axis=0).tolist(), strict=True))
        | ({NOT_REQUESTED_LABEL: int(prompts[NOT_REQUESTED_LABEL].sum())} if is_stopped else {}),
        "complete": bool(asked.all()),
        "not_tested": [name for name in RELIABILITY_TESTS if name not in made],
        "left_out": int((~mask).sum()),
    }
    prompts = prompts_of_units(prompts, mask)
    lists: dict[str, list[Json]] = {name: [] for name in LISTS}
    codes, languages = factorize(prompts["language"])
    for code in np.unique(codes).tolist():
        part = prompts[codes == code]
        # without instructions that only other languages have
        part = part.assign(instruction=part["instruction"].cat.remove_unused_categories())
        tested = group_statements(part, rule)
        alone = StanceProfile.of(tested)
        alike = {} if is_stopped else _alike(tested, part, rule)
        allowed = {*made} - ({*RELIABILITY_TESTS} if is_stopped else set()) | ({"all"} if whole else set())
        entries = alike | {
            "tests": [*_tests(tested, part, rule, allowed)],
            "worldview": [*_worldview(alone, part, whole, rule)],
            "leanings": [] if positions is None else [*_leanings(alone, positions, whole)],
        }
        for name, rows in entries.items():
            lists[name] += [{"language": languages[code]} | entry for entry in rows]
    return {key: finite(value) for key, value in (summary | lists).items()}


def _alike(tested: StatementUnits, part: pd.DataFrame, rule: ReliabilityRule) -> dict[str, list[Json]]:
    """Stances on prompts, and how far wordings and templates agree in them."""
    return {
        "reliable": [*_reliable(tested, part, rule)],
        "kappas": [asdict(each) for each in variant_kappas(tested)],
        "paraphrase_alpha": [asdict(paraphrase_alpha(tested))],
        "templates": [template_agreement(tested)],
    }


def _reliable(tested: StatementUnits, part: pd.DataFrame, rule: ReliabilityRule) -> Iterator[Json]:
    """Yield the share of prompts with a reliable stance; None where so few answers could not come to one."""
    decided = can_be_reliable(part, rule)
    n = _common(part)
    chance = coin_passes(n, rule) if n else None
    codes, templates = factorize(tested.design["instruction"])
    for code, template in enumerate(templates):
        for order, name in enumerate(ORDERS):
            asked = tested.has_prompt[codes == code, order]
            stance = tested.stances[codes == code, order][asked]
            if len(stance):
                none, agree, disagree = stance.mean(axis=0).tolist()
                shares = {"reliable": 1 - none, "agree": agree, "disagree": disagree, "coin": chance}
                about = {"instruction_id": template, "label_order": name, "prompts": len(stance)}
                yield about | (shares if decided else dict.fromkeys(shares))


def _tests(
    tested: StatementUnits, part: pd.DataFrame, rule: ReliabilityRule, made: Set[str]
) -> Iterator[Json]:
    """Yield the share of statements that pass each test; None of those that cannot be made."""
    n = _common(part)
    coins = {kind: coin_baseline(n, rule, kind) for kind in (False, True)} if n else {}
    contrary = float(tested.contrary.mean())
    codes, templates = factorize(tested.design["instruction"])
    for name in (*RELIABILITY_TESTS, "all"):
        by_template = [
            float(tested.pass_probabilities[name][codes == code].mean()) for code in range(len(templates))
        ]
        interval = pass_rate(tested, name)
        coin = (1 - contrary) * coins[False][name] + contrary * coins[True][name] if coins else None
        entry = {
            "test": name,
            "passed": interval.estimate,
            "low": interval.low,
            "high": interval.high,
            "units": interval.n,
            "topics": interval.clusters,
            "deviation": mean_and_sd(name, by_template).deviation,
            "coin": coin,
        }
        yield entry if name in made else _only(entry, "test")


def _worldview(
    respondent: StanceProfile, part: pd.DataFrame, tested: bool, rule: ReliabilityRule
) -> Iterator[Json]:
    """Yield the stance on each issue as far as the answers carry it (by published rules, whatever they are).

    Where not all tests were made there are only the numbers of its statements.
    """
    issues = worldview(respondent)
    stance = respondent.answers.sum(axis=0)
    counts = estimate_counts(part)
    favours = [(part[issue] * part["direction"]).to_numpy() for issue in ISSUES]
    carried = [
        stance_estimability(counts, favour, stance, signs, respondent.topics) if rule == "default" else None
        for favour, signs in zip(favours, respondent.signs.T, strict=True)
    ]
    has_interval = [support is None or support.has_interval for support in carried]
    adjusted = holm_adjust(
        [each.p_value if has else math.nan for each, has in zip(issues, has_interval, strict=True)]
    )
    for each, support, p in zip(issues, carried, adjusted, strict=True):
        entry = asdict(each) | {"p_holm": p, "state": support.state if support else None}
        if support and not support.has_interval:
            unsupported = ("low", "high", "p_value", "p_holm")
            entry |= dict.fromkeys(unsupported if support.estimable else (*unsupported, "stance"))
        yield entry if tested else _only(entry, "issue", "positive", "negative")


def _only(entry: Document, *names: str) -> Json:
    """Return an entry of what was not tested: None but for some names."""
    return {name: value if name in names else None for name, value in entry.items()}


def _leanings(respondent: StanceProfile, positions: pd.DataFrame, tested: bool) -> Iterator[Json]:
    """Yield the matches of Figure 4, the model's (None if not all tests were made) and the baselines'."""
    for who, answers, each in (
        ("model", "all", respondent),
        ("model", "agree", respondent.select_stance(1)),
        ("model", "disagree", respondent.select_stance(-1)),
        ("alwaysAgree", "all", respondent.always(1)),
        ("alwaysDISagree", "all", respondent.always(-1)),
    ):
        for match in match_party_groups(each, positions):
            entry = asdict(match)
            known = tested or who != "model"
            yield {"respondent": who, "answers": answers} | (entry if known else _only(entry, *_PARTIES))


def _common(part: pd.DataFrame) -> int:
    """The number of answers per prompt, 0 if it differs or there are none."""
    planned = np.unique(planned_answers(part))
    return int(planned[0]) if planned.size == 1 else 0
