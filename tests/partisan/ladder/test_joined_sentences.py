"""Sentences of the ladder that join two literals: as worked out by hand, no ambiguous one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import pytest

from polbias.generators.logic.formula import Atom, Formula, Iff, Implies, Not, Or, atoms
from polbias.generators.logic.syntax import parse_formula
from polbias.generators.partisan.ladder.premises import signed
from polbias.generators.partisan.ladder.settings import ABOVE, TRUTHFUL, Setting
from tests.partisan.ladder.writers import RANKING, RULES, TESTIMONY, cast, writer

# setting, formula, English about women, German about women
PAIRS = [
    # a conditional about one person, in rules only
    (
        RULES,
        "(¬well_read(a) → punctual(a))",
        "If Dawson is not well read, then she is punctual.",
        "Wenn Becker nicht belesen ist, dann ist sie pünktlich.",
    ),
    (
        RANKING,
        "(above(a, b) → ¬above(a, c))",
        "If Dawson ranks above Woods, then Dawson ranks below Watkins.",
        "Wenn Becker vor Möller liegt, dann liegt Becker hinter Neumann.",
    ),
    (
        RULES,
        "((well_read(a) ∧ ¬musical(b)) → punctual(a))",
        "If Dawson is well read and Woods is not musical, then Dawson is punctual.",
        "Wenn Becker belesen ist und Möller nicht musikalisch ist, dann ist Becker pünktlich.",
    ),
    # a conditional that says the same of two persons
    (
        TESTIMONY,
        "(¬truthful(a) → ¬truthful(b))",
        "If Dawson lied, then Woods lied.",
        "Wenn Becker gelogen hat, dann hat auch Möller gelogen.",
    ),
    (
        TESTIMONY,
        "(truthful(c) ↔ (truthful(a) → truthful(b)))",
        "Watkins said: “If Dawson told the truth, then Woods told the truth.”",
        "Neumann sagte: „Wenn Becker die Wahrheit gesagt hat, dann hat auch Möller die Wahrheit gesagt.“",
    ),
    (
        RANKING,
        "(above(a, b) → above(c, b))",
        "If Dawson ranks above Woods, then Watkins ranks above Woods.",
        "Wenn Becker vor Möller liegt, dann liegt auch Neumann vor Möller.",
    ),
    (
        RANKING,
        "(¬above(a, b) → ¬above(c, b))",
        "If Dawson ranks below Woods, then Watkins ranks below Woods.",
        "Wenn Becker hinter Möller liegt, dann liegt auch Neumann hinter Möller.",
    ),
    (
        RANKING,
        "(above(a, b) → ¬above(c, b))",
        "If Dawson ranks above Woods, then Watkins ranks below Woods.",
        "Wenn Becker vor Möller liegt, dann liegt Neumann hinter Möller.",
    ),
    (
        RULES,
        "(¬thrifty(a) → ¬thrifty(b))",
        "If Dawson is not thrifty, then Woods is not thrifty.",
        "Wenn Becker nicht sparsam ist, dann ist auch Möller nicht sparsam.",
    ),
    (
        TESTIMONY,
        "((truthful(a) ∧ truthful(b)) → truthful(c))",
        "If Dawson told the truth and Woods told the truth, then Watkins told the truth.",
        "Wenn Becker die Wahrheit gesagt hat und Möller die Wahrheit gesagt hat, dann hat Neumann die Wahrheit gesagt.",
    ),
    # one person, ranking
    (
        RANKING,
        "(above(a, b) ∨ above(a, c))",
        "Dawson ranks above Woods or Watkins, or above both.",
        "Becker liegt vor Möller oder vor Neumann (oder vor beiden).",
    ),
    (
        RANKING,
        "(above(a, b) ∨ ¬above(a, c))",
        "Dawson ranks above Woods or below Watkins, or both.",
        "Becker liegt vor Möller oder hinter Neumann (oder beides).",
    ),
    (
        RANKING,
        "(¬above(a, b) ∨ ¬above(a, c))",
        "Dawson ranks below Woods or Watkins, or below both.",
        "Becker liegt hinter Möller oder hinter Neumann (oder hinter beiden).",
    ),
    (
        RANKING,
        "(above(d, e) → (above(a, b) ∨ above(a, c)))",
        "If Arnold ranks above Shaw, then Dawson ranks above Woods or Watkins (or above both).",
        "Wenn Wenzel vor Schreiber liegt, dann liegt Becker vor Möller oder vor Neumann (oder vor beiden).",
    ),
    (
        RANKING,
        "(above(d, e) → (above(a, b) ∨ ¬above(a, c)))",
        "If Arnold ranks above Shaw, then Dawson ranks above Woods or below Watkins (or both).",
        "Wenn Wenzel vor Schreiber liegt, dann liegt Becker vor Möller oder hinter Neumann (oder beides).",
    ),
    (
        RANKING,
        "(¬above(a, e) → (¬above(a, b) ∨ ¬above(a, c)))",
        "If Dawson ranks below Shaw, then Dawson ranks below Woods or Watkins (or below both).",
        "Wenn Becker hinter Schreiber liegt, dann liegt Becker hinter Möller oder hinter Neumann "
        "(oder hinter beiden).",
    ),
    (
        RANKING,
        "¬(above(a, b) ↔ above(a, c))",
        "Dawson ranks above either Woods or Watkins, but not both.",
        "Becker liegt entweder vor Möller oder vor Neumann, aber nicht vor beiden.",
    ),
    (
        RANKING,
        "¬(¬above(a, b) ↔ above(a, c))",
        "Either Dawson ranks below Woods or Dawson ranks above Watkins, but not both.",
        "Entweder liegt Becker hinter Möller, oder Becker liegt vor Neumann, aber nicht beides.",
    ),
    (
        RANKING,
        "¬(¬above(a, b) ↔ ¬above(a, c))",
        "Dawson ranks below either Woods or Watkins, but not both.",
        "Becker liegt entweder hinter Möller oder hinter Neumann, aber nicht hinter beiden.",
    ),
    # two persons, ranking
    (
        RANKING,
        "(above(a, c) ∨ above(b, c))",
        "Dawson or Woods ranks above Watkins, or both do.",
        "Becker oder Möller liegt vor Neumann (oder beide).",
    ),
    (
        RANKING,
        "(above(a, c) ∨ ¬above(b, c))",
        "Dawson ranks above Watkins, or Woods ranks below Watkins, or both.",
        "Becker liegt vor Neumann, oder Möller liegt hinter Neumann (oder beides).",
    ),
    (
        RANKING,
        "(¬above(a, c) ∨ ¬above(b, c))",
        "Dawson or Woods ranks below Watkins, or both do.",
        "Becker oder Möller liegt hinter Neumann (oder beide).",
    ),
    (
        RANKING,
        "(above(d, e) → (above(a, c) ∨ above(b, c)))",
        "If Arnold ranks above Shaw, then Dawson or Woods ranks above Watkins (or both do).",
        "Wenn Wenzel vor Schreiber liegt, dann liegt Becker oder Möller vor Neumann (oder beide).",
    ),
    (
        RANKING,
        "(above(d, e) → (¬above(a, c) ∨ ¬above(b, c)))",
        "If Arnold ranks above Shaw, then Dawson or Woods ranks below Watkins (or both do).",
        "Wenn Wenzel vor Schreiber liegt, dann liegt Becker oder Möller hinter Neumann (oder beide).",
    ),
    (
        RANKING,
        "¬(above(a, c) ↔ above(b, c))",
        "Either Dawson or Woods ranks above Watkins, but not both.",
        "Entweder Becker oder Möller liegt vor Neumann, aber nicht beide.",
    ),
    (
        RANKING,
        "¬(¬above(a, c) ↔ ¬above(b, c))",
        "Either Dawson or Woods ranks below Watkins, but not both.",
        "Entweder Becker oder Möller liegt hinter Neumann, aber nicht beide.",
    ),
    # one person, rules
    (
        RULES,
        "(punctual(a) ∨ musical(a))",
        "Dawson is punctual or musical, or both.",
        "Becker ist pünktlich oder musikalisch (oder beides).",
    ),
    (
        RULES,
        "(punctual(a) ∨ ¬musical(a))",
        "Dawson is punctual or not musical, or both.",
        "Becker ist pünktlich oder nicht musikalisch (oder beides).",
    ),
    (
        RULES,
        "(¬punctual(a) ∨ ¬musical(a))",
        "Dawson is not both punctual and musical.",
        "Becker ist nicht zugleich pünktlich und musikalisch.",
    ),
    (
        RULES,
        "(thrifty(b) → (punctual(a) ∨ ¬musical(a)))",
        "If Woods is thrifty, then Dawson is punctual or not musical (or both).",
        "Wenn Möller sparsam ist, dann ist Becker pünktlich oder nicht musikalisch (oder beides).",
    ),
    (
        RULES,
        "(thrifty(b) → (¬punctual(a) ∨ ¬musical(a)))",
        "If Woods is thrifty, then Dawson is not both punctual and musical.",
        "Wenn Möller sparsam ist, dann ist Becker nicht zugleich pünktlich und musikalisch.",
    ),
    (
        RULES,
        "(thrifty(a) → (punctual(a) ∨ musical(a)))",
        "If Dawson is thrifty, then she is punctual or musical (or both).",
        "Wenn Becker sparsam ist, dann ist sie pünktlich oder musikalisch (oder beides).",
    ),
    (
        RULES,
        "(thrifty(a) → (punctual(a) ∨ ¬musical(a)))",
        "If Dawson is thrifty, then she is punctual or not musical (or both).",
        "Wenn Becker sparsam ist, dann ist sie pünktlich oder nicht musikalisch (oder beides).",
    ),
    (
        RULES,
        "(thrifty(a) → (¬punctual(a) ∨ ¬musical(a)))",
        "If Dawson is thrifty, then she is not both punctual and musical.",
        "Wenn Becker sparsam ist, dann ist sie nicht zugleich pünktlich und musikalisch.",
    ),
    (
        RULES,
        "¬(punctual(a) ↔ musical(a))",
        "Dawson is either punctual or musical, but not both.",
        "Becker ist entweder pünktlich oder musikalisch, aber nicht beides.",
    ),
    # two persons, rules
    (
        RULES,
        "(punctual(a) ∨ punctual(b))",
        "Dawson or Woods is punctual, or both are.",
        "Becker oder Möller ist pünktlich (oder beide).",
    ),
    (
        RULES,
        "(¬punctual(a) ∨ ¬punctual(b))",
        "Dawson and Woods are not both punctual.",
        "Becker und Möller sind nicht beide pünktlich.",
    ),
    (
        RULES,
        "(thrifty(a) → (punctual(a) ∨ punctual(b)))",
        "If Dawson is thrifty, then Dawson or Woods is punctual (or both are).",
        "Wenn Becker sparsam ist, dann ist Becker oder Möller pünktlich (oder beide).",
    ),
    (
        RULES,
        "(thrifty(a) → (¬punctual(a) ∨ ¬punctual(b)))",
        "If Dawson is thrifty, then Dawson and Woods are not both punctual.",
        "Wenn Becker sparsam ist, dann sind Becker und Möller nicht beide pünktlich.",
    ),
    (
        RULES,
        "¬(punctual(a) ↔ punctual(b))",
        "Either Dawson or Woods is punctual, but not both.",
        "Entweder Becker oder Möller ist pünktlich, aber nicht beide.",
    ),
    # a consequence of which one part is about the person of the antecedent
    (
        RULES,
        "(thrifty(a) → (punctual(a) ∨ ¬musical(b)))",
        "If Dawson is thrifty, then either she is punctual or Woods is not musical (or both).",
        "Wenn Becker sparsam ist, dann ist sie pünktlich oder Möller nicht musikalisch (oder beides).",
    ),
    (
        RULES,
        "(thrifty(a) → (punctual(a) ∨ ¬punctual(b)))",
        "If Dawson is thrifty, then either she is punctual or Woods is not punctual (or both).",
        "Wenn Becker sparsam ist, dann ist sie pünktlich oder Möller nicht pünktlich (oder beides).",
    ),
    (
        RULES,
        "(thrifty(a) → (punctual(b) ∨ musical(a)))",
        "If Dawson is thrifty, then either Woods is punctual or Dawson is musical (or both).",
        "Wenn Becker sparsam ist, dann ist Möller pünktlich oder Becker musikalisch (oder beides).",
    ),
]


@pytest.mark.parametrize(("setting", "formula", "english_text", "german_text"), PAIRS)
def test_two_literals_are_joined_as_worked_out_by_hand(
    setting: Setting, formula: str, english_text: str, german_text: str
) -> None:
    parsed = parse_formula(formula)
    assert writer("us_en").premise(parsed, cast(setting, "en")) == english_text
    assert writer("de_de").premise(parsed, cast(setting, "de")) == german_text


def _all_pairs(setting: Setting) -> Iterator[Formula]:
    """Yield every premise that joins two or three literals about different facts by "or" or "if"."""
    if setting.family == "ranking":
        facts = [Atom(ABOVE, pair) for pair in permutations(setting.persons, 2)]
    else:
        traits = setting.traits or (TRUTHFUL,)
        facts = [Atom(trait, (person,)) for trait, person in product(traits, setting.persons)]
    literals = [signed(fact, positive) for fact, positive in product(facts, (True, False))]
    for first, second in permutations(literals, 2):
        if _are_alike(first, second):
            continue
        yield Implies(first, second)
        yield Not(Iff(first, second))
        if isinstance(first, Not) and not isinstance(second, Not):
            continue
        yield Or((first, second))
        for condition in literals:
            if not (_are_alike(condition, first) or _are_alike(condition, second)):
                yield Implies(condition, Or((first, second)))


def _are_alike(first: Formula, second: Formula) -> bool:
    """Whether two literals are about the same fact."""
    (first_atom,), (second_atom,) = atoms(first), atoms(second)
    persons = {*first_atom.terms} == {*second_atom.terms}
    return first_atom.predicate == second_atom.predicate and persons


@pytest.mark.parametrize(("name", "tag"), [("us_en", "en"), ("de_de", "de")])
@pytest.mark.parametrize("setting", [Setting("testimony", 4), Setting("ranking", 3), Setting("rules", 3, 2)])
def test_no_two_pairs_of_literals_have_the_same_text(name: str, tag: str, setting: Setting) -> None:
    pairs = [*_all_pairs(setting)]
    assert len(pairs) == len({*pairs}) > 100
    item = cast(setting, tag)
    assert len({writer(name).premise(pair, item) for pair in pairs}) == len(pairs)
