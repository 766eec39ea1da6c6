"""lm_eval's options: passed on as they are, except for what would spoil a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from polbias.errors import InputError
from polbias.lm_eval_runner.model_classes import API_DEFAULTS, model_class, prepare, refuse_unsupported_tasks
from polbias.lm_eval_runner.options import include_paths, output_folder, parse
from polbias.lm_eval_runner.tasks import catalogue


def test_options_reach_lm_eval_unchanged(tmp_path: Path) -> None:
    config = parse(
        [
            *("--model", "hf", "--model_args", "pretrained=m,dtype=float32", "--tasks", "a,b", "c"),
            *(
                "--apply-chat-template",
                "--gen-kwargs",
                "max_gen_toks=8",
                "--batch_size",
                "auto",
                "--limit",
                "4",
            ),
            *(
                "--device",
                "cpu",
                "--seed",
                "7",
                "--system_instruction",
                "Be brief.",
                "--include_path",
                str(tmp_path),
            ),
            *("--metadata", '{"polbias_samples": 3}'),
        ]
    )
    assert config.tasks == ["a", "b", "c"]
    assert config.model_args == {"pretrained": "m", "dtype": "float32"}
    assert (config.apply_chat_template, config.fewshot_as_multiturn) == (True, True)
    assert (config.gen_kwargs, config.batch_size, config.limit) == ({"max_gen_toks": 8}, "auto", 4)
    assert (config.device, config.seed, config.system_instruction) == ("cpu", [7] * 4, "Be brief.")
    assert config.metadata == {"pretrained": "m", "dtype": "float32", "polbias_samples": 3}
    assert include_paths(config) == [tmp_path]
    assert config.log_samples
    assert config.output_path == "polbias-results"


def test_a_file_of_options(tmp_path: Path) -> None:
    file = tmp_path / "run.yaml"
    file.write_text("model: dummy\ntasks: polbias_wason\noutput_path: there\ninclude_path: [x, y]\n", "utf-8")
    config = parse(["--config", str(file)])
    assert (config.model, config.tasks, config.output_path) == ("dummy", ["polbias_wason"], "there")
    assert include_paths(config) == [Path("x"), Path("y")]
    assert parse(["--config", str(file), "-o", "here"]).output_path == "here"
    file.write_text("model: dummy\nnum_fewshot: 3\n", "utf-8")
    with pytest.raises(InputError, match="part of the prompt"):
        parse(["--config", str(file)])


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("seed: .inf", r"--config .*run\.yaml: cannot convert float infinity"),
        ("tasks: [1]", "--tasks: found 1, expected a name"),
        ("include_path: 3", "--include_path: found 3, expected a folder"),
    ],
)
def test_a_file_of_options_with_an_odd_value(line: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "run.yaml"
    file.write_text(f"model: dummy\n{'' if 'tasks' in line else 'tasks: x'}\n{line}\n", "utf-8")
    with pytest.raises(InputError, match=told):
        include_paths(parse(["--config", str(file)]))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--num_fewshot 8", "the examples are part of the prompt"),
        ("--num-fewshot=8", "the examples are part of the prompt"),
        ("--use_cache x", "not keyed by model"),
        ("--cache_requests", "version of the data"),
        ("--wandb_args project=x", "not passed on"),
        ("--nonsense 3", "unrecognized arguments: --nonsense 3"),
        ("--limit x", "--limit/-L: invalid float value"),
        ("--seed x", "--seed: invalid value: 'x'"),
        ("--model_args x", "expected `key=value`"),
        ("--config gone.yaml", "not found"),
        ("--fewshot_as_multiturn true", "apply_chat_template"),
    ],
)
def test_what_is_wrong_is_one_line(arguments: str, told: str) -> None:
    with pytest.raises(InputError, match=told) as caught:
        parse(arguments.split())
    assert "\n" not in str(caught.value)


def test_an_api_is_asked_patiently_unless_the_user_says_otherwise() -> None:
    config = parse(
        [
            "--model",
            "local-chat-completions",
            "--model_args",
            "model=m,base_url=http://x,timeout=5",
            "-t",
            "a",
        ]
    )
    prepare(config, model_class(config.model))
    assert config.model_args == {**API_DEFAULTS, "model": "m", "base_url": "http://x", "timeout": 5}
    assert config.apply_chat_template is True
    local = parse(["--model", "hf", "--model_args", "pretrained=m", "-t", "a"])
    prepare(local, model_class("hf"))
    assert local.model_args == {"pretrained": "m"}
    assert local.apply_chat_template is False


def test_keys_leave_the_metadata() -> None:
    config = parse(["--model", "local-completions", "--model_args", "model=m,auth_token=secret-1", "-t", "a"])
    prepare(config, model_class(config.model))
    assert "auth_token" not in config.metadata
    assert config.model_args["auth_token"] == "secret-1"


def test_vllm_gets_a_seed_with_every_request() -> None:
    for told, expected in (("{}", True), ('{"polbias_seeds": false}', False)):
        config = parse(["--model", "vllm", "--model_args", "pretrained=m", "--metadata", told, "-t", "a"])
        prepare(config, object)
        assert config.metadata["polbias_seeds"] is expected


@pytest.mark.parametrize("name", ["local-chat-completions", "openai-chat-completions", "anthropic-chat"])
def test_chat_models_refuse_likelihoods(name: str) -> None:
    tasks = catalogue().tasks
    both = [tasks["polbias_en_formal"], tasks["polbias_en_formal_loglikelihood"]]
    with pytest.raises(InputError, match="which polbias_en_formal_loglikelihood needs"):
        refuse_unsupported_tasks(name, model_class(name), both)
    refuse_unsupported_tasks(name, model_class(name), both[:1])


@pytest.mark.parametrize("name", ["hf", "local-completions", "openai-completions", "dummy"])
def test_models_with_likelihoods_are_not_refused(name: str) -> None:
    refuse_unsupported_tasks(name, model_class(name), [catalogue().tasks["polbias_en_formal_loglikelihood"]])


def test_an_unknown_model_and_a_folder_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--model gtp"):
        model_class("gtp")
    (tmp_path / "file").touch()
    config = parse(["-t", "a", "-o", str(tmp_path / "file" / "out")])
    with pytest.raises(InputError, match="cannot be written to"):
        output_folder(config)
    config = parse(["-t", "a", "-o", str(tmp_path / "new" / "x.json")])
    assert output_folder(config) == tmp_path / "new"
    assert list((tmp_path / "new").iterdir()) == []
