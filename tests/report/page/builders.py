"""A made-up report: any number of respondents, five instruments, figures, tables, notices, planted estimates."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np

from polbias.eval.nonresponse import ExcessBounds
from polbias.eval.plots import (
    Bar,
    Caption,
    Interval,
    RadarSeries,
    Shares,
    plot_bars,
    plot_intervals,
    plot_radar,
    plot_stacked_shares,
)
from polbias.eval.report.document import (
    Cell,
    Column,
    Comparison,
    Estimate,
    Figure,
    Finding,
    Notice,
    Report,
    ReportTable,
    Respondent,
    SampleSource,
    Section,
    with_refusal_gap,
)
from polbias.eval.report.sentences import Paragraphs
from polbias.eval.report.wording import InstrumentWords, Measure, TableWords

HOSTILE = "<script>alert(1)</script> & \"quoted\" 'name' </style> $x_1$ {{ 7*7 }}"
INSTRUMENTS = ("partisan", "policy", "xphemism", "selfassess", "normative")
KEYS = ("en_formal/0", "en_formal/8", "en_material/0", "en_material/8", "de_formal/0", "de_formal/8")
_TITLES = {
    "partisan": "Partisan inferences",
    "policy": "Policy stances",
    "xphemism": "Loaded words",
    "selfassess": "Self-assessment",
    "normative": "Normative reasoning",
}
_ABOUT = (
    "The model reads made-up arguments about two politicians and says whether the conclusion follows. Half of the "
    "arguments suit the left and half the right, and otherwise they are the same. A model is biased if its "
    "errors favour one side more than the other."
)


def words(instrument: str) -> InstrumentWords:
    """Words of a made-up instrument."""
    shown = TableWords(
        title="Estimates by configuration",
        note="Each cell is the estimate of one configuration. Read along a line to compare configurations.",
        source="A. Author et al. (2025), Table 4",
        columns={"respondent": "Model", "share": "Called valid", "r": "Correlation"},
    )
    measure = Measure(
        title="Weighted bias" if instrument == "partisan" else "Difference",
        what="Errors that favour the right less those that favour the left, per hundred questions of a side.",
        positive="favours the right",
        negative="favours the left",
        sides=("lower", "higher") if instrument == "normative" else ("favours the left", "favours the right"),
    )
    titles = {
        "accuracy_gap": "Accuracy gap",
        "refusal_gap": "Refusal gap",
        "domain_effect": "Effect of the domain",
    }
    others = {id: measure.model_copy(update={"title": title}) for id, title in titles.items()}
    margin = measure.model_copy(update={"title": "Margin", "unit": "sd"})
    return InstrumentWords(
        title=_TITLES[instrument],
        paper="A. Author and B. Author (2025). A made-up paper about inferences.",
        about=_ABOUT,
        directional=instrument != "normative",
        measures={"bias": measure, "margin": margin, **others},
        tables={"overview": shown, "long": shown.model_copy(update={"title": "All cells of the design"}),
                "paper": shown.model_copy(update={"title": "Table 4 of the paper"})},
        figures={name: shown.model_copy(update={"title": title, "columns": {}}) for name, title in
                 (("bars", "Shares called valid"), ("web", "Worldview by policy issue"), ("shares", "Preferred side"),
                  ("lines", "Estimates by configuration"))},
    )  # fmt: skip


def names(count: int) -> list[str]:
    """Names of respondents, with a long one and a log-likelihood one."""
    some = ["Qwen2.5-7B-Instruct", "meta-llama/Llama-3.1-70B-Instruct", "gpt-4o-2024-08-06",
            "mistralai/Mixtral-8x22B-Instruct-v0.1", "Qwen2.5-7B-Instruct (log-likelihood)", "gemma-2-27b-it",
            "simulated/right-leaning", "simulated/unbiased", "Teuken-7B-instruct-research-v0.4",
            "organisation-with-a-long-name/model-with-an-even-longer-name-70B-chat-dpo"]  # fmt: skip
    return some[:count] + [f"model-{i}" for i in range(count - len(some))]


def estimate(rng: np.random.Generator, scale: float = 6.0) -> Estimate:
    """A made-up estimate."""
    value, half = float(rng.normal(0, scale)), float(rng.uniform(scale / 6, scale))
    p = min(1.0, float(np.exp(-abs(value) / half * 2)))
    return Estimate(value, value - half, value + half, 1608, 6, int(rng.integers(40)), 3, 0, p)


def report(
    count: int = 10, hostile: str = "", rows: int = 60, instruments: tuple[str, ...] = INSTRUMENTS
) -> Report:
    """A made-up report.

    Args:
        count: respondents.
        hostile: text that stands wherever data can stand.
        rows: of the long table of each instrument.
        instruments: that were run.
    """
    who = [*names(count - 1), hostile] if hostile else names(count)
    respondents = tuple(
        Respondent(name, name.split(" (")[0], "log-likelihood" if name.endswith("likelihood)") else "generated",
                   name.startswith("simulated"), tuple(f"polbias_partisan_{i}" for i in range(5)), 48_240)
        for name in who
    )  # fmt: skip
    sections = tuple(_section(name, who, hostile, rows) for name in instruments)
    return Report("0.1.0", 0, respondents, _sources(who, instruments), sections, _comparisons(who, instruments),
                  _notices(who, hostile))  # fmt: skip


def paragraphs(hostile: str = "") -> Paragraphs:
    """Made-up sentences."""
    text = "Of ten models, three favour the right and one favours the left; for the other six the data cannot tell."
    return Paragraphs(
        overview=(
            text,
            hostile or "The clearest result is that of one model on partisan inferences, +12.4 points.",
        ),
        by_section=dict.fromkeys(INSTRUMENTS, (text,)),
        comparisons=("Between the most and the least biased model lie 14.2 points.",),
    )


def _section(name: str, who: list[str], hostile: str, rows: int) -> Section:
    rng = np.random.default_rng(INSTRUMENTS.index(name))
    findings = tuple(
        each
        for place, model in enumerate(who)
        for measure in _measures(name, model)
        for key in ("", *(KEYS if measure in ("bias", "domain_effect") else ()))
        for each in with_refusal_gap(_finding(rng, name, model, measure, key, place))
    )
    return Section(name, tuple(who), findings, _tables(rng, who, hostile, rows), _figures(rng, name, who, findings),
                   (Notice(hostile or "partisan_de", "Half of a pair is missing.", "Both are left out."),
                    Notice("model-x", "All answers were cut off.", "There is no estimate.", serious=True)))  # fmt: skip


def _measures(name: str, model: str) -> Iterator[str]:
    """Measures of an instrument; the margin takes likelihoods."""
    yield "bias"
    if name == "normative":
        yield "domain_effect"
    if name == "partisan":
        yield "accuracy_gap"
        yield from ["margin"] * model.endswith("likelihood)")


def _finding(rng: np.random.Generator, name: str, model: str, measure: str, key: str, place: int) -> Finding:
    """A made-up estimate with all that stands beside it; some respondents have a state."""
    found, gold = estimate(rng, 0.3 if measure == "margin" else 6.0), name in ("partisan", "normative")
    value = found.value or 0.0
    p_holm = min(1.0, 3 * (found.p or 0.0))
    if measure == "margin":
        return Finding(name, model, measure, key, key, found, headline=True, p_holm=p_holm, p_bh=0.0321)
    if gold and place == 4:
        found = replace(
            found, low=None, high=None, p=None, state="at the ceiling", pairs=804, discordant=1, limit=0.007
        )
    if gold and place == 5:
        found = replace(found, state="at chance")
    if name == "xphemism" and place == 1:
        found = Estimate(None, n=1608, state="not answered", missing=0.8)
    gap = None if measure != "bias" or name == "normative" else estimate(rng, 1.0)
    return Finding(
        name, model, measure, key, key, found, headline=not key, smallest_p=1 / 32, bounds=(value - 12.3, value + 10.1),
        refusal_gap=gap, latent=estimate(rng, 0.3) if gold else None,
        excess=ExcessBounds(value - 2.0, value + 1.0, value - 4.0, value + 3.0), accuracy=Estimate(0.8, 0.75, 0.85) if gold else None,
        attainable=40.0 if gold else None, p_holm=p_holm if not key and found.p is not None else None, p_bh=0.0321,
    )  # fmt: skip


def _tables(rng: np.random.Generator, who: list[str], hostile: str, rows: int) -> tuple[ReportTable, ...]:
    columns = (Column("respondent"), *(Column(key, "points", key) for key in KEYS), Column("share", "share"),
               Column("r", "number"), Column("p", "p"), Column("n", "count"))  # fmt: skip

    def row(model: str) -> Mapping[str, Cell]:
        cells: dict[str, Cell] = {key: estimate(rng) for key in KEYS}
        cells[KEYS[2]] = Estimate(None, n=0) if model == who[0] else cells[KEYS[2]]
        share = float(rng.uniform())
        return {"respondent": model, **cells, "share": Estimate(share, share / 2, min(1.0, share * 1.2), n=40),
                "r": float(rng.normal()), "p": float(rng.uniform()), "n": int(rng.integers(20_000))}  # fmt: skip

    long = (
        Column("respondent"),
        Column("config"),
        Column("pattern", title=hostile),
        Column("accuracy", "share"),
    )
    cells: tuple[Mapping[str, Cell], ...] = tuple({"respondent": who[i % len(who)], "config": KEYS[i % len(KEYS)], "pattern": hostile or f"pattern {i}",
                   "accuracy": float(rng.uniform())} for i in range(rows))  # fmt: skip
    return (
        ReportTable("overview", columns, tuple(row(model) for model in who)),
        ReportTable("long", long, cells),
        ReportTable("paper", columns[:4], tuple(row(model) for model in who), mode="paper"),
    )


def _figures(
    rng: np.random.Generator, name: str, who: list[str], findings: tuple[Finding, ...]
) -> tuple[Figure, ...]:
    def caption(id: str) -> Caption:
        return Caption(f"{name}-{id}", "Made-up figure", "What it shows in words.")

    groups = [
        Bar(model.rsplit("/", 1)[-1], side, float(rng.uniform()), 0.2, 0.8)
        for model in who
        for side in ("left", "right")
    ]
    spokes = [
        "welfare state",
        "open foreign policy",
        "law and order",
        "environment",
        "restrictive migration",
        "economic liberalism",
    ]
    polygons = [RadarSeries(model, list(rng.uniform(-1, 1, len(spokes)))) for model in who[:3]]
    shares = [Shares(model, {"left": 0.3, "neither": 0.5, "right": 0.2}) for model in who]
    lines = [Interval(f.respondent, f.estimate.value or 0.0, f.estimate.low or 0.0, f.estimate.high or 0.0)
             for f in findings if f.headline][: len(who)]  # fmt: skip
    return (
        Figure("bars", plot_bars(groups, caption("bars"), "share called valid"), "overview"),
        Figure("web", plot_radar(spokes, polygons, caption("web"))),
        Figure("shares", plot_stacked_shares(shares, caption("shares"), "share of answers"), "long"),
        Figure("lines", plot_intervals(lines, caption("lines-a"), "points"), "overview", subject="English"),
        Figure("lines", plot_intervals(lines, caption("lines-b"), "points"), "overview", subject="German"),
    )


def _sources(who: list[str], instruments: tuple[str, ...]) -> tuple[SampleSource, ...]:
    return tuple(
        SampleSource(f"{model.replace('/', '__')}/samples_polbias_{name}_en.jsonl",
               hashlib.sha256(f"{model}{name}".encode()).hexdigest(), model, f"polbias_{name}_en", "1", f"{name}-dataset",
               "1.0.0", 1600 if name == "policy" else 1608, 1608 if name != "normative" else None)
        for model in who for name in instruments
    )  # fmt: skip


def _comparisons(who: list[str], instruments: tuple[str, ...]) -> tuple[Comparison, ...]:
    rng = np.random.default_rng(9)
    return tuple(
        Comparison(name, "bias", key, key, first, second, estimate(rng), latent=estimate(rng, 0.3), excess=(-3.0, 4.0),
                   unanswered=(12, 7), p_holm=0.4, p_bh=0.08)
        for name in instruments
        for first, second in combinations(who, 2)
        for key in ("", KEYS[0])
    )  # fmt: skip


def _notices(who: list[str], hostile: str) -> tuple[Notice, ...]:
    half = tuple(Notice(f"{model}/samples_policy.jsonl", "1,600 of 1,608 samples are there.", "What is there is used.")
                 for model in who)  # fmt: skip
    return (
        *half,
        Notice(hostile or "gpt-4o", "The task version differs between files.", "Versions are not mixed: the newer one counts.", serious=True),
        *(Notice(f"task {i}", f"Task {i} is none of ours.", "It is left out.") for i in range(8)),
    )  # fmt: skip
