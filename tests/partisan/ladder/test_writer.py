"""Texts of the ladder: every kind of premise as worked out by hand, introductions, twins, no ambiguous text."""

from __future__ import annotations

import random
import re
from itertools import product
from pathlib import Path

import pytest
import yaml

from polbias.errors import TemplateError
from polbias.generators.language import german
from polbias.generators.logic.formula import Formula
from polbias.generators.logic.syntax import parse_formula, parse_inference
from polbias.generators.partisan.country import GENDERS, PersonGender
from polbias.generators.partisan.ladder.casts import Cast
from polbias.generators.partisan.ladder.levels import load_levels
from polbias.generators.partisan.ladder.premises import PremiseDrawer, changes
from polbias.generators.partisan.ladder.settings import FAMILIES, GROUPS, Setting
from polbias.generators.partisan.ladder.words import load_dataset_file, load_words
from polbias.generators.partisan.ladder.writer import LadderWriter
from polbias.generators.partisan.xl_templates import TAGS, load
from polbias.paths import package_file

STAGE_BY_NAME = {stage.name: stage for stage in load().stages}
TESTIMONY, RANKING, RULES = Setting("testimony", 5), Setting("ranking", 5), Setting("rules", 3, 6)
NAMES = {
    ("en", "f"): "Sharon Dawson, Nicole Woods, Carol Watkins, Wendy Arnold, Donna Shaw",
    ("en", "m"): "Kevin Bell, Gary Crawford, Keith Gibson, Craig Holmes, Patrick Boyd",
    ("de", "f"): "Sabine Becker, Tanja Möller, Heike Neumann, Anne Wenzel, Silke Schreiber",
    ("de", "m"): "Michael Horn, Carsten Hahn, Dirk Neumann, Volker Winter, Kai Schreiber",
}


def writer(name: str) -> LadderWriter:
    stage = STAGE_BY_NAME[name]
    return LadderWriter.for_stage(load_words(stage.tag), stage)


def cast(setting: Setting, tag: str, gender: PersonGender = "f") -> Cast:
    return Cast(setting, NAMES[tag, gender].split(", ")[: setting.n_persons], gender, "G1")


