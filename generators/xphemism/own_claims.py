"""The claims that come with the toolkit: factual, checkable, with what makes them true or false."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import StringConstraints, model_validator

from polbias.files import TemplateError
from polbias.generators.engine.entries import Entry, Name, Text
from polbias.generators.xphemism.vocabulary.lexicon import Lexicon
from polbias.template_files import fault, load_template, shown

Gold = Literal["true", "false"]
Status = Literal["unverified", "verified"]
Words = tuple[str, str]  # base and exchange
Year = Annotated[str, StringConstraints(pattern=r"^\d{4}$")]
_MAX_WORDS = 100  # section 3.2


class OwnClaim(Entry):
    """A claim.

    Attributes:
        id: unique.
        claim: one German sentence.
        gold: whether it is true.
        evidence: what makes it true or false.
        reference: where anyone can look that up.
        as_of: year of the state of affairs that it is about.
        status: ``unverified`` until a person has checked the evidence.
        pairs: exchanges that keep the fact, each as base and exchange word.
        placebo: the neutral exchange, as base and exchange word.
    """

    id: Name
    claim: Text
    gold: Gold
    evidence: Text
    reference: Text
    as_of: Year
    status: Status = "unverified"
    pairs: tuple[Words, ...]
    placebo: Words

    @model_validator(mode="after")
    def _sound(self) -> OwnClaim:
        count = len(self.claim.split())
        if count > _MAX_WORDS:
            raise ValueError(f"claim: found {count} words, expected at most {_MAX_WORDS}; shorten it")
        if not self.pairs:
            raise ValueError(
                "pairs: found none, expected at least one exchange; add [base word, exchange word]"
            )
        if len(set(self.pairs)) < len(self.pairs):
            raise ValueError("pairs: found an exchange twice; keep one")
        return self


class ClaimsFile(Entry):
    """Claims on one topic."""

    topic: Name
    source: Text
    claims: tuple[OwnClaim, ...]


def load_own_claims(folder: Path, lexicon: Lexicon) -> Mapping[str, ClaimsFile]:
    """Return the claims files by topic, in alphabetical order.

    Args:
        folder: laid out like ``templates/xphemism``.
        lexicon: to check the exchanges against.

    Raises:
        TemplateError: naming file, line and field; also where an id or claim stands twice, or an exchange is
            not in the lexicon.
    """
    known = {(each.base, each.exchange) for each in lexicon.exchanges()}
    neutral = {(each.base, each.exchange) for each in lexicon.neutral_exchanges()}
    files: dict[str, ClaimsFile] = {}
    places: dict[str, str] = {}
    for path in sorted((folder / "claims").glob("*.yaml")):
        file = load_template(path, ClaimsFile)
        for index, claim in enumerate(file.claims):
            for number, words in enumerate(claim.pairs):
                if words not in known:
                    raise fault(
                        path, f"claims.{index}.pairs.{number}", f"found {list(words)}, no pair of pairs.tsv"
                    )
            if claim.placebo not in neutral:
                raise fault(
                    path, f"claims.{index}.placebo", f"found {list(claim.placebo)}, no pair of placebo.tsv"
                )
            for field in ("id", "claim"):
                value = getattr(claim, field)
                if value in places:
                    problem = f"found {value!r}, which stands in {places[value]} too; keep one"
                    raise fault(path, f"claims.{index}.{field}", problem)
                places[value] = f"{shown(path)}, {claim.id}"
        files[file.topic] = file
    if not files:
        raise TemplateError(f"{shown(folder / 'claims')}: found no *.yaml, expected files of claims")
    return files
