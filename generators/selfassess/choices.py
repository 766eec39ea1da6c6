"""Choices between articles: the second stage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, permutations, product
from pathlib import Path
from typing import Literal, get_args

import pyarrow as pa
import pyarrow.parquet as pq

from polbias.aliases import Document, Json
from polbias.atomic_write import draft_path
from polbias.errors import InputError
from polbias.generators.engine import named_rng
from polbias.generators.selfassess.article_records import ArticleRecord, ArticlesByItem, group_by_item
from polbias.generators.selfassess.perspective_leaks import find_leaks
from polbias.generators.selfassess.prompts import ChoicePrompts
from polbias.generators.selfassess.templates import (
    BIASED,
    NEUTRAL,
    OPTION_COUNTS,
    QUESTIONS,
    WORDINGS,
    Article,
    BiasedRole,
    OptionCount,
    QuestionName,
    SelfAssessTemplates,
    Wording,
)

# Write the rows of the second stage as Parquet, in batches; an interrupted write leaves no file.

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
    draft, remaining_rows, count = draft_path(path), iter(rows), 0
    options = {"compression": "zstd", "compression_level": 1, "use_dictionary": False}
    try:
        with pq.ParquetWriter(draft, SCHEMA, **options) as writer:
            while batch := list(islice(remaining_rows, _BATCH)):
                writer.write_batch(pa.RecordBatch.from_pylist(batch, SCHEMA))
                count += len(batch)
        draft.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from None
    finally:
        draft.unlink(missing_ok=True)
    return count


# The second stage: questions to a model which of its articles it chooses.

Orders = Literal["balanced", "seeded"]
Reason = Literal["missing", "refused", "empty"]


@dataclass(frozen=True)
class ChoiceDesign:
    """The questions of the second stage.

    Attributes:
        roles: roles of the biased articles to compare; both roles share the neutral article.
        questions: preference, least biased.
        option_counts: 2 (left and right) and 3 (and neutral).
        orders: ``balanced`` puts every article in every position: both orders of two options, three of the
            six orders of three; ``seeded`` samples one order per item from a named seed.
        prefill: whether prompts contain the beginning of the answer.
        wordings: wordings of the questions; rows in the paper's wording are in ``_paper`` configs.
    """

    roles: Sequence[BiasedRole] = BIASED
    questions: Sequence[QuestionName] = QUESTIONS
    option_counts: Sequence[OptionCount] = OPTION_COUNTS
    orders: Orders = "balanced"
    prefill: bool = True
    wordings: Sequence[Wording] = ("corrected",)

    def __post_init__(self) -> None:
        for name, values, allowed in (
            ("roles", self.roles, BIASED),
            ("questions", self.questions, QUESTIONS),
            ("ways", self.option_counts, OPTION_COUNTS),
            ("wordings", self.wordings, WORDINGS),
        ):
            if not values or not set(values) <= set(allowed) or len(set(values)) < len(values):
                raise InputError(f"{name}: found {list(values)}, expected some of {list(allowed)}, each once")
        if self.orders not in get_args(Orders):
            raise InputError(f"orders: found {self.orders!r}, expected {' or '.join(get_args(Orders))}")


@dataclass
class ChoiceReport:
    """Counts of the rows built and the articles excluded; filled while rows are yielded.

    Attributes:
        items: items with articles, per model.
        rows: rows built.
        truncated: rows with a truncated article, which is used, as in the paper.
        leaking: rows with an article that names a perspective.
        left_out: unusable articles, by set, role, perspective and reason.
        choices_left_out: items without a choice, by set, role and number of articles.
    """

    items: int = 0
    rows: int = 0
    truncated: int = 0
    leaking: int = 0
    left_out: Counter[tuple[str, str, str, Reason]] = field(default_factory=Counter)
    choices_left_out: Counter[tuple[str, str, int]] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        """Return the lines of the report for display."""
        lines = [
            f"{self.rows:,} questions from {self.items:,} items; "
            f"in {self.truncated:,} an article was cut off, in {self.leaking:,} one names a perspective"
        ]
        for (set_id, role, perspective, reason), count in sorted(self.left_out.items()):
            name = perspective if role == NEUTRAL else f"{role} {perspective}"
            lines.append(f"{set_id}: {count:,} articles {reason}: {name}")
        for (set_id, role, n_options), count in sorted(self.choices_left_out.items()):
            lines.append(f"{set_id}: {count:,} items without a choice of {n_options}: {role}")
        return lines


def build_choices(
    family: SelfAssessTemplates,
    records: Iterable[tuple[str, Document]],
    design: ChoiceDesign | None = None,
    report: ChoiceReport | None = None,
) -> Iterator[Json]:
    """Yield the rows of the second stage, item by item.

    A truncated article is used and its rows are marked. Choices with a missing, refused or empty article are
    dropped, and the article is counted with its reason; without the neutral article the choices of two
    remain.

    Source:
        Kennedy et al. 2025, section 4 and Table 6.
    """
    design, report = design or ChoiceDesign(), report if report is not None else ChoiceReport()
    prompts_by_wording = {wording: ChoicePrompts(family, wording) for wording in design.wordings}
    for record_by_article in group_by_item(family, records):
        report.items += 1
        first = next(iter(record_by_article.values()))
        _check_wordings(family, first.set, design.wordings)
        usable = _usable_articles(family, first.set, record_by_article, design, report)
        has_leaks = {
            article: bool(find_leaks(record.text, record.set) if record.leak is None else record.leak)
            for article, record in usable.items()
        }
        for role in design.roles:
            for n_options in design.option_counts:
                options = _option_articles(family, first.set, role, n_options)
                if not all(article in usable for article in options):
                    report.choices_left_out[first.set, role, n_options] += 1
                    continue
                option_records = [usable[article] for article in options]
                has_leak = any(has_leaks[article] for article in options)
                is_truncated = any(record.outcome == "truncated" for record in option_records)
                orders = _orders(family, first, n_options, design.orders)
                for prompts, question in product(prompts_by_wording.values(), design.questions):
                    for order_number, order in orders:
                        ordered_records = [option_records[index] for index in order]
                        row = prompts.row(role, question, order_number, ordered_records)
                        report.rows += 1
                        report.leaking += has_leak
                        report.truncated += is_truncated
                        if not design.prefill:
                            row |= {"prefill": "", "messages": row["messages"][:1]}
                        lengths = [len(record.text) for record in ordered_records]
                        yield row | {"leak": has_leak, "truncated": is_truncated, "characters": lengths}


def _check_wordings(family: SelfAssessTemplates, set_id: str, wordings: Sequence[Wording]) -> None:
    """Raise an error if the questions lack a wording in the language of a set."""
    language = family.sets[set_id].language
    for name in wordings:
        wording = family.questions.wording(name)
        if wording is None or language not in wording.questions:
            languages = ", ".join(wording.questions) if wording else "none"
            raise InputError(
                f"{family.folder / 'questions.yaml'}: {name}: found questions in {languages}, expected some "
                f"in {language!r}, the language of {set_id}; use another wording"
            )


def _usable_articles(
    family: SelfAssessTemplates,
    set_id: str,
    record_by_article: ArticlesByItem,
    design: ChoiceDesign,
    report: ChoiceReport,
) -> dict[Article, ArticleRecord]:
    """Return the usable articles, and count the unusable ones that the design needs."""
    articles = [
        article
        for article in family.sets[set_id].articles()
        if article.role in design.roles or (article.role == NEUTRAL and 3 in design.option_counts)
    ]
    usable = {}
    for article in articles:
        record = record_by_article.get(article)
        if record is None:
            reason: Reason = "missing"
        elif record.outcome == "refusal":
            reason = "refused"
        elif record.outcome == "empty" or not record.text:
            reason = "empty"
        else:
            usable[article] = record
            continue
        report.left_out[set_id, *article, reason] += 1
    return usable


def _option_articles(
    family: SelfAssessTemplates, set_id: str, role: BiasedRole, n_options: OptionCount
) -> list[Article]:
    topic_set = family.sets[set_id]
    pair = [Article(role, topic_set.perspective_on("left")), Article(role, topic_set.perspective_on("right"))]
    return pair if n_options == 2 else [*pair, Article(NEUTRAL, NEUTRAL)]


def _orders(
    family: SelfAssessTemplates, record: ArticleRecord, n_options: OptionCount, orders: Orders
) -> list[tuple[int, tuple[int, ...]]]:
    """Return number and order of the options: a seeded order per item, or all its rotations.

    Roles, questions and models share the orders of an item, so that their comparison is fair. Over the
    rotations every article is once in every position. Rotations keep the cyclic order of the articles, so it
    is drawn per item: over the items no side precedes the other more often.
    """
    all_orders = list(permutations(range(n_options)))
    purpose = f"choice-order/{record.set}/{record.item}/{n_options}"
    rng = named_rng(family.dataset.identity.name, family.dataset.draws, purpose)
    base_order = all_orders[int(rng.integers(len(all_orders)))]
    shifts = range(n_options if orders == "balanced" else 1)
    selected = {base_order[shift:] + base_order[:shift] for shift in shifts}
    return [(number, order) for number, order in enumerate(all_orders, 1) if order in selected]
