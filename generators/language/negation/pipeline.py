"""spaCy for the rules of negation: its tokeniser, or a trained pipeline of the user."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

from polbias.files import InputError
from polbias.generators.authoring.negation import Analysis, Word
from polbias.optional import advice


class Pipeline:
    """A pipeline of spaCy that reads statements.

    What it does not have (a tagger, a parser, sentences) is not told of any word, and the rules go on as
    they do without it.

    Args:
        nlp: a ``spacy.language.Language``.
        name: of the pipeline, for messages.
    """

    def __init__(self, nlp: Any, name: str) -> None:
        self._nlp, self.name = nlp, name

    @property
    def language(self) -> str:
        """Two-letter code of the language that it is for."""
        return str(self._nlp.lang)

    def require(self, language: str) -> None:
        """Raise an error unless the pipeline is for a language.

        Raises:
            InputError: if it is for another one.
        """
        if self.language != language:
            raise InputError(
                f"pipeline {self.name}: it is for {self.language!r}, the statements are in {language!r}; "
                "name a pipeline of their language"
            )

    def read(self, text: str) -> Analysis:
        """Return what the pipeline says of a text.

        Raises:
            InputError: if one of its components fails.
        """
        try:
            doc = self._nlp(text)
        except (RuntimeError, TypeError, ValueError) as error:
            raise InputError(
                f"pipeline {self.name}: fails on {text[:40]!r} ({_line(error)}); train or repair it"
            ) from error
        parsed, split = doc.has_annotation("DEP"), doc.has_annotation("SENT_START")
        return Analysis(
            tuple(
                Word(
                    start=token.idx,
                    end=token.idx + len(token.text),
                    pos=token.pos_,
                    forms=frozenset(token.morph.get("VerbForm")),
                    lemma=token.lemma_,
                    root=_is_root(token) if parsed else None,
                    opens=bool(token.is_sent_start) if split else None,
                )
                for token in doc
                if not token.is_space
            )
        )


def blank(language: str) -> Pipeline:
    """Return the tokeniser of a language, which needs no trained pipeline.

    Raises:
        InputError: if spaCy is not installed.
    """
    return Pipeline(_spacy().blank(language), f"blank:{language}")


def load(name: str, language: str) -> Pipeline:
    """Load a trained pipeline of the user.

    Args:
        name: of an installed package, such as ``"de_core_news_sm"``, or of a folder.
        language: of the statements.

    Raises:
        InputError: if spaCy or the pipeline is not installed, or it is for another language.
    """
    spacy = _spacy()
    if not (spacy.util.is_package(name) or Path(name).is_dir()):
        raise InputError(
            f"pipeline {name}: found no installed pipeline and no folder of that name; install it with "
            f"`python -m spacy download {name}`, or name a folder that `nlp.to_disk` has written"
        )
    try:
        pipeline = Pipeline(spacy.load(name), name)
    except (ImportError, OSError, ValueError) as error:
        raise InputError(
            f"pipeline {name}: spaCy cannot load it ({_line(error)}); expected a package or a folder of "
            f"`nlp.to_disk` for spaCy {spacy.__version__}"
        ) from error
    pipeline.require(language)
    return pipeline


def _spacy() -> ModuleType:
    try:
        import spacy
    except ImportError as error:
        raise InputError(
            f"tokens of spaCy need {error.name}, which is not installed; {advice('german')}"
        ) from error
    module: ModuleType = spacy
    return module


def _is_root(token: Any) -> bool:
    auxiliary = token.pos_ == "AUX" or token.dep_.startswith(("aux", "cop"))
    return bool(token.dep_ == "ROOT" or (auxiliary and token.head.dep_ == "ROOT"))


def _line(error: Exception) -> str:
    """Return the first line of a message."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
