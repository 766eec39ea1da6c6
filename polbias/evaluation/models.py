"""What is known of a model before it is loaded: its class, what it cannot do, how an API is best asked."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from polbias.evaluation.identity import SECRET
from polbias.files import InputError, PolbiasError
from polbias.lm_eval_runner.tasks import Task
from polbias.optional import advice

_log = logging.getLogger("polbias.lm_eval_runner")

# lm_eval asks an API one request at a time, gives up after three attempts, and cuts prompts at 2,047 tokens.
API_DEFAULTS = {"num_concurrent": 8, "max_retries": 10, "timeout": 600, "max_length": 131_072}
_LOCAL = ("hf", "hf-auto", "huggingface")
_OWN_SEEDS = ("vllm",)  # local models that take a seed with every request
_SEEDS = "polbias_seeds"


def model_class(name: str) -> Any:
    """Return the class of a model of lm_eval.

    Raises:
        InputError: if there is no such model.
        PolbiasError: if a library that it needs is missing.
    """
    from lm_eval.api.registry import get_model

    try:
        return get_model(name)
    except (KeyError, ValueError) as error:
        raise InputError(f"--model {name}: {' '.join(str(error).split())[:300]}") from None
    except ImportError as error:
        raise missing(name, error) from None


def missing(name: str, error: ImportError) -> PolbiasError:
    """Return the error for a model whose library is not installed."""
    told = {"vllm": "pip install 'lm_eval[vllm]'", **dict.fromkeys(_LOCAL, advice("hf"))}
    reason = str(error).splitlines()[0].rstrip(".")
    return PolbiasError(f"--model {name}: {reason}; {told.get(name, 'install what it needs')}")


def is_api(kind: Any) -> bool:
    """Say whether a model is asked over the network by lm_eval's own client."""
    from lm_eval.models.api_models import TemplateAPI

    return issubclass(kind, TemplateAPI)


def prepare(config: Any, kind: Any) -> None:
    """Fill in what the user left open: how an API is asked, and whether requests carry seeds of their own.

    Keys leave the metadata, which lm_eval copies from the model's arguments and writes into its results.

    Args:
        config: of lm_eval; changed in place.
        kind: the model's class.
    """
    added: dict[str, Any] = {}
    if is_api(kind):
        added = {name: value for name, value in API_DEFAULTS.items() if name not in config.model_args}
        if "chat" in config.model and not config.apply_chat_template:
            config.apply_chat_template = config.fewshot_as_multiturn = True
    config.model_args = {**added, **config.model_args}
    seeds = {_SEEDS: True} if config.model in _OWN_SEEDS else {}
    config.metadata = {**seeds, **{k: v for k, v in config.metadata.items() if k not in SECRET}}


def check_kinds(name: str, kind: Any, tasks: Iterable[Task]) -> None:
    """Refuse tasks that score likelihoods where a model has none, before anything is asked.

    Args:
        name: of the model.
        kind: its class; one that has no likelihoods says so by raising NotImplementedError.
        tasks: what is to be run.

    Raises:
        InputError: naming the tasks and a model that could do it.
    """
    scoring = [task.name for task in tasks if task.scores_likelihoods]
    code = getattr(kind.loglikelihood, "__code__", None)
    if not scoring or code is None or "NotImplementedError" not in code.co_names:
        return
    told = ", ".join(scoring[:3]) + (f" and {len(scoring) - 3} more" if len(scoring) > 3 else "")
    raise InputError(
        f"--model {name}: gives no log-likelihoods, which {told} need{'s' * (len(scoring) == 1)}; run these "
        "apart with --model local-completions (a server with echoed log-probabilities), hf or vllm"
    )


def load(kind: Any, config: Any) -> Any:
    """Load the model.

    Raises:
        PolbiasError: if it cannot be loaded; whatever its library says is the reason.
    """
    own = {"batch_size": config.batch_size, "max_batch_size": config.max_batch_size, "device": config.device}
    try:
        model = kind.create_from_arg_obj(config.model_args, own)
        if is_api(kind):
            _ = model.header  # where a key is missing, this says so before ten attempts do
        return model
    except PolbiasError:
        raise
    except ImportError as error:
        raise missing(config.model, error) from error
    except Exception as error:
        from polbias.generators.services.keys import scrub

        _log.debug("the model cannot be loaded", exc_info=True)
        raise PolbiasError(
            f"--model {config.model}: cannot be loaded ({type(error).__name__}: {scrub(error)}); "
            "check --model_args"
        ) from error
