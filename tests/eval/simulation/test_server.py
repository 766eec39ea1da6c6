"""The server: what it recognises, what it says, and that nothing brings it down."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from polbias.errors import BuildError, InputError
from polbias.eval.simulation import make_respondent
from polbias.eval.simulation.prompt_index import PromptIndex, build_prompt_index
from polbias.eval.simulation.server import MAX_BODY, OpenAIProtocol, SimulationServer
from tests.eval.simulation import rows as tables
from tests.support.builds import write_build
from tests.support.drawn import simulate

WHO = make_respondent("planted", effect=0.4)
ARGUMENTS, STATEMENTS, CHOICES = tables.arguments(), tables.statements(), tables.choices()


@pytest.fixture(scope="module")
def protocol() -> OpenAIProtocol:
    known = PromptIndex(WHO)
    for rows in (ARGUMENTS, STATEMENTS, CHOICES):
        known.add(pa.Table.from_pylist(rows))
    known.add(pa.table({"lexicon": ["no question"], "prompt": ["Abgabe / Steuer"]}))
    known.check()
    return OpenAIProtocol(known, "simulated")


@pytest.fixture(scope="module")
def server(protocol: OpenAIProtocol) -> Iterator[SimulationServer]:
    with SimulationServer(protocol) as running:
        yield running


def post(server: SimulationServer, path: str, body: Any) -> tuple[int, Any]:
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=10)
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with closing(connection):
        connection.request("POST", path, data, {"Content-Type": "application/json"})
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())


def chat(server: SimulationServer, turns: Any, **settings: Any) -> list[str]:
    messages = turns if isinstance(turns, list) else [{"role": "user", "content": turns}]
    status, reply = post(server, "/v1/chat/completions", {"model": "m", "messages": messages, **settings})
    assert status == 200, reply
    return [choice["message"]["content"] for choice in reply["choices"]]


def test_it_says_what_the_respondent_says_to_a_row(server: SimulationServer) -> None:
    expected = simulate(ARGUMENTS, WHO, limit=2048)
    for row, text in zip(ARGUMENTS[:40], expected, strict=False):
        assert chat(server, row["prompt"], temperature=0, max_tokens=2048, seed=1234) == [text]
        status, reply = post(
            server, "/v1/completions", {"prompt": row["prompt"], "temperature": 0, "max_tokens": 2048}
        )
        assert (status, reply["choices"][0]["text"]) == (200, text)


def test_turns_in_one_or_in_several_and_a_beginning_of_the_answer(server: SimulationServer) -> None:
    row, text = STATEMENTS[5], simulate(STATEMENTS, WHO)[5]
    assert chat(server, row["messages"], temperature=0) == [text]
    assert chat(server, row["prompt"], temperature=0) == [text]
    parts = [{"role": "user", "content": [{"type": "text", "text": row["prompt"]}]}]
    assert chat(server, parts, temperature=0) == [text]
    system = {"role": "system", "content": "You are helpful."}
    assert chat(
        server, [system, {"role": "user", "content": ARGUMENTS[0]["prompt"]}], temperature=0
    ) == simulate(ARGUMENTS[:1], WHO)
    choice = CHOICES[3]
    prefilled = [
        {"role": "user", "content": choice["prompt"]},
        {"role": "assistant", "content": choice["prefill"]},
    ]
    assert chat(server, prefilled, temperature=0) == simulate(CHOICES, WHO)[3:4]
    text_of_both = f"{choice['prompt']} {choice['prefill']}"
    _, reply = post(server, "/v1/completions", {"prompt": text_of_both, "temperature": 0, "max_tokens": 10})
    assert reply["choices"][0]["text"] == simulate(CHOICES, WHO, limit=10)[3]


def test_samples_go_by_seed_and_without_one_by_their_order(server: SimulationServer) -> None:
    prompt = STATEMENTS[0]["prompt"]
    expected = [simulate(STATEMENTS[:1], WHO, sample=sample)[0] for sample in range(12)]
    assert len({*expected}) > 3
    assert [chat(server, prompt, temperature=1.0, seed=sample)[0] for sample in range(12)] == expected
    assert [chat(server, prompt, temperature=1.0)[0] for _ in range(12)] == expected
    assert chat(server, prompt, temperature=1.0, seed=2, n=5) == expected[2:7]
    assert {*chat(server, prompt, temperature=0, n=5)} == {expected[0]}


def test_limits_and_stop_strings(server: SimulationServer) -> None:
    echo = PromptIndex(make_respondent("echo"))
    echo.add(pa.Table.from_pylist(ARGUMENTS))
    prompt = ARGUMENTS[0]["prompt"]
    with SimulationServer(OpenAIProtocol(echo, "echo")) as repeating:
        body = {"messages": [{"role": "user", "content": prompt}], "max_tokens": 4, "temperature": 0}
        _, reply = post(repeating, "/v1/chat/completions", body)
        assert reply["choices"][0]["message"]["content"] == prompt[:12]
        assert reply["choices"][0]["finish_reason"] == "length"
        assert chat(repeating, prompt, stop=["in praise"], temperature=0) == [prompt.split("in praise")[0]]


@pytest.mark.parametrize("as_tokens", [False, True])
def test_loglikelihoods_of_labels_after_a_prompt(server: SimulationServer, as_tokens: bool) -> None:
    import math

    sums = []
    for continuation in (": **valid**", ": **invalid**"):
        text = ARGUMENTS[1]["prompt"] + continuation
        prompt = list(text.encode()) if as_tokens else text
        body = {"prompt": prompt, "echo": True, "logprobs": 1, "max_tokens": 1, "temperature": 0}
        status, reply = post(server, "/v1/completions", body)
        assert status == 200
        found = reply["choices"][0]["logprobs"]
        assert len(found["tokens"]) == len(text.encode()) + 1
        sums.append(math.exp(sum(found["token_logprobs"][len(ARGUMENTS[1]["prompt"]) : -1])))
    assert sum(sums) == pytest.approx(0.95)


@pytest.mark.parametrize(
    ("path", "body", "status", "found"),
    [
        (
            "/v1/chat/completions",
            {"messages": [{"role": "user", "content": "What is new?"}]},
            400,
            "unknown prompt",
        ),
        ("/v1/chat/completions", {"messages": "hello"}, 400, "expected a list"),
        ("/v1/chat/completions", {"messages": [], "stream": True}, 400, "stream"),
        ("/v1/chat/completions", {"messages": [], "max_tokens": -1}, 400, "max_tokens"),
        ("/v1/chat/completions", {"messages": [], "n": 1000}, 400, "at most"),
        ("/v1/chat/completions", {"messages": [], "seed": "x"}, 400, "seed"),
        ("/v1/completions", {"prompt": "Abgabe / Steuer"}, 400, "unknown prompt"),
        ("/v1/completions", {"prompt": [70_000]}, 400, "tokenizer_backend"),
        ("/v1/completions", {"prompt": "What is new? valid", "echo": True}, 400, "unknown prompt"),
        ("/v1/completions", b"{", 400, "not JSON"),
        ("/v1/completions", b"[]", 400, "expected an object"),
        ("/v1/embeddings", {}, 404, "no such call"),
    ],
)
def test_what_cannot_be_answered_gets_a_clear_error(
    server: SimulationServer, path: str, body: Any, status: int, found: str
) -> None:
    got, reply = post(server, path, body)
    assert got == status
    assert found in reply["error"]["message"]


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"POST /tokenize HTTP/1.1\r\nContent-Length: many\r\n\r\n", 400),
        (b"POST /tokenize HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nnot a size\r\n", 400),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * (1 << 17) + b"\r\n\r\n", 400),
    ],
)
def test_what_is_no_request_is_refused_and_the_server_goes_on(
    server: SimulationServer, sent: bytes, status: int
) -> None:
    with socket.create_connection(("127.0.0.1", urlsplit(server.url).port), timeout=10) as client:
        client.sendall(sent)
        assert client.recv(100).split()[1] == str(status).encode()
    with socket.create_connection(("127.0.0.1", urlsplit(server.url).port), timeout=10) as client:
        client.sendall(b"POST /tokenize HTTP/1.1\r\nContent-Length: 100\r\n\r\n{")  # and goes away
    assert len(chat(server, ARGUMENTS[0]["prompt"])) == 1


def test_a_body_that_is_too_large_is_refused(server: SimulationServer) -> None:
    status, reply = post(server, "/tokenize", b" " * (MAX_BODY + 1))
    assert status == 413
    assert str(MAX_BODY) in reply["error"]["message"]


def test_thirty_two_clients_at_once_get_their_own_answers(server: SimulationServer) -> None:
    expected = simulate(ARGUMENTS, WHO)
    with ThreadPoolExecutor(32) as pool:
        found = list(pool.map(lambda row: chat(server, row["prompt"], temperature=0)[0], ARGUMENTS))
    assert found == expected


def test_a_taken_port_is_reported(server: SimulationServer, protocol: OpenAIProtocol) -> None:
    port = urlsplit(server.url).port or 0
    with pytest.raises(InputError, match=f"--port {port}"), SimulationServer(protocol, port):
        pass


def test_all_builds_and_further_files_are_read(tmp_path: Path) -> None:
    write_build(
        tmp_path / "builds",
        "partisan-inference",
        {"en_formal": ARGUMENTS, "en_formal_paper": [{**row, "gold": "invalid"} for row in ARGUMENTS]},
    )
    write_build(tmp_path / "builds", "policy-statements", {"all": STATEMENTS})
    pq.write_table(pa.Table.from_pylist(CHOICES), tmp_path / "choices.parquet")
    known = build_prompt_index(
        tmp_path / "builds", make_respondent("perfect"), files=[tmp_path / "choices.parquet"]
    )
    prefilled = [f"{row['prompt']} {row['prefill']}" for row in CHOICES]
    assert len(known) == len({row["prompt"] for row in (*ARGUMENTS, *STATEMENTS, *CHOICES)} | {*prefilled})
    found = known.find(ARGUMENTS[0]["prompt"])
    assert found is not None
    assert found[0].draw_texts(rows=found[1:] and pa.array([found[1]]).to_numpy()) == simulate(
        ARGUMENTS[:1], make_respondent("perfect")
    )
    only = build_prompt_index(tmp_path / "builds", WHO, datasets=["policy-statements"])
    assert len(only) == len(STATEMENTS)


def test_what_cannot_be_read_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no prompt"):
        build_prompt_index(tmp_path, WHO)
    with pytest.raises(BuildError, match="polbias build xphemism-pairs"):
        build_prompt_index(tmp_path, WHO, datasets=["xphemism-pairs"])
    (tmp_path / "rows.jsonl").write_text('{"a": 1}\n', "utf-8")
    with pytest.raises(InputError, match="the columns of an instrument"):
        build_prompt_index(tmp_path, WHO, files=[tmp_path / "rows.jsonl"])
    write_build(tmp_path, "partisan-inference", {"en_formal": ARGUMENTS})
    with pytest.raises(InputError, match="sd of topic"):
        build_prompt_index(tmp_path, make_respondent("coin", intercept_sd={"topic": 1.0}))
    path = tmp_path / "partisan-inference" / "en_formal" / "test-00000.parquet"
    path.write_bytes(b"no parquet")
    with pytest.raises(BuildError, match="cannot be read"):
        build_prompt_index(tmp_path, WHO)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"prompt": None}, "row 1: prompt: found nothing"),
        ({"gold": "yes"}, "gold: found 'yes', expected one of"),
    ],
)
def test_rows_with_an_odd_value_are_named(changed: dict[str, Any], told: str, tmp_path: Path) -> None:
    row = {"prompt": "p", "gold": "entailment", "pattern": "DS", "content_type": "congruent"}
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in (row, row | changed)), "utf-8")
    with pytest.raises(InputError, match=rf"rows\.jsonl: {told}"):
        build_prompt_index(tmp_path, WHO, files=[path])
