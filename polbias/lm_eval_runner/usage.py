"""How many tokens the answers of a model took, as far as its server said so and the answers are on file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from polbias.files import PolbiasError
from polbias.lm_eval_runner.model_identity import model_identity, slug
from polbias.lm_eval_runner.requests import ASKED, settings_digest
from polbias.lm_eval_runner.results import Tell
from polbias.lm_eval_runner.tasks import Task, generation_settings
from polbias.models.bodies import is_token_count
from polbias.models.cache import Store

ENOUGH = 50
"""Answered prompts from which on an estimate is their mean."""


@dataclass
class Usage:
    """Output tokens of answers, thoughts among them.

    Args:
        prompts: short hashes of those that were answered.
        answers: how many there are.
        tokens: of all answers together.
    """

    prompts: set[str] = field(default_factory=set)
    answers: int = 0
    tokens: int = 0

    @property
    def mean(self) -> float:
        """Output tokens of an answer."""
        return self.tokens / self.answers


def usage(config: Any, tasks: Sequence[Task], cache: Path, tell: Tell) -> Mapping[str, Usage]:
    """Return what answers to tasks took; a task of which too little is known is left out.

    These are the answers of the same model with the same settings, whichever task asked for them.
    """
    wanted = {task.name: _settings(task, config) for task in tasks if not task.scores_likelihoods}
    found = {settings: Usage() for settings in wanted.values()}
    for path in sorted((cache / slug(model_identity(config))).glob("*.sqlite")):
        try:
            _count(path, found)
        except PolbiasError as error:
            tell(f"answers that are not counted: {error}")
    known = {name: found[settings] for name, settings in wanted.items()}
    return {name: each for name, each in known.items() if len(each.prompts) >= ENOUGH}


def _settings(task: Task, config: Any) -> str:
    own = task.settings.get("generation_kwargs") or {}
    return settings_digest(generation_settings(own, config.gen_kwargs, config.metadata))


def _count(path: Path, found: Mapping[str, Usage]) -> None:
    """Count the answers in a database of a task."""
    store = Store(path)
    try:
        for answer in store.answers():
            if not isinstance(answer, Mapping) or ASKED not in answer:
                continue
            prompt, settings = answer[ASKED]
            tokens = answer.get("usage", {}).get("output_tokens")
            if is_token_count(tokens) and settings in found:
                used = found[settings]
                used.prompts.add(prompt)
                used.answers += 1
                used.tokens += tokens
    finally:
        store.close()
