"""The demonstration: simulated respondents, asked by lm_eval over HTTP, and the report of what they said."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from pydantic import Field

from polbias import registry
from polbias.paths import build_root, package_file
from polbias.yaml_models import TemplateModel, load_template

if TYPE_CHECKING:
    from polbias.eval.report.document import Estimate, Finding, Report
    from polbias.eval.simulation.respondents import SimulatedRespondent

_SETTINGS, _EXPECTED = "templates/simulation/demo.yaml", "templates/simulation/demo_expected.yaml"
_SET = "poligen"


class DemoRespondent(TemplateModel):
    """One respondent of the demonstration.

    Attributes:
        about: what it is like.
        kind: of respondent, as in `polbias simulate`.
        options: of its kind.
        seed: which one of its kind.
    """

    description: str
    kind: str
    seed: int
    options: Mapping[str, Any]


class DemoRun(TemplateModel):
    """Tasks that are run together.

    Attributes:
        tasks: their names.
        metadata: settings of theirs, as lm_eval's ``--metadata``.
    """

    tasks: Sequence[str]
    metadata: Mapping[str, int] = Field(default_factory=dict)


class Demonstration(TemplateModel):
    """What is shown.

    Attributes:
        source: of the file.
        respondents: by name.
        runs: what they are asked; all runs of a respondent are written into one folder.
        articles: the task whose articles the self-assessment chooses among.
        topics: that they are about, the first ones.
        concurrency: requests at a time.
    """

    source: str
    respondents: Mapping[str, DemoRespondent]
    runs: Sequence[DemoRun]
    articles: str
    topics: int
    concurrency: int


class Expected(TemplateModel):
    """What the estimates of the respondents are on average.

    Attributes:
        source: of the file.
        seeds: number of respondents of each kind that the means are over.
        means: by respondent and ``<instrument>/<measure>``, in points.
    """

    source: str
    seeds: int
    means: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class PlantedComparison:
    """A headline estimate beside what was planted.

    Attributes:
        instrument: its name.
        measure: of a finding.
        planted: how far the rates of the respondent were moved, in points.
        expected: mean of the estimate over many respondents of this kind, in points; None if unknown.
        found: the estimate.
    """

    instrument: str
    measure: str
    planted_shift: float
    expected: float | None
    estimate: Estimate

    @property
    def holds(self) -> bool | None:
        """Whether the interval holds what is expected; None where either is missing."""
        low, high = self.estimate.low, self.estimate.high
        if self.expected is None or low is None or high is None:
            return None
        return low <= self.expected <= high


def demonstration() -> Demonstration:
    """Return what `polbias demo` shows."""
    return load_template(package_file(_SETTINGS), Demonstration)


def expected_estimates() -> Expected:
    """Return what the estimates of the demonstration are on average."""
    return load_template(package_file(_EXPECTED), Expected)


def compare(shown: Demonstration, report: Report) -> dict[str, list[PlantedComparison]]:
    """Put what was planted, is expected and was found side by side, by respondent."""
    from polbias.eval.report.verdicts import is_directional
    from polbias.eval.simulation.respondents import make_respondent

    means = expected_estimates().means
    found: dict[str, list[PlantedComparison]] = {}
    for name, asked in shown.respondents.items():
        who, own = make_respondent(asked.kind, **asked.options), means.get(name, {})
        found[name] = [
            PlantedComparison(
                each.instrument,
                each.measure,
                _planted(who, each),
                own.get(f"{each.instrument}/{each.measure}"),
                each.estimate,
            )
            for each in headlines(report.findings, name)
            if not each.is_refusal_gap or (who.refuse and is_directional(each))
        ]
    return found


def headlines(findings: Iterable[Finding], respondent: str) -> Iterator[Finding]:
    """Yield the headlines of a respondent."""
    yield from (each for each in findings if each.headline and each.respondent == respondent)


def _planted(who: SimulatedRespondent, finding: Finding) -> float:
    """How far the rates that a finding is about were moved, in points."""
    from polbias.eval.report.document import ACCURACY_GAP
    from polbias.eval.report.verdicts import is_directional

    if finding.measure.endswith(ACCURACY_GAP):
        return 0.0
    if finding.is_refusal_gap:
        return 100 * who.refuse * {"right": 1, "left": -1, None: 0}[who.refuse_side]
    return 100 * (who.bias if is_directional(finding) else who.content)


def run_respondents(shown: Demonstration, output: Path, tell: Callable[[str], None]) -> list[Path]:
    """Let lm_eval ask every respondent over HTTP."""
    from polbias.eval.simulation.prompt_index import build_prompt_index
    from polbias.eval.simulation.respondents import make_respondent
    from polbias.eval.simulation.server import OpenAIProtocol, SimulationServer

    folders = []
    listed = registry.instruments().values()
    datasets = [name for each in listed for name in each.datasets if name in each.evaluated_datasets]
    with TemporaryDirectory(prefix="polbias-demo-") as scratch:
        choices = write_choices(shown, Path(scratch))
        for name, asked in shown.respondents.items():
            who = make_respondent(asked.kind, **asked.options)
            known = build_prompt_index(build_root(), who, asked.seed, datasets=datasets, files=[choices])
            with SimulationServer(OpenAIProtocol(known, name)) as server:
                tell(f"{name} {asked.description}; {len(known):,} prompts at {server.url}/v1")
                folders.append(_evaluate(shown, name, server.url, choices, output, tell))
    return folders


def write_choices(shown: Demonstration, folder: Path) -> Path:
    """Write the choices among the articles of a simulated respondent, the second stage of the instrument."""
    from polbias.eval.simulation.lm_eval import run_tasks
    from polbias.eval.simulation.respondents import make_respondent
    from polbias.experiments.self_assessment import find_set, read_user_articles
    from polbias.generators.selfassess.choices import build_choices
    from polbias.generators.selfassess.choices import write_choices as write
    from polbias.generators.selfassess.templates import load_family

    asked = {"polbias_items": shown.topics}
    made = run_tasks([shown.articles], make_respondent("perfect"), model="articles", settings=asked)
    written = made.write(folder)
    path = folder / "choices.parquet"
    records = read_user_articles(written[0], find_set(_SET))
    write(path, build_choices(load_family(), records))
    return path


def _evaluate(
    shown: Demonstration, name: str, url: str, choices: Path, output: Path, tell: Callable[[str], None]
) -> Path:
    """Run lm_eval as `polbias eval` does, without the answers of earlier runs; return the folder."""
    from polbias.lm_eval_runner.model_classes import model_class, prepare
    from polbias.lm_eval_runner.options import parse
    from polbias.lm_eval_runner.run import evaluate
    from polbias.lm_eval_runner.tasks import catalogue

    where = f"base_url={url}/v1/chat/completions"
    tasks, folders = catalogue([]), set()
    for questions in shown.runs:
        config = parse(
            [
                *("--model", "local-chat-completions", "--apply_chat_template"),
                *("--model_args", f"model={name},{where},num_concurrent={shown.concurrency}"),
                *("--tasks", ",".join(questions.tasks)),
                *("--metadata", json.dumps(questions.metadata)),
                *("--output_path", str(output)),
            ]
        )
        with _environment(POLBIAS_STAGE2=str(choices)):
            kind = model_class(config.model)
            prepare(config, kind)
            run = evaluate(config, tasks, tasks.select_tasks(config.tasks), kind, None, tell)
        assert run is not None  # there is one process
        folders.add(run.folder)
    (folder,) = folders
    return folder


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    """Set variables of the environment for a while."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
