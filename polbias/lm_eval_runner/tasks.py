"""Task files: names, groups and tags, read without lm_eval."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from os.path import normpath
from pathlib import Path
from reprlib import repr as short
from typing import Any

import yaml

from polbias.aliases import Document, Json
from polbias.errors import InputError
from polbias.files import line_nested_too_deep, read_bytes
from polbias.limits import MAX_LEVELS, MAX_TEMPLATE
from polbias.registry import task_folders

# The task files: names, groups and tags, read without lm_eval so that a wrong name is told at once.

_PREFIX = "polbias_"
_WILDCARDS = "*?["
_MAX_MATCHES = 4
_MAX_DEPTH = 50
_MAX_REASON = 300  # characters of a reason in a message


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML with lm_eval's ``!function`` as the name of the function."""


_Loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))


@dataclass(frozen=True)
class TaskFile:
    """A task file with what it includes.

    Args:
        name: of the task.
        settings: what the file says; functions are their import names.
    """

    name: str
    settings: Document

    @property
    def is_loglikelihood(self) -> bool:
        """Whether it compares probabilities; else the model writes."""
        return self.settings.get("output_type") in ("multiple_choice", "loglikelihood")

    @property
    def data(self) -> Document:
        """Arguments of its loader, without their prefix ``polbias_``."""
        arguments: Document = self.settings.get("dataset_kwargs") or {}
        return {name.removeprefix(_PREFIX): value for name, value in arguments.items()}

    @property
    def metadata(self) -> Document:
        """Its metadata: version, number of samples and so on."""
        metadata: Document = self.settings.get("metadata") or {}
        return metadata

    @property
    def samples(self) -> int:
        """Answers per prompt that the task file asks for."""
        return int(self.metadata.get("polbias_samples", 1))

    def rows(self, settings: Document) -> Any:
        """Return what it asks, with settings of the user's own beside its metadata."""
        arguments = {**self.metadata, **settings}
        load = import_task_function(self.settings.get("custom_dataset"), self.name)
        return load(**arguments, **(self.settings.get("dataset_kwargs") or {}))["test"]


