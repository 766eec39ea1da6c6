"""One way to ask a model, whatever answers: a request, an answer, and what an asker is."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

SamplingMode = Literal["defaults", "greedy"]
Prefill = Literal["continue", "turn", "none"]


@dataclass(frozen=True)
class Request:
    """One question to a model.

    Args:
        id: of the row that it is made from.
        messages: turns with ``role`` and ``content``, without the prefill.
        max_tokens: at most so many tokens has the answer.
        sampling: ``defaults`` of the model, or ``greedy``.
        seed: of the sampling, where the model takes one; None sends none.
        prefill: the beginning of the answer that is put into the model's mouth.
    """

    id: str
    messages: Sequence[Mapping[str, str]]
    max_tokens: int
    sampling: SamplingMode = "defaults"
    seed: int | None = None
    prefill: str | None = None


@dataclass(frozen=True)
class Answer:
    """What a model answered to one request, or why it did not.

    Args:
        id: of the request.
        text: the answer, without the prefill; empty if there is none.
        finish_reason: ``stop``, ``length``, ``refusal``, ``content_filter`` or what a server says; None if
            nothing is known.
        error: why there is no answer; None if there is one. An empty answer and a refusal are answers.
        usage: tokens billed, as ``input_tokens`` and ``output_tokens``, where they are known.
    """

    id: str
    text: str = ""
    finish_reason: str | None = None
    error: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Settings:
    """What holds for all requests of a stage.

    Args:
        parameters: further generation parameters under the names that the model's server or library has for
            them, before `Request.sampling`; one that is None is left out of the request.
        prefill: how the beginning of an answer is given: ``continue`` it, as a last assistant ``turn``, or
            ``none`` at all; None takes what suits the asker.
    """

    parameters: Mapping[str, Any] = field(default_factory=dict)
    prefill: Prefill | None = None


class Asker(Protocol):
    """A model that can be asked. Making one neither loads a model nor opens a connection."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """What an answer depends on, as JSON: the model and what configures it, no addresses, no keys."""

    @property
    def address(self) -> str | None:
        """Where the model is asked, without secrets; None if it is here."""

    @property
    def default_prefill(self) -> Prefill:
        """How it takes the beginning of an answer unless told otherwise."""

    @property
    def notes(self) -> Sequence[str]:
        """What had to be asked otherwise than the rows say, each once."""

    def check(self) -> None:
        """Raise a `PolbiasError` if a library or a key is missing; sends nothing."""

    def ask(self, requests: Iterable[Request], settings: Settings) -> Generator[Answer]:
        """Yield one answer for each request, in any order, as they come.

        A request that fails is an answer with an error. Closing the generator gives up what is under way.

        Raises:
            PolbiasError: if no request can be answered at all.
        """


def prefill_of(asker: Asker, settings: Settings) -> Prefill:
    """Return how an asker is given the beginnings of answers."""
    return settings.prefill or asker.default_prefill
