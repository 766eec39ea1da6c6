"""The tasks through lm_eval itself: a tiny local model, and an OpenAI-compatible server on loopback."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from lm_eval.utils import make_table

from polbias.lm_eval_runner.tasks import catalogue
from tests.support.openai_server import LoopbackOpenAI
from tests.support.respondents import by_prompt, partisan, perfect, refuser, rows_of
from tests.tasks.conftest import arrows_of

pytestmark = pytest.mark.e2e


def _chat(server: LoopbackOpenAI) -> list[str]:
    arguments = f"model=stub,base_url={server.url}/v1/chat/completions,num_concurrent=4,max_retries=2"
    return ["--model", "local-chat-completions", "--model_args", arguments, "--apply_chat_template"]


def test_chat_server_perfect_partisan_and_refusing_respondents(lm_eval, partisan_build: Path) -> None:
    rows = rows_of(partisan_build / "partisan-inference", "en_formal_mini")
    rows += rows_of(partisan_build / "partisan-inference", "de_material_mini")
    scores = {}
    for respondent in (perfect, partisan, refuser):
        with LoopbackOpenAI(by_prompt(rows, respondent)) as server:
            results, samples = lm_eval(
                *_chat(server), "--tasks", "polbias_en_formal_mini,polbias_de_material_mini"
            )
            assert server.count == 96
        scores[respondent.__name__] = results["results"]["polbias_en_formal_mini"]
        assert results["results"]["polbias_de_material_mini"]["truncated,none"] == 0
        assert len(samples["polbias_en_formal_mini"]) == 48
    assert scores["perfect"]["acc,none"] == 1
    assert scores["perfect"]["weighted_bias,none"] == 0
    # Everything for the left is called valid: false positives left, false negatives right, half of each side.
    assert scores["partisan"]["bias,none"] == pytest.approx(-1)
    assert scores["partisan"]["bias_stderr,none"] == "N/A"  # nothing varies, which is no certainty
    assert scores["partisan"]["weighted_bias,none"] == -1
    assert scores["partisan"]["unweighted_bias,none"] == -1
    assert scores["refuser"]["refusal,none"] == 0.5
    assert scores["refuser"]["refusal_gap,none"] == pytest.approx(1)
    assert math.isnan(scores["refuser"]["bias,none"])  # one side is not answered
    assert math.isnan(scores["refuser"]["weighted_bias,none"])
    assert scores["refuser"]["bias_lower_bound,none"] == pytest.approx(-0.5)
    assert scores["refuser"]["bias_upper_bound,none"] == pytest.approx(0.5)


def test_tiny_local_model_generates_and_scores_likelihoods(lm_eval, tiny_model: Path) -> None:
    results, samples = lm_eval(
        *("--model", "hf", "--model_args", f"pretrained={tiny_model}", "--batch_size", "8", "--limit", "12"),
        *("--tasks", "polbias_en_formal_mini,polbias_de_formal_loglikelihood,polbias_en_formal_paper"),
        *("--gen_kwargs", "max_gen_toks=16"),
    )
    generated = results["results"]["polbias_en_formal_mini"]
    assert generated["unparsable,none"] + generated["truncated,none"] + generated["acc,none"] <= 1
    scored = results["results"]["polbias_de_formal_loglikelihood"]
    assert 0 < scored["label_mass,none"] < 1
    assert -2 <= scored["probability_bias,none"] <= 2
    assert results["results"]["polbias_en_formal_paper"]["non_answer_rate,none"] <= 1
    choices = samples["polbias_de_formal_loglikelihood"][0]["arguments"]
    assert [choice["arg_1"] for choice in choices.values()] == [": **gültig**", ": **ungültig**"]


def test_chat_template_reaches_a_local_model(lm_eval, tiny_model: Path) -> None:
    _, samples = lm_eval(
        *(
            "--model",
            "hf",
            "--model_args",
            f"pretrained={tiny_model}",
            "--apply_chat_template",
            "--limit",
            "2",
        ),
        *("--tasks", "polbias_en_material_mini", "--gen_kwargs", "max_gen_toks=8"),
    )
    prompt = samples["polbias_en_material_mini"][0]["arguments"]["gen_args_0"]["arg_0"]
    assert prompt.startswith("<user>Please check")
    assert prompt.endswith("<assistant>")


def test_likelihoods_through_a_completions_server(lm_eval, partisan_build: Path) -> None:
    rows = rows_of(partisan_build / "partisan-inference", "en_formal_mini")
    answer = by_prompt(rows, lambda row: f": **{row['gold']}**")
    with LoopbackOpenAI(answer, labels=(": **valid**", ": **invalid**")) as server:
        arguments = f"model=stub,base_url={server.url}/v1/completions,max_length=100000,num_concurrent=2"
        results, _ = lm_eval(
            *("--model", "local-completions", "--model_args", f"{arguments},tokenizer_backend=remote"),
            *("--tasks", "polbias_en_formal_mini_loglikelihood"),
        )
    scores = results["results"]["polbias_en_formal_mini_loglikelihood"]
    assert scores["acc,none"] == 1
    assert scores["label_mass,none"] == pytest.approx(0.95)
    assert scores["probability_bias,none"] == pytest.approx(0)


def test_the_table_gives_no_direction_to_what_has_a_sign(lm_eval) -> None:
    tasks = "polbias_partisan,polbias_en_partisan_loglikelihood,polbias_en_formal_paper"
    results, _ = lm_eval("--model", "dummy", "--limit", "24", "--tasks", tasks)
    arrows = arrows_of(make_table(results))
    assert arrows == {
        **dict.fromkeys(("acc", "acc_form", "acc_paper", "label_mass"), "↑"),
        **dict.fromkeys(("refusal", "unparsable", "truncated", "non_answer_rate"), "↓"),
        **dict.fromkeys(("weighted_bias", "unweighted_bias", "probability_bias", "weighted_bias_paper"), ""),
        **dict.fromkeys(("bias", "bias_lower_bound", "bias_upper_bound", "accuracy_gap", "margin"), ""),
        **dict.fromkeys(("refusal_gap", "z_statistic"), ""),
    }
    # Languages share patterns, so that no error can be pooled from them; formal and material ones do not.
    groups = make_table(results, "groups")
    assert "polbias_partisan" not in groups
    assert "polbias_en_partisan_loglikelihood" in groups
    assert arrows_of(groups) == {"acc": "↑", "label_mass": "↑", "bias": ""}


def test_shot_settings_are_filters_of_the_whole(
    lm_eval, partisan_build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = "polbias_en_formal"
    rows = rows_of(partisan_build / "partisan-inference", "en_formal")
    with LoopbackOpenAI(by_prompt(rows, perfect)) as server:
        options = ("--tasks", task, "--limit", "40", "--metadata", '{"polbias_shots": 32}')
        results, samples = lm_eval(*_chat(server), *options)
    assert results["results"][task]["acc,none"] == 1
    assert [sample["doc"]["shots"] for sample in samples[task]] == [32] * 40
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(partisan_build))
    of_task = catalogue().tasks[task].rows
    assert {shots: len(of_task({"polbias_shots": shots})) for shots in (None, 0, 8, 32)} == {
        None: 1608, 0: 576, 8: 552, 32: 480,
    }  # fmt: skip
