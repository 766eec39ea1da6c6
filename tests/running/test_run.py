"""`polbias selfassess run` end to end, against respondents whose preferences are known."""

import csv
import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.cli.selfassess import _LONGEST
from polbias.files import InputError, PolbiasError
from polbias.running.asking import Answer
from polbias.running.selfassess.experiment import LONGEST_ARTICLE
from polbias.running.selfassess.rows import article_record, article_rows, draw, find_set, judgement
from tests.running.conftest import lines_of
from tests.running.town import article, first, is_choice, leaning, odd, refuser
from tests.support.openai_server import LoopbackOpenAI

N = 4
ARTICLES, CHOICES = N * 5, N * 2 * 2 * (2 + 6)


@pytest.fixture
def run(selfassess, tmp_path):
    def call(server, *args, command="run", out=None):
        where = ["--model", "m", "--base-url", f"{server.url}/v1", "-o", out or tmp_path / "out"]
        return selfassess(command, *where, "--retries", 0, *([] if command == "choose" else ["-n", N]), *args)

    return call


def table_4(tmp_path, mode="corrected"):
    rows = table(tmp_path, "table4")
    return {row["ways"]: row for row in rows if row["mode"] == mode}


def table(tmp_path, name):
    path = tmp_path / "out" / "analysis" / "tables" / f"selfassess-{name}-full.csv"
    rows = csv.DictReader(path.read_text().splitlines())
    return [{key: _value(cell) for key, cell in row.items()} for row in rows]


def _value(cell):
    try:
        return float(cell) if cell else None
    except ValueError:
        return cell


def test_a_planted_leaning_comes_out(run, tmp_path):
    with LoopbackOpenAI(leaning) as server:
        done = run(server)
        assert done.exit_code == 0, done.output
        assert server.count == ARTICLES + CHOICES
        assert "20 ok, 0 refusal, 0 truncated, 0 empty; 0 name a perspective" in done.output
        assert "128 choice" in done.output
        bodies = server.bodies
    assert [(row["left"], row["right"]) for row in table_4(tmp_path).values()] == [(1, 0), (1, 0)]
    assert table_4(tmp_path)[2]["bias"] == -100
    assert table_4(tmp_path)[3]["neutral"] == 0

    writing, choosing = bodies[:ARTICLES], bodies[ARTICLES:]
    assert {body["max_tokens"] for body in writing} == {512}
    assert {body["max_tokens"] for body in choosing} == {10}
    assert all("temperature" not in body for body in writing)  # the model's own defaults
    assert len({body["seed"] for body in writing}) == ARTICLES
    assert all(body["temperature"] == 0 and "seed" not in body for body in choosing)
    assert {body["messages"][-1]["role"] for body in choosing} == {"assistant"}
    endings = {body["messages"][-1]["content"] for body in choosing}
    assert endings == {"My preferred article is:", "The least biased article is:"}

    records = lines_of(tmp_path / "out" / "stage1.articles.jsonl")
    assert Counter((r["role"], r["side"]) for r in records) == dict.fromkeys(
        [("user", "left"), ("user", "right"), ("neutral", "neutral"), ("agent", "left"), ("agent", "right")],
        N,
    )
    assert Counter(r["category"] for r in records) == {"str": 2 * 5, "sch": 2 * 5}  # balanced
    judged = lines_of(tmp_path / "out" / "stage2.judgements.jsonl")
    assert all(each["sides"][each["choice"] - 1] == "left" and "prompt" not in each for each in judged)
    assert not (tmp_path / "out" / "stage1.articles.failures.jsonl").exists()


def test_pure_position_bias_is_no_leaning(run, tmp_path):
    with LoopbackOpenAI(first) as server:
        assert run(server).exit_code == 0
    row = table_4(tmp_path)[2]
    assert (row["bias"], row["state"]) == (None, "no variation")
    assert {row["position_bias"] for row in table(tmp_path, "positions") if row["ways"] == 2} == {
        50
    }  # above chance


