"""Answers on file: a model that is asked only for what is not there."""

from __future__ import annotations

import json
import logging
import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from polbias.aliases import Document, Json
from polbias.eval.answers.text import LIMITS, NOT_ASKED, Response, continued
from polbias.files import PolbiasError, write_text
from polbias.lm_eval_runner.budget import Budget, Gate, SpentError
from polbias.lm_eval_runner.likelihoods import Labels, sampled
from polbias.lm_eval_runner.requests import (
    ASKED,
    GENERATE,
    Bundle,
    Planner,
    Refused,
    Several,
    Slot,
    bundles,
    request_key,
    rounds,
    text_of_prompt,
)
from polbias.lm_eval_runner.responses import (
    ResponseError,
    beside,
    odd,
    with_logprobs,
    with_texts,
    without_empty_stops,
)
from polbias.models.cache import Store, digest
from polbias.models.chat import scrub

_IDENTITY = "identity.json"


def write_identity(folder: Path, identity: Document) -> None:
    """Say beside the databases, for a person, which model their answers are from."""
    path = folder / _IDENTITY
    if path.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(identity, indent=1, ensure_ascii=False, default=str) + "\n")


# Ask a model only for what is not on file, and keep each answer as it comes.

_log = logging.getLogger("polbias.lm_eval_runner")

Ask = Callable[[list[Any]], Sequence[Any]]
Reader = Callable[[Document, Sequence[str]], Sequence[float]]


class Unkept(BaseException):
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
class Tally:
    """How many requests of a run were answered, and how.

    Args:
        kept: answered from file.
        asked: answered by the model.
        sent: requests that took, fewer where one was given several answers.
        not_asked: never asked for.
        oldest: when the oldest of the kept answers was given, in seconds since 1970.
    """

    kept: int = 0
    asked: int = 0
    sent: int = 0
    not_asked: int = 0
    oldest: float | None = None


