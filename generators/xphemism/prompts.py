"""Prompts about the truth of a claim, in all styles and languages."""

from __future__ import annotations

from polbias.generators.xphemism.templates import XphemismTemplates
from polbias.jinja_texts import TemplateRenderer


class ClaimPrompts:
    """Renderer of the prompts about a claim.

    Args:
        family: templates of the dataset.
    """

    def __init__(self, family: XphemismTemplates) -> None:
        self._wordings = family.prompts.prompts
        self._texts = TemplateRenderer(family.folder / "prompts.yaml", {})

    def render(self, style: str, language: str, claim: str) -> str:
        """Render the prompt about a claim, in a style and an instruction language."""
        wording = self._wordings[language]  # type: ignore[index]
        objective = wording.objective if style == "objective" else ""
        values = {"claim": claim, "objective": objective}
        return self._texts.render(f"prompts.{language}", wording.text, values)
