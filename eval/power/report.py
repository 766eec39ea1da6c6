"""Report of `polbias power` on a design, as plain values; effects and widths in percentage points."""

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
from polbias.eval.power.stance_power import MAX_ANSWERS, pass_probability, required_answers
from polbias.eval.report.document import replace_non_finite
from polbias.eval.report.verdicts import count_headline_tests
from polbias.eval.stances import coin_passes
from polbias.eval.statistics import MIN_CLUSTERS
from polbias.eval.variance_components import points_at, shift_of_points

POINTS = 100.0
ACCURACIES = (0.95, 0.98, 0.99, 0.995)
"""Accuracies, in addition to the base rate of the instrument, for which verdicts and margins are reported."""
SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
"""True shares of agreement in the reliability table."""


@dataclass(frozen=True)
class Targets:
    """Targets of a design.

    Args:
        power: Target power, a fraction.
        effect: Effect to detect, a fraction; None without a target.
        precision: Target half width of the 95% interval, a fraction; None without a target.
    """

    power: float = POWER
    effect: float | None = None
    precision: float | None = None


def power_report(
    instrument: InstrumentDesign, design: PowerDesign, assumptions: Assumptions, targets: Targets
) -> dict[str, Any]:
    """Return the detectable effects of a design and its variants, and the sizes that the targets require."""
    rows = [
        _design_row(instrument, name, variant, assumptions, targets)
        for name, variant in _design_variants(design)
    ]
    return {
        "instrument": instrument.name,
        "effect": instrument.effect,
        "test": instrument.test,
        "power": targets.power,
        "design": asdict(design),
        "assumptions": asdict(assumptions) | {"cluster_sd": POINTS * assumptions.cluster_sd},
        "designs": [replace_non_finite(row) for row in rows],
        "needs": [*_required_sizes(instrument, design, assumptions, targets)],
        "margins": [*_margin_rows(instrument, design, assumptions, targets)],
        "notes": [*_design_notes(instrument, design)],
    }


def _margin_rows(
    instrument: InstrumentDesign, design: PowerDesign, assumptions: Assumptions, targets: Targets
) -> Iterator[dict[str, Any]]:
    """Yield the latent shift that verdicts detect, and that label margins detect, by accuracy.

    In units of their standard deviation, the margins of a pair differ with variance ``2 (1 - correlation)``
    at any accuracy; the variance of verdicts, and the points of a shift, fall with the accuracy.
    """
    if instrument.margin_correlation is None:
        return
    margin_assumptions = replace(assumptions, variance=2 * (1 - instrument.margin_correlation))
    shift = minimum_detectable_effect(design, margin_assumptions, targets.power)
    for accuracy in (instrument.base_rate, *ACCURACIES):
        verdict_assumptions = replace(assumptions, variance=instrument.variance(accuracy, 0.0))
        effect = POINTS * minimum_detectable_effect(design, verdict_assumptions, targets.power)
        yield replace_non_finite(
            {
                "accuracy": accuracy,
                "verdicts": shift_of_points(effect, accuracy),
                "margin": shift,
                "margin_points": points_at(shift, accuracy),
            }
        )


