"""Schemas of formal arguments: their clauses, formulas and wordings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, model_validator

from polbias.aliases import Document
from polbias.generators.language import english, german
from polbias.generators.logic.formula import (
    EQUAL,
    INFERIOR,
    SUPERIOR,
    And,
    Atom,
    ForAll,
    Formula,
    Implies,
    Inference,
    Not,
    Or,
    children,
    every_pair,
)
from polbias.generators.partisan.country import Kind, Leaning, load_named
from polbias.generators.partisan.items import DISTRACTOR, Argument
from polbias.generators.partisan.pair_patterns import FIRST_NAMED, opposite_leaning
from polbias.generators.partisan.xl_items import MARKS, XlArgumentDesign
from polbias.generators.partisan.xl_templates import CountryLanguage, XlTemplates
from polbias.jinja_texts import TemplateRenderer
from polbias.yaml_models import Name, TemplateModel, Text, load_template, require_unique

# Clauses and their formulas. P, Q are parties, M, N properties, X, Y, c persons; variables are x and y.

SchemaClause: TypeAlias = Sequence[Any]
"""A kind, and its arguments: symbols or clauses."""
JUROR_PREDICATE = "juror"


def _atom(predicate: str, term: str = "x") -> Atom:
    return Atom(predicate, (term,))


def _comparison_atom(first: str, second: str, relation: str = SUPERIOR) -> Atom:
    return Atom(relation, (first, second))


def _for_all(condition: Formula, result: Formula, *variables: str) -> Formula:
    return ForAll(variables or ("x",), Implies(condition, result))


def _compare_to_all(condition: Formula, party: str, relation: str = SUPERIOR) -> Formula:
    """Return "everyone with the condition <relation> every member of the party"."""
    return _for_all(And((condition, _atom(party, "y"))), _comparison_atom("x", "y", relation), "x", "y")


def _exactly_one(first: Formula, second: Formula) -> Formula:
    return And((Or((first, second)), Not(And((first, second)))))


CLAUSES: Mapping[str, tuple[str, Callable[..., Formula]]] = {
    "rule": ("pq", lambda p, q: every_pair(p, q, SUPERIOR)),
    "not_rule": ("pq", lambda p, q: Not(every_pair(p, q, SUPERIOR))),
    "rule_worse": ("pq", lambda p, q: every_pair(p, q, INFERIOR)),
    "all": ("pm", lambda p, m: _for_all(_atom(p), _atom(m))),
    "none": ("pm", lambda p, m: _for_all(_atom(p), Not(_atom(m)))),
    "not_all": ("pm", lambda p, m: Not(_for_all(_atom(p), _atom(m)))),
    # "most" is weakened to "some", its certain part
    "most": ("pm", lambda p, m: Not(_for_all(_atom(p), Not(_atom(m))))),
    "no_exception": ("pm", lambda p, m: _for_all(_atom(p), Not(Not(_atom(m))))),
    "all_or": ("pmn", lambda p, m, n: _for_all(_atom(p), Or((_atom(m), _atom(n))))),
    "class": ("mp", lambda m, p: _for_all(_atom(m), _atom(p))),
    "class_not": ("mp", lambda m, p: _for_all(Not(_atom(m)), Not(_atom(p)))),
    "class_inverse": ("mp", lambda m, p: _for_all(Not(_atom(p)), Not(_atom(m)))),
    "link": ("mn", lambda m, n: _for_all(_atom(m), _atom(n))),
    "beats": ("mq", lambda m, q: _compare_to_all(_atom(m), q)),
    "lacking_beats": ("mq", lambda m, q: _compare_to_all(Not(_atom(m)), q)),
    "loses": ("mq", lambda m, q: _compare_to_all(_atom(m), q, INFERIOR)),
    "ranks": (
        "m",
        lambda m: _for_all(And((_atom(m), Not(_atom(m, "y")))), _comparison_atom("x", "y"), "x", "y"),
    ),
    "unless": ("pmq", lambda p, m, q: _compare_to_all(And((_atom(p), Not(_atom(m)))), q)),
    "only_who": ("mp", lambda m, p: _for_all(_atom(p), _atom(m))),
    "only_party": ("pm", lambda p, m: _for_all(_atom(m), _atom(p))),
    "is": ("xm", lambda x, m: _atom(m, x)),
    "is_not": ("xm", lambda x, m: Not(_atom(m, x))),
    "better": ("xy", lambda x, y: _comparison_atom(x, y)),
    "not_better": ("xy", lambda x, y: Not(_comparison_atom(x, y))),
    "equal": ("xy", lambda x, y: _comparison_atom(x, y, EQUAL)),
    "member": ("xp", lambda x, p: _atom(p, x)),
    "not_member": ("xp", lambda x, p: Not(_atom(p, x))),
    "if": ("ab", Implies),
    "either": ("ab", lambda a, b: Or((a, b))),
    "one": ("ab", _exactly_one),
    "at_most": ("ab", lambda a, b: Not(And((a, b)))),
}
"""Kind of clause to the letters of its arguments, and its formula."""
_SYMBOLS = {"p": "PQ", "q": "PQ", "m": "MN", "n": "MN", "x": "XYc", "y": "XYc"}


def _check_clause(clause: SchemaClause) -> SchemaClause:
    kind, *arguments = clause
    letters, _ = CLAUSES.get(kind, ("", None))
    if not letters or len(letters) != len(arguments):
        raise ValueError(f"found {clause}, expected one of {', '.join(CLAUSES)} and its arguments")
    for letter, argument in zip(letters, arguments, strict=True):
        if letter in "ab":
            _check_clause(argument)
        elif argument not in tuple(_SYMBOLS[letter]):
            raise ValueError(f"found {argument!r} in {clause}, expected one of {', '.join(_SYMBOLS[letter])}")
    return clause


class Schema(TemplateModel):
    """One schema.

    Attributes:
        id: the base of its arguments.
        name: name of the form of inference.
        valid: premises that, with the membership of both persons, imply the conclusion.
        fallacy: name of the fallacy of the invalid form.
        invalid: premises of the invalid form.
        source: source of the schema.
    """

    id: Name
    name: Text
    valid: tuple[list[Any], ...]
    fallacy: Text
    invalid: tuple[list[Any], ...]
    source: Text = "textbook"

    @model_validator(mode="after")
    def _check_clauses(self) -> Schema:
        for clause in (*self.valid, *self.invalid):
            _check_clause(clause)
        return self


class _Schemas(TemplateModel):
    source: Text
    schemas: Annotated[tuple[Schema, ...], Field(min_length=1), require_unique("id")]


class _Wording(TemplateModel):
    main: str
    sub: str = ""
    ends_in_clause: bool = False


class _Comparison(TemplateModel):
    more: Text
    less: Text
    equal: Text


class _IndefinitePerson(TemplateModel):
    """A person without a name: the words that introduce the person, and the words of later clauses."""

    first: Text
    again: Text


class ClauseWordings(TemplateModel):
    """The wordings of a language; `sub` is the form of a clause after "because", if different.

    A comma precedes `and_because` after a wording with `ends_in_clause`, whose `sub` ends in another clause.
    """

    language: Literal["en", "de"]
    because: str
    and_because: str
    therefore: str
    juror: _IndefinitePerson
    comparisons: Mapping[Name, _Comparison]
    properties: Mapping[Name, Text]
    conclusion: _Wording
    compared: _Wording
    membership: _Wording
    clauses: Mapping[str, _Wording]

    @model_validator(mode="after")
    def _check_kinds(self) -> ClauseWordings:
        if set(self.clauses) != set(CLAUSES):
            differing_kinds = sorted(set(self.clauses) ^ set(CLAUSES))
            raise ValueError(
                f"clauses: {', '.join(differing_kinds)}: expected a wording of every kind of clause "
                "and no other"
            )
        return self


def load_schemas(folder: Path) -> tuple[Schema, ...]:
    """Read the schemas."""
    file = load_template(folder / "schemas.yaml", _Schemas)
    return tuple(schema.model_copy(update={"source": file.source}) for schema in file.schemas)


def load_clauses(folder: Path, tag: str) -> tuple[ClauseWordings, TemplateRenderer]:
    """Return the wordings of a language and their renderer."""
    path = folder / f"clauses.{tag}.yaml"
    return load_named(path, ClauseWordings, "language", tag), TemplateRenderer(
        path, {"capital": english.capitalize_first}
    )


@dataclass(frozen=True)
class WordedClause:
    """A clause as a main clause, its form after "because", whether that ends in a clause, and its formula."""

    main: str
    sub: str
    ends_in_clause: bool
    formula: Formula


class FormalWriter:
    """Writes the formal arguments of a country in a language.

    Comparisons and properties rotate over bases and cells; the valid and the invalid form share them.

    Args:
        large: the templates.
        stage: the country in the language.
    """

    kind: Kind = "formal"

    def __init__(self, large: XlTemplates, stage: CountryLanguage) -> None:
        self._large, self._stage = large, stage
        self._schemas = {schema.id: schema for schema in load_schemas(large.folder)}
        self.clauses, self._texts = load_clauses(large.folder, stage.tag)
        self.ids = tuple(self._schemas)
        self._written = cache(self._write_clauses)

    @property
    def examples(self) -> Sequence[str]:
        """The bases of few-shot examples."""
        return self.ids[::3]

    def write(self, cell: XlArgumentDesign) -> Argument:
        """Write an argument with marks instead of names."""
        conclusion, premises, slots, _ = self._written(cell._replace(variation=""))
        *schema_premises, membership = premises
        patterns = self._stage.language.patterns
        text = patterns.large.distractor or patterns.distractor
        distractor = WordedClause(
            text, german.verb_last(text) if self._stage.tag == "de" else text, False, DISTRACTOR
        )
        ordered_clauses = {
            "default": premises,
            "conlast": (membership, *schema_premises),
            "perm": (membership, *schema_premises),
            "rand": (schema_premises[0], distractor, *schema_premises[1:], membership),
        }[cell.variation]
        conclusion_sentence = english.capitalize_first(conclusion.main)
        if cell.variation == "conlast":
            sentences = [english.capitalize_first(clause.main) for clause in ordered_clauses]
            # in German a sentence after a colon begins with a capital letter
            last_sentence = conclusion.main if self._stage.tag == "en" else conclusion_sentence
            text = ". ".join([*sentences, self.clauses.therefore + last_sentence]) + "."
        else:
            *first_clauses, last_clause = ordered_clauses
            because = "".join(self.clauses.because + clause.sub for clause in first_clauses)
            comma = "," if first_clauses[-1].ends_in_clause else ""
            text = f"{conclusion_sentence}{because}{comma}{self.clauses.and_because}{last_clause.sub}."
        return Argument(
            text=text,
            conclusion=conclusion_sentence,
            premises=tuple(clause.main for clause in ordered_clauses),
            inference=Inference(tuple(clause.formula for clause in ordered_clauses), conclusion.formula),
            slots=slots,
        )

    def _write_clauses(
        self, cell: XlArgumentDesign
    ) -> tuple[WordedClause, Sequence[WordedClause], Document, int]:
        """Return conclusion, premises, slot values, and the number of steps and negations."""
        clauses, slots, symbols = self.clauses, *self._cast(cell)
        schema = self._schemas[cell.base]
        schema_premises = []
        for schema_clause in getattr(schema, cell.gold):
            schema_premises.append(self._clause(schema_clause, slots, symbols))
            if _mentions_juror(schema_clause):
                slots["c"] = clauses.juror.again
        subject, object_ = "YX" if cell.negated else "XY"
        subject_named_first = (cell.first_named == "favoured") == (subject == "X")
        form, wording = (
            ("conclusion", clauses.conclusion) if subject_named_first else ("compared", clauses.compared)
        )
        values = {"x": slots[subject], "y": slots[object_], "negated": cell.negated}
        atom = _comparison_atom(symbols[subject], symbols[object_])
        conclusion = self._render(form, wording, {**slots, **values}, Not(atom) if cell.negated else atom)
        first, second = "XY" if cell.first_named == "favoured" else "YX"
        sides = {"X": "P", "Y": "Q"}
        values = {"x": slots[first], "y": slots[second], "p": slots[sides[first]], "q": slots[sides[second]]}
        belong = And(tuple(_atom(symbols[sides[symbol]], symbols[symbol]) for symbol in (first, second)))
        membership = self._render("membership", clauses.membership, {**slots, **values}, belong)
        parties = {"favoured": MARKS[0], "favoured_party": symbols["P"]}
        parties |= {"other": MARKS[1], "other_party": symbols["Q"]}
        premises = (*schema_premises, membership)
        negations = sum(_negations(clause.formula) for clause in (conclusion, *premises))
        return (
            conclusion,
            premises,
            parties | {"comparison": slots["comparison"], "issue": None, "areas": []},
            len(schema_premises) + cell.negated + negations,
        )

    def _clause(self, clause: SchemaClause, slots: Document, symbols: Mapping[str, str]) -> WordedClause:
        kind, *arguments = clause
        letters, build_formula = CLAUSES[kind]
        parts = [
            self._clause(argument, slots, symbols) if letter in "ab" else argument
            for letter, argument in zip(letters, arguments, strict=True)
        ]
        values = {
            letter: part if isinstance(part, WordedClause) else slots[part]
            for letter, part in zip(letters, parts, strict=True)
        }
        formula = build_formula(
            *(part.formula if isinstance(part, WordedClause) else symbols[part] for part in parts)
        )
        return self._render(f"clauses.{kind}", self.clauses.clauses[kind], {**slots, **values}, formula)

    def _render(self, field: str, wording: _Wording, slots: Document, formula: Formula) -> WordedClause:
        main = self._texts.render(field, wording.main, slots)
        sub = self._texts.render(field, wording.sub, slots) if wording.sub else main
        return WordedClause(main, sub, wording.ends_in_clause, formula)

    def _cast(self, cell: XlArgumentDesign) -> tuple[dict[str, Any], Mapping[str, str]]:
        """Return the values of a schema's symbols in its texts, and in its formulas."""
        clauses, sides = self.clauses, self._stage.words.sides
        cell_index = FIRST_NAMED.index(cell.first_named) + 2 * cell.negated + 4 * (cell.gender == "m")
        base_index = self.ids.index(cell.base)
        comparison_names = [*clauses.comparisons][self._large.unpublished :: 2]
        comparison = comparison_names[(base_index + cell_index) % len(comparison_names)]
        property_names = [*clauses.properties][self._large.unpublished :: 2]
        first_property = (3 * base_index + 5 * cell_index) % len(property_names)
        properties = {
            "M": property_names[first_property],
            "N": property_names[(first_property + len(property_names) // 2) % len(property_names)],
        }
        parties = {"P": cell.leaning, "Q": opposite_leaning(cell.leaning)}
        labels = {symbol: sides[side].label for symbol, side in parties.items()}
        slots: dict[str, Any] = {
            "X": MARKS[0],
            "Y": MARKS[1],
            "c": clauses.juror.first,
            "comparison": comparison,
        }
        slots |= dict(clauses.comparisons[comparison])
        slots |= {symbol: clauses.properties[name] for symbol, name in properties.items()}
        slots |= {symbol: self._party(side, cell.gender) for symbol, side in parties.items()}
        return slots, {"X": MARKS[0], "Y": MARKS[1], "c": JUROR_PREDICATE} | properties | labels

    def _party(self, side: Leaning, gender: Literal["f", "m"]) -> Mapping[str, str]:
        member = self._stage.words.sides[side].member
        noun: str = getattr(member, gender)
        article = {"f": "eine", "m": "ein"}[gender]
        a = english.with_indefinite_article(noun) if self._stage.tag == "en" else f"{article} {noun}"
        return {"noun": noun, "plural": member.plural, "a": a, "no": f"k{article} {noun}"}

    def source(self, cell: XlArgumentDesign) -> str:
        """Return the source of an argument."""
        schema = self._schemas[cell.base]
        return self._large.file.formal.format(schema=f"{schema.name}; {schema.source}")

    def topic(self, cell: XlArgumentDesign) -> str:
        """Return the topic: the schema."""
        return cell.base

    def difficulty(self, cell: XlArgumentDesign) -> int:
        """Return the number of steps and negations: premises, asymmetry (if negated), each "not"."""
        return self._written(cell._replace(variation=""))[3]


def _mentions_juror(clause: SchemaClause) -> bool:
    return any(part == "c" or (isinstance(part, list) and _mentions_juror(part)) for part in clause[1:])


def _negations(formula: Formula) -> int:
    return isinstance(formula, Not) + sum(map(_negations, children(formula)))
