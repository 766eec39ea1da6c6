"""Respondents: runs of one model that differ are compared, and each has a short name."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from polbias.errors import InputError
from polbias.eval.report.build import build_report
from polbias.eval.report.reporter import ReportSettings
from polbias.eval.report.respondents import identifying_settings, name_respondents
from polbias.eval.report.wording import report_words
from polbias.eval.samples import SampleFile
from tests.report.runs import simulate


def names(*runs: Mapping[str, Any], model: str = "m", task: str = "t") -> list[str]:
    """Names of the respondents of runs of one model with such results."""
    files = [
        (SampleFile(model, task, str(number), Path(f"{number}.jsonl")), identifying_settings(results))
        for number, results in enumerate(runs)
    ]
    return [file.respondent for file in name_respondents(files, {})]


def of(model_args: object = None, gen_kwargs: object = None, **more: object) -> dict[str, Any]:
    return {"config": {"model_args": model_args, "gen_kwargs": gen_kwargs}, **more}


@pytest.mark.parametrize(
    ("other", "name"),
    [
        (of("pretrained=m,enable_thinking=True"), "m (thinking)"),
        (of({"enable_thinking": False}), "m (no thinking)"),
        (of({"chat_template_args": {"enable_thinking": True}}), "m (thinking)"),
        (of(None, {"chat_template_kwargs": {"enable_thinking": False}}), "m (no thinking)"),
        (of(None, {"reasoning_effort": "high"}), "m (thinking high)"),
        (of(None, {"thinking": {"type": "enabled", "budget_tokens": 4096}}), "m (thinking 4096)"),
        (of(None, {"thinking": {"type": "disabled"}}), "m (no thinking)"),
        (of(None, "temperature=0.7"), "m (temperature 0.7)"),
        (of(None, {"temperature": 0}), "m (temperature 0)"),
        (of("pretrained=m,revision=v2"), "m (revision v2)"),
        (of("pretrained=m,load_in_4bit=True"), "m (4-bit)"),
        (of({"quantization": "awq"}), "m (awq)"),
        (of(system_instruction_sha="3fa9c1d2"), "m (system prompt)"),
        (of(chat_template_sha="ab12cd34"), "m (template)"),
        (
            of({"enable_thinking": True, "revision": "v2"}, {"temperature": 1}),
            "m (thinking, temperature 1, revision v2)",
        ),
    ],
)
def test_a_run_that_differs_is_named_by_what_differs(other: Mapping[str, Any], name: str) -> None:
    assert names(of("pretrained=m"), other) == ["m", name]
    assert names(other, other) == ["m", "m"]


def test_what_is_no_setting_of_the_model_tells_no_runs_apart() -> None:
    same = [of(f"pretrained=m,batch_size={size},revision=main,load_in_4bit=False") for size in (1, 8)]
    assert names(*same, {}, of(7, ["x"])) == ["m"] * 4


def test_the_routes_of_a_model_are_told_apart() -> None:
    chat, log = ({"config": {"model": route}} for route in ("local-chat-completions", "Inspect"))
    assert names(chat, log, {}) == ["m (local-chat-completions)", "m (Inspect)", "m"]
    assert names(chat, chat) == names(log, log) == ["m", "m"]
    files = [
        (SampleFile("m", task, "", Path(task)), identifying_settings(route))
        for task, route in zip("ab", (chat, log), strict=True)
    ]
    assert [file.respondent for file in name_respondents(files, {})] == ["m", "m"]  # no task has several
    warm = {"config": {"model": "Inspect", "gen_kwargs": {"temperature": 1}}}
    assert names(chat, warm) == ["m (local-chat-completions)", "m (Inspect, temperature 1)"]


def test_two_prompts_are_told_apart() -> None:
    found = names(*(of(system_instruction_sha=sha) for sha in ("3fa9c1d2", "ab12cd34")))
    assert found == ["m (system prompt 3fa9c1)", "m (system prompt ab12cd)"]


def test_a_path_is_shown_as_its_last_part() -> None:
    assert names({}, model="__data__models__Qwen3-8B") == ["Qwen3-8B"]
    assert names({}, model="Qwen__Qwen3-8B") == ["Qwen__Qwen3-8B"]
    assert names({}, model="..__ckpt__7", task="t_loglikelihood") == ["7 (log-likelihood)"]
    files = [
        (SampleFile(f"__runs__{each}__final", "t", "", Path(f"{each}.jsonl")), {}) for each in ("a", "b")
    ]
    assert [file.respondent for file in name_respondents(files, {})] == [
        "__runs__a__final",
        "__runs__b__final",
    ]


@pytest.fixture
def two_runs(tmp_path: Path, data: Path) -> tuple[Path, Path]:
    """One model without and with a temperature, the second run under another folder."""
    plain = simulate(tmp_path / "plain", "model-a")
    warm = simulate(tmp_path / "warm", "model-a", seed=1)
    for path in warm.glob("results_*.json"):
        results = json.loads(path.read_text("utf-8"))
        results["config"]["gen_kwargs"] = {"temperature": 0.7}
        path.write_text(json.dumps(results), "utf-8")
    return plain, warm


def test_runs_of_one_model_are_compared_and_not_dropped(two_runs: tuple[Path, Path]) -> None:
    report = build_report(two_runs).report
    assert [each.name for each in report.respondents] == ["model-a", "model-a (temperature 0.7)"]
    assert {each.model for each in report.respondents} == {"model-a"}
    assert {each.answers for each in report.respondents} == {48}
    assert {each.method for each in report.respondents} == {"generated"}
    assert {(each.first, each.second) for each in report.comparisons} == {
        ("model-a", "model-a (temperature 0.7)")
    }
    assert not [
        notice for notice in report.notices if notice.action == report_words().notices["files_left_out"]
    ]


def test_a_name_overrides(two_runs: tuple[Path, Path]) -> None:
    plain, warm = two_runs
    report = build_report(two_runs, ReportSettings(names={warm: "warm"})).report
    assert [each.name for each in report.respondents] == ["model-a", "warm"]
    one = build_report(two_runs, ReportSettings(names={plain: "both", warm: "both"})).report
    assert [each.name for each in one.respondents] == ["both"]
    assert [notice for notice in one.notices if notice.action == report_words().notices["files_left_out"]]
    with pytest.raises(InputError, match="--name"):
        build_report([plain], ReportSettings(names={warm: "warm"}))


def test_the_same_run_again_is_older(two_runs: tuple[Path, Path]) -> None:
    plain, _ = two_runs
    for path in [*plain.iterdir()]:
        shutil.copy(path, path.with_name(path.name.replace("2000-01-01", "2026-01-01")))
    report = build_report([plain]).report
    assert [each.name for each in report.respondents] == ["model-a"]
    assert [notice for notice in report.notices if "older run" in notice.problem]
