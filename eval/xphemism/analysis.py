"""What is estimated of every respondent: leaning and penalty, by prompt and language, and of all together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from polbias.eval.columns import Level
from polbias.eval.report.flips import Flipped, flip_all
from polbias.eval.report.instruments.xphemism.answers import Answers
from polbias.eval.xphemism.leaning import Leaning, flipped, leaning
from polbias.eval.xphemism.modes import DIMENSIONS, Axis, shifted_on
from polbias.eval.xphemism.penalty import Penalty, parts, penalties
from polbias.eval.xphemism.refusals import RefusalGap, refusal_gaps
from polbias.eval.xphemism.schema import Records

ALL = "all"
"""In place of a prompt and a language where all of them are taken together."""
_LEANING = "leaning"


@dataclass(frozen=True)
class Part:
    """The pairs of a respondent with one prompt and language, or all of them.

    Attributes:
        answers: of the respondent.
        prompt: style of the prompt, or ALL.
        language: of the instruction, or ALL; None where it is not known.
        records: the pairs.
    """

    answers: Answers
    prompt: str
    language: Level
    records: Records

    @property
    def whole(self) -> bool:
        """Whether it is all that the respondent was asked."""
        return self.prompt == ALL


@dataclass(frozen=True)
class Effect:
    """Leaning in the pairs of an axis.

    Attributes:
        part: which pairs.
        axis: both, social or economic.
        records: the pairs with a shifted word on the axis.
        leaning: the estimate, with its test.
        gap: refusals on the right minus on the left.
    """

    part: Part
    axis: Axis
    records: Records
    leaning: Leaning
    gap: RefusalGap


@dataclass(frozen=True)
class Analysis:
    """All that the section says, respondent by respondent.

    Attributes:
        everyone: the respondents.
        effects: leaning, first of all pairs of a respondent, then by prompt and language.
        penalties: by prompt and language.
    """

    everyone: tuple[Answers, ...]
    effects: tuple[Effect, ...]
    penalties: tuple[tuple[Part, Penalty], ...]


def analyse(everyone: Sequence[Answers], seed: int) -> Analysis:
    """Estimate and test; all sign flips are made together.

    Args:
        everyone: the respondents.
        seed: of the drawn flips.
    """
    cells = [part for each in everyone for part in _cells(each)]
    effects = [effect for each in everyone for part in _parts(each) for effect in _effects(part)]
    flips = {
        (_LEANING, place): (_who(each.part), Flipped.of(*flipped(each.part.records, each.axis)))
        for place, each in enumerate(effects)
        if not each.leaning.note and not each.leaning.state
    }
    for place, part in enumerate(cells):
        for claims, rows in parts(part.records):
            if rows.n:
                flips[claims, place] = _who(part), Flipped.of(rows.change, rows.cluster)
    done = flip_all(flips, seed)
    for place, each in enumerate(effects):
        if flip := done.get((_LEANING, place)):
            tested = replace(each.leaning, p=flip.p_value, smallest_p=flip.smallest_p, exact=flip.exact)
            effects[place] = replace(each, leaning=tested)
    lost = []
    for place, part in enumerate(cells):
        for penalty in penalties(part.records, test=False):
            flip = done.get((penalty.claims, place))
            lost.append((part, replace(penalty, p=flip.p_value) if flip else penalty))
    return Analysis(tuple(everyone), tuple(effects), tuple(lost))


def _who(part: Part) -> str:
    return part.answers.respondent


def _parts(answers: Answers) -> Iterator[Part]:
    """Yield all pairs; and those of every prompt and language if there are several."""
    yield Part(answers, ALL, ALL, answers.records)
    if len(answers.groups) > 1:
        yield from _cells(answers)


def _cells(answers: Answers) -> Iterator[Part]:
    for group, records in answers.groups:
        yield Part(answers, group.prompt, group.instruction_language, records)


def _effects(part: Part) -> Iterator[Effect]:
    for axis in DIMENSIONS:
        records = shifted_on(part.records, axis)
        gap = refusal_gaps(records)[0]
        yield Effect(part, axis, records, leaning(part.records, axis, test=False), gap)
