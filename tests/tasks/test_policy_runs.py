"""The policy tasks through lm_eval itself: a server on loopback with simulated models, and a tiny local one."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from scipy.stats import binom

from polbias.errors import PolbiasError
from polbias.eval.policy import section
from polbias.eval.policy.answers import choices
from polbias.eval.policy.prompts import respondent_prompts
from polbias.eval.policy.tasks import load_policy_rows
from polbias.eval.policy.units import group_statements
from polbias.eval.policy.worldview import StanceProfile, worldview
from polbias.generators.engine import TableRows
from polbias.generators.policy.tables import dataset
from polbias.harness_tasks.generate import country_configs
from polbias.lock import read_lock, write_lock
from tests.support.builds import write_build
from tests.support.openai_server import LoopbackOpenAI
from tests.support.outcomes import outcomes
from tests.support.respondents import by_prompt, rows_of

DATASET = "policy-statements"

pytestmark = pytest.mark.e2e

ISSUE = "expanded_environmental_protection"
SAMPLES = 8
Row = Mapping[str, Any]


def _two_statements(table: pa.Table) -> pa.Table:
    """One statement for and one against the issue, asked with the first instruction: 24 rows."""
    signs = dict(
        zip(
            table["statement_id"].to_pylist(),
            (row[ISSUE] for row in table["policy_issues"].to_pylist()),
            strict=True,
        )
    )
    names = [next(name for name, sign in signs.items() if sign == wanted) for wanted in (1, -1)]
    kept = pc.and_(
        pc.is_in(table["statement_id"], pa.array(names)), pc.equal(table["instruction_id"], "p1-agree")
    )
    return table.filter(kept)


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real prompts, two statements a country, with a lock; and the same under the name of an import."""
    folder = tmp_path_factory.mktemp("policy-builds")
    tables = {}
    for spec in dataset().tables:
        if spec.config in country_configs():
            made = TableRows(spec)
            tables[spec.config] = _two_statements(
                pa.Table.from_batches(made.batches(0, len(made)), made.schema)
            )
    tables["all"] = pa.concat_tables(tables.values())
    for name in ("probvaa", DATASET):
        write_build(folder, name, tables)
    lock = folder / "datasets.lock"
    write_lock({DATASET: read_lock(lock)[DATASET]}, lock)
    return folder


@pytest.fixture
def lm_eval(lm_eval_normative: Any, builds: Path) -> Callable[..., Any]:
    """Run lm_eval over the small build, in a folder of its own."""
    env = {"POLBIAS_DATA_DIR": str(builds), "POLBIAS_LOCK": str(builds / "datasets.lock")}
    return lambda *args, env=env, more=None: lm_eval_normative(*args, env=env | (more or {}))


def _chat(server: LoopbackOpenAI, **settings: Any) -> list[str]:
    arguments = f"model=stub,base_url={server.url}/v1/chat/completions,num_concurrent=8,max_retries=2"
    chat = ["--model", "local-chat-completions", "--model_args", arguments, "--apply_chat_template"]
    return [*chat, "--metadata", json.dumps(settings)]


def supporter(row: Row) -> str:
    """Agree with whatever is for the issue."""
    turned = row["variant"] in ("negation", "opposite")
    return str(row["label_agree"] if (row["policy_issues"][ISSUE] > 0) != turned else row["label_disagree"])


def _respondents() -> dict[str, Callable[[Row], str]]:
    coin, asked = random.Random(1), Counter[str]()

    def half_refusing(row: Row) -> str:
        asked[row["prompt"]] += 1
        return "I'm sorry, but I can't help with that." if asked[row["prompt"]] % 2 else "agree"

    return {
        "DE": lambda row: "Agree.",
        "AT": lambda row: f"I would say: {row['label_disagree']}",
        "CH": supporter,
        "FR": lambda row: coin.choice(choices(row)),
        "IT": lambda row: "As an AI language model, I can't take sides on political questions.",
        "ES": lambda row: str(row["prompt"]),
        "PL": lambda row: choices(row)[0],
        "NL": half_refusing,
    }


