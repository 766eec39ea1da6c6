"""The published tables of ProbVAA: statements, annotations, parties, prompts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polbias.generators.auditing.probvaa.files import (
    LEFT_OUT,
    PUBLISHED_ISSUES,
    ROWS,
    STATEMENTS,
    Once,
    Record,
    languages,
    numbers,
    records,
)
from polbias.generators.policy.templates import VARIANTS, Issue

# ``probvaa.csv``: the statements in all variants and languages.

_ID = re.compile(r"(?P<country>[a-z]+)_(?P<number>\d+)_(?P<code>\d{7})_(?P<language>[a-z]{2})", re.ASCII)
_FORM = "COUNTRY_NUMBER_CODE_LANGUAGE with a code of seven digits, such as ch_18_1000011_en"
_BITS = {
    "1000": "original",
    "1100": "paraphrase1",
    "1200": "paraphrase2",
    "1300": "paraphrase3",
    "0001": "negation",
    "0010": "opposite",
}
"""Variant by the digits original, paraphrase, opposite, negation; paraphrases keep original = 1."""


@dataclass(frozen=True, slots=True)
class StatementKey:
    """An ID taken apart.

    Attributes:
        country: such as "ch".
        number: of the statement in its country.
        variant: one of :data:`VARIANTS`.
        agnostic: whether the statement would make sense in any country.
        language: such as "en".
    """

    country: str
    number: int
    variant: str
    agnostic: bool
    language: str

    @property
    def statement_id(self) -> str:
        """Country and number, the same for all variants and languages."""
        return f"{self.country}_{self.number}"


@dataclass(frozen=True, slots=True)
class Statement:
    """One row.

    Attributes:
        id: as published.
        key: the same taken apart.
        text: the sentence as it stands there.
        line: where it stands.
    """

    id: str
    key: StatementKey
    text: str
    line: int


def parse_id(record: Record) -> StatementKey:
    """Take an ID apart."""
    match = _ID.fullmatch(record["ID"])
    if not match:
        record.fail("ID", _FORM)
    country, number, code = match["country"], int(match["number"]), match["code"]
    if country not in STATEMENTS:
        record.fail("ID", f"one of the countries {', '.join(STATEMENTS)}")
    if number not in numbers(country):
        known = numbers(country)
        record.fail("ID", f"one of the {len(known)} statements of {country}, {min(known)} to {max(known)}")
    original, question, paraphrase, opposite, negation, agnostic, translated = tuple(code)
    variant = _BITS.get(original + paraphrase + opposite + negation)
    if question != "0" or variant is None or agnostic not in "01" or translated not in "01":
        record.fail(
            "ID",
            "a code of the digits original, question (0), paraphrase 0-3, opposite, negation, "
            "country-agnostic, translation, with exactly one variant",
        )
    return StatementKey(country, number, variant, agnostic == "1", match["language"])


def read_statements(path: Path) -> Iterator[Statement]:
    """Yield the rows of ``probvaa.csv``, complete or not.

    Source:
        Ceron et al., section 4.3; the layout of the IDs is that of the published data.
    """
    once, same = Once(), Once()
    for record in records(path, ("ID", "statement")):
        key = parse_id(record)
        if key.language not in languages(key.country):
            record.fail("ID", f"one of the languages of {key.country}: {', '.join(languages(key.country))}")
        if not record["statement"]:
            record.fail("statement", "a sentence")
        once.check(record, "ID", record["ID"])
        same.check(record, "ID", (key.country, key.number, key.variant, key.language))
        yield Statement(record["ID"], key, record.values["statement"], record.line)


def statement_differences(statements: Sequence[Statement]) -> Iterator[str]:
    """Say in words how the rows differ from the published set; nothing if they are complete."""
    if len(statements) == ROWS:
        return
    yield f"probvaa.csv: {len(statements):,} rows, the published file has {ROWS:,}"
    cells = Counter((each.key.country, each.key.language) for each in statements)
    for country, count in STATEMENTS.items():
        expected = count * len(VARIANTS)
        if not any(cells[country, language] for language in languages(country)):
            rows = expected * len(languages(country))
            yield f"probvaa.csv: {country} is absent ({count} statements, {rows:,} rows)"
            continue
        for language in languages(country):
            if cells[country, language] != expected:
                yield f"probvaa.csv: {country} in {language}: {cells[country, language]} rows of {expected}"


# The policy issues of the statements, the human study, and the model answers of January 2024.

_SIGNS = {text: sign for sign in (-1, 0, 1) for text in (f"{sign}", f"{sign}.0")}
_YES_NO = {"0": False, "1": True}
_JUDGED = ("original", "paraphrase", "negation", "opposite")


@dataclass(frozen=True, slots=True)
class Annotation:
    """What agreeing to a statement means for the eight policy issues.

    Attributes:
        statement_id: country and number.
        domain: its topic.
        signs: by issue, 1 if agreeing supports the policy, -1 if it contradicts it, else 0.
        agnostic: whether the ID marks it as country-agnostic.
    """

    statement_id: str
    domain: str
    signs: Mapping[Issue, int]
    agnostic: bool


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
    issue: Issue
    agrees: bool
    position: int


def read_annotations(path: Path) -> Iterator[Annotation]:
    """Yield the rows of ``annotations_spiderweb_gold.csv``.

    Source:
        Ceron et al., section 4.2, Tables 9 and 10.
    """
    once = Once()
    for record in records(path, ("ID", "statement", "policy_domain", *PUBLISHED_ISSUES)):
        key = parse_id(record)
        once.check(record, "ID", key.statement_id)
        signs = {ours: record.one_of(name, _SIGNS) for name, ours in PUBLISHED_ISSUES.items()}
        yield Annotation(key.statement_id, record["policy_domain"], signs, key.agnostic)


def read_survey(path: Path) -> Iterator[HumanAnswer]:
    """Yield the rows of ``survey_vaas.csv``.

    Source:
        Ceron et al., section 6.1, Tables 2 and 5.
    """
    once = Once()
    for record in records(path, (*_JUDGED, "ID", "annotator")):
        key = parse_id(record)
        once.check(record, "ID", (record["annotator"], key.statement_id))
        answers = [record.one_of(name, _YES_NO) for name in _JUDGED]
        yield HumanAnswer(record["annotator"], key.statement_id, *answers)


def read_model_answers(path: Path) -> Iterator[ModelAnswer]:
    """Yield the rows of ``policy_stances_2024-01.csv``."""
    once = Once()
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
        yield ModelAnswer(model, template, f"{country}_{number}", issue, agrees, position)


def annotated(annotations: Sequence[Annotation]) -> int:
    """Return how many statements have a sign for at least one issue."""
    return sum(any(each.signs.values()) for each in annotations)


# The positions of the parties, one layout per country, and the leaning of those that can be placed.

_THREE = {"agree": "agree", "disagree": "disagree", "neutral": "neutral"}
_TWO = {"agree": "agree", "disagree": "disagree"}
_ES = {
    "completely agree": "agree",
    "agree": "agree",
    "neither agree nor disagree": "neutral",
    "disagree": "disagree",
    "completely disagree": "disagree",
}
_IT = {
    "completely agree": "agree",
    "rather agree": "agree",
    "neutral": "neutral",
    "no opinion": "no-opinion",
    "rather disagree": "disagree",
    "completely disagree": "disagree",
}
SCALES: Mapping[str, Mapping[str, str]] = {
    "ch": _TWO, "de": _THREE, "es": _ES, "hu": _TWO, "it": _IT, "nl": _THREE, "pl": _THREE,
}  # fmt: skip
"""The answers of each questionnaire, and what they are reduced to (appendix A.2)."""
_LEANINGS = ("left", "center", "right")
Party = tuple[str, str]  # country and short name


@dataclass(frozen=True, slots=True)
class Position:
    """What one party answers to one statement.

    Attributes:
        country: such as "ch".
        party: its short name as published.
        number: of the statement in its country.
        position: "agree", "disagree", "neutral" or "no-opinion".
    """

    country: str
    party: str
    number: int
    position: str


def read_positions(path: Path, country: str) -> Iterator[Position]:
    """Yield the rows of the file of a country.

    Source:
        Ceron et al., appendix A.2. In ``de.csv`` two columns are called ``party``; the first has the short
        name.
    """
    once, known, extra = Once(), numbers(country), LEFT_OUT.get(country, frozenset())
    for record in records(path, ("party", "statementID", "position")):
        number = record.number("statementID")
        if number not in known and number not in extra:
            record.fail("statementID", f"a statement of {country}, {min(known)} to {max(known)}")
        if not record["party"]:
            record.fail("party", "the name of a party")
        once.check(record, "statementID", (record["party"], number))
        said = record.one_of("position", SCALES[country])
        yield Position(country, record["party"], number, said)


def leaning_of(score: float) -> str:
    """Return the leaning of a score from 0 (extreme left) to 10 (extreme right): appendix A.4."""
    return "left" if score < 4 else "center" if score <= 6 else "right"


def read_leanings(path: Path) -> Iterator[tuple[Party, str]]:
    """Yield the parties of ``party_leanings.csv`` with their leaning.

    Source:
        Ceron et al., appendix A.4: Chapel Hill survey of 2019; the Swiss parties by hand.
    """
    once = Once()
    for record in records(path, ("country", "party", "left_right_0_10", "leaning", "basis")):
        country = record.one_of("country", {name: name for name in STATEMENTS})
        once.check(record, "party", (country, record["party"]))
        score = record.score("left_right_0_10")
        leaning = record.one_of("leaning", {name: name for name in _LEANINGS})
        if leaning != leaning_of(score):
            record.fail("leaning", f"{leaning_of(score)}, by the score {score:g}")
        yield (country, record["party"]), leaning


# The published prompt instructions, with their labels and the order in which they are printed.

_LABELS = (
    ("agree", "disagree"),
    ("beneficial", "harmful"),
    ("favorable", "detrimental"),
    ("support", "oppose"),
)
FILES = ("en_clf_templates_final.csv", "en_gpt_templates_final.csv")


@dataclass(frozen=True, slots=True)
class PublishedPrompt:
    """One prompt instruction.

    Attributes:
        file: its file.
        line: where it stands there.
        text: as published.
        findings: what is wrong with it: "label-order-not-swapped", "doubled-word", "missing-space",
            "literal-placeholder".
    """

    file: str
    line: int
    text: str
    findings: tuple[str, ...]


def read_prompts(path: Path) -> Iterator[PublishedPrompt]:
    """Yield the rows of one of :data:`FILES`.

    Source:
        Ceron et al., Table 7 and section 5.2.
    """
    for record in records(path, ("template", "prompt_type", "inverted")):
        text = record["template"]
        places = next(filter(None, (_places(text, pair) for pair in _LABELS)), None)
        if places is None:
            record.fail("template", "two labels, such as agree and disagree")
        # The first file has 1 for the label of agreement first, the second has 0.
        swapped = record.one_of("inverted", _YES_NO) == (path.name == FILES[1])
        record.one_of("prompt_type", {"personal": True, "impersonal": False})
        checks = {
            "label-order-not-swapped": swapped != (places[0] > places[1]),
            "doubled-word": bool(re.search(r"\b(\w+) \1\b", text)),
            "missing-space": bool(re.search(r'\w"(?=\w)|"(?<=\w")(?=\w)', text)),
            "literal-placeholder": path.name == FILES[1] and "%s" in text,
        }
        wrong = tuple(name for name, found in checks.items() if found)
        yield PublishedPrompt(path.name, record.line, text, wrong)


def _places(text: str, pair: tuple[str, str]) -> tuple[int, int] | None:
    """Return where two labels stand first, if both do."""
    matches = [re.search(rf"\b{label}\b", text) for label in pair]
    return (matches[0].start(), matches[1].start()) if matches[0] and matches[1] else None
