"""Probabilities of labels over a chat API: of the first token of an answer, else of sampled answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from polbias.eval.nonresponse import ABSENT
from polbias.lm_eval_runner.requests import MergedRequest, PendingRequest, RequestRejected, with_settings

TOP = "top_logprobs"
SURE = 0.95
"""Labels that hold less of the probability together are sampled instead."""
ANSWERS = 30
_FIRST = {"until": [], "temperature": 1.0, "max_gen_toks": 1, "logprobs": True, TOP: 20}
_SAMPLED = {"until": [], "temperature": 1.0, "max_gen_toks": 32}
_MARKS = " \t\r\n\"'*_.,:;!“”„«»▁Ġ"


def first_tokens(labels: Sequence[str], top: Mapping[str, float]) -> list[float]:
    """Return the probability of each label by the tokens that it alone begins with."""
    found = [0.0] * len(labels)
    for token, logprob in top.items():
        said = token.strip(_MARKS).casefold()
        begun = [place for place, label in enumerate(labels) if said and label.casefold().startswith(said)]
        if len(begun) == 1:
            found[begun[0]] += math.exp(logprob)
    return found


def likelihoods(shares: Sequence[float]) -> list[tuple[float, bool]]:
    """Return probabilities as lm_eval has them: the logarithm, and whether none is greater."""
    return [(math.log(max(each, ABSENT)), each == max(shares)) for each in shares]


def sampling_requests(request: Any) -> list[Any]:
    """Return the requests for answers to the prompt of a label."""
    return [with_settings(request, {**_SAMPLED, "seed": seed}) for seed in range(ANSWERS)]


class Labels(MergedRequest):
    """The labels of a prompt, which one request for the first token of its answer tells."""

    def __init__(self, slots: Sequence[PendingRequest]) -> None:
        super().__init__(slots, _FIRST)

    def take(self, answer: Any) -> None:
        """Keep the probabilities of the labels if they are nearly all."""
        if answer is None or self.done:
            return
        top = getattr(answer, "metadata", {}).get(TOP)
        if not top:
            raise RequestRejected(
                f"found no {TOP} in the response, expected the likeliest first tokens of the answer; sample "
                "answers instead, with a task that does not end in _loglikelihood"
            )
        shares = first_tokens([slot.request.args[1].strip() for slot in self._slots], top)
        if sum(shares) >= SURE:
            self.keep(shares)
        self.answer, self.done = answer, True

    def keep(self, shares: Sequence[float]) -> None:
        """Keep probabilities of the labels, all or none."""
        for slot, found in zip(self._slots, likelihoods(shares), strict=True):
            slot.answer = found
        self.store.put_all([slot.cache_entry for slot in self._slots])
        for slot in self._slots:
            slot.done = True