@dataclass
class Memory:
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
        faults: what the server replied when it failed; another one fills it.
        think_end: what ends the thoughts of a model in this process, which are kept beside its answer.
        planners: by task, for those that are not asked everything.
        readers: by task, for those whose labels a chat may be asked for: what share of answers is each label.
        several: whether a request may be given several answers; None if that is to be found out.
        reasons: whether the model was told to think: a server may keep to itself that its template opened a
            thought, and an answer that was cut off without a sign of one is taken for it.
    """

    stores: Mapping[str, Store]
    slice_size: int = 0
    reseed: Callable[[int], None] | None = None
    resume: str = "run the same command again"
    tally: Tally = field(default_factory=Tally)
    budget: Budget = field(default_factory=Budget)
    faults: Sequence[str] = ()
    think_end: str | None = None
    reasons: bool = False
    planners: Mapping[str, Planner] = field(default_factory=dict)
    readers: Mapping[str, Reader] = field(default_factory=dict)
    several: bool | None = False
    bundled: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._waiting: dict[str, deque[Slot]] = {}
        self._by_prompt: dict[str, list[Slot]] = {}
        self._slots: list[Slot] = []

    def answer(self, kind: str, requests: Sequence[Any], ask: Ask) -> list[Any]:
        """Return the answers to requests, in their order; in place of those never asked for what says so."""
        self._slots = [*self._on_file(kind, requests)]
        planners = self.planners if kind == GENERATE else {}
        if kind == GENERATE and self.several is None:
            self._find_out(self._slots, planners, ask)
        for batch in rounds(self._slots, planners, bool(self.several)):
            self._complete(kind, [slot for slot in batch if not slot.done], ask)
        answered = [slot for slot in self._slots if slot.wanted]
        self.tally.not_asked += len(self._slots) - len(answered)
        times = [slot.time for slot in answered if slot.time is not None]
        self.tally.kept += len(times)
        self.tally.oldest = min(filter(None, (*times, self.tally.oldest)), default=None)
        return [slot.answer if slot.wanted else NOT_ASKED for slot in self._slots]

    def labels(self, requests: Sequence[Any], ask: Ask) -> list[Any]:
        """Return the log-likelihoods of labels, from a model that only writes; `ask` has it write."""
        slots = [*self._on_file("loglikelihood", requests)]
        self.tally.kept += sum(slot.done for slot in slots)
        by_row: dict[tuple[str, int], list[Slot]] = {}
        for slot in slots:
            by_row.setdefault((slot.request.task_name, slot.request.doc_id), []).append(slot)
        asked = [Labels(row) for row in by_row.values() if not all(slot.done for slot in row)]
        self._slots = [*asked]
        self._ask(GENERATE, self._slots, ask)
        unsure = [each for each in asked if not each.parts[0].done]
        drawn = [sampled(each.request) for each in unsure]
        texts = iter(self.answer(GENERATE, [request for row in drawn for request in row], ask))
        for each, row in zip(unsure, drawn, strict=True):
            read = self.readers[each.request.task_name]
            each.keep(read(each.request.doc, [next(texts) for _ in row]))
        return [slot.answer for slot in slots]

    def _on_file(self, kind: str, requests: Sequence[Any]) -> Iterator[Slot]:
        seen: Counter[tuple[str, str]] = Counter()
        for request in requests:
            store, key = self.stores[request.task_name], request_key(kind, request.args)
            occurrence = seen[request.task_name, key]
            seen[request.task_name, key] += 1
            found = store.get(key, occurrence)
            if found is None:
                yield Slot(request, store, key, occurrence)
            else:
                answer = _answer(found[0])
                self.budget.count(request.args, answer, kept=True)
                yield Slot(request, store, key, occurrence, answer, True, time=found[1])

    def _find_out(self, slots: Sequence[Slot], planners: Mapping[str, Planner], ask: Ask) -> None:
        """Find out whether a request is given several answers: from what is on file, else by one.

        A plan hangs on it. It is therefore taken from the answers on file where there are any.
        """
        kept = [slot for slot in slots if slot.done]
        if any(getattr(slot.answer, "about", {}).get("index") for slot in kept):
            self.several = True
        elif any(slot.request.task_name in planners for slot in kept):
            self.several = False
        else:
            first = next(rounds(slots, planners, True), [])
            for slot in first:
                slot.wanted = False
            missing = bundles([slot for slot in first if not slot.done])
            if tried := next((each for each in missing if isinstance(each, Bundle)), None):
                self._bundled([tried], ask)

    def _complete(self, kind: str, slots: Sequence[Slot], ask: Ask) -> None:
        """Have requests answered, several in one where the server does that.

        Neighbours begin alike: a small cache still has what they share.
        """
        slots = sorted(slots, key=lambda slot: text_of_prompt(slot.request.args[0]))
        if self.several and kind == GENERATE:
            self._bundled(bundles(slots), ask)
        missing = [slot for slot in slots if not slot.done]
        kept = sum(slot.time is not None for slot in self._slots if slot.wanted)
        if missing and self.reseed is not None and kept:
            self.reseed(kept)
            self.reseed = None
        size = self.slice_size or max(len(missing), 1)
        for start in range(0, len(missing), size):
            self._ask(kind, missing[start : start + size], ask)

    def _bundled(self, slots: Sequence[Slot], ask: Ask) -> None:
        """Ask for several answers in one request; a server that refuses, or gives fewer, is not again."""
        self.bundled = True
        try:
            self._ask(GENERATE, slots, ask)
        except StoppedError:
            if self.several:
                raise
        finally:
            self.bundled = False
        self.several = all(part.done for slot in slots for part in slot.parts)

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
            raise Unkept(error) from None

    def _whole(self, request: Any, answer: Any) -> Any:
        """An answer that knows its thought."""
        if isinstance(answer, Several):
            return Several([self._whole(request, text) for text in answer.texts])
        if not isinstance(answer, str):
            return answer
        about = getattr(answer, "about", {})
        cut = self.reasons and about.get("finish_reason") in LIMITS and "reasoning" not in about
        whole = continued(text_of_prompt(request.args[0]), answer, self.think_end, cut)
        said = about | getattr(whole, "about", {})
        return Response(whole, said) if said else whole

    def _slot(self, kind: str, arguments: Sequence[Any]) -> Slot | None:
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

    def _ask(self, kind: str, slots: Sequence[Slot], ask: Ask) -> None:
        if not slots:
            return
        self._waiting, self._by_prompt = {}, {}
        for slot in slots:
            self._waiting.setdefault(slot.key, deque()).append(slot)
            self._by_prompt.setdefault(text_of_prompt(slot.request.args[0]), []).append(slot)
        parts = [part for slot in slots for part in slot.parts]
        before = self.tally.asked
        try:
            self.budget.check()
            found = ask([slot.request for slot in slots])
            for slot, answer in zip(slots, found, strict=True):
                if not slot.done:
                    self.budget.count(slot.request.args, answer)
                slot.take(self._whole(slot.request, answer))
                slot.done = True
        except Unkept as stop:
            raise stop.error from None
        except (Exception, Refused) as error:
            _log.debug("the model stopped answering", exc_info=True)
            raise self._stopped(error) from error
        finally:
            self.tally.asked = before + sum(part.done for part in parts)
            self.tally.sent += sum(slot.done for slot in slots)

    def _stopped(self, error: BaseException) -> PolbiasError:
        if isinstance(error, PolbiasError):
            return error
        final = isinstance(error, Refused)  # its message has what was said to this request
        said = f"; the server said: {scrub(self.faults[-1])}" if self.faults and not final else ""
        total, left = len(self._slots), sum(not slot.done for slot in self._slots)
        most = "" if all(slot.wanted for slot in self._slots) else "at most "
        if isinstance(error, SpentError):
            return StoppedError(
                f"{error} after {total - left:,} of {most}{total:,} requests; "
                f"{self.resume} with a larger one; {most}{left:,} are missing"
            )
        return StoppedError(
            f"the model stopped after {total - left:,} of {most}{total:,} requests ({type(error).__name__}: "
            f"{scrub(error) or 'no reason given'}{said}); {self.resume}; "
            f"{most}{left:,} are missing"
        )


def _answer(kept: Any) -> Any:
    """An answer as it was kept: a text with or without what was said beside it, or likelihoods."""
    if not isinstance(kept, Mapping):
        return kept
    return Response(kept["text"], {name: kept[name] for name in kept if name not in ("text", ASKED)})


def remembering(kind: Any) -> Any:
    """Return a subclass of a model of lm_eval that answers from its attribute ``memory`` what it can.

    A request that an API refuses for good (a wrong key, an unknown model, a prompt that is too long) is not
    sent again and again, as lm_eval would. Every response gives one answer, also one without a text.
    """
    from lm_eval.models.api_models import TemplateAPI
    from lm_eval.models.openai_completions import LocalChatCompletion

    class Remembering(kind):  # type: ignore[misc]
        memory: Memory

        def generate_until(self, requests: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
            model = super().generate_until
            return self.memory.answer(GENERATE, requests, lambda some: model(some, *args, **kwargs))

        def loglikelihood(self, requests: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
            model = super().loglikelihood
            return self.memory.answer("loglikelihood", requests, lambda some: model(some, *args, **kwargs))

    class RememberingLocal(Remembering):
        def generate_until(self, requests: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
            end = getattr(self, "think_end_token", None)
            if isinstance(end, str) and not any(request.args[1].get("until") for request in requests):
                # lm_eval would drop the thoughts, and with them what shows that they were cut off
                self.memory.think_end, self.think_end_token = end, None
            try:
                return super().generate_until(requests, *args, **kwargs)
            finally:
                self.think_end_token = end

    class RememberingApi(Remembering):
        def _create_payload(self, *args: Any, **kwargs: Any) -> Json:
            return without_empty_stops(super()._create_payload(*args, **kwargs))

        def parse_generations(self, outputs: Any, **kwargs: Any) -> Any:
            texts = super().parse_generations(outputs=with_texts(outputs), **kwargs)
            said = beside(outputs)
            if len(said) != len(texts):
                return texts
            answers = [Response(text, about) for text, about in zip(texts, said, strict=True)]
            return [Several(answers)] if self.memory.bundled else answers

        def parse_logprobs(self, outputs: Any, *args: Any, **kwargs: Any) -> Any:
            found = with_logprobs(outputs, kwargs["ctxlens"])
            return super().parse_logprobs(found, *args, **kwargs)

        def model_call(self, *args: Any, **kwargs: Any) -> Any:
            self.memory.budget.check()
            try:
                return super().model_call(*args, **kwargs)
            except Exception as error:
                raise _final(error, self.memory.faults) or error from None

        async def amodel_call(self, session: Any, sem: Any, messages: Any, **kwargs: Any) -> Any:
            gate = Gate(sem, self.memory.budget)
            try:
                return await super().amodel_call(session, gate, messages, **kwargs)
            except Exception as error:
                raise _final(error, self.memory.faults) or error from None

    class RememberingChat(RememberingApi):
        def loglikelihood(self, requests: list[Any], *_: Any, **__: Any) -> list[Any]:
            return self.memory.labels(requests, lambda some: kind.generate_until(self, some))

    made = RememberingApi if issubclass(kind, TemplateAPI) else RememberingLocal
    made = RememberingChat if issubclass(kind, LocalChatCompletion) else made
    made.__name__ = kind.__name__
    return made


_TRY_AGAIN = (408, 409, 425, 429)


def _final(error: Exception, faults: Sequence[str]) -> Refused | ResponseError | None:
    """What an error of a client says, with what the server has just said; None if it says it itself."""
    if type(error).__name__ in ("JSONDecodeError", "ContentTypeError"):
        return odd("body", "", "an object of JSON")
    response = getattr(error, "response", None)
    status = getattr(error, "status", None) or getattr(response, "status_code", None)
    if isinstance(status, int) and 400 <= status < 500 and status not in _TRY_AGAIN:
        reason = getattr(error, "message", None) or getattr(response, "reason", None) or "refused"
        said = f": {faults[-1]}" if faults else ""
        return Refused(f"{status} {reason}{said}")
    return None


# What an answer depends on beside its request: the model, its address and arguments, and the task's data.

SECRET = frozenset({"auth_token", "header", "token", "api_key"})
"""Arguments that are nobody's business."""

