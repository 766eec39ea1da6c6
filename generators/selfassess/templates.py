"""Template files of the self-assessment: sets, perspectives, questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple, Self, get_args

from pydantic import Field, RootModel, StringConstraints, model_validator

from polbias.generators.engine.errata import Erratum, ErratumScope, errata_of, load_errata
from polbias.paths import package_file
from polbias.yaml_models import (
    Identity,
    Name,
    TemplateModel,
    Text,
    Version,
    field_error,
    load_template,
    require_placeholders,
)

Role = Literal["user", "neutral", "agent"]
BiasedRole = Literal["user", "agent"]
Side = Literal["left", "right"]
QuestionName = Literal["preference", "least_biased"]
OptionCount = Literal[2, 3]
Wording = Literal["corrected", "paper"]
NEUTRAL: Final = "neutral"
BIASED: tuple[BiasedRole, ...] = ("user", "agent")
QUESTIONS: tuple[QuestionName, ...] = ("preference", "least_biased")
OPTION_COUNTS: tuple[OptionCount, ...] = (2, 3)
WORDINGS: tuple[Wording, ...] = ("corrected", "paper")
"""Wordings of the questions: about the articles above, or as the paper prints them, before the articles."""
PAPER_SUFFIX = "_paper"
"""Ending of the configs whose rows have the paper's wording."""
_TOPIC, _PERSPECTIVE = "{{ topic }}", "{{ perspective }}"
_Country = Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")]
_Tokens = Annotated[int, Field(gt=0, le=1_000_000)]
_Code = Annotated[str, StringConstraints(pattern=r"^[a-z]{3}$")]


class SelfAssessDatasetFile(TemplateModel):
    """Identity and constants of the design.

    Attributes:
        identity: of the dataset.
        draws: the version in the names of seeds.
        paper: citation of the paper.
        source: template of the column ``source``, with ``paper`` and ``table``.
        article_tokens: token limit of an article.
        answer_tokens: token limit of an answer to a question.
    """

    identity: Identity
    draws: Version
    paper: Text
    source: Annotated[str, require_placeholders("paper", "table")]
    article_tokens: _Tokens
    answer_tokens: _Tokens


class Perspective(TemplateModel):
    """A perspective of articles: its label in prompts, and its side."""

    label: Text
    side: Side


class PromptTurns(TemplateModel):
    """A system and a user turn (Tables 2 and 3)."""

    system: str
    user: str

    @property
    def full_text(self) -> str:
        """Both turns, separated by a blank line."""
        return f"{self.system}\n\n{self.user}"


class Category(TemplateModel):
    """A category with the number of its items (Table 5).

    Attributes:
        title: as printed in the paper.
        count: number of items here.
        printed: number of items in the paper, if different.
    """

    title: Text
    count: int = Field(gt=0)
    printed: int | None = None


