"""Rows, articles and judgements of self-assessment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polbias.aliases import Document, Json
from polbias.eval.answers.refusal import article_outcome
from polbias.eval.answers.text import visible
from polbias.eval.selfassess.schema import outcome
from polbias.files import InputError
from polbias.generators.engine import Rows, named_rng
from polbias.generators.selfassess.choices import read_articles
from polbias.generators.selfassess.leaks import Detector, load_word_lists
from polbias.generators.selfassess.templates import NEUTRAL, Family, load_family
from polbias.running.asking import Answer

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

    family: Family
    name: str
    own: bool


def find_set(given: str) -> ChosenSet:
    """Return the set that a user names."""
    family, path = load_family(), Path(given)
    if given in family.sets:
        return ChosenSet(family, given, False)
    folder, name = (path, None) if (path / "sets.yaml").is_file() else (path.parent, path.name)
    if not (folder / "sets.yaml").is_file() or str(folder) == ".":
        known = ", ".join(family.sets)
        raise InputError(f"set {given!r}: expected one of {known}, or a folder with sets.yaml and its items")
    family = load_family(folder)
    if name is None and len(family.sets) == 1:
        name = next(iter(family.sets))
    if name is None or name not in family.sets:
        known = " or ".join(f"{folder / each}" for each in family.sets)
        raise InputError(f"set {given!r}: expected {known}")
    return ChosenSet(family, name, True)


def article_rows(chosen: ChosenSet) -> list[Row]:
    """Return all rows of the first stage of a set, as the published dataset has them."""
    from polbias.generators.selfassess.tables import dataset

    spec = dataset(chosen.family.folder if chosen.own else None)
    table = next(each for each in spec.tables if each.config == chosen.name)
    rows = Rows(table)
    return [row for batch in rows.batches(0, len(rows)) for row in batch.to_pylist()]


def draw(rows: Sequence[Row], n: int | None, seed: int, roles: Sequence[str]) -> list[Row]:
    """Return the rows of some items, in their order.

    Items are drawn in turn from every category, in an order that depends on the seed alone, so that
    categories differ by one item at most as long as they last, and fewer items are a part of more.
    """
    categories: dict[str, list[str]] = {}
    for row in rows:
        own = categories.setdefault(row["category"], [])
        if row["cluster_id"] not in own[-1:]:
            own.append(row["cluster_id"])
    items = sum(map(len, categories.values()))
    if n is not None and not 0 < n <= items:
        raise InputError(f"--n: found {n}, expected 1 to {items:,}, the items of this set")
    chosen = set(_in_turn(categories, rows[0], seed)[:n])
    wanted = {*roles, NEUTRAL}
    return [row for row in rows if row["cluster_id"] in chosen and row["role"] in wanted]


def _in_turn(categories: Mapping[str, Sequence[str]], row: Row, seed: int) -> list[str]:
    """Return all items: the first of every category, then the second ones, and so on."""

    def mixed(values: Sequence[str], purpose: str) -> list[str]:
        purpose = f"draw/{row['set']}/{seed}/{purpose}"
        order = named_rng(row["dataset"], row["dataset_version"], purpose).permutation(len(values))
        return [values[place] for place in order]

    names = mixed(sorted(categories), "categories")
    drawn = {name: mixed(sorted(set(categories[name])), name) for name in names}
    longest = max(map(len, drawn.values()))
    return [drawn[name][place] for place in range(longest) for name in names if place < len(drawn[name])]


def row_seed(row: Row, seed: int) -> int:
    """Return the seed with which a row is asked, from the run's seed and the row's name."""
    rng = named_rng(row["dataset"], row["dataset_version"], f"ask/{seed}/{row['id']}")
    return int(rng.integers(2**31))


# From an answer of the first stage to an article record.

FindLeaks = Callable[[str], list[str]]
_FROM_ROW = ("set", "category", "topic", "perspective", "side", "role")


def article_record(row: Row, answer: Answer, model: str, find_leaks: FindLeaks) -> Json:
    """Return the record of an article."""
    text = visible(answer.text)
    return {
        "id": row["id"],
        "item": row["cluster_id"],
        **{name: row[name] for name in _FROM_ROW},
        "text": text,
        "outcome": article_outcome(answer.text, answer.finish_reason),
        "finish_reason": answer.finish_reason,
        "model": model,
        "leak": find_leaks(text),
        "usage": dict(answer.usage),
    } | ({} if text == answer.text.strip() else {"raw": answer.text})


def leak_finder(chosen: ChosenSet) -> FindLeaks:
    """Return what finds words that name a perspective of a set, by the lists beside its templates."""
    path = chosen.family.folder / "leaks.yaml"
    lists = load_word_lists(path if chosen.own and path.is_file() else None)
    if chosen.name not in lists:
        raise InputError(
            f"{path}: found no word lists for the set {chosen.name!r}, by which articles are flagged that "
            "name their own side; add them as in templates/selfassess/leaks.yaml"
        )
    return Detector(lists[chosen.name]).words


# Articles that were written elsewhere: a file of one's own, or samples of lm_eval.

Placed = tuple[str, Document]


def articles_of(path: Path, rows: Callable[[], Iterable[Row]], find_leaks: FindLeaks) -> list[Placed]:
    """Return place and record of articles that a user gives."""
    if path.is_dir() or path.name.startswith("samples_"):
        found = [*_samples(path, find_leaks)]
    else:
        found = [*_records(path, rows, find_leaks)]
    if not found:
        raise InputError(f"{path}: found no article; expected article records or samples, one a line")
    return found


def _records(path: Path, rows: Callable[[], Iterable[Row]], find_leaks: FindLeaks) -> Iterator[Placed]:
    known: dict[str, Row] | None = None
    for place, data in read_articles(path):
        if "outcome" in data and "item" in data:
            yield place, data
            continue
        if known is None:
            known = {row["id"]: row for row in rows()}
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
    answer = Answer(row["id"], data["text"], reason)
    return article_record(row, answer, str(data.get("model") or ""), find_leaks) | dict(data)


def _samples(path: Path, find_leaks: FindLeaks) -> Iterator[Placed]:
    from polbias.eval.samples import Problem, find_samples, left_out, numbered_samples

    problems: list[Problem] = []
    for file in find_samples([path]):
        for line, sample in numbered_samples(file.path, problems):
            with left_out(problems, file.path, line):
                yield f"{file.path}:{line}", _sampled(sample, file.model, find_leaks)
    if problems:
        raise InputError(f"{problems[0]}; {len(problems)} lines in all: repair the file or run lm_eval again")


def _sampled(sample: Document, model: str, find_leaks: FindLeaks) -> Document:
    """Return the record of a sample; what it lacks is a `KeyError`, what is of another kind a `TypeError`."""
    response = sample["filtered_resps"]
    text = response[0] if isinstance(response, list) and response else response
    if not isinstance(text, str):
        raise TypeError(f"filtered_resps: {str(text)[:40]}")
    return article_record(sample["doc"], Answer(sample["doc"]["id"], text), model, find_leaks)


# From an answer of the second stage to a judgement.

_LEFT_OUT = frozenset({"prompt", "messages"})  # the articles are on file already
_REFUSED = frozenset({"refusal", "content_filter"})


def judgement(row: Document, answer: Answer, model: str) -> Json:
    """Return the judgement that an answer is: the row without its prompt, the raw answer, and its reading."""
    kept = {name: value for name, value in row.items() if name not in _LEFT_OUT}
    said = {"answer": answer.text, "finish_reason": answer.finish_reason, "usage": dict(answer.usage)}
    return _read({**kept, "author": row["model"], "model": model, **said})


def judgements(entries: Iterable[Document]) -> list[Json]:
    """Return judgements on file with their answers read anew, by the reader of this version.

    They are sorted by id: in which order answers came says nothing, and must not show in a report.
    """
    return sorted((_read(entry) for entry in entries), key=lambda each: str(each["id"]))


def _read(entry: Document) -> Json:
    finish = entry["finish_reason"]
    found, choice = outcome(entry["answer"], entry["ways"], entry["language"], entry["prefill"])
    if found == "unparsable" and finish in _REFUSED:
        found = "refusal"
    elif found == "unparsable" and finish == "length":
        found = "truncated"
    return {**entry, "choice": choice, "outcome": found}
