"""The three ways to ask a model: lm_eval (a tiny local model, an API), a server, datatrove."""

import json

import pytest

from polbias.files import InputError, PolbiasError
from polbias.running.asking import Request, Settings
from polbias.running.datatrove_client import InferenceRunnerAsker
from polbias.running.lm_eval_models import LmEvalAsker
from polbias.running.server import ServerAsker, stream
from tests.running.conftest import lines_of
from tests.running.town import leaning
from tests.support.openai_server import LoopbackOpenAI
from tests.support.process import run_python
from tests.support.tiny_model import save_tiny_model

TURNS = [{"role": "system", "content": "You are kind."}, {"role": "user", "content": "Say a word."}]
_NO_SYSTEM = (
    "{% for message in messages %}{% if message['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}"
    "<{{ message['role'] }}>{{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return save_tiny_model(tmp_path_factory.mktemp("tiny"))


def sampling(folder, **options):
    """Change the model's own generation settings."""
    path = folder / "generation_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | options))
    return folder


def requests(count=3, **options):
    return [
        Request(f"r{n}", [TURNS[0], {"role": "user", "content": f"Say {n}."}], 8, **options)
        for n in range(count)
    ]


def asked(asker, rows, settings=Settings()):  # noqa: B008
    return {answer.id: answer for answer in asker.ask(rows, settings)}


def local(folder, **options):
    return LmEvalAsker("hf", f"pretrained={folder},device=cpu,dtype=float32", **options)


def test_a_local_model_end_to_end(tiny, selfassess, tmp_path):
    where = [
        "--model",
        "hf",
        "--model_args",
        f"pretrained={tiny},dtype=float32",
        "-o",
        tmp_path / "out",
    ]
    options = ["-n", 1, "--article-tokens", 24, "--name", "tiny", "--batch-size", 4]
    done = selfassess("run", *where, *options)
    assert done.exit_code == 0, done.output
    # Where nobody looks at a bar, lines say how far it is, and no more than ten a stage.
    said = [line for line in done.stderr.splitlines() if " of 32" in line]
    assert 4 < len(said) < 10
    assert len(set(said)) == len(said)
    articles = lines_of(tmp_path / "out" / "stage1.articles.jsonl")
    judged = lines_of(tmp_path / "out" / "stage2.judgements.jsonl")
    assert len(articles) == 5
    assert {each["model"] for each in articles} == {"tiny"}
    assert len(judged) == 32
    assert {each["finish_reason"] for each in articles} == {"length"}  # random weights do not come to an end
    assert any(
        "decode greedily" in note for note in json.loads((tmp_path / "out" / "run.json").read_text())["notes"]
    )
    again = selfassess("run", *where, *options)
    assert again.exit_code == 0
    assert articles == lines_of(tmp_path / "out" / "stage1.articles.jsonl")


@pytest.mark.parametrize(
    ("arguments", "options", "sizes"),
    [("", {}, [8, 8, 4]), ("", {"batch_size": 9}, [9, 9, 2]), (",batch_size=16", {}, [16, 4])],
)
def test_local_models_answer_in_batches(tiny, arguments, options, sizes):
    asker, seen = LmEvalAsker("hf", f"pretrained={tiny},dtype=float32{arguments}", **options), []
    asker._harness.lm.generate_until = lambda rows, disable_tqdm: seen.append(len(rows)) or ["x"] * len(rows)
    asked(asker, requests(20))
    assert seen == sizes


@pytest.mark.parametrize(
    ("arguments", "options"), [(",device=cpu", {"device": "cuda:7"}), ("", {"device": "cpu"})]
)
def test_a_device_that_is_given_is_taken(tiny, arguments, options):
    asker = LmEvalAsker("hf", f"pretrained={tiny},dtype=float32{arguments}", **options)
    assert str(asker._harness.lm.device) == "cpu"


@pytest.mark.parametrize(("model", "size"), [("vllm", "auto"), ("sglang", "auto"), ("nemo_lm", 8)])
def test_engines_that_make_their_own_batches_are_let(monkeypatch, model, size):
    given = {}

    class Loaded:
        @classmethod
        def create_from_arg_string(cls, text, more):
            given.update(more)
            raise ValueError(text)

    monkeypatch.setattr(LmEvalAsker, "_class", Loaded)
    with pytest.raises(PolbiasError, match="cannot be loaded"):
        asked(LmEvalAsker(model, "pretrained=x"), requests(1))
    assert given["batch_size"] == size


def test_a_local_model_goes_on_with_the_prefill(tiny):
    seen = []
    asker = local(tiny)
    asker._harness.lm.generate_until = lambda rows, disable_tqdm: seen.extend(rows) or ["x"] * len(rows)
    asked(asker, requests(1, prefill="My word is:", sampling="greedy"))
    context, arguments = seen.pop().args
    assert context == "<system>You are kind.\n<user>Say 0.\n<assistant>My word is:"
    assert arguments == {"until": [], "max_gen_toks": 8, "temperature": 0.0, "do_sample": False}
    asked(asker, requests(1, prefill="My word is:"), Settings(prefill="turn"))
    assert seen.pop().args[0].endswith("<assistant>My word is:\n<assistant>")
    asked(asker, requests(1, prefill="My word is:"), Settings(prefill="none"))
    assert seen.pop().args[0].endswith("Say 0.\n<assistant>")
    assert any("left out" in note for note in asker.notes)


def test_a_system_turn_that_the_template_lacks_is_not_lost(tmp_path):
    """lm_eval drops it with a warning: a biased agent would be a neutral one."""
    folder = save_tiny_model(tmp_path / "model")
    (folder / "chat_template.jinja").write_text(_NO_SYSTEM)
    asker, seen = local(folder), []
    asker._harness.lm.generate_until = lambda rows, disable_tqdm: seen.extend(rows) or ["x"] * len(rows)
    asked(asker, requests(1))
    assert seen[0].args[0] == "<user>You are kind.\n\nSay 0.\n<assistant>"
    assert any("no system turn" in note for note in asker.notes)


def test_the_default_sampling_is_that_of_the_model_and_its_seeds_hold(tmp_path):
    folder = sampling(save_tiny_model(tmp_path / "model"), do_sample=True, temperature=0.7, top_k=20)
    one = asked(local(folder, batch_size=2), requests(4, seed=11))
    assert one == asked(local(folder, batch_size=2), requests(4, seed=11))
    assert one != asked(local(folder, batch_size=2), requests(4, seed=12))
    rest = asked(local(folder, batch_size=2), requests(4, seed=11)[2:])  # as after an interruption
    assert rest == {name: one[name] for name in ("r2", "r3")}
    greedy = asked(local(folder), requests(4, sampling="greedy", seed=11))
    assert greedy == asked(local(folder), requests(4, sampling="greedy", seed=12)) != one


def test_an_answer_that_fills_its_length_is_cut_and_a_prompt_too_long_is_an_error(tiny):
    long = Request("long", [{"role": "user", "content": "word " * 500}], 8)
    found = asked(local(tiny), [*requests(1), long])
    assert found["r0"].finish_reason == "length"
    assert "the prompt has 2,5" in found["long"].error
    assert "the model takes 2,040 beside 8" in found["long"].error


def test_a_model_that_cannot_be_loaded_is_one_clear_error(tmp_path):
    with pytest.raises(PolbiasError, match="cannot be loaded"):
        asked(local(tmp_path / "nothing"), requests(1))
    with pytest.raises(InputError, match="--model nonesuch"):
        LmEvalAsker("nonesuch").check()
    with pytest.raises(InputError, match="key=value"):
        LmEvalAsker("hf", "pretrained")


def test_a_model_without_a_chat_template_is_one_clear_error(tmp_path):
    folder = save_tiny_model(tmp_path / "model")
    (folder / "chat_template.jinja").unlink()
    with pytest.raises(PolbiasError, match="instruction-tuned model with a chat template"):
        asked(local(folder), requests(1))


def test_an_api_of_lm_eval(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with LoopbackOpenAI(str.upper) as server:
        where = f"model=m,base_url={server.url}/v1/chat/completions,num_concurrent=4,max_retries=1"
        asker = LmEvalAsker("local-chat-completions", where)
        assert asker.identity["model_args"] == {"model": "m"}
        assert asker.address == f"{server.url}/v1/chat/completions"
        found = asked(asker, requests(6, prefill="My word is:"))
        assert found["r5"].text == "YOU ARE KIND.\n\nSAY 5.\n\nMY WORD IS:"
        assert {body["temperature"] for body in server.bodies} == {None}  # its own default, not lm_eval's 0
        assert server.bodies[0]["messages"][-1] == {"role": "assistant", "content": "My word is:"}
        asked(asker, requests(1, sampling="greedy"))
        assert server.bodies[-1]["temperature"] == 0
        asked(asker, requests(1, prefill="x"), Settings(prefill="continue"))
        assert server.bodies[-1]["continue_final_message"] is True


def test_an_api_of_lm_eval_keeps_what_came_before_a_failure(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")

    def respond(prompt):
        return prompt.upper()

    with LoopbackOpenAI(respond, latency=0.05) as server:
        where = f"model=m,base_url={server.url}/v1/chat/completions,num_concurrent=2,max_retries=1"
        server.fail_next(400, times=1)
        found = asked(LmEvalAsker("local-chat-completions", where), requests(4))
        came = {name for name, answer in found.items() if answer.error is None}
        assert set(found) == {"r0", "r1", "r2", "r3"}
        assert all(found[name].text.startswith("YOU ARE KIND") for name in came)
        assert "400" in next(answer.error for answer in found.values() if answer.error)


def test_three_batches_without_an_answer_end_the_asking(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with LoopbackOpenAI(str.upper, api_key="another") as server:
        where = f"model=m,base_url={server.url}/v1/chat/completions,num_concurrent=1,max_retries=1"
        found = asked(LmEvalAsker("local-chat-completions", where), requests(40))
        assert len(found) == 40
        assert sum("not asked" in answer.error for answer in found.values()) == 40 - 3 * 4
        assert server.count <= 3 * 4


@pytest.mark.parametrize("make", [ServerAsker, InferenceRunnerAsker])
def test_servers_get_turns_prefill_and_parameters(make):
    with LoopbackOpenAI(lambda prompt: None if "Say 1" in prompt else prompt) as server:
        asker = make("m", f"{server.url}/v1", concurrency=2)
        rows = requests(3, prefill="My word is:", sampling="greedy", seed=5)
        found = asked(asker, rows, Settings({"top_p": 0.5, "seed": None}, "continue"))
        assert found["r0"].text == "You are kind.\n\nSay 0.\n\nMy word is:"
        assert (found["r1"].text, found["r1"].finish_reason, found["r1"].error) == (
            "",
            "content_filter",
            None,
        )
        body = next(body for body in server.bodies if body["messages"][1]["content"] == "Say 0.")
    assert body["messages"][-1] == {"role": "assistant", "content": "My word is:"}
    assert (body["temperature"], body["top_p"], body["max_tokens"]) == (0, 0.5, 8)
    assert "seed" not in body
    assert body["continue_final_message"] is True
    assert body["add_generation_prompt"] is False


def test_datatrove_end_to_end_goes_on_after_errors(selfassess, tmp_path):
    with LoopbackOpenAI(leaning) as server:
        where = ["--model", "m", "--base-url", f"{server.url}/v1", "-o", tmp_path / "out", "-n", 4]
        server.fail_next(429, times=2)
        server.fail_next(500, times=1)
        done = selfassess("run", *where, "--engine", "datatrove")
        assert done.exit_code == 1
        assert len(lines_of(tmp_path / "out" / "stage1.articles.jsonl")) == 17
        done = selfassess("run", *where, "--engine", "datatrove")
        assert done.exit_code == 0, done.output
        assert server.count == 20 + 3 + 128
        asked_before = server.count
        assert selfassess("run", *where).exit_code == 0  # the same model, asked by the client of its own
        assert server.count == asked_before
    assert {each["outcome"] for each in lines_of(tmp_path / "out" / "stage2.judgements.jsonl")} == {"choice"}


def test_datatrove_wants_one_of_address_and_server():
    for options in ({}, {"base_url": "http://127.0.0.1:9/v1", "server_type": "vllm"}):
        with pytest.raises(InputError, match="--base-url"):
            InferenceRunnerAsker("m", **options)


def test_nothing_heavy_is_imported_before_it_is_needed(town):
    code = f"""
        import sys
        import polbias.cli.main
        assert not {{"polbias.running"}} & set(sys.modules), "running"
        from polbias.running.lm_eval_models import LmEvalAsker
        from polbias.running.datatrove_client import InferenceRunnerAsker
        from polbias.running.selfassess.experiment import Experiment, Plan
        from polbias.self_assessment import find_set
        from polbias.running.server import ServerAsker
        chosen = find_set({str(town)!r})
        for asker in (LmEvalAsker("hf", "pretrained=x"), ServerAsker("m", "http://127.0.0.1:9/v1")):
            from pathlib import Path
            Experiment(Path("/nonexistent"), chosen, asker, "m", Plan(n=2)).estimates()
        heavy = {{"torch", "lm_eval", "datatrove", "openai", "transformers", "statsmodels"}} & set(sys.modules)
        assert not heavy, heavy
    """
    run_python(code)


def test_a_stream_hands_out_what_comes_and_cancels_what_is_left():
    import asyncio

    state = []

    async def work(give):
        try:
            for number in range(1000):
                give(number)
                await asyncio.sleep(0.001)
        finally:
            state.append("ended")

    items = stream(work)
    assert [next(items) for _ in range(3)] == [0, 1, 2]
    items.close()
    assert state == ["ended"]

    async def fail(give):
        give(1)
        raise PolbiasError("no")

    items = stream(fail)
    assert next(items) == 1
    with pytest.raises(PolbiasError, match="no"):
        next(items)
