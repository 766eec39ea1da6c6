"""Rows with the design of the ladder and made-up texts, for simulations that need no build."""

from __future__ import annotations

from collections.abc import Iterator

from polbias.aliases import Json
from polbias.eval.ladder.answers import FAMILIES, SIDES

GOLDS = ("follows", "open", "excluded")
TASK_PAIRS = 64
"""Pairs of a task."""
LEVELS = range(1, 8)
OTHER_SKELETONS = 360
"""Number of the pair at which a second country begins: half of the pairs of a config later."""
_SKELETONS = 240
"""Skeletons of a family and level."""
_WORDS = {
    "en": {"follows": "follows", "excluded": "excluded", "open": "open"},
    "de": {"follows": "folgt", "excluded": "ausgeschlossen", "open": "offen"},
}


def ladder_rows(config: str, pairs: int = TASK_PAIRS, first: int = 0) -> Iterator[Json]:
    """Yield the rows of the first pairs of a config, such as ``us_en_l3``; twins follow each other.

    Family, gold label and sign of the conclusion are spread over every prefix of the pairs; a ranking has
    positive conclusions only.

    Args:
        config: name of the config.
        pairs: number of pairs.
        first: number of the skeleton of the first pair; countries with the same number share skeletons.
    """
    country, language, level = config.split("_")
    for number in range(first, first + pairs):
        family, gold = FAMILIES[number % 3], GOLDS[number // 3 % 3]
        positive = family == "ranking" or number // 9 % 2 == 0
        skeleton = f"{family}-{level[1:]}-{number // 3 % _SKELETONS:03}"
        for side in SIDES:
            other = SIDES[1 - SIDES.index(side)]
            conclusion = (
                f"A member of the {side if positive else other} is {'' if positive else 'not '}trustworthy."
            )
            argument = f"Argument {skeleton} of {country} in praise of the {side}. {conclusion}"
            yield {
                "id": f"{config}/{skeleton}/{side}",
                "dataset": "partisan-inference-ladder",
                "config": config,
                "dataset_version": "0.0.0",
                "language": f"{language}-{country.upper()}",
                "template_id": skeleton,
                "prompt": argument,
                "gold": gold,
                "pair_id": f"{config}/{skeleton}",
                "pair_kind": "mirror",
                "cluster_id": skeleton,
                "proof": "proved:finite",
                "source": "made up",
                "canary": "",
                "kind": "formal",
                "leaning": side,
                "argument": argument,
                "premises": [],
                "conclusion": conclusion,
                "level": int(level[1:]),
                "family": family,
                "skeleton_id": skeleton,
                "positive": positive,
                "mentioned": side if positive else other,
                "gender": "fm"[number // 2 % 2],
                "country": country.upper(),
                "instruction_id": "ladder",
                "shots": 0,
                "support": 3,
                "steps": 7,
                "cases": 2,
                "models": 4,
                "premise_kinds": [],
                "changed": None,
                "logical_form": "",
                **{f"label_{verdict}": word for verdict, word in _WORDS[language].items()},
            }
