"""What a model is asked when some answers are on file."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.errors import InputError
from polbias.lm_eval_runner.answer_cache import AnswerCache, StoppedError
from polbias.lm_eval_runner.budget import RequestRejected
from polbias.lm_eval_runner.requests import request_key
from polbias.models.cache import AnswerStore


@dataclass(frozen=True)
class Request:
    prompt: str
    seed: int | None = None
    task_name: str = "t"

    @property
    def args(self) -> tuple[str, dict[str, int]]:
        return self.prompt, {} if self.seed is None else {"seed": self.seed}


class Model:
    """Answers with a running number; tells its hook in any order, with completed settings, and may die."""

    def __init__(
        self, numbers: Any = None, *, dies_after: int | None = None, completes: bool = False
    ) -> None:
        self.numbers = numbers or count()
        self.asked: list[Request] = []
        self.left, self.completes = dies_after, completes
        self.hook: Callable[..., None] = lambda *_: None

    def __call__(self, requests: Sequence[Request]) -> list[str]:
        answers: dict[int, str] = {}
        order = list(range(len(requests)))
        random.Random(len(requests)).shuffle(order)
        for place in order:
            if self.left == 0:
                raise ConnectionError("gone")
            self.left = None if self.left is None else self.left - 1
            request = requests[place]
            self.asked.append(request)
            answers[place] = f"{request.prompt}{next(self.numbers)}"
            settings = {**request.args[1], "until": ["<end>"]} if self.completes else request.args[1]
            self.hook("generate_until", (request.prompt, settings), answers[place])
        return [answers[place] for place in range(len(requests))]


def run(
    requests: Sequence[Request], model: Model, stores: Mapping[str, AnswerStore], **more: Any
) -> tuple[list[str], AnswerCache]:
    memory = AnswerCache(stores, **more)
    model.hook = memory.add_partial
    return memory.answer("generate_until", requests, model), memory


def count_on_file(requests: Sequence[Request], stores: Mapping[str, AnswerStore]) -> int:
    """Return how many requests have an answer on file, each of equal ones its own."""
    occurrences: Counter[tuple[str, str]] = Counter()
    n_answers = 0
    for request in requests:
        key = request_key("generate_until", request.args)
        n_answers += stores[request.task_name].get(key, occurrences[request.task_name, key]) is not None
        occurrences[request.task_name, key] += 1
    return n_answers


REQUESTS = st.lists(
    st.builds(Request, st.sampled_from("abc"), st.sampled_from([None, 0, 1]), st.sampled_from("tu")),
    max_size=20,
)


@given(REQUESTS, st.integers(0, 20), st.booleans(), st.sampled_from([0, 3]))
def test_a_broken_run_goes_on_and_asks_only_what_is_missing(
    requests: list[Request], survives: int, completes: bool, size: int
) -> None:
    stores = {"t": AnswerStore(None), "u": AnswerStore(None)}
    numbers = count()
    first = Model(numbers, dies_after=survives, completes=completes)
    try:
        before, _ = run(requests, first, stores, slice_size=size)
    except StoppedError:
        before = None
    kept = count_on_file(requests, stores)
    second = Model(numbers, completes=completes)
    answers, memory = run(requests, second, stores, slice_size=size)
    assert (before is None) == (survives < len(requests))
    assert before is None or before == answers
    assert (memory.tally.n_cached, memory.tally.n_answers) == (kept, len(second.asked))
    assert kept + len(second.asked) == len(requests)
    if not completes:  # else an answer whose request is not clear waits for the end of the call
        assert kept == min(survives, len(requests))
    # No sample stands for another: as many answers as requests, each to its own prompt.
    assert len({*answers}) == len(requests)
    assert [answer[0] for answer in answers] == [request.prompt for request in requests]
    again, memory = run(requests, Model(dies_after=0), stores, slice_size=size)
    assert again == answers
    assert memory.tally.n_answers == 0


def test_settings_that_a_model_completed_still_say_which_request_it_was() -> None:
    stores = {"t": AnswerStore(None)}
    requests = [Request("a", 0), Request("a", 1), Request("b"), Request("b")]
    with pytest.raises(StoppedError):
        run(requests, Model(dies_after=3, completes=True), stores)
    assert count_on_file(requests, stores) == 3


def test_one_prompt_with_settings_that_cannot_be_told_apart_waits_for_the_end() -> None:
    @dataclass(frozen=True)
    class Warm(Request):
        temperature: float = 0.0

        @property
        def args(self) -> tuple[str, dict[str, Any]]:
            return self.prompt, {"temperature": self.temperature}

    stores = {"t": AnswerStore(None)}
    requests = [Warm("a", temperature=0.0), Warm("a", temperature=1.0)]
    with pytest.raises(StoppedError):
        run(requests, Model(dies_after=1, completes=True), stores)
    assert count_on_file(requests, stores) == 0
    answers, _ = run(requests, Model(completes=True), stores)
    assert run(requests, Model(dies_after=0), stores)[0] == answers


def test_the_error_says_how_far_it_came_and_what_the_server_said() -> None:
    memory = AnswerCache({"t": AnswerStore(None)}, resume="run the same command again")
    memory.faults.record_reply("quota exceeded for sk-abcdefgh")
    model = Model(dies_after=2)
    model.hook = memory.add_partial
    with pytest.raises(StoppedError) as caught:
        memory.answer("generate_until", [Request("a")] * 5, model)
    told = str(caught.value)
    assert "stopped after 2 of 5 requests (ConnectionError: gone; the server replied: quota exceeded" in told
    assert "run the same command again; 3 are missing" in told
    assert "sk-abcdefgh" not in told
    assert "\n" not in told


def test_a_refusal_of_the_server_ends_the_run_too() -> None:
    def refuses(_: Any) -> list[str]:
        raise RequestRejected("401 Unauthorized")

    with pytest.raises(StoppedError, match="401 Unauthorized"):
        AnswerCache({"t": AnswerStore(None)}).answer("generate_until", [Request("a")], refuses)


def test_an_answer_that_cannot_be_written_down_is_not_paid_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model of lm_eval asks again after any Exception, also one of our own hook."""

    def full(*_: Any) -> None:
        raise InputError("answers.sqlite: cannot be used (disk full)")

    model = Model()

    def patient(requests: Sequence[Request]) -> list[str]:
        for _ in range(3):
            with suppress(Exception):
                return model(requests)
        raise ConnectionError("gave up")

    memory = AnswerCache({"t": AnswerStore(None)})
    model.hook = memory.add_partial
    monkeypatch.setattr(AnswerStore, "write", full)
    with pytest.raises(InputError, match="disk full"):
        memory.answer("generate_until", [Request("a"), Request("b")], patient)
    assert len(model.asked) == 1


