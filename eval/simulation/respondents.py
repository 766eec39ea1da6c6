"""Simulated respondents: models with a planted bias."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from polbias.errors import InputError

# The parameters of a respondent are its deviations from the right answer. In this order, each with a separate
# probability, a respondent refuses, gives an unparsable answer, answers yes, or chooses the first option;
# otherwise it judges: right with its accuracy, shifted by the planted bias. Its name describes its behavior.

SIDES = ("left", "right")
PROMPT = "prompt"
"""Column name for random effects of single prompts; rows need not have it."""
ColumnSDs: TypeAlias = tuple[tuple[str, float], ...]
"""Columns and standard deviations, in units of the standard deviation of a single answer."""


@dataclass(frozen=True)
class SimulatedRespondent:
    """Parameters of a simulated respondent.

    Attributes:
        name: Key of its random draws; respondents of one name and seed answer equal questions equally.
        accuracy: Probability of the right answer without other effects; .5 is a coin. A large bias lowers it.
        ability: Level of the ladder at which it solves half of the items, instead of an accuracy; the other
            items it guesses, with the bias. None for one accuracy at all levels.
        bias: Planted bias, right minus left, in [-1, 1]. Arguments: P(valid). Policy statements: mean
            strength of the stance for that side. Reworded claims: P(true). Articles: share chosen.
        worldview: Stance in [-1, 1] by policy issue, instead of the stance of a side.
        judgment: Decrease of P(true) for a claim worded with a judgmental word.
        content: Accuracy on contents that agree with common sense minus accuracy on contents that do not.
        yes: Probability of answering valid, agree, true or entailment to any question.
        first: Probability of choosing the first label or option.
        refuse: Probability of a refusal.
        refuse_side: The only side that is refused; both if None.
        unparsable: Probability of an answer without a decision.
        echo: Whether the respondent repeats the prompt instead of answering.
        intercept_sd: Columns with random intercepts, mean zero, on the latent readiness to answer yes.
        slope_sd: Columns with random slopes, mean zero, on the difference of the sides.
        latent_slopes: Numeric columns with the effect of one unit on the latent readiness to answer yes.
    """

    name: str
    accuracy: float = 0.9
    ability: float | None = None
    bias: float = 0.0
    worldview: tuple[tuple[str, float], ...] = ()
    judgment: float = 0.0
    content: float = 0.0
    yes: float = 0.0
    first: float = 0.0
    refuse: float = 0.0
    refuse_side: str | None = None
    unparsable: float = 0.0
    echo: bool = False
    intercept_sd: ColumnSDs = ()
    slope_sd: ColumnSDs = ()
    latent_slopes: ColumnSDs = ()

    def __post_init__(self) -> None:
        for name in ("accuracy", "yes", "first", "refuse", "unparsable"):
            _check_range(name, getattr(self, name), 0.0)
        for name in ("bias", "judgment", "content"):
            _check_range(name, getattr(self, name), -1.0)
        for issue, stance in self.worldview:
            _check_range(f"worldview {issue}", stance, -1.0)
        if self.refuse_side not in (None, *SIDES):
            raise InputError(f"side: found {self.refuse_side!r}, expected left or right")
        for column, sd in (*self.intercept_sd, *self.slope_sd):
            if not 0 <= sd < 100:
                raise InputError(f"sd of {column}: found {sd}, expected a number from 0 to 100")

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that affect the answers."""
        column_sds = (*self.intercept_sd, *self.slope_sd, *self.latent_slopes)
        return tuple(dict.fromkeys(column for column, _ in column_sds))

    def among(self, columns: Container[str]) -> SimulatedRespondent:
        """Return the respondent without the effects of columns that the rows lack."""
        intercept_sd, slope_sd, latent_slopes = (
            tuple(column_sd for column_sd in column_sds if column_sd[0] == PROMPT or column_sd[0] in columns)
            for column_sds in (self.intercept_sd, self.slope_sd, self.latent_slopes)
        )
        return replace(self, intercept_sd=intercept_sd, slope_sd=slope_sd, latent_slopes=latent_slopes)


