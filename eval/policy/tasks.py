"""How the lm_eval tasks on policy statements ask: which rows, in which turns, how many times.

Settings go through ``--metadata``, a JSON object with any of: ``polbias_samples`` (answers per prompt),
``polbias_source`` (``DATASET`` or ``DATASET/CONFIG``: a local build in the columns of policy-statements, such
as an imported ProbVAA; with ``POLBIAS_ACCEPT_BUILD=1``, as no lock can know it), ``polbias_system`` (false:
the instruction in the user's turn, for models without a system turn), ``polbias_seeds`` (whether each
request carries a seed of its own), ``polbias_first_seed`` (the first of these, for other answers) and
``polbias_stopping_rule`` (``exact``, a probability or ``none``), which `polbias eval` alone heeds: `lm_eval`
asks all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow.compute as pc
from lm_eval.filters import build_filter_ensemble

from polbias.aliases import Document, Json
from polbias.errors import BuildError, InputError
from polbias.eval import data
from polbias.eval.answer_frames import AnswerTableError
from polbias.eval.extraction.stance import extract_stance
from polbias.eval.lm_eval_task import ChatGenerateTask, ChatMultipleChoiceTask
from polbias.eval.policy.answers import ORDERS, VARIANTS, choices, extract_labels
from polbias.eval.policy.prompts import policy_prompts
from polbias.eval.policy.stopping import MAX_SAMPLES, StoppingPlan, allowed_error
from polbias.eval.policy.units import group_statements, select_tested_prompts
from polbias.eval.stances import SAMPLES, stance_table
from polbias.paths import build_root

_TESTED = "tested"
"""The prompts that reliability tests read: all variants as printed, the original with labels inverted too."""
_READ = ("country", "statement_id", "language", "variant", "instruction_id", "label_order", "opposite_type")
_KINDS = {"agree": 0, "disagree": 1}
_LABELS = ("label_agree", "label_disagree")
_ASKED = ("id", "prompt", "cluster_id", "policy_issues", *_LABELS)


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
    """Load the rows of a task (``custom_dataset``), and see to it that they can be analysed afterwards."""
    if polbias_source:
        polbias_dataset, _slash, config = polbias_source.partition("/")
        polbias_config = config or polbias_config
        if not (build_root() / polbias_dataset / "manifest.json").is_file():
            raise BuildError(
                f"polbias_source: found no build {build_root() / polbias_dataset}; build it there from your "
                "own copy, or set POLBIAS_DATA_DIR to the folder of your builds"
            )
    loaded = data.load_task_rows(
        polbias_dataset=polbias_dataset, polbias_config=polbias_config, polbias_revision=polbias_revision
    )
    table = loaded[data.SPLIT].data.table
    place = f"{polbias_dataset}/{polbias_config}"
    data.require_columns(table, (*_READ, *_ASKED), place, "the columns of policy-statements")
    if polbias_variants is not None:
        table = data.filter_rows(table, "variant", polbias_variants)
    table = data.keep_first_values(table, "instruction_id", polbias_instructions)
    if polbias_prompts == _TESTED:
        table = table.filter((pc.field("variant") == VARIANTS[0]) | (pc.field("label_order") == ORDERS[0]))
    _check(table, place)
    return data.to_dataset_dict(table)


def _check(table: Any, place: str) -> None:
    """Refuse before the first question what could not be analysed after the last answer."""
    if not table.num_rows:
        raise InputError(f"{place}: has no prompt for this task")
    blank = [0] * table.num_rows
    columns = {name: table[name] for name in (*_READ, "policy_issues")} | {"agree": blank, "disagree": blank}
    try:
        group_statements(policy_prompts(columns))
        for labels in {*zip(*(table[name].to_pylist() for name in _LABELS), strict=True)}:
            extract_stance("", *labels)
    except (AnswerTableError, ValueError, AttributeError) as error:
        raise InputError(f"{place}: {error}") from None


class SampledTask(ChatGenerateTask):
    """A task that asks every prompt several times and keeps all the answers.

    An API sends one and the same seed with every request unless told otherwise, and lm_eval's cache takes
    equal requests for one. Requests to an API therefore carry the seeds 0, 1, 2, ...: the answers differ, a
    run can be repeated, and with ``--use_cache`` resumed. Other models get the request repeated, with
    ``do_sample``, which keeps the cache away from it.
    """

    def __init__(self, config: Document) -> None:
        super().__init__(config)
        settings = self.config.metadata or {}
        self._samples = n_samples(settings)
        self._seeded = uses_seeds(settings)
        self._first = _number(settings, "polbias_first_seed", 0, 0, "a seed")
        self.config.repeats = self._samples
        if not self._seeded:
            self._filters = [build_filter_ensemble("none", [["take_first_k", {"k": self._samples}]])]

    def plan_sampling(self, docs: Sequence[Document], several: bool) -> SamplingPlanner | None:
        """Return what is asked of some rows if asking is to be stopped; None if all are wanted."""
        error = allowed_error((self.config.metadata or {}).get("polbias_stopping_rule", "none"))
        if error is None or self._samples > MAX_SAMPLES or not stance_table(self._samples, "default").any():
            return None
        return SamplingPlanner(docs, self._samples, error, several)

    def construct_requests(self, doc: Document, ctx: Any, **kwargs: Any) -> Any:
        """Return the requests of a row: one per answer with seeds, else one to be repeated."""
        settings = dict(self.config.generation_kwargs)
        if self._seeded:
            asked = [({**settings, "seed": self._first + each}, 1) for each in range(self._samples)]
        else:
            asked = [({"do_sample": settings.get("temperature", 0) != 0, **settings}, self._samples)]
        return self.requests(doc, ctx, asked, **kwargs)


class LikelihoodTask(ChatMultipleChoiceTask):
    """A task that compares labels, which a chat may be asked for answers instead."""

    def sampled_shares(self, doc: Document, texts: Sequence[str]) -> list[float]:
        """Return the share of each label among answers, in the order of the prompt."""
        said = [doc[f"label_{label}"] for label in extract_labels(doc, texts) if label in _KINDS]
        return [said.count(label) / len(texts) for label in choices(doc)]


class SamplingPlanner:
    """How many answers to each row are wanted, given those so far: a pure function of these.

    Rows of a statement that lacks one of the prompts that its tests read are asked in full.

    Args:
        docs: the rows.
        n: answers to each at most.
        error: probability that is allowed of another decision than by all answers.
        several: whether a request gives several answers.
    """

    def __init__(self, docs: Sequence[Document], n: int, error: float, several: bool) -> None:
        self._docs = docs
        about = {name: [doc.get(name) for doc in docs] for name in _READ}
        unasked = dict.fromkeys(("agree", "disagree"), [0] * len(docs))
        asked = group_statements(policy_prompts(about | unasked))
        whole = (select_tested_prompts(asked.row) >= 0).all(axis=1)
        self._rows = select_tested_prompts(asked.row)[whole]
        self._plan = StoppingPlan(asked.contrary[whole], n, error, several)
        self._read = np.zeros_like(self._plan.wanted)
        self.wanted = np.full(len(docs), n)
        self.wanted[(rows := asked.row[whole])[rows >= 0]] = 1
        self.wanted[self._rows] = self._plan.wanted

    def ask_on(self, answers: Sequence[Sequence[str]]) -> bool:
        """Want more answers, now that those wanted of each row are there; False if there is none to ask."""
        for unit, place in np.argwhere(self._plan.wanted > self._read).tolist():
            row = self._rows[unit, place]
            new = slice(self._read[unit, place], self._plan.wanted[unit, place])
            for label in extract_labels(self._docs[row], answers[row][new]):
                self._plan.counts[unit, place, _KINDS.get(label, 2)] += 1
        self._read = self._plan.wanted.copy()
        more = self._plan.ask_on()
        self.wanted[self._rows] = self._plan.wanted
        return more


def n_samples(settings: Document) -> int:
    """Return how many answers are wanted per prompt."""
    return _number(settings, "polbias_samples", SAMPLES, 1, "a number of answers per prompt")


def _number(settings: Document, name: str, default: int, least: int, expected: str) -> int:
    value = settings.get(name, default)
    if isinstance(value, str) and value.isdecimal():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise InputError(f"{name}: found {value!r}, expected {expected}, such as 30")
    return value


def uses_seeds(settings: Document) -> bool:
    """Say whether requests carry seeds: those to an API do, except to Anthropic's, which has none."""
    chosen = settings.get("polbias_seeds")
    if chosen is not None:
        return bool(chosen)
    name = str(settings.get("model") or "")
    return ("base_url" in settings or bool(name)) and "claude" not in name.lower()
