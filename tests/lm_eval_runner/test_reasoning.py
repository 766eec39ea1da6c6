"""Room to think: what is asked of a model that reasons, and what it may cost."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from polbias.errors import InputError
from polbias.lm_eval_runner.model_classes import is_api, model_class, prepare
from polbias.lm_eval_runner.options import parse
from polbias.lm_eval_runner.tasks import (
    MIN_REASONING_TOKENS,
    REASONING,
    catalogue,
    generation_settings,
    refuse_likelihoods,
)
from polbias.paths import checkout_root
from polbias.responses import CUT_OFF, attach_reasoning
from tests.lm_eval_runner.conftest import Evaluate, chat, samples_of
from tests.lm_eval_runner.test_responses import TEXT, THOUGHT, Provider, message
from tests.lm_eval_runner.test_responses import chat as reply
from tests.support.tiny_model import save_tiny_model

MINI, FULL = "polbias_en_formal_mini", "polbias_en_formal"
ON = {REASONING: True}


@pytest.fixture
def thinking() -> Iterator[Provider]:
    """A server whose answers take 100, 200 and 600 tokens in turn, nearly all of them thoughts."""
    bodies = [reply("stop", content="**valid**", reasoning_content="Let me see.") for _ in range(3)]
    for body, tokens in zip(bodies, (100, 200, 600), strict=True):
        details = {"reasoning_tokens": tokens - 5}
        body["usage"] = {
            "prompt_tokens": 9,
            "completion_tokens": tokens,
            "completion_tokens_details": details,
        }
    with Provider(bodies) as server:
        yield server


def test_every_generating_task_gets_room() -> None:
    writing = [task for task in catalogue().tasks.values() if not task.is_loglikelihood]
    own = {task.name: task.settings["generation_kwargs"] for task in writing}
    assert min(settings["max_gen_toks"] for settings in own.values()) == 10
    for settings in own.values():
        assert generation_settings(settings, None, ON) == {**settings, "max_gen_toks": MIN_REASONING_TOKENS}
        assert generation_settings(settings, None, {}) == settings


@pytest.mark.parametrize(
    ("own", "given", "room"),
    [
        ({"max_gen_toks": 9000}, {}, 9000),
        ({}, {"temperature": 1}, 4096),
        ({"max_gen_toks": 10}, {"max_gen_toks": 8192}, 8192),
        ({"max_gen_toks": 10}, {"max_gen_toks": 512}, 512),  # what the user says goes before
        ({"max_gen_toks": 10}, {"max_tokens": 512}, 10),  # lm_eval's other names for it
    ],
)
def test_more_room_is_left_as_it_is(own: dict[str, Any], given: dict[str, Any], room: int) -> None:
    assert generation_settings(own, given, ON)["max_gen_toks"] == room


@pytest.mark.parametrize(
    ("model", "given", "expected"),
    [
        ("hf", "", {"think_end_token": "</think>", "enable_thinking": True}),
        ("hf", ",think_end_token=assistantfinal", {"enable_thinking": True}),
        ("sglang", "", {"think_end_token": "</think>"}),
        ("local-chat-completions", "", {}),
        ("openai-chat-completions", "", {}),
        ("anthropic-chat", "", {}),
    ],
)
def test_a_local_model_is_told_to_think_as_far_as_it_takes_that(
    model: str, given: str, expected: Mapping[str, Any]
) -> None:
    config = parse(["--model", model, "--model_args", f"pretrained=m{given}", "-t", "a"])
    before = dict(config.model_args)
    config.metadata[REASONING] = True
    kind = model_class(model)
    prepare(config, kind)
    added = {name: value for name, value in config.model_args.items() if name not in before}
    assert {name: added[name] for name in added if "think" in name} == expected
    assert config.apply_chat_template is (bool(expected) or "chat" in model)
    assert bool(expected) is not is_api(kind)


def test_the_template_s_own_switch_is_left_as_it_is() -> None:
    told = '{"pretrained": "m", "chat_template_args": {"enable_thinking": false}}'
    config = parse(["--model", "hf", "--model_args", told, "-t", "a"])
    config.metadata[REASONING] = True
    prepare(config, model_class("hf"))
    assert "enable_thinking" not in config.model_args
    assert config.model_args["think_end_token"] == "</think>"


def test_a_model_that_knows_nothing_of_thoughts_stays_as_it_is() -> None:
    config = parse(["--model", "dummy", "-t", "a"])
    config.metadata[REASONING] = True
    prepare(config, model_class("dummy"))
    assert (config.model_args, config.apply_chat_template) == ({}, False)


def test_likelihoods_are_refused(evaluate: Evaluate) -> None:
    tasks = catalogue().tasks
    with pytest.raises(InputError, match=f"--reasoning: found {FULL}_loglikelihood among --tasks"):
        refuse_likelihoods([tasks[FULL], tasks[f"{FULL}_loglikelihood"]])
    refuse_likelihoods([tasks[FULL]])
    for more in ([], ["--cost"]):
        done = evaluate("--model", "dummy", "--tasks", f"{MINI}_loglikelihood", "--reasoning", *more)
        assert isinstance(done.exception, InputError)


@pytest.mark.e2e
def test_requests_have_room_and_thoughts_are_kept(evaluate: Evaluate, thinking: Provider) -> None:
    done = evaluate(*chat(thinking.url), "--tasks", MINI, "--limit", "4", "--reasoning")
    assert done.exception is None, done.output
    assert {body["max_tokens"] for body in thinking.asked} == {MIN_REASONING_TOKENS}
    sample = samples_of(Path("polbias-results"), MINI)[0]
    (said,) = sample["polbias"]
    assert said["reasoning"] == "Let me see."
    assert said["usage"]["reasoning_tokens"] == said["usage"]["output_tokens"] - 5
    evaluate(*chat(thinking.url), "--tasks", MINI, "--limit", "4")  # without room: other requests
    assert {body["max_tokens"] for body in thinking.asked[-4:]} == {2048}


@pytest.mark.e2e
@pytest.mark.parametrize(("more", "truncated"), [(["--reasoning"], 1), ([], 0)])
def test_a_thought_that_a_server_s_template_opened_is_told_where_thinking_was_asked_for(
    evaluate: Evaluate, more: list[str], truncated: int
) -> None:
    with Provider([reply("length", content="The argument is valid. Let me check the premises")]) as server:
        done = evaluate(*chat(server.url), "--tasks", MINI, "--limit", "2", *more)
    assert done.exception is None, done.output
    samples = samples_of(Path("polbias-results"), MINI)
    assert [each["truncated"] for each in samples] == [truncated] * 2
    assert all(each["polbias"][0]["finish_reason"] == "length" for each in samples)


PAGE = (checkout_root() / "docs" / "running.md").read_text("utf-8").replace("\\\n", "")
COMMANDS = [
    shlex.split(line)[2:] for line in PAGE.splitlines() if line.startswith("polbias eval --reasoning")
]


@pytest.mark.e2e
@pytest.mark.parametrize("options", COMMANDS, ids=lambda options: options[options.index("--model") + 1])
def test_the_commands_of_the_page_send_what_they_say(
    evaluate: Evaluate, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    anthropic = "anthropic-chat" in options
    body = message("end_turn", THOUGHT, TEXT) if anthropic else reply("stop", content="**valid**")
    with Provider([body]) as server:
        place = options.index("--model_args") + 1
        name = options[place].partition(",")[0]
        there = [*options[:place], f"{name},base_url={server.url}/v1", *options[place + 1 :]]
        done = evaluate(*there, "--limit", "2")
    assert done.exception is None, done.output
    key, equals, value = (said := options[options.index("--gen_kwargs") + 1]).partition("=")
    sent = {key: value} if equals else json.loads(said)
    assert len(server.asked) == 2
    for asked in server.asked:
        assert {name: asked[name] for name in sent} == sent
        assert asked.get("max_completion_tokens", asked.get("max_tokens")) == MIN_REASONING_TOKENS


@pytest.mark.e2e
def test_a_local_model_s_template_hears_of_it(evaluate: Evaluate, tmp_path: Path) -> None:
    model = save_tiny_model(tmp_path / "tiny")
    template = model / "chat_template.jinja"
    template.write_text(template.read_text("utf-8") + "{% if enable_thinking %}<think>{% endif %}", "utf-8")
    options = ["--model", "hf", "--model_args", f"pretrained={model}", "--device", "cpu", "--tasks", MINI]
    done = evaluate(*options, "--limit", "2", "--reasoning", "--gen_kwargs", "max_gen_toks=4")
    assert done.exception is None, done.output
    for sample in samples_of(Path("polbias-results"), MINI):
        assert sample["arguments"]["gen_args_0"]["arg_0"].endswith("<assistant><think>")
        assert sample["truncated"] == 1, "the prompt opened a thought that was cut off"
        assert sample["filtered_resps"][0].startswith(CUT_OFF)


def test_a_thought_that_the_prompt_opened_is_told_from_an_answer() -> None:
    opened, plain = "<user>Is it valid?<assistant><think>\n", "<user>Is it valid?<assistant>"
    assert attach_reasoning(opened, "It looks valid") == f"{CUT_OFF}It looks valid"
    assert (
        attach_reasoning(opened, "It looks valid</think>**invalid**") == "It looks valid</think>**invalid**"
    )
    assert attach_reasoning(plain, "**invalid**") == "**invalid**"
    kept = attach_reasoning(opened, "It looks valid</think>\n**invalid**", "</think>")
    assert (kept, kept.metadata) == ("**invalid**", {"reasoning": "It looks valid"})
    assert attach_reasoning(opened, "It looks valid", "</think>") == f"{CUT_OFF}It looks valid"
    assert attach_reasoning(plain, "**invalid**", "</think>") == "**invalid**", "it did not think"


@pytest.mark.e2e
def test_sampled_answers_have_room(evaluate: Evaluate, thinking: Provider) -> None:
    more = ["--limit", "2", "--metadata", '{"polbias_samples": 2}', "--reasoning"]
    done = evaluate(*chat(thinking.url), "--tasks", "polbias_policy_stance_de", *more, family="policy")
    assert done.exception is None, done.output
    assert [body["max_tokens"] for body in thinking.asked] == [MIN_REASONING_TOKENS] * 4


@pytest.mark.e2e
def test_the_estimate_is_the_most_whatever_was_answered(evaluate: Evaluate, thinking: Provider) -> None:
    options = [*chat(thinking.url), "--tasks", FULL, "--reasoning"]
    assert evaluate(*options, "--limit", "60").exception is None
    told = evaluate(*options, "--cost", "--price", "stub=0/10").stdout
    assert told.splitlines()[0].endswith("USD, at most")
    assert f"{1608 * MIN_REASONING_TOKENS:,}" in told.splitlines()[1].split()
    assert told.splitlines()[1].split()[-1] == f"{1608 * MIN_REASONING_TOKENS * 10 / 1e6:.2f}"
    assert "tokens out: an assumption, that reasoning and answer always reach their token limits" in told


def test_a_model_whose_library_is_not_here_still_has_a_cost(evaluate: Evaluate) -> None:
    done = evaluate("--model", "vllm", "--model_args", "pretrained=m", "--tasks", MINI, "--cost")
    assert done.exception is None, done.output
    assert f"{48 * 2048:,}" in done.stdout
