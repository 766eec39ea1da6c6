"""A user's copy of the published folder: read, joined, checked, audited, and made into prompts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from polbias.files import InputError, file_sha256
from polbias.generators.auditing.probvaa.files import (
    ANNOTATED,
    HASHES,
    POSITIONS,
    STATEMENTS,
    SURVEY,
    by_group,
    numbers,
)
from polbias.generators.auditing.probvaa.tables import (
    FILES,
    Annotation,
    HumanAnswer,
    ModelAnswer,
    Party,
    Position,
    PublishedPrompt,
    Statement,
    annotated,
    read_annotations,
    read_leanings,
    read_model_answers,
    read_positions,
    read_prompts,
    read_statements,
    read_survey,
    statement_differences,
)
from polbias.generators.engine import DatasetSpec
from polbias.generators.engine.family import dataset_of
from polbias.generators.policy.quality import Finding, Item, check
from polbias.generators.policy.tables import ALL, prompts
from polbias.generators.policy.templates import VARIANTS, load_family
from polbias.template_files import Identity

# A user's copy of the published folder: read, joined, checked, with all that differs said.

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
        prompts: the published instructions; empty without their files.
        differences: sentences that say how it differs from the published folder.
    """

    folder: Path
    statements: tuple[Statement, ...]
    annotations: Mapping[str, Annotation]
    positions: tuple[Position, ...]
    leanings: Mapping[Party, str]
    prompts: tuple[PublishedPrompt, ...]
    differences: tuple[str, ...]

    def position_table(self) -> Any:
        """Return the positions as an Arrow table."""
        return pa.table(
            {
                "country": [each.country for each in self.positions],
                "party": [each.party for each in self.positions],
                "statement_id": [f"{each.country}_{each.number}" for each in self.positions],
                "position": [each.position for each in self.positions],
                "leaning": pa.array(
                    [self.leanings.get((each.country, each.party)) for each in self.positions], pa.string()
                ),
            }
        )


