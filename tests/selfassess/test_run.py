"""`polbias selfassess` end to end, against respondents whose preferences are known."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from polbias.cli.main import app
from polbias.errors import InputError, PolbiasError
from polbias.eval.samples import find_sample_files
from polbias.experiments.self_assessment import (
    article_record,
    article_rows,
    draw,
    find_set,
    read_user_articles,
    record_of_sample,
)
from polbias.lm_eval_runner.answer_cache import StoppedError
from polbias.responses import Response
from tests.selfassess.town import article, first, is_choice, leaning, make_town, odd, refuser, shown
from tests.support.openai_server import LoopbackOpenAI

N = 2
ARTICLES, CHOICES = N * 5, N * 2 * 2 * (2 + 3)
FEW = ("--alternatives", 2, "--questions", "preference")
WRITTEN = "polbias_selfassess_generate_town"


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    return make_town(tmp_path_factory.mktemp("town") / "own")


@pytest.fixture
def run(town, tmp_path, monkeypatch):
    return command_in(tmp_path, town, monkeypatch)


@pytest.fixture(scope="module")
def chosen(town, tmp_path_factory):
    """A whole run of the respondent with a leaning: its command, its folder, what it printed and was asked."""
    folder = tmp_path_factory.mktemp("chosen")
    with LoopbackOpenAI(leaning) as server:
        with pytest.MonkeyPatch.context() as patch:
            done = command_in(folder, town, patch)(server)
        assert done.exit_code == 0, done.output
        assert server.count == ARTICLES + CHOICES
        yield folder, done, server


def command_in(folder, town, patch):
    """Run a command of `polbias selfassess`; an error of the toolkit is the result's exception."""
    for name, value in environment(folder).items():
        patch.setenv(name, value)
    # lm_eval asks the machine for all it knows after every run, half a second each.
    patch.setattr("torch.utils.collect_env.get_pretty_env_info", lambda: "a machine")

    def call(server, *args, command="run", out=None):
        return CliRunner().invoke(app, arguments(town, server, out or folder / "out", command, *args))

    return call


def environment(folder):
    return {"XDG_CACHE_HOME": str(folder / "cache"), "OPENAI_API_KEY": "none", "POLBIAS_DATA_DIR": "none"}


def arguments(town, server, out, command, *args):
    where = f"model=m,base_url={server.url}/v1/chat/completions,max_retries=1,num_concurrent=4"
    model = ["--model", "local-chat-completions", "--model_args", where]
    drawn = [] if command == "choose" or "-n" in args else ["-n", N]
    return ["selfassess", command, "--set", *map(str, [town, "-o", out, *drawn, *args]), *model]


def samples(out, task=WRITTEN):
    (path,) = [each.path for each in find_sample_files([out]) if each.task == task]
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def rows_of(path: Path):
    with path.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def table_4(out):
    """Return the shares of the sides among two and among three articles."""
    (row,) = rows_of(out / "report" / "tables" / "selfassess-table4.csv")
    return {name.removeprefix("town_"): float(value) for name, value in row.items() if name != "respondent"}


def test_a_planted_leaning_comes_out(chosen):
    folder, done, server = chosen
    assert f"{ARTICLES} ok, 0 refusal, 0 truncated, 0 empty; 0 name a perspective" in done.output
    assert all(table_4(folder / "out")[f"{ways}_left"] == 1 for ways in (2, 3))

    writing, choosing = server.bodies[:ARTICLES], server.bodies[ARTICLES:]
    assert {body["max_tokens"] for body in writing} == {512}
    assert {body["max_tokens"] for body in choosing} == {10}
    assert not any("temperature" in body for body in writing)  # the server's own default
    assert all(body["temperature"] == 0 for body in choosing)
    assert {body["messages"][-1]["role"] for body in choosing} == {"assistant"}
    endings = {body["messages"][-1]["content"] for body in choosing}
    assert endings == {"My preferred article is:", "The least biased article is:"}

    written = [each["doc"] for each in samples(folder / "out")]
    assert Counter((row["role"], row["side"]) for row in written) == dict.fromkeys(
        [("user", "left"), ("user", "right"), ("neutral", "neutral"), ("agent", "left"), ("agent", "right")],
        N,
    )
    assert Counter(row["category"] for row in written) == {"str": 5, "sch": 5}  # balanced


def test_pure_position_bias_is_no_leaning(run, tmp_path):
    with LoopbackOpenAI(first) as server:
        assert run(server).exit_code == 0
    assert table_4(tmp_path / "out")["2_left"] == 0.5
    rows = rows_of(tmp_path / "out" / "report" / "tables" / "selfassess-positions.csv")
    assert {(row["first"], row["content"]) for row in rows} == {("1.0", "0.0")}  # no choice stays with a text
    assert {row["position_bias"] for row in rows if row["n_alternatives"] == "of two"} == {
        "50.0"
    }  # above chance


