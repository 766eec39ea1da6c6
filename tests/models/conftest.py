"""No user's keys, proxies or addresses in these tests; a console that is kept."""

from __future__ import annotations

import io

import pytest
from rich.console import Console


@pytest.fixture(autouse=True)
def _clean(monkeypatch):
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "DEEPL_AUTH_KEY",
        "HTTP_PROXY",
        "http_proxy",
        "ALL_PROXY",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("polbias.models.service_errors.RETRY_DELAY", 0.01)


@pytest.fixture
def console():
    return Console(file=io.StringIO(), width=400)


def shown(console: Console) -> str:
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()
