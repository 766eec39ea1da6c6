"""The X-phemism tasks through lm_eval itself, from scripted respondents to the tables of ``polbias report``."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from polbias.errors import PolbiasError
from polbias.eval.xphemism.metrics import load
from polbias.harness_tasks.generate import MINI_PAIRS
from tests.support.builds import write_build
from tests.support.openai_server import LoopbackOpenAI
from tests.support.process import run_polbias
from tests.support.respondents import by_prompt, rows_of
from tests.tasks.xphemism_rows import WORDS, rows

DATASET = "xphemism-pairs"

pytestmark = pytest.mark.e2e

Row = Mapping[str, Any]
CLAIMS = 2 * WORDS


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small dataset and its lock."""
    folder = tmp_path_factory.mktemp("xphemism-builds")
    write_build(folder, DATASET, {config: rows(config) for config in ("pairs", "placebo")})
    return folder


@pytest.fixture
def lm_eval(lm_eval_normative: Any, builds: Path) -> Callable[..., Any]:
    """Run lm_eval over the small build, in a folder of its own."""
    env = {"POLBIAS_DATA_DIR": str(builds), "POLBIAS_LOCK": str(builds / "datasets.lock")}
    return lambda *args: lm_eval_normative(*args, env=env)


def asked(builds: Path) -> list[dict[str, Any]]:
    return [row for config in ("pairs", "placebo") for row in rows_of(builds / DATASET, config)]


def chat(server: LoopbackOpenAI) -> list[str]:
    arguments = f"model=stub,base_url={server.url}/v1/chat/completions,num_concurrent=8,max_retries=2"
    return ["--model", "local-chat-completions", "--model_args", arguments, "--apply_chat_template"]


def against_judgement(row: Row) -> str:
    """Call false whatever is put in a word that judges."""
    judged = row["judgmental_base"] if row["arm"] == "base" else row["judgmental_exchange"]
    return "**False**" if judged else "True"


def refuser(row: Row) -> str:
    """Judge nothing that is political."""
    if row["axis"] == "none":
        return "Wahr." if row["gold"] == "true" else "Falsch."
    return "Als KI kann ich das nicht beurteilen."


def leaner(row: Row) -> str:
    """Believe what is put in words that lean right, and doubt the other side's."""
    if row["arm"] == "base" or row["shift"] == "right":
        return "True"
    return "Das stimmt nicht." if row["shift"] == "left" else "True"


def analyzed(tmp_path: Path) -> Callable[[str], list[dict[str, str]]]:
    """Run the analysis of all that was logged below a folder, and return a reader of its tables."""
    run_polbias("report", tmp_path, "--instrument", "xphemism", "--tables-only", "--output", tmp_path / "out")

    def table(name: str) -> list[dict[str, str]]:
        path = tmp_path / "out" / "tables" / f"xphemism-{name}.csv"
        with path.open(encoding="utf-8") as file:
            return list(csv.DictReader(file))

    return table


def near(value: str, expected: float) -> bool:
    return float(value) == pytest.approx(expected, abs=1e-9)


EXPECTED: dict[Callable[[Row], str], dict[str, dict[str, Any]]] = {
    against_judgement: {
        "simple": {"penalty": 0, "leaning_effect": 0, "judgment_effect": -1, "true_rate": 0.5, "refusal": 0},
        "placebo_simple": {"penalty": 0, "true_rate": 1, "acc": 0.5},
    },
    refuser: {
        "simple": {
            "penalty": None, "leaning_effect": None, "judgment_effect": None, "true_rate": None,
            "refusal": 1, "acc": 0,
        },
        "placebo_simple": {"penalty": 0, "true_rate": 0.5, "acc": 1, "refusal": 0},
    },
    leaner: {
        "simple": {"penalty": -1 / 3, "leaning_effect": 1, "judgment_effect": 0, "true_rate": 5 / 6},
        "placebo_simple": {"penalty": 0, "true_rate": 1},
    },
}  # fmt: skip


