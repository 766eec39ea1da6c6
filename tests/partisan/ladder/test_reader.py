"""Arguments of the ladder are read back into formulas, and anything else is an error."""

from __future__ import annotations

import re

import pytest

from polbias.errors import PolbiasError
from polbias.generators.logic.syntax import parse_formula
from polbias.generators.partisan.ladder.sentence_reader import LadderReadingError
from polbias.generators.partisan.ladder.settings import Setting
from tests.partisan.ladder.texts import CLAIMS, INTRODUCTIONS, SENTENCES, about, argument, reader

T, R, U = "testimony", "ranking", "rules"
_FACTS = {
    (R, True): "Lane ranks above Woods.",
    (U, True): "Lane is musical.",
    (T, False): "Lange hat gelogen.",
    (R, False): "Lange liegt vor Hahn.",
    (U, False): "Lange ist musikalisch.",
}


@pytest.mark.parametrize(("family", "english", "german", "formula"), SENTENCES)
def test_sentences_are_read_into_their_formulas(family: str, english: str, german: str, formula: str) -> None:
    expected = parse_formula(formula)
    assert reader("us_en").read(about(family, "us_en", english)).inference.premises == (expected,)
    assert reader("de_de").read(about(family, "de_de", german)).inference.premises == (expected,)


@pytest.mark.parametrize(
    ("family", "german", "formula"),
    [
        (T, "Von Lange und Hahn hat höchstens einer gelogen.", "#[¬truthful(a), ¬truthful(b)] ≤ 1"),
        (R, "Von Lange und Hahn liegt genau einer vor Richter.", "#[above(a, c), above(b, c)] = 1"),
        (T, "Genau einer der SPD-Politiker hat gelogen.", "#x (G1(x) ∧ ¬truthful(x)) = 1"),
        (T, "Genau zwei der SPD-Politiker haben gelogen.", "#x (G1(x) ∧ ¬truthful(x)) = 2"),
        (R, "Mindestens ein SPD-Politiker liegt vor Hahn.", "#x (G1(x) ∧ above(x, b)) ≥ 1"),
        (R, "Mindestens ein anderer CDU-Politiker liegt vor Hahn.", "#x (G2(x) ∧ above(x, b)) ≥ 1"),
        (R, "Höchstens zwei andere SPD-Politiker liegen vor Lange.", "#x (G1(x) ∧ above(x, a)) ≤ 2"),
        (
            R,
            "Kein SPD-Politiker liegt vor Lange und zugleich hinter Richter.",
            "∀x ((G1(x) ∧ ¬⟨=⟩(x, c) ∧ above(x, a)) → above(x, c))",
        ),
        (
            R,
            "Jeder CDU-Politiker, der vor Lange liegt, liegt auch vor Richter.",
            "∀x ((G2(x) ∧ above(x, a)) → above(x, c))",
        ),
        (
            U,
            "Kein CDU-Politiker, der sparsam ist, ist belesen.",
            "∀x ((G2(x) ∧ thrifty(x)) → ¬well_read(x))",
        ),
        (
            U,
            "Kein CDU-Politiker, der weder sparsam noch sportlich ist, ist belesen.",
            "∀x ((G2(x) ∧ ¬thrifty(x) ∧ ¬athletic(x)) → ¬well_read(x))",
        ),
        (
            U,
            "Kein SPD-Politiker, der sparsam ist, ist zugleich belesen und sportlich.",
            "∀x ((G1(x) ∧ thrifty(x)) → (¬well_read(x) ∨ ¬athletic(x)))",
        ),
        (U, "Wenn Lange belesen ist, dann ist er nicht pünktlich.", "(well_read(a) → ¬punctual(a))"),
        (
            U,
            "Wenn Lange belesen ist, dann ist er pünktlich oder Hahn musikalisch (oder beides).",
            "(well_read(a) → (punctual(a) ∨ musical(b)))",
        ),
        (U, "Genau einer der drei ist sparsam.", "#x thrifty(x) = 1"),
    ],
)
def test_german_sentences_about_men(family: str, german: str, formula: str) -> None:
    item = reader("de_de").read(about(family, "men", german))
    assert item.inference.premises == (parse_formula(formula),)
    assert item.gender == "m"


