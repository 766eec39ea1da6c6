"""Probabilities of labels over a chat API: of first tokens, and of sampled answers where these tell too little."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from lm_eval.api.instance import Instance

from polbias.lm_eval_runner.answer_cache import AnswerCache, StoppedError
from polbias.lm_eval_runner.likelihoods import MIN_LABEL_MASS, N_SAMPLES, label_probabilities
from polbias.lm_eval_runner.requests import MultipleAnswers
from polbias.models.cache import AnswerStore
from polbias.responses import Response
from tests.lm_eval_runner.conftest import Evaluate, chat, results_of, samples_of
from tests.support.openai_server import LoopbackOpenAI

LABELS = ("agree", "disagree")
TASK = "polbias_policy_stance_de_loglikelihood"


@pytest.mark.parametrize(
    ("top", "found"),
    [
        ({"agree": 0.6, " dis": 0.3, "Agree": 0.05}, [0.65, 0.3]),
        ({"**": 0.5, "D": 0.2, "▁ag": 0.3}, [0.3, 0.2]),
        ({"I": 0.9, "agreement": 0.1}, [0.0, 0.0]),
        ({}, [0.0, 0.0]),
    ],
)
def test_a_token_counts_for_the_label_that_alone_begins_with_it(
    top: dict[str, float], found: list[float]
) -> None:
    told = {token: math.log(share) for token, share in top.items()}
    assert label_probabilities(LABELS, told) == pytest.approx(found)
    assert label_probabilities(("I agree", "I disagree"), {"I": 0.0}) == [0.0, 0.0]


def requests(prompts: int) -> list[Instance]:
    return [
        Instance("loglikelihood", {"id": place}, (f"prompt {place}", f" {label}"), idx, ("t", place, 1))
        for place in range(prompts)
        for idx, label in enumerate(LABELS)
    ]


class Model:
    """Is sure of every second prompt; agrees with probability .8, or twelve times of thirty."""

    def __init__(self, survives: int = 10**6, silent: bool = False) -> None:
        self.answer_cache: AnswerCache | None = None
        self.left, self.silent = survives, silent
        self.asked: list[tuple[str, Any]] = []

    def __call__(self, batch: list[Instance]) -> list[str]:
        assert batch  # lm_eval takes no empty ones
        found = []
        for request in batch:
            if not self.left:
                raise ConnectionError("gone")
            self.left -= 1
            prompt, given = request.args
            self.asked.append((prompt, given.get("seed")))
            answer: str = MultipleAnswers(
                ["agree" if each < 12 else "disagree" for each in range(given.get("n", 1))]
            )
            if "top_logprobs" in given:
                rest = 0.0 if int(prompt.split()[1]) % 2 else 1 - MIN_LABEL_MASS + 0.02
                shares = {"ag": 0.8 - rest, "Dis": 0.2, "I": rest + 1e-9}
                told = {} if self.silent else {name: math.log(share) for name, share in shares.items()}
                answer = Response("agree", {"top_logprobs": told})
            found.append(answer)
            self.answer_cache.add_partial("generate_until", request.args, answer)
        return found


def run(model: Model, store: AnswerStore) -> list[tuple[float, bool]]:
    def read(doc: Any, texts: list[str]) -> list[float]:
        return [texts.count(label) / len(texts) for label in LABELS]

    model.answer_cache = AnswerCache({"t": store}, readers={"t": read}, accepts_n=None)
    return model.answer_cache.labels(requests(6), model)


@pytest.mark.parametrize("survives", [0, 1, 4, 6, 8])
def test_what_labels_leave_open_is_sampled_and_nothing_is_asked_twice(survives: int) -> None:
    store, first, second = AnswerStore(None), Model(survives), Model()
    with pytest.raises(StoppedError):
        run(first, store)
    found = run(second, store)
    kept = [each for each in first.asked if int(each[0].split()[1]) % 2 or each[1] is not None]
    assert not {*kept} & {*second.asked}
    shares = [math.exp(each) for each, _ in found]
    assert shares == pytest.approx([0.4, 0.6, 0.8, 0.2] * 3)
    assert [greedy for _, greedy in found] == [False, True, True, False] * 3
    model = Model(0)
    assert run(model, store) == found


def test_a_server_without_probabilities_is_refused_at_once() -> None:
    model = Model(silent=True)
    with pytest.raises(StoppedError):
        run(model, AnswerStore(None))
    assert len(model.asked) == 1


class Server(LoopbackOpenAI):
    """A chat that tells the likeliest first tokens."""

    def _chat(self, body: dict[str, Any]) -> dict[str, object]:
        made: dict[str, Any] = super()._chat(body)
        if body.get("logprobs"):
            sure = len(self.bodies) % 2
            top = [
                {"token": "agree", "logprob": math.log(0.7 if sure else 0.2)},
                {"token": "dis", "logprob": math.log(0.27)},
            ]
            for choice in made["choices"]:
                choice["logprobs"] = {"content": [{**top[0], "top_logprobs": top}]}
        return made


@pytest.mark.e2e
def test_a_chat_scores_labels(evaluate: Evaluate) -> None:
    with Server(lambda _: "agree") as server:
        done = evaluate(*chat(server.url, num_concurrent=1), "--tasks", TASK, family="policy")
        assert done.exception is None, done.output
        first = [body for body in server.bodies if body.get("logprobs")]
        others = [body for body in server.bodies if not body.get("logprobs")]
        assert {(body["max_tokens"], body["top_logprobs"]) for body in first} == {(1, 20)}
        assert len(first) == 6
        assert {body["n"] for body in others} == {N_SAMPLES}
        shares = []
        for each in samples_of(Path(), TASK):
            agreement = each["filtered_resps"][each["doc"]["label_order"] != "as-printed"]
            shares.append(math.exp(float(agreement[0])))
        assert sorted(shares) == pytest.approx([0.7] * 3 + [1.0] * 3)
        assert len(others) == 3
        refused = evaluate(*chat(server.url), "--tasks", "polbias_en_formal_mini_loglikelihood")
        assert refused.exception is not None
    assert 0.9 < results_of(Path())["results"][TASK]["label_mass,none"] <= 1
