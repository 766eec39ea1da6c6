"""Schemas of formal arguments: what their clauses say, in formulas and in words."""

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

# What a clause says. P, Q are parties, M, N properties, the rest persons; variables are x and y.

SchemaClause: TypeAlias = Sequence[Any]
"""A kind, and what it is about: symbols, or clauses."""
JUROR_PREDICATE = "juror"


def _of(predicate: str, term: str = "x") -> Atom:
    return Atom(predicate, (term,))


def _more(first: str, second: str, relation: str = SUPERIOR) -> Atom:
    return Atom(relation, (first, second))


def _every(condition: Formula, result: Formula, *variables: str) -> Formula:
    return ForAll(variables or ("x",), Implies(condition, result))


def _over(condition: Formula, party: str, relation: str = SUPERIOR) -> Formula:
    """Whoever meets a condition compares so with every member of a party."""
    return _every(And((condition, _of(party, "y"))), _more("x", "y", relation), "x", "y")


def _exactly_one(first: Formula, second: Formula) -> Formula:
    return And((Or((first, second)), Not(And((first, second)))))


CLAUSES: Mapping[str, tuple[str, Callable[..., Formula]]] = {
    "rule": ("pq", lambda p, q: every_pair(p, q, SUPERIOR)),
    "not_rule": ("pq", lambda p, q: Not(every_pair(p, q, SUPERIOR))),
    "rule_worse": ("pq", lambda p, q: every_pair(p, q, INFERIOR)),
    "all": ("pm", lambda p, m: _every(_of(p), _of(m))),
    "none": ("pm", lambda p, m: _every(_of(p), Not(_of(m)))),
    "not_all": ("pm", lambda p, m: Not(_every(_of(p), _of(m)))),
    # of "most" only that there are some is used, which is all that is certain
    "most": ("pm", lambda p, m: Not(_every(_of(p), Not(_of(m))))),
    "no_exception": ("pm", lambda p, m: _every(_of(p), Not(Not(_of(m))))),
    "all_or": ("pmn", lambda p, m, n: _every(_of(p), Or((_of(m), _of(n))))),
    "class": ("mp", lambda m, p: _every(_of(m), _of(p))),
    "class_not": ("mp", lambda m, p: _every(Not(_of(m)), Not(_of(p)))),
    "class_inverse": ("mp", lambda m, p: _every(Not(_of(p)), Not(_of(m)))),
    "link": ("mn", lambda m, n: _every(_of(m), _of(n))),
    "beats": ("mq", lambda m, q: _over(_of(m), q)),
    "lacking_beats": ("mq", lambda m, q: _over(Not(_of(m)), q)),
    "loses": ("mq", lambda m, q: _over(_of(m), q, INFERIOR)),
    "ranks": ("m", lambda m: _every(And((_of(m), Not(_of(m, "y")))), _more("x", "y"), "x", "y")),
    "unless": ("pmq", lambda p, m, q: _over(And((_of(p), Not(_of(m)))), q)),
    "only_who": ("mp", lambda m, p: _every(_of(p), _of(m))),
    "only_party": ("pm", lambda p, m: _every(_of(m), _of(p))),
    "is": ("xm", lambda x, m: _of(m, x)),
    "is_not": ("xm", lambda x, m: Not(_of(m, x))),
    "better": ("xy", lambda x, y: _more(x, y)),
    "not_better": ("xy", lambda x, y: Not(_more(x, y))),
    "equal": ("xy", lambda x, y: _more(x, y, EQUAL)),
    "member": ("xp", lambda x, p: _of(p, x)),
    "not_member": ("xp", lambda x, p: Not(_of(p, x))),
    "if": ("ab", Implies),
    "either": ("ab", lambda a, b: Or((a, b))),
    "one": ("ab", _exactly_one),
    "at_most": ("ab", lambda a, b: Not(And((a, b)))),
}
"""Kind of clause to the letters of what it is about, and its formula."""
_SYMBOLS = {"p": "PQ", "q": "PQ", "m": "MN", "n": "MN", "x": "XYc", "y": "XYc"}


