"""The normative tasks through lm_eval itself: a server on loopback with simulated models, and a tiny local one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from lm_eval.utils import make_table

from polbias.eval.accuracy import accuracy
from polbias.eval.answer_frames import codes_of
from polbias.eval.normative.answers import entailment_answers, extract_label
from tests.eval.normative.normative_rows import CONFIGS
from tests.support.openai_server import LoopbackOpenAI
from tests.support.process import run_polbias
from tests.support.released_normative import make
from tests.support.respondents import by_prompt, follows_content, matches, rows_of
from tests.tasks.conftest import arrows_of

pytestmark = pytest.mark.e2e


def _rows(build: Path, suffix: str) -> list[dict[str, Any]]:
    folder = build / "normative-reasoning"
    return [row for name in (*(c + suffix for c in CONFIGS), "wason") for row in rows_of(folder, name)]


def _mixed(row: Mapping[str, Any]) -> str:
    """Be another respondent in every config, in the manner of its prompt style."""
    if row["config"] == "wason":
        return matches(row)
    if row["config"] == "epistemic_syllogism":
        return "I'm sorry, but I can't help with that."
    if row["config"] == "epistemic_logic":
        return "To see whether the hypothesis follows from it we have to look closely at the"
    label = follows_content(row) if row["config"] == "deontic_logic" else "entailment"
    if row["prompt_style"] == "cot":
        steps = "First we restate the premise, then the hypothesis; there is more to say about both of them. "
        return f"{steps * 8}\n\n{label}"
    return f"**{label.capitalize()}**"


def test_chat_server_over_the_group_of_the_papers_tasks(
    lm_eval_normative: Any, small_normative_build: Path
) -> None:
    rows = _rows(small_normative_build, "")
    with LoopbackOpenAI(by_prompt(rows, _mixed)) as server:
        arguments = f"model=stub,base_url={server.url}/v1/chat/completions,num_concurrent=4,max_retries=2"
        results, samples = lm_eval_normative(
            *("--model", "local-chat-completions", "--model_args", arguments, "--apply_chat_template"),
            *("--tasks", "polbias_normative_paper,polbias_wason"),
        )
        assert server.count == len(rows)
        limits = {body.get("max_completion_tokens") or body["max_tokens"] for body in server.bodies}
    assert limits == {10, 32, 2048}
    found = results["results"]
    arrows = arrows_of(make_table(results))
    assert (arrows["content_effect"], arrows["acc"], arrows["matching"]) == ("", "↑", "↓")
    assert len(samples) == 13
    for style in ("zero", "few", "cot"):
        logic = found[f"polbias_deontic_logic_{style}_paper"]
        assert len(samples[f"polbias_deontic_logic_{style}_paper"]) == 40
        assert (logic["content_effect,none"], logic["content_effect_stderr,none"]) == (1, "N/A")
        assert logic["consistency,none"] == 1
        assert logic["consistency_expected,none"] == pytest.approx(5 / 9)
        # right on 12 of 40; by standard deontic logic also where it denies the paper's gold, and not on FC
        assert (logic["acc,none"], logic["acc_sdl,none"]) == (0.3, 0.5)
        assert logic["acc_stderr,none"] > 0
        same = found[f"polbias_deontic_syllogism_{style}_paper"]
        assert same["acc,none"] == 0.5
        assert math.isnan(same["content_effect,none"])  # who always says the same
        assert same["consistency,none"] == same["consistency_expected,none"] == 1
        assert "acc_sdl,none" not in same
        assert found[f"polbias_epistemic_syllogism_{style}_paper"]["refusal,none"] == 1
        assert found[f"polbias_epistemic_logic_{style}_paper"]["truncated,none"] == 1
    wason = found["polbias_wason"]
    assert (wason["acc,none"], wason["card_acc,none"], wason["matching,none"]) == (0.25, 0.5, 1)
    assert wason["content_effect,none"] == 0
    assert "acc,none" not in found["polbias_deontic_logic_paper"]
    metadata = results["configs"]["polbias_deontic_logic_zero_paper"]["metadata"]
    assert metadata["always_entailment"] == 0.5625
    # the logged samples are all that the analysis needs
    logged = [
        sample["doc"] | {"label": extract_label(sample["filtered_resps"][0])}
        for name, task in samples.items()
        if "wason" not in name
        for sample in task
    ]
    answers = entailment_answers(logged)
    by_domain = {"domain": answers["domain"]}
    deontic, epistemic = accuracy(codes_of(answers["label"]), codes_of(answers["gold"]), by_domain)
    assert deontic.n + epistemic.n == len(rows) - len(samples["polbias_wason"])
    assert epistemic.refusals == epistemic.truncated == 72
    assert (epistemic.correct, deontic.refusals, deontic.truncated) == (0, 0, 0)


def test_tiny_local_model_generates_and_scores_likelihoods(lm_eval_normative: Any, tiny_model: Path) -> None:
    results, samples = lm_eval_normative(
        *("--model", "hf", "--model_args", f"pretrained={tiny_model}", "--batch_size", "8", "--limit", "2"),
        *("--tasks", "polbias_epistemic_logic_zero,polbias_wason,polbias_normative_loglikelihood"),
        *("--gen_kwargs", "max_gen_toks=8"),
    )
    found = results["results"]
    generated = found["polbias_epistemic_logic_zero"]
    assert generated["unparsable,none"] + generated["truncated,none"] + generated["acc,none"] <= 1
    assert len(samples) == 2 + 4 * 2 + 1
    for config in CONFIGS:
        scored = found[f"polbias_{config}_few_loglikelihood"]
        assert 0 < scored["label_mass,none"] < 1
        assert 0 < scored["gold_probability,none"] < 1
    assert 0 < found["polbias_wason_loglikelihood"]["label_mass,none"] < 1

    def continuations(task: str) -> list[str]:
        return [each["arg_1"] for each in samples[task][0]["arguments"].values()]

    assert continuations("polbias_deontic_logic_zero_loglikelihood") == [" entailment", " non-entailment"]
    assert continuations("polbias_wason_loglikelihood")[:2] == [" A, B", " A, C"]


def test_likelihoods_through_a_completions_server(
    lm_eval_normative: Any, small_normative_build: Path
) -> None:
    rows = _rows(small_normative_build, "_balanced")
    answer = by_prompt(rows, lambda row: row["gold"].replace(",", ", "))
    labels = [" entailment", " non-entailment", *(f" {a}, {b}" for a in "ABC" for b in "BCD" if a < b)]
    with LoopbackOpenAI(answer, labels=labels) as server:
        arguments = f"model=stub,base_url={server.url}/v1/completions,max_length=100000,num_concurrent=2"
        results, _ = lm_eval_normative(
            *("--model", "local-completions", "--model_args", f"{arguments},tokenizer_backend=remote"),
            *("--tasks", "polbias_deontic_logic_few_loglikelihood,polbias_wason_loglikelihood"),
        )
    logic = results["results"]["polbias_deontic_logic_few_loglikelihood"]
    assert (logic["acc,none"], logic["content_effect,none"], logic["consistency,none"]) == (1, 0, 1)
    assert "acc_sdl,none" not in logic  # no disjunctions, of which standard deontic logic has it otherwise
    assert logic["label_mass,none"] == pytest.approx(0.95)
    assert logic["gold_probability,none"] == pytest.approx(0.9 / 0.95)
    wason = results["results"]["polbias_wason_loglikelihood"]
    assert (wason["acc,none"], wason["card_acc,none"]) == (1, 1)
    assert wason["label_mass,none"] == 1  # .9 and five times .05, cut at 1


def test_imported_items_have_tasks_and_a_report(lm_eval_normative: Any, tmp_path: Path) -> None:
    builds = tmp_path / "builds"
    run_polbias("author", "import", "normative", *make(tmp_path / "copy"), "-o", builds)
    rows = rows_of(builds / "normative-published", "deontic_logic")
    environment = {"POLBIAS_DATA_DIR": str(builds), "POLBIAS_ACCEPT_BUILD": "1"}
    with LoopbackOpenAI(by_prompt(rows, follows_content)) as server:
        arguments = f"model=stub,base_url={server.url}/v1/chat/completions,num_concurrent=4,max_retries=2"
        results, samples = lm_eval_normative(
            *("--model", "local-chat-completions", "--model_args", arguments, "--apply_chat_template"),
            *("--tasks", "polbias_deontic_logic_paper", "--metadata"),
            '{"polbias_source": "normative-published"}',
            env=environment,
        )
        assert server.count == len(rows) == 18
    found = results["results"]["polbias_deontic_logic_few_paper"]
    assert found["acc,none"] == pytest.approx(1 / 3)  # right about congruent contents only
    assert found["content_effect,none"] == 1
    (log,) = tmp_path.rglob("samples_polbias_deontic_logic_zero_paper_*.jsonl")
    run_polbias("report", log.parent, "-o", tmp_path / "report", "--tables-only")
    tables = {path.stem: path.read_text("utf-8") for path in (tmp_path / "report").rglob("*.csv")}
    assert "stub" in tables["normative-table5"]
    assert len(samples) == 3
