"""A respondent as a model of lm_eval, in the same process: it sees the row itself, not only the prompt."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from lm_eval.api.instance import Instance
from lm_eval.api.model import LM

from polbias.aliases import Document
from polbias.errors import InputError
from polbias.eval.simulation.answering import SimulatedAnswers
from polbias.eval.simulation.phrases import truncate_to_tokens
from polbias.eval.simulation.question_types import questions
from polbias.eval.simulation.respondents import SimulatedRespondent


class SimulatedModel(LM):  # type: ignore[misc]
    """Answers the requests of polbias tasks as a respondent would.

    Args:
        respondent: The respondent.
        seed: Which one of its kind.
    """

    tokenizer_name = ""

    def __init__(self, respondent: SimulatedRespondent, seed: int = 0) -> None:
        super().__init__()
        self._respondent, self._seed = respondent, seed
        self._met: set[str] = set()

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Return answers in words; see the base class.

        A request with a seed and a temperature gets the answer of that number; one that is made several times
        the answers 0, 1, 2 and so on; without a temperature there is one answer to a prompt.
        """
        answers = [""] * len(requests)
        for simulation, members in self._by_task(requests):
            asked: dict[tuple[int, int | None], list[tuple[int, int]]] = defaultdict(list)
            seen: Counter[int] = Counter()
            for place, row in members:
                settings = requests[place].args[1]
                number = _sample(settings, seen[row])
                seen[row] += 1
                asked[number, settings.get("max_gen_toks")].append((place, row))
            for (number, limit), pairs in asked.items():
                rows = np.array([row for _, row in pairs], np.intp)
                texts = simulation.texts(number, rows, limit)
                for (place, _), text in zip(pairs, texts, strict=True):
                    answers[place] = truncate_to_tokens(text, limit)[0]
        return answers

    def loglikelihood(self, requests: list[Instance]) -> list[tuple[float, bool]]:
        """Return the log-likelihoods of labels; see the base class."""
        found: list[tuple[float, bool]] = [(0.0, False)] * len(requests)
        for simulation, members in self._by_task(requests):
            for place, row in members:
                continuation = requests[place].args[1]
                code = simulation.asked.outcome(row, continuation)
                if code is None:
                    task = requests[place].task_name
                    raise InputError(f"task {task}: asks for {continuation!r}, which is no label of its rows")
                found[place] = simulation.loglikelihood(row, code)
        return found

    def loglikelihood_rolling(self, requests: list[Instance]) -> list[float]:
        """Refuse: a respondent has no opinion on running text."""
        raise InputError("a simulated respondent has no log-likelihood of running text")

    def check(self) -> None:
        """See to it that every column of a random effect was in some rows."""
        if missing := [name for name in self._respondent.columns if name not in self._met]:
            raise InputError(f"sd of {missing[0]}: no row of these tasks has such a column")

    def _by_task(
        self, requests: Sequence[Instance]
    ) -> Iterable[tuple[SimulatedAnswers, list[tuple[int, int]]]]:
        """Yield the simulation of each task, with places of its requests and rows of its questions."""
        members: dict[str, list[int]] = defaultdict(list)
        for place, request in enumerate(requests):
            members[request.task_name].append(place)
        for places in members.values():
            docs = {requests[place].doc_id: requests[place].doc for place in places}
            row_of = {name: number for number, name in enumerate(docs)}
            members_of = [(place, row_of[requests[place].doc_id]) for place in places]
            yield self._simulation([*docs.values()]), members_of

    def _simulation(self, docs: Sequence[Document]) -> SimulatedAnswers:
        self._met.update(docs[0], ["prompt"])
        respondent = self._respondent.among(docs[0])
        return SimulatedAnswers(questions(docs, respondent.columns), respondent, self._seed)


def _sample(settings: Document, repeated: int) -> int:
    if not settings.get("temperature", 0) and not settings.get("do_sample"):
        return 0
    seed = settings.get("seed")
    return repeated if seed is None else int(seed)
