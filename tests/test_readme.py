"""What the README shows is what the toolkit does."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from polbias.eval.simulation.lm_eval import run_tasks
from polbias.eval.simulation.respondents import make_respondent
from polbias.lm_eval_runner.scores import scores
from polbias.lock import read_lock
from tests.support.process import ROOT

_README = (ROOT / "README.md").read_text("utf-8")
_LOCKED = read_lock()["partisan-inference"]


def test_counts_and_hashes_are_those_of_the_lock() -> None:
    shown = re.findall(r"^(\w+) +([\d,]+) +(?:\d+ +)?([0-9a-f]{12})$", _README, re.MULTILINE)
    assert len(shown) >= 6
    for config, rows, content in shown:
        entry = _LOCKED.configs[config]["test"]
        assert (f"{entry.rows:,}", entry.content[:12]) == (rows, content)
    for name, locked in read_lock().items():
        total = sum(split.rows for splits in locked.configs.values() for split in splits.values())
        assert f"{name} {locked.version}: {total:,} rows" in _README
    assert f"/partisan-inference/tree/v{_LOCKED.version}: published" in _README


def test_metric_examples_give_what_they_show() -> None:
    block = next(b for b in re.findall(r"```python\n(.*?)```", _README, re.DOTALL) if "extract_validity" in b)
    example = doctest.DocTestParser().get_doctest(block, {}, "README", None, None)
    assert doctest.DocTestRunner().run(example).failed == 0


def test_load_dataset_example_gives_what_it_shows(partisan_tables) -> None:
    block = next(b for b in re.findall(r"```python\n(.*?)```", _README, re.DOTALL) if "load_dataset" in b)
    rows = partisan_tables["en_formal", "test"].to_pylist()
    shown = "\n".join(line for line in block.splitlines() if "load_dataset" not in line) + "\n"
    example = doctest.DocTestParser().get_doctest(shown, {"rows": rows}, "README", None, None)
    assert doctest.DocTestRunner().run(example).failed == 0


def test_the_scores_are_those_of_the_model_that_it_starts(
    all_builds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(all_builds))
    (served,) = re.findall(r"simulate serve --port (\d+) --effect (\S+) --side (\w+) &", _README)
    port, effect, side = served
    assert f"base_url=http://127.0.0.1:{port}/" in _README
    who = make_respondent("planted", effect=float(effect), side=side)
    made = run_tasks(["polbias_en_formal"], who, model="stub")
    (score,) = scores(made.results, made.samples)
    (shown,) = re.findall(r"^(polbias_en_formal .*%)$", _README, re.MULTILINE)
    interval = f"{score.low:+.3f} to {score.high:+.3f}"
    found = [score.task, score.metric, f"{score.value:+.3f}", interval, f"{score.n:,}", score.clusters]
    assert shown.split() == " ".join(map(str, [*found, f"{score.missing:.1%}"])).split()


def test_tasks_and_targets_that_it_names_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in set(re.findall(r"\bmake ([a-z-]+)", _README)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    names = {path.stem for path in (ROOT / "harness_tasks").rglob("polbias_*.yaml")}
    for task in set(re.findall(r"polbias_\w+\b(?![{_])", _README)):
        assert task in names or task.endswith("_"), task
