"""Proposed morphology: against the rows written by hand, and from parses made by hand."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from polbias.cli.main import app
from polbias.errors import TemplateError
from polbias.generators.authoring.morphology import COLUMNS, MorphologyProposal, propose_morphology
from polbias.generators.xphemism.items import PairMaker
from polbias.generators.xphemism.templates import load_family
from polbias.generators.xphemism.vocabulary.lexicon import Word, load_lexicon
from polbias.paths import package_file
from tests.support.parses import parsed

LEXICON = load_lexicon()


def _cells(proposal: MorphologyProposal, columns: str) -> list[str]:
    return [proposal.cells.get(column, "") for column in columns.split()]


def _read(proposal: MorphologyProposal) -> Word:
    """Return the row as the lexicon's reader takes it."""
    return Word.model_validate(dict(zip(COLUMNS, proposal.row().split("\t"), strict=True)))


def test_a_word_is_inflected_like_a_word_of_the_lexicon_with_the_same_end() -> None:
    proposal = propose_morphology("Luxussozialabgaben", LEXICON)
    word, model = _read(proposal), LEXICON.words["Sozialabgaben"]
    assert (word.gender, word.citation, word.declension) == (model.gender, "pl", model.declension)
    assert (word.singular, word.plural) == ("Luxussozialabgabe", "Luxussozialabgaben")
    assert "'Sozialabgaben'" in str(word.note)


@pytest.mark.parametrize(
    ("word", "cells"),
    [
        ("Zwangsbeglückung", {"pos": "noun", "gender": "f", "plural": "Zwangsbeglückungen", "linking": "Zwangsbeglückungs"}),
        ("verhätscheln", {"pos": "verb", "singular": "verhätscheln", "genitive": "verhätschelt"}),
        ("sündteuer", {"pos": "adjective", "singular": "sündteur"}),
        ("betreutes Trinken", {"pos": "noun", "modifiers": "betreut", "head": "Trinken", "gender": "n", "linking": ""}),
        ("Dialog auf Augenhöhe", {"pos": "noun", "head": "Dialog", "tail": "auf Augenhöhe"}),
        ("im Rahmen des Möglichen", {"pos": "fixed", "head": "im Rahmen des Möglichen"}),
    ],
)  # fmt: skip
def test_spelling_decides_without_a_pipeline(word: str, cells: dict[str, str]) -> None:
    proposal = propose_morphology(word, LEXICON)
    assert {column: proposal.cells.get(column) for column in cells} == cells


def test_a_pipeline_gives_gender_number_and_lemma() -> None:
    bare = propose_morphology("Krötentunnel", LEXICON)
    assert bare.doubts["gender"] == "unknown, fill it in"
    pipeline = parsed("de", "Krötentunnel NOUN Krötentunnel Gender=Masc|Number=Sing")
    proposal = propose_morphology("Krötentunnel", LEXICON, pipeline)
    assert _cells(proposal, "gender citation genitive") == ["m", "sg", "Krötentunnels"]
    assert _read(proposal).note == "proposed by endings and pipeline, not checked; gender: by the pipeline; plural: unknown; linking: a guess"  # fmt: skip
    pipeline = parsed("de", "Blitzkuren NOUN Blitzkuren Gender=Fem|Number=Plur =Blitzkur")
    word = _read(propose_morphology("Blitzkuren", LEXICON, pipeline))
    assert (word.citation, word.singular, word.plural, word.genitive) == ("pl", "Blitzkur", "Blitzkuren", ("Blitzkur",))  # fmt: skip


def test_a_gender_of_the_pipeline_that_contradicts_the_lexicon_is_a_doubt() -> None:
    pipeline = parsed("de", "Sondersteuer NOUN Sondersteuer Gender=Neut|Number=Sing")
    proposal = propose_morphology("Sondersteuer", LEXICON, pipeline)
    assert proposal.cells["gender"] == "f"
    assert proposal.doubts["gender"] == "n in the pipeline"


