"""Tables of the published set: columns over products of factors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import pyarrow as pa

from polbias.aliases import Json
from polbias.generators.engine import (
    Concatenation,
    DatasetSpec,
    Exclusion,
    Expression,
    FilledTemplate,
    ListColumn,
    Lookup,
    StructColumn,
    TableSpec,
)
from polbias.generators.engine.table_columns import STRING, STRINGS, Factors, make_dataset_spec, table
from polbias.generators.language.german import slug
from polbias.generators.logic.formula import Inference
from polbias.generators.partisan.country import GENDERS, LEANINGS
from polbias.generators.partisan.gold import ANNOTATED, PROVED_STATUS, check_gold, gold_proof
from polbias.generators.partisan.items import Argument, ArgumentDesign, ArgumentWriter
from polbias.generators.partisan.pair_patterns import (
    FIRST_NAMED,
    PairPattern,
    crossed_pairs,
    formal_pairs,
    material_pairs,
)
from polbias.generators.partisan.prompts import ArgumentPrompts
from polbias.generators.partisan.templates import GOLDS, VARIATIONS, Origin, load_family

# Source of a row's text: a table of the paper, or polbias.


def source(writer: ArgumentWriter, cell: ArgumentDesign) -> str:
    """Return the source of an argument."""
    family, country, patterns = writer.family, writer.country, writer.language.patterns
    issue = country.issues[cell.pattern.issues[cell.leaning]] if cell.pattern.issues else None
    paper_table = (
        patterns.formal.patterns[cell.pattern.key].source if issue is None else patterns.material.source
    )
    origin: Origin = "analogy"
    origin_source = paper_table
    if issue is not None and issue.side != cell.leaning:
        origin, origin_source = "crossed", issue.source
    elif country.printed == "all":
        origin, origin_source = "printed", f"{paper_table}; {issue.source}" if issue else paper_table
    elif country.printed:
        for entry in country.printed:
            is_same_pattern = (
                entry.pattern == cell.pattern.key
                if issue is None
                else issue == country.issues.get(entry.issue or "")
            )
            is_same_row = (entry.kind, entry.leaning, entry.gender) == (
                cell.pattern.kind,
                cell.leaning,
                cell.gender,
            )
            if is_same_pattern and is_same_row and not cell.pattern.negated:
                origin, origin_source = "printed", entry.source
    else:
        origin = "other"
    wording = family.dataset.provenance[origin]
    return wording.format(paper=family.dataset.paper, source=origin_source, country=country.source)


# The columns, over a product of factors or over the list of examples.

# The factors of the prompt, and with the factors of the argument, slowest first.
_PROMPT_FACTORS = ("shots", "instruction")
_CELL = (*_PROMPT_FACTORS, "gender", "variation", "gold", "pattern", "leaning")
KINDS = {
    "shots": pa.int32(),
    "difficulty": pa.int32(),
    "in_all_shots": pa.bool_(),
    "exemplar_overlap": pa.bool_(),
    "verdicts": pa.struct([("fol", STRING), ("form", STRING)]),
    "areas": STRINGS,
}
_BASES = {PROVED_STATUS: "fol", ANNOTATED: "paper"}
Levels = Mapping[str, Sequence[Any]]


def argument_columns(argument: Argument, proof: str, proved_inference: Inference | None) -> Json:
    """Return the columns of an argument and of its proof; premises may be proved in another order."""
    form = gold_proof(proved_inference) if proved_inference else None
    return {
        "argument": argument.text,
        "conclusion": argument.conclusion,
        "premises": argument.premises,
        "slots": argument.slots,
        "proof": proof,
        "logical_form": form and str(argument.inference),
        "gold_basis": _BASES[proof],
        "verdicts": form and {"fol": form.verdict, "form": form.form},
        "derivation": form and form.derivation,
        "countermodel": form and form.countermodel,
    }


def columns_of(
    rows: Sequence[Json], factors: tuple[str, ...], fillers: Mapping[str, Lookup] = MappingProxyType({})
) -> dict[str, Any]:
    """Return the columns of rows over factors; fillers replace their marks."""

    def column(name: str, values: Sequence[Any]) -> Lookup | FilledTemplate:
        lookup = Lookup(factors=factors, values=pa.array(values, KINDS.get(name, STRING)))
        joined_text = "\n".join(value for value in values if isinstance(value, str))
        has_marks = any(mark in joined_text for mark in fillers)
        return FilledTemplate(text=lookup, fillers=fillers) if has_marks else lookup

    columns: dict[str, Any] = {}
    for name in rows[0]:
        values = [row[name] for row in rows]
        if name == "premises":
            n_premises = max(map(len, values))
            parts = [[*value, *[None] * (n_premises - len(value))] for value in values]
            columns[name] = ListColumn(parts=tuple(column(name, part) for part in zip(*parts, strict=True)))
        elif name == "slots":
            slots = {slot: column(slot, [value[slot] for value in values]) for slot in values[0]}
            columns[name] = StructColumn(members=slots)
        else:
            columns[name] = column(name, values)
    return columns


@dataclass(frozen=True)
class ConfigColumns:
    """Computes the columns of one config.

    Attributes:
        config: full config name.
        prompter: writes the prompt before an argument.
    """

    config: str
    prompter: ArgumentPrompts

    def product(self, levels: Levels) -> dict[str, Expression]:
        """Return the columns over a product of factors."""
        by_levels, pattern_by_key = Factors(levels).lookup, {pair.key: pair for pair in self.prompter.pairs}
        rows = [
            (shots, instruction, ArgumentDesign(pattern_by_key[pattern], gold, leaning, gender, variation))
            for shots, instruction, gender, variation, gold, pattern, leaning in product(
                *(levels[name] for name in _CELL)
            )
        ]
        setting = by_levels("shots instruction", lambda shots, instruction: f"{shots}shot/{instruction}")
        return self._columns(_CELL, rows, setting)

    def examples(self) -> tuple[Levels, dict[str, Expression]]:
        """Return the factor of the list of examples, and the columns over it."""
        rows = [
            (shots, None, pair._replace(leaning=leaning))
            for shots, pairs in self.prompter.held_out.items()
            for pair in pairs
            for leaning in LEANINGS
        ]
        setting = Lookup(factors=("example",), values=[f"{shots}shot/example" for shots, *_ in rows])
        columns = self._columns(("example",), rows, setting)
        return {"example": range(len(rows))}, columns

    def _columns(
        self,
        factors: tuple[str, ...],
        rows: Sequence[tuple[int, str | None, ArgumentDesign]],
        setting: Lookup,
    ) -> dict[str, Any]:
        prompt_records = [self._prompt_record(*row) for row in rows]
        record_by_cell = {
            cell: self._argument_record(cell) for cell in dict.fromkeys(cell for *_, cell in rows)
        }
        # over a product, columns of the argument are stored once per cell, not once per prompt
        argument_factors = (
            factors[factors.index(_PROMPT_FACTORS[-1]) + 1 :] if _PROMPT_FACTORS[-1] in factors else factors
        )
        columns = columns_of(
            [*record_by_cell.values()]
            if argument_factors != factors
            else [record_by_cell[row[-1]] for row in rows],
            argument_factors,
        )
        row_prefixes = [row.pop("prefix") for row in prompt_records]
        code_by_prefix = {text: code for code, text in enumerate(dict.fromkeys(row_prefixes))}
        codes = pa.array([code_by_prefix[text] for text in row_prefixes], pa.int32())
        prefix_array = pa.DictionaryArray.from_arrays(codes, pa.array(code_by_prefix, STRING))
        columns |= columns_of(prompt_records, factors)
        pair_id = (f"{self.config}/", setting, "/", columns.pop("pair"))
        return {
            "id": Concatenation(parts=(*pair_id, "/", columns["leaning"])),
            "pair_id": Concatenation(parts=pair_id),
            "prompt": Concatenation(
                parts=(Lookup(factors=factors, values=prefix_array), columns["argument"])
            ),
            **columns,
        }

    def _argument_record(self, cell: ArgumentDesign) -> Json:
        """Return the columns that all rows of an argument share."""
        prompter, writer, pattern = self.prompter, self.prompter.writer, cell.pattern
        country, paper_edition = writer.country, prompter.paper_edition
        argument = writer.write(cell, paper_edition)
        is_excused = paper_edition and any(erratum.excuses for erratum in writer.errata(cell))
        location = f"patterns.{country.language}.yaml: pattern {pattern.key}, {cell.gold}, {cell.leaning}"
        proof, base = (
            check_gold(cell.gold, argument, location, is_excused),
            f"{prompter.config}/{pattern.base}",
        )
        name = writer.printed_name(cell) if paper_edition else pattern.ids[cell.leaning]
        return {
            "pair": f"{pattern.key}/{cell.gold}/{cell.gender}/{cell.variation}",
            "language": country.language,
            "template_id": f"{pattern.kind}.{country.language}.{name}.{cell.gold}",
            "gold": cell.gold,
            "pair_kind": pattern.pair_kind,
            "cluster_id": base,
            "base_id": base,
            "first_named": min(FIRST_NAMED, key=lambda person: argument.text.find(argument.slots[person])),
            "source": source(writer, cell),
            "kind": pattern.kind,
            "leaning": cell.leaning,
            "variation": cell.variation,
            "gender": cell.gender,
            "person_pair": ".".join(slug(country.side_of[x].person(cell.gender).name) for x in LEANINGS),
            "pattern_id": pattern.ids[cell.leaning],
            "country": country.country,
            "in_all_shots": all(
                cell._replace(leaning="left") not in pairs for pairs in prompter.held_out.values()
            ),
            **argument_columns(argument, proof, argument.inference),
        }

    def _prompt_record(self, shots: int, instruction: str | None, cell: ArgumentDesign) -> Json:
        """Return the columns of a row that depend on its prompt."""
        prompter, pattern = self.prompter, cell.pattern
        block = prompter.block(shots, instruction, cell)
        errata = (*prompter.writer.errata(cell), *prompter.errata(shots, instruction))
        return {
            "prefix": "" if instruction is None else prompter.prefix(shots, instruction, cell.leaning, block),
            "instruction_id": instruction,
            "erratum": ";".join(erratum.id for erratum in errata) or None,
            "shots": shots,
            "exemplar_set": prompter.name(shots, block),
            "exemplar_overlap": (pattern.key, cell.gold, cell.gender) in prompter.example_keys(shots, block),
        }


# The published set: every argument about one woman and one man of each side.

Edition = Literal["", "_paper", "_mini"]


def dataset(folder: Path | None = None) -> DatasetSpec:
    """Return the specification of the dataset."""
    family = load_family(folder)
    specs: dict[str, list[TableSpec]] = {"": [], "_crossed": [], "_paper": [], "_mini": []}
    for country in family.countries:
        writer = ArgumentWriter(family, country)
        pairs_by_kind = {
            "formal": formal_pairs(writer.language.patterns),
            "material": material_pairs(country),
        }
        editions: list[Edition] = ["", "_paper", "_mini"] if country.printed else ["", "_mini"]
        for kind, pairs in pairs_by_kind.items():
            for edition in editions:
                specs[edition] += _tables(writer, f"{country.config}_{kind}", pairs, edition)
        if country.id in family.dataset.crossed:
            specs["_crossed"] += _tables(writer, f"{country.config}_material_crossed", crossed_pairs())
    return make_dataset_spec(family.dataset, chain(*specs.values()))


def _tables(
    writer: ArgumentWriter, base: str, pairs: Sequence[PairPattern], edition: Edition = ""
) -> list[TableSpec]:
    """Return the splits of one config."""
    dataset_file, config, is_mini = writer.family.dataset, base + edition, edition == "_mini"
    prompter = ArgumentPrompts(writer, pairs, dataset_file.shots, base, paper_edition=edition == "_paper")
    columns = ConfigColumns(config, prompter)
    instructions = tuple(writer.language.instructions.for_kind(pairs[0].kind))
    levels: Levels = {
        "shots": dataset_file.mini.shots if is_mini else dataset_file.shots,
        "instruction": dataset_file.mini.instructions if is_mini else instructions,
        # Leaning varies fastest, then pattern: any even prefix is complete in pairs and spread over patterns.
        "gender": GENDERS,
        "variation": dataset_file.mini.variations if is_mini else VARIATIONS,
        "gold": GOLDS,
        "pattern": [pair.key for pair in pairs],
        "leaning": LEANINGS,
    }
    exclude = [
        Exclusion(
            levels={
                "shots": shots,
                "gold": pair.gold,
                "gender": pair.gender,
                "variation": pair.variation,
                "pattern": pair.pattern.key,
            }
        )
        for shots in levels["shots"]
        for pair in prompter.held_out[shots]
    ]
    test = table(dataset_file, config, levels, columns.product(levels), exclude=tuple(exclude))
    if is_mini or not any(prompter.held_out.values()):
        return [test]
    return [test, table(dataset_file, config, *columns.examples(), split="fewshot")]
