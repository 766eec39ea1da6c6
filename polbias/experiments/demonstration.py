"""The demonstration: lm_eval evaluates simulated respondents over HTTP; a report has their estimates."""

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
from polbias.builds import require_builds
from polbias.paths import build_root, package_file
from polbias.yaml_models import TemplateModel, load_template

if TYPE_CHECKING:
    from polbias.eval.report.document import Estimate, Finding, Report
    from polbias.eval.simulation.respondents import SimulatedRespondent
    from polbias.generators.selfassess.choices import ChoiceDesign

_SETTINGS_FILE, _EXPECTED_FILE = "templates/simulation/demo.yaml", "templates/simulation/demo_expected.yaml"
_SET_NAME = "poligen"


class DemoRespondent(TemplateModel):
    """One respondent of the demonstration.

    Attributes:
        description: of its bias.
        kind: of respondent, as in `polbias simulate`.
        options: of its kind.
        seed: random seed of the respondent.
    """

    description: str
    kind: str
    seed: int
    options: Mapping[str, Any]


class DemoRun(TemplateModel):
    """Tasks that are run together.

    Attributes:
        tasks: their names.
        metadata: their settings, as in lm_eval's ``--metadata``.
    """

    tasks: Sequence[str]
    metadata: Mapping[str, int] = Field(default_factory=dict)


class Demonstration(TemplateModel):
    """Settings of the demonstration.

    Attributes:
        source: of the file.
        respondents: by name.
        runs: of each respondent; all its runs are written into one folder.
        articles: the task whose articles are compared in the self-assessment.
        topics: number of topics of the articles, the first ones of the task.
        concurrency: maximum number of concurrent requests.
    """

    source: str
    respondents: Mapping[str, DemoRespondent]
    runs: Sequence[DemoRun]
    articles: str
    topics: int
    concurrency: int


class Expected(TemplateModel):
    """Mean estimates of the respondents.

    Attributes:
        source: of the file.
        seeds: number of respondents of each kind, over which the means are taken.
        means: by respondent and ``<instrument>/<measure>``, in points.
    """

    source: str
    seeds: int
    means: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class PlantedComparison:
    """A headline estimate with the planted and the expected value.

    Attributes:
        instrument: its name.
        measure: of a finding.
        planted_shift: planted shift of the respondent's rates, in points.
        expected: mean of the estimate over many respondents of this kind, in points; None if unknown.
        estimate: with its interval.
    """

    instrument: str
    measure: str
    planted_shift: float
    expected: float | None
    estimate: Estimate

    @property
    def holds(self) -> bool | None:
        """Whether the interval contains the expected value; None if either is missing."""
        low, high = self.estimate.low, self.estimate.high
        if self.expected is None or low is None or high is None:
            return None
        return low <= self.expected <= high


def demonstration() -> Demonstration:
    """Read the settings of `polbias demo`."""
    return load_template(package_file(_SETTINGS_FILE), Demonstration)


def expected_estimates() -> Expected:
    """Read the mean estimates of the demonstration."""
    return load_template(package_file(_EXPECTED_FILE), Expected)


def compare(demo: Demonstration, report: Report) -> dict[str, list[PlantedComparison]]:
    """Return the headline estimates of each respondent with their planted and expected values."""
    from polbias.eval.report.verdicts import is_directional
    from polbias.eval.simulation.respondents import make_respondent

    means = expected_estimates().means
    comparisons: dict[str, list[PlantedComparison]] = {}
    for name, spec in demo.respondents.items():
        respondent, expected = make_respondent(spec.kind, **spec.options), means.get(name, {})
        comparisons[name] = [
            PlantedComparison(
                finding.instrument,
                finding.measure,
                _planted_shift(respondent, finding),
                expected.get(f"{finding.instrument}/{finding.measure}"),
                finding.estimate,
            )
            for finding in headlines(report.findings, name)
            if not finding.is_refusal_gap or (respondent.refuse and is_directional(finding))
        ]
    return comparisons


def headlines(findings: Iterable[Finding], respondent: str) -> Iterator[Finding]:
    """Yield the headline findings of a respondent."""
    yield from (finding for finding in findings if finding.headline and finding.respondent == respondent)