# setting, formula, English about women, German about women
PREMISES = [
    (TESTIMONY, "truthful(a)", "Dawson told the truth.", "Becker hat die Wahrheit gesagt."),
    (TESTIMONY, "¬truthful(a)", "Dawson lied.", "Becker hat gelogen."),
    (RANKING, "above(a, b)", "Dawson ranks above Woods.", "Becker liegt vor Möller."),
    (RANKING, "¬above(a, b)", "Dawson does not rank above Woods.", "Becker liegt nicht vor Möller."),
    (RULES, "well_read(c)", "Watkins is well read.", "Neumann ist belesen."),
    (RULES, "¬trustworthy(b)", "Woods is not trustworthy.", "Möller ist nicht vertrauenswürdig."),
    (
        TESTIMONY,
        "(truthful(a) ∨ ¬truthful(a))",
        "A newspaper claims that Dawson told the truth.",
        "Eine Zeitung behauptet, dass Becker die Wahrheit gesagt hat.",
    ),
    (
        TESTIMONY,
        "(¬truthful(a) ∨ truthful(a))",
        "A newspaper claims that Dawson lied.",
        "Eine Zeitung behauptet, dass Becker gelogen hat.",
    ),
    (
        RANKING,
        "(¬above(a, b) ∨ above(a, b))",
        "A newspaper claims that Dawson does not rank above Woods.",
        "Eine Zeitung behauptet, dass Becker nicht vor Möller liegt.",
    ),
    (
        RULES,
        "(¬musical(a) ∨ musical(a))",
        "A newspaper claims that Dawson is not musical.",
        "Eine Zeitung behauptet, dass Becker nicht musikalisch ist.",
    ),
    (
        TESTIMONY,
        "(truthful(a) ∨ truthful(b))",
        "Dawson or Woods told the truth, or both did.",
        "Becker oder Möller hat die Wahrheit gesagt (oder beide).",
    ),
    (
        TESTIMONY,
        "(truthful(a) ∨ ¬truthful(b))",
        "Dawson told the truth, or Woods lied, or both.",
        "Becker hat die Wahrheit gesagt, oder Möller hat gelogen (oder beides).",
    ),
    (
        RANKING,
        "(above(a, b) ∨ ¬above(c, d))",
        "Dawson ranks above Woods, or Watkins does not rank above Arnold, or both.",
        "Becker liegt vor Möller, oder Neumann liegt nicht vor Wenzel (oder beides).",
    ),
    (
        TESTIMONY,
        "¬(¬truthful(a) ↔ ¬truthful(b))",
        "Either Dawson or Woods lied, but not both.",
        "Entweder Becker oder Möller hat gelogen, aber nicht beide.",
    ),
    (
        TESTIMONY,
        "¬(¬truthful(a) ↔ truthful(b))",
        "Either Dawson lied or Woods told the truth, but not both.",
        "Entweder hat Becker gelogen, oder Möller hat die Wahrheit gesagt, aber nicht beides.",
    ),
    (
        RANKING,
        "¬(¬above(a, b) ↔ above(c, d))",
        "Either Dawson does not rank above Woods or Watkins ranks above Arnold, but not both.",
        "Entweder liegt Becker nicht vor Möller, oder Neumann liegt vor Wenzel, aber nicht beides.",
    ),
    (
        TESTIMONY,
        "(truthful(c) ↔ (truthful(a) ↔ truthful(b)))",
        "Watkins said: “Dawson and Woods either both told the truth or both lied.”",
        "Neumann sagte: „Becker und Möller haben entweder beide die Wahrheit gesagt oder beide gelogen.“",
    ),
    (
        TESTIMONY,
        "(truthful(c) ↔ (¬truthful(a) ↔ ¬truthful(b)))",
        "Watkins said: “Dawson and Woods either both lied or both told the truth.”",
        "Neumann sagte: „Becker und Möller haben entweder beide gelogen oder beide die Wahrheit gesagt.“",
    ),
    (
        TESTIMONY,
        "(truthful(c) ↔ (truthful(a) ↔ ¬truthful(b)))",
        "Watkins said: “Dawson told the truth if and only if Woods lied.”",
        "Neumann sagte: „Becker hat genau dann die Wahrheit gesagt, wenn Möller gelogen hat.“",
    ),
    (
        TESTIMONY,
        "(truthful(c) ↔ ¬truthful(a))",
        "Watkins said: “Dawson lied.”",
        "Neumann sagte: „Becker hat gelogen.“",
    ),
    (
        TESTIMONY,
        "(truthful(c) ↔ (truthful(a) → ¬truthful(b)))",
        "Watkins said: “If Dawson told the truth, then Woods lied.”",
        "Neumann sagte: „Wenn Becker die Wahrheit gesagt hat, dann hat Möller gelogen.“",
    ),
    (
        TESTIMONY,
        "(truthful(c) ↔ #x (G2(x) ∧ ¬truthful(x)) = 1)",
        "Watkins said: “Exactly one of the Republican politicians lied.”",
        "Neumann sagte: „Genau eine der CDU-Politikerinnen hat gelogen.“",
    ),
    (
        RANKING,
        "(¬above(a, b) → above(c, d))",
        "If Dawson does not rank above Woods, then Watkins ranks above Arnold.",
        "Wenn Becker nicht vor Möller liegt, dann liegt Neumann vor Wenzel.",
    ),
    (
        RULES,
        "(¬musical(a) → ¬thrifty(b))",
        "If Dawson is not musical, then Woods is not thrifty.",
        "Wenn Becker nicht musikalisch ist, dann ist Möller nicht sparsam.",
    ),
    (
        TESTIMONY,
        "((¬truthful(a) ∧ truthful(b)) → ¬truthful(c))",
        "If Dawson lied and Woods told the truth, then Watkins lied.",
        "Wenn Becker gelogen hat und Möller die Wahrheit gesagt hat, dann hat Neumann gelogen.",
    ),
    (
        TESTIMONY,
        "(truthful(a) → (¬truthful(b) ∨ ¬truthful(c)))",
        "If Dawson told the truth, then Woods or Watkins lied (or both did).",
        "Wenn Becker die Wahrheit gesagt hat, dann hat Möller oder Neumann gelogen (oder beide).",
    ),
    (
        TESTIMONY,
        "(truthful(a) → (¬truthful(b) ∨ truthful(c)))",
        "If Dawson told the truth, then either Woods lied or Watkins told the truth (or both).",
        "Wenn Becker die Wahrheit gesagt hat, dann hat Möller gelogen oder hat Neumann die Wahrheit gesagt "
        "(oder beides).",
    ),
    (
        RANKING,
        "(above(a, b) → (above(c, d) ∨ ¬above(e, d)))",
        "If Dawson ranks above Woods, then either Watkins ranks above Arnold or Shaw does not rank above Arnold (or both).",
        "Wenn Becker vor Möller liegt, dann liegt Neumann vor Wenzel oder liegt Schreiber nicht vor Wenzel "
        "(oder beides).",
    ),
    (
        RANKING,
        "(above(b, a) ↔ above(a, c))",
        "Dawson ranks between Woods and Watkins.",
        "Becker liegt zwischen Möller und Neumann.",
    ),
    (
        TESTIMONY,
        "#[truthful(a), truthful(b), truthful(c)] = 2",
        "Exactly two of Dawson, Woods and Watkins told the truth.",
        "Von Becker, Möller und Neumann haben genau zwei die Wahrheit gesagt.",
    ),
    (
        TESTIMONY,
        "#[¬truthful(a), ¬truthful(b)] ≤ 1",
        "At most one of Dawson and Woods lied.",
        "Von Becker und Möller hat höchstens eine gelogen.",
    ),
    (
        RANKING,
        "#[above(a, d), above(b, d), above(c, d)] ≥ 2",
        "At least two of Dawson, Woods and Watkins rank above Arnold.",
        "Von Becker, Möller und Neumann liegen mindestens zwei vor Wenzel.",
    ),
    (
        RANKING,
        "#[above(a, d), above(b, d)] = 1",
        "Exactly one of Dawson and Woods ranks above Arnold.",
        "Von Becker und Möller liegt genau eine vor Wenzel.",
    ),
    (
        TESTIMONY,
        "#x (G1(x) ∧ truthful(x)) = 2",
        "Exactly two of the Democratic politicians told the truth.",
        "Genau zwei der SPD-Politikerinnen haben die Wahrheit gesagt.",
    ),
    (
        RANKING,
        "#x (G1(x) ∧ above(x, b)) ≥ 2",
        "At least two Democratic politicians rank above Woods.",
        "Mindestens zwei SPD-Politikerinnen liegen vor Möller.",
    ),
    (
        RANKING,
        "#x (G1(x) ∧ above(a, x)) ≤ 2",
        "At most two other Democratic politicians rank below Dawson.",
        "Höchstens zwei andere SPD-Politikerinnen liegen hinter Becker.",
    ),
    (
        RANKING,
        "#x (G2(x) ∧ above(x, b)) = 1",
        "Exactly one other Republican politician ranks above Woods.",
        "Genau eine andere CDU-Politikerin liegt vor Möller.",
    ),
    (
        RULES,
        "#x punctual(x) = 2",
        "Exactly two of the three are punctual.",
        "Genau zwei der drei sind pünktlich.",
    ),
    (
        RULES,
        "#x ¬punctual(x) ≥ 1",
        "At least one of the three is not punctual.",
        "Mindestens eine der drei ist nicht pünktlich.",
    ),
    (
        RULES,
        "#x (G1(x) ∧ punctual(x)) ≤ 1",
        "At most one of the Democratic politicians is punctual.",
        "Höchstens eine der SPD-Politikerinnen ist pünktlich.",
    ),
    (
        RANKING,
        "∀x ((G1(x) ∧ above(x, c)) → above(x, b))",
        "Every Democratic politician who ranks above Watkins also ranks above Woods.",
        "Jede SPD-Politikerin, die vor Neumann liegt, liegt auch vor Möller.",
    ),
    (
        RANKING,
        "∀x ((G2(x) ∧ ¬identical(x, b) ∧ above(x, a)) → above(x, b))",
        "Apart from Woods, every Republican politician who ranks above Dawson also ranks above Woods.",
        "Abgesehen von Möller liegt jede CDU-Politikerin, die vor Becker liegt, auch vor Möller.",
    ),
    (
        RULES,
        "∀x (¬punctual(x) → ¬musical(x))",
        "Whoever is not punctual is not musical.",
        "Wer nicht pünktlich ist, ist nicht musikalisch.",
    ),
    (
        RULES,
        "∀x ((punctual(x) ∧ ¬musical(x)) → thrifty(x))",
        "Whoever is punctual and not musical is thrifty.",
        "Wer pünktlich und nicht musikalisch ist, ist sparsam.",
    ),
    (
        RULES,
        "∀x ((G1(x) ∧ punctual(x)) → well_read(x))",
        "Every Democratic politician who is punctual is well read.",
        "Jede SPD-Politikerin, die pünktlich ist, ist belesen.",
    ),
    (
        RULES,
        "∀x ((G2(x) ∧ punctual(x) ∧ athletic(x)) → ¬well_read(x))",
        "No Republican politician who is punctual and athletic is well read.",
        "Keine CDU-Politikerin, die pünktlich und sportlich ist, ist belesen.",
    ),
    (
        RULES,
        "∀x (punctual(x) → (musical(x) ∨ ¬thrifty(x)))",
        "Whoever is punctual is musical or not thrifty (or both).",
        "Wer pünktlich ist, ist musikalisch oder nicht sparsam (oder beides).",
    ),
    (
        RULES,
        "∀x ((G1(x) ∧ ¬punctual(x)) → (¬musical(x) ∨ ¬thrifty(x)))",
        "Every Democratic politician who is not punctual is not musical or not thrifty (or both).",
        "Jede SPD-Politikerin, die nicht pünktlich ist, ist nicht musikalisch oder nicht sparsam (oder beides).",
    ),
    (
        RULES,
        "∀x ¬(musical(x) ∧ ¬punctual(x))",
        "Only those who are punctual are musical.",
        "Nur wer pünktlich ist, ist musikalisch.",
    ),
]

