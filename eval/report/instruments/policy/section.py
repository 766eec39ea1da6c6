"""The section of the policy statements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polbias.eval.policy.answers import asked
from polbias.eval.policy.parties import Positions
from polbias.eval.policy.runs import LISTS
from polbias.eval.policy.section import leaning_figure, leanings_figures, tests_figure, worldview_figure
from polbias.eval.policy.summary import policy_summary
from polbias.eval.policy.tables import Analysed, answers, equation_1, leaning, worldview
from polbias.eval.report.document import Finding, Section
from polbias.eval.report.instruments import Settings
from polbias.eval.report.instruments.policy.agreement import agreement, agreement_figures
from polbias.eval.report.instruments.policy.answered import Answered
from polbias.eval.report.instruments.policy.findings import NAME, estimates, findings, notices
from polbias.eval.report.instruments.policy.reliability import kappas, leanings, templates, tests


def section(answers_: Mapping[str, Any], settings: Settings) -> Section:
    """Analyse the policy statements; see :class:`polbias.eval.report.instruments.Reporter`.

    Args:
        answers_: respondent to Arrow table.
        settings: of the report; if they have ``positions``, a table that
            :meth:`polbias.eval.policy.parties.Positions.of` accepts, the match with parties is there too.

    Returns:
        Nothing is drawn at random, so that the seed has no effect.
    """
    positions = getattr(settings, "positions", None)
    parties = None if positions is None else Positions.of(positions)
    names = sorted(name for name, table in answers_.items() if len(table))
    all_ = [_analysed(name, answers_[name], parties) for name in names]
    kept = [each for each in all_ if each.every.asked.prompts.n]
    said = tuple(notice for each in all_ for notice in notices(each.name, each.every, each.answered))
    if not kept:
        return Section(NAME, tuple(names), notices=said)
    tested = tests(kept, "corrected")
    agreed = agreement(kept, "corrected")
    matched = leanings(kept, "corrected")
    tables = [leaning(kept), worldview(kept), answers(kept), tested, kappas(kept, "corrected")]
    tables += [templates(kept, "corrected"), *([matched] if matched else []), agreed]
    tables += [equation_1(kept), tests(kept, "paper"), kappas(kept, "paper"), templates(kept, "paper")]
    published = leanings(kept, "paper")
    tables += [*([published] if published else []), agreement(kept, "paper")]
    figures = [leaning_figure(kept), worldview_figure(kept), *tests_figure(tested)]
    figures += [*leanings_figures(matched), *agreement_figures(agreed)]
    return Section(
        NAME,
        tuple(names),
        tuple(finding for each in kept for finding in findings(each.name, each.stances)),
        tuple(table for table in tables if table.rows),
        tuple(figures),
        said,
        {each.name: dict(each.corrected) for each in kept},
    )


def findings_of(answers_: Mapping[str, Any], settings: Settings) -> tuple[Finding, ...]:
    """Return the findings of :func:`section` without its tables and figures.

    Args:
        answers_: respondent to Arrow table.
        settings: of the report; nothing is drawn at random.
    """
    found: list[Finding] = []
    for name in sorted(answers_):
        every, tested = _answered(answers_[name])
        if every.asked.prompts.n:
            found += findings(name, estimates(every, tested))
    return tuple(found)


def _answered(table: Any) -> tuple[Answered, Answered]:
    """All answers of a respondent, and those to statements whose reliability can be tested."""
    every, tested = asked(table)
    return Answered(every), Answered(tested)


def _analysed(name: str, table: Any, parties: Positions | None) -> Analysed:
    every, tested = _answered(table)
    prompts = tested.asked.prompts
    nothing: dict[str, Any] = {name: [] for name in LISTS}
    corrected, paper = (
        policy_summary(prompts, parties, rule, tested.asked.tests) if prompts.n else nothing
        for rule in ("default", "paper")
    )
    if not tested.asked.complete:  # what needs all five tests has no row here
        corrected, paper = (each | {"worldview": [], "leanings": []} for each in (corrected, paper))
    return Analysed(name, every, tested, estimates(every, tested), corrected, paper)