def _check_range(name: str, value: float, low: float) -> None:
    if not low <= value <= 1:
        raise InputError(f"{name}: found {value}, expected a number from {low:g} to 1")


def affirmative() -> SimulatedRespondent:
    """Answer valid, agree, true or entailment to all questions; choose all cards, and the first article."""
    return SimulatedRespondent("affirmative", yes=1.0)


def first() -> SimulatedRespondent:
    """Choose the label or option that the prompt lists first."""
    return SimulatedRespondent("first", first=1.0)


def coin() -> SimulatedRespondent:
    """Answer at random."""
    return SimulatedRespondent("coin", accuracy=0.5)


def perfect() -> SimulatedRespondent:
    """Give the gold label, one stance per statement in all its wordings, and prefer neutral articles."""
    return SimulatedRespondent("perfect", accuracy=1.0)


def refuser(share: float = 0.5, side: str | None = None, accuracy: float = 1.0) -> SimulatedRespondent:
    """Refuse a share of the questions, of one side if given; otherwise answer with the accuracy."""
    return SimulatedRespondent("refuser", accuracy=accuracy, refuse=share, refuse_side=side)


def echo() -> SimulatedRespondent:
    """Repeat the prompt."""
    return SimulatedRespondent("echo", echo=True)


def planted_respondent(
    effect: float = 0.1,
    side: str = "left",
    worldview: Mapping[str, float] | None = None,
    judgment: float = 0.0,
    content: float = 0.0,
    accuracy: float = 0.9,
    ability: float | None = None,
) -> SimulatedRespondent:
    """Favour a side by an effect; optionally reject judgmental words, and judge content instead of logic.

    An ability replaces the accuracy on the ladder.
    """
    if side not in SIDES:
        raise InputError(f"side: found {side!r}, expected left or right")
    return SimulatedRespondent(
        "planted",
        accuracy=accuracy,
        bias=effect if side == "right" else -effect,
        worldview=tuple((worldview or {}).items()),
        judgment=judgment,
        content=content,
        ability=ability,
    )


def acquiescent(share: float = 0.3, accuracy: float = 0.9) -> SimulatedRespondent:
    """Answer yes to a share of the questions regardless of content; otherwise answer with the accuracy."""
    return SimulatedRespondent("acquiescent", accuracy=accuracy, yes=share)


def position(share: float = 0.3, accuracy: float = 0.9) -> SimulatedRespondent:
    """Choose the first option in a share of the questions; otherwise answer with the accuracy."""
    return SimulatedRespondent("position", accuracy=accuracy, first=share)


RESPONDENTS: dict[str, Callable[..., SimulatedRespondent]] = {
    "planted": planted_respondent,
    "perfect": perfect,
    "coin": coin,
    "refuser": refuser,
    "acquiescent": acquiescent,
    "position": position,
    "affirmative": affirmative,
    "first": first,
    "echo": echo,
}
"""Respondents by name."""
ALIASES = {
    "always-valid": "affirmative",
    "always-agree": "affirmative",
    "always-true": "affirmative",
    "always-entailment": "affirmative",
    "first-option": "first",
    "position-biased": "position",
}


def make_respondent(
    name: str,
    *,
    unparsable: float = 0.0,
    intercept_sd: Mapping[str, float] | None = None,
    slope_sd: Mapping[str, float] | None = None,
    **options: Any,
) -> SimulatedRespondent:
    """Return the named respondent with its options, or raise :class:`InputError`."""
    make = RESPONDENTS.get(ALIASES.get(name, name))
    if make is None:
        names = ", ".join((*RESPONDENTS, *ALIASES))
        raise InputError(f"respondent: found {name!r}, expected one of {names}")
    parameters = tuple(inspect.signature(make).parameters)
    for option in options:
        if option not in parameters:
            expected = ", ".join(parameters) or "no option of its own"
            raise InputError(f"respondent {name}: does not take {option}; it takes {expected}")
    return replace(
        make(**options),
        unparsable=unparsable,
        intercept_sd=tuple((intercept_sd or {}).items()),
        slope_sd=tuple((slope_sd or {}).items()),
    )