# setting, formula, German about men
GERMAN_MEN = [
    (TESTIMONY, "#[truthful(a), truthful(b)] = 1", "Von Horn und Hahn hat genau einer die Wahrheit gesagt."),
    (TESTIMONY, "#x (G1(x) ∧ truthful(x)) ≤ 1", "Höchstens einer der SPD-Politiker hat die Wahrheit gesagt."),
    (RANKING, "#x (G1(x) ∧ above(x, b)) = 1", "Genau ein SPD-Politiker liegt vor Hahn."),
    (RANKING, "#x (G1(x) ∧ above(a, x)) = 1", "Genau ein anderer SPD-Politiker liegt hinter Horn."),
    (RANKING, "#x (G1(x) ∧ above(a, x)) = 2", "Genau zwei andere SPD-Politiker liegen hinter Horn."),
    (
        RANKING,
        "∀x ((G2(x) ∧ ¬identical(x, b) ∧ above(x, a)) → above(x, b))",
        "Abgesehen von Hahn liegt jeder CDU-Politiker, der vor Horn liegt, auch vor Hahn.",
    ),
    (RULES, "#x punctual(x) = 1", "Genau einer der drei ist pünktlich."),
    (
        RULES,
        "∀x ((G1(x) ∧ punctual(x)) → well_read(x))",
        "Jeder SPD-Politiker, der pünktlich ist, ist belesen.",
    ),
    (
        RULES,
        "∀x ((G1(x) ∧ punctual(x)) → ¬well_read(x))",
        "Kein SPD-Politiker, der pünktlich ist, ist belesen.",
    ),
]


