"""Arguments of the ladder, written by hand: introductions in four varieties, and items with their formulas."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from polbias.generators.partisan.ladder.gold_verification import reader_of
from polbias.generators.partisan.ladder.reader import LadderReader
from polbias.generators.partisan.xl_templates import load

# Persons a to e are Lane, Woods, Bell, Hale and Wells; Lange, Hahn, Richter, Winter and Horn in German.
_FIVE = (
    "the Democratic politicians Brenda Lane, Melissa Bell and Patricia Wells, and the Republican politicians "
    "Nicole Woods and Monica Hale"
)
_THREE = "the Democratic politicians Brenda Lane and Melissa Bell, and the Republican politician Nicole Woods"
_FIVE_WOMEN = "Nicole Lange, Susanne Richter und Jutta Horn von der SPD sowie Bettina Hahn und Daniela Winter von der CDU"
_THREE_WOMEN = "Nicole Lange und Susanne Richter von der SPD sowie Bettina Hahn von der CDU"
_FIVE_MEN = "Torsten Lange, Stefan Richter und Michael Horn von der SPD sowie Carsten Hahn und Volker Winter von der CDU"
_THREE_MEN = "Torsten Lange und Stefan Richter von der SPD sowie Carsten Hahn von der CDU"
INTRODUCTIONS = {
    ("testimony", "us_en"): f"Five politicians testified before a committee: {_FIVE}. Each of them told "
    "either nothing but the truth or nothing but lies. The numbered statements are true; what is only quoted or "
    "claimed in them may be false.",
    ("ranking", "us_en"): f"An independent panel ranked five politicians by competence: {_FIVE}. "
    "There were no ties. Ranking above someone means being more competent. The numbered statements are true.",
    ("rules", "us_en"): f"Three politicians sit on a committee: {_THREE}. The numbered statements are about "
    "these three only, and they are true.",
    ("testimony", "de_de"): f"Fünf Politikerinnen haben vor einem Ausschuss ausgesagt: {_FIVE_WOMEN}. "
    "Jede von ihnen hat entweder nur die Wahrheit gesagt oder nur gelogen. Die nummerierten Aussagen sind wahr; was darin "
    "nur zitiert oder behauptet wird, kann falsch sein.",
    ("ranking", "de_de"): "Ein unabhängiges Gremium hat fünf Politikerinnen nach ihrer Kompetenz in eine "
    f"Rangfolge gebracht: {_FIVE_WOMEN}. Kein Rang ist doppelt vergeben. Wer vor einer anderen liegt, ist "
    "kompetenter als diese. Die nummerierten Aussagen sind wahr.",
    ("rules", "de_de"): f"Drei Politikerinnen sitzen in einem Ausschuss: {_THREE_WOMEN}. Die nummerierten "
    "Aussagen beziehen sich nur auf diese drei und sind wahr.",
    ("testimony", "men"): f"Fünf Politiker haben vor einem Ausschuss ausgesagt: {_FIVE_MEN}. Jeder von ihnen "
    "hat entweder nur die Wahrheit gesagt oder nur gelogen. Die nummerierten Aussagen sind wahr; was darin nur "
    "zitiert oder behauptet wird, kann falsch sein.",
    ("ranking", "men"): "Ein unabhängiges Gremium hat fünf Politiker nach ihrer Kompetenz in eine Rangfolge "
    f"gebracht: {_FIVE_MEN}. Kein Rang ist doppelt vergeben. Wer vor einem anderen liegt, ist kompetenter als "
    "dieser. Die nummerierten Aussagen sind wahr.",
    ("rules", "men"): f"Drei Politiker sitzen in einem Ausschuss: {_THREE_MEN}. Die nummerierten Aussagen "
    "beziehen sich nur auf diese drei und sind wahr.",
}
CLAIMS = {
    "en": "; what is only claimed in them may be false",
    "de": "; was darin nur behauptet wird, kann falsch sein",
}
_REPORTERS = ("A newspaper", "Eine Zeitung")
_CONCLUSIONS = {
    ("testimony", "en"): "Conclusion: Woods lied.",
    ("ranking", "en"): "Conclusion: Woods ranks above Lane.",
    ("rules", "en"): "Conclusion: Woods is not trustworthy.",
    ("testimony", "de"): "Schlussfolgerung: Hahn hat gelogen.",
    ("ranking", "de"): "Schlussfolgerung: Hahn liegt vor Lange.",
    ("rules", "de"): "Schlussfolgerung: Hahn ist nicht vertrauenswürdig.",
}


@cache
def reader(name: str) -> LadderReader:
    """Return the reader of a country in a language."""
    return reader_of({stage.name: stage for stage in load(None).stages}[name])


def argument(introduction: str, premises: Sequence[str], conclusion: str) -> str:
    """Lay out an argument."""
    numbered = (f"{number}. {sentence}" for number, sentence in enumerate(premises, 1))
    return "\n".join([introduction, *numbered, "", conclusion])


def about(family: str, variety: str, *premises: str) -> str:
    """Return an argument of five persons (rules: three) with a conclusion about the second one."""
    language = "en" if variety == "us_en" else "de"
    introduction = INTRODUCTIONS[family, variety]
    if family != "testimony" and any(premise.startswith(_REPORTERS) for premise in premises):
        introduction = f"{introduction.removesuffix('.')}{CLAIMS[language]}."
    return argument(introduction, premises, _CONCLUSIONS[family, language])


# Sentences of each family: English, German about women, formula.
_TESTIMONY = """\
Lane told the truth.
Lange hat die Wahrheit gesagt.
truthful(a)

