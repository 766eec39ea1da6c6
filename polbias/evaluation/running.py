"""Run lm_eval over tasks of ours with a model that answers from file what it can, and write the results down."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polbias.errors import PolbiasError
from polbias.evaluation.catalogue import Catalogue
from polbias.evaluation.identity import digest, model_identity, slug, task_identity, without_secrets
from polbias.evaluation.memory import Memory, Stopped, Tally, remembering
from polbias.evaluation.models import is_api, load
from polbias.evaluation.reports import Tell, listening
from polbias.evaluation.store import Store, write_identity

_AT_ONCE = {"vllm": 2048, "sglang": 2048}  # models that hand out their answers at the end of a call


@dataclass(frozen=True)
class Run:
    """A finished run.

    Args:
        results: of lm_eval, without samples.
        samples: by task.
        folder: where results and samples were written.
        tally: how many requests were answered from file.
        sources: where the rows came from.
        cache: folder of the kept answers; None if they were not kept.
    """

    results: Mapping[str, Any]
    samples: Mapping[str, Sequence[Mapping[str, Any]]]
    folder: Path
    tally: Tally
    sources: Sequence[str]
    cache: Path | None


def evaluate(config: Any, tasks: Catalogue, names: Sequence[str], kind: Any, cache: Path | None, tell: Tell) -> Run | None:
    """Run tasks and write results and samples.

    Args:
        config: of lm_eval, see :func:`polbias.evaluation.options.parse`.
        tasks: where the task files are.
        names: of tasks and groups.
        kind: the model's class.
        cache: folder for answers; None to keep none.
        tell: shows a line to the user.

    Returns:
        The run; None in a process that only helps another one (several GPUs).

    Raises:
        PolbiasError: if the model cannot be loaded, stops answering, or the results cannot be written.
    """
    from lm_eval import simple_evaluate
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    with listening(tell, config.verbosity) as reports, ExitStack() as open_stores:
        manager = TaskManager(
            include_path=[*tasks.folders], include_defaults=False, metadata=dict(config.metadata)
        )
        loaded = manager.load([*names])
        model = load(_class(config, kind), config)
        folder = None if cache is None else cache / slug(model_identity(config))
        stores = open_stores.enter_context(_stores(folder, loaded["tasks"], model, tell))
        model.memory = Memory(
            stores,
            _AT_ONCE.get(config.model, 0),
            None if is_api(kind) else lambda kept: _reseed(config.seed, kept),
            "nothing is kept because of --no-cache, so run it all again"
            if folder is None
            else "its answers are kept: run the same command again",
            faults=reports.faults,
        )
        model.set_cache_hook(model.memory)
        tracker = EvaluationTracker(**{**config.hf_hub_log_args, "output_path": config.output_path}, **_token())
        seeds = config.seed or [None] * 4
        results = simple_evaluate(
            model=model,
            model_args=without_secrets(config.model_args),
            tasks=[*loaded["groups"].values(), *_alone(loaded)],
            batch_size=config.batch_size,
            max_batch_size=config.max_batch_size,
            device=config.device,
            limit=config.limit,
            samples=config.samples,
            write_out=config.write_out,
            log_samples=True,
            evaluation_tracker=tracker,
            system_instruction=config.system_instruction,
            apply_chat_template=config.apply_chat_template,
            fewshot_as_multiturn=config.fewshot_as_multiturn,
            gen_kwargs=config.gen_kwargs,
            task_manager=manager,
            predict_only=config.predict_only,
            random_seed=seeds[0],
            numpy_random_seed=seeds[1],
            torch_random_seed=seeds[2],
            fewshot_random_seed=seeds[3],
            confirm_run_unsafe_code=config.confirm_run_unsafe_code,
            metadata=config.metadata,
        )
    if results is None:
        return None
    samples = results.pop("samples")
    results["config"]["model"] = tracker.general_config_tracker.model_source = config.model
    results["polbias"] = {"sources": reports.sources, "requests_from_cache": model.memory.tally.kept}
    place = _write(tracker, results, samples)
    return Run(results, samples, place, model.memory.tally, reports.sources, folder)


def _class(config: Any, kind: Any) -> Any:
    """The model's class with memory; the test model without the tokenizer that it would fetch for its metadata."""
    made = remembering(kind)
    if config.model == "dummy" and not config.apply_chat_template:
        made.tokenizer = None
    return made


@contextmanager
def _stores(folder: Path | None, tasks: Mapping[str, Any], model: Any, tell: Tell) -> Iterator[dict[str, Store]]:
    """Open the stores of some tasks; every process of a run on several GPUs has its own."""
    rank = model.rank or int(os.environ.get("LOCAL_RANK", "0"))
    part = f".rank{rank}" if rank else ""
    with ExitStack() as opened:
        stores: dict[str, Store] = {}
        for name, task in tasks.items():
            path = folder and folder / f"{name}-{digest(task_identity(task))}{part}.sqlite"
            stores[name] = store = Store(path)
            opened.callback(store.close)
            if store.damaged:
                tell(f"{store.path}: was damaged and is put aside as {store.damaged.name}")
        yield stores
