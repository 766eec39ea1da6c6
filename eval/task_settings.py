"""Check the settings of tasks in lm_eval's metadata (``polbias_*``): a key that is not read is an error.

The instruments declare which loader or task class reads which keys
(:attr:`polbias.registry.Instrument.row_settings` and ``request_settings``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from polbias.aliases import Document
from polbias.errors import InputError, did_you_mean
from polbias.registry import instruments

PREFIX = "polbias_"
REASONING = "polbias_reasoning"
"""Metadata key: the model reasons before it answers; `polbias eval` reads it for all tasks."""


def refuse_unread_settings(
    task: str,
    load: Any,
    fixed: Document,
    keys: Iterable[str],
    request_keys: Collection[str] | None = None,
    task_class: Any = None,
) -> None:
    """Raise InputError for a key that no task reads, or that selects rows of other tasks than this one.

    A request setting is accepted even if the task does not read it, because several tasks are run with one
    metadata. No key is checked if no instrument declares the loader, such as a user's.

    Args:
        task: name of the task.
        load: loader of its rows (``custom_dataset``).
        fixed: arguments of the loader in the task file (``dataset_kwargs``).
        keys: keys of the metadata; those without the prefix ``polbias_`` are ignored.
        request_keys: accepted request settings; all by default.
        task_class: class of the task, whose request settings are suggested in place of a misspelt key.
    """
    rows = _merge(instrument.row_settings for instrument in instruments().values())
    requests = _merge(instrument.request_settings for instrument in instruments().values())
    row_keys = rows.get(_reference(load))
    if row_keys is None:
        return
    all_request_keys = [REASONING, *_flatten(requests)]
    known_keys = dict.fromkeys([*row_keys, *_flatten(rows), *all_request_keys])
    accepted_keys = {*row_keys, *(all_request_keys if request_keys is None else request_keys)}
    for key in keys:
        if not key.startswith(PREFIX):
            continue
        if key in fixed:
            raise InputError(f"{key}: {task} sets it to {fixed[key]!r}; remove it, or select another task")
        if key not in accepted_keys:
            expected = f"expected {', '.join(row_keys)} for {task}"
            if key in known_keys:
                advice = "remove it, or run the tasks that read it separately"
                raise InputError(f"{key}: found a setting of other tasks, {expected}; {advice}")
            read_keys = (
                (REASONING, *_read_request_keys([task_class])) if request_keys is None else request_keys
            )
            advice = f"{did_you_mean(key, (*row_keys, *read_keys))}correct or remove it"
            raise InputError(f"{key}: found a setting of no task, {expected}; {advice}")


def refuse_unread_request_settings(task_classes: Mapping[str, Any], keys: Iterable[str]) -> None:
    """Raise InputError for a request setting that none of the selected tasks reads.

    Args:
        task_classes: classes of the selected tasks by task; None for lm_eval's own.
        keys: keys of the user's metadata.
    """
    requests = _merge(instrument.request_settings for instrument in instruments().values())
    read_keys = _read_request_keys({*task_classes.values()})
    for key in keys:
        if key in _flatten(requests) and key not in read_keys:
            tasks = ", ".join([*task_classes][:3]) + (", ..." if len(task_classes) > 3 else "")
            raise InputError(f"{key}: not a setting of {tasks}; remove it, or add a task that reads it")


def _read_request_keys(task_classes: Iterable[Any]) -> set[str]:
    """Return the request settings that any of the task classes reads; None stands for lm_eval's own."""
    requests = _merge(instrument.request_settings for instrument in instruments().values())
    bases = {base for task_class in task_classes if task_class is not None for base in task_class.__mro__}
    return {key for base in bases for key in requests.get(_reference(base), ())}


def _merge(settings: Iterable[Mapping[str, tuple[str, ...]]]) -> Mapping[str, tuple[str, ...]]:
    """Return the keys by reader, of all instruments."""
    keys_by_reader: dict[str, tuple[str, ...]] = {}
    for declared in settings:
        for reader, keys in declared.items():
            keys_by_reader[reader] = tuple(dict.fromkeys((*keys_by_reader.get(reader, ()), *keys)))
    return keys_by_reader


def _flatten(settings: Mapping[str, tuple[str, ...]]) -> list[str]:
    return [key for keys in settings.values() for key in keys]


def _reference(reader: Any) -> str:
    """Return the reference of a loader or class, as the registry has it."""
    return f"{getattr(reader, '__module__', '')}:{getattr(reader, '__qualname__', '')}"
