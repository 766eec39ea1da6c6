"""Each defect on a sentence that has it, and no finding on sound ones."""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest

from polbias.generators.authoring.quality_gate import TextFinding, check, codes, defects
from polbias.generators.policy.items import GateItem
from polbias.generators.policy.text_checks import (
    detect_language,
    evaluates,
    force,
    has_unbalanced_marks,
    markers,
    misprints,
    number_mismatch,
)
from tests.support.shared import shared

PUBLISHED = shared("upstream/probvaa/probvaa.csv")

SOUND = {
    "en": {
        "original": "Park benches in large towns should be painted every 3 years.",
        "paraphrase1": "Large towns ought to paint their park benches every three years.",
        "paraphrase2": "Every 3 years, new paint should go on the benches of parks in large towns.",
        "paraphrase3": "The seats in the parks of large towns should get a coat of paint every 3 years.",
        "negation": "Park benches in large towns should not be painted every 3 years.",
        "opposite": "Park benches in large towns should stay bare every 3 years.",
    },
    "de": {
        "original": "Die Gemeinden müssen die Bänke im Park streichen.",
        "paraphrase1": "Es ist notwendig, dass die Gemeinden den Parkbänken einen Anstrich geben.",
        "paraphrase2": "Die Bänke im Park müssen von den Gemeinden neue Farbe bekommen.",
        "paraphrase3": "Für die Parkbänke braucht es Farbe von den Gemeinden.",
        "negation": "Die Gemeinden müssen die Bänke im Park nicht streichen.",
        "opposite": "Die Gemeinden müssen die Bänke im Park roh belassen.",
    },
    "fr": {
        "original": "Il faut que les communes peignent les bancs des parcs.",
        "paraphrase1": "Les bancs des parcs doivent être peints par les communes.",
        "negation": "Il n'est pas nécessaire que les communes peignent les bancs des parcs.",
        "opposite": "Il faut que les communes laissent bruts les bancs des parcs.",
    },
    "it": {
        "original": "I comuni dovrebbero dipingere le panchine dei parchi.",
        "paraphrase1": "Le panchine dei parchi andrebbero dipinte dai comuni.",
        "negation": "I comuni non dovrebbero dipingere le panchine dei parchi.",
    },
    "es": {
        "original": "Los municipios deberían pintar los bancos de los parques.",
        "paraphrase1": "Habría que pintar en todos los municipios los bancos de los parques.",
        "negation": "Los municipios no deberían pintar los bancos de los parques.",
    },
}


def found(language: str = "en", country: str | None = None, **other: str) -> set[tuple[str, str]]:
    return {(each.variant, each.code) for each in defects(SOUND[language] | other, language, country)}


@pytest.mark.parametrize("language", SOUND)
def test_sound_variants_have_no_finding(language: str) -> None:
    assert found(language) == set()


