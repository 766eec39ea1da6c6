"""Audit published normative reasoning items: format ``normative`` of `polbias audit`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import RootModel

from polbias.generators.auditing.audit import (
    EITHER_LABEL,
    AuditVerdict,
    combine_verdicts,
    confirm,
    decide_modal,
    evidence,
    reading_text,
)
from polbias.generators.auditing.items import DEPENDS, AuditItem, ItemLayout, ItemVerdict, unparsed_verdict
from polbias.generators.auditing.shapes import canonical_shape, instantiates, name_denials
from polbias.generators.auditing.wording import add_related_clauses
from polbias.generators.logic.prover import ItemReading, ReadingError, ReadingResult
from polbias.generators.normative.reading import read_item
from polbias.generators.normative.templates import Domain, InferencePattern, load_patterns
from polbias.generators.table_files import ColumnRole
from polbias.paths import package_file
from polbias.yaml_models import TemplateModel, Text, load_template

DOMAINS: Mapping[str, Domain] = {"deontic": "deontic", "normative": "deontic", "epistemic": "epistemic"}
"""Domain by its name in published files, in lower case."""
_MAX_CACHED = 4000  # forms of items

LAYOUT = ItemLayout(
    roles=(
        ColumnRole("id"),
        ColumnRole("premise", ("premise_en", "premises", "premises_en"), required=True),
        ColumnRole("hypothesis", ("hypothesis_en", "conclusion"), required=True),
        ColumnRole("gold", ("label", "gold_label", "answer"), required=True),
        ColumnRole("pattern", ("inference-pattern", "pattern_id", "inference")),
        ColumnRole("content_type", ("content-type", "content")),
        ColumnRole("domain", ("modal", "modality")),
        ColumnRole("prompt"),
    ),
    texts=("premise", "hypothesis"),
    labels={
        "entailment": True,
        "non-entailment": False,
        "valid": True,
        "invalid": False,
        "not-entailment": False,
        "nonentailment": False,
    },
    duplicate_keys=(("prompt",), ("premise", "hypothesis")),
    cell="content_type",
)


Reader = Callable[[str, str, str | None], ReadingResult]


class NormativeFormat:
    """English items with premises and a hypothesis, on obligations or certainty.

    Args:
        read: reader of items.
        patterns: inference pattern by id.
        exemplars: premise and hypothesis of the few-shot exemplars in the paper.
    """

    name = "normative"
    layout = LAYOUT
    # The codes of polbias.generators.normative.reading.slips.
    meanings: Mapping[str, str] = {
        "agreement": "a verb does not agree with its subject, or has the wrong form after another verb",
        "article": "an indefinite article does not fit the next word (a, an)",
        "capital": "a capital within a sentence, or none at its beginning",
        "foreign-operator": "an operator is of another domain than the item",
        "missing-verb": "a clause has no verb",
        "pronoun": "a pronoun has no antecedent, or an impossible one",
    }

    def __init__(
        self,
        read: Reader,
        patterns: Mapping[str, InferencePattern],
        exemplars: Sequence[Sequence[str]] = (),
    ) -> None:
        self._read = read
        self._patterns = patterns
        self.exemplars = exemplars
        # The key has the forms, the gold label, the domain and the pattern.
        self._verdict_cache: dict[object, tuple[AuditVerdict, ItemVerdict]] = {}

    def judge(self, item: AuditItem, neighbours: Sequence[AuditItem] = ()) -> ItemVerdict:
        """Return the verdict on an item."""
        try:
            return self._judge_item(item)
        except ReadingError as error:
            return unparsed_verdict(str(error))
        except ValueError as error:  # the decision procedure has its limits
            return unparsed_verdict(f"cannot be decided: {error}")

    def _judge_item(self, item: AuditItem) -> ItemVerdict:
        assert item.gold is not None
        domain: str | None = DOMAINS.get((item.values.get("domain") or "").casefold())
        premise, hypothesis = item.sentences
        parsed = self._read(premise, hypothesis, domain)
        if parsed.either:
            domain = EITHER_LABEL
        readings, pattern = add_related_clauses(parsed.readings, domain), item.values.get("pattern")
        forms = tuple([(canonical_shape(r.inference), tuple(r.choices.items())) for r in readings])
        key = forms, item.gold, domain, pattern
        cached = self._verdict_cache.get(key)
        if cached is None:
            # The pattern is matched without the readings of related clauses.
            cached = self._judge_readings(readings, len(parsed.readings), item.gold, domain, pattern)
            if len(self._verdict_cache) >= _MAX_CACHED:
                self._verdict_cache.clear()
            self._verdict_cache[key] = cached
        outcome, judgement = cached
        countermodel, proof = evidence(readings, outcome)
        return replace(
            judgement,
            reading=reading_text(readings, outcome),
            countermodel=countermodel,
            proof=proof,
            slips=parsed.findings,
        )

    def _judge_readings(
        self,
        readings: Sequence[ItemReading],
        n_parsed: int,
        gold: bool,
        domain: str | None,
        pattern_id: str | None,
    ) -> tuple[AuditVerdict, ItemVerdict]:
        points = list(decide_modal(readings, domain))
        outcome = combine_verdicts(gold, points)
        if outcome.verdict != DEPENDS:
            confirm(readings, points)
        readings = readings[:n_parsed]
        findings: list[str] = []
        natural = readings[0].inference
        if not outcome.consistent:
            findings.append("contradictory-premises")
        if natural.conclusion in natural.premises:
            findings.append("conclusion-repeats-premise")
        pattern = self._patterns.get(pattern_id) if pattern_id else None
        instantiates = self._has_form(readings, pattern) if pattern else None
        resembles = None
        if pattern_id and not pattern:
            findings.append("unknown-pattern")
        elif pattern and not instantiates:
            findings.append("does-not-instantiate")
            resembles = next((p.id for p in self._patterns.values() if self._has_form(readings, p)), None)
            if resembles:
                findings.append("other-pattern")
        return outcome, ItemVerdict(
            outcome.verdict,
            instantiates,
            deciding=outcome.deciding,
            findings=tuple(findings),
            resembles=resembles,
        )

    def _has_form(self, readings: Sequence[ItemReading], pattern: InferencePattern) -> bool:
        inferences = [reading.inference for reading in readings]
        if not pattern.strict:
            inferences = [*inferences, *map(name_denials, inferences)]
        return any(instantiates(inference, pattern.form, pattern.strict) for inference in inferences)


class _Exemplar(TemplateModel):
    """A few-shot exemplar in the paper."""

    premise: Text
    hypothesis: Text
    gold: Text
    source: Text


class _Exemplars(RootModel[tuple[_Exemplar, ...]]):
    """templates/normative/exemplars_paper.yaml."""


def make(templates: Path | None = None) -> NormativeFormat:
    """Return the format with the toolkit's reader and patterns."""
    folder = templates or package_file("templates/normative")
    exemplars = load_template(folder / "exemplars_paper.yaml", _Exemplars).root
    return NormativeFormat(
        read_item,
        load_patterns(folder),
        [(exemplar.premise, exemplar.hypothesis) for exemplar in exemplars],
    )
