"""The tested estimates: the leaning of a respondent, and its stance on each policy issue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from polbias.eval.policy.analysis import Balanced, balanced
from polbias.eval.policy.schema import ISSUES
from polbias.eval.report.document import Finding, Notice, with_gap
from polbias.eval.report.instruments.policy.answered import Answered
from polbias.eval.report.words import words

NAME = "policy"
LEANING, RELIABLE, ISSUE = "leaning", "reliable_leaning", "issue"
"""The measures."""


def heading(table: str, column: str) -> str:
    """Return the heading of a column in the words of the instrument."""
    return words(NAME).tables[table].columns[column]


def issue_titles() -> dict[str, str]:
    """Return the names of the policy issues in words."""
    return {issue: heading("worldview", issue) for issue in ISSUES}


def estimates(every: Answered, tested: Answered) -> dict[str, Balanced]:
    """Return the leanings and the stance on every issue, by the measure or the id of the issue.

    Args:
        every: all answers of one respondent.
        tested: those to statements whose reliability was tested.
    """
    return {
        LEANING: balanced(every, every.sides, reliable=False),
        RELIABLE: balanced(tested, tested.sides, reliable=True),
    } | {
        issue: balanced(tested, tested.issues[:, place], reliable=True) for place, issue in enumerate(ISSUES)
    }


def findings(respondent: str, found: Mapping[str, Balanced]) -> Iterator[Finding]:
    """Yield the leaning, which stands for the instrument, and the stances on the issues that were asked.

    Args:
        respondent: its name.
        found: what :func:`estimates` returned for it.
    """
    titles = issue_titles()
    for key, each in found.items():
        issue = key in titles
        if issue and not each.positive + each.negative:
            continue
        finding = Finding(
            NAME,
            respondent,
            ISSUE if issue else key,
            key if issue else "",
            titles.get(key, ""),
            each.estimate,
            key == LEANING,
            each.smallest_p,
            each.bounds,
            each.gap,
            each.scores,
        )
        yield from with_gap(finding)


def notices(respondent: str, every: Answered, tested: Answered) -> Iterator[Notice]:
    """Yield what a reader must know of how a respondent was asked.

    Args:
        respondent: its name.
        every: all its answers.
        tested: those to statements whose reliability was tested.
    """
    texts = words(NAME).notices
    if every.asked.left_out:
        found = texts["unpaired"].format(prompts=every.asked.left_out)
        yield Notice(respondent, found, texts["unpaired_done"], serious=True)
    if tested.asked.left_out:
        found = texts["left_out"].format(units=tested.asked.left_out)
        yield Notice(respondent, found, texts["left_out_done"], serious=True)
    if not tested.asked.complete:
        names = ", ".join(heading("tests", name) for name in tested.asked.tests) or texts["no_test"]
        yield Notice(respondent, texts["tests"], texts["tests_done"].format(tests=names), serious=True)
    if not {-1, 1} <= {*every.sides.tolist()}:
        yield Notice(respondent, texts["one_sided"], texts["one_sided_done"], serious=True)
