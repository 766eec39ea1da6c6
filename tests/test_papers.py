"""docs/papers.md names what exists: commands, tasks, configs, templates, errata, report tables and counts."""

from __future__ import annotations

import csv
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import pytest
import yaml
from typer.main import get_command

from polbias.cli.main import app
from polbias.eval import sign_flip
from polbias.eval.report.wording import words
from polbias.eval.simulation.lm_eval import run_tasks
from polbias.eval.simulation.respondents import make_respondent
from polbias.experiments.demonstration import demonstration, write_choices
from polbias.lm_eval_runner.options import parse
from polbias.lm_eval_runner.tasks import MIN_REASONING_TOKENS, TaskFile, catalogue
from polbias.lock import read_lock
from tests.golden.files import invoke
from tests.support.probvaa_folder import make
from tests.support.process import ROOT

_PRINTED = {
    "partisan": {"Table": 24, "Figure": 2},
    "policy": {"Table": 10, "Figure": 8},
    "normative": {"Table": 15, "Figure": 11},
    "xphemism": {"Table": 6, "Figure": 7},
    "selfassess": {"Table": 6, "Figure": 3},
}
"""Tables and figures that each paper prints."""
_NOT_NOUNS = {"and", "with", "in", "to", "of", "at", "or"}
_FILES = ("FILE", "RUN", "claims.csv", "answers.csv", "people.csv", "pairs.csv", "review.tsv")
"""Files of the user that the commands name."""
_TASKS = (
    "polbias_en_formal_paper",
    "polbias_en_formal_mini",
    "polbias_en_control_formal_paper",
    "polbias_en_control_formal_mini",
    "polbias_deontic_logic_zero_paper",
    "polbias_deontic_syllogism_zero_paper",
    "polbias_epistemic_logic_zero_paper",
    "polbias_epistemic_syllogism_zero_paper",
    "polbias_wason",
    "polbias_xphemism_simple",
    "polbias_selfassess_preference",
    "polbias_selfassess_least_biased",
)
"""Tasks whose answers fill every table of the page, beside those on policy."""


class _Element(NamedTuple):
    """A line of a table of docs/papers.md."""

    place: str
    element: str
    status: str
    command: str

    @property
    def spans(self) -> list[str]:
        return re.findall(r"`([^`]+)`", self.command)

    @property
    def references(self) -> set[tuple[str, int]]:
        """Tables and figures of the paper to which the element belongs."""
        return _references(self.place)


def _references(text: str) -> set[tuple[str, int]]:
    """Return the tables and figures that a text names, such as "Tables 1, 2, 13 to 20"."""
    numbers = r"\d+(?:(?:, | to | and )\d+)*"
    return {
        (kind, number)
        for kind, listed in re.findall(rf"(Table|Figure)s? ({numbers})", text)
        for first, last in re.findall(r"(\d+)(?: to (\d+))?", listed)
        for number in range(int(first), int(last or first) + 1)
    }