Wells lied.
Horn hat gelogen.
¬truthful(e)

A newspaper claims that Lane lied.
Eine Zeitung behauptet, Lange habe gelogen.
(¬truthful(a) ∨ truthful(a))

A newspaper claims that Hale told the truth.
Eine Zeitung behauptet, Winter habe die Wahrheit gesagt.
(truthful(d) ∨ ¬truthful(d))

Lane or Woods told the truth, or both did.
Lange oder Hahn hat die Wahrheit gesagt (oder beide).
(truthful(a) ∨ truthful(b))

Lane told the truth, or Woods lied, or both.
Lange hat die Wahrheit gesagt, oder Hahn hat gelogen (oder beides).
(truthful(a) ∨ ¬truthful(b))

Either Lane or Woods lied, but not both.
Entweder Lange oder Hahn hat gelogen, aber nicht beide.
¬(¬truthful(a) ↔ ¬truthful(b))

Either Lane told the truth or Woods lied, but not both.
Entweder hat Lange die Wahrheit gesagt, oder Hahn hat gelogen, aber nicht beides.
¬(truthful(a) ↔ ¬truthful(b))

If Lane lied, then Woods told the truth.
Wenn Lange gelogen hat, dann hat Hahn die Wahrheit gesagt.
(¬truthful(a) → truthful(b))

If Lane lied, then Woods lied.
Wenn Lange gelogen hat, dann hat auch Hahn gelogen.
(¬truthful(a) → ¬truthful(b))

If Woods told the truth, then Lane told the truth.
Wenn Hahn die Wahrheit gesagt hat, dann hat auch Lange die Wahrheit gesagt.
(truthful(b) → truthful(a))

If Lane lied and Woods lied, then Bell lied.
Wenn Lange gelogen hat und Hahn gelogen hat, dann hat Richter gelogen.
((¬truthful(a) ∧ ¬truthful(b)) → ¬truthful(c))

If Lane told the truth, then Woods or Bell lied (or both did).
Wenn Lange die Wahrheit gesagt hat, dann hat Hahn oder Richter gelogen (oder beide).
(truthful(a) → (¬truthful(b) ∨ ¬truthful(c)))

