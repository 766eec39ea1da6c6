"""The two stages of self-assessment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from rich.console import Console

from polbias.aliases import Document, Json
from polbias.files import InputError
from polbias.generators.selfassess import choices as choosing
from polbias.generators.selfassess.choices import Design
from polbias.models import Price, settings
from polbias.models.run import estimate_tokens
from polbias.running.asking import (
    Answer,
    Asker,
    Report,
    Request,
    Row,
    Settings,
    open_rows,
    prefill_of,
    run_stage,
)
from polbias.running.record import Journal, RunManifest
from polbias.self_assessment import (
    ChosenSet,
    article_record,
    article_rows,
    draw,
    judgement,
    judgements,
    leak_finder,
    row_seed,
)

# What a stage would ask and cost, before anything is sent.

_FACTORIAL = {2: 2, 3: 6}
_QUESTION_TOKENS = 60  # a question of Table 6 with its headings and its beginning of an answer


@dataclass(frozen=True)
class Estimate:
    """What is still to be asked in a stage.

    Args:
        stage: its name.
        requests: how many.
        sent: tokens in the requests, estimated from their characters.
        received: tokens in the answers, if each is as long as allowed.
    """

    stage: str
    requests: int
    sent: int
    received: int

    def line(self, price: Price | None) -> str:
        """Return the estimate as a person reads it."""
        cost = "" if price is None else f", at most about {self.cost(price):.2f} {price.currency}"
        tokens = f"about {self.sent:,} tokens sent and at most {self.received:,} received"
        return f"{self.stage}: {self.requests:,} to ask, {tokens}{cost}"

    def after(self, done: int) -> Estimate:
        """Return what is left when so many requests are answered, each counting alike."""
        left = max(0, self.requests - done)
        share = left / self.requests if self.requests else 0.0
        return Estimate(self.stage, left, round(self.sent * share), round(self.received * share))

    def cost(self, price: Price) -> float:
        """Return what it costs at most, in the currency of the price."""
        return price.of(self.sent, self.received)


def of_rows(stage: str, rows: Sequence[Row]) -> Estimate:
    """Estimate rows that are there."""
    sent = sum(estimate_tokens(row.request.messages) for row in rows)
    return Estimate(stage, len(rows), sent, sum(row.request.max_tokens for row in rows))


def of_choices(stage: str, items: int, design: Design, article_tokens: int, answer_tokens: int) -> Estimate:
    """Estimate questions about articles that are not written yet, each as long as it may be."""
    each = items * len(design.roles) * len(design.questions)
    asked = {ways: each * (_FACTORIAL[ways] if design.orders == "all" else 1) for ways in design.ways}
    sent = sum(count * (ways * article_tokens + _QUESTION_TOKENS) for ways, count in asked.items())
    requests = sum(asked.values())
    return Estimate(stage, requests, sent, requests * answer_tokens)


def price_of(model: str, given: dict[str, Price], list_priced: bool) -> Price | None:
    """Return the price of a model: what the user says, else the provider's list, else None."""
    price = given.get(model) or given.get("")
    return price or (settings().list_price("openai", model) if list_priced else None)


def check_limit(estimates: Sequence[Estimate], price: Price | None, limit: float | None) -> None:
    """Refuse a run that may cost more than a limit."""
    if limit is None:
        return
    if price is None:
        raise InputError(
            "--limit-cost: the price is not known; give it with --price, such as --price 0.5/1.5"
        )
    cost = sum(estimate.cost(price) for estimate in estimates)
    if cost > limit:
        raise InputError(
            f"--limit-cost: the run may cost {cost:.2f} {price.currency}, the limit is {limit:.2f}; nothing "
            "was sent: take fewer items (--n), one order (--orders seeded), or raise the limit"
        )


# The two stages of a self-assessment in one folder: what is asked, what is on file, what is still to do.

ARTICLES, JUDGEMENTS = "stage1.articles.jsonl", "stage2.judgements.jsonl"
LONGEST_ARTICLE = 20_000  # characters; the paper's articles of 512 tokens have about 2,500
Placed = tuple[str, Document]


