"""`polbias compare`: two runs of any task, item by item."""

from __future__ import annotations

import csv
import gzip
import json
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from typer.testing import CliRunner

from polbias.cli.main import app
from polbias.errors import InputError
from polbias.eval.report.document import MetricDifference, Report
from polbias.eval.report.run_comparison import compare_runs
from polbias.eval.report.verdicts import verdict
from polbias.eval.samples import find_sample_files
from polbias.paths import package_file
from tests.report.runs import simulate
from tests.support.lm_eval_ours import lm_eval
from tests.support.process import run_here

TIME = "2026-01-02T10-00-00.5"
Sample = dict[str, Any]


def sample(number: int, **found: Any) -> Sample:
    doc = {"question": f"What is {number} + {number}?", "topic": f"t{number // 3}"}
    metrics = found.pop("metrics", [*found])
    return {"doc_id": number, "doc": doc, "target": "a", "filtered_resps": ["a"], "filter": "none",
            "metrics": metrics} | found  # fmt: skip


def write(folder: Path, samples: Sequence[Sample], task: str = "sums", **results: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"samples_{task}_{TIME}.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in samples), "utf-8")
    if results:
        (folder / f"results_{TIME}.json").write_text(json.dumps(results), "utf-8")
    return path


def scored(folder: Path, values: Sequence[Any], task: str = "sums") -> Path:
    write(folder, [sample(number, acc=value) for number, value in enumerate(values)], task)
    return folder


def differences(report: Report) -> list[MetricDifference]:
    found = [each for each in report.comparisons if isinstance(each, MetricDifference)]
    assert len(found) == len(report.comparisons)
    return found


def one(report: Report) -> MetricDifference:
    (found,) = differences(report)
    return found


TWENTIETHS = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]
APART = [1, 0, 2, 1, -1, 3, 0, 1, 2, 1]  # mean 1; sum of squares about it 22 - 10 = 12
A = [a / 20 for a in TWENTIETHS]
B = [(a + d) / 20 for a, d in zip(TWENTIETHS, APART, strict=True)]


def test_ten_items_by_hand(tmp_path: Path) -> None:
    found = one(compare_runs(scored(tmp_path / "a", A), scored(tmp_path / "b", B), margin=9.14))
    half = 2.262157 * math.sqrt(12 / 9 / 10)  # t of 9 degrees of freedom
    assert found.means == pytest.approx([3.9 / 20, 4.9 / 20])
    assert (found.estimate.value, found.estimate.n, found.estimate.clusters) == (pytest.approx(0.05), 10, 10)
    ends = (1 - half) / 20, (1 + half) / 20
    assert (found.estimate.low, found.estimate.high) == pytest.approx(ends, abs=1e-6)
    assert found.estimate.p == pytest.approx(stats.ttest_rel(B, A).pvalue)
    # of all 2^10 signs, those whose sum is 10 or more from 0
    signs = np.array(np.meshgrid(*[(-1, 1)] * 10)).reshape(10, -1)
    assert found.p_flip == pytest.approx(np.mean(np.abs(np.abs(APART) @ signs) >= 10))
    assert found.equivalent is True  # up to 9.13 points
    closer = one(compare_runs(tmp_path / "a", tmp_path / "b", margin=9.12))
    assert closer.equivalent is False
    assert one(compare_runs(tmp_path / "a", tmp_path / "b")).equivalent is None


def bell_mccaffrey(values: Sequence[float], clusters: Sequence[str]) -> tuple[float, float, float]:
    """Mean, CR2 error and degrees of freedom, by matrices as in Pustejovsky and Tipton (2018)."""
    y, n = np.asarray(values, float), len(values)
    x = np.ones((n, 1))
    bread = np.linalg.inv(x.T @ x)
    hat = x @ bread @ x.T
    beta = bread @ x.T @ y
    residuals = y - x @ beta
    variance, columns = 0.0, []
    for name in sorted(set(clusters)):
        rows = np.array([each == name for each in clusters])
        inner = np.eye(rows.sum()) - hat[np.ix_(rows, rows)]
        size, basis = np.linalg.eigh(inner)
        adjusted = basis @ np.diag(size**-0.5) @ basis.T
        weights = bread @ x[rows].T @ adjusted
        variance += float((weights @ residuals[rows])[0] ** 2)
        columns.append(((np.eye(n) - hat)[:, rows] @ weights.T)[:, 0])
    inner = np.array(columns) @ np.array(columns).T
    return float(beta[0]), math.sqrt(variance), float(np.trace(inner) ** 2 / (inner**2).sum())