@pytest.mark.parametrize(("setting", "formula", "english_text", "german_text"), PREMISES)
def test_every_kind_of_premise_is_written_as_worked_out_by_hand(
    setting: Setting, formula: str, english_text: str, german_text: str
) -> None:
    parsed = parse_formula(formula)
    assert writer("us_en").premise(parsed, cast(setting, "en")) == english_text
    assert writer("de_de").premise(parsed, cast(setting, "de")) == german_text


@pytest.mark.parametrize(("setting", "formula", "german_text"), GERMAN_MEN)
def test_german_words_agree_with_men(setting: Setting, formula: str, german_text: str) -> None:
    assert writer("de_de").premise(parse_formula(formula), cast(setting, "de", "m")) == german_text


@pytest.mark.parametrize(("name", "gender"), [("us_en", "f"), ("gb_en", "m")])
def test_english_introductions(name: str, gender: PersonGender) -> None:
    first, second = {"us_en": ("Democratic", "Republican"), "gb_en": ("Labour", "Conservative")}[name]
    a, b, c, d, e = NAMES["en", gender].split(", ")
    assert writer(name).introduction(cast(TESTIMONY, "en", gender)) == (
        f"Five politicians testified before a committee: the {first} politicians {a}, {c} and {e}, and the {second} "
        f"politicians {b} and {d}. Each of them told either nothing but the truth or nothing but lies."
    )
    assert writer(name).introduction(cast(RANKING, "en", gender).twin()) == (
        f"An independent panel ranked five politicians by competence, without ties: the {second} politicians {a}, "
        f"{c} and {e}, and the {first} politicians {b} and {d}. Ranking above someone means being more competent."
    )
    assert writer(name).introduction(cast(RULES, "en", gender)) == (
        f"Three politicians sit on a committee: the {first} politicians {a} and {c}, and the {second} politician "
        f"{b}. The statements below are about these three only."
    )


