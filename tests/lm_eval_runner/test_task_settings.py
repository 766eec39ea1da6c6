"""Settings in --metadata: a key that no task reads, or that the selected tasks do not read, is an error."""

from __future__ import annotations

import json
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from lm_eval.api.task import ConfigurableTask
from lm_eval.tasks import TaskManager

from polbias.errors import InputError
from polbias.lm_eval_runner.tasks import catalogue, import_task_function
from polbias.registry import import_reference, instruments, task_folders
from tests.lm_eval_runner.conftest import Evaluate, chat
from tests.support.openai_server import LoopbackOpenAI

MINI = "polbias_en_formal_mini"
POLICY = "polbias_policy_stance_de"
REJECTED = [
    (MINI, {"polbias_shost": 8}, "polbias_shots"),
    (MINI, {"polbias_pars": 8}, "polbias_pairs"),
    (POLICY, {"polbias_souce": "policy-statements/de"}, "polbias_source"),
    (POLICY, {"polbias_sample": 4}, "polbias_samples"),
    (MINI, {"polbias_prompts": "tested"}, "polbias_prompts"),
    (POLICY, {"polbias_shots": 8}, "polbias_shots"),
    (POLICY, {"polbias_config": "at"}, "polbias_config"),
    ("polbias_xl_us_en_formal_mini", {"polbias_pairs": 4}, "48"),
    ("polbias_selfassess_generate_mini", {"polbias_ways": 2}, "polbias_ways"),
]
"""Task, its metadata, and what the message names."""


def refused(done: Result) -> str:
    assert isinstance(done.exception, InputError), done.output
    assert "\n" not in str(done.exception)
    return str(done.exception)


@pytest.mark.parametrize(("task", "metadata", "named"), REJECTED)
def test_a_setting_that_a_task_does_not_read_is_an_error_before_a_request(
    evaluate: Evaluate, task: str, metadata: dict[str, Any], named: str
) -> None:
    with LoopbackOpenAI(lambda prompt: "valid") as server:
        done = evaluate(*chat(server.url), "--tasks", task, "--metadata", json.dumps(metadata))
        assert not server.count
    message = refused(done)
    assert named in message
    assert next(iter(metadata)) in message
    assert task in message


@pytest.mark.parametrize(("task", "metadata", "named"), REJECTED)
def test_lm_eval_itself_rejects_it_too(task: str, metadata: dict[str, Any], named: str) -> None:
    """Its metadata has the arguments of the model, which are no settings."""
    manager = TaskManager(
        include_path=task_folders(), include_defaults=False, metadata={"pretrained": "m", **metadata}
    )
    with pytest.raises(InputError) as error:
        manager.load([task])
    assert named in str(error.value)


def test_only_settings_that_the_task_reads_are_suggested(evaluate: Evaluate) -> None:
    metadata = ["--metadata", '{"polbias_prompt": "tested"}']
    assert "polbias_prompts" not in refused(evaluate("--cost", "--tasks", MINI, *metadata))


def test_an_estimate_of_costs_and_exported_prompts_reject_it(command: Evaluate, evaluate: Evaluate) -> None:
    metadata = ["--metadata", '{"polbias_prompts": "tested"}']
    assert "polbias_prompts" in refused(evaluate("--cost", "--tasks", MINI, *metadata))
    assert "polbias_prompts" in refused(command("prompts", MINI, "-o", "prompts.csv", *metadata))
    assert not Path("prompts.csv").exists()


def test_samples_of_tasks_that_are_not_sampled_are_an_error(command: Evaluate, evaluate: Evaluate) -> None:
    metadata = ["--metadata", '{"polbias_samples": 2}']
    for done in (
        evaluate("--cost", "--tasks", MINI, *metadata),
        command("prompts", MINI, "-o", "prompts.csv", *metadata),
        evaluate("--cost", "--tasks", "polbias_policy_stance_loglikelihood", *metadata),
    ):
        assert "polbias_samples" in refused(done)


def test_tasks_with_and_without_samples_run_with_one_metadata(
    partisan_build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(partisan_build))
    manager = TaskManager(
        include_path=task_folders(), include_defaults=False, metadata={"polbias_samples": 2}
    )
    assert [*manager.load([MINI])["tasks"]] == [MINI]


@pytest.mark.parametrize("instrument", instruments())
def test_every_declared_setting_is_read_and_every_loader_is_declared(instrument: str) -> None:
    for reader, keys in instruments()[instrument].row_settings.items():
        assert {*keys} <= {*signature(import_reference(reader)).parameters}
    for reader in instruments()[instrument].request_settings:
        assert issubclass(import_reference(reader), ConfigurableTask)
    declared = {import_reference(reader) for known in instruments().values() for reader in known.row_settings}
    for task in catalogue().tasks.values():
        assert import_task_function(task.settings["custom_dataset"], task.name) in declared


def test_a_loader_of_a_user_may_read_any_setting(
    tmp_path: Path, partisan_build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(partisan_build))
    (tmp_path / "rows.py").write_text(
        "from polbias.eval.data import load_task_rows\n"
        "def load(*, polbias_half, **settings):\n    return load_task_rows(**settings)\n",
        "utf-8",
    )
    file = tmp_path / "mine.yaml"
    base = task_folders()[0] / "partisan" / f"{MINI}.yaml"
    file.write_text(f"include: {base}\ntask: mine\ncustom_dataset: !function rows.load\n", "utf-8")
    metadata = {"polbias_half": True}
    manager = TaskManager(include_path=[tmp_path], include_defaults=False, metadata=metadata)
    assert [*manager.load(["mine"])["tasks"]] == ["mine"]


def test_a_limited_run_beside_a_full_one_says_that_the_report_leaves_it_out(evaluate: Evaluate) -> None:
    with LoopbackOpenAI(lambda prompt: "valid") as server:
        options = [*chat(server.url), "--tasks", MINI]
        full = evaluate(*options, report=True)
        limited = evaluate(*options, "--limit", "8", report=True)
    (first, second) = sorted(path.name for path in Path("polbias-results").rglob("samples_*.jsonl"))
    assert second not in full.output
    first_time, second_time = (name.rpartition("_")[2].removesuffix(".jsonl") for name in (first, second))
    (line,) = (line for line in limited.output.splitlines() if second_time in line)
    assert first_time in line
    summary = json.loads(next(Path("polbias-results").rglob("summary.json")).read_text("utf-8"))
    assert [source["rows"] for source in summary["sources"]] == [48]


def test_git_says_nothing_outside_a_repository(evaluate: Evaluate, capfd: pytest.CaptureFixture[str]) -> None:
    with LoopbackOpenAI(lambda prompt: "valid") as server:
        done = evaluate(*chat(server.url), "--tasks", MINI, "--limit", "2")
    assert done.exception is None, done.output
    assert "git" not in capfd.readouterr().err