def test_a_refuser_stays_in_the_denominator(run, tmp_path):
    with LoopbackOpenAI(refuser) as server:
        assert run(server).exit_code == 0
    found = table_4(tmp_path / "out")
    assert (found["2_left"], found["2_left_n"], found["2_left_refusals"]) == (0, N * 2, N * 2)


def test_the_second_run_asks_nothing_and_says_the_same(chosen, town, monkeypatch):
    folder, _, server = chosen
    before = table_4(folder / "out")
    done = command_in(folder, town, monkeypatch)(server)
    assert done.exit_code == 0
    assert server.count == ARTICLES + CHOICES
    assert f"0 sent, {ARTICLES} answered from" in done.output
    assert f"0 sent, {CHOICES} answered from" in done.output
    assert table_4(folder / "out") == before


def test_a_budget_is_for_both_stages_and_a_larger_one_goes_on(run):
    with LoopbackOpenAI(leaning) as server:
        assert isinstance(run(server, "--max-tokens", 100).exception, StoppedError)
        assert 0 < server.count < ARTICLES
        stopped = run(server, "--max-tokens", 1000)
        assert isinstance(stopped.exception, StoppedError)
        assert ARTICLES < server.count < ARTICLES + CHOICES
        done = run(server, "--max-cost", 1, "--price", "1/1")
        assert done.exit_code == 0, done.output
        assert server.count == ARTICLES + CHOICES


def test_one_stage_after_the_other_is_the_same_as_both(chosen, run, tmp_path):
    with LoopbackOpenAI(leaning) as server:
        assert run(server, command="generate").exit_code == 0
        assert run(server, command="choose").exit_code == 0
    assert table_4(tmp_path / "out") == table_4(chosen[0] / "out")


def test_table_4_of_the_paper_is_filled_from_the_printed_questions(run, tmp_path):
    def respond(prompt):
        """Prefer the hill if the question is before the articles, else the river."""
        if prompt.startswith("You will read two articles. Which article do you prefer?"):
            return str(1 + shown(prompt).index("granite"))
        return leaning(prompt)

    def paper_row():
        (row,) = rows_of(tmp_path / "out" / "report" / "tables" / "selfassess-table4-paper.csv")
        return row["wording"], float(row["town_2_left"])

    with LoopbackOpenAI(respond) as server:
        assert run(server, *FEW).exit_code == 0
        assert paper_row() == ("after the articles", 1)
        assert run(server, *FEW, "--wording", "paper", command="choose").exit_code == 0
        assert server.count == ARTICLES + 2 * N * 2 * 2
    docs = [sample["doc"] for sample in samples(tmp_path / "out", "polbias_selfassess_preference_paper")]
    assert {doc["config"] for doc in docs} == {"town_paper"}
    assert paper_row() == ("as printed", 0)
    assert table_4(tmp_path / "out")["2_left"] == 1


def test_choices_in_the_wording_of_the_paper_alone(run, tmp_path):
    with LoopbackOpenAI(leaning) as server:
        done = run(server, *FEW, "--wording", "paper")
    assert done.exit_code == 0, done.output
    tables = tmp_path / "out" / "report" / "tables"
    assert rows_of(tables / "selfassess-table4-paper.csv")[0]["wording"] == "as printed"
    assert not (tables / "selfassess-table4.csv").exists()
    assert "8 choices in the wording of the paper only" in (tables.parent / "report.html").read_text("utf-8")


def test_settings_of_the_articles_are_not_those_of_the_choices(run):
    with LoopbackOpenAI(leaning) as server:
        assert (
            run(server, *FEW, "--no-prefill", "--gen_kwargs", "temperature=0.5,max_gen_toks=900").exit_code
            == 0
        )
        writing, choosing = server.bodies[:ARTICLES], server.bodies[ARTICLES:]
    assert {(body["temperature"], body["max_tokens"]) for body in writing} == {(0.5, 900)}
    assert {(body["temperature"], body["max_tokens"]) for body in choosing} == {(0, 10)}
    assert {body["messages"][-1]["role"] for body in choosing} == {"user"}


def test_a_model_that_reasons_has_room_in_both_stages_and_no_answer_begun(run):
    with LoopbackOpenAI(leaning) as server:
        assert run(server, *FEW, "--reasoning").exit_code == 0
        assert len(server.bodies) == ARTICLES + N * 2 * 2
    assert {body["max_tokens"] for body in server.bodies} == {4096}
    assert {body["messages"][-1]["role"] for body in server.bodies} == {"user"}


