"""Each defect on a sentence of our own that has it, and on the published rows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from polbias.generators.auditing.probvaa import audit
from polbias.generators.auditing.probvaa.files import ISSUES
from polbias.generators.auditing.probvaa.folder import CODES, defects
from polbias.generators.auditing.probvaa.tables import Annotation, Statement, StatementKey
from polbias.generators.policy.quality import evaluates, force, markers, numbers, unbalanced
from tests.auditing.probvaa_folder import make, sentences, statement_id
from tests.support.shared import shared

PUBLISHED = shared("upstream/probvaa")


def rows(number: int = 1, language: str = "en", country: str = "es", **changed: str) -> list[Statement]:
    texts = sentences(number) | changed
    return [
        Statement(
            statement_id(country, number, variant, language),
            StatementKey(country, number, variant, False, language),
            text,
            line,
        )
        for line, (variant, text) in enumerate(texts.items(), 2)
    ]


def found(**changed: str) -> set[tuple[str, str]]:
    statements = rows(**changed)
    variants = {each.id: each.key.variant for each in statements}
    return {(variants[row], code) for row, code in defects(statements, {})}


def test_sound_statements_have_none() -> None:
    assert found() == set()


@pytest.mark.parametrize(
    ("variant", "text", "codes"),
    [
        ("negation", "Park benches of kind 1 should be painted.", {"negation-equals-original", "negation-without-marker"}),
        ("opposite", "park benches of kind 1, should be painted.", {"opposite-equals-original"}),
        ("opposite", "Park benches of kind 1 should not be painted.", {"negation-equals-opposite", "opposite-with-marker"}),
        ("paraphrase1", "Park benches of kind 1 should be painted.", {"paraphrase-equals-original"}),
        ("paraphrase2", "It is important to paint benches of kind 1.", {"equal-paraphrases"}),
        ("paraphrase3", "Benches of kind 1 must get some paint.\"", {"unbalanced-quotes"}),
        ("paraphrase3", "Benches of kind 1 must get (some paint.", {"unbalanced-quotes"}),
        ("paraphrase3", "Benches of kind 1 must get “some“ paint.", {"unbalanced-quotes"}),
        ("paraphrase3", "Benches of kind 1 must get some paint. ", {"stray-whitespace"}),
        ("paraphrase3", "Benches of kind  1 must get some paint.", {"stray-whitespace"}),
        ("paraphrase3", "Benches of kind 1 must get some paint", {"missing-final-punctuation"}),
        ("negation", "Park benches of kind 1 should stay bare.", {"negation-without-marker"}),
        ("opposite", "Park benches of kind 1 should never be painted.", {"opposite-with-marker"}),
        ("paraphrase1", "There is a plan for painting benches of kind 1.", {"paraphrase-drops-force"}),
        ("paraphrase1", "The painting of benches of kind 1 is planned.", {"paraphrase-drops-force"}),
        ("paraphrase1", "It is important to paint benches of kind 2.", {"numbers-differ"}),
    ],
)  # fmt: skip
def test_each_defect(variant: str, text: str, codes: set[str]) -> None:
    assert found(**{variant: text}) == {(variant, code) for code in codes}


def test_moved_and_removed_markers_are_markers() -> None:
    original, negation = "One should not paint kind 1.", "One should paint kind 1."
    assert ("negation", "negation-without-marker") not in found(original=original, negation=negation)
    moved = found(original="Only the state and not the town should paint kind 1.",
                  negation="Not only the state and the town should paint kind 1.")  # fmt: skip
    assert ("negation", "negation-without-marker") not in moved


@pytest.mark.parametrize(
    ("language", "text", "count"),
    [("de", "Es soll keine Bänke geben.", 1), ("es", "No hay bancos sin color.", 2), ("hu", "Ne fessük be.", 1),
     ("it", "Nessuno dipinga.", 1), ("fr", "Il ne faut pas peindre.", 1), ("nl", "Verf ze niet.", 1),
     ("pl", "Nie malować.", 1), ("en", "Benches shouldn’t be painted.", 1)],
)  # fmt: skip
def test_markers_by_language(language: str, text: str, count: int) -> None:
    counted = markers(text, language)
    assert counted is not None
    assert counted.total() == count
    assert markers(text, "xx") is None


@pytest.mark.parametrize(
    ("language", "demand", "kept", "dropped"),
    [
        (
            "de",
            "Bänke sollen bunt sein.",
            "Es ist wichtig, Bänke zu streichen.",
            "Bunte Bänke werden vorgeschlagen.",
        ),
        (
            "es",
            "Los bancos deben pintarse.",
            "Es necesario pintar los bancos.",
            "Se propone pintar los bancos.",
        ),
        ("it", "Le panchine devono essere dipinte.", "È necessario dipingerle.", "Si propone di dipingerle."),
        (
            "fr",
            "Les bancs doivent être peints.",
            "Il faut peindre les bancs.",
            "Il est proposé de les peindre.",
        ),
    ],
)
def test_force_by_language(language: str, demand: str, kept: str, dropped: str) -> None:
    assert force(demand, language)
    assert force(kept, language) or evaluates(kept, language)
    assert force(dropped, language) is None
    assert not evaluates(dropped, language)
    assert force(demand, "xx") is None


def test_numbers() -> None:
    assert numbers("4,000 or 4'000 or 4.000 francs", "en") == {4000}
    assert numbers("5.2 per cent, 14-week, two", "en") == {5.2, 14, 2}
    assert numbers("6,8% und sechzehn", "de") == {6.8, 16}
    assert numbers("the one and only", "en") == frozenset()


def test_quotes() -> None:
    for text in ("„zu“", "“so”", "«si» (x)", "it's the states’ rule", "‘a’", "the 'a' rule"):
        assert not unbalanced(text), text
    assert unbalanced("„zu")
    assert unbalanced("«si")


def signed(sign: int) -> Annotation:
    return Annotation("", "", {name: sign * (name == "law_and_order") for name in ISSUES}, False)


def test_contradictory_signs() -> None:
    texts = {
        "original": "Spain should paint all park benches in the town.",
        "opposite": "All park benches in the town should be left bare.",
    }
    other = {"original": "Germany should paint all park benches in the town."}
    contrary = {"original": "All park benches in the town should be left bare."}
    one = rows(1, country="es", **texts)
    for second, sign, wrong in (
        (other, -1, True),
        (other, 1, False),
        (contrary, 1, True),
        (contrary, -1, False),
    ):
        two = rows(1, country="de", **second)
        codes = defects([*one, *two], {"es_1": signed(1), "de_1": signed(sign)})
        assert (("es_1_1000001_en", "contradictory-gold") in codes) == wrong
        assert (("de_1_1000001_en", "contradictory-gold") in codes) == wrong


@pytest.mark.parametrize(
    ("language", "original", "negation", "opposite"),
    [
        ("hu", "A padokat le kell festeni.", "A padokat le kell mosni.", "A padokat nem kell lefesteni."),
        ("nl", "De banken moeten geverfd worden.", "De banken moeten kaal blijven.", "Verf de banken niet."),
        ("pl", "Ławki trzeba pomalować.", "Ławki trzeba umyć.", "Ławek nie trzeba malować."),
    ],
)
def test_negation_is_judged_in_the_languages_that_our_own_texts_do_not_have(
    language: str, original: str, negation: str, opposite: str
) -> None:
    texts = {"original": original, "negation": negation, "opposite": opposite}
    statements = [each for each in rows(language=language, country="hu") if each.key.variant in texts]
    changed = [Statement(each.id, each.key, texts[each.key.variant], each.line) for each in statements]
    by_variant = {each.id: each.key.variant for each in changed}
    assert {(by_variant[row], code) for row, code in defects(changed, {})} == {
        ("negation", "negation-without-marker"),
        ("opposite", "opposite-with-marker"),
    }


@pytest.mark.parametrize("variant", ["negation", "opposite"])
def test_force_is_judged_in_paraphrases_only(variant: str) -> None:
    texts = {"negation": "Benches of kind 1 are not painted.", "opposite": "Benches of kind 1 stay bare."}
    assert found(**{variant: texts[variant]}) == set()


def test_audit_has_an_item_per_row(tmp_path: Path) -> None:
    report = audit(make(tmp_path))
    assert report["format"] == "probvaa"
    assert report["summary"]["items"] == len(report["items"]) == 288
    assert set(report["items"][0]) == {"id", "line", "findings"}
    assert set(report["summary"]["findings"]) == set(CODES)


@pytest.mark.skipif(PUBLISHED is None, reason="the published folder is not beside the checkout")
def test_published_rows() -> None:
    assert PUBLISHED
    report = audit(PUBLISHED)
    by_id = {each["id"]: each["findings"] for each in report["items"]}
    # The one English negation that is the original (notes, part 2).
    english = [
        row for row, codes in by_id.items() if "negation-equals-original" in codes and row.endswith("en")
    ]
    assert english == ["ch_27_0000101_en"]
    without = [
        row for row, codes in by_id.items() if "negation-without-marker" in codes and row.endswith("en")
    ]
    assert without == english
    # "is to be" that became a plan or a proposal, in all three paraphrases.
    dropped = {row for row, codes in by_id.items() if "paraphrase-drops-force" in codes}
    assert {f"ch_21_10{number}0001_en" for number in (1, 2, 3)} <= dropped
    assert Counter(code for codes in by_id.values() for code in codes)["unbalanced-quotes"] >= 500
