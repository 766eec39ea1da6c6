"""Disks that fill up, files that may not grow, folders that may not be written to."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from tests.faults.campaign.outcomes import Trial, tried
from tests.faults.campaign.place import Place

_ROOM = "1g"
_PAGE = 4096


def can_mount(folder: Path) -> bool:
    """Whether a small disk can be mounted, which needs the rights of root."""
    if not shutil.which("mount"):
        return False
    folder.mkdir(parents=True, exist_ok=True)
    if _mount("-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)):
        subprocess.run(["umount", str(folder)], check=True)
        return True
    return False


def full_disks(place: Place, count: int, rng: np.random.Generator) -> Iterator[Trial]:
    """Run a command on disks that hold only a part of what it writes; then make room."""
    for earlier, part in _drawn(place, count, rng):
        with _disk(place) as disk:

            def disturb(part: float = part, earlier: bool = earlier, disk: _Disk = disk) -> int:
                disk.limit(_size(place.out) + int(part * place.written))
                return place.start().wait()

            yield tried(place, earlier, "disk full", f"{part:.0%} of what is written", disturb, disk.free)


def short_files(place: Place, count: int, rng: np.random.Generator) -> Iterator[Trial]:
    """Let no file grow beyond a part of the longest one that is written."""
    for earlier, part in _drawn(place, count, rng):
        largest = max(1, int(part * place.longest))
        yield tried(
            place,
            earlier,
            "file too large",
            f"{largest:,} bytes allowed",
            lambda largest=largest: place.start(largest=largest).wait(),  # type: ignore[misc]
        )


def sealed(place: Place) -> Iterator[Trial]:
    """Write to a disk that is mounted read-only; without the right to mount, to a folder without rights."""
    for earlier in place.states:
        if os.geteuid():
            yield tried(
                place, earlier, "read-only", "by mode", lambda: _closed(place), lambda: place.out.chmod(0o755)
            )
            continue
        with _disk(place) as disk:

            def disturb(disk: _Disk = disk) -> int:
                disk.seal()
                return place.start().wait()

            yield tried(place, earlier, "read-only", "by mount", disturb, disk.free)


def _closed(place: Place) -> int:
    place.out.chmod(0o555)
    return place.start().wait()


def _drawn(place: Place, count: int, rng: np.random.Generator) -> Iterator[tuple[bool, float]]:
    for number in range(count):
        yield place.states[number % len(place.states)], float(rng.uniform(0, 1))


class _Disk:
    """A disk in memory at a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def limit(self, size: int) -> None:
        """Let it hold so many bytes, and no less than is there."""
        _must("-o", f"remount,size={max(_PAGE, size)}", str(self.folder))

    def seal(self) -> None:
        """Let nothing be written."""
        _must("-o", "remount,ro", str(self.folder))

    def free(self) -> None:
        """Make room, and let it be written to."""
        _must("-o", f"remount,rw,size={_ROOM}", str(self.folder))


@contextmanager
def _disk(place: Place) -> Iterator[_Disk]:
    place.out.mkdir(exist_ok=True)
    _must("-t", "tmpfs", "-o", f"size={_ROOM}", "tmpfs", str(place.out))
    try:
        yield _Disk(place.out)
    finally:
        subprocess.run(["umount", str(place.out)], check=True)


def _mount(*arguments: str) -> bool:
    return subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode == 0


def _must(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True)


def _size(folder: Path) -> int:
    """Bytes of pages that the files of a folder take."""
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return sum(-(-size // _PAGE) * _PAGE for size in sizes)