@pytest.mark.parametrize("respondent", EXPECTED, ids=lambda respondent: respondent.__name__)
def test_scripted_respondents(
    lm_eval: Any, builds: Path, tmp_path: Path, respondent: Callable[[Row], str]
) -> None:
    with LoopbackOpenAI(by_prompt(asked(builds), respondent)) as server:
        results, samples = lm_eval(*chat(server), "--tasks", "polbias_xphemism")
        bodies = server.bodies
    assert len(bodies) == 4 * 2 * CLAIMS
    assert {(body["temperature"], body["max_tokens"]) for body in bodies} == {(0, 10)}
    assert {body["messages"][0]["content"][-3:] for body in bodies} == {"de?"}
    for task, expected in EXPECTED[respondent].items():
        found = results["results"][f"polbias_xphemism_{task}"]
        for metric, value in expected.items():
            wanted = value if value is None else pytest.approx(value, abs=1e-9)
            assert found[f"{metric},none"] == wanted, (task, metric)
            if value is None:
                assert found[f"{metric}_stderr,none"] == "N/A", (task, metric)
            assert found[f"{metric}_stderr,none"] != 0, (task, metric)  # no variation is no certainty
        assert sum(found[f"{each},none"] for each in ("refusal", "unparsable", "truncated")) <= 1
        assert {sample["doc"]["prompt_style"] for sample in samples[f"polbias_xphemism_{task}"]} == {"simple"}

    table = analyzed(tmp_path)
    penalty = {(row["prompt"], row["claims"]): row for row in table("penalty")}
    leaning = {(row["prompt"], row["axis"]): row for row in table("leaning")}
    for style in ("simple", "objective"):
        both = leaning[style, "both axes"]
        assert near(penalty[style, "neutral synonym"]["change"], 0)
        assert near(both["refusal_gap"], 0)  # all are refused alike
        if respondent is refuser:
            assert (both["effect"], both["claims"], both["left_out"]) == ("", "0", str(CLAIMS))
            continue
        assert near(both["effect"], 100 if respondent is leaner else 0)
        assert near(penalty[style, "new word leans left"]["change"], -100) == (respondent is leaner)


def test_english_instructions_and_the_first_try(lm_eval: Any, builds: Path, tmp_path: Path) -> None:
    known = asked(builds)
    with LoopbackOpenAI(by_prompt(known, leaner)) as server:
        tasks = "polbias_xphemism_simple_en,polbias_xphemism_simple,polbias_xphemism_mini"
        results, samples = lm_eval(*chat(server), "--tasks", tasks)
    assert results["results"]["polbias_xphemism_simple_en"]["leaning_effect,none"] == pytest.approx(1)
    assert {sample["doc"]["instruction_language"] for sample in samples["polbias_xphemism_simple_en"]} == {
        "en"
    }
    assert len(samples["polbias_xphemism_mini"]) == 2 * min(MINI_PAIRS, CLAIMS)
    table = analyzed(tmp_path)
    claims = {row["language"]: row["claims"] for row in table("leaning") if row["axis"] == "both axes"}
    assert claims == {"all": str(2 * CLAIMS), "German": str(CLAIMS), "English": str(CLAIMS)}


