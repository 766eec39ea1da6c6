"""Compare two runs of the same lm_eval or Inspect tasks, item by item; any tasks, not only polbias's."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from polbias import __version__
from polbias.errors import InputError, did_you_mean
from polbias.eval.answer_frames import NON_ANSWER_LABELS
from polbias.eval.estimability import State
from polbias.eval.multiple_testing import holm_adjust
from polbias.eval.report.document import (
    Comparison,
    Estimate,
    ItemContributions,
    MetricDifference,
    Notice,
    Report,
    Respondent,
    SampleSource,
    none_if_nan,
)
from polbias.eval.report.file_answers import run_notices
from polbias.eval.report.paired import mean_difference, paired_differences
from polbias.eval.report.run_files import choose_runs, name_of, replaced_run_notices
from polbias.eval.report.run_metadata import read_run_metadata
from polbias.eval.report.verdicts import adjustable_p, has_few_clusters, is_equivalent
from polbias.eval.report.wording import report_words
from polbias.eval.samples import (
    SampleFile,
    SkippedLine,
    find_sample_files,
    metrics_of,
    numbered_samples,
    row_digest,
)
from polbias.eval.sign_flip import sign_flip_test
from polbias.files import file_sha256
from polbias.registry import cluster_of


def compare_runs(
    first: Path, second: Path, cluster: str | None = None, margin: float | None = None
) -> Report:
    """Report B minus A for every metric with one number per sample, the mean over the runs of a side.

    Args:
        first: A, samples of one model.
        second: B, samples of one model on the same tasks.
        cluster: column of the documents whose values are the clusters; by default the clusters of
            `polbias eval` where the documents have a column ``cluster_id``, else each item.
        margin: equivalence margin in percentage points, for metrics that are fractions: all values of both
            runs are in -1 to 1.

    Raises:
        InputError: if the runs differ in tasks or items, are incomplete, or share no metric.
    """
    notices: list[Notice] = []
    sources: list[SampleSource] = []
    differences: list[MetricDifference] = []
    run_metrics: set[str] = set()
    for task, *sides in _pair_files(_chosen_files(first, notices), _chosen_files(second, notices)):
        runs = []
        for side, files in zip("AB", sides, strict=True):
            side_runs = [
                _Run(f"{side}: {file.model}", file, _read_items(file.path, cluster)) for file in files
            ]
            sources += [_source(run, notices) for run in side_runs]
            if len(side_runs) > 1:
                wordings = report_words().notices
                problem = wordings["several_runs"].format(task=task, count=len(side_runs))
                notices.append(Notice(side_runs[0].name, problem, wordings["metrics_averaged"]))
            runs.append(_average_runs(side_runs))
        differences += _metric_differences(task, margin, notices, run_metrics, *_key_by_id(*runs))
    if run_metrics:
        texts = report_words().notices
        problem = texts["run_metrics"].format(metrics=", ".join(sorted(run_metrics)))
        notices.append(Notice(f"{first}, {second}", problem, texts["compared_in_report"]))
    adjusted = holm_adjust(
        [*map(adjustable_p, differences)],
        sum(not has_few_clusters(difference.estimate) for difference in differences),
    )
    return Report(
        version=__version__,
        seed=0,
        respondents=tuple(_respondent(run.name, sources) for run in runs),
        sources=tuple(sources),
        sections=(),
        comparisons=tuple(
            replace(difference, p_holm=none_if_nan(value))
            for difference, value in zip(differences, adjusted, strict=True)
        ),
        notices=tuple(notices),
        margin=margin,
    )


def _respondent(name: str, sources: list[SampleSource]) -> Respondent:
    run_sources = [source for source in sources if source.respondent == name]
    tasks = tuple(dict.fromkeys(source.task for source in run_sources))
    answers = sum(source.rows for source in run_sources)
    return Respondent(name, name[3:], "generated", simulated=False, tasks=tasks, answers=answers)


def _chosen_files(path: Path, notices: list[Notice]) -> dict[str, list[SampleFile]]:
    """Return the files of each task that a report chooses; InputError if the files are of several models."""
    files = find_sample_files([path], newest=False)
    models = sorted({file.model for file in files})
    if len(models) > 1:
        model_list = ", ".join(models)
        raise InputError(f"{path}: found runs of {model_list}; expected one model: name its folder")
    runs: dict[str, list[SampleFile]] = {}
    for file in files:
        runs.setdefault(file.task, []).append(file)
    chosen_files, replaced_files = choose_runs(runs.values())
    notices += replaced_run_notices(replaced_files)
    return {task_files[0].task: task_files for task_files in chosen_files}


def _pair_files(
    first: dict[str, list[SampleFile]], second: dict[str, list[SampleFile]]
) -> Iterator[tuple[str, list[SampleFile], list[SampleFile]]]:
    """Yield each task with its files on both sides; single tasks match even if a file name lacks the task."""
    files = [file for task_files in (*first.values(), *second.values()) for file in task_files]
    if len(first) == len(second) == 1 and not all(file.time for file in files):
        second = dict.fromkeys(first, *second.values())
    for task in sorted(first.keys() & second.keys()):
        second_paths = {file.path.resolve() for file in second[task]}
        for file in first[task]:
            if file.path.resolve() in second_paths:
                raise InputError(
                    f"{file.path}: found the same file as A and as B, expected two runs; name another run"
                )
    for task in sorted(first.keys() ^ second.keys()):
        where = (first.get(task) or second[task])[-1].path
        raise InputError(
            f"{where}: found the task {task} in this run only; expected the same tasks in both: run it in "
            "the other too, or name the files of one task"
        )
    yield from ((task, first[task], second[task]) for task in sorted(first))


# The items of a task in a run.


@dataclass
class _ComparedItem:
    """An item of a run.

    Attributes:
        line: of its first sample.
        id: of its document; None if that has none.
        identity: hash of its content, and the name and value of its cluster (None if the item is its own);
            equal in both runs.
        values: by metric.
    """

    line: int
    id: str | None
    identity: tuple[str, tuple[str, str] | None]
    values: dict[str, Any] = field(default_factory=dict)


@dataclass
class _Run:
    """A task in a run, with its items by the harness's number or by their ids."""

    name: str
    file: SampleFile
    items: Mapping[str, _ComparedItem]


