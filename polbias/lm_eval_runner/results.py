"""Write the results and samples of a run as files of lm_eval."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from polbias.aliases import Document, Json
from polbias.atomic_write import PRIVATE_MODE, draft_path, write_text
from polbias.errors import InputError, PolbiasError, replace_surrogates, shorten_middle
from polbias.eval.inspect_logs import model_name
from polbias.eval.lm_eval_compat import write_halves
from polbias.lm_eval_runner.model_identity import INSPECT
from polbias.safe_text import redact_secrets

CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
MAX_NAME_BYTES = 255  # bytes


# All files are complete before any is moved into the results folder; the results file is the last.


def tracker_of(config: Any) -> Any:
    """Return lm_eval's writer of results for a run."""
    from lm_eval.loggers import EvaluationTracker

    write_halves()
    settings = {**config.hf_hub_log_args, "output_path": str(config.output_path)}
    if token := os.environ.get("HF_TOKEN"):
        settings["token"] = token
    try:
        return EvaluationTracker(**settings)
    except (TypeError, ValueError) as error:
        raise InputError(f"--hf_hub_log_args: {str(error).splitlines()[0]}") from None


def check_names(config: Any) -> None:
    """Raise InputError if the model's name cannot name the folder of its results."""
    for option in ("model_args", "gen_kwargs", "metadata", "system_instruction"):
        if (
            text := json.dumps(getattr(config, option), ensure_ascii=False, default=str)
        ) != replace_surrogates(text):
            raise InputError(f"--{option}: found half a character, expected whole ones; correct it")
    from lm_eval.loggers.evaluation_tracker import GeneralConfigTracker
    from lm_eval.utils import sanitize_model_name

    name = str(GeneralConfigTracker._get_model_name(config.model_args) or config.model)
    folder = model_name(name) if config.model == INSPECT else sanitize_model_name(name)
    problem = None
    if CONTROL_CHARACTERS.search(folder):
        problem = "a control character"
    elif folder.strip() in ("", ".", ".."):
        problem = "not a folder name"
    elif (size := len(folder.encode())) > MAX_NAME_BYTES:
        problem = f"{size:,} bytes, more than the {MAX_NAME_BYTES} of a folder's name"
    if problem:
        raise InputError(
            f"--model_args: the model is called {shorten_middle(ascii(name), 60)}: found {problem}; its "
            "results folder has this name: give another name (for a path, a link to it)"
        )


def name_tracker(tracker: Any, config: Any) -> Any:
    """Set the model's name in lm_eval's writer, which invents one for a model without arguments."""
    names = tracker.general_config_tracker
    names.model_source = config.model
    if config.model == INSPECT:
        names.model_name = names.model_name_sanitized = model_name(str(config.model_args["model"]))
    elif names.model_name not in map(str, config.model_args.values()):
        names.model_name = names.model_name_sanitized = config.model
    return tracker


def write(tracker: Any, results: Json, samples: Mapping[str, Sequence[Document]]) -> Path:
    """Write results and samples; return their folder."""
    output_path = Path(tracker.output_path)
    is_file = output_path.suffix == ".json"
    target = (
        output_path.parent
        if is_file
        else output_path / str(tracker.general_config_tracker.model_name_sanitized)
    )
    draft = draft_path(target / "writing")
    inner = draft if is_file else draft / target.name
    tracker.output_path = str(draft / output_path.name) if is_file else str(draft)
    try:
        draft.mkdir(parents=True, exist_ok=True, mode=0o700)
        tracker.save_results_aggregated(results=results, samples=samples)
        for task in results["configs"]:
            tracker.save_results_samples(task_name=task, samples=({**sample} for sample in samples[task]))
        files = sorted(inner.iterdir(), key=lambda path: path.suffix == ".json") if inner.is_dir() else []
        n_rows = sum(len(samples[task]) for task in results["configs"])
        if len(files) < 1 + len(results["configs"]) or not _are_complete(files, n_rows):
            # lm_eval logs write errors and continues
            raise PolbiasError(
                f"{target}: results and samples could not all be written (is the disk full?); run the same "
                "command again, which reads the answers from the cache"
            )
        for path in files:
            _make_safe(path)
            path.replace(target / path.name)
    except OSError as error:
        raise PolbiasError(f"{target}: results cannot be written ({error.strerror})") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        tracker.output_path = str(output_path)
    return target


def _make_safe(path: Path) -> None:
    """Make a file private, and redact secrets that tasks or libraries repeat."""
    path.chmod(PRIVATE_MODE)
    with path.open(encoding="utf-8") as lines:  # line by line: samples may be gigabytes
        if all(redact_secrets(line) == line for line in lines):
            return
        lines.seek(0)
        write_text(path, map(redact_secrets, lines))


def _are_complete(files: Sequence[Path], n_rows: int) -> bool:
    """Whether the results parse and the samples have `n_rows` lines."""
    try:
        json.loads(files[-1].read_bytes())
    except ValueError:
        return False
    n_lines = 0
    for path in files[:-1]:
        with path.open("rb") as lines:
            n_lines += sum(line.endswith(b"\n") for line in lines)
    return n_lines == n_rows
