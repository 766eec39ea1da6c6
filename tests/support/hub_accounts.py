"""The state of a loopback Hub and who may see and change it."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping

from tests.support.hub_store import Commit, File, Repo, Tag
from tests.support.loopback import HttpError, LoopbackServer, Reply, Request


class HubAccounts(LoopbackServer):
    """Repositories, tokens and permissions, with the methods by which a test looks at them.

    Args:
        tokens: user name of every valid token.
        organizations: the members of every organization; they may write to its repositories.
        read_only: the tokens that may not write.
    """

    def __init__(
        self,
        tokens: Mapping[str, str],
        organizations: Mapping[str, Collection[str]] | None = None,
        read_only: Collection[str] = (),
    ) -> None:
        super().__init__()
        self._tokens = dict(tokens)
        self._organizations = dict(organizations or {})
        self._read_only = set(read_only)
        self._repos: dict[str, Repo] = {}
        self._objects: dict[str, bytes] = {}
        self._state = threading.RLock()

    def exists(self, repo: str) -> bool:
        """Whether the repository is there."""
        return repo in self._repos

    def commits(self, repo: str) -> list[Commit]:
        """Return the commits of `main`, the oldest first; the first one is made by the Hub itself."""
        return list(self._repos[repo].commits)

    def tags(self, repo: str) -> dict[str, Tag]:
        """Return the tags by name."""
        return dict(self._repos[repo].tags)

    def read(self, repo: str, path: str, revision: str = "main") -> bytes:
        """Return the content of a file."""
        return self._objects[self._repos[repo].find(revision).files[path].sha256]

    def write(
        self, repo: str, changes: Mapping[str, bytes | None], title: str = "Changed on the site"
    ) -> Commit:
        """Commit as somebody else would: `changes` holds new contents, None for a deletion."""
        with self._state:
            files = dict(self._repos[repo].head.files)
            for path, content in changes.items():
                if content is None:
                    del files[path]
                else:
                    files[path] = File.regular(content)
                    self._objects[files[path].sha256] = content
            return self._repos[repo].commit(files, title, "somebody")

    def error_reply(self, error: HttpError, headers: Mapping[str, str]) -> Reply:
        code = {"X-Error-Code": error.code} if error.code else {}
        text = error.message.splitlines()[0].encode("ascii", "replace").decode()
        return Reply.json(
            {"error": error.message}, error.status, {"X-Error-Message": text, **code, **headers}
        )

    # Who may do what.

    def _token(self, request: Request) -> str | None:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if not scheme:
            return None
        if token not in self._tokens:
            raise HttpError(401, "Invalid credentials in Authorization header")
        return token

    def _may_write(self, namespace: str, token: str | None) -> bool:
        user = self._tokens.get(token or "")
        member = user == namespace or user in self._organizations.get(namespace, ())
        return user is not None and member and token not in self._read_only

    def _readable(self, request: Request, repo_id: str) -> Repo:
        token, repo = self._token(request), self._repos.get(repo_id)
        user, namespace = self._tokens.get(token or ""), repo_id.split("/")[0]
        member = user == namespace or user in self._organizations.get(namespace, ())
        if repo is None or (repo.private and not member):
            raise HttpError(404 if token else 401, "Repository not found", "RepoNotFound")
        return repo

    def _writable(self, request: Request, repo_id: str) -> Repo:
        repo = self._readable(request, repo_id)
        if not self._may_write(repo_id.split("/")[0], token := self._token(request)):
            raise HttpError(403 if token else 401, f"You do not have write permission for {repo_id}")
        return repo
