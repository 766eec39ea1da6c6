"""A report for programs: summary.json, CSV, Parquet of outcomes, evaluation results of a model repository."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from polbias.aliases import Document, Json
from polbias.eval.answer_table import CodedColumn, finite
from polbias.eval.report.build import Answers
from polbias.eval.report.document import Comparison, Estimate, Finding, MetricDifference, Report, ReportTable
from polbias.eval.report.reading import ADDED, FILTERED
from polbias.eval.report.reporter import COMMON
from polbias.eval.report.verdicts import doubts, significant, verdict
from polbias.eval.report.wording import frame
from polbias.eval.variance_components import crossed_components
from polbias.files import package_file
from polbias.manifest import read_lock

# summary.json: what a report found, for programs; keys are stable within a schema version.
# The schema is ``templates/report/summary.schema.json``; what the keys mean stands in docs/report.md.

SCHEMA = "polbias.report/5"
_ADJUSTED = ("p_holm", "p_bh")
_EXCESS = ("low", "high", "low_end", "high_end")
_OF_RUNS = ("p_flip", "equivalent", "means", "missing")
_COMPARED = ("value", "low", "high", "n", "clusters", "p", "state", "discordant", "pairs", "limit")


def summary(report: Report) -> Json:
    """Return what goes into summary.json."""
    made: Json = {
        "schema": SCHEMA,
        "polbias": report.version,
        "seed": report.seed,
        "margin": report.margin,
        "respondents": [asdict(each) for each in report.respondents],
        "sources": [asdict(each) for each in report.sources],
        "notices": [asdict(each) for each in report.notices],
        "findings": finding_records(report.findings),
        "comparisons": comparison_records(report.comparisons),
        "instruments": {
            section.instrument: section.summary for section in report.sections if section.summary
        },
    }
    return {key: finite(value) for key, value in made.items()}


def summary_text(report: Report) -> str:
    """Return summary.json as text."""
    return json.dumps(summary(report), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def finding_records(findings: Sequence[Finding]) -> list[Json]:
    """Return findings as flat records, the same in summary.json and findings.csv."""
    return [
        _named(each, "instrument", "respondent", "measure", "key", "part_label", "headline")
        | {"verdict": verdict(each)}
        | numbers(each.estimate)
        | _named(each, *_ADJUSTED, "p_flip", "smallest_p", "equivalent")
        | {"doubts": list(doubts(each)) if significant(each) else []}
        | _ends("latent", each.latent)
        | {f"excess_{name}": getattr(each.excess, name, None) for name in _EXCESS}
        | dict(zip(("bound_low", "bound_high"), each.bounds or (None, None), strict=True))
        | _ends("accuracy", each.accuracy)
        | _named(each, "attainable")
        | _ends("refusal_gap", each.refusal_gap)
        for each in findings
    ]


def component_records(findings: Iterable[Finding]) -> Iterator[Json]:
    """Yield how the contributions to every headline vary: over clusters, over what is crossed, over items."""
    for each in findings:
        if not each.headline or each.scores is None:
            continue
        answered = np.isfinite(each.scores.values)
        values, count = each.scores.values[answered], int(np.count_nonzero(answered))
        if not count or np.ptp(values) == 0:
            continue
        factors = {"clusters": CodedColumn.of(each.scores.clusters), **each.scores.factors}
        factors = {name: factor.select(answered) for name, factor in factors.items()}
        levels = {name: factor.distinct for name, factor in factors.items()}
        varied = {name: factors[name] for name, size in levels.items() if 1 < size < count}
        found = crossed_components(values, varied)
        for source, variance in found.items():
            yield _named(each, "instrument", "respondent", "measure") | {
                "source": source,
                "levels": levels.get(source, count),
                "deviation": math.sqrt(variance),
                "share": variance / sum(found.values()),
            }


def _ends(name: str, found: Estimate | None) -> Json:
    ends = (("", "value"), ("_low", "low"), ("_high", "high"))
    return {f"{name}{end}": getattr(found, field, None) for end, field in ends}


def comparison_records(comparisons: Sequence[Comparison]) -> list[Json]:
    """Return comparisons as flat records, the same in summary.json and comparisons.csv."""
    return [
        _named(each, "instrument", "measure", "key", "part_label", "first", "second")
        | {"verdict": verdict(each)}
        | finite(_named(each.estimate, *_COMPARED))
        | _named(each, *_ADJUSTED)
        | (_named(each, *_OF_RUNS) if isinstance(each, MetricDifference) else _of_respondents(each))
        for each in comparisons
    ]


def _of_respondents(comparison: Comparison) -> Json:
    """What a comparison of respondents has beside one of runs."""
    low, high = comparison.excess or (None, None)
    return _ends("latent", comparison.latent) | {
        "excess_low": low,
        "excess_high": high,
        "unanswered": list(comparison.unanswered),
    }


def _named(found: Any, *names: str) -> Json:
    return {name: getattr(found, name) for name in names}


def numbers(estimate: Estimate) -> Json:
    """Return the fields of an estimate, not-a-number as None."""
    return {name: finite(getattr(estimate, name)) for name in Estimate.__dataclass_fields__}


# Accuracies as evaluation results of a model repository on the Hub (``.eval_results/*.yaml``).


def eval_results(answers: Answers) -> Iterator[tuple[str, str]]:
    """Yield the results of every respondent on the tasks of each dataset's ``eval.yaml``, as YAML.

    A task counts whose rows were all answered; a bias has a sign and is not ranked.

    Source:
        https://huggingface.co/docs/hub/eval-results
    """
    import yaml
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    entries: dict[str, list[EvalResultEntry]] = {}
    for dataset, entry in sorted(read_lock().items()):
        path = package_file("cards") / f"{dataset}.eval.yaml"
        for task in yaml.safe_load(path.read_text("utf-8"))["tasks"] if path.is_file() else ():
            splits = entry.configs.get(task["config"])
            if splits is None:  # a lock of one's own may have fewer configs
                continue
            rows = splits[task["split"]].rows
            for respondent, own in _answered(answers, dataset, entry.version, task["config"]):
                if len(set(own["id"])) < rows:
                    continue
                right = [label == gold for label, gold in zip(own["label"], own["gold"], strict=True)]
                silent = Counter[str](own["outcome"])
                others = silent["unparsable"] + silent["truncated"]
                notes = frame().findings["notes"]
                made = EvalResultEntry(
                    dataset_id=f"polbias/{dataset}",
                    task_id=task["id"],
                    value=round(sum(right) / len(right), 4),
                    dataset_revision=f"v{entry.version}",
                    notes=notes.format(n=f"{len(right):,}", refusals=silent["refusal"], others=others),
                )
                entries.setdefault(respondent, []).append(made)
    for respondent, results in sorted(entries.items()):
        listed = eval_result_entries_to_yaml(results)
        yield respondent, yaml.safe_dump(listed, sort_keys=False, allow_unicode=True, width=110)


_RANKED = ("id", "label", "gold", "outcome", "dataset", "dataset_version", "config", "method")


def _answered(answers: Answers, dataset: str, version: str, config: str) -> Iterator[tuple[str, Json]]:
    """What each respondent wrote to the rows of a config."""
    own = (pc.field("dataset") == dataset) & (pc.field("dataset_version") == version)
    own &= (pc.field("config") == config) & (pc.field("method") == "generated")
    for tables in answers.values():
        for respondent, table in tables.items():
            rows = table.select(_RANKED).filter(own)
            if len(rows):
                yield respondent, rows.to_pydict()


def file_name(respondent: str) -> str:
    """Return the name of a respondent's file; what no file name may hold becomes a hyphen."""
    kept = "".join(each if each.isalnum() or each in "._-" else "-" for each in respondent)
    return f"{Path(kept).name.lstrip('.') or 'respondent'}.yaml"


