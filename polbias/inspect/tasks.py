"""Inspect tasks, one for every generative lm_eval task of polbias.

Rows, generation settings, the scoring function and the aggregations are read from the task files of lm_eval,
so that every metric has the same value in Inspect and lm_eval for the same responses.
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
from polbias.errors import InputError
from polbias.eval.inspect_logs import TOOLKIT
from polbias.eval.lm_eval_metrics import metric_lines, metric_values
from polbias.eval.task_settings import PREFIX, refuse_unread_settings
from polbias.lm_eval_runner import tasks as harness
from polbias.lm_eval_runner.responses import inspect_response
from polbias.responses import Response

_REQUEST_SETTINGS = ("polbias_samples", "polbias_system")
_MESSAGE_CLASSES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
_catalogue = harness.catalogue()


@scorer(metrics=[])
def reader(name: str) -> Scorer:
    """Return a scorer that scores a response as an lm_eval task does.

    Args:
        name: of the lm_eval task.
    """
    score_responses, _ = _scoring_of_task(name)

    async def score(state: TaskState, target: Target) -> Score:
        text = inspect_response(state.output)
        results = score_responses(state.metadata, [text])
        value = {
            metric_name: float(result)
            for metric_name, result in results.items()
            if isinstance(result, int | float)
        }
        return Score(value=value, answer=str(text), metadata=_log_metadata([text]))

    return score


@metric
def estimates(name: str) -> Metric:
    """Return a metric that computes all metrics of an lm_eval task with their standard errors.

    Metrics that cannot be estimated from the responses are omitted.

    Args:
        name: of the lm_eval task.
    """
    score_responses, lines = _scoring_of_task(name)

    def compute(scores: list[SampleScore]) -> Value:
        rows = [
            score_responses(sample_score.sample_metadata, _responses(sample_score.score))
            for sample_score in scores
        ]
        value_by_metric: dict[str, float] = {}
        for line in lines:
            values = [row[line["metric"]] for row in rows if line["metric"] in row]
            aggregate = _mean if line["aggregation"] == "mean" else line["aggregation"]
            value = aggregate(values) if values else None
            if isinstance(value, int | float) and math.isfinite(value):
                value_by_metric[line["metric"]] = float(value)
        return value_by_metric

    return compute


def _scoring_of_task(name: str) -> tuple[Callable[..., Json], list[Json]]:
    """Return the function that scores responses as an lm_eval task does, and the lines of its metrics."""
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
    """Return a reducer that keeps all responses to a prompt, which are scored together."""

    def reduce(scores: list[Score]) -> Score:
        answers = [text for score in scores for text in _responses(score)]
        values = [score.as_dict() for score in scores]
        value = {
            name: _mean([float(values_by_metric[name] or 0) for values_by_metric in values])
            for name in values[0]
        }
        return Score(value=value, answer=str(answers[0]), metadata=_log_metadata(answers))

    return reduce


def _log_metadata(responses: Sequence[Response]) -> dict[str, Any]:
    """Return the metadata of responses for the log, which :mod:`polbias.eval.inspect_logs` reads."""
    return {"answers": [*map(str, responses)], "polbias": [response.metadata for response in responses]}


def _responses(score: Score) -> list[Response]:
    logged = score.metadata or {}
    return [*map(Response, logged["answers"], logged["polbias"])]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _samples(task_file: harness.TaskFile, settings: Document) -> Iterable[Sample]:
    _check_settings(task_file, settings)
    prompt, prefill = task_file.settings["doc_to_text"], task_file.settings.get("gen_prefix")
    sends_messages = settings.get("polbias_system", True) and _sends_messages(task_file)
    for row in task_file.rows(settings):
        row_messages = row.get("messages") if sends_messages else None
        messages: list[ChatMessage] = [
            _MESSAGE_CLASSES[message["role"]](content=message["content"]) for message in row_messages or ()
        ]
        messages = messages or [ChatMessageUser(content=row[prompt])]
        if prefill and row[prefill]:
            messages.append(ChatMessageAssistant(content=row[prefill]))
        yield Sample(id=row["id"], input=messages, target=row.get("gold") or "", metadata=row)


def _check_settings(task_file: harness.TaskFile, settings: Document) -> None:
    """Raise InputError for a parameter (``-T``) that the task does not read."""
    if unprefixed := [name for name in settings if not name.startswith(PREFIX)]:
        raise InputError(
            f"-T {unprefixed[0]}: found a name without {PREFIX}, expected a setting such as {PREFIX}samples; "
            "correct or remove it"
        )
    load = harness.import_task_function(task_file.settings.get("custom_dataset"), task_file.name)
    fixed = task_file.settings.get("dataset_kwargs") or {}
    refuse_unread_settings(task_file.name, load, fixed, settings, _REQUEST_SETTINGS)


def _sends_messages(task_file: harness.TaskFile) -> bool:
    """Whether lm_eval sends the messages of a row to a chat model, not its prompt."""
    from polbias.eval.lm_eval_task import ChatMessagesTask

    task_class = task_file.settings.get("class")
    return task_class is not None and issubclass(
        cast(type, harness.import_task_function(task_class, task_file.name)), ChatMessagesTask
    )


def _make_task(task_file: harness.TaskFile) -> Callable[..., Task]:
    def build(**settings: Any) -> Task:
        generation = task_file.settings["generation_kwargs"]
        n_samples = int(settings.get("polbias_samples") or task_file.samples)
        return Task(
            dataset=MemoryDataset([*_samples(task_file, settings)], name=task_file.name),
            solver=generate(),
            scorer=reader(task_file.name),
            metrics=[estimates(task_file.name)],
            epochs=Epochs(n_samples, all_answers()),
            config=GenerateConfig(
                temperature=generation.get("temperature"),
                max_tokens=generation["max_gen_toks"],
                stop_seqs=generation.get("until") or None,
            ),
            version=str(task_file.settings["metadata"]["version"]),
            metadata={"polbias_task": task_file.name, TOOLKIT: __version__},
        )

    name = task_file.name.removeprefix(PREFIX)
    build.__name__ = build.__qualname__ = name
    build.__doc__ = f"The lm_eval task {task_file.name}; ``-T`` takes the settings of its ``--metadata``."
    return task(name=name)(build)


globals().update(
    {
        name.removeprefix(PREFIX): _make_task(task_file)
        for name, task_file in _catalogue.tasks.items()
        if not task_file.is_loglikelihood
    }
)
