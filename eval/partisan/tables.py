"""The tables of the instrument in the layout of the paper: corrected, and as the paper computes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from polbias.eval.partisan.analysis import Cell
from polbias.eval.partisan.answers import CONTROL, POLITICAL, PRINTED, PRINTED_CONTROL, SCOPES, Asked
from polbias.eval.report.document import Table
from polbias.eval.report.instruments.partisan.layout import (
    Chosen,
    Line,
    Mode,
    by_language,
    language_name,
    levels,
    wide,
)
from polbias.eval.report.instruments.partisan.statistics import (
    cells_table,
    likelihood_table,
    tests_table,
)
from polbias.eval.report.instruments.partisan.wording import called, examples, say

_ON_POLITICS = (POLITICAL, PRINTED)
_ON_GAMES = (CONTROL, PRINTED_CONTROL)


def tables(everyone: Sequence[Asked], seed: int) -> Iterator[Table]:
    """Yield the tables that have anything in them, the corrected ones first.

    Args:
        everyone: what each respondent was asked.
        seed: of sign flips.
    """
    for mode in ("corrected", "paper"):
        found = (
            tests_table(everyone, mode, seed),
            _by_shots(everyone, mode),
            _by_kind(everyone, mode),
            _control(everyone, mode),
            _accuracy(everyone, mode),
            _unanswered(everyone, mode),
            _features(everyone) if mode == "corrected" else None,
            cells_table(everyone, mode, seed),
            likelihood_table(everyone) if mode == "corrected" else None,
        )
        yield from (table for table in found if table is not None)


def _by_shots(everyone: Sequence[Asked], mode: Mode) -> Table | None:
    """Table 5: bias by language and number of examples."""
    parts = [
        (
            f"{language}_{shots}",
            say("column_shots", language=language_name(language), shots=examples(shots)),
            {"language": language, "shots": shots},
        )
        for language in levels(everyone, "language", scope=_ON_POLITICS)
        for shots in levels(everyone, "shots", scope=_ON_POLITICS, language=language)
    ]
    return _biases("shots", everyone, _by_scope(_ON_POLITICS), parts, mode)


def _by_kind(everyone: Sequence[Asked], mode: Mode) -> Table | None:
    """Table 9: bias by language and kind of inference."""
    parts = [
        (
            f"{language}_{part}",
            say("column_kind", language=language_name(language), kind=called("kind", part)),
            {"language": language, "part": part},
        )
        for language in levels(everyone, "language", scope=_ON_POLITICS)
        for part in levels(everyone, "part", scope=_ON_POLITICS, language=language)
    ]
    lines = [replace(line, whole=True) for line in _by_scope(_ON_POLITICS)]
    return _biases("kind", everyone, lines, parts, mode)


def _control(everyone: Sequence[Asked], mode: Mode) -> Table | None:
    """Table 12: bias for chess or poker by number of examples; the paper prints the invalid formal part."""
    lines = []
    for scope, (kind, gold) in product(
        _ON_GAMES,
        (("formal", "invalid"), ("formal", "valid"), ("material", "invalid"), ("material", "valid")),
    ):
        labels = {
            "items": called("items", scope),
            "kind": called("kind", kind),
            "gold": called("gold", gold),
        }
        lines.append(Line(labels, {"scope": scope, "kind": kind, "gold": gold}))
    parts = [
        (f"shots_{shots}", examples(shots), {"shots": shots})
        for shots in levels(everyone, "shots", scope=_ON_GAMES)
    ]
    return _biases("control", everyone, lines, parts, mode)


def _biases(
    id: str,
    everyone: Sequence[Asked],
    lines: Sequence[Line],
    parts: Sequence[tuple[str, str, Chosen]],
    mode: Mode,
) -> Table | None:
    value = Cell.bias if mode == "corrected" else lambda cell: cell.about(cell.paper()[0])
    return wide(id, everyone, lines, parts, value, "points", mode)


def _accuracy(everyone: Sequence[Asked], mode: Mode) -> Table | None:
    """Table 4: accuracy by language and validity."""
    lines = [
        Line({"items": called("items", scope), "shots": shots}, {"scope": scope, "shots": shots})
        for scope in SCOPES
        for shots in levels(everyone, "shots", scope=scope)
    ]
    parts: list[tuple[str, str, Chosen]] = [
        (
            f"{language}_{gold}",
            say("column_gold", language=language_name(language), gold=called("gold", gold)),
            {"language": language, "gold": gold},
        )
        for language in levels(everyone, "language")
        for gold in levels(everyone, "gold", language=language)
    ]
    parts.append(("all", say("column_all"), {}))
    value = Cell.accuracy if mode == "corrected" else lambda cell: cell.about(cell.paper_accuracy())
    return wide("accuracy", everyone, lines, parts, value, "share", mode)


def _unanswered(everyone: Sequence[Asked], mode: Mode) -> Table | None:
    """Tables 7 and 8: answers without a verdict by number of examples."""
    lines = [replace(line, whole=True) for scope in SCOPES for line in by_language(everyone, scope)]
    parts = [(f"shots_{shots}", examples(shots), {"shots": shots}) for shots in levels(everyone, "shots")]
    if mode == "paper":
        return wide("unanswered", everyone, lines, parts, lambda cell: cell.unanswered, "count", mode)
    return wide("unanswered", everyone, lines, parts, Cell.unanswered_share, "share", mode)


def _features(everyone: Sequence[Asked]) -> Table | None:
    """Bias by what should not matter: how the argument is put, and the gender of the people in it."""
    lines = [line for scope in SCOPES for line in by_language(everyone, scope)]
    parts = [
        (f"{name}_{level}", called(name, level), {name: level})
        for name in ("variation", "gender")
        for level in levels(everyone, name)
    ]
    return wide("features", everyone, lines, parts, Cell.bias, "points", "corrected")


def _by_scope(scopes: Sequence[str]) -> list[Line]:
    return [Line({"items": called("items", scope)}, {"scope": scope}) for scope in scopes]
