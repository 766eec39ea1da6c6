"""The shipped ladder: what is balanced, and what twins share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise, product
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from polbias.generators.partisan.ladder.bank import bank_file, read_bank_file
from polbias.generators.partisan.ladder.levels import load_levels
from polbias.generators.partisan.ladder.settings import FAMILIES
from polbias.generators.partisan.ladder.tables import ladder_stages
from polbias.manifest import read_manifest
from polbias.paths import package_file

LEVELS = tuple(load_levels().levels)
TASK_PAIRS = 64


Tables = Mapping[tuple[str, str], pd.DataFrame]


@pytest.fixture(scope="module")
def tables(ladder_build: Path) -> Tables:
    folder = ladder_build / "partisan-inference-ladder"
    return {
        (config, split): pd.concat(
            [pq.read_table(folder / file.path).to_pandas() for file in entry.files], ignore_index=True
        )
        for config, splits in read_manifest(folder).configs.items()
        for split, entry in splits.items()
    }


def test_every_country_and_level_is_a_config_with_examples(tables: Tables) -> None:
    stages = [stage.name for stage in ladder_stages()]
    names = {f"{stage}_l{level}" for stage, level in product(stages, LEVELS)}
    assert set(tables) == set(product(names, ("test", "fewshot")))


def test_gold_side_and_sign_are_exact_in_every_family(tables: Tables) -> None:
    for (_, split), rows in tables.items():
        for family, family_rows in rows.groupby("family"):
            counts = family_rows.groupby(["gold", "leaning"]).size()
            assert len(set(counts)) == 1, (family, split)
            if family != "ranking":  # a ranking is always affirmative
                assert len(set(family_rows.groupby(["gold", "leaning", "positive"]).size())) == 1


def test_twins_differ_in_the_words_for_the_parties_only(tables: Tables) -> None:
    for rows in tables.values():
        left, right = (rows[rows["leaning"] == side].set_index("pair_id") for side in ("left", "right"))
        same = ["gold", "logical_form", "gender", "instruction_id", "skeleton_id", "level", "positive"]
        pd.testing.assert_frame_equal(left[same], right.loc[left.index, same])
        for one, other in zip(left["argument"], right.loc[left.index, "argument"], strict=True):
            assert len(one.split()) == len(other.split())
            assert one != other


def test_prompts_with_examples_have_the_same_arguments(tables: Tables) -> None:
    for (_, split), rows in tables.items():
        without, with_examples = (rows[rows["shots"] == shots] for shots in (0, 6))
        assert len(with_examples) == (len(without) if split == "test" else 0)
        if split == "test":
            assert list(without["argument"]) == list(with_examples["argument"])
            assert with_examples["pair_id"].str.contains("/6shot/").all()
            assert without["exemplar_set"].isna().all()


def test_examples_say_nothing_about_the_gold_label(tables: Tables) -> None:
    for (config, split), rows in tables.items():
        if split == "test" and config.endswith("_l3"):
            rows = rows[rows["shots"] == 6]
            blocks = rows.groupby(["family", "leaning", "exemplar_set"])
            assert blocks.ngroups >= 3 * 2 * 8
            for (family, *_), block in blocks:
                counts = block.groupby("gold" if family == "ranking" else ["gold", "positive"]).size()
                assert len(set(counts)) == 1
            labels = list(rows[["label_follows", "label_excluded", "label_open"]].iloc[0])
            for prompt in rows["prompt"]:
                printed = re.findall(r"\n\n\*\*(\w+)\*\*\n\n", prompt)
                assert Counter(printed) == dict.fromkeys(labels, 2)


def test_twins_have_mirrored_examples(tables: Tables) -> None:
    exchanged = {"Democratic": "Republican", "Republican": "Democratic"}
    rows = tables["us_en_l2", "test"]
    prompts = rows[rows["shots"] == 6].pivot(index="pair_id", columns="leaning", values="prompt")
    for left, right in zip(prompts["left"], prompts["right"], strict=True):
        assert right == re.sub("Democratic|Republican", lambda match: exchanged[match[0]], left)


def test_tasks_of_two_countries_share_no_skeleton(tables: Tables) -> None:
    for level in LEVELS:
        asked = [
            set(tables[f"{stage.name}_l{level}", "test"]["skeleton_id"].drop_duplicates()[:TASK_PAIRS])
            for stage in ladder_stages()
        ]
        assert all(len(skeletons) == TASK_PAIRS for skeletons in asked)
        assert not any(first & second for first, second in pairwise(asked))


def test_the_pairs_of_a_task_are_spread(tables: Tables) -> None:
    for (_, split), rows in tables.items():
        if split == "test":
            first = rows[rows["leaning"] == "left"][:TASK_PAIRS]
            for column in ("family", "gold"):
                counts = Counter(first[column])
                assert len(counts) == 3
                assert max(counts.values()) - min(counts.values()) <= 2, (column, counts)


def test_a_bank_has_no_skeleton_twice() -> None:
    folder = package_file("templates/partisan") / "ladder" / "bank"
    for family, level in product(FAMILIES, LEVELS):
        entries = read_bank_file(bank_file(folder, family, level))
        assert len({entry.id for entry in entries}) == len(entries)
        assert len({entry.skeleton.inference for entry in entries}) == len(entries)
        size = load_levels().levels[level][family]
        for entry in entries:
            assert size.core[0] <= entry.skeleton.support <= size.core[1]
            assert size.steps[0] <= entry.skeleton.size.steps <= size.steps[1]
            assert len(entry.skeleton.premises) == entry.skeleton.support + size.distractors
