"""Write a proof or a countermodel down as a person would."""

from __future__ import annotations

from polbias.generators.logic.encoding import ACTUAL, Step
from polbias.generators.logic.formula import DEONTIC, EPISTEMIC, Formula, Necessarily, Not, Possibly
from polbias.generators.logic.prover import Verdict, World

# How a world that is accessible is called.
_ACCESSIBLE = {
    DEONTIC: "an acceptable course of things",
    EPISTEMIC: "a state of things that is not ruled out",
}


def explain(verdict: Verdict) -> str:
    """Return the proof of a valid inference, or the countermodel of an invalid one, as one line of text.

    Args:
        verdict: of `polbias.generators.logic.prover.prove`.

    Returns:
        Sentences in English; formulas in the notation of `polbias.generators.logic.formula`; ``w0`` is the
        actual world.
    """
    return proof_text(verdict.proof) if verdict.valid else countermodel_text(verdict.countermodel)


def proof_text(proof: tuple[Step, ...]) -> str:
    """Return a proof by contradiction, its facts numbered."""
    facts = [step for step in proof if step.reason != "access"]
    worlds = {
        world: f"w{index}" for index, world in enumerate(dict.fromkeys((ACTUAL, *(s.world for s in facts))))
    }
    numbers: dict[tuple[Formula | None, int], int] = {}
    lines = []
    for number, step in enumerate(facts, 1):
        lines.append(f"({number}) {_fact(step, numbers, worlds)}")
        numbers.setdefault((step.formula, step.world), number)
    lines += [_access(step, worlds) for step in proof if step.reason == "access"]
    return "; ".join(lines) + ". These cannot all hold."


def _fact(step: Step, numbers: dict[tuple[Formula | None, int], int], worlds: dict[int, str]) -> str:
    where = "" if step.world == ACTUAL else f" at {worlds[step.world]}"
    match step.reason:
        case "premise":
            return f"{step.formula} (premise {step.index})"
        case "conclusion":
            return f"{step.formula} (suppose the conclusion is false)"
        case "postulate":
            return f"{step.formula} (meaning of the words)"
    known = numbers.get((step.source, step.origin))
    origin = "" if step.origin == ACTUAL else f" at {worlds[step.origin]}"
    by = f"by {known}" if known else f"by {step.source}{origin}"
    if step.reason == "witness" and step.world != step.origin:
        return f"{step.formula}{where}, {_kind(step)} ({by})"
    return f"{step.formula}{where} ({by})"


def _access(step: Step, worlds: dict[int, str]) -> str:
    origin = worlds[step.origin]
    if step.world == step.origin:
        return f"what is necessary at {origin} holds at {origin} (T)"
    return f"{worlds[step.world]} is there because what is necessary at {origin} is possible (D)"


def _kind(step: Step) -> str:
    source = step.source.body if isinstance(step.source, Not) else step.source
    assert isinstance(source, Necessarily | Possibly)
    return _ACCESSIBLE.get(source.modality, "an accessible world")


def countermodel_text(worlds: tuple[World, ...]) -> str:
    """Return a description of a countermodel, world by world."""
    if len(worlds) == 1 and not worlds[0].sees:
        return _atoms(worlds[0]) or "nothing holds"
    return ". ".join(_world(world) for world in worlds)


def _world(world: World) -> str:
    seen: dict[str, list[str]] = {}
    for modality, other in world.sees:
        seen.setdefault(modality, []).append(f"w{other}")
    sees = [f"sees {', '.join(others)} ({modality})" for modality, others in seen.items()]
    return f"w{world.number}: " + "; ".join(
        [part for part in (_atoms(world), *sees) if part] or ["sees nothing"]
    )


def _atoms(world: World) -> str:
    return ", ".join([*map(str, world.true), *(str(Not(atom)) for atom in world.false)])
