"""Results and samples on file, in lm_eval's own form: each file whole, and the results when all are there."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from polbias.drafts import draft_of
from polbias.files import InputError, PolbiasError


def tracker_of(config: Any) -> Any:
    """Return lm_eval's writer of results for a run.

    Raises:
        InputError: if ``--hf_hub_log_args`` asks for what it cannot do.
    """
    from lm_eval.loggers import EvaluationTracker

    settings = {**config.hf_hub_log_args, "output_path": str(config.output_path)}
    if token := os.environ.get("HF_TOKEN"):
        settings["token"] = token
    try:
        return EvaluationTracker(**settings)
    except (TypeError, ValueError) as error:
        raise InputError(f"--hf_hub_log_args: {str(error).splitlines()[0]}") from None


def named(tracker: Any, config: Any) -> Any:
    """Return the writer with the model's name; lm_eval makes one up for a model without arguments."""
    about = tracker.general_config_tracker
    about.model_source = config.model
    if about.model_name not in map(str, config.model_args.values()):
        about.model_name = about.model_name_sanitized = config.model
    return tracker


def write(tracker: Any, results: dict[str, Any], samples: Mapping[str, Sequence[Mapping[str, Any]]]) -> Path:
    """Write results and samples.

    Args:
        tracker: lm_eval's writer.
        results: of lm_eval; the writer adds to them.
        samples: by task.

    Returns:
        The folder that holds them.

    Raises:
        PolbiasError: if they cannot be written.
    """
    wanted = Path(tracker.output_path)
    single = wanted.suffix == ".json"
    target = wanted.parent if single else wanted / str(tracker.general_config_tracker.model_name_sanitized)
    draft = draft_of(target / "writing")
    inner = draft if single else draft / target.name
    tracker.output_path = str(draft / wanted.name) if single else str(draft)
    try:
        draft.mkdir(parents=True, exist_ok=True)
        tracker.save_results_aggregated(results=results, samples=samples)
        for task in results["configs"]:
            tracker.save_results_samples(task_name=task, samples=samples[task])
        made = sorted(inner.iterdir(), key=_is_results) if inner.is_dir() else []
        rows = sum(len(samples[task]) for task in results["configs"])
        if len(made) < 1 + len(results["configs"]) or not _whole(made, rows):
            # lm_eval logs what went wrong and goes on
            raise PolbiasError(
                f"{target}: results and samples could not all be written (is the disk full?); run the same "
                "command again, which takes the answers from the cache"
            )
        for path in made:
            path.replace(target / path.name)
    except OSError as error:
        raise PolbiasError(f"{target}: results cannot be written ({error.strerror})") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        tracker.output_path = str(wanted)
    return target


def _is_results(path: Path) -> bool:
    return path.suffix == ".json"


def _whole(files: Sequence[Path], rows: int) -> bool:
    """Tell whether results and samples were written to their ends.

    Args:
        files: the samples, and one file of results at the end.
        rows: how many samples there are.
    """
    try:
        json.loads(files[-1].read_bytes())
    except ValueError:
        return False
    return sum(path.read_bytes().count(b"\n") for path in files[:-1]) == rows
