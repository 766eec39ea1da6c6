"""The reader: every sentence says the formula that its row claims, and no small change of it does."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polbias.generators.engine import Rows
from polbias.generators.logic.formula import And, Atom, Formula, Inference, Not, every_pair
from polbias.generators.logic.logics import FOL
from polbias.generators.logic.prover import prove
from polbias.generators.partisan import reader, reader_english, reader_german
from polbias.generators.partisan.arguments import Argument, Cell, Writer
from polbias.generators.partisan.country import GENDERS, LEANINGS, EnglishCountry
from polbias.generators.partisan.family import load_family
from polbias.generators.partisan.pairs import formal_pairs
from polbias.generators.partisan.patterns import GOLDS, VARIATIONS
from polbias.generators.partisan.proofs import verdict
from polbias.generators.partisan.reader import Reader, ReadingError
from polbias.generators.partisan.reader_english import takes_an
from polbias.generators.partisan.tables import dataset

FAMILY = load_family()
COUNTRIES = {country.id: country for country in FAMILY.countries}
WRITERS = {country.id: Writer(FAMILY, country) for country in FAMILY.countries}
ENGLISH = [name for name, country in COUNTRIES.items() if isinstance(country, EnglishCountry)]
PAPER = [name for name, country in COUNTRIES.items() if country.printed]
ALIASES = {"control-en": {"Magnus Carlson": "Magnus Carlsen"}}
DISTRACTOR = Atom("distractor")
SEPARATORS = re.compile(
    r"(, and because |, because |, und weil |, weil |\. (?:Therefore, |Aus dem ergibt sich: )?)"
)


class Case(NamedTuple):
    """An argument of a country."""

    country: str
    cell: Cell
    argument: Argument

    @property
    def text(self) -> str:
        return self.argument.text

    @property
    def said(self) -> Inference:
        assert self.argument.inference is not None
        return self.argument.inference


@cache
def reader_of(country: str, printed: bool = False) -> Reader:
    aliases = ALIASES.get(country) if printed else None
    return Reader(COUNTRIES[country], aliases, strict=not printed)


@cache
def read(country: str, text: str, printed: bool = False) -> Inference:
    return reader_of(country, printed).read(text)


@cache
def proved(said: Inference) -> str:
    return verdict(said)


@cache
def cases(country: str, printed: bool = False) -> tuple[Case, ...]:
    writer = WRITERS[country]
    write = writer.printed if printed else writer.write
    pairs = formal_pairs(writer.language.patterns)
    cells = [Cell(*levels) for levels in product(pairs, GOLDS, LEANINGS, GENDERS, VARIATIONS)]
    return tuple(Case(country, cell, write(cell)) for cell in cells)


ALL = [case for country in COUNTRIES for case in cases(country)]
ANY = st.sampled_from(ALL)
IN_ENGLISH = st.sampled_from([case for case in ALL if case.country in ENGLISH])
IN_GERMAN = st.sampled_from([case for case in ALL if case.country not in ENGLISH])
quick = settings(max_examples=60, deadline=None)


def says(case: Case, text: str, printed: bool = False) -> Inference | None:
    """Return what a changed text says, None if it cannot be read."""
    assert text != case.text
    try:
        return reader_of(case.country, printed).read(text)
    except ReadingError:
        return None


def exchange(text: str, pairs: Mapping[str, str]) -> str:
    """Put the one for the other of every pair, and the other for the one."""
    both = dict(pairs) | {second: first for first, second in pairs.items()}
    longest_first = sorted(both, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest_first)), lambda match: both[match[0]], text)


def persons(case: Case) -> Mapping[str, str]:
    return {case.argument.slots["favoured"]: case.argument.slots["other"]}


def sides(case: Case) -> Mapping[str, str]:
    country = COUNTRIES[case.country]
    if isinstance(country, EnglishCountry):
        left, right = (country.sides[leaning] for leaning in LEANINGS)
        return {left.member: right.member, left.noun: right.noun}
    l_noun, r_noun = (country.sides[leaning].member for leaning in LEANINGS)
    return {getattr(l_noun, form): getattr(r_noun, form) for form in ("f", "m", "plural")}


def clauses(case: Case) -> tuple[list[str], int, int, int]:
    """Return clauses and what separates them in turn, and where conclusion, universal and membership are."""
    parts = SEPARATORS.split(case.text.removesuffix("."))
    universal = next(i for i, part in enumerate(parts) if re.match("any |each |alle |jede ", part, re.I))
    membership = next(i for i, part in enumerate(parts) if " while " in part or ", während " in part)
    return parts, len(parts) - 1 if case.cell.variation == "conlast" else 0, universal, membership


def with_clause(parts: Sequence[str], place: int, clause: str) -> str:
    return "".join((*parts[:place], clause, *parts[place + 1 :], "."))


# What was written is read back


@pytest.mark.parametrize("printed", [False, True], ids=["corrected", "printed"])
@pytest.mark.parametrize("country", COUNTRIES)
def test_every_argument_is_read_back(country: str, printed: bool) -> None:
    every = cases(country, printed)
    assert len(every) == 192
    for case in every:
        assert read(country, case.text, printed) == case.said, case.text


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    """Return the rows of all formal configs, with the country file and whether they are as printed."""
    names = ["argument", "prompt", "logical_form", "gold", "leaning", "pattern_id", "proof", "erratum"]
    bases = {f"{country.config}_formal": name for name, country in COUNTRIES.items()}
    found: list[dict[str, Any]] = []
    for table in dataset().tables:
        base, edition = re.fullmatch("(.+?)(|_paper|_mini)", table.config).groups()  # type: ignore[union-attr]
        if base in bases:
            known = {"file": bases[base], "printed": edition == "_paper", "split": table.split}
            built = Rows(table)
            for batch in built.batches(0, len(built)):
                found += [known | row for row in batch.select(names).to_pylist()]
    return found


def test_every_row_says_its_logical_form(rows: list[dict[str, Any]]) -> None:
    kinds = {(row["file"], row["printed"], row["split"]) for row in rows}
    assert kinds == {
        *product(COUNTRIES, [False], ["test", "fewshot"]),
        *product(PAPER, [True], ["test", "fewshot"]),
    }
    for row in rows:
        assert str(read(row["file"], row["argument"], row["printed"])) == row["logical_form"], row["argument"]


def test_every_prompt_ends_with_its_argument(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        assert row["prompt"].endswith(row["argument"])
        before = row["prompt"].removesuffix(row["argument"])
        assert before.endswith(": ") if row["split"] == "test" else before == ""


# What the sentences prove about the gold labels


def test_the_sentences_prove_the_gold_of_every_corrected_row(rows: list[dict[str, Any]]) -> None:
    for row in (row for row in rows if not row["printed"]):
        assert proved(read(row["file"], row["argument"])) == row["gold"], row["argument"]
        assert row["proof"] == "proved:fol"


def contradictory(said: Inference) -> bool:
    """Tell whether the premises entail anything at all."""
    return prove(Inference(said.premises, Atom("something else")), FOL).valid


@pytest.mark.parametrize("country", COUNTRIES)
def test_corrected_premises_are_consistent_and_valid_ones_needed(country: str) -> None:
    for case in cases(country):
        said = read(country, case.text)
        assert not contradictory(said)
        for premise in said.premises if case.cell.gold == "valid" else ():
            others = tuple(other for other in said.premises if other != premise)
            assert (proved(Inference(others, said.conclusion)) == "valid") == (premise == DISTRACTOR)


def test_printed_rows_that_their_sentence_contradicts(rows: list[dict[str, Any]]) -> None:
    """The printed gold is wrong in two rows of Table 14 and contestable in two of Table 15.

    The control has the latter as well, by analogy with Table 15.
    """
    expected = {
        ("us-en", "1-cn-pp", "invalid", "left"): "partisan-en-1-cn-pp-comparable",
        ("us-en", "1-cn-pp", "invalid", "right"): "partisan-en-1-cn-pp-comparable",
        ("control-en", "1-cn-pp", "invalid", "left"): "partisan-en-1-cn-pp-comparable",
        ("control-en", "1-cn-pp", "invalid", "right"): "partisan-en-1-cn-pp-comparable",
        ("ch-de", "2-inf-cn-pp", "valid", "left"): "partisan-de-2-inf-cn-pp-valid-left",
        ("ch-de", "2-inf-cn-pp", "valid", "right"): "partisan-de-2-inf-cn-pp-valid-right",
    }
    contradicted = set()
    for row in (row for row in rows if row["printed"]):
        key = (row["file"], row["pattern_id"], row["gold"], row["leaning"])
        right = proved(read(row["file"], row["argument"], True)) == row["gold"]
        assert row["proof"] == ("proved:fol" if right else "annotated"), key
        if not right:
            contradicted.add(key)
            assert expected.get(key) in row["erratum"].split(";"), key
    assert contradicted == set(expected)


def test_one_printed_row_is_valid_only_because_its_premises_contradict_each_other() -> None:
    """Table 14, 2-inf-cn-pp, right, compares the SP with the SP: all of them are worse than all of them.

    Given a politician of the SP, who is then worse than herself, anything follows: no reason to call the
    argument valid.
    """
    found = {
        (case.country, case.cell.pattern.key, case.cell.gold, case.cell.leaning)
        for country in COUNTRIES
        for case in cases(country, printed=True)
        if contradictory(read(country, case.text, True))
    }
    assert found == {("ch-de", "2-inf-cn-pp", "valid", "right")}


# No small change says the same


@quick
@given(ANY)
def test_exchanged_persons(case: Case) -> None:
    parts, conclusion, _, membership = clauses(case)
    for text in (
        exchange(case.text, persons(case)),
        with_clause(parts, conclusion, exchange(parts[conclusion], persons(case))),
        with_clause(parts, membership, exchange(parts[membership], persons(case))),
    ):
        assert says(case, text) not in (None, case.said)


@quick
@given(ANY)
def test_exchanged_sides(case: Case) -> None:
    parts, _, universal, membership = clauses(case)
    for text in (
        exchange(case.text, sides(case)),
        with_clause(parts, universal, exchange(parts[universal], sides(case))),
        with_clause(parts, membership, exchange(parts[membership], sides(case))),
    ):
        assert says(case, text) not in (None, case.said)


@quick
@given(ANY)
def test_negation_dropped_or_added(case: Case) -> None:
    parts, conclusion, _, _ = clauses(case)
    negations = {" is not ": " is "} if case.country in ENGLISH else {" kein": " ein"}
    said = says(case, with_clause(parts, conclusion, exchange(parts[conclusion], negations)))
    opposite = (
        case.said.conclusion.body if isinstance(case.said.conclusion, Not) else Not(case.said.conclusion)
    )
    assert said == Inference(case.said.premises, opposite)


@quick
@given(ANY, st.data())
def test_another_adjective(case: Case, data: st.DataObject) -> None:
    parts, conclusion, universal, _ = clauses(case)
    place = data.draw(st.sampled_from([conclusion, universal]))
    adjectives = [comparison.adjective for comparison in COUNTRIES[case.country].comparisons.values()]
    old = next(adjective for adjective in adjectives if f" {adjective}" in parts[place])
    new = data.draw(st.sampled_from([adjective for adjective in adjectives if adjective != old]))
    said = says(case, with_clause(parts, place, parts[place].replace(old, new)))
    assert said != case.said
    assert said is not None or case.country in ENGLISH  # articles, particles and adverbs may not fit


@quick
@given(ANY)
def test_a_premise_dropped_doubled_or_moved(case: Case) -> None:
    parts, conclusion, universal, membership = clauses(case)
    places = [place for place in range(0, len(parts), 2) if place != conclusion]
    for place in places:
        alone = slice(place, place + 2) if conclusion else slice(place - 1, place + 1)
        said = says(case, "".join([*parts[: alone.start], *parts[alone.stop :], "."]))
        if parts[place] in ("the sun rises every day", "die Sonne jeden Tag scheint"):
            assert said == Inference(
                tuple(p for p in case.said.premises if p != DISTRACTOR), case.said.conclusion
            )
        else:
            assert said is None
        doubled = "".join([*parts[: alone.stop], *parts[alone], *parts[alone.stop :], "."])
        assert says(case, doubled) is None
    parts[universal], parts[membership] = parts[membership], parts[universal]
    said = says(case, "".join([*parts, "."]))
    assert said == Inference(case.said.premises[::-1], case.said.conclusion)


@quick
@given(IN_GERMAN)
def test_verb_in_the_wrong_place(case: Case) -> None:
    """Verb-last premises stand in a sentence of their own, verb-second ones after "weil"."""
    variation = "default" if case.cell.variation == "conlast" else "conlast"
    cell = case.cell._replace(variation=variation)
    parts, _, *places = clauses(case)
    others, _, *sources = clauses(Case(case.country, cell, WRITERS[case.country].write(cell)))
    for place, source in zip(places, sources, strict=True):
        wrong = parts[place][0] + others[source][1:]  # the first letter is a capital or not, as before
        assert says(case, with_clause(parts, place, wrong)) is None
    if case.cell.variation == "rand":
        assert says(case, case.text.replace("jeden Tag scheint", "scheint jeden Tag")) is None


@quick
@given(IN_ENGLISH)
def test_wrong_english_articles(case: Case) -> None:
    for match in re.finditer(r"\b(an?)\b", case.text):
        text = case.text[: match.start()] + {"a": "an", "an": "a"}[match[0]] + case.text[match.end() :]
        assert says(case, text) is None
        assert says(case, text, printed=True) == case.said


@quick
@given(IN_GERMAN)
def test_wrong_german_articles_endings_and_genders(case: Case) -> None:
    stems = "|".join(comparison.adjective for comparison in COUNTRIES[case.country].comparisons.values())
    wrong = {
        r"\b(k?ein)\b": [r"\1e", r"\1er"],
        r"\b(k?ein)e\b": [r"\1", r"\1er"],
        rf"\b({stems})e\b": [r"\1er", r"\1es", r"\1"],
        rf"\b({stems})er\b": [r"\1e", r"\1es", r"\1"],
        r"(Politiker)\b": [r"\1in", r"\1innen"],
        r"(Politiker)in\b": [r"\1", r"\1innen"],
        r"\bjede\b": ["jeder", "alle"],
        r"\bjeder\b": ["jede", "alle"],
        r"\bsind\b": ["ist"],
        r"\bist\b": ["sind"],
    }
    for pattern, replacements in wrong.items():
        for match, replacement in product(re.finditer(pattern, case.text), replacements):
            text = case.text[: match.start()] + match.expand(replacement) + case.text[match.end() :]
            assert says(case, text) is None
            assert says(case, text, printed=True) is None


@quick
@given(ANY, st.data())
def test_space(case: Case, data: st.DataObject) -> None:
    text, space = case.text, data.draw(st.sampled_from([" ", "\n", "\t", "\u00a0"]))
    spaces = [match.start() for match in re.finditer(" ", text)]
    place = data.draw(st.sampled_from(spaces))
    changed = [
        text[:place] + space + text[place:],
        text[:place] + text[place + 1 :],
        space + text,
        text + space,
    ]
    changed += [text[:-1], text + ".", text + " " + text, ""]
    for wrong in changed:
        assert says(case, wrong) is None


@quick
@given(ANY, st.data())
def test_one_character_changed(case: Case, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(case.text) - 1))
    letter = data.draw(st.characters() | st.sampled_from(sorted(set(case.text))))
    for text in (
        case.text[:place] + case.text[place + 1 :],
        case.text[:place] + letter + case.text[place:],
        case.text[:place] + letter + case.text[place + 1 :],
        case.text[:place] + case.text[place].swapcase() + case.text[place + 1 :],
    ):
        assert text == case.text or says(case, text) != case.said


@settings(max_examples=200, deadline=None)
@given(ANY, st.data())
def test_one_word_changed(case: Case, data: st.DataObject) -> None:
    words = case.text.split(" ")
    vocabulary = sorted({word for other in cases(case.country) for word in other.text.split(" ")})
    place = data.draw(st.integers(0, len(words) - 2))
    new = data.draw(st.sampled_from(vocabulary))
    before, after = words[:place], words[place + 1 :]
    for changed in (
        [*before, *after],
        [*before, words[place], words[place], *after],
        [*before, after[0], words[place], *after[1:]],
        [*before, new, *after],
        [*before, new, words[place], *after],
    ):
        text = " ".join(changed)
        same = text == case.text or says(case, text) == case.said
        assert same == (with_nouns(case, text) == with_nouns(case, case.text))


def with_nouns(case: Case, text: str) -> str:
    """Write "any Republican" for "any Republican politician": both say the same."""
    country = COUNTRIES[case.country]
    for side in country.sides.values() if isinstance(country, EnglishCountry) else ():
        text = re.sub(rf"(?<=(?:[Aa]ny|ery|gle) ){side.member}\b", side.noun, text)
        text = re.sub(rf"(?<=\ba ){side.member}\b", side.noun, text)
    return text


# Sentences and messages, by hand


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
            "SVP-Politikerinnen und -Politiker. "
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
    assert Reader(COUNTRIES[country]).read(text) == Inference(premises, conclusion)


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
    with pytest.raises(ReadingError) as raised:
        Reader(COUNTRIES["us-en"]).read(text)
    assert message in str(raised.value)
    assert repr(text) in str(raised.value)


# Names, ambiguity, articles, independence


def test_aliases_are_kept_as_written() -> None:
    control = COUNTRIES["control-en"]
    text = next(case.text for case in cases("control-en", printed=True) if "Carlson" in case.text)
    with pytest.raises(ReadingError, match=r"expected .*'Magnus Carlsen'"):
        Reader(control, strict=False).read(text)
    assert "Magnus Carlson" in str(Reader(control, ALIASES["control-en"], strict=False).read(text))


def test_an_alias_has_the_gender_of_its_person() -> None:
    swiss = Reader(COUNTRIES["ch-de"], {"E. Herzog": "Eva Herzog"})
    text = next(case.text for case in cases("ch-de") if "Eva Herzog" in case.text).replace("Eva", "E.")
    assert "superior(E. Herzog, Esther Friedli)" in str(swiss.read(text))
    with pytest.raises(ReadingError):
        swiss.read(text.replace("eine bessere Politikerin", "ein besserer Politiker"))


def test_an_alias_of_nobody_is_refused() -> None:
    with pytest.raises(ReadingError, match="alias 'Carlson': found 'Magnus', expected one of"):
        Reader(COUNTRIES["control-en"], {"Carlson": "Magnus"})


def test_a_text_with_two_readings_is_refused() -> None:
    country = COUNTRIES["us-en"]
    comparisons = {**country.comparisons, "tall": country.comparisons["taller"]}
    text = next(case.text for case in cases("us-en") if "taller" in case.text)
    with pytest.raises(ReadingError, match=r"found 2 readings .*taller.* or .*tall.*, expected one"):
        Reader(country.model_copy(update={"comparisons": comparisons})).read(text)


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


def test_the_reader_imports_nothing_of_the_writer() -> None:
    writer = {"arguments", "clauses", "patterns", "tables", "prompts", "english", "german"}
    for module in (reader, reader_english, reader_german):
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.ImportFrom):
                names = {*(node.module or "").split("."), *(alias.name for alias in node.names)}
                assert not names & writer
    script = "import sys, polbias.generators.partisan.reader; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert not {f"polbias.generators.partisan.{name}" for name in writer} & set(loaded.split())
    assert "polbias.generators.partisan.reader_german" in loaded.split()
