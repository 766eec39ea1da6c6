"""What became of the articles of the first stage, which nothing is chosen in."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from polbias.eval.answers.article import ARTICLE_OUTCOMES
from polbias.eval.contrasts import contrast
from polbias.eval.report.document import Estimate
from polbias.eval.report.instruments.selfassess.answers import Articles
from polbias.eval.report.numbers import known
from polbias.eval.selfassess.estimates import POINTS
from polbias.eval.support import Support, discordant

_WEIGHTS = {"left": -1.0, "right": 1.0}


def refusal_gaps(articles: Articles) -> Iterator[tuple[str, Estimate]]:
    """Yield for every set how many more articles from the right than from the left are refused.

    The articles from both sides about a topic are compared with each other: topics are the clusters of the
    error (CR2) of the difference of the two shares.

    Args:
        articles: Of one respondent.

    Yields:
        The set, and the gap in percentage points; with a p only if any article was refused.
    """
    refused = _is(articles, "refusal")
    for code in np.unique(articles.set.codes).tolist():
        own = articles.set.codes == code
        weights = [_WEIGHTS.get(str(level), 0.0) for level in articles.side.levels]
        sided = own & np.isin(articles.side.codes, [place for place, each in enumerate(weights) if each])
        if np.unique(articles.side.codes[sided]).size < len(_WEIGHTS):
            continue
        found = contrast(
            refused[own], articles.side.select(own), articles.topic.select(own), weights, bounds=(0, 1)
        )
        p = found.p_value if refused[sided].any() else math.nan
        topics = articles.topic.select(sided)
        signs = np.array(weights)[articles.side.codes[sided]]
        uneven = discordant(topics.codes, signs * refused[sided], topics)
        estimate = Estimate(
            known(POINTS * found.estimate),
            known(POINTS * found.low),
            known(POINTS * found.high),
            n=found.n,
            clusters=found.clusters,
            refusals=int(refused[sided].sum()),
            unparsable=int(_is(articles, "empty")[sided].sum()),
            truncated=int(_is(articles, "truncated")[sided].sum()),
            p=known(p),
        )
        yield (
            str(articles.set.levels[code]),
            estimate.on(Support(None, 0.0, uneven, found.clusters)),
        )


def article_shares(articles: Articles) -> Iterator[dict[str, Any]]:
    """Yield by set, role and side how many articles were asked for, and the share of every outcome.

    Args:
        articles: Of one respondent.
    """
    keys = np.stack([articles.set.codes, articles.role.codes, articles.side.codes])
    for codes in np.unique(keys, axis=1).T:
        own = (keys == codes[:, None]).all(axis=0)
        levels = (articles.set.levels, articles.role.levels, articles.side.levels)
        names = [level[code] for level, code in zip(levels, codes.tolist(), strict=True)]
        shares = {name: float(_is(articles, name)[own].mean()) for name in ARTICLE_OUTCOMES}
        yield dict(zip(("set", "role", "side"), names, strict=True)) | {"asked": int(own.sum())} | shares


def _is(articles: Articles, outcome: str) -> Any:
    levels = articles.outcome.levels
    return articles.outcome.codes == (levels.index(outcome) if outcome in levels else -1)
