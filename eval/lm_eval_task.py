"""Task classes for lm_eval: one line per metric, and chat prompts from the messages of a row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from lm_eval.api.task import ConfigurableTask

from polbias.aliases import Document, Json
from polbias.eval.lm_eval_compat import first_request, patch_lm_eval, task_class
from polbias.eval.lm_eval_metrics import metric_lines, metric_values
from polbias.eval.task_settings import refuse_unread_settings

patch_lm_eval()


class _AnswersTask(ConfigurableTask):  # type: ignore[misc]
    """A task that adds the error of each metric line."""

    def __init__(self, config: Document) -> None:
        settings = {key: value for key, value in config.items() if key != "class"}
        refuse_unread_settings(
            settings["task"],
            settings.get("custom_dataset"),
            settings.get("dataset_kwargs") or {},
            settings.get("metadata") or {},
            task_class=type(self),
        )
        super().__init__(config=settings | {"metric_list": metric_lines(settings["metric_list"])})

    def process_results(self, doc: Document, results: Any) -> Json:
        """Score the answers to a prompt."""
        return metric_values(self.config.process_results(doc, results), self.config.metric_list)


class MultipleChoiceTask(_AnswersTask, task_class("multiple_choice")):  # type: ignore[misc]
    """A task that compares labels."""


class GenerateTask(_AnswersTask, task_class("generate_until")):  # type: ignore[misc]
    """A task with generated answers."""


class ChatMessagesTask(_AnswersTask):
    """A task whose chat prompts are the column ``messages``, with the instruction as system message."""

    def __init__(self, config: Document) -> None:
        super().__init__(config)
        has_system_turn = bool((self.config.metadata or {}).get("polbias_system", True))
        self._turns = has_system_turn and "messages" in self.test_docs().column_names

    def fewshot_context(
        self,
        doc: Document,
        num_fewshot: int,
        system_instruction: str | None = None,
        apply_chat_template: bool = False,
        fewshot_as_multiturn: bool = False,
        chat_template: Callable[..., Any] | None = None,
        gen_prefix: str | None = None,
    ) -> Any:
        """Return the prompt of a row: its messages for a chat model, else a single string."""
        row_messages = doc.get("messages") if self._turns else None
        if not (row_messages and apply_chat_template and chat_template) or num_fewshot or gen_prefix:
            return super().fewshot_context(
                doc,
                num_fewshot,
                system_instruction=system_instruction,
                apply_chat_template=apply_chat_template,
                fewshot_as_multiturn=fewshot_as_multiturn,
                chat_template=chat_template,
                gen_prefix=gen_prefix,
            )
        messages = [dict(turn) for turn in row_messages]
        if system_instruction:
            if messages[0]["role"] != "system":
                messages.insert(0, {"role": "system", "content": system_instruction})
            else:
                messages[0]["content"] = f"{system_instruction}\n\n{messages[0]['content']}"
        return chat_template(messages)


class ChatMultipleChoiceTask(ChatMessagesTask, task_class("multiple_choice")):  # type: ignore[misc]
    """A task that compares labels and asks in row_messages."""


class ChatGenerateTask(ChatMessagesTask, task_class("generate_until")):  # type: ignore[misc]
    """A task that asks in row_messages and whose answers are written."""

    def build_requests(
        self, doc: Document, ctx: Any, samplings: Iterable[tuple[Document, int]], **kwargs: Any
    ) -> Any:
        """Return one request per pair of generation settings and number of repeats."""
        request = first_request(super().construct_requests(doc, ctx, **kwargs))
        return [
            replace(
                request,
                arguments=(ctx, settings),
                idx=index,
                metadata=(request.task_name, request.doc_id, repeats),
                resps=[],
                filtered_resps={},
            )
            for index, (settings, repeats) in enumerate(samplings)
        ]
