"""The way to a Hub: token, client, namespace."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from polbias import __version__
from polbias.files import PublishError
from polbias.publishing.faults import talking_to_hub

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_PRINTABLE = re.compile(r"[!-~]+")


def connect(token: str | None = None, endpoint: str | None = None) -> HfApi:
    """Return a client that may write; no request is sent.

    Args:
        token: a Hub token; the one of `hf auth login` or HF_TOKEN unless given.
        endpoint: address of the Hub; HF_ENDPOINT or huggingface.co unless given.

    Returns:
        The client.

    Raises:
        PublishError: there is no token, or it cannot be one.
    """
    from huggingface_hub import HfApi

    return HfApi(
        endpoint=endpoint.rstrip("/") if endpoint else None,
        token=_resolve_token(token),
        library_name="polbias",
        library_version=__version__,
    )


def resolve_namespace(token: str | None = None, endpoint: str | None = None) -> str:
    """Return the user or organisation to push to: POLBIAS_NAMESPACE, else the token's own user.

    Args:
        token: a Hub token; the one of `hf auth login` or HF_TOKEN unless given.
        endpoint: address of the Hub; HF_ENDPOINT or huggingface.co unless given.

    Returns:
        The namespace.

    Raises:
        PublishError: neither is known, or the Hub does not answer.
    """
    if namespace := os.environ.get("POLBIAS_NAMESPACE", "").strip():
        return namespace
    api = connect(token, endpoint)
    with talking_to_hub(api.endpoint, "asking whose token this is"):
        return str(api.whoami()["name"])


def _resolve_token(token: str | None) -> str:
    from huggingface_hub import get_token

    if token is None:
        with talking_to_hub("Hugging Face token", "reading it"):
            token = get_token()
    token = (token or "").strip()
    if not token:
        raise PublishError("no Hugging Face token: log in with `hf auth login` or set HF_TOKEN")
    if not _PRINTABLE.fullmatch(token):
        raise PublishError(
            "the Hugging Face token holds spaces or characters that no token has: "
            "log in again with `hf auth login` or set HF_TOKEN anew"
        )
    return token