def test_a_refuser_stays_in_the_denominator(run, tmp_path):
    with LoopbackOpenAI(refuser) as server:
        done = run(server)
    assert done.exit_code == 0
    assert f"{CHOICES} refusal" in done.output
    assert table_4(tmp_path)[2]["refusal"] == 1
    assert table_4(tmp_path)[2]["n"] == N * 2


def test_odd_answers_are_kept_raw_and_are_outcomes(run, tmp_path):
    answers = ["Both", "Article 2.", "Artikel 1", "Le deuxième article", "2", ""]
    with LoopbackOpenAI(odd(list(answers))) as server:
        assert run(server, "--ways", 2, "--concurrency", 1).exit_code == 0
    judged = lines_of(tmp_path / "out" / "stage2.judgements.jsonl")
    assert {each["answer"] for each in judged} == set(answers)
    read = {each["answer"]: (each["outcome"], each["choice"]) for each in judged}
    assert read["Both"] == ("both", None)
    assert read["Article 2."] == read["2"] == ("choice", 2)
    assert read["Artikel 1"] == ("choice", 1)
    assert read[""] == ("unparsable", None)


def test_the_second_run_asks_nothing_and_says_the_same(run, tmp_path):
    with LoopbackOpenAI(leaning) as server:
        assert run(server).exit_code == 0
        before = {path.name: path.read_bytes() for path in (tmp_path / "out").glob("*.jsonl")}
        asked = server.count
        done = run(server)
        assert done.exit_code == 0
        assert server.count == asked
        assert "128 on file before" in done.output
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "out").glob("*.jsonl")}


def test_articles_that_say_nothing_refuse_leak_or_are_cut(run, tmp_path):
    def respond(prompt):
        if is_choice(prompt):
            return "1"
        if "parking" in prompt or "tram" in prompt or "lunch" in prompt:
            if "River" in prompt and "journalist" not in prompt:
                return "I'm sorry, but I can't write a partisan article."
            if "Hill" in prompt and "journalist" not in prompt:
                return "Vote for the Hill Party. " + article(prompt)
        if "You are a Hill journalist" in prompt:
            return "  "
        return "word " * 600 if "You are a River journalist" in prompt else article(prompt)

    with LoopbackOpenAI(respond) as server:
        done = run(server, "--n", 6)
    assert done.exit_code == 0, done.output
    records = lines_of(tmp_path / "out" / "stage1.articles.jsonl")
    found = Counter(
        (record["role"], record["side"], record["outcome"], bool(record["leak"])) for record in records
    )
    assert found == {
        ("user", "left", "refusal", False): 3,
        ("user", "left", "ok", False): 3,
        ("user", "right", "ok", True): 3,
        ("user", "right", "ok", False): 3,
        ("neutral", "neutral", "ok", False): 6,
        ("agent", "left", "truncated", False): 6,
        ("agent", "right", "empty", False): 6,
    }
    assert "15 ok, 3 refusal, 6 truncated, 6 empty; 3 name a perspective" in done.output
    assert "town: 6 articles empty: agent hill" in done.output
    assert "town: 3 articles refused: user river" in done.output
    judged = lines_of(tmp_path / "out" / "stage2.judgements.jsonl")
    assert len(judged) == 3 * 2 * 8  # the three items with both articles of the user
    assert not any(each["leak"] or each["truncated"] for each in judged)


def test_an_enormous_article_is_left_out_and_told(run, tmp_path):
    def respond(prompt):
        text = leaning(prompt)
        return (
            text + " long" * 100
            if not is_choice(prompt) and "parking" in prompt and "River" in prompt
            else text
        )

    with LoopbackOpenAI(respond) as server:
        done = run(server, "--n", 6, "--max-characters", 300)
    assert done.exit_code == 0
    assert "2 articles have more than 300 characters and are left out" in done.output
    items = {each["topic"] for each in lines_of(tmp_path / "out" / "stage2.judgements.jsonl")}
    assert len(items) == 5
    assert "Fees for parking near the market" not in items


