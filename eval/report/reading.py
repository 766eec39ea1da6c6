"""From files of samples to tables of outcomes: the newest runs, of one version, of our instruments."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from polbias import __version__
from polbias.aliases import Json
from polbias.eval import inspect_logs
from polbias.eval.extraction.refusal import is_filtered
from polbias.eval.report.document import Notice
from polbias.eval.report.reporter import COMMON, Reporter, instrument
from polbias.eval.report.rereading import Rereading
from polbias.eval.report.respondents import RunSettings, told_settings, with_names
from polbias.eval.report.wording import frame
from polbias.eval.samples import (
    SampleFile,
    SkippedLine,
    content_of,
    find_samples,
    first_row,
    numbered_samples,
    read_samples,
)
from polbias.files import InputError, file_sha256, read_bytes
from polbias.manifest import read_lock
from polbias.registry import instrument_of

# Which files a report is made of: the newest run of every task and respondent, of our instruments only.


@dataclass(frozen=True)
class RunFiles:
    """Files of a report.

    Attributes:
        files: with the instrument of each, by respondent and task.
        notices: what was left out.
    """

    files: tuple[tuple[SampleFile, str], ...]
    notices: tuple[Notice, ...]


def gather(
    paths: Iterable[Path], only: Collection[str] = (), names: Mapping[Path, str] = MappingProxyType({})
) -> RunFiles:
    """Find the samples at some paths, of all instruments or of some.

    Args:
        paths: files, or folders of any depth.
        only: instruments; all if none is named.
        names: of respondents, by the path that their runs are below.
    """
    kept: dict[tuple[str, str], tuple[SampleFile, str]] = {}
    notices: list[Notice] = []
    said = frame().notices
    files = sorted({file.path.resolve(): file for file in find_samples(paths, newest=False)}.values())
    for file in with_names([(file, run_facts(file).settings) for file in files], names):
        row = first_row(file.path)
        instrument = instrument_of(row)
        if instrument is None:
            dataset = row.get("dataset")
            found = said["foreign_task" if row else "no_samples"].format(task=file.task, dataset=dataset)
            notices.append(Notice(name_of(file), found, said["left_out"], serious=not row))
            continue
        if only and instrument not in only:
            continue
        earlier = kept.get((file.respondent, file.task))
        if earlier is not None:
            older = said["older_run"].format(task=file.task, model=file.respondent, newer=name_of(file))
            notices.append(Notice(name_of(earlier[0]), older, said["left_out"]))
        kept[file.respondent, file.task] = file, instrument
    order = sorted(kept.values(), key=lambda each: (each[0].respondent, each[0].task))
    return RunFiles(tuple(order), tuple(notices))


def name_of(file: SampleFile) -> str:
    """Return the folder and name of a file, without where they are on the machine."""
    return f"{file.path.resolve().parent.name}/{file.path.name}"


# What lm_eval says of a run beside its samples: how many there should be, of which versions, by whom.

SCORED = "score"  # answers that existed, by `polbias score`
_SIMULATED = "polbias-simulated"
_SIMULATED_NAME = "simulated-"


@dataclass(frozen=True)
class RunMetadata:
    """What a ``results_*.json`` or the header of a log says of one task.

    Attributes:
        expected: samples that were asked; None if it does not say.
        available: rows of the task, of which ``--limit`` may have asked a part; None if it does not say.
        task_version: of the task; empty if it does not say.
        revision: of the dataset that the task names; empty if it names none.
        toolkit: version of polbias that asked; empty if it does not say.
        model_type: of lm_eval, such as ``"local-chat-completions"``, or "inspect"; empty if it does not say.
        settings: that may tell respondents apart.
        dropped: settings that were not sent, as the server takes none, with the values that were meant.
        found: whether there is such a file.
    """

    expected: int | None = None
    available: int | None = None
    task_version: str = ""
    revision: str = ""
    toolkit: str = ""
    model_type: str = ""
    settings: RunSettings = field(default_factory=dict)
    dropped: Mapping[str, Any] = field(default_factory=dict)
    found: bool = False


def run_facts(file: SampleFile) -> RunMetadata:
    """Return what the results beside a file of samples say; nothing if they are not there or damaged."""
    if inspect_logs.is_log(file.path):
        log = inspect_logs.header(file.path)
        return RunMetadata(
            log.expected,
            log.available,
            log.version,
            toolkit=log.toolkit,
            model_type="inspect",
            settings=told_settings(log.results),
            found=True,
        )
    beside = [file.path.parent / f"results_{file.time}.json{compressed}" for compressed in ("", ".gz")]
    results = next(filter(None, map(_results, beside)), None) if file.time else None
    if results is None:
        return RunMetadata()
    counts = _mapping(_mapping(results.get("n-samples")).get(file.task))
    rows = _mapping(_mapping(_mapping(results.get("configs")).get(file.task)).get("dataset_kwargs"))
    version = _mapping(results.get("versions")).get(file.task)
    return RunMetadata(
        expected=_count(counts.get("effective")),
        available=_count(counts.get("original")),
        task_version="" if version is None else str(version),
        revision=str(rows.get("polbias_revision", "")),
        toolkit=str(_mapping(results.get("polbias")).get("version") or ""),
        model_type=str(_mapping(results.get("config")).get("model") or ""),
        settings=told_settings(results),
        dropped=_mapping(_mapping(results.get("polbias")).get("dropped")),
        found=True,
    )


def is_simulated(model: str, facts: RunMetadata) -> bool:
    """Tell whether a respondent is simulated: by its kind, or by the name that `polbias simulate` gives."""
    return facts.model_type == _SIMULATED or model.startswith(_SIMULATED_NAME)


@lru_cache(maxsize=256)
def _read(path: Path, _stamp: tuple[int, int]) -> Json | None:
    """Kept for all tasks of a run, whose results are in one file."""
    try:
        content = json.loads(read_bytes(path))
    except (InputError, OSError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _results(path: Path) -> Json | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return _read(path, (state.st_mtime_ns, state.st_size))


def _mapping(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


# From a file of samples to a table of outcomes; what cannot be read is told, and the rest goes on.

ADDED = ("respondent", "model", "method", "task")
FILTERED = "filtered"
"""The column that says whether the provider withheld an answer."""
_SHOWN = 3  # problems of a file that are told one by one
_UNIQUE = ("id", "pair_id", "repeat")  # columns in which hardly a value recurs
_UNFIT = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)


@dataclass(frozen=True)
class FileAnswers:
    """What a file holds.

    Attributes:
        file: where it is.
        instrument: that it belongs to.
        outcomes: Arrow table with ADDED, COMMON and the columns of the instrument; one row per answer.
        samples: that could be read.
        sha256: of the bytes of the file.
        facts: what the run says of it.
        notices: what could not be read.
    """

    file: SampleFile
    instrument: str
    outcomes: Any
    samples: int
    sha256: str
    facts: RunMetadata
    notices: tuple[Notice, ...]


def read_file(file: SampleFile, name: str) -> FileAnswers:
    """Read a file of samples."""
    problems: list[SkippedLine] = []
    rereading = Rereading()
    outcomes, count = answers_in(file, name, problems, rereading)
    facts = run_facts(file)
    notices = (*_told(file, problems), *completeness(file, facts, count), *_reread(file, facts, rereading))
    return FileAnswers(file, name, outcomes, count, file_sha256(file.path), facts, notices)


def answers_in(
    file: SampleFile, name: str, problems: list[SkippedLine], rereading: Rereading | None = None
) -> tuple[Any, int]:
    """Return the outcomes in a file of samples, and the number of samples that could be read."""
    module = instrument(name)
    wanted = schema(module)
    rereading = rereading or Rereading()
    try:
        samples = _Counted(read_samples(file.path, problems))
        rows = [row for each in samples for row in _sample_rows(module, name, file, each, rereading)]
        return tabulated(rows, wanted, file), samples.count
    except _UNFIT:
        problems.clear()
        rereading.answers = rereading.changed = 0
        return _one_by_one(module, name, file, problems, rereading)


def answers_of(paths: Iterable[Path], name: str, problems: list[SkippedLine]) -> dict[str, Any]:
    """Return the outcomes of every respondent to one instrument."""
    found: dict[str, list[Any]] = {}
    for file, _ in gather(paths, (name,)).files:
        found.setdefault(file.respondent, []).append(plain(answers_in(file, name, problems)[0]))
    return {who: pa.concat_tables(tables) for who, tables in found.items()}


def schema(module: Reporter) -> Any:
    """Return the Arrow schema of the outcomes of an instrument; texts that recur are dictionaries."""
    types = {**dict.fromkeys((*ADDED, *COMMON), "string"), "repeat": "int32", FILTERED: "bool"}
    types |= module.COLUMNS
    coded = pa.dictionary(pa.int32(), pa.string())
    return pa.schema(
        [(name, coded if kind == "string" and name not in _UNIQUE else kind) for name, kind in types.items()]
    )


def plain(table: Any) -> Any:
    """Return a table with texts in place of dictionaries, in which Arrow cannot sort."""
    return table.cast(pa.schema([(field.name, _of_one_value(field.type)) for field in table.schema]))


class _Counted:
    """An iterator that knows how much it has given."""

    def __init__(self, samples: Iterator[Json]) -> None:
        self._samples, self.count = samples, 0

    def __iter__(self) -> Iterator[Json]:
        for sample in self._samples:
            self.count += 1
            yield sample


def _sample_rows(
    module: Reporter, name: str, file: SampleFile, sample: Json, rereading: Rereading
) -> list[Json]:
    """The rows of a sample, which is of the instrument that its file is of."""
    if instrument_of(sample["doc"]) != name:
        raise ValueError(f"dataset: found {sample['doc'].get('dataset')!r}, expected that of the file")
    rows = list(module.flatten_samples((sample,), file.task))
    if not file.scores_likelihoods:
        rereading.add(sample, rows)
    if "polbias" in sample:
        filtered = [*map(is_filtered, sample["filtered_resps"])]
        for index, row in enumerate(rows):
            # A row stands for an answer, or for all answers to a prompt.
            known = {*(filtered if len(rows) == 1 else filtered[index : index + 1])} - {None}
            row[FILTERED] = True in known if known else None
    return rows


def _one_by_one(
    module: Reporter, name: str, file: SampleFile, problems: list[SkippedLine], rereading: Rereading
) -> tuple[Any, int]:
    """Read a file in which some sample lacks what the instrument needs, without that sample."""
    wanted = schema(module)
    tables = [tabulated([], wanted, file)]
    for line, sample in numbered_samples(file.path, problems):
        try:
            tables.append(tabulated(_sample_rows(module, name, file, sample, rereading), wanted, file))
        except _UNFIT as error:
            found = f"found no {error}" if isinstance(error, KeyError) else str(error)
            problems.append(SkippedLine(file.path, line, found))
    return pa.concat_tables(tables).unify_dictionaries(), len(tables) - 1


def tabulated(rows: list[Json], wanted: Any, file: SampleFile) -> Any:
    """Return rows as a table of outcomes; texts are coded."""
    method = "log-likelihood" if file.scores_likelihoods else "generated"
    added = {"respondent": file.respondent, "model": file.model, "method": method, "task": file.task}
    own = [(each.name, _of_one_value(each.type)) for each in wanted if each.name not in added]
    columns = {name: pa.repeat(value, len(rows)) for name, value in added.items()}
    columns |= zip([name for name, _ in own], pa.array(rows, pa.struct(own)).flatten(), strict=True)
    for each in wanted:
        if pa.types.is_dictionary(each.type):
            columns[each.name] = columns[each.name].dictionary_encode()
    return pa.table({name: columns[name] for name in wanted.names}).cast(wanted)


def _of_one_value(kind: Any) -> Any:
    """The type of a value in a column of some type."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _told(file: SampleFile, problems: list[SkippedLine]) -> Iterator[Notice]:
    said = frame().notices
    where = name_of(file)
    for problem in problems[:_SHOWN]:
        yield Notice(f"{where}:{problem.line}", problem.found, said["line_left_out"], serious=True)
    if len(problems) > _SHOWN:
        more = said["more_lines"].format(count=len(problems) - _SHOWN)
        yield Notice(where, more, said["lines_left_out"], serious=True)


