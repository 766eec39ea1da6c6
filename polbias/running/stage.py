"""Run one stage: ask for what is not on file yet, write down what comes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from polbias.files import PolbiasError
from polbias.models.requests import canonical
from polbias.running.asking import Answer, Asker, Request, Settings, prefill_of
from polbias.running.record import Journal

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
    entry: Callable[[Answer], Mapping[str, Any]]
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
    """Return the rows that have no answer on file.

    Raises:
        InputError: if one has an answer to something else.
    """
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

    Args:
        name: of the stage, for the progress bar; where there is no terminal, a line says every tenth.
        rows: all rows; their ids are distinct.
        asker: the model.
        settings: of the stage.
        journal: what is on file.
        console: where the progress is shown; standard error unless given.

    Raises:
        InputError: if a row has an answer to something else on file.
        PolbiasError: if nothing can be asked, or an answer cannot be written.
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
