"""Files on a desk: one of them damaged at a time, and nothing half done with any."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from polbias.spreadsheets import SheetError
from tests.faults.support.campaign import ends_cleanly, fuzz
from tests.faults.support.damage import damages
from tests.faults.support.structures import rewritings

Act = Callable[[Path, Path], Any]
_READ = 20  # problems of one file
_BEFORE = b"what was there before\n"


@dataclass(frozen=True)
class Desk:
    """Files in a folder, of which one at a time is damaged, and a folder for what is made of them.

    Attributes:
        folder: has the folders `given` and `made`.
        files: what is given, by name.
        act: what is done with both folders; damaged files may make it end in an error.
        places: what an error may name besides the files.
        made: files that are there before, and that only a whole new one may replace.
        changed: files among the given ones that may be replaced, too.
    """

    folder: Path
    files: Mapping[str, bytes]
    act: Act
    places: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    @property
    def given(self) -> Path:
        """Where the files lie."""
        return self.folder / "given"

    def check(self, name: str, data: bytes) -> bool:
        """Act on the files, one of them with other content."""
        made = self.folder / "made"
        files = {**self.files, name: data}
        before = dict.fromkeys(self.made, _BEFORE)
        _lay(self.given, files)
        _lay(made, before)
        with _silence():
            done = ends_cleanly(lambda: self._act(made), *map(os.path.basename, self.files), *self.places)
        after, results = content(self.given), content(made)
        assert after.keys() == files.keys()
        assert {name for name in files if after[name] != files[name]} <= {*(self.changed if done else ())}
        assert not any(name.startswith(".") for name in results)
        assert done or results == before
        return done

    def _act(self, made: Path) -> None:
        try:
            self.act(self.given, made)
        except SheetError as error:  # says all that is wrong, a line each: of a long file more than is read
            raise SheetError(error.problems[:_READ]) from None

    def damage(self, examples: int) -> None:
        """Damage bytes."""
        names, originals = list(self.files), list(self.files.values())
        assert self.check(names[0], originals[0])  # the sound files are used
        fuzz(
            damages(len(names)),
            lambda each: self.check(names[each.which], each.of(originals)),
            examples,
        )

    def rewrite(self, examples: int) -> None:
        """Change fields of JSON, JSON Lines and YAML."""
        names = [name for name in self.files if name.endswith((".json", ".jsonl", ".yaml"))]
        documents = [
            [*map(json.loads, self.files[name].splitlines())]
            if name.endswith(".jsonl")
            else yaml.safe_load(self.files[name])
            for name in names
        ]

        def text(name: str, value: Any) -> bytes:
            if name.endswith(".jsonl") and isinstance(value, list):
                return json_lines(value)
            told = yaml.safe_dump(value, allow_unicode=True) if name.endswith(".yaml") else json.dumps(value)
            return told.encode("utf-8", "surrogatepass")

        fuzz(
            rewritings(len(names)),
            lambda each: self.check(names[each.which], text(names[each.which], each.of(documents))),
            examples,
        )


def _lay(folder: Path, files: Mapping[str, bytes]) -> None:
    """Have these files below a folder, and no others."""
    folder.mkdir(exist_ok=True)
    there = content(folder)
    for name in there.keys() - files.keys():
        (folder / name).unlink()
    for name, data in files.items():
        if there.get(name) != data:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)


def content(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder, by name."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def json_lines(rows: Iterable[Any], *, ascii_only: bool = True) -> bytes:
    """Return rows as JSON Lines; other characters as escapes, or as they are."""
    return "".join(json.dumps(row, ensure_ascii=ascii_only) + "\n" for row in rows).encode()


@contextmanager
def _silence() -> Iterator[None]:
    """Print into nothing that takes only what a terminal would."""
    with (
        io.TextIOWrapper(io.BytesIO(), "utf-8") as out,
        io.TextIOWrapper(io.BytesIO(), "utf-8", "replace") as err,
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        yield
