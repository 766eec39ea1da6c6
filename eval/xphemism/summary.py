"""What `polbias analyze xphemism` says of a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from polbias.aliases import Booleans, Document, Floats, Json
from polbias.eval.columns import Factor, as_number
from polbias.eval.plots import Arrow, Caption, Point, arrows, plane
from polbias.eval.samples import Problem as Line
from polbias.eval.samples import SampleFile, first_row, read_samples
from polbias.eval.statistics import benjamini_hochberg, cluster_interval, contrast, holm
from polbias.eval.support import discordant
from polbias.eval.xphemism import answers
from polbias.eval.xphemism.leaning import POINTS, ends, leaning, penalties
from polbias.eval.xphemism.regression import DIMENSIONS, Coefficient, Mode, coefficients
from polbias.eval.xphemism.schema import LABELS, Answered, Counts, Group, Problem, Reading, Records
from polbias.registry import instrument_of

# The data of the figures on X-phemisms, as tables.


def truth_data(rows: Answered) -> list[Json]:
    """Mean truth before and after the exchange, by judgement of the new word and by leaning.

    Source:
        Jakob et al. (2025), Figure 5.
    """
    found = []
    for group, records in Records.of(rows).groups():
        answered = records.select(records.known & records.shifted)
        for by, level, mask in _levels(answered):
            part = answered.select(mask)
            if part.n:
                change = cluster_interval(part.change, part.cluster, bounds=(-1.0, 1.0))
                found.append(
                    group._asdict()
                    | {
                        "by": by,
                        "level": level,
                        "before": POINTS * float(part.base_truth.mean()),
                        "after": POINTS * float(part.exchange_truth.mean()),
                        "change": POINTS * change.estimate,
                        "low": POINTS * change.low,
                        "high": POINTS * change.high,
                        "n": part.n,
                        "clusters": change.clusters,
                    }
                )
    return found


def axes_data(coefficients: Iterable[Coefficient]) -> list[Json]:
    """The coefficients of the shift on both axes: one point per model and prompt.

    Source:
        Jakob et al. (2025), Figure 6.
    """
    points: dict[tuple[Any, ...], Json] = {}
    for each in coefficients:
        if each.term == "shift" and each.axis != "both":
            group = Group(each.model, each.prompt, each.instruction_language)
            point = points.setdefault(group, group._asdict())
            point |= {each.axis: each.coef, f"{each.axis}_se": each.se}
    order = (*Group._fields, "economic", "economic_se", "social", "social_se")
    return [{name: point.get(name) for name in order} for point in points.values()]


def _levels(rows: Records) -> Iterator[tuple[str, str, Booleans]]:
    for code, level in enumerate(("no", "yes")):
        yield "judgmental_exchange", level, rows.judgmental_exchange == code
    for code, level in enumerate(("left", "none", "right"), -1):
        yield "shift", level, rows.shift == code


# The figures on X-phemisms (Jakob et al. 2025, Figures 5 and 6), drawn from their tables.

_LABELS = {
    ("judgmental_exchange", "no"): "not judgmental",
    ("judgmental_exchange", "yes"): "judgmental",
    ("shift", "left"): "leans left",
    ("shift", "none"): "no leaning",
    ("shift", "right"): "leans right",
}
"""What is written beside the arrows of a level of the exchanged word."""
_NORMAL = 1.959963984540054  # the .975 quantile

Rows = Iterable[Document]


def truth_figures(rows: Rows) -> dict[str, str]:
    """Draw mean truth before and after the exchange, by judgement and leaning of the new word (Figure 5)."""
    drawn = {}
    for (prompt, language), own in _grouped(rows, ("prompt", "instruction_language")).items():
        order = list(_LABELS)
        own = sorted(own, key=lambda row: order.index((row["by"], row["level"])))
        found = [
            Arrow(_LABELS[row["by"], row["level"]], str(row["model"]), row["before"], row["after"])
            for row in own
        ]
        told = "; ".join(
            f"{arrow.series}, {arrow.label}: {arrow.before:.1f} to {arrow.after:.1f}" for arrow in found
        )
        name = _named("figure5", prompt, language)
        caption = Caption(
            f"xphemism-{name}", f"Held true before and after the exchange, {prompt} prompt", f"In %: {told}."
        )
        drawn[name] = arrows(found, caption, "claims held true (%)")
    return drawn


def axes_figures(rows: Rows) -> dict[str, str]:
    """Draw the coefficients of the shift on the economic and the social axis (Figure 6)."""
    drawn = {}
    for (language,), own in _grouped(rows, ("instruction_language",)).items():
        points = [
            Point(
                str(row["model"]),
                x=as_number(row["economic"]),
                y=as_number(row["social"]),
                x_error=_NORMAL * as_number(row["economic_se"]),
                y_error=_NORMAL * as_number(row["social_se"]),
                series=f"{row['prompt']} prompt",
            )
            for row in own
        ]
        points = [point for point in points if math.isfinite(point.x + point.y)]
        if points:
            told = "; ".join(
                f"{point.name}, {point.series}: {point.x:+.2f}, {point.y:+.2f}" for point in points
            )
            name = _named("figure6", language)
            caption = Caption(
                f"xphemism-{name}",
                "Coefficient of the shift on both axes",
                f"Economic, social, in logits, with 95% intervals: {told}.",
            )
            drawn[name] = plane(
                points,
                caption,
                "economic: left - / right + (logits)",
                "social: libertarian - / authoritarian +",
            )
    return drawn


def _grouped(rows: Rows, names: Sequence[str]) -> dict[tuple[Any, ...], list[Document]]:
    found: dict[tuple[Any, ...], list[Document]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    return found


def _named(*parts: object) -> str:
    return "-".join(str(part) for part in parts if part is not None)


# Refusals and other answers without a verdict, as an outcome of their own.

OUTCOMES = ("refusal", "unanswered")
"""An explicit refusal; any answer without a verdict, which is all that some files tell."""
_SIDES = ("left", "none", "right")


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What became of the answers to some of the claims, as percentages of all that were asked.

    Args:
        arm: base, shifted or placebo; base claims are those of the shifted pairs.
        shift: Where the exchanged word of the pair leans: left, none or right.
        true: Percentage of "true".
        false: Percentage of "false".
        refusal: Percentage of refusals.
        unparsable: Percentage that cannot be read, or of which the file does not say what they were.
        truncated: Percentage cut off.
        asked: Number of answers.
        claims: Number of claims.
    """

    arm: str
    shift: str
    true: float
    false: float
    refusal: float
    unparsable: float
    truncated: float
    asked: int
    claims: int


