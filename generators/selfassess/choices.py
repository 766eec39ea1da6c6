"""Choices between articles: the second stage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, permutations
from pathlib import Path
from typing import Literal, get_args

import pyarrow as pa
import pyarrow.parquet as pq

from polbias.aliases import Document, Json
from polbias.atomic_write import draft_path
from polbias.errors import InputError
from polbias.generators.engine import named_rng
from polbias.generators.selfassess.article_records import ArticleRecord, ArticlesByItem, gather
from polbias.generators.selfassess.perspective_leaks import find_leaks
from polbias.generators.selfassess.prompts import ChoicePrompts
from polbias.generators.selfassess.templates import (
    BIASED,
    NEUTRAL,
    OPTION_COUNTS,
    QUESTIONS,
    Article,
    BiasedRole,
    OptionCount,
    QuestionName,
    SelfAssessTemplates,
)

# Write the rows of the second stage as Parquet, a batch at a time, whole or not at all.

_BATCH = 1024  # rows: some 16 MB of prompts
_COLUMNS = (
    "id dataset config dataset_version language prompt messages prefill cluster_id set category item topic "
    "role question ways options sides order model leak truncated characters"
)
_TYPES = {
    "messages": pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())])),
    "ways": pa.int8(),
    "options": pa.list_(pa.string()),
    "sides": pa.list_(pa.string()),
    "order": pa.int8(),
    "leak": pa.bool_(),
    "truncated": pa.bool_(),
    "characters": pa.list_(pa.int32()),
}
SCHEMA = pa.schema([(name, _TYPES.get(name, pa.string())) for name in _COLUMNS.split()])


def write_choices(path: Path, rows: Iterable[Document]) -> int:
    """Write rows as Parquet."""
    draft, pending, count = draft_path(path), iter(rows), 0
    options = {"compression": "zstd", "compression_level": 1, "use_dictionary": False}
    try:
        with pq.ParquetWriter(draft, SCHEMA, **options) as writer:
            while block := list(islice(pending, _BATCH)):
                writer.write_batch(pa.RecordBatch.from_pylist(block, SCHEMA))
                count += len(block)
        draft.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from None
    finally:
        draft.unlink(missing_ok=True)
    return count


# The second stage: from a model's own articles to the questions which of them it chooses.

Orders = Literal["balanced", "seeded"]
Reason = Literal["missing", "refused", "empty"]


@dataclass(frozen=True)
class ChoiceDesign:
    """Which questions are asked.

    Attributes:
        roles: whose biased articles are compared; the neutral one is the same for both.
        questions: preference, least biased.
        ways: 2 (left and right) and 3 (and neutral).
        orders: ``balanced`` asks every article in every place, both orders of two and three of the six of
            three; ``seeded`` asks one order per item, drawn from a named seed.
        prefill: whether the beginning of the answer is given.
    """

    roles: Sequence[BiasedRole] = BIASED
    questions: Sequence[QuestionName] = QUESTIONS
    option_counts: Sequence[OptionCount] = OPTION_COUNTS
    orders: Orders = "balanced"
    prefill: bool = True

    def __post_init__(self) -> None:
        for name, given, known in (
            ("roles", self.roles, BIASED),
            ("questions", self.questions, QUESTIONS),
            ("ways", self.option_counts, OPTION_COUNTS),
        ):
            if not given or not set(given) <= set(known) or len(set(given)) < len(given):
                raise InputError(f"{name}: found {list(given)}, expected some of {list(known)}, each once")
        if self.orders not in get_args(Orders):
            raise InputError(f"orders: found {self.orders!r}, expected {' or '.join(get_args(Orders))}")


@dataclass
class ChoiceReport:
    """What came of articles; filled while rows are taken.

    Attributes:
        items: of which there were articles, per model.
        rows: that were made.
        truncated: rows with an article that was cut off, which is used, as in the paper.
        leaking: rows with an article that names a perspective.
        left_out: articles that are wanting, by set, role, perspective and reason.
        choices_left_out: items without a choice, by set, role and number of articles.
    """

    items: int = 0
    rows: int = 0
    truncated: int = 0
    leaking: int = 0
    left_out: Counter[tuple[str, str, str, Reason]] = field(default_factory=Counter)
    choices_left_out: Counter[tuple[str, str, int]] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        """Return the report as a person reads it."""
        lines = [
            f"{self.rows:,} questions from {self.items:,} items; "
            f"in {self.truncated:,} an article was cut off, in {self.leaking:,} one names a perspective"
        ]
        for (set_id, role, perspective, reason), count in sorted(self.left_out.items()):
            name = perspective if role == NEUTRAL else f"{role} {perspective}"
            lines.append(f"{set_id}: {count:,} articles {reason}: {name}")
        for (set_id, role, ways), count in sorted(self.choices_left_out.items()):
            lines.append(f"{set_id}: {count:,} items without a choice of {ways}: {role}")
        return lines


def build_choices(
    family: SelfAssessTemplates,
    records: Iterable[tuple[str, Document]],
    design: ChoiceDesign | None = None,
    report: ChoiceReport | None = None,
) -> Iterator[Json]:
    """Yield the rows of the second stage, item by item.

    An article that was cut off is used and its rows are marked. One that is missing, refused or empty makes
    no rows and is counted with the reason; a neutral one that is wanting leaves the choices of two.

    Source:
        Kennedy et al. 2025, section 4 and Table 6.
    """
    asked, told = design or ChoiceDesign(), report if report is not None else ChoiceReport()
    prompts = ChoicePrompts(family)
    for written in gather(family, records):
        told.items += 1
        first = next(iter(written.values()))
        usable = _usable(family, first.set, written, asked, told)
        leaks = {
            article: bool(find_leaks(record.text, record.set) if record.leak is None else record.leak)
            for article, record in usable.items()
        }
        for role in asked.roles:
            for ways in asked.option_counts:
                options = _options(family, first.set, role, ways)
                if not all(article in usable for article in options):
                    told.choices_left_out[first.set, role, ways] += 1
                    continue
                chosen = [usable[article] for article in options]
                leak = any(leaks[article] for article in options)
                truncated = any(record.outcome == "truncated" for record in chosen)
                orders = _orders(family, first, ways, asked.orders)
                for question in asked.questions:
                    for number, order in orders:
                        placed = [chosen[place] for place in order]
                        row = prompts.row(role, question, number, placed)
                        told.rows += 1
                        told.leaking += leak
                        told.truncated += truncated
                        if not asked.prefill:
                            row |= {"prefill": "", "messages": row["messages"][:1]}
                        lengths = [len(record.text) for record in placed]
                        yield row | {"leak": leak, "truncated": truncated, "characters": lengths}


def _usable(
    family: SelfAssessTemplates, set_id: str, written: ArticlesByItem, asked: ChoiceDesign, told: ChoiceReport
) -> dict[Article, ArticleRecord]:
    """Return the articles that can be shown, and count the others that the design would need."""
    needed = [
        article
        for article in family.sets[set_id].articles()
        if article.role in asked.roles or (article.role == NEUTRAL and 3 in asked.option_counts)
    ]
    usable = {}
    for article in needed:
        record = written.get(article)
        if record is None:
            reason: Reason = "missing"
        elif record.outcome == "refusal":
            reason = "refused"
        elif record.outcome == "empty" or not record.text:
            reason = "empty"
        else:
            usable[article] = record
            continue
        told.left_out[set_id, *article, reason] += 1
    return usable


def _options(family: SelfAssessTemplates, set_id: str, role: BiasedRole, ways: OptionCount) -> list[Article]:
    chosen = family.sets[set_id]
    pair = [Article(role, chosen.on("left")), Article(role, chosen.on("right"))]
    return pair if ways == 2 else [*pair, Article(NEUTRAL, NEUTRAL)]


def _orders(
    family: SelfAssessTemplates, written: ArticleRecord, ways: OptionCount, orders: Orders
) -> list[tuple[int, tuple[int, ...]]]:
    """Return number and order of the options: one that depends on the item's name alone, or its rotations.

    Roles, questions and models share an item's orders, so that they are compared alike. In the rotations of
    one order every article stands once in every place. Which article follows which is the same in all of
    them: over the items it is drawn, too, so that no side is before the other more often.
    """
    every = list(permutations(range(ways)))
    purpose = f"choice-order/{written.set}/{written.item}/{ways}"
    rng = named_rng(family.dataset.identity.name, family.dataset.draws, purpose)
    drawn = every[int(rng.integers(len(every)))]
    turns = range(ways if orders == "balanced" else 1)
    chosen = {drawn[turn:] + drawn[:turn] for turn in turns}
    return [(number, order) for number, order in enumerate(every, 1) if order in chosen]