def test_chat_server_with_a_simulated_respondent_for_every_country(lm_eval: Any, builds: Path) -> None:
    rows = rows_of(builds / DATASET, "all")
    respondents, number = _respondents(), count()

    def answer(row: Row) -> str:
        """An answer in one wording or another, as samples are; who gives no stance may repeat itself."""
        text = respondents[row["country"]](row)
        return text if row["country"] in ("IT", "ES", "NL") else text + "." * (next(number) % 2)

    with LoopbackOpenAI(by_prompt(rows, answer)) as server:
        results, samples = lm_eval(
            *_chat(server, polbias_samples=SAMPLES),
            *("--tasks", "polbias_policy_stance_countries", "--limit", "24"),
        )
        bodies = server.bodies
    assert len(bodies) == len(rows) * SAMPLES == 8 * 24 * SAMPLES
    seeds = defaultdict(list)
    for body in bodies:
        assert [turn["role"] for turn in body["messages"]] == ["system", "user"]
        assert (body["temperature"], body["max_tokens"]) == (1.0, 32)
        seeds["\n\n".join(turn["content"] for turn in body["messages"])].append(body["seed"])
    assert {*seeds} == {row["prompt"] for row in rows}
    assert all(sorted(each) == [*range(SAMPLES)] for each in seeds.values())

    found = {country: results["results"][f"polbias_policy_stance_{country}"] for country in country_configs()}

    def score(country: str, *names: str) -> tuple[Any, ...]:
        return tuple(found[country][f"{name},none"] for name in names)

    tests = ("pass_sign", "pass_label_inversion", "pass_paraphrase", "pass_negation", "pass_all")
    assert score("de", "agree_share", "acquiescence", "label_order_gap", *tests) == (1, 1, 0, 1, 1, 1, 0, 0)
    assert score("at", "answer_rate", "agree_share", "acquiescence", "pass_negation") == (1, 0, -1, 0)
    assert score("ch", "reliable", "reliable_stderr", "acquiescence", *tests) == (1, "N/A", 0, 1, 1, 1, 1, 1)
    assert 0.3 < score("fr", "agree_share")[0] < 0.7
    assert score("fr", "reliable")[0] < 0.3
    assert score("it", "refusal", "agree_share", "reliable", "pass_all") == (1, None, 0, 0)
    assert score("es", "answer_rate", "refusal", "reliable") == (0, 0, 0)
    assert sum(score("es", "unparsable", "truncated")) == 1
    assert score("pl", "label_order_gap", "agree_share", "pass_label_inversion") == (1, 0.5, 0)
    assert score("nl", "answer_rate", "refusal", "agree_share", "reliable") == (0.5, 0.5, 1, 0)

    # the logged samples are all that the analysis needs
    logged = {
        country: outcomes(section, samples[f"polbias_policy_stance_{country}"])
        for country in country_configs()
    }
    assert {number for table in logged.values() for number in table["answers"]} == {SAMPLES}
    assert {*logged["ch"]["id"]} == {row["id"] for row in rows_of(builds / DATASET, "ch")}
    stances = {
        country: next(
            each.stance
            for each in worldview(StanceProfile.of(group_statements(respondent_prompts(table))))
            if each.issue == ISSUE
        )
        for country, table in logged.items()
    }
    assert (stances["ch"], stances["de"], stances["at"], stances["it"]) == (1, 0, 0, 0)
    entry = samples["polbias_policy_stance_nl"][0]
    assert Counter(entry["filtered_resps"])["agree"] == SAMPLES // 2


def test_a_run_resumes_from_its_cache_and_reads_an_import(lm_eval: Any, builds: Path, tmp_path: Path) -> None:
    rows = rows_of(builds / "probvaa", "ch")
    coin = random.Random(2)
    found = []
    with LoopbackOpenAI(by_prompt(rows, lambda row: coin.choice(choices(row)))) as server:
        for _ in range(2):
            results, samples = lm_eval(
                *_chat(server, polbias_samples=3, polbias_source="probvaa/ch", polbias_system=False),
                *("--tasks", "polbias_policy_stance_mini", "--use_cache", str(tmp_path / "cache")),
                more={"POLBIAS_ACCEPT_BUILD": "1"},
            )
            found.append(results["results"]["polbias_policy_stance_mini"])
        assert server.count == 2 * 2 * 2 * 3  # statements, variants, orders, samples; once
        assert {len(body["messages"]) for body in server.bodies} == {1}
    assert found[0] == found[1]
    assert found[0]["answer_rate,none"] == 1
    assert found[0]["reliable,none"] is found[0]["pass_all,none"] is found[0]["pass_opposite,none"] is None
    logged = samples["polbias_policy_stance_mini"]
    assert {sample["doc"]["variant"] for sample in logged} == {"original", "negation"}
    assert any(len({*sample["filtered_resps"]}) == 2 for sample in logged)


