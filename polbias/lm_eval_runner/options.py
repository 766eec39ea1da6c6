"""Parse the options of lm_eval with its parser, and reject unsupported ones."""

from __future__ import annotations

import argparse
import logging
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from reprlib import repr as short
from typing import Any, NoReturn

from polbias.aliases import Document
from polbias.errors import InputError
from polbias.optional import lm_eval_imports
from polbias.safe_text import register_arguments, register_text

DEFAULT_OUTPUT = "polbias-results"

_UNSUPPORTED = {
    "num_fewshot": "the examples are part of the prompt; use --metadata '{\"polbias_shots\": 8}'",
    "use_cache": "lm_eval's cache is not keyed by model; polbias eval caches answers per model",
    "cache_requests": "its key has no version of the data, so that prompts could be stale",
    "check_integrity": "our tasks are checked by polbias' own tests",
    "wandb_args": "not passed on; give the results to W&B afterwards, or run lm_eval itself",
    "wandb_config_args": "not passed on; give the results to W&B afterwards, or run lm_eval itself",
    "trackio_args": "not passed on; give the results to trackio afterwards, or run lm_eval itself",
}


def parse(arguments: Sequence[str]) -> Any:
    """Parse and check the options of lm_eval, also from a YAML file (``--config``)."""
    with lm_eval_imports():
        from lm_eval._cli.run import Run
        from lm_eval.config.evaluate_config import EvaluatorConfig
    logging.getLogger("lm_eval.config").setLevel(logging.ERROR)  # it warns of --limit
    parser = argparse.ArgumentParser("polbias eval").add_subparsers(parser_class=_OptionParser)
    Run.create(parser)
    parsed = None
    try:
        parsed = parser.choices["run"].parse_args([_replace_hyphens(argument) for argument in arguments])
        file = EvaluatorConfig.load_yaml_config(parsed.config) if parsed.config else {}
        _check_supported(
            file | {name: value for name, value in vars(parsed).items() if value not in (None, False)}
        )
        parsed.log_samples = True
        parsed.output_path = parsed.output_path or file.get("output_path") or DEFAULT_OUTPUT
        config = EvaluatorConfig.from_cli(parsed)
        if not (parsed.model or file.get("model") or config.model_args.get("pretrained")):
            config.model = ""  # lm_eval's default is hf, which is nothing without a model
    # lm_eval does not check the values of a file: any of these may follow.
    except (
        OSError,
        TypeError,
        ValueError,
        LookupError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        source = f"--config {parsed.config}" if parsed and parsed.config else "options of lm_eval"
        reason = (str(error) or type(error).__name__).splitlines()[0]
        _register_unparsed(arguments, parsed)
        raise InputError(f"{source}: {reason}; see `lm_eval run -h`") from None
    except InputError:
        _register_unparsed(arguments, parsed)
        raise
    for options in (config.model_args, config.gen_kwargs, config.metadata, config.hf_hub_log_args):
        register_arguments(options)
    config.tasks = _as_list("--tasks", config.tasks or [], "a name")
    return config


def _register_unparsed(arguments: Sequence[str], parsed: Any) -> None:
    """Register the secrets of options that cannot be parsed, as errors quote these options."""
    for argument in arguments:
        register_text(argument)
    if parsed and parsed.config:
        with suppress(OSError, ValueError):
            register_text(Path(parsed.config).read_text("utf-8"))


def include_paths(config: Any) -> list[Path]:
    """Return the folders with additional task files (one from the command line, a list from YAML)."""
    return [Path(folder) for folder in _as_list("--include_path", config.include_path or [], "a folder")]


def output_folder(config: Any) -> Path:
    """Return the folder of the results; create it if missing.

    Raises:
        InputError: if it is not writable.
    """
    path = Path(config.output_path)
    folder = path.parent if path.suffix == ".json" else path
    probe = folder / ".polbias-probe"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise InputError(f"--output_path {path}: cannot be written to ({error.strerror})") from None
    return folder


def _as_list(option: str, value: Any, expected: str) -> list[Any]:
    values = value if isinstance(value, list) else [value]
    if invalid := [item for item in values if not isinstance(item, str | Path)]:
        raise InputError(f"{option}: found {short(invalid[0])}, expected {expected}, or a list of such")
    return values


class _OptionParser(argparse.ArgumentParser):
    """Parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        message = re.sub(r"invalid functools\.partial\(.*\) value", "invalid value", message)
        raise InputError(f"{message}; see `lm_eval run -h` for the options of lm_eval")


def _check_supported(options: Document) -> None:
    for name, reason in _UNSUPPORTED.items():
        if options.get(name) not in (None, {}, False):
            raise InputError(f"--{name}: not for these tasks, as {reason}")


def _replace_hyphens(argument: str) -> str:
    if not argument.startswith("--"):
        return argument
    name, equals, value = argument.partition("=")
    return "--" + name[2:].replace("-", "_") + equals + value
