"""Run lm_eval over tasks of ours with a model that answers from file what it can."""

from __future__ import annotations

import argparse
import logging
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from reprlib import repr as short
from typing import Any, NoReturn

from polbias import __version__
from polbias.aliases import Document, Json
from polbias.eval.estimability import are_copies
from polbias.eval.extraction.text import NOT_REQUESTED
from polbias.eval.lm_eval_metrics import flat
from polbias.files import InputError, PolbiasError, nearest
from polbias.lm_eval_runner.addresses import check_address
from polbias.lm_eval_runner.answer_cache import AnswerCache, RequestCounts
from polbias.lm_eval_runner.budget import Budget
from polbias.lm_eval_runner.cached_models import remembering
from polbias.lm_eval_runner.model_identity import (
    INSPECT,
    model_identity,
    slug,
    task_identity,
    write_identity,
)
from polbias.lm_eval_runner.results import PrintLine, check_names, listening, named, tracker_of, write
from polbias.lm_eval_runner.server_errors import Faults
from polbias.lm_eval_runner.settings import move_settings, recorded_settings, request_settings
from polbias.lm_eval_runner.tasks import REASONING, Catalogue, TaskFile, function, generation_settings, some
from polbias.models.bodies import TOO_LONG
from polbias.models.cache import AnswerStore, digest
from polbias.models.chat import check_url
from polbias.optional import advice, lm_eval_imports
from polbias.safe_text import (
    is_secret_name,
    redact,
    register_arguments,
    register_header,
    register_text,
    scrub,
)

# What is known of a model before it is loaded: its class, what it cannot do, how an API is best asked.

# lm_eval asks an API one request at a time, gives up after three attempts, and cuts prompts at 2,047 tokens.
API_DEFAULTS = {"num_concurrent": 8, "max_retries": 10, "timeout": 600, "max_length": 131_072}
COMMON_MODELS = (
    *("inspect", "openai-chat-completions", "anthropic-chat", "local-chat-completions", "local-completions"),
    *("hf", "vllm", "sglang"),
)
_LOCAL = ("hf", "hf-auto", "huggingface")
_OWN_SEEDS = ("vllm",)  # local models that take a seed with every request
_SEEDS = "polbias_seeds"
_FIRST_SEED = "polbias_first_seed"
_THINKING = {"think_end_token": "</think>", "enable_thinking": True}


def model_class(name: str) -> Any:
    """Return the class of a model of lm_eval."""
    from lm_eval.api.registry import get_model, model_registry

    try:
        if name == INSPECT:
            import polbias.lm_eval_runner.inspect_model  # noqa: F401, registers itself; its library takes a second
        return get_model(name)
    except (KeyError, ValueError):
        likely = nearest(name, [*model_registry])
        raise InputError(
            f"--model {name}: no class of models; {likely}expected one of {', '.join(COMMON_MODELS)}, or "
            "another of lm_eval's, with the name of the model itself in --model_args"
        ) from None
    except ImportError as error:
        raise missing_library_error(name, error) from None


def missing_library_error(name: str, error: ImportError) -> PolbiasError:
    """Return the error for a model whose library is not installed."""
    told = {"vllm": "pip install 'lm_eval[vllm]'", **dict.fromkeys(_LOCAL, advice("hf"))}
    told[INSPECT] = advice("inspect")
    reason = str(error).splitlines()[0].rstrip(".")
    return PolbiasError(f"--model {name}: {reason}; {told.get(name, 'install what it needs')}")


def is_api(kind: Any) -> bool:
    """Say whether a model is asked over the network by lm_eval's own client."""
    from lm_eval.models.api_models import TemplateAPI

    return issubclass(kind, TemplateAPI)


