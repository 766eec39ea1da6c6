"""`polbias report --exclude-pairs`: the X-phemism analysis without some pairs."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner, Result

from polbias.cli.main import app
from polbias.cli.report import read_pair_ids
from polbias.errors import InputError
from polbias.eval.report.build import ReportWithAnswers, build_report
from polbias.eval.report.reporter import ReportSettings
from polbias.eval.simulation.respondents import planted_respondent
from tests.report.test_xphemism import TASK, docs, simulated

Sample = dict[str, Any]


def link(doc: dict[str, Any]) -> dict[str, Any]:
    """Let every fifteenth claim link two word pairs, which are one component with it alone."""
    word, claim = int(doc["pair_id"][6:9]), int(doc["pair_id"][10])
    linked = claim == 2 and word % 5 == 0
    return doc | {"cluster_id": f"word-{word:03}_word-{word + 1:03}"} if linked else doc


ASKED = [link(doc) for doc in docs(words=20)]
RESPONDENTS = {
    "leaning": simulated(ASKED, replace(planted_respondent(0.4, "left", judgment=0.1), refuse=0.1)),
    "fair": simulated(ASKED, planted_respondent(0.0, accuracy=0.8), seed=2),
}
LINKING = "pairs/005-2/simple/de"
PAIRS = sorted({doc["pair_id"] for doc in ASKED})


def write_runs(folder: Path, keep: Callable[[str], bool] = lambda pair: True) -> Path:
    for name, samples in RESPONDENTS.items():
        (folder / name).mkdir(parents=True)
        lines = [json.dumps(sample) for sample in samples if keep(sample["doc"]["pair_id"])]
        path = folder / name / f"samples_{TASK}_2026-01-02T03-04-05.678901.jsonl"
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return folder


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_runs(tmp_path_factory.mktemp("excluded"))


def analyse(runs: Path, *excluded: str) -> ReportWithAnswers:
    return build_report([runs], ReportSettings(excluded_pairs=frozenset(excluded)))


@pytest.mark.parametrize(("seed", "count"), [(1, 1), (2, 12), (3, len(PAIRS) - 1)])
def test_the_analysis_is_that_of_samples_without_the_pairs(
    tmp_path: Path, runs: Path, seed: int, count: int
) -> None:
    pairs = random.Random(seed).sample(PAIRS, count)
    if LINKING not in pairs and count > 1:
        pairs[0] = LINKING
    shorter = write_runs(tmp_path, lambda pair: pair not in pairs)
    report, expected = analyse(runs, *pairs).report, analyse(shorter).report
    assert report.comparisons == expected.comparisons
    (section,), (expected_section,) = report.sections, expected.sections
    notices = [notice for notice in section.notices if notice not in expected_section.notices]
    assert {notice.where for notice in notices} == {*RESPONDENTS}
    assert {notice.problem for notice in notices} == {f"{len(pairs)} pairs are excluded (--exclude-pairs)"}
    assert replace(section, notices=()) == replace(expected_section, notices=())


def test_all_pairs_may_be_excluded(runs: Path) -> None:
    (section,) = analyse(runs, *PAIRS).report.sections
    assert {finding.estimate.value for finding in section.findings} == {None}


def test_outcomes_keep_every_answer(runs: Path) -> None:
    with_pairs, without = analyse(runs), analyse(runs, *PAIRS[:3])
    for name, answers in with_pairs.answers["xphemism"].items():
        pd.testing.assert_frame_equal(without.answers["xphemism"][name], answers)
    assert without.report.respondents == with_pairs.report.respondents


def test_ids_that_no_sample_has_are_named(runs: Path) -> None:
    unknown = [f"no-{number:02}" for number in range(12)]
    notices = analyse(runs, PAIRS[0], *unknown).report.notices
    (notice,) = [each for each in notices if each.where == "--exclude-pairs"]
    assert notice.serious
    assert notice.problem == (
        "12 of 13 ids to exclude match no X-phemism pair in the samples: "
        "no-00, no-01, no-02, no-03, no-04, no-05, no-06, no-07, no-08, no-09, ..."
    )
    assert not any(each.where == "--exclude-pairs" for each in analyse(runs, PAIRS[0]).report.notices)


def report(runs: Path, out: Path, *options: object) -> Result:
    return CliRunner().invoke(app, ["report", str(runs), "-o", str(out), *map(str, options)])


@pytest.mark.parametrize("mode", [(), ("--tables-only",)])
def test_page_and_summary_say_how_many_are_left_out(runs: Path, tmp_path: Path, mode: Iterable[str]) -> None:
    ids, out = tmp_path / "ids.txt", tmp_path / "out"
    ids.write_text(f"\ufeff{PAIRS[0]}\r\n\n  {PAIRS[1]}  \nelsewhere\n", "utf-8")
    done = report(runs, out, "--exclude-pairs", ids, *mode)
    assert done.exit_code == 0, done.output
    texts = [done.output, (out / "summary.json").read_text("utf-8")]
    texts += [] if mode else [(out / "report.html").read_text("utf-8")]
    for text in texts:
        assert "2 pairs are excluded" in text
        assert "1 of 3 ids to exclude" in text
        assert "elsewhere" in text


@pytest.mark.parametrize("line", ["claim-1,claim-2", '"claim-1"', "claim-1;x", "claim-1\tx", "claim\x07"])
def test_a_line_that_is_no_id_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "ids.txt"
    path.write_text(f"claim-0\n{line}\n", "utf-8")
    with pytest.raises(InputError, match=rf"ids\.txt:2: found .*{line[:5]}.*, expected the id of an"):
        read_pair_ids(path)


def test_a_file_of_ids_that_cannot_be_read_is_refused_before_the_report(runs: Path, tmp_path: Path) -> None:
    done = report(runs, tmp_path / "out", "--exclude-pairs", tmp_path / "none.txt")
    assert isinstance(done.exception, InputError)
    assert "none.txt: cannot be read" in str(done.exception)
    (tmp_path / "bad.txt").write_bytes(b"claim-1\nclaim-\xff\n")
    with pytest.raises(InputError, match=r"bad\.txt:2: "):
        read_pair_ids(tmp_path / "bad.txt")
    assert not (tmp_path / "out").exists()