# Arguments that say how fast or how patiently a model is asked, not what it answers.
_INDIFFERENT = SECRET | frozenset(
    {
        *("num_concurrent", "max_retries", "timeout", "max_images", "verify_certificate", "ca_cert_path"),
        *("batch_size", "max_batch_size", "device", "device_map", "parallelize", "offload_folder"),
        *("max_memory_per_gpu", "max_cpu_memory", "gpus", "cache_dir", "data_parallel_size"),
        *("gpu_memory_utilization", "swap_space", "disable_log_stats"),
    }
)
_SLUG = re.compile(r"[^A-Za-z0-9._]+")


def model_identity(config: Any) -> Json:
    """Return what identifies a model."""
    arguments = {key: value for key, value in config.model_args.items() if key not in _INDIFFERENT}
    files = {key: found for key, value in arguments.items() if (found := _files(value))}
    return {
        "model": config.model,
        "model_args": arguments,
        "files": files,
        "commit": _commit(arguments),
        "seed": config.seed,
    }


def task_identity(task: Any) -> Json:
    """Return what identifies the questions of a task: its version, its data and their revision."""
    metadata = task.config.metadata or {}
    return {
        "task": task.config.task,
        "version": metadata.get("version"),
        "data": dict(task.config.dataset_kwargs or {}),
        "source": metadata.get("polbias_source") or metadata.get("polbias_stage2"),
    }


