"""Arguments of the large set: formal ones by schema and material ones by issue, either person named first."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, Protocol

from polbias.aliases import Document
from polbias.generators.language import english
from polbias.generators.partisan.arguments import (
    FIRST_NAMED,
    NEGATED,
    Argument,
    FirstNamed,
    laid_out,
    other,
)
from polbias.generators.partisan.country import GENDERS, Leaning, PersonGender
from polbias.generators.partisan.templates import GOLDS, VARIATIONS, Gold, Kind
from polbias.generators.partisan.xl_family import Areas, Large, Stage, Stand, position

# Stand in a text for the names of the person whom the argument favours and of the other one.
MARKS = ("\ue000", "\ue001")


class Writer(Protocol):
    """Writes the arguments of one kind."""

    kind: Kind

    @property
    def examples(self) -> Sequence[str]:
        """Bases that examples are about."""

    def write(self, cell: Cell) -> Argument:
        """Write an argument about marks."""


class Cell(NamedTuple):
    """What an argument of the large set is made from, beside its persons."""

    base: str
    gold: Gold
    first_named: FirstNamed
    negated: bool
    gender: PersonGender
    leaning: Leaning
    variation: str

    @property
    def pattern_id(self) -> str:
        """The base, and whether its conclusion is negated."""
        return self.base + NEGATED * self.negated


class Material:
    """Writes the material arguments of a country in a language.

    Args:
        large: the templates.
        stage: the country in the language.
    """

    kind: Kind = "material"

    def __init__(self, large: Large, stage: Stage) -> None:
        self._stage = stage
        self._issues: dict[str, Areas] = {**stage.goals, **stage.positions}
        self._large = large
        self._clauses = cache(self._write_clauses)

    @property
    def examples(self) -> Sequence[str]:
        """Bases that examples are about."""
        return [*self._stage.goals][::2]

    def issue(self, cell: Cell) -> str:
        """Return the issue of an argument: its base, or what its side stands for on the topic."""
        return cell.base if cell.base in self._issues else position(cell.base, cell.leaning)

    def write(self, cell: Cell) -> Argument:
        """Write an argument about marks."""
        conclusion, premises, slots = self._clauses(cell._replace(variation=""))
        language = self._stage.language
        layout = language.patterns.large.conlast if cell.variation == "conlast" else None
        text, spoken = laid_out(language, self.kind, cell.variation, conclusion, premises, layout)
        return Argument(text, english.capital(conclusion), spoken, None, slots)

    def _write_clauses(self, cell: Cell) -> tuple[str, Sequence[str], Document]:
        stage, language = self._stage, self._stage.language
        sides = [stage.words.sides[side] for side in (cell.leaning, other(cell.leaning))]
        issue, gender = self.issue(cell), cell.gender
        areas = list(getattr(self._issues[issue], stage.tag))
        cast = [
            {"name": name, "gender": gender, "member": getattr(side.member, gender), "group": side.group}
            for name, side in zip(MARKS, sides, strict=True)
        ]
        in_order = cell.first_named == "favoured"
        first, second = cast if in_order else cast[::-1]
        degree = language.patterns.material.degree[GOLDS[in_order != (cell.gold == "valid")]]
        slots: Document = {"first": first, "second": second, "negated": cell.negated}
        slots = {**slots, "domain": stage.words.domain, "degree": degree, "areas": areas}
        # Whoever is named first in the conclusion is its subject, or is compared with.
        form = "conclusion" if in_order != cell.negated else "compared"
        conclusion, *premises = (
            language.pattern_texts.render(f"large.{name}", getattr(language.patterns.large, name), slots)
            for name in (form, "competence", "membership")
        )
        said = {"favoured": MARKS[0], "favoured_party": sides[0].label}
        said |= {"other": MARKS[1], "other_party": sides[1].label}
        return conclusion, premises, said | {"comparison": None, "issue": issue, "areas": areas}

    def source(self, cell: Cell) -> str:
        """Return where an argument comes from."""
        issue = self._issues[self.issue(cell)]
        where = issue.source if isinstance(issue, Stand) else self._large.issues.source
        tables = self._stage.language.patterns.material.source
        return self._large.file.material.format(tables=tables, issue=where)

    def difficulty(self, cell: Cell) -> None:
        """A material argument has no steps."""


# Examples: blocks of two bases, one valid and one invalid, each with an argument for either side. A block
# has the other gold labels where the place of a row's cell is odd. No row sees an example about its own base.
SHOTS = 4
_ORDERS = ("abab", "baab", "aabb", "abab")


class Examples:
    """Few-shot examples of a country in a language.

    Args:
        stage: the country in the language.
        writer: of its arguments.
    """

    def __init__(self, stage: Stage, writer: Writer) -> None:
        self._stage, self._writer = stage, writer
        self._bases = writer.examples
        self.text = cache(self._write)

    @property
    def blocks(self) -> Sequence[str]:
        """Names of the blocks that rows are given by turns; none where there are too few bases for them."""
        return ("1", "2", "3") if len(self._bases) >= 2 * len(_ORDERS) else ()

    def block(self, number: int, cell: tuple[str, bool, str, str], base: str) -> tuple[int, bool]:
        """Return the block that a row sees, and whether its gold labels are exchanged.

        Args:
            number: of the block that it sees unless that is about the row's own base.
            cell: gender, whether negated, who is named first, and gold of the row.
            base: of the row.
        """
        gender, negated, first, gold = cell
        odd = GENDERS.index(gender) + negated + FIRST_NAMED.index(first) + GOLDS.index(gold)
        own = base in self._bases[2 * number - 2 : 2 * number]
        return (len(_ORDERS) if own else number), bool(odd % 2)

    def name(self, number: int, exchanged: bool) -> str:
        """Return the name of a block: its number and its last label."""
        return f"{number}/{self._gold(_ORDERS[number - 1][-1], exchanged)}"

    def around(self, instruction: str, shown: bool) -> tuple[str, str]:
        """Return what stands before and after the examples."""
        language = self._stage.language
        texts, file = language.instruction_texts, language.instructions
        slots = {"instruction": file.of(self._writer.kind)[instruction].text}
        if not shown:
            return texts.render("zero_shot", file.zero_shot, slots), ""
        before, _, after = texts.render("few_shot", file.few_shot, {**slots, "examples": MARKS[0]}).partition(
            MARKS[0]
        )
        return before, after

    def _write(self, number: int, exchanged: bool, leaning: Leaning) -> str:
        """Write the examples of a block, which begins with the row's side in every second one."""
        language, place = self._stage.language, number - 1
        sides = {"a": (leaning, other(leaning)), "b": (other(leaning), leaning)}
        seen = {"a": place % 2, "b": place % 2}
        written = []
        for which in _ORDERS[place]:
            second = which == "b"
            gold, gender = self._gold(which, exchanged), GENDERS[(place + second) % 2]
            cell = Cell(
                base=self._bases[2 * place + second],
                gold=gold,
                first_named=FIRST_NAMED[(place + second) % 2],
                negated=bool((place // 2 + second) % 2),
                gender=gender,
                leaning=sides[which][seen[which] % 2],
                variation=VARIATIONS[(place + 2 * second) % len(VARIATIONS)],
            )
            seen[which] += 1
            text = self._writer.write(cell).text
            for mark, name in zip(MARKS, self._stage.examples[gender][2 * place :], strict=False):
                text = text.replace(mark, name)
            slots = {"argument": text, "label": language.instructions.labels[gold]}
            written.append(language.instruction_texts.render("example", language.instructions.example, slots))
        return language.instructions.between_examples.join(written)

    def _gold(self, which: str, exchanged: bool) -> Gold:
        return GOLDS[(which == "b") != exchanged]