class Catalogue:
    """All tasks, groups and tags below some folders.

    Args:
        folders: where task files lie; a later folder goes before an earlier one.

    Raises:
        InputError: if a folder is not there, or a task file in it cannot be used.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = tuple(folders)
        self._files: dict[str, Path] = {}
        self.tasks: dict[str, TaskFile] = {}
        self.groups: dict[str, tuple[str, ...]] = {}
        for folder in folders:
            if not folder.is_dir():
                raise InputError(f"--include_path {folder}: not a folder; expected one with task files")
            for path in sorted(folder.rglob("*.yaml")):
                self._add_file(path, _read(path))
        self._check_cycles()
        tagged: dict[str, list[str]] = {}
        for task in self.tasks.values():
            for tag in _as_list(task.settings.get("tag")):
                tagged.setdefault(tag, []).append(task.name)
        self.tags: Mapping[str, Sequence[str]] = dict(sorted(tagged.items()))

    @cached_property
    def names(self) -> Sequence[str]:
        """All names of tasks, groups and tags, in order."""
        return sorted({*self.tasks, *self.groups, *self.tags})

    def members(self, name: str) -> list[str]:
        """Return the tasks that a name stands for, each once."""
        tasks: dict[str, None] = {}
        seen: set[str] = set()
        pending = [name]
        while pending:
            member = pending.pop()
            if member in self.tasks:
                tasks[member] = None
            elif member not in seen:
                seen.add(member)
                pending.extend(reversed(self.groups.get(member) or self.tags.get(member, ())))
        return list(tasks)

    def select_tasks(self, values: Iterable[str]) -> list[str]:
        """Return the names that lm_eval is to run.

        A pattern stands for the tasks that it matches, or, where it matches none, for groups and tags. A task
        that is also in a chosen group is asked once.
        """
        patterns = [name for value in values for name in map(str.strip, value.split(",")) if name]
        if not patterns:
            raise InputError("--tasks: names no task; see `polbias eval --list`")
        names = list(dict.fromkeys(name for pattern in patterns for name in self._matching(pattern)))
        groups = [name for name in names if name in self.groups]
        group_by_task: dict[str, str] = {}
        for group in groups:
            for task in self.members(group):
                if task in group_by_task:
                    raise InputError(
                        f"--tasks: {group_by_task[task]} and {group} both ask {task}; name one of them"
                    )
                group_by_task[task] = group
        ungrouped = [task for name in names if name not in self.groups for task in self.members(name)]
        # Likelihoods first: where a server has none, that is known before any answer is paid for.
        selected = [*groups, *(task for task in dict.fromkeys(ungrouped) if task not in group_by_task)]
        return sorted(selected, key=self._is_generation)

    def _is_generation(self, name: str) -> bool:
        return not any(self.tasks[task].is_loglikelihood for task in self.members(name))

    def _matching(self, name: str) -> Iterator[str]:
        if name in self.tasks or name in self.groups or name in self.tags:
            yield name
            return
        for pool in (
            (self.tasks, {**self.groups, **self.tags}) if any(sign in name for sign in _WILDCARDS) else ()
        ):
            if matches := [candidate for candidate in pool if fnmatchcase(candidate, name)]:
                yield from sorted(matches)
                return
        raise InputError(f"--tasks {name}: no such task, group or tag; {self._nearest(name)}")

    def _nearest(self, name: str) -> str:
        if name.endswith((".yaml", ".yml")) or "/" in name:
            return "for files of your own name their folder with --include_path, and the task here"
        matches = difflib.get_close_matches(name, self.names, _MAX_MATCHES, 0.5)
        matches += difflib.get_close_matches(_PREFIX + name, self.names, _MAX_MATCHES, 0.7)
        hint = f"nearest: {', '.join(list(dict.fromkeys(matches))[:_MAX_MATCHES])}; " if matches else ""
        return f"{hint}all names: `polbias eval --list` (for tasks of lm_eval itself use `lm_eval`)"

    def _add_file(self, path: Path, settings: Document) -> None:
        name = settings.get("group", settings.get("task"))
        if not isinstance(name, str):
            return  # a base that others include
        _check(path, settings)
        self.tasks.pop(name, None)
        self.groups.pop(name, None)
        self._files[name] = path
        if "group" in settings:
            members = [member for member in _as_list(settings.get("task")) if isinstance(member, str)]
            self.groups[name] = tuple(members)
        else:
            self.tasks[name] = TaskFile(name, settings)

    def _check_cycles(self) -> None:
        subgroups = {
            name: [member for member in members if member in self.groups]
            for name, members in self.groups.items()
        }
        try:
            TopologicalSorter(subgroups).prepare()
        except CycleError as error:
            cycle: list[str] = error.args[1][::-1]
            chain = " > ".join(cycle)[:_MAX_REASON]
            raise InputError(
                f"{self._files[cycle[0]]}: task: the group contains itself ({chain}); take it out of one"
            ) from None


def catalogue(include: Sequence[Path] = ()) -> Catalogue:
    """Read the task files of all instruments, and those in further folders."""
    return Catalogue([*task_folders(), *include])


def _read(path: Path, including: Sequence[Path] = ()) -> Json:
    """Return what a task file and those that it includes say; a file that is no mapping says nothing."""
    content = _load_yaml(path, including)
    settings: Json = {**content} if isinstance(content, dict) else {}
    included = settings.pop("include", None)
    chain = (*including, path)
    for file_name in _as_list(included):
        if not isinstance(file_name, str):
            raise _field_error(path, "include", included, "the name of a file, or a list of names")
        inner = path.parent / file_name
        paths = [normpath(outer) for outer in chain]
        if normpath(inner) in paths:
            cycle = [*(outer.name for outer in chain[paths.index(normpath(inner)) :]), inner.name]
            cycle_text = " > ".join(cycle)[:_MAX_REASON]
            raise InputError(f"{path}: include: the file includes itself ({cycle_text}); remove one of these")
        if len(chain) > _MAX_DEPTH:
            raise InputError(f"{path}: include: more than {_MAX_DEPTH} files within each other; include less")
        settings = _read(inner, chain) | settings
    return settings


def _load_yaml(path: Path, including: Sequence[Path]) -> Any:
    advice = (
        f"correct `include` in {including[-1]}" if including else "correct it or take it out of the folder"
    )
    try:
        text = read_bytes(path, MAX_TEMPLATE).decode("utf-8")
        line, content = _parse_yaml(text)
        if line is None:
            return content
        reason, advice = f"more than {MAX_LEVELS} levels deep", "correct it"
    except OSError as error:
        reason, line = error.strerror or type(error).__name__, None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        line = mark.line + 1 if mark else None
        reason, advice = str(getattr(error, "problem", None) or error).splitlines()[0], "correct it"
    # A value that is none of its tag makes PyYAML raise any of these.
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
        reason, line = str(error) or type(error).__name__, None
    location = f"{path}:{line}" if line else str(path)
    raise InputError(f"{location}: not a readable task file ({reason[:_MAX_REASON]}); {advice}") from None


@lru_cache(maxsize=1024)  # most files include one of a few, and a process may read them more than once
def _parse_yaml(text: str) -> tuple[int | None, Any]:
    """Return the line in which a text is too deep, or what it says."""
    line = line_nested_too_deep(text)
    return line, None if line else yaml.load(text, Loader=_Loader)


def _as_list(value: Any) -> Sequence[Any]:
    """Return what may be one thing or a list of them as a list."""
    return value if isinstance(value, list) else [] if value is None else [value]


def _check(path: Path, settings: Document) -> None:
    """Refuse a task or group whose fields are not of the kinds that lm_eval knows."""
    inner = settings.get("task")
    if not all(isinstance(item, str | dict) for item in _as_list(inner)):  # lm_eval takes whole tasks as well
        raise _field_error(path, "task", inner, "a name, or a list of names")
    tags = settings.get("tag")
    if not all(isinstance(item, str) for item in _as_list(tags)):
        raise _field_error(path, "tag", tags, "a name, or a list of names")
    for field in ("dataset_kwargs", "metadata"):
        value = settings.get(field)
        is_mapping = isinstance(value, dict) and all(isinstance(name, str) for name in value)
        if value is not None and not is_mapping:
            raise _field_error(path, field, value, "values by name")
    samples = (settings.get("metadata") or {}).get("polbias_samples", 1)
    if not isinstance(samples, int) or samples < 1:
        raise _field_error(path, "metadata.polbias_samples", samples, "a whole number from 1")


def _field_error(path: Path, field: str, value: Any, expected: str) -> InputError:
    return InputError(f"{path}: {field}: found {short(value)}, expected {expected}; correct it")


# What a task asks for: how many tokens an answer may take.

MIN_REASONING_TOKENS = 4096
"""Tokens that an answer may take at least, its thoughts among them, where a model is to reason."""

REASONING = "polbias_reasoning"
"""Among the metadata: the model reasons before it answers."""

TOKEN_LIMIT = "max_gen_toks"
"""The most tokens of an answer, as tasks name it."""
OTHER_TOKEN_LIMITS = ("max_new_tokens", "max_tokens", "max_completion_tokens")
TOKEN_LIMIT_SETTINGS = (TOKEN_LIMIT, *OTHER_TOKEN_LIMITS)


def generation_settings(
    task_settings: Document, user_settings: Document | None, metadata: Document | None
) -> Json:
    """Return the generation settings of a task: its own, those of the user, and room to reason.

    A room that the user names is left as it is.
    """
    settings = {**task_settings, **(user_settings or {})}
    if (metadata or {}).get(REASONING) and not {*TOKEN_LIMIT_SETTINGS} & {*(user_settings or {})}:
        settings["max_gen_toks"] = max(MIN_REASONING_TOKENS, int(settings.get("max_gen_toks", 0)))
    return settings


def refuse_likelihoods(tasks: Iterable[TaskFile]) -> None:
    """Refuse tasks that compare probabilities where a model is to reason."""
    names = [task.name for task in tasks if task.is_loglikelihood]
    if names:
        raise InputError(
            f"--reasoning: found {shorten_list(names)} among --tasks, where probabilities of labels are "
            "compared; expected tasks in which the model writes; run these apart, without --reasoning"
        )


def shorten_list(names: Sequence[str]) -> str:
    """Return a few names, and how many more there are."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


# What a task asks: requests and tokens, counted from its rows.


def import_task_function(name: Any, task: str) -> Callable[..., Any]:
    """Return the function that a task file names."""
    if not isinstance(name, str) or "." not in name:
        raise InputError(
            f"{task}: found {short(name)}, expected a function of Python (!function MODULE.NAME)"
        )
    module, _, attribute = name.rpartition(".")
    function: Callable[..., Any] = getattr(import_module(module), attribute)
    return function
