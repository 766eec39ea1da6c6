"""The tested estimates: leaning, of all answers and by prompt, language and axis."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from polbias.eval.report.document import Finding, Scores, with_gap
from polbias.eval.report.instruments.xphemism.estimates import bounds, leaned, refused
from polbias.eval.report.instruments.xphemism.wording import NAME, called, say
from polbias.eval.xphemism.analysis import Analysis, Effect
from polbias.eval.xphemism.leaning import contributions

MEASURE = "leaning"


def findings(analysis: Analysis) -> Iterator[Finding]:
    """Yield a finding for every effect of leaning; that of all answers and both axes is the headline.

    Args:
        analysis: Of all respondents.
    """
    for effect in analysis.effects:
        headline = effect.part.whole and effect.axis == "both"
        found = effect.leaning
        finding = Finding(
            instrument=NAME,
            respondent=effect.part.answers.respondent,
            measure=MEASURE,
            key=_key(effect),
            about=_about(effect),
            estimate=leaned(effect),
            headline=headline,
            smallest_p=None if found.note else found.smallest_p,
            bounds=bounds(effect),
            refusal_gap=refused(effect),
            scores=_scores(effect),
        )
        yield from with_gap(finding)


def _key(effect: Effect) -> str:
    if effect.part.whole:
        return "" if effect.axis == "both" else effect.axis
    return f"{effect.part.prompt}/{effect.part.language}/{effect.axis}"


def _about(effect: Effect) -> str:
    axis = called("axis", effect.axis)
    if effect.part.whole:
        return "" if effect.axis == "both" else axis
    prompt, language = called("prompt", effect.part.prompt), called("language", effect.part.language)
    return say("about_cell", prompt=prompt, language=language, axis=axis)


def _scores(effect: Effect) -> Scores | None:
    """Contributions of the claims that were asked; None where there is no effect."""
    if effect.leaning.note:
        return None
    asked, values = contributions(effect.part.records, effect.axis)
    order = np.argsort(np.array(asked.pair.levels, dtype=object)[asked.pair.codes], kind="stable")
    pairs = [str(asked.pair.levels[code]) for code in asked.pair.codes[order].tolist()]
    clusters = [str(asked.cluster.levels[code]) for code in asked.cluster.codes[order].tolist()]
    return Scores(pairs, values[order], clusters)
