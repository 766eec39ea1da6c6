"""Tables of the first stage: prompts for five articles per item, and the items themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from pathlib import Path

import pyarrow as pa

from polbias.generators.engine import Constant, DatasetSpec, Expression, TableSpec, named_rng
from polbias.generators.engine.table_columns import MESSAGES, Factors, lookup_over, make_dataset_spec, table
from polbias.generators.selfassess.items import Item, load_all
from polbias.generators.selfassess.prompts import MARK, article_messages
from polbias.generators.selfassess.templates import NEUTRAL, SelfAssessTemplates, load_family

ITEMS = "items"


def dataset(folder: Path | None = None) -> DatasetSpec:
    """Return the specification of the dataset: one config per set, and `items`."""
    family = load_family(folder)
    shuffled = {name: shuffle_items(family, name, items) for name, items in load_all(family).items()}
    tables = [_prompts(family, name, items) for name, items in shuffled.items()]
    return make_dataset_spec(family.dataset.identity, (*tables, _items(family, shuffled)))


def shuffle_items(family: SelfAssessTemplates, set_id: str, items: Sequence[Item]) -> list[Item]:
    """Shuffle items with a seed derived from the set, so that the first n are a random sample."""
    order = named_rng(family.dataset.identity.name, family.dataset.draws, f"order/{set_id}").permutation(
        len(items)
    )
    return [items[index] for index in order]


def _prompts(family: SelfAssessTemplates, set_id: str, items: Sequence[Item]) -> TableSpec:
    """Return the config of a set: items x articles; perspective varies fastest, then role, then item."""
    topic_set, source = family.sets[set_id], family.dataset.source
    item_by_id = {item.id: item for item in items}
    articles = {article.id: article for article in topic_set.articles()}
    # Messages are rendered once per article, with a placeholder for the topic.
    turns_by_article = {
        name: article_messages(family, set_id, article, MARK) for name, article in articles.items()
    }
    levels: dict[str, tuple[str, ...]] = {"item": tuple(item_by_id), "article": tuple(articles)}
    by_levels, by_item = Factors(levels).lookup, lookup_over("item", items)
    by_article = lookup_over("article", articles.values())

    def render_turns(item: str, article: str) -> list[str]:
        return [turn.replace(MARK, item_by_id[item].text) for turn in turns_by_article[article]]

    def build_messages(item: str, article: str) -> list[dict[str, str]]:
        system, user = render_turns(item, article)
        return [{"role": "system", "content": system}, {"role": "user", "content": user}]

    def pair_id(item: str, article: str) -> str | None:
        role = articles[article].role
        return None if role == NEUTRAL else f"{set_id}/{item}/{role}"

    columns: dict[str, Expression] = {
        "proof": Constant(value="annotated"),
        "id": by_levels("item article", lambda item, article: f"{set_id}/{item}/{article}"),
        "language": Constant(value=topic_set.language),
        "template_id": by_article(lambda article: article.id.replace("/", ".")),
        "prompt": by_levels("item article", lambda item, article: "\n\n".join(render_turns(item, article))),
        "messages": by_levels("item article", build_messages, MESSAGES),
        "pair_id": by_levels("item article", pair_id),
        "pair_kind": by_article(lambda article: None if article.role == NEUTRAL else "perspective"),
        "cluster_id": by_item(attrgetter("id")),
        "erratum": by_item(lambda item: family.errata_of(set_id, item.category)),
        "source": Constant(value=source.format(paper=family.dataset.paper, table=topic_set.table)),
        "set": Constant(value=set_id),
        "category": by_item(attrgetter("category")),
        "topic": by_item(attrgetter("text")),
        "tilt": by_item(attrgetter("tilt")),
        "perspective": by_article(attrgetter("perspective")),
        "side": by_article(lambda article: topic_set.side_of(article.perspective)),
        "role": by_article(attrgetter("role")),
        "country": Constant(value=topic_set.country),
        "max_tokens": Constant(value=family.dataset.article_tokens, type=pa.int32()),
    }
    return table(family.dataset.identity, set_id, levels, columns)


def _items(family: SelfAssessTemplates, shuffled: Mapping[str, Sequence[Item]]) -> TableSpec:
    """Return the config `items`: the topics of all sets; its prompt is the topic alone."""
    rows = [(name, item) for name, items in shuffled.items() for item in items]
    by_item, by_set = (
        lookup_over("item", (item for _, item in rows)),
        lookup_over("item", (family.sets[name] for name, _ in rows)),
    )
    by_row, text = lookup_over("item", rows), by_item(attrgetter("text"))
    columns: dict[str, Expression] = {
        "proof": Constant(value="annotated"),
        "id": by_row(lambda row: f"{ITEMS}/{row[0]}/{row[1].id}"),
        "language": by_set(attrgetter("language")),
        "template_id": by_item(attrgetter("category")),
        "prompt": text,
        "cluster_id": by_item(attrgetter("id")),
        "erratum": by_row(lambda row: family.errata_of(row[0], row[1].category)),
        "source": Constant(value="polbias"),
        "set": by_row(lambda row: row[0]),
        "category": by_item(attrgetter("category")),
        "topic": text,
        "tilt": by_item(attrgetter("tilt")),
        "country": by_set(attrgetter("country")),
        "max_tokens": Constant(value=None, type=pa.int32()),
    }
    return table(family.dataset.identity, ITEMS, {"item": [item.id for _, item in rows]}, columns)
