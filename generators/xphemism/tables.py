"""The tables of the X-phemism family: prompts about claims in both arms, placebo pairs, and the lexicon."""

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
    """Return the specification of the whole dataset."""
    family = load_family(folder)
    made = {
        config: [item for item in found if item.pair.status == "made"]
        for config, found in items(family).items()
    }
    tables = [_prompts(family, config, ARMS[config], found) for config, found in made.items()]
    return make_dataset_spec(family.dataset.identity, (*tables, _lexicon(family)))


def _shared(family: XphemismTemplates, source: str, of: Callable[..., Lookup]) -> dict[str, Expression]:
    return {
        "language": Constant(value="de"),
        "source": Constant(value=source.format(paper=family.dataset.paper)),
        "proof": Constant(value="annotated"),
        "cluster_id": of(attrgetter("pair_id")),
        "base_word": of(attrgetter("base")),
        "exchange_word": of(attrgetter("exchange")),
        "shift": of(attrgetter("shift")),
        "axis": of(attrgetter("axis")),
        "judgmental_base": of(lambda each: int(each.judgmental_base), pa.int8()),
        "judgmental_exchange": of(lambda each: int(each.judgmental_exchange), pa.int8()),
    }


def _prompts(family: XphemismTemplates, config: str, arm: str, kept: Sequence[ClaimItem]) -> TableSpec:
    """Return the config of the prompts about claims in two arms: the base claim and the changed one."""
    by_id = {item.id: item for item in kept}
    styles, languages, arms = PROMPT_STYLES, tuple(family.prompts.prompts), ("base", arm)
    levels = {"style": styles, "language": languages, "item": tuple(by_id), "arm": arms}
    over, of = Factors(levels).lookup, lookup_over("item", kept)
    prompts = ClaimPrompts(family)

    def prompt(style: str, language: str, name: str, side: str) -> str:
        return prompts.render(style, language, by_id[name].text(side))

    def identifier(style: str, language: str, name: str) -> str:
        return f"{config}/{name}/{style}/{language}"

    source = family.dataset.placebo_source if config == PLACEBO else family.dataset.source
    columns = _shared(family, source, lookup_over("item", (item.exchange for item in kept))) | {
        "id": over("style language item arm", lambda *part: f"{identifier(*part[:3])}/{part[3]}"),
        "template_id": over("style language", lambda style, language: f"{style}.{language}"),
        "prompt": over("style language item arm", prompt),
        "pair_id": over("style language item", identifier),
        "pair_kind": Constant(value="placebo" if config == PLACEBO else "x-phemism"),
        "content": of(attrgetter("content")),
        "erratum": of(lambda item: _errata(family, item.exchange.pair_id)),
        "claim_id": of(attrgetter("claim.id")),
        **{
            name: of(attrgetter(f"claim.{name}"))
            for name in ("gold", "evidence", "reference", "as_of", "status")
        },
        "arm": over("arm", str),
        "claim": over("item arm", lambda name, side: by_id[name].text(side)),
        "prompt_style": over("style", str),
        "instruction_language": over("language", str),
        "hit": of(attrgetter("pair.hit")),
        "edited": over("item arm", lambda name, side: _edited(by_id[name], side)),
        "label_true": Constant(value=family.prompts.labels["true"]),
        "label_false": Constant(value=family.prompts.labels["false"]),
    }
    return table(family.dataset.identity, config, levels, columns)


def _lexicon(family: XphemismTemplates) -> TableSpec:
    """Return the config of the word pairs, each in both directions, without prompts."""
    directed = {each.id: each for each in family.lexicon.exchanges()}
    printed = {pair.pair_id: pair for pair in family.lexicon.pairs}
    of = lookup_over("pair", directed.values())
    columns = _shared(family, family.dataset.lexicon_source, of) | {
        "id": of(lambda each: f"{LEXICON}/{each.id}"),
        "template_id": of(lambda each: printed[each.pair_id].collected),
        "prompt": of(lambda each: f"{each.base} / {each.exchange}"),
        "pair_id": of(lambda each: f"{LEXICON}/{each.pair_id}"),
        "pair_kind": Constant(value="reversed"),
        "erratum": of(lambda each: _errata(family, each.pair_id, words=True)),
    }
    return table(family.dataset.identity, LEXICON, {"pair": tuple(directed)}, columns)


def _errata(family: XphemismTemplates, pair_id: str, words: bool = False) -> str | None:
    """Return the errata that concern rows of a pair; of the bare words, those about this pair alone."""
    own = (each for each in family.errata if each.applies != "none" and each.applies.pair)
    return errata_of(own if words else family.errata, pair=pair_id)


def _edited(item: ClaimItem, side: str) -> str:
    """Return what differs, as it stands in an arm, places separated by a bar."""
    return " | ".join(edit.old if side == "base" else edit.new for edit in item.pair.edits)
