"""The loopback Hub behaves as the clients expect of the real one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import (
    CommitOperationAdd,
    CommitOperationDelete,
    HfApi,
    HfFileSystem,
    get_session,
    hf_hub_download,
    snapshot_download,
)
from huggingface_hub.errors import (
    BadRequestError,
    EntryNotFoundError,
    HfHubHTTPError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.hf_api import RepoFile, RepoFolder

from tests.publishing.conftest import CARD, REPO, TOKEN
from tests.support.hub import LoopbackHub
from tests.support.hub_store import blob_id
from tests.support.loopback import LoopbackServer, Reply, Request
from tests.support.process import run_python

# The client uploads with an argument that its own HTTP library has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")

SHARD = "en/test-00000-of-00001.parquet"
CONTENT = bytes(range(256)) * 8


@pytest.fixture
def api(hub: LoopbackHub) -> HfApi:
    """A client of Alice, whose repository holds a card, a large file and a plain file in a folder."""
    client = HfApi(hub.url, TOKEN)
    client.create_repo(REPO, repo_type="dataset")
    files = {"README.md": CARD.encode(), SHARD: CONTENT, "docs/a/notes.txt": b"notes"}
    commit(client, *(CommitOperationAdd(path, content) for path, content in files.items()))
    return client


def commit(
    api: HfApi, *operations: CommitOperationAdd | CommitOperationDelete, parent: str | None = None
) -> str:
    return api.create_commit(
        REPO, operations, commit_message="change", repo_type="dataset", parent_commit=parent
    ).oid


def status_of(error: pytest.ExceptionInfo[HfHubHTTPError]) -> int:
    return error.value.response.status_code


def test_files_have_the_ids_of_git_and_lfs(hub: LoopbackHub, api: HfApi) -> None:
    tree = {entry.path: entry for entry in api.list_repo_tree(REPO, repo_type="dataset", recursive=True)}
    assert set(tree) == {".gitattributes", "README.md", "docs", "docs/a", "docs/a/notes.txt", "en", SHARD}
    notes, shard = tree["docs/a/notes.txt"], tree[SHARD]
    assert isinstance(tree["docs/a"], RepoFolder)
    assert isinstance(notes, RepoFile)
    assert (notes.blob_id, notes.lfs) == (blob_id(b"notes"), None)
    assert isinstance(shard, RepoFile)
    assert shard.lfs is not None
    assert (shard.size, shard.lfs.size) == (len(CONTENT), len(CONTENT))
    siblings = api.dataset_info(REPO, files_metadata=True).siblings or []
    assert {file.rfilename: file.blob_id for file in siblings}[SHARD] == shard.blob_id
    assert {file.lfs.sha256 for file in siblings if file.lfs} == {shard.lfs.sha256}


def test_tree_of_a_folder_and_paths_info(api: HfApi) -> None:
    assert [e.path for e in api.list_repo_tree(REPO, "docs", repo_type="dataset")] == ["docs/a"]
    info = api.get_paths_info(REPO, ["README.md", "en", "none"], repo_type="dataset")
    assert [entry.path for entry in info] == ["README.md", "en"]
    with pytest.raises(EntryNotFoundError):
        list(api.list_repo_tree(REPO, "none", repo_type="dataset"))


def test_commits_and_refs(hub: LoopbackHub, api: HfApi) -> None:
    api.create_tag(REPO, tag="v1.0.0", tag_message="one", repo_type="dataset")
    first = hub.commits(REPO)[-1].oid
    second = commit(api, CommitOperationDelete("docs/", is_folder=True), parent=first)
    refs = api.list_repo_refs(REPO, repo_type="dataset")
    assert [(ref.name, ref.target_commit) for ref in refs.branches] == [("main", second)]
    assert [(ref.name, ref.target_commit) for ref in refs.tags] == [("v1.0.0", first)]
    titles = [c.title for c in api.list_repo_commits(REPO, repo_type="dataset")]
    assert titles == ["change", "change", "initial commit"]
    assert api.dataset_info(REPO, revision="v1.0.0").sha == first
    assert set(hub.commits(REPO)[-1].files) == {".gitattributes", "README.md", SHARD}
    with pytest.raises(HfHubHTTPError) as stale:
        commit(api, CommitOperationAdd("x.txt", b"x"), parent=first)
    assert status_of(stale) == 412
    with pytest.raises(HfHubHTTPError) as taken:
        api.create_tag(REPO, tag="v1.0.0", repo_type="dataset")
    assert status_of(taken) == 409
    assert hub.tags(REPO)["v1.0.0"].target == first


def test_what_is_there_already_is_not_uploaded_again(hub: LoopbackHub, api: HfApi) -> None:
    hub.requests.clear()
    commit(api, CommitOperationAdd("copy.parquet", CONTENT))
    assert not [line for line in hub.requests if line.startswith("PUT")]
    with pytest.raises(HfHubHTTPError) as missing:
        commit(api, CommitOperationDelete("none.txt"))
    assert status_of(missing) == 404


def test_broken_uploads_are_refused(hub: LoopbackHub, api: HfApi) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    wrong = get_session().put(f"{hub.url}/lfs/{'0' * 64}", content=b"x")
    line = b'{"key":"header","value":{"summary":"x"}}\n'
    line += b'{"key":"lfsFile","value":{"path":"x.bin","oid":"%s"}}\n' % (b"0" * 64)
    pointer = get_session().post(f"{hub.url}/api/datasets/{REPO}/commit/main", content=line, headers=headers)
    no_json = get_session().post(f"{hub.url}/api/repos/create", content=b"{", headers=headers)
    assert [wrong.status_code, pointer.status_code, no_json.status_code] == [400, 400, 400]
    assert len(hub.commits(REPO)) == 2


def test_downloads(hub: LoopbackHub, api: HfApi, tmp_path: Path) -> None:
    common: dict[str, Any] = {
        "repo_type": "dataset",
        "endpoint": hub.url,
        "token": TOKEN,
        "cache_dir": tmp_path,
    }
    assert Path(hf_hub_download(REPO, SHARD, **common)).read_bytes() == CONTENT
    folder = Path(snapshot_download(REPO, allow_patterns=["*.md", "docs/*"], **common))
    assert (folder / "docs" / "a" / "notes.txt").read_text() == "notes"
    with HfFileSystem(endpoint=hub.url, token=TOKEN).open(f"datasets/{REPO}/{SHARD}", block_size=64) as file:
        file.seek(100)
        assert file.read(10) == CONTENT[100:110]


@pytest.mark.parametrize(
    ("asked", "status", "expected"),
    [
        ("bytes=2-4", 206, CONTENT[2:5]),
        ("bytes=2040-", 206, CONTENT[2040:]),
        ("bytes=-3", 206, CONTENT[-3:]),
        ("bytes=9999-", 416, b""),
        ("lines=1-2", 200, CONTENT),
    ],
)
def test_ranges(hub: LoopbackHub, api: HfApi, asked: str, status: int, expected: bytes) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}", "Range": asked}
    reply = get_session().get(f"{hub.url}/datasets/{REPO}/resolve/main/{SHARD}", headers=headers)
    assert (reply.status_code, reply.content) == (status, expected)
    assert reply.headers["X-Repo-Commit"] == hub.commits(REPO)[-1].oid


def test_who_may_see_what(hub: LoopbackHub, api: HfApi) -> None:
    api.create_repo("alice/secret", repo_type="dataset", private=True)
    assert api.whoami()["orgs"] == [{"type": "org", "name": "polbias"}]
    assert api.dataset_info("alice/secret").private
    refused: list[tuple[str | bool, int]] = [(False, 401), ("hf_bob", 404), ("hf_wrong", 401)]
    for token, status in refused:
        with pytest.raises(HfHubHTTPError) as caught:
            HfApi(hub.url, token).dataset_info("alice/secret")
        assert status_of(caught) == status
    assert HfApi(hub.url, False).dataset_info(REPO).id == REPO
    with pytest.raises(RepositoryNotFoundError):
        api.dataset_info("alice/none")
    with pytest.raises(RevisionNotFoundError):
        api.dataset_info(REPO, revision="v9")
    with pytest.raises(HfHubHTTPError) as foreign:
        commit(HfApi(hub.url, "hf_bob"), CommitOperationAdd("x.txt", b"x"))
    assert status_of(foreign) == 403


def test_a_bad_card_is_refused(api: HfApi) -> None:
    with pytest.raises(ValueError, match="Invalid metadata"):
        commit(api, CommitOperationAdd("README.md", b"---\na: [\n---\n"))
    with pytest.warns(UserWarning, match="empty or missing"):
        commit(api, CommitOperationAdd("README.md", b"no metadata"))


def test_faults(hub: LoopbackHub, api: HfApi) -> None:
    hub.fail_next(400, "/refs", message="not today")
    with pytest.raises(BadRequestError, match="not today"):
        api.list_repo_refs(REPO, repo_type="dataset")
    hub.drop_next("GET /api/datasets")
    with pytest.raises(Exception, match="disconnected"):
        api.dataset_info(REPO)
    hub.drop_next("GET /api/datasets", after=True)
    with pytest.raises(Exception, match="closed connection"):
        api.dataset_info(REPO)
    assert api.dataset_info(REPO).id == REPO


def test_a_stopped_hub_is_gone_also_for_open_connections(hub: LoopbackHub, api: HfApi) -> None:
    api.dataset_info(REPO)
    hub.stop()
    with pytest.raises(Exception, match=r"refused|disconnected"):
        api.dataset_info(REPO)


def test_a_mistake_in_a_test_server_is_reported() -> None:
    class Broken(LoopbackServer):
        def respond(self, request: Request) -> Reply:
            raise ZeroDivisionError

    with pytest.raises(AssertionError, match="ZeroDivisionError"), Broken() as server:
        assert get_session().get(server.url).status_code == 500


@pytest.mark.e2e
def test_datasets_can_push_to_it(hub: LoopbackHub, tmp_path: Path) -> None:
    code = f"""
        from datasets import Dataset, load_dataset
        Dataset.from_dict({{"x": [1, 2, 3]}}).push_to_hub("{REPO}", "en", split="test")
        rows = load_dataset("{REPO}", "en", split="test", streaming=True)
        assert [row["x"] for row in rows] == [1, 2, 3]
    """
    env = {"HF_HOME": str(tmp_path), "HF_ENDPOINT": hub.url, "HF_TOKEN": TOKEN, "HF_HUB_DISABLE_XET": "1"}
    run_python(code, env=env, cwd=tmp_path)
    assert [path for path in hub.commits(REPO)[-1].files if path.startswith("en/")] == [SHARD]
