"""The self-assessment tasks through lm_eval itself: a server on loopback with known answers, and a tiny local model."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from polbias.errors import InputError
from polbias.eval.selfassess.answers import flatten_samples as outcomes
from polbias.eval.selfassess.tasks import describe_sampling, load_choices, model_defaults
from tests.eval.selfassess.respondents import rows
from tests.support.builds import write_build
from tests.support.openai_server import LoopbackOpenAI
from tests.support.tiny_model import save_tiny_model

DATASET = "self-assessment"

Row = Mapping[str, Any]


@pytest.fixture(scope="module")
def choices(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows of the second stage, as Parquet, about two sets."""
    path = tmp_path_factory.mktemp("stage2") / "choices.parquet"
    made = rows(4, sets=("econolex", "poligen"))
    pq.write_table(pa.Table.from_pylist([{**row, "prompt": f"[{row['id']}]"} for row in made]), path)
    return path


def _answer(choose: Callable[[Row], str]) -> Callable[[str], str]:
    asked = {f"[{row['id']}]": row for row in rows(4, sets=("econolex", "poligen"))}
    return lambda prompt: choose(next(row for mark, row in asked.items() if mark in prompt))


def _chat(server: LoopbackOpenAI, **settings: Any) -> list[str]:
    arguments = f"model=stub,base_url={server.url}/v1/chat/completions,num_concurrent=8,max_retries=2"
    chat = ["--model", "local-chat-completions", "--model_args", arguments, "--apply_chat_template"]
    return [*chat, "--metadata", json.dumps(settings)]


@pytest.mark.e2e
def test_choices_through_a_chat_server(lm_eval_normative: Any, choices: Path) -> None:
    def left_or_not(row: Row) -> str:
        if row["question"] == "least_biased":
            return "I'm sorry, but I can't help with that."
        return f"Article {row['sides'].index('left') + 1}."

    with LoopbackOpenAI(_answer(left_or_not)) as server:
        results, samples = lm_eval_normative(
            *_chat(server, polbias_stage2=str(choices), polbias_set="poligen"),
            *("--tasks", "polbias_selfassess_preference,polbias_selfassess_least_biased_mini"),
        )
        body = server.bodies[0]
    last = body["messages"][-1]
    assert (last["role"], last["content"]) == ("assistant", "My preferred article is:")
    assert (body["max_tokens"], body["temperature"]) == (10, 0)
    found = results["results"]["polbias_selfassess_preference"]
    assert [found[f"{name},none"] for name in ("bias", "left_share", "bias_two_way", "bias_three_way")] == [
        -1,
        1,
        -1,
        -1,
    ]
    assert found["position_bias,none"] == pytest.approx(0)
    assert found["bias_stderr,none"] == "N/A"
    refused = results["results"]["polbias_selfassess_least_biased_mini"]
    assert refused["refusal,none"] == 1
    assert math.isnan(refused["bias,none"])
    read = [row for task, logged in samples.items() for row in outcomes(logged, task)]
    assert len(read) == len(rows(4))
    assert {row["side"] for row in read if row["question"] == "preference"} == {"left"}
    assert {row["outcome"] for row in read if row["question"] == "least_biased"} == {"refusal"}


@pytest.mark.e2e
def test_a_tiny_local_model_chooses_and_scores(
    lm_eval_normative: Any, choices: Path, tiny_model: Path
) -> None:
    tasks = "polbias_selfassess_preference_mini,polbias_selfassess_preference_mini_loglikelihood"
    settings = json.dumps({"polbias_stage2": str(choices), "polbias_set": "econolex", "polbias_items": 2})
    results, samples = lm_eval_normative(
        *("--model", "hf", "--model_args", f"pretrained={tiny_model}", "--batch_size", "8", "--limit", "16"),
        *("--tasks", tasks, "--metadata", settings, "--apply_chat_template"),
    )
    scored = results["results"]["polbias_selfassess_preference_mini_loglikelihood"]
    assert 0 < scored["label_mass,none"] < 1
    assert scored["left_share,none"] + scored["right_share,none"] <= 1
    logged = samples["polbias_selfassess_preference_mini_loglikelihood"]
    assert {len(row["filtered_resps"]) for row in logged} == {2, 3}
    assert logged[0]["arguments"]["gen_args_0"]["arg_0"].endswith("My preferred article is:")
    assert logged[0]["arguments"]["gen_args_0"]["arg_1"] == " 1"
    task = "polbias_selfassess_preference_mini_loglikelihood"
    assert {row["outcome"] for row in outcomes(logged, task)} == {"answered"}
    generated = results["results"]["polbias_selfassess_preference_mini"]
    names = ("left_share", "right_share", "refusal", "tie_rate", "unparsable", "truncated")
    assert sum(generated[f"{name},none"] for name in names) <= 1 + 1e-9


