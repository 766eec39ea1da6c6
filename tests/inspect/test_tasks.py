"""Inspect's tasks: the same figures as lm_eval's on the same answers, and what only Inspect says."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pytest

pytest.importorskip("inspect_ai")

from inspect_ai import eval as ask
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ContentReasoning,
    ModelOutput,
    get_model,
)
from typer.testing import CliRunner

from polbias.cli.main import app
from polbias.errors import InputError
from polbias.eval.report.file_answers import read_file
from polbias.eval.samples import SampleFile, find_sample_files, first_row
from polbias.eval.simulation.prompt_index import build_prompt_index
from polbias.eval.simulation.respondents import make_respondent
from polbias.eval.simulation.server import OpenAIProtocol, SimulationServer
from polbias.experiments.demonstration import demonstration, write_choices
from polbias.lm_eval_runner.tasks import catalogue
from polbias.registry import dataset_names, instrument_of
from tests.lm_eval_runner.conftest import results_of

WHO = make_respondent("planted", effect=0.3, accuracy=0.8, unparsable=0.1)
LIMIT = 8
TASKS = (
    "en_formal_mini",
    "en_material_paper",
    "deontic_logic_zero",
    "wason",
    "policy_stance_mini",
    "xphemism_mini",
    "selfassess_preference_mini",
)


Asked = Mapping[str, tuple[EvalLog, Mapping[str, float]]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where both write what they leave behind."""
    return tmp_path_factory.mktemp("inspect")


