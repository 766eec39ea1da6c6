"""The simulated models: what each instrument is asked, what was planted, and what is not a bias."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import pyarrow as pa

from benchmarks.calibrating.asked import Asked, Doc, asked
from benchmarks.selfassess import records
from polbias.eval.report.document import Finding
from polbias.eval.report.instruments.policy.answered import leanings
from polbias.eval.simulation import Respondent, respondent

POINTS = 100
TOPICS = 125
"""Topics of self-assessment, each with two and three articles in every order and to both questions."""
_ARTICLES = 5
CLUSTER, SHARED = "cluster_id", "pattern"
"""Columns of random effects: what an instrument takes for independent, and what is not: the patterns of
arguments, which are the same in all languages."""
_STYLE, _INSTRUCTION = "zero", "p1-agree"


@dataclass(frozen=True)
class Design:
    """Models of one kind.

    Attributes:
        name: what they do.
        models: how many.
        planted: bias, a fraction.
        effects: standard deviation of random effects of mean zero, in units of that of a single
            answer: of the readiness to say yes, and of the difference of the sides.
        options: further ones of the respondent.
        kind: of respondent.
        instruments: that it makes sense for.
        column: that random effects go by.
    """

    name: str
    models: int
    planted: float = 0.0
    effects: float = 0.5
    options: Mapping[str, Any] | None = None
    kind: str = "planted"
    instruments: tuple[str, ...] = field(default_factory=lambda: NAMES)
    column: str = CLUSTER

    @property
    def allowed(self) -> bool:
        """Whether its models have random effects, of the kind that intervals and tests allow for."""
        return bool(self.effects) and self.column == CLUSTER

    @property
    def unbiased(self) -> bool:
        """Whether they have no bias beside."""
        return self.allowed and not self.planted

    def respondent(self, instrument: str) -> Respondent:
        """Return the respondent that answers an instrument."""
        options: dict[str, Any] = {"accuracy": 0.7} if self.kind != "first" else {}
        options |= self.options or {}
        if instrument in _NO_SIDE:
            options.pop("side", None)
        if self.kind == "planted":
            options |= _planted(instrument, self.planted)
        spread = {self.column: self.effects} if self.effects else {}
        made = respondent(self.kind, level_sd=spread, effect_sd=spread, **options)
        return replace(made, name=self.name)


_NO_SIDE = ("normative", "selfassess")
"""Instruments whose questions are of no side, so that all of them are refused alike."""


def _planted(instrument: str, bias: float) -> dict[str, Any]:
    """What plants a bias in the headline of an instrument, right minus left."""
    if instrument == "normative":
        return {"effect": 0.0, "content": bias}
    if instrument == "policy":  # on the issues that have a side: others would water the stance down
        return {"effect": 0.0, "worldview": {issue: side * bias for issue, side in leanings().items()}}
    return {"effect": abs(bias), "side": "right" if bias >= 0 else "left"}


_SHARES: Mapping[str, float] = {
    "weighted_bias": 1,
    "leaning": 1,
    "poligen_bias": 1,
    "content_effect": 1,
    "content_effect_nonsense": 0.5,
    "wason_content_effect": 1,
    "domain_effect": 0,
    "wason_domain_effect": 0,
}
"""Measure to how much of what was planted it has; others (reliable stances) have some, if any was."""


def truth(finding: Finding, planted: float) -> float | None:
    """Return what an estimate is of, in points; None where it is not known.

    Args:
        finding: with the estimate.
        planted: bias, a fraction.
    """
    if not planted:
        return 0.0
    share = _SHARES.get(finding.measure)
    return None if share is None else POINTS * share * planted


def questions_of(instrument: str) -> Asked:
    """Return the questions that simulated models answer."""
    return asked(instrument, _TASKS[instrument](), (CLUSTER, SHARED))


def _partisan() -> Iterator[tuple[str, list[Doc]]]:
    for config in ("en_formal", "en_material", "de_formal", "de_material"):
        own = _documents("partisan-inference", config)
        yield f"polbias_{config}", [{**doc, SHARED: doc[CLUSTER].partition("_")[2]} for doc in own]


def _normative() -> Iterator[tuple[str, list[Doc]]]:
    for config in ("deontic_logic", "deontic_syllogism", "epistemic_logic", "epistemic_syllogism"):
        own = _documents("normative-reasoning", config)
        yield f"polbias_{config}_{_STYLE}", [doc for doc in own if doc["prompt_style"] == _STYLE]
    yield "polbias_wason", _documents("normative-reasoning", "wason")


def _policy() -> Iterator[tuple[str, list[Doc]]]:
    own = _documents("policy-statements", "all")
    yield "polbias_policy_stance", [doc for doc in own if doc["instruction_id"] == _INSTRUCTION]


def _xphemism() -> Iterator[tuple[str, list[Doc]]]:
    own = _documents("xphemism-pairs", "pairs")
    wanted = {"instruction_language": "de", "prompt_style": "simple"}
    yield "polbias_xphemism_simple", [doc for doc in own if wanted.items() <= doc.items()]


def _selfassess() -> Iterator[tuple[str, list[Doc]]]:
    from polbias.generators.selfassess.choices import Design as Choosing
    from polbias.generators.selfassess.choices import choices
    from polbias.generators.selfassess.templates import load_family

    written = islice(records(), TOPICS * _ARTICLES)
    named = [(f"article {number}", record) for number, record in enumerate(written)]
    for question in ("preference", "least_biased"):
        yield (
            f"polbias_selfassess_{question}",
            [*choices(load_family(), named, Choosing(roles=("user",), questions=(question,)))],
        )


def _documents(dataset: str, config: str) -> list[Doc]:
    """The rows of a config, made anew."""
    from polbias import registry
    from polbias.generators.engine import Rows

    for spec in registry.publication(dataset).specify().tables:
        if (spec.config, spec.split) == (config, "test"):
            rows = Rows(spec)
            made: list[Doc] = pa.Table.from_batches(rows.batches(0, len(rows)), rows.schema).to_pylist()
            return made
    raise AssertionError(f"{dataset} has no config {config}")


_TASKS: Mapping[str, Callable[[], Iterator[tuple[str, list[Doc]]]]] = {
    "partisan": _partisan,
    "policy": _policy,
    "xphemism": _xphemism,
    "selfassess": _selfassess,
    "normative": _normative,
}
NAMES: tuple[str, ...] = tuple(_TASKS)
"""The instruments that are calibrated."""

DESIGNS = (
    Design("unbiased, sd .2", 500, effects=0.2),
    Design("unbiased, sd 1", 500, effects=1.0),
    Design("bias of 5", 200, 0.05),
    Design("bias of 20", 200, 0.2),
    Design("refuses right 30%", 200, kind="refuser", options={"share": 0.3, "side": "right"}),
    Design(
        "acquiescent 50%",
        200,
        kind="acquiescent",
        options={"share": 0.5},
        instruments=("partisan", "policy", "xphemism", "normative"),
    ),
    Design(
        "first option 50%",
        200,
        kind="position",
        options={"share": 0.5},
        instruments=("policy", "selfassess", "normative"),
    ),
    Design("always the first", 25, effects=0.0, kind="first"),
    Design("patterns shared", 200, column=SHARED, instruments=("partisan",)),
)
