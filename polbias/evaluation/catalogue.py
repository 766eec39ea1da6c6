"""The task files: names, groups and tags, read without lm_eval so that a wrong name is told at once."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from polbias.errors import InputError
from polbias.locations import package_file

_FOLDER = "harness_tasks"
_PREFIX = "polbias_"
_WILD = "*?["
_NEAREST = 4


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML with lm_eval's ``!function`` as the name of the function."""


_Loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))


@dataclass(frozen=True)
class Task:
    """A task file with what it includes.

    Args:
        name: of the task.
        settings: what the file says; functions are their import names.
    """

    name: str
    settings: Mapping[str, Any]

    @property
    def scores_likelihoods(self) -> bool:
        """Whether it compares probabilities; else the model writes."""
        return self.settings.get("output_type") in ("multiple_choice", "loglikelihood")

    @property
    def data(self) -> Mapping[str, Any]:
        """Arguments of its loader, without their prefix ``polbias_``."""
        given: Mapping[str, Any] = self.settings.get("dataset_kwargs") or {}
        return {name.removeprefix(_PREFIX): value for name, value in given.items()}

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Its metadata: version, number of samples and so on."""
        found: Mapping[str, Any] = self.settings.get("metadata") or {}
        return found

    @property
    def samples(self) -> int:
        """Answers per prompt that the task file asks for."""
        return int(self.metadata.get("polbias_samples", 1))


class Catalogue:
    """All tasks, groups and tags below some folders.

    Args:
        folders: where task files lie; a later folder goes before an earlier one.

    Raises:
        InputError: if a folder is not there.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = tuple(folders)
        self.tasks: dict[str, Task] = {}
        self.groups: dict[str, tuple[str, ...]] = {}
        self.tags: dict[str, tuple[str, ...]] = {}
        for folder in folders:
            if not folder.is_dir():
                raise InputError(f"--include_path {folder}: not a folder; expected one with task files")
            for path in sorted(folder.rglob("*.yaml")):
                self._take(_read(path))
        tagged: dict[str, list[str]] = {}
        for task in self.tasks.values():
            given = task.settings.get("tag") or ()
            for tag in [given] if isinstance(given, str) else given:
                tagged.setdefault(tag, []).append(task.name)
        self.tags = {tag: tuple(names) for tag, names in sorted(tagged.items())}

    @cached_property
    def names(self) -> Sequence[str]:
        """All names of tasks, groups and tags, in order."""
        return sorted({*self.tasks, *self.groups, *self.tags})

    def members(self, name: str) -> list[str]:
        """Return the tasks that a name stands for, each once."""
        if name in self.tasks:
            return [name]
        inner = self.groups.get(name) or self.tags.get(name, ())
        return list(dict.fromkeys(task for each in inner for task in self.members(each)))

    def choose(self, asked: Iterable[str]) -> list[str]:
        """Return the names that lm_eval is to run.

        A pattern stands for the tasks that it matches, or, where it matches none, for groups and tags. A task
        that is also in a chosen group is asked once.

        Args:
            asked: names and patterns, each of which may be a list with commas.

        Raises:
            InputError: if a name is unknown, nothing is chosen, or two groups share a task.
        """
        wanted = [name for each in asked for name in map(str.strip, each.split(",")) if name]
        if not wanted:
            raise InputError("--tasks: names no task; see `polbias eval --list`")
        found = list(dict.fromkeys(name for each in wanted for name in self._matching(each)))
        groups = [name for name in found if name in self.groups]
        owner: dict[str, str] = {}
        for group in groups:
            for task in self.members(group):
                if task in owner:
                    raise InputError(f"--tasks: {owner[task]} and {group} both ask {task}; name one of them")
                owner[task] = group
        alone = [task for name in found if name not in self.groups for task in self.members(name)]
        # Likelihoods first: where a server has none, that is known before any answer is paid for.
        order = [*groups, *(task for task in dict.fromkeys(alone) if task not in owner)]
        return sorted(order, key=lambda name: not self._scores_likelihoods(name))

    def _scores_likelihoods(self, name: str) -> bool:
        return any(self.tasks[task].scores_likelihoods for task in self.members(name) if task in self.tasks)

    def _matching(self, name: str) -> Iterator[str]:
        if name in self.tasks or name in self.groups or name in self.tags:
            yield name
            return
        for pool in (self.tasks, {**self.groups, **self.tags}) if any(sign in name for sign in _WILD) else ():
            if matches := [each for each in pool if fnmatchcase(each, name)]:
                yield from sorted(matches)
                return
        raise InputError(f"--tasks {name}: no such task, group or tag; {self._nearest(name)}")

    def _nearest(self, name: str) -> str:
        if name.endswith((".yaml", ".yml")) or "/" in name:
            return "for files of your own name their folder with --include_path, and the task here"
        near = difflib.get_close_matches(name, self.names, _NEAREST, 0.5)
        near += difflib.get_close_matches(_PREFIX + name, self.names, _NEAREST, 0.7)
        told = f"nearest: {', '.join(list(dict.fromkeys(near))[:_NEAREST])}; " if near else ""
        return f"{told}all names: `polbias eval --list` (for tasks of lm_eval itself use `lm_eval`)"

    def _take(self, settings: Mapping[str, Any]) -> None:
        name = settings.get("group", settings.get("task"))
        if not isinstance(name, str):
            return  # a base that others include
        self.tasks.pop(name, None)
        self.groups.pop(name, None)
        if "group" in settings:
            inner = [each for each in settings.get("task") or () if isinstance(each, str)]
            self.groups[name] = tuple(inner)
        else:
            self.tasks[name] = Task(name, settings)


def catalogue(include: Sequence[Path] = ()) -> Catalogue:
    """Read our task files, and those in further folders."""
    return Catalogue([package_file(_FOLDER), *include])


def _read(path: Path) -> dict[str, Any]:
    try:
        found = yaml.load(path.read_text("utf-8"), Loader=_Loader)
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise InputError(f"{path}: not a readable task file ({str(error).splitlines()[0]})") from None
    settings: dict[str, Any] = found if isinstance(found, dict) else {}
    included = settings.pop("include", None)
    for each in [included] if isinstance(included, str) else included or ():
        settings = _read(path.parent / each) | settings
    return settings
