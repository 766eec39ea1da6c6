"""Self-assessment in two stages: a model writes articles from several sides, and chooses between its own.

Source: Kennedy et al. 2025, section 4. The rows of the first stage are topics; the rows of the second are
built from the articles. lm_eval runs both stages, with the tasks of the instrument.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from polbias.aliases import Document, Json
from polbias.atomic_write import draft_path, write_text
from polbias.errors import InputError, did_you_mean, replace_surrogates
from polbias.eval.extraction.article_outcome import ARTICLE_OUTCOMES, article_outcome
from polbias.eval.extraction.preparation import visible
from polbias.generators.engine import TableRows, named_rng
from polbias.generators.selfassess.article_records import read_articles
from polbias.generators.selfassess.choices import ChoiceDesign, ChoiceReport, build_choices, write_choices
from polbias.generators.selfassess.perspective_leaks import Detector, load_word_lists, missing_word_lists
from polbias.generators.selfassess.templates import (
    PAPER_SUFFIX,
    WORDINGS,
    SelfAssessTemplates,
    load_family,
)
from polbias.paths import package_file
from polbias.responses import Response

# Rows of the first stage: a set, the items sampled from it, and their rows.

Row = Document


@dataclass(frozen=True)
class ChosenSet:
    """A set and its templates.

    Args:
        family: the templates.
        name: of the set.
        is_custom: whether the templates are in a user's folder, not in the package.
    """

    family: SelfAssessTemplates
    name: str
    is_custom: bool


def find_set(value: str) -> ChosenSet:
    """Return the set with a name, or in a user's folder."""
    family, path = load_family(), Path(value)
    if value in family.sets:
        return ChosenSet(family, value, False)
    folder, name = (path, None) if (path / "sets.yaml").is_file() else (path.parent, path.name)
    if not (folder / "sets.yaml").is_file() or str(folder) == ".":
        names = ", ".join(family.sets)
        suggestion = did_you_mean(value, family.sets)
        raise InputError(
            f"--set: found {value!r}; {suggestion}expected one of {names}, or for a set of your own the path "
            f"of its folder: FOLDER/{path.name} (or FOLDER, if it has one set), next to sets.yaml in FOLDER"
        )
    family = load_family(folder)
    if name is None and len(family.sets) == 1:
        name = next(iter(family.sets))
    if name is None or name not in family.sets:
        paths = " or ".join(f"{folder / set_name}" for set_name in family.sets)
        raise InputError(f"--set: found {value!r}, expected a set of sets.yaml there: {paths}")
    return ChosenSet(family, name, True)


def article_rows(article_set: ChosenSet) -> list[Row]:
    """Return all rows of the first stage of a set, as in the published dataset."""
    rows = _table_rows(article_set)
    return [row for batch in rows.batches(0, len(rows)) for row in batch.to_pylist()]


def _table_rows(article_set: ChosenSet) -> TableRows:
    from polbias.generators.selfassess.publication import PUBLICATION

    spec = PUBLICATION.specify(article_set.family.folder if article_set.is_custom else None)
    return TableRows(next(table for table in spec.tables if table.config == article_set.name))


def draw(rows: Sequence[Row], n: int | None, seed: int, draw_version: str) -> list[Row]:
    """Return the rows of `n` sampled items, in their original order.

    Items are sampled in turn from every category, in an order that depends only on the seed and the draw
    version. Categories therefore differ by at most one item until one is used up, and a smaller sample is a
    subset of a larger sample.
    """
    categories: dict[str, set[str]] = {}
    for row in rows:
        categories.setdefault(row["category"], set()).add(row["cluster_id"])
    n_items = sum(map(len, categories.values()))
    if n is not None and not 0 < n <= n_items:
        raise InputError(f"--n: found {n}, expected 1 to {n_items:,}, the items of this set")
    sampled_ids = set(_interleave_categories(categories, rows[0], seed, draw_version)[:n])
    return [row for row in rows if row["cluster_id"] in sampled_ids]


def _interleave_categories(
    categories: Mapping[str, Iterable[str]], row: Row, seed: int, draw_version: str
) -> list[str]:
    """Return all items: the first of every shuffled category, then the second of every category, ..."""

    def shuffle(values: Sequence[str], purpose: str) -> list[str]:
        purpose = f"draw/{row['set']}/{seed}/{purpose}"
        order = named_rng(row["dataset"], draw_version, purpose).permutation(len(values))
        return [values[position] for position in order]

    category_names = shuffle(sorted(categories), "categories")
    rounds = zip_longest(*(shuffle(sorted(categories[name]), name) for name in category_names))
    return [item for item_round in rounds for item in item_round if item is not None]