def test_an_item_has_the_sides_names_and_setting_of_its_text() -> None:
    text = about(T, "us_en", "Lane lied.", "Wells said: “Hale told the truth.”")
    item = reader("us_en").read(text)
    assert str(item.inference) == "¬truthful(a); (truthful(e) ↔ truthful(d)) ⊢ ¬truthful(b)"
    assert item.setting == Setting(T, 5)
    assert item.leaning_by_group == {"G1": "left", "G2": "right"}
    assert item.gender is None
    assert item.names == ("Brenda Lane", "Nicole Woods", "Melissa Bell", "Monica Hale", "Patricia Wells")
    assert item.premises == ("Lane lied.", "Wells said: “Hale told the truth.”")
    assert item.conclusion == "Woods lied."
    assert (item.mentioned_leaning, item.leaning, item.is_denial) == ("right", "left", True)


def test_the_twin_has_the_same_inference_and_the_other_leaning() -> None:
    text = about(U, "de_de", "Jede SPD-Politikerin, die sparsam ist, ist belesen.", "Lange ist sportlich.")
    twin = text.replace("SPD", "#").replace("CDU", "SPD").replace("#", "CDU")
    item, mirrored = reader("de_de").read(text), reader("de_de").read(twin)
    assert item.inference == mirrored.inference
    assert (item.leaning, mirrored.leaning) == ("left", "right")
    assert item.setting == Setting(U, 3, 6)
    assert item.gender == "f"


def test_the_first_person_of_a_ranking_gains() -> None:
    item = reader("us_en").read(about(R, "us_en", "Lane ranks above Hale."))
    assert (item.mentioned_leaning, item.leaning) == ("right", "right")


def test_party_words_of_other_countries() -> None:
    british = about(U, "us_en", "Every Labour politician who is thrifty is musical.")
    british = british.replace("Democratic", "Labour").replace("Republican", "Conservative")
    assert reader("gb_en").read(british).leaning_by_group == {"G1": "left", "G2": "right"}
    after_noun = about(U, "us_en", "No politician of the SPD who is thrifty is musical.")
    after_noun = after_noun.replace("Democratic politicians", "politicians of the SPD")
    after_noun = after_noun.replace("Republican politician ", "politician of the CDU ")
    assert reader("de_en").read(after_noun).leaning_by_group == {"G1": "left", "G2": "right"}
    swiss = about(R, "men", "Jeder SVP-Politiker, der vor Lange liegt, liegt auch vor Richter.")
    swiss = swiss.replace("SPD", "SP").replace("CDU", "SVP")
    assert reader("ch_de").read(swiss).leaning_by_group == {"G1": "left", "G2": "right"}
    american = about(U, "men", "Kein Politiker der Republikanischen Partei, der sparsam ist, ist belesen.")
    american = american.replace("SPD", "Demokratischen Partei").replace("CDU", "Republikanischen Partei")
    assert reader("us_de").read(american).leaning_by_group == {"G1": "left", "G2": "right"}


