"""The command line as a user types it; in a process of its own where that is part of what is tested."""

from __future__ import annotations

import re
import shutil
import subprocess
import textwrap
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from polbias import registry
from polbias.cli.build import build_with_progress
from polbias.generators.engine.publication import Publication
from polbias.lock import LockedDataset, read_lock, write_lock
from polbias.manifest import read_manifest
from tests.support.builds import write_build
from tests.support.process import run_polbias, run_python

_PLAIN = {"COLUMNS": "200", "NO_COLOR": "1"}
_OWN = ("partisan-inference", "self-assessment")


def polbias(*args: str, check: bool = False, **env: str) -> subprocess.CompletedProcess[str]:
    return run_polbias(*args, env={**_PLAIN, **env}, check=check)


def apart(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    return run_python(["-m", "polbias.cli.main", *args], env={**_PLAIN, **env})


def _one_line(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("polbias: ")
    return lines[0]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    out = tmp_path_factory.mktemp("cli")
    return out, apart("build", *_OWN, "--output", str(out), PYTHONHASHSEED="4242").stdout


@pytest.fixture
def own(built: tuple[Path, str], tmp_path: Path) -> Path:
    return Path(shutil.copytree(built[0], tmp_path / "own"))


def test_help_teaches() -> None:
    told = apart("--help").stdout
    for word in ("build", "list", "show", "push", "verify", "author", "--tasks polbias_en_formal"):
        assert word in told
    assert polbias("--version", check=True).stdout.startswith("polbias ")


def test_the_command_line_begins_without_what_its_commands_need() -> None:
    heavy = ("datasets", "lm_eval", "numpy", "pandas", "pyarrow", "pydantic", "yaml")
    code = f"import sys, polbias.cli.main; print([name for name in {heavy!r} if name in sys.modules])"
    assert run_python(["-c", code]).stdout == "[]\n"


@pytest.mark.parametrize("command", [("list",), ("author", "check-items", "poligen")], ids=" ".join)
def test_a_command_that_reads_no_table_does_not_import_pandas(command: tuple[str, ...]) -> None:
    code = f"""
        import sys
        from polbias.cli.main import app
        try:
            app({[*command]!r})
        except SystemExit as done:
            print(done.code, "pandas" in sys.modules)
    """
    assert run_python(["-c", textwrap.dedent(code)]).stdout.splitlines()[-1] == "0 False"


def test_build_prints_counts_hashes_and_time(built: tuple[Path, str]) -> None:
    told = built[1]
    assert "en_formal " in told
    assert "1,608" in told
    assert "26,816 rows, 34 of 34 tables written" in told
    assert "matches datasets.lock" in told
    assert (built[0] / "partisan-inference" / "README.md").is_file()


def test_second_build_skips_and_changes_nothing(own: Path) -> None:
    def state() -> dict[str, tuple[int, bytes]]:
        files = sorted(path for path in own.rglob("*") if path.is_file())
        return {
            str(path): (path.stat().st_mtime_ns, path.read_bytes())
            for path in files
            if path.suffix != ".lock"
        }

    before = state()
    told = polbias("build", *_OWN, "--output", str(own), check=True).stdout
    assert told.count("unchanged, nothing to do") == len(_OWN)
    assert state() == before


def _every_sixtieth(rows: pa.Table) -> pa.Table:
    """Return every sixtieth row, with its counterpart where pairs are proved together."""
    chosen = rows.take([*range(0, len(rows), 60)])
    if "skeleton_id" not in rows.column_names:
        return chosen
    return rows.filter(pc.is_in(rows["pair_id"], chosen["pair_id"].combine_chunks()))


@pytest.fixture(scope="module")
def proved(all_builds: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All builds, of those that are proved every sixtieth pair or row (`make verify` proves all), and their lock."""
    out = tmp_path_factory.mktemp("proved")
    for name in registry.dataset_names():
        if registry.publication(name).verify_gold:
            configs = {path.parent.name: pq.read_table(path) for path in (all_builds / name).glob("*/test-*")}
            kept = {config: _every_sixtieth(rows) for config, rows in configs.items()}
            write_build(out, name, kept)
        else:
            # without what may say that these were verified
            shutil.copytree(all_builds / name, out / name, ignore=shutil.ignore_patterns(".finger*"))
    locked = {name: LockedDataset.of(read_manifest(out / name)) for name in registry.dataset_names()}
    write_lock(locked, out / "datasets.lock")
    return out


def test_list_and_show(all_builds: Path) -> None:
    out = str(all_builds)
    assert "built here, as published" in polbias("list", "--output", out, check=True).stdout
    shown = polbias("show", "de_formal", "-n", "1", "--output", out, check=True).stdout
    assert "Esther Friedli" in shown
    assert "proved:fol" in shown


def test_verify_proves_every_row_that_has_a_formula(proved: Path) -> None:
    lock = proved / "datasets.lock"
    verified = polbias("verify", "--output", str(proved), check=True, POLBIAS_LOCK=str(lock)).stdout
    assert verified.count("ok ") == 31
    found = dict(
        re.findall(r"(\S+): (\S+ of \S+) formal gold labels proved from their sentences$", verified, re.M)
    )
    name = "partisan-inference-xl"
    configs = read_lock(lock)[name].configs.items()
    rows = sum(splits["test"].rows for config, splits in configs if "material" not in config)
    assert found[name] == f"{rows:,} of {rows:,}"
    assert rows >= 200


def test_verify_is_remembered_until_a_file_changes(own: Path, tmp_path: Path) -> None:
    options = ("self-assessment", "--output", str(own))
    lock = {"POLBIAS_LOCK": str(tmp_path / "datasets.lock")}
    polbias("lock", *options, check=True, **lock)
    first, again = (polbias("verify", *options, check=True, **lock).stdout for _ in range(2))
    assert "nothing changed since" not in first
    assert again.count("nothing changed since") == again.count("ok ") == 1
    path = next((own / "self-assessment").rglob("test-*.parquet"))
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    done = polbias("verify", *options, **lock)
    assert "was changed after the build; run `polbias build" in _one_line(done)


def test_errors_are_one_line(all_builds: Path) -> None:
    out = str(all_builds)
    assert "no dataset is called 'nosuch'; there are: partisan-inference" in _one_line(
        polbias("build", "nosuch")
    )
    assert "found no config 'xx'" in _one_line(polbias("show", "xx", "--output", out))
    assert "less than its 1,608 rows" in _one_line(
        polbias("show", "en_formal", "--start", "9999", "--output", out)
    )


def test_push_without_token_says_how_to_log_in(own: Path, tmp_path: Path) -> None:
    line = _one_line(polbias("push", *_OWN, "--output", str(own), HF_HOME=str(tmp_path / "hf")))
    assert "hf auth login" in line


def test_lock_refuses_changed_content_under_the_same_version(own: Path, tmp_path: Path) -> None:
    lock = tmp_path / "datasets.lock"
    options = ("self-assessment", "--output", str(own))
    polbias("lock", *options, POLBIAS_LOCK=str(lock), check=True)
    text = lock.read_text("utf-8")
    before = re.sub(r"rows: (\d+)", r"rows: 1\1", text, count=1)
    assert before != text
    lock.write_text(before, "utf-8")
    line = _one_line(polbias("lock", *options, POLBIAS_LOCK=str(lock)))
    assert "raise the version" in line
    assert lock.read_text("utf-8") == before


def test_a_broken_template_is_named_by_file_line_and_field(own: Path, tmp_path: Path) -> None:
    from polbias.paths import package_file

    templates = tmp_path / "partisan"
    shutil.copytree(package_file("templates/partisan"), templates)
    path = templates / "countries" / "us-en.yaml"
    path.write_text(
        path.read_text("utf-8").replace("  3-ultraclear: taller\n", "  3-ultraclear: tallest\n"), "utf-8"
    )
    before = (own / "partisan-inference" / "manifest.json").read_bytes()
    line = _one_line(
        polbias("build", "partisan-inference", "--templates", str(templates), "--output", str(own))
    )
    assert "us-en.yaml:" in line
    assert "irrelevant.3-ultraclear" in line
    assert "found 'tallest', expected one of ['comparable', 'taller']" in line
    assert (own / "partisan-inference" / "manifest.json").read_bytes() == before


def test_two_builds_with_different_hash_seeds_are_byte_identical(
    built: tuple[Path, str], tmp_path: Path
) -> None:
    polbias("build", "self-assessment", "--output", str(tmp_path), check=True)
    for path in sorted((built[0] / "self-assessment").rglob("*")):
        if path.is_file():
            assert (tmp_path / path.relative_to(built[0])).read_bytes() == path.read_bytes(), path.name


def test_interrupted_build_says_so_and_leaves_the_earlier_one(own: Path) -> None:
    folder = own / _OWN[1]
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    (folder / ".fingerprints.json").unlink()  # so that everything has to be made again
    done = run_python(
        f"""
        import os, signal, sys
        import pyarrow.parquet as pq

        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for background jobs

        class Writer(pq.ParquetWriter):
            def write_batch(self, batch):
                super().write_batch(batch)
                os.kill(os.getpid(), signal.SIGINT)  # as Ctrl-C in the midst of the first table

        pq.ParquetWriter = Writer
        sys.argv[1:] = ["build", {_OWN[1]!r}, "--output", {str(own)!r}]
        from polbias.cli.main import run; run()
        """,
        check=False,
    )
    assert done.returncode == 130
    assert done.stderr.strip() == "polbias: interrupted; existing files are unchanged"
    staging = own / f".{_OWN[1]}.staging"
    assert not staging.exists()
    for path, content in before.items():
        assert path.name == ".fingerprints.json" or path.read_bytes() == content


def test_a_defect_of_ours_does_not_keep_the_other_datasets_from_being_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = registry.publication

    def publication(name: str) -> Publication:
        return real(name) if name == "self-assessment" else 1 / 0

    monkeypatch.setattr(registry, "publication", publication)
    with pytest.raises(ZeroDivisionError):
        build_with_progress(["policy-statements", "self-assessment"], tmp_path, None)
    assert (tmp_path / "self-assessment" / "manifest.json").is_file()
