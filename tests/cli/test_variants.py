"""`polbias author variants`: statements in, variants out, from loopback servers and again from the recording."""

from __future__ import annotations

import json
import re
import socket
import time
from pathlib import Path

import pytest

from polbias.cli.variants import StatementLanguage
from polbias.errors import TemplateError
from polbias.generators.policy.templates import VARIANTS, load_statements
from polbias.models.answer_parsing import LANGUAGES
from polbias.models.service_settings import settings
from tests.models.servers import ChatServer, DeepLServer
from tests.support.process import run_polbias

STATEMENT = "Der Staat soll Kitas stärker fördern."
NEGATION = "Der Staat soll Kitas nicht stärker fördern."
PARAPHRASES = [
    "Kitas sollen vom Staat stärker gefördert werden.",
    "Die staatliche Förderung der Kitas soll stärker werden.",
    "Der Staat soll mehr für die Förderung von Kitas tun.",
]
OPPOSITE = "Der Staat soll Kitas schwächer fördern."
ENGLISH = {
    STATEMENT: "The state should give more support to day nurseries.",
    NEGATION: "The state should not give more support to day nurseries.",
    OPPOSITE: "The state should give less support to day nurseries.",
    PARAPHRASES[0]: "Day nurseries should receive more support from the state.",
    PARAPHRASES[1]: "State support for day nurseries should become stronger.",
    PARAPHRASES[2]: "The state should do more for the support of day nurseries.",
    "L'État doit davantage soutenir les crèches.": "The state should give more support to day nurseries.",
}
ENGLISH_PARAPHRASES = [
    "Day nurseries should get greater support from the state.",
    "Government support for day nurseries should be increased.",
    "More should be done by the state to support day nurseries.",
]
KEYS = {"OPENAI_API_KEY": "k", "DEEPL_AUTH_KEY": "k"}


def answer(prompt: str) -> str:
    statement = re.findall(r"(?m)^Statement: (.*)$", prompt)[-1]
    if "into English" in prompt:
        return json.dumps({"translation": ENGLISH[statement]})
    if "paraphras" in prompt.lower():
        texts = ENGLISH_PARAPHRASES if "in English" in prompt else PARAPHRASES
        return json.dumps({"paraphrases": texts}, ensure_ascii=False)
    return json.dumps({"opposite": OPPOSITE, "kind": "adjective", "type": "contrary"}, ensure_ascii=False)


def command(
    folder: Path, *options: str, output: str = "out.jsonl", language: str = "de", country: str = "Germany"
) -> list[str]:
    files = ["--output", str(folder / output), "--record", str(folder / "recorded.jsonl")]
    start = ["author", "variants", str(folder / "in.txt"), "--language", language]
    return [*start, "--country", country, "--model", "stub", *files, *options]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in.txt").write_text(STATEMENT + "\n", "utf-8")
    return tmp_path


def test_variants_and_their_replay_without_key_or_server(folder: Path) -> None:
    with ChatServer(answer) as server:
        options = ["--base-url", server.base_url, "--yes", "--price", "stub=1/2"]
        run_polbias(*command(folder, *options), env={"OPENAI_API_KEY": "k"})
    first = (folder / "out.jsonl").read_text("utf-8")
    line = json.loads(first)
    texts = line["texts"]["de"]
    assert texts["negation"] == NEGATION
    assert [texts[f"paraphrase{n}"] for n in (1, 2, 3)] == PARAPHRASES
    assert texts["opposite"] == OPPOSITE
    assert line["opposite"] == {"kind": "adjective", "type": "contrary"}
    assert not [finding for finding in line["findings"] if finding["sure"]]
    (folder / "out.jsonl").unlink()
    run_polbias(*command(folder, "--replay"))
    assert (folder / "out.jsonl").read_text("utf-8") == first


def test_nothing_is_sent_before_the_cost_is_accepted(folder: Path) -> None:
    with ChatServer(answer) as server:
        done = run_polbias(
            *command(folder, "--base-url", server.base_url), env={"OPENAI_API_KEY": "k"}, check=False
        )
        assert server.keys == []
    assert done.returncode
    assert "--yes" in done.stderr
    assert not (folder / "out.jsonl").exists()


def fill_in(text: str) -> str:
    """Add by hand what `author variants` leaves to a person."""
    return re.sub("(?m)^(  - id: .*)$", "\\1\n    topic: day care\n    demands: child-care", text)


