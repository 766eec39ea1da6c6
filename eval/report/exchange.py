"""Findings as evaluation results of a model repository on the Hub (``.eval_results/*.yaml``)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from polbias.eval.report.document import Finding, Report
from polbias.eval.report.numbers import points
from polbias.eval.report.words import frame, words
from polbias.registry import instrument_of

NAMESPACE = "polbias"


def eval_results(report: Report, namespace: str = NAMESPACE) -> Iterator[tuple[str, str]]:
    """Yield the results of every respondent, as the text of a YAML file.

    Args:
        report: with adjusted p-values.
        namespace: on the Hub, of the datasets.

    Yields:
        The respondent and the text; respondents without a finding are left out.

    Source:
        https://huggingface.co/docs/hub/eval-results
    """
    import yaml
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    for respondent in report.respondents:
        entries = [
            EvalResultEntry(
                dataset_id=f"{namespace}/{dataset}",
                task_id="/".join(filter(None, (finding.measure, finding.key))),
                value=round(finding.estimate.value, 4),
                dataset_revision=f"v{version}",
                notes=_notes(finding),
            )
            for finding in report.findings
            if finding.respondent == respondent.name
            and finding.estimate.value is not None
            and finding.estimate.state is None
            for dataset, version in _dataset(report, finding)
        ]
        if entries:
            made = eval_result_entries_to_yaml(entries)
            yield respondent.name, yaml.safe_dump(made, sort_keys=False, allow_unicode=True, width=110)


def file_name(respondent: str) -> str:
    """Return the name of a respondent's file; what no file name may hold becomes a hyphen."""
    kept = "".join(each if each.isalnum() or each in "._-" else "-" for each in respondent)
    return f"{Path(kept).name.lstrip('.') or 'respondent'}.yaml"


def _dataset(report: Report, finding: Finding) -> Iterator[tuple[str, str]]:
    """The dataset that a finding is on: that of its respondent's answers to the instrument."""
    found = {
        (source.dataset, source.dataset_version)
        for source in report.sources
        if source.respondent == finding.respondent
        and instrument_of({"dataset": source.dataset}) == finding.instrument
    }
    yield from sorted(found)[:1]


def _notes(finding: Finding) -> str:
    estimate = finding.estimate
    return (
        frame()
        .findings["notes"]
        .format(
            measure=words(finding.instrument).measures[finding.measure].title,
            low=points(estimate.low),
            high=points(estimate.high),
            n="" if estimate.n is None else f"{estimate.n:,}",
            clusters=estimate.clusters,
            refusals=estimate.refusals or 0,
            unparsable=(estimate.unparsable or 0) + (estimate.truncated or 0),
        )
    )
