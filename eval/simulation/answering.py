"""Answers of a simulated respondent: outcome codes, texts, log-likelihoods."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np

from polbias.aliases import Codes
from polbias.eval.simulation.draws import normals, uniforms
from polbias.eval.simulation.phrases import choose_phrase, phrases
from polbias.eval.simulation.questions import Floats, Questions, RowIndices
from polbias.eval.simulation.respondents import SimulatedRespondent

REFUSAL = "refusal"
LABEL_MASS = 0.95
"""Label mass: probability of all labels together in log-likelihoods."""
SHARPNESS = 0.5
"""Share of the noise of an answer that remains in the likelihoods of a question answered once: 1 gives the
respondent's rates, 0 would make its greedy answer certain."""
_FLOOR = 1e-12
_COMMON_LABELS = (REFUSAL, "unparsable", "empty")
_NO_VALUES: Mapping[str, str] = {}
_ANY_TOPIC = "any"


class SimulatedAnswers:
    """Answers of a respondent to questions.

    Random effects do not move the probabilities of a respondent but the random draws of its answers: the
    effects and the noise of an answer sum to a normal variable, whose distribution function maps it to a
    uniform draw. So the rate of every outcome over many respondents equals the respondent's parameters.

    Args:
        questions: The questions.
        respondent: The respondent.
        seed: Seed; respondents with different seeds are different individuals of one kind.
    """

    def __init__(self, questions: Questions, respondent: SimulatedRespondent, seed: int = 0) -> None:
        self.questions, self.respondent, self.seed = questions, respondent, seed

    @cached_property
    def shares(self) -> Floats:
        """Probabilities of the options given a parsable answer, shape ``(n, k)``."""
        questions, respondent = self.questions, self.respondent
        rows = np.arange(questions.n)
        probabilities = (
            questions.option_probabilities(respondent, self.seed)
            * (1 - respondent.yes)
            * (1 - respondent.first)
        )
        probabilities[rows, questions.first] += respondent.first * (1 - respondent.yes)
        probabilities[rows, questions.yes] += respondent.yes
        shared: Floats = probabilities[questions.first_row_of_prompt]
        return shared

    @cached_property
    def p_refusal(self) -> Floats:
        """Probability of a refusal, shape ``(n,)``."""
        respondent, side = self.respondent, self.questions.side
        is_refusable = {None: np.ones(self.questions.n), "left": side < 0, "right": side > 0}[
            respondent.refuse_side
        ]
        probabilities: Floats = (
            respondent.refuse * is_refusable.astype(np.float64)[self.questions.first_row_of_prompt]
        )
        return probabilities

    @cached_property
    def _random_offset(self) -> tuple[Floats, Floats]:
        """Sum of the random effects of each row, and the standard deviation of this sum plus the noise."""
        questions, respondent = self.questions, self.respondent
        offset, variance = np.zeros(questions.n), np.ones(questions.n)
        random_effects = (
            ("level", respondent.intercept_sd, np.ones(questions.n)),
            ("effect", respondent.slope_sd, questions.contrast),
        )
        for kind, column_sds, loadings in random_effects:
            for column, sd in column_sds:
                keys, codes = questions.levels(column)
                effect_draws = normals(keys, self.seed, respondent.name, kind, column)
                offset += sd * loadings * effect_draws[codes]
                variance += (sd * loadings) ** 2
        for column, weight in respondent.latent_slopes:
            offset -= weight * np.array(questions.columns[column], np.float64)
        return offset[questions.first_row_of_prompt], np.sqrt(variance)[questions.first_row_of_prompt]

    @cached_property
    def outcome_rates(self) -> Floats:
        """Probability of each outcome, mean over random effects, shape ``(n, labels)``; 0 for an echo.

        For policy statements, the probability of this respondent, given its drawn stances.
        """
        return self._sum_by_label(self.shares)

    @cached_property
    def probabilities(self) -> Floats:
        """Probability of each outcome given the random effects of this respondent, shape ``(n, labels)``."""
        if not self.respondent.columns:
            return self.outcome_rates
        offset, sd = self._random_offset
        return self._sum_by_label(self._shift_edges(lambda edges: edges * sd[:, None] - offset[:, None]))

    @cached_property
    def likelihoods(self) -> Floats:
        """Probability of each label as a continuation, before :data:`LABEL_MASS`, shape ``(n, labels)``.

        If the instrument samples, these are the :attr:`probabilities`, from which samples are drawn. If it
        prompts once, they include the noise of the single answer: the likelier of two options is the
        respondent's answer.
        """
        if self.questions.SAMPLED:
            return self.probabilities
        from scipy.special import ndtri

        draws = ndtri(self._correlated_draws(np.arange(self.questions.n), 0))[
            self.questions.first_row_of_prompt
        ]
        return self._sum_by_label(self._shift_edges(lambda edges: (edges - draws[:, None]) / SHARPNESS))

    def _shift_edges(self, shift: Callable[[Floats], Floats]) -> Floats:
        """Return the option probabilities after a shift of their normal edges, shape ``(n, k)``."""
        from scipy.special import ndtr, ndtri

        edges = shift(ndtri(np.clip(np.cumsum(self.shares, axis=1), 0, 1)))
        edges[:, -1] = np.inf
        probabilities: Floats = np.diff(ndtr(edges), axis=1, prepend=0.0)
        return probabilities

    def _sum_by_label(self, shares: Floats) -> Floats:
        questions = self.questions
        probabilities = np.zeros((questions.n, len(questions.LABELS)))
        if self.respondent.echo:
            return probabilities
        p_decision = (1 - self.p_refusal) * (1 - self.respondent.unparsable)
        rows = np.arange(questions.n)
        for option in range(shares.shape[1]):
            probabilities[rows, questions.options[:, option]] += np.where(
                questions.options[:, option] >= 0, shares[:, option] * p_decision, 0.0
            )
        probabilities[:, questions.LABELS.index(REFUSAL)] += self.p_refusal
        probabilities[:, questions.LABELS.index(questions.GARBLED)] += (
            1 - self.p_refusal
        ) * self.respondent.unparsable
        return probabilities

    def draw_outcomes(self, sample: int = 0, rows: RowIndices | None = None) -> Codes:
        """Return the outcome codes of one answer per question; `sample` is the number of the answer."""
        questions, respondent = self.questions, self.respondent
        rows = np.arange(questions.n) if rows is None else rows
        if respondent.echo:
            labels = [questions.read_label(row, questions.prompt(row)) for row in rows.tolist()]
            return np.array([questions.LABELS.index(label) for label in labels], np.int8)
        keys, name = questions.keys[rows], (self.seed, respondent.name)
        draws = self._correlated_draws(rows, sample)
        shares = np.cumsum(self.shares[rows], axis=1)
        last = shares.shape[1] - 1 - np.argmax(self.shares[rows, ::-1] > 0, axis=1)
        # sums of shares may fall short of 1
        option = np.minimum((draws[:, None] >= shares).sum(axis=1), last)
        codes = questions.options[questions.first_row_of_prompt[rows], option]
        if respondent.unparsable:
            is_garbled = uniforms(keys, *name, "unparsable", sample) < respondent.unparsable
            codes = np.where(is_garbled, questions.LABELS.index(questions.GARBLED), codes)
        if respondent.refuse:
            is_refusal = uniforms(keys, *name, "refusal", sample) < self.p_refusal[rows]
            codes = np.where(is_refusal, questions.LABELS.index(REFUSAL), codes)
        outcomes: Codes = codes.astype(np.int8)
        return outcomes

    def _correlated_draws(self, rows: RowIndices, sample: int) -> Floats:
        """Return uniform draws that select the answers, correlated by the random effects."""
        name = (self.seed, self.respondent.name, "answer", sample)
        if not self.respondent.columns:
            return uniforms(self.questions.keys[rows], *name)
        from scipy.special import ndtr

        offset, sd = self._random_offset
        draws: Floats = ndtr((offset[rows] + normals(self.questions.keys[rows], *name)) / sd[rows])
        return draws

    def draw_texts(
        self,
        sample: int = 0,
        rows: RowIndices | None = None,
        limit: int | None = None,
        prompt: str | None = None,
    ) -> list[str]:
        """Return the text of one answer per question."""
        questions, respondent = self.questions, self.respondent
        rows = np.arange(questions.n) if rows is None else rows
        if respondent.echo:
            return [questions.prompt(row) if prompt is None else prompt for row in rows.tolist()]
        draws = uniforms(questions.keys[rows], self.seed, respondent.name, "wording", sample)
        outcomes = zip(rows.tolist(), self.draw_outcomes(sample, rows).tolist(), draws.tolist(), strict=True)
        return [self._choose_text(row, questions.LABELS[code], draw, limit) for row, code, draw in outcomes]

    def _choose_text(self, row: int, label: str, draw: float, limit: int | None) -> str:
        questions = self.questions
        name, values = (
            (label, _NO_VALUES) if label in _COMMON_LABELS else questions.answer_phrases(row, label)
        )
        language = questions.language(row)
        texts = (
            phrases(questions.ANSWERS).get((questions.TOPIC, language, name))
            or phrases()[_ANY_TOPIC, language, name]
        )
        return choose_phrase(texts, draw, values, limit)

    def loglikelihood(self, row: int, code: int) -> tuple[float, bool]:
        """Return the log-likelihood of a label, and whether greedy decoding generates it."""
        likelihoods = self.likelihoods[row]
        return math.log(max(LABEL_MASS * likelihoods[code], _FLOOR)), bool(
            likelihoods[code] == likelihoods.max()
        )
