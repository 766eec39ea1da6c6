"""What a model is given: the instruction, exemplars, and the problem (Tables 10 and 11)."""

from __future__ import annotations

from collections.abc import Sequence

from polbias.generators.engine import named_rng
from polbias.generators.normative.items import CHOICES, Problem, ProblemWriter, admissible
from polbias.generators.normative.templates import (
    ActContent,
    Content,
    DisjunctionContent,
    Domain,
    InferencePattern,
    NormativeTemplates,
    PromptStyle,
    Proposition,
    RuleContent,
    Task,
    contents_path,
)
from polbias.jinja_texts import TemplateRenderer
from polbias.yaml_models import validate_model

STYLES: tuple[PromptStyle, ...] = ("zero", "few", "cot")
_BETWEEN = "\n\n"


def exemplars(family: NormativeTemplates, domain: Domain, task: Task) -> list[Problem]:
    """Return one proved demonstration per pattern, in the order of the paper; none is a test item."""
    file = family.contents[domain, task]
    writer, data = ProblemWriter(family, domain), family.dataset
    path = contents_path(family.folder, domain, task)
    shown = []
    for turn, pattern in enumerate(family.patterns_of(domain, task)):
        # An exemplar has no id or reason of its own.
        named = {"id": f"exemplar-{pattern.id.lower()}", "why": "exemplar", **file.exemplars[pattern.id]}
        content = validate_model(path, f"exemplars.{pattern.id}", named, _model(domain, pattern))
        offered = admissible(family, pattern, domain)
        flavours = [*dict.fromkeys(first.flavour for first, _ in offered)]
        pairs = [pair for pair in offered if pair[0].flavour == flavours[turn % len(flavours)]]
        rng = named_rng(data.identity.name, data.draws, f"exemplar/{domain}/{pattern.id}")
        shown.append(writer.compose(pattern, content, pairs[int(rng.integers(len(pairs)))]))
    return shown


def _model(domain: Domain, pattern: InferencePattern) -> type[Content]:
    if pattern.task == "syllogism":
        return RuleContent
    if pattern.id in CHOICES:
        return DisjunctionContent
    return ActContent if domain == "deontic" else Proposition


class ProblemPrompts:
    """Writes the prompts of a task.

    Args:
        family: the templates.
        exemplars: of the task, shown in few-shot prompts.
    """

    def __init__(self, family: NormativeTemplates, exemplars: Sequence[Problem]) -> None:
        self._file = family.instructions
        self._texts = TemplateRenderer(family.folder / "instructions.yaml", {})
        self._shown = [
            self._texts.render(
                "exemplar", self._file.exemplar, {"item": self.item(shown), "gold": shown.gold_proof.gold}
            )
            for shown in exemplars
        ]

    def prefix(self, style: PromptStyle) -> str:
        """Return everything that stands before the problem."""
        chosen = self._file.styles[style]
        shown = self._shown if chosen.exemplars else []
        return "".join(part + _BETWEEN for part in (self._file.texts[chosen.text].text, *shown))

    def item(self, problem: Problem) -> str:
        """Return the problem as it stands in a prompt, up to the answer."""
        premises = " ".join(said.text for said in problem.premises)
        slots = {"premises": premises, "hypothesis": problem.hypothesis.text}
        return self._texts.render("item", self._file.item, slots)
