"""Build a report from run folders: read, analyse, compare respondents, adjust p-values."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from polbias import __version__
from polbias.aliases import Document
from polbias.errors import InputError, PolbiasError
from polbias.eval.answer_frames import concat_answers, levels_of
from polbias.eval.estimability import State
from polbias.eval.report.adjustment import adjust_comparisons, adjust_findings
from polbias.eval.report.comparisons import compare
from polbias.eval.report.document import Notice, Report, Respondent, SampleSource, Section, format_percent
from polbias.eval.report.file_answers import FileAnswers, read_file
from polbias.eval.report.repeated_runs import add_runs
from polbias.eval.report.reporter import ReportSettings, load_reporter
from polbias.eval.report.run_files import RunFiles, gather, name_of
from polbias.eval.report.run_metadata import is_simulated
from polbias.eval.report.verdicts import has_too_few_answers
from polbias.eval.report.versions import keep_newest_version
from polbias.eval.report.wording import report_words, words
from polbias.registry import instruments

_MAX_DISPLAYED_IDS = 10  # unknown pair ids in a notice
_MIN_PARALLEL_BYTES = 30_000_000  # bytes of samples; fewer are faster in one process
_ACTION_BY_STATE: Mapping[State, str] = {
    "not answered": "no_estimate",
    "no variation": "no_estimate",
    "at chance": "preference",
    "at the ceiling": "latent_stands",
}
"""State of a headline to the key of its notice's action."""

Answers: TypeAlias = Mapping[str, Mapping[str, pd.DataFrame]]
"""Instrument to respondent to frame of outcomes."""


Progress: TypeAlias = Callable[[str, int, int], None]
"""Callback that receives the name of a step, the number of finished tasks, and their total."""


@dataclass(frozen=True)
class RunAnswers:
    """The answers of runs.

    Attributes:
        answers: outcomes by instrument and respondent.
        files: their files.
        versions: dataset to its newest version.
        notices: excluded files and rows, and problems of the files.
    """

    answers: Answers
    files: tuple[FileAnswers, ...]
    versions: Mapping[str, str]
    notices: tuple[Notice, ...]


@dataclass(frozen=True)
class ReportWithAnswers:
    """A report and its outcomes by instrument and respondent."""

    report: Report
    answers: Answers


def build_report(
    paths: Iterable[Path],
    settings: ReportSettings | None = None,
    workers: int = 1,
    progress: Progress = lambda step, done, total: None,
    published: Sequence[FileAnswers] = (),
) -> ReportWithAnswers:
    """Build a report of runs and published answers.

    The result depends only on these, the ``results_*.json`` next to the samples, and the settings.
    """
    settings = settings or ReportSettings()
    gathered = gather(paths, settings.instruments, settings.names)
    size = sum(file.path.stat().st_size for file, _ in gathered.files)
    with _worker_pool(workers if size > _MIN_PARALLEL_BYTES else 0) as pool:
        run_answers = _read_answers(gathered, settings, pool, progress, published)
        section_arguments = [
            (name, run_answers.answers[name], settings)
            for name in _instruments_in_page_order()
            if name in run_answers.answers
        ]
        sections = list(_run_in_order(pool, _build_section, section_arguments, "analyse", progress))
    return ReportWithAnswers(_assemble_report(run_answers, sections, settings), run_answers.answers)


def read_runs(paths: Iterable[Path], settings: ReportSettings) -> RunAnswers:
    """Read the answers of runs like a report."""
    gathered = gather(paths, settings.instruments, settings.names)
    return _read_answers(gathered, settings, None, lambda step, done, total: None, ())


def _read_answers(
    gathered: RunFiles,
    settings: ReportSettings,
    pool: ProcessPoolExecutor | None,
    progress: Progress,
    published: Sequence[FileAnswers],
) -> RunAnswers:
    if not gathered.files and not published:
        problems = "; ".join(f"{notice.where}: {notice.problem}" for notice in gathered.notices[:3])
        instrument_names = " or ".join(settings.instruments) or "polbias"
        raise InputError(
            f"found no samples of tasks of {instrument_names} to report ({problems or 'only of others'})"
        )
    all_files = [*_run_in_order(pool, read_file, gathered.files, "read", progress), *published]
    files, versions, notices = keep_newest_version(all_files)
    file_notices = [notice for file in files for notice in file.notices]
    return RunAnswers(
        _concat_by_respondent(files), tuple(files), versions, (*gathered.notices, *notices, *file_notices)
    )