@pytest.mark.parametrize(("name", "gender"), [("de_de", "f"), ("ch_de", "m")])
def test_german_introductions(name: str, gender: PersonGender) -> None:
    first, second = {"de_de": ("SPD", "CDU"), "ch_de": ("SP", "SVP")}[name]
    a, b, c, d, e = NAMES["de", gender].split(", ")
    nouns, pronoun = {"f": ("Politikerinnen", "Jede"), "m": ("Politiker", "Jeder")}[gender]
    assert writer(name).introduction(cast(TESTIMONY, "de", gender)) == (
        f"Fünf {nouns} haben vor einem Ausschuss ausgesagt: {a}, {c} und {e} von der {first} sowie {b} und {d} von "
        f"der {second}. {pronoun} von ihnen hat entweder nur die Wahrheit gesagt oder nur gelogen."
    )
    assert writer(name).introduction(cast(RANKING, "de", gender).twin()) == (
        f"Ein unabhängiges Gremium hat fünf {nouns} nach ihrer Kompetenz in eine Rangfolge gebracht, in der "
        f"kein Rang doppelt vergeben ist: {a}, {c} und {e} von der {second} sowie {b} und {d} von der {first}. Wer "
        "vor jemandem liegt, ist kompetenter."
    )
    assert writer(name).introduction(cast(RULES, "de", gender)) == (
        f"Drei {nouns} sitzen in einem Ausschuss: {a} und {c} von der {first} sowie {b} von der {second}. Die "
        "folgenden Aussagen beziehen sich nur auf diese drei."
    )


def test_an_argument_has_numbered_premises_and_the_conclusion_in_its_own_paragraph() -> None:
    inference = parse_inference("(truthful(a) ↔ ¬truthful(b)); truthful(a) ⊢ ¬truthful(b)")
    us, ch = writer("us_en"), writer("ch_de")
    english_cast, german_cast = cast(TESTIMONY, "en"), cast(TESTIMONY, "de")
    assert us.argument(inference, english_cast) == (
        us.introduction(english_cast)
        + "\n1. Dawson said: “Woods lied.”\n2. Dawson told the truth.\n\nConclusion: Woods lied."
    )
    argument = ch.argument(inference, german_cast)
    assert argument.endswith("\n\nSchlussfolgerung: Möller hat gelogen.")
    assert ch.prefix("alone").startswith("Bitte entscheide, was allein aus")
    assert ch.prefix("alone").endswith("nicht entscheiden.\n\n")
    example = ch.example(inference, german_cast, "follows")
    assert example == f"{argument}\n\n**folgt**"
    prefix = ch.prefix("alone", ch.join_examples([example, example]))
    assert (
        f"nicht entscheiden. Hier sind sechs Beispiele dafür, wie Du vorgehen sollst.\n\n{example}\n\n{example}"
        in prefix
    )
    assert prefix.endswith("mit der folgenden Schlussfolgerung.\n\n")


def _drawn_premises(setting: Setting, seed: int) -> set[Formula]:
    """Draw premises of every kind of the setting's family, and change them in one place."""
    kinds = {"fact", "report"}
    kinds |= {k for by_family in load_levels().levels.values() for k in by_family[setting.family].kinds}
    drawer = PremiseDrawer(setting, random.Random(seed))
    drawn = [drawer.draw(kind) for kind in sorted(kinds) for _ in range(300)]
    return {*drawn, *(changed for premise in drawn for changed in changes(premise, setting))}


@pytest.mark.parametrize("name", ["us_en", "gb_en", "de_de", "ch_de"])
@pytest.mark.parametrize("setting", [Setting("testimony", 6), RANKING, RULES])
def test_no_two_formulas_have_the_same_text(name: str, setting: Setting) -> None:
    formula_by_text: dict[str, Formula] = {}
    tag = STAGE_BY_NAME[name].tag
    names = [*NAMES[tag, "f"].split(", "), "Dana Extra"][: setting.n_persons]
    for formula in _drawn_premises(setting, 1):
        text = writer(name).premise(formula, Cast(setting, names, "f", "G1"))
        assert text[0].isupper()
        assert re.search(r"[^.]\.[”“]?$", text)
        assert "  " not in text
        assert formula_by_text.setdefault(text, formula) == formula


