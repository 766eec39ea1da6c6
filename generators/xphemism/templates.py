"""Template files of the X-phemism dataset: lexicon, claims, prompts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import StringConstraints, model_validator

from polbias.errors import TemplateError
from polbias.generators.engine.errata import Erratum, ErratumScope, load_errata
from polbias.generators.xphemism.vocabulary.lexicon import Lexicon, load_lexicon
from polbias.paths import package_file
from polbias.yaml_models import (
    Identity,
    Name,
    TemplateModel,
    Text,
    display_path,
    field_error,
    load_template,
    require_all_names,
    require_placeholders,
)

# Packaged claims: factual, checkable, with evidence.

Gold = Literal["true", "false"]
Status = Literal["unverified", "verified"]
Content = Literal["same", "vaguer", "other"]
CONTENTS: tuple[Content, ...] = get_args(Content)
Words = tuple[str, str]  # base and exchange
Year = Annotated[str, StringConstraints(pattern=r"^\d{4}$")]
_MAX_WORDS = 100  # section 3.2


class FactualClaim(TemplateModel):
    """A claim.

    Attributes:
        id: unique name.
        claim: one German sentence.
        gold: whether it is true.
        evidence: fact that makes it true or false.
        reference: public source of the evidence.
        as_of: year that the claim is about.
        status: ``unverified`` until a person has checked the evidence.
        pairs: (base, exchange) words, by effect on the content: the ``same``, ``vaguer`` (also broader or
            narrower), or an ``other`` one.
        placebo: neutral (base, exchange) nouns; empty if no noun has a neutral synonym.
    """

    id: Name
    claim: Text
    gold: Gold
    evidence: Text
    reference: Text
    as_of: Year
    status: Status = "unverified"
    pairs: Mapping[Content, tuple[Words, ...]]
    placebo: tuple[Words, ...] = ()

    @model_validator(mode="after")
    def _sound(self) -> FactualClaim:
        n_words = len(self.claim.split())
        if n_words > _MAX_WORDS:
            raise ValueError(f"claim: found {n_words} words, expected at most {_MAX_WORDS}; shorten it")
        exchanges = [words for group in (*self.pairs.values(), self.placebo) for words in group]
        if len(set(exchanges)) < len(exchanges):
            raise ValueError("pairs: found an exchange twice; keep one")
        return self


class ClaimsFile(TemplateModel):
    """Claims on one topic."""

    topic: Name
    source: Text
    claims: tuple[FactualClaim, ...]


def load_claims(folder: Path, lexicon: Lexicon) -> Mapping[str, ClaimsFile]:
    """Map topics to claims files, in alphabetical order of the files.

    Raises:
        TemplateError: if there is no file, an exchange is not in the lexicon, or an id or claim occurs twice.
    """
    pairs, placebos = (
        {(exchange.base, exchange.exchange) for exchange in exchanges}
        for exchanges in (lexicon.exchanges(), lexicon.neutral_exchanges())
    )
    files: dict[str, ClaimsFile] = {}
    locations: dict[str, str] = {}
    for path in sorted((folder / "claims").glob("*.yaml")):
        file = load_template(path, ClaimsFile)
        for index, claim in enumerate(file.claims):
            groups = [(f"pairs.{content}", group, pairs) for content, group in claim.pairs.items()]
            for field, group, allowed_pairs in (*groups, ("placebo", claim.placebo, placebos)):
                for position, words in enumerate(group):
                    if words not in allowed_pairs:
                        table_file = "placebo.tsv" if field == "placebo" else "pairs.tsv"
                        field_path = f"claims.{index}.{field}.{position}"
                        raise field_error(
                            path, field_path, f"found {list(words)}, expected a pair of {table_file}"
                        )
            for field in ("id", "claim"):
                value = getattr(claim, field)
                if value in locations:
                    problem = f"found {value!r}, also in {locations[value]}; keep one"
                    raise field_error(path, f"claims.{index}.{field}", problem)
                locations[value] = f"{display_path(path)}, {claim.id}"
        files[file.topic] = file
    if not files:
        raise TemplateError(f"{display_path(folder / 'claims')}: found no *.yaml, expected files of claims")
    return files


# Template files of the X-phemism dataset.

PromptStyle = Literal["simple", "objective"]
PromptLanguage = Literal["de", "en"]
PROMPT_STYLES: tuple[PromptStyle, ...] = ("simple", "objective")


class XphemismDatasetFile(TemplateModel):
    """Identity, sources and number of claims of the dataset."""

    identity: Identity
    paper: Text
    source: Annotated[str, require_placeholders("paper")]
    lexicon_source: Annotated[str, require_placeholders("paper")]
    placebo_source: Annotated[str, require_placeholders("paper")]
    claims: int


class ClaimPrompt(TemplateModel):
    """The prompt in one language.

    Attributes:
        source: source of the wording.
        text: Jinja template with ``claim`` and ``objective``.
        objective: sentence of the objective prompt style only.
    """

    source: str
    text: str
    objective: str

    @model_validator(mode="after")
    def _slots(self) -> ClaimPrompt:
        for placeholder in ("claim", "objective"):
            if self.text.count("{{ " + placeholder + " }}") != 1:
                raise ValueError(f"text: expected '{{{{ {placeholder} }}}}' once, found {self.text!r}")
        return self


class PromptsFile(TemplateModel):
    """Prompts by language, and labels of the answers."""

    labels: Annotated[Mapping[Gold, Text], require_all_names(Gold)]
    prompts: Annotated[Mapping[PromptLanguage, ClaimPrompt], require_all_names(PromptLanguage)]


class _XphemismScope(ErratumScope):
    pair: tuple[Name, ...] | None = None


@dataclass(frozen=True)
class XphemismTemplates:
    """Template files of the dataset.

    Attributes:
        folder: folder of the files.
        dataset: identity and sources.
        prompts: prompts by language.
        lexicon: pairs, placebo pairs and morphology.
        files: claims files by topic.
        errata: errata of the paper.
    """

    folder: Path
    dataset: XphemismDatasetFile
    prompts: PromptsFile
    lexicon: Lexicon
    files: Mapping[str, ClaimsFile]
    errata: Sequence[Erratum[_XphemismScope]]

    def claims(self) -> Iterator[FactualClaim]:
        """Yield the claims of all files."""
        for file in self.files.values():
            yield from file.claims


def load_family(folder: Path | None = None) -> XphemismTemplates:
    """Return the template files of a folder; default: the packaged templates.

    Raises:
        TemplateError: if a file is invalid, or the number of claims or of true claims is not as declared.
    """
    root = folder or package_file("templates/xphemism")
    dataset = load_template(root / "dataset.yaml", XphemismDatasetFile)
    lexicon = load_lexicon(root)
    files = load_claims(root, lexicon)
    golds = [claim.gold for file in files.values() for claim in file.claims]
    if len(golds) != dataset.claims or golds.count("true") * 2 != len(golds):
        problem = f"found {golds.count('true')} true of {len(golds)} claims in claims/"
        raise field_error(
            root / "dataset.yaml", "claims", f"{problem}, expected {dataset.claims}, half of them true"
        )
    prompts = load_template(root / "prompts.yaml", PromptsFile)
    errata = load_errata(root, Erratum[_XphemismScope])
    return XphemismTemplates(root, dataset, prompts, lexicon, files, errata)
