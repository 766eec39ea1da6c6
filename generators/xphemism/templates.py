"""Template files of the family: lexicon, claims, prompts."""

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

# The claims that come with the toolkit: factual, checkable, with what makes them true or false.

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
        id: unique.
        claim: one German sentence.
        gold: whether it is true.
        evidence: what makes it true or false.
        reference: where anyone can look that up.
        as_of: year of the state of affairs that it is about.
        status: ``unverified`` until a person has checked the evidence.
        pairs: exchanges, each as base and exchange word, by what becomes of the content: it stays the
            ``same``, is ``vaguer`` (broader or narrower too), or is an ``other`` one.
        placebo: neutral exchanges of a noun, in the same way; none if no noun has a neutral partner.
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
    """Return the claims files by topic, in alphabetical order."""
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
                        raise field_error(path, field_path, f"found {list(words)}, no pair of {table_file}")
            for field in ("id", "claim"):
                value = getattr(claim, field)
                if value in locations:
                    problem = f"found {value!r}, which stands in {locations[value]} too; keep one"
                    raise field_error(path, f"claims.{index}.{field}", problem)
                locations[value] = f"{display_path(path)}, {claim.id}"
        files[file.topic] = file
    if not files:
        raise TemplateError(f"{display_path(folder / 'claims')}: found no *.yaml, expected files of claims")
    return files


# All template files of the X-phemism family, read and checked against each other.

PromptStyle = Literal["simple", "objective"]
PromptLanguage = Literal["de", "en"]
PROMPT_STYLES: tuple[PromptStyle, ...] = ("simple", "objective")


class XphemismDatasetFile(TemplateModel):
    """Identity, sources and the number of claims."""

    identity: Identity
    paper: Text
    source: Annotated[str, require_placeholders("paper")]
    lexicon_source: Annotated[str, require_placeholders("paper")]
    placebo_source: Annotated[str, require_placeholders("paper")]
    claims: int


class ClaimPrompt(TemplateModel):
    """The prompt in one language.

    Attributes:
        source: of the wording.
        text: Jinja text with ``claim`` and ``objective``.
        objective: the sentence that only the objective prompt has.
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
    """Both prompts in every language."""

    labels: Annotated[Mapping[Gold, Text], require_all_names(Gold)]
    prompts: Annotated[Mapping[PromptLanguage, ClaimPrompt], require_all_names(PromptLanguage)]


class _XphemismScope(ErratumScope):
    pair: tuple[Name, ...] | None = None


@dataclass(frozen=True)
class XphemismTemplates:
    """Everything that the tables are made of.

    Attributes:
        folder: where the files are.
        dataset: identity and sources.
        prompts: both prompts.
        lexicon: pairs, placebo pairs and morphology.
        files: own claims by topic.
        errata: of the original.
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
    """Return the family's files."""
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
