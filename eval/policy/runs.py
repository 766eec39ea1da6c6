"""From the samples of runs to the analysis of the policy statements, model by model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from polbias.aliases import Document, Json
from polbias.eval.policy.parties import Positioned
from polbias.eval.policy.stances import Rule
from polbias.eval.policy.summary import policy_summary
from polbias.eval.policy_tasks import rows_of_samples
from polbias.eval.runs import Problem, SampleFile, first_row, left_out, numbered_samples
from polbias.registry import instrument_of

LISTS = ("reliable", "tests", "kappas", "paraphrase_alpha", "templates", "worldview", "leanings")
"""The lists of a summary, each a table."""


def respondents(files: Iterable[SampleFile], problems: list[Problem]) -> dict[str, list[Json]]:
    """Return the answered prompts of every model.

    Log-likelihoods are a respondent of their own, since they are never pooled with sampled answers. A prompt
    that several tasks asked (the task on all countries and that on one) counts once, from the first.

    Args:
        files: of any tasks; those whose rows are of other instruments are left out.
        problems: receives the lines that cannot be read.
    """
    found: dict[str, dict[str, Json]] = {}
    for file in files:
        if instrument_of(first_row(file.path)) != "policy":
            continue
        own = found.setdefault(file.respondent, {})
        for number, sample in numbered_samples(file.path, problems):
            with left_out(problems, file.path, number):
                (row,) = rows_of_samples([sample])
                own.setdefault(_asked(row), row)
    return {name: [*rows.values()] for name, rows in found.items()}


def summaries(
    answered: Mapping[str, Sequence[Document]], positions: Positioned | None, rule: Rule
) -> dict[str, Json]:
    """Return what :func:`policy_summary` says of every model; arguments as there."""
    return {name: policy_summary(rows, positions, rule) for name, rows in answered.items()}


def _asked(row: Document) -> str:
    """What is the same for a prompt in the config of all countries and in that of one."""
    return "/".join(str(row[name]) for name in ("statement_id", "variant", "instruction_id", "label_order"))