def _assemble_report(
    run_answers: RunAnswers, sections: Sequence[Section], settings: ReportSettings
) -> Report:
    respondents = tuple(_respondents(run_answers.files))
    simulated = frozenset(respondent.name for respondent in respondents if respondent.simulated)
    adjusted = [
        replace(section, notices=(*section.notices, *_estimability_notices(section)))
        for section in adjust_findings(sections, simulated, settings.margin)
    ]
    findings = [finding for section in adjusted for finding in section.findings]
    methods = {respondent.name: respondent.method for respondent in respondents}
    unadjusted = compare(findings, simulated, methods)
    comparisons = adjust_comparisons(unadjusted, simulated)
    notices = [notice for section in adjusted for notice in section.notices]
    notices += _unknown_pair_notices(run_answers.answers, settings)
    return Report(
        version=__version__,
        seed=settings.seed,
        respondents=respondents,
        sources=tuple(_sources(run_answers.files, run_answers.versions)),
        sections=tuple(adjusted),
        comparisons=comparisons,
        notices=(
            *run_answers.notices,
            *notices,
            *_filtered_notices(run_answers.answers),
            *_empty_file_notices(run_answers.files),
        ),
        margin=settings.margin,
    )


def _estimability_notices(section: Section) -> Iterator[Notice]:
    """Yield a notice for each headline that has a state."""
    wordings, measures = report_words().notices, words(section.instrument).measures
    for finding in section.findings:
        state = finding.estimate.state
        if not finding.headline or finding.is_refusal_gap or state is None:
            continue
        key = "too_few_answers" if has_too_few_answers(finding) else state.replace(" ", "_")
        text = wordings[key].format(
            measure=measures[finding.measure].title,
            count=finding.estimate.n,
            clusters=finding.estimate.clusters,
            answered=format_percent(1 - (finding.estimate.missing or 0.0)),
            accuracy=format_percent(finding.accuracy.value if finding.accuracy else None),
        )
        yield Notice(finding.respondent, text, wordings[_ACTION_BY_STATE[state]], serious=True)


def _instruments_in_page_order() -> list[str]:
    """Return the names of the instruments, directional ones first."""
    return sorted(instruments(), key=lambda name: not words(name).directional)


def _build_section(name: str, answers: Document, settings: ReportSettings) -> Section:
    reporter = load_reporter(name)
    return add_runs(reporter.build_section(answers, settings), reporter, answers, settings)


def _concat_by_respondent(files: Sequence[FileAnswers]) -> Answers:
    frames: dict[str, dict[str, list[pd.DataFrame]]] = {}
    for file in files:
        if len(file.outcomes):
            frames.setdefault(file.instrument, {}).setdefault(file.file.respondent, []).append(file.outcomes)
    return {
        name: {respondent: concat_answers(parts) for respondent, parts in sorted(by_respondent.items())}
        for name, by_respondent in frames.items()
    }


def _respondents(files: Sequence[FileAnswers]) -> Iterator[Respondent]:
    names = sorted({file.file.respondent for file in files})
    for name in names:
        respondent_files = [file for file in files if file.file.respondent == name]
        model = respondent_files[0].file.model
        yield Respondent(
            name=name,
            model=model,
            method="log-likelihood" if respondent_files[0].file.is_loglikelihood else "generated",
            simulated=any(is_simulated(model, file.metadata) for file in respondent_files),
            tasks=tuple(sorted({file.file.task for file in respondent_files})),
            answers=sum(_count_answers(file.outcomes) for file in respondent_files),
        )


def _count_answers(outcomes: pd.DataFrame) -> int:
    """Return the number of answers; the policy outcomes have one row per prompt, with a column of counts."""
    return int(outcomes["answers"].sum()) if "answers" in outcomes else len(outcomes)


