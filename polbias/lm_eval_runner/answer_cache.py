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

_MAX_MESSAGE = 1_000  # characters of a message that ends in advice
_log = logging.getLogger("polbias.lm_eval_runner")

SendRequests = Callable[[list[Any]], Sequence[Any]]
Reader = Callable[[Document, Sequence[str]], Sequence[float]]


class CacheWriteError(BaseException):
    """An answer cannot be written to the cache.

    Not an Exception: lm_eval would send the request again.

    Args:
        error: the write error.
    """

    def __init__(self, error: PolbiasError) -> None:
        super().__init__(str(error))
        self.error = error


class StoppedError(PolbiasError):
    """The model stopped answering before the end of a run."""


@dataclass
class RequestCounts:
    """Counts of the answers and requests of a run.

    Args:
        n_cached: answers from the cache.
        n_answers: answers from the model.
        n_requests: requests for these answers; fewer if a request returns several.
        not_requested: answers that were planned and not requested.
        oldest: time of the oldest cached answer, in seconds since 1970.
    """

    n_cached: int = 0
    n_answers: int = 0
    n_requests: int = 0
    not_requested: int = 0
    oldest: float | None = None


@dataclass
class AnswerCache:
    """Answer requests from the cache; send the others to the model and cache each answer as it arrives.

    Equal requests of a task are numbered in order: thirty samples of one prompt remain thirty answers.

    Args:
        stores: answer stores by task.
        slice_size: requests per call of the model, 0 for all. A model that returns its answers only at the
            end of a call would lose all of them in an interruption.
        reseed: called with the number of cached answers before a local model samples the remaining ones;
            the seed of the first run would draw the same numbers again.
        resume: how to resume after an interruption, for the error message.
        tally: counts of answers and requests.
        budget: used tokens and their limits.
        faults: error messages of the server.
        settings: settings that requests send.
        think_end: token that ends the reasoning of a local model; the reasoning is cached with the answer.
        planners: sampling planners of the tasks that have a stopping rule, by task.
        readers: functions of the tasks whose label probabilities can be sampled over a chat, by task; each
            returns the share of every label among some answers.
        accepts_n: whether the server accepts ``n``, several answers per request; None: detect.
        expects_reasoning: whether the model reasons. A server may hide that its chat template opened the
            reasoning; a truncated answer without marked reasoning then counts as reasoning.

    Attributes:
        is_multi_sample: whether the requests being sent ask for several answers.
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
        """Return the answers to requests in order; NOT_REQUESTED where a stopping rule ended sampling."""
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
        """Return the log-likelihoods of labels from a chat model.

        They come from its first token, else from sampled answers; `send` generates.
        """
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
        """Set accepts_n from cached answers; without any, send one request for several answers.

        The sampling plan depends on it: a resumed run has to repeat the plan of the first.
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
        """Send requests, merged where the server accepts ``n``.

        Sorting by prompt puts shared prefixes next to each other, for the server's prefix cache.
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
        """Send requests for several answers each; set accepts_n to False if the server returns fewer."""
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
        """Cache an answer as soon as the model returns it (lm_eval's hook).

        Some models pass generation settings that they completed: the request is then found by prompt and
        seed. An ambiguous answer is cached at the end of the call.
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
        """Return an answer with its reasoning as metadata and without secrets."""
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
        """Return the request of an answer; None if it is ambiguous."""
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
        n_answers_before = self.tally.n_answers
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
            self.tally.n_answers = n_answers_before + sum(part.done for part in parts)
            self.tally.n_requests += sum(pending.done for pending in pending_requests)

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
        if isinstance(error, RequestRejected):  # the server would reject the same command again
            return StoppedError(
                f"the model stopped {progress}: {redact_message(error, max_length=_MAX_MESSAGE)}"
            )
        reason, replies = redact_message(error) or "no reason given", self.faults.replies
        if replies and replies[-1] == reason:
            cause = f"the server fails: {reason}"
        else:
            reply = f"; the server replied: {redact_message(replies[-1])}" if replies else ""
            cause = f"{type(error).__name__}: {reason}{reply}"
        return StoppedError(
            f"the model stopped {progress} ({cause}); {self.resume}; {bound}{n_missing:,} are missing"
        )


def _parse_record(record: Any) -> Any:
    """Return the answer of a cache record: a text with or without metadata, or a likelihood."""
    if not isinstance(record, Mapping):
        return record
    if "likelihood" in record:
        return Likelihood(tuple(record["likelihood"]), record.get("usage", {}))
    return Response(record["text"], {name: record[name] for name in record if name != "text"})