def test_clusters_by_an_independent_formula(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 2, (2, 41)).tolist()
    found = one(compare_runs(scored(tmp_path / "a", a), scored(tmp_path / "b", b), "topic"))
    apart = [y - x for x, y in zip(a, b, strict=True)]
    mean, error, df = bell_mccaffrey(apart, [f"t{number // 3}" for number in range(41)])  # the last has two
    half = stats.t.ppf(0.975, df) * error
    ends = found.estimate.value, found.estimate.low, found.estimate.high
    assert ends == pytest.approx((mean, mean - half, mean + half))
    assert found.estimate.p == pytest.approx(2 * stats.t.sf(abs(mean) / error, df))
    assert (found.estimate.n, found.estimate.clusters, found.key) == (41, 14, "topic")


def test_holm_over_all_tasks(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    for task, shift in (("one", 1.0), ("two", 0.6), ("three", 0.7), ("four", 0.0)):
        a = rng.normal(size=30)
        scored(tmp_path / "a", a.tolist(), task)
        scored(tmp_path / "b", (a + rng.normal(shift, 1.2, 30)).tolist(), task)
    for side in "ab":  # too few to be tested, and no test among the others
        scored(tmp_path / side, rng.normal(size=9).tolist(), "few")
    found = {each.instrument: each for each in differences(compare_runs(tmp_path / "a", tmp_path / "b"))}
    few = found.pop("few")
    assert few.p_holm is None
    assert few.equivalent is None
    p = [each.estimate.p for each in found.values()]
    assert [each.p_holm for each in found.values()] == pytest.approx(multipletests(p, method="holm")[1])
    assert [*found] == sorted(found)


def test_the_same_answers_are_equivalent_as_far_as_their_number_says(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        scored(tmp_path / folder, [1, 0] * 50)
    most = 1 - 0.025 ** (1 / 100)  # of items could differ, though none did
    for margin, expected in ((100 * most + 0.1, True), (100 * most - 0.1, False)):
        found = one(compare_runs(tmp_path / "a", tmp_path / "b", margin=margin))
        assert found.estimate.limit == pytest.approx(most)
        assert found.equivalent is expected
    for folder in ("c", "d"):
        scored(tmp_path / folder, [-1] * 100)  # nothing says how far this metric could go
    assert one(compare_runs(tmp_path / "c", tmp_path / "d", margin=5)).equivalent is False


@pytest.mark.parametrize("value", [1.5, -1.01, 7])
def test_a_margin_in_points_is_not_applied_to_what_is_not_a_fraction(tmp_path: Path, value: float) -> None:
    a, b = scored(tmp_path / "a", [0, 1] * 20), scored(tmp_path / "b", [0, 1] * 19 + [1, value])
    report = compare_runs(a, b, margin=2)
    assert one(report).equivalent is None
    (notice,) = set(report.notices) - set(compare_runs(a, b).notices)
    assert notice.where == "sums"
    assert {"acc", f"{value:g}"} <= set(re.findall(r"[\w.-]+", notice.problem))


@settings(max_examples=25, deadline=None)
@given(
    values=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=12, max_size=30),
    order=st.randoms(),
)
def test_sides_and_order_of_lines(
    tmp_path_factory: pytest.TempPathFactory, values: list[tuple[int, int]], order: Any
) -> None:
    folder = tmp_path_factory.mktemp("swap")
    a, b = (scored(folder / side, [each[place] for each in values]) for place, side in enumerate("ab"))
    found, swapped = one(compare_runs(a, b)), one(compare_runs(b, a))
    assert found.estimate.value == pytest.approx(-(swapped.estimate.value or 0))
    assert (found.estimate.p, found.p_flip) == pytest.approx((swapped.estimate.p, swapped.p_flip))
    lines = next(b.iterdir()).read_text("utf-8").splitlines()
    order.shuffle(lines)
    next(b.iterdir()).write_text("\n".join(lines), "utf-8")
    assert one(compare_runs(a, b)) == found


def test_missing_items_are_counted_on_their_side(tmp_path: Path) -> None:
    a = [sample(number, acc=number % 2) for number in range(20)]
    b = [sample(number, acc=[None, math.nan, 1][min(number - 3, 2)]) for number in range(3, 22)]
    write(tmp_path / "a", a)
    write(tmp_path / "b", b)
    found = one(compare_runs(tmp_path / "a", tmp_path / "b"))
    # of 22: A lacks the last two; B the first three, one that is null and one that is no number
    assert (found.estimate.n, found.missing) == (15, [2, 5])
    assert found.means == pytest.approx([8 / 15, 1])


def test_items_are_paired_by_the_ids_of_their_documents(tmp_path: Path) -> None:
    values = [1, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1]
    a = [sample(n, acc=v) for n, v in enumerate(values)]
    for each in a:
        each["doc"]["id"] = f"item {each['doc_id']}"
    write(tmp_path / "a", a)
    write(tmp_path / "b", [each | {"doc_id": 11 - each["doc_id"]} for each in reversed(a)])
    assert one(compare_runs(tmp_path / "a", tmp_path / "b")).estimate.discordant == 0
    a[1]["doc"]["id"] = "item 0"  # tells nothing apart, so that the harness's own numbers do
    write(tmp_path / "a", a)
    with pytest.raises(InputError, match=r":\d+: .*item"):
        compare_runs(tmp_path / "a", tmp_path / "b")


def test_metrics_and_filters(tmp_path: Path) -> None:
    def asked(offset: int) -> list[Sample]:
        return [
            sample(n, exact=(n + offset) % 2, **{"pair": [n, 1], "filter": by, "metrics": ["exact", "pair"]})
            for n in range(12)
            for by in ("strict", "loose")
        ]

    write(tmp_path / "a", asked(0))
    write(tmp_path / "b", asked(1))
    report = compare_runs(tmp_path / "a", tmp_path / "b")
    assert [each.measure for each in differences(report)] == ["exact,strict", "exact,loose"]
    (problem,) = (notice.problem for notice in report.notices if "pair" in notice.problem)
    assert "pair,strict" in problem
    assert "pair,loose" in problem


def test_errors_of_metrics_are_not_missed_as_numbers(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        samples = [
            sample(n, acc=n % 2, acc_stderr=[n % 2, "cluster"], metrics=["acc", "acc_stderr"])
            for n in range(12)
        ]
        write(tmp_path / folder, samples)
    report = compare_runs(tmp_path / "a", tmp_path / "b")
    assert [each.measure for each in differences(report)] == ["acc"]
    assert not [notice for notice in report.notices if "acc_stderr" in notice.problem]


def test_a_run_is_not_compared_with_itself(tmp_path: Path) -> None:
    folder = scored(tmp_path / "a", A)
    (path,) = folder.iterdir()
    for other in (folder, path):
        with pytest.raises(InputError, match=path.name):
            compare_runs(folder, other)


def test_a_limited_run_is_not_compared_in_the_place_of_a_full_one(tmp_path: Path) -> None:
    a, b = scored(tmp_path / "a", A), scored(tmp_path / "b", B)
    limited = b / "samples_sums_2099-01-02T10-00-00.5.jsonl"
    limited.write_text(
        "".join((b / f"samples_sums_{TIME}.jsonl").read_text("utf-8").splitlines(True)[:3]), "utf-8"
    )
    report = compare_runs(a, b)
    assert [source.rows for source in report.sources] == [len(A), len(B)]
    assert any("2099-01-02" in notice.where and "3 rows" in notice.problem for notice in report.notices)


def test_samples_that_do_not_list_their_metrics(tmp_path: Path) -> None:
    """As earlier versions of lm_eval log them."""
    a, b = scored(tmp_path / "a", A), scored(tmp_path / "b", B)
    listed = one(compare_runs(a, b))
    for path in (*a.iterdir(), *b.iterdir()):
        samples = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for each in samples:
            del each["metrics"]
        path.write_text("".join(json.dumps(each) + "\n" for each in samples), "utf-8")
    assert one(compare_runs(a, b)) == listed


def spoiled(edit: Callable[[list[Sample]], Any]) -> list[Sample]:
    samples = [sample(number, acc=number % 2) for number in range(12)]
    edit(samples)
    return samples


BAD = {
    "no id in common": (lambda s: [each.update(doc_id=each["doc_id"] + 50) for each in s], r"b/samples_sums"),
    "another document": (lambda s: s[3]["doc"].update(question="?"), r":4: .*\b3\b"),
    "a metric of words": (lambda s: s[5].update(acc="right"), r":6: acc.*'right'"),
    "no number at all": (lambda s: [each.update(acc=[1]) for each in s], r"b/samples_sums.*\bsums\b"),
    "no metrics": (lambda s: [s[2].pop(name) for name in ("metrics", "acc")], r":3: .*metrics"),
    "a document twice": (lambda s: s[2].update(doc_id=1), r":3: "),
    "no samples": (lambda s: s.clear(), r"b/samples_sums"),
    "no cluster": (lambda s: s[7]["doc"].pop("topic"), r":8: .*topic"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_samples_are_one_error_with_their_line(tmp_path: Path, name: str) -> None:
    edit, message = BAD[name]
    write(tmp_path / "a", spoiled(lambda samples: None))
    write(tmp_path / "b", spoiled(edit))
    with pytest.raises(InputError, match=message):
        compare_runs(tmp_path / "a", tmp_path / "b", "topic")


def test_half_files_other_tasks_and_several_models_are_refused(tmp_path: Path) -> None:
    a = scored(tmp_path / "a", A)
    cut = scored(tmp_path / "cut", A)
    path = next(cut.iterdir())
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(InputError, match=":10: "):
        compare_runs(a, cut)
    asked = {"n-samples": {"sums": {"effective": 12, "original": 12}}}
    write(tmp_path / "half", [sample(number, acc=1) for number in range(10)], **asked)
    with pytest.raises(InputError, match="12"):
        compare_runs(a, tmp_path / "half")
    scored(tmp_path / "more", A)
    scored(tmp_path / "more", A, "products")
    for pair in ((a, tmp_path / "more"), (tmp_path / "more", a)):
        with pytest.raises(InputError, match="products"):
            compare_runs(*pair)
    with pytest.raises(InputError, match="a.*cut.*half.*more"):
        compare_runs(a, tmp_path)


def test_the_newest_run_counts_and_a_file_may_have_any_name(tmp_path: Path) -> None:
    a = scored(tmp_path / "a", A)
    b = scored(tmp_path / "b", B)
    older = next(b.iterdir()).rename(b / "samples_sums_2025-01-02T10-00-00.5.jsonl")
    older.write_text("no sample", "utf-8")
    scored(b, B)
    report = compare_runs(a, b)
    assert one(report).estimate.value == pytest.approx(0.05)
    assert any("2025-01-02" in notice.where and TIME in notice.problem for notice in report.notices)
    plain = (b / f"samples_sums_{TIME}.jsonl").rename(tmp_path / "b.jsonl")
    assert one(compare_runs(next(a.iterdir()), plain)).instrument == "sums"


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([1] * 14, [1] * 14, "at the ceiling"),
        ([1.0] * 3, [1.0] * 3, "at the ceiling"),
        ([0] * 14, [0] * 14, "at the floor"),
        ([1] * 14, [1] * 13 + [0], "no interval"),
        ([0] * 14, [0] * 13 + [1], "no interval"),
        ([0] * 14, [1] * 14, "no interval"),
        ([0.5] * 14, [0.5] * 14, "no interval"),
        ([0] * 14 + [-1, None], [0] * 14 + [None, -1], "no interval"),  # a metric that goes below 0
        ([1] * 14 + [3, None], [1] * 14 + [None, 3], "no interval"),
        ([1] * 7 + [None] * 7, [None] * 7 + [1] * 7, "no data"),
        ([0] * 7 + [None] * 7, [None] * 7 + [0] * 7, "no data"),
        ([1] * 14, [math.nan] * 14, "no data"),
    ],
)
def test_the_ceiling_the_floor_and_no_data(
    a: Sequence[Any], b: Sequence[Any], expected: str, tmp_path: Path
) -> None:
    found = one(compare_runs(scored(tmp_path / "a", a), scored(tmp_path / "b", b)))
    assert verdict(found) == expected
    done = CliRunner().invoke(app, ["compare", str(tmp_path / "a"), str(tmp_path / "b")])
    assert done.exit_code == 0
    for name in ("at the ceiling", "at the floor", "no data"):
        assert (name in done.output) == (name == expected)


def test_models_that_answer_nothing_have_no_data_and_no_ceiling(tmp_path: Path) -> None:
    silent = [sample(number, acc=0.0, refusal=1.0) for number in range(14)]
    for name in "ab":
        write(tmp_path / name, silent)
    found = {each.measure: verdict(each) for each in compare_runs(tmp_path / "a", tmp_path / "b").comparisons}
    assert found == {"acc": "no data", "refusal": "no interval"}


# Files of earlier versions, and compressed ones.


def test_metrics_that_no_sample_lists_are_its_numbers(tmp_path: Path) -> None:
    for name, values in (("a", A), ("b", B)):
        samples = [sample(number, exact_match=value) for number, value in enumerate(values)]
        for each in samples:
            del each["metrics"], each["filter"]
            each |= {"target": each["doc_id"], "doc_hash": "0" * 64, "resps": [["a"]]}
        write(tmp_path / name, samples)
    found = one(compare_runs(tmp_path / "a", tmp_path / "b"))
    assert (found.measure, found.estimate.value) == ("exact_match", pytest.approx(0.05))


def compressed(folder: Path) -> Path:
    for path in [path for path in folder.iterdir() if path.suffix != ".gz"]:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    return folder


def test_compressed_samples_are_read_with_their_results(tmp_path: Path) -> None:
    expected = one(compare_runs(scored(tmp_path / "a", A), scored(tmp_path / "b", B)))
    write(
        tmp_path / "a",
        [*map(json.loads, lines_of(tmp_path / "a"))],
        **{"n-samples": {"sums": {"effective": 10}}},
    )
    report = compare_runs(compressed(tmp_path / "a"), compressed(tmp_path / "b"))
    assert one(report).estimate == expected.estimate
    assert [source.task for source in report.sources] == ["sums", "sums"]
    assert [source.expected for source in report.sources] == [10, None]
    (path,) = (tmp_path / "b").iterdir()
    assert one(compare_runs(tmp_path / "a", path.rename(tmp_path / "b.jsonl.gz"))).instrument == "sums"


def lines_of(folder: Path) -> list[str]:
    return (folder / f"samples_sums_{TIME}.jsonl").read_text("utf-8").splitlines()


def test_a_file_beside_its_compressed_copy_is_read_once(tmp_path: Path) -> None:
    a, b = scored(tmp_path / "a", A), scored(tmp_path / "b", B)
    path = next(a.iterdir())
    path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert not [
        notice for notice in compare_runs(a, b).notices if path.name in notice.where and notice.serious
    ]
    assert len(find_sample_files([a], newest=False)) == 1


@pytest.mark.parametrize(
    "content",
    [b"no gzip", gzip.compress(b'{"doc_id": 0}\n' * 9)[:-9], gzip.compress(b"")[:5]],
    ids=["no gzip", "cut off", "header cut off"],
)
def test_damaged_compressed_samples_are_one_error(content: bytes, tmp_path: Path) -> None:
    a = scored(tmp_path / "a", A)
    path = tmp_path / "b" / f"samples_sums_{TIME}.jsonl.gz"
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(InputError, match=path.name):
        compare_runs(a, path.parent)


def test_folder_of_csv_json_and_page(tmp_path: Path) -> None:
    scored(tmp_path / "a", A)
    scored(tmp_path / "b", B)
    asked = ["compare", str(tmp_path / "a"), str(tmp_path / "b"), "--margin", "9.14"]
    done = CliRunner().invoke(app, [*asked, "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    (line,) = [each for each in done.output.splitlines() if each.startswith("sums")]
    for cell in ("0.195", "0.245", "0.050", "[0.009, 0.091]", "established", "yes"):
        assert cell in line
    assert "Equivalent within ±9.14 points (±0.0914)" in done.output
    made = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))
    jsonschema.validate(
        made, json.loads(package_file("templates/report/summary.schema.json").read_text("utf-8"))
    )
    (found,) = made["comparisons"]
    assert (found["instrument"], found["measure"], found["value"]) == ("sums", "acc", pytest.approx(0.05))
    assert (found["missing"], found["equivalent"]) == ([0, 0], True)
    (row,) = csv.DictReader((tmp_path / "out" / "tables" / "comparisons.csv").open("r", encoding="utf-8"))
    assert float(row["low"]) == found["low"]
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    for part in ("A: a, B: b", "[0.009, 0.091]", "established", "±9.14 points (±0.0914)"):
        assert part in page
    again = CliRunner().invoke(app, [*asked, "-o", str(tmp_path / "a")])
    assert again.exit_code != 0  # holds samples, no report


def compared(*paths: Path) -> str:
    done = CliRunner().invoke(app, ["compare", *map(str, paths)])
    assert done.exit_code == 0, done.output
    return done.output


def test_documents_with_cluster_ids_are_clustered_by_them_unless_another_column_is_named(
    tmp_path: Path,
) -> None:
    for side, values in (("a", A), ("b", B)):
        samples = [sample(number, acc=value) for number, value in enumerate(values)]
        for number, line in enumerate(samples):
            line["doc"]["cluster_id"] = f"c{number // 2}"
        write(tmp_path / side, samples)
    by_default = one(compare_runs(tmp_path / "a", tmp_path / "b"))
    assert (by_default.key, by_default.estimate.clusters) == ("cluster_id", 5)
    by_topic = one(compare_runs(tmp_path / "a", tmp_path / "b", "topic"))
    assert (by_topic.key, by_topic.estimate.clusters) == ("topic", 4)
    assert "clusters: cluster_id" in compared(tmp_path / "a", tmp_path / "b")


def test_a_task_of_polbias_has_the_clusters_of_its_metrics(tmp_path: Path, data: Path) -> None:
    runs = [simulate(tmp_path, name, seed=seed) for seed, name in enumerate("ab")]
    assert {each.estimate.clusters for each in differences(compare_runs(*runs))} == {24}


def test_outcomes_that_neither_run_has_are_in_the_files_but_not_in_the_output(tmp_path: Path) -> None:
    for side, values in (("a", A), ("b", B)):
        samples = [
            sample(number, acc=value, refusal=0, truncated=float(side == "b" and not number))
            for number, value in enumerate(values)
        ]
        write(tmp_path / side, samples)
    report = compare_runs(tmp_path / "a", tmp_path / "b")
    assert [each.measure for each in differences(report)] == ["acc", "refusal", "truncated"]
    output = compared(tmp_path / "a", tmp_path / "b")
    assert [line.split()[1] for line in output.splitlines() if line.startswith("sums ")] == [
        "acc",
        "truncated",
    ]
    (line,) = (line for line in output.splitlines() if "refusal" in line)
    assert "0 in both" in line


def test_a_sentence_counts_the_established_differences_of_each_run(tmp_path: Path) -> None:
    for side, values, reverse in (("a", A, B), ("b", B, A)):
        samples = [
            sample(number, first=10 * value, second=10 * reverse[number], third=value)
            for number, value in enumerate(values)
        ]
        for line in samples:
            line |= {
                "first": line["first"] + 10 * (side == "b"),
                "second": line["second"] - 10 * (side == "b"),
            }
        write(tmp_path / side, samples)
    output = compared(tmp_path / "a", tmp_path / "b")
    sentences = [line for line in output.splitlines() if line.startswith(("A is", "B is"))]
    assert len(sentences) == 2
    assert "1 of the 3" in sentences[0]
    assert "2 of the 3" in sentences[1]
    page = tmp_path / "out"
    CliRunner().invoke(app, ["compare", str(tmp_path / "a"), str(tmp_path / "b"), "-o", str(page)])
    assert all(sentence in (page / "report.html").read_text("utf-8") for sentence in sentences)


# What the harnesses themselves write, of tasks that are none of ours.

TASK = """
task: local_sums
dataset_path: json
dataset_kwargs:
  data_files:
    test: {file}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{question}}}} Answer:"
doc_to_choice: choices
doc_to_target: gold
metric_list:
  - metric: acc
"""


def test_a_task_of_lm_eval_that_is_not_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The dummy model has a tokenizer on the Hub.
    monkeypatch.setattr("lm_eval.evaluator.add_tokenizer_info", lambda results, model: None)
    rows = [
        {"question": f"{n} + 1?", "choices": [str(n + 1), str(n)], "gold": 0, "unit": n // 2}
        for n in range(60)
    ]
    (tmp_path / "sums.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (tmp_path / "sums.yaml").write_text(TASK.format(file=tmp_path / "sums.jsonl"), "utf-8")
    means = []
    for side in "ab":
        options = ["--model", "dummy", "--tasks", "local_sums", "--include_path", str(tmp_path)]
        options += ["--seed", str(ord(side)), "--output_path", str(tmp_path / side), "--log_samples"]
        cache = {"HF_DATASETS_CACHE": str(tmp_path / "cache"), "HF_HUB_OFFLINE": "1"}
        run_here(lm_eval, ["lm_eval", "run", *options], env=cache, cwd=tmp_path)
        (results,) = (tmp_path / side).rglob("results_*.json")
        means.append(json.loads(results.read_text("utf-8"))["results"]["local_sums"]["acc,none"])
    found = one(compare_runs(tmp_path / "a", tmp_path / "b", "unit"))
    assert means[0] != means[1]
    assert found.means == pytest.approx(means)
    assert found.estimate.value == pytest.approx(means[1] - means[0])
    assert (found.estimate.n, found.estimate.clusters, found.missing) == (60, 30, [0, 0])
