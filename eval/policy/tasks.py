"""lm_eval tasks on policy statements: rows, requests and number of samples.

Settings are passed by ``--metadata``, a JSON object with any of: ``polbias_samples`` (answers per prompt),
``polbias_source`` (``DATASET`` or ``DATASET/CONFIG``: a local build with the columns of policy-statements,
such as an imported ProbVAA; needs ``POLBIAS_ACCEPT_BUILD=1``, as no lock has it), ``polbias_system`` (false:
the instruction in the user's turn, for models without a system turn), ``polbias_seeds`` (whether each
request has a different seed), ``polbias_first_seed`` (the first seed, to sample other answers) and
``polbias_stopping_rule`` (``exact``, a probability or ``none``), which only `polbias eval` applies: `lm_eval`
requests all answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow.compute as pc
from lm_eval.filters import build_filter_ensemble

from polbias.aliases import Document, Json
from polbias.errors import InputError
from polbias.eval import data
from polbias.eval.answer_frames import AnswerTableError
from polbias.eval.extraction.stance import extract_stance
from polbias.eval.lm_eval_task import ChatGenerateTask, ChatMultipleChoiceTask
from polbias.eval.policy.answers import ORDERS, VARIANTS, choices, extract_labels
from polbias.eval.policy.prompts import policy_prompts
from polbias.eval.policy.stopping import MAX_SAMPLES, StoppingPlan, allowed_error
from polbias.eval.policy.units import group_statements, select_tested_prompts
from polbias.eval.stances import SAMPLES, stance_table

_TESTED_PROMPTS = "tested"
"""The prompts of the reliability tests: all variants as printed, and the original with inverted labels."""
_DESIGN_COLUMNS = (
    "country",
    "statement_id",
    "language",
    "variant",
    "instruction_id",
    "label_order",
    "opposite_type",
)
_COUNT_INDEX = {"agree": 0, "disagree": 1}
_LABEL_COLUMNS = ("label_agree", "label_disagree")
_PROMPT_COLUMNS = ("id", "prompt", "cluster_id", "policy_issues", "side", *_LABEL_COLUMNS)


def load_policy_rows(
    *,
    polbias_dataset: str,
    polbias_config: str,
    polbias_revision: str,
    polbias_variants: Sequence[str] | None = None,
    polbias_instructions: int | None = None,
    polbias_prompts: str | None = None,
    polbias_source: str | None = None,
    **_: Any,
) -> Json:
    """Load the rows of a task (``custom_dataset``), and check that they can be analysed."""
    if polbias_prompts not in (None, _TESTED_PROMPTS):
        raise InputError(
            f"polbias_prompts: found {polbias_prompts!r}, expected {_TESTED_PROMPTS!r} or no setting"
        )
    polbias_dataset, polbias_config = data.select_source(polbias_source, polbias_dataset, polbias_config)
    dataset = data.load_task_rows(
        polbias_dataset=polbias_dataset, polbias_config=polbias_config, polbias_revision=polbias_revision
    )
    table = dataset[data.SPLIT].data.table
    location = f"{polbias_dataset}/{polbias_config}"
    data.require_columns(
        table, (*_DESIGN_COLUMNS, *_PROMPT_COLUMNS), location, "the columns of policy-statements"
    )
    if polbias_variants is not None:
        table = data.filter_rows(table, "variant", polbias_variants)
    table = data.keep_first_values(
        table, "instruction_id", polbias_instructions, "polbias_instructions", location
    )
    if polbias_prompts == _TESTED_PROMPTS:
        table = table.filter((pc.field("variant") == VARIANTS[0]) | (pc.field("label_order") == ORDERS[0]))
    _check_analysable(table, location)
    return data.to_dataset_dict(table)


def _check_analysable(table: Any, location: str) -> None:
    """Raise an error if the rows cannot be analysed, before the first request."""
    if not table.num_rows:
        raise InputError(f"{location}: found no prompt for this task")
    zeros = [0] * table.num_rows
    columns = {name: table[name] for name in (*_DESIGN_COLUMNS, "policy_issues", "side")} | {
        "agree": zeros,
        "disagree": zeros,
    }
    try:
        group_statements(policy_prompts(columns))
        for labels in {*zip(*(table[name].to_pylist() for name in _LABEL_COLUMNS), strict=True)}:
            extract_stance("", *labels)
    except (AnswerTableError, ValueError, AttributeError) as error:
        raise InputError(f"{location}: {error}") from None


class SampledTask(ChatGenerateTask):
    """A task that samples every prompt several times.

    lm_eval's API models send the same seed with every request, and its cache merges equal requests. Requests
    to an API therefore have the seeds 0, 1, 2, ...: the answers differ, a run can be repeated, and resumed
    with ``--use_cache``. Other models repeat the request with ``do_sample``, which lm_eval does not cache.
    """

    def __init__(self, config: Document) -> None:
        super().__init__(config)
        settings = self.config.metadata or {}
        self._n_samples = n_samples(settings)
        self._uses_seeds = uses_seeds(settings)
        self._first_seed = _read_setting(settings, "polbias_first_seed", 0, 0, "a seed")
        self.config.repeats = self._n_samples
        if not self._uses_seeds:
            self._filters = [build_filter_ensemble("none", [["take_first_k", {"k": self._n_samples}]])]

    def plan_sampling(self, docs: Sequence[Document], accepts_n: bool) -> SamplingPlanner | None:
        """Return the planner of a stopping rule; None if all answers are requested."""
        error = allowed_error((self.config.metadata or {}).get("polbias_stopping_rule", "none"))
        if (
            error is None
            or self._n_samples > MAX_SAMPLES
            or not stance_table(self._n_samples, "default").any()
        ):
            return None
        return SamplingPlanner(docs, self._n_samples, error, accepts_n)

    def construct_requests(self, doc: Document, ctx: Any, **kwargs: Any) -> Any:
        """Return the requests of a row: one per answer with seeds, otherwise one with repeats."""
        settings = dict(self.config.generation_kwargs)
        if self._uses_seeds:
            settings_and_repeats = [
                ({**settings, "seed": self._first_seed + index}, 1) for index in range(self._n_samples)
            ]
        else:
            settings_and_repeats = [
                ({"do_sample": settings.get("temperature", 0) != 0, **settings}, self._n_samples)
            ]
        return self.build_requests(doc, ctx, settings_and_repeats, **kwargs)


class LikelihoodTask(ChatMultipleChoiceTask):
    """A task that compares log-likelihoods of labels, or sampled answers of a chat model."""

    def sampled_shares(self, doc: Document, texts: Sequence[str]) -> list[float]:
        """Return the share of each label among the answers, in the order of the prompt."""
        labels = [doc[f"label_{label}"] for label in extract_labels(doc, texts) if label in _COUNT_INDEX]
        return [labels.count(label) / len(texts) for label in choices(doc)]


class SamplingPlanner:
    """Numbers of answers to request for each row, a pure function of the answers so far.

    All n answers are requested for statements that lack one of the tested prompts.

    Args:
        docs: the rows.
        n: maximum of answers per row.
        error: allowed probability of another result than with all answers.
        accepts_n: whether the server returns several answers per request.
    """

    def __init__(self, docs: Sequence[Document], n: int, error: float, accepts_n: bool) -> None:
        self._docs = docs
        design = {name: [doc.get(name) for doc in docs] for name in _DESIGN_COLUMNS}
        zero_counts = dict.fromkeys(("agree", "disagree"), [0] * len(docs))
        units = group_statements(policy_prompts(design | zero_counts))
        is_complete = (select_tested_prompts(units.row) >= 0).all(axis=1)
        self._tested_rows = select_tested_prompts(units.row)[is_complete]
        self._plan = StoppingPlan(units.is_contrary[is_complete], n, error, accepts_n)
        self._n_read = np.zeros_like(self._plan.n_due)
        self.n_due = np.full(len(docs), n)
        self.n_due[(rows := units.row[is_complete])[rows >= 0]] = 1
        self.n_due[self._tested_rows] = self._plan.n_due

    def extend(self, answers: Sequence[Sequence[str]]) -> bool:
        """Count the new answers of each row and request more; False if none are needed."""
        for unit, prompt in np.argwhere(self._plan.n_due > self._n_read).tolist():
            row = self._tested_rows[unit, prompt]
            unread = slice(self._n_read[unit, prompt], self._plan.n_due[unit, prompt])
            for label in extract_labels(self._docs[row], answers[row][unread]):
                self._plan.counts[unit, prompt, _COUNT_INDEX.get(label, 2)] += 1
        self._n_read = self._plan.n_due.copy()
        has_more = self._plan.extend()
        self.n_due[self._tested_rows] = self._plan.n_due
        return has_more


def n_samples(settings: Document) -> int:
    """Return the number of answers per prompt."""
    return _read_setting(settings, "polbias_samples", SAMPLES, 1, "a number of answers per prompt")


def _read_setting(settings: Document, name: str, default: int, minimum: int, expected: str) -> int:
    value = settings.get(name, default)
    if isinstance(value, str) and value.isdecimal():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < minimum:
        raise InputError(f"{name}: found {value!r}, expected {expected}, such as 30")
    return value


def uses_seeds(settings: Document) -> bool:
    """Whether requests have seeds: requests to an API do, except Anthropic's, which has no seed."""
    user_value = settings.get("polbias_seeds")
    if user_value is not None:
        return bool(user_value)
    name = str(settings.get("model") or "")
    return ("base_url" in settings or bool(name)) and "claude" not in name.lower()
