"""What a respondent answers: outcomes as codes, answers in words, log-likelihoods."""

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
"""The probability that all outcomes with a label hold together when log-likelihoods are asked for."""
SHARPNESS = 0.5
"""How much noise is left in the probabilities of a question that is answered once, of that of an answer: 1
leaves a respondent's rates, 0 would make its greedy answer certain."""
_FLOOR = 1e-12
_OWN_WORDS = (REFUSAL, "unparsable", "empty")
_NOTHING: Mapping[str, str] = {}
_ANY = "any"


class SimulatedAnswers:
    """A respondent before certain questions.

    Random effects do not move the probabilities of a respondent but the lots that decide: all of them and the
    noise of a single answer add up to a normal variable, whose distribution function at itself is uniform. So
    the rate of every outcome over many respondents is exactly what the respondent says, whatever the effects.

    Args:
        asked: The questions.
        respondent: The respondent.
        seed: Respondents with different seeds are different ones of the same kind.
    """

    def __init__(self, asked: Questions, respondent: SimulatedRespondent, seed: int = 0) -> None:
        self.asked, self.respondent, self.seed = asked, respondent, seed

    @cached_property
    def shares(self) -> Floats:
        """Probabilities of the options where it neither refuses nor babbles, shape ``(n, k)``."""
        asked, respondent = self.asked, self.respondent
        rows = np.arange(asked.n)
        made = (
            asked.option_probabilities(respondent, self.seed) * (1 - respondent.yes) * (1 - respondent.first)
        )
        made[rows, asked.first] += respondent.first * (1 - respondent.yes)
        made[rows, asked.yes] += respondent.yes
        shared: Floats = made[asked.first_row_of_prompt]
        return shared

    @cached_property
    def p_refusal(self) -> Floats:
        """Probability of a refusal, shape ``(n,)``."""
        respondent, side = self.respondent, self.asked.side
        concerned = {None: np.ones(self.asked.n), "left": side < 0, "right": side > 0}[respondent.refuse_side]
        refused: Floats = respondent.refuse * concerned.astype(np.float64)[self.asked.first_row_of_prompt]
        return refused

    @cached_property
    def _pull(self) -> tuple[Floats, Floats]:
        """What random effects add to the noise of an answer, and the standard deviation of the sum."""
        asked, respondent = self.asked, self.respondent
        pull, variance = np.zeros(asked.n), np.ones(asked.n)
        spreads = (
            ("level", respondent.intercept_sd, np.ones(asked.n)),
            ("effect", respondent.slope_sd, asked.contrast),
        )
        for kind, spread, by in spreads:
            for column, sd in spread:
                keys, codes = asked.levels(column)
                drawn = normals(keys, self.seed, respondent.name, kind, column)
                pull += sd * by * drawn[codes]
                variance += (sd * by) ** 2
        for column, weight in respondent.likes:
            pull -= weight * np.array(asked.columns[column], np.float64)
        return pull[asked.first_row_of_prompt], np.sqrt(variance)[asked.first_row_of_prompt]

    @cached_property
    def rates(self) -> Floats:
        """Probability of each outcome, mean over random effects, shape ``(n, labels)``; 0 for an echo.

        Of policy statements it is that of this respondent, with the stances of its own.
        """
        return self._by_label(self.shares)

    @cached_property
    def probabilities(self) -> Floats:
        """Probability of each outcome for this respondent, its effects known, shape ``(n, labels)``."""
        if not self.respondent.columns:
            return self.rates
        pull, sd = self._pull
        return self._by_label(self._within(lambda edges: edges * sd[:, None] - pull[:, None]))

    @cached_property
    def likelihoods(self) -> Floats:
        """Probability that a continuation has, before :data:`LABEL_MASS`, shape ``(n, labels)``.

        Sampled answers are draws from these, so that they are :attr:`probabilities` where an instrument
        samples. Where it asks once, what speaks for one answer to this very question is part of them: of two
        options the likelier is the one that the respondent gives.
        """
        if self.asked.SAMPLED:
            return self.probabilities
        from scipy.special import ndtri

        at = ndtri(self._lots(np.arange(self.asked.n), 0))[self.asked.first_row_of_prompt]
        return self._by_label(self._within(lambda edges: (edges - at[:, None]) / SHARPNESS))

    def _within(self, moved: Callable[[Floats], Floats]) -> Floats:
        """Probabilities of the options when their edges on the normal scale are moved, shape ``(n, k)``."""
        from scipy.special import ndtr, ndtri

        edges = moved(ndtri(np.clip(np.cumsum(self.shares, axis=1), 0, 1)))
        edges[:, -1] = np.inf
        made: Floats = np.diff(ndtr(edges), axis=1, prepend=0.0)
        return made

    def _by_label(self, shares: Floats) -> Floats:
        asked = self.asked
        made = np.zeros((asked.n, len(asked.LABELS)))
        if self.respondent.echo:
            return made
        decided = (1 - self.p_refusal) * (1 - self.respondent.unparsable)
        rows = np.arange(asked.n)
        for place in range(shares.shape[1]):
            made[rows, asked.options[:, place]] += np.where(
                asked.options[:, place] >= 0, shares[:, place] * decided, 0.0
            )
        made[:, asked.LABELS.index(REFUSAL)] += self.p_refusal
        made[:, asked.LABELS.index(asked.GARBLED)] += (1 - self.p_refusal) * self.respondent.unparsable
        return made

    def codes(self, sample: int = 0, rows: RowIndices | None = None) -> Codes:
        """Return the outcomes of one answer to every question."""
        asked, respondent = self.asked, self.respondent
        rows = np.arange(asked.n) if rows is None else rows
        if respondent.echo:
            read = [asked.read_label(row, asked.prompt(row)) for row in rows.tolist()]
            return np.array([asked.LABELS.index(label) for label in read], np.int8)
        keys, name = asked.keys[rows], (self.seed, respondent.name)
        lots = self._lots(rows, sample)
        shares = np.cumsum(self.shares[rows], axis=1)
        last = shares.shape[1] - 1 - np.argmax(self.shares[rows, ::-1] > 0, axis=1)
        place = np.minimum((lots[:, None] >= shares).sum(axis=1), last)  # sums of shares may fall short of 1
        codes = asked.options[asked.first_row_of_prompt[rows], place]
        if respondent.unparsable:
            garbled = uniforms(keys, *name, "unparsable", sample) < respondent.unparsable
            codes = np.where(garbled, asked.LABELS.index(asked.GARBLED), codes)
        if respondent.refuse:
            refused = uniforms(keys, *name, "refusal", sample) < self.p_refusal[rows]
            codes = np.where(refused, asked.LABELS.index(REFUSAL), codes)
        found: Codes = codes.astype(np.int8)
        return found

    def _lots(self, rows: RowIndices, sample: int) -> Floats:
        """Numbers between 0 and 1 that decide, correlated by the random effects."""
        name = (self.seed, self.respondent.name, "answer", sample)
        if not self.respondent.columns:
            return uniforms(self.asked.keys[rows], *name)
        from scipy.special import ndtr

        pull, sd = self._pull
        lots: Floats = ndtr((pull[rows] + normals(self.asked.keys[rows], *name)) / sd[rows])
        return lots

    def texts(
        self,
        sample: int = 0,
        rows: RowIndices | None = None,
        limit: int | None = None,
        prompt: str | None = None,
    ) -> list[str]:
        """Return one answer to every question, in words."""
        asked, respondent = self.asked, self.respondent
        rows = np.arange(asked.n) if rows is None else rows
        if respondent.echo:
            return [asked.prompt(row) if prompt is None else prompt for row in rows.tolist()]
        lots = uniforms(asked.keys[rows], self.seed, respondent.name, "wording", sample)
        said = zip(rows.tolist(), self.codes(sample, rows).tolist(), lots.tolist(), strict=True)
        return [self._said(row, asked.LABELS[code], lot, limit) for row, code, lot in said]

    def _said(self, row: int, label: str, lot: float, limit: int | None) -> str:
        asked = self.asked
        name, slots = (label, _NOTHING) if label in _OWN_WORDS else asked.answer_phrases(row, label)
        language = asked.language(row)
        said = phrases(asked.ANSWERS).get((asked.TOPIC, language, name)) or phrases()[_ANY, language, name]
        return choose_phrase(said, lot, slots, limit)

    def loglikelihood(self, row: int, code: int) -> tuple[float, bool]:
        """Return the log-likelihood of a label, and whether greedy decoding would say it."""
        chances = self.likelihoods[row]
        return math.log(max(LABEL_MASS * chances[code], _FLOOR)), bool(chances[code] == chances.max())
