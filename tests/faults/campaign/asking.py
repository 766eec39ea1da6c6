"""The places that ask a model: evaluation, variants of statements."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from tests.faults.campaign.place import KEY, Place
from tests.faults.campaign.places import partisan_builds
from tests.support.loopback import LoopbackServer
from tests.support.openai_server import LoopbackOpenAI

LATENCY = 0.02  # seconds for an answer, so that a kill at any time finds some under way
_STAMP = re.compile(r"_\d{4}-\d\d-\d\dT[\d-]+\.\d+")
_STATEMENTS = (
    "The state should build more dwellings.",
    "Motorways should have a general speed limit.",
    "Pupils should learn a trade at school.",
    "The council should plant a tree for every car.",
    "Shops should close on Sundays.",
    "The army should buy more ships.",
    "Taxes on inheritances should rise.",
    "Trains should run at night.",
)


class Asking(Place):
    """A command that asks a model at a server which has a key."""

    def environment(self) -> Mapping[str, str]:
        return {"OPENAI_API_KEY": KEY}

    def serve(self) -> LoopbackServer:
        self.server = LoopbackOpenAI(self.answer, latency=LATENCY, api_key=KEY)
        return self.server

    def answer(self, prompt: str) -> str:
        """What the model says."""
        raise NotImplementedError


class Evaluate(Asking):
    """`polbias eval` of a chat model, into a folder with results of an earlier, shorter run."""

    name = "eval"
    reads_clock = True

    def arguments(self) -> Sequence[str]:
        model = f"model=stub,base_url={self.server.url}/v1/chat/completions,max_retries=3,timeout=2"
        where = [
            "--output_path",
            str(self.out / "results"),
            "--cache-dir",
            str(self.out / ".cache" / "answers"),
        ]
        asked = [
            "--model",
            "local-chat-completions",
            "--model_args",
            model,
            "--tasks",
            "polbias_en_formal_mini",
        ]
        return ["eval", *asked, *where, "--no-report"]

    def environment(self) -> Mapping[str, str]:
        return {**super().environment(), **self._data, "HF_HUB_OFFLINE": "1"}

    def settings(self) -> Mapping[str, Any]:
        return {"torch.utils.collect_env.get_pretty_env_info": {"returns": "a machine"}}

    def give(self) -> None:
        self._data = partisan_builds(self.given / "builds")

    def make_earlier(self) -> bool:
        self.must(*self.arguments(), "--limit", "4")
        for path in sorted(self.out.rglob("results_*.json")):  # told apart from the new ones by its name
            for each in path.parent.iterdir():
                each.rename(each.with_name(_STAMP.sub("_of-old", each.name)))
        return True

    def answer(self, prompt: str) -> str:
        return "**valid**" if len(prompt) % 2 else "**invalid**"

    def recorded(self) -> int:
        return sum(len(rows) for rows in map(_rows, self.out.rglob("*.sqlite")))

    def clean(self, path: Path, name: str) -> tuple[str, str]:
        if path.suffix == ".sqlite":
            return name, json.dumps(_rows(path))
        shown = _STAMP.sub("_TIME", name)
        if path.name.startswith("results_"):
            try:
                found = json.loads(path.read_bytes())
            except ValueError:
                return shown, "half"
            for key in [key for key in found if "time" in key or key in ("date", "git_hash", "polbias")]:
                del found[key]
            return shown, json.dumps(found, sort_keys=True)
        return super().clean(path, shown)


def _rows(path: Path) -> list[Any]:
    """Return the answers in a database, read from a copy so that its log stays as it is."""
    with tempfile.TemporaryDirectory() as folder:
        for each in path.parent.glob(f"{path.name}*"):
            shutil.copy(each, folder)
        base = sqlite3.connect(Path(folder) / path.name)
        try:
            return sorted(base.execute("SELECT request, occurrence, answer FROM answers").fetchall())
        except sqlite3.DatabaseError:
            return []
        finally:
            base.close()


class Variants(Asking):
    """`polbias variants`: paraphrases and opposites of statements, with a recording."""

    name = "variants"
    partial = ("variants.jsonl", "recorded.jsonl")
    impatient: ClassVar[Mapping[str, Any]] = {"polbias.models.chat.Chat.timeout": 1.0}

    def arguments(self) -> Sequence[str]:
        files = ["-o", str(self.out / "variants.jsonl"), "--record", str(self.out / "recorded.jsonl")]
        model = ["--model", "stub", "--base-url", f"{self.server.url}/v1"]
        return ["variants", str(self.given / "statements.txt"), "--language", "en", *files, *model, "--yes"]

    def give(self) -> None:
        (self.given / "statements.txt").write_text("\n".join(_STATEMENTS) + "\n", "utf-8")

    def make_earlier(self) -> bool:
        (self.out / "variants.jsonl").write_text("{}\n")
        return True

    def answer(self, prompt: str) -> str:
        text = next(text for text in _STATEMENTS if text in prompt)
        if "paraphrases" in prompt:
            words = ("It is right that this holds:", "We want the following:", "This should be so:")
            return json.dumps({"paraphrases": [f"{word} {text}" for word in words]})
        return json.dumps({"opposite": f"It is wrong that {text}", "kind": "verb", "type": "contradictory"})

    def recorded(self) -> int:
        path = self.out / "recorded.jsonl"
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def counts(self, path: str) -> bool:
        return path != "recorded.jsonl"

    def clean(self, path: Path, name: str) -> tuple[str, str]:
        if path.name == "recorded.jsonl":
            return name, "\n".join(sorted(path.read_text("utf-8").splitlines()))
        return super().clean(path, name)
