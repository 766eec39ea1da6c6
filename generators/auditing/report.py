"""Write reports to JSON or CSV, item by item; a file appears when it is complete, or not at all."""

from __future__ import annotations

import csv
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import polbias
from polbias.cells import guarded
from polbias.drafts import draft_of
from polbias.files import InputError
from polbias.generators.auditing.audit import in_words
from polbias.generators.logic.audit.findings import meaning
from polbias.generators.logic.audit.formats import Format
from polbias.generators.logic.audit.items import Audited
from polbias.generators.logic.audit.records import record
from polbias.generators.logic.audit.summary import Summary


class Reports:
    """The report files of an audit.

    Used as a context: once `finish` was called the files are complete and in their places; if the context is
    left before that, what was there is unchanged.

    Args:
        paths: of the files; their suffixes say which kind each is.
        inputs: files that must not be overwritten.
        form: the format.

    Raises:
        InputError: if a path cannot be written to, is an input, or is of no known kind.
    """

    def __init__(self, paths: Sequence[Path], inputs: Sequence[Path], form: Format) -> None:
        self._form = form
        self._targets = [_checked(path, inputs) for path in paths]
        if len(set(self._targets)) != len(self._targets):
            raise InputError("--output: the same file is named twice; name each once")
        self._stack = ExitStack()
        self._writers: list[_Writer] = []

    def __enter__(self) -> Reports:
        with ExitStack() as stack:
            for target in self._targets:
                writer = _KINDS[target.suffix.lower()](target, self._form)
                stack.callback(writer.discard)
                self._writers.append(writer)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def add(self, audited: Audited) -> None:
        """Write an item.

        Raises:
            InputError: if the disk is full, or the folder is gone.
        """
        if self._writers:
            line = record(audited, self._form.layout)
            for writer in self._writers:
                with _named(writer.target):
                    writer.add(line)

    def finish(self, source: Path, summary: Summary) -> None:
        """Complete the files and put them in their places.

        Raises:
            InputError: if the disk is full, or the folder is gone.
        """
        for writer in self._writers:
            with _named(writer.target):
                writer.complete(source, summary)
                writer.place()


def _checked(path: Path, inputs: Sequence[Path]) -> Path:
    """Return where a report goes, links followed, having seen that it can."""
    target = path.resolve()
    if target.suffix.lower() not in _KINDS:
        raise InputError(f"--output {path}: found suffix {path.suffix!r}, expected {' or '.join(_KINDS)}")
    if target.exists() and not target.is_file():
        raise InputError(f"--output {path}: not a regular file; name another one")
    if not target.parent.is_dir():
        raise InputError(f"--output {path}: there is no folder {target.parent}; create it first")
    for file in inputs:
        if file.resolve() == target or (target.exists() and file.samefile(target)):
            raise InputError(f"--output {path}: that is the file to be audited; name another one")
    return target


@contextmanager
def _named(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{target}: cannot be written ({error.strerror}); check folder, permissions and space"
        ) from None


class _Writer:
    """A report beside its place, moved there when it is complete."""

    def __init__(self, target: Path, form: Format) -> None:
        self.target = target
        self._form = form
        self._part = draft_of(target)
        with _named(target):
            self._file: IO[str] = self._part.open("w", encoding="utf-8", newline="")

    def add(self, line: Mapping[str, Any]) -> None:
        """Write an item."""
        raise NotImplementedError

    def complete(self, source: Path, summary: Summary) -> None:
        """Write what comes after the items."""

    def place(self) -> None:
        """Put the file in its place."""
        self._file.close()
        self._part.replace(self.target)

    def discard(self) -> None:
        """Remove what was not finished."""
        with suppress(OSError):  # on a full disk, closing fails too
            self._file.close()
        with suppress(OSError):
            self._part.unlink()


class _Json(_Writer):
    """``{"format", "summary", "items"}``: the items wait in a temporary file until the summary is known."""

    def __init__(self, target: Path, form: Format) -> None:
        with _named(target):
            self._items = tempfile.TemporaryFile("w+", encoding="utf-8", dir=target.parent)  # noqa: SIM115
        super().__init__(target, form)
        self._separator = "\n    "

    def add(self, line: Mapping[str, Any]) -> None:
        """Write an item on a line of its own."""
        self._items.write(self._separator + json.dumps(line, ensure_ascii=False))
        self._separator = ",\n    "

    def complete(self, source: Path, summary: Summary) -> None:
        """Put head, summary and items together."""
        head = {
            "format": self._form.name,
            "file": source.name,
            "polbias": polbias.__version__,
            "summary": summary.as_dict(),
            "meanings": {code: meaning(code, self._form.meanings) for code in sorted(summary.findings)},
        }
        start = json.dumps(head, ensure_ascii=False, indent=2).removesuffix("\n}")
        self._file.write(start + ',\n  "items": [')
        self._items.seek(0)
        shutil.copyfileobj(self._items, self._file)
        self._file.write("\n  ]\n}\n")

    def discard(self) -> None:
        """Remove what was not finished."""
        super().discard()
        with suppress(OSError):
            self._items.close()


class _Csv(_Writer):
    """One line an item, findings and choices as text."""

    def __init__(self, target: Path, form: Format) -> None:
        super().__init__(target, form)
        self._csv = csv.writer(self._file, lineterminator="\n")
        self._begun = False

    def add(self, line: Mapping[str, Any]) -> None:
        """Write an item."""
        flat = {
            **line,
            "findings": " ".join(line["findings"]),
            "deciding": in_words(line["deciding"]) if line["deciding"] is not None else None,
        }
        if not self._begun:
            self._csv.writerow(flat)
            self._begun = True
        self._csv.writerow(guarded(cell) if isinstance(cell, str) else cell for cell in flat.values())


_KINDS: Mapping[str, type[_Writer]] = {".json": _Json, ".csv": _Csv}
