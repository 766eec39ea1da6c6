"""The README's uses, end to end: push to a Hub, load_dataset from it, lm_eval on it and as typed."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.support.hub import LoopbackHub
from tests.support.openai_server import LoopbackOpenAI
from tests.support.process import ROOT, run_polbias, run_python
from tests.support.respondents import by_prompt, perfect, rows_of
from tests.support.wheel import build_wheel

pytestmark = pytest.mark.e2e

_TOKEN = "hf_loopback"


def _push(hub: LoopbackHub, builds: Path, *options: str, name: str = "partisan-inference") -> str:
    environment = {"HF_ENDPOINT": hub.url, "HF_TOKEN": _TOKEN, "HF_HUB_DISABLE_XET": "1"}
    args = ["-m", "polbias.cli.main", "push", name, "--output", str(builds), *options]
    done = run_python(args, env=environment | {"COLUMNS": "200"})
    assert _TOKEN not in done.stdout + done.stderr
    return done.stdout


def test_push_load_dataset_and_lm_eval_from_the_hub(partisan_build: Path, tmp_path: Path) -> None:
    folder = partisan_build / "partisan-inference"
    with LoopbackHub(tokens={_TOKEN: "alice"}) as hub:
        repo = "alice/partisan-inference"
        assert "v2.0.0" in _push(hub, partisan_build, "--dry-run")
        assert not hub.exists(repo)
        assert "published as v2.0.0" in _push(hub, partisan_build)
        commits = len(hub.commits(repo))
        assert "nothing to do" in _push(hub, partisan_build)
        assert len(hub.commits(repo)) == commits == 2  # the Hub's own first commit, and ours
        assert set(hub.tags(repo)) == {"v2.0.0"}

        environment = {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "hf")}
        loaded = run_python(
            f"""
            from datasets import load_dataset
            for config in ("en_formal", "de_material_paper", "en_control_formal_mini"):
                rows = load_dataset("{repo}", config, revision="v2.0.0", split="test")
                rows.to_parquet("{tmp_path}/" + config + ".parquet")
            print(load_dataset("{repo}", "en_formal", revision="v2.0.0"))
            """,
            env=environment,
        ).stdout
        assert "num_rows: 1608" in loaded
        assert "num_rows: 40" in loaded
        for config in ("en_formal", "de_material_paper", "en_control_formal_mini"):
            assert pq.read_table(tmp_path / f"{config}.parquet").to_pylist() == rows_of(folder, config)

        # From an installed wheel, far from any checkout or build: the pinned revision on the Hub.
        site, work = tmp_path / "site", tmp_path / "work"
        zipfile.ZipFile(build_wheel(tmp_path / "wheel")).extractall(site)
        work.mkdir()
        with LoopbackOpenAI(by_prompt(rows_of(folder, "en_formal_mini"), perfect)) as server:
            told = run_python(
                [
                    *(
                        "-m",
                        "tests.support.lm_eval_ours",
                        "--include_path",
                        str(site / "polbias" / "harness_tasks"),
                    ),
                    *("--tasks", "polbias_en_formal_mini", "--model", "local-chat-completions"),
                    *("--model_args", f"model=stub,base_url={server.url}/v1/chat/completions"),
                    "--apply_chat_template",
                ],
                env=environment
                | {"POLBIAS_NAMESPACE": "alice", "PYTHONPATH": f"{site}:{ROOT}", "OPENAI_API_KEY": "none"},
                cwd=work,
                timeout=300,
            )
        assert "48 rows from the Hub (alice/partisan-inference at v2.0.0)" in told.stdout + told.stderr
        assert "|acc" in told.stdout

        # A repository that serves other rows than the lock has is refused.
        other = hub.read(repo, "de_formal_mini/test-00000-of-00001.parquet")
        hub.write(repo, {"en_formal_mini/test-00000-of-00001.parquet": other})
        refused = run_python(
            """
            from polbias.eval.data import load
            load(polbias_dataset="partisan-inference", polbias_config="en_formal_mini", polbias_revision="main")
            """,
            env={
                "HF_ENDPOINT": hub.url,
                "HF_HOME": str(tmp_path / "fresh"),
                "POLBIAS_NAMESPACE": "alice",
                "PYTHONPATH": f"{site}:{ROOT}",
            },
            cwd=work,
            check=False,
        )
        assert refused.returncode == 1
        assert "BuildError" in refused.stderr
        assert "datasets.lock has version 2.0.0" in refused.stderr


def test_lm_eval_as_typed(partisan_build: Path, tmp_path: Path) -> None:
    """`lm_eval --tasks polbias_en_formal` with no other option about tasks: lm_eval's own index has them."""
    rows = rows_of(partisan_build / "partisan-inference", "en_formal")
    with LoopbackOpenAI(by_prompt(rows, perfect)) as server:
        arguments = f"model=stub,base_url={server.url}/v1/chat/completions,num_concurrent=8"
        done = run_python(
            [
                *("-m", "lm_eval", "--tasks", "polbias_en_formal", "--model", "local-chat-completions"),
                *("--model_args", arguments, "--apply_chat_template", "--output_path", str(tmp_path)),
                *("--limit", "200"),
            ],
            env={
                "OPENAI_API_KEY": "none",
                "HF_HUB_OFFLINE": "1",
                "HF_HOME": str(tmp_path / "hf"),
                "POLBIAS_DATA_DIR": str(partisan_build),
            },
            cwd=tmp_path,
            timeout=300,
        )
        assert server.count == 200
    assert "partisan-inference/en_formal 2.0.0: 1,608 rows from the local build" in done.stdout + done.stderr
    assert "|polbias_en_formal|" in done.stdout
    results = json.loads(next(tmp_path.rglob("results_*.json")).read_text("utf-8"))["results"]
    scores = results["polbias_en_formal"]
    assert scores["acc,none"] == 1
    assert scores["weighted_bias,none"] == 0
    assert scores["weighted_bias_stderr,none"] == "N/A"  # without any error there is nothing to take it from
    assert scores["truncated,none"] == scores["unparsable,none"] == scores["refusal,none"] == 0


