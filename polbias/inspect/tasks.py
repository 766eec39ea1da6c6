"""Inspect tasks, one for every lm_eval task of polbias that lets a model write.

Rows, generation settings, the function that scores an answer and the aggregations are read from the task
files of lm_eval, so that every metric has the same figure there on the same answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
)
from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    ScoreReducer,
    Target,
    Value,
    metric,
    score_reducer,
    scorer,
)
from inspect_ai.solver import TaskState, generate

from polbias import __version__
from polbias.aliases import Document, Json
from polbias.eval.inspect_logs import TOOLKIT
from polbias.eval.lm_eval_metrics import metric_lines, metric_values
from polbias.lm_eval_runner import tasks as harness
from polbias.lm_eval_runner.responses import inspect_response
from polbias.responses import Response

_PREFIX = "polbias_"
_TURNS = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
_catalogue = harness.catalogue()


@scorer(metrics=[])
def reader(name: str) -> Scorer:
    """Read the verdict of an answer.

    Args:
        name: of the lm_eval task.
    """
    process, _ = _scoring(name)

    async def score(state: TaskState, target: Target) -> Score:
        text = inspect_response(state.output)
        read = process(state.metadata, [text])
        value = {each: float(found) for each, found in read.items() if isinstance(found, int | float)}
        return Score(value=value, answer=str(text), metadata=_logged([text]))

    return score


@metric
def estimates(name: str) -> Metric:
    """All metrics of an lm_eval task with their errors; one that the answers do not carry is left out.

    Args:
        name: of the lm_eval task.
    """
    process, lines = _scoring(name)

    def compute(scores: list[SampleScore]) -> Value:
        read = [process(each.sample_metadata, _responses(each.score)) for each in scores]
        found: dict[str, float] = {}
        for line in lines:
            values = [row[line["metric"]] for row in read if line["metric"] in row]
            aggregate = _mean if line["aggregation"] == "mean" else line["aggregation"]
            value = aggregate(values) if values else None
            if isinstance(value, int | float) and math.isfinite(value):
                found[line["metric"]] = float(value)
        return found

    return compute


def _scoring(name: str) -> tuple[Callable[..., Json], list[Json]]:
    """How lm_eval scores an answer to a task: the values of its metrics, and the lines of these."""
    settings = _catalogue.tasks[name].settings
    score = harness.import_task_function(settings["process_results"], name)
    lines = [
        line | {"aggregation": harness.import_task_function(line["aggregation"], name)}
        if line["aggregation"] != "mean"
        else line
        for line in settings["metric_list"]
    ]
    if "class" in settings:
        lines = metric_lines(lines)
    return lambda doc, answers: metric_values(score(doc, answers), lines), lines


@score_reducer
def all_answers() -> ScoreReducer:
    """Keep all answers to a prompt, which are scored together."""

    def reduce(scores: list[Score]) -> Score:
        answers = [text for each in scores for text in _responses(each)]
        values = [each.as_dict() for each in scores]
        value = {name: _mean([float(each[name] or 0) for each in values]) for name in values[0]}
        return Score(value=value, answer=str(answers[0]), metadata=_logged(answers))

    return reduce


def _logged(responses: Sequence[Response]) -> dict[str, Any]:
    """What a log has of answers, which :mod:`polbias.eval.inspect_logs` reads."""
    return {"answers": [*map(str, responses)], "polbias": [response.metadata for response in responses]}


def _responses(score: Score) -> list[Response]:
    logged = score.metadata or {}
    return [*map(Response, logged["answers"], logged["polbias"])]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _samples(found: harness.TaskFile, settings: Document) -> Iterable[Sample]:
    prompt, prefill = found.settings["doc_to_text"], found.settings.get("gen_prefix")
    in_turns = settings.get("polbias_system", True) and _asks_in_turns(found)
    for row in found.rows(settings):
        given = row.get("messages") if in_turns else None
        turns: list[ChatMessage] = [_TURNS[turn["role"]](content=turn["content"]) for turn in given or ()]
        turns = turns or [ChatMessageUser(content=row[prompt])]
        if prefill and row[prefill]:
            turns.append(ChatMessageAssistant(content=row[prefill]))
        yield Sample(id=row["id"], input=turns, target=row.get("gold") or "", metadata=row)


def _asks_in_turns(found: harness.TaskFile) -> bool:
    """Whether lm_eval asks a chat the messages of a row, not its prompt."""
    from polbias.eval.lm_eval_task import ChatMessagesTask

    kind = found.settings.get("class")
    return kind is not None and issubclass(
        cast(type, harness.import_task_function(kind, found.name)), ChatMessagesTask
    )


def _task(found: harness.TaskFile) -> Callable[..., Task]:
    def make(**settings: Any) -> Task:
        asked = found.settings["generation_kwargs"]
        samples = int(settings.get("polbias_samples") or found.samples)
        return Task(
            dataset=MemoryDataset([*_samples(found, settings)], name=found.name),
            solver=generate(),
            scorer=reader(found.name),
            metrics=[estimates(found.name)],
            epochs=Epochs(samples, all_answers()),
            config=GenerateConfig(
                temperature=asked.get("temperature"),
                max_tokens=asked["max_gen_toks"],
                stop_seqs=asked.get("until") or None,
            ),
            version=str(found.settings["metadata"]["version"]),
            metadata={"polbias_task": found.name, TOOLKIT: __version__},
        )

    name = found.name.removeprefix(_PREFIX)
    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"The lm_eval task {found.name}; ``-T`` takes what its ``--metadata`` does."
    return task(name=name)(make)


globals().update(
    {
        name.removeprefix(_PREFIX): _task(found)
        for name, found in _catalogue.tasks.items()
        if not found.is_loglikelihood
    }
)
