"""Read task files (tasks, groups and tags) without importing lm_eval."""

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
from polbias.eval.task_settings import (
    PREFIX,
    REASONING,
    refuse_unread_request_settings,
    refuse_unread_settings,
)
from polbias.files import line_nested_too_deep, read_bytes
from polbias.limits import MAX_LEVELS, MAX_TEMPLATE
from polbias.registry import task_folders

_WILDCARDS = "*?["
_MAX_MATCHES = 4
_MAX_DEPTH = 50
_MAX_REASON = 300  # characters of a reason in a message


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML loader that reads lm_eval's ``!function`` as the name of the function."""


_Loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))


@dataclass(frozen=True)
class TaskFile:
    """A task file, merged with the files that it includes.

    Args:
        name: name of the task.
        settings: fields of the file; functions are import names.
    """

    name: str
    settings: Document

    @property
    def is_loglikelihood(self) -> bool:
        """Whether the task scores log-likelihoods; else the model generates."""
        return self.settings.get("output_type") in ("multiple_choice", "loglikelihood")

    @property
    def data(self) -> Document:
        """Arguments of the loader, without the prefix ``polbias_``."""
        arguments: Document = self.settings.get("dataset_kwargs") or {}
        return {name.removeprefix(PREFIX): value for name, value in arguments.items()}

    @property
    def metadata(self) -> Document:
        """Metadata: version, number of samples and so on."""
        metadata: Document = self.settings.get("metadata") or {}
        return metadata

    @property
    def samples(self) -> int:
        """Answers per prompt."""
        return int(self.metadata.get("polbias_samples", 1))

    def rows(self, settings: Document) -> Any:
        """Load the rows, with the metadata of the task overridden by settings of the user."""
        arguments = {**self.metadata, **settings}
        load = import_task_function(self.settings.get("custom_dataset"), self.name)
        fixed = self.settings.get("dataset_kwargs") or {}
        refuse_unread_settings(self.name, load, fixed, arguments)
        return load(**arguments, **fixed)["test"]


class Catalogue:
    """All tasks, groups and tags in folders.

    Args:
        folders: folders of task files; a later folder overrides an earlier one.

    Raises:
        InputError: if a folder is missing, or a task file is invalid.
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
        """Return the tasks of a task, group or tag name, without duplicates."""
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
        """Return the tasks and groups that match names or patterns, for lm_eval.

        A pattern matches tasks or, if there is none, groups and tags. A task of a selected group is not
        selected again. Log-likelihood tasks come first.
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
                        f"--tasks: {group_by_task[task]} and {group} both contain {task}; name one of them"
                    )
                group_by_task[task] = group
        ungrouped = [task for name in names if name not in self.groups for task in self.members(name)]
        # A server without log-likelihoods then fails before any paid answer.
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
            return "for your own files give their folder with --include_path, and the task name here"
        matches = difflib.get_close_matches(name, self.names, _MAX_MATCHES, 0.5)
        matches += difflib.get_close_matches(PREFIX + name, self.names, _MAX_MATCHES, 0.7)
        hint = f"nearest: {', '.join(list(dict.fromkeys(matches))[:_MAX_MATCHES])}; " if matches else ""
        return f"{hint}all names: `polbias eval --list` (for tasks of lm_eval itself use `lm_eval`)"

    def _add_file(self, path: Path, settings: Document) -> None:
        name = settings.get("group", settings.get("task"))
        if not isinstance(name, str):
            return  # a file for `include` only
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
                f"{self._files[cycle[0]]}: task: the group contains itself ({chain}); remove it from one"
            ) from None


def catalogue(include: Sequence[Path] = ()) -> Catalogue:
    """Read the task files of all instruments and of additional folders."""
    return Catalogue([*task_folders(), *include])


def _read(path: Path, including: Sequence[Path] = ()) -> Json:
    """Return the fields of a task file and its includes; empty if the file is not a mapping."""
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
        f"correct `include` in {including[-1]}" if including else "correct it or remove it from the folder"
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
    # PyYAML raises any of these for a value that does not fit its tag.
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
        reason, line = str(error) or type(error).__name__, None
    location = f"{path}:{line}" if line else str(path)
    raise InputError(f"{location}: not a readable task file ({reason[:_MAX_REASON]}); {advice}") from None