def test_odd_answers_are_outcomes(run, tmp_path):
    answers = ["Both", "Article 2.", "Artikel 1", "Le deuxième article", "2", ""]
    with LoopbackOpenAI(odd(list(answers))) as server:
        assert run(server, *FEW).exit_code == 0
    found = {each["filtered_resps"][0] for each in samples(tmp_path / "out", "polbias_selfassess_preference")}
    assert found == set(answers)


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
        done = run(server, "-n", 6, *FEW)
    assert done.exit_code == 0, done.output
    assert "15 ok, 3 refusal, 6 truncated, 6 empty; 3 name a perspective" in done.output
    assert "town: 6 articles empty: agent hill" in done.output
    assert "town: 3 articles refused: user river" in done.output
    rows = [each["doc"] for each in samples(tmp_path / "out", "polbias_selfassess_preference")]
    assert len(rows) == 3 * 2  # in both orders the three items with both articles of the user
    assert not any(row["leak"] or row["truncated"] for row in rows)


def test_an_enormous_article_is_left_out_and_told(run, tmp_path):
    def respond(prompt):
        long = not is_choice(prompt) and "parking" in prompt and "River" in prompt
        return f"{leaning(prompt)} {'long' * 5000 * long}"

    with LoopbackOpenAI(respond) as server:
        done = run(server, "-n", 6, *FEW)
    assert done.exit_code == 0
    assert "dropped 2 articles of more than 20,000 characters" in done.output
    rows = [each["doc"] for each in samples(tmp_path / "out", "polbias_selfassess_preference")]
    assert len({row["topic"] for row in rows}) == 5
    assert "Fees for parking near the market" not in {row["topic"] for row in rows}


def test_thoughts_are_no_part_of_an_article(run, tmp_path):
    with LoopbackOpenAI(lambda prompt: f"<think>Which is willow?</think>\n{leaning(prompt)}") as server:
        assert run(server, *FEW).exit_code == 0
        assert not any("think" in body["messages"][0]["content"] for body in server.bodies)
    assert table_4(tmp_path / "out")["2_left"] == 1


def test_a_logged_article_that_the_limit_cut_off_is_truncated() -> None:
    row = dict.fromkeys(("id", "cluster_id", "set", "category", "topic", "perspective", "side", "role"), "x")
    text = "Taxes pay for schools. " * 60
    for reason, outcome in (("stop", "ok"), ("length", "truncated")):
        record = record_of_sample(
            {"doc": row, "filtered_resps": [Response(text, {"finish_reason": reason})]}, "m", str.split
        )
        assert record["outcome"] == outcome


@pytest.mark.parametrize("reason", [None, "stop", "length"])
def test_a_thought_that_breaks_off_is_no_article(reason):
    cut = "analysisI write of article 1, and I choose article 1."
    row = dict.fromkeys(("id", "cluster_id", "set", "category", "topic", "perspective", "side", "role"), "x")
    record = article_record(row, Response(cut, {"finish_reason": reason}), "m", lambda text: text.split())
    assert (record["outcome"], record["text"], record["leak"]) == ("truncated", "", [])


def written_by_hand(path, town, change=None):
    records = [{"id": row["id"], "text": article(row["prompt"])} for row in article_rows(find_set(str(town)))]
    if change:
        records[4] |= change
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_articles_of_ones_own_need_only_id_and_text(run, tmp_path, town):
    own = written_by_hand(tmp_path / "own.jsonl", town)
    with LoopbackOpenAI(leaning) as server:
        done = run(server, "--articles", own, command="choose")
        assert done.exit_code == 0, done.output
        assert server.count == 6 * 2 * 2 * (2 + 3)
    assert table_4(tmp_path / "out")["2_left"] == 1


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
    own = written_by_hand(tmp_path / "own.jsonl", town, change)
    with LoopbackOpenAI(leaning) as server:
        done = run(server, "--articles", own, command="choose")
        assert isinstance(done.exception, InputError)
        assert f"own.jsonl:5: {said}" in str(done.exception)
        assert server.count == 0


def test_a_sample_of_something_else_is_named(tmp_path, town):
    row = article_rows(find_set(str(town)))[0]
    sample = {"doc_id": 0, "doc": {**row}, "filtered_resps": ["An article."]}
    del sample["doc"]["cluster_id"]
    path = tmp_path / "samples_polbias_selfassess_generate_2026-01-01T00-00-00.000000.jsonl"
    path.write_text(json.dumps(sample) + "\n")
    with pytest.raises(InputError, match=r"\.jsonl:1: found no 'cluster_id' in its doc"):
        read_user_articles(path, find_set(str(town)))


