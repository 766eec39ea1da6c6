"""A Hugging Face Hub on 127.0.0.1: the HTTP calls of huggingface_hub and datasets, for dataset repositories.

Not there: pull requests, other branches, Xet, multipart uploads, gated repositories and pagination.
Clients need ``HF_HUB_DISABLE_XET=1`` to upload large files.
"""

from __future__ import annotations

import base64
import fnmatch
import hashlib
import json
import re
from urllib.parse import parse_qs, unquote

import yaml

from tests.support.hub_accounts import HubAccounts
from tests.support.hub_store import (
    GITATTRIBUTES,
    LFS_SUFFIXES,
    File,
    Repo,
    Tag,
    file_entry,
    folder_entry,
    sibling,
)
from tests.support.loopback import HttpError, Reply, Request

_REPO = r"/api/datasets/(?P<repo>[^/]+/[^/]+)"
_ROUTES = [
    (method, re.compile(pattern), name)
    for method, pattern, name in (
        ("GET", r"/api/whoami-v2", "whoami"),
        ("POST", r"/api/repos/create", "create_repo"),
        ("POST", r"/api/validate-yaml", "validate_yaml"),
        ("GET", _REPO, "info"),
        ("GET", _REPO + r"/revision/(?P<revision>[^/]+)", "info"),
        ("GET", _REPO + r"/refs", "refs"),
        ("GET", _REPO + r"/commits/(?P<revision>[^/]+)", "list_commits"),
        ("GET", _REPO + r"/tree/(?P<revision>[^/]+)(?:/(?P<path>.*))?", "tree"),
        ("POST", _REPO + r"/paths-info/(?P<revision>[^/]+)", "paths_info"),
        ("POST", _REPO + r"/preupload/main", "preupload"),
        ("POST", _REPO + r"/commit/main", "commit"),
        ("POST", _REPO + r"/tag/(?P<revision>[^/]+)", "tag"),
        ("POST", r"/datasets/(?P<repo>[^/]+/[^/]+)\.git/info/lfs/objects/batch", "lfs_batch"),
        ("PUT", r"/lfs/(?P<oid>[0-9a-f]{64})", "lfs_put"),
        ("POST", r"/lfs/(?P<oid>[0-9a-f]{64})/verify", "lfs_verify"),
        ("HEAD", r"/datasets/(?P<repo>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<path>.+)", "resolve"),
        ("GET", r"/datasets/(?P<repo>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<path>.+)", "resolve"),
    )
]