ORIGINAL = SOUND["en"]["original"]
DEFECTIVE = [
    ("en", "negation", ORIGINAL.upper(), {"negation-equals-original", "negation-without-marker"}),
    ("en", "opposite", "park benches, in large towns, should be painted every 3 years!", {"opposite-equals-original"}),
    ("en", "opposite", SOUND["en"]["negation"], {"negation-equals-opposite", "opposite-with-marker"}),
    ("en", "paraphrase1", ORIGINAL, {"paraphrase-equals-original"}),
    ("en", "paraphrase1", SOUND["en"]["negation"], {"paraphrase-equals-contrary", "paraphrase-with-marker", "near-identical-paraphrase"}),
    ("en", "paraphrase1", SOUND["en"]["opposite"], {"paraphrase-equals-contrary"}),
    ("en", "paraphrase2", SOUND["en"]["paraphrase1"], {"equal-paraphrases"}),
    ("en", "paraphrase1", "Every 3 years, park benches in large towns should be painted.", {"near-identical-paraphrase"}),
    ("en", "paraphrase1", "In all large towns, park benches should be painted every 3 years.", {"near-identical-paraphrase"}),
    ("en", "paraphrase1", 'Large towns should "paint park seats every 3 years.', {"unbalanced-quotes"}),
    ("en", "paraphrase1", "Large towns should (paint park seats every 3 years.", {"unbalanced-quotes"}),
    ("en", "paraphrase1", "Large towns should  paint park seats every 3 years.", {"stray-whitespace"}),
    ("en", "paraphrase1", " Large towns should paint park seats every 3 years.", {"stray-whitespace"}),
    ("en", "paraphrase1", "Large towns should paint park seats every 3 years", {"missing-final-punctuation"}),
    ("en", "paraphrase1", "Large towns should paint park seats every 3 years,", {"missing-final-punctuation"}),
    ("en", "negation", "Park benches in large towns should stay bare for 3 years.", {"negation-without-marker"}),
    ("en", "opposite", "Park benches in large towns should never be painted in 3 years.", {"opposite-with-marker"}),
    ("en", "paraphrase1", "Large towns should paint benches every 3 years without delay.", {"paraphrase-with-marker"}),
    ("en", "paraphrase1", "Large towns are planning to paint park seats every 3 years.", {"force-lost"}),
    ("en", "paraphrase1", "Large towns must paint their park seats every 3 years.", {"force-changed"}),
    ("en", "paraphrase1", "Large towns are to paint their park seats every 3 years.", {"force-changed"}),
    ("en", "paraphrase1", "Large towns may paint their park seats every 3 years.", {"force-changed"}),
    ("en", "opposite", "Park benches in large towns stay bare for 3 years.", {"force-lost"}),
    ("en", "paraphrase1", "Large towns should paint their park seats every 4 years.", {"numbers-differ"}),
    ("en", "paraphrase1", "Large towns should paint their park seats often.", {"numbers-differ"}),
    ("en", "negation", "Park benches in large towns should not be painted every four years.", {"numbers-differ"}),
    ("en", "opposite", "Park benches in large towns should be painted every 9 years.", {"opposite-numbers-differ"}),
    ("en", "paraphrase1", "Die großen Städte sollen die Bänke im Park alle 3 Jahre streichen.", {"wrong-language", "force-lost"}),
    ("en", "paraphrase1", "Large towns should paint park seats every 3 years , as before.", {"typography"}),
    ("en", "paraphrase1", "Large towns should paint park seats " + "very " * 24 + "well every 3 years.", {"too-long"}),
    ("de", "opposite", "Die Gemeinden sollten die Bänke im Park roh belassen.", {"force-changed"}),
    ("de", "paraphrase1", "Der Anstrich der Parkbänke durch die Gemeinden ist geplant.", {"force-lost"}),
    ("de", "negation", "Die Gemeinden müssen die Bänke im Park streichen lassen.", {"negation-without-marker"}),
    ("de", "paraphrase1", 'Die Gemeinden müssen ihren "Parkbänken" Farbe geben.', {"typography"}),
    ("fr", "negation", "Il ne faut pas que les communes peignent les bancs des parcs.", {"negation-too-strong"}),
    ("fr", "paraphrase1", "Les communes peignent les bancs des parcs.", {"force-lost"}),
    ("it", "negation", "I comuni dovrebbero evitare di dipingere le panchine dei parchi.", {"negation-without-marker"}),
    ("it", "paraphrase1", "I comuni devono dipingere tutte le panchine nei parchi.", {"force-changed"}),
    ("es", "negation", "Los municipios deberían dejar de pintar los bancos de los parques.", {"negation-without-marker"}),
    ("es", "paraphrase1", "Hay que pintar en todos los municipios los bancos de los parques.", {"force-changed"}),
]  # fmt: skip


@pytest.mark.parametrize(("language", "variant", "text", "expected"), DEFECTIVE)
def test_a_defect_is_found_where_it_is_and_nothing_else(
    language: str, variant: str, text: str, expected: set[str]
) -> None:
    assert found(language, **{variant: text}) == {(variant, code) for code in expected}


def test_a_negated_original_is_negated_by_taking_the_marker_away() -> None:
    texts = {"original": "The park should not be closed.", "negation": "The park should be closed."}
    assert defects(texts, "en") == []


def test_a_marker_that_moves_to_another_word_is_a_negation() -> None:
    texts = {
        "original": "Towns should not only paint seats.",
        "negation": "Towns should only not paint seats.",
    }
    assert "negation-without-marker" not in {each.code for each in defects(texts, "en")}


def test_sharp_s_is_wrong_in_switzerland_only() -> None:
    text = "Für die große Parkbank braucht es Farbe von den Gemeinden."
    assert found("de", "CH", paraphrase3=text) == {("paraphrase3", "typography")}
    assert found("de", "AT", paraphrase3=text) == set()


@pytest.mark.parametrize(
    ("language", "text", "wrong"),
    [
        ("fr", "Un impôt de 2 % devrait s'appliquer.", False),
        ("fr", "Un impôt de 2% devrait s'appliquer.", True),
        ("fr", "Un impôt de 2\u202f% devrait s'appliquer.", False),
        ("fr", "L'article 49.3 devrait disparaître.", False),
        ("fr", "Les « petits » bancs devraient rester.", False),
        ("fr", "Les «petits» bancs devraient rester.", True),
        ("fr", "L' impôt devrait rester.", True),
        ("en", "A tax of 2% should apply.", False),
        ("en", "A tax of 2 % should apply.", True),
        ("en", "A tax of 0,7% should apply.", True),
        ("en", "The sum of 1,000 euros should do, as before.", False),
        ("de", "Eine Steuer von 2 % soll gelten.", False),
        ("de", "Eine Steuer von 2% soll gelten.", True),
        ("it", "E' giusto pagare.", True),
        ("it", "È giusto pagare.", False),
        ("es", "Se debería pagar el 0,7 % de la renta.", False),
        ("es", "¡Hay que pagar!", False),
        ("es", "Hay que pagar!", True),
    ],
)
def test_typography_of_each_language(language: str, text: str, wrong: bool) -> None:
    assert bool(misprints(text, language)) is wrong


