"""Results of a run: what lm_eval says meanwhile, its files, and what to show at the end."""

from __future__ import annotations

import json
import logging
import math
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polbias.aliases import Document, Json
from polbias.eval.inspect_logs import model_name
from polbias.eval.lm_eval_compat import write_halves
from polbias.files import PRIVATE, InputError, PolbiasError, clipped, draft_of, whole, write_text
from polbias.lm_eval_runner.model_identity import INSPECT
from polbias.registry import Instrument, import_reference, instrument_of, instruments
from polbias.safe_text import hide, safe_logs

# What lm_eval and the loaders say while they run: where rows come from, and a fault told once.

PrintLine = Callable[[str], None]

CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
LONGEST_NAME = 255  # bytes
_SOURCES = "lm-eval.polbias"  # the logger of our loaders
_EVALUATOR = "lm_eval.evaluator"
_CLIENT = "lm_eval.models.api_models"
# Requests that were under way when a run failed report their errors as the process ends; what servers reply
# is shown once; lm_eval praises --metadata for every task, and 0.5 every metric that it does not compute.
_QUIET = {"asyncio": logging.CRITICAL, _CLIENT: logging.CRITICAL, "httpx": logging.WARNING} | dict.fromkeys(
    ("lm_eval.api.task", "lm_eval.api.metrics.utils"), logging.ERROR
)
_OVERRIDES = "generation_kwargs:"  # lm_eval warns of what the user has just typed


class _Sources(logging.Handler):
    """Takes down and shows what the loaders say, each line once."""

    def __init__(self, tell: PrintLine) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        """Show a line that is new."""
        line = record.getMessage()
        if line not in self.lines:
            self.lines.append(line)
            self._tell(line)


