"""Prompts of both stages: requests for articles, and questions about articles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from polbias.aliases import Document, Json
from polbias.generators.selfassess.article_records import ArticleRecord
from polbias.generators.selfassess.templates import (
    NEUTRAL,
    OPTION_COUNTS,
    PAPER_SUFFIX,
    QUESTIONS,
    Article,
    OptionCount,
    QuestionName,
    SelfAssessTemplates,
    Wording,
)
from polbias.jinja_texts import TemplateRenderer

MARK = "\0"  # replaces a topic or articles while templates are rendered


def article_messages(
    family: SelfAssessTemplates, set_id: str, article: Article, topic: str
) -> tuple[str, str]:
    """Return the system and the user turn of the request for an article.

    Source:
        Kennedy et al. 2025, Tables 2 and 3.
    """
    topic_set = family.sets[set_id]
    renderer = TemplateRenderer(family.folder / "sets.yaml", {})
    prompt_turns = topic_set.combinations[article.role]
    values = {"topic": topic}
    if article.role != NEUTRAL:
        values["perspective"] = topic_set.perspectives[article.perspective].label
    field = f"{set_id}.combinations.{article.role}"
    return (
        renderer.render(f"{field}.system", prompt_turns.system, values),
        renderer.render(f"{field}.user", prompt_turns.user, values),
    )


_SEPARATOR = "\n\n"


class ChoicePrompts:
    """Renders questions about articles; templates are rendered once, articles are inserted verbatim.

    Args:
        family: templates.
        wording: wording of the questions.
    """

    def __init__(self, family: SelfAssessTemplates, wording: Wording = "corrected") -> None:
        self._family, self._wording = family, wording
        self._texts = TemplateRenderer(family.folder / "questions.yaml", {})
        question_wording = family.questions.wording(wording)
        questions = question_wording.questions if question_wording else {}
        layout = question_wording.layout if question_wording else family.questions.layout
        self._questions = questions
        self._article_parts = {
            (language, number): self._split_template(
                "layout.article",
                layout.template_for("article", language) or "",
                {"number": number, "text": MARK},
            )
            for language in questions
            for number in (1, 2, 3)
        }
        self._prompt_parts = {
            (language, name, n_options): self._split_template(
                "layout.prompt",
                layout.template_for("prompt", language) or "",
                {"question": questions[language][name][n_options].text, "articles": MARK},
            )
            for language in questions
            for name in QUESTIONS
            for n_options in OPTION_COUNTS
        }

    def _split_template(self, field: str, template: str, values: Document) -> list[str]:
        """Render a template; return its text before and after the mark."""
        return self._texts.render(field, template, values).split(MARK, 1)

    def row(
        self, role: str, question: QuestionName, order_number: int, records: Sequence[ArticleRecord]
    ) -> Json:
        """Return the row with a question about records, in their order."""
        first, n_options = records[0], cast(OptionCount, len(records))
        topic_set, identity = self._family.sets[first.set], self._family.dataset.identity
        prefill = self._questions[topic_set.language][question][n_options].prefill
        before, after = self._prompt_parts[topic_set.language, question, n_options]
        articles = [
            record.text.join(self._article_parts[topic_set.language, number])
            for number, record in enumerate(records, 1)
        ]
        prompt = f"{before}{_SEPARATOR.join(articles)}{after}"
        options = [record.article.perspective for record in records]
        config = first.set + (PAPER_SUFFIX if self._wording == "paper" else "")
        return {
            "id": f"{config}/{first.item}/{role}/{question}/{n_options}/order-{order_number}",
            "dataset": identity.name,
            "config": config,
            "dataset_version": identity.version,
            "language": topic_set.language,
            "prompt": prompt,
            "messages": [
                {"role": "user", "content": prompt},
                {"role": "assistant", "content": prefill},
            ],
            "prefill": prefill,
            "cluster_id": first.item,
            "set": first.set,
            "category": first.category,
            "item": first.item,
            "topic": first.topic,
            "role": role,
            "question": question,
            "ways": n_options,
            "options": options,
            "sides": [topic_set.side_of(option) for option in options],
            "order": order_number,
            "model": first.model,
        }
