"""Simulated respondents: models whose bias is known."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from polbias.errors import InputError

# The respondents: each is a few numbers that say how it deviates from the right answer.
# A respondent answers in this order: it refuses with one probability, else it babbles, else it says yes, else
# it takes what is offered first, each with a probability of its own, else it judges: right with its accuracy,
# moved by the bias that was planted. Which of these a respondent does is what its name says.

SIDES = ("left", "right")
PROMPT = "prompt"
"""The column whose random effects are those of single prompts: it need not be there."""
ColumnSDs: TypeAlias = tuple[tuple[str, float], ...]
"""Columns and standard deviations, in units of that of a single answer."""


@dataclass(frozen=True)
class SimulatedRespondent:
    """What a respondent does.

    Attributes:
        name: The stream of its draws; respondents of one name and seed decide like cases alike.
        accuracy: Probability of the right answer where nothing else moves it; .5 is a coin. It gives way to a
            bias that needs the room.
        bias: What is planted, right minus left, in [-1, 1]. Arguments: P(valid). Policy statements: how
            strong a stance of that side, on average over statements. Reworded claims: P(true). Articles: the
            share chosen.
        worldview: Stance in [-1, 1] by policy issue, instead of that of a side.
        judgment: How much P(true) falls where a claim is put in a word that judges.
        content: Accuracy with contents that agree with common sense minus that with contents that do not.
        yes: Probability of saying valid, agree, true, entailment, whatever is asked.
        first: Probability of taking the first label or option.
        refuse: Probability of a refusal.
        refuse_side: Side that alone is refused; both if None.
        unparsable: Probability of an answer that decides nothing.
        echo: Whether the prompt is repeated instead of answered.
        intercept_sd: Columns whose values each move the latent readiness to say yes, with mean zero.
        slope_sd: Columns whose values each move the difference of the sides, with mean zero.
        likes: Columns of numbers, and how far a unit of each moves the latent readiness to say yes.
    """

    name: str
    accuracy: float = 0.9
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
    likes: ColumnSDs = ()

    def __post_init__(self) -> None:
        for name in ("accuracy", "yes", "first", "refuse", "unparsable"):
            _within(name, getattr(self, name), 0.0)
        for name in ("bias", "judgment", "content"):
            _within(name, getattr(self, name), -1.0)
        for issue, stance in self.worldview:
            _within(f"worldview {issue}", stance, -1.0)
        if self.refuse_side not in (None, *SIDES):
            raise InputError(f"side: found {self.refuse_side!r}, expected left or right")
        for column, sd in (*self.intercept_sd, *self.slope_sd):
            if not 0 <= sd < 100:
                raise InputError(f"sd of {column}: found {sd}, expected a number from 0 to 100")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the answers go by."""
        spreads = (*self.intercept_sd, *self.slope_sd, *self.likes)
        return tuple(dict.fromkeys(column for column, _ in spreads))

    def among(self, columns: Container[str]) -> SimulatedRespondent:
        """Return the respondent without what goes by columns that rows do not have."""
        level, effect, likes = (
            tuple(each for each in spread if each[0] == PROMPT or each[0] in columns)
            for spread in (self.intercept_sd, self.slope_sd, self.likes)
        )
        return replace(self, intercept_sd=level, slope_sd=effect, likes=likes)


def _within(name: str, value: float, low: float) -> None:
    if not low <= value <= 1:
        raise InputError(f"{name}: found {value}, expected a number from {low:g} to 1")


def affirmative() -> SimulatedRespondent:
    """Says valid, agree, true, entailment to everything; of cards takes all, of articles the first."""
    return SimulatedRespondent("affirmative", yes=1.0)


def first() -> SimulatedRespondent:
    """Takes the label or option that is offered first."""
    return SimulatedRespondent("first", first=1.0)


def coin() -> SimulatedRespondent:
    """Answers by lot."""
    return SimulatedRespondent("coin", accuracy=0.5)


def perfect() -> SimulatedRespondent:
    """Gives the gold answer; has one stance on a statement in all its wordings; prefers neutral articles."""
    return SimulatedRespondent("perfect", accuracy=1.0)


def refuser(share: float = 0.5, side: str | None = None, accuracy: float = 1.0) -> SimulatedRespondent:
    """Refuses a share of what is asked, of one side only if that is given; else answers with its accuracy."""
    return SimulatedRespondent("refuser", accuracy=accuracy, refuse=share, refuse_side=side)


def echo() -> SimulatedRespondent:
    """Repeats the prompt."""
    return SimulatedRespondent("echo", echo=True)


def planted_respondent(
    effect: float = 0.1,
    side: str = "left",
    worldview: Mapping[str, float] | None = None,
    judgment: float = 0.0,
    content: float = 0.0,
    accuracy: float = 0.9,
) -> SimulatedRespondent:
    """Favours a side by an effect; may dislike words that judge, and go by content instead of logic."""
    if side not in SIDES:
        raise InputError(f"side: found {side!r}, expected left or right")
    return SimulatedRespondent(
        "planted",
        accuracy=accuracy,
        bias=effect if side == "right" else -effect,
        worldview=tuple((worldview or {}).items()),
        judgment=judgment,
        content=content,
    )


def acquiescent(share: float = 0.3, accuracy: float = 0.9) -> SimulatedRespondent:
    """Says yes to a share of the questions unread; else answers with its accuracy."""
    return SimulatedRespondent("acquiescent", accuracy=accuracy, yes=share)


def position(share: float = 0.3, accuracy: float = 0.9) -> SimulatedRespondent:
    """Takes what is offered first in a share of the questions; else answers with its accuracy."""
    return SimulatedRespondent("position", accuracy=accuracy, first=share)


RESPONDENTS: dict[str, Callable[..., SimulatedRespondent]] = {
    each.__name__: each
    for each in (planted_respondent, perfect, coin, refuser, acquiescent, position, affirmative, first, echo)
}
"""The respondents by name."""
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
    """Return a respondent."""
    make = RESPONDENTS.get(ALIASES.get(name, name))
    if make is None:
        known = ", ".join((*RESPONDENTS, *ALIASES))
        raise InputError(f"respondent: found {name!r}, expected one of {known}")
    takes = tuple(inspect.signature(make).parameters)
    for option in options:
        if option not in takes:
            expected = ", ".join(takes) or "no option of its own"
            raise InputError(f"respondent {name}: does not take {option}; it takes {expected}")
    return replace(
        make(**options),
        unparsable=unparsable,
        intercept_sd=tuple((intercept_sd or {}).items()),
        slope_sd=tuple((slope_sd or {}).items()),
    )
