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
    """A request that waits for its answer.

    Args:
        request: of lm_eval.
        store: where its answer is kept.
        key: of the request.
        occurrence: its place among equal requests.
        answer: if there is one.
        done: whether there is.
        wanted: whether it was asked for so far.
        time: when its answer was given, if that is on file.
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
        """The requests for one answer each that this one stands for."""
        return (self,)

    @property
    def cache_entry(self) -> tuple[str, int, Any]:
        """What is written down."""
        record: Any = self.answer
        if isinstance(record, Response):
            record = {"text": record, **record.metadata}
        elif metadata := getattr(record, "metadata", None):
            record = {"likelihood": record, **metadata}
        return self.key, self.occurrence, record

    def set_answer(self, answer: Any) -> None:
        """Keep an answer; one that is the same is written once."""
        if answer is None or (self.done and answer == self.answer):
            return
        self.answer = answer.texts[0] if isinstance(answer, MultipleAnswers) else answer
        self.store.write(*self.cache_entry)
        self.done = True


class MultipleAnswers(str):
    """The answers to one request; as a text, the first of them.

    Args:
        texts: in the order of their indices.
    """

    texts: Sequence[str]

    def __new__(cls, texts: Sequence[str]) -> MultipleAnswers:
        """Make it of at least one."""
        answers = super().__new__(cls, texts[0])
        answers.texts = texts
        return answers


class MergedRequest(PendingRequest):
    """Requests that are sent as one, that of the first with other settings."""

    def __init__(self, pending_requests: Sequence[PendingRequest], settings: Document) -> None:
        request = with_settings(pending_requests[0].request, settings)
        super().__init__(request, pending_requests[0].store, request_key(GENERATE, request.args))
        self._parts = pending_requests

    @property
    def parts(self) -> Sequence[PendingRequest]:
        """The requests for one answer each that this one stands for."""
        return self._parts


def with_settings(request: Any, settings: Document) -> Any:
    """Return a request for an answer to the same prompt with other settings."""
    return replace(request, arguments=(request.args[0], {**settings}), resps=[], filtered_resps={})


class MultiSampleRequest(MergedRequest):
    """Requests with one seed after the other, sent as that of the first for as many answers."""

    def __init__(self, pending_requests: Sequence[PendingRequest]) -> None:
        super().__init__(
            pending_requests, {**pending_requests[0].request.args[1], "n": len(pending_requests)}
        )

    def set_answer(self, answer: Any) -> None:
        """Keep the answers, all or none, with the seed of the request and their index; there may be fewer."""
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
    """Put requests together that ask the same, with one seed after the other."""
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


# What is asked, in which order: all at once, or as a plan wants more.


class SamplingPlan(Protocol):
    """How many answers to each row of a task are wanted, given those so far."""

    n_due: Indices

    def extend(self, answers: Sequence[Sequence[str]]) -> bool:
        """Want more answers, now that those wanted of each row are there; False if there is none to ask."""


Planner: TypeAlias = Callable[[Sequence[Document], bool], SamplingPlan | None]
"""Makes a plan for some rows, given whether a request is given several answers; None asks everything."""


def request_rounds(
    pending_requests: Sequence[PendingRequest], planners: Mapping[str, Planner], accepts_n: bool
) -> Iterator[list[PendingRequest]]:
    """Yield the requests that are to be answered next; when the last ones are, no more is wanted."""
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
