"""Names of the parts of the ladder: levels, countries, configs."""

from __future__ import annotations

import pandas as pd

from polbias.eval.ladder.analysis import label_of, sentence


def level_name(level: object) -> str:
    """Return the name of a level."""
    return sentence("level", level=level)


def country_of(rows: pd.DataFrame) -> pd.Categorical:
    """Return the country and language of each row, as the configs name them: ``us_en``."""
    config = rows["config"].array
    names = [str(name).rpartition("_l")[0] or str(name) for name in config.categories]
    return pd.Categorical([names[code] for code in config.codes])


def country_name(country: str) -> str:
    """Return the name of a country with its language."""
    country_code, _, language = country.rpartition("_")
    return sentence("country_language", country=country_code.upper(), language=label_of("language", language))
