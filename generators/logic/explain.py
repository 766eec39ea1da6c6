"""Explanations of proofs and countermodels in one line of text."""

from __future__ import annotations

import re
from functools import lru_cache

from polbias.generators.logic.encoding import ACTUAL, ProofStep
from polbias.generators.logic.formula import (
    ALETHIC,
    CERTAINTY,
    DEONTIC,
    EPISTEMIC,
    KNOWLEDGE,
    Formula,
    InferenceForm,
    Logic,
    Not,
    is_plain,
)
from polbias.generators.logic.prover import ProofVerdict, World, decide, instantiate_verdict

_MAX_FALSE_ATOMS = 3
# Placeholder characters for words and individuals in the explanation of a form: signs for bracketed words and
# individuals, letters for plain words (a space precedes letters).
_BRACKETED, _PLAIN, _PERSON = 0xE000, 0x12000, 0xF0000
# Name of an accessible world, by modality.
_ACCESSIBLE = {
    DEONTIC: "an acceptable course of things",
    EPISTEMIC: "a state of things that is not ruled out",
    ALETHIC: "a way things can be",
    CERTAINTY: "a state of things that is not ruled out",
    KNOWLEDGE: "a state of things that may be so for all that is known",
}


def explain(verdict: ProofVerdict) -> str:
    """Return the proof of a valid inference, or the countermodel of an invalid one, as one line of text."""
    return _proof(verdict) if verdict.valid else _countermodel(verdict)


def explain_form(form: InferenceForm, logic: Logic) -> str:
    """Return the explanation of an inference; computed once per form."""
    words = {
        chr((_PLAIN if is_plain(word) else _BRACKETED) + index): word for index, word in enumerate(form.words)
    }
    people = {chr(_PERSON + index): name for index, name in enumerate(form.people)}
    replacements = words | people
    parts = _split_explanation(InferenceForm(form.inference, tuple(words), tuple(people)), logic)
    return "".join([replacements.get(part, part) for part in parts])


@lru_cache(maxsize=16384)
def _split_explanation(form: InferenceForm, logic: Logic) -> tuple[str, ...]:
    """Return the explanation of a form, split at its placeholder characters."""
    marks = "".join((*form.words, *form.people))
    text = explain(instantiate_verdict(decide(form.inference, logic), form))
    return tuple(re.split(f"([{marks}])", text)) if marks else (text,)


def _proof(verdict: ProofVerdict) -> str:
    """Return a proof by contradiction: numbered facts, each with its reason."""
    worlds: dict[int, str] = {ACTUAL: "w0"}
    numbers: dict[tuple[Formula | None, int], int] = {}
    lines: dict[str, None] = {}
    for step in verdict.proof:
        worlds.setdefault(step.world, f"w{len(worlds)}")
        if step.reason == "access":
            lines[_access(step, worlds)] = None
            continue
        number = len(numbers) + 1
        lines[f"({number}) {_fact(step, numbers, worlds)}"] = None
        numbers.setdefault((step.formula, step.world), number)
    if not verdict.consistent:
        end = "So the premises contradict each other, and anything would follow."
    else:
        end = "These cannot all hold." if len(numbers) > 1 else "This cannot hold."
    return f"{'; '.join(lines)}. {end}"


def _fact(step: ProofStep, numbers: dict[tuple[Formula | None, int], int], worlds: dict[int, str]) -> str:
    at_world = "" if step.world == ACTUAL else f" at {worlds[step.world]}"
    match step.reason:
        case "premise":
            return f"{step.formula} (premise {step.index})"
        case "conclusion":
            return f"{step.formula} (suppose the conclusion is false)"
        case "postulate":
            return f"{step.formula} (meaning of the words)"
    number = numbers.get((step.source, step.origin))
    at_origin = "" if step.origin == ACTUAL else f" at {worlds[step.origin]}"
    # An instance of a part of a fact is conditional: "if O A holds, then A holds at w1".
    by = f"(by {number})" if number else f"if {step.source}{at_origin}"
    kind = f", {_kind(step)}" if step.reason == "witness" and step.world != step.origin else ""
    return f"{step.formula}{at_world}{kind} {by}"


def _access(step: ProofStep, worlds: dict[int, str]) -> str:
    if step.world == step.origin:
        return f"what is necessary at {worlds[step.origin]} holds there (T)"
    return f"there is {_kind(step)}, {worlds[step.world]} (D)"


def _kind(step: ProofStep) -> str:
    return _ACCESSIBLE.get(step.modality, "an accessible world")


def _countermodel(verdict: ProofVerdict) -> str:
    """Return a description of a countermodel, world by world."""
    worlds = verdict.countermodel
    if not verdict.modal:  # a single world
        (world,) = worlds
        if len(world.false) <= _MAX_FALSE_ATOMS:
            return _atoms(world)
        true = ", ".join(map(str, world.true))
        return (
            f"{true}; nothing else that is mentioned is true" if true else "nothing that is mentioned is true"
        )
    return ". ".join(map(_world, worlds))


def _world(world: World) -> str:
    numbers_by_modality: dict[str, list[str]] = {}
    for modality, number in world.accessible:
        if number != world.number:
            numbers_by_modality.setdefault(modality, []).append(f"w{number}")
    access = [
        f"has access to {', '.join(numbers)} ({modality})"
        for modality, numbers in numbers_by_modality.items()
    ]
    parts = [part for part in (_atoms(world), *access) if part]
    return f"w{world.number}: " + "; ".join(parts or ["has access to no world"])


def _atoms(world: World) -> str:
    return ", ".join([*map(str, world.true), *(str(Not(atom)) for atom in world.false)])
