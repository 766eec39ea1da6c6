"""Answered pairs of X-phemism samples, without files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from polbias.eval.xphemism import section
from polbias.eval.xphemism.answers import XphemismAnswers, read_answers
from polbias.eval.xphemism.published import read_published
from tests.support.outcomes import outcomes


def published_answers(data: Path, answers: Path) -> list[XphemismAnswers]:
    """What the models of the published files answered."""
    return [read_answers(file.file.respondent, file.outcomes) for file in read_published(data, answers)]


def answers_of_samples(
    samples: Iterable[Mapping[str, Any]], model: str = "model", task: str = "task"
) -> XphemismAnswers:
    """Read the logged samples of one model; with ``_loglikelihood`` in its task, of labels."""
    return read_answers(model, outcomes(section, samples, task))
