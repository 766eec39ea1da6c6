"""Template folder of a dataset: the folder that a build expects, and the files that nothing reads."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from polbias.errors import TemplateError, did_you_mean
from polbias.paths import package_file
from polbias.yaml_models import display_path

_SUFFIXES = (".yaml", ".yml", ".tsv")
_MAX_DISPLAYED = 5  # files in a message


@dataclass(frozen=True)
class TemplateFolder:
    """Layout of a dataset's template folder; every YAML or TSV file in it must be read by something.

    Attributes:
        shipped: folder in the package, such as ``templates/policy``.
        marker: file by which a folder of this dataset is recognized.
        read_elsewhere: glob patterns of files that other datasets or commands read.
        advice: by subfolder, how to make a build read a file there, with ``{stem}`` of the file's name; ``*``
            is for other subfolders, with ``{folder}``.
    """

    shipped: str
    marker: str
    read_elsewhere: tuple[str, ...] = ()
    advice: Mapping[str, str] = field(default_factory=dict)

    def path(self, templates: Path | None) -> Path:
        """Return the custom or the shipped folder.

        Raises:
            TemplateError: if the folder has not got the marker; it names the folder that was probably meant.
        """
        folder = templates or package_file(self.shipped)
        if (folder / self.marker).is_file():
            return folder
        problem = f"no {self.marker}" if folder.is_dir() else "no such folder"
        expected = f"expected a folder laid out like {self.shipped}"
        nearby = next((path for path in _nearby_folders(folder) if (path / self.marker).is_file()), None)
        advice = f"use {nearby}" if nearby else f"use a copy of {package_file(self.shipped)}"
        raise TemplateError(f"{display_path(folder)}: found {problem}, {expected}; {advice}")

    def check_all_read(self, folder: Path, paths_read: Collection[Path]) -> None:
        """Raise an error if nothing reads a YAML or TSV file of the folder."""
        root = folder.resolve()
        unread = [
            path
            for path in _template_files(root)
            if path not in paths_read and not self._is_read_elsewhere(path.relative_to(root))
        ]
        if not unread:
            return
        others = [path.relative_to(root).as_posix() for path in unread[1:]]
        if others[_MAX_DISPLAYED:]:
            others[_MAX_DISPLAYED:] = [f"{len(others) - _MAX_DISPLAYED} more"]
        also = f" (and nothing reads {', '.join(others)})" if others else ""
        raise TemplateError(
            f"{display_path(folder)}/{unread[0].relative_to(root).as_posix()}: found a file that nothing "
            f"reads{also}; {self._advice(unread[0], root, paths_read)} or remove the file"
        )

    def _is_read_elsewhere(self, path: Path) -> bool:
        """Whether other datasets or commands read a file of the folder."""
        return any(
            path.match(pattern) and len(path.parts) == len(Path(pattern).parts)
            for pattern in self.read_elsewhere
        )

    def _advice(self, path: Path, root: Path, paths_read: Collection[Path]) -> str:
        """Return how to make a build read a file of the folder."""
        subfolder = "" if path.parent == root else path.relative_to(root).parts[0]
        steps = [f"name it {path.stem}.yaml"] if path.suffix == ".yml" else []
        text = self.advice.get(subfolder) or self.advice.get("*" if subfolder else "")
        if text:
            steps.append(text.format(stem=path.stem, folder=subfolder))
        if steps:
            return " and ".join(steps)
        names = {read.name for read in paths_read if read.parent == path.parent}
        if not subfolder:
            names |= {pattern for pattern in self.read_elsewhere if "/" not in pattern}
        expected = f"expected one of {', '.join(sorted(names))}; " if names else ""
        suggestion = did_you_mean(path.name, names)
        return f"{suggestion}{expected}correct its name, move its entries to a file that is read,"


def _template_files(root: Path) -> Iterator[Path]:
    """Yield the YAML and TSV files below a folder, without hidden ones."""
    for path in sorted(root.rglob("*")):
        is_hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
        if path.suffix.lower() in _SUFFIXES and not is_hidden and path.is_file():
            yield path


def _nearby_folders(folder: Path) -> Iterator[Path]:
    """Yield the folders above and below a folder."""
    yield from (folder.parent, folder.parent.parent)
    if folder.is_dir():
        yield from (path for path in sorted(folder.iterdir()) if path.is_dir())