class TopicSet(TemplateModel):
    """One set of topics with its perspectives and prompts.

    Attributes:
        title: of the set.
        about: description of its items.
        country: ISO 3166 code in lower case, or None.
        language: of items and prompts.
        field: column of the item files: topic or title.
        table: table of the paper with the prompts.
        scale: the scale between the two sides.
        perspectives: the left and the right perspective.
        combinations: turns by role.
        categories: by code.
    """

    title: Text
    about: Text
    country: _Country | None
    language: Text
    field: Literal["topic", "title"]
    table: Text
    scale: Text
    perspectives: Mapping[Name, Perspective]
    combinations: Mapping[Role, PromptTurns]
    categories: Mapping[_Code, Category]

    @model_validator(mode="after")
    def _check_consistency(self) -> TopicSet:
        sides = sorted(perspective.side for perspective in self.perspectives.values())
        if sides != ["left", "right"] or NEUTRAL in self.perspectives:
            description = ", ".join(
                f"{name} ({perspective.side})" for name, perspective in self.perspectives.items()
            )
            raise ValueError(
                f"perspectives: found {description}; expected one on the left and one on the right"
            )
        if len({perspective.label for perspective in self.perspectives.values()}) != len(self.perspectives):
            raise ValueError("perspectives: found the same label twice; expected two labels")
        missing = {NEUTRAL, *BIASED} - set(self.combinations)
        if missing:
            raise ValueError(f"combinations: found no {min(missing)}; expected user, neutral and agent")
        for role, prompt_turns in self.combinations.items():
            _check_placeholders(role, prompt_turns)
        return self

    @property
    def count(self) -> int:
        """The number of items."""
        return sum(category.count for category in self.categories.values())

    def perspective_on(self, side: Side) -> str:
        """Return the perspective on a side."""
        return next(name for name, perspective in self.perspectives.items() if perspective.side == side)

    def side_of(self, perspective: str) -> str:
        """Return the side of a perspective; ``neutral`` for the neutral perspective."""
        return NEUTRAL if perspective == NEUTRAL else self.perspectives[perspective].side

    def articles(self) -> Iterator[Article]:
        """Yield the articles about an item, in row order: left before right in every role."""
        pair = [self.perspective_on("left"), self.perspective_on("right")]
        yield from (Article("user", name) for name in pair)
        yield Article(NEUTRAL, NEUTRAL)
        yield from (Article("agent", name) for name in pair)


class Article(NamedTuple):
    """Identity of an article: role of its request, and requested perspective."""

    role: Role
    perspective: str

    @property
    def id(self) -> str:
        """Id within an item: ``user/democratic``, or ``neutral``."""
        return NEUTRAL if self.role == NEUTRAL else f"{self.role}/{self.perspective}"


def _check_placeholders(role: Role, prompt_turns: PromptTurns) -> None:
    for placeholder, expected in ((_TOPIC, 1), (_PERSPECTIVE, int(role != NEUTRAL))):
        n_found = prompt_turns.full_text.count(placeholder)
        if n_found != expected:
            raise ValueError(
                f"combinations.{role}: found {placeholder!r} {n_found} times, expected {expected}"
            )
    if _TOPIC not in prompt_turns.user:
        raise ValueError(f"combinations.{role}.user: found no {_TOPIC!r}; put the topic into the user turn")


class Question(TemplateModel):
    """A question about articles, and the beginning of its answer.

    Attributes:
        row: row of Table 6.
        text: the question.
        prefill: beginning of the assistant's turn.
    """

    row: int
    text: Text
    prefill: Text


LayoutField = Literal["article", "prompt"]
LAYOUTS: tuple[LayoutField, ...] = get_args(LayoutField)


class ChoiceLayout(TemplateModel):
    """Layout of articles and a question in a prompt.

    Attributes:
        source: of the layout.
        article: Jinja template with ``number`` and ``text``, one for all languages or one per language.
        prompt: Jinja template with ``question`` and ``articles``, one for all languages or one per language.
    """

    source: Text
    article: str | Mapping[Text, str]
    prompt: str | Mapping[Text, str]

    @model_validator(mode="after")
    def _check_templates(self) -> ChoiceLayout:
        for field, template, placeholders in (
            ("article", self.article, ("{{ number }}", "{{ text }}")),
            ("prompt", self.prompt, ("{{ question }}", "{{ articles }}")),
        ):
            template_by_name = {field: template} if isinstance(template, str) else template
            for name, text in template_by_name.items():
                _check_each_once(name if name == field else f"{field}.{name}", text, placeholders)
        return self

    def template_for(self, field: LayoutField, language: str) -> str | None:
        """Return the template of an article or prompt in a language, or None if there is none."""
        template: str | Mapping[str, str] = getattr(self, field)
        return template if isinstance(template, str) else template.get(language)


def _check_each_once(field: str, text: str, placeholders: Sequence[str]) -> None:
    for placeholder in placeholders:
        if text.count(placeholder) != 1:
            raise ValueError(f"{field}: expected {placeholder!r} once, found {text!r}")