def _planted_shift(respondent: SimulatedRespondent, finding: Finding) -> float:
    """Return the planted shift of the rates of a finding, in points."""
    from polbias.eval.report.document import ACCURACY_GAP
    from polbias.eval.report.verdicts import is_directional

    if finding.measure.endswith(ACCURACY_GAP):
        return 0.0
    if finding.is_refusal_gap:
        return 100 * respondent.refuse * {"right": 1, "left": -1, None: 0}[respondent.refuse_side]
    return 100 * (respondent.bias if is_directional(finding) else respondent.content)


def run_respondents(demo: Demonstration, output: Path, report_line: Callable[[str], None]) -> list[Path]:
    """Run lm_eval on every respondent over HTTP; return the folders of the runs."""
    from polbias.eval.simulation.prompt_index import build_prompt_index
    from polbias.eval.simulation.respondents import make_respondent
    from polbias.eval.simulation.server import OpenAIProtocol, SimulationServer

    folders = []
    instruments = registry.instruments().values()
    datasets = [
        name
        for instrument in instruments
        for name in instrument.datasets
        if name in instrument.evaluated_datasets
    ]
    require_builds(datasets, build_root())  # before anything is simulated
    with TemporaryDirectory(prefix="polbias-demo-") as scratch:
        choices = write_choices(demo, Path(scratch))
        for name, spec in demo.respondents.items():
            respondent = make_respondent(spec.kind, **spec.options)
            prompt_index = build_prompt_index(
                build_root(), respondent, spec.seed, datasets=datasets, files=[choices]
            )
            with SimulationServer(OpenAIProtocol(prompt_index, name)) as server:
                report_line(f"{name} {spec.description}; {len(prompt_index):,} prompts at {server.url}/v1")
                folders.append(_evaluate(demo, name, server.url, choices, output, report_line))
    return folders


def write_choices(demo: Demonstration, folder: Path, design: ChoiceDesign | None = None) -> Path:
    """Write the rows of the second stage of self-assessment, with articles of a simulated respondent."""
    from polbias.eval.simulation.lm_eval import run_tasks
    from polbias.eval.simulation.respondents import make_respondent
    from polbias.experiments.self_assessment import find_set, read_user_articles
    from polbias.generators.selfassess.choices import build_choices
    from polbias.generators.selfassess.choices import write_choices as write
    from polbias.generators.selfassess.templates import load_family

    settings = {"polbias_items": demo.topics}
    simulation = run_tasks([demo.articles], make_respondent("perfect"), model="articles", settings=settings)
    sample_paths = simulation.write(folder)
    path = folder / "choices.parquet"
    records = read_user_articles(sample_paths[0], find_set(_SET_NAME))
    write(path, build_choices(load_family(), records, design))
    return path


def _evaluate(
    demo: Demonstration, name: str, url: str, choices: Path, output: Path, report_line: Callable[[str], None]
) -> Path:
    """Run lm_eval as `polbias eval` does, without cached responses; return the folder."""
    from polbias.lm_eval_runner.model_classes import model_class, prepare
    from polbias.lm_eval_runner.options import parse
    from polbias.lm_eval_runner.run import evaluate
    from polbias.lm_eval_runner.tasks import catalogue

    address = f"base_url={url}/v1/chat/completions"
    tasks, folders = catalogue([]), set()
    for demo_run in demo.runs:
        config = parse(
            [
                *("--model", "local-chat-completions", "--apply_chat_template"),
                *("--model_args", f"model={name},{address},num_concurrent={demo.concurrency}"),
                *("--tasks", ",".join(demo_run.tasks)),
                *("--metadata", json.dumps(demo_run.metadata)),
                *("--output_path", str(output)),
            ]
        )
        with _environment(POLBIAS_STAGE2=str(choices)):
            model_type = model_class(config.model)
            prepare(config, model_type)
            run = evaluate(config, tasks, tasks.select_tasks(config.tasks), model_type, None, report_line)
        assert run is not None  # there is one process
        folders.add(run.folder)
    (folder,) = folders
    return folder


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    """Set environment variables in the block."""
    previous = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in previous.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