def prepare(config: Any, kind: Any) -> None:
    """Fill in what the user left open: how an API is asked, and whether requests carry seeds of their own.

    Keys leave the metadata, which lm_eval copies from the model's arguments and writes into its results.
    """
    move_settings(config)
    added: Json = {}
    if is_api(kind):
        added = {name: value for name, value in API_DEFAULTS.items() if name not in config.model_args}
        if "chat" in config.model and not config.apply_chat_template:
            config.apply_chat_template = config.fewshot_as_multiturn = True
    elif config.model == INSPECT:
        config.apply_chat_template = config.fewshot_as_multiturn = True
    elif config.metadata.get(REASONING) and (added := _thinking(config.model_args, kind)):
        config.apply_chat_template = config.apply_chat_template or True
        config.fewshot_as_multiturn = True
    config.model_args = {**added, **config.model_args}
    seeds: Json = {_SEEDS: True} if config.model in _OWN_SEEDS else {}
    if config.model == INSPECT:
        # few of its providers take seeds: only the user's and those after it are sent
        first = {**config.model_args, **(config.gen_kwargs or {})}.get("seed")
        seeds = {_SEEDS: False} if first is None else {_SEEDS: True, _FIRST_SEED: first}
    open_metadata = {k: redact(v) for k, v in config.metadata.items() if not is_secret_name(k)}
    config.metadata = {**seeds, **open_metadata}


def _thinking(given: Document, kind: Any) -> Json:
    """The arguments with which a local model is told to think, as far as it takes them.

    A server is told by its own options; its thoughts are left out by the readers and kept in the samples.
    """
    made = [vars(each)["__init__"] for each in kind.__mro__ if "__init__" in vars(each)]
    taken = {name for each in made for name in signature(each).parameters}
    chosen = {**(given.get("chat_template_args") or {}), **given}
    return {name: value for name, value in _THINKING.items() if name in taken and name not in chosen}


def check_arguments(config: Any, kind: Any) -> None:
    """Refuse a model without a name, or an address where it needs one, and keys that it cannot take."""
    if (names := [*filter(is_secret_name, config.gen_kwargs or {})]) and not is_api(kind):
        raise InputError(
            f"--gen_kwargs {names[0]}: no setting of a request to --model {config.model}; give a key as a "
            "variable of the environment, or in --model_args"
        )
    if is_api(kind):
        check_address(config.model, kind, config.model_args)
    elif config.model == INSPECT:
        kind.check_name(config.model_args.get("model"))
        if address := config.model_args.get("base_url"):
            check_url(str(address))
    elif config.model in _LOCAL and not config.model_args.get("pretrained"):
        raise InputError(
            f"--model {config.model}: found no pretrained among --model_args, expected pretrained=NAME;"
            f" for a model behind an API --model is one of {', '.join(COMMON_MODELS[:5])}"
        )


def check_kinds(name: str, kind: Any, tasks: Iterable[TaskFile]) -> None:
    """Refuse tasks that score likelihoods where a model has none, before anything is asked."""
    scoring = [task.name for task in tasks if task.scores_likelihoods and not _in_chat(kind, task)]
    code = getattr(kind.loglikelihood, "__code__", None)
    if not scoring or code is None or "NotImplementedError" not in code.co_names:
        return
    raise InputError(
        f"--model {name}: gives no log-likelihoods, which {some(scoring)} need{'s' * (len(scoring) == 1)}; "
        "run these apart with --model local-completions (a server with echoed log-probabilities), hf or vllm"
    )


def _in_chat(kind: Any, task: TaskFile) -> bool:
    """Whether the labels of a task can be told from answers of a chat."""
    from lm_eval.models.openai_completions import LocalChatCompletion

    made = task.settings.get("class")
    return issubclass(kind, LocalChatCompletion) and hasattr(made and function(made, task.name), "sampled")


def load(kind: Any, config: Any) -> Any:
    """Load the model."""
    own = {"batch_size": config.batch_size, "max_batch_size": config.max_batch_size, "device": config.device}
    try:
        model = kind.create_from_arg_obj(config.model_args, own)
        if is_api(kind):
            headers = model.header  # where a key is missing, this says so before ten attempts do
            if not isinstance(headers, Mapping):
                raise InputError(
                    "--model_args header: found a text, expected an object; write --model_args as JSON, "
                    """such as '{"model": "NAME", "header": {"api-key": "..."}}'"""
                )
            for name, value in headers.items():
                register_header(name, value)
        return model
    except PolbiasError:
        raise
    except ImportError as error:
        raise missing_library_error(config.model, error) from error
    except Exception as error:
        LOGGER.debug("the model cannot be loaded", exc_info=True)
        raise PolbiasError(
            f"--model {config.model}: cannot be loaded ({type(error).__name__}: {scrub(error)})"
            f"{'' if 'API key' in str(error) else '; check --model_args'}"
        ) from error


# Run lm_eval over tasks of ours with a model that answers from file what it can.

LOGGER = logging.getLogger("polbias.lm_eval_runner")

