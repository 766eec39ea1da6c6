"""What a run brought, and what to do about what it did not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polbias.generators.services.errors import ServiceError
from polbias.models.requests import Answer, Request

_IDS_SHOWN = 5


@dataclass(frozen=True)
class Failure:
    """A request without an answer, and why."""

    request: Request
    error: ServiceError


@dataclass(frozen=True)
class Outcome:
    """What a run brought.

    Args:
        answers: one for each request, in their order; None where there is none.
        failures: the requests without an answer, in their order, each question once.
        asked: how many questions were answered in this run.
        recorded: how many requests had an answer on file.
        usage: what was billed in this run, by service and unit.
    """

    answers: Sequence[Answer | None]
    failures: Sequence[Failure]
    asked: int
    recorded: int
    usage: Mapping[str, int]

    @property
    def complete(self) -> bool:
        """Whether every request has an answer."""
        return None not in self.answers

    def lines(self) -> list[str]:
        """Return the report as lines to show: what was done, what failed and what to do."""
        usage = ", ".join(f"{count:,} {unit}" for unit, count in self.usage.items())
        billed = f" ({usage})" if usage else ""
        lines = [f"{self.asked:,} answered now{billed}, {self.recorded:,} from the recording"]
        grouped: dict[str, list[str]] = {}
        for failure in self.failures:
            grouped.setdefault(str(failure.error), []).append(failure.request.id)
        for message, ids in grouped.items():
            more = f" and {len(ids) - _IDS_SHOWN:,} more" if len(ids) > _IDS_SHOWN else ""
            lines.append(f"{len(ids):,} failed: {message} [{', '.join(ids[:_IDS_SHOWN])}{more}]")
        if self.failures and all(failure.error.kind == "unrecorded" for failure in self.failures):
            lines.append("record them with the service and a key, then replay again")
        elif self.failures:
            lines.append("run the same again to ask only for these: every answer that came is recorded")
        return lines
