"""Template files of the family: sets, perspectives, questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple, get_args

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
NEUTRAL: Final = "neutral"
BIASED: tuple[BiasedRole, ...] = ("user", "agent")
QUESTIONS: tuple[QuestionName, ...] = ("preference", "least_biased")
OPTION_COUNTS: tuple[OptionCount, ...] = (2, 3)
_TOPIC, _PERSPECTIVE = "{{ topic }}", "{{ perspective }}"
_Country = Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")]
_Tokens = Annotated[int, Field(gt=0, le=1_000_000)]
_Code = Annotated[str, StringConstraints(pattern=r"^[a-z]{3}$")]


class SelfAssessDatasetFile(TemplateModel):
    """Identity and constants of the design.

    Attributes:
        identity: of the dataset.
        draws: the version that seeds go by.
        paper: how the paper is cited.
        source: wording of the column ``source``, with ``paper`` and ``table``.
        article_tokens: at most so many has an article.
        answer_tokens: at most so many has an answer to a question.
    """

    identity: Identity
    draws: Version
    paper: Text
    source: Annotated[str, require_placeholders("paper", "table")]
    article_tokens: _Tokens
    answer_tokens: _Tokens


class Perspective(TemplateModel):
    """A viewpoint that an article may take: as prompts call it, and the side it is on."""

    label: Text
    side: Side


class PromptTurns(TemplateModel):
    """A system and a user turn (Tables 2 and 3)."""

    system: str
    user: str

    @property
    def full_text(self) -> str:
        """Both turns, one after the other."""
        return f"{self.system}\n\n{self.user}"


class Category(TemplateModel):
    """A category with the number of its items (Table 5).

    Attributes:
        title: as printed.
        count: of items here.
        printed: the paper's count where it is another one.
    """

    title: Text
    count: int = Field(gt=0)
    printed: int | None = None


class TopicSet(TemplateModel):
    """One set of topics with its perspectives and prompts.

    Attributes:
        title: of the set.
        about: what its items are.
        country: ISO 3166 code in lower case, or None.
        language: of items and prompts.
        field: what an item is called, the column of the item files.
        table: of the paper that the prompts come from.
        scale: what the two sides are the ends of.
        perspectives: the one on the left and the one on the right.
        combinations: turns by role.
        categories: by their code.
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
    def _consistent(self) -> TopicSet:
        sides = sorted(each.side for each in self.perspectives.values())
        if sides != ["left", "right"] or NEUTRAL in self.perspectives:
            found = ", ".join(f"{name} ({each.side})" for name, each in self.perspectives.items())
            raise ValueError(f"perspectives: found {found}; expected one on the left and one on the right")
        if len({each.label for each in self.perspectives.values()}) != len(self.perspectives):
            raise ValueError("perspectives: found the same label twice; expected two labels")
        missing = {NEUTRAL, *BIASED} - set(self.combinations)
        if missing:
            raise ValueError(f"combinations: found no {min(missing)}; expected user, neutral and agent")
        for role, turns in self.combinations.items():
            _check_slots(role, turns)
        return self

    @property
    def count(self) -> int:
        """The number of items."""
        return sum(category.count for category in self.categories.values())

    def on(self, side: Side) -> str:
        """Return the perspective on a side."""
        return next(name for name, each in self.perspectives.items() if each.side == side)

    def side_of(self, perspective: str) -> str:
        """Return the side of a perspective; that of the neutral one is ``neutral``."""
        return NEUTRAL if perspective == NEUTRAL else self.perspectives[perspective].side

    def articles(self) -> Iterator[Article]:
        """Yield what is written about an item, in the order of the rows: left before right in every role."""
        pair = [self.on("left"), self.on("right")]
        yield from (Article("user", name) for name in pair)
        yield Article(NEUTRAL, NEUTRAL)
        yield from (Article("agent", name) for name in pair)


class Article(NamedTuple):
    """Which article: from whose request it is (`role`), and the perspective that it should take."""

    role: Role
    perspective: str

    @property
    def id(self) -> str:
        """Name within an item: ``user/democratic``, or ``neutral``."""
        return NEUTRAL if self.role == NEUTRAL else f"{self.role}/{self.perspective}"


def _check_slots(role: Role, turns: PromptTurns) -> None:
    for slot, count in ((_TOPIC, 1), (_PERSPECTIVE, int(role != NEUTRAL))):
        found = turns.full_text.count(slot)
        if found != count:
            raise ValueError(f"combinations.{role}: found {slot!r} {found} times, expected {count}")
    if _TOPIC not in turns.user:
        raise ValueError(f"combinations.{role}.user: found no {_TOPIC!r}; the topic stands in the user turn")


