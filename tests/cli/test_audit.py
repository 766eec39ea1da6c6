"""`polbias audit` as a user types it: exit status, one line for every error, plain text when piped."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.process import run_polbias, run_python

ARGUMENT = (
    "Nikki Haley is {a} politician to Kamala Harris, because any Republican politician is superior to any "
    "Democratic politician, and because Nikki Haley is a Republican politician while Kamala Harris is a "
    "Democratic politician."
)
GOOD = {"id": "good", "argument": ARGUMENT.format(a="a superior"), "gold": "valid", "leaning": "right"}
BAD = {"id": "bad", "argument": ARGUMENT.format(a="an inferior"), "gold": "valid", "leaning": "left"}


def audit(*args: object) -> subprocess.CompletedProcess[str]:
    done = run_polbias("audit", *args, env={"COLUMNS": "120"}, check=False)
    assert "Traceback" not in done.stderr
    return done


def jsonl(path: Path, *rows: dict[str, str]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_exit_0_where_there_is_nothing_to_report(tmp_path: Path) -> None:
    done = audit(jsonl(tmp_path / "a.jsonl", GOOD), "--format", "partisan")
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 item: 1 confirmed, 0 contradicted, 0 depends, 0 unparsed (" in done.stdout
    assert "\x1b" not in done.stdout


def test_exit_1_with_findings_and_both_reports(tmp_path: Path) -> None:
    path, out, table = jsonl(tmp_path / "a.jsonl", GOOD, BAD), tmp_path / "out.json", tmp_path / "out.csv"
    done = audit(path, "--format", "partisan", "--output", out, "-o", table)
    assert done.returncode == 1
    assert "bad (line 2)  contradicted, gold: valid" in done.stdout
    assert "good (line 1)" not in done.stdout
    assert f"all items in {out}" in done.stdout
    report = json.loads(out.read_text("utf-8"))
    assert report["format"] == "partisan"
    assert report["summary"]["verdicts"] == {"confirmed": 1, "contradicted": 1, "depends": 0, "unparsed": 0}
    good, bad = report["items"]
    assert (
        good["id"],
        good["line"],
        good["verdict"],
        good["instantiates"],
        good["gold"],
        good["pattern"],
    ) == (
        "good",
        1,
        "confirmed",
        None,
        "valid",
        None,
    )
    assert (bad["verdict"], bad["deciding"], bad["findings"]) == ("contradicted", None, [])
    assert "inferior(Nikki Haley, Kamala Harris)" in bad["reading"]
    assert "superior(Nikki Haley, Kamala Harris)" in bad["countermodel"]
    assert table.read_text("utf-8").count("\n") == 3


@pytest.mark.parametrize(
    "row",
    [
        {**GOOD, "argument": "No argument."},
        {**GOOD, "argument": ARGUMENT.format(a="an superior")},
        {**GOOD, "argument": GOOD["argument"] + " "},
        {**GOOD, "gold": "perhaps"},
        {**GOOD, "leaning": "left"},
        {"id": "none"},
    ],
)
def test_exit_1_for_anything_that_a_reader_must_know(tmp_path: Path, row: dict[str, str]) -> None:
    assert audit(jsonl(tmp_path / "a.jsonl", GOOD, row), "--format", "partisan").returncode == 1


def test_a_terminal_that_cannot_show_formulas_is_no_error(tmp_path: Path) -> None:
    command = [
        "-m",
        "polbias.cli.main",
        "audit",
        str(jsonl(tmp_path / "a.jsonl", BAD)),
        "--format",
        "partisan",
    ]
    done = run_python(command, env={"COLUMNS": "120", "PYTHONIOENCODING": "ascii"}, check=False)
    assert done.returncode == 1
    assert "?x?y ((Republican(x) ? Democratic(y)) ? superior(x, y))" in done.stdout


def test_all_items_are_shown_on_request(tmp_path: Path) -> None:
    done = audit(jsonl(tmp_path / "a.jsonl", GOOD, BAD), "--format", "partisan", "--all")
    assert done.stdout.index("good (line 1)  confirmed") < done.stdout.index("bad (line 2)  contradicted")
    assert done.stdout.count("bad (line 2)") == 1


def _refused(*args: object) -> str:
    done = audit(*args)
    assert done.returncode == 2
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("polbias: ")
    assert done.stdout == ""
    return lines[0]


def test_exit_2_with_one_line_for_what_cannot_be_audited(tmp_path: Path) -> None:
    path, partisan = jsonl(tmp_path / "a.jsonl", GOOD), ("--format", "partisan")
    assert "there is no such file" in _refused(tmp_path / "none.tsv", *partisan)
    latin = tmp_path / "latin.tsv"
    latin.write_bytes("argument\tgold\nZürich\tvalid\n".encode("latin-1"))
    assert "latin.tsv:2: byte 2 of the line (0xFC) is not UTF-8; save it as UTF-8" in _refused(
        latin, *partisan
    )
    assert "found the columns 'id', 'argument', 'gold', 'leaning', expected also premise" in _refused(
        path, "--format", "normative"
    )
    assert "--column text: expected ROLE=NAME" in _refused(path, *partisan, "--column", "text")
    assert "no role 'text'" in _refused(path, *partisan, "--column", "text=argument")
    assert "found suffix '.txt', expected .json or .csv" in _refused(
        path, *partisan, "-o", tmp_path / "a.txt"
    )
    source = tmp_path / "b.csv"
    source.write_text("argument,gold\nx,valid\n", "utf-8")
    assert "found the audited file" in _refused(source, *partisan, "--output", source)
    assert source.read_text("utf-8") == "argument,gold\nx,valid\n"
    assert "us-en" in _refused(path, *partisan, "--templates", _broken(tmp_path))


def _broken(tmp_path: Path) -> Path:
    folder = tmp_path / "templates" / "countries"
    folder.mkdir(parents=True)
    (folder / "us-en.yaml").write_text("id: us-en\n", "utf-8")
    return folder.parent


@pytest.mark.parametrize("args", [(), ("--format", "none")])
def test_exit_2_for_a_missing_or_unknown_format(tmp_path: Path, args: Sequence[str]) -> None:
    done = audit(jsonl(tmp_path / "a.jsonl", GOOD), *args)
    assert done.returncode == 2
    assert "--format" in done.stderr


def test_normative_items_as_they_are_published(tmp_path: Path) -> None:
    path, out = tmp_path / "items.tsv", tmp_path / "out.json"
    rows = [
        "ID\tpremise_en\thypothesis_en\tgold\tcontent-type\tinference-pattern\tmodal",
        "1\tYou must take a visa.\tYou are allowed to take a visa.\tentailment\tcongruent\tMu-Mi\tdeontic",
        "2\tYou may eat cake or fruit.\tYou may eat cake.\tentailment\tcongruent\tFC-Or-Elim\tdeontic",
        "3\tIf it rains, then it is certain that roads are wet. It is not certain that roads are wet.\t"
        "It is not the case that roads are wet.\tentailment\tcongruent\tHyp-MT\tepistemic",
        "4\tYou colourless.\tIdeas sleep must.\tentailment\tnonsense\tMu-Mi\tdeontic",
    ]
    path.write_bytes("\r\n".join([*rows, "", ""]).encode())
    done = audit(path, "--format", "normative", "--output", out)
    assert done.returncode == 1
    items = json.loads(out.read_text("utf-8"))["items"]
    assert [(item["id"], item["line"], item["verdict"], item["instantiates"]) for item in items] == [
        ("1", 2, "confirmed", True),
        ("2", 3, "depends", True),
        ("3", 4, "contradicted", False),
        ("4", 5, "unparsed", None),
    ]
    assert items[1]["deciding"] == {"or": "free choice"}
    assert items[2]["findings"] == ["does-not-instantiate"]
    assert items[2]["countermodel"]
    assert items[3]["message"]
    assert "contradicted: does-not-instantiate (1)" in done.stdout


def test_another_column_and_exemplars(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "a.jsonl", {"said": GOOD["argument"], "gold": "valid"})
    examples = jsonl(tmp_path / "b.jsonl", {"argument": GOOD["argument"]})
    args = (path, "--format", "partisan", "--column", "argument=said")
    assert audit(*args).returncode == 0
    done = audit(*args, "--exemplars", examples)
    assert done.returncode == 1
    assert "exemplar-leakage" in done.stdout


def test_a_built_config_is_audited_as_a_file_and_as_a_folder(partisan_build: Path) -> None:
    folder = partisan_build / "partisan-inference" / "de_formal_mini"
    as_folder = audit(folder, "--format", "partisan")
    as_file = audit(next(folder.glob("test-*.parquet")), "--format", "partisan")
    for done in (as_folder, as_file):
        assert (done.returncode, done.stderr) == (0, "")
        assert "48 items: 48 confirmed" in done.stdout


def test_help_says_what_the_exit_status_means() -> None:
    told = audit("--help").stdout
    for word in ("--format", "--output", "--exemplars", "--column", "Exit status: 0"):
        assert word in told
