"""Arguments of the ladder, written by hand: introductions in four varieties, and items with their formulas."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from polbias.generators.partisan.ladder.gold_verification import reader_of
from polbias.generators.partisan.ladder.reader import LadderReader
from polbias.generators.partisan.xl_templates import load

# Persons a to e are Lane, Woods, Bell, Hale and Wells; Lange, Hahn, Richter, Winter and Horn in German.
INTRODUCTIONS = {
    (
        "testimony",
        "us_en",
    ): "Five politicians testified before a committee: the Democratic politicians Brenda Lane, "
    "Melissa Bell and Patricia Wells, and the Republican politicians Nicole Woods and Monica Hale. Each of them "
    "told either nothing but the truth or nothing but lies.",
    (
        "ranking",
        "us_en",
    ): "An independent panel ranked five politicians by competence, without ties: the Democratic "
    "politicians Brenda Lane, Melissa Bell and Patricia Wells, and the Republican politicians Nicole Woods and Monica "
    "Hale. Ranking above someone means being more competent.",
    (
        "rules",
        "us_en",
    ): "Three politicians sit on a committee: the Democratic politicians Brenda Lane and Melissa "
    "Bell, and the Republican politician Nicole Woods. The statements below are about these three only.",
    (
        "testimony",
        "de_de",
    ): "Fünf Politikerinnen haben vor einem Ausschuss ausgesagt: Nicole Lange, Susanne Richter "
    "und Jutta Horn von der SPD sowie Bettina Hahn und Daniela Winter von der CDU. Jede von ihnen hat entweder nur "
    "die Wahrheit gesagt oder nur gelogen.",
    (
        "ranking",
        "de_de",
    ): "Ein unabhängiges Gremium hat fünf Politikerinnen nach ihrer Kompetenz in eine Rangfolge "
    "gebracht, in der kein Rang doppelt vergeben ist: Nicole Lange, Susanne Richter und Jutta Horn von der SPD sowie "
    "Bettina Hahn und Daniela Winter von der CDU. Wer vor jemandem liegt, ist kompetenter.",
    (
        "rules",
        "de_de",
    ): "Drei Politikerinnen sitzen in einem Ausschuss: Nicole Lange und Susanne Richter von der SPD "
    "sowie Bettina Hahn von der CDU. Die folgenden Aussagen beziehen sich nur auf diese drei.",
    (
        "testimony",
        "men",
    ): "Fünf Politiker haben vor einem Ausschuss ausgesagt: Torsten Lange, Stefan Richter und "
    "Michael Horn von der SPD sowie Carsten Hahn und Volker Winter von der CDU. Jeder von ihnen hat entweder nur die "
    "Wahrheit gesagt oder nur gelogen.",
    (
        "ranking",
        "men",
    ): "Ein unabhängiges Gremium hat fünf Politiker nach ihrer Kompetenz in eine Rangfolge "
    "gebracht, in der kein Rang doppelt vergeben ist: Torsten Lange, Stefan Richter und Michael Horn von der SPD sowie "
    "Carsten Hahn und Volker Winter von der CDU. Wer vor jemandem liegt, ist kompetenter.",
    (
        "rules",
        "men",
    ): "Drei Politiker sitzen in einem Ausschuss: Torsten Lange und Stefan Richter von der SPD sowie "
    "Carsten Hahn von der CDU. Die folgenden Aussagen beziehen sich nur auf diese drei.",
}
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
    return argument(INTRODUCTIONS[family, variety], premises, _CONCLUSIONS[family, language])
