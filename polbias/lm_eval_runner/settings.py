"""Choose the settings that requests send; drop settings that a server rejects."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from polbias.aliases import Document, Json
from polbias.lm_eval_runner.requests import RequestRejected
from polbias.lm_eval_runner.server_errors import ServerError
from polbias.lm_eval_runner.tasks import OTHER_TOKEN_LIMITS, TOKEN_LIMIT
from polbias.safe_text import is_secret_name

SETTINGS = ("temperature", "seed", "max_tokens", "stop", "top_p")
"""Settings that --model_args may contain as well as --gen_kwargs."""
LIMIT, NEWER_LIMIT = "max_tokens", "max_completion_tokens"
STOPS = ("stop", "stop_sequences")
_NULL = "null"  # as lm_eval reads NAME=null
_OPTIONAL = ("temperature", "seed", "top_p", *STOPS)
_OF_LM_EVAL = ("max_gen_toks", "max_new_tokens", "until", "do_sample")  # unknown to servers
_ALIASES = {
    "until": "stop",
    "stop_sequences": "stop",
    **dict.fromkeys((TOKEN_LIMIT, *OTHER_TOKEN_LIMITS), LIMIT),
}


_UNKNOWN_SETTING = re.compile(
    r"unsupported|not (?:support|compatible|permitted)|unrecogni[sz]ed|unknown|unexpected|extra|instead"
    r"|deprecated",
    re.IGNORECASE,
)
"""Words of an error about an unknown setting, in contrast to a value that is too large."""


@dataclass
class RequestSettings:
    """Settings of the requests of a run.

    Args:
        requested: settings of the user, by name; None: do not send.
        print_line: prints a line.
        limit_name: name of the token limit of an answer.
        credentials: secret fields that every request sends and no file records.

    Attributes:
        dropped: settings that the user did not request and the server rejects, with their values.
    """

    requested: Mapping[str, Any] = field(default_factory=dict)
    print_line: Callable[[str], None] = lambda _: None
    limit_name: str = LIMIT
    credentials: Document = field(default_factory=dict, repr=False)
    dropped: Json = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        requested_names = {
            _ALIASES.get(name, name) for name, value in self.requested.items() if value is not None
        }
        self._withheld = {_ALIASES.get(name, name) for name in self.requested} - requested_names
        self._requested_names = requested_names
        self._can_rename = True

    def apply(self, payload: Document, has_stops: bool = True) -> Json:
        """Return the body of a request with the settings to send.

        Args:
            payload: body that lm_eval builds.
            has_stops: whether the task or the user set stop strings; else lm_eval's are dropped.
        """
        sent = {name: value for name, value in payload.items() if name not in _OF_LM_EVAL}
        limits = [sent.pop(name, None) for name in (NEWER_LIMIT, LIMIT)]
        name = NEWER_LIMIT if limits[0] is not None and self._can_rename else self.limit_name
        sent[name] = next((limit for limit in limits if limit is not None), None)
        for name in STOPS:
            if isinstance(sent.get(name), list):
                sent[name] = [stop for stop in sent[name] if stop] if has_stops else None
        return {
            name: value
            for name, value in {**sent, **self.credentials}.items()
            if value not in (None, [], "") and name not in self.dropped and not self._is_withheld(name)
        }

    def adapt(self, payload: Document, error: ServerError) -> bool:
        """Drop a setting that a server rejects, for all further requests; return whether to retry.

        Raises:
            RequestRejected: if the user requested the setting.
        """
        if error.status not in (400, 422):
            return False
        if self._rename_limit(payload, error):
            return True
        for name in _OPTIONAL:
            if name not in payload or not error.names(name):
                continue
            if _ALIASES.get(name, name) in self._requested_names:
                raise RequestRejected(
                    f"the server refuses {name}={payload[name]!r}, which --gen_kwargs or --model_args "
                    f"sets ({error}); remove it, or leave it to the server with --gen_kwargs "
                    f"'{{\"{name}\": null}}'"
                )
            if name not in self.dropped:
                self.dropped[name] = payload[name]
                self.print_line(f"{name}={payload[name]!r} is not sent: the server refuses it ({error})")
            return True
        return False

    def _rename_limit(self, payload: Document, error: ServerError) -> bool:
        """Rename the token limit for all further requests, if the server rejects its name."""
        sent, other_name = (NEWER_LIMIT, LIMIT) if NEWER_LIMIT in payload else (LIMIT, NEWER_LIMIT)
        wants_other = error.names(other_name) or sent == NEWER_LIMIT
        if not (
            sent in payload and error.names(sent) and wants_other and _UNKNOWN_SETTING.search(error.message)
        ):
            return False
        if self.limit_name != other_name:
            if not self._can_rename:
                return False
            self.limit_name, self._can_rename = other_name, False
            self.print_line(f"{sent} is sent as {other_name}: the server refuses the former ({error})")
        return True

    def _is_withheld(self, name: str) -> bool:
        return _ALIASES.get(name, name) in self._withheld


def move_settings(config: Any) -> None:
    """Move settings of requests from --model_args, where lm_eval would lose them, to --gen_kwargs.

    A numeric seed remains, as lm_eval sends it. --gen_kwargs takes precedence.
    """
    config.gen_kwargs = {**(config.gen_kwargs or {})}
    for settings, names in ((config.gen_kwargs, [*config.gen_kwargs]), (config.model_args, SETTINGS)):
        settings |= {name: None for name in names if settings.get(name) == _NULL}
    moved = {
        name: config.model_args[name]
        for name in SETTINGS
        if name in config.model_args and (name != "seed" or config.model_args[name] is None)
    }
    if moved:
        config.model_args = {name: value for name, value in config.model_args.items() if name not in moved}
        config.gen_kwargs = {**moved, **config.gen_kwargs}


def request_settings(config: Any, kind: Any, print_line: Callable[[str], None]) -> RequestSettings:
    """Return the settings of the requests of a run.

    Args:
        config: options of the run.
        kind: class of the model.
        print_line: prints a line.
    """
    from lm_eval.models.openai_completions import OpenAIChatCompletion

    requested = {**(config.gen_kwargs or {})}
    if "seed" in config.model_args:
        requested.setdefault("seed", config.model_args["seed"])
    uses_newer_limit = issubclass(kind, OpenAIChatCompletion)
    limit_name = NEWER_LIMIT if uses_newer_limit else LIMIT
    credentials = {name: value for name, value in requested.items() if is_secret_name(name)}
    return RequestSettings(requested, print_line, limit_name, credentials)


def recorded_settings(config: Any) -> Json:
    """Return the settings of requests without secrets, for lm_eval, which records them."""
    return {name: value for name, value in (config.gen_kwargs or {}).items() if not is_secret_name(name)}
