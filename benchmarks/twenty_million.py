"""Build a large set four ways and compare the hash lists: ``python -m benchmarks.twenty_million``.

In this process; with workers; with workers, killed twice at random and continued; into an S3 store on this
machine. All bytes are hashed anew. Not part of ``python -m benchmarks``: 20,000,000 rows may take an hour.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.watching import Spent, watch

_SEED = 20_000_000
_BUCKET = "s3://sets"


@dataclass(frozen=True)
class Task:
    """What is built.

    Attributes:
        dataset: its name.
        rows: in all.
        shards: in all.
        workers: of the variants that have several.
        folder: for everything; removed after each variant.
    """

    dataset: str
    rows: int
    shards: int
    workers: int
    folder: Path

    def command(self, out: str, workers: int) -> list[str]:
        """Return the command that builds into a place; one worker is this process."""
        sized = ["--rows", str(self.rows), "--shards", str(self.shards), "--out", out]
        more = ["--workers", str(workers)] if workers > 1 else []
        logs = ["--logs", str(self.folder / "logs")]
        return [sys.executable, "-m", "polbias.cli.main", "build", self.dataset, *sized, *more, *logs]


@dataclass(frozen=True)
class Result:
    """A finished variant.

    Attributes:
        sums: the text of its ``SHA256SUMS``.
        size: bytes of all shards.
        spent: for each run of the command.
        note: what happened to it.
    """

    sums: str
    size: int
    spent: tuple[Spent, ...]
    note: str = ""


def in_process(task: Task) -> Result:
    """Build in one process."""
    return _whole(task, 1)


def workers(task: Task) -> Result:
    """Build with several processes."""
    return _whole(task, task.workers)


def killed(task: Task) -> Result:
    """Build with several processes; kill all of them twice, at random moments, and continue."""
    random = np.random.default_rng(_SEED)
    out, spent, moments = task.folder / "out", [], []
    command = task.command(str(out), task.workers)
    for share in sorted(random.uniform(0.05, 0.9, 2)):
        enough = max(1, int(share * task.shards))
        # Some time after a marker, so that shards are half written in every stage of their making.
        spent.append(watch(command, task.folder, kill_when=_after(out, enough, random.uniform(0, 5))))
        there = len(list(out.glob("*/.run/done/**/*.json")))
        halves = len(list(out.rglob("*.partial")))
        moments.append(f"{there} of {task.shards} shards complete and {halves} files half written")
    spent.append(watch(command, task.folder))
    sums, size = _checked(_folder_files(out / task.dataset))
    return Result(sums, size, tuple(spent), f"kill -9 with {'; '.join(moments)}")


def store(task: Task) -> Result:
    """Build into an S3 store with several processes."""
    with _s3(task.folder) as env:
        spent = watch(task.command(f"{_BUCKET}/runs", task.workers), task.folder, env)
        sums, size = _checked(_store_files(f"{_BUCKET}/runs/{task.dataset}"))
    return Result(sums, size, (spent,), "moto's S3 server on the loopback interface")


VARIANTS: Mapping[str, Callable[[Task], Result]] = {
    "in process": in_process,
    "workers": workers,
    "killed twice": killed,
    "s3": store,
}


def _whole(task: Task, count: int) -> Result:
    spent = watch(task.command(str(task.folder / "out"), count), task.folder)
    sums, size = _checked(_folder_files(task.folder / "out" / task.dataset))
    return Result(sums, size, (spent,))


def _after(out: Path, shards: int, seconds: float) -> Callable[[], bool]:
    """Return a question that is answered with yes some time after so many shards are there."""
    seen: list[float] = []

    def now() -> bool:
        if not seen and len(list(out.glob("*/.run/done/**/*.json"))) >= shards:
            seen.append(time.perf_counter())
        return bool(seen) and time.perf_counter() - seen[0] >= seconds

    return now


def _checked(files: Callable[[str], bytes]) -> tuple[str, int]:
    """Hash all shards of a build, compare with its list, and return the list and the bytes.

    Raises:
        RuntimeError: if a file is not what the list says.
    """
    sums, size = files("SHA256SUMS").decode(), 0
    for line in sums.splitlines():
        wanted, _, path = line.partition("  ")
        data = files(path)
        if hashlib.sha256(data).hexdigest() != wanted:
            raise RuntimeError(f"{path}: is not what SHA256SUMS says")
        size += len(data)
    return sums, size


def _folder_files(folder: Path) -> Callable[[str], bytes]:
    return lambda path: (folder / path).read_bytes()


def _store_files(url: str) -> Callable[[str], bytes]:
    import fsspec

    files = fsspec.filesystem("s3", skip_instance_cache=True)
    return lambda path: bytes(files.cat_file(f"{url}/{path}"))


@contextmanager
def _s3(folder: Path) -> Iterator[Mapping[str, str]]:
    """Run moto's S3 server, whose objects lie in a folder, with an empty bucket."""
    import fsspec

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    objects = folder / "objects"
    objects.mkdir()
    env = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    before = dict(os.environ)
    os.environ.update(env)
    with (folder / "moto.txt").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", port],
            env={**os.environ, "TMPDIR": str(objects)},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait(int(port))
        fsspec.filesystem("s3", skip_instance_cache=True).mkdir(_BUCKET)
        yield env
    finally:
        server.send_signal(signal.SIGKILL)
        server.wait()
        os.environ.clear()
        os.environ.update(before)


