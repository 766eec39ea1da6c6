"""Self-assessment in two stages: a model writes articles from several sides, and chooses between its own.

Source: Kennedy et al. 2025, section 4. The first stage asks rows of topics, the second rows made of the
articles; lm_eval asks both, with the tasks of the instrument.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
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
from polbias.generators.selfassess.perspective_leaks import Detector, load_word_lists
from polbias.generators.selfassess.templates import SelfAssessTemplates, load_family
from polbias.paths import package_file
from polbias.responses import Response

# Which articles are asked for: the set, the items drawn from it, and their rows.

Row = Document


@dataclass(frozen=True)
class ChosenSet:
    """A set and the templates that it is from.

    Args:
        family: the templates.
        name: of the set.
        own: whether they are a folder of the user's, not those of the package.
    """

    family: SelfAssessTemplates
    name: str
    is_custom: bool


def find_set(given: str) -> ChosenSet:
    """Return the set that a user names."""
    family, path = load_family(), Path(given)
    if given in family.sets:
        return ChosenSet(family, given, False)
    folder, name = (path, None) if (path / "sets.yaml").is_file() else (path.parent, path.name)
    if not (folder / "sets.yaml").is_file() or str(folder) == ".":
        known = ", ".join(family.sets)
        near = did_you_mean(given, family.sets)
        raise InputError(
            f"set {given!r}: {near}expected one of {known}, or a folder with sets.yaml and its items"
        )
    family = load_family(folder)
    if name is None and len(family.sets) == 1:
        name = next(iter(family.sets))
    if name is None or name not in family.sets:
        known = " or ".join(f"{folder / each}" for each in family.sets)
        raise InputError(f"set {given!r}: expected {known}")
    return ChosenSet(family, name, True)


def article_rows(chosen: ChosenSet) -> list[Row]:
    """Return all rows of the first stage of a set, as the published dataset has them."""
    rows = _rows(chosen)
    return [row for batch in rows.batches(0, len(rows)) for row in batch.to_pylist()]


def _rows(chosen: ChosenSet) -> TableRows:
    from polbias.generators.selfassess.tables import dataset

    spec = dataset(chosen.family.folder if chosen.is_custom else None)
    return TableRows(next(each for each in spec.tables if each.config == chosen.name))


def draw(rows: Sequence[Row], n: int | None, seed: int, draws: str) -> list[Row]:
    """Return the rows of some items, in their order.

    Items are drawn in turn from every category, in an order that depends on seed and version of the draws
    alone, so that categories differ by one item at most as long as they last, and fewer items are a part
    of more.
    """
    categories: dict[str, set[str]] = {}
    for row in rows:
        categories.setdefault(row["category"], set()).add(row["cluster_id"])
    items = sum(map(len, categories.values()))
    if n is not None and not 0 < n <= items:
        raise InputError(f"--n: found {n}, expected 1 to {items:,}, the items of this set")
    chosen = set(_in_turn(categories, rows[0], seed, draws)[:n])
    return [row for row in rows if row["cluster_id"] in chosen]


def _in_turn(categories: Mapping[str, Iterable[str]], row: Row, seed: int, draws: str) -> list[str]:
    """Return all items: the first of every category, then the second ones, and so on."""

    def mixed(values: Sequence[str], purpose: str) -> list[str]:
        purpose = f"draw/{row['set']}/{seed}/{purpose}"
        order = named_rng(row["dataset"], draws, purpose).permutation(len(values))
        return [values[place] for place in order]

    names = mixed(sorted(categories), "categories")
    turns = zip_longest(*(mixed(sorted(categories[name]), name) for name in names))
    return [item for turn in turns for item in turn if item is not None]


def write_topics(folder: Path, chosen: ChosenSet, rows: Sequence[Row]) -> Path:
    """Write rows of the first stage where a task reads them; return the file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / "topics.parquet"
    draft = draft_path(path)
    try:
        pq.write_table(pa.Table.from_pylist([*rows], _rows(chosen).schema), draft)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from None
    return path


def task_of(chosen: ChosenSet) -> str:
    """Return the name of the task that writes the articles of a set."""
    return f"polbias_selfassess_generate_{chosen.name}"


def writing_task(chosen: ChosenSet, folder: Path) -> str:
    """Return the task that writes the articles of a set; a set of one's own gets a task file in a folder."""
    name = task_of(chosen)
    if chosen.is_custom:
        base = package_file("harness_tasks/selfassess/_write.yaml").resolve()
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / f"{name}.yaml", f"include: {base}\ntask: {name}\n")
    return name


