"""Accuracies as evaluation results of a model repository on the Hub (`.eval_results/*.yaml`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from polbias.eval.report.build import Answers
from polbias.eval.report.wording import report_words
from polbias.lock import read_lock
from polbias.paths import package_file


def hub_eval_results(answers: Answers) -> Iterator[tuple[str, str]]:
    """Yield each respondent and its accuracies on the tasks of the datasets' ``eval.yaml``, as YAML.

    Only tasks whose rows all have an answer; biases are omitted, because they are not ranked.

    Source:
        https://huggingface.co/docs/hub/eval-results
    """
    import yaml
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    entries: dict[str, list[EvalResultEntry]] = {}
    for dataset, entry in sorted(read_lock().items()):
        path = package_file("cards") / f"{dataset}.eval.yaml"
        for task in yaml.safe_load(path.read_text("utf-8"))["tasks"] if path.is_file() else ():
            splits = entry.configs.get(task["config"])
            if splits is None:  # a custom lock may have fewer configs
                continue
            n_rows = splits[task["split"]].rows
            for respondent, outcomes in _select_answers(answers, dataset, entry.version, task["config"]):
                if outcomes["id"].nunique() < n_rows:
                    continue
                is_correct = (outcomes["label"].astype(object) == outcomes["gold"].astype(object)).tolist()
                n_by_outcome = Counter[str](outcomes["outcome"])
                n_undecided = n_by_outcome["unparsable"] + n_by_outcome["truncated"]
                notes = report_words().findings["notes"]
                result = EvalResultEntry(
                    dataset_id=f"polbias/{dataset}",
                    task_id=task["id"],
                    value=round(sum(is_correct) / len(is_correct), 4),
                    dataset_revision=f"v{entry.version}",
                    notes=notes.format(
                        n=f"{len(is_correct):,}", refusals=n_by_outcome["refusal"], others=n_undecided
                    ),
                )
                entries.setdefault(respondent, []).append(result)
    for respondent, results in sorted(entries.items()):
        records = eval_result_entries_to_yaml(results)
        yield respondent, yaml.safe_dump(records, sort_keys=False, allow_unicode=True, width=110)


def _select_answers(
    answers: Answers, dataset: str, version: str, config: str
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield each respondent and its generated answers to the rows of a config."""
    levels = {"dataset": dataset, "dataset_version": version, "config": config, "method": "generated"}
    for frames in answers.values():
        for respondent, outcomes in frames.items():
            rows = outcomes[
                np.logical_and.reduce([outcomes[name] == level for name, level in levels.items()])
            ]
            if len(rows):
                yield respondent, rows


def file_name(respondent: str) -> str:
    """Return the name of a respondent's file; characters not allowed in file names become hyphens."""
    stem = "".join(
        character if character.isalnum() or character in "._-" else "-" for character in respondent
    )
    return f"{Path(stem).name.lstrip('.') or 'respondent'}.yaml"
