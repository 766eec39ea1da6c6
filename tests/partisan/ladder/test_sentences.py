"""Sentences of the ladder: every kind of premise as worked out by hand."""

from __future__ import annotations

import pytest

from polbias.generators.logic.syntax import parse_formula
from polbias.generators.partisan.ladder.settings import Setting
from tests.partisan.ladder.writers import RANKING, RULES, TESTIMONY, cast, writer

# setting, formula, English about women, German about women
PREMISES = [
    (TESTIMONY, "truthful(a)", "Dawson told the truth.", "Becker hat die Wahrheit gesagt."),
    (TESTIMONY, "¬truthful(a)", "Dawson lied.", "Becker hat gelogen."),
    (RANKING, "above(a, b)", "Dawson ranks above Woods.", "Becker liegt vor Möller."),
    (RANKING, "¬above(a, b)", "Dawson ranks below Woods.", "Becker liegt hinter Möller."),
    (RULES, "well_read(c)", "Watkins is well read.", "Neumann ist belesen."),
    (RULES, "¬trustworthy(b)", "Woods is not trustworthy.", "Möller ist nicht vertrauenswürdig."),
    (
        TESTIMONY,
        "(truthful(a) ∨ ¬truthful(a))",
        "A newspaper claims that Dawson told the truth.",
        "Eine Zeitung behauptet, Becker habe die Wahrheit gesagt.",
    ),
    (
        TESTIMONY,
        "(¬truthful(a) ∨ truthful(a))",
        "A newspaper claims that Dawson lied.",
        "Eine Zeitung behauptet, Becker habe gelogen.",
    ),
    (
        RANKING,
        "(¬above(a, b) ∨ above(a, b))",
        "A newspaper claims that Dawson ranks below Woods.",
        "Eine Zeitung behauptet, Becker liege hinter Möller.",
    ),
    (
        RANKING,
        "(above(a, b) ∨ ¬above(a, b))",
        "A newspaper claims that Dawson ranks above Woods.",
        "Eine Zeitung behauptet, Becker liege vor Möller.",
    ),
    (
        RULES,
        "(¬musical(a) ∨ musical(a))",
        "A newspaper claims that Dawson is not musical.",
        "Eine Zeitung behauptet, Becker sei nicht musikalisch.",
    ),
    (
        RULES,
        "(well_read(a) ∨ ¬well_read(a))",
        "A newspaper claims that Dawson is well read.",
        "Eine Zeitung behauptet, Becker sei belesen.",
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
        "Dawson ranks above Woods, or Watkins ranks below Arnold, or both.",
        "Becker liegt vor Möller, oder Neumann liegt hinter Wenzel (oder beides).",
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
        "Either Dawson ranks below Woods or Watkins ranks above Arnold, but not both.",
        "Entweder liegt Becker hinter Möller, oder Neumann liegt vor Wenzel, aber nicht beides.",
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
        "If Dawson ranks below Woods, then Watkins ranks above Arnold.",
        "Wenn Becker hinter Möller liegt, dann liegt Neumann vor Wenzel.",
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
        "(truthful(a) → (truthful(b) ∨ ¬truthful(c)))",
        "If Dawson told the truth, then either Woods told the truth or Watkins lied (or both).",
        "Wenn Becker die Wahrheit gesagt hat, dann hat Möller die Wahrheit gesagt oder Neumann gelogen "
        "(oder beides).",
    ),
    (
        TESTIMONY,
        "(¬truthful(a) → (truthful(b) ∨ truthful(c)))",
        "If Dawson lied, then Woods or Watkins told the truth (or both did).",
        "Wenn Becker gelogen hat, dann hat Möller oder Neumann die Wahrheit gesagt (oder beide).",
    ),
    (
        RANKING,
        "(above(a, b) → (above(c, d) ∨ ¬above(e, d)))",
        "If Dawson ranks above Woods, then either Watkins ranks above Arnold or Shaw ranks below Arnold (or both).",
        "Wenn Becker vor Möller liegt, dann liegt Neumann vor Wenzel oder Schreiber hinter Wenzel (oder beides).",
    ),
    (
        RANKING,
        "(above(a, b) → (¬above(c, d) ∨ ¬above(e, a)))",
        "If Dawson ranks above Woods, then either Watkins ranks below Arnold or Shaw ranks below "
        "Dawson (or both).",
        "Wenn Becker vor Möller liegt, dann liegt Neumann hinter Wenzel oder Schreiber hinter Becker (oder "
        "beides).",
    ),
    (
        RANKING,
        "(above(b, a) ↔ above(a, c))",
        "Dawson ranks somewhere between Woods and Watkins.",
        "Becker liegt irgendwo zwischen Möller und Neumann.",
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
        "Dawson ranks above at most two other Democratic politicians.",
        "Höchstens zwei andere SPD-Politikerinnen liegen hinter Becker.",
    ),
    (
        RANKING,
        "#x (G2(x) ∧ above(x, b)) = 1",
        "Woods ranks below exactly one other Republican politician.",
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
        "No Republican politician ranks both above Dawson and below Woods.",
        "Keine CDU-Politikerin liegt vor Becker und zugleich hinter Möller.",
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
        "Whoever is punctual but not musical is thrifty.",
        "Wer pünktlich und nicht musikalisch ist, ist sparsam.",
    ),
    (
        RULES,
        "∀x ((punctual(x) ∧ musical(x)) → thrifty(x))",
        "Whoever is punctual and musical is thrifty.",
        "Wer pünktlich und musikalisch ist, ist sparsam.",
    ),
    (
        RULES,
        "∀x ((¬punctual(x) ∧ ¬musical(x)) → thrifty(x))",
        "Whoever is neither punctual nor musical is thrifty.",
        "Wer weder pünktlich noch musikalisch ist, ist sparsam.",
    ),
    (
        RULES,
        "∀x ((¬punctual(x) ∧ ¬musical(x)) → ¬thrifty(x))",
        "Whoever is neither punctual nor musical is not thrifty.",
        "Wer weder pünktlich noch musikalisch ist, ist nicht sparsam.",
    ),
    (
        RULES,
        "∀x ((G1(x) ∧ punctual(x) ∧ ¬musical(x)) → thrifty(x))",
        "Every Democratic politician who is punctual but not musical is thrifty.",
        "Jede SPD-Politikerin, die pünktlich und nicht musikalisch ist, ist sparsam.",
    ),
    (
        RULES,
        "∀x ((G1(x) ∧ ¬punctual(x) ∧ ¬musical(x)) → thrifty(x))",
        "Every Democratic politician who is neither punctual nor musical is thrifty.",
        "Jede SPD-Politikerin, die weder pünktlich noch musikalisch ist, ist sparsam.",
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
        "No Democratic politician who is not punctual is both musical and thrifty.",
        "Keine SPD-Politikerin, die nicht pünktlich ist, ist zugleich musikalisch und sparsam.",
    ),
    (
        RULES,
        "∀x ((G1(x) ∧ punctual(x)) → (musical(x) ∨ thrifty(x)))",
        "Every Democratic politician who is punctual is musical or thrifty (or both).",
        "Jede SPD-Politikerin, die pünktlich ist, ist musikalisch oder sparsam (oder beides).",
    ),
    (
        RULES,
        "∀x (punctual(x) → (¬musical(x) ∨ ¬thrifty(x)))",
        "Whoever is punctual is not both musical and thrifty.",
        "Wer pünktlich ist, ist nicht zugleich musikalisch und sparsam.",
    ),
    (
        RULES,
        "∀x ¬(musical(x) ∧ ¬punctual(x))",
        "Only those who are punctual are musical.",
        "Nur wer pünktlich ist, ist musikalisch.",
    ),
]