def _not_typed(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith(_OVERRIDES)


@contextmanager
def listening(tell: PrintLine, verbosity: str | None) -> Iterator[list[str]]:
    """Listen to lm_eval and the loaders; what is left of its messages is shown from WARNING on.

    Yields:
        Where rows come from, a line for each config.
    """
    from lm_eval.utils import setup_logging

    setup_logging(getattr(logging, verbosity or "", logging.WARNING))
    sources, evaluator = map(logging.getLogger, (_SOURCES, _EVALUATOR))
    handler = _Sources(tell)
    propagated = sources.propagate
    sources.addHandler(handler)
    sources.propagate = False
    evaluator.addFilter(_not_typed)
    if os.environ.get("LMEVAL_LOG_LEVEL", "").upper() != "DEBUG":
        for name, level in _QUIET.items():
            logging.getLogger(name).setLevel(level)
    try:
        with safe_logs():
            yield handler.lines
    finally:
        sources.removeHandler(handler)
        sources.propagate = propagated
        evaluator.removeFilter(_not_typed)


# Results and samples on file, in lm_eval's own form: each file whole, and the results when all are there.


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
    """Refuse a model whose name can be none of a folder, in which its results are to lie."""
    for option in ("model_args", "gen_kwargs", "metadata", "system_instruction"):
        if (text := json.dumps(getattr(config, option), ensure_ascii=False, default=str)) != whole(text):
            raise InputError(f"--{option}: found half a character, expected whole ones; correct it")
    from lm_eval.loggers.evaluation_tracker import GeneralConfigTracker
    from lm_eval.utils import sanitize_model_name

    name = str(GeneralConfigTracker._get_model_name(config.model_args) or config.model)
    folder = model_name(name) if config.model == INSPECT else sanitize_model_name(name)
    problem = None
    if CONTROL_CHARACTERS.search(folder):
        problem = "a control character"
    elif folder.strip() in ("", ".", ".."):
        problem = "no name of a folder"
    elif (size := len(folder.encode())) > LONGEST_NAME:
        problem = f"{size:,} bytes, more than the {LONGEST_NAME} of a folder's name"
    if problem:
        raise InputError(
            f"--model_args: the model is called {clipped(ascii(name), 60)}: found {problem}; its results lie "
            "in a folder of that name: give another (if it is a path, a link to it)"
        )


def named(tracker: Any, config: Any) -> Any:
    """Return the writer with the model's name; lm_eval makes one up for a model without arguments."""
    about = tracker.general_config_tracker
    about.model_source = config.model
    if config.model == INSPECT:
        about.model_name = about.model_name_sanitized = model_name(str(config.model_args["model"]))
    elif about.model_name not in map(str, config.model_args.values()):
        about.model_name = about.model_name_sanitized = config.model
    return tracker


def write(tracker: Any, results: Json, samples: Mapping[str, Sequence[Document]]) -> Path:
    """Write results and samples."""
    wanted = Path(tracker.output_path)
    single = wanted.suffix == ".json"
    target = wanted.parent if single else wanted / str(tracker.general_config_tracker.model_name_sanitized)
    draft = draft_of(target / "writing")
    inner = draft if single else draft / target.name
    tracker.output_path = str(draft / wanted.name) if single else str(draft)
    try:
        draft.mkdir(parents=True, exist_ok=True, mode=0o700)
        tracker.save_results_aggregated(results=results, samples=samples)
        for task in results["configs"]:
            tracker.save_results_samples(task_name=task, samples=({**sample} for sample in samples[task]))
        made = sorted(inner.iterdir(), key=lambda path: path.suffix == ".json") if inner.is_dir() else []
        rows = sum(len(samples[task]) for task in results["configs"])
        if len(made) < 1 + len(results["configs"]) or not _whole(made, rows):
            # lm_eval logs what went wrong and goes on
            raise PolbiasError(
                f"{target}: results and samples could not all be written (is the disk full?); run the same "
                "command again, which takes the answers from the cache"
            )
        for path in made:
            _make_safe(path)
            path.replace(target / path.name)
    except OSError as error:
        raise PolbiasError(f"{target}: results cannot be written ({error.strerror})") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        tracker.output_path = str(wanted)
    return target


def _make_safe(path: Path) -> None:
    """Keep a file to its owner, and secrets of this run out of it, as tasks and libraries may repeat them."""
    path.chmod(PRIVATE)
    with path.open(encoding="utf-8") as lines:  # line by line: samples may be gigabytes
        if all(hide(line) == line for line in lines):
            return
        lines.seek(0)
        write_text(path, map(hide, lines))


def _whole(files: Sequence[Path], rows: int) -> bool:
    """Tell whether results and samples were written to their ends."""
    try:
        json.loads(files[-1].read_bytes())
    except ValueError:
        return False
    n_lines = 0
    for path in files[:-1]:
        with path.open("rb") as lines:
            n_lines += sum(line.endswith(b"\n") for line in lines)
    return n_lines == rows


# What to show at the end of a run: the main metric of every task with its interval, and what to do next.

_ALL_ROWS = "_paper"  # metrics whose printed error takes rows for independent
_NO_VERDICT = ("refusal", "unparsable", "truncated", "discarded")
_LEVEL = 0.95


@dataclass(frozen=True)
class Score:
    """The main metric of a task.

    Args:
        task: its name.
        metric: name of the metric.
        value: the score; None where the answers carry none.
        low: lower end of its 95% interval, None if there is none.
        high: upper end.
        n: number of rows.
        clusters: number of units of these rows, over which the interval is.
        missing: share of answers without a verdict, None if the task does not count them.
        truncated: share of answers that were cut off.
    """

    task: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    missing: float | None
    truncated: float


def scores(results: Document, samples: Mapping[str, Sequence[Document]]) -> Iterator[Score]:
    """Yield the main metric of every task that has one."""
    for task, logged in samples.items():
        found = {name.split(",")[0]: value for name, value in results["results"].get(task, {}).items()}
        docs = [sample["doc"] for sample in logged]
        own = _instrument(docs[0] if docs else {})
        metric = main_metric(found, own)
        if metric is None:
            continue
        unit = import_reference(own.cluster_function) if own and own.cluster_function else None
        clusters = len({unit(doc) if unit else doc.get("cluster_id", at) for at, doc in enumerate(docs)})
        independent = len(logged) if metric.endswith(_ALL_ROWS) else clusters
        half = _half_width(found.get(f"{metric}_stderr"), independent)
        value = float(found[metric]) if _is_number(found[metric]) else None
        without = [float(found[name]) for name in _NO_VERDICT if _is_number(found.get(name))]
        low, high = (None, None) if half is None or value is None else (value - half, value + half)
        yield Score(
            task,
            metric,
            value,
            low,
            high,
            len(logged),
            clusters,
            sum(without) if without else None,
            float(found["truncated"]) if _is_number(found.get("truncated")) else 0.0,
        )


def main_metric(names: Collection[str], own: Instrument | None) -> str | None:
    """Return what a task of an instrument, or of none, is about; see docs/evaluating.md."""
    metrics = [name for each in ([own] if own else instruments().values()) for name in each.metrics]
    return next((name for name in (*metrics, "acc") if name in names), None)


def _instrument(row: Document) -> Instrument | None:
    return instruments().get(instrument_of(row) or "")


def _half_width(error: Any, units: int) -> float | None:
    if not _is_number(error) or units < 2:
        return None
    from scipy.stats import t

    return float(t.ppf((1 + _LEVEL) / 2, units - 1)) * float(error)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