class LoopbackHub(HubAccounts):
    """A Hub that lives as long as its context manager: ``with LoopbackHub({"hf_test": "alice"}) as hub``."""

    def respond(self, request: Request) -> Reply:
        for method, pattern, name in _ROUTES:
            if method == request.method and (match := pattern.fullmatch(request.path)):
                values = {
                    key: unquote(value) for key, value in match.groupdict().items() if value is not None
                }
                with self._state:
                    reply: Reply = getattr(self, f"_{name}")(request, **values)
                return reply
        raise HttpError(404, f"no such call: {request.method} {request.path}")

    # Accounts and repositories.

    def _whoami(self, request: Request) -> Reply:
        token = self._token(request)
        if token is None:
            raise HttpError(401, "Invalid username or password.")
        user = self._tokens[token]
        orgs = [
            {"type": "org", "name": name} for name, members in self._organizations.items() if user in members
        ]
        role = "read" if token in self._read_only else "write"
        access = {"type": "access_token", "accessToken": {"displayName": "test", "role": role}}
        return Reply.json(
            {"type": "user", "id": user, "name": user, "fullname": user, "orgs": orgs, "auth": access}
        )

    def _create_repo(self, request: Request) -> Reply:
        data, token = request.json(), self._token(request)
        if token is None:
            raise HttpError(401, "Invalid username or password.")
        namespace = data.get("organization") or self._tokens[token]
        repo_id = f"{namespace}/{data['name']}"
        if not self._may_write(namespace, token):
            raise HttpError(
                403, f'You don\'t have the rights to create a dataset under the namespace "{namespace}"'
            )
        if repo_id in self._repos:
            raise HttpError(409, "You already created this dataset repo")
        repo = Repo(repo_id, private=data.get("visibility") == "private" or bool(data.get("private")))
        attributes = File.regular(GITATTRIBUTES)
        self._objects[attributes.sha256] = GITATTRIBUTES
        repo.commit({".gitattributes": attributes}, "initial commit", self._tokens[token])
        self._repos[repo_id] = repo
        return Reply.json({"url": f"{self.url}/datasets/{repo_id}", "name": repo_id, "id": repo_id})

    def _validate_yaml(self, request: Request) -> Reply:
        match = re.match(r"---\r?\n(.*?)\r?\n---", request.json()["content"], re.DOTALL)
        try:
            metadata = yaml.safe_load(match[1]) if match else None
        except yaml.YAMLError as error:
            return Reply.json({"errors": [{"message": str(error)}], "warnings": []}, 400)
        if metadata is not None and not isinstance(metadata, dict):
            return Reply.json({"errors": [{"message": "the metadata is no mapping"}], "warnings": []}, 400)
        warnings = [] if metadata else [{"message": "empty or missing yaml metadata in repo card"}]
        return Reply.json({"errors": [], "warnings": warnings})

    # Reading.

    def _info(self, request: Request, repo: str, revision: str = "main") -> Reply:
        found = self._readable(request, repo)
        commit, blobs = found.find(revision), "blobs" in request.query
        siblings = [sibling(path, file, blobs=blobs) for path, file in commit.files.items()]
        data = {"id": repo, "author": repo.split("/")[0], "sha": commit.oid, "private": found.private}
        dates = {"createdAt": found.commits[0].date, "lastModified": commit.date}
        return Reply.json(
            {**data, **dates, "gated": False, "disabled": False, "tags": [], "siblings": siblings}
        )

    def _refs(self, request: Request, repo: str) -> Reply:
        found = self._readable(request, repo)
        main = {"name": "main", "ref": "refs/heads/main", "targetCommit": found.head.oid}
        tags = [
            {"name": name, "ref": f"refs/tags/{name}", "targetCommit": tag.target}
            for name, tag in found.tags.items()
        ]
        return Reply.json({"branches": [main], "converts": [], "tags": tags})

    def _list_commits(self, request: Request, repo: str, revision: str) -> Reply:
        commits = self._readable(request, repo).commits
        last = next(n for n, commit in enumerate(commits) if commit is self._repos[repo].find(revision))
        return Reply.json(
            [
                {
                    "id": c.oid,
                    "title": c.title,
                    "message": "",
                    "date": c.date,
                    "authors": [{"user": c.author}],
                }
                for c in reversed(commits[: last + 1])
            ]
        )

    def _tree(self, request: Request, repo: str, revision: str, path: str = "") -> Reply:
        found = self._readable(request, repo)
        recursive = request.query.get("recursive", ["false"])[0].lower() in ("true", "1")
        return Reply.json(found.tree(found.find(revision), path, recursive=recursive))

    def _paths_info(self, request: Request, repo: str, revision: str) -> Reply:
        if "json" in request.headers.get("Content-Type", ""):
            paths = request.json()["paths"]
        else:
            paths = parse_qs(request.body.decode())["paths"]
        files = self._readable(request, repo).find(revision).files
        folders = [folder_entry(p) for p in paths if any(name.startswith(f"{p}/") for name in files)]
        return Reply.json([file_entry(p, files[p]) for p in paths if p in files] + folders)

    def _resolve(self, request: Request, repo: str, revision: str, path: str) -> Reply:
        commit = self._readable(request, repo).find(revision)
        file = commit.files.get(path)
        if file is None:
            raise HttpError(404, "Entry not found", "EntryNotFound")
        headers = {"X-Repo-Commit": commit.oid, "ETag": f'"{file.etag}"', "Accept-Ranges": "bytes"}
        if file.is_lfs:
            headers |= {"X-Linked-Size": str(file.size), "X-Linked-Etag": f'"{file.etag}"'}
        content = self._objects[file.sha256]
        match = re.fullmatch(r"bytes=(\d*)-(\d*)", request.headers.get("Range", ""))
        if match is None or not any(match.groups()):
            return Reply(200, content, headers)
        first, last = match.groups()
        start = int(first) if first else max(0, len(content) - int(last))
        end = min(int(last) + 1 if first and last else len(content), len(content))
        if start >= end:
            return Reply(416, b"", {**headers, "Content-Range": f"bytes */{len(content)}"})
        span = {"Content-Range": f"bytes {start}-{end - 1}/{len(content)}"}
        return Reply(206, content[start:end], {**headers, **span})

    # Writing.

    def _preupload(self, request: Request, repo: str) -> Reply:
        head = self._writable(request, repo).head
        ignore = self._objects[head.files[".gitignore"].sha256].decode() if ".gitignore" in head.files else ""
        data = request.json()
        patterns = [line.strip() for line in data.get("gitIgnore", ignore).splitlines() if line.strip()]
        return Reply.json(
            {
                "files": [
                    {
                        "path": path,
                        "uploadMode": "lfs" if path.endswith(LFS_SUFFIXES) else "regular",
                        "shouldIgnore": any(fnmatch.fnmatch(path, pattern) for pattern in patterns),
                        "oid": head.files[path].etag if path in head.files else None,
                    }
                    for path in (file["path"] for file in data["files"])
                ]
            }
        )

    def _lfs_batch(self, request: Request, repo: str) -> Reply:
        self._writable(request, repo)
        objects = []
        for item in request.json()["objects"]:
            entry = {"oid": item["oid"], "size": item["size"], "authenticated": True}
            if item["oid"] not in self._objects:
                href = f"{self.url}/lfs/{item['oid']}"
                entry["actions"] = {"upload": {"href": href}, "verify": {"href": f"{href}/verify"}}
            objects.append(entry)
        return Reply.json({"transfer": "basic", "objects": objects})

    def _lfs_put(self, request: Request, oid: str) -> Reply:
        if hashlib.sha256(request.body).hexdigest() != oid:
            raise HttpError(400, "the content does not match its id")
        self._objects[oid] = request.body
        return Reply(200)

    def _lfs_verify(self, request: Request, oid: str) -> Reply:
        if len(self._objects.get(oid, b"")) != request.json()["size"]:
            raise HttpError(404, "the object was not uploaded")
        return Reply.json({})

    def _commit(self, request: Request, repo: str) -> Reply:
        found = self._writable(request, repo)
        header, *operations = [json.loads(line) for line in request.body.splitlines()]
        if header["value"].get("parentCommit", found.head.oid) != found.head.oid:
            raise HttpError(412, "A commit has happened since. Please refresh and try again.")
        files, contents = dict(found.head.files), {}
        for operation in operations:
            path, value = operation["value"]["path"], operation["value"]
            if operation["key"] == "file":
                content = base64.b64decode(value["content"])
                files[path] = File.regular(content)
                contents[files[path].sha256] = content
            elif operation["key"] == "lfsFile":
                if value["oid"] not in self._objects:
                    raise HttpError(400, f"LFS pointer pointed to a file that does not exist: {path}")
                files[path] = File.lfs(value["oid"], len(self._objects[value["oid"]]))
            else:
                gone = [name for name in files if name == path or name.startswith(f"{path.rstrip('/')}/")]
                if not gone:
                    raise HttpError(404, f"A file with this name doesn't exist: {path}", "EntryNotFound")
                for name in gone:
                    del files[name]
        self._objects |= contents
        user = self._tokens[self._token(request) or ""]
        commit = found.commit(files, header["value"]["summary"], user)
        url = f"{self.url}/datasets/{repo}/commit/{commit.oid}"
        return Reply.json({"success": True, "commitOid": commit.oid, "commitUrl": url, "hookOutput": ""})

    def _tag(self, request: Request, repo: str, revision: str) -> Reply:
        found, data = self._writable(request, repo), request.json()
        if data["tag"] in found.tags:
            raise HttpError(409, f"Tag reference exists already: {data['tag']}")
        found.tags[data["tag"]] = Tag(found.find(revision).oid, data.get("message"))
        return Reply.json({"success": True})
