"""Key, merge and order the requests of a run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

from polbias.aliases import Document, Indices, Json
from polbias.models.cache import AnswerStore
from polbias.responses import Response

GENERATE = "generate_until"


def request_key(kind: str, arguments: tuple[Any, ...]) -> str:
    """Return the hash of a request: its kind, prompt and generation settings."""
    text = json.dumps([kind, *arguments], sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def text_of_prompt(prompt: Any) -> str:
    """Return the text of a prompt, or the JSON of a chat."""
    return prompt if isinstance(prompt, str) else str(getattr(prompt, "prompt", prompt))


class RequestRejected(BaseException):
    """A server rejects a request for good. Not an Exception: lm_eval retries after these."""


@dataclass(eq=False)
class PendingRequest:
    """A request and its answer, once it has one.

    Args:
        request: request of lm_eval.
        store: answer store of its task.
        key: hash of the request.
        occurrence: number among equal requests, from 0.
        answer: the answer; None before.
        done: whether it has an answer.
        is_due: whether it has been requested so far; a stopping rule may leave it out.
        time: time of a cached answer, in seconds since 1970; None for others.
    """

    request: Any
    store: AnswerStore
    key: str
    occurrence: int = 0
    answer: Any = None
    done: bool = False
    is_due: bool = False
    time: float | None = None

    @property
    def parts(self) -> Sequence[PendingRequest]:
        """The requests, of one answer each, that this request answers."""
        return (self,)

    @property
    def cache_entry(self) -> tuple[str, int, Any]:
        """Key, occurrence and record for the answer store."""
        record: Any = self.answer
        if isinstance(record, Response):
            record = {"text": record, **record.metadata}
        elif metadata := getattr(record, "metadata", None):
            record = {"likelihood": record, **metadata}
        return self.key, self.occurrence, record

    def set_answer(self, answer: Any) -> None:
        """Set and store an answer, unless it is the same again."""
        if answer is None or (self.done and answer == self.answer):
            return
        self.answer = answer.texts[0] if isinstance(answer, MultipleAnswers) else answer
        self.store.write(*self.cache_entry)
        self.done = True


class MultipleAnswers(str):
    """The answers to one request; its text is the first answer.

    Args:
        texts: answers in the order of their indices.
    """

    texts: Sequence[str]

    def __new__(cls, texts: Sequence[str]) -> MultipleAnswers:
        """Create from at least one answer."""
        answers = super().__new__(cls, texts[0])
        answers.texts = texts
        return answers


class MergedRequest(PendingRequest):
    """Several requests sent as one: the first request with other settings."""

    def __init__(self, pending_requests: Sequence[PendingRequest], settings: Document) -> None:
        request = with_settings(pending_requests[0].request, settings)
        super().__init__(request, pending_requests[0].store, request_key(GENERATE, request.args))
        self._parts = pending_requests

    @property
    def parts(self) -> Sequence[PendingRequest]:
        """The requests, of one answer each, that this request answers."""
        return self._parts


def with_settings(request: Any, settings: Document) -> Any:
    """Return a copy of a request with other settings and without answers."""
    return replace(request, arguments=(request.args[0], {**settings}), resps=[], filtered_resps={})


class MultiSampleRequest(MergedRequest):
    """Requests with consecutive seeds, sent as one request for `n` answers with the first seed."""

    def __init__(self, pending_requests: Sequence[PendingRequest]) -> None:
        super().__init__(
            pending_requests, {**pending_requests[0].request.args[1], "n": len(pending_requests)}
        )

    def set_answer(self, answer: Any) -> None:
        """Store up to `n` answers in one transaction, with the request's seed and their index."""
        if answer is None or self.done:
            return
        texts = answer.texts if isinstance(answer, MultipleAnswers) else [answer]
        answered = self._parts[: len(texts)]
        for index, (pending, text) in enumerate(zip(answered, texts, strict=False)):
            request_metadata: Json = {"seed": self.request.args[1]["seed"], "index": index}
            pending.answer = Response(text, {**getattr(text, "metadata", {}), **request_metadata})
        self.store.put_all([pending.cache_entry for pending in answered])
        for pending in (self, *answered):
            pending.done = True


def merge_requests(pending_requests: Sequence[PendingRequest]) -> list[PendingRequest]:
    """Merge adjacent requests that differ by consecutive seeds only."""
    groups: list[list[PendingRequest]] = []
    for pending in pending_requests:
        if groups and _has_next_seed(groups[-1][-1], pending):
            groups[-1].append(pending)
        else:
            groups.append([pending])
    return [MultiSampleRequest(group) if len(group) > 1 else group[0] for group in groups]


def _has_next_seed(first: PendingRequest, second: PendingRequest) -> bool:
    (first_prompt, first_settings, *_), (second_prompt, second_settings, *_) = (
        first.request.args,
        second.request.args,
    )
    return (
        first.store is second.store
        and first_prompt == second_prompt
        and isinstance(first_settings.get("seed"), int)
        and second_settings == {**first_settings, "seed": first_settings["seed"] + 1}
    )


# The order of requests: all at once, or in rounds of a sampling plan.


class SamplingPlan(Protocol):
    """Number of answers to request for each row of a task, given the answers so far."""

    n_due: Indices

    def extend(self, answers: Sequence[Sequence[str]]) -> bool:
        """Update n_due from the answers to each row; return whether any answer remains to be requested."""


Planner: TypeAlias = Callable[[Sequence[Document], bool], SamplingPlan | None]
"""Return a plan for rows, given whether the server accepts ``n``; None to request every answer."""


def request_rounds(
    pending_requests: Sequence[PendingRequest], planners: Mapping[str, Planner], accepts_n: bool
) -> Iterator[list[PendingRequest]]:
    """Yield the requests of each round; the caller has to answer a round before taking the next."""
    by_task: dict[str, dict[int, list[PendingRequest]]] = {}
    for pending in pending_requests:
        if pending.request.task_name in planners:
            by_task.setdefault(pending.request.task_name, {}).setdefault(pending.request.doc_id, []).append(
                pending
            )
    plans: list[tuple[SamplingPlan, list[list[PendingRequest]]]] = []
    for task, by_row in by_task.items():
        rows = [*by_row.values()]
        plan = planners[task]([row[0].request.doc for row in rows], accepts_n)
        if plan is not None:
            plans.append((plan, rows))
    waiting = {id(pending) for _, rows in plans for row in rows for pending in row}
    batch = [pending for pending in pending_requests if id(pending) not in waiting]
    while True:
        for plan, rows in plans:
            for number, row in zip(plan.n_due.tolist(), rows, strict=True):
                batch += [pending for pending in row[:number] if not pending.is_due]
        for pending in batch:
            pending.is_due = True
        if batch:
            yield batch
        batch = []
        plans = [
            (plan, rows)
            for plan, rows in plans
            if plan.extend([[pending.answer for pending in row if pending.is_due] for row in rows])
        ]
        if not plans:
            return