@pytest.fixture(scope="module")
def asked(all_builds: Path, folder: Path) -> Asked:
    """The log of Inspect and the figures of lm_eval for every task."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLBIAS_DATA_DIR", str(all_builds))
        choices = write_choices(demonstration(), folder)
        patch.setenv("POLBIAS_STAGE2", str(choices))
        small = [name for name in dataset_names() if not name.endswith("-xl")]
        known = build_prompt_index(all_builds, WHO, datasets=small, files=[choices])
        with SimulationServer(OpenAIProtocol(known, "simulated")) as server:
            model = get_model("openai-api/local/simulated", base_url=f"{server.url}/v1", api_key="none")
            # one request at a time: the server's nth answer to a prompt is then that of the nth epoch
            options = {"limit": LIMIT, "log_dir": str(folder), "max_connections": 1, "display": "none"}
            logs = ask([f"polbias/{name}" for name in TASKS], model, **options)
            told = f"model=simulated,base_url={server.url}/v1/chat/completions"
            done = CliRunner().invoke(
                app,
                [
                    *(
                        "eval",
                        "--model",
                        "local-chat-completions",
                        "--model_args",
                        told,
                        "--limit",
                        str(LIMIT),
                    ),
                    *("--tasks", ",".join(f"polbias_{name}" for name in TASKS), "--output_path", str(folder)),
                    *("--no-cache", "--no-report"),
                ],
            )
        assert done.exception is None, done.output
        made = results_of(folder)
    found = {}
    for log in logs:
        name = log.eval.task.removeprefix("polbias/")
        own = made["higher_is_better"][f"polbias_{name}"]
        figures = made["results"][f"polbias_{name}"]
        found[name] = (
            log,
            {
                key.split(",")[0]: value
                for key, value in figures.items()
                if key.split(",")[0] in own and isinstance(value, float | int) and math.isfinite(value)
            },
        )
    return found


@pytest.mark.parametrize("name", TASKS)
def test_figures_are_those_of_lm_eval(asked: Asked, name: str) -> None:
    log, expected = asked[name]
    assert log.status == "success", log.error
    assert log.results is not None
    found = {key: metric.value for key, metric in log.results.scores[0].metrics.items()}
    assert found.keys() == expected.keys()
    assert len(found) > 3
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, abs=1e-12), key


@pytest.fixture
def both(asked: Asked, folder: Path) -> Mapping[tuple[str, str], SampleFile]:
    """What either left behind, by task and kind of file."""
    found = find_sample_files([folder], newest=False)
    assert {file.model for file in found} == {"simulated", folder.name}
    return {(file.task, file.path.suffix): file for file in found if file.model == "simulated"}


@pytest.mark.parametrize("name", TASKS)
def test_its_logs_are_read_as_samples_of_lm_eval_are(
    both: Mapping[tuple[str, str], SampleFile], name: str
) -> None:
    files = [both[f"polbias_{name}", suffix] for suffix in (".eval", ".jsonl")]
    read, expected = (read_file(file, instrument_of(first_row(file.path)) or "") for file in files)
    assert read.samples == expected.samples > 0
    assert (read.metadata.expected, read.metadata.available) == (
        expected.metadata.expected,
        expected.metadata.available,
    )
    assert read.metadata.task_version == expected.metadata.task_version
    assert not [notice for notice in read.notices if notice.serious]
    one, other = (file.outcomes.sort_values(["id", "repeat"], ignore_index=True) for file in (read, expected))
    pd.testing.assert_frame_equal(one, other)
    assert {*read.outcomes["filtered"]} == {False}


@pytest.mark.usefixtures("no_figures")
def test_a_report_mixes_both(both: Mapping[tuple[str, str], SampleFile], tmp_path: Path) -> None:
    made = {}
    for name, logs in (("lm_eval", ()), ("mixed", TASKS[::2])):
        paths = [both[f"polbias_{task}", ".eval" if task in logs else ".jsonl"].path for task in TASKS]
        done = CliRunner().invoke(app, ["report", *map(str, paths), "-o", str(tmp_path / name)])
        assert done.exit_code == 0, done.output
        made[name] = json.loads((tmp_path / name / "summary.json").read_text("utf-8"))
    assert made["mixed"]["respondents"] == made["lm_eval"]["respondents"]
    assert len(made["mixed"]["findings"]) > 10
    assert made["mixed"]["findings"] == made["lm_eval"]["findings"]


def test_a_damaged_log_is_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "2026-11-23T10-00-00_en-formal_x.eval"
    for content in (b"", b"PK\x03\x04 no archive", b"{}"):
        path.write_bytes(content)
        with pytest.raises(InputError, match=path.name):
            find_sample_files([tmp_path])


def test_every_generating_task_is_there() -> None:
    import polbias.inspect.tasks as tasks

    writing = [name for name, task in catalogue().tasks.items() if not task.is_loglikelihood]
    assert len(writing) > 50
    assert all(callable(getattr(tasks, name.removeprefix("polbias_"))) for name in writing)


@pytest.mark.parametrize(
    "parameter", ["shots", "polbias_shost", "polbias_prompts", "polbias_first_seed", "polbias_config"]
)
def test_a_parameter_that_a_task_does_not_read_is_an_error(parameter: str) -> None:
    import polbias.inspect.tasks as tasks

    with pytest.raises(InputError, match=parameter):
        tasks.en_formal_mini(**{parameter: 1})


def output(text: str, reason: str, thoughts: str = "") -> ModelOutput:
    content = [ContentReasoning(reasoning=thoughts), text] if thoughts else text
    return ModelOutput(
        model="m",
        choices=[
            ChatCompletionChoice(message=ChatMessageAssistant(content=content), stop_reason=reason)  # type: ignore[arg-type]
        ],
    )


def test_refusals_of_the_provider_and_cuts_are_outcomes(
    partisan_build: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(partisan_build))
    said = [
        output("", "content_filter"),
        output("", "max_tokens"),
        output("**valid**", "stop"),
        output("", "stop"),
    ]
    monkeypatch.setattr(
        "inspect_ai.model._providers.mockllm.MockLLM.count_text_tokens", _nothing, raising=False
    )
    (log,) = ask(
        "polbias/en_formal_mini",
        get_model("mockllm/model", custom_outputs=said),
        limit=4,
        log_dir=str(tmp_path),
        display="none",
    )
    assert log.status == "success", log.error
    found = {key: metric.value for key, metric in log.results.scores[0].metrics.items()}  # type: ignore[union-attr]
    assert [found[name] for name in ("refusal", "truncated", "unparsable")] == [0.25, 0.25, 0.25]


async def _nothing(*_: object) -> int:
    return 0
