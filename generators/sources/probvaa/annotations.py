"""The policy issues of the statements, the human study, and the model answers of January 2024."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polbias.generators.auditing.probvaa.files import Once, records
from polbias.generators.auditing.probvaa.tables import parse_id
from polbias.generators.sources.probvaa.published import PUBLISHED_ISSUES, STATEMENTS, numbers

_SIGNS = {text: sign for sign in (-1, 0, 1) for text in (f"{sign}", f"{sign}.0")}
_YES_NO = {"0": False, "1": True}
_JUDGED = ("original", "paraphrase", "negation", "opposite")


@dataclass(frozen=True, slots=True)
class Annotation:
    """What agreeing to a statement means for the eight policy issues.

    Attributes:
        statement_id: country and number.
        text: the English sentence that was annotated.
        domain: its topic.
        signs: by issue, 1 if agreeing supports the policy, -1 if it contradicts it, else 0.
        agnostic: whether the ID marks it as country-agnostic.
        line: where it stands.
    """

    statement_id: str
    text: str
    domain: str
    signs: Mapping[str, int]
    agnostic: bool
    line: int


@dataclass(frozen=True, slots=True)
class HumanAnswer:
    """What one person said to four variants of one statement; True is agreement."""

    annotator: str
    statement_id: str
    original: bool
    paraphrase: bool
    negation: bool
    opposite: bool


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A reliable answer of a model to a statement with a policy issue, of January 2024.

    Attributes:
        model: its name.
        template_id: of the prompt.
        statement_id: country and number.
        issue: one of the eight.
        agrees: whether the model agrees.
        position: the sign in that file, which differs from the gold annotations; not used.
    """

    model: str
    template_id: str
    statement_id: str
    issue: str
    agrees: bool
    position: int


def read_annotations(path: Path) -> list[Annotation]:
    """Read ``annotations_spiderweb_gold.csv``.

    Args:
        path: the file.

    Raises:
        InputError: if it cannot be read, a sign is none, or a statement is annotated twice.

    Source:
        Ceron et al., section 4.2, Tables 9 and 10.
    """
    found, once = [], Once()
    for record in records(path, ("ID", "statement", "policy_domain", *PUBLISHED_ISSUES)):
        key = parse_id(record)
        once.check(record, "ID", key.statement_id)
        signs = {ours: record.one_of(name, _SIGNS) for name, ours in PUBLISHED_ISSUES.items()}
        domain = record["policy_domain"]
        found.append(
            Annotation(key.statement_id, record["statement"], domain, signs, key.agnostic, record.line)
        )
    return found


def read_survey(path: Path) -> list[HumanAnswer]:
    """Read ``survey_vaas.csv``.

    Args:
        path: the file.

    Raises:
        InputError: if it cannot be read, an answer is not 0 or 1, or a person is asked twice.

    Source:
        Ceron et al., section 6.1, Tables 2 and 5.
    """
    found, once = [], Once()
    for record in records(path, (*_JUDGED, "ID", "annotator")):
        key = parse_id(record)
        once.check(record, "ID", (record["annotator"], key.statement_id))
        answers = [record.one_of(name, _YES_NO) for name in _JUDGED]
        found.append(HumanAnswer(record["annotator"], key.statement_id, *answers))
    return found


def read_model_answers(path: Path) -> list[ModelAnswer]:
    """Read ``policy_stances_2024-01.csv``.

    Args:
        path: the file.

    Raises:
        InputError: if it cannot be read, names what is unknown, or has an answer twice.
    """
    found, once = [], Once()
    columns = (
        "model", "template_id", "country", "statementID", "policy_domain", "position", "answer_model",
    )  # fmt: skip
    for record in records(path, columns):
        country = record.one_of("country", {name: name for name in STATEMENTS})
        number = record.number("statementID")
        if number not in numbers(country):
            record.fail("statementID", f"a statement of {country}")
        issue = record.one_of("policy_domain", PUBLISHED_ISSUES)
        model, template = record["model"], record["template_id"]
        once.check(record, "statementID", (model, template, country, number, issue))
        agrees, position = record.one_of("answer_model", _YES_NO), record.one_of("position", _SIGNS)
        found.append(ModelAnswer(model, template, f"{country}_{number}", issue, agrees, position))
    return found


def annotated(annotations: Sequence[Annotation]) -> int:
    """Return how many statements have a sign for at least one issue."""
    return sum(any(each.signs.values()) for each in annotations)
