"""`polbias score`: answers that exist are scored, logged and reported as those of `polbias eval`."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from polbias.errors import InputError
from polbias.eval.report.run_metadata import read_run_metadata
from polbias.eval.samples import find_sample_files
from tests.lm_eval_runner.conftest import Evaluate, chat, results_of, samples_of
from tests.lm_eval_runner.test_prompts import lines, table
from tests.support.loopback import Reply, Request
from tests.support.openai_server import LoopbackOpenAI

MINI = "polbias_en_formal_mini"
MATERIAL = "polbias_en_material_mini"
POLICY = "polbias_policy_stance_de"
THREE = ["--metadata", '{"polbias_samples": 3}']


class Recording(LoopbackOpenAI):
    """A server that keeps the bodies of its responses, by the text of the prompt."""

    def __init__(self, answer: Callable[[str], str | None]) -> None:
        super().__init__(answer)
        self.replies: dict[str, dict[str, Any]] = {}

    def respond(self, request: Request) -> Reply:
        reply = super().respond(request)
        self.replies[json.dumps(request.json()["messages"])] = json.loads(reply.body)
        return reply


def answer(prompt: str) -> str | None:
    """All outcomes: a filter, a cut, a refusal, no verdict, verdicts."""
    kinds = [
        None,
        "word " * 3000,
        "I'm sorry, but I can't help with that.",
        "It depends.",
        "**valid**",
        "**invalid**",
    ]
    return kinds[crc32(prompt.encode()) % len(kinds)]


def write_csv(path: str, rows: Sequence[Mapping[str, Any]]) -> None:
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)))
        writer.writeheader()
        writer.writerows(rows)


def write_lines(path: str, records: Sequence[Any]) -> None:
    Path(path).write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")


def outcomes(samples: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What became of samples, without how they were asked."""
    how = ("arguments", "resps", "filtered_resps", "polbias", "filtered")
    return [{name: value for name, value in sample.items() if name not in how} for sample in samples]