def _read_items(path: Path, cluster: str | None) -> Mapping[str, _ComparedItem]:
    """Read the items of a file of samples; InputError at the first problem."""
    problems: list[SkippedLine] = []
    items: dict[str, _ComparedItem] = {}
    for line, sample in numbered_samples(path, problems):
        doc, number, metrics = sample["doc"], sample.get("doc_id"), metrics_of(sample)
        if number is None or not metrics:
            missing_key = "doc_id" if number is None else "metrics"
            problems.append(SkippedLine(path, line, f"found no {missing_key}, expected a sample of lm_eval"))
        elif cluster and doc.get(cluster) is None:
            suggestion = did_you_mean(cluster, doc)
            problem = f"found no {cluster} in the document; {suggestion}expected one of {', '.join(doc)}"
            problems.append(SkippedLine(path, line, problem))
        if problems:
            break
        item_id = None if doc.get("id") is None else str(doc["id"])
        named_cluster = (cluster, doc[cluster]) if cluster else cluster_of(doc)
        item_cluster = (named_cluster[0], str(named_cluster[1])) if named_cluster else None
        identity = row_digest(sample.get("asked") or doc), item_cluster
        item = items.setdefault(str(number), _ComparedItem(line, item_id, identity))
        filter_name = sample.get("filter") or "none"
        for metric in metrics:
            item.values[metric if filter_name == "none" else f"{metric},{filter_name}"] = sample.get(metric)
    if problems:
        raise InputError(f"{path}:{problems[0].line}: {problems[0].problem}")
    if not items:
        raise InputError(f"{path}: found no samples, expected the samples of a run")
    return items