def test_tiny_local_model_samples_and_scores_likelihoods(lm_eval: Any, tiny_model: Path) -> None:
    results, samples = lm_eval(
        *("--model", "hf", "--model_args", f"pretrained={tiny_model}", "--batch_size", "12", "--limit", "12"),
        *("--tasks", "polbias_policy_stance_de,polbias_policy_stance_loglikelihood"),
        *("--metadata", '{"polbias_samples": 3}', "--gen_kwargs", "max_gen_toks=6", "--apply_chat_template"),
    )
    generated = results["results"]["polbias_policy_stance_de"]
    rates = [generated[f"{name},none"] for name in ("answer_rate", "refusal", "unparsable", "truncated")]
    assert sum(rates) == pytest.approx(1)
    entry = samples["polbias_policy_stance_de"][0]
    assert len({*entry["filtered_resps"][0]}) == len(entry["resps"][0]) == 3
    assert entry["arguments"]["gen_args_0"]["arg_0"].startswith("<system>Do you agree or disagree")
    assert {*outcomes(section, samples["polbias_policy_stance_de"])["answers"]} == {3}

    scored = results["results"]["polbias_policy_stance_loglikelihood"]
    assert 0 < scored["agree_share,none"] < 1
    assert 0 < scored["label_mass,none"] < 1
    logged = samples["polbias_policy_stance_loglikelihood"]
    asked = {
        sample["doc"]["label_order"]: [each["arg_1"] for each in sample["arguments"].values()]
        for sample in logged
    }
    assert asked == {"as-printed": ["agree", "disagree"], "inverted": ["disagree", "agree"]}
    table = outcomes(section, logged, "polbias_policy_stance_loglikelihood")
    assert table["agree_share"].tolist() == pytest.approx([sample["agree_share"] for sample in logged])
    assert group_statements(respondent_prompts(table)).n == 1


def test_likelihoods_through_a_completions_server(lm_eval: Any, builds: Path) -> None:
    rows = rows_of(builds / DATASET, "fr")
    with LoopbackOpenAI(by_prompt(rows, supporter), labels=(" agree", " disagree")) as server:
        arguments = f"model=stub,base_url={server.url}/v1/completions,max_length=100000,num_concurrent=2"
        results, samples = lm_eval(
            *("--model", "local-completions", "--model_args", f"{arguments},tokenizer_backend=remote"),
            *("--tasks", "polbias_policy_stance_fr_loglikelihood"),
        )
    scored = results["results"]["polbias_policy_stance_fr_loglikelihood"]
    assert scored["label_mass,none"] == pytest.approx(0.95)
    clear, larger = (float(binom.sf(k, 30, 0.9 / 0.95)) for k in (22, 15))  # of 30 answers, in a prompt
    assert scored["reliable,none"] == pytest.approx(clear)
    assert scored["pass_all,none"] == pytest.approx(clear**6 * larger)
    assert scored["acquiescence,none"] == pytest.approx(0)
    task = "polbias_policy_stance_fr_loglikelihood"
    table = outcomes(section, samples[task], task)
    assert {*table["agree_share"].round(4)} == {round(0.9 / 0.95, 4), round(0.05 / 0.95, 4)}
    found = {
        each.issue: each.stance
        for each in worldview(StanceProfile.of(group_statements(respondent_prompts(table))))
    }
    assert found[ISSUE] == pytest.approx(clear**6 * larger)


def test_what_could_not_be_analysed_is_refused_before_the_first_question(
    builds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(builds))
    monkeypatch.setenv("POLBIAS_LOCK", str(builds / "datasets.lock"))
    read = partial(load_policy_rows, polbias_dataset=DATASET, polbias_config="de", polbias_revision="v1.0.0")
    assert read()["test"].num_rows == 24
    assert read(polbias_variants=["original"], polbias_instructions=1)["test"].num_rows == 4
    with pytest.raises(PolbiasError, match="polbias_source: found no build .*/nowhere"):
        read(polbias_source="nowhere")
    with pytest.raises(PolbiasError, match="found no prompt"):
        read(polbias_variants=["opposites"])
    with pytest.raises(PolbiasError, match="POLBIAS_ACCEPT_BUILD=1"):
        read(polbias_source="probvaa")
    monkeypatch.setenv("POLBIAS_ACCEPT_BUILD", "1")
    good = read(polbias_source="probvaa")["test"].data.table
    twice = pa.concat_tables([good, good.slice(0, 1)])
    same = good.set_column(
        good.column_names.index("label_agree"), "label_agree", good["label_disagree"].combine_chunks()
    )
    broken = {
        "second prompt": twice,
        "two that differ": same,
        "has no column 'variant'": good.drop(["variant"]),
    }
    for message, table in broken.items():
        monkeypatch.setattr(
            "polbias.eval.data.load_task_rows",
            lambda table=table, **_: {"test": type("D", (), {"data": _Data(table)})},
        )
        with pytest.raises(PolbiasError, match=message):
            read()


class _Data:
    """What datasets has around a table."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table
