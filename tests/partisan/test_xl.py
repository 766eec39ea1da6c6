"""The design of the large set: pairs, strata, sizes, columns, and rows equal to those of the published writer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import yaml

from polbias.files import BuildError, package_file
from polbias.generators.engine import DatasetSpec, Rows, TableSpec, named_rng
from polbias.generators.engine.files import run_shard
from polbias.generators.engine.spec import shares
from polbias.generators.partisan.arguments import NEGATED, Argument, Cell, Writer, formal_pairs, gold_proof
from polbias.generators.partisan.country import GENDERS, LEANINGS, Person
from polbias.generators.partisan.publication import LARGE
from polbias.generators.partisan.tables import STRATA, products
from polbias.generators.partisan.tables import large_dataset as dataset
from polbias.generators.partisan.xl_family import Large, load, slug

CONFIGS = [f"{c}_{kind}" for c in ("us_en", "ch_de") for kind in ("formal", "material", "material_crossed")]
EACH = pytest.mark.parametrize("config", CONFIGS)
_COMPARED = ("shots", "instruction_id", "gender", "variation", "gold", "cluster_id", "leaning")


@pytest.fixture(scope="module")
def large() -> Large:
    return load()


@pytest.fixture(scope="module")
def published() -> DatasetSpec:
    return dataset()


@pytest.fixture(scope="module")
def fresh() -> DatasetSpec:
    return dataset(fresh=True)


@pytest.fixture(scope="module")
def tables(published: DatasetSpec) -> Mapping[str, pa.Table]:
    return {spec.config: _whole(spec) for spec in published.tables}


def _whole(spec: TableSpec) -> pa.Table:
    rows = Rows(spec)
    return pa.Table.from_batches(rows.batches(0, len(rows)), rows.schema)


def _spec(dataset: DatasetSpec, config: str) -> TableSpec:
    return next(spec for spec in dataset.tables if spec.config == config)


def _sample(table: pa.Table, purpose: str, rows: int = 150) -> list[dict[str, Any]]:
    rng = named_rng("tests", "1", purpose)
    return table.take(np.sort(rng.choice(len(table), rows, replace=False))).to_pylist()


def test_configs_and_rows(published: DatasetSpec, tables: Mapping[str, pa.Table]) -> None:
    assert published.configs == CONFIGS
    assert {len(table) for table in tables.values()} == {14_976}


def test_the_schema_is_that_of_the_published_set(
    tables: Mapping[str, pa.Table], partisan: DatasetSpec
) -> None:
    schema = partisan.tables[0].arrow_schema()
    for table in tables.values():
        assert table.schema.equals(schema)
    columns = yaml.safe_load((package_file("cards") / "columns.yaml").read_text("utf-8"))
    assert columns["partisan-inference-xl"] == "partisan-inference"


@EACH
def test_every_compared_factor_is_balanced(tables: Mapping[str, pa.Table], config: str) -> None:
    columns = [tables[config][name].cast(pa.string()) for name in _COMPARED]
    columns.append(pc.match_substring(tables[config]["pattern_id"], NEGATED).cast(pa.string()))
    counts = pc.value_counts(pc.binary_join_element_wise(*columns, "/").combine_chunks()).field("counts")
    assert len(counts.unique()) == 1
    assert len(counts) == math.prod(len(pc.unique(column)) for column in columns)


@EACH
def test_every_even_prefix_is_complete_in_pairs(tables: Mapping[str, pa.Table], config: str) -> None:
    table = tables[config]
    pairs = table["pair_id"].to_pylist()
    assert pairs[::2] == pairs[1::2]
    assert len(set(pairs)) == len(pairs) // 2
    assert table["leaning"].to_pylist() == list(LEANINGS) * (len(pairs) // 2)
    assert len(set(table["id"].to_pylist())) == len(pairs)
    same = ["gold", "gender", "variation", "instruction_id", "shots", "cluster_id", "pair_kind"]
    for name in same:
        values = table[name].to_pylist()
        assert values[::2] == values[1::2]


@EACH
def test_pair_mates_are_about_the_same_persons(tables: Mapping[str, pa.Table], config: str) -> None:
    slots = tables[config]["slots"].to_pylist()
    for left, right in zip(slots[::2], slots[1::2], strict=True):
        assert (left["favoured"], left["other"]) == (right["other"], right["favoured"])
        assert left["comparison"] == right["comparison"]
        assert (left["issue"] == right["issue"]) == (not config.endswith("material"))


@pytest.mark.parametrize("config", [c for c in CONFIGS if c.endswith("formal")])
def test_swapping_persons_and_parties_gives_the_pair_mate(large: Large, tables: Any, config: str) -> None:
    stage = next(s for s in large.stages if config.startswith(s.large.config))
    parties = [
        (str(getattr(left, form)), str(getattr(right, form)))
        for left, right in [tuple(stage.base.side_of[leaning] for leaning in LEANINGS)]
        for form in (("member", "noun") if stage.base.language == "en" else ("label",))
    ]
    rows = tables[config].select(["argument", "slots"]).slice(0, 2000).to_pylist()
    for left, right in zip(rows[::2], rows[1::2], strict=True):
        swaps = [(left["slots"]["favoured"], left["slots"]["other"]), *parties]
        assert _swapped(left["argument"], swaps) == right["argument"]


def _swapped(text: str, swaps: list[tuple[str, str]]) -> str:
    """Exchange words, the longer ones first; marks keep what is put in from being exchanged again."""
    both = sorted({**dict(swaps), **{b: a for a, b in swaps}}.items(), key=lambda pair: -len(pair[0]))
    for number, (old, _) in enumerate(both):
        text = text.replace(old, chr(0xF000 + number))
    for number, (_, new) in enumerate(both):
        text = text.replace(chr(0xF000 + number), new)
    return text


@EACH
def test_rows_are_those_of_the_published_writer(large: Large, tables: Any, config: str) -> None:
    for row in _sample(tables[config], config):
        written = _written(large, config, row)
        assert row["argument"] == written.text
        assert row["prompt"].endswith(f": {written.text}")
        assert row["conclusion"] == written.conclusion
        assert row["slots"] == dict(written.slots)
        if written.inference is None:
            assert row["logical_form"] is row["derivation"] is row["countermodel"] is None
        else:
            assert row["logical_form"] == str(written.inference)


@EACH
def test_premises_are_those_of_the_text_in_its_order(large: Large, tables: Any, config: str) -> None:
    for row in _sample(tables[config], config):
        assert row["premises"] == list(_written(large, config, row).premises)


@pytest.mark.parametrize("config", [c for c in CONFIGS if c.endswith("formal")])
def test_proofs_are_those_of_the_row(large: Large, tables: Any, config: str) -> None:
    for row in _sample(tables[config], config, 30):
        said = gold_proof(_written(large, config, row).inference)
        assert row["proof"] == "proved:fol"
        assert row["gold"] == said.verdict == row["verdicts"]["fol"]
        assert row["derivation"] == said.derivation
        # Facts are listed by name; here the comparison had no name yet.
        assert _facts(row["countermodel"]) == _facts(said.countermodel)


def _facts(countermodel: str | None) -> set[str]:
    facts, _, rest = (countermodel or "").partition("; ")
    return {*facts.split("), "), rest}


def _written(large: Large, config: str, row: Mapping[str, Any]) -> Argument:
    """Write a row's argument with the writer of the published set, from what its id says."""
    stage = next(s for s in large.stages if config.startswith(f"{s.large.config}_"))
    formal = formal_pairs(stage.language.patterns)
    kind = config.removeprefix(f"{stage.large.config}_")
    pairs = {"formal": formal, "material": stage.pairs, "material_crossed": stage.crossed}[kind]
    _, _, _, pattern, gold, gender, variation, met, *rest, leaning = row["id"].split("/")
    cast = {
        side: next(p for p in stage.large.people[side] if slug(p.name) == name)
        for side, name in zip(LEANINGS, met.split("."), strict=True)
    }
    wording, _, irrelevant = rest.pop(0).partition(".") if kind == "formal" else ("", "", "")
    distractor = rest.pop(0) if variation == "rand" else next(iter(stage.distractors))
    assert rest == []
    people = {
        side: [Person(name=met.name, gender=g, source=met.office) for g in GENDERS]
        for side, met in cast.items()
    }
    said = stage.wordings[wording or next(iter(stage.wordings))]
    chosen = irrelevant or next(iter(stage.irrelevant))
    country = stage.country(people, {**said, **stage.irrelevant}, chosen)
    writer = Writer(stage.with_distractor(stage.distractors[distractor].text), country)
    return writer.write(Cell(next(p for p in pairs if p.key == pattern), gold, leaning, gender, variation))


