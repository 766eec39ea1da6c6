"""The README's uses, end to end: push to a Hub, load_dataset from it, lm_eval on it and as typed."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from polbias.lock import read_lock
from tests.support.hub import LoopbackHub
from tests.support.openai_server import LoopbackOpenAI
from tests.support.process import ROOT, run_commands, run_here, run_python
from tests.support.respondents import by_prompt, perfect, rows_of

pytestmark = pytest.mark.e2e

_TOKEN = "hf_loopback"


_PARTISAN = ("en_formal", "en_control_formal_mini")
_NORMATIVE = ("wason",)


def test_push_load_dataset_and_lm_eval_from_the_hub(all_builds: Path, wheel: Path, tmp_path: Path) -> None:
    folder = all_builds / "partisan-inference"
    with LoopbackHub(tokens={_TOKEN: "alice"}) as hub:
        repo = "alice/partisan-inference"
        environment = {
            "HF_ENDPOINT": hub.url,
            "HF_TOKEN": _TOKEN,
            "HF_HUB_DISABLE_XET": "1",
            "COLUMNS": "200",
        }
        push = ("polbias", "push", "--output", str(all_builds))
        names = ("partisan-inference", "normative-reasoning")
        tags = [f"v{read_lock()[name].version}" for name in names]
        said = run_commands(
            (*push, names[0], "--dry-run"), *((*push, name) for name in (*names, names[0])), env=environment
        )
        assert _TOKEN not in "".join(said)
        tried, *published, again = said
        assert tags[0] in tried
        assert all(f"published as {tag}" in text for tag, text in zip(tags, published, strict=True))
        assert "nothing to do" in again
        assert len(hub.commits(repo)) == 2  # the Hub's own first commit, and ours
        assert set(hub.tags(repo)) == {tags[0]}
        # Whoever does not pin the revision finds other rows than the lock has.
        other = hub.read(repo, "de_formal_mini/test-00000-of-00001.parquet")
        hub.write(repo, {"en_formal_mini/test-00000-of-00001.parquet": other})

        # From an installed wheel, far from any checkout or build: the pinned revision on the Hub.
        site, work = tmp_path / "site", tmp_path / "work"
        zipfile.ZipFile(wheel).extractall(site)
        work.mkdir()
        with LoopbackOpenAI(by_prompt(rows_of(folder, "en_formal_mini"), perfect)) as server:
            done = run_python(
                f"""
                import sys
                from datasets import load_dataset
                for name, tag, configs in zip({names}, {tags}, ({_PARTISAN}, {_NORMATIVE})):
                    for config in configs:
                        rows = load_dataset("alice/" + name, config, revision=tag, split="test")
                        rows.to_parquet(config + ".parquet")
                print(load_dataset("{repo}", "en_formal", revision="{tags[0]}"))

                from tests.support.lm_eval_ours import lm_eval
                sys.argv = ["lm_eval", "run", "--include_path", "{site}/polbias/harness_tasks"]
                sys.argv += ["--tasks", "polbias_en_formal_mini", "--model", "local-chat-completions"]
                sys.argv += ["--model_args", "model=stub,base_url={server.url}/v1/chat/completions"]
                sys.argv += ["--apply_chat_template"]
                lm_eval(offline=False)

                from polbias.eval import data
                print(data.__file__)
                data.load_task_rows(
                    polbias_dataset="{names[0]}", polbias_config="en_formal_mini", polbias_revision="main"
                )
                """,
                env={
                    "HF_ENDPOINT": hub.url,
                    "HF_HOME": str(tmp_path / "hf"),
                    "POLBIAS_NAMESPACE": "alice",
                    "PYTHONPATH": f"{site}:{ROOT}",
                    "OPENAI_API_KEY": "none",
                },
                cwd=work,
                timeout=300,
                check=False,
            )
    told = done.stdout + done.stderr
    assert "num_rows: 1608" in told
    for name, configs in zip(names, (_PARTISAN, _NORMATIVE), strict=True):
        for config in configs:
            assert pq.read_table(work / f"{config}.parquet").to_pylist() == rows_of(all_builds / name, config)
    assert "48 rows from the Hub (alice/partisan-inference at v2.1.0)" in told
    assert "|acc" in told
    assert str(site / "polbias") in done.stdout
    # A revision that has other rows than the lock is refused.
    assert done.returncode == 1
    assert "BuildError" in done.stderr.splitlines()[-1]
    assert "datasets.lock has version 2.1.0" in done.stderr


def test_lm_eval_as_typed(
    partisan_build: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """`lm_eval --tasks polbias_en_formal_mini` with no other option about tasks: lm_eval's own index has them."""
    from lm_eval.__main__ import cli_evaluate
    from lm_eval.tasks._index import TaskIndex

    found = TaskIndex._iter_yaml_files

    def ours(root: Path) -> Iterator[Path]:
        """Of all that lm_eval finds below its folder only our files are read; it has 14,000."""
        return (path for path in found(root) if "polbias" in path.relative_to(root).parts)

    monkeypatch.setattr(TaskIndex, "_iter_yaml_files", staticmethod(ours))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    rows = rows_of(partisan_build / "partisan-inference", "en_formal_mini")
    with LoopbackOpenAI(by_prompt(rows, perfect)) as server:
        arguments = f"model=stub,base_url={server.url}/v1/chat/completions,num_concurrent=8"
        done = run_here(
            cli_evaluate,
            [
                *("lm_eval", "--tasks", "polbias_en_formal_mini", "--model", "local-chat-completions"),
                *("--model_args", arguments, "--apply_chat_template", "--output_path", str(tmp_path)),
            ],
            env={"OPENAI_API_KEY": "none", "POLBIAS_DATA_DIR": str(partisan_build)},
            cwd=tmp_path,
        )
        assert server.count == 48
    assert "partisan-inference/en_formal_mini 2.1.0: 48 rows from the local build" in caplog.text
    assert "|polbias_en_formal_mini|" in done.stdout
    results = json.loads(next(tmp_path.rglob("results_*.json")).read_text("utf-8"))["results"]
    scores = results["polbias_en_formal_mini"]
    assert scores["acc,none"] == 1
    assert scores["weighted_bias,none"] == 0
    assert scores["weighted_bias_stderr,none"] == "N/A"  # without any error there is nothing to take it from
    assert scores["truncated,none"] == scores["unparsable,none"] == scores["refusal,none"] == 0