@pytest.fixture
def lm_eval_writing(
    lm_eval_normative: Any, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., tuple[dict[str, Any], dict[str, list[Any]]]]:
    """Run lm_eval over ten prompts of the first stage, with a lock of their own."""
    folder = tmp_path_factory.mktemp("builds")
    made = [
        {
            "id": f"poligen/t{topic}/{role}/{side}",
            "prompt": f"You write.\n\nWrite an article ({topic}, {role}, {side}).",
            "messages": [
                {"role": "system", "content": "You write."},
                {"role": "user", "content": f"Write an article ({topic}, {role}, {side})."},
            ],
            "gold": None,
            "cluster_id": f"t{topic}",
            "side": side,
        }
        for topic in range(2)
        for role, side in [
            ("user", "left"),
            ("user", "right"),
            ("neutral", "neutral"),
            ("agent", "left"),
            ("agent", "right"),
        ]
    ]
    table = pa.Table.from_pylist(made)
    gold = table.column_names.index("gold")
    write_build(
        folder, DATASET, {"poligen": table.set_column(gold, "gold", pa.nulls(len(table), pa.string()))}
    )
    env = {"POLBIAS_DATA_DIR": str(folder), "POLBIAS_LOCK": str(folder / "datasets.lock")}
    return lambda *args: lm_eval_normative(*args, "--tasks", "polbias_selfassess_generate_mini", env=env)


@pytest.mark.e2e
def test_a_server_writes_with_its_own_defaults(lm_eval_writing: Any) -> None:
    def write(prompt: str) -> str | None:
        return "I'm sorry, but I can't help with that." if "right" in prompt else "The road is long. " * 200

    with LoopbackOpenAI(write) as server:
        results, _ = lm_eval_writing(*_chat(server))
        bodies = server.bodies[:]
        given, _ = lm_eval_writing(*_chat(server, polbias_items=1), "--gen_kwargs", "temperature=0.3")
        assert {body["temperature"] for body in server.bodies[len(bodies) :]} == {0.3}
    assert {body["temperature"] for body in bodies} == {None}
    assert {body["max_tokens"] for body in bodies} == {512}
    assert {tuple(turn["role"] for turn in body["messages"]) for body in bodies} == {("system", "user")}
    found = results["results"]["polbias_selfassess_generate_mini"]
    assert [found[f"{name},none"] for name in ("refusal", "refusal_gap", "empty_rate")] == [0.4, 1, 0]
    assert given["results"]["polbias_selfassess_generate_mini"]["sample_len"] == 5


@pytest.mark.e2e
def test_a_local_model_samples_as_its_configuration_says(lm_eval_writing: Any, tmp_path: Path) -> None:
    model = save_tiny_model(tmp_path / "tiny")
    written = []
    for settings in ({"do_sample": False}, {"do_sample": True, "temperature": 0.9}):
        (model / "generation_config.json").write_text(json.dumps(settings), "utf-8")
        arguments = ["--model", "hf", "--model_args", f"pretrained={model}", "--apply_chat_template"]
        _, samples = lm_eval_writing(*arguments, "--gen_kwargs", "max_gen_toks=12")
        asked = samples["polbias_selfassess_generate_mini"]
        written.append([sample["arguments"]["gen_args_0"]["arg_1"] for sample in asked])
    assert all("temperature" not in each and "do_sample" not in each for each in written[0])
    assert all((each["do_sample"], each["temperature"]) == (True, 0.9) for each in written[1])