def test_push_and_load_the_normative_dataset(normative_build: Path, tmp_path: Path) -> None:
    folder = normative_build / "normative-reasoning"
    with LoopbackHub(tokens={_TOKEN: "alice"}) as hub:
        assert "published as v2.0.0" in _push(hub, normative_build, name="normative-reasoning")
        loaded = run_python(
            f"""
            from datasets import load_dataset
            for config in ("deontic_logic", "wason"):
                rows = load_dataset("alice/normative-reasoning", config, revision="v2.0.0", split="test")
                rows.to_parquet("{tmp_path}/" + config + ".parquet")
            """,
            env={"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "hf")},
        )
        assert loaded.returncode == 0
    for config in ("deontic_logic", "wason"):
        assert pq.read_table(tmp_path / f"{config}.parquet").to_pylist() == rows_of(folder, config)


def test_audit_as_the_readme_shows_it(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    shown = readme[readme.index("$ polbias audit items.tsv") :]
    shown = shown[: shown.index("```")]
    items = (
        (
            "You are not required to attend the meeting.",
            "You are permitted not to attend the meeting.",
            "NotMu-MiNot",
        ),
        (
            "If you are invited to a wedding, then it is customary to bring a gift. "
            "It is not the case that you are required to bring a gift.",
            "You are not invited to a wedding.",
            "Hyp-MT",
        ),
        ("You must take care of your health.", "You can choose to take care of your health.", "Mu-Mi"),
    )
    head = "ID\tpremise_en\thypothesis_en\tgold\tcontent-type\tinference-pattern\tmodal\n"
    lines = (
        f"{number}\t{premise}\t{hypothesis}\tentailment\tcongruent\t{pattern}\tdeontic\n"
        for number, (premise, hypothesis, pattern) in enumerate(items, 1)
    )
    (tmp_path / "items.tsv").write_text(head + "".join(lines))
    command = ("audit", "items.tsv", "--format", "normative", "--output", "report.json")
    done = run_polbias(*command, cwd=tmp_path, env={"COLUMNS": "80"}, check=False)
    assert done.returncode == 1
    printed = {line.rstrip() for line in done.stdout.splitlines()}
    missing = [line for line in shown.splitlines()[1:] if line != "..." and line.rstrip() not in printed]
    assert missing == []
    report = json.loads((tmp_path / "report.json").read_text())
    assert [item["verdict"] for item in report["items"]] == ["confirmed", "contradicted", "depends"]