def _wait(port: int, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build, compare and print.

    Args:
        arguments: of the command line; by default those of the process.

    Returns:
        0 if all hash lists are equal, else 1.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.twenty_million", description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--dataset", default="partisan-inference-xl")
    parser.add_argument("--shards", type=int, help="by default one for 800,000 rows, at least 24")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="for the builds; by default a temporary one")
    parser.add_argument("--only", action="append", choices=list(VARIANTS), help="may be given again")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file as well")
    options = parser.parse_args(arguments)
    shards = options.shards or max(24, -(-options.rows // 800_000))
    results: dict[str, Result] = {}
    for name in options.only or VARIANTS:
        with tempfile.TemporaryDirectory(dir=options.folder, prefix="rows-") as folder:
            task = Task(options.dataset, options.rows, shards, options.workers, Path(folder))
            results[name] = VARIANTS[name](task)
        print(_line(name, task, results[name]), flush=True)
        if options.json:
            options.json.write_text(json.dumps(_figures(task, results), indent=1) + "\n", "utf-8")
    lists = {hashlib.sha256(result.sums.encode()).hexdigest() for result in results.values()}
    print(f"{len(results)} hash lists, {'all equal' if len(lists) == 1 else 'NOT EQUAL'}: {sorted(lists)}")
    return 0 if len(lists) == 1 else 1


def _line(name: str, task: Task, result: Result) -> str:
    seconds, cpu = (sum(getattr(each, what) for each in result.spent) for what in ("seconds", "cpu"))
    peak = max(each.peak_mb for each in result.spent)
    return (
        f"{name}: {task.rows:,} rows, {task.shards} shards, {result.size:,} bytes; {seconds:,.0f} s, "
        f"{cpu:,.0f} s of processors ({task.rows / cpu:,.0f} rows a second of one), peak {peak:,.0f} MB; "
        f"list {hashlib.sha256(result.sums.encode()).hexdigest()[:16]}; {result.note}"
    )


def _figures(task: Task, results: Mapping[str, Result]) -> dict[str, Any]:
    about = {"dataset": task.dataset, "rows": task.rows, "shards": task.shards, "workers": task.workers}
    return about | {
        "cores": len(os.sched_getaffinity(0)),
        "variants": {
            name: {
                "list": hashlib.sha256(result.sums.encode()).hexdigest(),
                "bytes": result.size,
                "note": result.note,
                "runs": [asdict(each) for each in result.spent],
            }
            for name, result in results.items()
        },
    }


if __name__ == "__main__":
    sys.exit(main())
