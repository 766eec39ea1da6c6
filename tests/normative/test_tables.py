"""The tables: rows, pairs, order."""

from collections import Counter, defaultdict

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import yaml

from polbias.generators.engine import DatasetSpec, TableRows
from polbias.paths import package_file

Tables = dict[tuple[str, str], pa.Table]


def _tables(spec: DatasetSpec) -> Tables:
    tables = {}
    for table in spec.tables:
        rows = TableRows(table)
        tables[table.config, table.split] = pa.Table.from_batches(rows.batches(0, len(rows)), rows.schema)
    return tables


@pytest.fixture(scope="module")
def tables(normative: DatasetSpec) -> Tables:
    return _tables(normative)


def test_rows(tables: Tables) -> None:
    assert {key: table.num_rows for key, table in tables.items()} == {
        ("deontic_logic", "test"): 1920,
        ("deontic_logic", "fewshot"): 11,
        ("deontic_syllogism", "test"): 1440,
        ("deontic_syllogism", "fewshot"): 8,
        ("epistemic_logic", "test"): 1440,
        ("epistemic_logic", "fewshot"): 8,
        ("epistemic_syllogism", "test"): 1440,
        ("epistemic_syllogism", "fewshot"): 8,
        ("deontic_logic_balanced", "test"): 2160,
        ("deontic_logic_balanced", "fewshot"): 8,
        ("deontic_syllogism_balanced", "test"): 1728,
        ("deontic_syllogism_balanced", "fewshot"): 8,
        ("epistemic_logic_balanced", "test"): 2160,
        ("epistemic_logic_balanced", "fewshot"): 8,
        ("epistemic_syllogism_balanced", "test"): 1728,
        ("epistemic_syllogism_balanced", "fewshot"): 8,
        ("wason", "test"): 240,
    }


def test_columns_are_documented_and_no_meaning_is_left_over(tables: Tables) -> None:
    documented = yaml.safe_load((package_file("cards") / "columns.yaml").read_text("utf-8"))
    meanings = documented["shared"] | documented["normative-reasoning"]
    names = {name for table in tables.values() for name in table.column_names}
    assert names == {name for name, meaning in meanings.items() if meaning is not None}
    assert "messages" not in names  # no problem has a system turn


def test_ids_are_unique(tables: Tables) -> None:
    for table in tables.values():
        assert pc.count_distinct(table["id"]).as_py() == table.num_rows


def test_pairs_are_contrapositives_of_one_style(tables: Tables) -> None:
    for (config, split), table in tables.items():
        rows = table.to_pylist()
        pairs = defaultdict(list)
        for row in rows:
            if row["pair_id"] is not None:
                pairs[row["pair_id"]].append(row)
        assert all(
            len(pair) == 2 and pair[0]["prompt_style"] == pair[1]["prompt_style"] for pair in pairs.values()
        )
        assert all(
            pair[0]["gold"] == pair[1]["gold"] and pair[0]["pattern"] != pair[1]["pattern"]
            for pair in pairs.values()
        )
        assert all((row["pair_id"] is None) == (row["pair_kind"] is None) for row in rows)
        if split == "test" and config.endswith("syllogism"):
            assert len(pairs) == 720


def test_rows_that_must_agree_have_one_gold_in_standard_logic(tables: Tables) -> None:
    for (config, split), table in tables.items():
        if config == "wason" or split != "test":
            continue
        golds = defaultdict(set)
        for row in table.to_pylist():
            for same in row["consistency_ids"]:
                golds[same].add(row["gold_sdl"])
        assert golds
        assert all(len(found) == 1 for found in golds.values())


def test_the_first_rows_are_spread_over_patterns(tables: Tables) -> None:
    first = tables["deontic_logic", "test"].slice(0, 22).to_pylist()
    assert Counter(row["pattern"] for row in first).most_common(1)[0][1] == 2
    assert {row["prompt_style"] for row in first} == {"zero"}


def test_few_shot_prompts_show_each_pattern_once_with_its_gold(tables: Tables) -> None:
    table = tables["epistemic_syllogism", "test"]
    shown = tables["epistemic_syllogism", "fewshot"].to_pylist()
    few = next(row for row in table.to_pylist() if row["prompt_style"] == "few")
    for example in shown:
        assert few["prompt"].count(f"{example['prompt']} {example['gold']}\n\n") == 1
    zero = next(row for row in table.to_pylist() if row["prompt_style"] == "zero")
    assert zero["prompt"].count("Premise:") == 1
    assert zero["prompt"].endswith("Answer:")


def test_exemplars_have_the_type_of_what_they_say(tables: Tables) -> None:
    shown = [row for (_, split), table in tables.items() if split == "fewshot" for row in table.to_pylist()]
    types = {
        (row["config"], row["pattern"]): row["content_type"]
        for row in shown
        if not row["config"].endswith("_balanced")
    }
    assert len(types) == 35
    special = {
        # One may bring no gift and enter no raffle, and must do neither; to burn a letter is no way to mail it.
        "deontic_logic": {"NotMu-NotMi", "MiNot-MuNot", "Mi-Mu", "Ross-Or-Intro"},
        # The key may be in the top drawer, and may not.
        "epistemic_logic": {"NotMu-MiNot", "MiNot-NotMu"},
        # When orchids are watered and choirs meet is no matter of common sense.
        "deontic_syllogism": {"Cat-MP", "Cat-MT", "Cat-DA", "Hyp-MT"},
        # Not every night-shift nurse must like cats better.
        "epistemic_syllogism": {"Cat-MP", "Cat-DA", "Hyp-MP", "Hyp-MT", "Hyp-AC"},
    }
    kinds = {
        "deontic_logic": ("congruent", "incongruent"),
        "deontic_syllogism": ("congruent", "arbitrary"),
        "epistemic_logic": ("incongruent", "congruent"),
        "epistemic_syllogism": ("arbitrary", "incongruent"),
    }
    for (config, pattern), kind in types.items():
        assert kind == kinds[config][pattern in special.get(config, ())], (config, pattern)