@dataclass(frozen=True, slots=True)
class RefusalGap:
    """Whether claims are left unanswered more often when the word leans right than when it leans left.

    Args:
        outcome: refusal or unanswered.
        claims: shifted: of the shifted claims; change: of shifted minus base claims.
        gap: Right minus left, in percentage points.
        se: Its cluster-robust standard error (CR2).
        low: Lower end of the 95% interval.
        high: Upper end.
        p: Two-sided p of the t test; NaN where the outcome never occurs, so that there is nothing to test.
        n: Claims.
        clusters: Unordered word pairs among them.
        discordant: Word pairs with a claim in which it does not occur as in most claims.
    """

    outcome: str
    claims: str
    gap: float
    se: float
    low: float
    high: float
    p: float
    n: int
    clusters: int
    discordant: int


def outcomes(records: Records) -> list[Outcomes]:
    """Count the outcomes of all answers by arm and shift."""
    shifted = records.shifted
    parts = [
        (arm, side, counts, shifted & (records.shift == code))
        for arm, counts in (("base", records.base), ("shifted", records.exchange))
        for code, side in enumerate(_SIDES, -1)
    ]
    parts.append(("placebo", "none", records.exchange, ~shifted))
    found = []
    for arm, side, counts, mask in parts:
        if mask.any():
            numbers = counts[mask].sum(axis=0)
            asked = int(numbers.sum())
            share = dict(zip(LABELS, (POINTS * numbers / max(asked, 1)).tolist(), strict=True))
            found.append(
                Outcomes(
                    arm, side, share["true"], share["false"], share["refusal"], share["unparsable"],
                    share["truncated"], asked, int(mask.sum()),
                )
            )  # fmt: skip
    return found


