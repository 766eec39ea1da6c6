"""`polbias author variants`: statements in, variants out, from a loopback server and again from the recording."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.models.servers import ChatServer
from tests.support.process import run_polbias

STATEMENT = "Der Staat soll Kitas stärker fördern."
PARAPHRASES = [
    "Kitas sollen vom Staat stärker gefördert werden.",
    "Die staatliche Förderung der Kitas soll stärker werden.",
    "Der Staat soll mehr für die Förderung von Kitas tun.",
]
OPPOSITE = "Der Staat soll Kitas schwächer fördern."


def answer(prompt: str) -> str:
    if "paraphras" in prompt.lower():
        return json.dumps({"paraphrases": PARAPHRASES}, ensure_ascii=False)
    return json.dumps({"opposite": OPPOSITE, "kind": "adjective", "type": "contrary"}, ensure_ascii=False)


def command(folder: Path, *options: str) -> list[str]:
    files = ["--output", str(folder / "out.jsonl"), "--record", str(folder / "recorded.jsonl")]
    start = ["author", "variants", str(folder / "in.txt"), "--language", "de"]
    return [*start, "--country", "Germany", "--model", "stub", *files, *options]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in.txt").write_text(STATEMENT + "\n", "utf-8")
    return tmp_path


def test_variants_and_their_replay_without_key_or_server(folder: Path) -> None:
    with ChatServer(answer) as server:
        options = ["--base-url", server.base_url, "--yes", "--price", "stub=1/2"]
        run_polbias(*command(folder, *options), env={"OPENAI_API_KEY": "k"})
    first = (folder / "out.jsonl").read_text("utf-8")
    line = json.loads(first)
    assert line["texts"]["negation"] == "Der Staat soll Kitas nicht stärker fördern."
    assert [line["texts"][f"paraphrase{n}"] for n in (1, 2, 3)] == PARAPHRASES
    assert line["texts"]["opposite"] == OPPOSITE
    assert line["opposite"] == {"kind": "adjective", "type": "contrary"}
    assert not [finding for finding in line["findings"] if finding["sure"]]
    (folder / "out.jsonl").unlink()
    run_polbias(*command(folder, "--replay"))
    assert (folder / "out.jsonl").read_text("utf-8") == first


def test_nothing_is_sent_before_the_cost_is_accepted(folder: Path) -> None:
    with ChatServer(answer) as server:
        done = run_polbias(
            *command(folder, "--base-url", server.base_url), env={"OPENAI_API_KEY": "k"}, check=False
        )
        assert server.keys == []
    assert done.returncode
    assert "--yes" in done.stderr
    assert not (folder / "out.jsonl").exists()
