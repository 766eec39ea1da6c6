"""Every way in which a Hub, the network or the disk fails: one clear line, nothing half done, and a cure."""

from __future__ import annotations

import socket
import traceback
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from huggingface_hub import get_session

from polbias.errors import PublishError
from polbias.publishing import client
from polbias.publishing.client import resolve_namespace
from polbias.publishing.hub import push
from polbias.publishing.plan import plan_push
from tests.publishing.conftest import REPO, TOKEN
from tests.support.hub import LoopbackHub
from tests.support.loopback import LoopbackServer, Reply, Request
from tests.support.process import run_python

# The client uploads with an argument that its own HTTP library has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")

Attempt = Callable[[], object]

ALWAYS = 99
READ = "GET /api/datasets/alice/mini"
WRITES = (
    "/repos/create",
    "/validate-yaml",
    "/preupload/",
    "/objects/batch",
    "PUT /lfs/",
    "/verify",
    "/commit/",
)


@pytest.fixture
def attempt(hub: LoopbackHub, built: Path) -> Attempt:
    """Push version 1.0.0 of the built dataset once, unless it is there."""

    def run() -> None:
        plan = plan_push(built, REPO, "1.0.0")
        if not plan.nothing_to_do:
            push(plan)

    return run


def failure(attempt: Attempt) -> str:
    """Return the one line with which an attempt fails."""
    with pytest.raises(PublishError) as caught:
        attempt()
    text = str(caught.value)
    assert "\n" not in text
    assert TOKEN not in "".join(traceback.format_exception(caught.value))
    return text


def assert_nothing_published(hub: LoopbackHub) -> None:
    if hub.exists(REPO):
        assert [commit.title for commit in hub.commits(REPO)] == ["initial commit"]
        assert hub.tags(REPO) == {}


def assert_healed(hub: LoopbackHub, attempt: Attempt) -> None:
    """A second attempt publishes, a third one finds nothing to do."""
    attempt()
    attempt()
    assert [commit.title for commit in hub.commits(REPO)] == ["initial commit", "Version 1.0.0"]
    assert hub.tags(REPO)["v1.0.0"].target == hub.commits(REPO)[-1].oid


@pytest.mark.parametrize("status", [500, 429, 401, 403])
@pytest.mark.parametrize("place", [READ, *WRITES])
def test_an_error_anywhere_before_the_commit_leaves_no_trace(
    hub: LoopbackHub, attempt: Attempt, place: str, status: int
) -> None:
    hub.fail_next(status, place, times=ALWAYS)
    assert f"HTTP {status} (injected fault)" in failure(attempt)
    assert_nothing_published(hub)
    hub.clear_faults()
    assert_healed(hub, attempt)


@pytest.mark.parametrize("place", [READ, *WRITES])
def test_a_lost_connection_before_the_commit_leaves_no_trace(
    hub: LoopbackHub, attempt: Attempt, place: str
) -> None:
    hub.drop_next(place, times=ALWAYS)
    assert "no connection to the Hub, or it was lost" in failure(attempt)
    hub.clear_faults()
    assert_nothing_published(hub)
    assert_healed(hub, attempt)


@pytest.mark.parametrize("place", ["/repos/create", "/commit/", "/tag/"])
def test_a_lost_answer_is_made_up_for_by_the_next_push(
    hub: LoopbackHub, attempt: Attempt, place: str
) -> None:
    hub.drop_next(place, after=True)
    assert "run the push again" in failure(attempt)
    assert_healed(hub, attempt)


@pytest.mark.parametrize("place", ["PUT /lfs/", "/objects/batch"])
def test_a_short_trouble_while_uploading_is_sat_out(hub: LoopbackHub, attempt: Attempt, place: str) -> None:
    hub.fail_next(503, place, times=2)
    hub.drop_next(place, times=1)
    assert_healed(hub, attempt)


@pytest.mark.parametrize("place", [READ, "/repos/create", "/objects/batch", "/commit/", "/tag/"])
def test_a_silent_hub_is_not_waited_for(
    hub: LoopbackHub, attempt: Attempt, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "TIMEOUT_S", 0.2)
    before = get_session().timeout
    hub.stall_next(place, times=ALWAYS)
    assert "no response for 0.2 seconds" in failure(attempt)
    assert get_session().timeout == before
    assert len(hub.requests) < 20


@pytest.mark.parametrize(
    ("status", "place", "advice"),
    [
        (401, "/refs", "hf auth login"),
        (403, "/commit/", "POLBIAS_NAMESPACE"),
        (404, "/commit/", "check the name"),
        (409, "/tag/", "somebody else"),
        (412, "/commit/", "look at their change"),
        (429, "/commit/", "wait a few minutes"),
        (502, "/commit/", "internal error"),
        (418, "/tag/", "rejected the request"),
    ],
)
def test_every_status_says_what_to_do(
    hub: LoopbackHub, attempt: Attempt, built: Path, status: int, place: str, advice: str
) -> None:
    attempt()
    (built / "manifest.json").write_text("{}")
    hub.fail_next(status, place)
    text = failure(lambda: push(plan_push(built, REPO, "1.1.0")))
    assert text.startswith(f"{REPO}: ")
    assert f"HTTP {status}" in text
    assert advice in text


def test_somebody_makes_the_repository_first(hub: LoopbackHub, built: Path) -> None:
    plan = plan_push(built, REPO, "1.0.0")
    push(plan)
    assert "creating the repository failed: HTTP 409" in failure(lambda: push(plan))
    assert len(hub.commits(REPO)) == 2


def test_somebody_sets_the_tag_first(hub: LoopbackHub, built: Path, attempt: Attempt) -> None:
    hub.fail_next(500, "/tag/")
    failure(attempt)
    plan = plan_push(built, REPO, "1.0.0")
    push(plan)
    assert "HTTP 409" in failure(lambda: push(plan))
    assert_healed(hub, attempt)


