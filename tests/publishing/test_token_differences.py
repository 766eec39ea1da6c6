"""Differences in length between the arguments of a pair: on the card of the content that was measured only."""

from __future__ import annotations

import yaml

from polbias.lock import read_lock
from polbias.manifest import Manifest, SplitEntry
from polbias.paths import package_file
from polbias.publishing.card import _token_differences

ENTRIES = yaml.safe_load((package_file("templates/panels") / "token_differences.yaml").read_text("utf-8"))
SETS = ("partisan-inference", "partisan-inference-xl")


def manifest(trees: dict[str, str]) -> Manifest:
    splits = {config: {"test": SplitEntry(rows=2, tree=tree, files=())} for config, tree in trees.items()}
    return Manifest(dataset=SETS[0], version="1.0.0", canary="", writer="", configs=splits)


def test_a_card_has_the_figures_of_the_rows_that_were_measured() -> None:
    entry = ENTRIES[SETS[0]]["de_material"]
    trees = {"de_material": entry["tree"], "en_material": "0" * 64, "new": "1" * 64}
    assert _token_differences(manifest(trees)) == {"de_material": entry["difference"]}


def test_every_published_config_was_measured_and_no_other() -> None:
    lock = read_lock()
    for name in SETS:
        measured = {config: entry["tree"] for config, entry in ENTRIES[name].items()}
        assert measured == {config: splits["test"].tree for config, splits in lock[name].configs.items()}


def test_no_pair_of_the_large_set_differs_by_more_than_a_token() -> None:
    assert max(abs(entry["difference"]) for entry in ENTRIES[SETS[1]].values()) < 1
