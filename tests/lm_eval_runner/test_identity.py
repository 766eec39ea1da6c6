"""Whose answers are whose: what makes another folder of kept answers, and what does not."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from polbias.lm_eval_runner.model_identity import model_identity, slug
from polbias.lm_eval_runner.options import parse
from polbias.models.cache import digest
from polbias.safe_text import redact


def identity(arguments: str, *more: str, model: str = "local-chat-completions") -> dict[str, Any]:
    return model_identity(parse(["--model", model, "--model_args", arguments, "-t", "a", *more]))


BASE = "model=m,base_url=http://x/v1/chat/completions"


@pytest.mark.parametrize(
    "other",
    [
        identity(BASE.replace("model=m", "model=n")),
        identity(BASE.replace("//x", "//y")),
        identity(f"{BASE},think_end_token=</think>"),
        identity(BASE, model="local-completions"),
        identity(BASE, "--seed", "3"),
    ],
)
def test_what_changes_answers_makes_another_folder(other: dict[str, Any]) -> None:
    assert slug(other) != slug(identity(BASE))


@pytest.mark.parametrize(
    "more", ["num_concurrent=4", "timeout=3,max_retries=1", "auth_token=secret", "header=x"]
)
def test_what_changes_only_speed_or_keys_does_not(more: str) -> None:
    found = identity(f"{BASE},{more}")
    assert slug(found) == slug(identity(BASE))
    assert "secret" not in str(found)


def test_a_local_model_is_what_lies_in_its_folder(tmp_path: Path) -> None:
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(b"1234")
    os.utime(weights, (1, 1))
    before = identity(f"pretrained={tmp_path}", model="hf")
    assert digest(before) == digest(identity(f"pretrained={tmp_path}", model="hf"))
    weights.write_bytes(b"5678")
    os.utime(weights, (2, 2))
    assert digest(before) != digest(identity(f"pretrained={tmp_path}", model="hf"))


def test_a_model_of_the_hub_is_its_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    found = {"main": tmp_path / "abc123" / "config.json", "v2": tmp_path / "def456" / "config.json"}
    monkeypatch.setattr(
        huggingface_hub, "try_to_load_from_cache", lambda name, file, revision: str(found[revision])
    )
    assert identity("pretrained=a/b", model="hf")["commit"] == "abc123"
    assert identity("pretrained=a/b,revision=v2", model="hf")["commit"] == "def456"


def test_a_name_that_a_person_recognises() -> None:
    assert slug(identity("pretrained=Org/Model-7B", model="hf")).startswith("Org-Model-7B-")


def test_keys_are_not_written_down() -> None:
    assert redact({"model": "m", "auth_token": "k"}) == {"model": "m", "auth_token": "[key]"}