@dataclass(frozen=True)
class Plan:
    """What is asked; everything here is part of what a folder is made with.

    Args:
        n: how many items; None takes all.
        seed: of the draw and of the sampling.
        send_seed: whether the model gets a seed for every row; some servers know none.
        article_tokens: at most so many has an article; None takes the dataset's (the paper's 512).
        article_parameters: further generation parameters of the first stage.
        choice_parameters: those of the second, and how the beginning of an answer is given.
        design: which questions are asked about the articles.
        longest: characters of the longest article that is shown.
    """

    n: int | None = None
    seed: int = 1
    send_seed: bool = True
    article_tokens: int | None = None
    article_parameters: Settings = field(default_factory=Settings)
    choice_parameters: Settings = field(default_factory=Settings)
    design: choosing.Design = field(default_factory=choosing.Design)
    longest: int = LONGEST_ARTICLE


class Experiment:
    """A set, a model, a plan and the folder where everything of them is kept.

    Args:
        folder: of the run.
        chosen: the set.
        asker: the model.
        model: its name in records.
        plan: what is asked.
        moved: whether the model may be at another address than before.
        console: for progress; standard error unless given.
    """

    def __init__(
        self,
        folder: Path,
        chosen: ChosenSet,
        asker: Asker,
        model: str,
        plan: Plan,
        *,
        moved: bool = False,
        console: Console | None = None,
    ) -> None:
        self.folder, self.chosen, self.asker, self.model, self.plan = folder, chosen, asker, model, plan
        self.manifest = RunManifest(folder)
        self._moved, self._console = moved, console
        self._journals: dict[Path, Journal] = {}
        self._identity = chosen.family.dataset.identity
        self.choices_report = choosing.Report()
        self.too_long = 0

    @property
    def articles_path(self) -> Path:
        """Where the articles of the first stage are."""
        return self.folder / ARTICLES

    @property
    def judgements_path(self) -> Path:
        """Where the judgements of the second stage are."""
        return self.folder / JUDGEMENTS

    def article_rows(self) -> list[Row]:
        """Return the rows of the first stage."""
        plan, find_leaks = self.plan, leak_finder(self.chosen)
        drawn = draw(article_rows(self.chosen), plan.n, plan.seed, plan.design.roles)

        def made(row: Document) -> Row:
            tokens = plan.article_tokens or int(row["max_tokens"])
            seed = row_seed(row, plan.seed) if plan.send_seed else None
            request = Request(row["id"], row["messages"], tokens, seed=seed)

            def entry(answer: Answer) -> Document:
                return article_record(row, answer, self.model, find_leaks)

            return Row(request, entry, row["dataset_version"])

        return [made(row) for row in drawn]

    def articles_claim(self) -> Document:
        """Return what the first stage is made with."""
        plan = self.plan
        return {
            "set": self.chosen.name,
            "dataset_version": self._identity.version,
            "n": plan.n,
            "seed": plan.seed,
            "send_seed": plan.send_seed,
            "roles": sorted(plan.design.roles),
            "max_tokens": plan.article_tokens or self.chosen.family.dataset.article_tokens,
            "sampling": "defaults",
            "parameters": dict(plan.article_parameters.parameters),
        }

    def choices_claim(self, source: str | None = None) -> Document:
        """Return what the second stage is made with."""
        design, settings = self.plan.design, self.plan.choice_parameters
        return {
            "set": self.chosen.name,
            "dataset_version": self._identity.version,
            "roles": sorted(design.roles),
            "questions": sorted(design.questions),
            "ways": sorted(design.ways),
            "orders": design.orders,
            "longest": self.plan.longest,
            "max_tokens": self.chosen.family.dataset.answer_tokens,
            "sampling": "greedy",
            "prefill": prefill_of(self.asker, settings),
            "parameters": dict(settings.parameters),
            "articles": source,
        }

    def check(self, *, write: bool = True, choose: bool = True, source: str | None = None) -> None:
        """Make sure that folder and model can be used for these stages; sends and writes nothing."""
        parts = ({"stage1": self.articles_claim()} if write else {}) | (
            {"stage2": self.choices_claim(source)} if choose else {}
        )
        self.manifest.check(self._parts(parts), self.asker.address, self._moved)
        self.asker.check()

    def estimates(self, *, choose: bool = True) -> list[Estimate]:
        """Return what is still to be asked before any article is written anew; sends and writes nothing."""
        rows, dataset, plan = self.article_rows(), self.chosen.family.dataset, self.plan
        on_file = self._journal(self.articles_path) if self.articles_path.exists() else None
        waiting = open_rows(rows, self.asker, plan.article_parameters, on_file) if on_file else rows
        found = [of_rows("articles", waiting)]
        if choose:
            items = len({row.request.id.split("/")[1] for row in rows})
            tokens = plan.article_tokens or dataset.article_tokens
            whole = of_choices("choices", items, plan.design, tokens, dataset.answer_tokens)
            done = len(self._journal(self.judgements_path)) if self.judgements_path.exists() else 0
            found.append(whole.after(done))
        return found

    def write_articles(self) -> Report:
        """Run the first stage."""
        rows = self.article_rows()
        self._claim({"stage1": self.articles_claim()})
        return self._run("articles", rows, self.plan.article_parameters, self.articles_path)

    def choice_rows(self, articles: Iterable[Placed]) -> list[Row]:
        """The rows of the second stage; `choices_report` and `too_long` tell what is left out."""
        self.choices_report, self.too_long = choosing.Report(), 0
        placed, report = [*articles], self.choices_report
        made = choosing.choices(self.chosen.family, self._shown(placed), self.plan.design, report)
        rows = [self._choice_row(row) for row in made]
        if not rows:
            first = placed[0][0] if placed else f"{self.articles_path}"
            raise InputError(
                f"{first}: found no item, from here on, with the articles that a choice needs; expected "
                "those of both sides at least"
            )
        return rows

    def choose(self, articles: Iterable[Placed] | None = None, source: str | None = None) -> Report:
        """Run the second stage."""
        rows = self.choice_rows(self.articles() if articles is None else articles)
        self._claim({"stage2": self.choices_claim(source)})
        return self._run("choices", rows, self.plan.choice_parameters, self.judgements_path)

    def articles(self) -> Iterator[Placed]:
        """Yield places and records of the articles in the folder."""
        if not self.articles_path.exists():
            raise InputError(f"{self.folder}: found no {ARTICLES}; run polbias selfassess generate first")
        for number, record in enumerate(self._journal(self.articles_path).entries(), 1):
            yield f"{self.articles_path}:{number}", record

    def judged(self) -> list[Json]:
        """Return the judgements in the folder, their answers read anew."""
        return judgements(self._journal(self.judgements_path).entries())

    def close(self) -> None:
        """Force the journals to the disk and close them."""
        for journal in self._journals.values():
            journal.close()
        self._journals.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _journal(self, path: Path) -> Journal:
        if path not in self._journals:
            self._journals[path] = Journal(path)
        return self._journals[path]

    def _parts(self, parts: Mapping[str, Document]) -> Mapping[str, Document]:
        return {"model": {**self.asker.identity, "name": self.model}, **parts}

    def _claim(self, parts: Mapping[str, Document]) -> None:
        self.manifest.claim(self._parts(parts), self.asker.address, self._moved)

    def _run(self, name: str, rows: Sequence[Row], settings: Settings, path: Path) -> Report:
        try:
            return run_stage(name, rows, self.asker, settings, self._journal(path), self._console)
        finally:
            if self.asker.notes:
                self.manifest.note(self.asker.notes)

    def _shown(self, articles: Iterable[Placed]) -> Iterator[Placed]:
        """Yield the articles that are not too long, and make sure that they are one model's, of this set."""
        author: str | None = None
        for place, record in articles:
            found = str(record.get("model") or "")
            author = found if author is None else author
            if found != author:
                raise InputError(
                    f"{place}: model: found {found!r}, expected {author!r} as before; give those of one model"
                )
            if record.get("set") != self.chosen.name:
                raise InputError(
                    f"{place}: set: found {record.get('set')!r}, expected {self.chosen.name!r} (--set)"
                )
            if len(str(record.get("text"))) > self.plan.longest:
                self.too_long += 1
                continue
            yield place, record

    def _choice_row(self, row: Document) -> Row:
        messages = [turn for turn in row["messages"] if turn["role"] != "assistant"]
        tokens = self.chosen.family.dataset.answer_tokens
        request = Request(row["id"], messages, tokens, "greedy", None, row["prefill"])

        def entry(answer: Answer) -> Document:
            return judgement(row, answer, self.model)

        return Row(request, entry, row["dataset_version"])


def read_judgements(folder: Path) -> list[Json]:
    """Return the judgements of a folder, their answers read anew."""
    path = folder / JUDGEMENTS
    if not path.exists():
        raise InputError(f"{folder}: found no {JUDGEMENTS}; run polbias selfassess choose first")
    with Journal(path) as journal:
        return judgements(journal.entries())
