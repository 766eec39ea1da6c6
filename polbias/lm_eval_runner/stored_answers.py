"""Read existing answers from tables, batch results and Inspect logs; return them from a model of lm_eval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from polbias.aliases import Document, Json
from polbias.errors import InputError, did_you_mean
from polbias.eval import inspect_logs
from polbias.eval.samples import flatten_responses
from polbias.generators.table_files import UserTable, cell_text, read_tables
from polbias.lm_eval_runner.cached_models import cached_model_class
from polbias.lm_eval_runner.exported_prompts import ExportedPrompt, chat_class
from polbias.lm_eval_runner.responses import ResponseError, metadata_of_texts, with_texts
from polbias.lm_eval_runner.server_errors import ServerError, error_in_answer
from polbias.responses import REFUSED_BY_PROVIDER, Response

Columns = Mapping[str, str]
"""Names of a table's columns for ``id`` and ``answer``."""


@dataclass(frozen=True)
class StoredAnswer:
    """The answers with one id in a file.

    Attributes:
        location: file and line.
        id: id of a row or of a request.
        texts: answers, usually one; empty if missing.
        task: name of the task, if the file has it.
        repeat: number of the answer to its row, from 1, if the file has it.
        failure: code of the error in place of an answer.
        model: name of the model, if the file has it.
    """

    location: str
    id: str
    texts: Sequence[str]
    task: str | None = None
    repeat: int | None = None
    failure: str = ""
    model: str = ""


def read_answers(path: Path, columns: Columns, tasks: Collection[str]) -> Iterator[StoredAnswer]:
    """Yield the answers of a file: a table, batch results, or an Inspect log.

    Args:
        path: path of the file.
        columns: columns of ids and answers in a table.
        tasks: names of all tasks; an Inspect log of another task has none.
    """
    if inspect_logs.is_log(path):
        yield from _logged_answers(path, tasks)
        return
    for table in read_tables(path):
        if "custom_id" in table.columns and columns["answer"] not in table.columns:
            yield from _batch_answers(table)
        else:
            yield from _table_answers(table, columns)


def _logged_answers(path: Path, tasks: Collection[str]) -> Iterator[StoredAnswer]:
    log = inspect_logs.header(path)
    task = log.task if log.task in tasks else None
    for number, sample in inspect_logs.samples(path):
        texts, metadata = flatten_responses(sample["resps"]), sample.get("polbias") or []
        if len(metadata) == len(texts):
            texts = [Response(text, fields) for text, fields in zip(texts, metadata, strict=True)]
        texts = [text for text in texts if text.strip() or getattr(text, "metadata", None)]
        yield StoredAnswer(f"{path}: sample {number}", str(sample["doc_id"]), texts, task, model=log.model)


def _table_answers(table: UserTable, columns: Columns) -> Iterator[StoredAnswer]:
    for role, name in columns.items():
        if name not in table.columns:
            raise InputError(
                f"{table.path}: found no column {name!r} among {', '.join(map(repr, table.columns)):.500}; "
                f"{did_you_mean(name, table.columns)}name it with --{role}-column"
            )
    optional = [name for name in ("task", "repeat", "finish_reason", "reasoning") if name in table.columns]
    names = ["id", "answer", *optional]
    table.refuse_problems("correct this line")
    for line, values, _ in table.rows([columns["id"], columns["answer"], *optional]):
        location = f"{table.path}:{line}"
        cells = dict(zip(names, values, strict=True))
        yield StoredAnswer(
            location,
            cell_text(cells["id"]),
            _texts_of_cells(cells),
            cell_text(cells.get("task")) or None,
            _repeat(cell_text(cells.get("repeat")), location),
        )


def _texts_of_cells(cells: Document) -> list[Response]:
    """Return the answer of a table row; empty if its cell is blank without a finish reason."""
    answer = cells["answer"]
    text, reason = (
        answer if isinstance(answer, str) else cell_text(answer),
        cell_text(cells.get("finish_reason")),
    )
    if not (text.strip() or reason):
        return []
    message = {"content": text, "reasoning": cell_text(cells.get("reasoning"))}
    return _responses({"choices": [{"message": message, "finish_reason": reason}]})


def _repeat(text: str, location: str) -> int | None:
    if text and not (text.isdecimal() and int(text)):
        raise InputError(f"{location}: repeat: found {text!r}, expected the number of the answer, from 1")
    return int(text) if text else None


