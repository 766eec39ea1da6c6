"""What answers took, and a run that stops when its budget is spent."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from polbias.errors import InputError
from polbias.lm_eval_runner.answer_cache import StoppedError
from polbias.lm_eval_runner.budget import Budget, BudgetExceededError
from polbias.models.prices import Price
from polbias.responses import Response
from tests.lm_eval_runner.conftest import chat
from tests.support.openai_server import LoopbackOpenAI

Evaluate = Callable[..., Any]
MINI = "polbias_en_formal_mini"
ROWS = 48


def said(text: str, sent: int, received: int) -> Response:
    return Response(text, {"usage": {"input_tokens": sent, "output_tokens": received}})


def test_what_the_server_says_counts_and_what_it_does_not_is_estimated() -> None:
    budget = Budget(max_cost=1, price=Price(1e6, 2e5, "USD", "given"))
    budget.count(("x" * 400, {}), said("a", 0, 2))
    assert (budget.used.tokens_in, budget.used.tokens_out, budget.used.n_estimated) == (0, 2, 0)
    assert not budget.is_spent  # 0.4
    budget.count(("x" * 4, {}), "y" * 4, is_cached=True)
    budget.count(("x" * 4, "label 1 "), (-0.5, True), is_cached=True)
    assert (budget.from_cache.tokens_in, budget.from_cache.tokens_out, budget.from_cache.n_estimated) == (
        4,
        2,
        2,
    )
    with pytest.raises(BudgetExceededError):
        budget.check()


def test_a_cost_needs_a_price() -> None:
    with pytest.raises(InputError, match="--max-cost"):
        Budget(max_cost=1)


@pytest.mark.parametrize(
    ("at_once", "options"),
    [(1, ("--max-tokens", "1000")), (4, ("--max-cost", "1", "--price", "1000/1000"))],
)
def test_a_run_stops_with_its_budget_and_goes_on_with_a_larger_one(
    evaluate: Evaluate, at_once: int, options: tuple[str, ...]
) -> None:
    with LoopbackOpenAI(lambda _: "It is valid.", latency=0.01) as server:
        asked = [*chat(server.url, num_concurrent=at_once), "--tasks", MINI]
        done = evaluate(*asked, *options)
        assert isinstance(done.exception, StoppedError)
        first = server.count
        assert 0 < first < ROWS
        assert f"after {first} of {ROWS} requests" in str(done.exception)  # all that was under way is kept
        assert f"{ROWS - first} are missing" in str(done.exception)
        again = evaluate(*asked, *options)
        assert isinstance(again.exception, StoppedError)
        assert server.count == first  # what is on file counts
        rest = evaluate(*asked, "--max-tokens", "1000000")
        assert rest.exception is None, rest.output
        assert server.count == ROWS
    assert {*re.findall(r"tokens (of requests|from cache): [\d,]+ in", rest.output)} == {
        "of requests",
        "from cache",
    }


def test_a_model_in_this_process_stops_between_calls(evaluate: Evaluate) -> None:
    asked = ["--model", "dummy", "--tasks", "polbias_en_formal", "--limit", "200"]
    done = evaluate(*asked, "--max-tokens", "100")
    assert isinstance(done.exception, StoppedError)
    assert "after 64 of 200 requests" in str(done.exception)
    assert evaluate(*asked).exception is None


def test_likelihoods_count_too(evaluate: Evaluate) -> None:
    with LoopbackOpenAI(lambda _: "**valid**", labels=("**valid**", "**invalid**")) as server:
        where = f"model=stub,base_url={server.url}/v1/completions,tokenizer_backend=remote,max_length=100000"
        asked = ["--model", "local-completions", "--model_args", where]
        done = evaluate(*asked, "--tasks", f"{MINI}_loglikelihood", "--max-tokens", "2000")
        assert isinstance(done.exception, StoppedError), done.output
        assert 0 < server.count < 2 * ROWS