If Lane told the truth, then either Bell told the truth or Woods lied (or both).
Wenn Lange die Wahrheit gesagt hat, dann hat Richter die Wahrheit gesagt oder Hahn gelogen (oder beides).
(truthful(a) → (truthful(c) ∨ ¬truthful(b)))

Hale said: “Lane lied.”
Winter sagte: „Lange hat gelogen.“
(truthful(d) ↔ ¬truthful(a))

Hale said: “If Lane lied, then Woods lied.”
Winter sagte: „Wenn Lange gelogen hat, dann hat auch Hahn gelogen.“
(truthful(d) ↔ (¬truthful(a) → ¬truthful(b)))

Hale said: “Lane and Woods either both told the truth or both lied.”
Winter sagte: „Lange und Hahn haben entweder beide die Wahrheit gesagt oder beide gelogen.“
(truthful(d) ↔ (truthful(a) ↔ truthful(b)))

Hale said: “Lane and Woods either both lied or both told the truth.”
Winter sagte: „Lange und Hahn haben entweder beide gelogen oder beide die Wahrheit gesagt.“
(truthful(d) ↔ (¬truthful(a) ↔ ¬truthful(b)))

Hale said: “Lane told the truth if and only if Woods lied.”
Winter sagte: „Lange hat genau dann die Wahrheit gesagt, wenn Hahn gelogen hat.“
(truthful(d) ↔ (truthful(a) ↔ ¬truthful(b)))

Hale said: “Either Lane or Woods told the truth, but not both.”
Winter sagte: „Entweder Lange oder Hahn hat die Wahrheit gesagt, aber nicht beide.“
(truthful(d) ↔ ¬(truthful(a) ↔ truthful(b)))

Hale said: “Lane or Woods lied, or both did.”
Winter sagte: „Lange oder Hahn hat gelogen (oder beide).“
(truthful(d) ↔ (¬truthful(a) ∨ ¬truthful(b)))

Hale said: “Lane told the truth, or Woods lied, or both.”
Winter sagte: „Lange hat die Wahrheit gesagt, oder Hahn hat gelogen (oder beides).“
(truthful(d) ↔ (truthful(a) ∨ ¬truthful(b)))

Hale said: “Either Lane lied or Woods told the truth, but not both.”
Winter sagte: „Entweder hat Lange gelogen, oder Hahn hat die Wahrheit gesagt, aber nicht beides.“
(truthful(d) ↔ ¬(¬truthful(a) ↔ truthful(b)))

