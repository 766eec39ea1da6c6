"""What is put in the place of marks: names, comparisons with their articles, distractors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from polbias.generators.engine import Lookup
from polbias.generators.language import english
from polbias.generators.logic.comparison import INFERIOR, SUPERIOR
from polbias.generators.logic.formula import Atom
from polbias.generators.partisan.country import GENDERS, LEANINGS, Leaning
from polbias.generators.partisan.xl.stage import (
    ADJECTIVES,
    DISTRACTION,
    NAMES,
    OWNED,
    PARTICLES,
    SYMBOL,
    WITH_ARTICLE,
    Stage,
)
from polbias.generators.partisan.xl_family import Distractor, Politician
from polbias.generators.partisan.xl_grid import Filler


def people(stage: Stage, side: Leaning, tell: Callable[[Politician], str]) -> Lookup:
    """Return something of the person of a side, over gender and the person's number."""
    values = [tell(person) for gender in GENDERS for person in stage.large.cast(side, gender)]
    return Lookup(factors=("gender", side), values=values)


def inserted(
    stage: Stage, variations: Sequence[str], tell: Callable[[Distractor], str], absent: str | None
) -> Lookup:
    """Return something of the distractor, over variation and distractor; `absent` where there is none."""
    values = [
        tell(distractor) if variation == "rand" else absent
        for variation in variations
        for distractor in stage.distractors.values()
    ]
    return Lookup(factors=("variation", "distractor"), values=pa.array(values, pa.string()))


def fillers(stage: Stage, variations: Sequence[str]) -> Mapping[str, Filler]:
    """Return what is put in the place of every mark.

    Args:
        stage: the country.
        variations: levels of that factor.
    """
    names = {
        NAMES[side]: Filler("name", people(stage, side, lambda person: person.name)) for side in LEANINGS
    }
    distraction = inserted(stage, variations, lambda distractor: distractor.subordinate, "")
    found: dict[str, Filler] = {**names, DISTRACTION: Filler("distractor", distraction)}
    wordings = stage.wordings.values()
    for name in (SUPERIOR, INFERIOR):
        found |= _wording(name, [entries[name] for entries in wordings])
    irrelevant = {OWNED: [entry.owned for entry in stage.irrelevant.values()]}
    irrelevant[SYMBOL] = [str(Atom(name)) for name in stage.irrelevant]
    return found | {
        mark: Filler("comparison", Lookup(factors=("irrelevant",), values=values))
        for mark, values in irrelevant.items()
    }


def _wording(name: str, listed: Sequence[Any]) -> dict[str, Filler]:
    def over(tell: Callable[[Any], str]) -> Filler:
        return Filler("comparison", Lookup(factors=("wording",), values=[tell(entry) for entry in listed]))

    found = {ADJECTIVES[name]: over(lambda entry: entry.adjective)}
    if all(hasattr(entry, "particle") for entry in listed):
        found[WITH_ARTICLE[name]] = over(lambda entry: english.a(entry.adjective))
        found[PARTICLES[name]] = over(lambda entry: entry.particle)
    return found