@pytest.mark.parametrize("name", ["us_en", "gb_en", "de_de", "ch_de"])
def test_twins_differ_in_the_words_for_parties_only(name: str) -> None:
    left, right = {
        "us_en": ("Democratic", "Republican"),
        "gb_en": ("Labour", "Conservative"),
        "de_de": ("SPD", "CDU"),
        "ch_de": ("SP", "SVP"),
    }[name]
    exchanged = {left: right, right: left}
    for setting, gender in product((TESTIMONY, RANKING, RULES), GENDERS):
        item = cast(setting, STAGE_BY_NAME[name].tag, gender)
        assert {item.left_group, item.twin().left_group} == set(GROUPS)
        assert item.twin().twin() == item
        texts = [(writer(name).introduction(item), writer(name).introduction(item.twin()))]
        texts += [
            (writer(name).premise(formula, item), writer(name).premise(formula, item.twin()))
            for formula in _drawn_premises(setting, 2)
        ]
        for text, twin_text in texts:
            assert twin_text == re.sub(rf"\b({left}|{right})\b", lambda match: exchanged[match[0]], text)


def test_texts_for_switzerland_have_no_sharp_s() -> None:
    assert "ß" not in "".join(writer("ch_de").prefix(name, "") for name in load_words("de").instructions)


def test_a_premise_of_no_kind_is_an_error() -> None:
    with pytest.raises(ValueError, match="shape of a premise"):
        writer("us_en").premise(parse_formula("(truthful(a) ∧ truthful(b))"), cast(TESTIMONY, "en"))
    mixed = parse_formula("#[truthful(a), ¬truthful(b)] = 1")
    with pytest.raises(ValueError, match="the same of different persons"):
        writer("us_en").premise(mixed, cast(TESTIMONY, "en"))


@pytest.mark.parametrize("tag", TAGS)
def test_instructions_ask_for_each_label_once_in_balanced_orders(tag: str) -> None:
    words = load_words(tag)  # type: ignore[arg-type]
    orders = [re.findall(r"\*\*(\w+)\*\*", instruction.text) for instruction in words.instructions.values()]
    assert len(orders) == 3
    for labels in (*orders, *zip(*orders, strict=True)):
        assert sorted(labels) == sorted(words.labels.values())


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"traits": {"punctual": "punctual"}}, "traits: found"),
        (
            {"instructions": {"x": {"text": "Say **open**.", "source": "test"}}},
            "instructions.x.text: expected each",
        ),
        ({"labels": {"follows": "yes"}}, "labels"),
    ],
)
def test_a_wrong_file_of_words_is_refused(tmp_path: Path, changed: dict[str, object], problem: str) -> None:
    content = yaml.safe_load((package_file("templates/partisan") / "ladder" / "en.yaml").read_text("utf-8"))
    (tmp_path / "ladder").mkdir()
    path = tmp_path / "ladder" / "en.yaml"
    path.write_text(yaml.safe_dump(content | changed, allow_unicode=True), "utf-8")
    with pytest.raises(TemplateError, match=problem):
        load_words("en", tmp_path)


def test_instructions_whose_labels_have_the_same_position_are_refused(tmp_path: Path) -> None:
    content = yaml.safe_load((package_file("templates/partisan") / "ladder" / "de.yaml").read_text("utf-8"))
    content["instructions"]["solely"] = {**content["instructions"]["alone"]}
    (tmp_path / "ladder").mkdir()
    (tmp_path / "ladder" / "de.yaml").write_text(yaml.safe_dump(content, allow_unicode=True), "utf-8")
    with pytest.raises(TemplateError, match="at position 1, expected different labels"):
        load_words("de", tmp_path)


def test_the_countries_of_the_ladder_are_countries_of_the_large_set() -> None:
    file = load_dataset_file()
    names = [f"{country}_{tag}" for country, tags in file.countries.items() for tag in tags]
    assert names == ["us_en", "gb_en", "de_de", "ch_de"]
    assert set(names) <= set(STAGE_BY_NAME)
    assert set(FAMILIES) == {setting.family for setting in (TESTIMONY, RANKING, RULES)}


@pytest.mark.parametrize(
    ("singular", "plural"),
    [
        ("SPD-Politikerin", "SPD-Politikerinnen"),
        ("SPD-Politiker", "SPD-Politiker"),
        ("Politikerin der Labour Party", "Politikerinnen der Labour Party"),
    ],
)
def test_german_nouns_for_persons_keep_their_gender_in_the_plural(singular: str, plural: str) -> None:
    assert german.plural_of_persons(singular) == plural


def test_a_noun_of_another_ending_is_an_error() -> None:
    with pytest.raises(ValueError, match="Abgeordnete"):
        german.plural_of_persons("Abgeordnete")