def _reread(file: SampleFile, facts: RunMetadata, rereading: Rereading) -> Iterator[Notice]:
    """Tell how many answers today's readers read otherwise than those that scored them."""
    if rereading.changed:
        wording = frame().notices["reread" if facts.toolkit else "reread_unknown"]
        text = wording.format(
            count=rereading.changed, total=rereading.answers, then=facts.toolkit, now=__version__
        )
        yield Notice(name_of(file), text, frame().notices["todays_readers"])


def completeness(file: SampleFile, facts: RunMetadata, count: int) -> Iterator[Notice]:
    """Tell whether a file has what its run asked; only one that is not whole is serious."""
    said: Mapping[str, str] = frame().notices
    where = name_of(file)
    if not facts.found:
        yield Notice(where, said["no_results"], said["taken_as_it_is"])
    elif facts.expected is not None and count < facts.expected:
        found = said["half_run"].format(count=count, expected=facts.expected)
        yield Notice(where, found, said["reported_as_it_is"], serious=True)
    if facts.expected is not None and facts.available is not None and facts.expected < facts.available:
        name = "scored_part" if facts.model_type == SCORED else "limited"
        found = said[name].format(expected=facts.expected, available=facts.available)
        yield Notice(where, found, said["reported_as_it_is"])
    if facts.dropped:
        settings = ", ".join(f"{name}={value}" for name, value in facts.dropped.items())
        yield Notice(where, said["dropped"].format(settings=settings), said["own_setting"])