@pytest.mark.parametrize("has_deepl", [False, True])
def test_a_statement_file_in_two_languages_and_its_replay(folder: Path, has_deepl: bool) -> None:
    options = ["--translate", "en", "--yes"]
    with ChatServer(answer) as chats, DeepLServer(ENGLISH.__getitem__) as deepls:
        addresses = ["--base-url", chats.base_url, *(["--deepl-url", deepls.url] if has_deepl else [])]
        run_polbias(*command(folder, *options, *addresses, output="de.yaml", country="DE"), env=KEYS)
        assert len(deepls.bodies) == (3 if has_deepl else 0)
    first = (folder / "de.yaml").read_bytes()
    (folder / "de.yaml").write_text(fill_in(first.decode()), "utf-8")
    file = load_statements(folder / "de.yaml")
    assert (file.country, file.languages) == ("DE", ("de", "en"))
    (statement,) = file.statements
    wordings = statement.wordings
    assert [wordings["de"].text(name) for name in VARIANTS] == [STATEMENT, *PARAPHRASES, NEGATION, OPPOSITE]
    assert [wordings["en"].text(name) for name in VARIANTS] == [
        ENGLISH[STATEMENT],
        *ENGLISH_PARAPHRASES,
        ENGLISH[NEGATION],
        ENGLISH[OPPOSITE],
    ]
    replay = [*options, "--replay", *(["--deepl"] if has_deepl else [])]
    run_polbias(*command(folder, *replay, output="again.yaml", country="DE"))
    assert (folder / "again.yaml").read_bytes() == first
    run_polbias(*command(folder, *replay, output="out.jsonl", country="DE"))
    record = json.loads((folder / "out.jsonl").read_text("utf-8"))
    assert record["negation_rules"] == {"de": "focus-word", "en": "translated"}
    assert record["problems"] == []


def test_paraphrases_are_translated_on_request(folder: Path) -> None:
    options = ["--translate", "en", "--yes", "--translate-paraphrases"]
    with ChatServer(answer) as chats, DeepLServer(ENGLISH.__getitem__) as deepls:
        run_polbias(
            *command(folder, *options, "--base-url", chats.base_url, "--deepl-url", deepls.url), env=KEYS
        )
        assert len(deepls.bodies) == 6
        assert chats.count == 2
    texts = json.loads((folder / "out.jsonl").read_text("utf-8"))["texts"]["en"]
    assert [texts[f"paraphrase{n}"] for n in (1, 2, 3)] == [ENGLISH[text] for text in PARAPHRASES]


def test_the_build_names_what_a_person_has_to_fill_in(folder: Path) -> None:
    with ChatServer(answer) as server:
        options = ["--translate", "en", "--yes", "--base-url", server.base_url]
        run_polbias(*command(folder, *options, output="li.yaml", country="Liechtenstein"), env=KEYS)
    path = folder / "li.yaml"
    steps = [
        ("country: found nothing, expected a value; add the field", "country: LI\n", ""),
        ("statements.0.topic: found nothing, expected a value; add the field", "", "    topic: day care\n"),
        ("statements.0.issues: found [], expected one of demands, rejects and", "", "    rejects: taxes\n"),
    ]
    for message, header, entry in steps:
        with pytest.raises(TemplateError) as caught:
            load_statements(path)
        assert message in str(caught.value)
        text = re.sub("(?m)^    opposite:", f"{entry}    opposite:", path.read_text("utf-8"))
        path.write_text(header + text, "utf-8")
    assert load_statements(path).statements[0].id == "in-01"


def test_entries_by_hand_are_not_overwritten(folder: Path) -> None:
    path = folder / "de.yaml"
    path.write_text("statements:\n  - id: a\n    topic: day care\n", "utf-8")
    done = run_polbias(*command(folder, "--translate", "en", "--replay", output="de.yaml"), check=False)
    assert "found entries by hand, which would be lost; choose another name" in done.stderr
    assert "topic: day care" in path.read_text("utf-8")


def test_one_message_for_a_language_without_rules_and_english_by_its_rules(folder: Path) -> None:
    text = "L'État doit davantage soutenir les crèches."
    (folder / "in.txt").write_text(f"{text}\n{text}\n", "utf-8")
    with ChatServer(answer) as server:
        options = ["--translate", "en", "--yes", "--base-url", server.base_url]
        done = run_polbias(*command(folder, *options, language="fr", country="FR"), env=KEYS)
    assert done.stderr.count("no negation rules") == 1
    assert (
        "fr: no negation rules (languages with rules: de, en, es, it); write the negations by hand; those in en "
        "are by its rules"
    ) in done.stderr
    record = json.loads((folder / "out.jsonl").read_text("utf-8").splitlines()[0])
    assert "negation" not in record["texts"]["fr"]
    assert record["texts"]["en"]["negation"] == ENGLISH[NEGATION]
    assert record["negation_rules"]["fr"] is None
    assert record["negation_rules"]["en"] not in (None, "translated")


