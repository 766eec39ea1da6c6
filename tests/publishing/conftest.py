"""A loopback Hub, a small built dataset and a client that neither sleeps nor knows the user's token."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.hub import LoopbackHub

TOKEN = "hf_test"
REPO = "alice/mini"

CARD = """\
---
license: cc-by-4.0
language: [en, de]
configs:
- config_name: en_formal
  data_files:
  - {split: test, path: en_formal/test-*.parquet}
- config_name: de_formal
  data_files:
  - {split: test, path: de_formal/test-*.parquet}
---
# A small dataset
"""


def table(language: str, rows: int = 6) -> pa.Table:
    """Return a small table of items."""
    return pa.table(
        {
            "id": [f"{language}-{row}" for row in range(rows)],
            "prompt": [f"Ist das gültig? {row} — {language}" for row in range(rows)],
            "gold": ["valid" if row % 2 else None for row in range(rows)],
            "premises": [[f"p{row}", "q"] for row in range(rows)],
            "shots": pa.array(range(rows), pa.int16()),
        }
    )


@pytest.fixture(autouse=True)
def _client(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Take the user's settings away, uploads over Xet and the waiting between the client's retries."""
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_OIDC_RESOURCE", "POLBIAS_NAMESPACE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "no-token"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr("huggingface_hub.utils._http.time", SimpleNamespace(sleep=lambda seconds: None))


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackHub]:
    """A Hub with two users, an organisation of one of them and a token that may only read; alice is here."""
    tokens = {TOKEN: "alice", "hf_reader": "alice", "hf_bob": "bob"}
    with LoopbackHub(tokens, {"polbias": {"alice"}}, read_only={"hf_reader"}) as running:
        template = running.url + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", running.url)
        monkeypatch.setattr("huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        yield running


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A built dataset of two configs, with files beside it that must stay at home."""
    folder = tmp_path / "build" / "datasets" / "mini"
    for config in ("en_formal", "de_formal"):
        (folder / config).mkdir(parents=True)
        pq.write_table(table(config[:2]), folder / config / "test-00000-of-00001.parquet")
    (folder / "README.md").write_text(CARD, encoding="utf-8")
    (folder / "manifest.json").write_text(json.dumps({"name": "mini", "version": "1.0.0"}))
    for name in (
        ".hidden",
        ".cache/x.json",
        "en_formal/.part.parquet",
        "README.md~",
        "de_formal/x.parquet.tmp",
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("stays at home")
    return folder
