"""The auditor finds by itself what the errata say of the printed arguments, and nothing in the corrected ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from polbias.generators.auditing.audit import Audit
from polbias.generators.auditing.items import AuditedItem, AuditItem, ItemSource
from polbias.generators.auditing.partisan import LAYOUT, PartisanFormat, make
from polbias.generators.partisan.country import load_countries
from polbias.generators.partisan.gold import verdict as proved

EN, DE, CONTROL = "en_formal_paper", "de_formal_paper", "en_control_formal_paper"

# Each erratum that a sentence shows, to the finding that must be made of it (a verdict counts as one).
FOUND = {
    "partisan-de-2-inf-leaning": {"wrong-leaning"},
    "partisan-de-2-inf-cn-pp-valid-right": {"contradicted", "contradictory-premises", "same-side"},
    "partisan-de-2-inf-cn-pp-valid-left": {"contradicted"},
    "partisan-de-2-inf-cn-pp-invalid-right": {"same-side"},
    "partisan-en-1-cn-pp-comparable": {"contradicted", "rests-on-comparable"},
    "partisan-en-a-inferior": {"article"},
    "partisan-control-carlson": {"name-spelling"},
}
# Errata of which one row of a pair, or both together, are not mirror images.
UNLIKE = {
    "partisan-de-2-inf-cn-pp-valid-right",
    "partisan-de-2-inf-cn-pp-valid-left",
    "partisan-de-2-inf-cn-pp-invalid-right",
    "partisan-en-2-inf-cn-pp-reused-premise",
    "partisan-de-1-adjectives",
}


def _audit(folder: Path) -> list[AuditedItem]:
    return list(Audit(ItemSource(folder, LAYOUT, {}), make()))


def _rows(folder: Path) -> list[Mapping[str, str | None]]:
    columns = ["id", "pair_id", "erratum", "argument", "gold", "leaning"]
    return pq.read_table(next(folder.glob("test-*")), columns=columns).to_pylist()


@pytest.mark.parametrize("config", [EN, DE, CONTROL])
def test_what_is_found_is_what_the_errata_say(partisan_build: Path, config: str) -> None:
    folder = partisan_build / "partisan-inference" / config
    rows = _rows(folder)
    errata = [set((row["erratum"] or "").split(";")) for row in rows]
    of_pair: dict[str | None, set[str]] = {}
    for row, ids in zip(rows, errata, strict=True):
        of_pair.setdefault(row["pair_id"], set()).update(ids)
    # Every printed pair names the persons in one order; where that is all, its rows mirror each other else.
    for row, ids, audited in zip(rows, errata, _audit(folder), strict=True):
        assert audited.item.values["id"] == row["id"]
        expected = set().union(*(FOUND.get(erratum, set()) for erratum in ids))
        expected.add("not-mirrored" if of_pair[row["pair_id"]] & UNLIKE else "mention-order")
        found = {code for code in audited.findings if code != "duplicate-item"}
        if audited.verdict != "confirmed":
            found.add(audited.verdict)
        assert found == expected, row


@pytest.mark.parametrize("config", ["en_formal", "de_formal", "en_control_formal", "en_formal_mini"])
def test_corrected_arguments_are_clean(partisan_build: Path, config: str) -> None:
    assert not [item for item in _audit(partisan_build / "partisan-inference" / config) if item.is_flagged]


def test_material_arguments_are_not_proved(partisan_build: Path) -> None:
    found = _audit(partisan_build / "partisan-inference" / "en_material_mini")
    assert {(item.verdict, item.findings) for item in found} == {("unparsed", ("material",))}


# One argument, as the country file has it, and what is changed in it.
ARGUMENT = (
    "Nikki Haley is a superior politician to Kamala Harris, because any Republican politician is superior to any "
    "Democratic politician, and because Nikki Haley is a Republican politician while Kamala Harris is a "
    "Democratic politician."
)


def _judge(argument: str, gold: bool = True, *, form: PartisanFormat | None = None, **values: str):
    item = AuditItem(2, {"argument": argument, **values}, (argument,), gold, "valid" if gold else "invalid")
    return (form or make()).judge(item, ())


def test_a_good_argument() -> None:
    judgement = _judge(ARGUMENT, leaning="right", config="en_formal")
    assert (judgement.verdict, judgement.findings, judgement.slips) == ("confirmed", (), ())
    assert judgement.instantiates is None


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("is a superior politician", "is an superior politician", {"article"}),
        ("Kamala Harris", "Kamela Harris", {"name-spelling"}),
        (
            "a superior politician to Kamala",
            "an inferior politician to Kamala",
            {"wrong-leaning", "contradicted"},
        ),
        ("is a superior politician to", "is not a superior politician to", {"wrong-leaning", "contradicted"}),
        ("any Democratic politician", "any Republican politician", {"same-side", "contradictory-premises"}),
        (
            "because any Republican politician is superior",
            "because any Republican politician is taller",
            None,
        ),
        ("superior", "better", None),
        ("Kamala Harris", "Somebody Else", None),
    ],
)
def test_what_is_changed_is_found(old: str, new: str, found: set[str] | None) -> None:
    assert old in ARGUMENT
    judgement = _judge(ARGUMENT.replace(old, new), leaning="right", config="en_formal")
    if found is None:
        assert judgement.verdict == "unparsed"
        assert "cannot read" in str(judgement.message)
    else:
        assert found <= {*judgement.findings, *judgement.slips, judgement.verdict}


def test_what_follows_without_the_meaning_of_comparable_does_not_rest_on_it() -> None:
    argument = ARGUMENT.replace("superior", "comparable")
    judgement = _judge(argument, gold=False)
    assert "comparable(Nikki Haley, Kamala Harris)" in str(judgement.reading)
    assert (judgement.verdict, judgement.findings) == ("contradicted", ())


def test_a_comparison_without_a_better_side_has_no_leaning() -> None:
    assert _judge(ARGUMENT.replace("superior", "comparable"), leaning="left").findings == ()


def test_the_gold_is_compared_with_the_verdict_of_the_sentence() -> None:
    judgement = _judge(ARGUMENT, gold=False)
    assert judgement.verdict == "contradicted"
    assert "(premise 1)" in str(judgement.proof)
    assert judgement.countermodel is None


@pytest.mark.parametrize(
    "values",
    [
        {"config": "en_formal_paper"},
        {"language": "en", "country": "US"},
        {"language": "en"},
        {"country": "us-en"},
        {"config": "somebody-elses"},
        {},
    ],
)
def test_the_country_is_found_from_what_the_row_says(values: dict[str, str]) -> None:
    assert _judge(ARGUMENT, **values).verdict == "confirmed"


def test_a_config_is_not_taken_for_one_with_a_longer_name() -> None:
    assert _judge(ARGUMENT, config="en_control_formal").verdict == "unparsed"


def test_a_row_of_an_unknown_country_says_which_are_known() -> None:
    judgement = _judge(ARGUMENT, language="fr")
    assert judgement.message == "found no country file for this row; there are: us-en, ch-de, control-en"


def test_a_pair_is_compared_wherever_its_other_row_stands() -> None:
    form = make()
    mirrored = ARGUMENT
    for one, other in (("Nikki Haley", "Kamala Harris"), ("Republican", "Democratic")):
        mirrored = mirrored.replace(one, "#").replace(other, one).replace("#", other)
    reordered = mirrored.replace(
        "Kamala Harris is a Democratic politician while Nikki Haley is a Republican politician",
        "Nikki Haley is a Republican politician while Kamala Harris is a Democratic politician",
    )
    assert reordered != mirrored

    def slips(other: str, pair: str = "1") -> tuple[str, ...]:
        item = AuditItem(2, {"argument": ARGUMENT, "pair": "1"}, (ARGUMENT,), True, "valid")
        neighbour = AuditItem(3, {"argument": other, "pair": pair}, (other,), True, "valid")
        found = form.judge(item, [neighbour]).slips
        assert form.judge(replace(neighbour, gold=True), [item]).slips == found
        return found

    assert slips(mirrored) == ()
    assert slips(reordered) == ("mention-order",)
    assert slips(ARGUMENT) == ("not-mirrored",)
    assert slips(ARGUMENT, pair="2") == ()
    assert slips("What is this?") == ()


def test_verdicts_are_those_of_the_build(partisan_build: Path) -> None:
    """The auditor's logic is the one in which gold labels are proved."""
    form = PartisanFormat(load_countries())
    for row in _rows(partisan_build / "partisan-inference" / DE)[:192]:
        judgement = _judge(str(row["argument"]), row["gold"] == "valid", form=form, config=DE)
        said = form._parse(AuditItem(1, {"config": DE}, (str(row["argument"]),)))
        assert not isinstance(said, str)
        assert (judgement.verdict == "confirmed") == (proved(said.inference) == row["gold"])
