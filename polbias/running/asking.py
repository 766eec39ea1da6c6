"""Resumable requests to a model."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Literal, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from polbias.aliases import Document
from polbias.files import PolbiasError
from polbias.models.requests import canonical
from polbias.running.record import Journal

# One way to ask a model, whatever answers: a request, an answer, and what an asker is.

SamplingMode = Literal["defaults", "greedy"]
Prefill = Literal["continue", "turn", "none"]


@dataclass(frozen=True)
class Request:
    """One question to a model.

    Args:
        id: of the row that it is made from.
        messages: turns with ``role`` and ``content``, without the prefill.
        max_tokens: at most so many tokens has the answer.
        sampling: ``defaults`` of the model, or ``greedy``.
        seed: of the sampling, where the model takes one; None sends none.
        prefill: the beginning of the answer that is put into the model's mouth.
    """

    id: str
    messages: Sequence[Mapping[str, str]]
    max_tokens: int
    sampling: SamplingMode = "defaults"
    seed: int | None = None
    prefill: str | None = None


@dataclass(frozen=True)
class Answer:
    """What a model answered to one request, or why it did not.

    Args:
        id: of the request.
        text: the answer, without the prefill; empty if there is none.
        finish_reason: ``stop``, ``length``, ``refusal``, ``content_filter`` or what a server says; None if
            nothing is known.
        error: why there is no answer; None if there is one. An empty answer and a refusal are answers.
        usage: tokens billed, as ``input_tokens`` and ``output_tokens``, where they are known.
    """

    id: str
    text: str = ""
    finish_reason: str | None = None
    error: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Settings:
    """What holds for all requests of a stage.

    Args:
        parameters: further generation parameters under the names that the model's server or library has for
            them, before `Request.sampling`; one that is None is left out of the request.
        prefill: how the beginning of an answer is given: ``continue`` it, as a last assistant ``turn``, or
            ``none`` at all; None takes what suits the asker.
    """

    parameters: Document = field(default_factory=dict)
    prefill: Prefill | None = None


class Asker(Protocol):
    """A model that can be asked. Making one neither loads a model nor opens a connection."""

    @property
    def identity(self) -> Document:
        """What an answer depends on, as JSON: the model and what configures it, no addresses, no keys."""

    @property
    def address(self) -> str | None:
        """Where the model is asked, without secrets; None if it is here."""

    @property
    def default_prefill(self) -> Prefill:
        """How it takes the beginning of an answer unless told otherwise."""

    @property
    def notes(self) -> Sequence[str]:
        """What had to be asked otherwise than the rows say, each once."""

    def check(self) -> None:
        """Raise a `PolbiasError` if a library or a key is missing; sends nothing."""

    def ask(self, requests: Iterable[Request], settings: Settings) -> Generator[Answer]:
        """Yield one answer for each request, in any order, as they come.

        A request that fails is an answer with an error. Closing the generator gives up what is under way.
        """


def prefill_of(asker: Asker, settings: Settings) -> Prefill:
    """Return how an asker is given the beginnings of answers."""
    return settings.prefill or asker.default_prefill


# Run one stage: ask for what is not on file yet, write down what comes.

_IDS_SHOWN = 5


@dataclass(frozen=True)
class Row:
    """A row of a stage: what is asked, and what its entry says besides the answer.

    Args:
        request: the question.
        entry: makes the entry from the answer; ``id`` and ``key`` are added.
        version: of the dataset that the row is from.
    """

    request: Request
    entry: Callable[[Answer], Document]
    version: str


@dataclass
class Report:
    """What a stage did.

    Args:
        rows: how many there are.
        recorded: how many had an answer on file before.
        asked: how many were answered now.
        errors: the ids of those that failed, by what was wrong.
        usage: tokens billed now.
        dropped: cut-off lines of the journal that were removed.
    """

    rows: int
    recorded: int = 0
    asked: int = 0
    errors: dict[str, list[str]] = field(default_factory=dict)
    usage: Counter[str] = field(default_factory=Counter)
    dropped: int = 0

    @property
    def complete(self) -> bool:
        """Whether every row has an answer."""
        return self.recorded + self.asked == self.rows

    def lines(self) -> list[str]:
        """Return the report as lines to show."""
        usage = ", ".join(f"{count:,} {unit.replace('_', ' ')}" for unit, count in self.usage.items())
        billed = f" ({usage})" if usage else ""
        lines = [f"{self.asked:,} answered now{billed}, {self.recorded:,} on file before"]
        if self.dropped:
            lines.append("the last line on file was cut off; it is dropped and its row is asked again")
        for message, ids in self.errors.items():
            more = f" and {len(ids) - _IDS_SHOWN:,} more" if len(ids) > _IDS_SHOWN else ""
            lines.append(f"{len(ids):,} failed: {message} [{', '.join(ids[:_IDS_SHOWN])}{more}]")
        if not self.complete:
            lines.append(
                "run the same again to ask only for what is missing: every answer that came is on file"
            )
        return lines


def row_key(row: Row, asker: Asker, settings: Settings) -> str:
    """Return the SHA-256 of everything that the answer to a row depends on.

    Model and arguments, turns and prefill, length, sampling, parameters, seed and dataset version count;
    times, addresses and how many are asked at once do not.
    """
    request = row.request
    depends = {
        "asker": dict(asker.identity),
        "id": request.id,
        "messages": [dict(turn) for turn in request.messages],
        "prefill": [request.prefill, prefill_of(asker, settings)] if request.prefill else None,
        "max_tokens": request.max_tokens,
        "sampling": request.sampling,
        "parameters": dict(settings.parameters),
        "seed": request.seed,
        "version": row.version,
    }
    return hashlib.sha256(canonical(depends).encode("utf-8", "replace")).hexdigest()


def open_rows(rows: Sequence[Row], asker: Asker, settings: Settings, journal: Journal) -> list[Row]:
    """Return the rows that have no answer on file."""
    return [row for row in rows if journal.find(row.request.id, row_key(row, asker, settings)) is None]


def run_stage(
    name: str,
    rows: Sequence[Row],
    asker: Asker,
    settings: Settings,
    journal: Journal,
    console: Console | None = None,
) -> Report:
    """Ask a model for the rows of a stage that have no answer on file, and write down what comes.

    An interruption loses nothing that has come; running the same again asks for the rest.
    """
    keys = {row.request.id: row_key(row, asker, settings) for row in rows}
    if len(keys) != len(rows):
        raise PolbiasError(f"{name}: two rows have the same id")
    waiting = {row.request.id: row for row in open_rows(rows, asker, settings, journal)}
    report = Report(len(rows), recorded=len(rows) - len(waiting), dropped=journal.dropped)
    if not waiting:
        return report
    asker.check()
    console = console or Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task(name, total=len(rows), completed=report.recorded)
        tenths = 10 * report.recorded // len(rows)
        with closing(asker.ask([row.request for row in waiting.values()], settings)) as answers:
            for answer in answers:
                row = waiting.pop(answer.id)
                if answer.error is None:
                    journal.add({**row.entry(answer), "id": answer.id, "key": keys[answer.id]})
                    report.asked += 1
                    report.usage.update(answer.usage)
                else:
                    journal.fail(answer.id, keys[answer.id], answer.error)
                    report.errors.setdefault(answer.error, []).append(answer.id)
                failed = sum(map(len, report.errors.values()))
                description = f"{name}, {failed:,} failed" if failed else name
                progress.update(task, advance=1, description=description)
                done = len(rows) - len(waiting)
                if not console.is_terminal and done < len(rows) and 10 * done // len(rows) > tenths:
                    tenths = 10 * done // len(rows)
                    console.print(f"{description}: {done:,} of {len(rows):,}", highlight=False)
    for id in waiting:
        report.errors.setdefault("no answer came", []).append(id)
    return report