def _responses(body: Document) -> list[Response]:
    """Return the answers in a response body, parsed as for API models."""
    outputs = with_texts(body)
    if "choices" in outputs:
        choices = sorted(outputs["choices"], key=lambda choice: choice["index"])
        texts = [
            choice["message"]["content"] if "message" in choice else choice["text"] for choice in choices
        ]
    else:
        texts = [block["text"] for block in outputs["content"]]
    return [Response(text, metadata) for text, metadata in zip(texts, metadata_of_texts(body), strict=True)]


# Batch results of OpenAI-compatible APIs and of Anthropic.

_REQUEST = ("method", "params")


def _batch_answers(table: UserTable) -> Iterator[StoredAnswer]:
    columns = ("custom_id", "response", "error", "result")
    table.refuse_problems("correct this line")
    for line, values, _ in table.rows([*columns, *_REQUEST]):
        location = f"{table.path}:{line}"
        record = dict(zip((*columns, *_REQUEST), values, strict=True))
        if any(record[name] for name in _REQUEST):
            raise InputError(f"{location}: found a request of a batch, expected its results; download these")
        body, failure = _outcome(record, location)
        texts, model = [], ""
        error = ServerError.of(400, failure) if body is None else error_in_answer(body)
        if error is not None and error.is_filter:
            texts = [Response(REFUSED_BY_PROVIDER, {"finish_reason": "content_filter", "filtered": True})]
        elif body is not None and error is not None:
            failure = body
        elif body is not None:
            model = str(body.get("model") or "")
            try:
                texts = _responses(body)
            except ResponseError as error:
                reason = str(error).partition(";")[0]
                raise InputError(
                    f"{location}: {reason}; expected results of chat completions or messages"
                ) from None
        yield StoredAnswer(
            location, cell_text(record["custom_id"]), texts, failure=_error_code(failure), model=model
        )


def _outcome(line: Document, location: str) -> tuple[Document | None, Document]:
    """Return the response body of a batch result, or None and the error."""
    response, result, error = line["response"], line["result"], line["error"]
    if isinstance(result, dict) and "type" in result:
        message = result.get("message")
        return (message, {}) if isinstance(message, dict) else (None, result)
    if isinstance(response, dict) and isinstance(response.get("body"), dict):
        body: Json = response["body"]
        return (body, {}) if response.get("status_code", 200) == 200 else (None, body)
    if isinstance(error, dict):
        return None, error
    present = [name for name in ("response", "result", "error") if line[name] is not None]
    raise InputError(
        f"{location}: found {' and '.join(present) or 'neither response nor result'} of an unknown form, "
        "expected the results of a batch of OpenAI (response.body) or Anthropic (result.type)"
    )


def _error_code(failure: Document) -> str:
    """Return the innermost code or type of an error."""
    error = failure.get("error")
    inner = _error_code(error) if isinstance(error, dict) else ""
    return inner or str(failure.get("code") or failure.get("type") or "")


# Answers by row: unknown and duplicate answers are errors, missing ones are counted.

_MAX_DISPLAYED = 3
_Row = tuple[str, str]
"""Task and id of a row."""


@dataclass(frozen=True)
class Assigned:
    """Answers by row.

    Attributes:
        by_row: answers of each complete row, by task and id.
        missing: ids of rows without answers, by task.
        incomplete: ids of rows with fewer answers than the task requires, by task.
        surplus: number of answers beyond the required ones.
        failures: number of failed requests by reason.
    """

    by_row: Mapping[_Row, Sequence[str]]
    missing: Mapping[str, Sequence[str]]
    incomplete: Mapping[str, Sequence[str]]
    surplus: int
    failures: Counter[str]

    def lines(self, n_rows: Mapping[str, int]) -> Iterator[str]:
        """Yield lines on the completeness of the answers to each task."""
        answered = Counter(task for task, _ in self.by_row)
        for task, total in n_rows.items():
            yield f"{task}: answers to {answered[task]:,} of {total:,} rows"
            if ids := self.missing.get(task):
                yield f"  no answer to {_format_ids(ids)}"
            if ids := self.incomplete.get(task):
                yield (
                    f"  too few answers to {_format_ids(ids)}; fewer are accepted with "
                    "--metadata '{\"polbias_samples\": N}'"
                )
        if self.failures:
            reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.failures.most_common())
            yield f"requests that failed: {reasons}"
        if self.surplus:
            yield f"answers beyond the number that the tasks require, dropped: {self.surplus:,}"


def _format_ids(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _MAX_DISPLAYED:,} more" if len(ids) > _MAX_DISPLAYED else ""
    return f"{len(ids):,} rows ({', '.join(ids[:_MAX_DISPLAYED])}{more})"


