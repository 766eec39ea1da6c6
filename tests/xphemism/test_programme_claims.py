"""Claims in the manner of party programmes and news, with the forms that two readers accept.

Both readers, language models, labelled the claims before any rule was changed for them. `accept` and `second_accept` are the
right sentences, parted by " || ", or "none" where nothing should be made. `first` is the result before those changes. Most words are
in no pair of the lexicon; `claims_tenth.morphology.tsv` has their grammar, written before the first measurement except for the plural
of "staatliche Unterstützung", which the lexicon denies.
"""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from pathlib import Path

import pytest

from polbias.generators.authoring.pairs import pairs_tsv
from polbias.generators.xphemism.items import PairMaker
from polbias.generators.xphemism.vocabulary.lexicon import WordPair, load_lexicon
from polbias.paths import package_file

_FOLDER = Path(__file__).parent
NONE = "none"


def _claims() -> list[dict[str, str]]:
    with (_FOLDER / "claims_tenth.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def _accepted(claim: dict[str, str]) -> set[str]:
    """Return the sentences that either reader accepts."""
    return {*claim["accept"].split(" || "), *claim["second_accept"].split(" || ")} - {NONE}


@pytest.fixture(scope="module")
def maker(tmp_path_factory: pytest.TempPathFactory) -> PairMaker:
    """Make pairs with the packaged lexicon and the words of the claims."""
    folder = tmp_path_factory.mktemp("lexicon")
    templates = package_file("templates/xphemism")
    for path in (*templates.glob("morphology.*.tsv"), templates / "placebo.tsv"):
        shutil.copy(path, folder)
    shutil.copy(_FOLDER / "claims_tenth.morphology.tsv", folder / "morphology.claims.tsv")
    pairs = list(load_lexicon().pairs)
    known = {frozenset((pair.first, pair.second)) for pair in pairs}
    for claim in _claims():
        words = (claim["base_word"], claim["exchange_word"])
        if frozenset(words) not in known:
            known.add(frozenset(words))
            pairs.append(
                WordPair(
                    pair_id=f"claim-{claim['id']}",
                    first=words[0],
                    second=words[1],
                    shift="none",
                    axis="none",
                    judgmental_first=False,
                    judgmental_second=False,
                    collected="manual",
                    printed=None,
                )
            )
    (folder / "pairs.tsv").write_text(pairs_tsv(pairs), encoding="utf-8")
    return PairMaker(load_lexicon(folder))


def test_what_is_made_is_right(maker: PairMaker) -> None:
    """The floors are what is reached: 3 of 162 are wrong, all by another sense of the word."""
    results: Counter[str] = Counter()
    for claim in _claims():
        pair = maker.make(claim["claim"], claim["base_word"], claim["exchange_word"])
        is_right = pair.shifted_claim in _accepted(claim)
        results["right" if is_right else "wrong" if pair.status == "made" else "abstained"] += 1
    assert results["wrong"] <= 3
    assert results["right"] >= 159


def test_first_scores() -> None:
    """The first scores of the documentation are the ones on file."""
    claims = _claims()
    first = Counter(claim["first"] for claim in claims)
    assert (first["right"], first["wrong"], first["review"], first["none"]) == (151, 23, 18, 8)
    assert sum(bool(_accepted(claim)) for claim in claims) == 179
