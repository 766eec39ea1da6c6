"""Respondents: a model, and what tells its runs apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from polbias.aliases import Document
from polbias.errors import InputError
from polbias.eval.samples import SampleFile

_PLACES = ("chat_template_args", "chat_template_kwargs", "extra_body")
_THINKING = ("enable_thinking", "thinking", "reasoning_effort", "reasoning_tokens")
_BITS = {"load_in_4bit": "4-bit", "load_in_8bit": "8-bit"}
_ROUTE = "route"
_DIGITS = 6  # of a hash that tells two prompts or templates apart

RunSettings = Mapping[str, str]
"""Setting to what a name says of it; settings that are those of the model are left out."""


def identifying_settings(results: Document) -> RunSettings:
    """What the results of a run say of the settings that may tell respondents apart.

    Args:
        results: ``config`` with ``model_args`` and ``gen_kwargs``, ``system_instruction_sha`` and
            ``chat_template_sha``, as lm_eval names them, and ``model``, the class of models that asked.
    """
    config = _mapping(results.get("config"))
    given, asked = _arguments(config.get("model_args")), _arguments(config.get("gen_kwargs"))
    temperature, revision = asked.get("temperature"), given.get("revision")
    told = {
        _ROUTE: str(config.get("model") or ""),
        "thinking": next(filter(None, map(_thinking, _nested(given, asked))), ""),
        "temperature": "" if temperature is None else f"temperature {temperature}",
        "system prompt": str(results.get("system_instruction_sha") or ""),
        "template": str(results.get("chat_template_sha") or ""),
        "revision": f"revision {revision}" if revision not in (None, "main") else "",
        "quantisation": _quantisation(given),
    }
    return {name: value for name, value in told.items() if value}


def _nested(*settings: Document) -> Iterator[Document]:
    for each in settings:
        yield each
        yield from _nested(*(each[name] for name in _PLACES if isinstance(each.get(name), Mapping)))


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


def _quantisation(given: Document) -> str:
    for name, bits in _BITS.items():
        if str(given.get(name)).lower() == "true":
            return bits
    return str(given.get("quantization") or given.get("gguf_file") or "")


def _arguments(given: Any) -> Document:
    """Arguments as lm_eval takes them, in a mapping or as ``a=1,b=2``."""
    if isinstance(given, str):
        parts = (part.partition("=") for part in given.split(","))
        return {name.strip(): value.strip() for name, _, value in parts if value}
    return _mapping(given)


def _mapping(value: Any) -> Document:
    return value if isinstance(value, Mapping) else {}


def name_respondents(
    files: Sequence[tuple[SampleFile, RunSettings]], given: Mapping[Path, str]
) -> list[SampleFile]:
    """Name the respondent of every file: by its model, and by what the runs of that model differ in.

    Routes, such as lm_eval's class of models or Inspect, count where a task was asked by several.

    Args:
        files: with the settings of their runs.
        given: names of the respondents of all files below a path, which are taken as they are.
    """
    for place in given:
        if not any(_below(file.path, place) for file, _ in files):
            raise InputError(
                f"--name {place}: found no run there, expected one of the runs that are reported"
            )
    models = _shortened({file.model for file, _ in files})
    files = _with_routes(files)
    runs: dict[tuple[str, bool], list[RunSettings]] = {}
    for file, told in files:
        runs.setdefault((file.model, file.is_loglikelihood), []).append(told)
    named = []
    for file, told in files:
        mine = [name for place, name in given.items() if _below(file.path, place)]
        suffix = ", ".join(_differences(told, runs[file.model, file.is_loglikelihood]))
        model = models[file.model]
        name = mine[0] if mine else f"{model} ({suffix})" if suffix else model
        named.append(replace(file, model=model, name=name))
    return named


def _with_routes(files: Sequence[tuple[SampleFile, RunSettings]]) -> list[tuple[SampleFile, RunSettings]]:
    """Leave the route in the settings where a model was asked a task by several, of which one would win."""
    routes: dict[tuple[str, str], set[str]] = {}
    for file, told in files:
        routes.setdefault((file.model, file.task), set()).update({told.get(_ROUTE, "")} - {""})
    several = {model for (model, _), names in routes.items() if len(names) > 1}
    return [
        (file, {name: value for name, value in told.items() if name != _ROUTE or file.model in several})
        for file, told in files
    ]


def _differences(told: RunSettings, others: Sequence[RunSettings]) -> Iterator[str]:
    for name in dict.fromkeys(key for each in others for key in each):
        values = {each.get(name, "") for each in others}
        mine = told.get(name, "")
        if len(values) == 1 or not mine:
            continue
        if name in ("system prompt", "template"):
            mine = f"{name} {mine[:_DIGITS]}" if len(values - {""}) > 1 else name
        yield mine


def _shortened(models: Iterable[str]) -> Mapping[str, str]:
    """Names of models, that of a path without its folders, unless two models would have one name."""
    models = list(models)
    last = {each: each.rpartition("__")[2] if each.lstrip(".~").startswith("__") else each for each in models}
    short = list(last.values())
    return {each: name if name and short.count(name) == 1 else each for each, name in last.items()}


def _below(path: Path, place: Path) -> bool:
    return path.resolve().is_relative_to(place.resolve())
