"""Each defect on a claim of our own that has it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polbias.files import InputError
from polbias.generators import xphemism
from polbias.generators.auditing.polbix.audit import CODES, NOT_MINIMAL, audit, defective_ids, defects
from polbias.generators.auditing.polbix.files import ClaimPair, Labels, Polbix, load
from tests.support.polbix_files import SOUND, answer, row, write_answers, write_claims

pytest.importorskip("ahocorasick_rs")

BASE, EXCHANGE = SOUND["base_claim"], SOUND["exchange_claim"]


def found(folder: Path, *rows: dict[str, str]) -> dict[str, set[str]]:
    """Return the codes by id."""
    return {each.row.id: set(each.findings) for each in defects(load(write_claims(folder, *rows)))}


def test_a_sound_pair_has_none(tmp_path: Path) -> None:
    assert found(tmp_path, row()) == {SOUND["id"]: set()}


@pytest.mark.parametrize(
    ("changed", "codes"),
    [
        ({"exchange_claim": ""}, {"missing-exchange-claim"}),
        (
            {"base_claim": "Die Stadt plant den Umbau der alten Turnhalle."},
            {"base-word-absent"},
        ),
        (
            {"base_claim": "Die Stadt plant nach dem Rückbau den Abriss der alten Turnhalle.",
             "exchange_claim": "Die Stadt plant nach dem Rückbau den Rückbau der alten Turnhalle."},
            {"exchange-word-in-base"},
        ),
        (
            {"exchange_claim": "Die Stadt plant den Umbau der alten Turnhalle."},
            {"exchange-word-absent"},
        ),
        (
            {"base_claim": EXCHANGE, "exchange_claim": BASE},
            {"base-word-absent", "exchange-word-in-base", "base-word-in-exchange", "exchange-word-absent",
             "reversed-direction"},
        ),
        (
            {"base_claim": EXCHANGE, "exchange_claim": "Die Stadt plane den Rückbau der alten Turnhalle."},
            {"base-word-absent", "exchange-word-in-base", "same-word-on-both-sides", "edit-outside-phrase", "mood-changed"},
        ),
        (
            {"exchange_claim": BASE},
            {"base-word-in-exchange", "exchange-word-absent", "same-word-on-both-sides", "identical-claims"},
        ),
        (
            {"base_claim": 'Der Rat sprach vom "Abriss der Halle".', "exchange_claim": 'Der Rat sprach vom "Rückbau der Halle".'},
            {"base-word-quoted"},
        ),
        (
            {"base_claim": "Sie leitet das Bundesamt für Abriss und Bauten.",
             "exchange_claim": "Sie leitet das Bundesamt für Rückbau und Bauten."},
            {"base-word-in-name"},
        ),
        (
            {"exchange_claim": "Die Stadt verwirft den Rückbau der alten Turnhalle."},
            {"edit-outside-phrase", "content-changed"},
        ),
        (
            {"base_claim": "Der Abriss kostet 30 Taler.", "exchange_claim": "Der Rückbau kostet 40 Taler."},
            {"edit-outside-phrase", "content-changed", "number-changed"},
        ),
        (
            {"base_claim": "Die Nato billigt den Abriss.", "exchange_claim": "Die NATO billigt den Rückbau."},
            {"edit-outside-phrase", "name-changed", "spelling-changed"},
        ),
        ({"exchange_claim": EXCHANGE.replace("den", "die")}, {"broken-agreement"}),
        ({"exchange_claim": EXCHANGE.replace("den", "„den")}, {"punctuation-changed", "unbalanced-quotes"}),
        ({"exchange_claim": EXCHANGE.replace(".", " .")}, {"stray-whitespace"}),
        ({"exchange_claim": EXCHANGE.replace(".", "")}, {"punctuation-changed", "missing-final-punctuation"}),
        (
            {"base_claim": BASE.replace(".", " &amp; mehr."), "exchange_claim": EXCHANGE.replace(".", " &amp; mehr.")},
            {"character-entity"},
        ),
        ({"shift": "right"}, {"label-differs-from-table"}),
    ],
)  # fmt: skip
def test_each_defect(tmp_path: Path, changed: dict[str, str], codes: set[str]) -> None:
    assert found(tmp_path, row(**changed))[SOUND["id"]] == codes


@pytest.mark.parametrize(
    ("base", "hit"),
    [
        ("Die Stadt plant den Abriss.", "exact"),
        ("Die Kosten des Abrisses steigen.", "inflected"),
        ("Die Abrisskosten steigen.", "compound"),
        ("Die Umbaukosten steigen.", "absent"),
    ],
)
def test_how_the_base_word_stands_there(tmp_path: Path, base: str, hit: str) -> None:
    (judged,) = defects(load(write_claims(tmp_path, row(base_claim=base, exchange_claim=""))))
    assert judged.hit == hit


def test_words_of_the_same_family_are_not_absent(tmp_path: Path) -> None:
    pair = {
        "base_word": "Opposition",
        "exchange_word": "Widerstandskämpfer",
        "shift": "none",
        "axis": "social",
    }
    (judged,) = defects(
        load(write_claims(tmp_path, row(**pair, base_claim="Ein Oppositioneller sprach.", exchange_claim="")))
    )
    assert (judged.hit, judged.findings) == ("derived", ("missing-exchange-claim",))


def test_another_word_of_the_lexicon_is_no_relative(tmp_path: Path) -> None:
    pair = {"base_word": "Migration", "exchange_word": "Wanderung", "axis": "social"}
    claims = {"base_claim": "Die Migration nimmt zu.", "exchange_claim": "Die Zuwanderung nimmt zu."}
    assert found(tmp_path, row(**pair, **claims))[SOUND["id"]] == {"exchange-word-absent"}


def test_words_that_the_lexicon_does_not_have(tmp_path: Path) -> None:
    pair = {"base_word": "Turnhalle", "exchange_word": "Sporthalle"}
    assert found(tmp_path, row(**pair, exchange_claim=BASE.replace("Turn", "Sport")))[SOUND["id"]] == set()


def test_the_misprint_of_the_table_is_read_both_ways(tmp_path: Path) -> None:
    pair = {"base_word": "Endlager", "exchange_word": "Entsorungspark", "shift": "right", "axis": "economic"}
    claims = [
        {"base_claim": "Das Land sucht ein Endlager.", "exchange_claim": f"Das Land sucht einen {word}."}
        for word in ("Entsorungspark", "Entsorgungspark")
    ]
    assert found(tmp_path, row(**pair, **claims[0]), row(id="b", **pair, **claims[1])) == {
        SOUND["id"]: {"duplicate-base-claim"},
        "b": {"duplicate-base-claim"},
    }


def test_duplicates(tmp_path: Path) -> None:
    other = {"base_word": "Rückbau", "exchange_word": "Abriss", "shift": "right"}
    codes = found(
        tmp_path,
        row(),
        row(id="same"),
        row(id="b", exchange_claim="", base_claim=BASE.replace(".", "!")),
        row(id="c", base_claim=EXCHANGE, exchange_claim=BASE, **other),
    )
    assert (
        codes[SOUND["id"]]
        == codes["same"]
        == {"duplicate-base-claim", "base-claim-is-exchange-claim", "duplicate-row"}
    )
    assert codes["b"] == {"missing-exchange-claim", "duplicate-base-claim", "base-claim-is-exchange-claim"}
    assert codes["c"] == {"base-claim-is-exchange-claim"}


@pytest.mark.parametrize(
    ("changed", "code"),
    [({"shift": "left"}, "reversed-shift"), ({"axis": "social"}, "reversed-axis"), ({"judgmental_base": "1"}, "reversed-judgment")],
)  # fmt: skip
def test_labels_of_the_reversed_pair(tmp_path: Path, changed: dict[str, str], code: str) -> None:
    back = {"id": "back", "base_word": "Rückbau", "exchange_word": "Abriss", "shift": "right",
            "base_claim": "Der Rückbau kommt.", "exchange_claim": "Der Abriss kommt."}  # fmt: skip
    assert found(tmp_path, row(), row(**back)) == {SOUND["id"]: set(), "back": set()}
    codes = found(tmp_path, row(), row(**{**back, **changed}))
    assert codes == {SOUND["id"]: {code}, "back": {code, "label-differs-from-table"}}


def test_labels_within_one_direction(tmp_path: Path) -> None:
    codes = found(
        tmp_path, row(), row(id="b", base_claim="Der Abriss kommt.", exchange_claim="", shift="none")
    )
    assert "inconsistent-labels" in codes[SOUND["id"]] & codes["b"]


def test_a_table_of_pairs_in_the_folder_is_used(tmp_path: Path) -> None:
    write_claims(tmp_path, row())
    table = "first\tsecond\tshift\taxis\tfirst_judg\tsecond_judg\nRückbau\tAbriss\tright\teconomic\t0\t1\n"
    (tmp_path / "wordpairs.tsv").write_text(table, "utf-8")
    assert [each.findings for each in defects(load(tmp_path))] == [("label-differs-from-table",)]


@pytest.mark.parametrize(
    "changed", [{"shift": "none"}, {"golden_truthfulness_base_claim": "False"}, {"base_word": "Abbau"}]
)
def test_stale_answers(tmp_path: Path, changed: dict[str, str]) -> None:
    write_claims(tmp_path, row())
    write_answers(tmp_path, answer())
    assert [each.findings for each in defects(load(tmp_path))] == [()]
    write_answers(tmp_path, answer(**changed), name="other_output.json")
    assert [each.findings for each in defects(load(tmp_path))] == [("stale-label",)]


def test_audit_and_the_ids_to_leave_out(tmp_path: Path) -> None:
    path = write_claims(tmp_path, row(), row(id="b", base_claim="Die Stadt lärmt.", exchange_claim=""))
    report = audit(path)
    assert report["format"] == "polbix"
    assert [each["id"] for each in report["items"]] == [SOUND["id"], "b"]
    assert report["items"][1]["findings"] == ["base-word-absent", "missing-exchange-claim"]
    assert set(report["summary"]["findings"]) == set(report["summary"]["meaning"]) == set(CODES)
    assert (report["summary"]["with_findings"], report["summary"]["not_minimal"]) == (1, 1)
    assert defective_ids(path) == {"b"}
    assert set(CODES) > NOT_MINIMAL


def test_a_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = load(write_claims(tmp_path, row()))
    for name in [each for each in sys.modules if each.startswith("polbias.generators.xphemism.matching")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr(xphemism, "matching", raising=False)
    monkeypatch.setitem(sys.modules, "ahocorasick_rs", None)
    with pytest.raises(
        InputError, match=r"needs ahocorasick_rs, which is not installed; pip install 'ahocorasick_rs"
    ):
        defects(data)


@given(base=st.text(min_size=1, max_size=30), exchange=st.text(max_size=30))
@settings(max_examples=40, deadline=None)
def test_any_claims_can_be_judged(base: str, exchange: str) -> None:
    claim = ClaimPair("a", "Abriss", "Rückbau", f"Abriss {base}", f"{exchange} Rückbau", True,
                      Labels("left", "economic", False, False), "x", 2)  # fmt: skip
    (judged,) = defects(Polbix((claim,), (), {}, ()))
    assert judged.row is claim
