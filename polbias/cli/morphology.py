"""`polbias author morphology`: propose rows of ``morphology.*.tsv`` for words of the X-phemism lexicon."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from polbias.cli.outputs import echo


def morphology(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[WORD]...", help="Words or phrases; default: those without a row."),
    ] = None,
    lexicon: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Use this lexicon folder, laid out like templates/xphemism."),
    ] = None,
    pipeline: Annotated[
        str | None,
        typer.Option(metavar="NAME|FOLDER", help="Use this German spaCy pipeline for genders and heads."),
    ] = None,
) -> None:
    """Propose the morphology of words for the X-phemism lexicon, as rows of morphology.NAME.tsv.

    The evidence is a word of the lexicon with the same end, endings, and the pipeline. The column note names
    it, and the columns that are doubtful: a person checks and corrects every row. A gender that is unknown
    must be filled in.
    """
    from polbias.generators.authoring.morphology import (
        COLUMNS,
        propose_morphology,
        words_without_morphology,
    )
    from polbias.generators.authoring.negation import load
    from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon

    vocabulary = load_lexicon(lexicon, require_morphology=False)
    spacy_pipeline = load(pipeline, "de") if pipeline else None
    selected_words = words or words_without_morphology(vocabulary)
    proposals = [propose_morphology(word, vocabulary, spacy_pipeline) for word in selected_words]
    if not proposals:
        echo("every word of the lexicon has a row; name a new word", err=True)
        return
    echo("\t".join(COLUMNS))
    for proposal in proposals:
        echo(proposal.row())
    incomplete = [proposal.cells["word"] for proposal in proposals if not proposal.is_complete]
    if incomplete:
        echo(f"fill in the gender of: {', '.join(incomplete)}; or use --pipeline", err=True)
