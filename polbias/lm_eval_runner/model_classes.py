"""Find, configure, check and load the model class of a run."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable, Mapping
from inspect import signature
from typing import Any

from polbias.aliases import Document, Json
from polbias.errors import InputError, PolbiasError, did_you_mean
from polbias.eval.task_settings import REASONING
from polbias.lm_eval_runner.addresses import check_address
from polbias.lm_eval_runner.model_identity import INSPECT
from polbias.lm_eval_runner.settings import move_settings
from polbias.lm_eval_runner.tasks import TaskFile, import_task_function, shorten_list
from polbias.models.chat import check_url
from polbias.optional import install_command
from polbias.safe_text import is_secret_name, redact, redact_message, register_header

# lm_eval's defaults: one concurrent request, three attempts, prompts truncated to 2,047 tokens.
API_DEFAULTS = {"num_concurrent": 8, "max_retries": 10, "timeout": 600, "max_length": 131_072}
COMMON_MODELS = (
    *("inspect", "openai-chat-completions", "anthropic-chat", "local-chat-completions", "local-completions"),
    *("hf", "vllm", "sglang"),
)
_LOCAL = ("hf", "hf-auto", "huggingface")
_SEEDED_MODELS = ("vllm",)  # local models that accept a seed per request
_SEEDS = "polbias_seeds"
_FIRST_SEED = "polbias_first_seed"
_KEY_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9_]*_API_KEY\b")  # in the error of a model class without its key
_REASONING_ARGUMENTS = {"think_end_token": "</think>", "enable_thinking": True}


def model_class(name: str) -> Any:
    """Return the class of a model of lm_eval."""
    from lm_eval.api.registry import get_model, model_registry

    if not name:
        raise InputError(
            f"--model: found none, expected one of {', '.join(COMMON_MODELS)}; add --model CLASS"
        )
    try:
        if name == INSPECT:
            import polbias.lm_eval_runner.inspect_model  # noqa: F401, registers itself; its library takes a second
        return get_model(name)
    except (KeyError, ValueError):
        likely = did_you_mean(name, [*COMMON_MODELS, *model_registry])
        raise InputError(
            f"--model {name}: unknown model class; {likely}expected one of {', '.join(COMMON_MODELS)}, or "
            "another of lm_eval's, with the name of the model itself in --model_args"
        ) from None
    except ImportError as error:
        raise missing_library_error(name, error) from None


def missing_library_error(name: str, error: ImportError) -> PolbiasError:
    """Return the error for a model whose library is not installed."""
    commands = {"vllm": "pip install 'lm_eval[vllm]'", **dict.fromkeys(_LOCAL, install_command("hf"))}
    commands[INSPECT] = install_command("inspect")
    reason = str(error).splitlines()[0].rstrip(".")
    return PolbiasError(f"--model {name}: {reason}; {commands.get(name, 'install what it needs')}")


def is_api(kind: Any) -> bool:
    """Whether lm_eval's HTTP client calls the model."""
    from lm_eval.models.api_models import TemplateAPI

    return issubclass(kind, TemplateAPI)


def prepare(config: Any, kind: Any) -> None:
    """Set the defaults of a run: arguments of an API, chat template, and whether requests have seeds.

    Secrets are removed from the metadata: lm_eval copies the model's arguments there and writes them into
    its results.
    """
    move_settings(config)
    added: Json = {}
    if is_api(kind):
        added = {name: value for name, value in API_DEFAULTS.items() if name not in config.model_args}
        if "chat" in config.model and not config.apply_chat_template:
            config.apply_chat_template = config.fewshot_as_multiturn = True
    elif config.model == INSPECT:
        config.apply_chat_template = config.fewshot_as_multiturn = True
    elif config.metadata.get(REASONING) and (added := _reasoning_arguments(config.model_args, kind)):
        config.apply_chat_template = config.apply_chat_template or True
        config.fewshot_as_multiturn = True
    config.model_args = {**added, **config.model_args}
    seeds: Json = {_SEEDS: True} if config.model in _SEEDED_MODELS else {}
    if config.model == INSPECT:
        # few of its providers accept seeds: requests have them only if the user sets the first
        first_seed = {**config.model_args, **(config.gen_kwargs or {})}.get("seed")
        seeds = {_SEEDS: False} if first_seed is None else {_SEEDS: True, _FIRST_SEED: first_seed}
    open_metadata = {k: redact(v) for k, v in config.metadata.items() if not is_secret_name(k)}
    config.metadata = {**seeds, **open_metadata}


def _reasoning_arguments(arguments: Document, kind: Any) -> Json:
    """Return the arguments that enable reasoning in a local model, if it accepts them."""
    constructors = [vars(base)["__init__"] for base in kind.__mro__ if "__init__" in vars(base)]
    parameters = {name for constructor in constructors for name in signature(constructor).parameters}
    configured = {**(arguments.get("chat_template_args") or {}), **arguments}
    return {
        name: value
        for name, value in _REASONING_ARGUMENTS.items()
        if name in parameters and name not in configured
    }


def check_arguments(config: Any, kind: Any) -> None:
    """Raise InputError for a missing name, a missing or invalid URL, or a key in the wrong option."""
    if (names := [*filter(is_secret_name, config.gen_kwargs or {})]) and not is_api(kind):
        raise InputError(
            f"--gen_kwargs {names[0]}: not a setting of requests to --model {config.model}; give a key as "
            "an environment variable, or in --model_args"
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


def refuse_unsupported_tasks(name: str, kind: Any, tasks: Iterable[TaskFile]) -> None:
    """Raise InputError for log-likelihood tasks if the model has no log-likelihoods."""
    scoring = [task.name for task in tasks if task.is_loglikelihood and not _can_sample_labels(kind, task)]
    code = getattr(kind.loglikelihood, "__code__", None)
    if not scoring or code is None or "NotImplementedError" not in code.co_names:
        return
    raise InputError(
        f"--model {name}: gives no log-likelihoods, which {shorten_list(scoring)} "
        f"need{'s' * (len(scoring) == 1)}; "
        "run these apart with --model local-completions (a server with echoed log-probabilities), hf or vllm"
    )


def _can_sample_labels(kind: Any, task: TaskFile) -> bool:
    """Whether the label probabilities of a task can be sampled over a chat."""
    from lm_eval.models.openai_completions import LocalChatCompletion

    class_name = task.settings.get("class")
    return issubclass(kind, LocalChatCompletion) and hasattr(
        class_name and import_task_function(class_name, task.name), "sampled_shares"
    )


def load(kind: Any, config: Any) -> Any:
    """Load the model."""
    options = {
        "batch_size": config.batch_size,
        "max_batch_size": config.max_batch_size,
        "device": config.device,
    }
    try:
        model = kind.create_from_arg_obj(config.model_args, options)
        if is_api(kind):
            headers = model.header  # raises for a missing key, before ten attempts
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
        key_variable = _KEY_VARIABLE.search(str(error))
        if key_variable and not os.environ.get(key_variable[0]):
            raise PolbiasError(
                f"--model {config.model}: found no API key, expected one in the environment variable "
                f"{key_variable[0]}; set it"
            ) from error
        raise PolbiasError(
            f"--model {config.model}: cannot be loaded ({type(error).__name__}: {redact_message(error)}); "
            "check --model_args"
        ) from error


LOGGER = logging.getLogger("polbias.lm_eval_runner")
