"""polbias: controlled tests of political and normative bias in language models.

The top-level folders of the repository are importable as ``polbias.generators``, ``polbias.eval``
and so on. This module imports no heavy package: ``import polbias`` takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

__version__ = "1.0.0"


def load_answers(runs: str | Path | Iterable[str | Path], instrument: str | None = None) -> pd.DataFrame:
    """Read the answers of one or more runs into a data frame with a row per answer.

    `polbias report` reads the same rows and writes them as ``outcomes.parquet``: the averaged runs of every
    task and respondent (column ``run``), each label extracted anew. Dropped rows are logged as warnings.
    Policy statements have a row per prompt, with the counts of its answers.

    Args:
        runs: folders or files that `lm_eval --log_samples`, `polbias eval`, `polbias score` or Inspect wrote.
        instrument: the only instrument to read, such as ``"partisan"``; default all.

    Returns:
        A frame with the columns of docs/partisan.md: texts are categorical, integers and booleans nullable. A
        column of one instrument is missing in the rows of the others.

    Raises:
        InputError: if there are no samples of an instrument.
    """
    from polbias.eval.report.outcomes import load_answers as load

    paths = [runs] if isinstance(runs, str | Path) else runs
    return load([Path(path) for path in paths], instrument)
