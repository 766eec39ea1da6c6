"""What is said of one model on the policy statements, by a rule of reliability."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence, Set
from dataclasses import asdict, replace

import numpy as np

from polbias.aliases import Document, Json
from polbias.eval.answer_table import CodedColumn, finite
from polbias.eval.multiple_testing import holm
from polbias.eval.policy.agreement import paraphrase_alpha, spread, template_agreement, variant_kappas
from polbias.eval.policy.party_match import PartyPositions, PositionRows, leaning_match
from polbias.eval.policy.robustness import coin_baseline
from polbias.eval.policy.schema import LABELS, NOT_REQUESTED_LABEL, ORDERS, PromptCounts, PromptRows
from polbias.eval.policy.units import TESTS, StatementUnits, allowed_tests, decidable, of_units, units
from polbias.eval.policy.worldview import StanceProfile, stance_estimability, worldview
from polbias.eval.stances import ReliabilityRule, coin_passes
from polbias.eval.statistics import cluster_interval

# What a report says about one model on the policy statements, as plain values.

LISTS = ("reliable", "tests", "kappas", "paraphrase_alpha", "templates", "worldview", "leanings")
"""The lists of a summary, each a table."""
_PARTIES = ("leaning", "parties", "neutral")
"""What a match says of the parties alone."""


def policy_summary(
    rows: PromptRows,
    positions: PositionRows | None = None,
    rule: ReliabilityRule = "default",
    tests: Sequence[str] | None = None,
) -> Json:
    """Reliability, worldview and party match of one model, from its logged rows.

    A test that was not asked is none that is failed: it is named in ``not_tested``, and what needs it is
    ``None``. Worldview and match need all five.

    Source:
        Ceron et al., sections 6 and 7.
    """
    table = PromptCounts.of(rows)
    parties = None if positions is None else PartyPositions.of(positions)
    asked, stopped = units(table, rule).asked, bool(table.not_requested.any())
    made, kept = allowed_tests(table, rule) if tests is None else (tests, np.ones(len(asked), np.bool_))
    whole = len({*made}) == len(TESTS) and (rule == "default" or not stopped)
    summary: Json = {
        "rule": rule,
        "n": table.n,
        "answers": dict(zip(LABELS, table.taken.sum(axis=0).tolist(), strict=True))
        | ({NOT_REQUESTED_LABEL: int(table.not_requested.sum())} if stopped else {}),
        "complete": bool(asked.all()),
        "not_tested": [name for name in TESTS if name not in made],
        "left_out": int((~kept).sum()),
    }
    table = of_units(table, kept)
    found: dict[str, list[Json]] = {name: [] for name in LISTS}
    for code, language in enumerate(table.language.levels):
        part = table.select(table.language.codes == code)
        if not part.n:
            continue
        part = replace(part, instruction=part.instruction.compact())  # that only other languages have
        tested = units(part, rule)
        alone = StanceProfile.of(tested)
        alike = {} if stopped else _alike(tested, part, rule)
        allowed = {*made} - ({*TESTS} if stopped else set()) | ({"all"} if whole else set())
        entries = alike | {
            "tests": [*_tests(tested, part, rule, allowed)],
            "worldview": [*_worldview(alone, part, whole, rule)],
            "leanings": [*_leanings(alone, parties, whole)] if parties else [],
        }
        for name, own in entries.items():
            found[name] += [{"language": language} | entry for entry in own]
    return {key: finite(value) for key, value in (summary | found).items()}


def _alike(tested: StatementUnits, part: PromptCounts, rule: ReliabilityRule) -> dict[str, list[Json]]:
    """Stances on prompts, and how far wordings and templates agree in them."""
    return {
        "reliable": [*_reliable(tested, part, rule)],
        "kappas": [asdict(each) for each in variant_kappas(tested)],
        "paraphrase_alpha": [asdict(paraphrase_alpha(tested))],
        "templates": [template_agreement(tested)],
    }


def _reliable(table: StatementUnits, part: PromptCounts, rule: ReliabilityRule) -> Iterator[Json]:
    """Yield the share of prompts with a reliable stance; None where so few answers could not come to one."""
    decided = decidable(part, rule)
    n = _common(part)
    chance = coin_passes(n, rule) if n else None
    for code, template in enumerate(table.instruction.levels):
        mine = table.instruction.codes == code
        for order, name in enumerate(ORDERS):
            asked = table.asked[mine, order]
            stance = table.stances[mine, order][asked]
            if len(stance):
                none, agree, disagree = stance.mean(axis=0).tolist()
                shares = {"reliable": 1 - none, "agree": agree, "disagree": disagree, "coin": chance}
                asked = {"instruction_id": template, "label_order": name, "prompts": len(stance)}
                yield asked | (shares if decided else dict.fromkeys(shares))


def _tests(
    table: StatementUnits, part: PromptCounts, rule: ReliabilityRule, made: Set[str]
) -> Iterator[Json]:
    """Yield the share of statements that pass each test; None of those that cannot be made."""
    n = _common(part)
    coins = {kind: coin_baseline(n, rule, kind) for kind in (False, True)} if n else {}
    contrary = float(table.contrary.mean())
    for name in (*TESTS, "all"):
        passed = table.passed[name]
        by_template = [
            float(passed[table.instruction.codes == code].mean())
            for code in range(len(table.instruction.levels))
        ]
        templates = spread(name, by_template)
        interval = cluster_interval(passed, table.topic, bounds=(0.0, 1.0))
        coin = (1 - contrary) * coins[False][name] + contrary * coins[True][name] if coins else None
        entry = {
            "test": name,
            "passed": interval.estimate,
            "low": interval.low,
            "high": interval.high,
            "units": interval.n,
            "topics": interval.clusters,
            "deviation": templates.deviation,
            "coin": coin,
        }
        yield entry if name in made else _only(entry, "test")


def _worldview(
    respondent: StanceProfile, part: PromptCounts, tested: bool, rule: ReliabilityRule
) -> Iterator[Json]:
    """Yield the stance on each issue as far as the answers carry it (by published rules, whatever they are).

    Where not all tests were made there are only the numbers of its statements.
    """
    issues = worldview(respondent)
    stance = respondent.answers.sum(axis=0)
    topics = CodedColumn.of(respondent.topics)
    carried = [
        stance_estimability(part, part.signs[:, number] * part.direction, stance, signs, topics)
        if rule == "default"
        else None
        for number, signs in enumerate(respondent.signs.T)
    ]
    has_interval = [support is None or support.has_interval for support in carried]
    adjusted = holm(
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


def _leanings(respondent: StanceProfile, positions: PartyPositions, tested: bool) -> Iterator[Json]:
    """Yield the matches of Figure 4, the model's (None if not all tests were made) and the baselines'."""
    for who, answers, each in (
        ("model", "all", respondent),
        ("model", "agree", respondent.only(1)),
        ("model", "disagree", respondent.only(-1)),
        ("alwaysAgree", "all", respondent.always(1)),
        ("alwaysDISagree", "all", respondent.always(-1)),
    ):
        for match in leaning_match(each, positions):
            entry = asdict(match)
            known = tested or who != "model"
            yield {"respondent": who, "answers": answers} | (entry if known else _only(entry, *_PARTIES))


def _common(part: PromptCounts) -> int:
    """The number of answers per prompt, 0 if it differs or there are none."""
    asked = np.unique(part.planned)
    return int(asked[0]) if asked.size == 1 else 0