class Question(TemplateModel):
    """A question about articles, and the beginning of its answer.

    Attributes:
        row: of Table 6.
        text: the question.
        prefill: where the assistant's turn begins.
    """

    row: int
    text: Text
    prefill: Text


LayoutField = Literal["article", "prompt"]
LAYOUTS: tuple[LayoutField, ...] = get_args(LayoutField)


class ChoiceLayout(TemplateModel):
    """How articles and a question stand in a prompt.

    Attributes:
        source: of the layout.
        article: Jinja text with ``number`` and ``text``, one for all languages or one for each.
        prompt: Jinja text with ``question`` and ``articles``, one for all languages or one for each.
    """

    source: Text
    article: str | Mapping[Text, str]
    prompt: str | Mapping[Text, str]

    @model_validator(mode="after")
    def _slots(self) -> ChoiceLayout:
        for field, given, names in (
            ("article", self.article, ("{{ number }}", "{{ text }}")),
            ("prompt", self.prompt, ("{{ question }}", "{{ articles }}")),
        ):
            texts = {field: given} if isinstance(given, str) else given
            for name, text in texts.items():
                _once(name if name == field else f"{field}.{name}", text, names)
        return self

    def of(self, field: LayoutField, language: str) -> str | None:
        """Return the layout of an article, or of a prompt, in a language, or None if there is none."""
        given: str | Mapping[str, str] = getattr(self, field)
        return given if isinstance(given, str) else given.get(language)


def _once(field: str, text: str, slots: Sequence[str]) -> None:
    for slot in slots:
        if text.count(slot) != 1:
            raise ValueError(f"{field}: expected {slot!r} once, found {text!r}")


class QuestionsFile(TemplateModel):
    """The questions of the second stage, by language, question and number of articles (Table 6)."""

    layout: ChoiceLayout
    questions: Mapping[Text, Mapping[QuestionName, Mapping[OptionCount, Question]]]

    @model_validator(mode="after")
    def _complete(self) -> QuestionsFile:
        for language, by_name in self.questions.items():
            for name in QUESTIONS:
                for ways in OPTION_COUNTS:
                    question = by_name.get(name, {}).get(ways)
                    if question is None:
                        raise ValueError(
                            f"questions.{language}: found no {name} of {ways}; expected every question"
                        )
                    for number in range(1, ways + 1):
                        if f"'{number}'" not in question.text:
                            where = f"questions.{language}.{name}.{ways}.text"
                            raise ValueError(f"{where}: found no '{number}' among the possible answers")
            for field in LAYOUTS:
                if self.layout.of(field, language) is None:
                    raise ValueError(f"layout.{field}: found nothing for {language}; expected a text")
        return self


class _SelfAssessScope(ErratumScope):
    set: tuple[Name, ...]
    category: tuple[_Code, ...] | None = None


class _Sets(RootModel[dict[Name, TopicSet]]):
    pass


@dataclass(frozen=True)
class SelfAssessTemplates:
    """The templates of the family, without the items.

    Attributes:
        folder: where they were read from.
        dataset: the dataset as a whole.
        sets: by name, in the order of the file.
        questions: of the second stage.
        errata: of the paper.
    """

    folder: Path
    dataset: SelfAssessDatasetFile
    sets: Mapping[str, TopicSet]
    questions: QuestionsFile
    errata: Sequence[Erratum[_SelfAssessScope]]

    def errata_of(self, set_id: str, category: str) -> str | None:
        """Return the errata that concern the rows of a category, separated by semicolons."""
        return errata_of(self.errata, set=set_id, category=category)


def load_family(folder: Path | None = None) -> SelfAssessTemplates:
    """Read the templates of the family and check them against each other."""
    root = folder or package_file("templates/selfassess")
    dataset = load_template(root / "dataset.yaml", SelfAssessDatasetFile)
    sets = load_template(root / "sets.yaml", _Sets).root
    questions = load_template(root / "questions.yaml", QuestionsFile)
    errata = load_errata(root, Erratum[_SelfAssessScope])
    if not sets:
        raise field_error(root / "sets.yaml", "sets", "found no set, expected at least one")
    for name, each in sets.items():
        if each.language not in questions.questions:
            known = ", ".join(questions.questions)
            problem = f"found {each.language!r}, expected a language of questions.yaml: {known}"
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
