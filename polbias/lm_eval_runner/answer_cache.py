"""The answer cache of a run: only requests without a cached response are sent."""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from polbias.aliases import Document
from polbias.errors import PolbiasError
from polbias.lm_eval_runner.budget import Budget, BudgetExceededError
from polbias.lm_eval_runner.likelihoods import LabelRequest, sampling_requests
from polbias.lm_eval_runner.requests import (
    GENERATE,
    MultipleAnswers,
    MultiSampleRequest,
    PendingRequest,
    Planner,
    RequestRejected,
    merge_requests,
    request_key,
    request_rounds,
    text_of_prompt,
)
from polbias.lm_eval_runner.responses import Likelihood
from polbias.lm_eval_runner.server_errors import Faults
from polbias.lm_eval_runner.settings import RequestSettings
from polbias.models.cache import AnswerStore
from polbias.responses import LENGTH_FINISH_REASONS, NOT_REQUESTED, Response, attach_reasoning
from polbias.safe_text import redact, redact_message, redact_secrets

# Ask a model only for what is not on file, and keep each answer as it comes.

_MAX_MESSAGE = 1_000  # characters of a message that ends in an advice
_log = logging.getLogger("polbias.lm_eval_runner")

SendRequests = Callable[[list[Any]], Sequence[Any]]
Reader = Callable[[Document, Sequence[str]], Sequence[float]]


class CacheWriteError(BaseException):
    """An answer could not be written down. No Exception, so that lm_eval does not pay for it again.

    Args:
        error: what is wrong with the file.
    """

    def __init__(self, error: PolbiasError) -> None:
        super().__init__(str(error))
        self.error = error


class StoppedError(PolbiasError):
    """The model stopped answering before the end of a run."""


@dataclass
class RequestCounts:
    """How many requests of a run were answered, and how.

    Args:
        kept: answered from file.
        asked: answered by the model.
        sent: requests that took, fewer where one was given several answers.
        not_requested: never asked for.
        oldest: when the oldest of the kept answers was given, in seconds since 1970.
    """

    n_cached: int = 0
    n_sent: int = 0
    sent: int = 0
    not_requested: int = 0
    oldest: float | None = None


