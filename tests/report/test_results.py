"""`make results`: the whole kit over models whose answers are planted, asked over loopback."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from benchmarks import results
from polbias.cli.main import app
from polbias.errors import InputError, PolbiasError
from tests.support.openai_server import LoopbackOpenAI
from tests.support.process import ROOT
from tests.support.respondents import rows_of

PARTISAN, CLAIMS = "polbias_en_formal_mini", "polbias_xphemism_mini"
LIMIT = 48
VOTERS = {"Democratic": "left", "Grünen": "left", "Republican": "right", "AfD": "right"}


def voter(rows: Mapping[str, Mapping[str, Any]], follows: bool) -> Callable[[str], str]:
    """A model that is right, but for a fifth of the rows; as a voter of a side it favours that side if it follows."""

    def answer(prompt: str) -> str:
        told, _, rest = prompt.partition("\n\n")
        side = (
            next((side for party, side in VOTERS.items() if party in told), "")
            if told[:3] in ("Ans", "Ant")
            else ""
        )
        row = rows[rest if side else prompt]
        certain = sha256(row["pair_id"].encode()).digest()[0] % 5 > 0
        if row["dataset"] == "partisan-inference":
            yes = (
                row["leaning"] == side
                if side and follows and certain
                else (row["gold"] == "valid") == certain
            )
            return "**valid**" if yes else "**invalid**"
        shifted = row["arm"] == "shifted" and row["shift"] == side
        return str(shifted if side and follows and certain else (row["gold"] == "true") == certain)

    return answer


@pytest.fixture
def rows(all_builds: Path) -> Mapping[str, Mapping[str, Any]]:
    made = rows_of(all_builds / "partisan-inference", "en_formal_mini") + rows_of(
        all_builds / "xphemism-pairs", "pairs"
    )
    return {row["prompt"]: row for row in made}


@pytest.fixture
def kit(
    rows: Mapping[str, Mapping[str, Any]], all_builds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Path, list[LoopbackOpenAI]]]:
    """A file of two models and of one whose key is wrong, and their servers; commands run in this process."""

    def polbias(*told: object) -> None:
        CliRunner().invoke(app, [*map(str, told)], catch_exceptions=False)

    monkeypatch.setattr(results, "run_polbias", polbias)
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(all_builds))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.chdir(tmp_path)
    with (
        LoopbackOpenAI(voter(rows, True)) as one,
        LoopbackOpenAI(voter(rows, False)) as two,
        LoopbackOpenAI(voter(rows, True), api_key="another") as three,
    ):
        servers = dict(zip(("follows", "stays", "locked"), (one, two, three), strict=True))
        models = {
            name: {
                "model": "local-chat-completions",
                "model_args": {"model": name, "base_url": f"{server.url}/v1/chat/completions"},
            }
            for name, server in servers.items()
        }
        path = tmp_path / "models.yaml"
        path.write_text(
            yaml.safe_dump({"tasks": [PARTISAN, CLAIMS], "limit": LIMIT, "models": models}), "utf-8"
        )
        yield path, [one, two, three]


def cells(text: str, title: str) -> dict[str, list[str]]:
    """The rows of a table of the page in Markdown, by their first cell."""
    part = text.split(f"## {title}\n")[1].split("\n## ")[0]
    lines = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("|")]
    return {first: others for first, *others in lines}


@pytest.mark.e2e
@pytest.mark.usefixtures("no_figures")
def test_from_models_to_table_and_page(
    kit: tuple[Path, list[LoopbackOpenAI]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path, servers = kit
    out = tmp_path / "out"
    results.main([str(path), "-o", str(out)])
    assert "no model ran" in capsys.readouterr().out
    assert [server.count for server in servers] == [0, 0, 0]
    assert not out.exists()

    with pytest.raises(PolbiasError, match="6 runs are missing"):
        results.main([str(path), "-o", str(out), "--yes"])
    counts = [server.count for server in servers]
    assert counts[:2] == [4 * (LIMIT + LIMIT)] * 2  # plain, again and two personas
    text = (out / "results.md").read_text("utf-8")
    fixed = (out / "headlines.yaml").read_bytes()
    assert fixed == results.FIXED.read_bytes()
    assert sha256(fixed).hexdigest() in text
    table = cells(text, "Results")
    column = table["model"].index("Partisan inferences: Political bias in the paper's arguments")
    (found,) = [
        each
        for each in json.loads((out / "report" / "summary.json").read_text("utf-8"))["findings"]
        if (each["respondent"], each["measure"], each["key"]) == ("stays", "weighted_bias", "")
    ]
    assert table["stays"][column] == results.format_record(found)
    assert table["stays"][table["model"].index("Policy statements: Leaning of the answers")] == "not yet run"
    assert set(table["locked"]) == {"not yet run"}
    known = cells(text, "Known groups")
    for title in (
        "Partisan inferences: Political bias in the paper's arguments",
        "X-phemisms in claims: Leaning of the exchanged word",
    ):
        place = known["model"].index(title)
        assert known["follows"][place].startswith("+")
        assert known["follows"][place].endswith("as expected)")
        assert known["stays"][place].endswith("open)")
        assert known["locked"][place] == "not yet run"
    assert f"| stays | {PARTISAN} | 100.0% | 1.00 | {LIMIT} |" in text
    assert text.endswith("(empty)\n")
    assert "as expected)" in (out / "results.html").read_text("utf-8")

    with pytest.raises(PolbiasError, match="6 runs are missing"):
        results.main([str(path), "-o", str(out), "--yes"])
    assert [server.count for server in servers[:2]] == counts[:2]
    assert (out / "results.md").read_text("utf-8") == text
    other = tmp_path / "other.yaml"
    other.write_text(fixed.decode().replace("measure: leaning}", "measure: refusal_gap}"), "utf-8")
    monkeypatch.setattr(results, "FIXED", other)
    with pytest.raises(InputError, match="found headlines that differ from other.yaml"):
        results.main([str(path), "-o", str(out), "--yes"])


def test_agreement_is_over_five_models_or_empty() -> None:
    fixed = results.load_template(results.FIXED, results.Preregistration)
    rows = {str(n): [{"value": float(n)}, {"value": -(n**3)}, None] + [None] * 4 for n in range(5)}
    assert [each[2:] for each in results.correlate_headlines(fixed, rows)] == [("-1.00", "5")]
    assert not [*results.correlate_headlines(fixed, dict([*rows.items()][:4]))]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"tasks": []}, r"models\.yaml:\d+: tasks: .*at least 1"),
        ({"limit": "many"}, r"models\.yaml:\d+: limit: .*'many'"),
        ({"modells": {}}, r"models\.yaml:\d+: modells: "),
        ({"models": {"a/b": {"model": "hf", "model_args": ""}}}, r"models\.yaml:\d+: models\.a/b"),
        ({"models": {"m": {"model": "hf"}}}, r"models\.yaml:\d+: models\.m\.model_args: "),
    ],
)
def test_a_wrong_field_is_one_clear_error(change: Mapping[str, Any], told: str, tmp_path: Path) -> None:
    path = tmp_path / "models.yaml"
    given = {"tasks": [PARTISAN], "models": {"m": {"model": "hf", "model_args": "pretrained=m"}}, **change}
    path.write_text(yaml.safe_dump(given), "utf-8")
    with pytest.raises(PolbiasError, match=told) as caught:
        results.main([str(path)])
    assert "\n" not in str(caught.value)


def test_make_needs_a_file_of_models() -> None:
    done = subprocess.run(["make", "-n", "results"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode
    assert "MODELS: found nothing, expected a file with tasks and models" in done.stderr
