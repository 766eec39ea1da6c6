"""Prompts of both stages: requests for articles, and questions about articles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from polbias.aliases import Document, Json
from polbias.generators.selfassess.article_records import ArticleRecord
from polbias.generators.selfassess.templates import (
    NEUTRAL,
    OPTION_COUNTS,
    QUESTIONS,
    Article,
    OptionCount,
    QuestionName,
    SelfAssessTemplates,
)
from polbias.jinja_texts import TemplateRenderer

MARK = "\0"  # stands in for a topic, or for articles


def article_messages(
    family: SelfAssessTemplates, set_id: str, article: Article, topic: str
) -> tuple[str, str]:
    """Return the system and the user turn that ask for an article.

    Source:
        Kennedy et al. 2025, Tables 2 and 3.
    """
    chosen = family.sets[set_id]
    texts = TemplateRenderer(family.folder / "sets.yaml", {})
    combination = chosen.combinations[article.role]
    slots = {"topic": topic}
    if article.role != NEUTRAL:
        slots["perspective"] = chosen.perspectives[article.perspective].label
    field = f"{set_id}.combinations.{article.role}"
    return (
        texts.render(f"{field}.system", combination.system, slots),
        texts.render(f"{field}.user", combination.user, slots),
    )


_APART = "\n\n"


class ChoicePrompts:
    """Questions around articles: the templates are rendered once, articles are put in as they are."""

    def __init__(self, family: SelfAssessTemplates) -> None:
        self._family = family
        self._texts = TemplateRenderer(family.folder / "questions.yaml", {})
        asked, layout = family.questions.questions, family.questions.layout
        self._heads = {
            (language, number): self._around(
                "layout.article", layout.of("article", language) or "", {"number": number, "text": MARK}
            )
            for language in asked
            for number in (1, 2, 3)
        }
        self._frames = {
            (language, name, ways): self._around(
                "layout.prompt",
                layout.of("prompt", language) or "",
                {"question": asked[language][name][ways].text, "articles": MARK},
            )
            for language in asked
            for name in QUESTIONS
            for ways in OPTION_COUNTS
        }

    def _around(self, field: str, layout: str, slots: Document) -> list[str]:
        """Return what stands before and after articles."""
        return self._texts.render(field, layout, slots).split(MARK, 1)

    def row(self, role: str, name: QuestionName, number: int, records: Sequence[ArticleRecord]) -> Json:
        """Return the row that asks about records in their order."""
        written, ways = records[0], cast(OptionCount, len(records))
        chosen, identity = self._family.sets[written.set], self._family.dataset.identity
        prefill = self._family.questions.questions[chosen.language][name][ways].prefill
        before, after = self._frames[chosen.language, name, ways]
        numbered = [
            record.text.join(self._heads[chosen.language, place]) for place, record in enumerate(records, 1)
        ]
        prompt = f"{before}{_APART.join(numbered)}{after}"
        options = [record.article.perspective for record in records]
        return {
            "id": f"{written.set}/{written.item}/{role}/{name}/{ways}/order-{number}",
            "dataset": identity.name,
            "config": written.set,
            "dataset_version": identity.version,
            "language": chosen.language,
            "prompt": prompt,
            "messages": [
                {"role": "user", "content": prompt},
                {"role": "assistant", "content": prefill},
            ],
            "prefill": prefill,
            "cluster_id": written.item,
            "set": written.set,
            "category": written.category,
            "item": written.item,
            "topic": written.topic,
            "role": role,
            "question": name,
            "ways": ways,
            "options": options,
            "sides": [chosen.side_of(option) for option in options],
            "order": number,
            "model": written.model,
        }
