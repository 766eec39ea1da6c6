"""The three routes by which a server of OpenAI's API is asked, and what each leaves behind."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request as HttpRequest
from urllib.request import urlopen

from polbias.aliases import Json
from polbias.eval.samples import find_sample_files, flatten_responses, numbered_samples
from tests.model.servers import ALIAS
from tests.support.loopback import LoopbackServer, Reply, Request

BIN = Path(sys.executable).parent
CONNECTIONS = 4
SECONDS = 1200
_PROVIDER = f"openai-api/local/{ALIAS}"


def run(
    environment: Mapping[str, str], *command: object, check: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run a command of this environment."""
    done = subprocess.run(
        command_line(*command), env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert not check or done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done


def command_line(name: object, *arguments: object) -> list[str]:
    """Return a command of this environment with its arguments."""
    return [str(BIN / str(name)), *map(str, arguments)]


class Recorder(LoopbackServer):
    """Passes requests on to a server, and keeps the bodies of those that ask for answers.

    Args:
        url: of the API behind, with its version.
    """

    def __init__(self, url: str) -> None:
        super().__init__()
        self._behind = url.removesuffix("/v1")
        self.bodies: list[Json] = []

    def respond(self, request: Request) -> Reply:
        """Return what the server behind answers."""
        if request.body:
            self.bodies.append(request.json())
        passed_on = HttpRequest(
            f"{self._behind}{request.path}",
            request.body or None,
            {"Content-Type": "application/json"},
            method=request.method,
        )
        try:
            with urlopen(passed_on, timeout=SECONDS) as response:
                return _reply(response.status, response.read())
        except HTTPError as error:
            return _reply(error.code, error.read())

    def prompts(self) -> set[str]:
        """Return the distinct prompts, each with the settings that the draw of its answer depends on."""
        settings = ("messages", "temperature", "top_p", "max_tokens", "stop")
        bodies = [{**body, "temperature": _float(body.get("temperature"))} for body in self.bodies]
        return {json.dumps([body.get(name) for name in settings], sort_keys=True) for body in bodies}


def _float(value: float | None) -> float | None:
    return None if value is None else float(value)


def _reply(status: int, body: bytes) -> Reply:
    return Reply(status, body, {"Content-Type": "application/json"})


@dataclass(frozen=True)
class Answered:
    """What came of asking some tasks by one route.

    Attributes:
        answers: to each row of each task, by its id.
        figures: of each task that have a value, by metric.
        prompts: that the server saw.
        n_requests: that the server saw.
    """

    answers: Mapping[str, Mapping[str, Sequence[str]]]
    figures: Mapping[str, Mapping[str, float]]
    prompts: set[str]
    n_requests: int


@dataclass(frozen=True)
class Run:
    """What is asked of the first rows of some tasks.

    Attributes:
        tasks: of lm_eval.
        temperature: of all; None leaves each task its own.
        n_samples: of a prompt; None leaves each task its own.
        n_rows: of each task.
        n_tokens: that an answer may have.
    """

    tasks: Sequence[str]
    temperature: float | None = None
    n_samples: int | None = None
    n_rows: int = 8
    n_tokens: int = 32


Route = Callable[[str, Run, Path, Mapping[str, str]], Mapping[str, Mapping[str, float]]]
"""Asks the API at a URL, leaves its answers in a folder, and returns the figures of each task."""


def eval_options(asked: Run, folder: Path) -> list[object]:
    """Return the options of `polbias eval` for a run, without those of the model."""
    temperature = "" if asked.temperature is None else f",temperature={asked.temperature:g}"
    samples = () if asked.n_samples is None else ("--metadata", f'{{"polbias_samples": {asked.n_samples}}}')
    return [
        *("--tasks", ",".join(asked.tasks), "--limit", asked.n_rows, "--output_path", folder, "--no-report"),
        *("--gen_kwargs", f"max_gen_toks={asked.n_tokens}{temperature}", "--stopping-rule", "none", *samples),
    ]


def chat_model(url: str) -> list[object]:
    """Return the options that name lm_eval's class for chats."""
    told = f"model={ALIAS},base_url={url}/chat/completions,num_concurrent={CONNECTIONS}"
    return ["--model", "local-chat-completions", "--model_args", told]


def by_chat(
    url: str, asked: Run, folder: Path, environment: Mapping[str, str]
) -> Mapping[str, Mapping[str, float]]:
    """Ask by `polbias eval` and lm_eval's class for chats."""
    run(environment, "polbias", "eval", *chat_model(url), *eval_options(asked, folder), "--no-cache")
    return _results(folder)


def by_inspect_model(
    url: str, asked: Run, folder: Path, environment: Mapping[str, str]
) -> Mapping[str, Mapping[str, float]]:
    """Ask by `polbias eval` and a provider of Inspect."""
    model = ("--model", "inspect", "--model_args", f"model={_PROVIDER},max_connections={CONNECTIONS}")
    local = {**environment, **_variables(url)}
    run(local, "polbias", "eval", *model, *eval_options(asked, folder), "--no-cache")
    return _results(folder)


def by_inspect(
    url: str, asked: Run, folder: Path, environment: Mapping[str, str]
) -> Mapping[str, Mapping[str, float]]:
    """Ask by Inspect itself."""
    from inspect_ai.log import read_eval_log

    run(
        {**environment, **_variables(url)},
        *("inspect", "eval", *(f"polbias/{task.removeprefix('polbias_')}" for task in asked.tasks)),
        *("--model", _PROVIDER, "--max-connections", CONNECTIONS),
        *("--limit", asked.n_rows, "--max-tokens", asked.n_tokens),
        *(() if asked.temperature is None else ("--temperature", asked.temperature)),
        *(() if asked.n_samples is None else ("-T", f"polbias_samples={asked.n_samples}")),
        *("--log-dir", folder, "--display", "none"),
    )
    figures = {}
    for path in folder.glob("*.eval"):
        log = read_eval_log(str(path), header_only=True)
        assert log.status == "success", log.error
        assert log.results is not None
        measured = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
        figures[log.eval.task.replace("polbias/", "polbias_")] = measured
    return figures


def _variables(url: str) -> Mapping[str, str]:
    """The environment in which Inspect finds a server of one's own."""
    return {"LOCAL_BASE_URL": url, "LOCAL_API_KEY": "none"}


def _results(folder: Path) -> Mapping[str, Mapping[str, float]]:
    (path,) = folder.rglob("results_*.json")
    results = json.loads(path.read_text("utf-8"))["results"]
    return {task: _measured(metrics) for task, metrics in results.items()}


def _measured(metrics: Json) -> Mapping[str, float]:
    """The metrics that have a value, by their names without lm_eval's filter."""
    values = {name.split(",")[0]: value for name, value in metrics.items() if "," in name}
    return {name: value for name, value in values.items() if _is_finite(value)}


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


ROUTES: Mapping[str, Route] = {"chat": by_chat, "inspect model": by_inspect_model, "inspect": by_inspect}


def ask(route: Route, url: str, asked: Run, folder: Path, environment: Mapping[str, str]) -> Answered:
    """Ask the API at a URL by a route, and read what it left in the folder."""
    with Recorder(url) as recorder:
        figures = route(f"{recorder.url}/v1", asked, folder, environment)
    return Answered(read_answers(folder), figures, recorder.prompts(), len(recorder.bodies))


def read_answers(folder: Path) -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return the answers to each row of each task in samples of lm_eval and logs of Inspect."""
    answers: dict[str, dict[str, Sequence[str]]] = {}
    for file in find_sample_files([folder]):
        rows = answers.setdefault(file.task, {})
        for _, sample in numbered_samples(file.path, []):
            rows[sample["doc"]["id"]] = [str(text) for text in flatten_responses(sample["filtered_resps"])]
    return answers
