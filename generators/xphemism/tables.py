"""The tables of the X-phemism family: prompts about claims in both arms, placebo pairs, and the lexicon."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

import pyarrow as pa

from polbias.generators.engine import Constant, DatasetSpec, Expression, Lookup, TableSpec, named_rng
from polbias.generators.engine.errata import errata_of
from polbias.generators.engine.table_columns import Factors, by, dataset_of, table
from polbias.generators.xphemism.items import MinimalPair, PairMaker
from polbias.generators.xphemism.templates import (
    CONTENTS,
    PROMPT_STYLES,
    Content,
    FactualClaim,
    XphemismTemplates,
    load_family,
)
from polbias.generators.xphemism.vocabulary.lexicon import DirectedPair
from polbias.jinja_texts import TemplateRenderer

LEXICON, PAIRS, OTHER, PLACEBO = "lexicon", "pairs", "pairs_other", "placebo"
_ARMS = {PAIRS: "shifted", OTHER: "shifted", PLACEBO: "placebo"}


@dataclass(frozen=True)
class ClaimItem:
    """A claim with one word exchanged.

    Attributes:
        own: the claim.
        exchange: the words, with shift and judgements.
        pair: what became of the exchange; only made ones are published.
        content: what becomes of the claim's.
    """

    own: FactualClaim
    exchange: DirectedPair
    pair: MinimalPair
    content: Content

    @property
    def id(self) -> str:
        """Unique name: claim and words."""
        return f"{self.own.id}/{self.exchange.id}"

    def claim(self, arm: str) -> str:
        """Return the claim as it stands in an arm."""
        return self.own.claim if arm == "base" else self.pair.shifted_claim


def dataset(folder: Path | None = None) -> DatasetSpec:
    """Return the specification of the whole dataset."""
    family = load_family(folder)
    made = {
        config: [item for item in found if item.pair.status == "made"]
        for config, found in items(family).items()
    }
    tables = [_prompts(family, config, _ARMS[config], found) for config, found in made.items()]
    return dataset_of(family.dataset.identity, (*tables, _lexicon(family)))


def items(family: XphemismTemplates) -> dict[str, list[ClaimItem]]:
    """Return the exchanges that the claims ask for, by config, made or not.

    They are mixed by a seed, so that any beginning of them is spread over topics and words.
    """
    maker, lexicon = PairMaker(family.lexicon), family.lexicon
    known, neutral = (
        {(each.base, each.exchange): each for each in exchanges}
        for exchanges in (lexicon.exchanges(), lexicon.neutral_exchanges())
    )
    found: dict[str, list[ClaimItem]] = {config: [] for config in _ARMS}
    for own in family.claims():
        groups = [
            (PAIRS if content == "same" else OTHER, content, known, group)
            for content, group in own.pairs.items()
        ]
        for config, content, exchanges, group in (*groups, (PLACEBO, CONTENTS[0], neutral, own.placebo)):
            found[config] += [
                ClaimItem(own, exchanges[words], maker.make(own.claim, *words), content) for words in group
            ]
    return {config: _mixed(family, config, each) for config, each in found.items()}


def _mixed(family: XphemismTemplates, purpose: str, found: Sequence[ClaimItem]) -> list[ClaimItem]:
    identity = family.dataset.identity
    order = named_rng(identity.name, identity.version, f"order/{purpose}").permutation(len(found))
    return [found[place] for place in order]


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
    over, of = Factors(levels).over, by("item", kept)
    texts = TemplateRenderer(family.folder / "prompts.yaml", {})

    def prompt(style: str, language: str, name: str, side: str) -> str:
        wording = family.prompts.prompts[language]  # type: ignore[index]
        objective = wording.objective if style == "objective" else ""
        slots = {"claim": by_id[name].claim(side), "objective": objective}
        return texts.render(f"prompts.{language}", wording.text, slots)

    def identifier(style: str, language: str, name: str) -> str:
        return f"{config}/{name}/{style}/{language}"

    source = family.dataset.placebo_source if config == PLACEBO else family.dataset.source
    columns = _shared(family, source, by("item", (item.exchange for item in kept))) | {
        "id": over("style language item arm", lambda *part: f"{identifier(*part[:3])}/{part[3]}"),
        "template_id": over("style language", lambda style, language: f"{style}.{language}"),
        "prompt": over("style language item arm", prompt),
        "pair_id": over("style language item", identifier),
        "pair_kind": Constant(value="placebo" if config == PLACEBO else "x-phemism"),
        "content": of(attrgetter("content")),
        "erratum": of(lambda item: _errata(family, item.exchange.pair_id)),
        "claim_id": of(attrgetter("own.id")),
        **{
            name: of(attrgetter(f"own.{name}"))
            for name in ("gold", "evidence", "reference", "as_of", "status")
        },
        "arm": over("arm", str),
        "claim": over("item arm", lambda name, side: by_id[name].claim(side)),
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
    of = by("pair", directed.values())
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
