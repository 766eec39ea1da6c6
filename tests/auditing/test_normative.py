"""The auditor of normative items: with a reader of formulas, with the toolkit's own, and on published data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from polbias.errors import InputError
from polbias.generators.auditing.audit import Audit
from polbias.generators.auditing.items import AuditedItem, AuditItem, ItemSource
from polbias.generators.auditing.normative import LAYOUT, NormativeFormat, make
from polbias.generators.logic.prover import ItemReading, ReadingError, ReadingResult
from polbias.generators.logic.syntax import FormulaError, parse_inference
from polbias.generators.normative.templates import load_patterns
from polbias.generators.table_files import resolve_columns
from tests.support.shared import shared

PATTERNS = load_patterns()


def _read(premise: str, hypothesis: str, domain: str | None) -> ReadingResult:
    """Read formulas; "|" stands between two ways to take the premise, in a choice called "sense"."""
    ways = premise.split(" | ")
    try:
        inferences = [parse_inference(f"{way} ⊢ {hypothesis}") for way in ways]
    except FormulaError as error:
        raise ReadingError(str(error)) from None
    choices = [{"sense": str(number)} if len(ways) > 1 else {} for number in range(len(ways))]
    readings = tuple(ItemReading(*pair) for pair in zip(inferences, choices, strict=True))
    return ReadingResult(readings, ("agreement",) if "slip" in premise else ())


FORM = NormativeFormat(_read, PATTERNS)


def _judge(
    premise: str, hypothesis: str, pattern: str | None = None, gold: bool = True, domain: str = "deontic"
):
    values = {"premise": premise, "hypothesis": hypothesis, "pattern": pattern, "domain": domain}
    return FORM.judge(AuditItem(2, values, (premise, hypothesis), gold, "label"))


@pytest.mark.parametrize(
    ("premise", "hypothesis", "pattern", "gold", "domain", "verdict", "deciding", "found"),
    [
        ("O A", "P A", "Mu-Mi", True, "deontic", "confirmed", None, ()),
        ("□A", "◇A", "Mu-Mi", True, "epistemic", "confirmed", None, ()),
        ("O A", "P A", "Mu-Mi", True, "normative", "confirmed", None, ()),
        ("O A", "P A", None, True, "deontic", "confirmed", None, ()),
        ("O A", "P A", "Must-May", True, "deontic", "confirmed", None, ("unknown-pattern",)),
        ("P(A ∨ B)", "P A", "FC-Or-Elim", True, "deontic", "depends", {"or": "free choice"}, ()),
        ("O A", "O(A ∨ B)", "Ross-Or-Intro", False, "deontic", "depends", {"or": "free choice"}, ()),
        ("P A | (P A ∧ P¬A)", "P¬A", None, True, "deontic", "depends", {"sense": "1"}, ()),
        ("(B → □C); ¬□C", "¬B", "Hyp-MT", True, "epistemic", "confirmed", None, ()),
        ("(B → □C); ◇¬C", "¬B", "Hyp-MT", True, "epistemic", "confirmed", None, ()),
        ("(¬B → □C); □C", "¬B", "Hyp-AC", False, "epistemic", "confirmed", None, ()),
        ("A; ¬A", "B", None, True, "deontic", "contradicted", None, ("contradictory-premises",)),
        (
            "(B → □C); C",
            "C",
            "Hyp-MP",
            True,
            "epistemic",
            "confirmed",
            None,
            ("conclusion-repeats-premise", "does-not-instantiate"),
        ),
        (
            "(B → □C); B",
            "C",
            "Hyp-MP",
            True,
            "epistemic",
            "depends",
            {"axiom T": "with"},
            ("does-not-instantiate",),
        ),
        (
            "(B → □C); ¬□C",
            "¬C",
            "Hyp-MT",
            True,
            "epistemic",
            "contradicted",
            None,
            ("does-not-instantiate",),
        ),
        (
            "(B → O C); B",
            "O C",
            "Cat-MP",
            True,
            "deontic",
            "confirmed",
            None,
            ("does-not-instantiate", "other-pattern"),
        ),
    ],
)
def test_judgement(
    premise: str,
    hypothesis: str,
    pattern: str | None,
    gold: bool,
    domain: str,
    verdict: str,
    deciding: Mapping[str, str] | None,
    found: tuple[str, ...],
) -> None:
    judgement = _judge(premise, hypothesis, pattern, gold, domain)
    assert (judgement.verdict, judgement.deciding, judgement.findings) == (verdict, deciding, found)
    known = pattern in PATTERNS
    assert judgement.instantiates == ("does-not-instantiate" not in found if known else None)


def test_another_pattern_is_named() -> None:
    judgement = _judge("∀x (B(x) → O C(x)); O C(a)", "B(a)", "Cat-MP", False)
    assert judgement.resembles == "Cat-AC"
    assert "other-pattern" in judgement.findings


def test_dual_forms_are_other_patterns_in_the_logic_task_only() -> None:
    judgement = _judge("P¬A", "P¬A", "NotMu-MiNot")
    assert (judgement.verdict, judgement.instantiates) == ("confirmed", False)


def test_it_is_enough_that_one_reading_has_the_form() -> None:
    assert _judge("O A | O B", "P A", "Mu-Mi").instantiates is True


def test_what_is_known_of_a_form_holds_for_its_gold_and_pattern_only() -> None:
    """Results are remembered by form, and each of these differs from the first in one thing."""
    first = _judge("O A", "P A", "Mu-Mi")
    assert _judge("O X", "P X", "Mu-Mi").verdict == first.verdict == "confirmed"
    assert _judge("O A", "P A", "Mu-Mi", gold=False).verdict == "contradicted"
    assert _judge("O A", "P A", "Mi-Mu").instantiates is False
    assert _judge("O A", "P B", "Mu-Mi").verdict == "depends"
    assert _judge("A", "A", None, domain="deontic").deciding is None
    assert _judge("¬A", "¬□A", None, domain="epistemic").deciding == {"axiom T": "with"}


def test_texts_are_of_the_item_itself_though_results_are_remembered() -> None:
    for word in ("A", "B"):
        judgement = _judge(f"P {word}", f"O {word}")
        assert judgement.reading == f"P {word} ⊢ O {word}"
        assert f"¬{word}" in str(judgement.countermodel)


def test_what_cannot_be_read_or_decided_is_unparsed() -> None:
    unread = _judge("(A", "A")
    assert (unread.verdict, unread.instantiates) == ("unparsed", None)
    assert "expected" in str(unread.message)
    endless = "¬∀x ¬∀y ¬R(x, y); ∀x ¬∀y ¬R(x, y)"
    judgement = _judge(endless, "A")
    assert judgement.verdict == "unparsed"
    assert str(judgement.message).startswith("cannot be decided: ")


def test_slips_come_from_the_reader_and_are_explained() -> None:
    judgement = _judge("O slip", "P slip")
    assert judgement.slips == ("agreement",)
    assert "agreement" in FORM.meanings


# -- columns


@pytest.mark.parametrize(
    "columns",
    [
        ["ID", "premise_en", "hypothesis_en", "gold", "content-type", "inference-pattern", "modal"],
        ["id", "premises", "hypothesis", "label", "content_type", "pattern", "domain"],
    ],
)
def test_columns_of_published_files_are_known(columns: list[str]) -> None:
    found = resolve_columns(columns, LAYOUT.roles, {}, Path("a.tsv"))
    assert list(found.values()) == [columns[i] for i in (0, 1, 2, 3, 5, 4, 6)]


@pytest.mark.parametrize("missing", ["premise", "hypothesis", "gold"])
def test_some_columns_are_needed(missing: str) -> None:
    columns = [role for role in ("premise", "hypothesis", "gold") if role != missing]
    with pytest.raises(InputError, match=f"expected also {missing} .*--column {missing}=NAME"):
        resolve_columns(columns, LAYOUT.roles, {}, Path("a.tsv"))


@pytest.mark.parametrize(("label", "says"), [("valid", True), ("Invalid", False), ("not entailment", None)])
def test_labels_of_other_tasks_are_known(tmp_path: Path, label: str, says: bool | None) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"premise,hypothesis,gold\nO A,P A,{label}\n", "utf-8")
    (item,) = ItemSource(path, LAYOUT, {})
    assert item.gold is says


# -- with the toolkit's own reader


@pytest.fixture(scope="module")
def form() -> NormativeFormat:
    return make()


def _audit(path: Path, form: NormativeFormat, **chosen: str) -> list[AuditedItem]:
    return list(Audit(ItemSource(path, LAYOUT, chosen), form))


def test_the_exemplars_of_the_paper_are_known(form: NormativeFormat, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "premises,hypothesis,gold,pattern\n"
        "It is obligatory to mail a letter.,It is obligatory to mail a letter or to burn it.,non-entailment,"
        "Ross-Or-Intro\n",
        "utf-8",
    )
    (item,) = _audit(path, form)
    assert item.findings == ("exemplar-leakage",)
    assert (item.verdict, item.judgement.deciding) == ("depends", {"or": "free choice"})
    assert item.judgement.instantiates is True


TASKS = ("deontic_logic", "deontic_syllogism", "epistemic_logic", "epistemic_syllogism")


@pytest.mark.parametrize("config", TASKS)
def test_own_problems_have_the_form_of_their_pattern_and_nothing_is_found(
    form: NormativeFormat, normative_build: Path, config: str
) -> None:
    for item in _audit(normative_build / "normative-reasoning" / config, form):
        by_convention = "-Or-" in str(item.item.values["pattern"])
        assert item.verdict == ("depends" if by_convention else "confirmed"), item.item.texts
        assert item.judgement.deciding == ({"or": "free choice"} if by_convention else None)
        assert item.judgement.instantiates is True
        assert item.findings == ()


# -- on published data, where a copy lies beside the checkout

PUBLISHED = shared("upstream/normative")
needs_published = pytest.mark.skipif(
    PUBLISHED is None, reason="needs ../shared/upstream/normative, which is not part of the project"
)


def _published(name: str, form: NormativeFormat) -> list[AuditedItem]:
    assert PUBLISHED is not None
    return _audit(PUBLISHED / name, form)


@needs_published
def test_published_deontic_items(form: NormativeFormat) -> None:
    found = _published("deontic_single.tsv", form)
    assert Counter(item.verdict for item in found) == {"confirmed": 432, "depends": 208}
    for item in found:
        assert item.judgement.instantiates is True
        if "-Or-" in str(item.item.values["pattern"]):
            assert item.judgement.deciding == {"or": "free choice"}
        elif item.verdict == "depends":
            assert item.judgement.deciding == {"can choose to": "permission"}
            assert "choose" in " ".join(item.item.texts)
    # the one text that comes twice
    assert [(item.item.values["id"], item.duplicate_of_line) for item in found if item.findings] == [
        ("332", 303)
    ]


@needs_published
def test_published_epistemic_syllogisms(form: NormativeFormat) -> None:
    found = _published("epistemic_multiple.tsv", form)
    wrong = [item for item in found if item.verdict == "contradicted"]
    # Hyp-MT concludes that the consequent is false, in all items but one, whose conclusion is a premise.
    denying = [str(number) for number in range(61, 121) if number != 87]
    assert [item.item.values["id"] for item in wrong] == denying
    for item in wrong:
        assert item.item.label == "entailment"
        assert item.judgement.countermodel
        assert item.judgement.instantiates is False
    repeated = [item for item in found if "conclusion-repeats-premise" in item.findings]
    assert [(item.item.values["id"], item.verdict) for item in repeated] == [("87", "confirmed")]
    assert not [item for item in found if item.verdict == "unparsed"]
    choices = [item.judgement.deciding for item in found if item.verdict == "depends"]
    assert all(
        choice and set(choice) <= {"axiom T", "scope", "tense", "kind", "wording"} for choice in choices
    )
    fourth = [item.item.values["id"] for item in found if item.judgement.deciding == {"wording": "related"}]
    assert fourth == ["164", "184", "194"]
    # rules about all, with a bare conclusion or premise
    bare = [choice for choice in choices if choice and "axiom T" in choice]
    assert len(bare) == 28