@lru_cache(maxsize=1024)  # most files include one of a few, and a process may read them more than once
def _parse_yaml(text: str) -> tuple[int | None, Any]:
    """Return the line of a text that is nested too deep, or None and the parsed text."""
    line = line_nested_too_deep(text)
    return line, None if line else yaml.load(text, Loader=_Loader)


def _as_list(value: Any) -> Sequence[Any]:
    """Return a list: the value itself, its only item, or empty for None."""
    return value if isinstance(value, list) else [] if value is None else [value]


def _check(path: Path, settings: Document) -> None:
    """Raise InputError if a field of a task or group has the wrong type."""
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
            raise _field_error(path, field, value, "a mapping")
    samples = (settings.get("metadata") or {}).get("polbias_samples", 1)
    if not isinstance(samples, int) or samples < 1:
        raise _field_error(path, "metadata.polbias_samples", samples, "a whole number from 1")


def _field_error(path: Path, field: str, value: Any, expected: str) -> InputError:
    return InputError(f"{path}: {field}: found {short(value)}, expected {expected}; correct it")


# The token limit of answers.

MIN_REASONING_TOKENS = 4096
"""Minimum token limit of an answer, including its reasoning, with --reasoning."""

TOKEN_LIMIT = "max_gen_toks"
"""Token limit of an answer in task files."""
OTHER_TOKEN_LIMITS = ("max_new_tokens", "max_tokens", "max_completion_tokens")
TOKEN_LIMIT_SETTINGS = (TOKEN_LIMIT, *OTHER_TOKEN_LIMITS)


def generation_settings(
    task_settings: Document, user_settings: Document | None, metadata: Document | None
) -> Json:
    """Return the generation settings of a task, overridden by the user's.

    Reasoning raises the token limit to MIN_REASONING_TOKENS, unless the user set one.
    """
    settings = {**task_settings, **(user_settings or {})}
    if (metadata or {}).get(REASONING) and not {*TOKEN_LIMIT_SETTINGS} & {*(user_settings or {})}:
        settings["max_gen_toks"] = max(MIN_REASONING_TOKENS, int(settings.get("max_gen_toks", 0)))
    return settings


def refuse_unread(tasks: Iterable[TaskFile], metadata: Document) -> None:
    """Raise InputError for a setting of the user that a task, or all tasks, do not read.

    The tasks themselves check their settings too (:mod:`polbias.eval.lm_eval_task`), for `lm_eval`.
    """
    if not any(key.startswith(PREFIX) for key in metadata):
        return
    task_classes: dict[str, Any] = {}
    for task in tasks:
        load = import_task_function(task.settings.get("custom_dataset"), task.name)
        name, fixed = task.settings.get("class"), task.settings.get("dataset_kwargs") or {}
        task_classes[task.name] = task_class = name and import_task_function(name, task.name)
        refuse_unread_settings(task.name, load, fixed, metadata, task_class=task_class)
    refuse_unread_request_settings(task_classes, metadata)


def refuse_likelihoods(tasks: Iterable[TaskFile]) -> None:
    """Raise InputError for log-likelihood tasks with --reasoning."""
    names = [task.name for task in tasks if task.is_loglikelihood]
    if names:
        raise InputError(
            f"--reasoning: found {shorten_list(names)} among --tasks, which score log-likelihoods; "
            "expected generation tasks; run these apart, without --reasoning"
        )


def shorten_list(names: Sequence[str]) -> str:
    """Return the first three names, and the number of further ones."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def import_task_function(name: Any, task: str) -> Callable[..., Any]:
    """Import the function that a task file names."""
    if not isinstance(name, str) or "." not in name:
        raise InputError(
            f"{task}: found {short(name)}, expected a function of Python (!function MODULE.NAME)"
        )
    module, _, attribute = name.rpartition(".")
    function: Callable[..., Any] = getattr(import_module(module), attribute)
    return function
