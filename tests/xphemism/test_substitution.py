"""Exchanging words: agreement, case, number, compounds, other parts of speech, and what goes to a reader."""

from __future__ import annotations

import pytest

from polbias.generators.xphemism.items import PairMaker
from polbias.generators.xphemism.matching import Matcher
from polbias.generators.xphemism.matching.text import Hit
from polbias.generators.xphemism.substitution import Substitution, substitute
from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon

LEXICON = load_lexicon()
MATCHER = Matcher(LEXICON, LEXICON.words)


def _exchanged(claim: str, base: str, exchange: str) -> Substitution:
    """Exchange a word wherever a claim has it."""
    hit, *others = (hit for hit in MATCHER.find(claim, nested=True) if hit.word == base)
    return substitute(claim, hit, LEXICON.words[exchange], LEXICON, others)


def _member(claim: str, token: str, surface: str, member: str, base: str, exchange: str) -> Substitution:
    """Exchange a member of a compound."""
    start = claim.index(token)
    at = start + token.lower().index(surface.lower())
    hit = Hit(
        base,
        at,
        at + len(surface),
        start,
        start + len(token),
        "compound",
        surface,
        member,  # type: ignore[arg-type]
    )
    return substitute(claim, hit, LEXICON.words[exchange], LEXICON)


MISSION, WAR = "Friedensmission", "Krieg"


@pytest.mark.parametrize(
    ("claim", "shifted"),
    [
        # article, "kein", possessive, demonstrative, quantifier
        ("Eine Friedensmission kostet Geld.", "Ein Krieg kostet Geld."),
        ("Keine neue Friedensmission wurde beschlossen.", "Kein neuer Krieg wurde beschlossen."),
        ("Das Ende jeder Friedensmission ist offen.", "Das Ende jedes Krieges ist offen."),
        ("Sie beenden diese Friedensmission und ihre Friedensmission.", "Sie beenden diesen Krieg und ihren Krieg."),
        # adjectives: weak, mixed, strong, several, with an adverb, extended
        ("Die lange Friedensmission endete.", "Der lange Krieg endete."),
        ("Eine lange, sehr teure Friedensmission endete.", "Ein langer, sehr teurer Krieg endete."),
        ("Sie warnen vor weiterer Friedensmission.", "Sie warnen vor weiterem Krieg."),
        ("Die von allen schon lange geplante Friedensmission begann.", "Der von allen schon lange geplante Krieg begann."),
        # contractions, split and merged
        ("Zur Friedensmission kamen viele.", "Zum Krieg kamen viele."),
        ("In der Friedensmission starben viele.", "Im Krieg starben viele."),
        ("Sie zogen in die Friedensmission.", "Sie zogen in den Krieg."),
        # nominative or accusative by place and verb
        ("Die Friedensmission kostet viel Geld.", "Der Krieg kostet viel Geld."),
        ("Die Friedensmission lehnt er ab.", "Den Krieg lehnt er ab."),
        ("Gestern begann die Friedensmission.", "Gestern begann der Krieg."),
        ("Er sagt, dass die Friedensmission teuer ist.", "Er sagt, dass der Krieg teuer ist."),
        ("Er sagt, dass der Bund die Friedensmission bezahlt.", "Er sagt, dass der Bund den Krieg bezahlt."),
        ("Er plant, die Friedensmission zu beenden.", "Er plant, den Krieg zu beenden."),
        ("Es gibt die Friedensmission noch.", "Es gibt den Krieg noch."),
        ("Warum hat die Friedensmission begonnen?", "Warum hat der Krieg begonnen?"),
        ("Wer hat die Friedensmission begonnen?", "Wer hat den Krieg begonnen?"),
        ("Die USA haben die Friedensmission begonnen.", "Die USA haben den Krieg begonnen."),
        ("Viele kritisieren den Handel und die Friedensmission.", "Viele kritisieren den Handel und den Krieg."),
        ("Die Regierung, die gestern tagte, beendet die Friedensmission.", "Die Regierung, die gestern tagte, beendet den Krieg."),
        ("Neue Lieferungen verlangt die Friedensmission.", "Neue Lieferungen verlangt der Krieg."),
        ("Er kam, als die Friedensmission begann.", "Er kam, als der Krieg begann."),
        # genitive or dative
        ("Die Kosten der Friedensmission steigen.", "Die Kosten des Krieges steigen."),
        ("Sie will der Friedensmission zustimmen.", "Sie will dem Krieg zustimmen."),
        ("Wegen der Friedensmission fehlt Geld.", "Wegen des Krieges fehlt Geld."),
        # relative pronouns
        ("Die Friedensmission, die 2010 begann, endete.", "Der Krieg, der 2010 begann, endete."),
        ("Die Friedensmission, die er begann, endete.", "Der Krieg, den er begann, endete."),
        ("Die Friedensmission, an der er teilnahm, endete.", "Der Krieg, an dem er teilnahm, endete."),
        # "eine der ..."
        ("Eine der längsten Friedensmissionen endete.", "Einer der längsten Kriege endete."),
        # the article stays where only the word changes
        ("Die Friedensmissionen dauern an.", "Die Kriege dauern an."),
        ("Mit Friedensmissionen ist zu rechnen.", "Mit Kriegen ist zu rechnen."),
    ],
)  # fmt: skip
def test_gender_and_case(claim: str, shifted: str) -> None:
    made = _exchanged(claim, MISSION, WAR)
    assert (made.status, made.reason, made.shifted_claim) == ("made", "", shifted)