_AT_ONCE = {"vllm": 2048, "sglang": 2048}  # requests; these hand out their answers at the end of a call
_SLICE = 64  # requests; a budget is looked at between calls of a model in this process
_KEPT = "its answers are kept: run the same command again"
_LOST = "nothing is kept because of --no-cache, so run it all again"
_SEEDED = ("random", "numpy_random", "torch_random", "fewshot_random")
_PASSED_ON = (
    *("batch_size", "max_batch_size", "device", "limit", "samples", "write_out", "system_instruction"),
    *("apply_chat_template", "fewshot_as_multiturn", "predict_only"),
    *("confirm_run_unsafe_code", "metadata"),
)


@dataclass(frozen=True)
class EvalRun:
    """A finished run.

    Args:
        results: of lm_eval, without samples.
        samples: by task.
        folder: where results and samples were written.
        tally: how many requests were answered from file.
        budget: what their answers took.
        sources: where the rows came from.
        cache: folder of the kept answers; None if they were not kept.
        model: that was asked, loaded.
    """

    results: Document
    samples: Mapping[str, Sequence[Document]]
    folder: Path
    tally: RequestCounts
    budget: Budget
    sources: Sequence[str]
    cache: Path | None
    model: Any = None


def evaluate(
    config: Any,
    tasks: Catalogue,
    names: Sequence[str],
    kind: Any,
    cache: Path | None,
    tell: PrintLine,
    model: Any = None,
    budget: Budget | None = None,
) -> EvalRun | None:
    """Run tasks, with a model that is loaded already if there is one, and write results and samples."""
    from lm_eval.tasks import TaskManager

    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    with listening(tell, config.verbosity) as sources, ExitStack() as opened:
        check_names(config)
        tracker = tracker_of(config)
        remote = is_api(kind) or config.model == INSPECT
        if remote and model is None:  # a missing key or package is told before any row is read
            model = load(_class(config, kind), config)
        manager = TaskManager(
            include_path=[*tasks.folders], include_defaults=False, metadata=dict(config.metadata)
        )
        loaded = manager.load([*names])
        thinks = bool(config.metadata.get(REASONING))
        if thinks:
            for task in loaded["tasks"].values():
                _give_room(task, config)
        model = model or load(_class(config, kind), config)
        folder = None
        if cache is not None:
            identity = model_identity(config)
            folder = cache / slug(identity)
            write_identity(folder, identity)
        stores = opened.enter_context(_stores(folder, loaded["tasks"], model, tell))
        reseed = None if remote else lambda kept: _reseed(config.seed, kept)
        resume = _LOST if cache is None else _KEPT
        budget = budget or Budget()
        limited = (budget.max_tokens or budget.max_cost) and not remote
        plans = (
            "polbias_stop" in config.metadata and model.world_size == 1
        )  # several have parts of a statement
        memory = AnswerCache(
            stores,
            _SLICE if limited else _AT_ONCE.get(config.model, 0),
            reseed,
            resume,
            budget=budget,
            faults=Faults(tell),
            settings=request_settings(config, kind, tell),
            reasons=thinks,
            planners=_offered(loaded["tasks"], "asking") if plans else {},
            readers=_offered(loaded["tasks"], "sampled"),
            several=None if is_api(kind) and getattr(model, "_batch_size", 0) == 1 else False,
        )
        model.memory = memory
        model.set_cache_hook(memory)
        specs = [loaded["groups"].get(name) or loaded["tasks"][name] for name in names]
        results = _evaluated(config, model, specs, manager, tracker)
        if results is None:
            return None
        samples = results.pop("samples")
        results["config"]["model"] = config.model
        results["polbias"] = {"version": __version__, "sources": sources}
        results["polbias"]["requests_from_cache"] = memory.tally.kept
        if memory.tally.not_asked:
            results["polbias"]["not_asked"] = memory.tally.not_asked
        if copied := [*_copied_tasks(samples, tell)]:
            results["polbias"]["not_sampled"] = copied
        results["polbias"] |= _log_answers(sample for of_task in samples.values() for sample in of_task)
        place = write(named(tracker, config), results, samples)
    return EvalRun(results, samples, place, memory.tally, budget, sources, folder, model)