@pytest.mark.parametrize(
    ("options", "output", "message"),
    [
        (("--deepl",), "out.jsonl", "--translate: found no language"),
        (("--translate", "de"), "out.jsonl", "--translate: found de, the language of the statements"),
        (("--translate", "en"), "out.txt", "found .txt, expected .yaml or .jsonl"),
        ((), "out.yaml", "found no English texts, which the build needs; add --translate en"),
        (("--translate", "xx"), "out.jsonl", "Invalid value for '--translate'"),
    ],
)
def test_options_that_do_not_fit_are_errors(folder: Path, options, output, message) -> None:
    done = run_polbias(*command(folder, *options, "--replay", output=output), check=False)
    assert done.returncode
    assert message in " ".join(done.stderr.split())
    assert not (folder / output).exists()


def test_the_languages_are_those_of_the_services_and_in_the_help(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {language.value for language in StatementLanguage}
    assert names == set(settings().languages) == LANGUAGES
    shown = run_polbias("author", "variants", "--help", env={"COLUMNS": "160"}).stdout
    assert shown.count("de|en|es|fr|hu|it|nl|pl") == 2


@pytest.mark.parametrize("option", ["--base-url", "--deepl-url"])
def test_an_unreachable_service_is_one_error_within_15_seconds(folder: Path, option: str) -> None:
    with socket.socket() as reserved, ChatServer(answer) as chats, DeepLServer(str) as deepls:
        reserved.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{reserved.getsockname()[1]}"
        addresses = {"--base-url": chats.base_url, "--deepl-url": deepls.url, option: closed}
        start = time.monotonic()
        done = run_polbias(
            *command(
                folder, "--translate", "en", "--yes", *(part for pair in addresses.items() for part in pair)
            ),
            env=KEYS,
            check=False,
        )
        assert time.monotonic() - start < 15
        assert chats.count == len(deepls.bodies) == 0
    assert done.returncode
    assert done.stderr.count("not reachable") == 1
    assert (
        f"{closed}: not reachable (Connection refused); start the server, or correct its address ({option})"
        in (done.stderr)
    )
    assert not (folder / "out.jsonl").exists()


def test_a_run_that_is_interrupted_between_the_steps_asks_only_for_the_second(folder: Path) -> None:
    options = ["--translate", "en", "--yes"]
    with ChatServer(answer) as chats, DeepLServer(ENGLISH.__getitem__) as deepls:
        addresses = ["--base-url", chats.base_url, "--deepl-url", deepls.url]
        run_polbias(*command(folder, *options, *addresses), env=KEYS)
        whole = (folder / "out.jsonl").read_bytes()
        recorded = (folder / "recorded.jsonl").read_text("utf-8").splitlines(keepends=True)
        (folder / "recorded.jsonl").write_text("".join(recorded[:4]), "utf-8")
        before = chats.count + len(deepls.bodies)
        run_polbias(*command(folder, *options, *addresses), env=KEYS)
        assert chats.count + len(deepls.bodies) - before == len(recorded) - 4 == 2
    assert (folder / "out.jsonl").read_bytes() == whole


def test_a_language_that_the_build_does_not_accept_gives_an_english_statement_file(folder: Path) -> None:
    (folder / "in.txt").write_text("Państwo powinno bardziej wspierać żłobki.\n", "utf-8")
    english = ENGLISH[STATEMENT]
    with ChatServer(answer) as chats, DeepLServer(lambda text: english) as deepls:
        options = ["--translate", "en", "--yes", "--base-url", chats.base_url, "--deepl-url", deepls.url]
        done = run_polbias(
            *command(folder, *options, output="pl.yaml", language="pl", country="PL"), env=KEYS
        )
    assert done.stderr.count("pl: no negation rules") == 1
    assert deepls.bodies[0]["source_lang"] == "PL"
    path = folder / "pl.yaml"
    path.write_text(fill_in(path.read_text("utf-8")), "utf-8")
    file = load_statements(path)
    assert file.languages == ("en",)
    assert file.statements[0].wordings["en"].negation == ENGLISH[NEGATION]


def test_a_rule_that_abstains_is_a_problem_of_the_negation(folder: Path) -> None:
    (folder / "in.txt").write_text("Some taxes should rise.\n", "utf-8")
    with ChatServer(answer) as server:
        run_polbias(*command(folder, "--yes", "--base-url", server.base_url, language="en"), env=KEYS)
    record = json.loads((folder / "out.jsonl").read_text("utf-8"))
    assert record["negation_rules"]["en"].startswith("abstain:")
    assert ("negation", "not-negated") in [(p["variant"], p["code"]) for p in record["problems"]]
    assert "negation" not in record["texts"]["en"]
