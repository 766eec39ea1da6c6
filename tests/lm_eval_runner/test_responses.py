"""Responses without a text: N questions give N outcomes, and a second run asks nothing."""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lm_eval.models.openai_completions import LocalCompletionsAPI

from polbias.errors import PolbiasError
from polbias.eval.answers import extract_validity
from polbias.lm_eval_runner.responses import ResponseError, metadata_of_texts, with_logprobs, with_texts
from polbias.responses import CUT_OFF, REFUSED_BY_PROVIDER
from tests.lm_eval_runner.conftest import Evaluate, samples_of
from tests.support.loopback import LoopbackServer, Reply, Request

MINI = "polbias_en_formal_mini"
SAID = "The argument is **valid**."
OUT = Path("polbias-results")


def message(reason: str, *blocks: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of a response of the Anthropic API."""
    return {"type": "message", "role": "assistant", "model": "m", "content": [*blocks], "stop_reason": reason}


def chat(reason: str, **fields: Any) -> dict[str, Any]:
    """Return the body of a response of an OpenAI-compatible chat API."""
    said = {"role": "assistant", **fields}
    return {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": said, "finish_reason": reason}],
        "usage": {},
    }


def completion(reason: str, text: str | None) -> dict[str, Any]:
    """Return the body of a response of an OpenAI-compatible API without chats."""
    return {"object": "text_completion", "choices": [{"index": 0, "text": text, "finish_reason": reason}]}


TEXT = {"type": "text", "text": SAID}
THOUGHT = {"type": "thinking", "thinking": "It looks invalid.", "signature": "x"}
HIDDEN = {"type": "redacted_thinking", "data": "x"}
# Bodies by model, each with the text that is kept and the outcome that it is.
BODIES: Mapping[str, Sequence[tuple[dict[str, Any], str, str]]] = {
    "anthropic-chat-completions": [
        (message("refusal"), REFUSED_BY_PROVIDER, "refusal"),
        (message("refusal", {"type": "text", "text": "The argument is"}), REFUSED_BY_PROVIDER, "refusal"),
        (message("end_turn", THOUGHT, TEXT), SAID, "valid"),
        (message("max_tokens", THOUGHT), CUT_OFF, "truncated"),
        (message("end_turn", HIDDEN, THOUGHT), "", "unparsable"),
        (message("end_turn"), "", "unparsable"),
        (message("pause_turn", THOUGHT), "", "unparsable"),
        (
            message("end_turn", {"type": "text", "text": "The argument "}, TEXT),
            f"The argument {SAID}",
            "valid",
        ),
        (message("max_tokens", {"type": "text", "text": "The argument"}), "The argument", "truncated"),
    ],
    "local-chat-completions": [
        (chat("content_filter", content=None), REFUSED_BY_PROVIDER, "refusal"),
        (chat("content_filter", content="The argument is"), REFUSED_BY_PROVIDER, "refusal"),
        (chat("content_filter"), REFUSED_BY_PROVIDER, "refusal"),
        (chat("stop", content=None, refusal="I can't."), REFUSED_BY_PROVIDER, "refusal"),
        (chat("length", content=None, reasoning_content="It looks valid."), CUT_OFF, "truncated"),
        (chat("length", content=""), CUT_OFF, "truncated"),
        (chat("stop", content=None), "", "unparsable"),
        (chat("stop", content=[{"type": "text", "text": SAID}]), SAID, "valid"),
        (chat("tool_calls", content=None, tool_calls=[{"id": "1", "type": "function"}]), "", "unparsable"),
        (chat("stop", content=SAID, reasoning="It looks invalid."), SAID, "valid"),
        (chat("stop", content=SAID, refusal=None), SAID, "valid"),
    ],
    "local-completions": [
        (completion("content_filter", ""), REFUSED_BY_PROVIDER, "refusal"),
        (completion("length", None), CUT_OFF, "truncated"),
        (completion("stop", SAID), SAID, "valid"),
        (completion("stop", None), "", "unparsable"),
    ],
}


class Provider(LoopbackServer):
    """Sends some bodies in turn, and keeps what it was asked."""

    def __init__(self, bodies: Sequence[Mapping[str, Any]]) -> None:
        super().__init__()
        self.asked: list[dict[str, Any]] = []
        self._bodies = bodies

    def respond(self, request: Request) -> Reply:
        """Return the next body."""
        if request.method == "GET":  # a tokenizer, of which there is none
            return Reply.json({}, 404)
        self.asked.append(request.json())
        return Reply.json(self._bodies[(len(self.asked) - 1) % len(self._bodies)])


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("model", "concurrent"), [*((model, 4) for model in BODIES), ("local-chat-completions", 1)]
)
def test_a_response_without_a_text_is_an_outcome_and_loses_no_run(
    evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch, model: str, concurrent: int
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    bodies = BODIES[model]
    with Provider([body for body, _, _ in bodies]) as server:
        told = f"model=m,base_url={server.url}/v1,num_concurrent={concurrent},max_retries=1"
        if model == "local-completions":
            told += ",tokenizer_backend=None,tokenized_requests=False"
        options = ["--model", model, "--model_args", told, "--tasks", MINI, "--limit", str(len(bodies))]
        first = evaluate(*options)
        assert first.exception is None, first.output
        assert len(server.asked) == len(bodies)
        samples = samples_of(OUT, MINI)
        again = evaluate(*options)
        assert len(server.asked) == len(bodies)
    assert f"requests: 0 sent, {len(bodies)} answered" in again.stdout, again.output
    assert [each["filtered_resps"] for each in samples_of(OUT, MINI)] == [
        each["filtered_resps"] for each in samples
    ]
    for logged in (samples, samples_of(OUT, MINI)):  # asked, and from file
        reasons = [each["polbias"][0]["finish_reason"] for each in logged]
        assert Counter(reasons) == Counter(
            metadata_of_texts(body)[0]["finish_reason"] for body, _, _ in bodies
        )
    assert Counter(each["filtered_resps"][0] for each in samples) == Counter(text for _, text, _ in bodies)
    outcomes = {text: outcome for _, text, outcome in bodies}
    for each in samples:
        outcome = outcomes[each["filtered_resps"][0]]
        for name in ("refusal", "truncated", "unparsable"):
            value = each[name]
            assert (value[0] if isinstance(value, list) else value) == (name == outcome), (
                each["filtered_resps"],
                name,
            )
    for body in server.asked:
        assert "stop" not in body
        assert "stop_sequences" not in body


@pytest.mark.parametrize(
    ("body", "text"), [(body, text) for each in BODIES.values() for body, text, _ in each]
)
def test_every_body_has_one_text(body: dict[str, Any], text: str) -> None:
    (found,) = with_texts([body])
    said = found.get("content") or [
        {"text": each["message"]["content"] if "message" in each else each["text"]}
        for each in found["choices"]
    ]
    assert [each["text"] for each in said] == [text]
    assert with_texts(found) == found or text == REFUSED_BY_PROVIDER


def test_what_is_said_beside_a_text_is_kept() -> None:
    thinking = message("end_turn", THOUGHT, TEXT) | {"usage": {"input_tokens": 9, "output_tokens": 40}}
    answered = chat("length", content=None, reasoning_content="It looks valid.")
    answered["usage"] = {
        "prompt_tokens": 7, "completion_tokens": 32, "completion_tokens_details": {"reasoning_tokens": 30},
    }  # fmt: skip
    assert metadata_of_texts([thinking, answered, completion("stop", SAID)]) == [
        {
            "finish_reason": "end_turn",
            "reasoning": "It looks invalid.",
            "usage": {"input_tokens": 9, "output_tokens": 40},
        },
        {
            "finish_reason": "length",
            "reasoning": "It looks valid.",
            "usage": {"input_tokens": 7, "output_tokens": 32, "reasoning_tokens": 30},
        },
        {"finish_reason": "stop"},
    ]


ODD = st.sampled_from([None, 0, 1.5, True, "text", [], {}, [None], [{}], {"type": "text"}, [["nested"]]])


# A prompt of three tokens, two of them the context, and the token that was generated.
SCORED = {
    "choices": [
        {
            "index": 0,
            "text": "ab c d",
            "finish_reason": "length",
            "logprobs": {
                "tokens": ["a", "b", " c", " d"],
                "token_logprobs": [None, -2.5, -0.25, -1.0],
                "top_logprobs": [None, {"x": -0.5, "b": -2.5}, {" c": -0.25}, {" d": -1.0}],
            },
        }
    ]
}


@st.composite
def mutated(draw: st.DrawFn, bodies: Sequence[Any]) -> Any:
    """A body in which something is missing, null, nested or of another type."""
    body = copy.deepcopy(draw(st.sampled_from(bodies)))
    for _ in range(draw(st.integers(1, 3))):
        place: Any = body
        while True:
            keys = [*range(len(place))] if isinstance(place, list) else [*place]
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if isinstance(place[key], dict | list) and draw(st.booleans()):
                place = place[key]
            elif draw(st.booleans()):
                place[key] = copy.deepcopy(draw(ODD))
                break
            else:
                del place[key]
                break
    return body


def test_likelihoods_are_those_of_the_continuation() -> None:
    assert LocalCompletionsAPI.parse_logprobs(with_logprobs([SCORED], [2]), ctxlens=[2]) == [(-0.25, True)]


@pytest.mark.parametrize("contexts", [[3], [4], [2, 2]])
def test_a_prompt_that_is_not_echoed_whole_has_no_likelihood(contexts: list[int]) -> None:
    with pytest.raises(ResponseError, match="of the response: found list, expected"):
        with_logprobs([SCORED], contexts)


@given(mutated([SCORED]))
def test_whatever_a_server_says_of_likelihoods_is_one_or_one_clear_error(body: Any) -> None:
    try:
        found = with_logprobs([body], [2])
    except ResponseError as error:
        told = str(error)
    else:
        ((likelihood, _),) = LocalCompletionsAPI.parse_logprobs(found, ctxlens=[2])
        told = "" if isinstance(likelihood, int | float) else "no number"
    assert not told or re.search("of the response: found .* expected", told)


@given(mutated([body for each in BODIES.values() for body, _, _ in each]))
def test_whatever_a_server_sends_is_an_outcome_or_one_clear_error(body: Any) -> None:
    try:
        (found,) = with_texts([body])
    except ResponseError as error:
        told = str(error)
    else:
        told = ""
    if told:
        assert re.search("of the response: found .* expected|answered with an error", told)
        return
    texts = found.get("content") if isinstance(found.get("content"), list) else found["choices"]
    said = metadata_of_texts(found)
    assert len(said) == (1 if texts is found.get("content") else len(texts))
    for each in texts:
        text = each["message"]["content"] if "message" in each else each["text"]
        assert isinstance(text, str)
        assert extract_validity(text, "en").label in {"valid", "invalid", "refusal", "unparsable"}


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"error": {"message": "overloaded, key sk-1234567890abcdefghij"}}, "the server fails: overloaded"),
        ({"choices": []}, "choices of the response: found list, expected"),
        ([], "body of the response: found list"),
        (message("end_turn", TEXT), "choices of the response: found nothing, expected"),
        ("<html>", "body of the response: found str"),
        ({"choices": [{"index": 0, "message": "valid"}]}, r"choices\[0\].message of the response: found str"),
    ],
)
def test_a_response_of_another_shape_stops_the_run_with_its_field(
    evaluate: Evaluate, body: Any, told: str
) -> None:
    with Provider([chat("stop", content=SAID), body]) as server:
        arguments = f"model=m,base_url={server.url}/v1/chat/completions,max_retries=1,num_concurrent=1"
        options = ["--model", "local-chat-completions", "--model_args", arguments, "--tasks", MINI]
        done = evaluate(*options, "--limit", "4")
    assert isinstance(done.exception, PolbiasError), done.output
    assert re.search(told, str(done.exception))
    assert "sk-1234567890" not in str(done.exception)
    assert "after 1 of 4 requests" in str(done.exception)