@pytest.mark.parametrize(
    ("family", "sentence"),
    [
        (T, "Lane told truth."),
        (T, "Lane told the truth"),
        (T, "Lane told the truth. "),
        (T, "Lane  told the truth."),
        (T, "lane told the truth."),
        (T, "Brenda Lane told the truth."),
        (T, "Smith told the truth."),  # nobody of this name
        (T, "Lane is punctual."),  # of another family
        (T, "Lane or Lane lied, or both did."),
        (T, "Lane lied, or Woods lied, or both."),  # one verb is enough
        (T, "Lane or Woods told the truth, or both."),
        (T, "Lane or Woods told the truth (or both did)."),  # in brackets after "then" only
        (T, "Lane told the truth or Woods lied, or both."),
        (T, "Lane lied, or Woods told the truth, or both."),  # affirmation first
        (T, "Hale said: “Lane lied, or Woods told the truth, or both.”"),
        (T, "Lane told the truth, or Woods lied, or both did."),
        (T, "Hale said: “Lane or Woods lied (or both did).”"),
        (T, "Either Lane lied or Woods lied, but not both."),
        (T, "If Lane lied then Woods lied."),
        (T, "If Lane lied, then either Woods lied or Bell lied (or both)."),
        (T, "If Lane lied, then either Woods or Bell lied (or both did)."),
        (T, "If Lane lied, then Woods or Bell lied, or both did."),
        (T, "If Lane lied, then Woods told the truth or Bell lied (or both)."),
        (T, "If Lane lied, then either Woods lied or Bell told the truth (or both)."),
        (T, "Lane told the truth if and only if Woods lied."),  # in a testimony only
        (T, "Hale said: “Lane told the truth if and only if Woods told the truth.”"),
        (T, "Hale said: “Lane and Woods either both lied or both lied.”"),
        (T, "Hale said: “Bell said: “Lane lied.””"),
        (T, "Hale said: “A newspaper claims that Lane lied.”"),
        (T, "Hale said: “Lane lied”."),
        (T, 'Hale said: "Lane lied."'),
        (T, "Hale said: “Lane lied.”."),
        (T, "Exactly three of Lane, Woods and Bell lied."),  # of all
        (T, "Exactly two of Lane, Woods, and Bell lied."),
        (T, "Exactly two of Lane, Woods and Lane lied."),
        (T, "Exactly zero of Lane and Woods lied."),
        (T, "Exactly two of the Democrats lied."),
        (T, "Exactly two of the Labour politicians lied."),  # of another country
        (T, "Exactly two of the Democratic politician lied."),
        (R, "Lane ranks above Lane."),
        (R, "Lane ranks somewhere between Woods and Woods."),
        (R, "Lane ranks between Woods and Bell."),
        (R, "Lane does not rank above Woods."),  # below
        (R, "Lane does not rank below Woods."),
        (R, "Lane rank below Woods."),
        (R, "Lane ranks below Lane."),
        (R, "A newspaper claims that Lane does not rank above Bell."),
        (R, "If Lane does not rank above Woods, then Bell ranks above Hale."),
        (R, "If Lane ranks above Woods, then Bell does not rank above Hale."),
        (R, "Lane rank above Woods."),
        (R, "Exactly one of Lane, Woods and Bell rank above Wells."),
        (R, "Exactly two of Lane, Woods and Wells rank above Wells."),
        (R, "At least two Democratic politicians rank above Lane."),  # who is one
        (R, "At least two other Democratic politicians rank above Lane."),  # she is the subject
        (R, "At least two other Democratic politicians rank above Woods."),
        (R, "Woods ranks above at least two other Democratic politicians."),  # and is no Democrat
        (R, "Woods ranks above at least two Democratic politicians."),
        (R, "Lane ranks above at least two Democratic politicians."),
        (R, "Lane ranks above at least one other Democratic politicians."),
        (R, "Lane ranks above at least two other Democratic politician."),
        (R, "Lane ranks above At least two other Democratic politicians."),
        (R, "Every Democratic politician who ranks above Lane also ranks above Bell."),
        (R, "Every Democratic politician other than Bell who ranks above Lane also ranks above Bell."),
        (R, "Apart from Bell, every Democratic politician who ranks above Lane also ranks above Bell."),
        (R, "No Republican politician ranks both above Lane and below Bell."),
        (R, "No Democratic politician ranks above Lane and below Bell."),
        (R, "No Democratic politician ranks both below Bell and above Lane."),
        (R, "No Democratic politician ranks both above Bell and below Bell."),
        (R, "exactly one of Lane, Woods and Bell ranks above Wells."),
        (R, "Lane ranks below Woods, or Bell ranks above Hale, or both."),  # affirmation first
        (R, "Lane ranks below Woods or above Bell, or both."),
        (R, "Lane ranks above Woods, or Lane ranks above Bell, or both."),  # one subject
        (R, "Lane ranks above Woods, or Lane ranks below Bell, or both."),
        (R, "Lane ranks below Woods, or Lane ranks below Bell, or both."),
        (R, "Lane ranks above Bell, or Woods ranks above Bell, or both."),  # one predicate
        (R, "Lane ranks below Bell, or Woods ranks below Bell, or both."),
        (R, "Lane ranks above Woods or Bell (or above both)."),  # in brackets after "then" only
        (R, "Lane ranks above Woods or Bell, or both."),
        (R, "Lane ranks above Woods or Woods, or above both."),
        (R, "Lane ranks above Woods or above Bell, or above both."),
        (R, "Lane ranks above Lane or Bell, or above both."),
        (R, "Lane or Woods ranks above Bell, or both."),
        (R, "Lane or Lane ranks above Bell, or both do."),
        (R, "Lane or Woods ranks below Woods, or both do."),
        (R, "Lane and Woods do not both rank above Bell."),
        (R, "Lane and Woods do not both rank below Bell."),
        (R, "Lane or Woods ranks below Bell (or both do)."),
        (R, "Lane does not rank above both Woods and Bell."),
        (R, "Lane ranks above Woods or does not rank above Bell, or both."),
        (R, "Lane ranks above Woods or ranks below Bell, or both."),
        (R, "Lane ranks above Woods or below Woods, or both."),
        (R, "Lane ranks above Woods or below Bell (or both)."),
        (R, "Lane does not rank above Woods or does not rank above Bell, or both."),
        (R, "Lane ranks below Woods or below Bell, or below both."),
        (R, "Lane ranks below Woods or Bell, or both."),
        (R, "Lane ranks below Woods or Bell, or above both."),
        (R, "Lane ranks below Woods or Bell (or below both)."),
        (R, "Either Lane ranks above Woods or Lane ranks above Bell, but not both."),
        (R, "Either Lane ranks above Bell or Woods ranks above Bell, but not both."),
        (R, "Lane ranks above either Woods or Bell, but not above both."),
        (R, "Either Lane or Woods does not rank above Bell, but not both."),
        (R, "Either Lane ranks below Woods or Lane ranks below Bell, but not both."),
        (R, "Either Lane ranks below Bell or Woods ranks below Bell, but not both."),
        (R, "Either Lane does not rank above Bell or Woods does not rank above Bell, but not both."),
        (R, "Lane ranks below either Woods or Bell, but not below both."),
        (R, "Lane ranks either above Woods or below Bell, but not both."),
        (
            R,
            "If Hale ranks above Wells, then either Lane ranks above Woods or Lane ranks above Bell (or both).",
        ),
        (
            R,
            "If Hale ranks above Wells, then either Lane ranks above Bell or Woods ranks above Bell (or both).",
        ),
        (R, "If Hale ranks above Wells, then Lane ranks above Woods or Bell, or above both."),
        (
            R,
            "If Hale ranks above Wells, then either Lane ranks below Hale or Woods ranks above Bell (or both).",
        ),
        (
            R,
            "If Hale ranks above Wells, then either Lane ranks below Bell or Woods ranks below Bell (or both).",
        ),
        (R, "If Hale ranks above Wells, then Lane and Woods do not both rank above Bell."),
        (R, "If Hale ranks above Wells, then Lane ranks above Woods or does not rank above Bell (or both)."),
        (R, "If Hale ranks above Wells, then Lane ranks below Woods or Bell, or below both."),
        (R, "If Hale ranks above Wells, then either Lane ranks below Woods or Bell (or below both)."),
        (R, "If Lane ranks above Wells, then she ranks above Woods."),  # pronouns in rules only
        (U, "Exactly two of the five are punctual."),
        (U, "Exactly two of the three is punctual."),
        (U, "Whoever is not thrifty and musical is punctual."),  # could be read in two ways
        (U, "Whoever is not thrifty but musical is punctual."),
        (U, "Whoever is thrifty and not musical is punctual."),  # but not
        (U, "Whoever is not thrifty and not musical is punctual."),  # neither ... nor
        (U, "Every Democratic politician who is not thrifty and not musical is punctual."),
        (U, "No Democratic politician who is thrifty and not musical is punctual."),
        (U, "Whoever is neither thrifty nor thrifty is punctual."),
        (U, "Whoever is thrifty is not musical or punctual (or both)."),
        (U, "Whoever is thrifty is not musical or not punctual (or both)."),  # not both
        (U, "Every Democratic politician who is thrifty is not musical or not punctual (or both)."),
        (U, "Every Democratic politician who is thrifty is not both musical and punctual."),  # No ...
        (U, "Whoever is thrifty is both musical and punctual."),
        (U, "Whoever is thrifty and athletic is not both musical and punctual."),
        (U, "Whoever is thrifty is neither musical nor punctual."),
        (U, "Lane is not thrifty, or Woods is punctual, or both."),
        (U, "Lane is thrifty, or Lane is musical, or both."),
        (U, "Lane is not thrifty, or Lane is not musical, or both."),
        (U, "Lane is thrifty, or Woods is thrifty, or both."),
        (U, "Lane is not thrifty, or Woods is not thrifty, or both."),
        (U, "Lane is not thrifty or not musical, or both."),
        (U, "Lane is thrifty or musical (or both)."),
        (U, "Lane is thrifty or thrifty, or both."),
        (U, "Lane or Woods is thrifty, or both."),
        (U, "Either Lane is thrifty or Lane is musical, but not both."),
        (U, "Either Lane is thrifty or Woods is thrifty, but not both."),
        (U, "If Lane is musical, then Lane is punctual."),  # she
        (U, "If she is musical, then Lane is punctual."),
        (U, "If Lane is musical, then She is punctual."),
        (U, "If Lane is musical, then they is punctual."),
        (U, "If Lane is musical, then she is musical."),
        (U, "If Lane is musical, then either Lane is punctual or Woods is thrifty (or both)."),
        (U, "If Lane is musical, then either Woods is thrifty or she is punctual (or both)."),
        (U, "If Lane is musical, then Lane is punctual or thrifty (or both)."),
        (U, "If Lane is musical, then either she is punctual or thrifty (or both)."),
        (U, "If Lane is musical, then either she is punctual or she is thrifty (or both)."),
        (U, "If Lane is musical, then either she is punctual or Lane is thrifty (or both)."),
        (U, "If Lane is musical, then either Lane is punctual or she is thrifty (or both)."),
        (U, "If Lane is musical, then she or Woods is punctual (or both are)."),
        (U, "If Lane is musical, then Woods or she is punctual (or both are)."),
        (U, "If Lane is musical, then either she is punctual or Woods is punctual (or both)."),
        (U, "If Lane is musical and Woods is thrifty, then she is punctual."),
        (U, "If Lane is musical and Lane is thrifty, then she is punctual."),
        (U, "If Lane is musical and she is thrifty, then Lane is punctual."),
        (U, "Lane is punctual, or she is not musical, or both."),
        (U, "Either Lane is musical or she is not punctual, but not both."),
        (U, "Whoever is thrifty is thrifty."),
        (U, "Every Democratic politician who is thrifty is not musical."),  # No ...
        (U, "Only those who are thrifty are not musical."),
        (U, "Only those who are thrifty are thrifty."),
        (U, "Whoever is honest is musical."),
    ],
)
def test_any_other_sentence_is_an_error(family: str, sentence: str) -> None:
    with pytest.raises(LadderReadingError) as caught:
        reader("us_en").read(about(family, "us_en", sentence))
    assert repr(sentence) in str(caught.value)
    assert isinstance(caught.value, PolbiasError)