def test_the_root_of_the_parse_is_the_head() -> None:
    pipeline = parsed(
        "de",
        "sauer ADV verdientes",
        "verdientes ADJ Geld",
        "Geld NOUN Geld Gender=Neut|Number=Sing",
        "der DET Bürger",
        "Bürger NOUN Geld Gender=Masc|Number=Plur",
    )
    proposal = propose_morphology("sauer verdientes Geld der Bürger", LEXICON, pipeline)
    assert _cells(proposal, "pos modifiers head tail gender") == [
        "noun",
        "sauer verdient",
        "Geld",
        "der Bürger",
        "n",
    ]
    pipeline = parsed("de", "bis ADP bis", "zum ADP Abwinken", "Abwinken NOUN bis")
    assert propose_morphology("bis zum Abwinken", LEXICON, pipeline).cells["pos"] == "fixed"
    # Spelling takes an unknown word in -en for an adjective, the parse for a verb.
    pipeline = parsed("de", "wegduschen VERB wegduschen")
    assert propose_morphology("wegduschen", LEXICON, pipeline).cells["pos"] == "verb"


def test_rows_written_by_hand_are_proposed_again_without_them() -> None:
    """The figures of docs/xphemism.md: each word proposed as if it were new, without a pipeline."""
    n_sure: Counter[str] = Counter()
    n_right: Counter[str] = Counter()
    for word in LEXICON.words.values():
        proposal = propose_morphology(word.word, LEXICON)
        for column in COLUMNS[1:-1]:
            value = getattr(word, column)
            values = value if isinstance(value, tuple) else (value or "",)
            if column not in proposal.doubts:
                n_sure[column] += 1
                cell = proposal.cells.get(column, "").split("|")[0]
                n_right[column] += cell in values or (not values and not cell)
    shares = {column: n_right[column] / n_sure[column] for column in COLUMNS[1:-1]}
    assert min(shares[name] for name in ("pos", "modifiers", "head", "tail", "gender")) > 0.98, shares
    assert min(shares[name] for name in ("citation", "singular", "genitive", "declension")) > 0.95, shares
    assert n_sure["gender"] > 340


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the lexicon with a pair whose second word has no morphology."""
    copy = tmp_path / "xphemism"
    shutil.copytree(package_file("templates/xphemism"), copy)
    with (copy / "pairs.tsv").open("a", encoding="utf-8") as file:
        file.write(
            "steuerlast_abgabenbuerde\tSteuerlast\tAbgabenbürde\tright\teconomic\t0\t1\tgenerated\t-\n"
        )
    return copy


def test_a_pair_without_morphology_is_an_error_of_the_build_and_of_author_pairs(folder: Path) -> None:
    problem = r"pairs.tsv:287: second: found 'Abgabenbürde' without morphology, expected a row in morphology"
    with pytest.raises(TemplateError, match=problem):
        load_family(folder)
    claims = folder.parent / "claims.csv"
    claims.write_text("claim_id,claim,gold\na,Die Steuerlast sank.,true\n", "utf-8")
    options = ["--lexicon", str(folder), "-o", str(folder.parent / "out.csv")]
    done = CliRunner().invoke(app, ["author", "pairs", str(claims), *options])
    assert isinstance(done.exception, TemplateError)
    assert "polbias author morphology" in str(done.exception)


def test_the_proposed_rows_of_a_lexicon_make_it_whole_once_the_gender_is_filled_in(folder: Path) -> None:
    done = CliRunner().invoke(app, ["author", "morphology", "--lexicon", str(folder)])
    header, row = done.stdout.splitlines()
    assert header.split("\t") == list(COLUMNS)
    assert row.split("\t")[0] == "Abgabenbürde"
    cells = row.split("\t")
    assert cells[5] in ("f", "-")
    cells[5] = "f"
    (folder / "morphology.new.tsv").write_text(header + "\n" + "\t".join(cells) + "\n", "utf-8")
    maker = PairMaker(load_lexicon(folder))
    pair = maker.make("Die hohe Steuerlast der Firmen sank.", "Steuerlast", "Abgabenbürde")
    assert pair.shifted_claim == "Die hohe Abgabenbürde der Firmen sank."


def test_nothing_is_proposed_for_a_whole_lexicon() -> None:
    done = CliRunner().invoke(app, ["author", "morphology"])
    assert done.stdout == ""
    assert "every word of the lexicon has a row" in done.stderr
