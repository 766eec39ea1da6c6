"""What a push does to a Hub, and what the Hub then gives to a reader."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from polbias.errors import PublishError
from polbias.publishing.client import resolve_namespace
from polbias.publishing.hub import push
from polbias.publishing.plan import plan_push
from polbias.publishing.published_card import published_card
from tests.publishing.conftest import CARD, REPO, TOKEN, table
from tests.support.hub import LoopbackHub
from tests.support.process import run_python

# The client uploads with an argument that its own HTTP library has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")

SHARD = "test-00000-of-00001.parquet"
FILES = {"README.md", "manifest.json", f"de_formal/{SHARD}", f"en_formal/{SHARD}"}


def publish(folder: Path, version: str = "1.0.0", repo: str = REPO) -> str:
    return push(plan_push(folder, repo, version))


def change_card(folder: Path, text: str = "\nOne more line.\n") -> None:
    card = folder / "README.md"
    card.write_text(card.read_text(encoding="utf-8") + text, encoding="utf-8")


def test_first_push_makes_the_repository_one_commit_and_an_annotated_tag(
    hub: LoopbackHub, built: Path
) -> None:
    result = publish(built)
    initial, commit = hub.commits(REPO)
    assert commit.parent == initial.oid
    assert set(commit.files) == FILES | {".gitattributes"}
    assert {path for path, file in commit.files.items() if file.is_lfs} == {
        p for p in FILES if "parquet" in p
    }
    assert all(hub.read(REPO, path) == (built / path).read_bytes() for path in FILES)
    assert hub.tags(REPO)["v1.0.0"].target == commit.oid
    assert hub.tags(REPO)["v1.0.0"].message == "Version 1.0.0"
    assert result == f"{hub.url}/datasets/{REPO}/tree/v1.0.0: published as v1.0.0"


def test_second_push_writes_nothing(hub: LoopbackHub, built: Path) -> None:
    publish(built)
    hub.requests.clear()
    plan = plan_push(built, REPO, "1.0.0")
    assert plan.nothing_to_do
    assert all(line.startswith("GET ") for line in hub.requests)
    assert len(hub.commits(REPO)) == 2
    assert "nothing to do" in plan.describe()


def test_new_version_is_one_commit_of_the_changed_files_and_leaves_the_old_tag(
    hub: LoopbackHub, built: Path
) -> None:
    publish(built)
    old = hub.tags(REPO)["v1.0.0"]
    change_card(built)
    (built / "en_formal" / SHARD).rename(built / "en_formal" / "test-00000-of-00002.parquet")
    plan = plan_push(built, REPO, "1.1.0")
    assert [(change.action, change.path) for change in plan.changes] == [
        ("update", "README.md"),
        ("add", "en_formal/test-00000-of-00002.parquet"),
        ("delete", f"en_formal/{SHARD}"),
    ]
    push(plan)
    head = hub.commits(REPO)[-1]
    assert len(hub.commits(REPO)) == 3
    assert ".gitattributes" in head.files
    assert f"en_formal/{SHARD}" not in head.files
    assert hub.tags(REPO) == {"v1.0.0": old, "v1.1.0": hub.tags(REPO)["v1.1.0"]}
    assert hub.tags(REPO)["v1.1.0"].target == head.oid
    assert b"One more line" not in hub.read(REPO, "README.md", "v1.0.0")


def test_a_published_version_stays_as_it_is(hub: LoopbackHub, built: Path) -> None:
    publish(built)
    change_card(built)
    with pytest.raises(PublishError, match=r"1\.0\.0 .*\(README\.md\)"):
        plan_push(built, REPO, "1.0.0")
    publish(built, "1.1.0")
    with pytest.raises(PublishError, match=r"version 1\.0\.5 is older than v1\.1\.0"):
        plan_push(built, REPO, "1.0.5")


def test_an_edit_on_the_site_does_not_unpublish_a_version(hub: LoopbackHub, built: Path) -> None:
    publish(built)
    hub.write(REPO, {"README.md": b"edited on the site", "notes.txt": b"new"})
    assert plan_push(built, REPO, "1.0.0").nothing_to_do
    change_card(built)
    assert [(c.action, c.path) for c in plan_push(built, REPO, "1.0.1").changes] == [
        ("update", "README.md"),
        ("delete", "notes.txt"),
    ]


def test_a_commit_without_its_tag_is_tagged_by_the_next_push(hub: LoopbackHub, built: Path) -> None:
    plan = plan_push(built, REPO, "1.0.0")
    hub.fail_next(500, "/tag/")
    with pytest.raises(PublishError, match=r"setting the tag v1\.0\.0 failed: HTTP 500"):
        push(plan)
    assert hub.tags(REPO) == {}
    healing = plan_push(built, REPO, "1.0.0")
    assert (healing.changes, healing.nothing_to_do) == ((), False)
    planned = hub.commits(REPO)[-1]
    hub.write(REPO, {"README.md": b"edited between plan and push"})
    assert "the content was there already, tagged" in push(healing)
    assert hub.tags(REPO)["v1.0.0"].target == planned.oid
    assert len(hub.commits(REPO)) == 3


def test_dry_run_shows_everything_and_writes_nothing(hub: LoopbackHub, built: Path) -> None:
    plan = plan_push(built, REPO, "1.0.0")
    assert not hub.exists(REPO)
    assert all(line.startswith("GET ") for line in hub.requests)
    lines = plan.describe().splitlines()
    assert lines[:2] == [f"{hub.url}/datasets/{REPO}", "  create   the dataset repository"]
    assert lines[2].startswith("  add      README.md (")
    assert lines[-1] == "  tag      v1.0.0"
    assert len(lines) == 3 + len(FILES)


def test_a_push_by_somebody_else_is_noticed(hub: LoopbackHub, built: Path) -> None:
    publish(built)
    change_card(built)
    plan = plan_push(built, REPO, "1.1.0")
    theirs = hub.write(REPO, {"README.md": b"theirs"})
    with pytest.raises(PublishError, match=r"HTTP 412.*somebody else pushed"):
        push(plan)
    assert hub.commits(REPO)[-1] == theirs
    assert set(hub.tags(REPO)) == {"v1.0.0"}


def test_a_folder_rebuilt_since_the_plan_is_not_tagged(hub: LoopbackHub, built: Path) -> None:
    plan = plan_push(built, REPO, "1.0.0")
    (built / "manifest.json").write_text(json.dumps({"name": "mini", "version": "1.0.0", "rows": 12}))
    with pytest.raises(PublishError, match=r"other files than planned \(manifest\.json\), so v1\.0\.0"):
        push(plan)
    assert hub.tags(REPO) == {}
    assert publish(built)


def test_files_that_the_hub_ignores_are_not_tagged(hub: LoopbackHub, built: Path) -> None:
    publish(built)
    hub.write(REPO, {".gitignore": b"*.json\n"})
    (built / "manifest.json").write_text(json.dumps({"name": "mini", "version": "1.1.0"}))
    with pytest.raises(PublishError, match=r"\(manifest\.json\)"):
        publish(built, "1.1.0")
    assert publish(built, "1.1.0")
    assert ".gitignore" not in hub.commits(REPO)[-1].files


def test_an_organisation_may_be_pushed_to(hub: LoopbackHub, built: Path) -> None:
    assert publish(built, repo="polbias/mini")


def test_namespace(hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch) -> None:
    assert resolve_namespace() == "alice"
    monkeypatch.setenv("POLBIAS_NAMESPACE", "polbias")
    assert resolve_namespace() == "polbias"


def test_the_token_is_found_as_huggingface_hub_finds_it(
    hub: LoopbackHub, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", f" {TOKEN}\n")
    assert f"{hub.url}/datasets/{REPO}" in publish(built)
    assert hub.commits(REPO)[-1].author == "alice"


@pytest.mark.parametrize("lacking", ["README.md", "manifest.json", "*/*.parquet"])
def test_only_a_built_dataset_is_published(hub: LoopbackHub, built: Path, lacking: str) -> None:
    for path in built.glob(lacking):
        path.unlink()
    with pytest.raises(PublishError, match=r"found no .*, expected a built dataset; build it first"):
        plan_push(built, REPO, "1.0.0")
    assert hub.requests == []


def test_links_are_refused(hub: LoopbackHub, built: Path) -> None:
    (built / "secrets.txt").symlink_to("/etc/hostname")
    with pytest.raises(PublishError, match=r"secrets\.txt: found a link"):
        plan_push(built, REPO, "1.0.0")


@pytest.mark.parametrize(
    ("repo", "version"), [("mini", "1.0.0"), ("alice/mi ni", "1.0.0"), (REPO, "1.0"), (REPO, "v1.0.0")]
)
def test_names_are_checked(hub: LoopbackHub, built: Path, repo: str, version: str) -> None:
    with pytest.raises(PublishError):
        plan_push(built, repo, version)
    assert hub.requests == []


def test_a_copied_line_of_the_card_loads_from_the_namespace_of_the_push(
    hub: LoopbackHub, built: Path
) -> None:
    lines = 'load_dataset("polbias/mini", "en_formal")\nload_dataset("polbias/mini-xl")\n'
    change_card(built, lines)
    local = (built / "README.md").read_bytes()
    for repo in (REPO, "polbias/mini"):
        publish(built, repo=repo)
        published = hub.read(repo, "README.md").decode("utf-8")
        assert published.splitlines()[-2:] == [
            f'load_dataset("{repo}", "en_formal")',
            'load_dataset("polbias/mini-xl")',
        ]
        assert plan_push(built, repo, "1.0.0").nothing_to_do
    assert (built / "README.md").read_bytes() == local
    change_card(built, "more\n")
    changes = plan_push(built, REPO, "1.0.1").changes
    assert [(change.path, change.size) for change in changes] == [
        ("README.md", len(local) - len("polbias/mini") + len(REPO) + len("more\n"))
    ]


@pytest.mark.parametrize(
    ("written", "published"),
    [
        ('load_dataset("NAMESPACE/mini")', 'load_dataset("alice/mini")'),
        ("load_dataset('polbias/mini', 'x')", "load_dataset('alice/mini', 'x')"),
        ("url = {https://hub.test/datasets/polbias/mini}", "url = {https://hub.test/datasets/alice/mini}"),
        ('load_dataset("polbias/mini-xl")', 'load_dataset("polbias/mini-xl")'),
        ('load_dataset("build/datasets/mini")', 'load_dataset("build/datasets/mini")'),
        ("by polbias/mini", "by polbias/mini"),
        ("a\r\nb\udcff", "a\r\nb\udcff"),
    ],
)
def test_only_references_to_the_dataset_get_the_namespace(written: str, published: str) -> None:
    assert published_card(written, REPO) == published


def test_problems_of_an_unverified_build_are_on_its_card_until_a_verified_push(
    hub: LoopbackHub, built: Path
) -> None:
    problems = ["en_formal/test: 6 rows", "a < b", "third", "fourth"]
    push(plan_push(built, REPO, "1.0.0", problems))
    front_matter, _, text = hub.read(REPO, "README.md").decode("utf-8").rpartition("---\n")
    assert front_matter + "---\n# A small dataset\n" == CARD
    lines = text.splitlines()
    assert lines[0] == "# A small dataset"
    notice = [line for line in lines[1:] if line]
    assert all(line.startswith(">") for line in notice)
    assert "Not verified" in notice[0]
    assert "4" in notice[0]
    assert [line for line in notice if line.startswith("> - ")][:3] == [
        "> - en_formal/test: 6 rows",
        "> - a &lt; b",
        "> - third",
    ]
    assert plan_push(built, REPO, "1.0.0", problems).nothing_to_do
    with pytest.raises(PublishError, match=r"1\.0\.0 .*\(README\.md\)"):
        plan_push(built, REPO, "1.0.0")
    publish(built, "1.0.1")
    assert hub.read(REPO, "README.md").decode("utf-8") == CARD
    assert "Not verified" in hub.read(REPO, "README.md", "v1.0.0").decode("utf-8")


def test_a_notice_stands_at_the_top_of_a_card_without_title() -> None:
    assert published_card("Text\n", REPO, ["x"]).strip().startswith("> **Not verified")
    card = published_card("---\n# comment\nlicense: mit\n---\nText\n", REPO, ["x"])
    assert card.startswith("---\n# comment\nlicense: mit\n---\n\n> **Not verified")


@pytest.mark.e2e
def test_a_reader_gets_the_tables_of_the_tagged_version(
    hub: LoopbackHub, built: Path, tmp_path: Path
) -> None:
    publish(built)
    pq.write_table(table("en", 2), built / "en_formal" / SHARD)
    publish(built, "2.0.0")
    code = f"""
        from datasets import load_dataset
        for config, revision in [("en_formal", "v1.0.0"), ("de_formal", "v1.0.0"), ("en_formal", None)]:
            data = load_dataset("{REPO}", config, revision=revision, split="test")
            data.to_parquet(f"{{config}}-{{revision}}.parquet")
    """
    env = {"HF_HOME": str(tmp_path / "home"), "HF_ENDPOINT": hub.url, "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    run_python(code, env=env, cwd=tmp_path)
    for config, revision, rows in [
        ("en_formal", "v1.0.0", 6),
        ("de_formal", "v1.0.0", 6),
        ("en_formal", None, 2),
    ]:
        read = pq.read_table(tmp_path / f"{config}-{revision}.parquet")
        assert read.cast(table("en").schema).equals(table(config[:2], rows))