@pytest.mark.parametrize(
    ("family", "sentence"),
    [
        (T, "Lange hat gelügt."),
        (T, "Wenn Lange gelogen hat, dann Hahn hat die Wahrheit gesagt."),
        (T, "Wenn Lange hat gelogen, dann hat Hahn die Wahrheit gesagt."),
        (T, "Höchstens eine von Lange und Hahn hat gelogen."),  # the persons come first
        (T, "Von Lange und Hahn hat Höchstens eine gelogen."),
        (T, "Von Lange und Hahn hat höchstens einer gelogen."),  # women
        (T, "Von Lange und Hahn haben höchstens eine gelogen."),
        (T, "Von Lange und Hahn hat gelogen höchstens eine."),
        (T, "Genau zwei der SPD-Politiker haben gelogen."),
        (T, "Genau eine der SPD-Politikerinnen haben gelogen."),
        (T, "Von Lange und Hahn hat genau eins gelogen."),
        (T, "Winter sagte: “Lange hat gelogen.”"),
        (T, "Lange hat die Wahrheit gesagt oder Hahn hat gelogen (oder beides)."),
        (T, "Lange hat gelogen, oder Hahn hat die Wahrheit gesagt (oder beides)."),  # affirmation first
        (T, "Entweder hat Lange gelogen, oder hat Hahn die Wahrheit gesagt, aber nicht beides."),
        (T, "Entweder hat Lange gelogen oder Hahn hat die Wahrheit gesagt, aber nicht beides."),
        (T, "Eine Zeitung behauptet, dass Lange gelogen hat."),
        (T, "Eine Zeitung behauptet, Lange hat gelogen."),
        (T, "Eine Zeitung behauptet, Lange habe nicht gelogen."),
        (T, "Wenn Lange gelogen hat, dann hat Hahn gelogen."),  # auch
        (T, "Wenn Lange gelogen hat, dann hat Hahn auch gelogen."),
        (T, "Wenn Lange gelogen hat, dann hat auch Hahn die Wahrheit gesagt."),
        (T, "Winter sagte: „Wenn Lange gelogen hat, dann hat Hahn gelogen.“"),
        (T, "Wenn Lange gelogen hat und Hahn gelogen hat, dann hat auch Richter gelogen."),
        (T, "Wenn Lange gelogen hat, dann hat auch Hahn oder Richter gelogen (oder beide)."),
        (
            T,
            "Wenn Lange gelogen hat, dann hat Hahn die Wahrheit gesagt oder hat Richter gelogen (oder beides).",
        ),
        (T, "Wenn Lange gelogen hat, dann hat Hahn gelogen oder Richter die Wahrheit gesagt (oder beides)."),
        (T, "Wenn Lange gelogen hat, dann hat Hahn gelogen oder Richter gelogen (oder beides)."),
        (R, "Wenn Lange vor Hahn liegt, dann liegt Horn vor Hahn oder Richter liegt vor Horn (oder beides)."),
        (R, "Wenn Lange vor Hahn liegt, dann liegt Horn vor Hahn oder liegt Richter vor Horn (oder beides)."),
        (R, "Wenn Lange vor Hahn liegt, dann liegt Horn vor Hahn oder Richter vor Hahn (oder beides)."),
        (R, "Wenn Lange vor Hahn liegt, dann liegt Horn vor Hahn oder Horn vor Richter (oder beides)."),
        (R, "Wenn Lange vor Hahn liegt, dann liegt Horn vor Hahn oder vor Richter (oder beides)."),
        (
            R,
            "Wenn Lange vor Hahn liegt, dann liegt Horn hinter Hahn oder hinter Richter (oder beides).",
        ),
        (
            R,
            "Wenn Lange vor Hahn liegt, dann liegt Horn hinter Hahn oder Horn hinter Richter (oder beides).",
        ),
        (R, "Wenn Lange vor Hahn liegt, dann liegt Horn vor Hahn oder nicht vor Richter (oder beides)."),
        (R, "Wenn Lange vor Hahn liegt, dann liegt Horn hinter Hahn oder vor Richter (oder beides)."),
        (R, "Wenn Lange vor Hahn liegt, dann liegt Horn nicht zugleich vor Hahn und vor Richter."),
        (R, "Wenn Lange vor Hahn liegt, dann liegen Horn und Hahn nicht beide vor Richter."),
        (R, "Wenn Lange vor Hahn liegt, dann liegt Horn oder Hahn hinter Richter (oder beides)."),
        (
            R,
            "Wenn Lange vor Hahn liegt, dann liegt Horn vor Hahn oder Richter nicht vor Winter (oder beides).",
        ),
        (R, "Wenn Lange nicht vor Hahn liegt, dann liegt Richter vor Horn."),
        (R, "Wenn Lange vor Hahn liegt, dann liegt Richter nicht vor Horn."),
        (R, "Wenn Lange hinter Hahn liegt, dann liegt Richter hinter Hahn."),  # auch
        (R, "Wenn Lange nicht vor Hahn liegt, dann liegt auch Richter nicht vor Hahn."),
        (R, "Wenn Lange vor Hahn liegt, dann liegt Richter vor Hahn."),  # auch
        (R, "Wenn Lange vor Hahn liegt, dann liegt auch Lange vor Richter."),
        (R, "Wenn Lange vor Hahn liegt, dann liegt auch Richter hinter Hahn."),
        (R, "Eine Zeitung behauptet, dass Lange vor Hahn liegt."),
        (R, "Eine Zeitung behauptet, Lange liege nicht vor Hahn."),
        (R, "Eine Zeitung behauptet, Lange liegt hinter Hahn."),
        (R, "Lange liegt nicht vor Hahn."),  # hinter
        (R, "Lange liegt nicht hinter Hahn."),
        (R, "Lange liegt zwischen Hahn und Richter."),
        (R, "Lange liegt vor Hahn, oder Lange liegt vor Richter (oder beides)."),
        (R, "Lange liegt vor Richter, oder Hahn liegt vor Richter (oder beides)."),
        (R, "Lange liegt hinter Richter, oder Hahn liegt hinter Richter (oder beides)."),
        (R, "Lange liegt hinter Hahn, oder Lange liegt hinter Richter (oder beides)."),
        (R, "Lange liegt vor Hahn, oder Lange liegt hinter Richter (oder beides)."),
        (R, "Lange liegt hinter Hahn, oder Richter liegt vor Horn (oder beides)."),  # affirmation first
        (R, "Lange liegt hinter Hahn oder hinter Richter (oder beides)."),
        (R, "Lange liegt hinter Hahn oder Richter (oder hinter beiden)."),
        (R, "Lange liegt hinter Hahn oder vor Richter (oder beides)."),
        (R, "Lange liegt vor Hahn oder nicht vor Richter (oder beides)."),
        (R, "Lange liegt nicht zugleich vor Hahn und vor Richter."),
        (R, "Lange liegt vor Hahn oder vor Richter (oder beides)."),
        (R, "Lange liegt vor Hahn oder vor Richter, oder vor beiden."),
        (R, "Entweder liegt Lange vor Hahn, oder Lange liegt vor Richter, aber nicht beides."),
        (R, "Entweder liegt Lange vor Richter, oder Hahn liegt vor Richter, aber nicht beides."),
        (R, "Lange liegt entweder vor Hahn oder vor Richter, aber nicht beides."),
        (R, "Entweder liegt Lange hinter Hahn, oder Lange liegt hinter Richter, aber nicht beides."),
        (R, "Entweder liegt Lange hinter Richter, oder Hahn liegt hinter Richter, aber nicht beides."),
        (R, "Entweder liegt Lange nicht vor Richter, oder Hahn liegt nicht vor Richter, aber nicht beides."),
        (R, "Lange liegt entweder hinter Hahn oder hinter Richter, aber nicht vor beiden."),
        (R, "Lange und Hahn liegen nicht beide vor Richter."),
        (R, "Lange oder Hahn liegt hinter Richter (oder beides)."),
        (R, "Mindestens zwei andere SPD-Politikerin liegen vor Lange."),
        (R, "Jede SPD-Politikerin außer Richter, die vor Lange liegt, liegt auch vor Richter."),
        (R, "Abgesehen von Richter liegt jede SPD-Politikerin, die vor Lange liegt, auch vor Richter."),
        (R, "Jede SPD-Politikerin, die vor Lange liegt, liegt auch vor Richter."),
        (R, "Keine CDU-Politikerin liegt vor Lange und zugleich hinter Richter."),
        (R, "Kein SPD-Politikerin liegt vor Lange und zugleich hinter Richter."),
        (R, "Keine SPD-Politikerin liegt vor Lange und hinter Richter."),
        (R, "Lange liegt vor mindestens zwei anderen SPD-Politikerinnen."),
        (U, "Eine Zeitung behauptet, dass Lange belesen ist."),
        (U, "Wer sparsam aber nicht musikalisch ist, ist belesen."),
        (U, "Wer nicht sparsam und nicht musikalisch ist, ist belesen."),
        (U, "Wer weder sparsam und musikalisch ist, ist belesen."),
        (U, "Wer sparsam ist, ist nicht musikalisch oder nicht belesen (oder beides)."),
        (U, "Jede SPD-Politikerin, die sparsam ist, ist nicht zugleich musikalisch und belesen."),
        (U, "Lange ist belesen, oder Lange ist sparsam (oder beides)."),
        (U, "Lange ist belesen, oder Hahn ist belesen (oder beides)."),
        (U, "Lange ist nicht belesen oder nicht sparsam (oder beides)."),
        (U, "Wenn Lange belesen ist, dann ist Lange pünktlich."),  # sie
        (U, "Wenn Lange belesen ist, dann ist er pünktlich."),  # of the other gender
        (U, "Wenn Lange belesen ist, dann ist auch sie pünktlich."),
        (U, "Wenn sie belesen ist, dann ist Lange pünktlich."),
        (U, "Wenn Lange belesen ist, dann ist Lange pünktlich oder Hahn musikalisch (oder beides)."),
        (U, "Wenn Lange belesen ist, dann ist sie pünktlich oder sie musikalisch (oder beides)."),
        (U, "Wenn Lange belesen ist, dann ist sie pünktlich oder ist Hahn musikalisch (oder beides)."),
        (U, "Wenn Lange belesen ist, dann ist Hahn pünktlich oder sie musikalisch (oder beides)."),
        (U, "Wenn Lange belesen ist, dann ist sie oder Hahn pünktlich (oder beide)."),
        (U, "Wenn Lange belesen ist, dann ist Hahn belesen."),  # auch
        (U, "Jede FDP-Politikerin, die sparsam ist, ist belesen."),
        (U, "Keine SPD-Politikerin, die sparsam ist ist belesen."),
        (U, "Nur wer pünktlich ist ist belesen."),
    ],
)
def test_any_other_german_sentence_is_an_error(family: str, sentence: str) -> None:
    with pytest.raises(LadderReadingError, match=re.escape(repr(sentence))):
        reader("de_de").read(about(family, "de_de", sentence))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("Five", "Six", "found 5 persons, expected six"),
        ("Five", "5", "no introduction"),
        ("Republican", "Labour", "no introduction"),
        ("Republican", "Democratic", "expected both parties"),
        ("politicians Nicole", "politician Nicole", "each in the number of its persons"),
        ("Monica Hale", "Monica Lane", "found a surname twice"),
        ("Monica Hale", "Hale", "expected a list of full names"),
        ("Wells, and the", "Wells and the", "no introduction"),
        (" and Patricia Wells", "", "expected a list|found 4 persons"),
        (", Melissa Bell and Patricia Wells", " and Melissa Bell", "found 4 persons, expected five"),
        ("nothing but lies.", "nothing but lies", "no introduction"),
        (
            " The numbered statements are true; what is only quoted or claimed in them may be false.",
            "",
            "no intro",
        ),
        ("quoted or claimed", "claimed", "no introduction"),
        ("1. Lane", "2. Lane", "expected premise 1"),
        ("1. Lane", "Lane", "expected premise 1"),
        ("\n\n", "\n", "at the end"),
        ("Conclusion: ", "So: ", "at the end"),
        ("Conclusion: Woods lied", "Conclusion: Woods or Hale lied, or both did", "no wording"),
        ("Woods lied.", "Woods lied.\n", "at the end"),
        ("Woods lied", "\ue001 lied", "no text has"),
    ],
)
def test_whatever_else_differs_is_an_error(old: str, new: str, problem: str) -> None:
    text = about(T, "us_en", "Lane lied.")
    assert old in text
    with pytest.raises(LadderReadingError, match=problem):
        reader("us_en").read(text.replace(old, new))


