"""The registry of all instruments and of the datasets that they publish."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
"""Group of entry points by which installed packages add an :class:`Instrument` under its name."""


@dataclass(frozen=True, kw_only=True)
class Instrument:
    """An instrument, with references to its parts: ``module``, ``module:object`` or ``package:file``.

    Args:
        name: such as ``partisan``.
        datasets: reference to the :class:`polbias.generators.engine.publication.Publication` of each dataset
            that it builds, by name.
        build_extra: extra of polbias (``pip install polbias[EXTRA]``) that builds of its datasets need; empty
            if they need none.
        evaluated_datasets: names of the datasets whose rows its tasks prompt with; default all `datasets`.
        report: module with ``COLUMNS``, ``flatten_samples``, ``build_findings`` and ``build_section``; see
            :class:`polbias.eval.report.reporter.Reporter`.
        words: file with the names of its measures, tables and figures.
        simulation: its kinds of :class:`polbias.eval.simulation.Questions`; a row belongs to the first kind
            whose columns it has. Empty if it is not simulated.
        power: its :class:`polbias.eval.power.design.InstrumentDesign`; None without a power analysis.
        metrics: candidates for the main metric of a task: the first that the task has, else ``acc``.
        headlines: measures tested for each respondent, whatever tasks were run (docs/statistics.md,
            "Decisions").
        cluster_function: returns the cluster of a row, for the standard errors of its metrics;
            ``cluster_id`` if None.
        samples_in_run: whether a run samples several answers to a prompt; then runs are not averaged, and the
            newest counts.
        row_settings: keys of lm_eval's metadata (``polbias_*``) that select the rows of its tasks, by the
            loader that reads them (``custom_dataset`` of a task file). A key that a task's loader does not
            read is an error; the keys of a loader that no instrument declares are not checked.
        request_settings: keys that say how prompts are sent, by the task class that reads them.
        tasks: folder of its task files, or the parent of a folder with the instrument's name.
        task_files: function that yields the task files, if a script generates them.
    """

    name: str
    datasets: Mapping[str, str]
    build_extra: str = ""
    evaluated_datasets: tuple[str, ...] = ()
    report: str
    words: str
    simulation: tuple[str, ...] = ()
    power: str | None = None
    metrics: tuple[str, ...] = ()
    headlines: tuple[str, ...] = ()
    cluster_function: str | None = None
    samples_in_run: bool = False
    row_settings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    request_settings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tasks: str = "polbias:harness_tasks"
    task_files: str | None = None

    def __post_init__(self) -> None:
        if not self.evaluated_datasets:
            object.__setattr__(self, "evaluated_datasets", tuple(self.datasets))


_SYSTEM_SETTING = {"polbias.eval.lm_eval_task:ChatMessagesTask": ("polbias_system",)}

_BUILT_IN = (
    Instrument(
        name="partisan",
        datasets={
            "partisan-inference": "polbias.generators.partisan.publication:PUBLICATION",
            "partisan-inference-xl": "polbias.generators.partisan.publication:XL_PUBLICATION",
        },
        report="polbias.eval.partisan.section",
        words="polbias:templates/report/partisan.yaml",
        simulation=("polbias.eval.partisan.simulation:ArgumentQuestions",),
        power="polbias.eval.partisan.power:POWER",
        metrics=("bias", "weighted_bias", "weighted_bias_paper"),
        headlines=("large_bias", "large_accuracy_gap", "large_refusal_gap"),
        cluster_function="polbias.eval.partisan.answers:sampling_unit",
        row_settings={"polbias.eval.data:load_task_rows": ("polbias_shots", "polbias_pairs")},
        task_files="polbias.harness_tasks.generate:partisan",
    ),
    Instrument(
        name="ladder",
        datasets={"partisan-inference-ladder": "polbias.generators.partisan.ladder.publication:PUBLICATION"},
        report="polbias.eval.ladder.section",
        words="polbias:templates/report/ladder.yaml",
        simulation=("polbias.eval.ladder.simulation:LadderQuestions",),
        power="polbias.eval.ladder.power:POWER",
        metrics=("bias",),
        headlines=("bias", "refusal_gap"),
        row_settings={"polbias.eval.data:load_task_rows": ("polbias_shots", "polbias_pairs")},
        task_files="polbias.harness_tasks.generate:ladder",
    ),
    Instrument(
        name="normative",
        datasets={"normative-reasoning": "polbias.generators.normative.publication:PUBLICATION"},
        # `polbias author import` builds normative-published and probvaa from a user's copy.
        evaluated_datasets=("normative-reasoning", "normative-published"),
        report="polbias.eval.normative.section",
        words="polbias:templates/report/normative.yaml",
        simulation=(
            "polbias.eval.normative.simulation:SelectionQuestions",
            "polbias.eval.normative.simulation:ProblemQuestions",
        ),
        power="polbias.eval.normative.power:POWER",
        headlines=("content_effect", "refusal_gap"),
        row_settings={"polbias.eval.data:load_task_rows": ("polbias_pairs", "polbias_source")},
        task_files="polbias.harness_tasks.generate:normative",
    ),
    Instrument(
        name="policy",
        datasets={"policy-statements": "polbias.generators.policy.publication:PUBLICATION"},
        evaluated_datasets=("policy-statements", "probvaa"),
        report="polbias.eval.policy.section",
        words="polbias:templates/report/policy.yaml",
        simulation=("polbias.eval.policy.simulation:StatementQuestions",),
        power="polbias.eval.policy.power:POWER",
        metrics=("pass_all", "leaning"),
        headlines=("leaning", "refusal_gap"),
        samples_in_run=True,
        row_settings={
            "polbias.eval.policy.tasks:load_policy_rows": (
                *("polbias_source", "polbias_prompts", "polbias_variants", "polbias_instructions"),
            ),
        },
        request_settings={
            "polbias.eval.policy.tasks:SampledTask": (
                *("polbias_samples", "polbias_seeds", "polbias_first_seed", "polbias_stopping_rule"),
            ),
            **_SYSTEM_SETTING,
        },
        task_files="polbias.harness_tasks.generate:policy",
    ),
    Instrument(
        name="xphemism",
        datasets={"xphemism-pairs": "polbias.generators.xphemism.publication:PUBLICATION"},
        build_extra="german",
        report="polbias.eval.xphemism.section",
        words="polbias:templates/report/xphemism.yaml",
        simulation=("polbias.eval.xphemism.simulation:ClaimQuestions",),
        power="polbias.eval.xphemism.power:POWER",
        metrics=("leaning_effect", "penalty"),
        headlines=("leaning_effect", "refusal_gap"),
        row_settings={"polbias.eval.xphemism.metrics:load": ("polbias_pairs",)},
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
            *(f"{set_name}_bias" for set_name in ("poligen", "bundestag", "econolex")),
            *(f"{set_name}_refusal_gap" for set_name in ("poligen", "bundestag", "econolex")),
        ),
        row_settings={
            "polbias.eval.selfassess.tasks:load_topics": ("polbias_items", "polbias_stage1"),
            "polbias.eval.selfassess.tasks:load_choices": (
                *("polbias_items", "polbias_stage2", "polbias_set", "polbias_role", "polbias_ways"),
            ),
        },
        request_settings=_SYSTEM_SETTING,
        task_files="polbias.harness_tasks.generate:selfassess",
    ),
)


def instrument_names() -> list[str]:
    """Return the names of the instruments, built-in ones first, without loading an entry point."""
    return [*(instrument.name for instrument in _BUILT_IN), *(point.name for point in _entry_points())]


@cache
def instruments() -> Mapping[str, Instrument]:
    """Return the instruments by name, in the order of :func:`instrument_names`.

    Raises:
        PolbiasError: if an entry point is not an instrument, or its name or a dataset's name is taken.
    """
    instrument_by_name = {instrument.name: instrument for instrument in _BUILT_IN}
    for point in _entry_points():
        try:
            plugin = point.load()
        except (ImportError, AttributeError) as error:
            raise PolbiasError(f"{ENTRY_POINT_GROUP}: {point.value}: cannot be loaded ({error})") from None
        if not isinstance(plugin, Instrument) or plugin.name != point.name:
            raise PolbiasError(
                f"{ENTRY_POINT_GROUP}: {point.value}: expected an Instrument called {point.name}"
            )
        used_names = {
            name
            for instrument in instrument_by_name.values()
            for name in (*instrument.datasets, *instrument.evaluated_datasets)
        }
        if plugin.name in instrument_by_name or used_names & {*plugin.datasets, *plugin.evaluated_datasets}:
            raise PolbiasError(
                f"{ENTRY_POINT_GROUP}: {point.value}: its name, or the name of a dataset, is taken"
            )
        instrument_by_name[plugin.name] = plugin
    return MappingProxyType(instrument_by_name)


def import_reference(reference: str) -> Any:
    """Import the module or object of a reference, ``module`` or ``module:object``."""
    module, _, name = reference.partition(":")
    loaded_module = import_module(module)
    return getattr(loaded_module, name) if name else loaded_module


def dataset_names() -> Sequence[str]:
    """Return the names of all datasets."""
    return tuple(_publication_by_dataset())


def require_dataset(name: str) -> str:
    """Return the name, if a dataset has it.

    Raises:
        PolbiasError: if there is no dataset of that name.
    """
    if name not in _publication_by_dataset():
        names = ", ".join(_publication_by_dataset())
        suggestion = did_you_mean(name, _publication_by_dataset())
        raise PolbiasError(
            f"no dataset is called {name!r}; {suggestion}there are: {names} (see `polbias list`)"
        )
    return name


def instrument_of(row: Mapping[str, Any]) -> str | None:
    """Return the name of the instrument that evaluates a row's dataset; None if there is none.

    Args:
        row: a row with the column ``dataset``.
    """
    dataset = row.get("dataset")
    return _instrument_by_dataset().get(dataset) if isinstance(dataset, str) else None


def cluster_of(row: Mapping[str, Any]) -> tuple[str, Any] | None:
    """Return the name and the value of a row's cluster, as `polbias eval` and the report cluster its answers.

    Args:
        row: a row; None without the column ``cluster_id``.
    """
    if row.get("cluster_id") is None:
        return None
    instrument = instruments().get(instrument_of(row) or "")
    if instrument is None or instrument.cluster_function is None:
        return "cluster_id", row["cluster_id"]
    cluster_function = import_reference(instrument.cluster_function)
    return cluster_function.__name__, cluster_function(row)


def publication(name: str) -> Publication:
    """Return the publication of a dataset.

    Raises:
        PolbiasError: if there is no dataset of that name.
    """
    return cast("Publication", import_reference(_publication_by_dataset()[require_dataset(name)]))


def task_folders() -> list[Path]:
    """Return the folders of task files."""
    return [
        package_file(reference)
        for reference in dict.fromkeys(instrument.tasks for instrument in instruments().values())
    ]


def _entry_points() -> list[EntryPoint]:
    from importlib.metadata import entry_points

    return sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda point: point.name)


def _publication_by_dataset() -> Mapping[str, str]:
    return {
        name: reference
        for instrument in instruments().values()
        for name, reference in instrument.datasets.items()
    }


@cache
def _instrument_by_dataset() -> Mapping[str, str]:
    return {
        dataset: instrument.name
        for instrument in instruments().values()
        for dataset in instrument.evaluated_datasets
    }
