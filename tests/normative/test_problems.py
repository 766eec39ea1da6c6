"""2,080 problems: counts, congruence, crossing of frames, exemplars, golds."""

from collections import Counter, defaultdict
from itertools import product

import pytest

from polbias.errors import BuildError
from polbias.generators.logic.formula import KD, KT, Formula, Inference, K, Modal, Not, negate
from polbias.generators.logic.prover import prove
from polbias.generators.normative.items import (
    Problem,
    admissible,
    assign_frames,
    draw_frames,
    gold_proof,
    logic_of,
)
from polbias.generators.normative.prompts import exemplars
from polbias.generators.normative.templates import (
    DOMAINS,
    TASKS,
    ActContent,
    Force,
    ModalFrame,
    NormativeTemplates,
    Proposition,
    load_patterns,
)

SQUARE = (
    "NotMu-MiNot",
    "NotMi-MuNot",
    "MiNot-NotMu",
    "Mu-Mi",
    "NotMi-NotMu",
    "NotMu-NotMi",
    "MiNot-MuNot",
    "Mi-Mu",
)
TYPES = ("congruent", "incongruent", "nonsense")

# Verdicts in K, KD and KT as the literature has them (V: entailment).
VERDICTS = {
    "NotMu-MiNot": "VVV", "NotMi-MuNot": "VVV", "MiNot-NotMu": "VVV", "Mu-Mi": "-VV", "NotMi-NotMu": "-VV",
    "NotMu-NotMi": "---", "MiNot-MuNot": "---", "Mi-Mu": "---",
    "FC-Or-Elim": "---", "FC-Or-Intro": "VVV", "Ross-Or-Intro": "VVV",
    "Cat-MP": "VVV", "Cat-MT": "VVV", "Cat-AC": "---", "Cat-DA": "---",
    "Hyp-MP": "VVV", "Hyp-MT": "VVV", "Hyp-AC": "---", "Hyp-DA": "---",
}  # fmt: skip


def test_counts_are_those_of_the_paper(by_task: dict[tuple[str, str], list[Problem]]) -> None:
    golds = {key: Counter(problem.gold_proof.gold for problem in row) for key, row in by_task.items()}
    assert {key: (count["entailment"], count["non-entailment"]) for key, count in golds.items()} == {
        ("deontic", "logic"): (360, 280),
        ("deontic", "syllogism"): (240, 240),
        ("epistemic", "logic"): (300, 180),
        ("epistemic", "syllogism"): (240, 240),
    }
    cells = Counter((p.domain, p.pattern.id, p.content_type) for row in by_task.values() for p in row)
    assert set(cells.values()) == {20}
    assert cells["deontic", "Ross-Or-Intro", "congruent"] == 0
    assert len(cells) == (11 + 8) * 3 - 1 + 2 * 8 * 3


def test_contents_run_through_several_patterns(every: list[Problem]) -> None:
    runs = defaultdict(list)
    for problem in every:
        runs[problem.domain, problem.pattern.task, problem.content.id].append(problem.pattern.id)
    for (_, task, content), patterns in runs.items():
        assert len(set(patterns)) == len(patterns)
        square = {"duty": 8, "known": 8, "obligatory": 8, "prohibition": 5, "forbidden": 5, "excluded": 5}
        square |= {"optional": 3, "open": 3, "nonsense": 8, "choice": 2, "ross": 1}
        assert len(patterns) == (8 if task == "syllogism" else square[content.split("-")[0]]), content


def test_content_never_gives_the_answer_away(every: list[Problem]) -> None:
    golds = defaultdict(Counter)
    for problem in every:
        if problem.pattern.id in SQUARE or problem.pattern.task == "syllogism":
            golds[problem.domain, problem.pattern.task, problem.content.id][problem.gold_proof.gold] += 1
    assert {tuple(sorted(count.values())) for count in golds.values()} <= {(3, 5), (4, 4), (2, 3), (1, 2)}


