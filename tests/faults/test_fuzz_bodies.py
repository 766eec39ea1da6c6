"""Bodies of responses, rewritten: so many answers as were asked for, or one clear error; no budget shrinks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from polbias.lm_eval_runner.budget import Budget
from polbias.lm_eval_runner.requests import MultipleAnswers
from polbias.lm_eval_runner.responses import (
    ResponseError,
    metadata_of_texts,
    n_answers,
    with_all_answers,
    with_texts,
)
from polbias.lm_eval_runner.server_errors import error_in_answer
from polbias.models.cache import AnswerStore
from polbias.responses import Response
from tests.faults.support.campaign import fuzz, sizes
from tests.faults.support.structures import rewritings

_PROMPT = ("Is it valid?", {})
_USAGE = {"prompt_tokens": 9, "completion_tokens": 8, "completion_tokens_details": {"reasoning_tokens": 3}}


def _choice(index: int, **fields: Any) -> dict[str, Any]:
    return {"index": index, "finish_reason": "stop", **fields}


def _choices(n: int, **fields: Any) -> dict[str, Any]:
    return {"choices": [_choice(index, **fields) for index in range(n)], "usage": _USAGE}


TARGETS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "chat": ({"messages": []}, _choices(1, message={"content": "valid", "reasoning": "Hm."})),
    "several": ({"messages": [], "n": 3}, _choices(3, message={"content": [{"text": "valid"}]})),
    "batch": ({"prompt": ["a", "b"]}, _choices(2, text="valid")),
    "blocks": (
        {"messages": [], "max_tokens": 9},
        {
            "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "valid"}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 9, "output_tokens": 8},
        },
    ),
}


def _answers(body: Any, payload: dict[str, Any]) -> list[Response]:
    in_blocks = "max_tokens" in payload
    body = with_all_answers(body, payload, lambda _kind, _line: None, in_blocks=in_blocks)
    outputs = with_texts(body)
    if not in_blocks:
        assert [choice["index"] for choice in outputs["choices"]] == [*range(len(outputs["choices"]))]
        texts = [
            choice.get("message", {}).get("content", choice.get("text")) for choice in outputs["choices"]
        ]
    else:
        texts = [block["text"] for block in outputs["content"]]
    return [Response(text, about) for text, about in zip(texts, metadata_of_texts(body), strict=True)]


@pytest.mark.parametrize("name", TARGETS)
@sizes
def test_rewritten_bodies(name: str, examples: int) -> None:
    payload, original = TARGETS[name]
    store, budget = AnswerStore(None), Budget(max_tokens=10**9)

    def check(each: Any) -> bool:
        body, before = each.of([original]), (budget.used.tokens_in, budget.used.tokens_out)
        if error_in_answer(body) is not None:
            return False
        try:
            answers = _answers(body, payload)
        except ResponseError:
            return False
        assert 0 < len(answers) <= n_answers(payload)
        assert all(type(str(answer)) is str and answer != "None" for answer in answers)
        budget.count(_PROMPT, MultipleAnswers(answers))
        assert (budget.used.tokens_in, budget.used.tokens_out) >= before
        assert budget.used.tokens_out < 10**13
        for number, answer in enumerate(answers):
            store.write("key", number, {"text": answer, **answer.metadata})
            kept, _ = store.get("key", number) or ({}, 0)
            assert json.dumps(kept["text"]) == json.dumps(answer)
        return True

    fuzz(rewritings(1), check, examples)
    store.close()
