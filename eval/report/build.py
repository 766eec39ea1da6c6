"""From paths to a report: read, analyse, compare, adjust."""

from __future__ import annotations

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
from typing import Any, Protocol, TypeAlias

import pyarrow as pa

from polbias import __version__
from polbias.eval.report.adjusting import adjust_comparisons, adjust_findings
from polbias.eval.report.comparing import compare
from polbias.eval.report.document import Notice, Report, Respondent, Section, Source
from polbias.eval.report.gathering import Gathered, gather, name_of
from polbias.eval.report.harness import is_simulated
from polbias.eval.report.instruments import Settings, instrument
from polbias.eval.report.numbers import share
from polbias.eval.report.reading import ReadFile, plain, read_file
from polbias.eval.report.versions import one_version
from polbias.eval.report.words import frame, words
from polbias.eval.support import State
from polbias.files import InputError, PolbiasError
from polbias.registry import instruments

_SMALL = 30_000_000  # bytes of samples below which other processes cost more than they save
_INT64 = pa.int64()
_DONE: Mapping[State, str] = {
    "not answered": "no_estimate",
    "no variation": "no_estimate",
    "at the ceiling": "limit_only",
}
"""What is done about an estimate with something against it."""

Answers: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Instrument, respondent, Arrow table of outcomes."""


class Progress(Protocol):
    """Shows how far a report is."""

    def __call__(self, step: str, done: int, total: int) -> None:
        """Take note that so much of a step is done."""


@dataclass(frozen=True)
class Made:
    """A report and the outcomes that it is made of.

    Attributes:
        report: the report.
        answers: the outcomes by instrument and respondent.
    """

    report: Report
    answers: Answers


def make(
    paths: Iterable[Path],
    settings: Settings | None = None,
    workers: int = 1,
    progress: Progress = lambda step, done, total: None,
) -> Made:
    """Make a report of runs; a pure function of the samples and the results beside them.

    Args:
        paths: sample files, or folders with such files anywhere below.
        settings: of the report.
        workers: processes that read and analyse; more than one needs an importable main module, as all of
            :mod:`multiprocessing` does.
        progress: called as the work goes on.

    Raises:
        InputError: if a path is not there, or nothing at them can be reported.
        PolbiasError: if a process was killed, as the system does where memory runs out.
    """
    settings = settings or Settings()
    gathered = gather(paths)
    if not gathered.files:
        told = "; ".join(f"{notice.where}: {notice.found}" for notice in gathered.notices[:3])
        raise InputError(f"found no samples of tasks of polbias to report ({told})")
    size = sum(file.path.stat().st_size for file, _ in gathered.files)
    with _workers(workers if size > _SMALL else 0) as run:
        read = list(_in_order(run, read_file, gathered.files, "read", progress))
        files, versions, notices = one_version(read)
        answers = _by_respondent(files)
        parts = [(name, answers[name], settings) for name in _on_the_page() if name in answers]
        sections = list(_in_order(run, _section, parts, "analyse", progress))
    return Made(_report(gathered, files, versions, notices, sections, answers, settings), answers)


def _report(
    gathered: Gathered,
    files: Sequence[ReadFile],
    versions: Mapping[str, str],
    notices: Sequence[Notice],
    sections: Sequence[Section],
    answers: Answers,
    settings: Settings,
) -> Report:
    respondents = tuple(_respondents(files))
    simulated = frozenset(each.name for each in respondents if each.simulated)
    adjusted = [
        replace(section, notices=(*section.notices, *_states(section)))
        for section in adjust_findings(sections, simulated)
    ]
    findings = [finding for section in adjusted for finding in section.findings]
    methods = {each.name: each.method for each in respondents}
    compared = compare(findings, simulated, methods, settings.seed)
    comparisons = adjust_comparisons(compared, simulated)
    told = [notice for file in files for notice in file.notices]
    told += [notice for section in adjusted for notice in section.notices]
    return Report(
        version=__version__,
        seed=settings.seed,
        respondents=respondents,
        sources=tuple(_sources(files, versions)),
        sections=tuple(adjusted),
        comparisons=comparisons,
        notices=(*gathered.notices, *notices, *told, *_empty(files)),
    )


def _states(section: Section) -> Iterator[Notice]:
    """What stands against the headline estimates of an instrument."""
    said, measures = frame().notices, words(section.instrument).measures
    for finding in section.findings:
        estimate = finding.estimate
        if not finding.headline or finding.of_refusals:
            continue
        found = [(estimate.state.replace(" ", "_"), _DONE[estimate.state])] if estimate.state else []
        if estimate.doubtful and estimate.value is not None:
            found.append(("missing", "bounds_stand_first"))
        missing = estimate.missing or 0.0
        for name, done in found:
            told = said[name].format(
                measure=measures[finding.measure].title,
                answered=share(1 - missing),
                missing=share(missing),
                discordant=estimate.discordant,
                clusters=estimate.clusters,
            )
            yield Notice(finding.respondent, told, said[done], serious=done != "limit_only")


def _on_the_page() -> list[str]:
    """The instruments, those with a left and a right first."""
    return sorted(instruments(), key=lambda name: not words(name).directional)


def _section(name: str, answers: Mapping[str, Any], settings: Settings) -> Section:
    return instrument(name).section(answers, settings)


def _by_respondent(files: Sequence[ReadFile]) -> Answers:
    found: dict[str, dict[str, list[Any]]] = {}
    for file in files:
        if file.outcomes.num_rows:
            found.setdefault(file.instrument, {}).setdefault(file.file.respondent, []).append(file.outcomes)
    return {
        name: {who: pa.concat_tables(map(plain, tables)) for who, tables in sorted(own.items())}
        for name, own in found.items()
    }


def _respondents(files: Sequence[ReadFile]) -> Iterator[Respondent]:
    names = sorted({file.file.respondent for file in files})
    for name in names:
        own = [file for file in files if file.file.respondent == name]
        model = own[0].file.model
        yield Respondent(
            name=name,
            model=model,
            method="log-likelihood" if name != model else "generated",
            simulated=any(is_simulated(model, file.facts) for file in own),
            tasks=tuple(sorted(file.file.task for file in own)),
            answers=sum(_answers(file.outcomes) for file in own),
        )


def _answers(table: Any) -> int:
    """Number of answers: an instrument may have a row per prompt, with the number of its answers."""
    if "answers" not in table.column_names:
        return int(table.num_rows)
    import pyarrow.compute as pc

    return int(pc.sum(table["answers"].cast(_INT64)).as_py() or 0)


def _sources(files: Sequence[ReadFile], versions: Mapping[str, str]) -> Iterator[Source]:
    for file in files:
        datasets = sorted({each for each in file.outcomes["dataset"].unique().to_pylist() if each})
        yield Source(
            file=name_of(file.file),
            sha256=file.sha256,
            respondent=file.file.respondent,
            task=file.file.task,
            task_version=file.facts.task_version,
            dataset="; ".join(datasets),
            dataset_version="; ".join(versions.get(each, "") for each in datasets),
            rows=file.samples,
            expected=file.facts.expected,
        )


def _empty(files: Sequence[ReadFile]) -> Iterator[Notice]:
    said = frame().notices
    for file in files:
        if not file.outcomes.num_rows:
            yield Notice(name_of(file.file), said["no_samples"], said["left_out"], serious=True)


def _follow_parent() -> None:
    """End this process when the one that it works for is gone, killed or not; else it would wait for ever."""

    def watch() -> None:
        parent = parent_process()
        if parent is not None:
            wait([parent.sentinel])
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _workers(count: int) -> Iterator[ProcessPoolExecutor | None]:
    """Other processes to work in; None to work in this one."""
    if count < 2:
        yield None
        return
    try:
        with ProcessPoolExecutor(count, get_context("forkserver"), _follow_parent) as pool:
            yield pool
    except BrokenProcessPool:
        raise PolbiasError(
            "a process of the report was killed (is there enough memory?); try again with --workers 1"
        ) from None


def _in_order(
    pool: ProcessPoolExecutor | None,
    work: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    step: str,
    progress: Progress,
) -> Iterator[Any]:
    """Yield the results of tasks in their order, as many at a time as there are processes."""
    progress(step, 0, len(tasks))
    waiting: list[Future[Any]] = [] if pool is None else [pool.submit(work, *task) for task in tasks]
    for done, task in enumerate(tasks):
        yield work(*task) if pool is None else waiting[done].result()
        if pool is not None:
            waiting[done] = Future()  # lets go of what was handed over
        progress(step, done + 1, len(tasks))