def _source(run: _Run, notices: list[Notice]) -> SampleSource:
    """Return the source of a run and add its notices; InputError if samples are missing."""
    file, metadata, count = run.file, read_run_metadata(run.file), len(run.items)
    for notice in run_notices(file, metadata, count):
        if notice.serious:
            raise InputError(f"{notice.where}: {notice.problem}; finish the run, or run the task again")
        notices.append(notice)
    sha256, version = file_sha256(file.path), metadata.task_version
    return SampleSource(name_of(file), sha256, run.name, file.task, version, "", "", count, metadata.expected)


def _average_runs(runs: Sequence[_Run]) -> _Run:
    """Return a run with the mean of every metric over runs of the same requests.

    A mean is over the runs that answered the item, like the metrics of one run; that of non-answer metrics is
    over all runs. A value that is not a number in all runs is that of the newest run.
    """
    newest = runs[-1]
    if len(runs) == 1:
        return newest
    items = {}
    for name, item in newest.items.items():
        same_items = [run.items[name] for run in runs if name in run.items]
        values = {metric: _mean_value(same_items, metric) for metric in item.values}
        items[name] = replace(item, values=values)
    return replace(newest, items=items)


def _mean_value(items: Sequence[_ComparedItem], metric: str) -> Any:
    """Return the mean of a metric of one item over the runs that answered it."""
    answered_items = [item for item in items if not _is_unanswered(item, metric)] or items
    values = [item.values.get(metric) for item in answered_items]
    numbers = [value for value in values if isinstance(value, int | float) and math.isfinite(value)]
    return sum(numbers) / len(numbers) if len(numbers) == len(values) else items[-1].values.get(metric)


def _key_by_id(*runs: _Run) -> tuple[_Run, ...]:
    """Key the items of both runs by document id, if ids are unique and complete in both."""
    items_by_id = [{item.id: item for item in run.items.values() if item.id is not None} for run in runs]
    if all(len(items) == len(run.items) for items, run in zip(items_by_id, runs, strict=True)):
        return tuple(replace(run, items=items) for items, run in zip(items_by_id, runs, strict=True))
    return runs


def _metric_differences(
    task: str,
    margin: float | None,
    notices: list[Notice],
    run_metrics: set[str],
    *runs: _Run,
) -> Iterator[MetricDifference]:
    """Yield the difference of every metric with one number per sample; add the others to `run_metrics`."""
    items, paths = [run.items for run in runs], [run.file.path for run in runs]
    shared_ids = [name for name in items[0] if name in items[1]]
    if not shared_ids:
        raise InputError(f"{paths[1]}: found no id of {paths[0]}; expected runs on the same data")
    for item_id in shared_ids:
        first, second = (run_items[item_id] for run_items in items)
        if first.identity != second.identity:
            raise InputError(
                f"{paths[1]}:{second.line}: found the item {item_id} with other content than in "
                f"{paths[0]}:{first.line}; expected runs on the same data"
            )
    metrics = dict.fromkeys(
        name for run_items in items for item in run_items.values() for name in item.values
    )
    is_compared = False
    item_clusters = [items[0][item_id].identity[1] for item_id in shared_ids]
    cluster_name = next((item_cluster[0] for item_cluster in item_clusters if item_cluster), "")
    for metric in metrics:
        values = [_metric_values(run, metric) for run in runs]
        has_numbers = [
            bool(run_values) or _is_measured(run, metric)
            for run, run_values in zip(runs, values, strict=True)
        ]
        if not any(has_numbers) and not metric.endswith("_stderr"):
            run_metrics.add(metric)
        elif any(has_numbers) and not all(has_numbers):
            text = report_words().notices["no_number"].format(task=task, metric=metric)
            run = runs[has_numbers.index(False)]
            notices.append(Notice(name_of(run.file), text, report_words().notices["not_compared"]))
        if all(has_numbers):
            is_compared = True
            scores = [
                ItemContributions(
                    [*run_values],
                    np.array([*run_values.values()]),
                    [_cluster_value(run.items[name], name) for name in run_values],
                )
                for run, run_values in zip(runs, values, strict=True)
            ]
            difference = paired_differences(*scores)
            all_values = [value for run_values in values for value in run_values.values()]
            lowest, highest = min(all_values, default=0.0), max(all_values, default=0.0)
            is_fraction = lowest >= -1 and highest <= 1
            means = [_mean(run_values, difference.ids) for run_values in values]
            has_limits = is_fraction and lowest >= 0 and metric.split(",")[0] not in NON_ANSWER_LABELS
            estimate = _with_limit_state(mean_difference(difference), means, has_limits)
            if margin is not None and not is_fraction:
                wording = report_words().notices["no_fraction"]
                reason = wording.format(task=task, metric=metric, lowest=lowest, highest=highest)
                notices.append(Notice(task, reason, report_words().notices["no_margin"]))
            margin_in_unit = margin / 100 if margin is not None and is_fraction else None
            max_difference = 1 if is_fraction and lowest >= 0 else math.inf
            n_items = len(items[0].keys() | items[1].keys())
            yield MetricDifference(
                instrument=task,
                measure=metric,
                key=cluster_name,
                part_label="",
                first=runs[0].name,
                second=runs[1].name,
                estimate=estimate,
                means=means,
                missing=[n_items - len(run_values) for run_values in values],
                p_flip=none_if_nan(sign_flip_test(difference.values, difference.clusters).p_value),
                equivalent=None
                if has_few_clusters(estimate)
                else is_equivalent(estimate, margin_in_unit, unit=max_difference),
            )
    if not is_compared:
        raise InputError(f"{paths[1]}: found no metric of {task} with one number per sample in both runs")


