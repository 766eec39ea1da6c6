"""`polbias compare` on logs of Inspect of a task that is none of ours."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

pytest.importorskip("inspect_ai")

from inspect_ai import Task
from inspect_ai import eval as ask
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    get_model,
)
from inspect_ai.scorer import Score, Scorer, Target, match, mean, scorer
from inspect_ai.solver import TaskState
from inspect_ai.tool import ToolChoice, ToolInfo

from polbias.errors import InputError
from polbias.eval.report.document import MetricDifference
from polbias.eval.report.run_comparison import compare_runs
from polbias.eval.samples import first_row, numbered_samples


@scorer(metrics={"length": [mean()], "even": [mean()]})
def counted() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        text = state.output.completion
        return Score(value={"length": len(text), "even": len(text) % 2 == 0})

    return score


def run(
    folder: Path, wrong: int, items: int = 24, epochs: int = 2, log_format: Literal["eval", "json"] = "eval"
) -> None:
    """Ask for doubles; every ``wrong``-th item is answered wrongly the first time that it is asked."""
    asked: dict[str, int] = {}

    def answer(
        input: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        text = input[-1].text
        asked[text] = asked.get(text, 0) + 1
        number = int(re.findall(r"\d+", text)[0])
        right = number % wrong != 0 or asked[text] > 1
        return ModelOutput.from_content("mockllm/model", str(2 * number if right else 1))

    samples = [
        Sample(
            id=f"double {n}",
            input=[ChatMessageSystem(content="Be brief."), ChatMessageUser(content=f"Double {n}.")],
            target=str(2 * n),
            metadata={"ten": n // 10},
        )
        for n in range(1, items + 1)
    ]
    (log,) = ask(
        Task(dataset=MemoryDataset(samples), scorer=[match(), counted()], epochs=epochs, name="doubles"),
        get_model("mockllm/model", custom_outputs=answer, memoize=False),
        log_dir=str(folder),
        log_format=log_format,
        display="none",
    )
    assert log.status == "success", log.error


async def nothing(*_: object) -> int:
    return 0


@pytest.fixture(autouse=True, scope="module")
def no_tokens() -> Iterator[None]:
    """The model that stands in counts tokens by a table from the net."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("inspect_ai.model._providers.mockllm.MockLLM.count_text_tokens", nothing, raising=False)
        yield


@pytest.fixture(scope="module")
def runs(no_tokens: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inspect-compare")
    run(folder / "a", wrong=2)
    run(folder / "b", wrong=3)
    return folder


def test_epochs_are_averaged_and_all_scorers_read(runs: Path) -> None:
    report = compare_runs(runs / "a", runs / "b")
    found = {each.measure: each for each in report.comparisons if isinstance(each, MetricDifference)}
    assert {*found} == {"match", "counted/length", "counted/even"}
    # A is right in one of two epochs on 12 of 24 items, B on 8
    assert found["match"].means == pytest.approx([(12 * 0.5 + 12) / 24, (8 * 0.5 + 16) / 24])
    assert found["match"].estimate.n == 24
    assert found["match"].instrument == "doubles"
    assert not [notice for notice in report.notices if notice.serious]


def test_clusters_are_columns_of_the_metadata(runs: Path) -> None:
    report = compare_runs(runs / "a", runs / "b", "ten")
    assert {each.estimate.clusters for each in report.comparisons} == {3}


def test_items_that_one_run_lacks_are_counted(runs: Path, tmp_path: Path) -> None:
    run(tmp_path / "c", wrong=3, items=20)
    found = compare_runs(runs / "a", tmp_path / "c").comparisons[0]
    assert isinstance(found, MetricDifference)
    assert (found.estimate.n, found.missing) == (20, [0, 4])


def test_logs_in_json_are_read_and_other_json_files_are_none(runs: Path, tmp_path: Path) -> None:
    run(tmp_path / "a", wrong=2, log_format="json")
    (path,) = (tmp_path / "a").iterdir()
    assert path.suffix == ".json"
    for name in ("results_2026-01-01T00-00-00.000000.json", "summary.json"):
        (tmp_path / "a" / name).write_text('{"results": {"doubles": {}}, "version": 2, "status": "success"}')
    found = compare_runs(tmp_path / "a", runs / "b").comparisons
    expected = compare_runs(runs / "a", runs / "b").comparisons
    assert [each.estimate for each in found] == [each.estimate for each in expected]


@pytest.mark.parametrize("log_format", ["json", "eval"])
def test_compressed_logs_are_read(log_format: Literal["eval", "json"], runs: Path, tmp_path: Path) -> None:
    run(tmp_path / "a", wrong=2, log_format=log_format)
    (path,) = (tmp_path / "a").iterdir()
    zipped = path.with_name(f"{path.name}.gz")
    zipped.write_bytes(gzip.compress(path.read_bytes()))
    row = first_row(path)
    path.unlink()
    (tmp_path / "a" / "summary.json.gz").write_bytes(gzip.compress(b'{"version": 2}'))
    (tmp_path / "a" / "other.json.gz").write_bytes(b"no gzip")
    assert first_row(zipped) == row != {}
    found = compare_runs(tmp_path / "a", runs / "b").comparisons
    expected = compare_runs(runs / "a", runs / "b").comparisons
    assert [each.estimate for each in found] == [each.estimate for each in expected]
    zipped.write_bytes(zipped.read_bytes()[:-50])
    with pytest.raises(InputError, match=zipped.name):
        compare_runs(zipped, runs / "b")


def test_answers_of_all_epochs_are_those_of_their_item(runs: Path) -> None:
    (path,) = (runs / "a").iterdir()
    read = {sample["doc_id"]: sample for _, sample in numbered_samples(path, [])}
    assert {*read} == {f"double {n}" for n in range(1, 25)}
    assert sorted(read["double 2"]["filtered_resps"]) == ["1", "4"]
