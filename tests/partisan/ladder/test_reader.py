"""Arguments of the ladder are read back into formulas, and anything else is an error."""

from __future__ import annotations

import re

import pytest

from polbias.errors import PolbiasError
from polbias.generators.logic.syntax import parse_formula
from polbias.generators.partisan.ladder.sentence_reader import LadderReadingError
from polbias.generators.partisan.ladder.settings import Setting
from tests.partisan.ladder.texts import INTRODUCTIONS, about, argument, reader

T, R, U = "testimony", "ranking", "rules"
# Family, English, German about women, formula
SENTENCES = [
    (T, "Lane told the truth.", "Lange hat die Wahrheit gesagt.", "truthful(a)"),
    (T, "Wells lied.", "Horn hat gelogen.", "¬truthful(e)"),
    (R, "Lane ranks above Woods.", "Lange liegt vor Hahn.", "above(a, b)"),
    (R, "Lane does not rank above Bell.", "Lange liegt nicht vor Richter.", "¬above(a, c)"),
    (U, "Lane is well read.", "Lange ist belesen.", "well_read(a)"),
    (U, "Bell is not thrifty.", "Richter ist nicht sparsam.", "¬thrifty(c)"),
    (
        T,
        "A newspaper claims that Lane lied.",
        "Eine Zeitung behauptet, dass Lange gelogen hat.",
        "(¬truthful(a) ∨ truthful(a))",
    ),
    (
        R,
        "A newspaper claims that Lane does not rank above Bell.",
        "Eine Zeitung behauptet, dass Lange nicht vor Richter liegt.",
        "(¬above(a, c) ∨ above(a, c))",
    ),
    (
        U,
        "A newspaper claims that Lane is musical.",
        "Eine Zeitung behauptet, dass Lange musikalisch ist.",
        "(musical(a) ∨ ¬musical(a))",
    ),
    (
        T,
        "Lane or Woods told the truth, or both did.",
        "Lange oder Hahn hat die Wahrheit gesagt (oder beide).",
        "(truthful(a) ∨ truthful(b))",
    ),
    (
        T,
        "Lane lied, or Woods told the truth, or both.",
        "Lange hat gelogen, oder Hahn hat die Wahrheit gesagt (oder beides).",
        "(¬truthful(a) ∨ truthful(b))",
    ),
    (
        R,
        "Lane ranks above Woods, or Bell ranks above Hale, or both.",
        "Lange liegt vor Hahn, oder Richter liegt vor Winter (oder beides).",
        "(above(a, b) ∨ above(c, d))",
    ),
    (
        T,
        "Either Lane or Woods lied, but not both.",
        "Entweder Lange oder Hahn hat gelogen, aber nicht beide.",
        "¬(¬truthful(a) ↔ ¬truthful(b))",
    ),
    (
        T,
        "Either Lane told the truth or Woods lied, but not both.",
        "Entweder hat Lange die Wahrheit gesagt, oder Hahn hat gelogen, aber nicht beides.",
        "¬(truthful(a) ↔ ¬truthful(b))",
    ),
    (
        R,
        "Either Lane does not rank above Woods or Bell ranks above Hale, but not both.",
        "Entweder liegt Lange nicht vor Hahn, oder Richter liegt vor Winter, aber nicht beides.",
        "¬(¬above(a, b) ↔ above(c, d))",
    ),
    (
        U,
        "Lane is not thrifty, or Woods is punctual, or both.",
        "Lange ist nicht sparsam, oder Hahn ist pünktlich (oder beides).",
        "(¬thrifty(a) ∨ punctual(b))",
    ),
    (
        U,
        "Either Lane is musical or Woods is not musical, but not both.",
        "Entweder ist Lange musikalisch, oder Hahn ist nicht musikalisch, aber nicht beides.",
        "¬(musical(a) ↔ ¬musical(b))",
    ),
    (
        T,
        "If Lane lied, then Woods told the truth.",
        "Wenn Lange gelogen hat, dann hat Hahn die Wahrheit gesagt.",
        "(¬truthful(a) → truthful(b))",
    ),
    (
        R,
        "If Lane does not rank above Woods, then Bell does not rank above Hale.",
        "Wenn Lange nicht vor Hahn liegt, dann liegt Richter nicht vor Winter.",
        "(¬above(a, b) → ¬above(c, d))",
    ),
    (
        U,
        "If Lane is not punctual, then Woods is not athletic.",
        "Wenn Lange nicht pünktlich ist, dann ist Hahn nicht sportlich.",
        "(¬punctual(a) → ¬athletic(b))",
    ),
    (
        U,
        "If Lane is punctual and Woods is not athletic, then Bell is musical.",
        "Wenn Lange pünktlich ist und Hahn nicht sportlich ist, dann ist Richter musikalisch.",
        "((punctual(a) ∧ ¬athletic(b)) → musical(c))",
    ),
    (
        T,
        "If Lane lied and Woods lied, then Bell lied.",
        "Wenn Lange gelogen hat und Hahn gelogen hat, dann hat Richter gelogen.",
        "((¬truthful(a) ∧ ¬truthful(b)) → ¬truthful(c))",
    ),
    (
        T,
        "If Lane told the truth, then Woods or Bell lied (or both did).",
        "Wenn Lange die Wahrheit gesagt hat, dann hat Hahn oder Richter gelogen (oder beide).",
        "(truthful(a) → (¬truthful(b) ∨ ¬truthful(c)))",
    ),
    (
        T,
        "If Lane told the truth, then either Woods lied or Bell told the truth (or both).",
        "Wenn Lange die Wahrheit gesagt hat, dann hat Hahn gelogen oder hat Richter die Wahrheit gesagt (oder beides).",
        "(truthful(a) → (¬truthful(b) ∨ truthful(c)))",
    ),
    (
        R,
        "If Lane ranks above Woods, then either Bell ranks above Hale or Wells does not rank above Lane (or both).",
        "Wenn Lange vor Hahn liegt, dann liegt Richter vor Winter oder liegt Horn nicht vor Lange (oder beides).",
        "(above(a, b) → (above(c, d) ∨ ¬above(e, a)))",
    ),
    (
        U,
        "If Lane is punctual, then either Lane is musical or Woods is not musical (or both).",
        "Wenn Lange pünktlich ist, dann ist Lange musikalisch oder ist Hahn nicht musikalisch (oder beides).",
        "(punctual(a) → (musical(a) ∨ ¬musical(b)))",
    ),
    (T, "Hale said: “Lane lied.”", "Winter sagte: „Lange hat gelogen.“", "(truthful(d) ↔ ¬truthful(a))"),
    (
        T,
        "Hale said: “If Lane lied, then Woods lied.”",
        "Winter sagte: „Wenn Lange gelogen hat, dann hat Hahn gelogen.“",
        "(truthful(d) ↔ (¬truthful(a) → ¬truthful(b)))",
    ),
    (
        T,
        "Hale said: “Lane and Woods either both told the truth or both lied.”",
        "Winter sagte: „Lange und Hahn haben entweder beide die Wahrheit gesagt oder beide gelogen.“",
        "(truthful(d) ↔ (truthful(a) ↔ truthful(b)))",
    ),
    (
        T,
        "Hale said: “Lane and Woods either both lied or both told the truth.”",
        "Winter sagte: „Lange und Hahn haben entweder beide gelogen oder beide die Wahrheit gesagt.“",
        "(truthful(d) ↔ (¬truthful(a) ↔ ¬truthful(b)))",
    ),
    (
        T,
        "Hale said: “Lane told the truth if and only if Woods lied.”",
        "Winter sagte: „Lange hat genau dann die Wahrheit gesagt, wenn Hahn gelogen hat.“",
        "(truthful(d) ↔ (truthful(a) ↔ ¬truthful(b)))",
    ),
    (
        T,
        "Hale said: “Either Lane or Woods told the truth, but not both.”",
        "Winter sagte: „Entweder Lange oder Hahn hat die Wahrheit gesagt, aber nicht beide.“",
        "(truthful(d) ↔ ¬(truthful(a) ↔ truthful(b)))",
    ),
    (
        T,
        "Hale said: “Lane or Woods lied, or both did.”",
        "Winter sagte: „Lange oder Hahn hat gelogen (oder beide).“",
        "(truthful(d) ↔ (¬truthful(a) ∨ ¬truthful(b)))",
    ),
    (
        T,
        "Hale said: “Lane told the truth, or Woods lied, or both.”",
        "Winter sagte: „Lange hat die Wahrheit gesagt, oder Hahn hat gelogen (oder beides).“",
        "(truthful(d) ↔ (truthful(a) ∨ ¬truthful(b)))",
    ),
    (
        T,
        "Hale said: “Either Lane told the truth or Woods lied, but not both.”",
        "Winter sagte: „Entweder hat Lange die Wahrheit gesagt, oder Hahn hat gelogen, aber nicht beides.“",
        "(truthful(d) ↔ ¬(truthful(a) ↔ ¬truthful(b)))",
    ),
    (
        T,
        "Hale said: “At most one of Lane and Woods lied.”",
        "Winter sagte: „Von Lange und Hahn hat höchstens eine gelogen.“",
        "(truthful(d) ↔ #[¬truthful(a), ¬truthful(b)] ≤ 1)",
    ),
    (
        T,
        "Hale said: “At least two of the Democratic politicians lied.”",
        "Winter sagte: „Mindestens zwei der SPD-Politikerinnen haben gelogen.“",
        "(truthful(d) ↔ #x (G1(x) ∧ ¬truthful(x)) ≥ 2)",
    ),
    (
        R,
        "Lane ranks between Woods and Bell.",
        "Lange liegt zwischen Hahn und Richter.",
        "(above(b, a) ↔ above(a, c))",
    ),
    (
        T,
        "Exactly two of Lane, Woods and Bell told the truth.",
        "Von Lange, Hahn und Richter haben genau zwei die Wahrheit gesagt.",
        "#[truthful(a), truthful(b), truthful(c)] = 2",
    ),
    (
        T,
        "At most one of Lane and Woods lied.",
        "Von Lange und Hahn hat höchstens eine gelogen.",
        "#[¬truthful(a), ¬truthful(b)] ≤ 1",
    ),
    (
        R,
        "At least three of Lane, Woods, Bell and Hale rank above Wells.",
        "Von Lange, Hahn, Richter und Winter liegen mindestens drei vor Horn.",
        "#[above(a, e), above(b, e), above(c, e), above(d, e)] ≥ 3",
    ),
    (
        R,
        "Exactly one of Lane, Woods and Bell ranks above Wells.",
        "Von Lange, Hahn und Richter liegt genau eine vor Horn.",
        "#[above(a, e), above(b, e), above(c, e)] = 1",
    ),
    (
        T,
        "Exactly one of the Democratic politicians told the truth.",
        "Genau eine der SPD-Politikerinnen hat die Wahrheit gesagt.",
        "#x (G1(x) ∧ truthful(x)) = 1",
    ),
    (
        R,
        "At least two Democratic politicians rank above Woods.",
        "Mindestens zwei SPD-Politikerinnen liegen vor Hahn.",
        "#x (G1(x) ∧ above(x, b)) ≥ 2",
    ),
    (
        R,
        "At least one other Republican politician ranks below Woods.",
        "Mindestens eine andere CDU-Politikerin liegt hinter Hahn.",
        "#x (G2(x) ∧ above(b, x)) ≥ 1",
    ),
    (
        R,
        "At most two other Democratic politicians rank below Lane.",
        "Höchstens zwei andere SPD-Politikerinnen liegen hinter Lange.",
        "#x (G1(x) ∧ above(a, x)) ≤ 2",
    ),
    (
        U,
        "Exactly two of the three are not punctual.",
        "Genau zwei der drei sind nicht pünktlich.",
        "#x ¬punctual(x) = 2",
    ),
    (U, "At most one of the three is thrifty.", "Höchstens eine der drei ist sparsam.", "#x thrifty(x) ≤ 1"),
    (
        R,
        "Every Republican politician who ranks above Lane also ranks above Bell.",
        "Jede CDU-Politikerin, die vor Lange liegt, liegt auch vor Richter.",
        "∀x ((G2(x) ∧ above(x, a)) → above(x, c))",
    ),
    (
        R,
        "Apart from Bell, every Democratic politician who ranks above Lane also ranks above Bell.",
        "Abgesehen von Richter liegt jede SPD-Politikerin, die vor Lange liegt, auch vor Richter.",
        "∀x ((G1(x) ∧ ¬⟨=⟩(x, c) ∧ above(x, a)) → above(x, c))",
    ),
    (
        U,
        "Whoever is well read is not punctual.",
        "Wer belesen ist, ist nicht pünktlich.",
        "∀x (well_read(x) → ¬punctual(x))",
    ),
    (
        U,
        "Whoever is thrifty and not musical is trustworthy.",
        "Wer sparsam und nicht musikalisch ist, ist vertrauenswürdig.",
        "∀x ((thrifty(x) ∧ ¬musical(x)) → trustworthy(x))",
    ),
    (
        U,
        "Every Democratic politician who is not athletic is well read.",
        "Jede SPD-Politikerin, die nicht sportlich ist, ist belesen.",
        "∀x ((G1(x) ∧ ¬athletic(x)) → well_read(x))",
    ),
    (
        U,
        "No Republican politician who is thrifty and musical is trustworthy.",
        "Keine CDU-Politikerin, die sparsam und musikalisch ist, ist vertrauenswürdig.",
        "∀x ((G2(x) ∧ thrifty(x) ∧ musical(x)) → ¬trustworthy(x))",
    ),
    (
        U,
        "Whoever is thrifty is musical or not punctual (or both).",
        "Wer sparsam ist, ist musikalisch oder nicht pünktlich (oder beides).",
        "∀x (thrifty(x) → (musical(x) ∨ ¬punctual(x)))",
    ),
    (
        U,
        "Every Republican politician who is not thrifty is not musical or not punctual (or both).",
        "Jede CDU-Politikerin, die nicht sparsam ist, ist nicht musikalisch oder nicht pünktlich (oder beides).",
        "∀x ((G2(x) ∧ ¬thrifty(x)) → (¬musical(x) ∨ ¬punctual(x)))",
    ),
    (
        U,
        "Only those who are punctual are well read.",
        "Nur wer pünktlich ist, ist belesen.",
        "∀x ¬(well_read(x) ∧ ¬punctual(x))",
    ),
]


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
            "Abgesehen von Richter liegt jeder SPD-Politiker, der vor Lange liegt, auch vor Richter.",
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
        (T, "Lane lied or Woods told the truth, or both."),
        (T, "Lane lied, or Woods told the truth, or both did."),
        (T, "Hale said: “Lane or Woods lied (or both did).”"),
        (T, "Either Lane lied or Woods lied, but not both."),
        (T, "If Lane lied then Woods lied."),
        (T, "If Lane lied, then either Woods lied or Bell lied (or both)."),
        (T, "If Lane lied, then either Woods or Bell lied (or both did)."),
        (T, "If Lane lied, then Woods or Bell lied, or both did."),
        (T, "If Lane lied, then Woods lied or Bell told the truth (or both)."),
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
        (R, "Lane ranks between Woods and Woods."),
        (R, "Lane rank above Woods."),
        (R, "Exactly one of Lane, Woods and Bell rank above Wells."),
        (R, "Exactly two of Lane, Woods and Wells rank above Wells."),
        (R, "At least two other Democratic politicians rank above Woods."),  # who is no Democrat
        (R, "At least two Democratic politicians rank above Lane."),  # who is one
        (R, "Every Democratic politician who ranks above Lane also ranks above Bell."),
        (R, "Every Democratic politician other than Bell who ranks above Lane also ranks above Bell."),
        (R, "Apart from Bell, every Republican politician who ranks above Lane also ranks above Bell."),
        (R, "Apart from Wells, every Democratic politician who ranks above Lane also ranks above Bell."),
        (R, "Apart from Bell every Democratic politician who ranks above Lane also ranks above Bell."),
        (R, "Apart from Bell, Every Democratic politician who ranks above Lane also ranks above Bell."),
        (R, "exactly one of Lane, Woods and Bell ranks above Wells."),
        (U, "Exactly two of the five are punctual."),
        (U, "Exactly two of the three is punctual."),
        (U, "Whoever is not thrifty and musical is punctual."),  # could be read in two ways
        (U, "Whoever is thrifty is not musical or punctual (or both)."),
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
        (T, "Wenn Lange gelogen hat, dann Hahn hat gelogen."),
        (T, "Wenn Lange hat gelogen, dann hat Hahn gelogen."),
        (T, "Höchstens eine von Lange und Hahn hat gelogen."),  # the persons come first
        (T, "Von Lange und Hahn hat Höchstens eine gelogen."),
        (T, "Von Lange und Hahn hat höchstens einer gelogen."),  # women
        (T, "Von Lange und Hahn haben höchstens eine gelogen."),
        (T, "Von Lange und Hahn hat gelogen höchstens eine."),
        (T, "Genau zwei der SPD-Politiker haben gelogen."),
        (T, "Genau eine der SPD-Politikerinnen haben gelogen."),
        (T, "Von Lange und Hahn hat genau eins gelogen."),
        (T, "Winter sagte: “Lange hat gelogen.”"),
        (T, "Lange hat gelogen oder Hahn hat die Wahrheit gesagt (oder beides)."),
        (T, "Entweder hat Lange gelogen, oder hat Hahn die Wahrheit gesagt, aber nicht beides."),
        (T, "Entweder hat Lange gelogen oder Hahn hat die Wahrheit gesagt, aber nicht beides."),
        (R, "Wenn Lange vor Hahn liegt, dann liegt Horn vor Hahn oder Richter liegt vor Horn (oder beides)."),
        (R, "Mindestens zwei andere SPD-Politikerin liegen vor Lange."),
        (R, "Jede SPD-Politikerin außer Richter, die vor Lange liegt, liegt auch vor Richter."),
        (R, "Abgesehen von Richter liegt jede SPD-Politikerin, der vor Lange liegt, auch vor Richter."),
        (R, "Abgesehen von Richter liegt jede CDU-Politikerin, die vor Lange liegt, auch vor Richter."),
        (R, "Abgesehen von Horn liegt jede SPD-Politikerin, die vor Lange liegt, auch vor Richter."),
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


def test_too_many_persons_of_the_second_group() -> None:
    introduction = INTRODUCTIONS[U, "us_en"]
    introduction = introduction.replace("s Brenda Lane and Melissa Bell", " Brenda Lane").replace(
        "politician Nicole Woods", "politicians Nicole Woods and Melissa Bell"
    )
    with pytest.raises(LadderReadingError, match="found 1 and 2 persons"):
        reader("us_en").read(argument(introduction, ["Lane is musical."], "Conclusion: Bell is trustworthy."))