def _copied_tasks(samples: Mapping[str, Sequence[Document]], tell: PrintLine) -> Iterator[str]:
    """Yield the tasks of which every prompt got copies of one answer, and say so."""
    for task, of_task in samples.items():
        with_verdict = [sample for sample in of_task if sample.get("valid", 1)]
        answers = [
            [text for text in flat(sample["resps"]) if text != NOT_REQUESTED] for sample in with_verdict
        ]
        if are_copies([*map(len, answers)], [len({*texts}) for texts in answers]):
            tell(
                f"{task}: not sampled: all answers to a prompt are the same text, for every prompt; does the "
                "server sample? They count as one answer each, of which no stance is reliable"
            )
            yield task


def _log_answers(samples: Iterable[Json]) -> Json:
    """Put into samples what is known of their answers; return what the results say of all of them.

    ``filtered`` is the share of a sample's answers that a filter of the provider withheld.
    """
    dropped: Json = {}
    n_filtered = n_too_long = 0
    for sample in samples:
        about = [getattr(answer, "about", {}) for answer in flat(sample["resps"])]
        about = [known for known in about if isinstance(known, Mapping)]
        if any(about):
            filtered = [bool(known.get("filtered")) for known in about]
            sample |= {"polbias": about, "filtered": sum(filtered) / len(filtered)}
            n_filtered += sum(filtered)
            n_too_long += sum(known.get("finish_reason") == TOO_LONG for known in about)
            for known in about:
                dropped |= known.get("dropped", {})
    summary = {"filtered": n_filtered, TOO_LONG: n_too_long, "dropped": dropped}
    return {name: value for name, value in summary.items() if value}


def _evaluated(config: Any, model: Any, specs: Sequence[Any], manager: Any, tracker: Any) -> Any:
    from lm_eval import simple_evaluate

    try:
        seeds = dict(zip(_SEEDED, config.seed or [None] * 4, strict=True))
        return simple_evaluate(
            model=model,
            model_args=redact(config.model_args),
            tasks=[*specs],
            log_samples=True,
            evaluation_tracker=tracker,
            task_manager=manager,
            gen_kwargs=recorded_settings(config),
            **{name: getattr(config, name) for name in _PASSED_ON},
            **{f"{name}_seed": seed for name, seed in seeds.items()},
        )
    except PolbiasError:
        raise
    except Exception as error:
        LOGGER.debug("lm_eval failed", exc_info=True)
        raise PolbiasError(
            f"lm_eval failed ({type(error).__name__}: {scrub(error)}); LMEVAL_LOG_LEVEL=DEBUG shows where"
        ) from error


def _offered(tasks: Document, method: str) -> Json:
    """A method of the tasks that have it, by their names."""
    return {name: getattr(task, method) for name, task in tasks.items() if hasattr(task, method)}


def _give_room(task: Any, config: Any) -> None:
    """Let the answers to a task be as long as a model that reasons needs."""
    if task.get_config("output_type") == "generate_until":
        own = task.get_config("generation_kwargs") or {}
        settings = generation_settings(own, recorded_settings(config), config.metadata)
        task.set_config("generation_kwargs", settings)


def _class(config: Any, kind: Any) -> Any:
    """The model's class with a memory; the dummy without the tokenizer that it would fetch for nothing."""
    made = remembering(kind)
    if config.model == "dummy" and not config.apply_chat_template:
        made.tokenizer = None
    return made


@contextmanager
def _stores(
    folder: Path | None, tasks: Document, model: Any, tell: PrintLine
) -> Iterator[dict[str, AnswerStore]]:
    """Open the stores of some tasks; every process of a run on several GPUs has its own."""
    rank = model.rank or int(os.environ.get("LOCAL_RANK", "0"))
    part = f".rank{rank}" if rank else ""
    with ExitStack() as opened:
        stores: dict[str, AnswerStore] = {}
        for name, task in tasks.items():
            path = folder and folder / f"{name}-{digest(task_identity(task))}{part}.sqlite"
            stores[name] = store = AnswerStore(path)
            opened.callback(store.close)
            if store.damaged:
                tell(f"{store.path}: was damaged and is put aside as {store.damaged.name}")
        yield stores


def _reseed(seeds: Sequence[int | None] | None, kept: int) -> None:
    """Draw other numbers than the run did that the kept answers are from."""
    from lm_eval.utils import set_torch_seed

    if seeds and seeds[2] is not None:
        set_torch_seed(seeds[2] + kept)