@pytest.mark.parametrize("pattern", SQUARE)
def test_each_square_pattern_is_congruent_with_one_status(every: list[Problem], pattern: str) -> None:
    """Both sentences of a congruent problem are true, and one of an incongruent problem is false."""
    true = {status: {"Mu", "Mi"} for status in ("known", "duty")}
    true |= {status: {"Mi", "MiNot", "NotMu"} for status in ("open", "optional")}
    denied = {"MuNot", "MiNot", "NotMu", "NotMi"}
    statuses = Counter((p.domain, p.content_type, p.status) for p in every if p.pattern.id == pattern)
    assert set(statuses.values()) == {20}
    assert len(statuses) == 6
    for problem in every:
        if problem.pattern.id == pattern and isinstance(problem.content, ActContent | Proposition):
            forces = {problem.pattern.premise, problem.pattern.hypothesis}
            status = problem.content.status
            if status == "nonsense":
                assert problem.content_type == "nonsense"
            else:
                assert (problem.content_type == "congruent") == (forces <= true.get(status, denied))
                # What is weak throughout is said of what may be done and left, or be so or not.
                if problem.content_type == "congruent" and forces <= {"Mi", "MiNot", "NotMu"}:
                    assert status in ("optional", "open") or {"Mi", "NotMu"} & forces == {"Mi"}


@pytest.mark.parametrize(("domain", "task"), list(product(DOMAINS, TASKS)))
def test_frames_are_crossed_evenly(by_task: dict, family: NormativeTemplates, domain: str, task: str) -> None:
    used, flavours = defaultdict(Counter), defaultdict(Counter)
    for problem in by_task[domain, task]:
        pair = problem.premise_frame, problem.hypothesis_frame
        assert pair[0].flavour == pair[1].flavour
        used[problem.pattern.id][pair] += 1
        flavours[problem.pattern.id, problem.content_type][pair[0].flavour] += 1
    for name, pairs in used.items():
        offered = admissible(family, family.file.patterns[name], domain)
        assert set(pairs) == set(offered)
        for flavour in {first.flavour for first, _ in offered}:
            counts = [count for (first, _), count in pairs.items() if first.flavour == flavour]
            assert max(counts) - min(counts) <= 3, (name, counts)
    for (name, _), counts in flavours.items():
        # What is known of all octopuses need not be known of each: half of that third goes to either flavour.
        spare = 3 if domain == "epistemic" and name.startswith("Cat") else 1
        assert max(counts.values()) - min(counts.values()) <= spare, (name, counts)


def test_patterns_of_one_inference_share_a_draw(by_task: dict, family: NormativeTemplates) -> None:
    for (domain, task), row in by_task.items():
        drawn = draw_frames(family, domain, task)
        for relation in family.file.relations:
            one, other = relation.patterns
            both = [content for name, content in drawn if name == one and (other, content) in drawn]
            same = [content for content in both if drawn[one, content] == drawn[other, content]]
            # "Can choose to", "could" and "must" lack a form, and "known to" has two readings in rules about all.
            assert len(same) >= 0.4 * len(both)
            if relation.kind == "contrapositive" and task == "syllogism":
                assert same == both
        for problem in row:
            frames = problem.premise_frame, problem.hypothesis_frame
            assert {*frames} == {*drawn[problem.pattern.id, problem.content.id]}


def test_can_choose_to_stands_only_where_both_readings_have_the_same_gold(every: list[Problem]) -> None:
    choosing = {p.pattern.id for p in every if "choose" in (p.premise_frame.id, p.hypothesis_frame.id)}
    assert not [
        p
        for p in every
        if p.pattern.id in ("Mu-Mi", "NotMu-MiNot", "FC-Or-Elim") and p.hypothesis_frame.id == "choose"
    ]
    assert not [
        p for p in every if p.pattern.id in ("NotMi-MuNot", "NotMi-NotMu") and p.premise_frame.id == "choose"
    ]
    assert "MiNot-NotMu" in choosing
    assert "Mi-Mu" in choosing