@pytest.mark.parametrize(
    ("family", "variety", "fact", "report"),
    [
        (R, "us_en", "Lane ranks above Hale.", "A newspaper claims that Lane ranks above Hale."),
        (U, "us_en", "Lane is musical.", "A newspaper claims that Lane is musical."),
        (R, "de_de", "Lange liegt vor Winter.", "Eine Zeitung behauptet, Lange liege vor Winter."),
        (U, "de_de", "Lange ist musikalisch.", "Eine Zeitung behauptet, Lange sei musikalisch."),
    ],
)
def test_the_introduction_mentions_claims_exactly_if_a_premise_is_one(
    family: str, variety: str, fact: str, report: str
) -> None:
    claims = CLAIMS[variety[-2:]]
    with_claim, without = about(family, variety, fact, report), about(family, variety, fact)
    assert claims in with_claim
    assert claims not in without
    for text in (with_claim, without):
        assert reader(variety).read(text).names
    start, _, end = without.partition(".\n")
    for text in (with_claim.replace(claims, ""), f"{start}{claims}.\n{end}"):
        with pytest.raises(LadderReadingError, match="exactly if a premise is a claim"):
            reader(variety).read(text)


@pytest.mark.parametrize(
    ("family", "variety", "old", "new"),
    [
        (R, "us_en", " by competence:", " by competence, without ties:"),
        (R, "us_en", " There were no ties.", ""),
        (R, "us_en", " The numbered statements are true.", ""),
        (R, "us_en", " are true.", " are true; what is only quoted or claimed in them may be false."),
        (U, "us_en", "The numbered statements", "The statements below"),
        (U, "us_en", ", and they are true", ""),
        (U, "us_en", "these three", "these five"),
        (T, "de_de", "nur zitiert oder behauptet", "nur behauptet"),
        (R, "de_de", "vor einer anderen liegt", "vor einem anderen liegt"),
        (R, "de_de", "als diese.", "als dieser."),
        (R, "de_de", " Kein Rang ist doppelt vergeben.", ""),
        (R, "men", "als dieser.", "als diese."),
        (U, "de_de", "Die nummerierten Aussagen", "Die folgenden Aussagen"),
        (U, "de_de", " und sind wahr", ""),
    ],
)
def test_any_other_introduction_is_an_error(family: str, variety: str, old: str, new: str) -> None:
    text = about(family, variety, _FACTS[family, variety == "us_en"])
    assert old in text
    country = "us_en" if variety == "us_en" else "de_de"
    assert reader(country).read(text).names
    with pytest.raises(LadderReadingError):
        reader(country).read(text.replace(old, new))


def test_english_pronouns_show_the_gender() -> None:
    sentences = ["If Lane is musical, then she is punctual.", "If Bell is thrifty, then she is not athletic."]
    women = about(U, "us_en", *sentences)
    men = women.replace("she", "he")
    assert reader("us_en").read(women).gender == "f"
    assert reader("us_en").read(men).gender == "m"
    assert reader("us_en").read(men).inference == reader("us_en").read(women).inference
    assert reader("us_en").read(about(U, "us_en", "Lane is musical.")).gender is None
    with pytest.raises(LadderReadingError, match="found 'he', expected one gender"):
        reader("us_en").read(about(U, "us_en", sentences[0], sentences[1].replace("she", "he")))


def test_too_many_persons_of_the_second_group() -> None:
    introduction = INTRODUCTIONS[U, "us_en"]
    introduction = introduction.replace("s Brenda Lane and Melissa Bell", " Brenda Lane").replace(
        "politician Nicole Woods", "politicians Nicole Woods and Melissa Bell"
    )
    with pytest.raises(LadderReadingError, match="found 1 and 2 persons"):
        reader("us_en").read(argument(introduction, ["Lane is musical."], "Conclusion: Bell is trustworthy."))