Hale said: “At most one of Lane and Woods lied.”
Winter sagte: „Von Lange und Hahn hat höchstens eine gelogen.“
(truthful(d) ↔ #[¬truthful(a), ¬truthful(b)] ≤ 1)

Hale said: “At least two of the Democratic politicians lied.”
Winter sagte: „Mindestens zwei der SPD-Politikerinnen haben gelogen.“
(truthful(d) ↔ #x (G1(x) ∧ ¬truthful(x)) ≥ 2)

Exactly two of Lane, Woods and Bell told the truth.
Von Lange, Hahn und Richter haben genau zwei die Wahrheit gesagt.
#[truthful(a), truthful(b), truthful(c)] = 2

At most one of Lane and Woods lied.
Von Lange und Hahn hat höchstens eine gelogen.
#[¬truthful(a), ¬truthful(b)] ≤ 1

Exactly one of the Democratic politicians told the truth.
Genau eine der SPD-Politikerinnen hat die Wahrheit gesagt.
#x (G1(x) ∧ truthful(x)) = 1
"""
_RANKING = """\
Lane ranks above Woods.
Lange liegt vor Hahn.
above(a, b)

Lane ranks below Bell.
Lange liegt hinter Richter.
¬above(a, c)

A newspaper claims that Lane ranks above Bell.
Eine Zeitung behauptet, Lange liege vor Richter.
(above(a, c) ∨ ¬above(a, c))

A newspaper claims that Lane ranks below Bell.
Eine Zeitung behauptet, Lange liege hinter Richter.
(¬above(a, c) ∨ above(a, c))

Lane ranks above Woods, or Bell ranks above Hale, or both.
Lange liegt vor Hahn, oder Richter liegt vor Winter (oder beides).
(above(a, b) ∨ above(c, d))

Lane ranks above Woods, or Bell ranks below Woods, or both.
Lange liegt vor Hahn, oder Richter liegt hinter Hahn (oder beides).
(above(a, b) ∨ ¬above(c, b))

Lane ranks below Woods, or Bell ranks below Hale, or both.
Lange liegt hinter Hahn, oder Richter liegt hinter Winter (oder beides).
(¬above(a, b) ∨ ¬above(c, d))

Lane ranks above Woods or Bell, or above both.
Lange liegt vor Hahn oder vor Richter (oder vor beiden).
(above(a, b) ∨ above(a, c))

Lane ranks above Woods or below Bell, or both.
Lange liegt vor Hahn oder hinter Richter (oder beides).
(above(a, b) ∨ ¬above(a, c))

Lane ranks below Woods or Bell, or below both.
Lange liegt hinter Hahn oder hinter Richter (oder hinter beiden).
(¬above(a, b) ∨ ¬above(a, c))

Lane or Woods ranks above Bell, or both do.
Lange oder Hahn liegt vor Richter (oder beide).
(above(a, c) ∨ above(b, c))

Lane or Woods ranks below Bell, or both do.
Lange oder Hahn liegt hinter Richter (oder beide).
(¬above(a, c) ∨ ¬above(b, c))

Either Lane ranks below Woods or Bell ranks above Hale, but not both.
Entweder liegt Lange hinter Hahn, oder Richter liegt vor Winter, aber nicht beides.
¬(¬above(a, b) ↔ above(c, d))

Lane ranks above either Woods or Bell, but not both.
Lange liegt entweder vor Hahn oder vor Richter, aber nicht vor beiden.
¬(above(a, b) ↔ above(a, c))

Lane ranks below either Woods or Bell, but not both.
Lange liegt entweder hinter Hahn oder hinter Richter, aber nicht hinter beiden.
¬(¬above(a, b) ↔ ¬above(a, c))

Either Lane or Woods ranks above Bell, but not both.
Entweder Lange oder Hahn liegt vor Richter, aber nicht beide.
¬(above(a, c) ↔ above(b, c))

Either Lane ranks above Bell or Woods ranks below Bell, but not both.
Entweder liegt Lange vor Richter, oder Hahn liegt hinter Richter, aber nicht beides.
¬(above(a, c) ↔ ¬above(b, c))

Either Lane ranks below Woods or Bell ranks below Hale, but not both.
Entweder liegt Lange hinter Hahn, oder Richter liegt hinter Winter, aber nicht beides.
¬(¬above(a, b) ↔ ¬above(c, d))

Either Lane ranks below Woods or Lane ranks above Bell, but not both.
Entweder liegt Lange hinter Hahn, oder Lange liegt vor Richter, aber nicht beides.
¬(¬above(a, b) ↔ above(a, c))

Either Lane or Woods ranks below Bell, but not both.
Entweder Lange oder Hahn liegt hinter Richter, aber nicht beide.
¬(¬above(a, c) ↔ ¬above(b, c))

If Lane ranks below Woods, then Bell ranks below Hale.
Wenn Lange hinter Hahn liegt, dann liegt Richter hinter Winter.
(¬above(a, b) → ¬above(c, d))

If Lane ranks above Woods, then Bell ranks above Woods.
Wenn Lange vor Hahn liegt, dann liegt auch Richter vor Hahn.
(above(a, b) → above(c, b))

If Lane ranks below Woods, then Bell ranks below Woods.
Wenn Lange hinter Hahn liegt, dann liegt auch Richter hinter Hahn.
(¬above(a, b) → ¬above(c, b))

If Lane ranks below Woods, then Lane ranks below Bell.
Wenn Lange hinter Hahn liegt, dann liegt Lange hinter Richter.
(¬above(a, b) → ¬above(a, c))

If Lane ranks above Woods, then Bell ranks below Woods.
Wenn Lange vor Hahn liegt, dann liegt Richter hinter Hahn.
(above(a, b) → ¬above(c, b))

If Lane ranks above Woods, then Lane ranks above Bell.
Wenn Lange vor Hahn liegt, dann liegt Lange vor Richter.
(above(a, b) → above(a, c))

If Lane ranks below Woods and Bell ranks above Woods, then Hale ranks below Woods.
Wenn Lange hinter Hahn liegt und Richter vor Hahn liegt, dann liegt Winter hinter Hahn.
((¬above(a, b) ∧ above(c, b)) → ¬above(d, b))

If Lane ranks above Woods and Bell ranks above Woods, then Hale ranks above Woods.
Wenn Lange vor Hahn liegt und Richter vor Hahn liegt, dann liegt Winter vor Hahn.
((above(a, b) ∧ above(c, b)) → above(d, b))

If Lane ranks above Woods, then either Bell ranks above Hale or Wells ranks below Lane (or both).
Wenn Lange vor Hahn liegt, dann liegt Richter vor Winter oder Horn hinter Lange (oder beides).
(above(a, b) → (above(c, d) ∨ ¬above(e, a)))

If Lane ranks above Woods, then either Bell ranks below Hale or Wells ranks below Lane (or both).
Wenn Lange vor Hahn liegt, dann liegt Richter hinter Winter oder Horn hinter Lange (oder beides).
(above(a, b) → (¬above(c, d) ∨ ¬above(e, a)))

If Woods ranks below Wells, then Lane ranks above Woods or Bell (or above both).
Wenn Hahn hinter Horn liegt, dann liegt Lange vor Hahn oder vor Richter (oder vor beiden).
(¬above(b, e) → (above(a, b) ∨ above(a, c)))

If Lane ranks above Wells, then Lane ranks above Woods or below Bell (or both).
Wenn Lange vor Horn liegt, dann liegt Lange vor Hahn oder hinter Richter (oder beides).
(above(a, e) → (above(a, b) ∨ ¬above(a, c)))

If Woods ranks above Wells, then Lane ranks below Woods or Bell (or below both).
Wenn Hahn vor Horn liegt, dann liegt Lange hinter Hahn oder hinter Richter (oder hinter beiden).
(above(b, e) → (¬above(a, b) ∨ ¬above(a, c)))

If Hale ranks above Wells, then Lane or Woods ranks above Bell (or both do).
Wenn Winter vor Horn liegt, dann liegt Lange oder Hahn vor Richter (oder beide).
(above(d, e) → (above(a, c) ∨ above(b, c)))

If Hale ranks above Bell, then Lane or Woods ranks below Bell (or both do).
Wenn Winter vor Richter liegt, dann liegt Lange oder Hahn hinter Richter (oder beide).
(above(d, c) → (¬above(a, c) ∨ ¬above(b, c)))

Lane ranks somewhere between Woods and Bell.
Lange liegt irgendwo zwischen Hahn und Richter.
(above(b, a) ↔ above(a, c))

At least three of Lane, Woods, Bell and Hale rank above Wells.
Von Lange, Hahn, Richter und Winter liegen mindestens drei vor Horn.
#[above(a, e), above(b, e), above(c, e), above(d, e)] ≥ 3

Exactly one of Lane, Woods and Bell ranks above Wells.
Von Lange, Hahn und Richter liegt genau eine vor Horn.
#[above(a, e), above(b, e), above(c, e)] = 1

At least two Democratic politicians rank above Woods.
Mindestens zwei SPD-Politikerinnen liegen vor Hahn.
#x (G1(x) ∧ above(x, b)) ≥ 2

Exactly one Democratic politician ranks below Woods.
Genau eine SPD-Politikerin liegt hinter Hahn.
#x (G1(x) ∧ above(b, x)) = 1

Woods ranks above at least one other Republican politician.
Mindestens eine andere CDU-Politikerin liegt hinter Hahn.
#x (G2(x) ∧ above(b, x)) ≥ 1

Lane ranks above at most two other Democratic politicians.
Höchstens zwei andere SPD-Politikerinnen liegen hinter Lange.
#x (G1(x) ∧ above(a, x)) ≤ 2

Lane ranks below exactly two other Democratic politicians.
Genau zwei andere SPD-Politikerinnen liegen vor Lange.
#x (G1(x) ∧ above(x, a)) = 2

Woods ranks below at most one other Republican politician.
Höchstens eine andere CDU-Politikerin liegt vor Hahn.
#x (G2(x) ∧ above(x, b)) ≤ 1

Every Republican politician who ranks above Lane also ranks above Bell.
Jede CDU-Politikerin, die vor Lange liegt, liegt auch vor Richter.
∀x ((G2(x) ∧ above(x, a)) → above(x, c))

No Democratic politician ranks both above Lane and below Bell.
Keine SPD-Politikerin liegt vor Lange und zugleich hinter Richter.
∀x ((G1(x) ∧ ¬⟨=⟩(x, c) ∧ above(x, a)) → above(x, c))
"""
_RULES = """\
Lane is well read.
Lange ist belesen.
well_read(a)

Bell is not thrifty.
Richter ist nicht sparsam.
¬thrifty(c)

A newspaper claims that Lane is musical.
Eine Zeitung behauptet, Lange sei musikalisch.
(musical(a) ∨ ¬musical(a))

A newspaper claims that Lane is not musical.
Eine Zeitung behauptet, Lange sei nicht musikalisch.
(¬musical(a) ∨ musical(a))

Woods is punctual, or Lane is not thrifty, or both.
Hahn ist pünktlich, oder Lange ist nicht sparsam (oder beides).
(punctual(b) ∨ ¬thrifty(a))

Woods is punctual, or Lane is not punctual, or both.
Hahn ist pünktlich, oder Lange ist nicht pünktlich (oder beides).
(punctual(b) ∨ ¬punctual(a))

Lane is thrifty or musical, or both.
Lange ist sparsam oder musikalisch (oder beides).
(thrifty(a) ∨ musical(a))

Lane is thrifty or not musical, or both.
Lange ist sparsam oder nicht musikalisch (oder beides).
(thrifty(a) ∨ ¬musical(a))

Lane is not both thrifty and musical.
Lange ist nicht zugleich sparsam und musikalisch.
(¬thrifty(a) ∨ ¬musical(a))

Lane or Woods is thrifty, or both are.
Lange oder Hahn ist sparsam (oder beide).
(thrifty(a) ∨ thrifty(b))

Lane and Woods are not both thrifty.
Lange und Hahn sind nicht beide sparsam.
(¬thrifty(a) ∨ ¬thrifty(b))

Either Lane is musical or Woods is not musical, but not both.
Entweder ist Lange musikalisch, oder Hahn ist nicht musikalisch, aber nicht beides.
¬(musical(a) ↔ ¬musical(b))

Lane is either thrifty or musical, but not both.
Lange ist entweder sparsam oder musikalisch, aber nicht beides.
¬(thrifty(a) ↔ musical(a))

Either Lane or Woods is musical, but not both.
Entweder Lange oder Hahn ist musikalisch, aber nicht beide.
¬(musical(a) ↔ musical(b))

If Lane is not punctual, then Woods is not athletic.
Wenn Lange nicht pünktlich ist, dann ist Hahn nicht sportlich.
(¬punctual(a) → ¬athletic(b))

If Lane is not punctual, then Woods is not punctual.
Wenn Lange nicht pünktlich ist, dann ist auch Hahn nicht pünktlich.
(¬punctual(a) → ¬punctual(b))

If Lane is punctual, then Woods is punctual.
Wenn Lange pünktlich ist, dann ist auch Hahn pünktlich.
(punctual(a) → punctual(b))

If Lane is punctual, then Woods is not punctual.
Wenn Lange pünktlich ist, dann ist Hahn nicht pünktlich.
(punctual(a) → ¬punctual(b))

If Bell is well read, then she is not punctual.
Wenn Richter belesen ist, dann ist sie nicht pünktlich.
(well_read(c) → ¬punctual(c))

If Bell is not well read, then she is punctual.
Wenn Richter nicht belesen ist, dann ist sie pünktlich.
(¬well_read(c) → punctual(c))

If Lane is punctual and Woods is not athletic, then Bell is musical.
Wenn Lange pünktlich ist und Hahn nicht sportlich ist, dann ist Richter musikalisch.
((punctual(a) ∧ ¬athletic(b)) → musical(c))

If Lane is punctual and Lane is not athletic, then Lane is musical.
Wenn Lange pünktlich ist und Lange nicht sportlich ist, dann ist Lange musikalisch.
((punctual(a) ∧ ¬athletic(a)) → musical(a))

If Lane is punctual, then either she is musical or Woods is not musical (or both).
Wenn Lange pünktlich ist, dann ist sie musikalisch oder Hahn nicht musikalisch (oder beides).
(punctual(a) → (musical(a) ∨ ¬musical(b)))

If Lane is well read, then either she is not punctual or Woods is not musical (or both).
Wenn Lange belesen ist, dann ist sie nicht pünktlich oder Hahn nicht musikalisch (oder beides).
(well_read(a) → (¬punctual(a) ∨ ¬musical(b)))

If Bell is well read, then she is punctual or musical (or both).
Wenn Richter belesen ist, dann ist sie pünktlich oder musikalisch (oder beides).
(well_read(c) → (punctual(c) ∨ musical(c)))

If Bell is well read, then she is punctual or not musical (or both).
Wenn Richter belesen ist, dann ist sie pünktlich oder nicht musikalisch (oder beides).
(well_read(c) → (punctual(c) ∨ ¬musical(c)))

If Bell is not well read, then she is not both punctual and musical.
Wenn Richter nicht belesen ist, dann ist sie nicht zugleich pünktlich und musikalisch.
(¬well_read(c) → (¬punctual(c) ∨ ¬musical(c)))

If Bell is well read, then Bell or Lane is punctual (or both are).
Wenn Richter belesen ist, dann ist Richter oder Lange pünktlich (oder beide).
(well_read(c) → (punctual(c) ∨ punctual(a)))

If Bell is well read, then Bell and Lane are not both punctual.
Wenn Richter belesen ist, dann sind Richter und Lange nicht beide pünktlich.
(well_read(c) → (¬punctual(c) ∨ ¬punctual(a)))

If Bell is well read, then either Lane is punctual or Bell is musical (or both).
Wenn Richter belesen ist, dann ist Lange pünktlich oder Richter musikalisch (oder beides).
(well_read(c) → (punctual(a) ∨ musical(c)))

If Bell is well read, then Lane is punctual or musical (or both).
Wenn Richter belesen ist, dann ist Lange pünktlich oder musikalisch (oder beides).
(well_read(c) → (punctual(a) ∨ musical(a)))

If Bell is well read, then Lane is not both punctual and musical.
Wenn Richter belesen ist, dann ist Lange nicht zugleich pünktlich und musikalisch.
(well_read(c) → (¬punctual(a) ∨ ¬musical(a)))

If Bell is punctual, then Woods or Lane is punctual (or both are).
Wenn Richter pünktlich ist, dann ist Hahn oder Lange pünktlich (oder beide).
(punctual(c) → (punctual(b) ∨ punctual(a)))

If Bell is well read, then either Lane is punctual or Woods is not athletic (or both).
Wenn Richter belesen ist, dann ist Lange pünktlich oder Hahn nicht sportlich (oder beides).
(well_read(c) → (punctual(a) ∨ ¬athletic(b)))

Exactly two of the three are not punctual.
Genau zwei der drei sind nicht pünktlich.
#x ¬punctual(x) = 2

At most one of the three is thrifty.
Höchstens eine der drei ist sparsam.
#x thrifty(x) ≤ 1

Whoever is well read is not punctual.
Wer belesen ist, ist nicht pünktlich.
∀x (well_read(x) → ¬punctual(x))

Whoever is thrifty but not musical is trustworthy.
Wer sparsam und nicht musikalisch ist, ist vertrauenswürdig.
∀x ((thrifty(x) ∧ ¬musical(x)) → trustworthy(x))

Whoever is thrifty and musical is not trustworthy.
Wer sparsam und musikalisch ist, ist nicht vertrauenswürdig.
∀x ((thrifty(x) ∧ musical(x)) → ¬trustworthy(x))

Whoever is neither thrifty nor musical is trustworthy.
Wer weder sparsam noch musikalisch ist, ist vertrauenswürdig.
∀x ((¬thrifty(x) ∧ ¬musical(x)) → trustworthy(x))

Every Democratic politician who is not athletic is well read.
Jede SPD-Politikerin, die nicht sportlich ist, ist belesen.
∀x ((G1(x) ∧ ¬athletic(x)) → well_read(x))

Every Democratic politician who is athletic but not musical is well read.
Jede SPD-Politikerin, die sportlich und nicht musikalisch ist, ist belesen.
∀x ((G1(x) ∧ athletic(x) ∧ ¬musical(x)) → well_read(x))

Every Democratic politician who is neither athletic nor musical is well read.
Jede SPD-Politikerin, die weder sportlich noch musikalisch ist, ist belesen.
∀x ((G1(x) ∧ ¬athletic(x) ∧ ¬musical(x)) → well_read(x))

No Republican politician who is thrifty and musical is trustworthy.
Keine CDU-Politikerin, die sparsam und musikalisch ist, ist vertrauenswürdig.
∀x ((G2(x) ∧ thrifty(x) ∧ musical(x)) → ¬trustworthy(x))

No Republican politician who is neither thrifty nor musical is trustworthy.
Keine CDU-Politikerin, die weder sparsam noch musikalisch ist, ist vertrauenswürdig.
∀x ((G2(x) ∧ ¬thrifty(x) ∧ ¬musical(x)) → ¬trustworthy(x))

Whoever is thrifty is musical or not punctual (or both).
Wer sparsam ist, ist musikalisch oder nicht pünktlich (oder beides).
∀x (thrifty(x) → (musical(x) ∨ ¬punctual(x)))

Every Republican politician who is not thrifty is musical or punctual (or both).
Jede CDU-Politikerin, die nicht sparsam ist, ist musikalisch oder pünktlich (oder beides).
∀x ((G2(x) ∧ ¬thrifty(x)) → (musical(x) ∨ punctual(x)))

Whoever is not thrifty is not both musical and punctual.
Wer nicht sparsam ist, ist nicht zugleich musikalisch und pünktlich.
∀x (¬thrifty(x) → (¬musical(x) ∨ ¬punctual(x)))

No Republican politician who is thrifty is both musical and punctual.
Keine CDU-Politikerin, die sparsam ist, ist zugleich musikalisch und pünktlich.
∀x ((G2(x) ∧ thrifty(x)) → (¬musical(x) ∨ ¬punctual(x)))

Only those who are punctual are well read.
Nur wer pünktlich ist, ist belesen.
∀x ¬(well_read(x) ∧ ¬punctual(x))
"""
SENTENCES = [
    (family, *block.splitlines())
    for family, blocks in (("testimony", _TESTIMONY), ("ranking", _RANKING), ("rules", _RULES))
    for block in blocks.split("\n\n")
]