def _sources(files: Sequence[FileAnswers], versions: Mapping[str, str]) -> Iterator[SampleSource]:
    for file in files:
        datasets = [name for name in levels_of(file.outcomes["dataset"]) if name]
        yield SampleSource(
            file=name_of(file.file),
            sha256=file.sha256,
            respondent=file.file.respondent,
            task=file.file.task,
            task_version=file.metadata.task_version,
            dataset="; ".join(datasets),
            dataset_version="; ".join(versions.get(dataset, "") for dataset in datasets),
            rows=file.samples,
            expected=file.metadata.expected,
        )


def _filtered_notices(answers: Answers) -> Iterator[Notice]:
    """Yield the number of answers that providers withheld, by instrument and respondent."""
    wordings = report_words().notices
    for instrument_name, frames in sorted(answers.items()):
        for respondent, outcomes in sorted(frames.items()):
            per_prompt = "n_filtered" in outcomes
            if filtered := int(outcomes["n_filtered" if per_prompt else "filtered"].sum()):
                refused = outcomes["refusals"] if per_prompt else outcomes["outcome"] == "refusal"
                text = wordings["filtered"].format(refusals=int(refused.sum()), filtered=filtered)
                where = f"{respondent}, {words(instrument_name).title}"
                yield Notice(where, text, wordings["filtered_refuse"])


def _unknown_pair_notices(answers: Answers, settings: ReportSettings) -> Iterator[Notice]:
    """Yield a notice of the excluded pair ids that no sample has."""
    pair_ids = {
        pair for outcomes in answers.get("xphemism", {}).values() for pair in levels_of(outcomes["pair_id"])
    }
    if unknown_ids := sorted(settings.excluded_pairs - pair_ids):
        displayed_ids = ", ".join(unknown_ids[:_MAX_DISPLAYED_IDS]) + (
            ", ..." if len(unknown_ids) > _MAX_DISPLAYED_IDS else ""
        )
        text = (
            report_words()
            .notices["unknown_pairs"]
            .format(count=len(unknown_ids), total=len(settings.excluded_pairs), ids=displayed_ids)
        )
        yield Notice("--exclude-pairs", text, report_words().notices["not_excluded"], serious=True)


def _empty_file_notices(files: Sequence[FileAnswers]) -> Iterator[Notice]:
    wordings = report_words().notices
    for file in files:
        if not len(file.outcomes):
            yield Notice(name_of(file.file), wordings["no_samples"], wordings["left_out"], serious=True)


def _init_worker(*thresholds: int) -> None:
    """Set the parent's garbage-collection thresholds, and exit when the parent ends, even if it is killed."""
    gc.set_threshold(*thresholds)

    def exit_with_parent() -> None:
        parent = parent_process()
        if parent is not None:
            wait([parent.sentinel])
            os._exit(1)

    threading.Thread(target=exit_with_parent, daemon=True).start()


@contextmanager
def _worker_pool(count: int) -> Iterator[ProcessPoolExecutor | None]:
    """Yield a pool of worker processes; None if one process suffices."""
    if count < 2:
        yield None
        return
    try:
        with ProcessPoolExecutor(count, get_context("forkserver"), _init_worker, gc.get_threshold()) as pool:
            yield pool
    except BrokenProcessPool:
        raise PolbiasError(
            "a worker process of the report was killed (is there enough memory?); try again with --workers 1"
        ) from None


def _run_in_order(
    pool: ProcessPoolExecutor | None,
    function: Callable[..., Any],
    argument_lists: Sequence[tuple[Any, ...]],
    step: str,
    progress: Progress,
) -> Iterator[Any]:
    """Yield the result of the function for each argument list, in order."""
    progress(step, 0, len(argument_lists))
    futures: list[Future[Any]] = (
        [] if pool is None else [pool.submit(function, *arguments) for arguments in argument_lists]
    )
    for index, arguments in enumerate(argument_lists):
        yield function(*arguments) if pool is None else futures[index].result()
        if pool is not None:
            futures[index] = Future()  # frees the result
        progress(step, index + 1, len(argument_lists))