# Rows of several versions of a dataset: those that differ are never pooled.


def one_version(files: Sequence[FileAnswers]) -> tuple[list[FileAnswers], dict[str, str], list[Notice]]:
    """Keep the rows of the newest version of every dataset, and earlier ones that it has not changed.

    A row is unchanged if its content is that of the newest version that was asked for it. Rows that no newer
    run holds count within one major version, which adds rows and changes none that goes unnoticed.
    """
    said = frame().notices
    found: dict[str, set[str]] = {}
    for file in files:
        for dataset, version in _pairs(file.outcomes):
            found.setdefault(dataset, set()).add(version)
    kept = {dataset: max(versions, key=_order) for dataset, versions in sorted(found.items())}
    mixed = {dataset for dataset, versions in found.items() if len(versions) > 1}
    current = _contents(files, mixed)
    notices: list[Notice] = []
    made = []
    for file in files:
        changed: dict[tuple[str, str], list[str]] = {}
        for (dataset, version, row), content in _rows(file, mixed):
            newest, known = current[dataset, row]
            same_major = _order(version)[:1] == _order(kept[dataset])[:1]
            if known != content or (newest == version != kept[dataset] and not same_major):
                changed.setdefault((dataset, version), []).append(row)
        for (dataset, version), rows in sorted(changed.items()):
            text = said["other_version"].format(
                dataset=dataset, version=version, kept=kept[dataset], count=len(rows), row=rows[0]
            )
            notices.append(Notice(name_of(file.file), text, said["not_mixed"], serious=True))
        made.append(replace(file, outcomes=_without(file.outcomes, changed)) if changed else file)
    lock = read_lock()
    for dataset, version in kept.items():
        published = lock[dataset].version if dataset in lock else None
        if published not in (None, version):
            text = said["not_published"].format(dataset=dataset, version=version, published=published)
            notices.append(Notice(dataset, text, said["reported_as_it_is"]))
    return made, kept, notices