# From an answer of the first stage to an article record.

FindLeaks = Callable[[str], list[str]]
_FROM_ROW = ("set", "category", "topic", "perspective", "side", "role")


def article_record(row: Row, answer: str, model: str, find_leaks: FindLeaks) -> Json:
    """Return the record of an article."""
    text = replace_surrogates(visible(answer))
    return {
        "id": row["id"],
        "item": row["cluster_id"],
        **{name: row[name] for name in _FROM_ROW},
        "text": text,
        "outcome": article_outcome(answer),
        "model": model,
        "leak": find_leaks(text),
    }


def leak_finder(chosen: ChosenSet) -> FindLeaks:
    """Return what finds words that name a perspective of a set, by the lists beside its templates."""
    path = chosen.family.folder / "leaks.yaml"
    lists = load_word_lists(path if chosen.is_custom and path.is_file() else None)
    if chosen.name not in lists:
        raise InputError(
            f"{path}: found no word lists for the set {chosen.name!r}, by which articles are flagged that "
            "name their own side; add them as in templates/selfassess/leaks.yaml"
        )
    return Detector(lists[chosen.name]).words


# Articles that were written elsewhere: a file of one's own, or samples of lm_eval.

LocatedRecord = tuple[str, Document]


def find_article_samples(folder: Path, chosen: ChosenSet) -> Path:
    """Return the newest samples of the articles of a set in a folder; those of several models are refused."""
    from polbias.eval.samples import find_sample_files

    task = task_of(chosen)
    files = [each for each in find_sample_files([folder]) if each.task == task]
    if len(files) != 1:
        found = f"those of {' and '.join(each.model for each in files)}" if files else "none"
        raise InputError(
            f"{folder}: found {found}, expected the samples of {task} of one model; give them with "
            "--articles, or run polbias selfassess generate"
        )
    return files[0].path


def written_articles(
    samples: Mapping[str, Iterable[Document]], folder: Path, chosen: ChosenSet
) -> list[LocatedRecord]:
    """Return place and record of the articles of a run."""
    task, find_leaks = task_of(chosen), leak_finder(chosen)
    return [(f"{folder} {task}", record_of_sample(each, folder.name, find_leaks)) for each in samples[task]]


def read_user_articles(path: Path, chosen: ChosenSet) -> list[LocatedRecord]:
    """Return place and record of articles that a user gives."""
    find_leaks = leak_finder(chosen)
    if path.is_dir() or path.name.startswith("samples_"):
        found = [*_samples(path, find_leaks)]
    else:
        found = [*_records(path, chosen, find_leaks)]
    if not found:
        raise InputError(f"{path}: found no article; expected article records or samples, one a line")
    return found


def _records(path: Path, chosen: ChosenSet, find_leaks: FindLeaks) -> Iterator[LocatedRecord]:
    known: dict[str, Row] | None = None
    for place, data in read_articles(path):
        if "outcome" in data and "item" in data:
            yield place, data
            continue
        if known is None:
            known = {row["id"]: row for row in article_rows(chosen)}
        yield place, _completed(place, data, known, find_leaks)


def _completed(place: str, data: Document, known: Mapping[str, Row], find_leaks: FindLeaks) -> Document:
    row = known.get(str(data.get("id")))
    if row is None:
        example = next(iter(known))
        raise InputError(
            f"{place}: id: found {data.get('id')!r}, expected a row of the set such as {example!r}"
        )
    if not isinstance(data.get("text"), str):
        raise InputError(f"{place}: text: found {data.get('text')!r}, expected the article")
    reason = data.get("finish_reason")
    if not isinstance(reason, str | None):
        raise InputError(
            f"{place}: finish_reason: found {reason!r}, expected a word such as 'stop' or nothing"
        )
    answer = Response(data["text"], {"finish_reason": reason})
    return article_record(row, answer, str(data.get("model") or ""), find_leaks) | dict(data)


def _samples(path: Path, find_leaks: FindLeaks) -> Iterator[LocatedRecord]:
    from polbias.eval.samples import SkippedLine, find_sample_files, numbered_samples, skip_invalid_sample

    problems: list[SkippedLine] = []
    for file in find_sample_files([path]):
        for line, sample in numbered_samples(file.path, problems):
            with skip_invalid_sample(problems, file.path, line):
                yield f"{file.path}:{line}", record_of_sample(sample, file.model, find_leaks)
    if problems:
        raise InputError(f"{problems[0]}; {len(problems)} lines in all: repair the file or run lm_eval again")