@pytest.mark.parametrize(
    ("claim", "base", "exchange", "shifted"),
    [
        ("Die Massenmedien berichten täglich.", "Massenmedien", "Lügenpresse", "Die Lügenpresse berichtet täglich."),
        ("Die Lügenpresse hat berichtet.", "Lügenpresse", "Massenmedien", "Die Massenmedien haben berichtet."),
        ("Dieser Klimawandel macht Angst.", "Klimawandel", "Wetteranomalien", "Diese Wetteranomalien machen Angst."),
        ("Dem Klimawandel muss man begegnen.", "Klimawandel", "Wetteranomalien", "Den Wetteranomalien muss man begegnen."),
        ("Wir stoppen den Klimawandel.", "Klimawandel", "Wetteranomalien", "Wir stoppen die Wetteranomalien."),
        ("Ein Obdachloser schläft hier.", "Obdachlose", "Penner", "Ein Penner schläft hier."),
        ("Viele Obdachlose schlafen hier.", "Obdachlose", "Penner", "Viele Penner schlafen hier."),
        # ages, possessions, relatives behind an attribute or a particle
        ("Eine 17-jährige Kopftuchträgerin siegte.", "Kopftuchträgerin", "Kopftuchmädchen", "Ein 17-jähriges Kopftuchmädchen siegte."),
        ("Er half der 15-jährigen Kopftuchträgerin.", "Kopftuchträgerin", "Kopftuchmädchen", "Er half dem 15-jährigen Kopftuchmädchen."),
        ("Eine 16 Jahre alte Kopftuchträgerin kam.", "Kopftuchträgerin", "Kopftuchmädchen", "Ein 16 Jahre altes Kopftuchmädchen kam."),
        ("Die Machthaber in Minsk haben das Netz abgeschaltet.", "Machthaber", "Regierung", "Die Regierung in Minsk hat das Netz abgeschaltet."),
        ("Frankreich kündigte die Friedensmission an, die 2013 begann.", "Friedensmission", "Krieg", "Frankreich kündigte den Krieg an, der 2013 begann."),
        ("Polen will 2036 sein erstes Atomkraftwerk eröffnen.", "Atomkraftwerk", "Energiepark", "Polen will 2036 seinen ersten Energiepark eröffnen."),
    ],
)  # fmt: skip
def test_number_and_what_agrees_beyond_the_phrase(claim: str, base: str, exchange: str, shifted: str) -> None:
    made = _exchanged(claim, base, exchange)
    assert (made.shifted_claim, made.status) == (shifted, "made")