def test_a_country_has_more_than_a_million_distinct_arguments(large: Large) -> None:
    for stage in large.stages:
        count = 0
        for config, rows in products(large).items():
            if config.startswith(stage.large.config):
                pairs = len(stage.language.instructions.of("formal" if "formal" in config else "material"))
                count += rows // pairs // len(large.file.shots)
        assert count > 10_000_000


def test_arguments_of_a_product_are_distinct(large: Large, published: DatasetSpec) -> None:
    """All rows of one instruction and one meeting of people, and so of every other meeting: names differ."""
    spec = _spec(dataset(rows=2), "us_en_formal")
    sizes = {factor.name: len(factor.levels) for factor in spec.factors}
    fillers = [sizes[name] for name in ("wording", "irrelevant", "distractor")]
    inner = [sizes[name] for name in ("variation", "gold", "pattern", "leaning")]
    between = math.prod(sizes[name] for name in ("left", "right", "gender"))
    whole = {"columns": {"argument": spec.columns["argument"]}, "sample": None, "exclude": ()}
    rows, stretch = Rows(spec.model_copy(update=whole)), math.prod(inner)
    starts = np.arange(math.prod(fillers)) * between * stretch
    found = pa.concat_arrays([rows.batch(start, start + stretch)["argument"] for start in starts])
    _, irrelevant, distractor, variation, gold, _, _ = np.indices((*fillers, *inner))
    shown = ((gold == 1) | (irrelevant == 0)) & ((variation == 3) | (distractor == 0))
    found = found.filter(pa.array(shown.ravel()))
    assert len(found) * between * sizes["instruction"] == products(large)["us_en_formal"]
    assert len(pc.unique(found)) == len(found)