# The options of lm_eval, read by its own parser; what would spoil a run of ours is refused.

DEFAULT_OUTPUT = "polbias-results"

_REFUSED = {
    "num_fewshot": "the examples are part of the prompt; use --metadata '{\"polbias_shots\": 8}'",
    "use_cache": "lm_eval's cache does not know which model it holds; polbias eval keeps answers per model",
    "cache_requests": "its key leaves out the version of the data, so that prompts could be stale",
    "check_integrity": "our tasks are checked by polbias' own tests",
    "wandb_args": "not passed on; give the results to W&B afterwards, or run lm_eval itself",
    "wandb_config_args": "not passed on; give the results to W&B afterwards, or run lm_eval itself",
    "trackio_args": "not passed on; give the results to trackio afterwards, or run lm_eval itself",
}


def parse(arguments: Sequence[str]) -> Any:
    """Read the options of lm_eval and check them; a YAML file with options (``--config``) counts too."""
    with lm_eval_imports():
        from lm_eval._cli.run import Run
        from lm_eval.config.evaluate_config import EvaluatorConfig
    logging.getLogger("lm_eval.config").setLevel(logging.ERROR)  # it shouts at --limit
    parser = argparse.ArgumentParser("polbias eval").add_subparsers(parser_class=_OptionParser)
    Run.create(parser)
    given = None
    try:
        given = parser.choices["run"].parse_args([_underscored(each) for each in arguments])
        file = EvaluatorConfig.load_yaml_config(given.config) if given.config else {}
        _refuse(file | {name: value for name, value in vars(given).items() if value not in (None, False)})
        given.log_samples = True
        given.output_path = given.output_path or file.get("output_path") or DEFAULT_OUTPUT
        chosen = EvaluatorConfig.from_cli(given)
    # lm_eval takes what a file says as it is, and may stumble over a value anywhere.
    except (
        OSError,
        TypeError,
        ValueError,
        LookupError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        place = f"--config {given.config}" if given and given.config else "options of lm_eval"
        reason = (str(error) or type(error).__name__).splitlines()[0]
        _register_unparsed(arguments, given)
        raise InputError(f"{place}: {reason}; see `lm_eval run -h`") from None
    except InputError:
        _register_unparsed(arguments, given)
        raise
    for options in (chosen.model_args, chosen.gen_kwargs, chosen.metadata, chosen.hf_hub_log_args):
        register_arguments(options)
    chosen.tasks = _listed("--tasks", chosen.tasks or [], "a name")
    return chosen


def _register_unparsed(arguments: Sequence[str], given: Any) -> None:
    """Take what stands for a key in options that cannot be read for a secret, as errors quote them."""
    for argument in arguments:
        register_text(argument)
    if given and given.config:
        with suppress(OSError, ValueError):
            register_text(Path(given.config).read_text("utf-8"))


def include_paths(config: Any) -> list[Path]:
    """Return the folders with further task files: one on the command line, or a list in a YAML file."""
    return [Path(each) for each in _listed("--include_path", config.include_path or [], "a folder")]


def output_folder(config: Any) -> Path:
    """Return the folder that results go to, made if need be."""
    path = Path(config.output_path)
    folder = path.parent if path.suffix == ".json" else path
    probe = folder / ".polbias-probe"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise InputError(f"--output_path {path}: cannot be written to ({error.strerror})") from None
    return folder


def _listed(option: str, given: Any, expected: str) -> list[Any]:
    found = given if isinstance(given, list) else [given]
    if wrong := [each for each in found if not isinstance(each, str | Path)]:
        raise InputError(f"{option}: found {short(wrong[0])}, expected {expected}, or a list of such")
    return found


class _OptionParser(argparse.ArgumentParser):
    """lm_eval's parser, but what is wrong is one line."""

    def error(self, message: str) -> NoReturn:
        message = re.sub(r"invalid functools\.partial\(.*\) value", "invalid value", message)
        raise InputError(f"{message}; see `lm_eval run -h` for the options of lm_eval")


def _refuse(given: Document) -> None:
    for name, reason in _REFUSED.items():
        if given.get(name) not in (None, {}, False):
            raise InputError(f"--{name}: not for these tasks, as {reason}")


def _underscored(argument: str) -> str:
    if not argument.startswith("--"):
        return argument
    name, equals, value = argument.partition("=")
    return "--" + name[2:].replace("-", "_") + equals + value