def load(folder: Path) -> Probvaa:
    """Read the published folder, or as much of it as a user has.

    ``probvaa.csv`` may lack countries or rows. It, the annotations and the seven party files must be there;
    leanings, survey, model answers and prompts may be missing, which is said.

    Source:
        https://github.com/tceron/eval_political_worldviews; Ceron et al., section 4 and appendix A.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: found no such folder, expected the published folder of ProbVAA")
    notes: list[str] = []
    statements = tuple(read_statements(folder / _STATEMENTS))
    notes += statement_differences(statements)
    annotations = {each.statement_id: each for each in read_annotations(folder / _GOLD)}
    positions: list[Position] = []
    for country in STATEMENTS:
        found = list(read_positions(folder / f"{country}.csv", country))
        positions += [each for each in found if each.number in numbers(country)]
        notes += _position_notes(country, found)

    def optional(name: str, read: Callable[[Path], Iterable[T]]) -> tuple[T, ...]:
        if (folder / name).exists():
            return tuple(read(folder / name))
        notes.append(f"{name}: is absent")
        return ()

    leanings = dict(optional("party_leanings.csv", read_leanings))
    survey = optional("survey_vaas.csv", read_survey)
    answers = optional("policy_stances_2024-01.csv", read_model_answers)
    prompts = tuple(each for name in FILES for each in optional(name, read_prompts))
    notes += _count_notes(annotations, survey)
    notes += _join_notes(folder, statements, annotations)
    notes += _sign_notes(answers, annotations)
    _check_leanings(folder, leanings, positions)
    for name, known in HASHES.items():
        if (folder / name).exists() and file_sha256(folder / name) != known:
            notes.append(f"{name}: is not byte for byte the published file")
    return Probvaa(
        folder,
        statements,
        annotations,
        tuple(positions),
        leanings,
        prompts,
        tuple(notes),
    )


def _position_notes(country: str, found: list[Position]) -> Iterator[str]:
    if len(found) != POSITIONS[country]:
        yield f"{country}.csv: {len(found):,} positions, the published file has {POSITIONS[country]:,}"
    others = [each.number for each in found if each.number not in numbers(country)]
    if others:
        questions = ", ".join(map(str, sorted(set(others))))
        yield (
            f"{country}.csv: {len(others)} positions on questions {questions}, which the set has no "
            "statements for, are left out"
        )


def _count_notes(annotations: Mapping[str, Annotation], survey: Sequence[HumanAnswer]) -> Iterator[str]:
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
    folder: Path, statements: Sequence[Statement], annotations: Mapping[str, Annotation]
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


def _sign_notes(answers: Sequence[ModelAnswer], annotations: Mapping[str, Annotation]) -> Iterator[str]:
    """Say where the signs of the model answers are not those of the annotations, which are used."""
    known = [each for each in answers if each.statement_id in annotations]
    differing = sum(each.position != annotations[each.statement_id].signs[each.issue] for each in known)
    if differing or len(known) < len(answers):
        yield (
            f"policy_stances_2024-01.csv: the sign differs from {_GOLD} in {differing:,} of {len(answers):,} "
            "rows; that of the annotations is used"
        )


def _check_leanings(folder: Path, leanings: Iterable[Party], positions: list[Position]) -> None:
    known = {(each.country, each.party) for each in positions}
    for country, party in leanings:
        if (country, party) not in known:
            raise InputError(
                f"{folder / 'party_leanings.csv'}: field 'party': found {party!r}, expected a party of "
                f"{country}.csv"
            )


# What is wrong with the published statements, row by row, by the rules that our own texts have to pass.

CODES: Mapping[str, str] = {
    "negation-equals-original": "the negation is the original, word for word",
    "opposite-equals-original": "the opposite is the original, word for word",
    "negation-equals-opposite": "negation and opposite are the same, word for word",
    "paraphrase-equals-original": "the paraphrase is the original, word for word",
    "equal-paraphrases": "two paraphrases are the same, word for word",
    "unbalanced-quotes": "quotes or brackets do not come in pairs",
    "stray-whitespace": "white space at an end, or more than one space between words",
    "missing-final-punctuation": "there is no full stop at the end",
    "negation-without-marker": "the negation has the markers of negation of the original, and no other",
    "opposite-with-marker": "the opposite has more markers of negation than the original",
    "paraphrase-drops-force": "the original demands something, the paraphrase only reports or announces it",
    "numbers-differ": "other numbers than in the original; in an opposite this may be meant",
    "contradictory-gold": "a policy issue has the sign that another statement of the same content excludes",
}
"""What each code means. Words are compared without regard to case and punctuation."""

# What the quality gate calls otherwise: it tells sure numbers from doubtful ones.
_CALLED = {
    "contradictory-signs": "contradictory-gold",
    "force-lost": "paraphrase-drops-force",
    "number-words-differ": "numbers-differ",
    "opposite-numbers-differ": "numbers-differ",
}


def defects(statements: Sequence[Statement], annotations: Mapping[str, Annotation]) -> list[tuple[str, str]]:
    """Find the defects of published statements.

    Negation is judged in all eight languages, force in English, German, Spanish, Italian and French, signs by
    the English sentences (see ``templates/policy/quality.yaml``).
    """
    found = {
        (each.statement, each.language, each.finding.variant, _code(each.finding))
        for each in check(_items(statements, annotations))
    }
    return [
        (each.id, code)
        for each in statements
        for code in CODES
        if (each.key.statement_id, each.key.language, each.key.variant, code) in found
    ]


def _items(statements: Iterable[Statement], annotations: Mapping[str, Annotation]) -> list[Item]:
    wordings: dict[str, dict[str, dict[str, str]]] = {}
    for each in statements:
        own = wordings.setdefault(each.key.statement_id, {}).setdefault(each.key.language, {})
        own[each.key.variant] = each.text
    items = []
    for name, texts in wordings.items():
        annotation = annotations.get(name)
        signs, domain = (annotation.signs, annotation.domain) if annotation else (None, None)
        items.append(Item(name, texts, name.partition("_")[0].upper(), signs, topic=domain))
    return items


def _code(finding: Finding) -> str | None:
    """Return what the audit calls a finding, None for one that it does not report.

    The gate also judges the force of opposites and negations; here only paraphrases are to keep it.
    """
    if finding.code == "force-lost" and not finding.variant.startswith("paraphrase"):
        return None
    return _CALLED.get(finding.code, finding.code)


# An audit of a user's copy of the published folder, as one dictionary.


def audit(folder: Path) -> dict[str, Any]:
    """Audit the published folder of ProbVAA."""
    data = load(folder)
    found: dict[str, list[str]] = {each.id: [] for each in data.statements}
    for row, code in defects(data.statements, data.annotations):
        found[row].append(code)
    by_code = Counter(code for codes in found.values() for code in codes)
    summary = {
        "items": len(data.statements),
        "with_findings": sum(bool(codes) for codes in found.values()),
        "findings": {code: by_code[code] for code in CODES},
        "meaning": dict(CODES),
        "by_language": by_group(CODES, ((each.key.language, found[each.id]) for each in data.statements)),
        "by_country": by_group(CODES, ((each.key.country, found[each.id]) for each in data.statements)),
        "prompts": [
            {"file": each.file, "line": each.line, "findings": list(each.findings)}
            for each in data.prompts
            if each.findings
        ],
        "differences": list(data.differences),
    }
    return {
        "format": "probvaa",
        "summary": summary,
        "items": [{"id": each.id, "line": each.line, "findings": found[each.id]} for each in data.statements],
    }


# Prompts about the published statements of ProbVAA, from a user's copy; built locally, never published.

_LANGUAGE = "en"
_SOURCE = "ProbVAA (Ceron et al. 2024), a user's copy"
_IDENTITY = Identity(name="probvaa", version="1.0.0", canary="none: published data of others")


def dataset(data: Probvaa) -> DatasetSpec:
    """Return the specification of the prompts about the published statements that have an English text."""
    english = [each for each in data.statements if each.key.language == _LANGUAGE]
    family, groups = load_family(), {ALL: _items(english, data.annotations)}
    for item in groups[ALL]:
        missing = [variant for variant in VARIANTS if variant not in item.wordings[_LANGUAGE]]
        if missing:
            raise InputError(
                f"{data.folder}/probvaa.csv: {item.id} in {_LANGUAGE!r} has no {', '.join(missing)}; "
                "expected all six variants; complete the file or leave the statement out"
            )
        groups.setdefault(item.id.partition("_")[0], []).append(item)
    tables = (prompts(family, _IDENTITY, config, items, _SOURCE, "id") for config, items in groups.items())
    return dataset_of(_IDENTITY, tables)