def _contents(files: Sequence[FileAnswers], mixed: Collection[str]) -> dict[tuple[str, str], tuple[str, str]]:
    """Newest version of each row of some datasets that was asked, and a digest of its content there."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for file in files:
        for (dataset, version, row), content in _rows(file, mixed):
            known = found.get((dataset, row))
            if known is None or _order(version) > _order(known[0]):
                found[dataset, row] = version, content
    return found


def _rows(file: FileAnswers, datasets: Collection[str]) -> Iterator[tuple[tuple[str, str, str], str]]:
    """Dataset, version and id of every row of a file that is of some datasets; a digest of its content."""
    if not datasets or not any(dataset in datasets for dataset, _ in _pairs(file.outcomes)):
        return
    for sample in read_samples(file.file.path, []):
        row = sample["doc"]
        if row.get("dataset") in datasets:
            version = str(row.get("dataset_version") or "")
            yield (row["dataset"], version, str(row.get("id"))), content_of(row)


def _pairs(table: Any) -> set[tuple[str, str]]:
    """The datasets and versions in a table; a row that names none is of an unknown version."""
    counted = table.select(["dataset", "dataset_version"])
    texts = [counted[name].cast(pa.string()) for name in ("dataset", "dataset_version")]
    groups = pa.table(texts, names=["dataset", "version"]).group_by(["dataset", "version"]).aggregate([])
    return {(row["dataset"] or "", row["version"] or "") for row in groups.to_pylist()}


def _without(table: Any, changed: Mapping[tuple[str, str], Sequence[str]]) -> Any:
    gone = {(*version, row) for version, rows in changed.items() for row in rows}
    names = (table[name].to_pylist() for name in ("dataset", "dataset_version", "id"))
    rows = zip(*names, strict=True)
    kept = [(dataset or "", version or "", row) not in gone for dataset, version, row in rows]
    return table.filter(pa.array(kept, pa.bool_()))


def _order(version: str) -> tuple[tuple[int, int, str], ...]:
    """Semantic versions in their order; parts that are no numbers come first."""
    return tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in version.split("."))


# Rows of a respondent by prompt: which of them count, in an order that is that of no file.

_MINI = "_mini"


def counting(columns: Mapping[str, Sequence[Any]], order: Sequence[str]) -> Iterator[tuple[list[int], int]]:
    """Yield, prompt by prompt, the rows that count.

    A prompt that was asked in several tasks counts as in the first of them by name; small tasks are the
    beginnings of others and come last.
    """
    found: dict[str, list[int]] = defaultdict(list)
    for row, prompt in enumerate(columns["id"]):
        found[prompt].append(row)
    tasks = columns["task"]
    for prompt in sorted(found):
        asked = found[prompt]
        chosen = min({tasks[row] for row in asked}, key=lambda task: (_MINI in task, task))
        rows = [row for row in asked if tasks[row] == chosen]
        if len(rows) > 1:
            rows.sort(key=lambda row: [str(columns[name][row]) for name in order])
        yield rows, len(asked) - len(rows)