@pytest.mark.parametrize(
    ("claim", "base", "exchange", "shifted"),
    [
        ("Die Flüchtlinge kamen zu Fuß.", "Flüchtlinge", "Schutzsuchende", "Die Schutzsuchenden kamen zu Fuß."),
        ("Zehn Flüchtlinge kamen zu Fuß.", "Flüchtlinge", "Schutzsuchende", "Zehn Schutzsuchende kamen zu Fuß."),
        ("Ein Flüchtling kam zu Fuß.", "Flüchtling", "Geflüchtete", "Ein Geflüchteter kam zu Fuß."),
        ("Er schlug den Mitbewerber.", "Mitbewerber", "Konkurrent", "Er schlug den Konkurrenten."),
        ("Alle Mitbewerber verloren.", "Mitbewerber", "Konkurrent", "Alle Konkurrenten verloren."),
        ("Das Sterben war lang.", "Sterben", "ableben", "Das Ableben war lang."),
        ("Die Todesstrafe gilt nicht.", "Todesstrafe", "Ultimative Strafe", "Die ultimative Strafe gilt nicht."),
        ("Diplomatie hilft.", "Diplomatie", "internationale Zusammenarbeit", "Internationale Zusammenarbeit hilft."),
        ("Die internationale Diplomatie hilft.", "Diplomatie", "internationale Zusammenarbeit", "Die internationale Zusammenarbeit hilft."),
        ("Neue soziale Ungleichheit droht.", "Ungleichheit", "soziale Schieflage", "Neue soziale Schieflage droht."),
        ("Er lobt #Diplomatie sehr.", "Diplomatie", "internationale Zusammenarbeit", "Er lobt internationale Zusammenarbeit sehr."),
        ("Die teuren Häuser stehen leer.", "teuer", "hochpreisig", "Die hochpreisigen Häuser stehen leer."),
    ],
)  # fmt: skip
def test_declensions_and_parts_of_speech(claim: str, base: str, exchange: str, shifted: str) -> None:
    assert _exchanged(claim, base, exchange).shifted_claim == shifted


def test_members_of_compounds() -> None:
    claim = "Die Flüchtlingspolitik ändert sich."
    made = _member(claim, "Flüchtlingspolitik", "Flüchtling", "first", "Flüchtling", "Geflüchtete")
    assert made.shifted_claim == "Die Geflüchtetenpolitik ändert sich."
    claim = "Der Handels-Krieg dauert an."
    made = _member(claim, "Handels-Krieg", "Krieg", "head", WAR, MISSION)
    assert made.shifted_claim == "Die Handels-Friedensmission dauert an."
    claim = "Seine Konkurrentin verlor."
    made = _member(claim, "Konkurrentin", "Konkurrent", "first", "Konkurrent", "Mitbewerber")
    assert made.shifted_claim == "Seine Mitbewerberin verlor."


@pytest.mark.parametrize(
    ("claim", "token", "surface", "base", "exchange", "shifted"),
    [
        ("Das Fake-News-Gesetz gilt.", "Fake-News-Gesetz", "Fake-News", "Fake News", "Falschinformation", "Das Falschinformationsgesetz gilt."),
        ("Die Fake-News-Test-Reihe läuft.", "Fake-News-Test-Reihe", "Fake-News", "Fake News", "Falschinformation", "Die Falschinformations-Test-Reihe läuft."),
        ("Ein Abschiebungsstau droht.", "Abschiebungsstau", "Abschiebung", "Abschiebung", "Rückführung", "Ein Rückführungsstau droht."),
        ("Die Falschinformationskampagne lief.", "Falschinformationskampagne", "Falschinformation", "Falschinformation", "Fake News", "Die Fake-News-Kampagne lief."),
    ],
)  # fmt: skip
def test_seams_of_compounds(
    claim: str, token: str, surface: str, base: str, exchange: str, shifted: str
) -> None:
    assert _member(claim, token, surface, "first", base, exchange).shifted_claim == shifted


def test_a_phrase_cannot_be_a_member() -> None:
    made = _member(
        "Ein Diplomatiekurs.", "Diplomatiekurs", "Diplomatie", "first", "Diplomatie", "soziale Schieflage"
    )
    assert made.status == "review"
    assert made.reason.startswith("compound-phrase: ")


