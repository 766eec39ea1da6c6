"""Wason selection task: which cards can show that a rule is violated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from operator import itemgetter
from typing import Annotated, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from polbias.aliases import Json
from polbias.generators.engine import Constant, Expression, TableSpec
from polbias.generators.engine.latin_square import named_rng
from polbias.generators.engine.table_columns import STRING, STRINGS, attribute_columns, lookup_over, table
from polbias.generators.language.english import with_indefinite_article
from polbias.generators.logic.explain import explain
from polbias.generators.logic.formula import FOL, Atom, Formula, Implies, Inference, Not
from polbias.generators.logic.prover import ProofVerdict, prove
from polbias.generators.normative.templates import Domain, GroupNoun, NormativeTemplates
from polbias.jinja_texts import TemplateRenderer
from polbias.yaml_models import Name, TemplateModel, Text, load_template, require_unique

CONFIG = "wason"
LETTERS = "ABCD"
ROLES = ("p", "notp", "q", "notq")
_YesNo = Annotated[Mapping[Literal["yes", "no"], Text], Field(min_length=2)]
_ByDomain = Annotated[Mapping[Domain, str], Field(min_length=2)]


class SelectionRule(TemplateModel):
    """Rule "If P, then Q" about a kind of case, with the texts of the cards.

    Attributes:
        domain: deontic if Q must be done, epistemic if Q is claimed to be true.
        type: type of the affirmative form: familiar, arbitrary, or in invented words.
        context: description of the four cards and their sides.
        unit: kind of case.
        p: antecedent, affirmed and negated.
        q: consequent, affirmed and negated.
        p_card: card text for P, and for not P.
        q_card: card text for Q, and for not Q.
    """

    id: Name
    domain: Domain
    type: Literal["congruent", "arbitrary", "nonsense"]
    context: Text
    unit: GroupNoun
    p: _YesNo
    q: _YesNo
    p_card: _YesNo
    q_card: _YesNo
    why: Text


class _Contents(TemplateModel):
    rules: Annotated[tuple[SelectionRule, ...], Field(min_length=1), require_unique("id")]


class _Texts(TemplateModel):
    source: Text
    rule: _ByDomain
    question: _ByDomain
    prompt: str
    forms: Mapping[str, Annotated[Mapping[Literal["p", "q"], Literal["yes", "no"]], Field(min_length=2)]]


@dataclass(frozen=True)
class Selection:
    """Selection task.

    Attributes:
        source: content.
        form: polarity, such as ``"p-notq"``.
        rule: rule as a sentence.
        cards: visible sides in prompt order.
        roles: ``p``, ``notp``, ``q`` or ``notq`` of each card.
        prompt: full text.
        conditional: formula of the rule for one case.
    """

    source: SelectionRule
    form: str
    rule: str
    cards: tuple[str, ...]
    roles: tuple[str, ...]
    prompt: str
    conditional: Implies

    @property
    def id(self) -> str:
        """Form and content, unique among selection tasks."""
        return f"{self.form}/{self.source.id}"

    @property
    def content_type(self) -> str:
        """Type of the content; a familiar rule is incongruent in any form with a negation."""
        reversed_ = self.source.type == "congruent" and self.form != "p-q"
        return "incongruent" if reversed_ else self.source.type

    @property
    def proofs(self) -> Mapping[str, tuple[bool, str]]:
        """Map each letter to whether the card must be turned over, and to the proof or countermodel.

        A card need not be turned over if its visible side entails the rule.
        """
        proofs = {}
        for letter, role in zip(LETTERS, self.roles, strict=True):
            verdict = _prove_rule_kept(role, self.conditional)
            proofs[letter] = not verdict.valid, explain(verdict)
        return proofs

    @property
    def gold(self) -> str:
        """Letters of the cards to turn over, such as ``"A,C"``."""
        return ",".join(letter for letter, (must_turn, _) in self.proofs.items() if must_turn)


def literal(role: str) -> Formula:
    """Return the formula of a card: P, Q, or the negation of one."""
    atom = Atom(role[-1])
    return Not(atom) if role.startswith("not") else atom


def _prove_rule_kept(role: str, conditional: Implies) -> ProofVerdict:
    """Prove whether the visible side of a card entails the rule."""
    return prove(Inference((literal(role),), conditional), FOL)


def selections(family: NormativeTemplates) -> list[Selection]:
    """Return all selection tasks; forms vary fastest, and card orders are balanced."""
    texts = load_template(family.folder / "wason.yaml", _Texts)
    rules = load_template(family.folder / "contents" / "wason.yaml", _Contents).rules
    render = TemplateRenderer(family.folder / "wason.yaml", {"a": with_indefinite_article}).render
    data, n_by_type = family.dataset, Counter[tuple[str, str]]()
    n_used, rng = Counter[tuple[object, ...]](), named_rng(data.identity.name, data.draws, "wason/cards")
    ranked = []
    for rule in rules:  # domains and types alternate
        ranked.append((n_by_type[rule.domain, rule.type], rule))
        n_by_type[rule.domain, rule.type] += 1
    cells = [(rule, form) for _, rule in sorted(ranked, key=itemgetter(0)) for form in texts.forms]
    tasks = []
    for rule, form in cells:
        polarity = texts.forms[form]
        conditional = Implies(*(literal(f"{'' if polarity[x] == 'yes' else 'not'}{x}") for x in ("p", "q")))
        values: Json = {"unit": rule.unit.model_dump(), "context": rule.context}
        values |= {"p": rule.p[polarity["p"]], "q": rule.q[polarity["q"]]}
        rule_sentence = render(f"rule.{rule.domain}", texts.rule[rule.domain], values)
        roles = _next_order(conditional, n_used, rng)
        cards = tuple(_card(rule, role) for role in roles)
        values |= {"cards": cards, "rule": rule_sentence, "question": texts.question[rule.domain]}
        prompt = render("prompt", texts.prompt, values)
        tasks.append(Selection(rule, form, rule_sentence, cards, roles, prompt, conditional))
    return tasks


def _card(rule: SelectionRule, role: str) -> str:
    sides = rule.p_card if role.endswith("p") else rule.q_card
    return sides["no" if role.startswith("not") else "yes"]


def _next_order(
    conditional: Implies, n_used: Counter[tuple[object, ...]], rng: np.random.Generator
) -> tuple[str, ...]:
    """Return the roles of the next task's cards in prompt order.

    Within a form, correct answers, then orders, are balanced; the generator breaks ties.
    """
    turned_roles = {role for role in ROLES if not _prove_rule_kept(role, conditional).valid}

    def usage_keys(order: tuple[str, ...]) -> Sequence[tuple[object, ...]]:
        return (conditional, tuple(role in turned_roles for role in order)), (conditional, order)

    candidates = list(permutations(ROLES))
    shuffled = [candidates[index] for index in rng.permutation(len(candidates))]
    least_used: tuple[str, ...] = min(shuffled, key=lambda order: [n_used[key] for key in usage_keys(order)])
    n_used.update(usage_keys(least_used))
    return least_used


_OF_SELECTION = {
    "prompt": "prompt",
    "gold": "gold",
    "domain": "source.domain",
    "content_type": "content_type",
    "content_id": "source.id",
    "rule": "rule",
    "polarity": "form",
}


def wason_table(family: NormativeTemplates) -> TableSpec:
    """Return the only split of the config."""
    tasks = selections(family)
    source = load_template(family.folder / "wason.yaml", _Texts).source

    lookup = lookup_over("problem", tasks)
    proofs = pa.list_(pa.struct([("card", STRING), ("turn", pa.bool_()), ("proof", STRING)]))
    columns: dict[str, Expression] = {
        **attribute_columns(lookup, _OF_SELECTION),
        "id": lookup(lambda task: f"{CONFIG}/{task.id}"),
        "language": Constant(value=family.instructions.language),
        "template_id": lookup(lambda task: f"wason.{task.source.domain}.{task.form}"),
        "cluster_id": lookup(lambda task: f"{CONFIG}/{task.source.id}"),
        "proof": Constant(value=f"proved:{FOL.name}"),
        "source": Constant(value=source),
        "cards": lookup(lambda task: list(task.cards), STRINGS),
        "card_roles": lookup(lambda task: list(task.roles), STRINGS),
        "logical_form": lookup(lambda task: str(task.conditional)),
        "card_proofs": lookup(
            lambda task: [
                {"card": letter, "turn": must_turn, "proof": text}
                for letter, (must_turn, text) in task.proofs.items()
            ],
            proofs,
        ),
        "prompt_style": Constant(value="zero"),
    }
    levels = {"problem": [task.id for task in tasks]}
    return table(family.dataset.identity, CONFIG, levels, columns, sparse=True)