def write_topics(folder: Path, article_set: ChosenSet, rows: Sequence[Row]) -> Path:
    """Write rows of the first stage to a file for the task; return its path."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / "topics.parquet"
    draft = draft_path(path)
    try:
        pq.write_table(pa.Table.from_pylist([*rows], _table_rows(article_set).schema), draft)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from None
    return path


def writing_task_name(article_set: ChosenSet) -> str:
    """Return the name of the task that writes the articles of a set."""
    return f"polbias_selfassess_generate_{article_set.name}"


def writing_task(article_set: ChosenSet, folder: Path) -> str:
    """Return the task that writes the articles of a set; for a custom set, write its task file first."""
    name = writing_task_name(article_set)
    if article_set.is_custom:
        base = package_file("harness_tasks/selfassess/_write.yaml").resolve()
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / f"{name}.yaml", f"include: {base}\ntask: {name}\n")
    return name


# Article records from responses of the first stage.

FindLeaks = Callable[[str], list[str]]
_ROW_FIELDS = ("set", "category", "topic", "perspective", "side", "role")


def article_record(row: Row, answer: str, model: str, find_leaks: FindLeaks) -> Json:
    """Return the record of an article."""
    text = replace_surrogates(visible(answer))
    return {
        "id": row["id"],
        "item": row["cluster_id"],
        **{name: row[name] for name in _ROW_FIELDS},
        "text": text,
        "outcome": article_outcome(answer),
        "model": model,
        "leak": find_leaks(text),
    }


def make_leak_finder(article_set: ChosenSet) -> FindLeaks:
    """Return a function that finds words that name a perspective, by the word lists of a set."""
    folder = article_set.family.folder
    if problems := missing_word_lists(folder, [article_set.name]):
        raise InputError(problems[0])
    return Detector(load_word_lists(folder)[article_set.name]).words


# Articles of a user: a file of article records, or samples of lm_eval.

LocatedRecord = tuple[str, Document]


def find_article_samples(folder: Path, article_set: ChosenSet) -> Path:
    """Return the file with the newest samples of a set's articles; several models are an error."""
    from polbias.eval.samples import find_sample_files

    task = writing_task_name(article_set)
    files = [file for file in find_sample_files([folder]) if file.task == task]
    if len(files) != 1:
        description = f"samples of {' and '.join(file.model for file in files)}" if files else "none"
        raise InputError(
            f"{folder}: found {description}, expected the samples of {task} of one model; give them with "
            "--articles, or run polbias selfassess generate"
        )
    return files[0].path


def written_articles(
    samples: Mapping[str, Iterable[Document]], folder: Path, article_set: ChosenSet
) -> list[LocatedRecord]:
    """Return the location and the record of each article of a run."""
    task, find_leaks = writing_task_name(article_set), make_leak_finder(article_set)
    return [
        (f"{folder} {task}", record_of_sample(sample, folder.name, find_leaks)) for sample in samples[task]
    ]


def read_user_articles(path: Path, article_set: ChosenSet) -> list[LocatedRecord]:
    """Return the location and the record of each article in a user's file or folder."""
    find_leaks = make_leak_finder(article_set)
    if path.is_dir() or path.name.startswith("samples_"):
        articles = [*_iter_sample_records(path, find_leaks)]
    else:
        articles = [*_iter_article_file(path, article_set, find_leaks)]
    if not articles:
        raise InputError(f"{path}: found no article, expected article records or samples, one per line")
    return articles


def _iter_article_file(path: Path, article_set: ChosenSet, find_leaks: FindLeaks) -> Iterator[LocatedRecord]:
    row_by_id: dict[str, Row] | None = None
    for location, data in read_articles(path):
        if "outcome" in data and "item" in data:
            yield location, data
            continue
        if row_by_id is None:
            row_by_id = {row["id"]: row for row in article_rows(article_set)}
        yield location, _complete_record(location, data, row_by_id, find_leaks)


def _complete_record(
    location: str, data: Document, row_by_id: Mapping[str, Row], find_leaks: FindLeaks
) -> Document:
    row = row_by_id.get(str(data.get("id")))
    if row is None:
        example = next(iter(row_by_id))
        raise InputError(
            f"{location}: id: found {data.get('id')!r}, expected a row of the set such as {example!r}"
        )
    if not isinstance(data.get("text"), str):
        raise InputError(f"{location}: text: found {data.get('text')!r}, expected the article")
    reason = data.get("finish_reason")
    if not isinstance(reason, str | None):
        raise InputError(
            f"{location}: finish_reason: found {reason!r}, expected a word such as 'stop' or nothing"
        )
    answer = Response(data["text"], {"finish_reason": reason})
    return article_record(row, answer, str(data.get("model") or ""), find_leaks) | dict(data)


def _iter_sample_records(path: Path, find_leaks: FindLeaks) -> Iterator[LocatedRecord]:
    from polbias.eval.samples import SkippedLine, find_sample_files, numbered_samples, skip_invalid_sample

    problems: list[SkippedLine] = []
    for file in find_sample_files([path]):
        for line, sample in numbered_samples(file.path, problems):
            with skip_invalid_sample(problems, file.path, line):
                yield f"{file.path}:{line}", record_of_sample(sample, file.model, find_leaks)
    if problems:
        raise InputError(f"{problems[0]}; {len(problems)} lines in all: repair the file or run lm_eval again")


