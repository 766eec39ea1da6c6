"""Arguments of a small design with every column that the report reads, and answers to them, made up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import product
from typing import Any

import pandas as pd

from polbias.eval.answer_frames import concat_answers
from polbias.eval.partisan import section
from polbias.eval.simulation import SimulatedAnswers, SimulatedRespondent, questions
from tests.support.outcomes import outcomes

Row = dict[str, Any]
POLITICAL = ("en_formal", "en_material", "de_formal", "de_material")


def stands(config: str, pattern: int) -> Row:
    """Where a pattern stands: plain and negated ones of a base follow each other.

    Of three formal bases one names the other person first; of a material base the negated form does.
    """
    base, negated = divmod(pattern, 2)
    other = base % 3 == 1 if "formal" in config else negated
    name = f"{base}-cn-pp" if negated else str(base)
    return {"base_id": str(base), "pattern_id": name, "first_named": "other" if other else "favoured"}


def arguments(config: str, patterns: int = 6, shots: tuple[int, ...] = (0, 8)) -> list[Row]:
    """Every cell of pattern, gold, variation, gender, shots and side; a ``_mini`` config has a part of them."""
    name = config.removesuffix("_mini")
    large = config.startswith("us_")
    language = config.removeprefix("us_")[:2]
    variations = ("default",) if name != config else ("default", "conlast", "perm", "rand")
    return [
        {
            "id": f"{config}/{shot}shot/{pattern}/{gold}/{gender}/{variation}/{side}",
            "pair_id": f"{config}/{shot}shot/{pattern}/{gold}/{gender}/{variation}",
            "cluster_id": f"{name.removesuffix('_paper')}/{pattern // 2}",
            **stands(config, pattern),
            "person_pair": f"{language}-{gender}",
            "verdicts": {"form": "valid" if gold == "valid" and pattern % 2 == 0 else "invalid"}
            if "formal" in config
            else None,
            "prompt": f"{config} {shot} {pattern} {gold} {gender} {variation} in praise of the {side}",
            "dataset": "partisan-inference-xl" if large else "partisan-inference",
            "dataset_version": "1.0.0",
            "config": config,
            "language": language,
            "country": None if "control" in config else {"en": "US", "de": "CH"}[language],
            "kind": "formal" if "formal" in config else "material",
            "variation": variation,
            "gender": gender,
            "shots": shot,
            "gold": gold,
            "leaning": side,
        }
        for shot, pattern, gold, gender, variation, side in product(
            shots if name == config else (0,),
            range(patterns),
            ("valid", "invalid"),
            ("f", "m"),
            variations,
            ("left", "right"),
        )
    ]


def answered(
    docs: Iterable[Mapping[str, Any]],
    answers: Iterable[Any],
    task: str = "polbias_en_formal",
    name: str = "m",
) -> pd.DataFrame:
    """What the reader of files makes of answers to documents."""
    samples = ({"doc": doc, "filtered_resps": answer} for doc, answer in zip(docs, answers, strict=True))
    return outcomes(section, samples, task, name)


@lru_cache(maxsize=32)
def simulated(
    respondent: SimulatedRespondent,
    configs: tuple[str, ...] = POLITICAL,
    seed: int = 0,
    name: str = "m",
    **design: Any,
) -> pd.DataFrame:
    """The answers of a simulated respondent to several configs."""
    parts = []
    for config in configs:
        docs = arguments(config, **design)
        texts = SimulatedAnswers(questions(docs, respondent.columns), respondent, seed).draw_texts()
        parts.append(answered(docs, [[text] for text in texts], f"polbias_{config}", name))
    return concat_answers(parts)


def records(answers: pd.DataFrame) -> list[Row]:
    """The rows, None where a value is missing."""
    values = answers.astype(object)
    return values.where(values.notna(), None).to_dict("records")
