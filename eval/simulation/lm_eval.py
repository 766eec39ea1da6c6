"""Logged samples of simulated respondents in lm_eval's format."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from polbias.aliases import Document
from polbias.atomic_write import draft_path
from polbias.errors import InputError
from polbias.eval.simulation.respondents import SimulatedRespondent
from polbias.optional import lm_eval_imports
from polbias.registry import task_folders

TIME = "2000-01-01T00-00-00.000000"
"""Fixed time in file names, older than any real run."""


@dataclass(frozen=True)
class SimulatedRun:
    """A finished run.

    Attributes:
        results: Content of ``results_*.json``.
        samples: Samples by task.
    """

    results: Document
    samples: Mapping[str, Sequence[Document]]

    def write(self, folder: Path) -> list[Path]:
        """Write the files of the run into a folder, replacing files of the same tasks."""
        drafts: dict[Path, Path] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, lines in self._iter_files():
                path = folder / name
                drafts[path] = draft_path(path)
                with drafts[path].open("w", encoding="utf-8") as file:
                    file.writelines(lines)
            for path, draft in drafts.items():
                draft.replace(path)
        except OSError as error:
            raise InputError(f"{folder}: cannot be written ({error.strerror})") from None
        finally:
            for draft in drafts.values():
                draft.unlink(missing_ok=True)
        return [*drafts]

    def _iter_files(self) -> Iterator[tuple[str, Iterable[str]]]:
        for task, samples in self.samples.items():
            yield f"samples_{task}_{TIME}.jsonl", map(_serialize_sample, samples)
        text = json.dumps(self.results, indent=2, default=_to_json, ensure_ascii=False)
        yield f"results_{TIME}.json", (text, "\n")


def run_tasks(
    tasks: Sequence[str],
    respondent: SimulatedRespondent,
    seed: int = 0,
    *,
    model: str,
    limit: int | None = None,
    settings: Document | None = None,
) -> SimulatedRun:
    """Evaluate a respondent on tasks with lm_eval."""
    manager, evaluate, model_class = _lm_eval(settings or {})
    task_names = _match_tasks(tasks, manager)
    simulated_model = model_class(respondent, seed)
    with _quiet():
        evaluation = evaluate(
            simulated_model, manager.load(task_names), limit=limit, bootstrap_iters=0, log_samples=True
        )
    simulated_model.check()
    samples = evaluation.pop("samples")
    config = {
        "model": "polbias-simulated",
        "model_args": {"respondent": asdict(respondent), "seed": seed},
        "limit": limit,
        "metadata": dict(settings or {}),
    }
    results = {**evaluation, "config": config, "model_name": model, "model_name_sanitized": model}
    return SimulatedRun(results | {"task_hashes": _hash_tasks(samples)}, samples)


def _lm_eval(settings: Document) -> tuple[Any, Any, Any]:
    """Return a manager of the polbias tasks (lm_eval's load slowly), the evaluator and the model class."""
    with lm_eval_imports():
        from lm_eval.evaluator import evaluate
        from lm_eval.tasks import TaskManager

        from polbias.eval.simulation.model import SimulatedModel
    metadata = {"polbias_seeds": True, **settings}
    folders = task_folders()
    return (
        TaskManager(include_path=folders, include_defaults=False, metadata=metadata),
        evaluate,
        SimulatedModel,
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress lm_eval's warnings on settings; polbias still logs the source of the rows."""
    logger = logging.getLogger("lm_eval")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def _match_tasks(tasks: Iterable[str], manager: Any) -> list[str]:
    all_tasks = {*manager.all_tasks}
    names = [name for argument in tasks for name in argument.split(",") if name]
    for name in names:
        if not manager.match_tasks([name]):
            similar = ", ".join(sorted(task for task in all_tasks if task.startswith(name[:12]))[:8])
            raise InputError(f"task {name!r}: there is none{f'; near it: {similar}' if similar else ''}")
    return sorted(manager.match_tasks(names))


def _hash_tasks(samples: Mapping[str, Sequence[Document]]) -> dict[str, str]:
    from lm_eval.utils import hash_string

    hash_fields = ("doc_hash", "prompt_hash", "target_hash")
    return {
        task: hash_string(
            "".join(sample[hash_field] for sample in task_samples for hash_field in hash_fields)
        )
        for task, task_samples in samples.items()
    }


def _serialize_sample(sample: Document) -> str:
    """Return a sample as a line of lm_eval's log."""
    from lm_eval.utils import sanitize_list

    arguments = {
        f"gen_args_{number}": {f"arg_{position}": value for position, value in enumerate(request_args)}
        for number, request_args in enumerate(sample["arguments"])
    }
    record = {
        **sample,
        "arguments": arguments,
        "resps": sanitize_list(sample["resps"]),
        "filtered_resps": sanitize_list(sample["filtered_resps"]),
        "target": str(sample["target"]),
    }
    return json.dumps(record, default=_to_json, ensure_ascii=False) + "\n"


def _to_json(value: Any) -> Any:
    from lm_eval.utils import handle_non_serializable

    return sorted(value) if isinstance(value, set) else handle_non_serializable(value)


def folder_name(model: str) -> str:
    """Return the name of a model as the name of its folder, or raise :class:`InputError`."""
    if not model or model != Path(model).name or model.startswith("."):
        raise InputError(f"--model {model!r}: expected a name without slashes")
    return model