@pytest.mark.parametrize(
    ("one", "other", "language", "odd"),
    [
        ("for 16 years", "for sixteen years", "en", None),
        ("one park", "a park", "en", None),
        ("from 1 year on", "from one year on", "en", None),
        ("4,000 seats", "4000 seats", "en", None),
        ("2.5 hours", "2.7 hours", "en", "digits"),
        ("0,7 %", "0.7%", "es", None),
        ("zwölf Wochen", "12 Wochen", "de", None),
        ("un banc neuf", "un nouveau banc", "fr", None),
        ("9 bancs", "neuf bancs", "fr", None),
        ("10 bancs", "neuf bancs", "fr", "digits"),
        ("ten years", "a decade", "en", "words"),
        ("3 years", "four years", "en", "digits"),
        ("dos bancos", "los bancos", "es", "words"),
        ("da sei anni", "da tempo", "it", "words"),
    ],
)
def test_numbers_in_digits_and_words(one: str, other: str, language: str, odd: str | None) -> None:
    assert number_mismatch(one, other, language) == odd
    assert number_mismatch(other, one, language) == odd


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "Towns should have to pay.", "should"),
        ("en", "It is necessary to pay.", "must"),
        ("en", "The tax is not to be raised.", "order"),
        ("en", "Towns may pay.", "may"),
        ("en", "The tax is too low.", None),
        ("en", "The state is to pay.", "order"),
        ("en", "One way to save is to pay less.", None),
        ("de", "Der Mangel ist auf Sparen zurückzuführen.", None),
        ("es", "Debemos pagar.", "must"),
        ("de", "Die Bank sollte gestrichen werden müssen.", "should"),
        ("de", "Das Verbot, zu sitzen, ist wieder abzuschaffen.", "order"),
        ("de", "Es ist richtig, die Bänke zu streichen.", None),
        ("de", "Die Bänke sind zu klein.", None),
        ("de", "Die Stadt hat zu viel zu sagen.", None),
        ("it", "La vendita va vietata.", "must"),
        ("es", "Hay que pagar.", "must"),
        ("fr", "Il faudrait payer.", "should"),
        ("hu", "A padokat le kell festeni.", None),
    ],
)
def test_deontic_force(language: str, text: str, expected: str | None) -> None:
    assert force(text, language) == expected


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "It is right to paint the benches."),
        ("de", "Das Streichen der Bänke ist überflüssig."),
        ("fr", "Il est important de peindre les bancs."),
        ("it", "È giusto dipingere le panchine."),
        ("es", "Es importante pintar los bancos."),
    ],
)
def test_a_text_that_judges_has_not_lost_the_force_of_the_original(language: str, text: str) -> None:
    assert force(text, language) is None
    assert evaluates(text, language)
    assert "force-lost" not in {code for _, code in found(language, paraphrase1=text)}


def test_markers_are_whole_words_and_french_ne_counts_once() -> None:
    assert markers("Ne pas noter sans nom la nation.", "fr") == {"pas noter": 1, "sans nom": 1}
    assert markers("Noble notes are known nowadays.", "en") == {}
    assert markers("Ez nem jó.", "xx") is None


@pytest.mark.parametrize(
    ("language", "text", "count"),
    [
        ("de", "Es soll keine Bänke geben.", 1),
        ("en", "Benches shouldn’t be painted.", 1),
        ("es", "No hay bancos sin color.", 2),
        ("fr", "Il ne faut pas peindre.", 1),
        ("it", "Nessuno dipinga.", 1),
    ],
)
def test_markers_of_each_language(language: str, text: str, count: int) -> None:
    counts = markers(text, language)
    assert counts is not None
    assert counts.total() == count


def test_quotes_and_brackets_in_pairs() -> None:
    for text in ("„zu“", "“so”", "«si» (x)", "it's the states’ rule", "‘a’", "the 'a' rule"):
        assert not has_unbalanced_marks(text), text
    for text in ("„zu", "«si", "“some“ paint"):
        assert has_unbalanced_marks(text), text


def test_a_language_without_lists_is_judged_by_what_needs_none() -> None:
    texts = {"original": "Lavičky by se měly natřít.", "negation": "Lavičky by se měly natřít"}
    codes_found = {each.code for each in defects(texts, "cs")}
    assert codes_found == {"negation-equals-original", "missing-final-punctuation"}


