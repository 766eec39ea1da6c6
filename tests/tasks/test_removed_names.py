"""Names of tasks that were removed: what replaces each asks the same, prompt for prompt.

``removed_tasks.tsv`` has every such name with the tasks and the ``--metadata`` that replace it. Its last column
is `questions` of the removed task itself, computed before its file was deleted; nothing can make it anew.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from polbias.lm_eval_runner.tasks import catalogue
from polbias.optional import lm_eval_imports
from tests.support.builds import content_hash
from tests.support.process import ROOT

with Path(__file__).with_name("removed_tasks.tsv").open(encoding="utf-8", newline="") as _file:
    REMOVED = [*csv.DictReader(_file, delimiter="\t")]
METADATA = sorted({row["metadata"] for row in REMOVED})
_PART = 16
"""Of so many rows the requests of one are compared; the documents of all are."""


def questions(names: Sequence[str], metadata: Mapping[str, Any]) -> dict[str, str]:
    """Hash what lm_eval asks in tasks and groups, given as names with commas between them.

    The hash is of all rows with all columns, among them prompt, few-shot examples and gold label, and, of one in
    16, of prompt (also in a chat), target and requests with their settings, as lm_eval makes them.
    """
    with lm_eval_imports():
        from lm_eval.tasks import TaskManager
    known = catalogue()
    members = {name: [task for part in name.split(",") for task in known.members(part)] for name in names}
    settings = {"polbias_seeds": True, **metadata}  # an API's: each of several requests has a seed
    manager = TaskManager(include_path=[*known.folders], include_defaults=False, metadata=settings)
    tasks = manager.load(sorted({task for each in members.values() for task in each}))["tasks"]
    return {name: _questions([tasks[task] for task in each]) for name, each in members.items()}


def _questions(tasks: Sequence[Any]) -> str:
    """Hash the rows of tasks as if they were one, and the requests of some."""
    tables = [task.test_docs().data.table for task in tasks]
    batches = (batch for table in tables for batch in table.to_batches())
    digest = hashlib.sha256(content_hash(batches, tables[0].schema).encode())
    for task in tasks:
        for number, row in enumerate(task.test_docs()):
            if zlib.crc32(row["id"].encode()) % _PART == 0:
                digest.update(json.dumps(_request(task, number, row), sort_keys=True).encode())
    return digest.hexdigest()[:32]


def _request(task: Any, number: int, row: Mapping[str, Any]) -> list[Any]:
    prompt = task.fewshot_context(row, 0)
    chat = task.fewshot_context(row, 0, apply_chat_template=True, chat_template=_chat)
    made = task.construct_requests(row, prompt, metadata=(task.config.task, number, task.config.repeats))
    requests = made if isinstance(made, list) else [made]
    asked = [(each.request_type, each.arguments, each.repeats) for each in requests]
    return [prompt, chat, task.doc_to_target(row), asked]


def _chat(turns: Sequence[Mapping[str, str]], **_: Any) -> str:
    return json.dumps(turns)


def test_no_removed_name_is_there_and_the_docs_name_every_setting() -> None:
    assert not {row["removed"] for row in REMOVED} & {*catalogue().names}
    page = (ROOT / "docs" / "evaluating.md").read_text("utf-8")
    part = page.split("\n## A part of a task\n")[1].split("\n## ")[0]
    assert {key for row in METADATA for key in json.loads(row)} == {*re.findall(r"polbias_\w+(?=\":)", part)}


@pytest.mark.parametrize("metadata", METADATA)
def test_what_replaces_a_removed_task_asks_the_same(
    metadata: str, all_builds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(all_builds))
    rows = [row for row in REMOVED if row["metadata"] == metadata]
    found = questions([row["tasks"] for row in rows], json.loads(metadata))
    expected = {row["removed"]: row["questions"] for row in rows}
    assert {row["removed"]: found[row["tasks"]] for row in rows} == expected