def record_of_sample(sample: Document, model: str, find_leaks: FindLeaks) -> Document:
    """Return the record of a sample; what it lacks is a `KeyError`, what is of another kind a `TypeError`."""
    response = sample["filtered_resps"]
    text = response[0] if isinstance(response, list) and response else response
    if not isinstance(text, str):
        raise TypeError(f"filtered_resps: {str(text)[:40]}")
    return article_record(sample["doc"], text, model, find_leaks)


# The questions about them.

_LONGEST_ARTICLE = 20_000  # characters; the paper's articles of 512 tokens have about 2,500
TASKS = {"preference": "polbias_selfassess_preference", "least_biased": "polbias_selfassess_least_biased"}
"""The task of each question."""


def write_questions(
    path: Path, chosen: ChosenSet, articles: Sequence[LocatedRecord], design: ChoiceDesign
) -> list[str]:
    """Write the rows of the second stage; return what became of the articles, as a person reads it."""
    outcomes = Counter(str(record.get("outcome")) for _, record in articles)  # not checked yet
    told = ", ".join(f"{outcomes[name]:,} {name}" for name in ARTICLE_OUTCOMES)
    leaking = sum(bool(record.get("leak")) for _, record in articles)
    lines = [f"articles: {told}; {leaking:,} name a perspective"]
    short = [(place, each) for place, each in articles if len(str(each.get("text"))) <= _LONGEST_ARTICLE]
    if left_out := len(articles) - len(short):
        lines.append(
            f"choices: {left_out:,} articles have more than {_LONGEST_ARTICLE:,} characters and are left out"
        )
    _check_articles(articles, chosen)
    report = ChoiceReport()
    if not write_choices(path, build_choices(chosen.family, short, design, report)):
        raise InputError(
            f"{articles[0][0]}: found no item, from here on, with the articles that a choice needs; expected "
            "those of both sides at least"
        )
    return [*lines, *(f"choices: {line}" for line in report.lines())]


def _check_articles(articles: Sequence[LocatedRecord], chosen: ChosenSet) -> None:
    """Make sure that articles are one model's, of this set."""
    author = str(articles[0][1].get("model") or "")
    for place, record in articles:
        found = str(record.get("model") or "")
        if found != author:
            raise InputError(
                f"{place}: model: found {found!r}, expected {author!r} as before; give those of one model"
            )
        if record.get("set") != chosen.name:
            raise InputError(f"{place}: set: found {record.get('set')!r}, expected {chosen.name!r} (--set)")


_WORDS = ("one", "two", "six", "ten", "day")  # by article: a token each, and with its blank four characters


def assumed_questions(
    chosen: ChosenSet, rows: Sequence[Row], design: ChoiceDesign, article_tokens: int
) -> list[Json]:
    """Return the questions about the first item of some rows if its articles have so many tokens each."""
    records = [
        ("", article_record(row, " ".join([word] * article_tokens), "", lambda _: []))
        for row, word in zip(rows, _WORDS, strict=False)
    ]
    return [*build_choices(chosen.family, records, design)]


def assumed_choices(**about: Any) -> tuple[Any, int, str] | None:
    """Return assumed rows of the second stage in place of those of a file; None if one is named."""
    from polbias.eval.selfassess.tasks import STAGE2, load_choices

    if about.get("polbias_stage2") or os.environ.get(STAGE2):
        return None
    chosen = find_set(about.get("polbias_set") or "poligen")
    tokens, items = chosen.family.dataset.article_tokens, chosen.family.sets[chosen.name].count
    with TemporaryDirectory() as folder:
        path = Path(folder) / "choices.parquet"
        write_choices(path, assumed_questions(chosen, article_rows(chosen), ChoiceDesign(), tokens))
        rows = load_choices(**about | {"polbias_stage2": str(path)})["test"]
    return rows, min(items, about.get("polbias_items") or items), assumption(chosen, tokens)


ASSUMED_ROWS = {"polbias.eval.selfassess.tasks.load_choices": assumed_choices}
"""By the loader of a task, the rows that are counted before a model has written its articles."""


def assumption(chosen: ChosenSet, article_tokens: int) -> str:
    """Say what is assumed of articles that are not there yet."""
    return f"articles of {chosen.name}, each of {article_tokens:,} tokens and none refused"