@pytest.mark.parametrize(("token", "status"), [("hf_wrong", 401), ("hf_reader", 403), ("hf_bob", 403)])
def test_a_token_without_the_right(
    hub: LoopbackHub, attempt: Attempt, monkeypatch: pytest.MonkeyPatch, token: str, status: int
) -> None:
    monkeypatch.setenv("HF_TOKEN", token)
    text = failure(attempt)
    assert f"HTTP {status}" in text
    assert token not in text
    assert not hub.exists(REPO)


def test_a_repository_that_the_token_may_not_see_is_not_taken_for_a_missing_one(
    hub: LoopbackHub, attempt: Attempt
) -> None:
    hub.fail_next(401, READ, headers={"X-Error-Code": "RepoNotFound"})
    assert "HTTP 401" in failure(attempt)
    assert len(hub.requests) == 1


@pytest.mark.skipif(find_spec("hf_xet") is None, reason="needs hf_xet")
def test_an_upload_over_xet_is_refused(hub: LoopbackHub, built: Path, tmp_path: Path) -> None:
    code = f"""
        from pathlib import Path
        from polbias.publishing.hub import push
        from polbias.publishing.plan import plan_push
        push(plan_push(Path({str(built)!r}), {REPO!r}, "1.0.0"))
    """
    hub.fail_next(403, "/xet-write-token/", times=ALWAYS)
    done = run_python(
        code, env={"HF_TOKEN": TOKEN, "HF_HOME": str(tmp_path), "HF_ENDPOINT": hub.url}, check=False
    )
    assert f"HubError: {REPO}: uploading failed: HTTP 403; the token may not do that" in done.stderr
    assert_nothing_published(hub)


def test_no_token(hub: LoopbackHub, built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_TOKEN")
    text = failure(lambda: plan_push(built, REPO, "1.0.0"))
    assert "hf auth login" in text
    assert "HF_TOKEN" in text
    assert "hf auth login" in failure(lambda: resolve_namespace())
    assert hub.requests == []


@pytest.mark.parametrize("token", ["hf_secret value", "hf_secret\u2013x"])
def test_a_mangled_token_is_not_quoted(
    hub: LoopbackHub, attempt: Attempt, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv("HF_TOKEN", token)
    text = failure(attempt)
    assert "secret" not in text
    assert hub.requests == []


def test_a_token_that_the_hub_quotes_is_struck_out(hub: LoopbackHub, attempt: Attempt) -> None:
    hub.fail_next(403, "/repos/create", message=f"{TOKEN} may not\nwrite here " + "x" * 500)
    text = failure(attempt)
    assert "[key] may not write here" in text
    assert len(text) < 500


def test_nobody_listens(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}"
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", address)
        text = failure(lambda: plan_push(built, REPO, "1.0.0"))
    assert "no connection to the Hub, or it was lost" in text
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "nowhere")
    text = failure(lambda: plan_push(built, REPO, "1.0.0"))
    assert text.startswith(f"{REPO}: reading the repository failed")


def test_the_hub_is_switched_off(hub: LoopbackHub, attempt: Attempt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert "HF_HUB_OFFLINE" in failure(attempt)


class NoHub(LoopbackServer):
    def respond(self, request: Request) -> Reply:
        return Reply(200, b"<html>Please log in to the hotel's network</html>", {"Content-Type": "text/html"})


def test_the_endpoint_is_no_hub(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    with NoHub() as server:
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", server.url)
        text = failure(lambda: plan_push(built, REPO, "1.0.0"))
    assert "not from a Hub" in text


def test_a_card_that_the_hub_refuses(hub: LoopbackHub, built: Path, attempt: Attempt) -> None:
    card = (built / "README.md").read_text(encoding="utf-8")
    (built / "README.md").write_text(card.replace("license:", "license: [:"), encoding="utf-8")
    text = failure(attempt)
    assert "Invalid metadata in README.md" in text
    assert_nothing_published(hub)
    (built / "README.md").write_text(card, encoding="utf-8")
    assert_healed(hub, attempt)


def test_a_file_vanishes_between_plan_and_push(hub: LoopbackHub, built: Path, attempt: Attempt) -> None:
    plan = plan_push(built, REPO, "1.0.0")
    shard = built / "en_formal" / "test-00000-of-00001.parquet"
    content = shard.read_bytes()
    shard.unlink()
    assert "test-00000-of-00001.parquet" in failure(lambda: push(plan))
    assert_nothing_published(hub)
    shard.write_bytes(content)
    assert_healed(hub, attempt)


def test_a_file_that_cannot_be_read(
    hub: LoopbackHub, attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, *args: object, **kwargs: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", refuse)
        assert "README.md: cannot be read (Permission denied)" in failure(attempt)
    assert hub.requests == []


def test_nothing_secret_is_printed(hub: LoopbackHub, built: Path, tmp_path: Path) -> None:
    code = f"""
        from pathlib import Path
        from polbias.publishing.hub import push
        from polbias.publishing.plan import plan_push
        plan = plan_push(Path({str(built)!r}), {REPO!r}, "1.0.0")
        print(plan, plan.describe())
        print(push(plan))
        push(plan)
    """
    env = {
        "HF_TOKEN": TOKEN,
        "HF_HOME": str(tmp_path),
        "HF_ENDPOINT": hub.url,
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_VERBOSITY": "debug",
    }
    done = run_python(code, env=env, check=False)
    assert done.returncode == 1
    assert "published as v1.0.0" in done.stdout
    assert "HubError" in done.stderr
    assert TOKEN not in done.stdout + done.stderr
