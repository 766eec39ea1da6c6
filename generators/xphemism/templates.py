"""All template files of the X-phemism family, read and checked against each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import model_validator

from polbias.generators.engine.entries import Entry, Identity, Name, Text, every, slots
from polbias.generators.engine.family import Applies, Erratum, load_errata
from polbias.generators.xphemism.own_claims import ClaimsFile, Gold, OwnClaim, load_own_claims
from polbias.generators.xphemism.vocabulary.lexicon import Lexicon, load_lexicon
from polbias.locations import package_file
from polbias.template_files import fault, load_template

PromptStyle = Literal["simple", "objective"]
PromptLanguage = Literal["de", "en"]
PROMPT_STYLES: tuple[PromptStyle, ...] = ("simple", "objective")


class DatasetFile(Entry):
    """Identity, sources and the number of claims."""

    identity: Identity
    paper: Text
    source: Annotated[str, slots("paper")]
    lexicon_source: Annotated[str, slots("paper")]
    placebo_source: Annotated[str, slots("paper")]
    claims: int


class Prompt(Entry):
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
    def _slots(self) -> Prompt:
        for slot in ("claim", "objective"):
            if self.text.count("{{ " + slot + " }}") != 1:
                raise ValueError(f"text: expected '{{{{ {slot} }}}}' once, found {self.text!r}")
        return self


class PromptsFile(Entry):
    """Both prompts in every language."""

    labels: Annotated[Mapping[Gold, Text], every(Gold)]
    prompts: Annotated[Mapping[PromptLanguage, Prompt], every(PromptLanguage)]


class _Concerned(Applies):
    pair: tuple[Name, ...] | None = None


@dataclass(frozen=True)
class Family:
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
    dataset: DatasetFile
    prompts: PromptsFile
    lexicon: Lexicon
    files: Mapping[str, ClaimsFile]
    errata: Sequence[Erratum[_Concerned]]

    def claims(self) -> Iterator[OwnClaim]:
        """Yield the claims of all files."""
        for file in self.files.values():
            yield from file.claims


def load_family(folder: Path | None = None) -> Family:
    """Return the family's files.

    Args:
        folder: laid out like ``templates/xphemism``; by default that one.

    Raises:
        TemplateError: naming file, line and field of the first problem.
    """
    root = folder or package_file("templates/xphemism")
    dataset = load_template(root / "dataset.yaml", DatasetFile)
    lexicon = load_lexicon(root)
    files = load_own_claims(root, lexicon)
    golds = [claim.gold for file in files.values() for claim in file.claims]
    if len(golds) != dataset.claims or golds.count("true") * 2 != len(golds):
        found = f"found {golds.count('true')} true of {len(golds)} claims in claims/"
        raise fault(root / "dataset.yaml", "claims", f"{found}, expected {dataset.claims}, half of them true")
    prompts = load_template(root / "prompts.yaml", PromptsFile)
    errata = load_errata(root, Erratum[_Concerned])
    return Family(root, dataset, prompts, lexicon, files, errata)
