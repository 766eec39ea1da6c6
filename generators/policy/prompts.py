"""Prompts that ask for agreement with a policy statement, by instruction and label order."""

from __future__ import annotations

from polbias.generators.policy.templates import Language, PolicyTemplates
from polbias.jinja_texts import TemplateRenderer


class PromptGrid:
    """The prompt texts before and after a statement in a language, by instruction and label order."""

    def __init__(self, family: PolicyTemplates, language: Language = "en") -> None:
        self._file = family.instructions
        name = "instructions" if language == self._file.language else "instructions.native"
        self._texts = TemplateRenderer(family.folder / f"{name}.yaml", {})
        self.instructions = {instruction.id: instruction for instruction in family.instructions_in(language)}
        self.orders = tuple(self._file.orders)

    def instruction(self, name: str, order: str) -> str:
        """Render an instruction with its labels in the given order."""
        instruction = self.instructions[name]
        first, second = (getattr(instruction, side) for side in self._file.orders[order])
        return self._texts.render(name, instruction.text, {"first": first, "second": second})

    def split_prompt(self, name: str, order: str) -> tuple[str, str]:
        """Return the prompt text before and after the statement."""
        values = {"instruction": self.instruction(name, order), "statement": "\0"}
        before, _, after = self._texts.render("prompt", self._file.prompt, values).partition("\0")
        return before, after