# All outcomes as one tidy Parquet, for R or pandas: one row per answer (policy: per prompt).

_ORDER = [("task", "ascending"), ("id", "ascending"), ("repeat", "ascending")]


def write_outcomes(answers: Answers, path: Path) -> None:
    """Write the outcomes of a report.

    Columns are ``instrument``, those that all instruments have, and then those of single instruments, which
    are null in the rows of the others; rows are in the order of instrument, respondent, task and id.
    """
    wanted = _schema(answers)
    with pq.ParquetWriter(path, wanted, compression="zstd") as writer:
        for instrument in sorted(answers):
            for _, table in sorted(answers[instrument].items()):
                writer.write_table(_fitted(table.sort_by(_ORDER), instrument, wanted))


def _schema(answers: Answers) -> Any:
    types: Json = {"instrument": pa.string()}
    types |= dict.fromkeys((*ADDED, *COMMON), pa.string()) | {FILTERED: pa.bool_()}
    own: dict[str, set[Any]] = {}
    for tables in (answers[name] for name in sorted(answers)):
        for table in tables.values():
            for field in table.schema:
                own.setdefault(field.name, set()).add(field.type)
    for name, kinds in own.items():
        types[name] = kinds.pop() if len(kinds) == 1 else pa.string()
    return pa.schema(list(types.items()))


def _fitted(table: Any, instrument: str, wanted: Any) -> Any:
    columns: Document = {
        field.name: table[field.name].cast(field.type)
        if field.name in table.column_names
        else pa.nulls(table.num_rows, field.type)
        for field in wanted
        if field.name != "instrument"
    }
    return pa.table({"instrument": pa.repeat(instrument, table.num_rows), **columns}, schema=wanted)


# The tables of a report as flat rows, for CSV.

_PAPER = "_paper"  # what ids of tables end in whose words differ from those of the corrected ones


def flat_tables(report: Report) -> Iterator[tuple[str, list[Json]]]:
    """Yield name and rows of every table of a report, those without rows left out."""
    for section in report.sections:
        for table in section.tables:
            if table.rows:
                yield name_of(section.instrument, table), flat_rows(table)
        for name, rows in section.full.items():
            if rows:
                yield f"{section.instrument}-{name}-full", finite(rows)
    if report.sections:
        yield "findings", finding_records(report.findings)
    if varied := [*component_records(report.findings)]:
        yield "components", varied
    if report.comparisons:
        yield "comparisons", comparison_records(report.comparisons)


def name_of(instrument: str, table: ReportTable) -> str:
    """Return the name of the CSV of a table, which is also its anchor in the page."""
    name = table.id.removesuffix(_PAPER)
    return f"{instrument}-{name}" + ("-paper" if table.mode == "paper" else "")


def flat_rows(table: ReportTable) -> list[Json]:
    """Return the rows of a table with plain values only.

    An estimate becomes its value under the name of the column, and its other fields, as far as any row has
    them, under ``<column>_low``, ``_high``, ``_n``, ``_clusters``, ``_refusals``, ``_unparsable``,
    ``_truncated`` and ``_p``.
    """
    columns: dict[str, list[Any]] = {}
    for name in (column.name for column in table.columns):
        cells = [_fields(row.get(name)) for row in table.rows]
        columns[name] = [each.pop("value") for each in cells]
        for field in Estimate.__dataclass_fields__:
            if any(each.get(field) is not None for each in cells):
                columns[f"{name}_{field}"] = [each.get(field) for each in cells]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _fields(cell: Any) -> Json:
    return numbers(cell) if isinstance(cell, Estimate) else {"value": cell}