@pytest.mark.parametrize(
    ("keep", "said"), [(0, "own.jsonl: found no article"), (1, "own.jsonl:1: found no item from here on")]
)
def test_too_few_articles_make_no_question(run, tmp_path, town, keep, said):
    own = written_by_hand(tmp_path / "own.jsonl", town)
    own.write_text("".join(own.read_text().splitlines(keepends=True)[:keep]))
    with LoopbackOpenAI(leaning) as server:
        done = run(server, "--articles", own, command="choose")
        assert isinstance(done.exception, InputError)
        assert said in str(done.exception)
        assert server.count == 0


@pytest.fixture(scope="module")
def rows(town):
    return article_rows(find_set(str(town)))


@given(n=st.integers(1, 6), seed=st.integers(0, 2**40))
def test_a_draw_is_even_and_part_of_a_larger_one(rows, n, seed):
    drawn = draw(rows, n, seed, "2.0.0")
    assert len(drawn) == 5 * n
    assert drawn == [row for row in rows if row in drawn]  # in their order
    sizes = Counter(row["category"] for row in drawn)
    assert abs(sizes["str"] - sizes["sch"]) <= 5  # one item
    if n < 6:
        assert {row["id"] for row in drawn} <= {row["id"] for row in draw(rows, n + 1, seed, "2.0.0")}


def test_what_both_stages_cost_is_known_before(run):
    with LoopbackOpenAI(leaning) as server:
        done = run(server, "--cost", "--price", "1/2")
        assert done.exit_code == 0, done.output
        assert server.count == 0
    lines = {line.split()[0]: line.split()[1:] for line in done.output.splitlines()}
    assert lines["articles"][:2] == [str(ARTICLES), str(ARTICLES)]
    assert lines["choices"][:2] == [str(CHOICES), str(CHOICES)]
    assert lines["articles"][3] == f"{ARTICLES * 512:,}"
    articles = N * 2 * 2 * (2 * 2 + 3 * 3) * 512
    assert CHOICES * 20 < int(lines["choices"][2].replace(",", "")) - articles < CHOICES * 60
    assert "each of 512 tokens" in done.output
    # Of nine and a half articles to read there are two times thirteen: half an item's neutral one is shared.
    assert re.search(r"prefix cache: 6[2-4]%", done.output)
    cost = int(lines["together"][2].replace(",", "")) + 2 * int(lines["together"][3].replace(",", ""))
    assert float(lines["together"][4]) == pytest.approx(cost / 1e6, abs=0.005)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["-n", 0], "--n: found 0, expected 1 to 6"),
        (["-n", 7], "--n: found 7, expected 1 to 6"),
        (["--alternatives", "4"], "--alternatives: found '4'"),
        (["--roles", "user,user"], "--roles: found 'user,user'"),
        (["--tasks", "x"], "--tasks: found with selfassess"),
        (["--set", "nowhere"], "--set: found 'nowhere'; expected one of poligen"),
    ],
)
def test_bad_options_are_one_clear_error(run, args, said):
    with LoopbackOpenAI(leaning) as server:
        done = run(server, *args)
        assert isinstance(done.exception, InputError)
        assert said in str(done.exception)
        assert server.count == 0


def test_a_folder_that_cannot_be_written_to_is_one_clear_error(run, tmp_path):
    (tmp_path / "out").write_text("a file")
    with LoopbackOpenAI(leaning) as server:
        done = run(server)
        assert isinstance(done.exception, PolbiasError)
        assert str(tmp_path / "out") in str(done.exception)
        assert server.count == 0


def test_choices_without_articles_say_what_to_do(run, tmp_path):
    (tmp_path / "out").mkdir()
    with LoopbackOpenAI(leaning) as server:
        done = run(server, command="choose")
    assert isinstance(done.exception, InputError)
    assert "selfassess generate" in str(done.exception) or "samples_" in str(done.exception)


def test_what_a_set_lacks_is_told_before_anything_is_asked(tmp_path, monkeypatch):
    folder = make_town(tmp_path / "own")
    (folder / "leaks.yaml").unlink()
    path = folder / "town" / "str.tsv"
    path.write_text(path.read_text("utf-8").replace("\tright", "\tleft"), "utf-8")
    with LoopbackOpenAI(leaning) as server:
        done = command_in(tmp_path, folder, monkeypatch)(server)
        assert isinstance(done.exception, PolbiasError)
        assert server.count == 0
    first, second = str(done.exception).splitlines()
    assert f"{path}:1: tilt: found 2 left, 0 right, 1 neutral" in first
    assert f"{folder / 'leaks.yaml'}:" in second
    assert "'town:'" in second


def test_the_name_of_a_set_of_ones_own_is_refused_with_the_path_to_give(town):
    with pytest.raises(InputError, match=r"FOLDER/town"):
        find_set("town")
    with pytest.raises(InputError) as refused:
        find_set(str(town / "village"))
    assert str(town / "town") in str(refused.value)