@dataclass
class AnswerCache:
    """The stores of a run, and how requests go past them.

    Equal requests of a task are told apart by their order, so that thirty samples of a prompt stay thirty.

    Args:
        stores: by task.
        slice_size: how many requests a model gets in one call, 0 for all: one that hands out its answers
            only at the end of a call would lose them all.
        reseed: called with the number of kept answers before a model that samples is asked for the rest;
            with the seed of the first run it would draw the same numbers again.
        resume: what to do after a break, for the message.
        tally: how many were answered so far.
        budget: what the answers took, and may.
        faults: what the server replied when it failed.
        settings: of requests, which settings are sent.
        think_end: what ends the thoughts of a model in this process, which are kept beside its answer.
        planners: by task, for those that are not asked everything.
        readers: by task, for those whose labels a chat may be asked for: what share of answers is each label.
        several: whether a request may be given several answers; None if that is to be found out.
        expects_reasoning: whether the model was told to think: a server may keep to itself that its template opened a
            thought, and an answer that was cut off without a sign of one is taken for it.
    """

    stores: Mapping[str, AnswerStore]
    slice_size: int = 0
    reseed: Callable[[int], None] | None = None
    resume: str = "run the same command again"
    tally: RequestCounts = field(default_factory=RequestCounts)
    budget: Budget = field(default_factory=Budget)
    faults: Faults = field(default_factory=Faults)
    settings: RequestSettings = field(default_factory=RequestSettings)
    think_end: str | None = None
    expects_reasoning: bool = False
    planners: Mapping[str, Planner] = field(default_factory=dict)
    readers: Mapping[str, Reader] = field(default_factory=dict)
    accepts_n: bool | None = False
    is_multi_sample: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._waiting_by_key: dict[str, deque[PendingRequest]] = {}
        self._waiting_by_prompt: dict[str, list[PendingRequest]] = {}
        self._pending: list[PendingRequest] = []

    def answer(self, kind: str, requests: Sequence[Any], send: SendRequests) -> list[Any]:
        """Return the answers to requests, in their order; in place of those never asked for what says so."""
        self._pending = [*self._load_cached(kind, requests)]
        planners = self.planners if kind == GENERATE else {}
        if kind == GENERATE and self.accepts_n is None:
            self._detect_n_support(self._pending, planners, send)
        for batch in request_rounds(self._pending, planners, bool(self.accepts_n)):
            self._send_missing(kind, [pending for pending in batch if not pending.done], send)
        answered = [pending for pending in self._pending if pending.is_due]
        self.tally.not_requested += len(self._pending) - len(answered)
        times = [pending.time for pending in answered if pending.time is not None]
        self.tally.n_cached += len(times)
        self.tally.oldest = min(filter(None, (*times, self.tally.oldest)), default=None)
        return [pending.answer if pending.is_due else NOT_REQUESTED for pending in self._pending]

    def labels(self, requests: Sequence[Any], send: SendRequests) -> list[Any]:
        """Return the log-likelihoods of labels, from a model that only writes; `send` has it write."""
        pending_requests = [*self._load_cached("loglikelihood", requests)]
        self.tally.n_cached += sum(pending.done for pending in pending_requests)
        by_row: dict[tuple[str, int], list[PendingRequest]] = {}
        for pending in pending_requests:
            by_row.setdefault((pending.request.task_name, pending.request.doc_id), []).append(pending)
        label_requests = [
            LabelRequest(row) for row in by_row.values() if not all(pending.done for pending in row)
        ]
        self._pending = [*label_requests]
        self._send(GENERATE, self._pending, send)
        unresolved = [label_request for label_request in label_requests if not label_request.parts[0].done]
        sample_requests = [sampling_requests(label_request.request) for label_request in unresolved]
        texts = iter(self.answer(GENERATE, [request for row in sample_requests for request in row], send))
        for label_request, row in zip(unresolved, sample_requests, strict=True):
            read_shares = self.readers[label_request.request.task_name]
            label_request.store_shares(read_shares(label_request.request.doc, [next(texts) for _ in row]))
        return [pending.answer for pending in pending_requests]

    def _load_cached(self, kind: str, requests: Sequence[Any]) -> Iterator[PendingRequest]:
        seen: Counter[tuple[str, str]] = Counter()
        for request in requests:
            store, key = self.stores[request.task_name], request_key(kind, request.args)
            occurrence = seen[request.task_name, key]
            seen[request.task_name, key] += 1
            cached = store.get(key, occurrence)
            if cached is None:
                yield PendingRequest(request, store, key, occurrence)
            else:
                answer = _parse_record(cached[0])
                self.budget.count(request.args, answer, is_cached=True)
                yield PendingRequest(request, store, key, occurrence, answer, True, time=cached[1])

    def _detect_n_support(
        self, pending_requests: Sequence[PendingRequest], planners: Mapping[str, Planner], send: SendRequests
    ) -> None:
        """Find out whether a request is given several answers: from what is on file, else by one.

        A plan hangs on it. It is therefore taken from the answers on file where there are any.
        """
        cached = [pending for pending in pending_requests if pending.done]
        if any(getattr(pending.answer, "metadata", {}).get("index") for pending in cached):
            self.accepts_n = True
        elif any(pending.request.task_name in planners for pending in cached):
            self.accepts_n = False
        else:
            first_round = next(request_rounds(pending_requests, planners, True), [])
            for pending in first_round:
                pending.is_due = False
            merged = merge_requests([pending for pending in first_round if not pending.done])
            if probe := next(
                (request for request in merged if isinstance(request, MultiSampleRequest)), None
            ):
                self._send_multi_sample([probe], send)

    def _send_missing(
        self, kind: str, pending_requests: Sequence[PendingRequest], send: SendRequests
    ) -> None:
        """Have requests answered, several in one where the server does that.

        Neighbours begin alike: a small cache still has what they share.
        """
        pending_requests = sorted(
            pending_requests, key=lambda pending: text_of_prompt(pending.request.args[0])
        )
        if self.accepts_n and kind == GENERATE:
            self._send_multi_sample(merge_requests(pending_requests), send)
        missing = [pending for pending in pending_requests if not pending.done]
        n_cached = sum(pending.time is not None for pending in self._pending if pending.is_due)
        if missing and self.reseed is not None and n_cached:
            self.reseed(n_cached)
            self.reseed = None
        size = self.slice_size or max(len(missing), 1)
        for start in range(0, len(missing), size):
            self._send(kind, missing[start : start + size], send)

    def _send_multi_sample(self, pending_requests: Sequence[PendingRequest], send: SendRequests) -> None:
        """Ask for several answers in one request; a server that refuses, or gives fewer, is not again."""
        self.is_multi_sample = True
        try:
            self._send(GENERATE, pending_requests, send)
        except StoppedError:
            if self.accepts_n:
                raise
        finally:
            self.is_multi_sample = False
        self.accepts_n = all(part.done for pending in pending_requests for part in pending.parts)

    def add_partial(self, kind: str, arguments: Sequence[Any], answer: Any) -> None:
        """Keep an answer as soon as a model has it (lm_eval's hook).

        Some models hand over generation settings that they completed. Their prompt and seed still say which
        request it was; where they do not, the answer is kept at the end of the call.
        """
        pending = self._find_pending(kind, arguments)
        if pending is None:
            return
        try:
            self.budget.count(pending.request.args, answer)
            pending.set_answer(self._prepare_answer(pending.request, answer))
        except PolbiasError as error:
            raise CacheWriteError(error) from None

    def _prepare_answer(self, request: Any, answer: Any) -> Any:
        """An answer that knows its thought, without secrets of this run."""
        if isinstance(answer, MultipleAnswers):
            return MultipleAnswers([self._prepare_answer(request, text) for text in answer.texts])
        if not isinstance(answer, str):
            return answer
        metadata = redact(getattr(answer, "metadata", {}))
        is_truncated = (
            self.expects_reasoning
            and metadata.get("finish_reason") in LENGTH_FINISH_REASONS
            and "reasoning" not in metadata
        )
        parsed = attach_reasoning(
            text_of_prompt(request.args[0]), redact_secrets(str(answer)), self.think_end, is_truncated
        )
        all_metadata = metadata | getattr(parsed, "metadata", {})
        return Response(parsed, all_metadata) if all_metadata else parsed

    def _find_pending(self, kind: str, arguments: Sequence[Any]) -> PendingRequest | None:
        """The request that an answer is to, None where that cannot be told."""
        waiting = self._waiting_by_key.get(request_key(kind, tuple(arguments)))
        if waiting:
            return waiting.popleft()
        if kind != GENERATE:
            return None
        prompt, settings = arguments[0], arguments[1]
        matches = [
            pending
            for pending in self._waiting_by_prompt.get(text_of_prompt(prompt), ())
            if not pending.done and pending.request.args[1].get("seed") == settings.get("seed")
        ]
        return matches[0] if len({pending.key for pending in matches}) == 1 else None

    def _send(self, kind: str, pending_requests: Sequence[PendingRequest], send: SendRequests) -> None:
        if not pending_requests:
            return
        self._waiting_by_key, self._waiting_by_prompt = {}, {}
        for pending in pending_requests:
            self._waiting_by_key.setdefault(pending.key, deque()).append(pending)
            self._waiting_by_prompt.setdefault(text_of_prompt(pending.request.args[0]), []).append(pending)
        parts = [part for pending in pending_requests for part in pending.parts]
        n_sent_before = self.tally.n_sent
        try:
            self.budget.check()
            answers = send([pending.request for pending in pending_requests])
            for pending, answer in zip(pending_requests, answers, strict=True):
                if not pending.done:
                    self.budget.count(pending.request.args, answer)
                pending.set_answer(self._prepare_answer(pending.request, answer))
                pending.done = True
        except CacheWriteError as stop:
            raise stop.error from None
        except (Exception, RequestRejected) as error:
            _log.debug("the model stopped answering", exc_info=True)
            raise self._stop_error(error) from error
        finally:
            self.tally.n_sent = n_sent_before + sum(part.done for part in parts)
            self.tally.sent += sum(pending.done for pending in pending_requests)

    def _stop_error(self, error: BaseException) -> PolbiasError:
        if isinstance(error, PolbiasError):
            return error
        total, n_missing = len(self._pending), sum(not pending.done for pending in self._pending)
        bound = "" if all(pending.is_due for pending in self._pending) else "at most "
        progress = f"after {total - n_missing:,} of {bound}{total:,} requests"
        if isinstance(error, BudgetExceededError):
            return StoppedError(
                f"{error} {progress}; {self.resume} with a larger one; {bound}{n_missing:,} are missing"
            )
        if isinstance(error, RequestRejected):  # the same command would be refused again
            return StoppedError(
                f"the model stopped {progress}: {redact_message(error, longest=_MAX_MESSAGE)}"
            )
        reason, replies = redact_message(error) or "no reason given", self.faults.replies
        if replies and replies[-1] == reason:
            cause = f"the server fails: {reason}"
        else:
            reply = f"; the server said: {redact_message(replies[-1])}" if replies else ""
            cause = f"{type(error).__name__}: {reason}{reply}"
        return StoppedError(
            f"the model stopped {progress} ({cause}); {self.resume}; {bound}{n_missing:,} are missing"
        )


def _parse_record(record: Any) -> Any:
    """An answer as it was kept: a text with or without what was said beside it, or likelihoods."""
    if not isinstance(record, Mapping):
        return record
    if "likelihood" in record:
        return Likelihood(tuple(record["likelihood"]), record.get("usage", {}))
    return Response(record["text"], {name: record[name] for name in record if name != "text"})
