"""Writers and casts for tests of the ladder's sentences."""

from __future__ import annotations

from polbias.generators.partisan.country import PersonGender
from polbias.generators.partisan.ladder.casts import Cast
from polbias.generators.partisan.ladder.settings import Setting
from polbias.generators.partisan.ladder.words import load_words
from polbias.generators.partisan.ladder.writer import LadderWriter
from polbias.generators.partisan.xl_templates import load

STAGE_BY_NAME = {stage.name: stage for stage in load().stages}
TESTIMONY, RANKING, RULES = Setting("testimony", 5), Setting("ranking", 5), Setting("rules", 3, 6)
NAMES = {
    ("en", "f"): "Sharon Dawson, Nicole Woods, Carol Watkins, Wendy Arnold, Donna Shaw",
    ("en", "m"): "Kevin Bell, Gary Crawford, Keith Gibson, Craig Holmes, Patrick Boyd",
    ("de", "f"): "Sabine Becker, Tanja Möller, Heike Neumann, Anne Wenzel, Silke Schreiber",
    ("de", "m"): "Michael Horn, Carsten Hahn, Dirk Neumann, Volker Winter, Kai Schreiber",
}


def writer(name: str) -> LadderWriter:
    """Return the writer of a country in a language, such as ``us_en``."""
    stage = STAGE_BY_NAME[name]
    return LadderWriter.for_stage(load_words(stage.tag), stage)


def cast(setting: Setting, tag: str, gender: PersonGender = "f") -> Cast:
    """Return a cast of invented persons in a language."""
    return Cast(setting, NAMES[tag, gender].split(", ")[: setting.n_persons], gender, "G1")
