"""All tables of an analysis, as plain rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict
from typing import Any

from polbias.eval.contrasts import benjamini_hochberg, holm
from polbias.eval.xphemism.coefficients import coefficients
from polbias.eval.xphemism.figures import axes_data, truth_data
from polbias.eval.xphemism.leaning import leaning
from polbias.eval.xphemism.modes import DIMENSIONS, Mode
from polbias.eval.xphemism.penalty import penalties
from polbias.eval.xphemism.refusals import outcomes, refusal_gaps
from polbias.eval.xphemism.schema import Answered, Records

Table = list[dict[str, Any]]

TESTED: Mapping[str, tuple[tuple[str, ...], str]] = {
    "coefficients": (("axis", "term"), "coef"),
    "leaning": (("axis",), "effect"),
    "penalty": (("claims",), "change"),
    "refusal_gaps": (("outcome", "claims"), "gap"),
}
"""The tables whose tests are adjusted together: what names a test in them, and what it estimates."""
_ALL, _SOUND = "all", "without defective"


def xphemism_tables(
    rows: Answered, mode: Mode = "corrected", defective: Collection[str] = (), seed: int = 0
) -> dict[str, Table]:
    """Analyse the answers of one or more models.

    Args:
        rows: Any table that :meth:`Records.of` accepts.
        mode: One of :data:`polbias.eval.xphemism.modes.MODES`.
        defective: Pairs that an auditor found defective, left out in rows of their own in the table
            ``sensitivity``; mode "corrected" only.
        seed: Seed of the drawn sign flips.

    Returns:
        Tables by name; every row has model, prompt and instruction_language. In all modes ``coefficients``
        (Table 3), ``figure5`` and ``figure6``; in the mode "corrected" also

        - ``sensitivity``: the shift and the judgements, and leaning, with and without the defective pairs;
        - ``leaning``, ``penalty``, ``outcomes``, ``refusal_gaps``;
        - ``tests``: every test of the others with p adjusted by Holm (``p_holm``) and by Benjamini and
          Hochberg (``p_bh``) over all of them.

    Raises:
        OutcomesError: If the table cannot be read, or the mode is unknown.
        PolbiasError: If a library is not installed.
    """
    records = Records.of(rows)
    estimates = coefficients(records, mode)
    tables: dict[str, Table] = {"coefficients": [asdict(each) for each in estimates]}
    if mode == "corrected":
        tables["leaning"] = _leanings(records, seed)
        tables["sensitivity"] = _sensitivity(tables, records, set(defective), seed)
        tables["penalty"] = _by_group(records, lambda part: penalties(part, seed))
        tables["outcomes"] = _by_group(records, outcomes)
        tables["refusal_gaps"] = _by_group(records, refusal_gaps)
        tables["tests"] = adjusted(tables)
    return tables | {"figure5": truth_data(records), "figure6": axes_data(estimates)}


def adjusted(tables: Mapping[str, Table]) -> Table:
    """Adjust all tests for their number.

    Args:
        tables: Tables by name; those of :data:`TESTED` are taken.

    Returns:
        table, model, prompt, instruction_language, test, estimate, p, p_holm, p_bh; a test that could not be
        made has NaN and is not counted.

    Source:
        Holm (1979); Benjamini and Hochberg, "Controlling the false discovery rate" (1995).
    """
    found = [
        {"table": name}
        | {key: row[key] for key in ("model", "prompt", "instruction_language")}
        | {"test": " ".join(str(row[key]) for key in named), "estimate": row[estimate], "p": row["p"]}
        for name, (named, estimate) in TESTED.items()
        for row in tables.get(name, ())
    ]
    p_values = [float(each["p"]) for each in found]
    both = zip(found, holm(p_values), benjamini_hochberg(p_values), strict=True)
    return [each | {"p_holm": p_holm, "p_bh": p_bh} for each, p_holm, p_bh in both]


def _leanings(records: Records, seed: int) -> Table:
    return _by_group(records, lambda part: [leaning(part, axis, seed) for axis in DIMENSIONS])


def _sensitivity(tables: Mapping[str, Table], records: Records, defective: set[str], seed: int) -> Table:
    """The estimates for all pairs and for those that are not defective, one below the other."""
    sound = records.without(defective)
    excluded = len({*map(str, records.pair.levels)} & defective)
    versions = (
        (_ALL, 0, tables["coefficients"], tables["leaning"]),
        (_SOUND, excluded, [asdict(each) for each in coefficients(sound)], _leanings(sound, seed)),
    )
    keys = ("model", "prompt", "instruction_language", "axis")
    found: Table = []
    for name, count, estimates, leanings in versions if excluded else versions[:1]:
        about = {"rows": name, "excluded": count}
        for row in estimates:
            found.append(
                about
                | {key: row[key] for key in (*keys, "term")}
                | {"unit": "logits", "estimate": row["coef"]}
                | {key: row[key] for key in ("se", "p", "low", "high", "n", "clusters", "firth", "note")}
            )
        for row in leanings:
            found.append(
                about
                | {key: row[key] for key in keys}
                | {"term": "leaning", "unit": "percentage points", "estimate": row["effect"]}
                | {key: row[key] for key in ("se", "p", "low", "high", "n", "clusters")}
                | {"firth": float("nan"), "note": row["note"]}
            )
    return found


def _by_group(records: Records, analyse: Callable[[Records], Iterable[Any]]) -> Table:
    """Rows of an analysis for every model, prompt and language."""
    return [group._asdict() | asdict(each) for group, part in records.groups() for each in analyse(part)]
