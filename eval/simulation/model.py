"""A respondent as an lm_eval model in the same process; it reads the row, not only the prompt."""

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
    """An lm_eval model that answers the requests of polbias tasks as a respondent.

    Args:
        respondent: The respondent.
        seed: Seed of the respondent.
    """

    tokenizer_name = ""

    def __init__(self, respondent: SimulatedRespondent, seed: int = 0) -> None:
        super().__init__()
        self._respondent, self._seed = respondent, seed
        self._columns_seen: set[str] = set()

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Return answer texts; see the base class.

        With a temperature, the seed of a request is the number of its answer; repeated requests without a
        seed get answers 0, 1, 2 and so on. Without a temperature, a prompt has one answer.
        """
        answers = [""] * len(requests)
        for simulation, members in self._by_task(requests):
            members_by_call: dict[tuple[int, int | None], list[tuple[int, int]]] = defaultdict(list)
            seen: Counter[int] = Counter()
            for index, row in members:
                settings = requests[index].args[1]
                number = _sample(settings, seen[row])
                seen[row] += 1
                members_by_call[number, settings.get("max_gen_toks")].append((index, row))
            for (number, limit), pairs in members_by_call.items():
                rows = np.array([row for _, row in pairs], np.intp)
                texts = simulation.draw_texts(number, rows, limit)
                for (index, _), text in zip(pairs, texts, strict=True):
                    answers[index] = truncate_to_tokens(text, limit)[0]
        return answers

    def loglikelihood(self, requests: list[Instance]) -> list[tuple[float, bool]]:
        """Return the log-likelihoods of labels; see the base class."""
        scores: list[tuple[float, bool]] = [(0.0, False)] * len(requests)
        for simulation, members in self._by_task(requests):
            for index, row in members:
                continuation = requests[index].args[1]
                code = simulation.questions.outcome(row, continuation)
                if code is None:
                    task = requests[index].task_name
                    raise InputError(
                        f"task {task}: found the continuation {continuation!r}, expected a label of its rows"
                    )
                scores[index] = simulation.loglikelihood(row, code)
        return scores

    def loglikelihood_rolling(self, requests: list[Instance]) -> list[float]:
        """Raise :class:`InputError`: a respondent has no likelihood of running text."""
        raise InputError("a simulated respondent has no log-likelihood of running text")

    def check(self) -> None:
        """Raise :class:`InputError` if a column of a random effect was in no row."""
        if missing := [name for name in self._respondent.columns if name not in self._columns_seen]:
            raise InputError(f"sd of {missing[0]}: no row of these tasks has such a column")

    def _by_task(
        self, requests: Sequence[Instance]
    ) -> Iterable[tuple[SimulatedAnswers, list[tuple[int, int]]]]:
        """Yield the simulation of each task, with pairs of request index and question row."""
        members: dict[str, list[int]] = defaultdict(list)
        for index, request in enumerate(requests):
            members[request.task_name].append(index)
        for indices in members.values():
            docs = {requests[index].doc_id: requests[index].doc for index in indices}
            row_by_doc_id = {name: number for number, name in enumerate(docs)}
            pairs = [(index, row_by_doc_id[requests[index].doc_id]) for index in indices]
            yield self._simulation([*docs.values()]), pairs

    def _simulation(self, docs: Sequence[Document]) -> SimulatedAnswers:
        self._columns_seen.update(docs[0], ["prompt"])
        respondent = self._respondent.among(docs[0])
        return SimulatedAnswers(questions(docs, respondent.columns), respondent, self._seed)


def _sample(settings: Document, n_seen: int) -> int:
    if not settings.get("temperature", 0) and not settings.get("do_sample"):
        return 0
    seed = settings.get("seed")
    return n_seen if seed is None else int(seed)
