"""A user's copy of the published folder: read, joined, checked, with all that differs said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from polbias.files import InputError
from polbias.generators.auditing.probvaa.files import digest
from polbias.generators.auditing.probvaa.tables import Statement, read_statements, statement_differences
from polbias.generators.sources.probvaa.annotations import (
    Annotation,
    HumanAnswer,
    ModelAnswer,
    annotated,
    read_annotations,
    read_model_answers,
    read_survey,
)
from polbias.generators.sources.probvaa.parties import Leaning, Position, read_leanings, read_positions
from polbias.generators.sources.probvaa.prompts import FILES, PublishedPrompt, read_prompts
from polbias.generators.sources.probvaa.published import (
    ANNOTATED,
    HASHES,
    POSITIONS,
    STATEMENTS,
    SURVEY,
)

T = TypeVar("T")
_STATEMENTS, _GOLD = "probvaa.csv", "annotations_spiderweb_gold.csv"


@dataclass(frozen=True)
class Probvaa:
    """The published folder.

    Attributes:
        folder: where it is.
        statements: rows of ``probvaa.csv``.
        annotations: by statement id.
        positions: of the parties on the statements of the set.
        leanings: of the parties that can be placed; empty without ``party_leanings.csv``.
        survey: the human study; empty without its file.
        model_answers: of January 2024; empty without its file.
        prompts: the published instructions; empty without their files.
        differences: sentences that say how it differs from the published folder.
    """

    folder: Path
    statements: tuple[Statement, ...]
    annotations: Mapping[str, Annotation]
    positions: tuple[Position, ...]
    leanings: tuple[Leaning, ...]
    survey: tuple[HumanAnswer, ...]
    model_answers: tuple[ModelAnswer, ...]
    prompts: tuple[PublishedPrompt, ...]
    differences: tuple[str, ...]

    def texts(self) -> dict[tuple[str, int, str], dict[str, Statement]]:
        """Join the variants of each statement in each language.

        Returns:
            The row of each variant, by country, number and language, in the order of the file.
        """
        joined: dict[tuple[str, int, str], dict[str, Statement]] = {}
        for each in self.statements:
            key = each.key.country, each.key.number, each.key.language
            joined.setdefault(key, {})[each.key.variant] = each
        return joined

    def position_table(self) -> Any:
        """Return the positions as an Arrow table.

        Returns:
            A ``pyarrow.Table``: country, party, statement_id, position, leaning (null where unknown).
        """
        leanings = {(each.country, each.party): each.leaning for each in self.leanings}
        return pa.table(
            {
                "country": [each.country for each in self.positions],
                "party": [each.party for each in self.positions],
                "statement_id": [f"{each.country}_{each.number}" for each in self.positions],
                "position": [each.position for each in self.positions],
                "leaning": pa.array(
                    [leanings.get((each.country, each.party)) for each in self.positions], pa.string()
                ),
            }
        )


def load(folder: Path) -> Probvaa:
    """Read the published folder, or as much of it as a user has.

    ``probvaa.csv`` may lack countries or rows. It, the annotations and the seven party files must be there;
    leanings, survey, model answers and prompts may be missing, which is said.

    Args:
        folder: where the files are.

    Raises:
        InputError: if a file is missing or damaged, or two files contradict each other: one line with file,
            line, field, what was found and what was expected.

    Source:
        https://github.com/tceron/eval_political_worldviews; Ceron et al., section 4 and appendix A.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: found no such folder, expected the published folder of ProbVAA")
    notes: list[str] = []
    statements = read_statements(folder / _STATEMENTS)
    notes += statement_differences(statements)
    annotations = {each.statement_id: each for each in read_annotations(folder / _GOLD)}
    positions: list[Position] = []
    for country in STATEMENTS:
        kept, others = read_positions(folder / f"{country}.csv", country)
        positions += kept
        notes += _position_notes(country, kept, others)

    def optional(name: str, read: Callable[[Path], list[T]]) -> list[T]:
        if (folder / name).exists():
            return read(folder / name)
        notes.append(f"{name}: is absent")
        return []

    leanings = optional("party_leanings.csv", read_leanings)
    survey = optional("survey_vaas.csv", read_survey)
    answers = optional("policy_stances_2024-01.csv", read_model_answers)
    prompts = [each for name in FILES for each in optional(name, read_prompts)]
    notes += _count_notes(annotations, survey)
    notes += _join_notes(folder, statements, annotations)
    notes += _sign_notes(answers, annotations)
    _check_leanings(folder, leanings, positions)
    for name, known in HASHES.items():
        if (folder / name).exists() and digest(folder / name) != known:
            notes.append(f"{name}: is not byte for byte the published file")
    return Probvaa(
        folder,
        tuple(statements),
        annotations,
        tuple(positions),
        tuple(leanings),
        tuple(survey),
        tuple(answers),
        tuple(prompts),
        tuple(notes),
    )