@pytest.mark.parametrize(
    ("claim", "base", "exchange", "code"),
    [
        ("Die Partei, die die Friedensmission ablehnt, verlor.", MISSION, WAR, "ambiguous-case"),
        ("Eine Rente, die Armut verhindert, ist teuer.", "Armut", "Übergewicht", "relative-or-article"),
        ("Ämter auf Sozialleistungen verhandeln.", "Sozialleistungen", "Staatliche Unterstützung", "ambiguous-case"),
        ("Altersarmut droht.", "Altersarmut", "Rente", "article"),
        ("Subventionen, die Arbeitsplätze sichern, helfen.", "Subventionen", "Wirtschaftsförderung", "relative-pronoun"),
        ("Die Friedensmission der Stadt, deren Ende naht, kostet Geld.", MISSION, WAR, "relative-pronoun"),
        ("Die Friedensmission auf der Insel, die 2020 begann, kostet Geld.", MISSION, WAR, "relative-pronoun"),
        ("Die Friedensmission, die teuerste ihrer Art, endet.", MISSION, WAR, "apposition"),
        ("Die Friedensmission kostet so viel wie jede andere.", MISSION, WAR, "pronoun"),
        ("Keine Friedensmission kostet so viel wie die in Mali.", MISSION, WAR, "pronoun"),
        ("Im Wahlkampf gegen Harris, den Musk bezahlte, ging es um Zölle.", "Wahlkampf", "Schmutzkampagne", "relative-pronoun"),
        ("Die Friedensmission, die Macron den Briten anbot, endet.", MISSION, WAR, "relative-pronoun"),
        ("Er spielte im zwölften Zug seine Dame beim Schach aus.", "Dame", "Frau", "other-sense"),
        ("Die Freisetzung von Gasen wurde gemeldet.", "Freisetzung", "Entlassung", "other-sense"),
        ("Den Strommonopolisten nützte die Krise.", "Strommonopolisten", "Energiekonzerne", "ambiguous-case"),
        ("Die Friedensmission, in der Anna K. dient, endet.", MISSION, WAR, "relative-pronoun"),
        ("Sie zahlten in einer bis dahin unauffälligen Friedensmission.", MISSION, WAR, "adjective"),
        ("Eine der teuersten Friedensmissionen endete, sie hieß Minusma.", MISSION, WAR, "pronoun"),
        ("Für den Friedensmissionen fehlt Geld.", MISSION, WAR, "no-reading"),
        ("Alle Massenmedien berichten.", "Massenmedien", "Lügenpresse", "counted"),
        ("Die Friedensmission der Stadt hat ihren Preis.", MISSION, WAR, "possessive"),
        ("Die Friedensmission endet, weil sie zu teuer ist.", MISSION, WAR, "pronoun"),
        ("Wir wollen ein Gefängnis bauen und werden seine Leitung wählen.", "Gefängnis", "Justizvollzugsanstalt", "possessive"),
        ("Die Ampel beendet den Krieg und seine Folgen.", WAR, MISSION, "possessive"),
        ("Die soziale und regionale Ungleichheit wächst.", "Ungleichheit", "soziale Schieflage", "already-there"),
        ("Steuern und Abgaben sinken.", "Steuer", "Abgabe", "already-there"),
        ("Umwelt- und Klimaschutz kosten Geld.", "Klimaschutz", "Umweltschutz", "already-there"),
        ("Sie plant Frauenhäuser.", "Frau", "Dame", "unknown-compound"),
        ("Die Kriegsflüchtlinge kamen.", WAR, "Verteidigungsfall", "unknown-compound"),
        ("Zwei Arbeitsgruppen tagen.", "Gruppe", "Bande", "unknown-compound"),
        ("Der Warnstreik endet.", "Streik", "Arbeitskampf", "unknown-compound"),
        ("Die Friedensmission ist die teuerste.", MISSION, WAR, "predicate"),
        ("Das Volk hofft auf Abrisse.", "Abriss", "Rückbau", "rare-plural"),
        ("Er saß am Steuer.", "Steuer", "Abgabe", "other-word"),
        ("In der Regel regnet es.", "Regel", "Norm", "other-sense"),
        ("Die Entlassung von Lehrern begann.", "Entlassung", "Umstrukturierung", "valency"),
        ("Der Umwelt- und Klimaschutz kostet Geld.", "Klimaschutz", "Ökodiktatur", "shared-member"),
        ("Der König will abdanken.", "abdanken", "Aufgeben eines Amtes", "verb-phrase"),
        ("Er sprach zum Klimawandel.", "Klimawandel", "Wetteranomalien", "number"),
        ("Dann wird ihr Krieg vorgeworfen.", WAR, MISSION, "dative-pronoun"),
    ],
)  # fmt: skip
def test_what_a_reader_decides(claim: str, base: str, exchange: str, code: str) -> None:
    made = _exchanged(claim, base, exchange)
    assert made.status == "review"
    assert made.reason.split(":")[0] == code
    assert (made.shifted_claim, made.edits) == (claim, ())