def test_likelihoods_through_a_completions_server(lm_eval: Any, builds: Path, tmp_path: Path) -> None:
    known = {row["prompt"]: row for row in asked(builds)}

    def probability(prompt: str, label: str) -> float:
        row = known[prompt]
        share = 0.6 + {"left": -0.2, "right": 0.1}.get(row["shift"], 0) * (row["arm"] == "shifted")
        share -= 0.05 * (row["arm"] == "placebo")
        return 0.8 * (share if label.strip() == "True" else 1 - share)

    with LoopbackOpenAI(lambda _: "", labels=(" True", " False"), probability=probability) as server:
        arguments = f"model=stub,base_url={server.url}/v1/completions,max_length=100000,num_concurrent=4"
        results, _ = lm_eval(
            *("--model", "local-completions", "--model_args", f"{arguments},tokenizer_backend=remote"),
            *("--tasks", "polbias_xphemism_loglikelihood"),
        )
    found = results["results"]["polbias_xphemism_simple_loglikelihood"]
    assert found["label_mass,none"] == pytest.approx(0.8)
    assert found["true_rate,none"] == pytest.approx(0.6 - 0.1 / 6)
    assert found["penalty,none"] == pytest.approx(-0.1 / 3)
    assert found["leaning_effect,none"] == pytest.approx(0.3)
    placebo = results["results"]["polbias_xphemism_placebo_simple_loglikelihood"]
    assert placebo["penalty,none"] == pytest.approx(-0.05)
    assert "leaning_effect,none" not in placebo

    table = analyzed(tmp_path)
    penalty = {(row["prompt"], row["claims"]): row for row in table("penalty")}
    leaning = {(row["prompt"], row["axis"]): row for row in table("leaning")}
    for style in ("simple", "objective"):
        assert near(penalty[style, "all reworded claims"]["change"], -10 / 3)
        assert near(penalty[style, "reworded minus neutral synonym"]["change"], 5 - 10 / 3)
        assert near(leaning[style, "both axes"]["effect"], 30)
        assert near(leaning[style, "both axes"]["label_mass"], 0.8)
        assert leaning[style, "both axes"]["claims"] == str(CLAIMS)


def test_tiny_local_model_in_both_forms_which_are_not_pooled(
    lm_eval: Any, tiny_model: Path, tmp_path: Path
) -> None:
    tasks = [f"polbias_xphemism_{name}" for name in ("simple", "simple_loglikelihood")]
    results, samples = lm_eval(
        *("--model", "hf", "--model_args", f"pretrained={tiny_model}", "--batch_size", "16"),
        *("--tasks", ",".join(tasks), "--apply_chat_template"),
    )
    generated, scored = (results["results"][task] for task in tasks)
    said = [generated[f"{name},none"] for name in ("refusal", "unparsable", "truncated")]
    verdicts = 1 - sum(said)
    assert (generated["true_rate,none"] is None) == (verdicts == pytest.approx(0, abs=1e-9))
    assert 0 < scored["true_rate,none"] < 1
    assert 0 < scored["label_mass,none"] < 1
    assert isinstance(scored["penalty_stderr,none"], float)
    arguments = samples[tasks[1]][0]["arguments"].values()
    assert [each["arg_1"] for each in arguments] == ["True", "False"]
    table = analyzed(tmp_path)
    masses = {row["respondent"]: float(row["label_mass"]) for row in table("leaning") if row["label_mass"]}
    assert [*masses.values()] == [pytest.approx(scored["label_mass,none"])]
    assert {row["respondent"] for row in table("leaning")} > {*masses}
    assert {row["respondent"] for row in table("table3")}.isdisjoint(masses)


def test_what_could_not_be_compared_is_refused_before_the_first_question(
    builds: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(builds))
    monkeypatch.setenv("POLBIAS_LOCK", str(builds / "datasets.lock"))
    names = {"polbias_dataset": DATASET, "polbias_config": "pairs", "polbias_revision": "v1.0.0"}
    read = partial(load, **names, polbias_style="simple", polbias_instruction="de")
    assert read()["test"].num_rows == 2 * CLAIMS
    assert read(polbias_pairs=3)["test"]["arm"][:] == ["base", "shifted"] * 3
    with pytest.raises(PolbiasError, match="polbias_style: found 'advanced'.*simple"):
        read(polbias_style="advanced")
    broken = {"has no column 'axis'": [{**row} for row in rows("pairs")], "2 base rows and 0": rows("pairs")}
    for row in broken["has no column 'axis'"]:
        del row["axis"]
    for row in broken["2 base rows and 0"]:
        row["arm"] = "base"
    for number, (message, found) in enumerate(broken.items()):
        folder = tmp_path / str(number)
        write_build(folder, DATASET, {"pairs": found})
        monkeypatch.setenv("POLBIAS_DATA_DIR", str(folder))
        monkeypatch.setenv("POLBIAS_LOCK", str(folder / "datasets.lock"))
        with pytest.raises(PolbiasError, match=message):
            read()
