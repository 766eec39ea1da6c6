"""Check the URLs of model servers, and advise on URL and key after a server's error."""

from __future__ import annotations

from inspect import signature
from typing import Any
from urllib.parse import urlsplit

from polbias.errors import InputError
from polbias.lm_eval_runner.server_errors import NO_SYSTEM_TURN, ServerError
from polbias.models.chat import check_url

_NO_TOKEN_IDS = (
    "; the server may not accept token ids: add tokenized_requests=False to --model_args (with "
    "tokenizer=NAME_OR_FOLDER for log-likelihoods)"
)


def check_address(name: str, kind: Any, arguments: dict[str, Any]) -> None:
    """Raise unless an API has a base_url (or a default) that is a valid URL, and a model name.

    Args:
        name: name of the model class (--model).
        kind: the model class.
        arguments: arguments of the model (--model_args).

    Raises:
        InputError: if base_url or the model is missing, or base_url is not a URL.
    """
    address, example = arguments.get("base_url"), _api_url("http://127.0.0.1:8000/v1", kind)
    if address is None and _default_url(kind) is None and "base_url" in signature(kind).parameters:
        raise InputError(f"--model {name}: found no base_url among --model_args, expected base_url={example}")
    if address is not None:
        check_url(str(address), example)
    if not (arguments.get("model") or arguments.get("pretrained")):
        raise InputError(f"--model {name}: found no model among --model_args, expected model=NAME")


def url_hint(model: Any) -> str:
    """Return a hint with the expected base_url; empty if its path is already right."""
    address = str(model.base_url or "")
    expected = _api_url(address, type(model))
    return (
        ""
        if urlsplit(address).path.endswith(_endpoint_path(type(model)))
        else f"; expected base_url={expected}"
    )


def advice_on(error: ServerError, model: Any, *, has_token_ids: bool = False) -> str:
    """Return advice on a permanent error; empty if there is none.

    Args:
        error: error of the server.
        model: API model of lm_eval.
        has_token_ids: whether the request has token ids instead of text.
    """
    if error.is_about_system_turn:
        return NO_SYSTEM_TURN
    if has_token_ids:
        return _NO_TOKEN_IDS
    if error.status in (401, 403):
        return f"; check {_key_variable(type(model))}"
    if error.status in (404, 405):
        return url_hint(model) or f"; {_models_url(model)} lists the models"
    return ""


def _default_url(kind: Any) -> Any:
    parameter = signature(kind).parameters.get("base_url")
    return parameter and (parameter.default or None)


def _key_variable(kind: Any) -> str:
    name = kind.__name__.lower()
    if "anthropic" in name:
        return "ANTHROPIC_API_KEY"
    return "AZURE_OPENAI_API_KEY" if "azure" in name else "OPENAI_API_KEY"


def _endpoint_path(kind: Any) -> str:
    from lm_eval.models.anthropic_llms import AnthropicChat
    from lm_eval.models.openai_completions import LocalChatCompletion

    if issubclass(kind, AnthropicChat):
        return "/messages"
    return "/chat/completions" if issubclass(kind, LocalChatCompletion) else "/completions"


def _api_url(address: str, kind: Any) -> str:
    """Return an address with the endpoint path of a model class."""
    base = address.rstrip("/")
    for ending in ("/chat/completions", "/completions", "/messages", "/responses"):
        base = base.removesuffix(ending)
    return f"{base if urlsplit(base).path else base + '/v1'}{_endpoint_path(kind)}"


def _models_url(model: Any) -> str:
    return f"{str(model.base_url).removesuffix(_endpoint_path(type(model)))}/models"