@dataclass
class _RowAnswers:
    """The answers to a row so far, and the number required."""

    n_required: int = 0
    numbered: dict[int, str] = field(default_factory=dict)
    unnumbered: list[str] = field(default_factory=list)

    def add(self, texts: Sequence[str], repeat: int | None) -> bool:
        """Add answers; return False if there are too many, or two with one number."""
        if repeat is None:
            self.unnumbered += texts
            return len(self.unnumbered) + len(self.numbered) <= self.n_required
        if len(texts) > 1 or (texts and repeat in self.numbered):
            return False
        if texts:
            self.numbered[repeat] = texts[0]
        return not self.unnumbered or len(self.unnumbered) + len(self.numbered) <= self.n_required

    @property
    def texts(self) -> list[str]:
        return [*(self.numbered[number] for number in sorted(self.numbered)), *self.unnumbered]


class _Index:
    """The rows of tasks, by row id and by batch request id."""

    def __init__(self, prompts: Sequence[ExportedPrompt]) -> None:
        self._by_id: dict[str, dict[_Row, None]] = {}
        self._by_key: dict[str, _Row] = {}
        for prompt in prompts:
            row = prompt.task, prompt.id
            self._by_id.setdefault(prompt.id, {})[row] = None
            self._by_key[prompt.row_key] = row

    def find(self, answer: StoredAnswer) -> tuple[_Row, int | None] | None:
        """Return the row and number of an answer; None if no row matches."""
        key, _, number = answer.id.rpartition("-")
        if key in self._by_key and number.isdecimal():
            return self._by_key[key], int(number)
        rows = [row for row in self._by_id.get(answer.id, ()) if answer.task in (None, row[0])]
        if len(rows) > 1:
            tasks = " and ".join(task for task, _ in rows)
            raise InputError(
                f"{answer.location}: {answer.id!r} is a row of {tasks}, expected one task; name it for each "
                "answer in a column task, or score one task at a time"
            )
        return (rows[0], answer.repeat) if rows else None


def assign(answers: Iterable[StoredAnswer], prompts: Sequence[ExportedPrompt]) -> Assigned:
    """Assign answers to rows, by the ids of rows or of batch requests.

    Raises:
        InputError: if an answer has an unknown id, an ambiguous task, or is one too many for its row.
    """
    index = _Index(prompts)
    rows: dict[_Row, _RowAnswers] = {}
    for prompt in prompts:
        rows.setdefault((prompt.task, prompt.id), _RowAnswers()).n_required += 1
    unknown: list[StoredAnswer] = []
    duplicates: list[StoredAnswer] = []
    failures: Counter[str] = Counter()
    for answer in answers:
        if (match := index.find(answer)) is None:
            unknown.append(answer)
            continue
        row, repeat = match
        if not answer.texts and answer.failure:
            failures[answer.failure] += 1
        if not rows[row].add(answer.texts, repeat):
            duplicates.append(answer)
    expected = f"ids of rows such as {prompts[0].id!r}, or custom_id as `polbias prompts` writes it"
    _refuse(unknown, "to no row", f"{expected}; name the right --task, or remove them")
    _refuse(
        duplicates,
        "to a row that has its answers already",
        "one for each that the task requires; remove them",
    )
    missing: dict[str, list[str]] = {}
    incomplete: dict[str, list[str]] = {}
    complete: dict[_Row, Sequence[str]] = {}
    surplus = 0
    for (task, row_id), row_answers in rows.items():
        if len(row_answers.texts) >= row_answers.n_required:
            complete[task, row_id] = row_answers.texts[: row_answers.n_required]
            surplus += len(row_answers.texts) - row_answers.n_required
        else:
            (incomplete if row_answers.texts else missing).setdefault(task, []).append(row_id)
    return Assigned(complete, missing, incomplete, surplus, failures)


def _refuse(answers: Sequence[StoredAnswer], problem: str, expected: str) -> None:
    if answers:
        examples = ", ".join(f"{answer.id!r} ({answer.location})" for answer in answers[:_MAX_DISPLAYED])
        more = f" and {len(answers) - _MAX_DISPLAYED:,} more" if len(answers) > _MAX_DISPLAYED else ""
        count = f"{len(answers):,} answers" if len(answers) > 1 else "1 answer"
        raise InputError(f"{count} {problem}: {examples}{more}; expected {expected}")


def stored_model(by_row: Mapping[_Row, Sequence[str]]) -> Any:
    """Return a model of lm_eval that returns the stored answers to each row in order."""
    repeats: Counter[_Row] = Counter()

    def generate(requests: Sequence[Any]) -> list[str]:
        texts = []
        for request in requests:
            row = request.task_name, str(request.doc["id"])
            texts.append(by_row[row][repeats[row]])
            repeats[row] += 1
        return texts

    return cached_model_class(chat_class(generate))()
