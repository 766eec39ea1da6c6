"""The design of the partisan dataset: counts, pairs, order, hold-outs, columns (paper, section 3)."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations, pairwise

import pytest
import yaml

from polbias.generators.partisan.templates import load_family
from polbias.paths import package_file

FULL = ["en_formal", "en_material", "de_formal", "de_material", "en_control_formal", "en_control_material"]
CROSSED = ["en_material_crossed", "de_material_crossed"]
CORRECTED = FULL + CROSSED
PAPER = [f"{config}_paper" for config in FULL]
MINI = [f"{config}_mini" for config in FULL]


@pytest.fixture(scope="session")
def rows(partisan_tables):
    return {key: table.to_pylist() for key, table in partisan_tables.items()}


def test_configs_are_those_of_the_design(partisan) -> None:
    assert partisan.configs == FULL + CROSSED + PAPER + MINI


@pytest.mark.parametrize("config", FULL + PAPER)
def test_counts_are_those_of_the_paper(rows, config: str) -> None:
    test = rows[config, "test"]
    assert len(test) == 1608
    assert (
        len({row["argument"] for row in test} | {row["argument"] for row in rows[config, "fewshot"]}) == 192
    )
    assert Counter(row["shots"] for row in test) == {0: 3 * 192, 8: 3 * 184, 32: 3 * 160}


def test_prompts_per_language_and_in_all(rows) -> None:
    total = {
        language: sum(len(rows[f"{language}_{kind}", "test"]) for kind in ("formal", "material"))
        for language in ("en", "de", "en_control")
    }
    assert total == {"en": 3216, "de": 3216, "en_control": 3216}
    assert total["en"] + total["de"] == 6432


@pytest.mark.parametrize("config", CROSSED)
def test_crossed_configs_ask_every_issue_for_both_parties(rows, config: str) -> None:
    test = rows[config, "test"]
    assert len(test) == 3 * (384 + 376 + 352)
    sides = {(row["slots"]["issue"], row["leaning"]) for row in test}
    assert sides == {(str(issue), leaning) for issue in range(1, 7) for leaning in ("left", "right")}
    assert {row["pair_kind"] for row in test} == {"mirror"}


@pytest.mark.parametrize("config", MINI)
def test_mini_configs_are_balanced(rows, config: str) -> None:
    test = rows[config, "test"]
    assert len(test) == 48
    cells = Counter((row["gold"], row["leaning"], row["gender"]) for row in test)
    assert set(cells.values()) == {6}
    assert {row["shots"] for row in test} == {0}
    full = {row["prompt"] for row in rows[config.removesuffix("_mini"), "test"]}
    assert all(row["prompt"] in full for row in test)


def test_ids_are_unique_and_pairs_are_pairs(rows) -> None:
    ids = [row["id"] for table in rows.values() for row in table]
    assert len(set(ids)) == len(ids)
    for table in rows.values():
        pairs: dict[str, list[str]] = {}
        for row in table:
            pairs.setdefault(row["pair_id"], []).append(row["leaning"])
        assert all(sorted(sides) == ["left", "right"] for sides in pairs.values())


@pytest.mark.parametrize("config", CORRECTED + PAPER + MINI)
def test_pair_mates_agree_in_all_but_the_leaning(rows, config: str) -> None:
    table = rows[config, "test"]
    same = (
        "gold",
        "gender",
        "variation",
        "instruction_id",
        "shots",
        "cluster_id",
        "pair_kind",
        "in_all_shots",
    )
    for left, right in zip(table[::2], table[1::2], strict=True):
        assert (left["leaning"], right["leaning"]) == ("left", "right")
        assert left["pair_id"] == right["pair_id"]
        assert all(left[name] == right[name] for name in same)


@pytest.mark.parametrize("config", FULL + PAPER)
def test_clusters_are_the_three_bases(rows, config: str) -> None:
    clusters = {row["cluster_id"] for row in rows[config, "test"]}
    assert len(clusters) == 3
    assert all(row["base_id"] == row["cluster_id"] for row in rows[config, "test"])
    assert clusters == {row["cluster_id"] for row in rows[config.removesuffix("_paper"), "test"]}


def test_material_pairs_are_matched_as_the_country_file_declares(rows) -> None:
    for config in ("en_material", "de_material", "en_control_material"):
        table = rows[config, "test"]
        issues = {
            (right["slots"]["issue"], left["slots"]["issue"])
            for left, right in zip(table[::2], table[1::2], strict=True)
        }
        assert issues == {("1", "3"), ("2", "4"), ("5", "6")}


@pytest.mark.parametrize("config", FULL)
def test_every_even_prefix_is_complete_in_pairs_and_spread_over_patterns(rows, config: str) -> None:
    table = rows[config, "test"]
    for stop in (2, 12, 48, 100, 576, len(table)):
        pairs = Counter(row["pair_id"] for row in table[:stop])
        assert set(pairs.values()) == {2}
    assert len({row["cluster_id"] for row in table[:12]}) == 3
    assert len({row["pattern_id"] for row in table[:12:2]}) == 6
    assert {row["gold"] for row in table[:24]} == {"valid", "invalid"}


@pytest.mark.parametrize("config", CORRECTED + PAPER)
def test_held_out_arguments_are_not_tested_in_their_setting(rows, config: str) -> None:
    held = {8: set(), 32: set()}
    for row in rows[config, "fewshot"]:
        held[row["shots"]].add(row["argument"])
    assert {shots: len(texts) for shots, texts in held.items()} == {8: 8, 32: 32}
    for row in rows[config, "test"]:
        assert row["argument"] not in held.get(row["shots"], ())
        assert row["in_all_shots"] == (row["argument"] not in held[8] | held[32])


@pytest.mark.parametrize("config", CORRECTED + PAPER)
def test_few_shot_cells_are_those_of_appendix_g(rows, config: str) -> None:
    examples = rows[config, "fewshot"]
    eight = Counter((r["gold"], r["gender"], r["leaning"]) for r in examples if r["shots"] == 8)
    assert set(eight.values()) == {1}
    assert len(eight) == 8
    many = Counter(
        (r["gold"], r["gender"], r["leaning"], r["variation"]) for r in examples if r["shots"] == 32
    )
    assert set(many.values()) == {1}
    assert len(many) == 32
    for shots in (0, 8, 32):
        cells = Counter((r["gold"], r["leaning"]) for r in rows[config, "test"] if r["shots"] == shots)
        assert len(set(cells.values())) == 1


def _examples(row: dict, pool: list[dict], labels: dict[str, str]) -> list[dict]:
    """Find the examples of a prompt in their order, and check their labels."""
    found = []
    for example in pool:
        position = row["prompt"].find(f": {example['argument']}: {labels[example['gold']]}")
        if position < 0:
            position = row["prompt"].find(f"; {example['argument']}: {labels[example['gold']]}")
        if position >= 0:
            found.append((position, example))
    return [example for _, example in sorted(found, key=lambda pair: pair[0])]


LABELS = {
    "en": {"valid": "**valid**", "invalid": "**invalid**"},
    "de": {"valid": "**gültig**", "invalid": "**ungültig**"},
}


def _shown(rows, config: str) -> list[tuple[dict, list[dict]]]:
    """Return the first row of every block, instruction and leaning with its examples in their order."""
    table = rows[config, "test"]
    pool = [row for row in table if row["shots"] == 0 and row["instruction_id"] == "1"]
    seen: dict[tuple, dict] = {}
    for row in table:
        if row["shots"]:
            seen.setdefault((row["exemplar_set"], row["leaning"]), row)
    return [(row, _examples(row, pool, LABELS[row["language"]])) for row in seen.values()]


@pytest.mark.parametrize("config", CORRECTED)
def test_corrected_examples_alternate_mirror_each_other_and_are_labelled_as_asked(rows, config: str) -> None:
    orders: dict[str, dict[str, list[dict]]] = {}
    for row, order in _shown(rows, config):
        assert len(order) == row["shots"]
        assert all(a["leaning"] != b["leaning"] for a, b in pairwise(order))
        orders.setdefault(row["exemplar_set"], {})[row["leaning"]] = order
    for sides in orders.values():
        for one, two in zip(sides["left"], sides["right"], strict=True):
            assert one["pair_id"] == two["pair_id"]
            assert one["leaning"] != two["leaning"]


SQUARE = ("variation", "pattern_id", "gender", "position", "last")


@pytest.mark.parametrize("config", CORRECTED)
@pytest.mark.parametrize("shots", [8, 32])
def test_gold_of_examples_is_half_valid_in_every_margin(rows, config: str, shots: int) -> None:
    """The last position and the last label are one thing; all other two-way margins are exactly even."""
    examples, blocks = [], set()
    for row, order in _shown(rows, config):
        if row["shots"] == shots:
            blocks.add(row["exemplar_set"])
            places = enumerate(order)
            examples += [{**one, "position": place, "last": order[-1]["gold"]} for place, one in places]
            for name in ("variation", "pattern_id", "gender"):  # within a block already
                cells = Counter((one[name], one["gold"]) for one in order)
                assert all(cells[level, "valid"] == cells[level, "invalid"] for level, _ in cells)
    assert len(blocks) == {8: 12, 32: 6}[shots]
    for first, second in [(name, name) for name in SQUARE] + list(combinations(SQUARE, 2)):
        if (first, second) != ("position", "last"):
            cells = Counter((one[first], one[second], one["gold"]) for one in examples)
            assert all(cells[a, b, "valid"] == cells[a, b, "invalid"] for a, b, _ in cells)


def test_the_square_is_the_same_in_every_config(rows) -> None:
    def square(config: str) -> set[tuple]:
        return {
            (row["exemplar_set"], *((one["gold"], one["variation"], one["gender"]) for one in order))
            for row, order in _shown(rows, config)
        }

    assert len({frozenset(square(config)) for config in CORRECTED}) == 1


@pytest.mark.parametrize("config", CORRECTED)
def test_a_row_never_sees_its_own_pair_nor_its_argument_in_another_variation(rows, config: str) -> None:
    orders = {row["exemplar_set"]: order for row, order in _shown(rows, config)}
    own = ("pattern_id", "gold", "gender", "leaning")
    for row in rows[config, "test"]:
        shown = orders.get(row["exemplar_set"], [])
        assert all(any(row[name] != one[name] for name in own) for one in shown)
        assert all(
            f"{one['argument']}: " in row["prompt"] for one in shown if one["leaning"] == row["leaning"]
        )
        assert not row["exemplar_overlap"]
        assert (row["exemplar_set"] is None) == (row["shots"] == 0)
    # what is tested is as often valid whatever label came last
    cells = Counter(
        (row["shots"], row["exemplar_set"].split("/")[2], row["gold"], row["leaning"])
        for row in rows[config, "test"]
        if row["shots"]
    )
    for shots, last, _, leaning in cells:
        assert cells[shots, last, "valid", leaning] == cells[shots, last, "invalid", leaning]


@pytest.mark.parametrize("config", PAPER)
def test_printed_examples_are_left_first_and_carry_english_labels(rows, config: str) -> None:
    table, pool = rows[config, "test"], rows[config, "fewshot"]
    row = next(row for row in table if row["shots"] == 8)
    eight = [example for example in pool if example["shots"] == 8]
    order = _examples(row, eight, {"valid": "Valid", "invalid": "Invalid"})
    assert [example["leaning"] for example in order] == ["left"] * 4 + ["right"] * 4
    assert "partisan-fewshot-order" in row["erratum"]
    many = [r for r in table if r["shots"] == 32][:2]
    pool = [example for example in pool if example["shots"] == 32]
    orders = [_examples(row, pool, {"valid": "Valid", "invalid": "Invalid"}) for row in many]
    assert orders[0] == orders[1]


def _swaps() -> dict[str, tuple[re.Pattern[str], dict[str, str]]]:
    """Return, by config prefix, what exchanges the two persons of a gender and the two parties."""
    swaps = {}
    for country in load_family().countries:
        left, right = country.sides["left"], country.sides["right"]
        pairs = [(left.person(g).name, right.person(g).name) for g in ("f", "m")]
        if country.language == "en":
            pairs += [(left.member, right.member), (left.noun, right.noun)]
        else:
            pairs += [(getattr(left.member, f), getattr(right.member, f)) for f in ("f", "m", "plural")]
        both = {a: b for pair in pairs for a, b in (pair, pair[::-1])}
        names = sorted(both, key=len, reverse=True)
        pattern = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names))
        swaps[country.config] = (pattern, both)
    return swaps


@pytest.mark.parametrize("config", [c for c in FULL + MINI if "formal" in c])
def test_swapping_persons_and_parties_gives_the_pair_mate_byte_for_byte(rows, config: str) -> None:
    pattern, both = _swaps()[config.partition("_formal")[0]]
    table = rows[config, "test"]
    for left, right in zip(table[::2], table[1::2], strict=True):
        for name in ("argument", "conclusion", "prompt"):
            swapped = pattern.sub(lambda found: both[found[0]], left[name])
            assert swapped == right[name]
        assert pattern.sub(lambda found: both[found[0]], right["prompt"]) == left["prompt"]


def test_every_column_is_documented_and_there_in_every_config(partisan_tables) -> None:
    documented = yaml.safe_load((package_file("cards") / "columns.yaml").read_text("utf-8"))
    meanings = {**documented["shared"], **documented["partisan-inference"]}
    expected = {name for name, meaning in meanings.items() if meaning is not None}
    for table in partisan_tables.values():
        assert set(table.column_names) == expected
        assert len({tuple(t.schema.types) for t in partisan_tables.values()}) == 1


def test_columns_hold_what_the_design_says(rows) -> None:
    for (config, _), table in rows.items():
        for row in table:
            assert row["dataset"] == "partisan-inference"
            assert row["config"] == config
            assert row["kind"] == ("formal" if "formal" in config else "material")
            assert row["prompt"].endswith(row["argument"])
            assert row["proof"] == "proved:fol" or row["kind"] == "material" or config.endswith("_paper")
            assert (row["logical_form"] is None) == (row["kind"] == "material")
            assert row["country"] == (
                None if "control" in config else row["language"].replace("en", "US").replace("de", "CH")
            )
            assert row["canary"].startswith("polbias-canary ")


def test_control_says_what_is_printed_and_what_is_completed(rows) -> None:
    for config in ("en_control_formal", "en_control_material"):
        sources = Counter(row["source"] for row in rows[config, "test"])
        assert any("Table 11" in source for source in sources)
        assert any("completed by analogy" in source for source in sources)
        assert all(
            "completed by analogy" in row["source"] for row in rows[config, "test"] if row["gender"] == "f"
        )


def test_exemplar_overlap_marks_arguments_shown_in_another_variation(rows) -> None:
    table, own = rows["en_formal_paper", "test"], ("shots", "pattern_id", "gold", "gender", "leaning")
    shown = {tuple(row[name] for name in own) for row in rows["en_formal_paper", "fewshot"]}
    for row in table:
        assert row["exemplar_overlap"] == (tuple(row[name] for name in own) in shown)
    assert any(row["exemplar_overlap"] for row in table if row["shots"] == 32)


def test_instructions_are_nine_per_kind_and_language(rows) -> None:
    for config in FULL:
        settings = {(row["instruction_id"], row["shots"]) for row in rows[config, "test"]}
        assert len(settings) == 9


@pytest.mark.parametrize("config", CORRECTED + PAPER + MINI)
def test_first_named_is_the_name_that_comes_first(rows, config: str) -> None:
    for row in rows[config, "test"]:
        first = min(("favoured", "other"), key=lambda who: row["argument"].index(row["slots"][who]))
        assert row["first_named"] == first
        left, right = row["person_pair"].split(".")
        assert left != right
    if config in FULL:
        # who is named first goes with the pattern, not with the leaning
        sides = Counter((row["leaning"], row["first_named"]) for row in rows[config, "test"])
        for named in ("favoured", "other"):
            assert sides["left", named] == sides["right", named] > 0
    if config == "en_formal":
        named = {(row["base_id"], row["first_named"]) for row in rows[config, "test"]}
        assert named == {
            ("en_formal/1", "favoured"),
            ("en_formal/3-ultraclear", "favoured"),
            ("en_formal/2-inf", "other"),
        }


def test_text_is_clean(rows) -> None:
    for table in rows.values():
        for row in table:
            for text in (row["prompt"], row["argument"], *row["premises"]):
                assert "  " not in text
                assert text == text.strip()
                assert "{" not in text
                assert "None" not in text
