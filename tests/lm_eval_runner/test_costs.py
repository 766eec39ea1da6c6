"""What a task asks, and the table of it in the documentation."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from polbias.errors import InputError
from polbias.experiments.self_assessment import ASSUMED_ROWS
from polbias.lm_eval_runner.cost import cost
from polbias.lm_eval_runner.tasks import TaskFile, catalogue
from polbias.lock import read_lock
from polbias.models.tokens import BLOCK
from polbias.paths import checkout_root
from tests.golden.files import check
from tests.support.openai_server import LoopbackOpenAI

TABLE = checkout_root() / "docs" / "tables" / "task-costs.csv"


@pytest.fixture
def tasks() -> Mapping[str, TaskFile]:
    return catalogue().tasks


@pytest.mark.parametrize(
    ("name", "more", "family"),
    [
        ("polbias_en_formal_mini", [], "partisan"),
        ("polbias_de_material", ["--metadata", '{"polbias_shots": 8}', "--limit", "10"], "partisan"),
        ("polbias_policy_stance_de", ["--metadata", '{"polbias_samples": 2}', "--limit", "0.5"], "policy"),
    ],
)
def test_the_estimate_is_what_is_sent(
    evaluate: Callable[..., Any], name: str, more: list[str], family: str, tasks: Mapping[str, TaskFile]
) -> None:
    with LoopbackOpenAI(lambda prompt: "agree") as server:
        arguments = f"model=m,base_url={server.url}/v1/chat/completions"
        evaluate(
            *("--model", "local-chat-completions", "--model_args", arguments, "--tasks", name, *more),
            family=family,
        )
        bodies = server.bodies
    told = evaluate("--cost", "--tasks", name, *more, family=family).stdout
    prompts, requests, tokens_in, tokens_out = (
        int(number.replace(",", "")) for number in re.search(rf"{name}((?: +[\d,]+)+)", told)[1].split()
    )
    # a server that gives several answers to a request is sent fewer, and their prompt once
    answers = [body.get("n", 1) for body in bodies]
    assert (requests, len(bodies)) == (sum(answers), server.count)
    assert tokens_out == sum(n * body["max_tokens"] for n, body in zip(answers, bodies, strict=True))
    sent = sum(
        n * len(turn["content"]) for n, body in zip(answers, bodies, strict=True) for turn in body["messages"]
    )
    assert tokens_in == pytest.approx(
        sent / 4, rel=0.02
    )  # system and user turn are joined by blanks in a prompt
    assert prompts == len({str(body["messages"]) for body in bodies})


def test_labels_are_requests_of_their_own(
    tasks: Mapping[str, TaskFile], partisan_build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(partisan_build))
    found = cost(tasks["polbias_en_formal_mini_loglikelihood"])
    written = cost(tasks["polbias_en_formal_mini"], generation={"max_gen_toks": 7})
    assert (found.prompts, found.requests, found.tokens_out) == (48, 96, 96)
    assert found.tokens_in == 2 * written.tokens_in + 48 * len("**valid****invalid**") / 4
    assert found.shared >= found.tokens_in / 2 - 48 * BLOCK  # a prompt's second label has all but a block
    assert written.tokens_out == 48 * 7


def test_tasks_whose_rows_cannot_be_counted(tasks: Mapping[str, TaskFile]) -> None:
    with pytest.raises(InputError, match="other: found None, expected"):
        cost(TaskFile("other", {"dataset_path": "x"}))


def test_questions_about_articles_that_are_not_there_are_counted_from_assumed_ones(
    tasks: Mapping[str, TaskFile], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("POLBIAS_STAGE2", raising=False)
    task = tasks["polbias_selfassess_preference_mini"]
    assumed_cost = partial(cost, assumed_rows=ASSUMED_ROWS)
    found = assumed_cost(task)
    assert found.requests == 8 * 2 * (2 + 3)
    assert 8 * 2 * (2 * 2 + 3 * 3) * 512 < found.tokens_in < 8 * 2 * (2 * 2 + 3 * 3) * 512 + 80 * 60
    assert found.assumption
    two = assumed_cost(task, {"polbias_ways": 2, "polbias_role": "user"})
    assert two.requests == 8 * 2
    assert assumed_cost(task, {"polbias_ways": 2, "polbias_role": "user"}, limit=4).requests == 4
    with pytest.raises(InputError, match=str(tmp_path)):
        assumed_cost(task, {"polbias_stage2": str(tmp_path / "none.parquet")})


@pytest.mark.parametrize(
    "dataset",
    [
        "partisan-inference",
        "partisan-inference-xl",
        "normative-reasoning",
        "policy-statements",
        "xphemism-pairs",
        "self-assessment",
    ],
)
def test_the_table_of_the_documentation_is_what_the_rows_say(
    dataset: str,
    tasks: Mapping[str, TaskFile],
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """POLBIAS_UPDATE_GOLDEN=1 writes the rows of the tasks that the table names."""
    fresh = {"partisan-inference": "partisan_build", "normative-reasoning": "normative_build"}
    if dataset in fresh:
        monkeypatch.setenv("POLBIAS_DATA_DIR", str(request.getfixturevalue(fresh[dataset])))
    elif not (checkout_root() / "build" / "datasets" / dataset / "manifest.json").is_file():
        pytest.skip(f"{dataset} is not built here")
    if dataset not in read_lock():
        pytest.skip(f"{dataset} is not locked yet")
    monkeypatch.delenv("POLBIAS_STAGE2", raising=False)
    lines = TABLE.read_text("utf-8").splitlines()
    row_of_task = {line.partition(",")[0]: row for row, line in enumerate(lines) if row}
    names = [name for name in row_of_task if tasks[name].data.get("dataset", "self-assessment") == dataset]
    assert names
    for name in names:
        task_cost = cost(tasks[name], assumed_rows=ASSUMED_ROWS)
        numbers = (task_cost.prompts, task_cost.requests, task_cost.tokens_in, task_cost.tokens_out)
        lines[row_of_task[name]] = ",".join([name, *map(str, numbers)])
    check(TABLE, "\n".join(lines) + "\n")