def _position_notes(country: str, kept: list[Position], others: list[Position]) -> Iterator[str]:
    found, expected = len(kept) + len(others), POSITIONS[country]
    if found != expected:
        yield f"{country}.csv: {found:,} positions, the published file has {expected:,}"
    if others:
        questions = ", ".join(map(str, sorted({each.number for each in others})))
        yield (
            f"{country}.csv: {len(others)} positions on questions {questions}, which the set has no "
            "statements for, are left out"
        )


def _count_notes(annotations: Mapping[str, Annotation], survey: list[HumanAnswer]) -> Iterator[str]:
    statements, labelled = sum(STATEMENTS.values()), annotated([*annotations.values()])
    if len(annotations) != statements or labelled != ANNOTATED:
        yield (
            f"{_GOLD}: {len(annotations)} statements, {labelled} with a policy issue; the published file has "
            f"{statements} and {ANNOTATED}"
        )
    people = Counter(each.annotator for each in survey)
    if survey and (len(people), *{*people.values()}) != SURVEY:
        yield (
            f"survey_vaas.csv: {len(people)} people and {len(survey)} answers, the published file has "
            f"{SURVEY[0]} people with {SURVEY[1]} answers each"
        )


def _join_notes(
    folder: Path, statements: list[Statement], annotations: Mapping[str, Annotation]
) -> Iterator[str]:
    """Refuse statements without an annotation; say where the files differ on the country-agnostic mark."""
    marks: dict[str, set[bool]] = {}
    for each in statements:
        marks.setdefault(each.key.statement_id, set()).add(each.key.agnostic)
    missing = [name for name in marks if name not in annotations]
    if missing:
        raise InputError(
            f"{folder / _GOLD}: field 'ID': found no row for {missing[0]}"
            f"{f' and {len(missing) - 1} more' if len(missing) > 1 else ''}, expected one per statement of "
            f"{_STATEMENTS}"
        )
    differing = [name for name, found in marks.items() if found != {annotations[name].agnostic}]
    if differing:
        yield (
            f"{_STATEMENTS}: country-agnostic or not differs among rows, or from {_GOLD}: "
            f"{', '.join(differing)}"
        )


def _sign_notes(answers: list[ModelAnswer], annotations: Mapping[str, Annotation]) -> Iterator[str]:
    """Say where the signs of the model answers are not those of the annotations, which are used."""
    known = [each for each in answers if each.statement_id in annotations]
    differing = sum(each.position != annotations[each.statement_id].signs[each.issue] for each in known)
    if differing or len(known) < len(answers):
        yield (
            f"policy_stances_2024-01.csv: the sign differs from {_GOLD} in {differing:,} of {len(answers):,} "
            "rows; that of the annotations is used"
        )


def _check_leanings(folder: Path, leanings: list[Leaning], positions: list[Position]) -> None:
    known = {(each.country, each.party) for each in positions}
    for each in leanings:
        if (each.country, each.party) not in known:
            raise InputError(
                f"{folder / 'party_leanings.csv'}: field 'party': found {each.party!r}, expected a party of "
                f"{each.country}.csv"
            )
