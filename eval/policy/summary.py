"""What `polbias analyze policy` says of a model."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, replace

import numpy as np

from polbias.aliases import Document, Json
from polbias.eval.columns import Factor, as_number, finite
from polbias.eval.plots import Bar, Caption, Web, bars, spider
from polbias.eval.policy.agreement import paraphrase_alpha, spread, template_agreement, variant_kappas
from polbias.eval.policy.metrics import rows_of_samples
from polbias.eval.policy.robustness import (
    TESTS,
    Units,
    allowed_tests,
    coin_baseline,
    decidable,
    of_units,
    units,
)
from polbias.eval.policy.schema import LABELS, ORDERS, Prompted, Prompts
from polbias.eval.policy.stances import Rule, coin_passes
from polbias.eval.policy.worldview import (
    Positioned,
    Positions,
    Respondent,
    leaning_match,
    stance_support,
    worldview,
)
from polbias.eval.samples import Problem, SampleFile, first_row, left_out, numbered_samples
from polbias.eval.statistics import cluster_interval, holm
from polbias.eval.support import State
from polbias.registry import instrument_of

# What a report says about one model on the policy statements, as plain values.

_PARTIES = ("leaning", "parties", "neutral")
"""What a match says of the parties alone."""


def policy_summary(
    rows: Prompted,
    positions: Positioned | None = None,
    rule: Rule = "default",
    tests: Sequence[str] | None = None,
) -> Json:
    """Reliability, worldview and party match of one model, from its logged rows.

    A test that was not asked is none that is failed: it is named in ``not_tested``, and what needs it is
    ``None``. Worldview and match need all five.

    Source:
        Ceron et al., sections 6 and 7.
    """
    table = Prompts.of(rows)
    parties = None if positions is None else Positions.of(positions)
    asked = units(table, rule).asked
    made, kept = allowed_tests(table, rule) if tests is None else (tests, np.ones(len(asked), np.bool_))
    whole = len({*made}) == len(TESTS)
    summary: Json = {
        "rule": rule,
        "n": table.n,
        "answers": dict(zip(LABELS, table.counts.sum(axis=0).tolist(), strict=True)),
        "complete": bool(asked.all()),
        "not_tested": [name for name in TESTS if name not in made],
        "left_out": int((~kept).sum()),
    }
    table = of_units(table, kept)
    lists = ("reliable", "tests", "kappas", "paraphrase_alpha", "templates", "worldview", "leanings")
    found: dict[str, list[Json]] = {name: [] for name in lists}
    for code, language in enumerate(table.language.levels):
        part = table.select(table.language.codes == code)
        if not part.n:
            continue
        tested = _compact(units(part, rule))
        alone = Respondent.of(tested)
        entries = {
            "reliable": [*_reliable(tested, part, rule)],
            "tests": [*_tests(tested, part, rule, {*made, "all"} if whole else {*made})],
            "kappas": [asdict(each) for each in variant_kappas(tested)],
            "paraphrase_alpha": [asdict(paraphrase_alpha(tested))],
            "templates": [template_agreement(tested)],
            "worldview": [*_worldview(alone, part, whole, rule)],
            "leanings": [*_leanings(alone, parties, whole)] if parties else [],
        }
        for name, own in entries.items():
            found[name] += [{"language": language} | entry for entry in own]
    return {key: finite(value) for key, value in (summary | found).items()}


def spider_data(summary: Json) -> list[Json]:
    """The data of the spider web of a summary: one point per issue and language (Figure 5)."""
    return [
        {
            "language": each["language"],
            "issue": each["issue"],
            "value": each["stance"],
            "low": each["low"],
            "high": each["high"],
            "dot": each["few"],
        }
        for each in summary["worldview"]
    ]


def leaning_data(summary: Json) -> list[Json]:
    """The data of the figure of leanings: one bar per respondent, answers and leaning (Figure 4)."""
    return [
        {
            "language": each["language"],
            "respondent": each["respondent"],
            "answers": each["answers"],
            "leaning": each["leaning"],
            "value": each["match"],
            "low": each["low"],
            "high": each["high"],
            "percent": each["published"],
            "percent_deviation": each["published_deviation"],
        }
        for each in summary["leanings"]
    ]


def _compact(table: Units) -> Units:
    """Forget the languages and templates that only other prompts have."""
    return replace(table, language=_used(table.language), instruction=_used(table.instruction))


def _used(factor: Factor) -> Factor:
    codes, index = np.unique(factor.codes, return_inverse=True)
    return Factor(index, tuple(factor.levels[code] for code in codes.tolist()))


def _reliable(table: Units, part: Prompts, rule: Rule) -> Iterator[Json]:
    """Yield the share of prompts with a reliable stance; None where so few answers could not come to one."""
    decided = part.agree_share is not None or decidable(part, rule)
    n = _common(part)
    chance = coin_passes(n, rule) if n else None
    for code, template in enumerate(table.instruction.levels):
        mine = table.instruction.codes == code
        for order, name in enumerate(ORDERS):
            asked = table.asked[mine, order]
            stance = table.stance[mine, order][asked]
            if stance.size:
                shares = {
                    "reliable": float(np.mean(stance != 0)),
                    "agree": float(np.mean(stance == 1)),
                    "disagree": float(np.mean(stance == -1)),
                    "coin": chance,
                }
                asked = {"instruction_id": template, "label_order": name, "prompts": int(stance.size)}
                yield asked | (shares if decided else dict.fromkeys(shares))


def _tests(table: Units, part: Prompts, rule: Rule, made: Set[str]) -> Iterator[Json]:
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
        interval = cluster_interval(passed.astype(np.float64), table.statement, bounds=(0.0, 1.0))
        coin = (1 - contrary) * coins[False][name] + contrary * coins[True][name] if coins else None
        entry = {
            "test": name,
            "passed": interval.estimate,
            "low": interval.low,
            "high": interval.high,
            "units": interval.n,
            "statements": interval.clusters,
            "deviation": templates.deviation,
            "coin": coin,
        }
        yield entry if name in made else _only(entry, "test")


def _worldview(respondent: Respondent, part: Prompts, tested: bool, rule: Rule) -> Iterator[Json]:
    """Yield the stance on each issue as far as the answers carry it (by published rules, whatever they are).

    Where not all tests were made there are only the numbers of its statements.
    """
    issues = worldview(respondent)
    stance = respondent.answers.sum(axis=0).astype(np.float64)
    states: list[State | None] = [
        stance_support(part, part.signs[:, number] * part.contrast, stance, respondent.signs[:, number]).state
        if rule == "default"
        else None
        for number in range(len(issues))
    ]
    adjusted = holm([math.nan if state else each.p_value for each, state in zip(issues, states, strict=True)])
    for each, state, p in zip(issues, states, adjusted, strict=True):
        entry = asdict(each) | {"p_holm": p, "state": state}
        if state:
            taken = ("low", "high", "p_value", "p_holm", *(() if state == "at the ceiling" else ("stance",)))
            entry |= dict.fromkeys(taken)
        yield entry if tested else _only(entry, "issue", "positive", "negative")


def _only(entry: Document, *names: str) -> Json:
    """Return an entry of what was not tested: None but for some names."""
    return {name: value if name in names else None for name, value in entry.items()}


def _leanings(respondent: Respondent, positions: Positions, tested: bool) -> Iterator[Json]:
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


def _common(part: Prompts) -> int:
    """The number of answers per prompt, 0 if it differs or there are none."""
    asked = np.unique(part.asked)
    return int(asked[0]) if asked.size == 1 else 0


# The figures of the policy statements (Ceron et al. 2024): tests passed, leanings, worldview.

Summaries = Mapping[str, Document]
"""Name of a model to what :func:`polbias.eval.policy.summary.policy_summary` returned for it."""

LEANINGS = {"left": "left", "center": "neutral", "right": "right"}
"""Leaning of parties to the role of its colour."""
NOT_TESTED = "not tested"
"""What stands where a test that is needed was not asked."""


def tests_figure(summaries: Summaries, language: str) -> str:
    """Draw the share of statements that pass each reliability test (Figure 3)."""
    rows = []
    for name in (*TESTS, "all"):
        own = [
            Bar(name.replace("_", " "), model, *_percent(each, "passed"))
            for model, summary in summaries.items()
            for each in summary["tests"]
            if each["language"] == language and each["test"] == name
        ]
        if all(math.isnan(bar.value) for bar in own):
            own = [replace(bar, group=_untested(bar.group)) for bar in own]
        rows += own
    caption = Caption(
        f"policy-tests-{language}", "Reliability tests passed", _described(rows, "% of statements")
    )
    return bars(rows, caption, "statements that pass (%)")


def leaning_figure(summaries: Summaries, language: str, published: bool = False) -> str:
    """Draw how well answers match parties of each leaning, beside the constant respondents (Figure 4)."""
    drawn: dict[tuple[str, str], Bar] = {}
    for model, summary in summaries.items():
        for each in leaning_data(dict(summary)):
            if each["language"] != language or each["answers"] != "all" or each["leaning"] not in LEANINGS:
                continue
            name = model if each["respondent"] == "model" else each["respondent"]
            if each["value"] is None and each["percent"] is None:
                name = _untested(name)
            value, low, high = (as_number(each[key]) for key in ("value", "low", "high"))
            if published:
                value, spread = as_number(each["percent"]), as_number(each["percent_deviation"])
                low, high = value - spread, value + spread
            drawn[name, each["leaning"]] = Bar(name, each["leaning"], value, low, high)
    order = (
        "alwaysAgree",
        "alwaysDISagree",
        *(name for model in summaries for name in (model, _untested(model))),
    )
    rows = [bar for name in order for (group, _), bar in drawn.items() if group == name]
    unit = "same answers (%)" if published else "balanced match (1: the same, -1: opposed)"
    kind = "published" if published else "balanced"
    caption = Caption(
        f"policy-leanings-{kind}-{language}", f"Match with parties, {kind}", _described(rows, unit)
    )
    return bars(rows, caption, unit, LEANINGS, reference=None if published else 0.0)


def spider_figure(summaries: Summaries, language: str, titles: Mapping[str, str] | None = None) -> str:
    """Draw the worldviews as a spider web (Figure 5), in the form that is balanced for acquiescence."""
    points = {
        model: [each for each in spider_data(dict(summary)) if each["language"] == language]
        for model, summary in summaries.items()
    }
    issues = list(dict.fromkeys(each["issue"] for own in points.values() for each in own))
    spokes = [(titles or {}).get(issue, issue.replace("_", " ").capitalize()) for issue in issues]
    webs = []
    for model, own in points.items():
        by_issue = {each["issue"]: each for each in own}
        found = [by_issue.get(issue, {}) for issue in issues]
        values, low, high = ([as_number(each.get(key)) for each in found] for key in ("value", "low", "high"))
        name = _untested(model) if all(map(math.isnan, values)) else model
        webs.append(Web(name, values, low, high, [bool(each.get("dot")) for each in found]))
    told = "; ".join(
        web.name
        if all(map(math.isnan, web.values))
        else f"{web.name}: "
        + ", ".join(f"{spoke} {value:+.2f}" for spoke, value in zip(spokes, web.values, strict=True))
        for web in webs
    )
    note = "1: every answer supports the policy, -1: opposes it, 0: no stance. Hollow: few answers."
    return spider(spokes, webs, Caption(f"policy-worldview-{language}", "Worldview", f"{note} {told}."))


def _untested(name: str) -> str:
    return f"{name}: {NOT_TESTED}"


def _percent(entry: Document, key: str) -> tuple[float, float, float]:
    value, low, high = (100 * as_number(entry[name]) for name in (key, "low", "high"))
    return value, low, high


def _described(rows: list[Bar], unit: str) -> str:
    told = (
        f"{row.group}, {row.series}{'' if math.isnan(row.value) else f' {row.value:.3g}'}" for row in rows
    )
    return f"In {unit}: {'; '.join(told)}."


# From the samples of runs to the analysis of the policy statements, model by model.

LISTS = ("reliable", "tests", "kappas", "paraphrase_alpha", "templates", "worldview", "leanings")
"""The lists of a summary, each a table."""


def respondents(files: Iterable[SampleFile], problems: list[Problem]) -> dict[str, list[Json]]:
    """Return the answered prompts of every model.

    Log-likelihoods are a respondent of their own, since they are never pooled with sampled answers. A prompt
    that several tasks asked (the task on all countries and that on one) counts once, from the first.
    """
    found: dict[str, dict[str, Json]] = {}
    for file in files:
        if instrument_of(first_row(file.path)) != "policy":
            continue
        own = found.setdefault(file.respondent, {})
        for number, sample in numbered_samples(file.path, problems):
            with left_out(problems, file.path, number):
                (row,) = rows_of_samples([sample])
                own.setdefault(_asked(row), row)
    return {name: [*rows.values()] for name, rows in found.items()}


def summaries(
    answered: Mapping[str, Sequence[Document]], positions: Positioned | None, rule: Rule
) -> dict[str, Json]:
    """Return what :func:`policy_summary` says of every model; arguments as there."""
    return {name: policy_summary(rows, positions, rule) for name, rows in answered.items()}


def _asked(row: Document) -> str:
    """What is the same for a prompt in the config of all countries and in that of one."""
    return "/".join(str(row[name]) for name in ("statement_id", "variant", "instruction_id", "label_order"))
