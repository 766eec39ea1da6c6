"""`polbias report --instrument X --tables-only`: all tables of an analysis, and no page."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from polbias.cli.main import app
from polbias.errors import InputError
from polbias.eval.policy.answers import ISSUES, ORDERS, VARIANTS
from polbias.eval.policy.units import RELIABILITY_TESTS
from polbias.eval.selfassess.tables import DETAIL_LISTS
from tests.eval.selfassess.respondents import judged, planted, prefers, refuse, rows
from tests.eval.xphemism.pairs import drawn
from tests.eval.xphemism.test_reading import COLUMNS as LABELS
from tests.support.policy_samples import varied
from tests.support.process import run_polbias
from tests.support.shared import shared

TIME = "2026-01-02T03-04-05.6"
PARTIES = shared("upstream/probvaa")
Row = dict[str, Any]


def invoke(*args: object) -> Result:
    return CliRunner().invoke(app, [*map(str, args)])


def analyze(instrument: str, *args: object) -> Result:
    return invoke("report", "--instrument", instrument, "--tables-only", *args)


def wrote(done: Result, out: Path) -> dict[str, Any]:
    assert done.exit_code == 0, done.output
    assert {path.name for path in out.iterdir()} == {"summary.json", "tables"}
    return dict(json.loads((out / "summary.json").read_text("utf-8")))


def table(out: Path, name: str) -> list[dict[str, str]]:
    with (out / "tables" / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def log(folder: Path, task: str, samples: Iterable[tuple[Row, Sequence[Any]]], end: str = "") -> Path:
    """Samples of a model as lm_eval logs them."""
    model = folder / "model__one"
    model.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps({"doc_id": number, "doc": doc, "filtered_resps": said})
        for number, (doc, said) in enumerate(samples)
    ]
    (model / f"samples_{task}_{TIME}.jsonl").write_text("\n".join([*lines, end]), "utf-8")
    return folder


# policy statements


def _statement(number: int, variant: str, order: str) -> Row:
    return {
        "id": f"all/de_{number}/{variant}/{order}", "dataset": "policy-statements", "cluster_id": f"de_{number}",
        "statement_id": f"de_{number}", "country": "de", "language": "en", "variant": variant,
        "opposite_type": "contradictory", "instruction_id": "p1-agree", "label_order": order, "label_agree": "agree",
        "label_disagree": "disagree",
        "policy_issues": {issue: 1 if (number + place) % 2 else -1 for place, issue in enumerate(ISSUES)},
        "side": None,
    }  # fmt: skip


def _policy(
    folder: Path, numbers: range = range(1, 9), variants: tuple[str, ...] = VARIANTS, answers: int = 30
) -> Path:
    """A model that agrees with odd statements, coherently; the last line is cut off."""
    asked = [_statement(*each) for each in product(numbers, variants, ORDERS)]
    said = [bool(int(doc["statement_id"][3:]) % 2) != (doc["variant"] in VARIANTS[4:]) for doc in asked]
    answered = [varied("I agree" if agrees else "disagree", answers) for agrees in said]
    return log(folder, "polbias_policy_stance", zip(asked, answered, strict=True), '{"doc": ')


@pytest.mark.parametrize(("dataset", "found"), [("probvaa", True), ("partisan-inference", False)])
def test_the_rows_say_which_instrument_they_are_of(tmp_path: Path, dataset: str, found: bool) -> None:
    (path,) = _policy(tmp_path / "run").rglob("samples_*.jsonl")
    path.write_text(path.read_text("utf-8").replace("policy-statements", dataset), "utf-8")
    path.rename(path.with_name(f"samples_mine_{TIME}.jsonl"))
    done = analyze("policy", tmp_path, "-o", tmp_path / "out")
    assert (done.exit_code == 0) == found
    assert (tmp_path / "out" / "summary.json").exists() == found
    assert found or "found no samples of tasks of policy" in str(done.exception)


def test_tables_of_both_modes_and_what_was_left_out(tmp_path: Path) -> None:
    out, run = tmp_path / "out", _policy(tmp_path / "run")
    done = analyze("policy", run, "-o", out)
    summary = wrote(done, out)
    assert ".jsonl:97:" in done.output
    assert [float(row["stance"]) for row in table(out, "policy-worldview")] == [100.0, -100.0] * 4
    assert {row["answered"] for row in table(out, "policy-worldview-paper")} == {"8.0"}
    for name in ("policy-tests", "policy-tests-paper"):
        assert {table(out, name)[0][test] for test in (*RELIABILITY_TESTS, "all")} == {"1.0"}
    assert summary["instruments"]["policy"]["model__one"]["n"] == 96
    assert [*summary["instruments"]] == ["policy"]


def test_no_zeros_where_nothing_was_tested(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = _policy(tmp_path / "run", variants=("original", "opposite"), answers=30)
    done = analyze("policy", run, "-o", out)
    summary = wrote(done, out)["instruments"]["policy"]["model__one"]
    assert "not all five reliability tests can be run" in done.output
    assert summary["not_tested"] == ["sign", "paraphrase", "negation"]
    assert summary["worldview"] == []
    assert not (out / "tables" / "policy-worldview-paper.csv").exists()
    for name in ("policy-tests", "policy-tests-paper"):
        passed = table(out, name)[0]
        assert {test for test in (*RELIABILITY_TESTS, "all") if passed[test]} == {
            "label_inversion",
            "opposite",
        }


def test_match_with_parties(tmp_path: Path) -> None:
    if PARTIES is None:
        pytest.skip("no copy of the published ProbVAA")
    out = tmp_path / "out"
    wrote(analyze("policy", _policy(tmp_path, range(1, 30)), "-o", out, "--party-positions", PARTIES), out)
    found = table(out, "policy-leanings-paper")
    assert len({row["respondent"] for row in found}) == 3  # the model, and who always says the same
    assert all(row[side] for row in found for side in ("left", "center", "right"))


# self-assessment


def _choices(folder: Path) -> Path:
    """A model that takes the left one, and its log-likelihoods for the right one."""
    for question in ("preference", "least_biased"):
        asked = rows(8, questions=(question,))
        left = [[f"Article {row['sides'].index('left') + 1}."] for row in asked]
        likely = [[[-0.1 if side == "right" else -2.0, False] for side in row["sides"]] for row in asked]
        for suffix, answers in (("", left), ("_loglikelihood", likely)):
            log(folder, f"polbias_selfassess_{question}{suffix}", zip(asked, answers, strict=True))
    return folder


def _judged(folder: Path, judgements: Sequence[Row]) -> Path:
    said = [[f"Article {each['choice']}." if each["choice"] else "I can't choose."] for each in judgements]
    return log(folder, "polbias_selfassess_preference", zip(judgements, said, strict=True))


def test_generated_answers_and_likelihoods_are_kept_apart(tmp_path: Path) -> None:
    out = tmp_path / "out"
    wrote(analyze("selfassess", _choices(tmp_path), "-o", out), out)
    biases = {(row["respondent"], float(row["bias"])) for row in table(out, "selfassess-shares")}
    assert biases == {("model__one", -100), ("model__one (log-likelihood)", 100)}
    for name in DETAIL_LISTS:
        both = {row["respondent"] for row in table(out, f"selfassess-{name}-full")}
        assert both == {"model__one", "model__one (log-likelihood)"}, name


def test_only_refusals_still_make_tables(tmp_path: Path) -> None:
    out = tmp_path / "out"
    wrote(analyze("selfassess", _judged(tmp_path, judged(rows(3), refuse)), "-o", out), out)
    assert {row["refusal"] for row in table(out, "selfassess-shares")} == {"1.0"}
    assert {row["note"] for row in table(out, "selfassess-models-full")} == {"no choices"}


def test_the_seed_chooses_the_order_of_the_paper_mode(tmp_path: Path) -> None:
    run = _judged(tmp_path / "run", judged(rows(30), planted(0.6)))
    found = []
    for seed in (1, 2):
        out = tmp_path / str(seed)
        wrote(analyze("selfassess", run, "-o", out, "--seed", seed), out)
        found.append([row | {"p": ""} for row in table(out, "selfassess-table4-full")])
    for mode, same in (("corrected", True), ("paper", False)):
        one, two = ([row for row in rows_ if row["mode"] == mode] for rows_ in found)
        assert (one == two) == same


# X-phemism pairs


def published(folder: Path) -> tuple[Path, Path]:
    """Two files laid out as the published ones, with answers of a made-up model."""
    columns = drawn(np.random.default_rng(0), words=30, claims=3)
    lines, items = [], []
    for index, name in enumerate(columns["pair_id"]):
        word = columns["cluster_id"][index]
        values = [
            columns[key][index] for key in ("gold", "shift", "axis", "judgmental_base", "judgmental_exchange")
        ]
        lines.append([name, f"{word} a", f"{word} b", *map(str, values)])
        arms = {
            f"{arm}_claim": {
                f"{style}_prompt": {"m": columns[arm][index]} for style in ("simple", "advanced")
            }
            for arm in ("base", "exchange")
        }
        items.append({"id": name, "shift": values[1], "truthfulness_probability": arms})
    data, answers = folder / "labels.csv", folder / "answers.json"
    with data.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([LABELS, *lines])
    answers.write_text(json.dumps(items), "utf-8")
    return data, answers


def test_published_answers_in_both_modes(tmp_path: Path) -> None:
    files, out = published(tmp_path), tmp_path / "out"
    wrote(analyze("xphemism", "--polbix-answers", *files, "-o", out), out)
    for end, size in (("", "90"), ("-paper", "270")):
        both = [row for row in table(out, f"xphemism-table3{end}") if row["axis"] == "both axes"]
        assert [row["prompt"] for row in both] == ["simple", "objective"]
        assert {row["term_shift_n"] for row in both} == {size}


def test_published_answers_without_some_pairs(tmp_path: Path) -> None:
    pairs, out = tmp_path / "pairs.txt", tmp_path / "out"
    pairs.write_text("claim-0\n\nclaim-4\n", "utf-8")
    exclude = ("--exclude-pairs", pairs)
    asked = ("report", "--polbix-answers", *published(tmp_path), *exclude, "--tables-only", "-o", out)
    notices = [each["problem"] for each in wrote(invoke(*asked), out)["notices"]]
    assert "2 pairs are excluded (--exclude-pairs)" in notices
    both = [row for row in table(out, "xphemism-table3") if row["axis"] == "both axes"]
    assert {row["term_shift_n"] for row in both} == {"88"}


def test_a_page_of_published_answers(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert invoke("report", "--polbix-answers", *published(tmp_path), "-o", out).exit_code == 0
    assert "Table 3" in (out / "report.html").read_text("utf-8")


def test_problems_are_said_and_the_rest_goes_on(tmp_path: Path) -> None:
    data, answers = published(tmp_path)
    items = json.loads(answers.read_text("utf-8"))
    items[0]["truthfulness_probability"]["base_claim"]["simple_prompt"]["m"] = [7]
    answers.write_text(json.dumps(items[:-1]), "utf-8")
    out = tmp_path / "out"
    done = analyze("xphemism", "--polbix-answers", data, answers, "-o", out)
    wheres = [each["where"] for each in wrote(done, out)["notices"]]
    assert wheres[:2] == ["answers.json: claim-0, simple, m", "answers.json: claim-89"]
    assert "claim-0, simple, m: found [7], expected" in done.output
    sizes = {
        row["prompt"]: row["term_shift_n"]
        for row in table(out, "xphemism-table3")
        if row["axis"] == "both axes"
    }
    assert sizes == {"simple": "88", "objective": "89"}


def test_a_model_that_refuses_everything_is_a_row(tmp_path: Path) -> None:
    data, answers = published(tmp_path)
    items = json.loads(answers.read_text("utf-8"))
    for item in items:
        item["truthfulness_probability"]["exchange_claim"]["advanced_prompt"]["m"] = [None, "refusal"]
    answers.write_text(json.dumps(items), "utf-8")
    out = tmp_path / "out"
    wrote(analyze("xphemism", "--polbix-answers", data, answers, "-o", out), out)
    empty = [row for row in table(out, "xphemism-table3") if row["prompt"] == "objective"]
    assert {(row["term_shift"], row["term_shift_p"], row["term_shift_n"]) for row in empty} == {("", "", "0")}
    assert all("no answer that is a verdict on both claims" in row["note"] for row in empty)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "found nothing to report, expected RUN or --polbix-answers"),
        (("--polbix-answers", "labels.csv", "none.json"), "none.json: cannot be read"),
        (("empty/",), "found no samples"),
        (("empty/", "--instrument", "policies"), "'policies' is not one of"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_nothing_is_written(
    tmp_path: Path, args: tuple[str, ...], message: str
) -> None:
    published(tmp_path)
    (tmp_path / "empty").mkdir()
    here = [str(tmp_path / each) if "." in each or "/" in each else each for each in args]
    done = run_polbias("report", *here, "--tables-only", "-o", tmp_path / "out", check=False)
    assert done.returncode == 2
    assert message in done.stderr.replace(str(tmp_path) + "/", "")
    assert not (tmp_path / "out").exists()


def test_both_prompts_of_a_model_are_read_together(tmp_path: Path) -> None:
    for style in ("simple", "objective"):
        asked = [
            {
                "id": f"a/{style}/{arm}", "dataset": "xphemism-pairs", "pair_id": "a", "cluster_id": "w", "arm": arm,
                "gold": "true", "shift": "left", "axis": "social", "judgmental_base": 0, "judgmental_exchange": 0,
                "prompt_style": style, "instruction_language": "de",
            }
            for arm in ("base", "shifted")
        ]  # fmt: skip
        log(
            tmp_path, f"polbias_xphemism_{style}", zip(asked, (["Wahr"], ["Falsch"]), strict=True), '{"doc": '
        )
    out = tmp_path / "out"
    done = analyze("xphemism", tmp_path, "-o", out)
    wrote(done, out)
    assert done.output.count(".jsonl:3:") == 2
    found = [row for row in table(out, "xphemism-penalty") if row["claims"] == "all reworded claims"]
    assert [(row["prompt"], float(row["change"])) for row in found] == [("simple", -100), ("objective", -100)]


def test_other_instruments_are_left_out(tmp_path: Path) -> None:
    _policy(tmp_path / "run")
    _judged(tmp_path / "run", judged(rows(3), prefers("left")))
    asked = ("report", tmp_path / "run", "--tables-only", "-o")
    for only in (["policy"], ["policy", "selfassess"]):
        out = tmp_path / str(len(only))
        names = [word for name in only for word in ("--instrument", name)]
        assert {*wrote(invoke(*asked, out, *names), out)["instruments"]} == {*only}
    done = invoke(*asked, tmp_path / "none", "--instrument", "xphemism")
    assert isinstance(done.exception, InputError)
