"""Export the chat prompts of tasks, for models that polbias does not call."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polbias.aliases import Document, Json
from polbias.errors import InputError
from polbias.eval.samples import row_digest
from polbias.lm_eval_runner.log_capture import PrintLine
from polbias.lm_eval_runner.options import parse
from polbias.lm_eval_runner.run import evaluate
from polbias.lm_eval_runner.settings import move_settings
from polbias.lm_eval_runner.tasks import Catalogue, refuse_unread, shorten_list

_SEEDS = "polbias_seeds"

# A chat model of lm_eval without a server: a function answers.


def chat_config(
    names: Sequence[str], output: Path, options: Sequence[str], model_args: Document, **metadata: Any
) -> Any:
    """Return the options of a run with chat prompts, without a seed per request."""
    config = parse([*options, "--tasks", ",".join(names), "--output_path", str(output)])
    config.model, config.model_args = "score", {**model_args}
    config.metadata = {**model_args, **metadata, **config.metadata, _SEEDS: False}
    move_settings(config)
    config.apply_chat_template = config.fewshot_as_multiturn = True
    return config


def chat_class(generate: Callable[[Sequence[Any]], list[str]]) -> Any:
    """Return a model class of lm_eval for chat messages that calls a function for its answers."""
    from lm_eval.api.model import LM
    from lm_eval.models.api_models import JsonChatStr

    class ChatModel(LM):  # type: ignore[misc]
        def generate_until(self, requests: list[Any], *_: Any, **__: Any) -> list[str]:
            return generate(requests)

        def loglikelihood(self, *_: Any, **__: Any) -> list[Any]:
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood
        tokenizer_name = ""

        def apply_chat_template(self, chat_history: list[Json], add_generation_prompt: bool = True) -> Any:
            return JsonChatStr(json.dumps(chat_history, ensure_ascii=False))

    return ChatModel


def written_tasks(catalogue: Catalogue, names: Sequence[str]) -> list[str]:
    """Return the tasks of some task, group or tag names.

    Raises:
        InputError: if a task scores log-likelihoods.
    """
    members = [task for name in names for task in catalogue.members(name)]
    if scoring := [name for name in members if catalogue.tasks[name].is_loglikelihood]:
        raise InputError(
            f"{shorten_list(scoring)}: scores log-likelihoods, expected a generation task, such as the same "
            "name without _loglikelihood"
        )
    return members


# Recorded prompts.


@dataclass(frozen=True)
class ExportedPrompt:
    """A request for one answer.

    Attributes:
        task: name of the task.
        number: index of the row in its task, from 0.
        row: row of the data set.
        repeat: number of the answer to this row, from 1.
        messages: messages of the chat.
        settings: generation settings of the task and the user.
        digest: hash of task and row; it differs between versions of a row.
    """

    task: str
    number: int
    row: Document
    repeat: int
    messages: Sequence[Document]
    settings: Document
    digest: str

    @property
    def id(self) -> str:
        """Id of the row."""
        return str(self.row["id"])

    @property
    def row_key(self) -> str:
        """Prefix of the ids of all requests of this row."""
        return f"{self.number}-{self.digest}"

    @property
    def custom_id(self) -> str:
        """Id of the request, at most 64 letters, digits and hyphens."""
        return f"{self.row_key}-{self.repeat}"


class _RecordedRequests(BaseException):
    """Ends a run once its requests are built. Not an Exception: a run reports these as lm_eval's failure."""

    def __init__(self, requests: Sequence[Any]) -> None:
        super().__init__()
        self.requests = requests


def recorded_prompts(
    config: Any, catalogue: Catalogue, names: Sequence[str], print_line: PrintLine
) -> list[ExportedPrompt]:
    """Return the requests that lm_eval builds for a run, in order."""

    def record(requests: Sequence[Any]) -> list[str]:
        raise _RecordedRequests(requests)

    members = [catalogue.tasks[task] for name in names for task in catalogue.members(name)]
    refuse_unread(members, {key: value for key, value in config.metadata.items() if key != _SEEDS})
    kind = chat_class(record)
    try:
        evaluate(config, catalogue, names, kind, None, print_line, kind())
    except _RecordedRequests as recorded:
        return [*_prompts(recorded.requests)]
    raise InputError(f"{', '.join(names)}: found no prompt; expected a task with rows")


def _prompts(requests: Sequence[Any]) -> Iterator[ExportedPrompt]:
    repeats: Counter[tuple[str, int]] = Counter()
    ids: set[tuple[str, str]] = set()
    rows: dict[tuple[str, int], tuple[list[Json], str]] = {}
    for request in requests:
        key = request.task_name, request.doc_id
        repeats[key] += 1
        if key not in rows:
            _check_id(request, ids)
            rows[key] = json.loads(request.args[0].prompt), _digest(request.task_name, request.doc)
        messages, digest = rows[key]
        yield ExportedPrompt(*key, request.doc, repeats[key], messages, request.args[1], digest)


def _check_id(request: Any, ids: set[tuple[str, str]]) -> None:
    """Raise InputError unless the row has a unique id, by which answers are assigned."""
    name = request.doc.get("id")
    if name is None or (request.task_name, str(name)) in ids:
        problem = "none" if name is None else f"{name!r} twice"
        raise InputError(
            f"{request.task_name}: row {request.doc_id + 1}: id: found {problem}, expected one for each row; "
            "correct the rows of the task"
        )
    ids.add((request.task_name, str(name)))


def _digest(task: str, row: Document) -> str:
    return hashlib.sha256(f"{task}\0{row_digest(row)}".encode()).hexdigest()[:16]


# A table of prompts.


def prompt_table(prompts: Sequence[ExportedPrompt]) -> tuple[list[str], Iterator[list[Any]]]:
    """Return the columns of a table of prompts, and its rows.

    Columns: id, task and prompt; repeat, system and messages only where a prompt has several answers, a
    system message or several other messages.
    """
    has_system = any(prompt.messages[0]["role"] == "system" for prompt in prompts)
    has_turns = any(len(turns_without_system(prompt)) > 1 for prompt in prompts)
    cells: dict[str, Callable[[ExportedPrompt], Any]] = {
        "id": lambda prompt: prompt.id,
        "task": lambda prompt: prompt.task,
    }
    if any(prompt.repeat > 1 for prompt in prompts):
        cells["repeat"] = lambda prompt: prompt.repeat
    cells["prompt"] = _last_question
    if has_system:
        cells["system"] = system_text
    if has_turns:
        cells["messages"] = lambda prompt: json.dumps(prompt.messages, ensure_ascii=False)
    return [*cells], ([cell(prompt) for cell in cells.values()] for prompt in prompts)


def turns_without_system(prompt: ExportedPrompt) -> list[Document]:
    """Return the messages of a prompt except system messages."""
    return [turn for turn in prompt.messages if turn["role"] != "system"]


def system_text(prompt: ExportedPrompt) -> str:
    """Return the text of the system messages."""
    return "\n\n".join(turn["content"] for turn in prompt.messages if turn["role"] == "system")


def _last_question(prompt: ExportedPrompt) -> str:
    return str([turn["content"] for turn in prompt.messages if turn["role"] == "user"][-1])