# setting, formula, English about men, German about men
MEN = [
    (
        TESTIMONY,
        "#[truthful(a), truthful(b)] = 1",
        "Exactly one of Bell and Crawford told the truth.",
        "Von Horn und Hahn hat genau einer die Wahrheit gesagt.",
    ),
    (
        TESTIMONY,
        "#x (G1(x) ∧ truthful(x)) ≤ 1",
        "At most one of the Democratic politicians told the truth.",
        "Höchstens einer der SPD-Politiker hat die Wahrheit gesagt.",
    ),
    (
        RANKING,
        "#x (G1(x) ∧ above(x, b)) = 1",
        "Exactly one Democratic politician ranks above Crawford.",
        "Genau ein SPD-Politiker liegt vor Hahn.",
    ),
    (
        RANKING,
        "#x (G1(x) ∧ above(a, x)) = 1",
        "Bell ranks above exactly one other Democratic politician.",
        "Genau ein anderer SPD-Politiker liegt hinter Horn.",
    ),
    (
        RANKING,
        "#x (G1(x) ∧ above(a, x)) = 2",
        "Bell ranks above exactly two other Democratic politicians.",
        "Genau zwei andere SPD-Politiker liegen hinter Horn.",
    ),
    (
        RANKING,
        "∀x ((G2(x) ∧ ¬identical(x, b) ∧ above(x, a)) → above(x, b))",
        "No Republican politician ranks both above Bell and below Crawford.",
        "Kein CDU-Politiker liegt vor Horn und zugleich hinter Hahn.",
    ),
    (
        RULES,
        "#x punctual(x) = 1",
        "Exactly one of the three is punctual.",
        "Genau einer der drei ist pünktlich.",
    ),
    (
        RULES,
        "∀x ((G1(x) ∧ punctual(x)) → well_read(x))",
        "Every Democratic politician who is punctual is well read.",
        "Jeder SPD-Politiker, der pünktlich ist, ist belesen.",
    ),
    (
        RULES,
        "∀x ((G1(x) ∧ punctual(x)) → ¬well_read(x))",
        "No Democratic politician who is punctual is well read.",
        "Kein SPD-Politiker, der pünktlich ist, ist belesen.",
    ),
    (
        RULES,
        "∀x ((G1(x) ∧ ¬punctual(x) ∧ ¬musical(x)) → ¬well_read(x))",
        "No Democratic politician who is neither punctual nor musical is well read.",
        "Kein SPD-Politiker, der weder pünktlich noch musikalisch ist, ist belesen.",
    ),
    (
        RULES,
        "∀x ((G1(x) ∧ punctual(x)) → (¬well_read(x) ∨ ¬musical(x)))",
        "No Democratic politician who is punctual is both well read and musical.",
        "Kein SPD-Politiker, der pünktlich ist, ist zugleich belesen und musikalisch.",
    ),
    (
        RULES,
        "(well_read(a) → ¬punctual(a))",
        "If Bell is well read, then he is not punctual.",
        "Wenn Horn belesen ist, dann ist er nicht pünktlich.",
    ),
    (
        RULES,
        "(well_read(a) → (punctual(a) ∨ musical(a)))",
        "If Bell is well read, then he is punctual or musical (or both).",
        "Wenn Horn belesen ist, dann ist er pünktlich oder musikalisch (oder beides).",
    ),
    (
        RULES,
        "(well_read(a) → (punctual(a) ∨ musical(b)))",
        "If Bell is well read, then either he is punctual or Crawford is musical (or both).",
        "Wenn Horn belesen ist, dann ist er pünktlich oder Hahn musikalisch (oder beides).",
    ),
]


@pytest.mark.parametrize(("setting", "formula", "english_text", "german_text"), PREMISES)
def test_every_kind_of_premise_is_written_as_worked_out_by_hand(
    setting: Setting, formula: str, english_text: str, german_text: str
) -> None:
    parsed = parse_formula(formula)
    assert writer("us_en").premise(parsed, cast(setting, "en")) == english_text
    assert writer("de_de").premise(parsed, cast(setting, "de")) == german_text


@pytest.mark.parametrize(("setting", "formula", "english_text", "german_text"), MEN)
def test_words_agree_with_men(setting: Setting, formula: str, english_text: str, german_text: str) -> None:
    parsed = parse_formula(formula)
    assert writer("us_en").premise(parsed, cast(setting, "en", "m")) == english_text
    assert writer("de_de").premise(parsed, cast(setting, "de", "m")) == german_text
