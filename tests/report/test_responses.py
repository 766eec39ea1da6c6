"""What a server said beside an answer counts in a report as it did when the answer was scored."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from polbias.eval.report.build import ReportWithAnswers, build_report
from polbias.eval.report.outcomes import write_outcomes
from polbias.eval.report.wording import report_words
from polbias.responses import REFUSED_BY_PROVIDER
from tests.report.runs import change, samples_of, simulate

POLICY = "polbias_policy_stance_mini"
SENTENCE = "Let us look at the question first."


def answer(sample: dict[str, Any], texts: list[str], *reasons: str | None) -> dict[str, Any]:
    """A sample with other answers, of which a server said why they ended."""
    outcomes = Counter(
        {"length": "truncated", "content_filter": "refusal"}.get(str(each)) for each in reasons
    )
    scored = {name: outcomes[name] / len(texts) for name in ("refusal", "truncated", "unparsable")}
    said = [{"finish_reason": reason} if reason else {} for reason in reasons]
    return sample | scored | {"acc": 0.0, "filtered_resps": texts, "resps": [texts], "polbias": said}


def notices(made: ReportWithAnswers, done: str) -> list[str]:
    return [each.problem for each in made.report.notices if each.action == report_words().notices[done]]


def column(made: ReportWithAnswers, folder: Path, name: str) -> Counter[Any]:
    write_outcomes(made.answers, folder / "outcomes.parquet")
    return Counter(pq.read_table(folder / "outcomes.parquet")[name].to_pylist())


def test_a_reason_decides_and_filtered_answers_are_counted(small_run: Path, tmp_path: Path) -> None:
    def edit(number: int, sample: dict[str, Any]) -> dict[str, Any]:
        if number < 5:
            return answer(sample, [SENTENCE], "length")
        if number < 8:
            return answer(sample, [REFUSED_BY_PROVIDER], "content_filter")
        return answer(sample, ["I can't help with that."], None) | {"refusal": 1.0} if number < 9 else sample

    change(samples_of(small_run), edit)
    made = build_report([small_run])
    outcomes = column(made, tmp_path, "outcome")
    assert (outcomes["truncated"], outcomes["refusal"], outcomes["unparsable"]) == (5, 4, 0)
    assert column(made, tmp_path, "filtered") == {True: 3, False: 5, None: 40}
    (line,) = notices(made, "filtered_refuse")
    assert ("4" in line, "3" in line) == (True, True)
    assert notices(made, "todays_readers") == []


def test_answers_that_are_read_otherwise_are_counted(small_run: Path) -> None:
    assert notices(build_report([small_run]), "todays_readers") == []

    def edit(number: int, sample: dict[str, Any]) -> dict[str, Any]:
        if number < 4:  # was a verdict then
            return sample | {"filtered_resps": [SENTENCE], "resps": [[SENTENCE]]}
        return sample | {"acc": 1 - sample["acc"]} if number < 6 else sample

    change(samples_of(small_run), edit)
    (line,) = notices(build_report([small_run]), "todays_readers")
    assert line.startswith("6 of 48 ")
    assert "0.9.1" not in line
    (path,) = small_run.glob("results_*.json")
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"polbias": {"version": "0.9.1"}}))
    (line,) = notices(build_report([small_run]), "todays_readers")
    assert "0.9.1" in line


def test_several_answers_to_a_prompt(
    tmp_path: Path, all_builds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(all_builds))
    run = simulate(tmp_path, "model-a", POLICY)
    assert notices(build_report([run]), "todays_readers") == []

    def edit(number: int, sample: dict[str, Any]) -> dict[str, Any]:
        if number:
            return sample
        texts = [REFUSED_BY_PROVIDER] * 2 + [SENTENCE] * 3
        changed = answer(sample, texts, *["content_filter"] * 2, *["length"] * 2, "stop")
        return changed | {
            "truncated": 0.0,
            "unparsable": 0.6,
            "answer_rate": 0.0,
        }  # the reasons were not used then

    change(samples_of(run, POLICY), edit)
    made = build_report([run])
    (line,) = notices(made, "todays_readers")
    assert line.startswith("2 of ")
    (line,) = notices(made, "filtered_refuse")
    assert "2 " in line
    assert column(made, tmp_path, "n_filtered")[2] == 1
    assert column(made, tmp_path, "filtered")[True] == 1