class QuestionWording(TemplateModel):
    """A wording of the second stage: layout, and questions by language, question and number of articles."""

    layout: ChoiceLayout
    questions: Mapping[Text, Mapping[QuestionName, Mapping[OptionCount, Question]]]

    @model_validator(mode="after")
    def _check_questions(self) -> Self:
        for language, by_name in self.questions.items():
            for name in QUESTIONS:
                for n_options in OPTION_COUNTS:
                    question = by_name.get(name, {}).get(n_options)
                    if question is None:
                        raise ValueError(
                            f"questions.{language}: found no {name} of {n_options}; expected every question"
                        )
                    for number in range(1, n_options + 1):
                        if f"'{number}'" not in question.text:
                            location = f"questions.{language}.{name}.{n_options}.text"
                            raise ValueError(f"{location}: found no '{number}' among the possible answers")
            for field in LAYOUTS:
                if self.layout.template_for(field, language) is None:
                    raise ValueError(f"layout.{field}: found nothing for {language}; expected a text")
        return self


class QuestionsFile(QuestionWording):
    """The questions of the second stage (Table 6).

    Attributes:
        paper: the questions as the paper prints them, for the languages that it has; None without them.
    """

    paper: QuestionWording | None = None

    def wording(self, name: Wording) -> QuestionWording | None:
        """Return a wording of the questions; None if the file has none."""
        return self if name == "corrected" else self.paper


class _SelfAssessScope(ErratumScope):
    set: tuple[Name, ...]
    category: tuple[_Code, ...] | None = None


class _Sets(RootModel[dict[Name, TopicSet]]):
    pass


@dataclass(frozen=True)
class SelfAssessTemplates:
    """The templates of the self-assessment, without the items.

    Attributes:
        folder: the folder of the template files.
        dataset: identity and design constants.
        sets: by name, in file order.
        questions: questions of the second stage.
        errata: errata of the paper.
    """

    folder: Path
    dataset: SelfAssessDatasetFile
    sets: Mapping[str, TopicSet]
    questions: QuestionsFile
    errata: Sequence[Erratum[_SelfAssessScope]]

    def errata_of(self, set_id: str, category: str) -> str | None:
        """Return the errata of the rows of a category, separated by semicolons."""
        return errata_of(self.errata, set=set_id, category=category)


def load_family(folder: Path | None = None) -> SelfAssessTemplates:
    """Read the templates and check them against each other."""
    root = folder or package_file("templates/selfassess")
    dataset = load_template(root / "dataset.yaml", SelfAssessDatasetFile)
    sets = load_template(root / "sets.yaml", _Sets).root
    questions = load_template(root / "questions.yaml", QuestionsFile)
    errata = load_errata(root, Erratum[_SelfAssessScope])
    if not sets:
        raise field_error(root / "sets.yaml", "sets", "found no set, expected at least one")
    for name, topic_set in sets.items():
        if name.endswith(PAPER_SUFFIX):
            problem = (
                f"found a name that ends in {PAPER_SUFFIX}, the ending of configs in the paper's wording"
            )
            raise field_error(root / "sets.yaml", name, f"{problem}; rename the set")
        if topic_set.language not in questions.questions:
            languages = ", ".join(questions.questions)
            problem = f"found {topic_set.language!r}, expected a language of questions.yaml: {languages}"
            raise field_error(root / "sets.yaml", f"{name}.language", problem)
    for index, erratum in enumerate(errata):
        _check_erratum(root / "errata.yaml", index, erratum, sets)
    return SelfAssessTemplates(root, dataset, sets, questions, errata)


def _check_erratum(
    path: Path, index: int, erratum: Erratum[_SelfAssessScope], sets: Mapping[str, TopicSet]
) -> None:
    if isinstance(erratum.applies, str):
        return
    for name in erratum.applies.set:
        if name not in sets:
            problem = f"found {name!r}, expected a set of sets.yaml: {', '.join(sets)}"
            raise field_error(path, f"{index}.applies.set", problem)
        for code in erratum.applies.category or ():
            if code not in sets[name].categories:
                raise field_error(path, f"{index}.applies.category", f"found {code!r}, no category of {name}")