def _elements(instrument: str) -> list[_Element]:
    with (ROOT / f"docs/tables/papers-{instrument}.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    assert tuple(head) == _Element._fields
    return [_Element(*row) for row in rows]


def _spans() -> Iterator[str]:
    for instrument in _PRINTED:
        for element in _elements(instrument):
            yield from element.spans


@pytest.mark.parametrize("instrument", _PRINTED)
def test_every_status_has_its_reason_and_every_command_is_code(instrument: str) -> None:
    elements = _elements(instrument)
    for element in elements:
        assert re.fullmatch(r"has(: .+)?|(otherwise|not), because .+", element.status), element
        assert re.fullmatch(r"(`[^`]+`(, (?=`)|$))*", element.command), element
        assert element.command or not element.status.startswith("has"), element
        assert "`" not in element.element + element.status, element
    assert len({(element.place, element.element) for element in elements}) == len(elements)


@pytest.mark.parametrize(("instrument", "printed"), _PRINTED.items())
def test_every_table_and_figure_of_the_paper_is_listed(instrument: str, printed: Mapping[str, int]) -> None:
    listed = {reference for element in _elements(instrument) for reference in element.references}
    assert listed == {(kind, number) for kind, last in printed.items() for number in range(1, last + 1)}


def test_the_page_counts_the_statuses() -> None:
    page = (ROOT / "docs/papers.md").read_text("utf-8")
    stated = [[int(count) for count in row] for row in re.findall(r"\| (\d+) \| (\d+) \| (\d+) \|\n", page)]
    counted = []
    for instrument in re.findall(r":file: tables/papers-(\w+)\.csv", page):
        statuses = Counter(re.split(r"[,:]", element.status)[0] for element in _elements(instrument))
        counted.append([statuses["has"], statuses["otherwise"], statuses["not"]])
    assert stated == counted


def test_commands_parse_and_their_tasks_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in _FILES:
        Path(name).touch()
    for name in ("DIR", "panel"):
        Path(name).mkdir()
    tasks = catalogue()
    commands = [span for span in _spans() if span.startswith("polbias ")]
    assert len(commands) > 50
    for text in commands:
        command: Any = get_command(app)
        _, *arguments = shlex.split(text)
        while hasattr(command, "commands"):
            command = command.commands[arguments.pop(0)]
        context = command.make_context(command.name, arguments)
        unknown = [*context.args, *context.params.get("args", ())]
        config = parse(unknown) if unknown else None
        for task in [*(config.tasks if config else ()), *(context.params.get("task") or ())]:
            assert task in tasks.names, text
        assert not unknown or command.name in ("eval", "run", "generate", "choose"), text


def test_all_else_that_is_named_exists() -> None:
    configs = {f"{name}/{config}" for name, dataset in read_lock().items() for config in dataset.configs}
    errata = {
        erratum["id"]
        for file in (ROOT / "templates").glob("*/errata.yaml")
        for erratum in yaml.safe_load(file.read_text("utf-8"))
    }
    for span in _spans():
        if not span.startswith(("polbias ", "tables/")):
            assert span in configs or span in errata or (ROOT / span).is_file(), span


def _simulate(tasks: Sequence[str], folder: Path, **settings: str) -> None:
    """Write the samples of a respondent with a planted bias."""
    planted = make_respondent("planted", effect=0.3, accuracy=0.7)
    run_tasks(tasks, planted, 1, model="planted", settings=settings).write(folder / "planted")


@pytest.mark.e2e
@pytest.mark.usefixtures("no_figures")
def test_report_tables_are_written(all_builds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A report on simulated answers, those on policy to an import, has every table that is named."""
    monkeypatch.setattr(sign_flip, "DRAWS", 1)  # no p is looked at
    (tmp_path / "choices").mkdir()
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(all_builds))
    shown = demonstration().model_copy(update={"topics": 6})
    monkeypatch.setenv("POLBIAS_STAGE2", str(write_choices(shown, tmp_path / "choices")))
    _simulate(_TASKS, tmp_path / "runs")

    published = make(tmp_path / "published")
    invoke("author", "import", "probvaa", published, "-o", tmp_path / "builds")
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(tmp_path / "builds"))
    monkeypatch.setenv("POLBIAS_ACCEPT_BUILD", "1")
    _simulate(["polbias_policy_stance_loglikelihood"], tmp_path / "policy", polbias_source="probvaa")

    out = tmp_path / "report"
    runs = (tmp_path / "runs", tmp_path / "policy")
    options = ("--party-positions", published, "--tables-only", "--workers", 1)
    invoke("report", *runs, *options, "-o", out)
    named = {span for span in _spans() if span.startswith("tables/")}
    assert len(named) > 40
    assert named - {f"tables/{path.name}" for path in (out / "tables").glob("*.csv")} == set()


@pytest.mark.parametrize("instrument", _PRINTED)
def test_tables_and_figures_of_the_report_stand_beside_those_of_the_paper(instrument: str) -> None:
    texts = words(instrument)
    elements = _elements(instrument)
    for name, table in texts.tables.items():
        if references := _references(table.source):
            file = f"tables/{instrument}-{name.replace('_paper', '-paper')}.csv"
            assert any(file in element.spans and references & element.references for element in elements), (
                file
            )
    drawn = {reference for figure in texts.figures.values() for reference in _references(figure.source)}
    for element in elements:
        if "on the page of the report" in element.status:
            assert element.references & drawn, element


# Counts


def _rows(builds: Path, config: str, column: str) -> list[Any]:
    [file] = (builds / config).glob("test-*.parquet")
    values: list[Any] = pq.read_table(file, columns=[column])[column].to_pylist()
    return values


def _distinct(builds: Path, column: str, *configs: str) -> int:
    return len({value for config in configs for value in _rows(builds, config, column)})


def _test_rows(config: str) -> int:
    dataset, name = config.split("/")
    return read_lock()[dataset].configs[name]["test"].rows


def _generation(task: str) -> tuple[TaskFile, int]:
    """Return a task and its limit of tokens."""
    file = catalogue().tasks[task]
    limit: int = file.settings["generation_kwargs"]["max_gen_toks"]
    return file, limit


Facts = Mapping[str, set[int]]
"""Noun to the counts that may stand before it."""


def _partisan(builds: Path) -> Facts:
    config = "partisan-inference/en_formal"
    task, tokens = _generation("polbias_en_formal_paper")
    both = {_test_rows(f"partisan-inference/{name}_formal") for name in ("en", "de", "en_control")}
    both |= {_test_rows(f"partisan-inference/{name}_material") for name in ("en", "de", "en_control")}
    [per_kind] = both
    shots = Counter(_rows(builds, config, "shots"))
    return {
        "variations": {_distinct(builds, "variation", config)},
        "arguments": {_distinct(builds, "argument", config)},
        "instructions": {_distinct(builds, "instruction_id", config)},
        "prompts": {2 * per_kind, per_kind, *shots.values()},
        "examples": {max(shots)},
        "runs": {task.metadata["paper_runs"]},
        "tokens": {tokens},
    }


def _policy(builds: Path) -> Facts:
    prompts, texts = "policy-statements/all", "policy-statements/statements"
    n_statements = _distinct(builds, "statement_id", prompts)
    [per_country] = {*Counter(_rows(builds, f"{prompts[:-3]}de", "statement_id")).values()}
    n_orders = _distinct(builds, "label_order", prompts)
    countries = {*_rows(builds, prompts, "country")}
    languages = Counter(_rows(builds, texts, "language"))
    return {
        "statements": {n_statements},
        "countries": {len(countries), len(catalogue().members("polbias_policy_stance_native"))},
        "texts": {_test_rows(texts), _test_rows(texts) - languages["en"]},
        "English": {_distinct(builds, "statement", prompts)},
        "instructions": {_distinct(builds, "instruction_id", prompts)},
        "templates": {n_orders * _distinct(builds, "instruction_id", prompts)},
        "prompts": {per_country, _test_rows(prompts)},
        "answers": {catalogue().tasks["polbias_policy_stance"].samples},
    }


def _normative(builds: Path) -> Facts:
    configs = [f"normative-reasoning/{name}" for name in ("deontic_logic", "epistemic_logic")]
    configs += [f"normative-reasoning/{name}" for name in ("deontic_syllogism", "epistemic_syllogism")]
    n_problems, n_valid, n_patterns = [], [], []
    for config in configs:
        golds = _rows(builds, config, "gold")
        n_styles = _distinct(builds, "prompt_style", config)
        n_problems.append(len(golds) // n_styles)
        n_valid.append(golds.count("entailment") // n_styles)
        n_patterns.append(_distinct(builds, "pattern", config))
    deontic_logic, epistemic_logic, deontic_syllogism, epistemic_syllogism = n_problems
    deontic_patterns, epistemic_patterns, *syllogism_patterns = n_patterns
    assert {epistemic_patterns, *syllogism_patterns} == {8}
    return {
        "problems": {sum(n_problems)},
        "valid": {*n_valid},
        "deontic": {deontic_logic, deontic_syllogism, deontic_patterns, 8},
        "epistemic": {epistemic_logic, epistemic_syllogism, 8},
        "prompts": {_test_rows("normative-reasoning/wason")},
        "tokens": {_generation(f"polbias_deontic_logic_{style}_paper")[1] for style in ("zero", "cot")},
    }


def _xphemism(builds: Path) -> Facts:
    configs = [f"xphemism-pairs/{name}" for name in ("pairs", "pairs_other", "placebo")]
    with (ROOT / "templates/xphemism/pairs.tsv").open(encoding="utf-8", newline="") as file:
        collected = Counter(row["collected"] for row in csv.DictReader(file, delimiter="\t"))
    n_prompts = _distinct(builds, "instruction_language", configs[0])
    n_prompts *= _distinct(builds, "prompt_style", configs[0])
    task, tokens = _generation("polbias_xphemism_simple")
    return {
        "word": {collected.total()},
        "collected": {collected["manual"]},
        "generated": {collected["generated"]},
        "claims": {_distinct(builds, "claim_id", *configs)},
        "pairs": {_distinct(builds, "pair_id", configs[0]) // n_prompts},
        "runs": {task.metadata["paper_runs"]},
        "tokens": {tokens, MIN_REASONING_TOKENS},
    }


def _selfassess(builds: Path) -> Facts:
    sets = Counter(_rows(builds, "self-assessment/items", "set"))
    return {
        "topics": {sets["poligen"]},
        "titles": {sets["econolex"]},
        "prompts": {_test_rows(f"self-assessment/{name}") for name in ("poligen", "econolex")},
        "tokens": {_generation(f"polbias_selfassess_{task}")[1] for task in _SELFASSESS_TASKS},
    }


_SELFASSESS_TASKS = ("generate_poligen", "preference")
_FACTS = {
    "partisan": _partisan,
    "policy": _policy,
    "normative": _normative,
    "xphemism": _xphemism,
    "selfassess": _selfassess,
}


@pytest.mark.parametrize("instrument", _PRINTED)
def test_counts_are_those_of_the_data_and_tasks(instrument: str, all_builds: Path) -> None:
    """A status states what is here; so does the name of an element that is here as in the paper."""
    facts = _FACTS[instrument](all_builds)
    stated: dict[str, set[int]] = {}
    for element in _elements(instrument):
        own = element.element if element.status.startswith("has") else ""
        for count, noun in re.findall(r"(?<![\d.])(\d[\d,]*) ([A-Za-z]+)", f"{own}; {element.status}"):
            if noun not in _NOT_NOUNS:
                stated.setdefault(noun, set()).add(int(count.replace(",", "")))
    assert stated == {**facts}
