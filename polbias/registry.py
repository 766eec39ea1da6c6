"""The instruments: the only list of them, and the datasets that they publish."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from polbias.errors import PolbiasError, did_you_mean
from polbias.paths import package_file

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from polbias.generators.engine.publication import Publication

ENTRY_POINT_GROUP = "polbias.instruments"
"""Entry points of installed packages, each an :class:`Instrument` under its name."""


@dataclass(frozen=True, kw_only=True)
class Instrument:
    """An instrument, and where each of its parts is: ``module``, ``module:object`` or ``package:file``.

    Args:
        name: such as ``partisan``.
        datasets: that it builds, name to :class:`polbias.generators.engine.publication.Publication`.
        evaluated_datasets: names of the datasets whose rows are asked by tasks; all of them if none is named.
        report: module with ``COLUMNS``, ``flatten_samples``, ``build_findings`` and ``build_section``; see
            :class:`polbias.eval.report.reporter.Reporter`.
        words: file with what its measures, tables and figures are called.
        simulation: its kinds of :class:`polbias.eval.simulation.Questions`; rows are of the first whose
            columns they have. None if nobody simulates.
        power: its :class:`polbias.eval.power.design.InstrumentDesign`; None if nothing computes its power.
        metrics: the first of these that a task has is what it is about; ``acc`` where it has none.
        headlines: measures that are tested, of each respondent, whatever was run (docs/statistics.md,
            "Decisions").
        cluster_function: names what the errors of its metrics are over, by row; ``cluster_id`` if None.
        tasks: folder of its task files, or of a folder of its name that has them.
        task_files: function that yields the task files, for those that a script writes.
    """

    name: str
    datasets: Mapping[str, str]
    evaluated_datasets: tuple[str, ...] = ()
    report: str
    words: str
    simulation: tuple[str, ...] = ()
    power: str | None = None
    metrics: tuple[str, ...] = ()
    headlines: tuple[str, ...] = ()
    cluster_function: str | None = None
    tasks: str = "polbias:harness_tasks"
    task_files: str | None = None

    def __post_init__(self) -> None:
        if not self.evaluated_datasets:
            object.__setattr__(self, "evaluated_datasets", tuple(self.datasets))


_OURS = (
    Instrument(
        name="partisan",
        datasets={
            "partisan-inference": "polbias.generators.partisan.publication:PUBLICATION",
            "partisan-inference-xl": "polbias.generators.partisan.publication:LARGE",
        },
        report="polbias.eval.partisan.section",
        words="polbias:templates/report/partisan.yaml",
        simulation=("polbias.eval.partisan.simulation:ArgumentQuestions",),
        power="polbias.eval.partisan.power:POWER",
        metrics=("bias", "weighted_bias", "weighted_bias_paper"),
        headlines=("large_bias", "large_accuracy_gap", "large_refusal_gap"),
        cluster_function="polbias.eval.partisan.answers:sampling_unit",
        task_files="polbias.harness_tasks.generate:partisan",
    ),
    Instrument(
        name="normative",
        datasets={"normative-reasoning": "polbias.generators.normative.publication:PUBLICATION"},
        report="polbias.eval.normative.section",
        words="polbias:templates/report/normative.yaml",
        simulation=(
            "polbias.eval.normative.simulation:SelectionQuestions",
            "polbias.eval.normative.simulation:ProblemQuestions",
        ),
        power="polbias.eval.normative.power:POWER",
        headlines=("content_effect", "refusal_gap"),
        task_files="polbias.harness_tasks.generate:normative",
    ),
    Instrument(
        name="policy",
        datasets={"policy-statements": "polbias.generators.policy.publication:PUBLICATION"},
        evaluated_datasets=("policy-statements", "probvaa"),  # `polbias author import-probvaa` builds probvaa
        report="polbias.eval.policy.section",
        words="polbias:templates/report/policy.yaml",
        simulation=("polbias.eval.policy.simulation:StatementQuestions",),
        power="polbias.eval.policy.power:POWER",
        metrics=("pass_all", "leaning"),
        headlines=("leaning", "refusal_gap"),
        task_files="polbias.harness_tasks.generate:policy",
    ),
    Instrument(
        name="xphemism",
        datasets={"xphemism-pairs": "polbias.generators.xphemism.publication:PUBLICATION"},
        report="polbias.eval.xphemism.section",
        words="polbias:templates/report/xphemism.yaml",
        simulation=("polbias.eval.xphemism.simulation:ClaimQuestions",),
        power="polbias.eval.xphemism.power:POWER",
        metrics=("leaning_effect", "penalty"),
        headlines=("leaning_effect", "refusal_gap"),
        task_files="polbias.harness_tasks.generate:xphemism",
    ),
    Instrument(
        name="selfassess",
        datasets={"self-assessment": "polbias.generators.selfassess.publication:PUBLICATION"},
        report="polbias.eval.selfassess.section",
        words="polbias:templates/report/selfassess.yaml",
        simulation=(
            "polbias.eval.selfassess.simulation:ChoiceQuestions",
            "polbias.eval.selfassess.simulation:ArticleQuestions",
        ),
        power="polbias.eval.selfassess.power:POWER",
        metrics=("bias", "refusal_gap"),
        headlines=(
            *(f"{each}_bias" for each in ("poligen", "bundestag", "econolex")),
            *(f"{each}_refusal_gap" for each in ("poligen", "bundestag", "econolex")),
        ),
        task_files="polbias.harness_tasks.generate:selfassess",
    ),
)


def instrument_names() -> list[str]:
    """Return the names of the instruments without loading any: ours, then those of installed packages."""
    return [*(each.name for each in _OURS), *(point.name for point in _installed())]


@cache
def instruments() -> Mapping[str, Instrument]:
    """Return the instruments by name, in the order of :func:`instrument_names`.

    Raises:
        PolbiasError: if an installed package offers what is no instrument, or one whose name or dataset is
            taken.
    """
    found = {each.name: each for each in _OURS}
    for point in _installed():
        try:
            offered = point.load()
        except (ImportError, AttributeError) as error:
            raise PolbiasError(f"{ENTRY_POINT_GROUP}: {point.value}: cannot be loaded ({error})") from None
        if not isinstance(offered, Instrument) or offered.name != point.name:
            raise PolbiasError(
                f"{ENTRY_POINT_GROUP}: {point.value}: expected an Instrument called {point.name}"
            )
        taken = {name for each in found.values() for name in (*each.datasets, *each.evaluated_datasets)}
        if offered.name in found or taken & {*offered.datasets, *offered.evaluated_datasets}:
            raise PolbiasError(
                f"{ENTRY_POINT_GROUP}: {point.value}: its name, or that of a dataset, is taken"
            )
        found[offered.name] = offered
    return MappingProxyType(found)


def import_reference(reference: str) -> Any:
    """Return what a reference, ``module`` or ``module:object``, stands for."""
    module, _, name = reference.partition(":")
    found = import_module(module)
    return getattr(found, name) if name else found


def dataset_names() -> Sequence[str]:
    """Return the names of all datasets."""
    return tuple(_publications())


def require_dataset(name: str) -> str:
    """Return a dataset's name.

    Raises:
        PolbiasError: if there is no dataset of that name.
    """
    if name not in _publications():
        known = ", ".join(_publications())
        near = did_you_mean(name, _publications())
        raise PolbiasError(f"no dataset is called {name!r}; {near}there are: {known} (see `polbias list`)")
    return name


def instrument_of(row: Mapping[str, Any]) -> str | None:
    """Return the instrument that a row is of, whatever task asked it; None if it is of none of ours.

    Args:
        row: with the column ``dataset``.
    """
    dataset = row.get("dataset")
    return _asked().get(dataset) if isinstance(dataset, str) else None


def publication(name: str) -> Publication:
    """Return the publication of a dataset.

    Raises:
        PolbiasError: if there is no dataset of that name.
    """
    return cast("Publication", import_reference(_publications()[require_dataset(name)]))


def task_folders() -> list[Path]:
    """Return the folders of task files."""
    return [package_file(place) for place in dict.fromkeys(each.tasks for each in instruments().values())]


def _installed() -> list[EntryPoint]:
    from importlib.metadata import entry_points

    return sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda point: point.name)


def _publications() -> Mapping[str, str]:
    return {name: place for each in instruments().values() for name, place in each.datasets.items()}


@cache
def _asked() -> Mapping[str, str]:
    return {dataset: each.name for each in instruments().values() for dataset in each.evaluated_datasets}
