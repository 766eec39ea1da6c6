"""Estimate label probabilities over a chat API: from the first token, else from sampled answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from polbias.eval.nonresponse import ABSENT
from polbias.lm_eval_runner.requests import MergedRequest, PendingRequest, RequestRejected, with_settings

TOP_LOGPROBS = "top_logprobs"
MIN_LABEL_MASS = 0.95
"""Labels with a smaller total probability of first tokens are sampled instead."""
N_SAMPLES = 30
_FIRST_TOKEN_SETTINGS = {
    "until": [],
    "temperature": 1.0,
    "max_gen_toks": 1,
    "logprobs": True,
    TOP_LOGPROBS: 20,
}
_SAMPLING_SETTINGS = {"until": [], "temperature": 1.0, "max_gen_toks": 32}
_STRIPPED = " \t\r\n\"'*_.,:;!“”„«»▁Ġ"


def label_probabilities(labels: Sequence[str], top: Mapping[str, float]) -> list[float]:
    """Return the probability of each label: the sum over first tokens that begin this label only."""
    probabilities = [0.0] * len(labels)
    for token, logprob in top.items():
        prefix = token.strip(_STRIPPED).casefold()
        matches = [
            index for index, label in enumerate(labels) if prefix and label.casefold().startswith(prefix)
        ]
        if len(matches) == 1:
            probabilities[matches[0]] += math.exp(logprob)
    return probabilities


def likelihoods(shares: Sequence[float]) -> list[tuple[float, bool]]:
    """Return lm_eval's log-likelihoods of probabilities: the logarithm, and whether it is the maximum."""
    return [(math.log(max(share, ABSENT)), share == max(shares)) for share in shares]


def sampling_requests(request: Any) -> list[Any]:
    """Return N_SAMPLES requests that sample answers to the prompt of a label."""
    return [with_settings(request, {**_SAMPLING_SETTINGS, "seed": seed}) for seed in range(N_SAMPLES)]


class LabelRequest(MergedRequest):
    """The labels of a prompt, merged into one request for the first token of the answer."""

    def __init__(self, pending_requests: Sequence[PendingRequest]) -> None:
        super().__init__(pending_requests, _FIRST_TOKEN_SETTINGS)

    def set_answer(self, answer: Any) -> None:
        """Store the label probabilities if they sum to MIN_LABEL_MASS or more."""
        if answer is None or self.done:
            return
        top = getattr(answer, "metadata", {}).get(TOP_LOGPROBS)
        if not top:
            raise RequestRejected(
                f"found no {TOP_LOGPROBS} in the response, expected the likeliest first tokens of an answer; "
                "sample answers instead, with a task that does not end in _loglikelihood"
            )
        shares = label_probabilities([pending.request.args[1].strip() for pending in self._parts], top)
        if sum(shares) >= MIN_LABEL_MASS:
            self.store_shares(shares)
        self.answer, self.done = answer, True

    def store_shares(self, shares: Sequence[float]) -> None:
        """Store the probabilities of all labels in one transaction."""
        for pending, likelihood in zip(self._parts, likelihoods(shares), strict=True):
            pending.answer = likelihood
        self.store.put_all([pending.cache_entry for pending in self._parts])
        for pending in self._parts:
            pending.done = True