def asked_elsewhere(rows: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Prompts with an answer to each that hangs on its text."""
    return [{**row, "answer": "**valid**" if len(row["prompt"]) % 2 else "**invalid**"} for row in rows]


@pytest.fixture
def prompts(command: Evaluate) -> list[dict[str, str]]:
    """The prompts of a small task, in a file too."""
    done = command("prompts", MINI, "-o", "prompts.csv")
    assert done.exception is None, done.output
    return table(Path("prompts.csv"))


def score(command: Evaluate, *args: str, family: str = "partisan", report: bool = False) -> Any:
    done = command("score", *args, *(() if report else ("--no-report",)), family=family)
    assert done.exception is None, done.output
    return done


def problem(command: Evaluate, *args: str) -> str:
    done = command("score", *args, "-o", "wrong")
    assert isinstance(done.exception, InputError), done.output
    assert not list(Path().glob("wrong/**/results_*"))
    return str(done.exception)


def test_stored_answers_have_the_figures_of_eval(command: Evaluate) -> None:
    with Recording(answer) as server:
        run = command("eval", *chat(server.url), "--tasks", MINI, "--no-report", "--no-cache")
        assert run.exception is None, run.output
    results, samples = results_of(Path("polbias-results")), samples_of(Path("polbias-results"), MINI)
    met = {
        name for name in ("acc", "refusal", "truncated", "unparsable") for each in samples if each[name] == 1
    }
    assert met == {"acc", "refusal", "truncated", "unparsable"}

    command("prompts", MINI, "-o", "p.csv")
    rows = []
    for row in table(Path("p.csv")):
        (choice,) = server.replies[json.dumps([{"role": "user", "content": row["prompt"]}])]["choices"]
        rows.append(
            {"id": row["id"], "reply": choice["message"]["content"], "finish_reason": choice["finish_reason"]}
        )
    write_csv("a.csv", rows[::-1])
    score(command, "a.csv", "--task", MINI, "-o", "table", "--model", "stub", "--answer-column", "reply")

    command("prompts", MINI, "-o", "b.jsonl", "--model", "stub")
    batch = [
        {
            "custom_id": each["custom_id"],
            "response": {"status_code": 200, "body": server.replies[json.dumps(each["body"]["messages"])]},
            "error": None,
        }
        for each in lines(Path("b.jsonl"))
    ]
    write_lines("batch.jsonl", batch)
    score(command, "batch.jsonl", "--task", MINI, "-o", "batch")  # the name is that in the file
    for folder in (Path("table"), Path("batch")):
        assert results_of(folder)["results"] == results["results"]
        assert outcomes(samples_of(folder / "stub", MINI)) == outcomes(samples)
    assert samples_of(Path("batch"), MINI) == samples
    assert results_of(Path("batch"))["config"]["model"] == "score"
    (file,) = find_sample_files([Path("batch")])
    assert (file.respondent, read_run_metadata(file).model_type) == ("stub", "score")

    done = command("compare", "polbias-results/stub", "table/stub", "-o", "compared")
    assert done.exception is None, done.output
    found = json.loads(Path("compared/summary.json").read_text("utf-8"))["comparisons"]
    assert {*met, "acc"} <= {each["measure"] for each in found}
    assert {each["value"] for each in found} == {0}


def test_several_answers_to_a_prompt(command: Evaluate) -> None:
    kinds = {1: "agree", 2: "disagree", 3: "I'd rather not say."}
    with LoopbackOpenAI(lambda prompt: "agree" if len(prompt) % 3 else "disagree") as server:
        options = [*chat(server.url), "--tasks", POLICY, *THREE, "--stopping-rule", "none", "--no-report"]
        run = command("eval", *options, family="policy")
        assert run.exception is None, run.output
    command("prompts", POLICY, "-o", "p.csv", *THREE, family="policy")
    rows = [
        {**row, "answer": "agree" if len(f"{row['system']}\n\n{row['prompt']}") % 3 else "disagree"}
        for row in table(Path("p.csv"))
    ]
    write_csv("numbered.csv", rows[::-1])
    write_csv("repeated.csv", [{name: row[name] for name in ("id", "answer")} for row in rows])
    before = Path("polbias-results")
    for name in ("numbered", "repeated"):
        score(command, f"{name}.csv", "--task", POLICY, *THREE, "-o", name, family="policy")
        assert results_of(Path(name))["results"] == results_of(before)["results"]
        assert outcomes(samples_of(Path(name), POLICY)) == outcomes(samples_of(before, POLICY))

    mixed = [{**row, "answer": kinds[int(row["repeat"])]} for row in rows]
    write_csv("mixed.csv", mixed[::-1])
    score(command, "mixed.csv", *THREE, "-o", "mixed", family="policy")
    assert samples_of(Path("mixed"), POLICY)[0]["filtered_resps"][0] == [*kinds.values()]

    # the second row lacks an answer: it is left out, or all rows have fewer
    del mixed[4]
    write_csv("short.csv", mixed)
    done = score(command, "short.csv", *THREE, "-o", "short", family="policy")
    assert f"too few answers to 1 rows ({mixed[4]['id']})" in done.stdout
    assert [sample["doc_id"] for sample in samples_of(Path("short"), POLICY)] == [0, 2, 3, 4, 5]
    two = ["--metadata", '{"polbias_samples": 2}']
    score(command, "short.csv", *two, "-o", "two", family="policy")
    answers = [sample["filtered_resps"][0] for sample in samples_of(Path("two"), POLICY)]
    assert answers == [["agree", "disagree"], ["agree", "I'd rather not say."], *[["agree", "disagree"]] * 4]


def test_rows_without_an_answer_are_missing_and_told(
    command: Evaluate, prompts: list[dict[str, str]], no_figures: None
) -> None:
    rows = asked_elsewhere(prompts)
    rows[0]["answer"], rows[5]["answer"] = "", "  "
    write_csv("a.csv", rows[:44])
    done = score(command, "a.csv", "-o", "run", "--model", "org/name", report=True)
    assert f"{MINI}: answers to 42 of 48 rows" in done.stdout
    assert (
        f"no answer to 6 rows ({rows[0]['id']}, {rows[5]['id']}, {rows[44]['id']} and 3 more)" in done.stdout
    )
    folder = Path("run/org__name")
    assert results_of(folder)["n-samples"] == {MINI: {"original": 48, "effective": 42}}
    logged = [(sample["doc_id"], sample["doc"]["id"]) for sample in samples_of(folder, MINI)]
    assert logged == [(number, rows[number]["id"]) for number in range(44) if number not in (0, 5)]
    page = (folder / "report" / "report.html").read_text("utf-8")
    assert "42 of 48 rows" in page
    assert "--limit" not in page


def test_a_file_of_several_tasks(command: Evaluate) -> None:
    command("prompts", MINI, MATERIAL, "-o", "p.csv")
    rows = asked_elsewhere(table(Path("p.csv")))
    write_csv("a.csv", rows)
    score(command, "a.csv", "-o", "run")
    assert {*results_of(Path("run"))["results"]} == {MINI, MATERIAL}
    score(command, "a.csv", "--task", "polbias_en_*_mini", "-o", "same")
    assert results_of(Path("same"))["results"] == results_of(Path("run"))["results"]
    write_csv("half.csv", rows[:48])
    done = score(command, "half.csv", "--task", f"{MINI},{MATERIAL}", "-o", "half")
    assert f"{MATERIAL}: answers to 0 of" in done.stdout
    assert {*results_of(Path("half"))["results"]} == {MINI}
    assert f"expected {MATERIAL}" in problem(command, "a.csv", "--task", MATERIAL)

    write_csv("wrong.csv", [*rows, {**rows[0], "task": "polbias_en_frmal"}])
    assert "polbias_en_frmal" in problem(command, "wrong.csv")


def anthropic(custom_id: str, content: list[dict[str, Any]], reason: str) -> dict[str, Any]:
    usage = {"input_tokens": 9, "output_tokens": 4}
    message = {
        "role": "assistant",
        "model": "claude-stub",
        "content": content,
        "stop_reason": reason,
        "usage": usage,
    }
    return {"custom_id": custom_id, "result": {"type": "succeeded", "message": message}}


def test_results_of_an_anthropic_batch(command: Evaluate) -> None:
    command("prompts", MINI, "-o", "b.jsonl", "--format", "anthropic", "--model", "claude-stub")
    ids = [each["custom_id"] for each in lines(Path("b.jsonl"))]
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    thought = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "**valid**"}]
    write_lines(
        "out.jsonl",
        [
            anthropic(ids[0], thought, "end_turn"),
            anthropic(ids[1], [], "refusal"),
            anthropic(ids[2], [], "max_tokens"),
            {"custom_id": ids[3], "result": {"type": "errored", "error": error}},
            {"custom_id": ids[4], "result": {"type": "expired"}},
            *(anthropic(each, [{"type": "text", "text": "**invalid**"}], "end_turn") for each in ids[5:]),
        ],
    )
    done = score(command, "out.jsonl", "--task", MINI, "-o", "run")
    assert "answers to 46 of 48 rows" in done.stdout
    assert "requests that failed: 1 overloaded_error, 1 expired" in done.stdout
    first, second, third, *_ = samples_of(Path("run/claude-stub"), MINI)
    usage = {"input_tokens": 9, "output_tokens": 4}
    assert first["polbias"] == [{"finish_reason": "end_turn", "reasoning": "Hm.", "usage": usage}]
    assert (first["acc"], second["refusal"], third["truncated"]) == (1, 1, 1)


def test_failed_requests_of_an_openai_batch(command: Evaluate) -> None:
    command("prompts", MINI, "-o", "b.jsonl", "--model", "m")
    ids = [each["custom_id"] for each in lines(Path("b.jsonl"))]
    choice = {"index": 0, "message": {"role": "assistant", "content": "**valid**"}, "finish_reason": "stop"}
    answered = [
        {"custom_id": each, "response": {"status_code": 200, "body": {"model": "m", "choices": [choice]}}}
        for each in ids[3:]
    ]
    filtered = {"error": {"code": "content_filter", "message": "The prompt was filtered", "type": None}}
    failed = {"error": {"code": None, "message": "no", "type": "server_error"}}
    write_lines("out.jsonl", answered)
    write_lines(
        "errors.jsonl",
        [
            {"custom_id": ids[0], "response": {"status_code": 400, "body": filtered}, "error": None},
            {"custom_id": ids[1], "response": {"status_code": 500, "body": failed}, "error": None},
            {"custom_id": ids[2], "response": None, "error": {"code": "batch_expired", "message": "late"}},
        ],
    )
    done = score(command, "out.jsonl", "errors.jsonl", "--task", MINI, "-o", "run")
    assert "requests that failed: 1 server_error, 1 batch_expired" in done.stdout
    samples = samples_of(Path("run/m"), MINI)
    assert [sample["doc_id"] for sample in samples] == [0, *range(3, 48)]
    assert samples[0]["refusal"] == 1
    assert samples[0]["polbias"][0]["filtered"] is True


@pytest.mark.parametrize("suffix", [".eval", ".json"])
def test_a_log_of_inspect(command: Evaluate, prompts: list[dict[str, str]], suffix: str) -> None:
    pytest.importorskip("inspect_ai")
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
    from inspect_ai.model import ModelOutput

    rows = asked_elsewhere(prompts)
    spec = EvalSpec(
        created="2026-01-01T00:00:00+00:00",
        task="mine",
        dataset=EvalDataset(samples=48),
        model="provider/stub",
        config=EvalConfig(),
    )
    found = [
        EvalSample(
            id=row["id"],
            epoch=1,
            input=row["prompt"],
            target="",
            output=ModelOutput.from_content("stub", row["answer"]),
        )
        for row in rows
    ]
    path = Path(f"log{suffix}").absolute()
    write_eval_log(EvalLog(eval=spec, samples=found, status="success"), str(path))
    score(command, str(path), "--task", MINI, "-o", "run")
    write_csv("a.csv", rows)
    score(command, "a.csv", "-o", "table")
    assert results_of(Path("run/stub"))["results"] == results_of(Path("table"))["results"]


def test_what_cannot_be_scored_is_one_error(command: Evaluate, prompts: list[dict[str, str]]) -> None:
    rows = asked_elsewhere(prompts)
    write_csv("a.csv", rows)
    write_csv("bare.csv", [{"id": row["id"], "answer": row["answer"]} for row in rows])
    assert "none.csv: there is no such file" in problem(command, "none.csv", "--task", MINI)
    assert "did you mean answer?" in problem(command, "a.csv", "--answer-column", "anser")
    assert "--id-column" in problem(command, "a.csv", "--id-column", "row")
    assert "bare.csv: found no task; add --task" in problem(command, "bare.csv")
    assert f"nearest: {MINI}" in problem(command, "bare.csv", "--task", "polbias_en_frmal_mini")
    assert "expected a generation task" in problem(command, "bare.csv", "--task", f"{MINI}_loglikelihood")
    write_csv("empty.csv", [{"id": rows[0]["id"], "answer": ""}])
    assert "no row with all answers" in problem(command, "empty.csv", "--task", MINI)
    assert "repeat: found 'x'" in _problem_in(command, [{**rows[0], "repeat": "x"}])


def test_ids_that_are_unknown_or_twice_are_named(command: Evaluate, prompts: list[dict[str, str]]) -> None:
    rows = asked_elsewhere(prompts)
    unknown = _problem_in(command, [*rows, {**rows[0], "id": "one"}, {**rows[0], "id": "two"}])
    assert re.match(r"2 answers to no row: 'one' \(x\.csv:50\), 'two' \(x\.csv:51\); expected", unknown)
    twice = _problem_in(command, [*rows, rows[7]])
    assert re.match(r"1 answer .* already: '.*' \(x\.csv:50\); expected", twice)
    assert rows[7]["id"] in twice
    numbered = _problem_in(command, [{**rows[0], "repeat": "1"}, {**rows[0], "repeat": "1"}])
    assert "already" in numbered
    # the prompts of another version of a dataset have other ids of requests
    command("prompts", MINI, "-o", "b.jsonl", "--model", "m")
    first = lines(Path("b.jsonl"))[0]["custom_id"]
    changed = first.replace(first.split("-")[1], "0123456789abcdef")
    write_lines("x.jsonl", [anthropic(changed, [{"type": "text", "text": "**valid**"}], "end_turn")])
    assert repr(changed) in problem(command, "x.jsonl", "--task", MINI)


def _problem_in(command: Evaluate, rows: Sequence[Mapping[str, str]]) -> str:
    write_csv("x.csv", rows)
    return problem(command, "x.csv", "--task", MINI)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"custom_id": "1", "method": "POST", "url": "/v1", "body": {}}, "found a request of a batch"),
        ({"custom_id": "1", "params": {"model": "m"}}, "found a request of a batch"),
        ({"custom_id": "1", "response": {"candidates": []}}, "found response of an unknown form"),
        (
            {"custom_id": "1", "response": {"status_code": 200, "body": {"output": []}}},
            "choices of the response",
        ),
        ({"key": "1", "response": {"candidates": []}}, "found no column 'id' among 'key', 'response'"),
    ],
)
def test_batches_of_other_interfaces_are_refused(command: Evaluate, line: Any, told: str) -> None:
    write_lines("x.jsonl", [line])
    assert told in problem(command, "x.jsonl", "--task", MINI)