def test_every_reading_of_every_problem_has_its_gold(every: list[Problem]) -> None:
    for problem in every:
        pattern, logic = problem.pattern, logic_of(problem.pattern, problem.domain)
        if pattern.task == "logic":
            premises = _readings(problem.premise_frame, pattern.premise, problem.premises[0].formula)
            conclusions = _readings(problem.hypothesis_frame, pattern.hypothesis, problem.hypothesis.formula)
            for premise, conclusion in product(premises, conclusions):
                verdict = prove(Inference((premise,), conclusion), logic)
                assert verdict.valid == (problem.gold_proof.gold == "entailment"), problem.id


def _readings(frame: ModalFrame, force: Force, formula: Formula) -> tuple[Formula, ...]:
    """Return every formula of a sentence that a frame is used in."""
    content = formula
    while isinstance(content, Not | Modal):
        content = content.body
    readings = frame.formulas(force, content)
    assert readings[0] == formula
    return readings


def test_the_published_verdict_table_is_reproduced() -> None:
    found = {
        name: "".join("V" if prove(pattern.in_domain(domain), logic).valid else "-" for logic in (K, KD, KT))
        for domain in DOMAINS
        for name, pattern in load_patterns().items()
        if pattern.paper
    }
    assert found == VERDICTS


def test_both_golds_of_a_disjunction_are_known(every: list[Problem]) -> None:
    for problem in every:
        differs = problem.gold_proof.gold != problem.gold_proof.gold_sdl
        assert differs == (problem.pattern.id in ("FC-Or-Elim", "FC-Or-Intro", "Ross-Or-Intro"))
        assert (problem.gold_proof.basis == "paper") == differs
        assert (problem.gold_proof.derivation is None) == (problem.gold_proof.gold == "non-entailment")
        assert (problem.gold_proof.countermodel is None) == (problem.gold_proof.gold == "entailment")


def test_a_gold_that_contradicts_its_proof_stops_the_build(every: list[Problem]) -> None:
    problem = next(p for p in every if p.pattern.id == "Mi-Mu")
    mu_mi = load_patterns()["Mu-Mi"]
    with pytest.raises(BuildError, match="Mu-Mi: the gold is 'entailment', but .* is non-entailment in kd"):
        gold_proof(problem.inference, mu_mi, "deontic")


def test_related_patterns_are_the_same_inference(family: NormativeTemplates) -> None:
    """The contrapositive of one is the other, up to the content's negation where the relation says so."""
    for relation in family.file.relations:
        one, other = (family.file.patterns[name].form for name in relation.patterns)
        logics = (K, KD, KT)
        assert [prove(one, logic).valid for logic in logics] == [
            prove(other, logic).valid for logic in logics
        ]
        if relation.kind == "contrapositive":
            *rules, last = one.premises
            assert other.premises[-1] == negate(one.conclusion)
            assert other.conclusion == negate(last)
            assert list(other.premises[:-1]) == rules


def test_exemplars_are_proved_and_never_tested(family: NormativeTemplates, every: list[Problem]) -> None:
    tested = {said.text for p in every for said in (*p.premises[:1], p.hypothesis)}
    for domain, task in product(DOMAINS, TASKS):
        shown = exemplars(family, domain, task)
        assert [p.pattern.id for p in shown] == [p.id for p in family.patterns_of(domain, task)]
        for problem in shown:
            assert problem.gold_proof.gold == problem.pattern.gold
            assert problem.premises[0].text not in tested
            assert problem.hypothesis.text not in tested


def test_spread_is_even_whatever_the_seed() -> None:
    import numpy as np

    family_frames = [type("F", (), {"id": str(i), "flavour": "deontic"})() for i in range(4)]
    pairs = list(product(family_frames[:3], family_frames))
    for seed in range(20):
        chosen = assign_frames(pairs, ["a", "b"] * 30, np.random.default_rng(seed))
        counts = Counter(chosen)
        assert set(counts.values()) == {5}
