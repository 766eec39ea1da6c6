"""Where words stand in sentences, how, and where letters only look like them."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polbias.generators.xphemism.matching import Matcher
from polbias.generators.xphemism.matching.matcher import quotations
from polbias.generators.xphemism.matching.text import normalize_spelling
from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon
from polbias.generators.xphemism.vocabulary.paradigms import forms
from tests.support.shared import shared


@cache
def matcher() -> Matcher:
    return Matcher(load_lexicon())


def found(text: str) -> list[tuple[str, str, str]]:
    """Return word, kind (of compounds the member) and surface of every hit."""
    return [(hit.word, hit.member or hit.kind, hit.surface) for hit in matcher().find(text)]


def words(text: str) -> set[str]:
    return {hit.word for hit in matcher().find(text)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Der Streik dauert an.", [("Streik", "exact", "Streik")]),
        ("Wegen des Streiks fahren keine Busse.", [("Streik", "inflected", "Streiks")]),
        ("In zwei Streiks wurde verhandelt.", [("Streik", "inflected", "Streiks")]),
        ("Das Streikrecht gilt weiter.", [("Streik", "first", "Streik")]),
        ("Ein Bäckerstreik begann.", [("Streik", "head", "streik")]),
        ("Die Bäckerstreikkasse ist leer.", [("Streik", "middle", "streik")]),
        ("Die Anti-Streik-Gruppe tagt.", [("Streik", "middle", "Streik"), ("Gruppe", "head", "Gruppe")]),
        ("Er las Kriegsgeschichten.", [("Krieg", "first", "Krieg")]),
        ("Das Nachkriegskino blühte.", [("Krieg", "middle", "krieg")]),
        ("Ein kriegsmüdes Land.", [("Krieg", "first", "krieg")]),
        ("Es gab Steuer- und Zollsenkungen.", [("Steuer", "first", "Steuer")]),
        ("Die Gewerbe- und die Hundesteuer steigen.", [("Steuer", "head", "steuer")]),
        ("Sie zählt Vertriebene und -opfer. Kriegsfilme und -opfer", [("Krieg", "first", "Krieg")]),
        ("Teure Mieten schrecken ab.", [("teuer", "inflected", "Teure")]),
        ("Die teuren Mieten schrecken ab.", [("teuer", "inflected", "teuren")]),
        ("Das ist superteuer.", [("teuer", "head", "teuer")]),
        ("Die käufliche Liebe hat viele Namen.", [("käufliche Liebe", "exact", "käufliche Liebe")]),
        ("Von käuflicher Liebe war die Rede.", [("käufliche Liebe", "inflected", "käuflicher Liebe")]),
        ("Sie schrieb über die soziale  Schieflage.", [("soziale Schieflage", "exact", "soziale  Schieflage")]),
        ("Er bezog Hartz IV.", [("Hartz IV", "exact", "Hartz IV")]),
        ("Der Hartz-IV-Antrag liegt vor.", [("Hartz IV", "first", "Hartz-IV")]),
        ("Das sind Fake-News.", [("Fake News", "inflected", "Fake-News")]),
        ("Der Hausmeister kam, die Hausmeisterin ging.", [("Hausmeister", "exact", "Hausmeister"), ("Hausmeister", "first", "Hausmeister")]),
        ("Viele Hausmeister:innen streiken.", [("Hausmeister", "first", "Hausmeister")]),
        ("ALLE STEUERN STEIGEN.", [("Steuer", "inflected", "STEUERN")]),
        ("alle steuern steigen wieder.", [("Steuer", "inflected", "steuern")]),
        ("Der Rueckbau beginnt.", [("Rückbau", "inflected", "Rueckbau")]),
    ],
)  # fmt: skip
def test_occurrences(text: str, expected: list[tuple[str, str, str]]) -> None:
    got = found(text)
    assert got == expected


@pytest.mark.parametrize(
    "text",
    [
        "Die Kosten sind enorm.",  # Norm
        "Der Normalfall und die Normalität.",
        "Die Regelung ist regelmäßig und regellos.",
        "Die Parenten der Konkurrenz.",  # Renten
        "Ein Protestant und zwei Protestantinnen.",
        "Sie wollen uns steuern und regeln.",  # verbs
        "Wir bekriegen niemanden, wir kriegen Post.",
        "Er muss vermitteln und ermitteln.",
        "Die Bewerbung und die Anwerbung.",
        "Die Ankündigung und die Verkündigung.",
        "Die Einwanderung und die Massenauswanderung.",
        "Das Aussterben der Wale.",
        "Das Geschlecht, ein Abenteuer, Beteuerungen.",  # schlecht, teuer
        "Ein schwerbehinderter Meisterbetrieb.",  # Werbe-, Sterbe-
        "Das Ausbildungssystem.",
        "Madame liest Satelliten-Telemetrie.",
        "Mittels eines Hebels hob er die Kiste.",
        "Fremde Länder sind schön.",
        "Sie kamen aus einer fremden Welt.",
    ],
)
def test_accidental_letters(text: str) -> None:
    assert found(text) == []


def test_longest_word_counts() -> None:
    assert words("Die Flüchtlingskrise hielt an.") == {"Flüchtlingskrise"}
    assert words("Die Flüchtlingskrisenstäbe tagten.") == {"Flüchtlingskrise"}
    nested = {hit.word for hit in matcher().find("Die Flüchtlingskrise hielt an.", nested=True)}
    assert nested == {"Flüchtlingskrise", "Flüchtling", "Flüchtlinge"}


def test_words_that_share_a_form_are_all_found() -> None:
    hits = matcher().find("Die Flüchtlinge kamen.")
    assert [(hit.word, hit.kind) for hit in hits] == [("Flüchtling", "inflected"), ("Flüchtlinge", "exact")]


def test_token_and_member_offsets() -> None:
    text = "Neue Bäckerstreikkasse."
    (hit,) = matcher().find(text)
    assert text[hit.token_start : hit.token_end] == "Bäckerstreikkasse"
    text = "Die Frauenquote gilt."
    (hit,) = matcher().find(text)
    assert (hit.surface, text[hit.token_start : hit.token_end]) == ("Frau", "Frauenquote")


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("Sie sagte: „Der Streik endet.“ Dann ging sie.", True),
        ('Sie sagte: „Der Streik endet." Dann ging sie.', True),
        ('Sie sagte: "Der Streik endet." Dann ging sie.', True),
        ("Sie sagte: »Der Streik endet.« Dann ging sie.", True),
        ("Sie sagte: «Der Streik endet.» Dann ging sie.", True),
        ("Sie sagte: ‚Der Streik endet.‘ Dann ging sie.", True),
        ("Sie sagte: 'Der Streik endet.' Dann ging sie.", True),
        ("Sie sagte: “Der Streik endet.” Dann ging sie.", True),
        ("Sie sagte: „Der ‚lange‘ Streik endet.“", True),
        ("Sie sagte: „Der Streik endet.", True),
        ("„Gut“, sagte sie, der Streik endet.", False),
        ('"Gut", sagte sie, der Streik endet. "Schön."', False),
        ("Peters' Streik war's nicht, sagt Hans' Frau.", False),
        ('Der 12" lange Streik.', False),
    ],
)
def test_quotations(text: str, quoted: bool) -> None:
    assert {hit.quoted for hit in matcher().find(text) if hit.word == "Streik"} == {quoted}


def test_quotations_without_partners_and_inside_each_other() -> None:
    assert quotations("„a »b« c“ d") == ((1, 8),)
    assert quotations("a“ b« c") == ()


@pytest.mark.parametrize(
    ("text", "word", "proper"),
    [
        ("Das Bundesministerium für Ernährung und Landwirtschaft lädt ein.", "Landwirtschaft", True),
        ("Der Minister für Umwelt, ländliche Räume und Landwirtschaft kam.", "Landwirtschaft", True),
        ("Die Beauftragte der Regierung für Migration sprach.", "Migration", True),
        ("Ein Bündnis gegen Rassismus rief dazu auf.", "Rassismus", True),
        ("Im Kalten Krieg war das anders.", "Krieg", True),
        ("Im Ersten Weltkrieg war das anders.", "Krieg", True),
        ("Die #Steuern steigen.", "Steuer", True),
        ("Mehr unter https://example.org/streik-news heute.", "Streik", True),
        ("Danke an @streik für den Hinweis.", "Streik", True),
        ("Der Umweltschutz e.V. tagt.", "Umweltschutz", True),
        ("Im kalten Krieg war das anders.", "Krieg", False),
        ("Die Minister der Regierung schweigen.", "Regierung", False),
        ("Das Geld für Forst und Landwirtschaft fehlt.", "Landwirtschaft", False),
        ("Neue Steuern kommen.", "Steuer", False),
        ("Das sei Legende, Streik war früher.", "Streik", False),
        ("Dort zahlen Deutsche Steuern.", "Steuer", False),
        ("Die Deutsche Rentenversicherung zahlt.", "Rente", True),
        ("Der Volksbund Deutsche Kriegsgräberfürsorge sammelt.", "Krieg", True),
        ("Das Bündnis Migration und Arbeit tagt.", "Migration", True),
        ("Das Bündnis und die Migration sind Thema.", "Migration", False),
        ("Der Bund plant Steuern auf Zucker.", "Steuer", False),
        ("Der Ethikrat für Migration tagt.", "Migration", True),
        ("Er stimmte im Bundesrat für Migration.", "Migration", False),
        ("Sie gab einen Rat für Streik und Protest.", "Streik", False),
        ("Die Initiative zur Migration scheiterte.", "Migration", False),
        ("Das klagte die Behörde gegen Rassismus ein.", "Rassismus", False),
        ("Das Zentrum gegen Vertreibung lädt ein.", "Vertreibung", True),
        ("Die gleiche Menge Steuern fällt an.", "Steuer", False),
        ("Das war ein Langer Streik.", "Streik", False),
        ("So sinken hilfsbedürftiger Fremder Steuern.", "Steuer", False),
    ],
)
def test_proper_names(text: str, word: str, proper: bool) -> None:
    assert {hit.proper for hit in matcher().find(text) if hit.word == word} == {proper}


@pytest.mark.parametrize(
    "text",
    [
        "😀😀 Streik 😀",
        "\ufeffDer Streik",
        "Der Stre\u00adik",
        "Die U\u0308berwachung",  # a decomposed umlaut
        "Der \ud800 Streik",
        "Er bezog Hartz\u00a0IV und Hartz\nIV",
        "ein\r\n\r\nStreik\t",
        "👩\u200d🚒Streik👩\u200d🚒",
        "Bäcker\u2011Streik",
    ],
)
def test_texts_of_the_web(text: str) -> None:
    hits = matcher().find(text)
    assert hits
    for hit in hits:
        assert hit.surface == text[hit.start : hit.end]
        assert normalize_spelling(hit.surface)[0].strip().casefold()[:3] in ("str", "übe", "har")
    assert list(matcher().candidates([text])) == [0]


def test_empty_and_enormous_texts() -> None:
    assert matcher().find("") == matcher().find("   \n") == ()
    text = "Ganz ruhig war es hier am See. " * 30_000 + "Der Streik „begann“."
    assert [hit.start for hit in matcher().find(text)] == [text.index("Streik")]
    assert matcher().find("s" * 200_000) == ()


@given(st.text(st.sampled_from("Streik Steuern„“\"'#@-\u00ad\u0308\u00a0😀\ud800.:\n"), max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_keeps_its_offsets(text: str) -> None:
    hits = matcher().find(text)
    assert not hits or list(matcher().candidates([text])) == [0]
    for hit in hits:
        assert 0 <= hit.token_start <= hit.start < hit.end <= hit.token_end <= len(text)
        assert hit.surface == text[hit.start : hit.end]


@given(st.text(max_size=80))
@settings(max_examples=200, deadline=None)
def test_folding_leads_back(text: str) -> None:
    folded, offsets = normalize_spelling(text)
    assert len(offsets) == len(folded) + 1
    assert list(offsets) == sorted(offsets)
    assert offsets[-1] == len(text)


def test_every_form_of_every_word_is_found() -> None:
    lexicon = load_lexicon()
    for name in matcher().words:
        for form in forms(lexicon.words[name]):
            for text in (f"Es hieß {form} dort.", f"Es hieß {form.upper()} dort."):
                assert list(matcher().candidates([text])) == [0], text
            text = f"Ja, dort {form}?"
            spans = {(hit.start, hit.end) for hit in matcher().find(text, nested=True) if hit.word == name}
            assert (9, 9 + len(form)) in spans, (name, form)


def test_candidates_leave_out_no_hit() -> None:
    texts = ["Nichts.", "Der Streik.", "", "Enorm.", "Ein Bäckerstreik.", "Alles gut."]
    assert [place for place, _ in matcher().find_all(texts)] == [1, 4]
    assert {1, 4} <= set(matcher().candidates(iter(texts)))
    assert not {0, 2, 5} & set(matcher().candidates(iter(texts)))


def test_a_word_without_morphology_is_found_as_it_stands() -> None:
    own = Matcher(load_lexicon(), ["Blaukraut", "zum Beispiel"])
    assert own.words == ("Blaukraut", "zum Beispiel")
    assert [hit.word for hit in own.find("Blaukraut, zum Beispiel, und blaukraut: Blaukrauts.")] == [
        "Blaukraut",
        "zum Beispiel",
    ]


@pytest.mark.skipif(shared("upstream/polbix/dataset.csv") is None, reason="needs the published data")
def test_recall_on_the_published_data() -> None:
    """A row counts if the letters of some form of its base word stand in its base claim."""
    path = shared("upstream/polbix/dataset.csv")
    assert path is not None
    lexicon = load_lexicon()
    by_name = {word.casefold(): word for word in matcher().words}
    kinds: Counter[str] = Counter()
    absent: list[str] = []
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            word, claim = by_name[row["base_word"].casefold()], row["base_claim"]
            if not any(form.casefold() in claim.casefold() for form in forms(lexicon.words[word])):
                absent.append(row["id"])
                assert word not in {hit.word for hit in matcher().find(claim, nested=True)}
                continue
            own = {hit.kind for hit in matcher().find(claim, nested=True) if hit.word == word}
            kinds[min(own, key=("exact", "inflected", "compound").index, default="missed")] += 1
    total = kinds.total()
    recall = 1 - kinds["missed"] / total
    line = f"recall {recall:.1%} of {total} rows: {dict(kinds)}; base word absent from {len(absent)}"
    sys.stdout.write(line + "\n")
    assert recall >= 0.97, line
    assert 0.65 < kinds["exact"] / total < 0.75  # 70% by a count of tokens
    assert len(absent) < 0.04 * (total + len(absent))


def test_imprisonment_is_a_member_and_no_suffix() -> None:
    assert [hit.member for hit in matcher().find("Die Abschiebungshaft endet.")] == ["first"]
    assert not matcher().find("Das ist krieghaft.")
