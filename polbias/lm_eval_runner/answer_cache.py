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
from polbias.lm_eval_runner.likelihoods import Labels, sampling_requests
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

_LONGEST = 1_000  # characters of a message that ends in an advice
_log = logging.getLogger("polbias.lm_eval_runner")

AskModel = Callable[[list[Any]], Sequence[Any]]
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
        reasons: whether the model was told to think: a server may keep to itself that its template opened a
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
    reasons: bool = False
    planners: Mapping[str, Planner] = field(default_factory=dict)
    readers: Mapping[str, Reader] = field(default_factory=dict)
    accepts_n: bool | None = False
    bundled: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._waiting: dict[str, deque[PendingRequest]] = {}
        self._by_prompt: dict[str, list[PendingRequest]] = {}
        self._slots: list[PendingRequest] = []

    def answer(self, kind: str, requests: Sequence[Any], ask: AskModel) -> list[Any]:
        """Return the answers to requests, in their order; in place of those never asked for what says so."""
        self._slots = [*self._on_file(kind, requests)]
        planners = self.planners if kind == GENERATE else {}
        if kind == GENERATE and self.accepts_n is None:
            self._find_out(self._slots, planners, ask)
        for batch in request_rounds(self._slots, planners, bool(self.accepts_n)):
            self._complete(kind, [slot for slot in batch if not slot.done], ask)
        answered = [slot for slot in self._slots if slot.is_due]
        self.tally.not_requested += len(self._slots) - len(answered)
        times = [slot.time for slot in answered if slot.time is not None]
        self.tally.n_cached += len(times)
        self.tally.oldest = min(filter(None, (*times, self.tally.oldest)), default=None)
        return [slot.answer if slot.is_due else NOT_REQUESTED for slot in self._slots]

    def labels(self, requests: Sequence[Any], ask: AskModel) -> list[Any]:
        """Return the log-likelihoods of labels, from a model that only writes; `ask` has it write."""
        slots = [*self._on_file("loglikelihood", requests)]
        self.tally.n_cached += sum(slot.done for slot in slots)
        by_row: dict[tuple[str, int], list[PendingRequest]] = {}
        for slot in slots:
            by_row.setdefault((slot.request.task_name, slot.request.doc_id), []).append(slot)
        asked = [Labels(row) for row in by_row.values() if not all(slot.done for slot in row)]
        self._slots = [*asked]
        self._ask(GENERATE, self._slots, ask)
        unsure = [each for each in asked if not each.parts[0].done]
        drawn = [sampling_requests(each.request) for each in unsure]
        texts = iter(self.answer(GENERATE, [request for row in drawn for request in row], ask))
        for each, row in zip(unsure, drawn, strict=True):
            read = self.readers[each.request.task_name]
            each.keep(read(each.request.doc, [next(texts) for _ in row]))
        return [slot.answer for slot in slots]

    def _on_file(self, kind: str, requests: Sequence[Any]) -> Iterator[PendingRequest]:
        seen: Counter[tuple[str, str]] = Counter()
        for request in requests:
            store, key = self.stores[request.task_name], request_key(kind, request.args)
            occurrence = seen[request.task_name, key]
            seen[request.task_name, key] += 1
            found = store.get(key, occurrence)
            if found is None:
                yield PendingRequest(request, store, key, occurrence)
            else:
                answer = _answer(found[0])
                self.budget.count(request.args, answer, kept=True)
                yield PendingRequest(request, store, key, occurrence, answer, True, time=found[1])

    def _find_out(
        self, slots: Sequence[PendingRequest], planners: Mapping[str, Planner], ask: AskModel
    ) -> None:
        """Find out whether a request is given several answers: from what is on file, else by one.

        A plan hangs on it. It is therefore taken from the answers on file where there are any.
        """
        kept = [slot for slot in slots if slot.done]
        if any(getattr(slot.answer, "metadata", {}).get("index") for slot in kept):
            self.accepts_n = True
        elif any(slot.request.task_name in planners for slot in kept):
            self.accepts_n = False
        else:
            first = next(request_rounds(slots, planners, True), [])
            for slot in first:
                slot.is_due = False
            missing = merge_requests([slot for slot in first if not slot.done])
            if tried := next((each for each in missing if isinstance(each, MultiSampleRequest)), None):
                self._bundled([tried], ask)

    def _complete(self, kind: str, slots: Sequence[PendingRequest], ask: AskModel) -> None:
        """Have requests answered, several in one where the server does that.

        Neighbours begin alike: a small cache still has what they share.
        """
        slots = sorted(slots, key=lambda slot: text_of_prompt(slot.request.args[0]))
        if self.accepts_n and kind == GENERATE:
            self._bundled(merge_requests(slots), ask)
        missing = [slot for slot in slots if not slot.done]
        kept = sum(slot.time is not None for slot in self._slots if slot.is_due)
        if missing and self.reseed is not None and kept:
            self.reseed(kept)
            self.reseed = None
        size = self.slice_size or max(len(missing), 1)
        for start in range(0, len(missing), size):
            self._ask(kind, missing[start : start + size], ask)

    def _bundled(self, slots: Sequence[PendingRequest], ask: AskModel) -> None:
        """Ask for several answers in one request; a server that refuses, or gives fewer, is not again."""
        self.bundled = True
        try:
            self._ask(GENERATE, slots, ask)
        except StoppedError:
            if self.accepts_n:
                raise
        finally:
            self.bundled = False
        self.accepts_n = all(part.done for slot in slots for part in slot.parts)

    def add_partial(self, kind: str, arguments: Sequence[Any], answer: Any) -> None:
        """Keep an answer as soon as a model has it (lm_eval's hook).

        Some models hand over generation settings that they completed. Their prompt and seed still say which
        request it was; where they do not, the answer is kept at the end of the call.
        """
        slot = self._slot(kind, arguments)
        if slot is None:
            return
        try:
            self.budget.count(slot.request.args, answer)
            slot.take(self._whole(slot.request, answer))
        except PolbiasError as error:
            raise CacheWriteError(error) from None

    def _whole(self, request: Any, answer: Any) -> Any:
        """An answer that knows its thought, without secrets of this run."""
        if isinstance(answer, MultipleAnswers):
            return MultipleAnswers([self._whole(request, text) for text in answer.texts])
        if not isinstance(answer, str):
            return answer
        about = redact(getattr(answer, "metadata", {}))
        cut = (
            self.reasons and about.get("finish_reason") in LENGTH_FINISH_REASONS and "reasoning" not in about
        )
        whole = attach_reasoning(
            text_of_prompt(request.args[0]), redact_secrets(str(answer)), self.think_end, cut
        )
        said = about | getattr(whole, "metadata", {})
        return Response(whole, said) if said else whole

    def _slot(self, kind: str, arguments: Sequence[Any]) -> PendingRequest | None:
        """The request that an answer is to, None where that cannot be told."""
        waiting = self._waiting.get(request_key(kind, tuple(arguments)))
        if waiting:
            return waiting.popleft()
        if kind != GENERATE:
            return None
        prompt, settings = arguments[0], arguments[1]
        alike = [
            slot
            for slot in self._by_prompt.get(text_of_prompt(prompt), ())
            if not slot.done and slot.request.args[1].get("seed") == settings.get("seed")
        ]
        return alike[0] if len({slot.key for slot in alike}) == 1 else None

    def _ask(self, kind: str, slots: Sequence[PendingRequest], ask: AskModel) -> None:
        if not slots:
            return
        self._waiting, self._by_prompt = {}, {}
        for slot in slots:
            self._waiting.setdefault(slot.key, deque()).append(slot)
            self._by_prompt.setdefault(text_of_prompt(slot.request.args[0]), []).append(slot)
        parts = [part for slot in slots for part in slot.parts]
        before = self.tally.n_sent
        try:
            self.budget.check()
            found = ask([slot.request for slot in slots])
            for slot, answer in zip(slots, found, strict=True):
                if not slot.done:
                    self.budget.count(slot.request.args, answer)
                slot.take(self._whole(slot.request, answer))
                slot.done = True
        except CacheWriteError as stop:
            raise stop.error from None
        except (Exception, RequestRejected) as error:
            _log.debug("the model stopped answering", exc_info=True)
            raise self._stopped(error) from error
        finally:
            self.tally.n_sent = before + sum(part.done for part in parts)
            self.tally.sent += sum(slot.done for slot in slots)

    def _stopped(self, error: BaseException) -> PolbiasError:
        if isinstance(error, PolbiasError):
            return error
        total, left = len(self._slots), sum(not slot.done for slot in self._slots)
        most = "" if all(slot.is_due for slot in self._slots) else "at most "
        progress = f"after {total - left:,} of {most}{total:,} requests"
        if isinstance(error, BudgetExceededError):
            return StoppedError(
                f"{error} {progress}; {self.resume} with a larger one; {most}{left:,} are missing"
            )
        if isinstance(error, RequestRejected):  # the same command would be refused again
            return StoppedError(f"the model stopped {progress}: {redact_message(error, max_length=_LONGEST)}")
        reason, replies = redact_message(error) or "no reason given", self.faults.replies
        if replies and replies[-1] == reason:
            cause = f"the server fails: {reason}"
        else:
            reply = f"; the server said: {redact_message(replies[-1])}" if replies else ""
            cause = f"{type(error).__name__}: {reason}{reply}"
        return StoppedError(
            f"the model stopped {progress} ({cause}); {self.resume}; {most}{left:,} are missing"
        )


def _answer(kept: Any) -> Any:
    """An answer as it was kept: a text with or without what was said beside it, or likelihoods."""
    if not isinstance(kept, Mapping):
        return kept
    if "likelihood" in kept:
        return Likelihood(tuple(kept["likelihood"]), kept.get("usage", {}))
    return Response(kept["text"], {name: kept[name] for name in kept if name != "text"})
