"""Prompts that ask for agreement with a policy statement, in every instruction and order of labels."""

from __future__ import annotations

from polbias.generators.policy.templates import PolicyTemplates
from polbias.jinja_texts import TemplateRenderer


class PromptGrid:
    """The prompts around a statement.

    Args:
        family: the templates.
    """

    def __init__(self, family: PolicyTemplates) -> None:
        self._file = family.instructions
        self._texts = TemplateRenderer(family.folder / "instructions.yaml", {})
        self.instructions = {instruction.id: instruction for instruction in self._file.instructions}
        self.orders = tuple(self._file.orders)

    def instruction(self, name: str, order: str) -> str:
        """Return an instruction with its labels in an order."""
        chosen = self.instructions[name]
        first, second = (getattr(chosen, side) for side in self._file.orders[order])
        return self._texts.render(name, chosen.text, {"first": first, "second": second})

    def around(self, name: str, order: str) -> tuple[str, str]:
        """Return what stands before and after the statement in a prompt."""
        slots = {"instruction": self.instruction(name, order), "statement": "\0"}
        before, _, after = self._texts.render("prompt", self._file.prompt, slots).partition("\0")
        return before, after
