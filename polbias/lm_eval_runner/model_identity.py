"""Identify the model and the task data of cached answers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from polbias.aliases import Document, Json
from polbias.atomic_write import write_text
from polbias.models.cache import digest
from polbias.safe_text import is_secret_name, redact

INSPECT = "inspect"
"""Value of ``--model`` for models that Inspect's providers serve."""

# Arguments of execution (speed, memory, retries, certificates); the cache key ignores them.
_EXECUTION_ARGUMENTS = frozenset(
    {
        *("num_concurrent", "max_retries", "timeout", "max_images", "verify_certificate", "ca_cert_path"),
        *("max_connections", "attempt_timeout", "stream_idle_timeout", "batch"),
        *("batch_size", "max_batch_size", "device", "device_map", "parallelize", "offload_folder"),
        *("max_memory_per_gpu", "max_cpu_memory", "gpus", "cache_dir", "data_parallel_size"),
        *("gpu_memory_utilization", "swap_space", "disable_log_stats"),
    }
)
_NOT_IN_SLUG = re.compile(r"[^A-Za-z0-9._]+")


def model_identity(config: Any) -> Json:
    """Return the fields that identify a model: class, arguments, local files, commit and seed."""
    arguments = {
        name: redact(value)
        for name, value in config.model_args.items()
        if name not in _EXECUTION_ARGUMENTS and not is_secret_name(name)
    }
    folder_hashes = {
        key: folder_hash for key, value in arguments.items() if (folder_hash := _folder_hash(value))
    }
    return {
        "model": config.model,
        "model_args": arguments,
        "files": folder_hashes,
        "commit": _commit(arguments),
        "seed": config.seed,
    }


def task_identity(task: Any) -> Json:
    """Return the fields that identify the prompts of a task: name, version, data and source file."""
    metadata = task.config.metadata or {}
    return {
        "task": task.config.task,
        "version": metadata.get("version"),
        "data": dict(task.config.dataset_kwargs or {}),
        "source": metadata.get("polbias_source") or metadata.get("polbias_stage2"),
    }


def slug(identity: Document) -> str:
    """Return a readable folder name: the model's name (else its class) and the hash of its identity."""
    arguments = identity["model_args"]
    name = arguments.get("pretrained") or arguments.get("model") or identity["model"]
    return f"{_NOT_IN_SLUG.sub('-', str(name)).strip('-')[-60:]}-{digest(identity)}"


def _folder_hash(value: Any) -> str | None:
    """Return a hash of a folder's path and of its files' names, sizes and times; None if it is no folder."""
    if not isinstance(value, str) or not value or not _is_folder(folder := Path(value)):
        return None
    entries = sorted((path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in folder.iterdir())
    return digest({"folder": str(folder.resolve()), "files": entries})


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # name too long
        return False


def _commit(arguments: Document) -> str | None:
    """Return the commit of the cached snapshot of a Hub model; None if it is not cached."""
    name = arguments.get("pretrained")
    if not isinstance(name, str) or _is_folder(Path(name)):
        return None
    from huggingface_hub import try_to_load_from_cache

    try:
        path = try_to_load_from_cache(name, "config.json", revision=arguments.get("revision") or "main")
    except ValueError:  # not a Hub name
        return None
    return Path(path).parent.name if isinstance(path, str) else None


_IDENTITY = "identity.json"


def write_identity(folder: Path, identity: Document) -> None:
    """Write the model's identity next to the answer databases, for human readers, unless it exists."""
    path = folder / _IDENTITY
    if path.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(identity, indent=1, ensure_ascii=False, default=str) + "\n", private=True)
