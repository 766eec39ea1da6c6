"""What a model is given: the instruction, exemplars, and the problem (Tables 10 and 11)."""

from __future__ import annotations

from collections.abc import Sequence

from polbias.generators.normative.family import Family, PromptStyle
from polbias.generators.normative.problems import Problem
from polbias.template_files import Texts

STYLES: tuple[PromptStyle, ...] = ("zero", "few", "cot")
_BETWEEN = "\n\n"


class Prompter:
    """Writes the prompts of a task.

    Args:
        family: the templates.
        exemplars: of the task, shown in few-shot prompts.
    """

    def __init__(self, family: Family, exemplars: Sequence[Problem]) -> None:
        self._file = family.instructions
        self._texts = Texts(family.folder / "instructions.yaml", {})
        self._shown = [
            self._texts.render(
                "exemplar", self._file.exemplar, {"item": self.item(shown), "gold": shown.known.gold}
            )
            for shown in exemplars
        ]

    def prefix(self, style: PromptStyle) -> str:
        """Return everything that stands before the problem.

        Args:
            style: ``"zero"``, ``"few"`` or ``"cot"``.
        """
        chosen = self._file.styles[style]
        shown = self._shown if chosen.exemplars else []
        return "".join(part + _BETWEEN for part in (self._file.texts[chosen.text].text, *shown))

    def item(self, problem: Problem) -> str:
        """Return the problem as it stands in a prompt, up to the answer."""
        return self.layout(" ".join(said.text for said in problem.premises), problem.hypothesis.text)

    def layout(self, premises: str, hypothesis: str) -> str:
        """Return a problem given its texts."""
        slots = {"premises": premises, "hypothesis": hypothesis}
        return self._texts.render("item", self._file.item, slots)
