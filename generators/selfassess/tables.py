"""The tables of the first stage: five articles to write about every item, and the items alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa

from polbias.generators.engine import Constant, DatasetSpec, Expression, Factor, Lookup, TableSpec, named_rng
from polbias.generators.engine.templates import Texts
from polbias.generators.selfassess.items import Item, load_all
from polbias.generators.selfassess.sets import NEUTRAL, Article, Family, Set, load_family

ITEMS = "items"
_STRING = pa.string()
_TURNS = pa.list_(pa.struct([("role", _STRING), ("content", _STRING)]))


def dataset(folder: Path | None = None) -> DatasetSpec:
    """Return the specification of the whole dataset: one config per set, and `items`.

    Args:
        folder: a folder laid out like ``templates/selfassess``; by default that one.

    Raises:
        TemplateError: if a template file is unusable.
    """
    family = load_family(folder)
    mixed = {name: mix(family, name, items) for name, items in load_all(family).items()}
    tables = [_prompts(family, name, items) for name, items in mixed.items()]
    return DatasetSpec(**family.dataset.identity.model_dump(), tables=(*tables, _items(family, mixed)))


def mix(family: Family, set_id: str, items: Sequence[Item]) -> list[Item]:
    """Return items in an order drawn from a named seed, so that any beginning is spread over categories."""
    identity = family.dataset.identity
    order = named_rng(identity.name, identity.version, f"order/{set_id}").permutation(len(items))
    return [items[place] for place in order]


def turns(family: Family, set_id: str, article: Article, topic: str) -> tuple[str, str]:
    """Return the system and the user turn that ask for an article.

    Args:
        family: the templates.
        set_id: the set.
        article: role and perspective.
        topic: the item's text.

    Source:
        Kennedy et al. 2025, Tables 2 and 3.
    """
    chosen = family.sets[set_id]
    texts = Texts(family.folder / "sets.yaml", {})
    combination = chosen.combinations[article.role]
    slots = {"topic": topic}
    if article.role != NEUTRAL:
        slots["perspective"] = chosen.perspectives[article.perspective].label
    field = f"{set_id}.combinations.{article.role}"
    return (
        texts.render(f"{field}.system", combination.system, slots),
        texts.render(f"{field}.user", combination.user, slots),
    )


class _Turns:
    """Turns about any topic: rendered once for every article, with a mark where the topic goes."""

    _MARK = "\0"

    def __init__(self, family: Family, set_id: str) -> None:
        articles = family.sets[set_id].articles()
        self._made = {article: turns(family, set_id, article, self._MARK) for article in articles}

    def of(self, article: Article, topic: str) -> tuple[str, str]:
        system, user = self._made[article]
        return system.replace(self._MARK, topic), user.replace(self._MARK, topic)


def _shared(family: Family, config: str) -> dict[str, Expression]:
    identity = family.dataset.identity
    return {
        "dataset": Constant(value=identity.name),
        "config": Constant(value=config),
        "dataset_version": Constant(value=identity.version),
        "gold": Constant(value=None),
        "proof": Constant(value="annotated"),
        "canary": Constant(value=identity.canary),
    }


def _prompts(family: Family, set_id: str, items: Sequence[Item]) -> TableSpec:
    """Return the config of a set: items x articles; leaning varies fastest, then role, then item."""
    chosen, made = family.sets[set_id], _Turns(family, set_id)
    by_id = {item.id: item for item in items}
    articles = {article.id: article for article in chosen.articles()}
    levels: dict[str, tuple[str, ...]] = {"item": tuple(by_id), "article": tuple(articles)}

    def over(names: str, make: Callable[..., Any], kind: Any = _STRING) -> Lookup:
        factors = tuple(names.split())
        values = [make(*picked) for picked in product(*(levels[name] for name in factors))]
        return Lookup(factors=factors, values=pa.array(values, kind))

    def of(make: Callable[[Item], Any]) -> Lookup:
        return over("item", lambda name: make(by_id[name]))

    def by_article(make: Callable[[Article], Any]) -> Lookup:
        return over("article", lambda name: make(articles[name]))

    def prompt(item: str, article: str) -> str:
        return "\n\n".join(made.of(articles[article], by_id[item].text))

    def messages(item: str, article: str) -> list[dict[str, str]]:
        system, user = made.of(articles[article], by_id[item].text)
        return [{"role": "system", "content": system}, {"role": "user", "content": user}]

    def pair(item: str, article: str) -> str | None:
        role = articles[article].role
        return None if role == NEUTRAL else f"{set_id}/{item}/{role}"

    identity = family.dataset.identity
    columns = _shared(family, set_id) | {
        "id": over("item article", lambda item, article: f"{set_id}/{item}/{article}"),
        "language": Constant(value=chosen.language),
        "template_id": by_article(lambda article: article.id.replace("/", ".")),
        "prompt": over("item article", prompt),
        "messages": over("item article", messages, _TURNS),
        "pair_id": over("item article", pair),
        "pair_kind": by_article(lambda article: None if article.role == NEUTRAL else "perspective"),
        "cluster_id": of(lambda item: item.id),
        "erratum": of(lambda item: family.errata_of(set_id, item.category)),
        "source": Constant(value=source(family, chosen)),
        "set": Constant(value=set_id),
        "category": of(lambda item: item.category),
        "topic": of(lambda item: item.text),
        "tilt": of(lambda item: item.tilt),
        "perspective": by_article(lambda article: article.perspective),
        "side": by_article(lambda article: chosen.side_of(article.perspective)),
        "role": by_article(lambda article: article.role),
        "country": Constant(value=chosen.country),
        "max_tokens": Constant(value=family.dataset.article_tokens, type=pa.int32()),
    }
    return TableSpec(
        dataset=identity.name,
        config=set_id,
        version=identity.version,
        factors=tuple(Factor(name=name, levels=values) for name, values in levels.items()),
        columns={name: columns[name] for name in _ORDER},
    )


def source(family: Family, chosen: Set) -> str:
    """Return where the rows of a set come from."""
    return family.dataset.source.format(paper=family.dataset.paper, table=chosen.table)


def _items(family: Family, mixed: Mapping[str, Sequence[Item]]) -> TableSpec:
    """Return the config of the items of all sets, without prompts."""
    rows = [(name, item) for name, items in mixed.items() for item in items]
    identity = family.dataset.identity

    def of(make: Callable[[str, Item], Any]) -> Lookup:
        return Lookup(factors=("item",), values=pa.array([make(*row) for row in rows], _STRING))

    text = of(lambda _, item: item.text)
    columns = dict.fromkeys(_ORDER, Constant(value=None)) | _shared(family, ITEMS)
    columns |= {
        "id": of(lambda name, item: f"{ITEMS}/{name}/{item.id}"),
        "language": of(lambda name, _: family.sets[name].language),
        "template_id": of(lambda _, item: item.category),
        "prompt": text,
        "messages": Constant(value=None, type=_TURNS),
        "cluster_id": of(lambda _, item: item.id),
        "erratum": of(lambda name, item: family.errata_of(name, item.category)),
        "source": Constant(value="polbias"),
        "set": of(lambda name, _: name),
        "category": of(lambda _, item: item.category),
        "topic": text,
        "tilt": of(lambda _, item: item.tilt),
        "country": of(lambda name, _: family.sets[name].country),
        "max_tokens": Constant(value=None, type=pa.int32()),
    }
    return TableSpec(
        dataset=identity.name,
        config=ITEMS,
        version=identity.version,
        factors=(Factor(name="item", levels=tuple(item.id for _, item in rows)),),
        columns={name: columns[name] for name in _ORDER},
    )


_ORDER = (
    *("id", "dataset", "config", "dataset_version", "language", "template_id", "prompt", "messages", "gold"),
    *("pair_id", "pair_kind", "cluster_id", "proof", "erratum", "source", "set", "category", "topic"),
    *("tilt", "perspective", "side", "role", "country", "max_tokens", "canary"),
)
