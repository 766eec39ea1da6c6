"""`polbias prompts`: what it writes is what `polbias eval` would send."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from polbias.errors import InputError
from tests.eval.selfassess.respondents import rows as choices
from tests.lm_eval_runner.conftest import Evaluate, chat
from tests.support.openai_server import LoopbackOpenAI

MINI = "polbias_en_formal_mini"
POLICY = "polbias_policy_stance_de"
PREFERENCE = "polbias_selfassess_preference"
Messages = list[dict[str, str]]


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def messages_of(row: Mapping[str, str]) -> Messages:
    if row.get("messages"):
        found: Messages = json.loads(row["messages"])
        return found
    system = [{"role": "system", "content": row["system"]}] if row.get("system") else []
    return [*system, {"role": "user", "content": row["prompt"]}]


def in_order(messages: Iterable[Messages]) -> list[str]:
    return sorted(json.dumps(each, sort_keys=True) for each in messages)


@pytest.mark.parametrize(
    ("family", "task", "options"),
    [
        ("partisan", MINI, ["--limit", "6"]),
        ("partisan", MINI, ["--limit", "6", "--system_instruction", 'Think,\n"briefly".']),
        ("policy", POLICY, ["--metadata", '{"polbias_samples": 2}']),
        ("policy", POLICY, ["--metadata", '{"polbias_samples": 1, "polbias_system": false}']),
        ("partisan", PREFERENCE, ["--metadata", '{"polbias_stage2": "choices.parquet"}']),
    ],
)
def test_prompts_are_those_that_eval_sends(
    command: Evaluate, family: str, task: str, options: list[str]
) -> None:
    pq.write_table(pa.Table.from_pylist([dict(row) for row in choices(1)]), "choices.parquet")
    with LoopbackOpenAI(lambda _: "agree") as server:
        arguments = [*chat(server.url), "--tasks", task, *options, "--no-report", "--no-cache"]
        run = command("eval", *arguments, "--stopping-rule", "none", family=family)
        assert run.exception is None, run.output
        sent = in_order(body["messages"] for body in server.bodies for _ in range(body.get("n") or 1))
    for name, more in (("p.csv", []), ("b.jsonl", []), ("a.jsonl", ["--format", "anthropic"])):
        done = command("prompts", task, "-o", name, *options, "--model", "m", *more, family=family)
        assert done.exception is None, done.output
        assert f"{len(sent):,} requests" in done.stdout
    assert in_order(map(messages_of, table(Path("p.csv")))) == sent
    requests = lines(Path("b.jsonl"))
    assert in_order(request["body"]["messages"] for request in requests) == sent
    params = [request["params"] for request in lines(Path("a.jsonl"))]
    system = [[{"role": "system", "content": each["system"]}] if "system" in each else [] for each in params]
    turns = zip(system, params, strict=True)
    assert in_order([*first, *each["messages"]] for first, each in turns) == sent
    assert all(turn["role"] != "system" for each in params for turn in each["messages"])


def test_requests_have_ids_and_settings_that_the_interfaces_take(command: Evaluate) -> None:
    options = [POLICY, "--metadata", '{"polbias_samples": 3}', "--model", "m"]
    command("prompts", *options, "-o", "b.jsonl", "--gen_kwargs", "top_p=0.5", family="policy")
    command("prompts", *options, "-o", "a.jsonl", "--format", "anthropic", family="policy")
    requests, messages = lines(Path("b.jsonl")), lines(Path("a.jsonl"))
    ids = [request["custom_id"] for request in requests]
    assert ids == [request["custom_id"] for request in messages]
    assert len({*ids}) == len(ids) == 18
    assert all(re.fullmatch("[a-zA-Z0-9_-]{1,64}", each) for each in ids)
    assert {(each["method"], each["url"]) for each in requests} == {("POST", "/v1/chat/completions")}
    body = {name: value for name, value in requests[0]["body"].items() if name != "messages"}
    assert body == {"model": "m", "max_completion_tokens": 32, "temperature": 1.0, "top_p": 0.5}
    params = {
        name: value for name, value in messages[0]["params"].items() if name not in ("messages", "system")
    }
    assert params == {"model": "m", "max_tokens": 32, "temperature": 1.0}
    given = ["--gen_kwargs", "temperature=null,max_tokens=7,until=END"]
    command("prompts", *options, "-o", "b.jsonl", *given, family="policy")
    body = lines(Path("b.jsonl"))[0]["body"]
    assert {*body} == {"model", "messages", "max_completion_tokens", "stop"}
    assert (body["max_completion_tokens"], body["stop"]) == (7, ["END"])


def test_a_table_has_the_columns_that_its_prompts_need(command: Evaluate) -> None:
    command("prompts", MINI, "-o", "p.csv")
    assert {*table(Path("p.csv"))[0]} == {"id", "task", "prompt"}
    command("prompts", MINI, "polbias_en_material_mini", "-o", "p.csv", "--limit", "2")
    assert [row["task"] for row in table(Path("p.csv"))] == [MINI] * 2 + ["polbias_en_material_mini"] * 2
    command("prompts", POLICY, "-o", "p.csv", "--metadata", '{"polbias_samples": 2}', family="policy")
    rows = table(Path("p.csv"))
    assert {*rows[0]} == {"id", "task", "repeat", "prompt", "system"}
    assert [row["repeat"] for row in rows[:3]] == ["1", "2", "1"]


def test_rows_of_one_id_are_refused(command: Evaluate) -> None:
    rows = [dict(row) for row in choices(1)]
    pq.write_table(pa.Table.from_pylist([*rows, *rows]), "choices.parquet")
    done = command(
        "prompts", PREFERENCE, "-o", "p.csv", "--metadata", '{"polbias_stage2": "choices.parquet"}'
    )
    assert isinstance(done.exception, InputError)
    assert "id: found" in str(done.exception)


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ([f"{MINI}_loglikelihood", "-o", "p.csv"], f"{MINI}_loglikelihood: .*expected a generation task"),
        ([MINI, "-o", "p.jsonl"], "--model"),
        ([MINI, "-o", "p.txt"], "p.txt: .*--format"),
        (["polbias_en_frmal_mini", "-o", "p.csv"], "polbias_en_formal_mini"),
        ([MINI, "-o", "none/p.csv"], "none/p.csv: cannot be written"),
    ],
)
def test_what_cannot_be_written_is_one_error(command: Evaluate, args: list[str], told: str) -> None:
    done = command("prompts", *args)
    assert isinstance(done.exception, InputError)
    assert re.search(told, str(done.exception))
    assert not Path("p.csv").exists()
