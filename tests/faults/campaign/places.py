"""The places without a model: builds, push, report, export of annotations."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from polbias.generators.engine import TableRows
from polbias.paths import package_file
from tests.faults.campaign.place import HUB_TOKEN, Place
from tests.support.builds import write_build
from tests.support.hub import LoopbackHub
from tests.support.loopback import LoopbackServer

CONFIGS = ("en_formal_mini", "en_material_mini")
_REPO = "alice/self-assessment"


def partisan_builds(folder: Path) -> Mapping[str, str]:
    """Write a small build of the partisan dataset with a lock of its own; return the environment for it."""
    from polbias.generators.partisan.tables import dataset

    tables = {table.config: table for table in dataset().tables if table.split == "test"}
    rows = {
        name: [row for batch in TableRows(tables[name]).batches(0, 48) for row in batch.to_pylist()]
        for name in CONFIGS
    }
    write_build(folder, "partisan-inference", rows)
    return {"POLBIAS_DATA_DIR": str(folder), "POLBIAS_LOCK": str(folder / "datasets.lock")}


def older_templates(family: str, folder: Path) -> Path:
    """Copy the templates of a family as an earlier version."""
    shutil.copytree(package_file(f"templates/{family}"), folder)
    path = folder / "dataset.yaml"
    text, count = re.subn(r"(?m)^( *version: )[1-9]\d*\.", r"\g<1>0.", path.read_text("utf-8"))
    assert count == 1
    path.write_text(text, "utf-8")
    return folder


class Build(Place):
    """`polbias build`, with and without an earlier version in its place."""

    name = "build"
    whole = True

    def arguments(self) -> Sequence[str]:
        return ["build", "self-assessment", "--output", str(self.out)]

    def make_earlier(self) -> bool:
        templates = older_templates("selfassess", self.given / "older")
        self.must(*self.arguments(), "--templates", str(templates))
        return True


class ScaledBuild(Place):
    """`polbias build --rows --shards`: shards that are there are kept."""

    name = "scaled build"

    def arguments(self) -> Sequence[str]:
        size = ["--rows", "2000", "--shards", "40"]
        return ["build", "partisan-inference-xl", *size, "--output", str(self.out)]

    def counts(self, path: str) -> bool:
        return not path.endswith(".partial")


class Push(Place):
    """`polbias push` to a loopback Hub, which may hold an earlier version."""

    name = "push"
    impatient: ClassVar[Mapping[str, Any]] = {"polbias.publishing.client.TIMEOUT_S": 1.0}
    hub: LoopbackHub

    def arguments(self) -> Sequence[str]:
        return ["push", "self-assessment", "--output", str(self.given / "new")]

    def environment(self) -> Mapping[str, str]:
        return {"HF_TOKEN": HUB_TOKEN}

    def serve(self) -> LoopbackServer:
        self.hub = LoopbackHub({HUB_TOKEN: "alice"})
        return self.hub

    def settings(self) -> Mapping[str, Any]:
        return {"huggingface_hub.constants.ENDPOINT": self.hub.url}

    def give(self) -> None:
        self._build("new")
        self.must("verify", "self-assessment", "--output", str(self.given / "new"))  # a push writes no note

    def _build(self, version: str, *more: str) -> None:
        self.must("build", "self-assessment", "--output", str(self.given / version), *more)

    def make_earlier(self) -> bool:
        older = ("--templates", str(older_templates("selfassess", self.given / "older")))
        self._build("old", *older)
        # Its version is not that of the lock.
        self.must("push", "self-assessment", "--output", str(self.given / "old"), *older, "--unverified")
        self._old = dict(self.hub._repos), dict(self.hub._objects)
        return True

    def reset_server(self, earlier: bool) -> None:
        self.hub._repos.clear()
        self.hub._objects.clear()
        if earlier:
            repos, objects = self._old
            for name, repo in repos.items():
                self.hub._repos[name] = type(repo)(repo.id, repo.private, [*repo.commits], {**repo.tags})
            self.hub._objects |= objects

    def extra(self) -> Mapping[str, str]:
        if not self.hub.exists(_REPO):
            return {}
        commits, tags = self.hub.commits(_REPO), self.hub.tags(_REPO)
        return {
            "hub/commits": json.dumps([[commit.title, commit.oid] for commit in commits]),
            "hub/tags": json.dumps({name: tag.target for name, tag in sorted(tags.items())}),
        }

    def counts(self, path: str) -> bool:
        return False  # a commit is there before its tag; both are checked after the rerun


class Report(Place):
    """`polbias report` on samples of simulated respondents, with and without an earlier report."""

    name = "report"
    whole = True

    def arguments(self) -> Sequence[str]:
        return self._of("new")

    def _of(self, who: str) -> Sequence[str]:
        samples = self.given / "samples" / who
        return ["report", str(samples), "-o", str(self.out / "report"), "--workers", "2"]

    def environment(self) -> Mapping[str, str]:
        return self._data

    def give(self) -> None:
        self._data = partisan_builds(self.given / "builds")
        self._simulate("new", "2")

    def _simulate(self, who: str, seed: str) -> None:
        tasks = [part for config in CONFIGS for part in ("--task", f"polbias_{config}")]
        self.must("simulate", "samples", *tasks, "-o", str(self.given / "samples" / who), "--seed", seed)

    def make_earlier(self) -> bool:
        self._simulate("old", "1")
        self.must(*self._of("old"))
        return True


class LargeReport(Report):
    """The same with other processes that read and analyse, as it is done for large samples."""

    name = "large report"

    def settings(self) -> Mapping[str, Any]:
        return {"polbias.eval.report.build._SMALL": 0}


class Annotate(Place):
    """`polbias author annotate export`: spreadsheets and projects for three annotators."""

    name = "annotate"

    def arguments(self) -> Sequence[str]:
        people = [part for name in ("ada", "bert", "cleo") for part in ("--annotator", name)]
        return ["author", "annotate", "export", "words", "-o", str(self.out / "tasks"), *people]