def record_of_sample(sample: Document, model: str, find_leaks: FindLeaks) -> Document:
    """Return the record of a sample; raises `KeyError` for a missing field, `TypeError` for a wrong type."""
    response = sample["filtered_resps"]
    text = response[0] if isinstance(response, list) and response else response
    if not isinstance(text, str):
        raise TypeError(f"filtered_resps: {str(text)[:40]}")
    return article_record(sample["doc"], text, model, find_leaks)


# Rows of the second stage: questions about the articles.

_MAX_ARTICLE_LENGTH = 20_000  # characters; the paper's articles of 512 tokens have about 2,500


def choice_tasks(design: ChoiceDesign) -> list[str]:
    """Return the tasks of a design: one per wording and question."""
    return [
        f"polbias_selfassess_{question}{PAPER_SUFFIX if wording == 'paper' else ''}"
        for wording, question in product(design.wordings, design.questions)
    ]


def write_questions(
    path: Path, article_set: ChosenSet, articles: Sequence[LocatedRecord], design: ChoiceDesign
) -> list[str]:
    """Write the rows of the second stage; return a summary of articles and choices, in lines."""
    outcomes = Counter(str(record.get("outcome")) for _, record in articles)  # not validated yet
    counts = ", ".join(f"{outcomes[name]:,} {name}" for name in ARTICLE_OUTCOMES)
    n_leaking = sum(bool(record.get("leak")) for _, record in articles)
    lines = [f"articles: {counts}; {n_leaking:,} name a perspective"]
    short_articles = [
        (location, record)
        for location, record in articles
        if len(str(record.get("text"))) <= _MAX_ARTICLE_LENGTH
    ]
    if n_dropped := len(articles) - len(short_articles):
        lines.append(
            f"choices: dropped {n_dropped:,} articles of more than {_MAX_ARTICLE_LENGTH:,} characters"
        )
    _check_articles(articles, article_set)
    report = ChoiceReport()
    if not write_choices(path, build_choices(article_set.family, short_articles, design, report)):
        raise InputError(
            f"{articles[0][0]}: found no item from here on with the articles that a choice needs; expected "
            "articles of both sides at least"
        )
    return [*lines, *(f"choices: {line}" for line in report.lines())]


def _check_articles(articles: Sequence[LocatedRecord], article_set: ChosenSet) -> None:
    """Raise an error unless all articles are of one model and of this set."""
    author = str(articles[0][1].get("model") or "")
    for location, record in articles:
        model = str(record.get("model") or "")
        if model != author:
            raise InputError(
                f"{location}: model: found {model!r}, expected {author!r} as before; use articles of one"
            )
        if record.get("set") != article_set.name:
            raise InputError(
                f"{location}: set: found {record.get('set')!r}, expected {article_set.name!r} (--set)"
            )


_ARTICLE_WORDS = ("one", "two", "six", "ten", "day")  # per article: one token, four characters with its blank


def assumed_questions(
    article_set: ChosenSet, rows: Sequence[Row], design: ChoiceDesign, article_tokens: int
) -> list[Json]:
    """Return the questions about the first item of the rows if each article has `article_tokens` tokens."""
    records = [
        ("", article_record(row, " ".join([word] * article_tokens), "", lambda _: []))
        for row, word in zip(rows, _ARTICLE_WORDS, strict=False)
    ]
    return [*build_choices(article_set.family, records, design)]


def assumed_choices(**metadata: Any) -> tuple[Any, int, str] | None:
    """Return assumed rows of the second stage, number of items and assumption; None if a file is set."""
    from polbias.eval.selfassess.tasks import STAGE2, load_choices

    if metadata.get("polbias_stage2") or os.environ.get(STAGE2):
        return None
    article_set = find_set(metadata.get("polbias_set") or "poligen")
    article_tokens, n_items = (
        article_set.family.dataset.article_tokens,
        article_set.family.sets[article_set.name].count,
    )
    design = ChoiceDesign(wordings=[metadata.get("polbias_wording") or WORDINGS[0]])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "choices.parquet"
        write_choices(path, assumed_questions(article_set, article_rows(article_set), design, article_tokens))
        rows = load_choices(**metadata | {"polbias_stage2": str(path)})["test"]
    return (
        rows,
        min(n_items, metadata.get("polbias_items") or n_items),
        assumption(article_set, article_tokens),
    )


ASSUMED_ROWS = {"polbias.eval.selfassess.tasks.load_choices": assumed_choices}
"""Functions that return rows for cost estimates before articles exist, by the loader of a task's rows."""


def assumption(article_set: ChosenSet, article_tokens: int) -> str:
    """Return the assumption about articles that do not exist yet."""
    return f"articles of {article_set.name}, each of {article_tokens:,} tokens and none refused"
