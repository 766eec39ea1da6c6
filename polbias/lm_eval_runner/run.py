"""Run lm_eval over tasks of ours with a model that answers from file what it can."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polbias.aliases import Document
from polbias.evaluation.identity import digest, model_identity, slug, task_identity, without_secrets
from polbias.evaluation.models import is_api, load
from polbias.evaluation.store import Store, write_identity
from polbias.evaluation.writing import named, tracker_of, write
from polbias.files import PolbiasError
from polbias.generators.services.keys import scrub
from polbias.lm_eval_runner.cache import Memory, Tally, remembering
from polbias.lm_eval_runner.results import Tell, listening
from polbias.lm_eval_runner.tasks import Catalogue

_log = logging.getLogger("polbias.lm_eval_runner")

_AT_ONCE = {"vllm": 2048, "sglang": 2048}  # requests; these hand out their answers at the end of a call
_KEPT = "its answers are kept: run the same command again"
_LOST = "nothing is kept because of --no-cache, so run it all again"


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

    results: Document
    samples: Mapping[str, Sequence[Document]]
    folder: Path
    tally: Tally
    sources: Sequence[str]
    cache: Path | None


def evaluate(
    config: Any, tasks: Catalogue, names: Sequence[str], kind: Any, cache: Path | None, tell: Tell
) -> Run | None:
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
        PolbiasError: if the model cannot be loaded or stops answering, or the results cannot be written.
    """
    from lm_eval.tasks import TaskManager

    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    with listening(tell, config.verbosity) as reports, ExitStack() as opened:
        tracker = tracker_of(config)
        folders = [*tasks.folders]
        manager = TaskManager(include_path=folders, include_defaults=False, metadata=dict(config.metadata))
        loaded = manager.load([*names])
        model = load(_class(config, kind), config)
        folder = None
        if cache is not None:
            identity = model_identity(config)
            folder = cache / slug(identity)
            write_identity(folder, identity)
        stores = opened.enter_context(_stores(folder, loaded["tasks"], model, tell))
        reseed = None if is_api(kind) else lambda kept: _reseed(config.seed, kept)
        resume = _LOST if cache is None else _KEPT
        memory = Memory(stores, _AT_ONCE.get(config.model, 0), reseed, resume, faults=reports.faults)
        model.memory = memory
        model.set_cache_hook(memory)
        specs = [loaded["groups"].get(name) or loaded["tasks"][name] for name in names]
        results = _evaluated(config, model, specs, manager, tracker)
        if results is None:
            return None
        samples = results.pop("samples")
        results["config"]["model"] = config.model
        results["polbias"] = {"sources": reports.sources, "requests_from_cache": memory.tally.kept}
        place = write(named(tracker, config), results, samples)
    return Run(results, samples, place, memory.tally, reports.sources, folder)


def _evaluated(config: Any, model: Any, specs: Sequence[Any], manager: Any, tracker: Any) -> Any:
    from lm_eval import simple_evaluate

    seeds = config.seed or [None] * 4
    try:
        return simple_evaluate(
            model=model,
            model_args=without_secrets(config.model_args),
            tasks=[*specs],
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
    except PolbiasError:
        raise
    except Exception as error:
        _log.debug("lm_eval failed", exc_info=True)
        raise PolbiasError(
            f"lm_eval failed ({type(error).__name__}: {scrub(error)}); LMEVAL_LOG_LEVEL=DEBUG shows where"
        ) from error


def _class(config: Any, kind: Any) -> Any:
    """The model's class with a memory; the dummy without the tokenizer that it would fetch for nothing."""
    made = remembering(kind)
    if config.model == "dummy" and not config.apply_chat_template:
        made.tokenizer = None
    return made


@contextmanager
def _stores(folder: Path | None, tasks: Document, model: Any, tell: Tell) -> Iterator[dict[str, Store]]:
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


def _reseed(seeds: Sequence[int | None] | None, kept: int) -> None:
    """Draw other numbers than the run did that the kept answers are from."""
    from lm_eval.utils import set_torch_seed

    if seeds and seeds[2] is not None:
        set_torch_seed(seeds[2] + kept)
