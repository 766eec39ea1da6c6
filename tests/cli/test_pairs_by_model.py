"""`polbias author pairs --propose` and `--check`: word pairs and grammar from a loopback server, and a replay."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

from polbias.cli.main import app
from polbias.errors import InputError
from polbias.generators.authoring.annotation.tasks import make_tasks, source_rows
from polbias.paths import package_file
from tests.models.servers import ChatServer
from tests.support.process import run_polbias

TABLE = """Hier ist die Tabelle:

| Nr. | Neutraler Begriff | X-Phemismus | Art | Politisches Lager |
|---|---|---|---|---|
| 1 | Abgabe | **Steuer** | Dysphemismus | rechts |
| 2 | Steuerlast | Zwangsabgaben | Dysphemismus | rechts |
| 3 | Aktivist | Klimakleber | Dysphemismus | Rechtes Lager |
| 4 | neoliberal | Lockdown | Euphemismus | Mitte |
| 5 | Steuer | Steuer | Euphemismus | links |
"""
CLAIMS = """claim_id,claim,gold,base_word,exchange_word
a,Am Straßenbau beteiligen sich die Gemeinden.,true,Straßenbau,Betonpolitik
b,Die hohe Steuerlast der Firmen sank im Jahr 2008.,true,Steuerlast,Steuerabzocke
c,Der Aktivist saß auf der Straße.,true,Aktivist,Klimakleber
d,Der Regen fiel.,false,Steuerlast,Steuerabzocke
"""
# By the sentence that is sent: the first is corrected as by the rules, the second changed in content.
GRAMMAR = {
    "Am Betonpolitik beteiligen sich die Gemeinden.": "An der Betonpolitik beteiligen sich die Gemeinden.",
    "Die hohe Steuerabzocke der Firmen sank im Jahr 2008.": "Die hohe Steuerlast der Firmen sank im Jahr 2008.",
    "Der Klimakleber saß auf der Straße.": "Der Klimakleber saß auf der Straße.",
}


def _answer(prompt: str) -> str:
    if "X-phemismen" in prompt:
        return TABLE
    return next(answer for sentence, answer in GRAMMAR.items() if prompt.endswith(sentence))


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _command(folder: Path, *options: str) -> list[str]:
    files = ["--output", str(folder / "out.csv"), "--record", str(folder / "recorded.jsonl")]
    return ["author", "pairs", *options, *files, "--model", "stub"]


def test_proposed_word_pairs_with_the_verdict_of_the_rules_and_their_replay(tmp_path: Path) -> None:
    with ChatServer(_answer) as server:
        options = ["--propose", "--base-url", server.base_url, "--yes"]
        done = run_polbias(*_command(tmp_path, *options), env={"OPENAI_API_KEY": "k"})
        (body,) = server.bodies
    prompt = body["messages"]
    assert [message["role"] for message in prompt] == ["user"]
    assert prompt[0]["content"].startswith("Ich möchte X-phemismen, die in der deutschen Politik verwendet werden. Zähle 100 auf ")  # fmt: skip
    assert "4 word pairs" in done.stdout
    assert "rules: 2 agrees, 1 differs, 1 cannot say" in done.stdout
    assert "'Steuer', 'Steuer': found one word twice" in done.stderr
    rows = _rows(tmp_path / "out.csv")
    assert [(row["pair_id"], row["kind"], row["camp"], row["in_lexicon"], row["rules"]) for row in rows] == [
        ("abgabe_steuer", "dysphemism", "rechts", "yes", "agrees"),
        ("steuerlast_zwangsabgaben", "dysphemism", "rechts", "no", "agrees"),
        ("aktivist_klimakleber", "dysphemism", "Rechtes Lager", "no", "cannot say"),
        ("neoliberal_lockdown", "euphemism", "Mitte", "no", "differs"),
    ]
    assert "polbias author morphology" in rows[2]["rules_reason"]
    first = (tmp_path / "out.csv").read_text("utf-8")
    run_polbias(*_command(tmp_path, "--propose", "--replay"))
    assert (tmp_path / "out.csv").read_text("utf-8") == first
    # Annotators judge the words, without the model's kind and camp (section 3.1).
    tasks = make_tasks("words", source_rows(tmp_path / "out.csv", "words", {})[0])
    assert tasks[0].texts == {"first": "Abgabe", "second": "Steuer"}


def test_further_requests_of_word_pairs_differ_in_their_seed(tmp_path: Path) -> None:
    with ChatServer(_answer) as server:
        options = ["--propose", "--repeats", "3", "--base-url", server.base_url, "--yes"]
        done = run_polbias(*_command(tmp_path, *options), env={"OPENAI_API_KEY": "k"})
        assert sorted(body.get("seed", 1) for body in server.bodies) == [1, 2, 3]
    assert "4 word pairs" in done.stdout


def test_the_grammar_of_claims_with_the_verdict_of_the_rules_and_its_replay(tmp_path: Path) -> None:
    (tmp_path / "claims.csv").write_text(CLAIMS, "utf-8")
    claims = str(tmp_path / "claims.csv")
    with ChatServer(_answer) as server:
        options = [claims, "--check", "--base-url", server.base_url, "--yes"]
        done = run_polbias(*_command(tmp_path, *options), env={"OPENAI_API_KEY": "k"})
        bodies = server.bodies
    system, user = bodies[0]["messages"]
    assert system["content"].startswith("Du bist ein hilfreicher Assistent und hilfst bei einer wissenschaftlichen Untersuchung ")  # fmt: skip
    assert "bitte nehme trotzdem keine inhaltlichen Korrekturen vor." in user["content"]
    assert {body["messages"][1]["content"].splitlines()[-1] for body in bodies} == GRAMMAR.keys()
    assert "rules: 1 agrees, 1 differs, 2 cannot say" in done.stdout
    rows = _rows(tmp_path / "out.csv")
    assert [(row["claim_id"], row["rules"], row["rules_reason"].split(":")[0]) for row in rows] == [
        ("a", "agrees", ""),
        ("b", "differs", "other-text"),
        ("c", "cannot say", "unknown-word"),
        ("d", "cannot say", "no-hit"),
    ]
    assert rows[0]["checked_claim"] == rows[0]["shifted_claim"]
    assert rows[3]["replaced_claim"] == rows[3]["checked_claim"] == ""
    first = (tmp_path / "out.csv").read_text("utf-8")
    run_polbias(*_command(tmp_path, claims, "--check", "--replay"))
    assert (tmp_path / "out.csv").read_text("utf-8") == first


def test_an_answer_without_a_table_is_named(tmp_path: Path) -> None:
    with ChatServer(lambda prompt: "Das möchte ich nicht.") as server:
        options = ["--propose", "--base-url", server.base_url, "--yes"]
        done = run_polbias(*_command(tmp_path, *options), env={"OPENAI_API_KEY": "k"})
    assert "propose-1: found no table of word pairs" in done.stderr
    assert "0 word pairs" in done.stdout


def test_without_an_answer_the_pairs_of_an_earlier_run_stay(tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("pair_id,first,second\n", "utf-8")
    (tmp_path / "recorded.jsonl").touch()
    done = run_polbias(*_command(tmp_path, "--propose", "--replay"), check=False)
    assert done.returncode == 1
    assert "no response is recorded" in done.stderr
    assert (tmp_path / "out.csv").read_text("utf-8") == "pair_id,first,second\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "FILE: found nothing"),
        (["--propose", "--check"], "--propose: found with --check"),
        (["claims.csv", "--propose"], "FILE: found claims.csv with --propose"),
        (["--propose"], "--propose: found no --model"),
        (["claims.csv", "--check", "--model", "m"], "--check: found no --record"),
        (["claims.csv", "--model", "m"], "--model: found without --propose or --check"),
    ],
)
def test_options_that_do_not_fit_are_named(tmp_path: Path, options: list[str], message: str) -> None:
    done = CliRunner().invoke(app, ["author", "pairs", "-o", str(tmp_path / "out.csv"), *options])
    assert isinstance(done.exception, InputError)
    assert str(done.exception).startswith(message)


def test_the_prompts_are_those_that_the_paper_prints() -> None:
    text = package_file("templates/xphemism/author_prompts.yaml").read_text("utf-8")
    assert "Gib eine Tabelle zurück mit einem Paar aus neutralem Begriff und X-phemismus pro Zeile." in text
    assert "ebenfalls ohne Erklärungen oder Kommentare.\n      {sentence}" in text
