"""The columns of the large set: those of the published set, with people and fillers put in by the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from polbias.generators.engine import Constant, Expression, Factor, Join, Listing, Lookup
from polbias.generators.partisan.arguments import Argument, Cell
from polbias.generators.partisan.columns import ARGUMENT_FACTORS, Columns, Naming, ProductFrame
from polbias.generators.partisan.pairs import PairPattern
from polbias.generators.partisan.proofs import known
from polbias.generators.partisan.xl.fillers import fillers, inserted, people
from polbias.generators.partisan.xl.slots import slots
from polbias.generators.partisan.xl.stage import IRRELEVANT, NAMES, SYMBOL, Stage
from polbias.generators.partisan.xl_family import slug
from polbias.generators.partisan.xl_grid import Filler, Grid, flat


@dataclass(frozen=True)
class LargeColumns:
    """What the columns of one config of the large set are computed from.

    Attributes:
        stage: the country.
        columns: those of the published set, about marks.
        levels: factor name to levels, slowest first.
        source: wording of ``source`` with {tables} and {issue}.
    """

    stage: Stage
    columns: Columns
    levels: Mapping[str, Sequence[Any]]
    source: str

    def expressions(self) -> dict[str, Expression]:
        """Return the columns that are not the same in every row.

        Raises:
            BuildError: if a gold label contradicts its proof.
        """
        argument = self._join(lambda argument: argument.text)
        frame = ProductFrame(self.levels, self.columns.pairs)
        # What does not depend on people and fillers is that of the published set: each gold label is proved
        # for its form, in which names and irrelevant comparison are symbols without meaning.
        published = self.columns.expressions(frame, self._naming(frame, argument))
        own: dict[str, Expression] = {
            "argument": argument,
            "conclusion": self._join(lambda argument: argument.conclusion),
            "premises": self._premises(),
            "source": frame.over(("pattern", "leaning"), self._source),
            "slots": slots(self.stage, self._patterns, self.levels),
            # The examples are about the people of the published set, who stand in no argument of this one.
            "in_all_shots": Constant(value=True, type=pa.bool_()),
            "exemplar_overlap": Constant(value=False, type=pa.bool_()),
        }
        if self.columns.pairs[0].kind == "formal":
            own["logical_form"] = self._join(lambda argument: _formula(str(argument.inference)))
            own["derivation"] = self._join(lambda argument: _formula(_derivation(argument)))
            own["countermodel"] = self._join(lambda argument: _formula(_countermodel(argument)))
        return published | own

    @cached_property
    def _patterns(self) -> Mapping[str, PairPattern]:
        return {pair.key: pair for pair in self.columns.pairs}

    def _join(self, tell: Callable[[Argument], str | None]) -> Join:
        """Return what is told of an argument about marks, with the fillers in the place of the marks."""
        grid = Grid(self.levels, ARGUMENT_FACTORS)
        texts = grid.values(lambda pattern, **levels: tell(self._argument(pattern, **levels)))
        return grid.join(texts, self._fillers)

    @cached_property
    def _fillers(self) -> Mapping[str, Filler]:
        return fillers(self.stage, self.levels["variation"])

    def _argument(self, pattern: str, **levels: Any) -> Argument:
        return self.stage.write(Cell(self._patterns[pattern], **levels))

    def _premises(self) -> Listing:
        """Return the premises in the order of the text; one that is not there is null and left out."""
        factors = [Factor(name=name, levels=tuple(values)) for name, values in self.levels.items()]
        distraction = inserted(self.stage, self.levels["variation"], lambda d: d.text, None)

        def told(found: Callable[[Sequence[str]], str | None]) -> Lookup:
            return flat(self._join(lambda argument: found(argument.premises)), factors)

        return Listing(
            parts=(
                told(lambda premises: premises[0] if _names(premises[0]) else None),
                told(lambda premises: next(p for p in premises if not _names(p))),
                distraction,
                told(lambda premises: premises[-1] if _names(premises[-1]) else None),
            )
        )

    def _source(self, pattern: str, leaning: Any) -> str:
        texts, pair = self.stage.language.patterns, self._patterns[pattern]
        if pair.issues is None:
            return self.source.format(tables=texts.formal.patterns[pattern].source)
        issue = self.stage.issues[pair.issues[leaning]]
        return self.source.format(tables=texts.material.source, issue=issue.source)

    def _naming(self, frame: ProductFrame, argument: Join) -> Naming:
        prompter, held, config = self.columns.prompter, self.columns.held_out, self.columns.config

        def prefix(shots: int, instruction: str, leaning: Any) -> str:
            return prompter.prefix(instruction, held[shots], leaning)

        said: list[str | Lookup] = [
            f"{config}/",
            frame.over(("shots", "instruction"), lambda shots, wording: f"{shots}shot/{wording}"),
            "/",
            frame.over(("pattern", "gold", "gender", "variation"), lambda *levels: "/".join(levels)),
            "/",
            people(self.stage, "left", lambda person: slug(person.name)),
            ".",
            people(self.stage, "right", lambda person: slug(person.name)),
        ]
        if "wording" in self.levels:
            said += ["/", frame.over(("wording",), str)]
            said.append(
                frame.over(("irrelevant", "gold"), lambda name, gold: f".{name}" if gold == "invalid" else "")
            )
        said.append(
            frame.over(("variation", "distractor"), lambda v, name: f"/{name}" if v == "rand" else "")
        )
        return Naming(
            id=Join(parts=(*said, "/", frame.over(("leaning",), str))),
            pair_id=Join(parts=tuple(said)),
            cluster_id=frame.over(("pattern",), lambda key: f"{config}/{key}"),
            prompt=Join(parts=(frame.over(("shots", "instruction", "leaning"), prefix), *argument.parts)),
            instruction_id=frame.over(("instruction",), str),
        )


def _names(premise: str) -> bool:
    return any(mark in premise for mark in NAMES.values())


def _derivation(argument: Argument) -> str | None:
    return known(argument.inference).derivation if argument.inference else None


def _countermodel(argument: Argument) -> str | None:
    return known(argument.inference).countermodel if argument.inference else None


def _formula(text: str | None) -> str | None:
    """Put a mark in the place of the comparison that says nothing about quality."""
    return text and text.replace(f"{IRRELEVANT}(", f"{SYMBOL}(")
