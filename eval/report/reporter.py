"""The instruments of a report: how each reads its samples, and what it says of them."""

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
"""Columns that every instrument gives of an answer: those of its row; the ``label`` that was read (what the
model said, in the words of the instrument); the ``outcome`` (answered, refusal, unparsable or truncated); and
``repeat``, which answer to the same prompt it is, from 0. The reader adds ``respondent``, ``model``,
``method``, ``task`` and ``filtered``: whether the provider withheld the answer, or one of those that a row
stands for; null where that is not known."""


@dataclass(frozen=True)
class ReportSettings:
    """What a report can be told.

    Attributes:
        seed: of what is drawn, such as sign flips.
        positions: of parties on the policy statements, as
            :func:`polbias.eval.policy.party_match.party_positions` reads them; None leaves the agreement with
            parties out.
        full: whether sections give all tables of their analysis, also those that the page leaves out.
        instruments: that are reported; all if none is named.
        names: of respondents, by the path that their runs are below.
        margin: within which an effect counts as none, in percentage points.
        excluded_pairs: ids of X-phemism pairs that the analysis leaves out.
    """

    seed: int = 0
    positions: Any = None
    full: bool = False
    instruments: tuple[str, ...] = ()
    names: Mapping[Path, str] = field(default_factory=dict)
    margin: float = MARGIN
    excluded_pairs: frozenset[str] = frozenset()


class Reporter(Protocol):
    """What the module of every instrument offers."""

    COLUMNS: Mapping[str, Any]
    """Its own columns beside :data:`COMMON_COLUMNS`, name to Arrow type."""

    def flatten_samples(self, samples: Iterable[Mapping[str, Any]], task: str) -> Iterator[dict[str, Any]]:
        """Yield one flat row per answer, of the samples of one file.

        A metric in a sample that is named as a label is taken for that label's share of the answers, and
        ``acc`` for the share of the gold label: where they are not, other readers are reported.

        Args:
            samples: lines of ``samples_<task>_*.jsonl``, as `polbias.eval.samples.read_samples` gives them;
                answers of which more is known are a :class:`polbias.responses.Response`.
            task: name of the task; log-likelihood tasks end in ``_loglikelihood``.

        Raises:
            KeyError, TypeError, ValueError: if a sample lacks what the instrument needs; the reader turns it
                into a notice and goes on with the next sample.
        """

    def build_findings(self, answers: Mapping[str, Any], settings: ReportSettings) -> tuple[Finding, ...]:
        """Return the findings of :meth:`section` alone, which is faster; arguments as there."""

    def build_section(self, answers: Mapping[str, Any], settings: ReportSettings) -> Section:
        """Analyse the answers.

        Args:
            answers: respondent to data frame with :data:`COMMON_COLUMNS`, what the reader adds, and
                :data:`COLUMNS`.
            settings: of the report.
        """


def load_reporter(name: str) -> Reporter:
    """Return the module of an instrument."""
    return cast(Reporter, registry.import_reference(registry.instruments()[name].report))
