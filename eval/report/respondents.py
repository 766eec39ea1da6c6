"""Name respondents after their model and the settings in which its runs differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from polbias.aliases import Document
from polbias.errors import InputError
from polbias.eval.samples import SampleFile

_NESTED_KEYS = ("chat_template_args", "chat_template_kwargs", "extra_body")
_THINKING = ("enable_thinking", "thinking", "reasoning_effort", "reasoning_tokens")
_BITS = {"load_in_4bit": "4-bit", "load_in_8bit": "8-bit"}
_ROUTE = "route"
_N_HASH_DIGITS = 6  # shown of the hash of a prompt or template

RunSettings = Mapping[str, str]
"""Setting to its text in the name of a respondent; unset settings are omitted."""


def identifying_settings(results: Document) -> RunSettings:
    """Return the settings of a run that may distinguish respondents of one model.

    Args:
        results: lm_eval's results: ``config`` with ``model`` (lm_eval's model class), ``model_args`` and
            ``gen_kwargs``; ``system_instruction_sha`` and ``chat_template_sha``.
    """
    config = _mapping(results.get("config"))
    model_args, gen_kwargs = (
        _parse_arguments(config.get("model_args")),
        _parse_arguments(config.get("gen_kwargs")),
    )
    temperature, revision = gen_kwargs.get("temperature"), model_args.get("revision")
    settings = {
        _ROUTE: str(config.get("model") or ""),
        "thinking": next(filter(None, map(_thinking, _iter_nested(model_args, gen_kwargs))), ""),
        "temperature": "" if temperature is None else f"temperature {temperature}",
        "system prompt": str(results.get("system_instruction_sha") or ""),
        "template": str(results.get("chat_template_sha") or ""),
        "revision": f"revision {revision}" if revision not in (None, "main") else "",
        "quantisation": _quantisation(model_args),
    }
    return {name: value for name, value in settings.items() if value}


def _iter_nested(*settings: Document) -> Iterator[Document]:
    for group in settings:
        yield group
        yield from _iter_nested(
            *(group[name] for name in _NESTED_KEYS if isinstance(group.get(name), Mapping))
        )


def _thinking(settings: Document) -> str:
    for name in _THINKING:
        value = settings.get(name)
        if isinstance(value, Mapping):
            value = value.get("budget_tokens", value.get("type") != "disabled")
        if value is None or value == "":
            continue
        switch = {"true": True, "false": False, "none": False}.get(str(value).lower(), value)
        return ("thinking" if switch else "no thinking") if isinstance(switch, bool) else f"thinking {value}"
    return ""


def _quantisation(model_args: Document) -> str:
    for name, bits in _BITS.items():
        if str(model_args.get(name)).lower() == "true":
            return bits
    return str(model_args.get("quantization") or model_args.get("gguf_file") or "")


def _parse_arguments(arguments: Any) -> Document:
    """Parse arguments of lm_eval: a mapping, or ``a=1,b=2``."""
    if isinstance(arguments, str):
        parts = (part.partition("=") for part in arguments.split(","))
        return {name.strip(): value.strip() for name, _, value in parts if value}
    return _mapping(arguments)


def _mapping(value: Any) -> Document:
    return value if isinstance(value, Mapping) else {}


def name_respondents(
    files: Sequence[tuple[SampleFile, RunSettings]], custom_names: Mapping[Path, str]
) -> list[SampleFile]:
    """Name the respondent of every file after its model and the settings in which the model's runs differ.

    The route (lm_eval's model class, or Inspect) is one of them if the model ran a task by several routes.

    Args:
        files: files with the settings of their runs.
        custom_names: by path: the name of the respondent of all files below it, used unchanged.
    """
    for path in custom_names:
        if not any(_is_below(file.path, path) for file, _ in files):
            raise InputError(
                f"--name {path}: found no run below it, expected a folder or file of a reported run"
            )
    models = _shorten_models({file.model for file, _ in files})
    files = _drop_single_routes(files)
    runs: dict[tuple[str, bool], list[RunSettings]] = {}
    for file, settings in files:
        runs.setdefault((file.model, file.is_loglikelihood), []).append(settings)
    renamed = []
    for file, settings in files:
        custom = [name for path, name in custom_names.items() if _is_below(file.path, path)]
        suffix = ", ".join(_differing_settings(settings, runs[file.model, file.is_loglikelihood]))
        model = models[file.model]
        name = custom[0] if custom else f"{model} ({suffix})" if suffix else model
        renamed.append(replace(file, model=model, name=name))
    return renamed


def _drop_single_routes(
    files: Sequence[tuple[SampleFile, RunSettings]],
) -> list[tuple[SampleFile, RunSettings]]:
    """Remove the route from the settings, unless the model ran some task by several routes.

    Otherwise only the newest of these runs would be reported.
    """
    routes: dict[tuple[str, str], set[str]] = {}
    for file, settings in files:
        routes.setdefault((file.model, file.task), set()).update({settings.get(_ROUTE, "")} - {""})
    multi_route_models = {model for (model, _), names in routes.items() if len(names) > 1}
    return [
        (
            file,
            {
                name: value
                for name, value in settings.items()
                if name != _ROUTE or file.model in multi_route_models
            },
        )
        for file, settings in files
    ]


def _differing_settings(settings: RunSettings, all_settings: Sequence[RunSettings]) -> Iterator[str]:
    for name in dict.fromkeys(key for run_settings in all_settings for key in run_settings):
        values = {run_settings.get(name, "") for run_settings in all_settings}
        value = settings.get(name, "")
        if len(values) == 1 or not value:
            continue
        if name in ("system prompt", "template"):
            value = f"{name} {value[:_N_HASH_DIGITS]}" if len(values - {""}) > 1 else name
        yield value


def _shorten_models(models: Iterable[str]) -> Mapping[str, str]:
    """Map each model to its name; a path to its last part, unless two models would share a name."""
    models = list(models)
    name_by_model = {
        model: model.rpartition("__")[2] if model.lstrip(".~").startswith("__") else model for model in models
    }
    names = list(name_by_model.values())
    return {
        model: name if name and names.count(name) == 1 else model for model, name in name_by_model.items()
    }


def _is_below(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())