@pytest.mark.parametrize(
    ("claim", "shifted"),
    [
        ("Laut Umfrage sei die Friedensmission teuer.", "Laut Umfrage sei der Krieg teuer."),
        ("Die Friedensmission sei beendet.", "Der Krieg sei beendet."),
        ("Der Bund äußere sich zur Friedensmission.", "Der Bund äußere sich zum Krieg."),
        ("Video zeigt die Friedensmission im Norden.", "Video zeigt den Krieg im Norden."),
    ],
)
def test_reported_speech_and_headlines_stay_what_they_are(claim: str, shifted: str) -> None:
    assert _exchanged(claim, MISSION, WAR).shifted_claim == shifted


@pytest.mark.parametrize(
    "claim", ["Das ist, sage ich, die Friedensmission.", "Die äußere Friedensmission endete.", "Reiche Länder planen die Friedensmission."]
)  # fmt: skip
def test_what_only_looks_like_reported_speech(claim: str) -> None:
    assert _exchanged(claim, MISSION, WAR).status == "made"


@pytest.mark.parametrize(
    ("claim", "code"),
    [
        ("Die Friedensmission/en kosten Geld.", "token"),
    ],
)
def test_a_text_to_settle_first(claim: str, code: str) -> None:
    assert _exchanged(claim, MISSION, WAR).reason.split(":")[0] == code


@pytest.mark.parametrize(
    ("claim", "base", "exchange", "shifted"),
    [
        # a collective takes the definite article and a singular verb
        ("Medien berichten täglich.", "Medien", "Lügenpresse", "Die Lügenpresse berichtet täglich."),
        ("Deutsche Medien berichten täglich.", "Medien", "Lügenpresse", "Die deutsche Lügenpresse berichtet täglich."),
        ("Man glaubt deutschen Medien kaum noch.", "Medien", "Lügenpresse", "Man glaubt der deutschen Lügenpresse kaum noch."),
        ("Parteien und Massenmedien streiten.", "Massenmedien", "Lügenpresse", "Parteien und die Lügenpresse streiten."),
        ("Von Medien erwartet man viel.", "Medien", "Lügenpresse", "Von der Lügenpresse erwartet man viel."),
        ("Der Plan führt zu Altersarmut.", "Altersarmut", "Ruhestand mit Einschränkungen", "Der Plan führt zum Ruhestand mit Einschränkungen."),
        # what is not counted stands alone
        ("Proteste prägten das Jahr.", "Protest", "Bürgerengagement", "Bürgerengagement prägte das Jahr."),
        ("Im Jahr 2019 gab es Proteste.", "Protest", "Bürgerengagement", "Im Jahr 2019 gab es Bürgerengagement."),
        ("Das Land zahlt Subventionen.", "Subventionen", "Wirtschaftsförderung", "Das Land zahlt Wirtschaftsförderung."),
        # what can be counted stays plural
        ("Das Land zahlt Subventionen.", "Subventionen", "Marktverzerrung", "Das Land zahlt Marktverzerrungen."),
        ("Sie haben Anspruch auf staatliche Unterstützung.", "Staatliche Unterstützung", "Almosen", "Sie haben Anspruch auf Almosen."),
        ("Für eine solche Wirtschaftsförderung fehlt Geld.", "Wirtschaftsförderung", "Subventionen", "Für solche Subventionen fehlt Geld."),
        ("Die Bundeswehr übt.", "Bundeswehr", "Kriegstreiber", "Die Kriegstreiber üben."),
    ],
)  # fmt: skip
def test_number_without_article(claim: str, base: str, exchange: str, shifted: str) -> None:
    assert _exchanged(claim, base, exchange).shifted_claim == shifted


