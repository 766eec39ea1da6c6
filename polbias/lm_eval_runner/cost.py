"""Estimate the requests and tokens of tasks from their rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

from polbias.aliases import Document
from polbias.lm_eval_runner.tasks import (
    TOKEN_LIMIT,
    TOKEN_LIMIT_SETTINGS,
    TaskFile,
    generation_settings,
    import_task_function,
)
from polbias.models.tokens import estimate_tokens, shared_tokens

AssumedRows: TypeAlias = Callable[..., tuple[Any, float, str] | None]
"""Return rows of an item with assumed texts, number of items, assumption; None if the texts exist."""


@dataclass(frozen=True)
class Cost:
    """Requests and tokens of a task.

    Args:
        prompts: number of rows.
        requests: requests to an API; a local model that scores likelihoods shares the prompt between labels.
        tokens_in: input tokens; a prompt that is sent twice counts twice.
        tokens_out: upper bound of the output tokens.
        shared: input tokens that a server with a complete prefix cache does not process again.
        assumption: sentence on assumed texts; empty if none.
    """

    prompts: int
    requests: int
    tokens_in: int
    tokens_out: int
    shared: int
    assumption: str = ""

    @classmethod
    def of(
        cls,
        sent: Sequence[str],
        max_answer_tokens: int,
        *,
        prompts: int = 0,
        samples: int = 1,
        items: float = 1,
        assumption: str = "",
    ) -> Cost:
        """Return the cost of texts that are sent `samples` times per item, with `max_answer_tokens` each."""
        requests = round(items * samples * len(sent))
        return cls(
            round(items * (prompts or len(sent))),
            requests,
            round(items * samples * estimate_tokens(sent)),
            requests * max_answer_tokens,
            round(items * shared_tokens(sent, samples)),
            assumption,
        )


def cost(
    task: TaskFile,
    metadata: Document | None = None,
    generation: Document | None = None,
    limit: float | None = None,
    assumed_rows: Mapping[str, AssumedRows] = MappingProxyType({}),
) -> Cost:
    """Estimate the requests and tokens of a task.

    Args:
        task: the task.
        metadata: value of ``--metadata``.
        generation: value of ``--gen_kwargs``.
        limit: value of ``--limit``.
        assumed_rows: functions that assume the texts a model has yet to write, by the loader of the rows.
    """
    merged_metadata = {**task.metadata, **(metadata or {})}
    assume = assumed_rows.get(str(task.settings.get("custom_dataset")))
    rows_of_item = assume and assume(**merged_metadata, **(task.settings.get("dataset_kwargs") or {}))
    rows, items, assumption = rows_of_item or (task.rows(metadata or {}), 1, "")
    if limit is not None:
        n_rows = len(rows) * items
        n_selected = int(min(n_rows, round(n_rows * limit) if limit < 1 else limit))
        rows, items = rows.select(range(min(len(rows), n_selected))), max(n_selected / len(rows), 1)
    prompts = [*rows[task.settings["doc_to_text"]]]
    if task.is_loglikelihood:
        choice_spec = task.settings["doc_to_choice"]
        labels_of: Callable[[Any], list[str]] = (
            (lambda _: choice_spec)
            if isinstance(choice_spec, list)
            else import_task_function(choice_spec, task.name)
        )
        sent = [prompt + label for prompt, row in zip(prompts, rows, strict=True) for label in labels_of(row)]
        return Cost.of(sent, 1, prompts=len(prompts), items=items, assumption=assumption)
    samples = int(merged_metadata.get("polbias_samples", 1)) if task.samples > 1 else 1
    settings = generation_settings(task.settings.get("generation_kwargs", {}), generation, metadata)
    limits = [value for name in TOKEN_LIMIT_SETTINGS if (value := (generation or {}).get(name)) is not None]
    max_tokens = next(iter(limits), settings[TOKEN_LIMIT])
    return Cost.of(prompts, int(max_tokens), samples=samples, items=items, assumption=assumption)
