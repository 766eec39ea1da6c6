"""Run lm_eval over polbias tasks with a cached model; write results and samples."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polbias import __version__
from polbias.aliases import Document, Json
from polbias.errors import PolbiasError
from polbias.eval.estimability import are_copies
from polbias.eval.samples import flatten_responses
from polbias.eval.task_settings import REASONING
from polbias.lm_eval_runner.answer_cache import AnswerCache, RequestCounts
from polbias.lm_eval_runner.budget import Budget
from polbias.lm_eval_runner.cached_models import cached_model_class
from polbias.lm_eval_runner.log_capture import PrintLine, capture_logs
from polbias.lm_eval_runner.model_classes import LOGGER, is_api, load
from polbias.lm_eval_runner.model_identity import INSPECT, model_identity, slug, task_identity, write_identity
from polbias.lm_eval_runner.results import check_names, name_tracker, tracker_of, write
from polbias.lm_eval_runner.server_errors import Faults
from polbias.lm_eval_runner.settings import recorded_settings, request_settings
from polbias.lm_eval_runner.tasks import Catalogue, generation_settings
from polbias.models.bodies import TOO_LONG
from polbias.models.cache import AnswerStore, digest
from polbias.responses import NOT_REQUESTED
from polbias.safe_text import redact, redact_message

_SLICE_SIZES = {"vllm": 2048, "sglang": 2048}  # requests; these return their answers at the end of a call
_BUDGET_SLICE_SIZE = 64  # requests; the budget of a local model is checked between calls
_RESUME_CACHED = "its answers are cached: run the same command again"
_RESUME_UNCACHED = "--no-cache cached no answers: run everything again"
_SEED_NAMES = ("random", "numpy_random", "torch_random", "fewshot_random")
_LM_EVAL_OPTIONS = (
    *("batch_size", "max_batch_size", "device", "limit", "samples", "write_out", "system_instruction"),
    *("apply_chat_template", "fewshot_as_multiturn", "predict_only"),
    *("confirm_run_unsafe_code", "metadata"),
)


@dataclass(frozen=True)
class EvalRun:
    """A finished run.

    Args:
        results: results of lm_eval, without samples.
        samples: samples by task.
        folder: folder of results and samples.
        tally: counts of answers and requests.
        budget: used tokens.
        cache: folder of the cached answers; None without a cache.
        model: the loaded model.
    """

    results: Document
    samples: Mapping[str, Sequence[Document]]
    folder: Path
    tally: RequestCounts
    budget: Budget
    cache: Path | None
    model: Any = None


def evaluate(
    config: Any,
    tasks: Catalogue,
    names: Sequence[str],
    kind: Any,
    cache: Path | None,
    print_line: PrintLine,
    model: Any = None,
    budget: Budget | None = None,
) -> EvalRun | None:
    """Run tasks and write results and samples; load the model unless `model` is a loaded one.

    Returns:
        The run; None in the other processes of a run on several GPUs.
    """
    from lm_eval.tasks import TaskManager

    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    with capture_logs(print_line, config.verbosity) as sources, ExitStack() as stack:
        check_names(config)
        tracker = tracker_of(config)
        is_remote = is_api(kind) or config.model == INSPECT
        if is_remote and model is None:  # report a missing key or package before reading rows
            model = load(_cached_class(config, kind), config)
        manager = TaskManager(
            include_path=[*tasks.folders], include_defaults=False, metadata=dict(config.metadata)
        )
        lm_eval_tasks = manager.load([*names])
        is_reasoning = bool(config.metadata.get(REASONING))
        if is_reasoning:
            for task in lm_eval_tasks["tasks"].values():
                _extend_token_limit(task, config)
        model = model or load(_cached_class(config, kind), config)
        folder = None
        if cache is not None:
            identity = model_identity(config)
            folder = cache / slug(identity)
            write_identity(folder, identity)
        stores = stack.enter_context(_open_stores(folder, lm_eval_tasks["tasks"], model, print_line))
        reseed = None if is_remote else lambda n_cached: _advance_torch_seed(config.seed, n_cached)
        resume = _RESUME_UNCACHED if cache is None else _RESUME_CACHED
        budget = budget or Budget()
        has_budget = (budget.max_tokens or budget.max_cost) and not is_remote
        can_stop_early = (
            "polbias_stopping_rule" in config.metadata and model.world_size == 1
        )  # several have parts of a statement
        answer_cache = AnswerCache(
            stores,
            _BUDGET_SLICE_SIZE if has_budget else _SLICE_SIZES.get(config.model, 0),
            reseed,
            resume,
            budget=budget,
            faults=Faults(print_line),
            settings=request_settings(config, kind, print_line),
            expects_reasoning=is_reasoning,
            planners=_methods_by_task(lm_eval_tasks["tasks"], "plan_sampling") if can_stop_early else {},
            readers=_methods_by_task(lm_eval_tasks["tasks"], "sampled_shares"),
            accepts_n=None if is_api(kind) and getattr(model, "_batch_size", 0) == 1 else False,
        )
        model.answer_cache = answer_cache
        model.set_cache_hook(answer_cache)
        specs = [lm_eval_tasks["groups"].get(name) or lm_eval_tasks["tasks"][name] for name in names]
        results = _run_lm_eval(config, model, specs, manager, tracker)
        if results is None:
            return None
        samples = results.pop("samples")
        results["config"]["model"] = config.model
        results["polbias"] = {"version": __version__, "sources": sources}
        results["polbias"]["requests_from_cache"] = answer_cache.tally.n_cached
        if answer_cache.tally.not_requested:
            results["polbias"]["not_requested"] = answer_cache.tally.not_requested
        if copied := [*_copied_tasks(samples, print_line)]:
            results["polbias"]["not_sampled"] = copied
        results["polbias"] |= _add_metadata(sample for of_task in samples.values() for sample in of_task)
        results_folder = write(name_tracker(tracker, config), results, samples)
    return EvalRun(results, samples, results_folder, answer_cache.tally, budget, folder, model)


def _copied_tasks(samples: Mapping[str, Sequence[Document]], print_line: PrintLine) -> Iterator[str]:
    """Yield the tasks whose answers to each prompt are copies of one text, with a printed line."""
    for task, task_samples in samples.items():
        answered = [sample for sample in task_samples if sample.get("answer_rate", 1)]
        answers = [
            [text for text in flatten_responses(sample["resps"]) if text != NOT_REQUESTED]
            for sample in answered
        ]
        if are_copies([*map(len, answers)], [len({*texts}) for texts in answers]):
            print_line(
                f"{task}: not sampled: all answers to a prompt are the same text, for every prompt; does the "
                "server sample? The answers to a prompt count as one, and no stance is reliable"
            )
            yield task


def _add_metadata(samples: Iterable[Json]) -> Json:
    """Add the metadata of answers to their samples; return the totals for the results.

    ``filtered`` of a sample is the share of its answers that a filter of the provider withheld.
    """
    dropped: Json = {}
    n_filtered = n_too_long = 0
    for sample in samples:
        metadata = [getattr(answer, "metadata", {}) for answer in flatten_responses(sample["resps"])]
        metadata = [fields for fields in metadata if isinstance(fields, Mapping)]
        if any(metadata):
            filtered = [bool(fields.get("filtered")) for fields in metadata]
            sample |= {"polbias": metadata, "filtered": sum(filtered) / len(filtered)}
            n_filtered += sum(filtered)
            n_too_long += sum(fields.get("finish_reason") == TOO_LONG for fields in metadata)
            for fields in metadata:
                dropped |= fields.get("dropped", {})
    summary = {"filtered": n_filtered, TOO_LONG: n_too_long, "dropped": dropped}
    return {name: value for name, value in summary.items() if value}


def _run_lm_eval(config: Any, model: Any, specs: Sequence[Any], manager: Any, tracker: Any) -> Any:
    from lm_eval import simple_evaluate

    try:
        seeds = dict(zip(_SEED_NAMES, config.seed or [None] * 4, strict=True))
        return simple_evaluate(
            model=model,
            model_args=redact(config.model_args),
            tasks=[*specs],
            log_samples=True,
            evaluation_tracker=tracker,
            task_manager=manager,
            gen_kwargs=recorded_settings(config),
            **{name: getattr(config, name) for name in _LM_EVAL_OPTIONS},
            **{f"{name}_seed": seed for name, seed in seeds.items()},
        )
    except PolbiasError:
        raise
    except Exception as error:
        LOGGER.debug("lm_eval failed", exc_info=True)
        raise PolbiasError(
            f"lm_eval failed ({type(error).__name__}: {redact_message(error)}); LMEVAL_LOG_LEVEL=DEBUG shows "
            "where"
        ) from error


def _methods_by_task(tasks: Document, method: str) -> Json:
    """Map the names of the tasks that have a method to that method."""
    return {name: getattr(task, method) for name, task in tasks.items() if hasattr(task, method)}


def _extend_token_limit(task: Any, config: Any) -> None:
    """Raise the token limit of a generation task for reasoning."""
    if task.get_config("output_type") == "generate_until":
        task_settings = task.get_config("generation_kwargs") or {}
        settings = generation_settings(task_settings, recorded_settings(config), config.metadata)
        task.set_config("generation_kwargs", settings)


def _cached_class(config: Any, kind: Any) -> Any:
    """Return the cached model class; the dummy model has no tokenizer, which it would download unused."""
    cached_class = cached_model_class(kind)
    if config.model == "dummy" and not config.apply_chat_template:
        cached_class.tokenizer = None
    return cached_class


@contextmanager
def _open_stores(
    folder: Path | None, tasks: Document, model: Any, print_line: PrintLine
) -> Iterator[dict[str, AnswerStore]]:
    """Open the answer stores of tasks, one per process of a run on several GPUs."""
    rank = model.rank or int(os.environ.get("LOCAL_RANK", "0"))
    suffix = f".rank{rank}" if rank else ""
    with ExitStack() as stack:
        stores: dict[str, AnswerStore] = {}
        for name, task in tasks.items():
            path = folder and folder / f"{name}-{digest(task_identity(task))}{suffix}.sqlite"
            stores[name] = store = AnswerStore(path)
            stack.callback(store.close)
            if store.damaged:
                print_line(f"{store.path}: was damaged and is renamed to {store.damaged.name}")
        yield stores


def _advance_torch_seed(seeds: Sequence[int | None] | None, n_cached: int) -> None:
    """Seed torch differently from the run that gave the cached answers."""
    from lm_eval.utils import set_torch_seed

    if seeds and seeds[2] is not None:
        set_torch_seed(seeds[2] + n_cached)
