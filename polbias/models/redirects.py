"""Redirects are followed within one server only; keys and prompts are never sent to another server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urljoin, urlsplit

_STATUSES = (301, 302, 303, 307, 308)
_PORTS = {"http": 80, "https": 443}
MAX_REDIRECTS = 10
"""Redirects per request; more are a loop."""


class RedirectError(Exception):
    """Redirect to another server."""


def redirect_target(address: str, status: int, location: str | None) -> str | None:
    """Return the target of a redirect; None for other responses.

    Args:
        address: address of the request.
        status: status of the response.
        location: header Location of the response.

    Raises:
        RedirectError: if the target has another server, port or scheme.
    """
    if status not in _STATUSES or not location:
        return None
    target = urljoin(address, location)
    if _origin(target) != _origin(address):
        raise RedirectError(
            f"{_origin(address)} redirects to {_origin(target)}, another server, to which polbias sends "
            "neither key nor prompt; if you trust it, give its address as base_url"
        )
    return target


def _origin(address: str) -> str:
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return "an invalid address"
    default = _PORTS.get(parts.scheme)
    return f"{parts.scheme}://{parts.hostname or ''}{f':{port}' if port not in (None, default) else ''}"


def redirect_hook(messages: list[str]) -> Callable[[Any], Awaitable[None]]:
    """Return a response hook for an httpx client, which stops redirects to other servers.

    Args:
        messages: list to which the hook appends a message per stopped redirect.
    """

    async def stop_redirect(response: Any) -> None:
        try:
            redirect_target(str(response.request.url), response.status_code, response.headers.get("location"))
        except RedirectError as error:
            messages.append(str(error))
            del response.headers["location"]

    return stop_redirect