def _cluster_value(item: _ComparedItem, name: str) -> str:
    """Return the value of an item's cluster; the name of the item if it is its own."""
    return item.identity[1][1] if item.identity[1] else name


def is_unobserved_outcome(difference: Comparison) -> bool:
    """Whether a metric of two runs counts non-answers of which neither run has any."""
    is_outcome = difference.measure.split(",")[0] in NON_ANSWER_LABELS
    return (
        is_outcome
        and isinstance(difference, MetricDifference)
        and all(mean == 0 for mean in difference.means)
    )


def _with_limit_state(estimate: Estimate, means: Sequence[float | None], has_limits: bool) -> Estimate:
    """Set the state of a difference: no shared value, or both means at 0, or at 1."""
    if not estimate.n:
        return replace(estimate, state="no data", limit=None)
    state_by_mean: Mapping[float | None, State] = {0.0: "at the floor", 1.0: "at the ceiling"}
    return (
        replace(estimate, state=state_by_mean.get(means[0]))
        if has_limits and means[0] == means[1]
        else estimate
    )


def _mean(values: Mapping[str, float], ids: Sequence[str]) -> float | None:
    return float(np.mean([values[name] for name in ids])) if ids else None


def _metric_values(run: _Run, metric: str) -> dict[str, float]:
    """Return the finite values of a metric by item; empty if no sample has a number.

    Unanswered items have values of the non-answer metrics only, because a refusal is not a wrong answer.
    """
    value_by_item = {
        name: item.values.get(metric) for name, item in run.items.items() if not _is_unanswered(item, metric)
    }
    number_by_item = {
        name: float(value) for name, value in value_by_item.items() if isinstance(value, int | float)
    }
    non_numeric = [
        name for name, value in value_by_item.items() if value is not None and name not in number_by_item
    ]
    if number_by_item and non_numeric:
        raise InputError(
            f"{run.file.path}:{run.items[non_numeric[0]].line}: {metric}: found "
            f"{value_by_item[non_numeric[0]]!r:.40}, expected a number as in other samples, or null"
        )
    return {name: value for name, value in number_by_item.items() if math.isfinite(value)}


def _is_measured(run: _Run, metric: str) -> bool:
    """Whether a metric is a number in some sample, including unanswered items."""
    return any(isinstance(item.values.get(metric), int | float) for item in run.items.values())


def _is_unanswered(item: _ComparedItem, metric: str) -> bool:
    """Whether an item has no verdict, and the metric is not a non-answer metric."""
    name, *filters = metric.split(",")
    raw_shares = [item.values.get(",".join((outcome, *filters))) for outcome in NON_ANSWER_LABELS]
    shares = [float(share) for share in raw_shares if isinstance(share, int | float)]
    return name not in NON_ANSWER_LABELS and sum(shares) >= 1
