"""Asking that stops: nothing is asked twice, and a run that broke off ends as one that did not."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lm_eval.api.instance import Instance

from polbias.eval.policy import section
from polbias.eval.policy.prompts import respondent_prompts
from polbias.eval.policy.tasks import SamplingPlanner
from polbias.eval.policy.units import group_statements
from polbias.generators.engine import TableRows
from polbias.lm_eval_runner.answer_cache import AnswerCache, StoppedError
from polbias.lm_eval_runner.requests import MultipleAnswers, RequestRejected
from polbias.models.cache import AnswerStore
from polbias.responses import NOT_REQUESTED
from tests.lm_eval_runner.conftest import Evaluate, chat, results_of, samples_of
from tests.support.builds import write_build
from tests.support.loopback import HttpError
from tests.support.openai_server import LoopbackOpenAI
from tests.support.outcomes import outcomes

ROWS, ANSWERS = 36, 30
TASK = "polbias_policy_stance_de"


@lru_cache(maxsize=1)
def documents() -> list[dict[str, Any]]:
    """A statement with three instructions, in all wordings and orders."""
    from polbias.generators.policy.tables import dataset

    spec = next(spec for spec in dataset().tables if spec.config == "de")
    return [row for batch in TableRows(spec).batches(0, ROWS) for row in batch.to_pylist()]


def said(doc: dict[str, Any], seed: int) -> str:
    """An answer: of the three instructions one is answered as the statement is meant, one always with yes."""
    drawn = random.Random(f"{doc['id']} {seed}").random()
    turned = doc["variant"] in ("negation", "opposite")
    agrees = {"p1-agree": 0.97 * (not turned) + 0.015, "p2-beneficial": 0.98}.get(doc["instruction_id"], 0.5)
    return doc["label_agree" if drawn < agrees else "label_disagree"]


def requests() -> list[Instance]:
    return [
        Instance(
            "generate_until", doc, (doc["id"], {"temperature": 1.0, "seed": seed}), seed, (TASK, place, 1)
        )
        for place, doc in enumerate(documents())
        for seed in range(ANSWERS)
    ]


class Model:
    """Answers by prompt and seed, tells its hook, may give one answer only or refuse to give more, and die."""

    def __init__(self, server: str, survives: int = 10**6) -> None:
        self.server, self.left = server, survives
        self.asked: list[tuple[str, int]] = []
        self.sent = 0
        self.answer_cache: AnswerCache | None = None

    def __call__(self, batch: Sequence[Instance]) -> list[str]:
        assert batch  # lm_eval takes no empty ones
        order = [*enumerate(batch)]
        random.Random(len(batch)).shuffle(order)
        answers: dict[int, str] = {}
        for place, request in order:
            prompt, given = request.args
            if "n" in given and self.server == "refuses":
                raise RequestRejected("400 n: unknown")
            if not self.left:
                raise ConnectionError("gone")
            self.left -= 1
            self.sent += 1
            number = given.get("n", 1) if self.server == "gives several" else 1
            texts = [said(request.doc, given["seed"] + each) for each in range(number)]
            self.asked += [(prompt, given["seed"] + each) for each in range(number)]
            answers[place] = MultipleAnswers(texts) if self.answer_cache.is_multi_sample else texts[0]
            self.answer_cache.add_partial("generate_until", request.args, answers[place])
        return [answers[place] for place in range(len(batch))]


def run(model: Model, store: AnswerStore, rule: float | None) -> list[str]:
    planners = (
        {} if rule is None else {TASK: lambda docs, several: SamplingPlanner(docs, ANSWERS, rule, several)}
    )
    model.answer_cache = AnswerCache({TASK: store}, planners=planners, accepts_n=None)
    return model.answer_cache.answer("generate_until", requests(), model)


@lru_cache
def whole(server: str, rule: float | None) -> tuple[list[str], int, int]:
    model = Model(server)
    return run(model, AnswerStore(None), rule), len(model.asked), model.sent


SERVERS = ("gives several", "ignores", "refuses")


@pytest.mark.parametrize("server", SERVERS)
@settings(max_examples=5, deadline=None)
@given(survives=st.integers(0, 400), rule=st.sampled_from([0.0, 0.005]))
def test_a_run_killed_anywhere_asks_nothing_twice_and_ends_alike(
    server: str, survives: int, rule: float
) -> None:
    expected, number, _ = whole(server, rule)
    store, models = AnswerStore(None), [Model(server, survives), Model(server)]
    try:
        first = run(models[0], store, rule)
    except StoppedError:
        first = None
    assert run(models[1], store, rule) == expected
    assert first in (None, expected)
    asked = models[0].asked + models[1].asked
    assert len({*asked}) == len(asked) == number
    assert models[1].answer_cache.tally.n_cached == len(models[0].asked)
    assert (
        models[1].answer_cache.tally.not_requested == expected.count(NOT_REQUESTED) == ROWS * ANSWERS - number
    )


@pytest.mark.parametrize("server", SERVERS)
def test_stopping_saves_answers_and_changes_no_decision(server: str) -> None:

    def decided(answers: Sequence[str]) -> list[float]:
        rows = [answers[place : place + ANSWERS] for place in range(0, len(answers), ANSWERS)]
        assert all(row[0] != NOT_REQUESTED for row in rows)
        samples = [{"doc": doc, "filtered_resps": row} for doc, row in zip(documents(), rows, strict=True)]
        return (
            group_statements(respondent_prompts(outcomes(section, samples, TASK))).expected_stances().tolist()
        )

    every, number, sent = whole(server, None)
    assert (number, NOT_REQUESTED in every) == (ROWS * ANSWERS, False)
    assert sent == (ROWS if server == "gives several" else ROWS * ANSWERS)
    stopped, fewer, requests_sent = whole(server, 0.0)
    assert decided(stopped) == decided(every) == [1.0, 0.0, 0.0]
    assert fewer < number / 2
    assert requests_sent <= (60 if server == "gives several" else fewer)
    assert {one for one, all_ in zip(stopped, every, strict=True) if one != all_} == {NOT_REQUESTED}


def test_a_kept_run_of_all_answers_is_not_asked_again() -> None:
    store, model = AnswerStore(None), Model("gives several")
    run(Model("gives several"), store, None)
    assert run(model, store, 0.0) == whole("gives several", 0.0)[0]
    assert model.sent == 0


@pytest.fixture(scope="module")
def policy_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("policy")
    write_build(folder, "policy-statements", {"de": documents()})
    return folder


class Server(LoopbackOpenAI):
    """A server that gives several answers to a request, or refuses to."""

    def __init__(self, several: bool) -> None:
        super().__init__(lambda _: None)
        self._several = several
        self._docs = {str([turn["content"] for turn in doc["messages"]]): doc for doc in documents()}

    def _chat(self, body: dict[str, Any]) -> dict[str, object]:
        if "n" in body and not self._several:
            raise HttpError(400, "n: extra fields not permitted")
        doc = self._docs[str([turn["content"] for turn in body["messages"]])]
        seeds = iter(range(body["seed"], body["seed"] + body.get("n", 1)))
        self._answer = lambda _: said(doc, next(seeds))
        return super()._chat(body)


@pytest.mark.e2e
def test_a_run_of_several_answers_a_request(evaluate: Evaluate) -> None:
    found = {}
    for several, rule in ((True, "exact"), (False, "exact"), (True, "none")):
        with Server(several) as server:
            more = ["--stopping-rule", rule, "--no-cache", "--output_path", f"{several}-{rule}"]
            done = evaluate(*chat(server.url, num_concurrent=1), "--tasks", TASK, *more, family="policy")
            assert done.exception is None, done.output
            found[several, rule] = results_of(Path(f"{several}-{rule}"))
            logged = samples_of(Path(f"{several}-{rule}"), TASK)
            spared = json.dumps([sample["filtered_resps"] for sample in logged]).count(NOT_REQUESTED)
            assert spared == found[several, rule]["polbias"].get("not_requested", 0)
            asked = sum(body.get("n", 1) for body in server.bodies)
            assert asked == ROWS * ANSWERS - spared
            assert len(server.bodies) == ROWS or rule == "exact"
    passed = [each["results"][TASK]["pass_all,none"] for each in found.values()]
    assert passed == pytest.approx([1 / 3] * 3)
    alone = [each["results"][TASK]["pass_negation,none"] for each in found.values()]
    assert alone[:2] == [None, None]
    assert alone[2] is not None


@pytest.mark.e2e
@pytest.mark.parametrize("rule", ["exact", "none"])
def test_a_server_that_does_not_sample_is_found_out(evaluate: Evaluate, rule: str) -> None:
    class Greedy(Server):
        def _chat(self, body: dict[str, Any]) -> dict[str, object]:
            return super()._chat(body | {"seed": 0, "n": 1})

    with Greedy(several=True) as server:
        done = evaluate(*chat(server.url), "--tasks", TASK, "--stopping-rule", rule, family="policy")
    assert done.exception is None, done.output
    assert f"{TASK}: not sampled" in done.stderr
    results = results_of(Path("polbias-results"))
    assert results["polbias"]["not_sampled"] == [TASK]
    assert {results["results"][TASK][f"{name},none"] for name in ("reliable", "pass_all")} == {None}
