"""What a place of the campaign is: a command, what it is given, and what it leaves when nothing disturbs it."""

from __future__ import annotations

import hashlib
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any, ClassVar

from tests.faults.campaign.child import Job
from tests.faults.campaign.meter import Meter
from tests.faults.campaign.zygote import Child, Zygote
from tests.support.loopback import LoopbackServer

HUB_TOKEN, KEY = "hf_" + "Geheim" * 5, "sk-" + "geheim" * 5
Snapshot = Mapping[str, str]


class Place:
    """A command that writes, with the folder that it writes to.

    ``given`` is only read by the command, ``out`` only written; both are below `base` and always the same, so
    that paths and addresses in results are, too. Subclasses say what is run and what of it counts.

    Args:
        base: folder of its own.
        zygote: runs the command.
    """

    name = ""
    whole = False
    """Whether the results appear all at once, as one folder."""
    reads_clock = False
    """Whether results are named or stamped by the time."""
    impatient: ClassVar[Mapping[str, Any]] = {}
    """Settings that shorten the client's waiting for a server."""

    def __init__(self, base: Path, zygote: Zygote) -> None:
        self.base, self.zygote = base, zygote
        self.given, self.out = base / "in", base / "out"
        self._earlier = base / "earlier"
        self.meter: Meter | None = None
        self.references: dict[bool, Snapshot] = {}
        self.before: dict[bool, Snapshot] = {}
        self.seconds, self.changes, self.requests = inf, sys.maxsize, sys.maxsize  # of the shorter run
        self.lines: list[str] = []  # its requests
        self.written, self.longest = 0, 0  # bytes: of all files, of the longest one
        self.total, self.known = 0, {False: 0, True: 0}  # answers on file at the end, and before a run

    # What a subclass says.

    def arguments(self) -> Sequence[str]:
        """The command line."""
        raise NotImplementedError

    def environment(self) -> Mapping[str, str]:
        """Variables beside the usual ones."""
        return {}

    def settings(self) -> Mapping[str, Any]:
        """What is other than usual in the process of a run, see `Job`."""
        return {}

    def give(self) -> None:
        """Make what the command reads."""

    def make_earlier(self) -> bool:
        """Leave an earlier result in ``out``; False where there is no such case."""
        return False

    def serve(self) -> LoopbackServer | None:
        """Return the server that the command talks to, not running yet."""
        return None

    def reset_server(self, earlier: bool) -> None:
        """Bring the server into the state before a run."""

    def extra(self) -> Mapping[str, str]:
        """What is to be compared beside the files: the state of a Hub."""
        return {}

    tolerated: frozenset[str] = frozenset()
    """Files that say what failed."""

    partial: tuple[str, ...] = ()
    """Beginnings of the names of results that lack what the run could not get, where it ends with an error."""

    def recorded(self) -> int:
        """How many answers are on file."""
        return 0

    def counts(self, path: str) -> bool:
        """Whether a file is a result that others read, rather than a record or a lock."""
        return True

    def clean(self, path: Path, name: str) -> tuple[str, str]:
        """Return name and content of a file without what differs between any two runs, such as the time."""
        return name, hashlib.sha256(path.read_bytes()).hexdigest()

    # What is the same for all.

    def prepare(self, earlier: bool = True) -> None:
        """Make inputs, earlier results unless they are not wanted, and the references."""
        self.given.mkdir(parents=True)
        server = self.serve()
        if server is not None:
            server.__enter__()
            self.meter = Meter(server)
        self.give()
        self.lay(earlier=False)
        if earlier and self.make_earlier():
            shutil.copytree(self.out, self._earlier, symlinks=True)
        for state in self.states:
            self.lay(state)
            self.before[state], self.known[state] = self.snapshot(), self.recorded()
            started, count = time.monotonic(), self.base / "changes"
            status = self.start(changes=str(count)).wait()
            assert status == 0, f"{self.name}: undisturbed, it ends with {status}: {self.said()}"
            self.seconds = min(self.seconds, time.monotonic() - started)
            self.changes = min(self.changes, int(count.read_text()))
            if self.meter:
                self.lines = self.meter.server.requests[-self.meter.seen :]
                self.requests = min(self.requests, self.meter.seen)
            self.total = self.recorded()
            self.references[state] = self.snapshot()
            sizes = [path.stat().st_size for path in self.out.rglob("*") if path.is_file()]
        self.written, self.longest = sum(sizes), max(sizes, default=0)

    @property
    def states(self) -> list[bool]:
        """Whether there may be earlier results: both, or none only."""
        return [True, False] if self._earlier.exists() else [False]

    def lay(self, earlier: bool) -> None:
        """Bring folder and server into the state before a run."""
        self.out.mkdir(exist_ok=True)
        for path in self.out.iterdir():  # the folder itself may be a disk
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        if earlier:
            shutil.copytree(self._earlier, self.out, symlinks=True, dirs_exist_ok=True)
        if self.meter:
            self.settle()
            self.reset_server(earlier)
            self.meter.reset()

    def settle(self) -> None:
        """Wait for the server to end what it is doing for clients that may have gone."""
        end, quiet = time.monotonic() + 20, 0
        while self.meter and quiet < 5 and time.monotonic() < end:
            time.sleep(0.02)
            quiet = quiet + 1 if self.meter.idle() else 0

    def must(self, *arguments: str) -> None:
        """Run a command, by default that of the place, which has to work."""
        status = self.start(arguments=arguments or self.arguments()).wait()
        assert status == 0, f"{self.name}: undisturbed, it ends with {status}: {self.said()}"

    def start(
        self,
        zygote: Zygote | None = None,
        voice: str = "",
        arguments: Sequence[str] | None = None,
        **options: Any,
    ) -> Child:
        """Start the command.

        Args:
            zygote: another one than the place's own.
            voice: tells apart the outputs of two runs at once.
            arguments: of another command.
            **options: of the `Job`.
        """
        environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.out / ".home"),
            "MPLCONFIGDIR": str(self.base / "matplotlib"),
            "XDG_CACHE_HOME": str(self.out / ".cache"),
            "COLUMNS": "200",
            "PYTHONIOENCODING": "utf-8",
            "NO_COLOR": "1",
            **self.environment(),
        }
        settings = {**self.settings(), **options.pop("settings", {})}
        job = Job(
            arguments or self.arguments(), str(self.out), str(self.given), environment,
            str(self._voice(voice)), settings=settings, **options,
        )  # fmt: skip
        self.child = (zygote or self.zygote).start(job)
        return self.child

    def said(self, voice: str = "") -> str:
        """Return what the last run printed."""
        return self._voice(voice).read_text("utf-8", "replace")

    def snapshot(self) -> Snapshot:
        """Return all files below ``out`` by name with a hash of their content, and the server's state."""
        found = {}
        for path in sorted(self.out.rglob("*")):
            name = path.relative_to(self.out).as_posix()
            if path.is_dir() and not path.is_symlink():
                found[f"{name}/"] = ""
            elif path.is_file():
                shown, content = self.clean(path, name)
                known = found.get(shown, content)
                found[shown] = known if known == content else f"{known} and {content}"
        return {**{name: found[name] for name in found.keys() - self.tolerated}, **self.extra()}

    def results(self, snapshot: Snapshot) -> Snapshot:
        """Return the part of a snapshot that others read."""
        return {
            name: content
            for name, content in snapshot.items()
            if content and not any(part.startswith(".") for part in name.split("/")) and self.counts(name)
        }

    def secrets_told(self, *voices: str) -> list[str]:
        """Return the files and outputs in which a token stands."""
        tokens = HUB_TOKEN.encode(), KEY.encode()
        files = [path for path in self.out.rglob("*") if path.is_file()] + [self._voice(v) for v in voices]
        return [path.name for path in files if any(token in path.read_bytes() for token in tokens)]

    def close(self) -> None:
        """Stop the server."""
        if self.meter:
            self.meter.server.stop()

    def _voice(self, voice: str) -> Path:
        return self.base / f"said{voice}.txt"
