"""Tables of the X-phemism dataset: prompts about claims in both arms, placebo pairs, and the lexicon."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import Path

import pyarrow as pa

from polbias.generators.engine import Constant, DatasetSpec, Expression, Lookup, TableSpec
from polbias.generators.engine.errata import errata_of
from polbias.generators.engine.table_columns import Factors, lookup_over, make_dataset_spec, table
from polbias.generators.xphemism.items import ARMS, PLACEBO, ClaimItem, items
from polbias.generators.xphemism.prompts import ClaimPrompts
from polbias.generators.xphemism.templates import PROMPT_STYLES, XphemismTemplates, load_family

LEXICON = "lexicon"


def dataset(folder: Path | None = None) -> DatasetSpec:
    """Return the specification of the dataset."""
    family = load_family(folder)
    items_by_config = {
        config: [item for item in config_items if item.pair.status == "made"]
        for config, config_items in items(family).items()
    }
    tables = [
        _prompts_table(family, config, ARMS[config], config_items)
        for config, config_items in items_by_config.items()
    ]
    return make_dataset_spec(family.dataset.identity, (*tables, _lexicon_table(family)))


def _shared_columns(
    family: XphemismTemplates, source: str, lookup: Callable[..., Lookup]
) -> dict[str, Expression]:
    return {
        "language": Constant(value="de"),
        "source": Constant(value=source.format(paper=family.dataset.paper)),
        "proof": Constant(value="annotated"),
        "cluster_id": lookup(attrgetter("pair_id")),
        "base_word": lookup(attrgetter("base")),
        "exchange_word": lookup(attrgetter("exchange")),
        "shift": lookup(attrgetter("shift")),
        "axis": lookup(attrgetter("axis")),
        "judgmental_base": lookup(lambda exchange: int(exchange.judgmental_base), pa.int8()),
        "judgmental_exchange": lookup(lambda exchange: int(exchange.judgmental_exchange), pa.int8()),
    }


def _prompts_table(
    family: XphemismTemplates, config: str, arm: str, claim_items: Sequence[ClaimItem]
) -> TableSpec:
    """Return the table of prompts about claims in two arms: base claim and changed claim."""
    by_id = {item.id: item for item in claim_items}
    styles, languages, arms = PROMPT_STYLES, tuple(family.prompts.prompts), ("base", arm)
    levels = {"style": styles, "language": languages, "item": tuple(by_id), "arm": arms}
    by_levels, by_item = Factors(levels).lookup, lookup_over("item", claim_items)
    prompts = ClaimPrompts(family)

    def prompt(style: str, language: str, item_id: str, claim_arm: str) -> str:
        return prompts.render(style, language, by_id[item_id].text(claim_arm))

    def pair_id(style: str, language: str, item_id: str) -> str:
        return f"{config}/{item_id}/{style}/{language}"

    source = family.dataset.placebo_source if config == PLACEBO else family.dataset.source
    columns = _shared_columns(
        family, source, lookup_over("item", (item.exchange for item in claim_items))
    ) | {
        "id": by_levels("style language item arm", lambda *part: f"{pair_id(*part[:3])}/{part[3]}"),
        "template_id": by_levels("style language", lambda style, language: f"{style}.{language}"),
        "prompt": by_levels("style language item arm", prompt),
        "pair_id": by_levels("style language item", pair_id),
        "pair_kind": Constant(value="placebo" if config == PLACEBO else "x-phemism"),
        "content": by_item(attrgetter("content")),
        "erratum": by_item(lambda item: _errata_cell(family, item.exchange.pair_id)),
        "claim_id": by_item(attrgetter("claim.id")),
        **{
            name: by_item(attrgetter(f"claim.{name}"))
            for name in ("gold", "evidence", "reference", "as_of", "status")
        },
        "arm": by_levels("arm", str),
        "claim": by_levels("item arm", lambda item_id, claim_arm: by_id[item_id].text(claim_arm)),
        "prompt_style": by_levels("style", str),
        "instruction_language": by_levels("language", str),
        "hit": by_item(attrgetter("pair.hit")),
        "edited": by_levels("item arm", lambda item_id, claim_arm: _edited_text(by_id[item_id], claim_arm)),
        "label_true": Constant(value=family.prompts.labels["true"]),
        "label_false": Constant(value=family.prompts.labels["false"]),
    }
    return table(family.dataset.identity, config, levels, columns)


def _lexicon_table(family: XphemismTemplates) -> TableSpec:
    """Return the table of word pairs in both directions, without prompts."""
    directed = {exchange.id: exchange for exchange in family.lexicon.exchanges()}
    pairs_by_id = {pair.pair_id: pair for pair in family.lexicon.pairs}
    by_pair = lookup_over("pair", directed.values())
    columns = _shared_columns(family, family.dataset.lexicon_source, by_pair) | {
        "id": by_pair(lambda exchange: f"{LEXICON}/{exchange.id}"),
        "template_id": by_pair(lambda exchange: pairs_by_id[exchange.pair_id].collected),
        "prompt": by_pair(lambda exchange: f"{exchange.base} / {exchange.exchange}"),
        "pair_id": by_pair(lambda exchange: f"{LEXICON}/{exchange.pair_id}"),
        "pair_kind": Constant(value="reversed"),
        "erratum": by_pair(lambda exchange: _errata_cell(family, exchange.pair_id, words=True)),
    }
    return table(family.dataset.identity, LEXICON, {"pair": tuple(directed)}, columns)


def _errata_cell(family: XphemismTemplates, pair_id: str, words: bool = False) -> str | None:
    """Return the errata that apply to rows of a pair; with ``words``, only errata with a pair scope."""
    pair_errata = (erratum for erratum in family.errata if erratum.applies != "none" and erratum.applies.pair)
    return errata_of(pair_errata if words else family.errata, pair=pair_id)


def _edited_text(item: ClaimItem, arm: str) -> str:
    """Return the differing text in an arm; a bar separates the edits."""
    return " | ".join(edit.old if arm == "base" else edit.new for edit in item.pair.edits)
