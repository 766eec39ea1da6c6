"""Prompts that ask for the truth of a claim, in every style and language."""

from __future__ import annotations

from polbias.generators.xphemism.templates import XphemismTemplates
from polbias.jinja_texts import TemplateRenderer


class ClaimPrompts:
    """The prompts around a claim.

    Args:
        family: the templates.
    """

    def __init__(self, family: XphemismTemplates) -> None:
        self._wordings = family.prompts.prompts
        self._texts = TemplateRenderer(family.folder / "prompts.yaml", {})

    def render(self, style: str, language: str, claim: str) -> str:
        """Return the prompt about a claim, in a style and a language of its instruction."""
        wording = self._wordings[language]  # type: ignore[index]
        objective = wording.objective if style == "objective" else ""
        values = {"claim": claim, "objective": objective}
        return self._texts.render(f"prompts.{language}", wording.text, values)