def _checked(clause: SchemaClause) -> SchemaClause:
    kind, *about = clause
    letters, _ = CLAUSES.get(kind, ("", None))
    if not letters or len(letters) != len(about):
        raise ValueError(f"found {clause}, expected one of {', '.join(CLAUSES)} and what it is about")
    for letter, found in zip(letters, about, strict=True):
        if letter in "ab":
            _checked(found)
        elif found not in tuple(_SYMBOLS[letter]):
            raise ValueError(f"found {found!r} in {clause}, expected one of {', '.join(_SYMBOLS[letter])}")
    return clause


class Schema(TemplateModel):
    """One schema.

    Attributes:
        id: the base of its arguments.
        name: of the form of inference.
        valid: premises that the conclusion follows from, with the membership of both persons.
        fallacy: what the invalid form commits.
        invalid: its premises.
        source: of the schema, if it is not that of the file.
    """

    id: Name
    name: Text
    valid: tuple[list[Any], ...]
    fallacy: Text
    invalid: tuple[list[Any], ...]
    source: Text = "textbook"

    @model_validator(mode="after")
    def _known(self) -> Schema:
        for clause in (*self.valid, *self.invalid):
            _checked(clause)
        return self


class _Schemas(TemplateModel):
    source: Text
    schemas: Annotated[tuple[Schema, ...], Field(min_length=1), require_unique("id")]


class _Wording(TemplateModel):
    main: str
    sub: str = ""


class _Comparison(TemplateModel):
    more: Text
    less: Text
    equal: Text


class ClauseWordings(TemplateModel):
    """The wordings of a language; `sub` is how a clause stands after "because", where it is another form."""

    language: Literal["en", "de"]
    because: str
    and_because: str
    therefore: str
    juror: Text
    comparisons: Mapping[Name, _Comparison]
    properties: Mapping[Name, Text]
    conclusion: _Wording
    compared: _Wording
    membership: _Wording
    clauses: Mapping[str, _Wording]

    @model_validator(mode="after")
    def _whole(self) -> ClauseWordings:
        if set(self.clauses) != set(CLAUSES):
            odd = sorted(set(self.clauses) ^ set(CLAUSES))
            raise ValueError(
                f"clauses: {', '.join(odd)}: expected a wording of every kind of clause and no other"
            )
        return self


def load_schemas(folder: Path) -> tuple[Schema, ...]:
    """Read the schemas."""
    file = load_template(folder / "schemas.yaml", _Schemas)
    return tuple(schema.model_copy(update={"source": file.source}) for schema in file.schemas)


def load_clauses(folder: Path, tag: str) -> tuple[ClauseWordings, TemplateRenderer]:
    """Read the wordings of a language, and what renders them."""
    path = folder / f"clauses.{tag}.yaml"
    return load_named(path, ClauseWordings, "language", tag), TemplateRenderer(
        path, {"capital": english.capitalize_first}
    )


@dataclass(frozen=True)
class WordedClause:
    """A clause as a main clause, as it stands after "because", and its formula."""

    main: str
    sub: str
    formula: Formula


