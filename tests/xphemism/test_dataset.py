"""The dataset: pairs that are minimal, arms that mirror each other, counts, and what the columns promise."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from difflib import SequenceMatcher
from itertools import chain
from typing import Any

import pyarrow as pa
import pytest

from polbias.errors import TemplateError
from polbias.generators.engine import TableRows
from polbias.generators.xphemism.items import PAIRS, PLACEBO, items
from polbias.generators.xphemism.tables import dataset
from polbias.generators.xphemism.templates import XphemismTemplates, load_family
from polbias.paths import package_file

Tables = Mapping[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def family() -> XphemismTemplates:
    return load_family()


@pytest.fixture(scope="module")
def tables() -> Tables:
    found = {}
    for spec in dataset().tables:
        rows = TableRows(spec)
        found[spec.config] = pa.Table.from_batches(rows.batches(0, len(rows)), rows.schema).to_pylist()
    return found


def test_claims_are_three_hundred_half_of_them_true(family: XphemismTemplates) -> None:
    golds = Counter(claim.gold for claim in family.claims())
    assert golds == {"true": 150, "false": 150}
    for file in family.files.values():
        assert Counter(claim.gold for claim in file.claims) == {"true": 25, "false": 25}
    assert {claim.status for claim in family.claims()} == {"unverified"}


def test_style_does_not_tell_the_truth(family: XphemismTemplates) -> None:
    """True and false claims are equally long and have numbers equally often."""
    words = {
        gold: [len(c.claim.split()) for c in family.claims() if c.gold == gold] for gold in ("true", "false")
    }
    means = {gold: sum(found) / len(found) for gold, found in words.items()}
    assert abs(means["true"] - means["false"]) < 1.5
    digits = Counter(c.gold for c in family.claims() if any(letter.isdigit() for letter in c.claim))
    assert abs(digits["true"] - digits["false"]) <= 15


def test_every_exchange_of_the_claims_is_made(family: XphemismTemplates) -> None:
    for item in chain(*items(family).values()):
        assert item.pair.status == "made", (item.id, item.pair.reason)


def test_shifts_are_balanced_and_many_word_pairs_occur(family: XphemismTemplates) -> None:
    political = items(family)[PAIRS]
    shifts = Counter(item.exchange.shift for item in political)
    assert 0.7 < shifts["left"] / shifts["right"] < 1.4
    pairs = Counter(item.exchange.pair_id for item in political)
    assert len(pairs) >= 130
    assert max(pairs.values()) <= 6
    assert {item.pair.hit for item in political} == {"exact", "inflected", "compound"}


@pytest.mark.parametrize(
    ("config", "arm"), [("pairs", "shifted"), ("pairs_other", "shifted"), ("placebo", "placebo")]
)
def test_rows_of_a_pair_differ_in_the_edited_places_only(tables: Tables, config: str, arm: str) -> None:
    by_pair = defaultdict(list)
    for row in tables[config]:
        by_pair[row["pair_id"]].append(row)
    for pair_id, (base, changed) in by_pair.items():
        assert (base["arm"], changed["arm"]) == ("base", arm)
        varying = {name for name in base if base[name] != changed[name]}
        assert varying <= {"id", "prompt", "claim", "arm", "edited"}, pair_id
        assert base["prompt"].replace(base["claim"], changed["claim"]) == changed["prompt"]
        assert base["edited"] != changed["edited"]


def test_the_edits_make_the_changed_claim_and_nothing_else(family: XphemismTemplates) -> None:
    for item in chain(*items(family).values()):
        text = item.claim.claim
        for edit in reversed(item.pair.edits):
            assert text[edit.start : edit.end] == edit.old
            text = text[: edit.start] + edit.new + text[edit.end :]
        assert text == item.pair.shifted_claim


def test_arms_beside_each_other_and_both_prompts_in_both_languages(tables: Tables) -> None:
    for config in ("pairs", "placebo"):
        rows = tables[config]
        assert all(one["pair_id"] == two["pair_id"] for one, two in zip(rows[::2], rows[1::2], strict=True))
        cells = Counter((row["prompt_style"], row["instruction_language"]) for row in rows)
        assert len(cells) == 4
        assert len(set(cells.values())) == 1
        assert len({row["id"] for row in rows}) == len(rows)
        assert len({row["prompt"] for row in rows if row["arm"] != "base"}) >= 0.99 * len(rows) / 2


def test_lexicon_has_every_pair_in_both_directions(tables: Tables) -> None:
    rows = tables["lexicon"]
    assert len(rows) == 2 * 285
    mirrored = {"left": "right", "right": "left", "none": "none"}
    for one, two in zip(rows[::2], rows[1::2], strict=True):
        assert (one["base_word"], one["exchange_word"]) == (two["exchange_word"], two["base_word"])
        assert two["shift"] == mirrored[one["shift"]]
        assert one["judgmental_base"] == two["judgmental_exchange"]
    typo = [row["erratum"] for row in rows if row["cluster_id"] == "endlager_entsorgungspark"]
    assert typo == ["xphemism-entsorungspark"] * 2


def test_contents_stand_in_the_config_that_they_belong_to(tables: Tables) -> None:
    assert {row["content"] for row in tables["pairs"]} == {"same"}
    assert {row["content"] for row in tables["pairs_other"]} == {"vaguer", "other"}
    assert not {"Entdeutschung", "Bevölkerungsaustausch", "Lügenpresse", "Öko-Terrorismus"} & {
        row["exchange_word"]
        for config in ("pairs", "pairs_other")
        for row in tables[config]
        if row["gold"] == "true"
    }


def test_the_placebo_exchanges_nouns_as_long_as_the_loaded_ones(family: XphemismTemplates) -> None:
    found = items(family)
    assert len(found[PLACEBO]) >= 200
    words = {word for pair in family.lexicon.placebos for word in (pair.first, pair.second)}
    assert {family.lexicon.words[word].pos for word in words} == {"noun"}
    lengths = {
        config: sorted(len(item.exchange.exchange) for item in found[config]) for config in (PAIRS, PLACEBO)
    }
    middle = {config: each[len(each) // 2] for config, each in lengths.items()}
    assert abs(middle[PAIRS] - middle[PLACEBO]) <= 3


def test_no_claim_resembles_another_closely(family: XphemismTemplates) -> None:
    claims = sorted((claim.claim for claim in family.claims()), key=len)
    for place, claim in enumerate(claims):
        for other in claims[place + 1 : place + 12]:
            matcher = SequenceMatcher(None, claim, other, autojunk=False)
            if matcher.real_quick_ratio() > 0.9 and matcher.quick_ratio() > 0.9:
                assert matcher.ratio() < 0.9, (claim, other)


def test_an_exchange_that_is_no_pair_is_an_error(tmp_path: Any) -> None:
    import shutil

    folder = tmp_path / "xphemism"
    shutil.copytree(package_file("templates/xphemism"), folder)
    path = sorted((folder / "claims").glob("*.yaml"))[0]
    text = path.read_text("utf-8")
    first = text.index("same: [[") + len("same: [[")
    path.write_text(text[:first] + "Wetter, " + text[text.index(",", first) + 2 :], "utf-8")
    with pytest.raises(
        TemplateError, match=rf"{path.name}:\d+: claims\.0\.pairs\.same\.0: .*pair of pairs\.tsv"
    ):
        load_family(folder)