def test_missing_variants_are_not_judged() -> None:
    assert defects({"negation": "The park should be closed."}, "en") == []
    assert defects({}, "en") == []


def test_every_code_is_sure_or_doubtful_and_has_a_meaning() -> None:
    assert set(codes("sure")) | set(codes("doubtful")) == set(codes())
    assert not set(codes("sure")) & set(codes("doubtful"))
    assert all(meaning[0].islower() and meaning[-1] != "." for meaning in codes().values())
    assert TextFinding("negation", "numbers-differ").sure
    assert not TextFinding("opposite", "opposite-numbers-differ").sure


def item(name: str, issues: dict[str, int], kind: str = "contrary", **texts: str) -> GateItem:
    return GateItem(name, {"en": texts}, "FR", issues, kind)


def test_statements_are_compared_with_each_other() -> None:
    one = item("a", {"x": 1}, original="France should close the old park at night.")
    two = item("b", {"x": -1}, original="Italy should close the old park at night.")
    same = item("c", {}, original="France should close the old park, at night.")
    assert {(f.statement, f.finding.code) for f in check([one, two])} == {
        ("a", "similar-statement"),
        ("a", "contradictory-signs"),
        ("b", "similar-statement"),
        ("b", "contradictory-signs"),
    }
    assert ("c", "duplicate-statement") in {(f.statement, f.finding.code) for f in check([one, same])}
    named = {f.finding.code for f in check([one, same])}
    assert "issues-differ" in named
    assert "contradictory-signs" not in named


def test_one_content_has_one_topic_in_all_countries() -> None:
    one = item("a", {"x": 1}, original="France should close the old park at night.")
    two = item("b", {"x": 1}, original="Italy should close the old park at night.")
    assert "topics-differ" not in {f.finding.code for f in check([one, two])}
    apart = replace(one, topic="parks"), replace(two, topic="night")
    assert [f.statement for f in check(apart) if f.finding.code == "topics-differ"] == ["a", "b"]


def test_every_text_names_its_country_where_its_file_says_how() -> None:
    told = item("a", {}, original="French parks should close.", negation="Parks should not close.")
    named = replace(told, names={"en": ("france", "french")})
    assert [f for f in check([told]) if f.finding.code == "country-not-named"] == []
    assert [f.finding.variant for f in check([named]) if f.finding.code == "country-not-named"] == [
        "negation"
    ]


def test_the_contrary_of_a_statement_should_have_the_other_sign() -> None:
    one = item(
        "a", {"x": 1}, original="The park fee is too high now.", opposite="The park fee is too low now."
    )
    two = item(
        "b", {"x": -1}, original="The park fee is too low now.", opposite="The park fee is too high now."
    )
    assert "contradictory-signs" not in {f.finding.code for f in check([one, two])}
    wrong = item("b", {"x": 1}, original="The park fee is too low now.")
    assert "contradictory-signs" in {f.finding.code for f in check([one, wrong])}


def test_the_same_change_makes_the_same_type_of_opposite() -> None:
    one = item("a", {}, "contrary", original="It is right to swim.", opposite="It is wrong to swim.")
    two = item(
        "b",
        {},
        "contradictory",
        original="It is wrong that cats sleep.",
        opposite="It is right that cats sleep.",
    )
    assert [f.statement for f in check([one, two]) if f.finding.code == "opposite-type-differs"] == ["a", "b"]
    assert check([one, item("b", {}, "contrary", original="It is right to eat all day.")]) == []


def test_a_duty_and_a_demand_may_have_opposites_of_other_types() -> None:
    """One can reject that the pool has to open and that it has to close, not that it should do either."""
    duty = item("a", {}, "contrary", original="The pool has to open.", opposite="The pool has to close.")
    demand = item(
        "b", {}, "contradictory", original="A garden should open.", opposite="A garden should close."
    )
    same = item("b", {}, "contradictory", original="A garden has to open.", opposite="A garden has to close.")
    found = [{f.finding.code for f in check([duty, other])} for other in (demand, same)]
    assert ["opposite-type-differs" in codes for codes in found] == [False, True]


@pytest.mark.skipif(PUBLISHED is None, reason="the published ProbVAA is not beside the checkout")
def test_the_language_of_published_statements_is_told_apart() -> None:
    assert PUBLISHED is not None
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        texts = [(row["statement"], row["ID"][-2:]) for row in csv.DictReader(file)]
    languages = sorted({language for _, language in texts})
    assert {"de", "en", "es", "fr", "it"} <= set(languages)
    right = [detect_language(text, language) == language for text, language in texts]
    assert right.count(False) / len(right) < 0.005  # a false alarm in at most one of 200
    other = [
        detect_language(text, wrong) == language
        for text, language in texts
        for wrong in languages
        if wrong != language
    ]
    assert other.count(True) / len(other) > 0.8  # the rest has too few frequent words to be sure
