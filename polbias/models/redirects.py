"""Redirects: followed at the server that was asked; no other server gets its keys and prompts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urljoin, urlsplit

_STATUSES = (301, 302, 303, 307, 308)
_PORTS = {"http": 80, "https": 443}
MOST_REDIRECTS = 10
"""Redirects of one request; more go round in a circle."""


class RedirectError(Exception):
    """A server sends a request on to another one."""


def redirect_target(address: str, status: int, location: str | None) -> str | None:
    """Return the address to which a response sends its request on; None if it does not.

    Args:
        address: of the request.
        status: of the response.
        location: its header of this name.

    Raises:
        RedirectError: if the address is that of another server, port or scheme.
    """
    if status not in _STATUSES or not location:
        return None
    target = urljoin(address, location)
    if _origin(target) != _origin(address):
        raise RedirectError(
            f"{_origin(address)} redirects to {_origin(target)}, another server, which gets neither key nor "
            "prompt; if it is the right one, give its address as base_url"
        )
    return target


def _origin(address: str) -> str:
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return "an address that is none"
    default = _PORTS.get(parts.scheme)
    return f"{parts.scheme}://{parts.hostname or ''}{f':{port}' if port not in (None, default) else ''}"


def redirect_hook(refused: list[str]) -> Callable[[Any], Awaitable[None]]:
    """Return a hook of an httpx client for responses, after which it follows no redirect to another server.

    Args:
        refused: gets the message of every such redirect.
    """

    async def stop_redirect(response: Any) -> None:
        try:
            redirect_target(str(response.request.url), response.status_code, response.headers.get("location"))
        except RedirectError as error:
            refused.append(str(error))
            del response.headers["location"]

    return stop_redirect