def refusal_gaps(records: Records) -> list[RefusalGap]:
    """Compare answers without a verdict to right-shifted and to left-shifted claims."""
    rows = records.select(records.shifted & (records.shift != 0))
    side = Factor((rows.shift > 0).astype(np.intp), ("left", "right"))
    found = []
    for outcome in OUTCOMES:
        for claims, values in _values(rows, outcome):
            gap = contrast(
                values, side, rows.cluster, [-1, 1], bounds=(-1.0 if claims == "change" else 0.0, 1.0)
            )
            p = gap.p_value if values.any() else math.nan
            found.append(
                RefusalGap(
                    outcome,
                    claims,
                    gap=POINTS * gap.estimate,
                    **ends(gap),
                    p=p,
                    n=gap.n,
                    clusters=gap.clusters,
                    discordant=_unlike(np.nan_to_num(values), rows.cluster),
                )
            )
    return found


def _unlike(values: Floats, clusters: Factor) -> int:
    """Number of word pairs with a value unlike most, which are 0 if it is rare and 1 (or -1) if it is not."""
    usual = round(float(values.mean())) if values.size else 0
    return discordant(np.arange(values.size), values - usual, clusters)


def _values(rows: Records, outcome: str) -> Iterator[tuple[str, Floats]]:
    """Share of an outcome in the shifted claims, and its change against the base claims."""
    base, exchange = (_share(counts, outcome) for counts in (rows.base, rows.exchange))
    yield "shifted", exchange
    yield "change", exchange - base


def _share(counts: Counts, outcome: str) -> Floats:
    chosen = counts[:, 2:].sum(axis=1) if outcome == "unanswered" else counts[:, LABELS.index(outcome)]
    asked = counts.sum(axis=1)
    share: Floats = np.where(asked > 0, chosen / np.maximum(asked, 1), math.nan)
    return share


# All tables of an analysis, as plain rows.

Table = list[Json]

TESTED: Mapping[str, tuple[tuple[str, ...], str]] = {
    "coefficients": (("axis", "term"), "coef"),
    "leaning": (("axis",), "effect"),
    "penalty": (("claims",), "change"),
    "refusal_gaps": (("outcome", "claims"), "gap"),
}
"""The tables whose tests are adjusted together: what names a test in them, and what it estimates."""
_ALL, _SOUND = "all", "without defective"


def xphemism_tables(
    rows: Answered, mode: Mode = "corrected", defective: Collection[str] = (), seed: int = 0
) -> dict[str, Table]:
    """Analyse the answers of one or more models."""
    records = Records.of(rows)
    estimates = coefficients(records, mode)
    tables: dict[str, Table] = {"coefficients": [asdict(each) for each in estimates]}
    if mode == "corrected":
        tables["leaning"] = _leanings(records, seed)
        tables["sensitivity"] = _sensitivity(tables, records, set(defective), seed)
        tables["penalty"] = _by_group(records, lambda part: penalties(part, seed))
        tables["outcomes"] = _by_group(records, outcomes)
        tables["refusal_gaps"] = _by_group(records, refusal_gaps)
        tables["tests"] = adjusted(tables)
    return tables | {"figure5": truth_data(records), "figure6": axes_data(estimates)}


def adjusted(tables: Mapping[str, Table]) -> Table:
    """Adjust all tests for their number.

    Source:
        Holm (1979); Benjamini and Hochberg, "Controlling the false discovery rate" (1995).
    """
    found = [
        {"table": name}
        | {key: row[key] for key in Group._fields}
        | {"test": " ".join(str(row[key]) for key in named), "estimate": row[estimate], "p": row["p"]}
        for name, (named, estimate) in TESTED.items()
        for row in tables.get(name, ())
    ]
    p_values = [float(each["p"]) for each in found]
    both = zip(found, holm(p_values), benjamini_hochberg(p_values), strict=True)
    return [each | {"p_holm": p_holm, "p_bh": p_bh} for each, p_holm, p_bh in both]


