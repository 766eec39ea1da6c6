"""Every task, asked and scored: prompts, requests, settings and metrics of 24 rows."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from polbias.eval.simulation.lm_eval import run_tasks
from polbias.eval.simulation.respondents import make_respondent
from polbias.experiments.demonstration import demonstration, write_choices
from polbias.generators.selfassess.choices import ChoiceDesign
from polbias.generators.selfassess.templates import WORDINGS
from tests.golden.files import blocks, check, lines
from tests.support.builds import write_build
from tests.support.process import ROOT

_ROWS = 24
_CONFIG = ("output_type", "generation_kwargs", "repeats", "num_fewshot", "target_delimiter", "metadata")
_FAMILIES = ("partisan", "normative", "policy", "xphemism", "selfassess")
_FILTERS = {
    "partisan": ("partisan-inference", []),
    "normative": ("normative-reasoning", ["prompt_style"]),
    "policy": ("policy-statements", []),
    "xphemism": ("xphemism-pairs", ["prompt_style", "instruction_language"]),
}
"""By what tasks choose among the rows of their configs."""
_BESIDE = {"partisan": "partisan-inference-xl"}
"""The dataset of the large sets' tasks, of which only the small ones are asked."""
_FIRST = {"all": 6 * 72}
"""Six statements: of each, polbias_policy_stance_mini asks four rows."""
_TASKS = ROOT / "harness_tasks"


def _sha(parts: Iterable[Any]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(json.dumps(part, ensure_ascii=False, sort_keys=True).encode() + b"\n")
    return digest.hexdigest()[:32]


def _apart(family: str) -> list[str]:
    """The groups and tasks that have all tasks of a family, each once."""
    groups: dict[str, list[str]] = {}
    tasks = []
    for path in sorted((_TASKS / family).glob("polbias_*.yaml")):
        text = path.read_text("utf-8")
        if "_xl" in path.stem and not path.stem.startswith("polbias_partisan_xl_mini"):
            continue
        if text.startswith("group:") or "\ngroup:" in text:
            groups[path.stem] = yaml.safe_load(text)["task"]
        else:
            tasks.append(path.stem)

    def leaves(name: str) -> list[str]:
        return [leaf for each in groups[name] for leaf in leaves(each)] if name in groups else [name]

    chosen: list[str] = []
    taken: set[str] = set()
    for name in sorted((*groups, *tasks), key=lambda each: (-len(leaves(each)), each)):
        if not taken & {*leaves(name)}:
            chosen.append(name)
            taken.update(leaves(name))
    assert {*tasks} <= taken
    return chosen


@pytest.mark.parametrize("family", _FAMILIES)
def test_prompts_requests_settings_and_metrics(
    family: str, all_builds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(all_builds))
    if family in _FILTERS:
        name, parts = _FILTERS[family]
        _shorten(all_builds / name, tmp_path, parts)
        if family in _BESIDE:
            _shorten(all_builds / _BESIDE[family], tmp_path, ())
        monkeypatch.setenv("POLBIAS_DATA_DIR", str(tmp_path))
        monkeypatch.setenv("POLBIAS_LOCK", str(tmp_path / "datasets.lock"))
    if family == "selfassess":
        shown = demonstration().model_copy(update={"topics": 12})
        monkeypatch.setenv(
            "POLBIAS_STAGE2", str(write_choices(shown, tmp_path, ChoiceDesign(wordings=WORDINGS)))
        )
    who = make_respondent("planted", effect=0.3, side="left", judgment=0.1, content=0.1, unparsable=0.05)
    made = run_tasks(_apart(family), who, seed=1, model="golden", limit=_ROWS)
    tasks = sorted(made.samples)
    found = {task: {**_asked(made.samples[task]), **_scored(task, made.results)} for task in tasks}
    groups = made.results["group_subtasks"]
    for name in sorted(each for each in groups if groups[each]):
        found[name] = {"tasks": sorted(groups[name]), **_metrics(made.results["results"].get(name, {}))}
    check(f"tasks-{family}.json", blocks(found))


def _shorten(build: Path, folder: Path, parts: Sequence[str]) -> None:
    """The rows of a build that tasks come to: the first ones, and the first of each part that a task asks."""
    configs = {}
    for place in sorted(path for path in build.iterdir() if path.is_dir()):
        table = pq.read_table(sorted(place.glob("test-*.parquet")))
        columns = [table[name].to_pylist() for name in parts if name in table.column_names]
        met: Counter[Any] = Counter()
        kept = []
        for number, part in enumerate(zip(*columns, strict=True) if columns else [()] * len(table)):
            met[part] += 1
            if number < _FIRST.get(place.name, _ROWS) or met[part] <= _ROWS:
                kept.append(number)
        configs[place.name] = table.take(kept)
    write_build(folder, build.name, configs)


def _asked(samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    said = [[rest for _, *rest in sample["arguments"]] for sample in samples]
    for sample in samples:
        assert len({prompt for prompt, *_ in sample["arguments"]}) == 1
    return {
        "rows": len(samples),
        "requests": sum(map(len, said)),
        "prompts and targets": _sha([sample["arguments"][0][0], sample["target"]] for sample in samples),
        "what is asked for": _sha(said),
        "settings": _distinct(rest for own in said for (rest,) in own),
    }


def _distinct(said: Iterable[Any]) -> list[Any]:
    """Generation settings without their seeds, or what is put behind a prompt."""
    different: list[Any] = []
    for each in said:
        kept = (
            {key: value for key, value in each.items() if key != "seed"} if isinstance(each, dict) else each
        )
        if kept not in different:
            different.append(kept)
    return different


def _scored(task: str, results: Mapping[str, Any]) -> dict[str, Any]:
    config = {name: value for name, value in results["configs"][task].items() if name in _CONFIG}
    config["metadata"] = {
        name: value for name, value in config["metadata"].items() if name != "config_source"
    }
    return {
        "config": config,
        "version": results["versions"][task],
        "higher is better": results["higher_is_better"][task],
        **_metrics(results["results"][task]),
    }


def _metrics(scores: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in scores.items() if name not in ("alias", "name", "sample_len")}


def test_task_files_but_for_the_paths_of_functions() -> None:
    check("task-files.json", lines(dict(_files())))


def _files() -> Iterator[tuple[str, str]]:
    for path in sorted(_TASKS.rglob("*.yaml")):
        text = re.sub(r"!function [\w.]+", "!function", path.read_text("utf-8"))
        yield str(path.relative_to(_TASKS)), hashlib.sha256(text.encode()).hexdigest()[:32]
