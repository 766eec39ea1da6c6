"""Prompts: instruction, few-shot examples and problem (Tables 10 and 11)."""

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
_SEPARATOR = "\n\n"


def exemplars(family: NormativeTemplates, domain: Domain, task: Task) -> list[Problem]:
    """Return one few-shot example with proved gold per pattern, in the paper's order; none is a test item."""
    writer, data = ProblemWriter(family, domain), family.dataset
    demonstrations = []
    for position, pattern in enumerate(family.patterns_of(domain, task)):
        content = read_exemplar_content(family, domain, pattern)
        admitted = admissible(family, pattern, domain)
        flavours = [*dict.fromkeys(first.flavour for first, _ in admitted)]
        pairs = [pair for pair in admitted if pair[0].flavour == flavours[position % len(flavours)]]
        rng = named_rng(data.identity.name, data.draws, f"exemplar/{domain}/{pattern.id}")
        demonstrations.append(writer.compose(pattern, content, pairs[int(rng.integers(len(pairs)))]))
    return demonstrations


def read_exemplar_content(family: NormativeTemplates, domain: Domain, pattern: InferencePattern) -> Content:
    """Return the content of the paper's few-shot example of a pattern."""
    exemplar = family.contents[domain, pattern.task].exemplars[pattern.id]
    # The template gives no id or reason for an exemplar.
    document = {"id": f"exemplar-{pattern.id.lower()}", "why": "exemplar", **exemplar}
    path = contents_path(family.folder, domain, pattern.task)
    return validate_model(path, f"exemplars.{pattern.id}", document, _content_model(domain, pattern))


def _content_model(domain: Domain, pattern: InferencePattern) -> type[Content]:
    if pattern.task == "syllogism":
        return RuleContent
    if pattern.id in CHOICES:
        return DisjunctionContent
    return ActContent if domain == "deontic" else Proposition


class ProblemPrompts:
    """Renderer of the prompts of a task.

    Args:
        family: templates.
        exemplars: few-shot examples of the task.
    """

    def __init__(self, family: NormativeTemplates, exemplars: Sequence[Problem]) -> None:
        self._file = family.instructions
        self._renderer = TemplateRenderer(family.folder / "instructions.yaml", {})
        self._demonstrations = [
            self._renderer.render(
                "exemplar", self._file.exemplar, {"item": self.item(problem), "gold": problem.gold_proof.gold}
            )
            for problem in exemplars
        ]

    def prefix(self, style: PromptStyle) -> str:
        """Return the text before the problem: instruction and few-shot examples."""
        template = self._file.styles[style]
        demonstrations = self._demonstrations if template.exemplars else []
        return "".join(part + _SEPARATOR for part in (self._file.texts[template.text].text, *demonstrations))

    def item(self, problem: Problem) -> str:
        """Render a problem in a prompt, up to the answer."""
        premises = " ".join(sentence.text for sentence in problem.premises)
        return self.render_item(premises, problem.hypothesis.text)

    def render_item(self, premises: str, hypothesis: str) -> str:
        """Render premises and a hypothesis in a prompt, up to the answer."""
        return self._renderer.render(
            "item", self._file.item, {"premises": premises, "hypothesis": hypothesis}
        )