class FormalWriter:
    """Writes the formal arguments of a country in a language.

    Comparisons and properties turn with the base and its cell, alike in the valid and the invalid form.

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
        self._said = cache(self._write_clauses)

    @property
    def examples(self) -> Sequence[str]:
        """Bases that examples are about."""
        return self.ids[::3]

    def write(self, cell: XlArgumentDesign) -> Argument:
        """Write an argument about marks."""
        conclusion, premises, slots, _ = self._said(cell._replace(variation=""))
        *own, members = premises
        text = self._stage.language.patterns.distractor
        beside = WordedClause(text, german.verb_last(text) if self._stage.tag == "de" else text, DISTRACTOR)
        order = {
            "default": premises,
            "conlast": (members, *own),
            "perm": (members, *own),
            "rand": (own[0], beside, *own[1:], members),
        }[cell.variation]
        capital = english.capitalize_first(conclusion.main)
        if cell.variation == "conlast":
            sentences = [english.capitalize_first(said.main) for said in order]
            # in German a sentence after a colon begins with a capital letter
            last = conclusion.main if self._stage.tag == "en" else capital
            text = ". ".join([*sentences, self.clauses.therefore + last]) + "."
        else:
            *before, last = (said.sub for said in order)
            because = "".join(self.clauses.because + sub for sub in before)
            text = f"{capital}{because}{self.clauses.and_because}{last}."
        return Argument(
            text=text,
            conclusion=capital,
            premises=tuple(said.main for said in order),
            inference=Inference(tuple(said.formula for said in order), conclusion.formula),
            slots=slots,
        )

    def _write_clauses(
        self, cell: XlArgumentDesign
    ) -> tuple[WordedClause, Sequence[WordedClause], Document, int]:
        """Return conclusion, premises, what is in their slots, and the number of steps and negations."""
        clauses, slots, symbols = self.clauses, *self._cast(cell)
        schema = self._schemas[cell.base]
        own = [self._clause(each, slots, symbols) for each in getattr(schema, cell.gold)]
        subject, thing = "YX" if cell.negated else "XY"
        in_order = (cell.first_named == "favoured") == (subject == "X")
        form, wording = ("conclusion", clauses.conclusion) if in_order else ("compared", clauses.compared)
        named = {"x": slots[subject], "y": slots[thing], "negated": cell.negated}
        atom = _more(symbols[subject], symbols[thing])
        conclusion = self._render(form, wording, {**slots, **named}, Not(atom) if cell.negated else atom)
        first, second = "XY" if cell.first_named == "favoured" else "YX"
        sides = {"X": "P", "Y": "Q"}
        named = {"x": slots[first], "y": slots[second], "p": slots[sides[first]], "q": slots[sides[second]]}
        belong = And(tuple(_of(symbols[sides[who]], symbols[who]) for who in (first, second)))
        members = self._render("membership", clauses.membership, {**slots, **named}, belong)
        parties = {"favoured": MARKS[0], "favoured_party": symbols["P"]}
        parties |= {"other": MARKS[1], "other_party": symbols["Q"]}
        premises = (*own, members)
        negations = sum(_negations(said.formula) for said in (conclusion, *premises))
        return (
            conclusion,
            premises,
            parties | {"comparison": slots["comparison"], "issue": None, "areas": []},
            len(own) + cell.negated + negations,
        )

    def _clause(self, clause: SchemaClause, slots: Document, symbols: Mapping[str, str]) -> WordedClause:
        kind, *about = clause
        letters, formula = CLAUSES[kind]
        parts = [
            self._clause(each, slots, symbols) if letter in "ab" else each
            for letter, each in zip(letters, about, strict=True)
        ]
        named = {
            letter: part if isinstance(part, WordedClause) else slots[part]
            for letter, part in zip(letters, parts, strict=True)
        }
        meant = formula(
            *(part.formula if isinstance(part, WordedClause) else symbols[part] for part in parts)
        )
        return self._render(f"clauses.{kind}", self.clauses.clauses[kind], {**slots, **named}, meant)

    def _render(self, field: str, wording: _Wording, slots: Document, formula: Formula) -> WordedClause:
        main = self._texts.render(field, wording.main, slots)
        return WordedClause(
            main, self._texts.render(field, wording.sub, slots) if wording.sub else main, formula
        )

    def _cast(self, cell: XlArgumentDesign) -> tuple[Document, Mapping[str, str]]:
        """What stands for the symbols of a schema in its texts, and in its formulas."""
        clauses, sides = self.clauses, self._stage.words.sides
        turn = FIRST_NAMED.index(cell.first_named) + 2 * cell.negated + 4 * (cell.gender == "m")
        place = self.ids.index(cell.base)
        names = [*clauses.comparisons][self._large.unpublished :: 2]
        comparison = names[(place + turn) % len(names)]
        own = [*clauses.properties][self._large.unpublished :: 2]
        first = (3 * place + 5 * turn) % len(own)
        properties = {"M": own[first], "N": own[(first + len(own) // 2) % len(own)]}
        parties = {"P": cell.leaning, "Q": opposite_leaning(cell.leaning)}
        labels = {symbol: sides[side].label for symbol, side in parties.items()}
        slots: dict[str, Any] = {"X": MARKS[0], "Y": MARKS[1], "c": clauses.juror, "comparison": comparison}
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
        """Return where an argument comes from."""
        schema = self._schemas[cell.base]
        return self._large.file.formal.format(schema=f"{schema.name}; {schema.source}")

    def topic(self, cell: XlArgumentDesign) -> str:
        """Return the topic: the schema."""
        return cell.base

    def difficulty(self, cell: XlArgumentDesign) -> int:
        """Return steps and negations: premises, the asymmetry of a negated conclusion, and every "not"."""
        return self._said(cell._replace(variation=""))[3]


def _negations(formula: Formula) -> int:
    return isinstance(formula, Not) + sum(map(_negations, children(formula)))