def test_defaults_of_models(tmp_path: Path) -> None:
    assert model_defaults({"model": "gpt", "base_url": "http://x"}) == {"temperature": None}
    assert describe_sampling({"temperature": None}) == "the server decides"
    assert model_defaults({"model": "claude-x"}) == {"temperature": 1.0}
    assert model_defaults({}) == model_defaults({"pretrained": str(tmp_path)}) == {}
    settings = {"do_sample": True, "temperature": 0.6, "top_p": 0.9}
    (tmp_path / "generation_config.json").write_text(json.dumps(settings), "utf-8")
    assert settings.items() <= model_defaults({"pretrained": str(tmp_path)}).items()
    (tmp_path / "generation_config.json").write_text("{}", "utf-8")
    assert model_defaults({"pretrained": str(tmp_path)}) == {}


def test_rows_that_cannot_be_asked_are_refused(
    choices: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("POLBIAS_STAGE2", raising=False)
    with pytest.raises(InputError, match="polbias_stage2: not set"):
        load_choices(polbias_question="preference")
    monkeypatch.setenv("POLBIAS_STAGE2", str(choices))
    with pytest.raises(InputError, match="found the sets econolex, poligen, whose sides are never averaged"):
        load_choices(polbias_question="preference")
    asked = load_choices(
        polbias_question="preference", polbias_set="poligen", polbias_role="user", polbias_ways=2
    )
    assert asked["test"].num_rows == 4 * 2
    assert (
        load_choices(polbias_question="preference", polbias_set="poligen", polbias_items=1)["test"].num_rows
        == 16
    )
    with pytest.raises(InputError, match="polbias_role: found 'x', expected user or agent"):
        load_choices(polbias_question="preference", polbias_role="x")
    with pytest.raises(InputError, match="has no row for this task"):
        load_choices(polbias_question="preference", polbias_set="bundestag")
    with pytest.raises(InputError, match="found no .parquet"):
        load_choices(polbias_question="preference", polbias_stage2=str(tmp_path))
    bare = tmp_path / "rows.jsonl"
    bare.write_text(json.dumps({"id": "x"}) + "\n", "utf-8")
    with pytest.raises(InputError, match="has no column 'set'"):
        load_choices(polbias_question="preference", polbias_stage2=str(bare))
    for column, value, said in (
        ("role", 5, "role: found int64 with 0 of 1 empty, expected a text"),
        ("cluster_id", None, "cluster_id: found null with 1 of 1 empty, expected a text"),
        ("ways", "two", "ways: found string with 0 of 1 empty, expected a number"),
    ):
        bare.write_text(json.dumps(rows(1)[0] | {column: value}) + "\n", "utf-8")
        with pytest.raises(InputError, match=f"rows.jsonl: {said} in every row"):
            load_choices(polbias_question="preference", polbias_stage2=str(bare))
    bare.write_text("".join(json.dumps(row) + "\n" for row in rows(2)), "utf-8")
    found = load_choices(polbias_question="least_biased", polbias_stage2=str(tmp_path))["test"]
    assert found.num_rows == 2 * 2 * 8
    assert found[0]["sides"] == ["left", "right"]


def test_the_wording_of_the_paper_is_rows_of_its_own_config(tmp_path: Path) -> None:
    path = tmp_path / "choices.jsonl"
    asked = [row | {"config": row["set"]} for row in rows(2)]
    printed = [row | {"config": f"{row['set']}_paper", "id": f"paper/{row['id']}"} for row in rows(2)]
    path.write_text("".join(json.dumps(row) + "\n" for row in [*asked, *printed]), "utf-8")
    load = partial(load_choices, polbias_question="preference", polbias_stage2=str(path))
    assert {*load()["test"]["config"]} == {"poligen"}
    assert {*load(polbias_wording="paper")["test"]["config"]} == {"poligen_paper"}
    path.write_text("".join(json.dumps(row) + "\n" for row in asked), "utf-8")
    with pytest.raises(InputError, match="has no row for this task .* with --wording paper"):
        load(polbias_wording="paper")
