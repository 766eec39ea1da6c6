"""Logged samples of simulated respondents, as lm_eval writes them."""

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
"""The time in the names of files: a simulation has none, and any real run is newer."""


@dataclass(frozen=True)
class SimulatedRun:
    """A finished run.

    Attributes:
        results: What goes into ``results_*.json``.
        samples: The samples by task.
    """

    results: Document
    samples: Mapping[str, Sequence[Document]]

    def write(self, folder: Path) -> list[Path]:
        """Write the files of the run into a folder; what was there of the same tasks is replaced."""
        drafts: dict[Path, Path] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, lines in self._texts():
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

    def _texts(self) -> Iterator[tuple[str, Iterable[str]]]:
        for task, samples in self.samples.items():
            yield f"samples_{task}_{TIME}.jsonl", map(_line, samples)
        text = json.dumps(self.results, indent=2, default=_plain, ensure_ascii=False)
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
    """Let lm_eval ask a respondent the questions of tasks, and score the answers."""
    manager, evaluate, make = _lm_eval(settings or {})
    wanted = _existing(tasks, manager)
    asked = make(respondent, seed)
    with _quiet():
        found = evaluate(asked, manager.load(wanted), limit=limit, bootstrap_iters=0, log_samples=True)
    asked.check()
    samples = found.pop("samples")
    about = {
        "model": "polbias-simulated",
        "model_args": {"respondent": asdict(respondent), "seed": seed},
        "limit": limit,
        "metadata": dict(settings or {}),
    }
    results = {**found, "config": about, "model_name": model, "model_name_sanitized": model}
    return SimulatedRun(results | {"task_hashes": _hashes(samples)}, samples)


def _lm_eval(settings: Document) -> tuple[Any, Any, Any]:
    """lm_eval over our tasks alone; thousands of its own would be read at every start."""
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
    """Silence lm_eval's advice on settings; where the rows come from is still said."""
    logger = logging.getLogger("lm_eval")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


def _existing(tasks: Iterable[str], manager: Any) -> list[str]:
    known = {*manager.all_tasks}
    wanted = [name for given in tasks for name in given.split(",") if name]
    for name in wanted:
        if not manager.match_tasks([name]):
            near = ", ".join(sorted(each for each in known if each.startswith(name[:12]))[:8])
            raise InputError(f"task {name!r}: there is none{f'; near it: {near}' if near else ''}")
    return sorted(manager.match_tasks(wanted))


def _hashes(samples: Mapping[str, Sequence[Document]]) -> dict[str, str]:
    from lm_eval.utils import hash_string

    parts = ("doc_hash", "prompt_hash", "target_hash")
    return {
        task: hash_string("".join(each[part] for each in own for part in parts))
        for task, own in samples.items()
    }


def _line(sample: Document) -> str:
    """A sample as lm_eval writes it: arguments by name, answers and target as text."""
    from lm_eval.utils import sanitize_list

    arguments = {
        f"gen_args_{number}": {f"arg_{place}": value for place, value in enumerate(each)}
        for number, each in enumerate(sample["arguments"])
    }
    written = {
        **sample,
        "arguments": arguments,
        "resps": sanitize_list(sample["resps"]),
        "filtered_resps": sanitize_list(sample["filtered_resps"]),
        "target": str(sample["target"]),
    }
    return json.dumps(written, default=_plain, ensure_ascii=False) + "\n"


def _plain(value: Any) -> Any:
    from lm_eval.utils import handle_non_serializable

    return sorted(value) if isinstance(value, set) else handle_non_serializable(value)


def folder_name(model: str) -> str:
    """Return the name of the folder that lm_eval gives a model."""
    if not model or model != Path(model).name or model.startswith("."):
        raise InputError(f"--model {model!r}: expected a name without slashes")
    return model
