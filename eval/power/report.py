"""What `polbias power` says of a design, as plain values; effects and widths in percentage points."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from polbias.eval.power.design import Assumptions, InstrumentDesign, PowerDesign
from polbias.eval.power.detection import (
    AXES,
    POWER,
    asymptotic_limit,
    half_width,
    minimum_detectable_effect,
    required_size,
)
from polbias.eval.power.sign_flip_power import (
    MAX_EXACT_FLIPS,
    required_flip_clusters,
    sign_flip_mde,
    smallest_p,
)
from polbias.eval.power.stance_power import MOST_ANSWERS, pass_probability, required_answers
from polbias.eval.report.document import finite
from polbias.eval.report.verdicts import count_headline_tests
from polbias.eval.stances import coin_passes
from polbias.eval.statistics import MIN_CLUSTERS
from polbias.eval.variance_components import points_at, shift_of_points

POINTS = 100.0
ACCURACIES = (0.95, 0.98, 0.99, 0.995)
"""Accuracies for which verdicts and margins are told beside that of the instrument."""
SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
"""True shares of agreement for which the table of reliability is made."""


@dataclass(frozen=True)
class Targets:
    """What is wanted.

    Args:
        power: Wanted power, a fraction.
        effect: Effect to be detected, a fraction; None if none is named.
        precision: Wanted half width of the 95% interval, a fraction; None if none is named.
    """

    power: float = POWER
    effect: float | None = None
    precision: float | None = None


def power_report(
    instrument: InstrumentDesign, design: PowerDesign, assumed: Assumptions, targets: Targets
) -> dict[str, Any]:
    """Detectable effects of a design and of larger and smaller ones, and what a target needs."""
    rows = [_row(instrument, name, each, assumed, targets) for name, each in _designs(design)]
    return {
        "instrument": instrument.name,
        "effect": instrument.effect,
        "test": instrument.test,
        "power": targets.power,
        "design": asdict(design),
        "assumptions": asdict(assumed) | {"cluster_sd": POINTS * assumed.cluster_sd},
        "designs": [finite(row) for row in rows],
        "needs": [*_needs(instrument, design, assumed, targets)],
        "margins": [*_margins(instrument, design, assumed, targets)],
        "notes": [*_notes(instrument, design)],
    }


def _margins(
    instrument: InstrumentDesign, design: PowerDesign, assumed: Assumptions, targets: Targets
) -> Iterator[dict[str, Any]]:
    """Yield the latent shift that verdicts and that the margin of the labels detect, by accuracy.

    A pair's margins, in units of their standard deviation, differ with the variance ``2 (1 - correlation)``
    whatever the accuracy; that of verdicts shrinks with it, and so do the points that a shift comes to.
    """
    if instrument.margin_correlation is None:
        return
    by_margin = replace(assumed, variance=2 * (1 - instrument.margin_correlation))
    shift = minimum_detectable_effect(design, by_margin, targets.power)
    for accuracy in (instrument.base_rate, *ACCURACIES):
        by_verdict = replace(assumed, variance=instrument.variance(accuracy, 0.0))
        effect = POINTS * minimum_detectable_effect(design, by_verdict, targets.power)
        yield finite(
            {
                "accuracy": accuracy,
                "verdicts": shift_of_points(effect, accuracy),
                "margin": shift,
                "margin_points": points_at(shift, accuracy),
            }
        )


def stance_report(n: int, unanswered: float, wanted: float) -> list[dict[str, Any]]:
    """Probability of a reliable stance by the true share of agreement."""
    sizes = {"half": max(n // 2, 1), "given": n, "twice": 2 * n}
    return [
        {
            "share": share,
            **{name: pass_probability(share, size, unanswered) for name, size in sizes.items()},
            "needed": required_answers(share, wanted, unanswered) if share > SHARES[0] else None,
        }
        for share in SHARES
    ]


def stance_note(n: int) -> str:
    """Say what the table of :func:`stance_report` is about."""
    return (
        f"At .50 the stance is a fair coin's, which should not pass ({coin_passes(n, 'default'):.3f} with "
        f"{n} answers, all valid); a dash: more than {MOST_ANSWERS:,} answers."
    )


def _designs(design: PowerDesign) -> Iterator[tuple[str, PowerDesign]]:
    """Yield the design, and those with half and twice as many of each kind."""
    yield "as given", design
    for axis in AXES:
        value = getattr(design, axis)
        half = value // 2 if axis == "clusters" else value / 2
        if half >= (4 if axis == "clusters" else 1):
            yield f"half the {axis}", replace(design, **{axis: half})
        yield f"twice the {axis}", replace(design, **{axis: 2 * value})
    yield "items without end", replace(design, items=math.inf)


def _row(
    instrument: InstrumentDesign, name: str, design: PowerDesign, assumed: Assumptions, targets: Targets
) -> dict[str, Any]:
    by_t = minimum_detectable_effect(design, assumed, targets.power)
    by_holm = minimum_detectable_effect(
        design, assumed, targets.power, count_headline_tests(instrument.name) or 1
    )
    flips = instrument.test == "flip"
    return {
        "name": name,
        **asdict(design),
        "detectable_t": _points(by_t),
        "detectable_holm": _points(by_holm),
        "detectable_flip": _points(sign_flip_mde(design, assumed, targets.power)) if flips else None,
        "half_width": POINTS * half_width(design, assumed),
        "smallest_p": smallest_p(design.clusters) if flips else None,
    }


def _points(effect: float) -> float | None:
    return POINTS * effect if effect <= 1 else None


def _needs(
    instrument: InstrumentDesign, design: PowerDesign, assumed: Assumptions, targets: Targets
) -> Iterator[dict[str, Any]]:
    """Yield what each target takes along each axis, the others as given."""

    def by_t(each: PowerDesign) -> float:
        return minimum_detectable_effect(each, assumed, targets.power)

    def by_flip(each: PowerDesign) -> float:
        return sign_flip_mde(each, assumed, targets.power)

    def width(each: PowerDesign) -> float:
        return half_width(each, assumed)

    effect = [("effect (t)", by_t), ("effect (sign flip)", by_flip)][: 2 if instrument.test == "flip" else 1]
    wanted = [(name, targets.effect, measure) for name, measure in effect]
    for name, target, measure in [*wanted, ("half width", targets.precision, width)]:
        if target is None:
            continue
        for axis in AXES:
            if axis == "clusters" and measure is by_flip:
                number = required_flip_clusters(design, assumed, target, targets.power)
            else:
                least = assumed.df_lost + 1 if axis == "clusters" else 1
                number = required_size(measure, design, axis, target, least)
            row = {"target": name, "points": POINTS * target, "axis": axis, "needed": number}
            yield row | {"note": _reach(instrument, axis, number, design, measure)}


def _reach(
    instrument: InstrumentDesign,
    axis: str,
    number: int | None,
    design: PowerDesign,
    measure: Callable[[PowerDesign], float],
) -> str:
    if axis == "clusters":
        more = number is None or number > design.clusters
        return f"not in one config: {instrument.fixed}" if instrument.fixed and more else ""
    if number is not None:
        return ""
    least = (
        asymptotic_limit(measure, design) if axis == "items" else measure(replace(design, answers=math.inf))
    )
    why = instrument.fixed or f"there are only {design.clusters} clusters"
    what = "items or prompts" if axis == "items" else "answers to the same items"
    best = f"{POINTS * least:.1f} points at best" if math.isfinite(least) else "no effect is found at all"
    return f"not reachable by more {what}, since {why} ({best})"


def _notes(instrument: InstrumentDesign, design: PowerDesign) -> Iterator[str]:
    if design.clusters < MIN_CLUSTERS:
        yield f"Fewer than {MIN_CLUSTERS} clusters are too few to be tested: the report establishes nothing."
    if instrument.test == "flip":
        least = smallest_p(design.clusters)
        if design.clusters < 6:
            yield (
                f"The sign flip of {design.clusters} clusters cannot reach p = .05 (at least {least:.3f}): "
                "nothing is detectable by it."
            )
        elif design.clusters <= 7:
            yield (
                f"With {design.clusters} clusters p is at least {least:.5f}. Power is limited by the "
                "clusters, whatever the number of prompts: see the row of items without end."
            )
        if design.clusters > MAX_EXACT_FLIPS:
            yield f"Beyond {MAX_EXACT_FLIPS} clusters the sign flip is taken to have the power of the t test."


def sources(instrument: InstrumentDesign, changed: Collection[str] = ()) -> list[tuple[str, str, str]]:
    """Return what is assumed of an instrument: what, its value and its source."""
    design, within_item = instrument.design, f"{instrument.within_item_icc:g}"
    shown = [
        ("design", f"{design.clusters} x {design.items:g} x {design.answers:g}", "design"),
        (f"base_rate: {instrument.base_rate_is}", f"{instrument.base_rate:g}", "base_rate"),
        ("unanswered: share of answers that are none", f"{instrument.unanswered:g}", "unanswered"),
        ("icc: share of the variance between clusters", f"{instrument.icc:g}", "icc"),
        ("within_item_icc: correlation of answers to one item", within_item, "within_item_icc"),
    ]
    if instrument.margin_correlation is not None:
        value = f"{instrument.margin_correlation:g}"
        shown.append(("margins: correlation of the log odds in a pair", value, "margin_correlation"))
    if instrument.samples_per_prompt:
        value = f"{instrument.samples_per_prompt}"
        shown.append(("samples_per_prompt: answers per prompt", value, "samples_per_prompt"))
    return [
        (what, value, "given" if name in changed else getattr(instrument, f"{name}_source"))
        for what, value, name in shown
    ]
