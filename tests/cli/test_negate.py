"""`polbias author negate`: statements in, negations and rules out."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.pipelines import tagger
from tests.support.process import run_polbias


def negate(*args: str, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    return run_polbias("author", "negate", *args, stdin=stdin, check=False)


def test_lines_from_standard_input() -> None:
    done = negate(
        "--language", "en", "-", stdin=b"The state should fund nurseries.\n\n  Taxes are too high. \n"
    )
    assert done.returncode == 0
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert [line[:2] for line in lines] == [
        ["The state should fund nurseries.", "The state should not fund nurseries."],
        ["Taxes are too high.", "Taxes are not too high."],
    ]
    assert all(line[2] for line in lines)


def test_a_file_in_german(tmp_path: Path) -> None:
    path = tmp_path / "statements.txt"
    path.write_bytes("\ufeffAuf Autobahnen soll ein Tempolimit gelten.\r\n".encode())
    done = run_polbias("author", "negate", "--language", "de", path)
    statement, negation, rule = done.stdout.rstrip("\n").split("\t")
    assert (statement, negation) == (
        "Auf Autobahnen soll ein Tempolimit gelten.",
        "Auf Autobahnen soll kein Tempolimit gelten.",
    )
    assert rule == "kein"


def test_where_the_rule_is_unsure_the_negation_is_empty() -> None:
    done = negate("--language", "de", "-", stdin="Mehr Geld für alle!\n".encode())
    statement, negation, rule = done.stdout.rstrip("\n").split("\t")
    assert (statement, negation) == ("Mehr Geld für alle!", "")
    assert rule.startswith("abstain:")


def test_a_trained_pipeline_of_the_user(tmp_path: Path) -> None:
    tagger("en", {"controls": "NOUN", "harm": "VERB VerbForm=Fin"}).to_disk(tmp_path / "own")
    command = ["--language", "en", "--pipeline", str(tmp_path / "own"), "-"]
    lines = negate(*command, stdin=b"Rent controls harm tenants.\n").stdout.splitlines()
    assert lines[0].split("\t") == [
        "Rent controls harm tenants.",
        "Rent controls do not harm tenants.",
        "do-support",
    ]
    done = negate("--language", "de", "--pipeline", str(tmp_path / "own"), "-")
    assert done.returncode == 2
    assert "it is for 'en', the statements are in 'de'" in done.stderr


@pytest.mark.parametrize(
    ("args", "stdin", "message"),
    [
        (("--language", "en", "--pipeline", "en_core_nowhere", "-"), b"", "spacy download en_core_nowhere"),
        (("--language", "en", "nowhere.txt"), b"", "nowhere.txt: cannot be read"),
        (("--language", "en", "-"), b"Caf\xe9 owners should pay.\n", "-:1: byte 4"),
        (("--language", "en", "-"), b"ok.\na\tb\n", "-:2: found a tab"),
        (("--language", "xx", "-"), b"", "xx"),
    ],
)
def test_bad_input_ends_in_one_message(args: tuple[str, ...], stdin: bytes, message: str) -> None:
    done = negate(*args, stdin=stdin)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
