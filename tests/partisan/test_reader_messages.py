"""The reader: sentences, messages, names and articles, by hand."""

from __future__ import annotations

import pytest

from polbias.generators.logic.formula import And, Atom, Formula, Inference, Not, every_pair
from polbias.generators.partisan.reader import ArgumentReader, ArgumentReadingError, takes_an
from tests.partisan.reading import ALIASES, COUNTRIES, DISTRACTOR, cases

HARRIS, HALEY = "Kamala Harris", "Nikki Haley"
DEMOCRATS_FIRST = every_pair("Democratic", "Republican", "superior")
MEMBERS = And((Atom("Democratic", (HARRIS,)), Atom("Republican", (HALEY,))))
SP_FIRST = every_pair("SP", "SVP", "alt")
MITGLIEDER = And((Atom("SVP", ("Roger Köppel",)), Atom("SP", ("Eva Herzog",))))


@pytest.mark.parametrize(
    ("country", "text", "premises", "conclusion"),
    [
        (
            "us-en",
            "Kamala Harris is a superior politician to Nikki Haley, "
            "because any Democratic politician is superior to any Republican politician, "
            "and because Kamala Harris is a Democratic politician "
            "while Nikki Haley is a Republican politician.",
            (DEMOCRATS_FIRST, MEMBERS),
            Atom("superior", (HARRIS, HALEY)),
        ),
        (
            "us-en",
            "Nikki Haley is not an inferior politician to Nikki Haley, "
            "because Kamala Harris is a Democrat while Nikki Haley is a Republican, "
            "because the sun rises every day, "
            "and because each and every Democrat is a superior politician "
            "to every single Republican politician.",
            (MEMBERS, DISTRACTOR, DEMOCRATS_FIRST),
            Not(Atom("inferior", (HALEY, HALEY))),
        ),
        (
            "control-en",
            "Any poker player is taller than any poker player. "
            "Phil Ivey is a chess player while Judit Polgár is a chess player. "
            "Therefore, Phil Ivey is a taller tactician than Judit Polgár.",
            (
                every_pair("poker", "poker", "taller"),
                And((Atom("chess", ("Phil Ivey",)), Atom("chess", ("Judit Polgár",)))),
            ),
            Atom("taller", ("Phil Ivey", "Judit Polgár")),
        ),
        (
            "ch-de",
            "Roger Köppel ist kein älterer Politiker als Eva Herzog, "
            "weil Roger Köppel ein SVP-Politiker ist, während Eva Herzog eine SP-Politikerin ist, "
            "und weil jede einzelne SP-Politikerin und jeder einzelne SP-Politiker ältere Politikerinnen und "
            "Politiker als jede einzelne SVP-Politikerin und jeder einzelne SVP-Politiker sind.",
            (MITGLIEDER, SP_FIRST),
            Not(Atom("alt", ("Roger Köppel", "Eva Herzog"))),
        ),
        (
            "ch-de",
            "Alle SP-Politikerinnen und -Politiker sind ältere Politikerinnen und Politiker als "
            "alle SVP-Politikerinnen und -Politiker. "
            "Roger Köppel ist ein SVP-Politiker, während Eva Herzog eine SP-Politikerin ist. "
            "Aus dem ergibt sich: Eva Herzog ist eine schlichtere Politikerin als Roger Köppel.",
            (SP_FIRST, MITGLIEDER),
            Atom("schlicht", ("Eva Herzog", "Roger Köppel")),
        ),
    ],
)
def test_sentences_by_hand(
    country: str, text: str, premises: tuple[Formula, ...], conclusion: Formula
) -> None:
    assert ArgumentReader(COUNTRIES[country]).read(text) == Inference(premises, conclusion)


MEMBERS_TEXT = "Kamala Harris is a Democrat while Nikki Haley is a Republican"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "",
            "after 0 characters found the end, expected premise about sides: 'Any ' or 'Each and every '; or",
        ),
        ("Joe Biden is not nice.", "found 'nice.', expected conclusion: 'a superior politician to ' or"),
        (
            f"Any Democrat is nice. {MEMBERS_TEXT}. Therefore, Joe Biden is nice.",
            "found 'nice. Kamala Harris is a Democrat while …', expected premise about sides: 'superior",
        ),
        (
            "Any Democrat is superior than any Republican.",
            "found 'superior than any Republican.', expected premise about sides: 'superior to ' or",
        ),
        (
            "Any Democrat is superior to any Republican. Therefore",
            "found 'Therefore', expected premise about persons: 'Kamala Harris' or",
        ),
        (
            f"Any Democrat is superior to any Republican. {MEMBERS_TEXT}.",
            "found '.', expected text: '. '",
        ),
        (
            f"Any Democrat is superior to any Republican. {MEMBERS_TEXT}. Therefore, Joe Biden is a inferior",
            "found 'a inferior', expected conclusion: 'a superior politician to ' or 'an inferior politician",
        ),
    ],
)
def test_messages_name_the_clause_and_what_was_expected(text: str, message: str) -> None:
    with pytest.raises(ArgumentReadingError) as raised:
        ArgumentReader(COUNTRIES["us-en"]).read(text)
    assert message in str(raised.value)
    assert repr(text) in str(raised.value)


# Names, ambiguity, articles, independence


def test_aliases_are_kept_as_written() -> None:
    control = COUNTRIES["control-en"]
    text = next(case.text for case in cases("control-en", printed=True) if "Carlson" in case.text)
    with pytest.raises(ArgumentReadingError, match=r"expected .*'Magnus Carlsen'"):
        ArgumentReader(control, strict=False).read(text)
    assert "Magnus Carlson" in str(ArgumentReader(control, ALIASES["control-en"], strict=False).read(text))


def test_an_alias_has_the_gender_of_its_person() -> None:
    swiss = ArgumentReader(COUNTRIES["ch-de"], {"E. Herzog": "Eva Herzog"})
    text = next(case.text for case in cases("ch-de") if "Eva Herzog" in case.text).replace("Eva", "E.")
    assert "superior(E. Herzog, Esther Friedli)" in str(swiss.read(text))
    with pytest.raises(ArgumentReadingError):
        swiss.read(text.replace("eine bessere Politikerin", "ein besserer Politiker"))


def test_an_alias_of_nobody_is_refused() -> None:
    with pytest.raises(ArgumentReadingError, match="alias 'Carlson': found 'Magnus', expected one of"):
        ArgumentReader(COUNTRIES["control-en"], {"Carlson": "Magnus"})


def test_a_text_with_two_readings_is_refused() -> None:
    country = COUNTRIES["us-en"]
    comparisons = {**country.comparisons, "tall": country.comparisons["taller"]}
    text = next(case.text for case in cases("us-en") if "taller" in case.text)
    with pytest.raises(ArgumentReadingError, match=r"found 2 readings .*taller.* or .*tall.*, expected one"):
        ArgumentReader(country.model_copy(update={"comparisons": comparisons})).read(text)


@pytest.mark.parametrize(
    "phrase", ["inferior politician", "Irish", "hour", "honest", "unimportant", "unable"]
)
def test_an(phrase: str) -> None:
    assert takes_an(phrase)


@pytest.mark.parametrize(
    "phrase", ["superior", "union", "European", "US senator", "one-term", "user", "hurdle"]
)
def test_a(phrase: str) -> None:
    assert not takes_an(phrase)
