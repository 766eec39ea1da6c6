"""Lints of texts: each finds the texts that earlier versions had, and none in those that replace them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from polbias.generators.authoring.lints import argument_slips
from polbias.generators.authoring.text_lints import lint_text
from polbias.generators.engine import build_dataset
from polbias.generators.engine.table_columns import make_dataset_spec
from polbias.generators.partisan.xl_tables import configs
from polbias.generators.partisan.xl_templates import load
from polbias.manifest import read_manifest
from polbias.paths import package_file


@pytest.mark.parametrize(
    ("text", "language", "country", "slip"),
    [
        ("Ann is more skilful than Bea.", "en", "US", "'skilful' is British spelling; write 'skillful'"),
        ("Whoever is well travelled is musical.", "en", "US", "write 'traveled'"),
        ("It favours the market.", "en", None, "'favours' is British spelling; write 'favors'"),
        ("Laws on organizing unions", "en", "GB", "'organizing' is American spelling; write 'organising'"),
        ("keeping the labor market flexible", "en", "GB", "write 'labour'"),
        ("Ann is more capable than the juror.", "en", "US", "nobody introduced 'the juror'"),
        ("That juror is more capable than a juror.", "en", "US", "nobody introduced 'That juror'"),
        ("Anna ist so fähig wie das Jurymitglied.", "de", "DE", "nobody introduced 'das Jurymitglied'"),
        ("Beurteile ausschliesslich die Gültigkeit.", "de", "DE", "'ausschliesslich' is Swiss spelling"),
        ("Beurteile ausschließlich die Gültigkeit.", "de", "CH", "write 'ausschliesslich'"),
        ("A ist B, weil die Sonne jeden Tag scheint, und weil C D ist.", "de", "US", "expected ' und weil'"),
        (
            "A ist B, weil alle, die fähig sind, fähiger sind als alle P, und weil C D ist.",
            "de",
            "DE",
            "expected ' und weil'",
        ),
        ("A ist B, weil A P ist, während B Q ist und weil C D ist.", "de", "DE", "expected ', und weil'"),
        ("A ist B, weil es keine P gibt, die nicht M sind und weil C D ist.", "de", "DE", "expected ', und"),
        ("A ist B, weil eines gilt: A ist C, oder B ist D und weil C D ist.", "de", "DE", "expected ', und"),
    ],
)
def test_a_slip_is_named(text: str, language: str, country: str | None, slip: str) -> None:
    (problem,) = lint_text(text, language, country)
    assert slip in problem


@pytest.mark.parametrize(
    ("text", "language", "country"),
    [
        ("Ann is more skilled than a certain juror, because that juror is musical.", "en", "US"),
        ("keeping the labour market flexible", "en", "GB"),
        ("The Labour Party and the person stating the argument", "en", "US"),
        ("Two sit there: the Labour politician Ann Lee, and the Green politician Bea Fox.", "en", "GB"),
        ("Analyses of the humorous and the vigorous", "en", "GB"),
        ("Nimm die Perspektive der Person ein, die das Argument vorträgt.", "de", "DE"),
        ("Anna ist so fähig wie ein bestimmtes Jurymitglied. Dieses Jurymitglied ist belesen.", "de", "DE"),
        ("Niemand, der kein Politiker und der keine Politikerin ist, ist belesen.", "de", "DE"),
        ("Die Politiker der SPD, die Preissteigerung, das Beweisstück, alle Insassen", "de", "DE"),
        ("Beurteile ausschliesslich die Gültigkeit.", "de", "CH"),
        ("A ist B, weil die Sonne jeden Tag scheint und weil C D ist.", "de", "DE"),
        ("A ist B, weil A P ist, während B Q ist, und weil C D ist.", "de", "DE"),
        (
            "A ist B, weil alle, die M sind, besser sind als alle, die es nicht sind, und weil C D ist.",
            "de",
            "DE",
        ),
        (
            "Für mich ist A B vorzuziehen, weil ich denke, die P ist besser, nämlich in C, und weil C D ist.",
            "de",
            "CH",
        ),
    ],
)
def test_right_texts_pass(text: str, language: str, country: str | None) -> None:
    assert [*lint_text(text, language, country)] == []


@pytest.mark.parametrize(
    ("word", "slips"),
    [("skilled", []), ("skilful", ["us_en_formal: 'skilful' is British spelling; write 'skillful' ("])],
)
def test_slips_of_a_build_are_counted_by_config(word: str, slips: list[str], tmp_path: Path) -> None:
    templates = Path(shutil.copytree(package_file("templates/partisan"), tmp_path / "partisan"))
    path = templates / "clauses.en.yaml"
    path.write_text(path.read_text("utf-8").replace("more skilled", f"more {word}"), "utf-8")
    config = next(config for config in configs(load(templates)) if config.name == "us_en_formal")
    spec = make_dataset_spec(config.large.file, [config.table(192)])
    build_dataset(spec, tmp_path, lambda manifest, folder: "")
    folder = tmp_path / "partisan-inference-xl"
    problems = [*argument_slips(read_manifest(folder), folder)]
    assert [problem[: len(slip)] for problem, slip in zip(problems, slips, strict=True)] == slips
