"""The coefficients of Eq. 1 for every model, prompt and axis (Table 3, and what is right)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from polbias.eval.columns import Level
from polbias.eval.xphemism.firth import firth
from polbias.eval.xphemism.modes import CLUSTERED, DIMENSIONS, TERMS, Axis, Mode, design
from polbias.eval.xphemism.regression import fit
from polbias.eval.xphemism.schema import Answered, Records

COLUMNS = ("model", "prompt", "axis", "term", "coef", "se", "p", "n", "clusters")
"""The columns of the main table of every mode."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One coefficient of Eq. 1.

    Args:
        model: The model.
        prompt: simple or objective.
        instruction_language: Language of the instruction.
        axis: both, social or economic: the pairs that were taken.
        term: axis (social against economic; with both axes only), judgmental_base, judgmental_exchange or
            shift.
        coef: Estimate in logits; NaN where there is none. A positive shift favours the right.
        se: Its standard error.
        p: Two-sided p of the normal test that it is 0.
        n: Rows of the regression: answers, or claims in the mode "corrected".
        clusters: Unordered word pairs among them.
        low: Lower end of the normal 95% interval.
        high: Upper end.
        firth: The penalised estimate, in the mode "corrected"; NaN in the others, and where it is not wanted.
        note: Why there is no estimate, or what was set aside; empty as a rule.
    """

    model: Level
    prompt: str
    instruction_language: Level
    axis: Axis
    term: str
    coef: float
    se: float
    p: float
    n: int
    clusters: int
    low: float
    high: float
    firth: float
    note: str

    def row(self) -> dict[str, Any]:
        """Return the columns of the main table."""
        return {name: getattr(self, name) for name in COLUMNS}


def coefficients(
    rows: Answered, mode: Mode = "corrected", exclude: Iterable[str] = (), penalised: bool = True
) -> list[Coefficient]:
    """Estimate Eq. 1 for every model, prompt and axis.

    Args:
        rows: Any table that :meth:`Records.of` accepts.
        mode: One of :data:`polbias.eval.xphemism.modes.MODES`.
        exclude: Pairs to leave out, such as defective ones.
        penalised: Whether to make the penalised estimates, too, in the mode "corrected".

    Returns:
        A coefficient for every term, in the order of Table 3. A model without verdicts has its rows too, with
        n = 0 and a note.

    Raises:
        OutcomesError: If the table cannot be read, or the mode is unknown.
        PolbiasError: If a library is not installed.

    Source:
        Jakob et al. (2025), Table 3.
    """
    found: list[Coefficient] = []
    for group, records in Records.of(rows).without(exclude).groups():
        for axis in DIMENSIONS:
            regression = design(records, axis, mode)
            fitted = fit(regression, mode in CLUSTERED)
            bounded = firth(regression) if penalised and mode == "corrected" else {}
            size = regression.n, regression.groups
            for term in TERMS:
                if term in regression.terms:
                    coef, se = fitted.coef[term], fitted.se[term]
                    found.append(
                        Coefficient(
                            *group, axis, term, coef, se, fitted.p[term], *size,
                            coef - _NORMAL * se, coef + _NORMAL * se,
                            bounded.get(term, float("nan")), fitted.note.get(term, ""),
                        )
                    )  # fmt: skip
    return found


_NORMAL = 1.959963984540054  # the .975 quantile