def test_a_larger_set_begins_with_a_smaller_one() -> None:
    small, more = (_spec(dataset(rows=n), "us_en_material") for n in (1_000, 5_000))
    assert _whole(more)["id"].slice(0, 1_000).equals(_whole(small)["id"])


def test_more_rows_than_can_be_even_give_up_variations_first_then_gold_labels(
    large: Large, published: DatasetSpec
) -> None:
    config = "ch_de_material"
    most = products(large)[config]
    half, spec = (_spec(dataset(rows=n), config) for n in (most // 2, most))
    assert [each.sample.strata for each in (_spec(published, config), half, spec) if each.sample] == [
        STRATA,
        tuple(name for name in STRATA if name != "variation"),
        tuple(name for name in STRATA if name != "variation"),
    ]
    ids = _whole(spec.model_copy(update={"columns": {"id": spec.columns["id"]}}))["id"]
    assert len(ids) == most == len(pc.unique(ids))


@pytest.mark.parametrize("rows", [-2, 3, 10**9])
def test_rows_that_are_not_there_are_refused(rows: int) -> None:
    with pytest.raises(BuildError, match="us_en_formal: .* expected an even number up to"):
        dataset(rows=rows)


def test_rows_of_the_whole_are_shared_out_among_configs(large: Large) -> None:
    most = products(large)
    assert set(LARGE.specify(rows=12_000).configs) == set(most)
    for rows in (12, 14, 100_001, 20_000_000, sum(most.values())):
        found = dict(zip(most, shares(rows, [*most.values()], pair=2), strict=True))
        assert sum(found.values()) == rows // 2 * 2
        assert all(count % 2 == 0 and 0 < count <= most[name] for name, count in found.items())
        free = [count for name, count in found.items() if count < most[name]]
        assert max(free, default=0) - min(free, default=0) <= 2
    with pytest.raises(BuildError, match="can be drawn from 6 configs"):
        LARGE.specify(rows=sum(most.values()) + 2)


def test_fresh_rows_share_no_filler_with_the_published_set(fresh: DatasetSpec, partisan_tables: Any) -> None:
    theirs = [
        row for (_, split), t in partisan_tables.items() if split == "test" for row in t["slots"].to_pylist()
    ]
    used = {row[name] for row in theirs for name in ("favoured", "other")}
    areas = {area for row in theirs for area in row["areas"]}
    comparisons = {row["comparison"] for row in theirs} - {"superior", "inferior", None}
    texts = {text for t in partisan_tables.values() for text in t["argument"].to_pylist()}
    for spec in fresh.tables:
        table = _whole(spec)
        assert spec.config.endswith("_fresh")
        assert set(table["shots"].to_pylist()) == {0}
        for row in table["slots"].to_pylist():
            assert not used & {row["favoured"], row["other"]}
            assert not areas & set(row["areas"])
            assert row["comparison"] not in comparisons
        said = table["argument"].to_pylist()
        assert not texts & set(said)
        for published in (" superior ", " inferior ", " besser", " schlechter", "the sun ", "die Sonne "):
            assert not [text for text in said if published in text]


def test_fresh_rows_are_not_in_the_published_large_set(fresh: DatasetSpec, tables: Any) -> None:
    for spec in fresh.tables:
        theirs = set(tables[spec.config.removesuffix("_fresh")]["argument"].to_pylist())
        assert theirs.isdisjoint(_whole(spec)["argument"].to_pylist())


def test_shards_are_slices_of_the_whole(published: DatasetSpec, tables: Any, tmp_path: Any) -> None:
    import pyarrow.parquet as pq

    spec = _spec(published, "ch_de_formal")
    parts = [pq.read_table(run_shard(spec, rank, 3, tmp_path).path) for rank in range(3)]
    assert pa.concat_tables(parts).equals(tables[spec.config])


def test_few_shot_examples_are_those_of_the_published_set(tmp_path: Any, partisan_tables: Any) -> None:
    import shutil

    folder = tmp_path / "partisan"
    shutil.copytree(package_file("templates/partisan"), folder)
    file = folder / "dataset_xl.yaml"
    file.write_text(file.read_text("utf-8").replace("shots: [0]", "shots: [0, 8]"), "utf-8")
    table = _whole(_spec(dataset(folder, rows=1152), "us_en_formal"))
    theirs = partisan_tables["en_formal", "test"].to_pylist()
    prefixes = {
        (row["exemplar_set"], row["instruction_id"], row["leaning"]): row["prompt"].removesuffix(
            row["argument"]
        )
        for row in theirs
    }
    assert Counter(table["shots"].to_pylist()) == {0: 576, 8: 576}
    for row in table.to_pylist():
        key = row["exemplar_set"], row["instruction_id"], row["leaning"]
        assert row["prompt"] == prefixes[key] + row["argument"]
        assert row["in_all_shots"]
        assert not row["exemplar_overlap"]