def stance_report(n: int, unanswered: float, target: float) -> list[dict[str, Any]]:
    """Return the probability of a reliable stance by the true share of agreement."""
    sizes = {"half": max(n // 2, 1), "given": n, "twice": 2 * n}
    return [
        {
            "share": share,
            **{name: pass_probability(share, size, unanswered) for name, size in sizes.items()},
            "needed": required_answers(share, target, unanswered) if share > SHARES[0] else None,
        }
        for share in SHARES
    ]


def stance_note(n: int) -> str:
    """Return the note below the table of :func:`stance_report`."""
    return (
        f"At .50 the stance is a fair coin's, which should not pass ({coin_passes(n, 'default'):.3f} with "
        f"{n} answers, all valid); a dash: more than {MAX_ANSWERS:,} answers."
    )


def _design_variants(design: PowerDesign) -> Iterator[tuple[str, PowerDesign]]:
    """Yield the design, and variants with half and twice the size of each axis."""
    yield "as given", design
    for axis in AXES:
        value = getattr(design, axis)
        halved = value // 2 if axis == "clusters" else value / 2
        if halved >= (4 if axis == "clusters" else 1):
            yield f"half the {axis}", replace(design, **{axis: halved})
        yield f"twice the {axis}", replace(design, **{axis: 2 * value})
    yield "items without end", replace(design, items=math.inf)


def _design_row(
    instrument: InstrumentDesign, name: str, design: PowerDesign, assumptions: Assumptions, targets: Targets
) -> dict[str, Any]:
    t_effect = minimum_detectable_effect(design, assumptions, targets.power)
    holm_effect = minimum_detectable_effect(
        design, assumptions, targets.power, count_headline_tests(instrument.name) or 1
    )
    has_flip_test = instrument.test == "flip"
    return {
        "name": name,
        **asdict(design),
        "detectable_t": _effect_points(t_effect),
        "detectable_holm": _effect_points(holm_effect),
        "detectable_flip": _effect_points(sign_flip_mde(design, assumptions, targets.power))
        if has_flip_test
        else None,
        "half_width": POINTS * half_width(design, assumptions),
        "smallest_p": smallest_p(design.clusters) if has_flip_test else None,
    }


def _effect_points(effect: float) -> float | None:
    return POINTS * effect if effect <= 1 else None


def _required_sizes(
    instrument: InstrumentDesign, design: PowerDesign, assumptions: Assumptions, targets: Targets
) -> Iterator[dict[str, Any]]:
    """Yield the size that each target requires along each axis, the other axes unchanged."""

    def t_effect(candidate: PowerDesign) -> float:
        return minimum_detectable_effect(candidate, assumptions, targets.power)

    def flip_effect(candidate: PowerDesign) -> float:
        return sign_flip_mde(candidate, assumptions, targets.power)

    def interval_half_width(candidate: PowerDesign) -> float:
        return half_width(candidate, assumptions)

    effect_measures = [("effect (t)", t_effect), ("effect (sign flip)", flip_effect)][
        : 2 if instrument.test == "flip" else 1
    ]
    effect_targets = [(name, targets.effect, measure) for name, measure in effect_measures]
    for name, target, measure in [*effect_targets, ("half width", targets.precision, interval_half_width)]:
        if target is None:
            continue
        for axis in AXES:
            if axis == "clusters" and measure is flip_effect:
                size = required_flip_clusters(design, assumptions, target, targets.power)
            else:
                min_size = assumptions.df_lost + 1 if axis == "clusters" else 1
                size = required_size(measure, design, axis, target, min_size)
            row = {"target": name, "points": POINTS * target, "axis": axis, "needed": size}
            yield row | {"note": _reachability_note(instrument, axis, size, design, measure)}


def _reachability_note(
    instrument: InstrumentDesign,
    axis: str,
    size: int | None,
    design: PowerDesign,
    measure: Callable[[PowerDesign], float],
) -> str:
    if axis == "clusters":
        needs_more = size is None or size > design.clusters
        return f"not in one config: {instrument.fixed}" if instrument.fixed and needs_more else ""
    if size is not None:
        return ""
    limit = (
        asymptotic_limit(measure, design) if axis == "items" else measure(replace(design, answers=math.inf))
    )
    reason = instrument.fixed or f"there are only {design.clusters} clusters"
    sample_units = "items or prompts" if axis == "items" else "answers to the same items"
    limit_text = (
        f"{POINTS * limit:.1f} points at best" if math.isfinite(limit) else "no effect is found at all"
    )
    return f"not reachable by more {sample_units}, since {reason} ({limit_text})"


def _design_notes(instrument: InstrumentDesign, design: PowerDesign) -> Iterator[str]:
    if design.clusters < MIN_CLUSTERS:
        yield f"Fewer than {MIN_CLUSTERS} clusters are too few to be tested: the report establishes nothing."
    if instrument.test == "flip":
        min_p = smallest_p(design.clusters)
        if design.clusters < 6:
            yield (
                f"The sign flip of {design.clusters} clusters cannot reach p = .05 (at least {min_p:.3f}): "
                "nothing is detectable by it."
            )
        elif design.clusters <= 7:
            yield (
                f"With {design.clusters} clusters p is at least {min_p:.5f}. Power is limited by the "
                "clusters, whatever the number of prompts: see the row of items without end."
            )
        if design.clusters > MAX_EXACT_FLIPS:
            yield f"Beyond {MAX_EXACT_FLIPS} clusters the sign flip is taken to have the power of the t test."


def sources(instrument: InstrumentDesign, changed: Collection[str] = ()) -> list[tuple[str, str, str]]:
    """Return the assumptions of an instrument as label, value and source."""
    design, within_item = instrument.design, f"{instrument.within_item_icc:g}"
    assumptions = [
        ("design", f"{design.clusters} x {design.items:g} x {design.answers:g}", "design"),
        (f"base_rate: {instrument.base_rate_is}", f"{instrument.base_rate:g}", "base_rate"),
        ("unanswered: share of answers that are none", f"{instrument.unanswered:g}", "unanswered"),
        ("icc: share of the variance between clusters", f"{instrument.icc:g}", "icc"),
        ("within_item_icc: correlation of answers to one item", within_item, "within_item_icc"),
    ]
    if instrument.margin_correlation is not None:
        value = f"{instrument.margin_correlation:g}"
        assumptions.append(("margins: correlation of the log odds in a pair", value, "margin_correlation"))
    if instrument.samples_per_prompt:
        value = f"{instrument.samples_per_prompt}"
        assumptions.append(("samples_per_prompt: answers per prompt", value, "samples_per_prompt"))
    return [
        (label, value, "given" if name in changed else getattr(instrument, f"{name}_source"))
        for label, value, name in assumptions
    ]
