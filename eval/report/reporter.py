"""The interface of an instrument's report module: rows from samples, findings and section from rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast

from polbias import registry
from polbias.eval.report import MARGIN
from polbias.eval.report.document import Finding, Section

COMMON_COLUMNS = (
    "id", "dataset", "config", "dataset_version", "language", "pair_id", "cluster_id", "gold", "label",
    "outcome", "repeat",
)  # fmt: skip
"""Columns of every instrument: columns of the prompt's row; the extracted ``label``; the ``outcome``
(answered, refusal, unparsable or truncated); and ``repeat``, the index of the answer to the same prompt, from
0, over all averaged runs. The file reader adds ``respondent``, ``model``, ``method``, ``task``, ``run`` (the
number of the run among the averaged runs of the task, from 0) and ``filtered``: whether the provider withheld
the answer, or any of the answers that the row summarises; null if unknown."""


@dataclass(frozen=True)
class ReportSettings:
    """Settings of a report.

    Attributes:
        seed: of the resampling tests, such as sign flips.
        positions: of parties on the policy statements, read by
            :func:`polbias.eval.policy.party_match.party_positions`; None omits the agreement with parties.
        full: whether sections contain the complete tables of their analysis, in addition to the page's.
        instruments: names of the instruments to report; all if empty.
        names: of respondents, by the folder or file of their runs.
        margin: equivalence margin in percentage points.
        excluded_pairs: ids of X-phemism pairs to exclude from the analysis.
    """

    seed: int = 0
    positions: Any = None
    full: bool = False
    instruments: tuple[str, ...] = ()
    names: Mapping[Path, str] = field(default_factory=dict)
    margin: float = MARGIN
    excluded_pairs: frozenset[str] = frozenset()


class Reporter(Protocol):
    """The interface of an instrument's report module."""

    COLUMNS: Mapping[str, Any]
    """The instrument's additional columns, name to Arrow type; see :data:`COMMON_COLUMNS`."""

    def flatten_samples(self, samples: Iterable[Mapping[str, Any]], task: str) -> Iterator[dict[str, Any]]:
        """Yield one flat row per answer of the samples of one file.

        The report compares a sample's metrics with its rows: a metric named like a label must be the share of
        that label, and ``acc`` the share of the gold label; otherwise a notice reports changed extraction.

        Args:
            samples: lines of ``samples_<task>_*.jsonl``, parsed by `polbias.eval.samples.read_samples`;
                responses with metadata are a :class:`polbias.responses.Response`.
            task: name of the task; log-likelihood tasks end in ``_loglikelihood``.

        Raises:
            KeyError, TypeError, ValueError: if a sample lacks a required field; the file reader adds a notice
                and continues with the next sample.
        """

    def build_findings(self, answers: Mapping[str, Any], settings: ReportSettings) -> tuple[Finding, ...]:
        """Return only the findings of :meth:`build_section`, which is faster; same arguments."""

    def build_section(self, answers: Mapping[str, Any], settings: ReportSettings) -> Section:
        """Analyse the answers and return the section of the instrument.

        Args:
            answers: respondent to data frame with :data:`COMMON_COLUMNS`, the file reader's columns, and
                :data:`COLUMNS`.
            settings: of the report.
        """


def load_reporter(name: str) -> Reporter:
    """Return the report module of an instrument."""
    return cast(Reporter, registry.import_reference(registry.instruments()[name].report))