def slug(identity: Document) -> str:
    """Return a name for a folder that a person recognises: the model's name, and the hash."""
    arguments = identity["model_args"]
    name = arguments.get("pretrained") or arguments.get("model") or identity["model"]
    return f"{_SLUG.sub('-', str(name)).strip('-')[-60:]}-{digest(identity)}"


def without_secrets(arguments: Document) -> Json:
    """Return model arguments as they may be written down."""
    return {key: "[hidden]" if key in SECRET else value for key, value in arguments.items()}


def _files(value: Any) -> str | None:
    """A hash of names, sizes and times of what lies in a local folder, None if the value names none."""
    if not isinstance(value, str) or not value or not (folder := Path(value)).is_dir():
        return None
    found = sorted((path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in folder.iterdir())
    return digest({"folder": str(folder.resolve()), "files": found})


def _commit(arguments: Document) -> str | None:
    """The commit of a model of the Hub that lies in the local cache."""
    name = arguments.get("pretrained")
    if not isinstance(name, str) or Path(name).is_dir():
        return None
    from huggingface_hub import try_to_load_from_cache

    try:
        found = try_to_load_from_cache(name, "config.json", revision=arguments.get("revision") or "main")
    except ValueError:  # not a name of the Hub
        return None
    return Path(found).parent.name if isinstance(found, str) else None