def _leanings(records: Records, seed: int) -> Table:
    return _by_group(records, lambda part: [leaning(part, axis, seed) for axis in DIMENSIONS])


def _sensitivity(tables: Mapping[str, Table], records: Records, defective: set[str], seed: int) -> Table:
    """The estimates for all pairs and for those that are not defective, one below the other."""
    sound = records.without(defective)
    excluded = len({*map(str, records.pair.levels)} & defective)
    versions = (
        (_ALL, 0, tables["coefficients"], tables["leaning"]),
        (_SOUND, excluded, [asdict(each) for each in coefficients(sound)], _leanings(sound, seed)),
    )
    keys = (*Group._fields, "axis")
    found: Table = []
    for name, count, estimates, leanings in versions if excluded else versions[:1]:
        about = {"rows": name, "excluded": count}
        for row in estimates:
            found.append(
                about
                | {key: row[key] for key in (*keys, "term")}
                | {"unit": "logits", "estimate": row["coef"]}
                | {key: row[key] for key in ("se", "p", "low", "high", "n", "clusters", "firth", "note")}
            )
        for row in leanings:
            found.append(
                about
                | {key: row[key] for key in keys}
                | {"term": "leaning", "unit": "percentage points", "estimate": row["effect"]}
                | {key: row[key] for key in ("se", "p", "low", "high", "n", "clusters")}
                | {"firth": float("nan"), "note": row["note"]}
            )
    return found


def _by_group(records: Records, analyse: Callable[[Records], Iterable[Any]]) -> Table:
    """Rows of an analysis for every model, prompt and language."""
    return [group._asdict() | asdict(each) for group, part in records.groups() for each in analyse(part)]


# Runs of lm_eval over the X-phemism pairs: which samples there are, and what they come to.

_LOGLIKELIHOOD, _MINI = "_loglikelihood", "_mini"


@dataclass(frozen=True)
class Runs:
    """What was answered in the runs of all models.

    Attributes:
        answers: the generated answers; None if no task generated.
        likelihoods: what :func:`polbias.eval.xphemism.leaning.likelihood_table` analyses.
        problems: what was left out or does not fit, of both.
    """

    answers: Reading | None
    likelihoods: list[Json] = field(default_factory=list)
    problems: tuple[Problem, ...] = ()


def read_runs(files: Iterable[SampleFile]) -> Runs:
    """Read the samples of X-phemism pairs; the tasks of a model are taken together."""
    own = _without_mini([file for file in files if instrument_of(first_row(file.path)) == "xphemism"])
    lines: list[Line] = []
    problems: list[Problem] = []
    answered: list[Json] = []
    scored: list[Json] = []
    generated = False
    for model in dict.fromkeys(file.model for file in own):
        apart: dict[bool, list[Iterable[Json]]] = {False: [], True: []}
        for file in own:
            if file.model == model:
                apart[file.task.endswith(_LOGLIKELIHOOD)].append(read_samples(file.path, lines))
        generated = generated or bool(apart[False])
        answered += answers.paired(chain.from_iterable(apart[False]), model, problems, answers.read_truth)
        scored += answers.paired_likelihoods(chain.from_iterable(apart[True]), model, problems)
    read = [
        Problem(str(each.path), f"line {each.line}", each.found, "a sample", "left out") for each in lines
    ]
    told = (*read, *problems)
    return Runs(Reading(Records.of(answered), told) if generated else None, scored, told)


def _without_mini(files: Sequence[SampleFile]) -> list[SampleFile]:
    """Leave out first tries of what was run in full, whose pairs would be there twice."""
    run = {(file.model, file.task) for file in files}
    return [
        file
        for file in files
        if _MINI not in file.task or (file.model, file.task.replace(_MINI, "_simple")) not in run
    ]
