"""Tables of the first stage: five articles to write about every item, and the items alone."""

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
    """Return the specification of the whole dataset: one config per set, and `items`."""
    family = load_family(folder)
    mixed = {name: shuffle_items(family, name, items) for name, items in load_all(family).items()}
    tables = [_prompts(family, name, items) for name, items in mixed.items()]
    return make_dataset_spec(family.dataset.identity, (*tables, _items(family, mixed)))


def shuffle_items(family: SelfAssessTemplates, set_id: str, items: Sequence[Item]) -> list[Item]:
    """Return items in an order drawn from a named seed, so that any beginning is spread over categories."""
    order = named_rng(family.dataset.identity.name, family.dataset.draws, f"order/{set_id}").permutation(
        len(items)
    )
    return [items[place] for place in order]


def _prompts(family: SelfAssessTemplates, set_id: str, items: Sequence[Item]) -> TableSpec:
    """Return the config of a set: items x articles; leaning varies fastest, then role, then item."""
    chosen, source = family.sets[set_id], family.dataset.source
    by_id = {item.id: item for item in items}
    articles = {article.id: article for article in chosen.articles()}
    # Turns are rendered once for every article, with a mark where the topic goes.
    made = {name: article_messages(family, set_id, article, MARK) for name, article in articles.items()}
    levels: dict[str, tuple[str, ...]] = {"item": tuple(by_id), "article": tuple(articles)}
    over, of = Factors(levels).lookup, lookup_over("item", items)
    by_article = lookup_over("article", articles.values())

    def asked(item: str, article: str) -> list[str]:
        return [turn.replace(MARK, by_id[item].text) for turn in made[article]]

    def messages(item: str, article: str) -> list[dict[str, str]]:
        system, user = asked(item, article)
        return [{"role": "system", "content": system}, {"role": "user", "content": user}]

    def pair(item: str, article: str) -> str | None:
        role = articles[article].role
        return None if role == NEUTRAL else f"{set_id}/{item}/{role}"

    columns: dict[str, Expression] = {
        "proof": Constant(value="annotated"),
        "id": over("item article", lambda item, article: f"{set_id}/{item}/{article}"),
        "language": Constant(value=chosen.language),
        "template_id": by_article(lambda article: article.id.replace("/", ".")),
        "prompt": over("item article", lambda item, article: "\n\n".join(asked(item, article))),
        "messages": over("item article", messages, MESSAGES),
        "pair_id": over("item article", pair),
        "pair_kind": by_article(lambda article: None if article.role == NEUTRAL else "perspective"),
        "cluster_id": of(attrgetter("id")),
        "erratum": of(lambda item: family.errata_of(set_id, item.category)),
        "source": Constant(value=source.format(paper=family.dataset.paper, table=chosen.table)),
        "set": Constant(value=set_id),
        "category": of(attrgetter("category")),
        "topic": of(attrgetter("text")),
        "tilt": of(attrgetter("tilt")),
        "perspective": by_article(attrgetter("perspective")),
        "side": by_article(lambda article: chosen.side_of(article.perspective)),
        "role": by_article(attrgetter("role")),
        "country": Constant(value=chosen.country),
        "max_tokens": Constant(value=family.dataset.article_tokens, type=pa.int32()),
    }
    return table(family.dataset.identity, set_id, levels, columns)


def _items(family: SelfAssessTemplates, mixed: Mapping[str, Sequence[Item]]) -> TableSpec:
    """Return the config of the items of all sets, without prompts."""
    rows = [(name, item) for name, items in mixed.items() for item in items]
    of, of_set = (
        lookup_over("item", (item for _, item in rows)),
        lookup_over("item", (family.sets[name] for name, _ in rows)),
    )
    at, text = lookup_over("item", rows), of(attrgetter("text"))
    columns: dict[str, Expression] = {
        "proof": Constant(value="annotated"),
        "id": at(lambda row: f"{ITEMS}/{row[0]}/{row[1].id}"),
        "language": of_set(attrgetter("language")),
        "template_id": of(attrgetter("category")),
        "prompt": text,
        "cluster_id": of(attrgetter("id")),
        "erratum": at(lambda row: family.errata_of(row[0], row[1].category)),
        "source": Constant(value="polbias"),
        "set": at(lambda row: row[0]),
        "category": of(attrgetter("category")),
        "topic": text,
        "tilt": of(attrgetter("tilt")),
        "country": of_set(attrgetter("country")),
        "max_tokens": Constant(value=None, type=pa.int32()),
    }
    return table(family.dataset.identity, ITEMS, {"item": [item.id for _, item in rows]}, columns)
