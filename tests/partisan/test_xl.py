"""The design of the large set: rounds, margins, twins, persons, prefixes, sizes."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from polbias.errors import BuildError
from polbias.generators.engine import DatasetSpec, TableRows, TableSpec
from polbias.generators.engine.files import run_shard
from polbias.generators.engine.spec import split_rows
from polbias.generators.partisan import xl_tables
from polbias.generators.partisan.country import GENDERS, LEANINGS
from polbias.generators.partisan.publication import XL_PUBLICATION
from polbias.generators.partisan.xl_tables import CELLS, XlConfig, configs, xl_dataset
from polbias.generators.partisan.xl_templates import CountryLanguage, XlTemplates, load

STAGES = [f"{country}_{tag}" for country in ("us", "ch", "de", "gb", "control") for tag in ("en", "de")]
KINDS = ("formal", "material", "material_matched", "people")
CONFIGS = [f"{s}_{k}" for s in STAGES for k in KINDS if not (s.startswith("control") and k == "people")]
# One of every kind and language, and one that has plural groups in place of parties.
SOME = [
    "us_en_formal",
    "ch_de_formal",
    "gb_de_material",
    "de_en_material_matched",
    "us_de_people",
    "control_de_formal",
]
EACH = pytest.mark.parametrize("config", SOME)
_FACTORS = (
    "gold",
    "leaning",
    "first_named",
    "negated",
    "gender",
    "variation",
    "instruction_id",
    "base_id",
    "shown",
)


@pytest.fixture(scope="module")
def large() -> XlTemplates:
    return load()


@pytest.fixture(scope="module")
def made(large: XlTemplates) -> Mapping[str, XlConfig]:
    return {config.name: config for config in configs(large)}


@pytest.fixture(scope="module")
def published(made: Mapping[str, XlConfig]) -> DatasetSpec:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(xl_tables, "configs", lambda large: [made[name] for name in SOME])
        return xl_dataset()


@pytest.fixture(scope="module")
def rows(published: DatasetSpec) -> Mapping[str, list[dict[str, Any]]]:
    tables = {spec.config: spec for spec in published.tables}
    found = {name: _whole(tables[name]).to_pylist() for name in SOME}
    for row in itertools.chain(*found.values()):
        row["negated"] = row["pattern_id"].endswith("-cn-pp")
        row["shown"] = row["id"].split("/")[8]
        row["last"] = row["exemplar_set"] and row["exemplar_set"].split("/")[1]
    return found


def _whole(spec: TableSpec) -> pa.Table:
    rows = TableRows(spec)
    return pa.Table.from_batches(rows.batches(0, len(rows)), rows.schema)


def _stage(large: XlTemplates, config: str) -> CountryLanguage:
    return next(stage for stage in large.stages if config.startswith(f"{stage.name}_"))


def test_configs_and_rows(large: XlTemplates, made: Mapping[str, XlConfig], published: DatasetSpec) -> None:
    assert [*made] == CONFIGS
    assert {config.rounds(large.file.rows) for config in made.values()} == {768}
    assert published.configs == SOME
    assert {len(TableRows(spec)) for spec in published.tables} == {768}
    assert len({str(spec.arrow_schema()) for spec in published.tables}) == 1


@EACH
def test_one_and_two_way_margins_are_even(rows: Any, config: str) -> None:
    for one, two in itertools.combinations(_FACTORS, 2):
        levels = [{row[name] for row in rows[config]} for name in (one, two)]
        counts = Counter((row[one], row[two]) for row in rows[config])
        cells = math.prod(map(len, levels))
        assert len(counts) == cells
        # Whole pairs: two rows more or less where a margin cannot be even.
        slack = 0 if 768 % (2 * cells) == 0 or (768 % cells == 0 and "leaning" in (one, two)) else 2
        assert max(counts.values()) - min(counts.values()) <= slack, (one, two)


@EACH
def test_the_last_label_of_the_examples_is_even_in_every_margin(rows: Any, config: str) -> None:
    with_examples = [row for row in rows[config] if row["shots"]]
    assert len(with_examples) == 768 * 3 // 4
    for name in _FACTORS:
        counts = Counter((row[name], row["last"]) for row in with_examples)
        for level in {row[name] for row in with_examples}:
            assert abs(counts[level, "valid"] - counts[level, "invalid"]) <= 2, (name, level)


@EACH
def test_examples_are_four_of_either_side_and_gold_about_other_bases_and_persons(
    large: XlTemplates, rows: Any, made: Mapping[str, XlConfig], config: str
) -> None:
    stage = _stage(large, config)
    known = {name for names in stage.examples.values() for name in names}
    labels = stage.language.instructions.labels
    for row in rows[config]:
        shown = row["prompt"].removesuffix(row["argument"])
        assert shown != row["prompt"]
        assert not known & {row["slots"]["favoured"], row["slots"]["other"]}
        said = Counter(shown.count(f": {label}") for label in labels.values())
        assert said == ({2: 2} if row["shots"] else {0: 2})
        if row["shots"]:
            block = int(row["exemplar_set"].split("/")[0])
            assert row["base_id"] not in made[config].writer.examples[2 * block - 2 : 2 * block]
            assert (
                shown.rindex(labels[row["last"]])
                > shown.rindex(f": {labels['invalid' if row['last'] == 'valid' else 'valid']}")
                or labels["valid"] in labels["invalid"]
            )


@EACH
def test_examples_are_mirrored_with_the_row(large: XlTemplates, rows: Any, config: str) -> None:
    swaps = _party_words(_stage(large, config))
    for left, right in zip(rows[config][::2], rows[config][1::2], strict=True):
        shown = [row["prompt"].removesuffix(row["argument"]) for row in (left, right)]
        assert _swapped(shown[0], swaps) == shown[1]


@EACH
def test_a_round_has_every_cell_of_every_base_once(rows: Any, config: str) -> None:
    bases = len({row["base_id"] for row in rows[config]})
    cells = [
        (row["base_id"], row["gold"], row["first_named"], row["negated"], row["gender"], row["leaning"])
        for row in rows[config]
    ]
    assert set(Counter(cells).values()) == {24 // bases}
    assert len(set(cells)) == bases * len(CELLS) * 2


@EACH
def test_beginnings_are_whole_pairs_spread_over_bases_and_cells(rows: Any, config: str) -> None:
    pairs = [row["pair_id"] for row in rows[config]]
    assert pairs[::2] == pairs[1::2]
    assert len(set(pairs)) == len(pairs) // 2
    assert [row["leaning"] for row in rows[config]] == list(LEANINGS) * (len(pairs) // 2)
    assert len({row["id"] for row in rows[config]}) == len(pairs)
    first = rows[config][:96]
    assert len({(row["base_id"], row["gold"]) for row in first}) == min(
        48, 2 * len({r["base_id"] for r in first})
    )
    cells = Counter((r["gold"], r["first_named"], r["negated"], r["gender"]) for r in first)
    if len({row["base_id"] for row in first}) == 24:
        assert set(cells.values()) == {6}
        assert len(cells) == len(CELLS)


@EACH
def test_the_column_says_who_is_named_first(rows: Any, config: str) -> None:
    for row in rows[config]:
        places = {who: row["argument"].index(row["slots"][who]) for who in ("favoured", "other")}
        assert min(places, key=places.__getitem__) == row["first_named"]


@EACH
def test_twins_differ_in_party_words_and_invented_names_stay(
    large: XlTemplates, rows: Any, config: str
) -> None:
    if config.endswith("matched"):
        pytest.skip("the rows of a pair are about different issues")
    swaps = _party_words(_stage(large, config))
    for left, right in zip(rows[config][::2], rows[config][1::2], strict=True):
        people = (left["slots"]["favoured"], left["slots"]["other"])
        if config.endswith("people"):
            assert people == (right["slots"]["other"], right["slots"]["favoured"])
            words = [*swaps, people]
        else:
            assert people == (right["slots"]["favoured"], right["slots"]["other"])
            words = swaps
        assert _swapped(left["argument"], words) == right["argument"]


def _party_words(stage: CountryLanguage) -> list[tuple[str, str]]:
    left, right = (stage.words.sides[side] for side in LEANINGS)
    pairs = [(getattr(left.member, form), getattr(right.member, form)) for form in (*GENDERS, "plural")]
    return [*pairs, (left.group.subject, right.group.subject), (left.group.text, right.group.text)]


def _swapped(text: str, swaps: list[tuple[str, str]]) -> str:
    """Exchange words, the longer ones first; marks keep what is put in from being exchanged again."""
    both = {**dict(swaps), **{b: a for a, b in swaps}}
    both |= {old[:1].upper() + old[1:]: new[:1].upper() + new[1:] for old, new in both.items()}
    ordered = sorted(both.items(), key=lambda pair: -len(pair[0]))
    for number, (old, _) in enumerate(ordered):
        text = text.replace(old, chr(0xF000 + number))
    for number, (_, new) in enumerate(ordered):
        text = text.replace(chr(0xF000 + number), new)
    return text


@EACH
def test_every_invented_person_stands_as_often_with_either_party(rows: Any, config: str) -> None:
    if config.endswith("people"):
        pytest.skip("real persons have one party")
    sides: Counter[tuple[str, str]] = Counter()
    for row in rows[config]:
        for who in ("favoured", "other"):
            sides[row["slots"][who], row["slots"][f"{who}_party"]] += 1
    names = Counter(name for name, _ in sides)
    assert set(names.values()) == {2}
    assert len(set(sides.values())) == 1


def test_real_persons_stand_in_one_pair_each(rows: Any) -> None:
    pairs = {row["person_pair"] for row in rows["us_de_people"]}
    persons = [person for pair in pairs for person in pair.split(".")]
    assert len(persons) == len(set(persons)) == 2 * 2 * 10
    left = {(r["slots"]["favoured"], r["leaning"]) for r in rows["us_de_people"]}
    assert len(left) == len({name for name, _ in left})


def test_bases_are_shared_by_countries_and_languages(made: Mapping[str, XlConfig]) -> None:
    bases = {name: set(config.bases) for name, config in made.items()}
    assert (
        bases["us_en_formal"] == bases["ch_de_formal"] == bases["control_en_formal"] == bases["gb_de_people"]
    )
    assert bases["us_en_material"] == bases["us_de_material"]
    assert len(bases["us_en_material"] & bases["ch_de_material"]) >= 16
    for config in ("us_en_formal", "us_en_material", "control_de_material"):
        assert len(bases[config]) >= 24


def test_kinds_of_issues_are_two_thirds_goals(rows: Any) -> None:
    assert Counter(row["issue_kind"] for row in rows["gb_de_material"]) == {"goal": 512, "position": 256}
    assert {row["issue_kind"] for row in rows["us_en_formal"]} == {None}
    assert {row["issue_kind"] for row in rows["de_en_material_matched"]} == {"position"}
    for left, right in zip(
        rows["de_en_material_matched"][::2], rows["de_en_material_matched"][1::2], strict=True
    ):
        assert (left["slots"]["issue"], right["slots"]["issue"]) == tuple(
            f"{left['base_id']}-{s}" for s in LEANINGS
        )


def test_words_of_competence_do_not_give_the_gold_away(rows: Any) -> None:
    said = Counter((row["gold"], "weniger kompetent" in row["argument"]) for row in rows["gb_de_material"])
    assert len(set(said.values())) == 1


@EACH
def test_a_larger_set_begins_with_a_smaller_one_and_goes_on_evenly(rows: Any, made: Any, config: str) -> None:
    more = _whole(made[config].table(2 * 768)).to_pylist()
    assert [row["id"] for row in more[:768]] == [row["id"] for row in rows[config]]
    assert len({row["prompt"] for row in more}) == len(more)
    for name in ("variation", "instruction_id"):
        assert len(set(Counter((row["gold"], row[name]) for row in more).values())) == 1


def test_millions_of_rows_are_distinct(made: Mapping[str, XlConfig]) -> None:
    assert sum(config.product for config in made.values()) > 10_000_000
    spec = made["ch_de_formal"].table(made["ch_de_formal"].product)
    first = spec.model_copy(update={"columns": {"prompt": spec.columns["prompt"]}})
    table = pa.Table.from_batches(TableRows(first).batches(0, 50_000))
    assert len(table["prompt"].unique()) == len(table) == 50_000


@pytest.mark.parametrize("size", [3, 10**10])
def test_rows_that_are_not_there_are_refused(made: Mapping[str, XlConfig], size: int) -> None:
    with pytest.raises((BuildError, ValueError), match="rows"):
        TableRows(made["us_en_material"].table(size))


def test_rows_of_the_whole_are_shared_out_among_configs() -> None:
    most = XL_PUBLICATION.max_rows(None, False)  # type: ignore[misc]
    assert [*most] == CONFIGS
    for size in (2 * len(most), 100_001, 10_000_000, sum(most.values())):
        found = dict(zip(most, split_rows(size, [*most.values()], pair=2), strict=True))
        assert sum(found.values()) == size // 2 * 2
        assert all(count % 2 == 0 and 0 < count <= most[name] for name, count in found.items())
    with pytest.raises(BuildError, match=f"which {len(CONFIGS)} configs allow"):
        XL_PUBLICATION.build_spec(rows=sum(most.values()) + 2)


def test_fresh_rows_share_no_person_and_no_argument_with_the_others(rows: Any) -> None:
    unpublished = {config.name: config for config in configs(load(unpublished=True))}
    assert [*unpublished] == [f"{config}_fresh" for config in CONFIGS if not config.endswith("people")]
    for config in (SOME[1], SOME[2]):
        found = _whole(unpublished[f"{config}_fresh"].table(768)).to_pylist()
        names = [
            {row["slots"][who] for row in each for who in ("favoured", "other")}
            for each in (found, rows[config])
        ]
        assert not names[0] & names[1]
        assert not {row["argument"] for row in found} & {row["argument"] for row in rows[config]}


def test_shards_are_slices_of_the_whole(made: Mapping[str, XlConfig], tmp_path: Any) -> None:
    spec = made["ch_de_formal"].table(768)
    parts = [pq.read_table(run_shard(spec, rank, 3, tmp_path).path) for rank in range(3)]
    assert pa.concat_tables(parts).equals(_whole(spec))


def test_two_sentences_among_reasons_stand_in_brackets(rows: Any) -> None:
    """After "because" brackets show where they end; as a sentence of their own they follow a colon."""
    n_reasons = 0
    for row in (row for config in ("us_en_formal", "ch_de_formal") for row in rows[config]):
        argument = row["argument"]
        if row["base_id"] in ("disjunction", "elimination", "conjunction"):
            is_reason = "because" in argument or "weil" in argument
            n_reasons += is_reason
            assert (" (" in argument) == is_reason
            assert (": " in argument.split("Daraus")[0]) != is_reason
    assert n_reasons > 100
