"""The way to a Hub, and its errors as one line that says what to do."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from polbias import __version__
from polbias.errors import PublishError
from polbias.safe_text import redact_message, register

if TYPE_CHECKING:
    from huggingface_hub import HfApi


# Whatever goes wrong between us and a Hub becomes one line that says what to do.

TIMEOUT_S = 120.0
"""Seconds of silence after which a Hub counts as gone; the client itself would wait for ever."""

_AGAIN = "run the push again, it goes on where this one stopped"
_ADVICE = {
    400: "the Hub did not accept what was sent; mend it and push again",
    401: "the token was not accepted; log in with `hf auth login` or set HF_TOKEN to a valid token",
    403: "the token may not do that; use one that may write there, or set POLBIAS_NAMESPACE to your own",
    404: "the Hub does not know it; check the name, and that the token may see it",
    409: f"it was made by somebody else in the meantime; {_AGAIN}",
    412: "somebody else pushed first and nothing was overwritten; look at their change, then push again",
    429: f"the Hub asks for patience; wait a few minutes, then {_AGAIN}",
}
_STATUS_IN_TEXT = re.compile(r"\((\d{3}) [A-Z]")


@contextmanager
def hub_errors(subject: str, doing: str) -> Iterator[None]:
    """Bound the waiting inside the block and turn every failure of the client into a `PublishError`."""
    from huggingface_hub import get_session
    from huggingface_hub.errors import HfHubHTTPError

    session = get_session()
    patience, session.timeout = session.timeout, TIMEOUT_S
    transport_error: type[BaseException] = HfHubHTTPError.__mro__[1]
    try:
        yield
    except (transport_error, OSError, RuntimeError, ValueError, KeyError) as error:
        # The cause stays out of the traceback: a transport error may quote request headers.
        raise PublishError(f"{subject}: {doing} failed: {_explain(error)}") from None
    finally:
        session.timeout = patience


def _explain(error: BaseException) -> str:
    """Say in one line what an exception of the client means and what to do."""
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    if isinstance(error, RuntimeError) and isinstance(error.__cause__, Exception):
        return _explain(error.__cause__)  # an upload in one of the client's threads
    if isinstance(error, HfHubHTTPError):
        return _explain_status(error.response.status_code, error.server_message)
    if status := _STATUS_IN_TEXT.search(str(error)):  # uploads over Xet say it in words only
        return _explain_status(int(status[1]), None)
    if isinstance(error, OfflineModeIsEnabled):
        return "the Hub is switched off by HF_HUB_OFFLINE; unset it"
    if isinstance(error, json.JSONDecodeError | KeyError):
        return f"the answer is not that of a Hub; check the endpoint (HF_ENDPOINT), then {_AGAIN}"
    if isinstance(error, OSError) and error.filename is not None:
        return f"cannot read {error.filename} ({error.strerror}); build the dataset again"
    if isinstance(error, ValueError):
        return f"{redact_message(str(error))}; mend it and push again"
    if "Timeout" in type(error).__name__:
        return f"no answer for {TIMEOUT_S:g} seconds; check the network, then {_AGAIN}"
    detail = redact_message(str(error)) or type(error).__name__
    return f"no connection to the Hub, or it was lost ({detail}); check the network, then {_AGAIN}"


def _explain_status(status: int, server_message: str | None) -> str:
    said = f" ({redact_message(server_message)})" if server_message else ""
    own = f"the Hub has a problem of its own; wait a little, then {_AGAIN}"
    advice = _ADVICE.get(status, own if status >= 500 else _ADVICE[400])
    return f"HTTP {status}{said}; {advice}"


# The way to a Hub: token, client, namespace.

_PRINTABLE = re.compile(r"[!-~]+")


def connect() -> HfApi:
    """Return a client that may write; no request is sent."""
    from huggingface_hub import HfApi

    return HfApi(token=_token(), library_name="polbias", library_version=__version__)


def resolve_namespace() -> str:
    """Return the user or organisation to push to: POLBIAS_NAMESPACE, else the token's own user."""
    if namespace := os.environ.get("POLBIAS_NAMESPACE", "").strip():
        return namespace
    api = connect()
    with hub_errors(api.endpoint, "asking whose token this is"):
        return str(api.whoami()["name"])


def _token() -> str:
    from huggingface_hub import get_token

    with hub_errors("Hugging Face token", "reading it"):
        token = (get_token() or "").strip()
    if not token:
        raise PublishError("no Hugging Face token: log in with `hf auth login` or set HF_TOKEN")
    if not _PRINTABLE.fullmatch(token):
        raise PublishError(
            "the Hugging Face token holds spaces or characters that no token has: "
            "log in again with `hf auth login` or set HF_TOKEN anew"
        )
    register(token)
    return token
