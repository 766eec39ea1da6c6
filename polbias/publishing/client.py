"""Client of a Hub, with errors as one line that ends with an instruction."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from polbias import __version__
from polbias.errors import PublishError
from polbias.paths import user_namespace
from polbias.safe_text import redact_message, register

if TYPE_CHECKING:
    from huggingface_hub import HfApi


# Every failure of a request becomes one line that ends with an instruction.

TIMEOUT_S = 120.0
"""Seconds without a response after which a request fails; the client itself has no limit."""


class HubError(PublishError):
    """A Hub cannot be read or written.

    Attributes:
        answered: whether the Hub answered, with an error.
    """

    def __init__(self, message: str, *, answered: bool = False) -> None:
        super().__init__(message)
        self.answered = answered


PUSH_AGAIN = "run the push again, it resumes where this one stopped"
"""Advice after a lost connection."""
_ADVICE = {
    400: "the Hub rejected the request; correct it and push again",
    401: "a valid token is needed; log in with `hf auth login` or set HF_TOKEN to a valid token",
    403: "the token may not do that; use one that may write there, or set POLBIAS_NAMESPACE to your own",
    404: "the Hub did not find it; check the name, and that the token may read it",
    409: f"somebody else created it in the meantime; {PUSH_AGAIN}",
    412: "somebody else pushed first and nothing was overwritten; look at their change, then push again",
    429: f"the Hub limits the rate of requests; wait a few minutes, then {PUSH_AGAIN}",
}
_STATUS_IN_TEXT = re.compile(r"\((\d{3}) [A-Z]")


@contextmanager
def hub_errors(subject: str, action: str) -> Iterator[None]:
    """Set a timeout in the block, and turn every failure of the client into a `HubError`."""
    from huggingface_hub import get_session
    from huggingface_hub.errors import HfHubHTTPError

    session = get_session()
    previous_timeout, session.timeout = session.timeout, TIMEOUT_S
    transport_error: type[BaseException] = HfHubHTTPError.__mro__[1]
    try:
        yield
    except (transport_error, OSError, RuntimeError, ValueError, KeyError) as error:
        # The cause stays out of the traceback: a transport error may quote request headers.
        message = f"{subject}: {action} failed: {_explain(error)}"
        raise HubError(message, answered=isinstance(error, HfHubHTTPError)) from None
    finally:
        session.timeout = previous_timeout


def _explain(error: BaseException) -> str:
    """Return the cause of a client's exception, and what to do, in one line."""
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    if isinstance(error, RuntimeError) and isinstance(error.__cause__, Exception):
        return _explain(error.__cause__)  # an upload in one of the client's threads
    if isinstance(error, HfHubHTTPError):
        return _explain_status(error.response.status_code, error.server_message)
    if status := _STATUS_IN_TEXT.search(str(error)):  # uploads over Xet have the status only in the message
        return _explain_status(int(status[1]), None)
    if isinstance(error, OfflineModeIsEnabled):
        return "the Hub is switched off by HF_HUB_OFFLINE; unset it"
    if isinstance(error, json.JSONDecodeError | KeyError):
        return f"the response is not from a Hub; check the endpoint (HF_ENDPOINT), then {PUSH_AGAIN}"
    if isinstance(error, OSError) and error.filename is not None:
        return f"cannot read {error.filename} ({error.strerror}); build the dataset again"
    if isinstance(error, ValueError):
        return f"{redact_message(str(error))}; correct it and push again"
    if "Timeout" in type(error).__name__:
        return f"no response for {TIMEOUT_S:g} seconds; check the network, then {PUSH_AGAIN}"
    detail = redact_message(str(error)) or type(error).__name__
    return f"no connection to the Hub, or it was lost ({detail}); check the network, then {PUSH_AGAIN}"


def _explain_status(status: int, server_message: str | None) -> str:
    message = f" ({redact_message(server_message)})" if server_message else ""
    server_advice = f"the Hub has an internal error; wait a few minutes, then {PUSH_AGAIN}"
    advice = _ADVICE.get(status, server_advice if status >= 500 else _ADVICE[400])
    return f"HTTP {status}{message}; {advice}"


# Token, client, namespace.

_PRINTABLE = re.compile(r"[!-~]+")


def connect(*, read_only: bool = False) -> HfApi:
    """Return a client with the user's token, or without one if it only reads; sends no request."""
    from huggingface_hub import HfApi

    token = _token()
    if token is None and not read_only:
        raise HubError("no Hugging Face token: log in with `hf auth login` or set HF_TOKEN")
    return HfApi(token=token or False, library_name="polbias", library_version=__version__)


def resolve_namespace() -> str:
    """Return the user or organisation to push to: POLBIAS_NAMESPACE, else the token's user."""
    if namespace := user_namespace():
        return namespace
    api = connect()
    with hub_errors(api.endpoint, "reading the user of the token"):
        return str(api.whoami()["name"])


def _token() -> str | None:
    from huggingface_hub import get_token

    with hub_errors("Hugging Face token", "reading it"):
        token = (get_token() or "").strip()
    if not token:
        return None
    if not _PRINTABLE.fullmatch(token):
        raise HubError(
            "the Hugging Face token has spaces or invalid characters: "
            "log in again with `hf auth login` or set HF_TOKEN again"
        )
    register(token)
    return token