def test_a_model_that_samples_gets_another_seed_for_the_rest_only() -> None:
    stores, seeds = {"t": AnswerStore(None)}, []
    with pytest.raises(StoppedError):
        run([Request("a")] * 4, Model(dies_after=3), stores, reseed=seeds.append)
    assert seeds == []
    run([Request("a")] * 4, Model(count(10)), stores, reseed=seeds.append)
    assert seeds == [3]
    run([Request("a")] * 4, Model(dies_after=0), stores, reseed=seeds.append)
    assert seeds == [3]


@given(st.lists(st.text("ab", max_size=3), max_size=12), st.sampled_from([0, 2]))
def test_prompts_that_begin_alike_are_asked_one_after_the_other(prompts: list[str], size: int) -> None:
    handed: list[str] = []

    def model(requests: Sequence[Request]) -> list[str]:
        handed.extend(request.prompt for request in requests)
        return [f"to {request.prompt}" for request in requests]

    answers = AnswerCache({"t": AnswerStore(None)}, size).answer(
        "generate_until", [*map(Request, prompts)], model
    )
    assert handed == sorted(prompts)
    assert answers == [f"to {prompt}" for prompt in prompts]


def test_likelihoods_keep_their_numbers() -> None:
    stores = {"t": AnswerStore(None)}
    memory = AnswerCache(stores)
    found = memory.answer("loglikelihood", [Request("a")], lambda _: [(-0.25, True)])
    again = AnswerCache(stores).answer("loglikelihood", [Request("a")], lambda _: pytest.fail("asked"))
    assert found == again == [(-0.25, True)]