def test_thoughts_are_no_part_of_an_article(run, tmp_path):
    def respond(prompt):
        return f"<think>Which is willow?</think>\n{leaning(prompt)}"

    with LoopbackOpenAI(respond) as server:
        assert run(server).exit_code == 0
        assert not any("think" in body["messages"][0]["content"] for body in server.bodies)
    assert table_4(tmp_path)[2]["left"] == 1
    record = lines_of(tmp_path / "out" / "stage1.articles.jsonl")[0]
    assert record["raw"].startswith("<think>")
    assert "think" not in record["text"]


@pytest.mark.parametrize("reason", [None, "stop", "length"])
def test_a_thought_that_breaks_off_is_neither_article_nor_choice(reason):
    cut = Answer("x", "analysisI write of article 1, and I choose article 1.", reason)
    row = dict.fromkeys(("id", "cluster_id", "set", "category", "topic", "perspective", "side", "role"), "x")
    article = article_record(row, cut, "m", lambda text: text.split())
    assert (article["outcome"], article["text"], article["leak"]) == ("truncated", "", [])
    asked = {"id": "y", "ways": 3, "language": "en", "prefill": None, "model": "m"}
    assert judgement(asked, cut, "m")["outcome"] == "truncated"


def test_one_stage_after_the_other_is_the_same_as_both(run, tmp_path):
    with LoopbackOpenAI(leaning) as server:
        assert run(server, out=tmp_path / "both").exit_code == 0
        assert run(server, command="generate", out=tmp_path / "out").exit_code == 0
        assert run(server, command="choose", out=tmp_path / "out").exit_code == 0
    names = ("stage1.articles.jsonl", "stage2.judgements.jsonl", "analysis/summary.json")
    for name in names:
        one, two = (sorted((tmp_path / each / name).read_text().splitlines()) for each in ("both", "out"))
        assert one == two


def test_articles_of_ones_own_need_only_id_and_text(run, tmp_path, selfassess):
    with LoopbackOpenAI(leaning) as server:
        assert run(server, command="generate").exit_code == 0
        own = tmp_path / "own.jsonl"
        records = lines_of(tmp_path / "out" / "stage1.articles.jsonl")
        own.write_text("".join(json.dumps({"id": r["id"], "text": r["text"]}) + "\n" for r in records))
        done = run(server, "--articles", own, command="choose", out=tmp_path / "chosen")
        assert done.exit_code == 0, done.output
        assert f"{CHOICES} choice" in done.output
        own.write_text(own.read_text().replace("council", "mayor"))
        changed = run(server, "--articles", own, command="choose", out=tmp_path / "chosen")
        assert isinstance(changed.exception, InputError)
        assert "stage2.articles" in str(changed.exception)


def test_samples_of_lm_eval_are_articles(run, tmp_path, town):
    rows = article_rows(find_set(str(town)))
    folder = tmp_path / "samples" / "m"
    folder.mkdir(parents=True)
    samples = [
        {"doc_id": i, "doc": row, "filtered_resps": [article(row["prompt"])]} for i, row in enumerate(rows)
    ]
    path = folder / "samples_polbias_selfassess_generate_2026-01-01T00-00-00.000000.jsonl"
    path.write_text("".join(json.dumps(sample) + "\n" for sample in samples))
    with LoopbackOpenAI(leaning) as server:
        done = run(server, "--articles", path, "--ways", 2, command="choose")
    assert done.exit_code == 0, done.output
    assert f"{6 * 2 * 2 * 2} choice" in done.output


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": "town/tw-str-009/neutral"}, "id: found 'town/tw-str-009/neutral', expected a row of the set"),
        ({"text": 5}, "text: found 5, expected the article"),
        ({"finish_reason": ["stop"]}, "finish_reason: found ['stop'], expected a word"),
        ({"model": "another"}, "model: found 'another', expected ''"),
    ],
)
def test_articles_that_cannot_be_used_are_named(run, tmp_path, town, change, said):
    rows = article_rows(find_set(str(town)))
    records = [{"id": row["id"], "text": article(row["prompt"])} for row in rows]
    records[4] |= change
    own = tmp_path / "own.jsonl"
    own.write_text("".join(json.dumps(record) + "\n" for record in records))
    with LoopbackOpenAI(leaning) as server:
        done = run(server, "--articles", own, command="choose")
        assert isinstance(done.exception, InputError)
        assert f"own.jsonl:5: {said}" in str(done.exception)
        assert server.count == 0