@pytest.mark.parametrize(
    ("claim", "base", "exchange", "shifted"),
    [
        # no object after verbs like "fallen"; times are no subject
        ("Im Herbst 1989 fiel die Berliner Mauer.", "Berliner Mauer", "antifaschistischer Schutzwall", "Im Herbst 1989 fiel der antifaschistische Schutzwall."),
        ("November 1989 fiel die Berliner Mauer.", "Berliner Mauer", "antifaschistischer Schutzwall", "November 1989 fiel der antifaschistische Schutzwall."),
        # a subject whose verb comes after its relative clause
        ("Die Friedensmission, mit der der Bund viel bezweckte, wird beendet.", MISSION, WAR, "Der Krieg, mit dem der Bund viel bezweckte, wird beendet."),
        # an object in front
        ("Das Gendern untersagte Bayern den Schulen.", "Gendern", "Genderwahnsinn", "Den Genderwahnsinn untersagte Bayern den Schulen."),
        ("Das Gendern an Schulen untersagte Bayern.", "Gendern", "Genderwahnsinn", "Den Genderwahnsinn an Schulen untersagte Bayern."),
        ("Das Überwachungsgesetz erlaubt die Kontrolle.", "Überwachungsgesetz", "Sicherheitsgesetz", "Das Sicherheitsgesetz erlaubt die Kontrolle."),
        # the subject is a clause
        ("Wer bleibt, muss die Friedensmission bezahlen.", MISSION, WAR, "Wer bleibt, muss den Krieg bezahlen."),
        # a genitive in front of the verb
        ("Pläne der Friedensmission fehlen.", MISSION, WAR, "Pläne des Krieges fehlen."),
        # "sein" as a verb
        ("Die Friedensmission soll bis Mai beendet sein.", MISSION, WAR, "Der Krieg soll bis Mai beendet sein."),
        ("Das Gefängnis soll bald offen sein und wachsen.", "Gefängnis", "Justizvollzugsanstalt", "Die Justizvollzugsanstalt soll bald offen sein und wachsen."),
        # a possessive of the subject, which may follow
        ("Für die Friedensmission in ihren Plänen wirbt die Stadt.", MISSION, WAR, "Für den Krieg in ihren Plänen wirbt die Stadt."),
        # an object of a relative clause
        ("Die Steuerprivilegien, die Diplomaten genießen, sind alt.", "Steuerprivilegien", "Steuererleichterung", "Die Steuererleichterung, die Diplomaten genießen, ist alt."),
        # adjectives with a hyphen, a capital or a reason
        ("Eine EU-weite Friedensmission fehlt.", MISSION, WAR, "Ein EU-weiter Krieg fehlt."),
        ("Das ist eine Wirksame Friedensmission.", MISSION, WAR, "Das ist ein Wirksamer Krieg."),
        ("Eine teure, weil lange Friedensmission endet.", MISSION, WAR, "Ein teurer, weil langer Krieg endet."),
        ("Allgemeine Friedensmissionen enden.", MISSION, WAR, "Allgemeine Kriege enden."),
        # "ins" where nothing stands between
        ("Er kam in die Justizvollzugsanstalt.", "Justizvollzugsanstalt", "Gefängnis", "Er kam ins Gefängnis."),
        ("Er kam in die alte Justizvollzugsanstalt.", "Justizvollzugsanstalt", "Gefängnis", "Er kam in das alte Gefängnis."),
    ],
)  # fmt: skip
def test_roles_and_attributes(claim: str, base: str, exchange: str, shifted: str) -> None:
    assert _exchanged(claim, base, exchange).shifted_claim == shifted


def test_names_and_quotations_are_left_alone() -> None:
    maker = PairMaker(LEXICON)
    for claim in ("Der Kalte Krieg dauert an.", "Er rief „Krieg“.", "Das Klimaschutzgesetz gilt."):
        assert {pair.status for pair in maker.make_all(claim)} == {"none"}
    assert maker.make("Der Kalte Krieg dauert an.", WAR, MISSION).status == "none"


def test_one_row_for_entries_of_one_form() -> None:
    made = [
        pair
        for pair in PairMaker(LEXICON).make_all("Ein Obdachloser fror.")
        if pair.exchange_word == "Penner"
    ]
    assert [pair.shifted_claim for pair in made] == ["Ein Penner fror."]


def test_edits_tell_what_changed() -> None:
    claim = "Im langen Krieg, der folgte, half ein Krieg dem anderen."
    made = _exchanged(claim, WAR, MISSION)
    assert made.shifted_claim == (
        "In der langen Friedensmission, die folgte, half eine Friedensmission dem anderen."
    )
    assert [(edit.old, edit.new, edit.kind) for edit in made.edits] == [
        ("Im", "In der", "preposition"),
        ("Krieg", "Friedensmission", "word"),
        ("der", "die", "pronoun"),
        ("ein", "eine", "determiner"),
        ("Krieg", "Friedensmission", "word"),
    ]
    assert all(claim[edit.start : edit.end] == edit.old for edit in made.edits)
