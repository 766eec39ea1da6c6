"""Errors of servers, labelled by a reader who did not know the rules (server_errors.tsv)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.lm_eval_runner.requests import RequestRejected
from polbias.lm_eval_runner.server_errors import ServerError, error_in_answer
from polbias.lm_eval_runner.settings import LIMIT, NEWER_LIMIT, RequestSettings

LABELLED = Path(__file__).parent / "server_errors.tsv"
SENT = {"temperature": 0, "seed": 1, "stop": ["x"], "top_p": 1, LIMIT: 5, "logprobs": True, "n": 2}
# What the rules were made for; the rest ends a run with the server's message.
HANDLED = {"filter": "filter", "room": "room", "system": "system", "passing": "passing"}


def handling(error: ServerError) -> str:
    """What is done about an error, in the order of the client."""
    settings = RequestSettings()
    if error.is_filter:
        return "filter"
    if settings.adapt(SENT, error):
        return "room" if settings.limit_name == NEWER_LIMIT else ",".join(settings.dropped)
    if error.is_about_system_turn:
        return "system"
    return "passing" if error.is_transient else "final"


def test_labelled_errors_are_handled_as_their_kind() -> None:
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    false_filters = []
    for line in LABELLED.read_text("utf-8").splitlines():
        kind, status, field, body = line.split("\t")
        handled = handling(ServerError.parse(int(status), body))
        expected = HANDLED.get(kind, field if kind == "setting" and field in SENT else "final")
        total[kind] += 1
        right[kind] += handled == expected
        if handled == "filter" and kind != "filter":
            false_filters.append(line)
    assert not false_filters
    assert right["filter"] == total["filter"] == 60
    assert total.total() == 221
    assert right.total() >= 210, {kind: (right[kind], total[kind]) for kind in total}


@given(
    st.integers(400, 599),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda of: (
            st.lists(of)
            | st.dictionaries(st.sampled_from(["error", "message", "code", "detail", "loc", "raw", "x"]), of)
        ),
    ),
)
def test_any_body_is_an_error(status: int, content: object) -> None:
    error = ServerError.of(status, content)
    assert isinstance(str(error), str)
    assert "\n" not in error.message
    assert handling(error)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"choices": [{"finish_reason": "stop", "message": {"content": "valid"}}]}, None),
        ({"content": [{"type": "text", "text": "valid"}], "error": None}, None),
        ({"choices": [{"finish_reason": "error", "error": {"code": 502, "message": "x"}}]}, 502),
        ({"choices": [{"finish_reason": "error"}]}, 500),
        ({"error": {"code": 429, "message": "Rate limited upstream"}}, 429),
        ({"error": {"code": "model_not_found", "message": "no such model"}}, 500),
        ({"error": {"code": 404, "message": "no such model"}}, 404),
        ({"error": "overloaded", "choices": []}, 500),
    ],
)  # fmt: skip
def test_an_error_in_a_response_with_status_200_is_no_answer(body: object, status: int | None) -> None:
    error = error_in_answer(body)
    assert (error and error.status) == status


@pytest.mark.parametrize(
    ("requested", "sent", "expected"),
    [
        ({}, {"temperature": 0, "seed": 1, LIMIT: 5}, {"temperature": 0, "seed": 1, LIMIT: 5}),
        ({"temperature": None}, {"temperature": None, "seed": 1}, {"seed": 1}),
        ({"seed": None}, {"seed": 7}, {}),  # also those that a task gives its samples
        ({"max_tokens": None, NEWER_LIMIT: 9}, {LIMIT: None, NEWER_LIMIT: 9, "max_gen_toks": 5}, {NEWER_LIMIT: 9}),
        ({NEWER_LIMIT: 9}, {LIMIT: 5, NEWER_LIMIT: 9}, {NEWER_LIMIT: 9}),
        ({"max_tokens": None}, {LIMIT: None, "max_gen_toks": 5}, {}),
        ({"stop": None}, {"stop": ["x"]}, {}),
        ({"top_p": 0.5}, {"top_p": 0.5, "until": [], "do_sample": True}, {"top_p": 0.5}),
    ],
)  # fmt: skip
def test_null_is_not_sent(requested: dict[str, object], sent: dict[str, object], expected: object) -> None:
    assert RequestSettings(requested).apply({"model": "m", **sent}) == {"model": "m", **expected}  # type: ignore[dict-item]


@pytest.mark.parametrize("stops", [None, [], [None], [""], ""])
def test_no_request_has_an_empty_stop(stops: object) -> None:
    settings = RequestSettings()
    assert settings.apply({"stop": stops, "stop_sequences": stops, "model": "m"}) == {"model": "m"}
    kept = {"stop": ["\n\n", None], "stop_sequences": [None, "Human:"]}
    assert settings.apply(kept) == {"stop": ["\n\n"], "stop_sequences": ["Human:"]}
    assert settings.apply({"stop": "END"}) == {"stop": "END"}
    assert settings.apply({"stop": ["\n\nHuman:"]}, has_stops=False) == {}


def test_what_nobody_asked_for_is_left_out_and_said_once() -> None:
    lines: list[str] = []
    settings = RequestSettings({"top_p": 0.5}, lines.append)
    payload = {"temperature": 0.0, "top_p": 0.5, LIMIT: 5}
    refusal = ServerError.parse(400, '{"error": {"message": "`temperature` is deprecated for this model."}}')
    assert settings.adapt(payload, refusal)
    assert settings.adapt(payload, refusal)  # of a request that was under way
    assert len(lines) == 1
    assert settings.dropped == {"temperature": 0.0}
    assert settings.apply(payload) == {"top_p": 0.5, LIMIT: 5}
    with pytest.raises(RequestRejected, match=r"top_p=0.5.*--gen_kwargs"):
        settings.adapt(
            payload, ServerError.parse(422, '{"detail": [{"loc": ["body", "top_p"], "msg": "no"}]}')
        )
    assert not settings.adapt(payload, ServerError.parse(500, '{"error": {"message": "temperature"}}'))


def test_a_limit_is_renamed_once_and_no_limit_that_is_too_large() -> None:
    settings = RequestSettings()
    unknown = ServerError.parse(
        400, '{"error": {"message": "Unsupported parameter: max_tokens. Use max_completion_tokens instead."}}'
    )
    large = ServerError.parse(
        400, '{"error": {"message": "max_tokens or max_completion_tokens is too large: 9000, at most 4096"}}'
    )
    assert not settings.adapt({LIMIT: 5}, large)
    assert settings.adapt({LIMIT: 5}, unknown)
    assert settings.apply({LIMIT: 5}) == {NEWER_LIMIT: 5}
    assert settings.adapt({LIMIT: 5}, unknown)  # of a request that was under way
    assert not settings.adapt({NEWER_LIMIT: 5}, unknown)