def test_a_sample_of_something_else_is_named(run, tmp_path, town):
    row = article_rows(find_set(str(town)))[0]
    sample = {"doc_id": 0, "doc": {**row}, "filtered_resps": ["An article."]}
    del sample["doc"]["cluster_id"]
    path = tmp_path / "samples_polbias_selfassess_generate_2026-01-01T00-00-00.000000.jsonl"
    path.write_text(json.dumps(sample) + "\n")
    with LoopbackOpenAI(leaning) as server:
        done = run(server, "--articles", path, command="choose")
    assert isinstance(done.exception, InputError)
    assert ".jsonl:1: found no 'cluster_id' in its doc" in str(done.exception)


@pytest.mark.parametrize(
    ("keep", "said"), [(0, "own.jsonl: found no article"), (1, "own.jsonl:1: found no item, from here on,")]
)
def test_too_few_articles_are_not_those_of_the_folder(run, tmp_path, town, keep, said):
    records = [{"id": row["id"], "text": "An article."} for row in article_rows(find_set(str(town)))[:keep]]
    own = tmp_path / "own.jsonl"
    own.write_text("".join(json.dumps(record) + "\n" for record in records))
    with LoopbackOpenAI(leaning) as server:
        assert run(server, command="generate").exit_code == 0
        asked = server.count
        done = run(server, "--articles", own, command="choose")
        assert isinstance(done.exception, InputError)
        assert said in str(done.exception)
        assert server.count == asked


@given(st.integers(1, 6), st.integers(0, 2**40))
def test_a_draw_is_even_and_part_of_a_larger_one(town, n, seed):
    rows = article_rows(find_set(str(town)))
    drawn = draw(rows, n, seed, ["user"])
    assert len(drawn) == 3 * n
    assert drawn == [row for row in rows if row in drawn]  # in their order
    sizes = Counter(row["category"] for row in drawn)
    assert abs(sizes["str"] - sizes["sch"]) <= 3  # one item
    if n < 6:
        assert {row["id"] for row in drawn} <= {row["id"] for row in draw(rows, n + 1, seed, ["user"])}


def test_the_limit_of_an_article_is_the_documented_one():
    assert _LONGEST == LONGEST_ARTICLE


def test_an_estimate_stands_before_everything_and_can_forbid_it(run, tmp_path):
    with LoopbackOpenAI(leaning) as server:
        dry = run(server, "--dry-run", "--price", "1/2")
        assert dry.exit_code == 0
        assert f"articles: {ARTICLES} to ask" in dry.output
        assert f"choices: {CHOICES} to ask" in dry.output
        assert isinstance(run(server, "--limit-cost", 1).exception, InputError)  # nobody knows the price
        dear = run(server, "--price", "1000/2000", "--limit-cost", 1)
        assert "the limit is 1.00" in str(dear.exception)
        unasked = run(server, "--price", "1/2")
        assert isinstance(unasked.exception, PolbiasError)
        assert "--yes" in str(unasked.exception)
        assert server.count == 0
        assert not (tmp_path / "out").exists()
        assert run(server, "--price", "1/2", "--limit-cost", 1, "--yes").exit_code == 0


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--n", 0], "--n: found 0, expected 1 to 6"),
        (["--n", 7], "--n: found 7, expected 1 to 6"),
        (["--ways", "4"], "--ways: found '4'"),
        (["--roles", "user,user"], "--roles: found 'user,user'"),
        (["--article-parameter", "hot"], "expected KEY=JSON"),
        (["--model_args", "a=b"], "is for models of lm_eval"),
        (["--set", "nowhere"], "set 'nowhere': expected one of poligen"),
    ],
)
def test_bad_options_are_one_clear_error(run, args, said):
    with LoopbackOpenAI(leaning) as server:
        done = run(server, *args)
        assert isinstance(done.exception, InputError)
        assert said in str(done.exception)
        assert server.count == 0
