"""Balanced configs: every premise and every hypothesis occurs equally often with both gold labels.

All contents of a config run through all its patterns, each in one pair of frames, so that a content has one
sentence per force. The patterns are chosen so that each of these sentences is a hypothesis of as many
entailments as non-entailments, and likewise a premise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from polbias.generators.engine.latin_square import named_rng
from polbias.generators.normative.items import (
    Pair,
    Problem,
    ProblemWriter,
    assign_frames,
    kind_of,
)
from polbias.generators.normative.prompts import read_exemplar_content
from polbias.generators.normative.templates import (
    NECESSITIES,
    Content,
    Domain,
    Force,
    InferencePattern,
    ModalFrame,
    NormativeTemplates,
    Task,
    contents_path,
)
from polbias.yaml_models import field_error

SUFFIX = "_balanced"
_SECTIONS: Mapping[Task, str] = {"logic": "square", "syllogism": "rules"}


@dataclass(frozen=True)
class ContentFrames:
    """Frames of a content.

    Attributes:
        pair: logic: frames of necessity and possibility; syllogism: frames of the rule and of the other modal
            sentence.
        split: syllogism: frame of the rule "only B must C", with the operator after the subject.
    """

    pair: Pair
    split: ModalFrame | None = None

    def frames_of(self, pattern: InferencePattern) -> Pair:
        """Return the frames of the two modal sentences of a pattern, in the order of its forces."""
        first, second = self.pair
        if pattern.task == "syllogism":
            is_only = pattern.is_reversed and pattern.id.startswith("Cat")
            return (self.split if is_only and self.split else first), second
        premise, hypothesis = (
            first if force in NECESSITIES else second for force in (pattern.premise, pattern.hypothesis)
        )
        return premise, hypothesis


def balanced_problems(family: NormativeTemplates, domain: Domain, task: Task) -> list[Problem]:
    """Return the problems of a balanced config; statuses alternate, so any slice is balanced."""
    writer, frames = ProblemWriter(family, domain), draw_content_frames(family, domain, task)
    return [
        writer.compose(pattern, content, frames[content.id].frames_of(pattern))
        for content in balanced_contents(family, domain, task)
        for pattern in family.balanced_patterns_of(domain, task)
    ]


def balanced_contents(family: NormativeTemplates, domain: Domain, task: Task) -> list[Content]:
    """Return the contents of a balanced config: the first of each status or type of rule, in turn.

    Raises:
        InputError: naming the contents file, if a status or type has too few contents.
    """
    section, n_required = _SECTIONS[task], family.dataset.per_cell_balanced[task]
    contents_by_kind: dict[str, list[Content]] = {}
    for content in family.contents[domain, task].sections[section]:
        contents_by_kind.setdefault(kind_of(content), []).append(content)
    for kind, contents in contents_by_kind.items():
        if len(contents) < n_required:
            raise field_error(
                contents_path(family.folder, domain, task),
                section,
                f"found {len(contents)} {kind}, expected at least {n_required}, which is per_cell_balanced "
                "in dataset.yaml; add some, or lower it",
            )
    return [contents[turn] for turn in range(n_required) for contents in contents_by_kind.values()]


def draw_content_frames(
    family: NormativeTemplates, domain: Domain, task: Task
) -> Mapping[str, ContentFrames]:
    """Map each content of a balanced config to its frames; all its problems have them."""
    contents = balanced_contents(family, domain, task)
    rng = named_rng(family.dataset.identity.name, family.dataset.draws, f"balanced/{domain}/{task}")
    kinds = [kind_of(content) for content in contents]
    pairs = assign_frames(frame_pairs(family, domain, task), kinds, rng)
    if task == "logic":
        return {content.id: ContentFrames(pair) for content, pair in zip(contents, pairs, strict=True)}
    splits = _assign_split_frames(family, domain, pairs)
    return {
        content.id: ContentFrames(pair, split)
        for content, pair, split in zip(contents, pairs, splits, strict=True)
    }


def frame_pairs(family: NormativeTemplates, domain: Domain, task: Task) -> list[Pair]:
    """Return the pairs of frames of one flavour that have every form that the patterns use.

    A frame with a second interpretation is not among them. In the epistemic domain, where "all" must have
    scope over the operator, the frame of a rule is a split frame.
    """
    patterns = family.balanced_patterns_of(domain, task)
    if task == "logic":
        forces = {force for pattern in patterns for force in (pattern.premise, pattern.hypothesis)}
        first_forces = forces & {*NECESSITIES}
        second_forces = forces - first_forces
    else:
        first_forces = {pattern.premise for pattern in patterns}
        second_forces = {pattern.hypothesis for pattern in patterns}
    is_split = task == "syllogism"
    first_frames = _frames_with(family, domain, task, first_forces, split=is_split)
    second_frames = _frames_with(family, domain, task, second_forces)
    return [pair for pair in product(first_frames, second_frames) if pair[0].flavour == pair[1].flavour]


def _frames_with(
    family: NormativeTemplates, domain: Domain, task: Task, forces: set[Force], split: bool = False
) -> list[ModalFrame]:
    """Return the frames of one interpretation that can express all forces."""
    admitted = (family.frames[domain].select(task, force, split=split) for force in forces)
    common = set.intersection(*({*frames} for frames in admitted))
    return [frame for frame in family.frames[domain].frames if frame in common and frame.readings is None]


def _assign_split_frames(
    family: NormativeTemplates, domain: Domain, pairs: Sequence[Pair]
) -> Iterator[ModalFrame]:
    """Yield a split frame per pair: the frame of its rule, else those of the flavour in turn."""
    split_frames = [frame for frame in _frames_with(family, domain, "syllogism", {"Mu"}) if frame.split]
    n_assigned = 0
    for rule_frame, _ in pairs:
        if rule_frame.split:
            yield rule_frame
        else:
            candidates = [frame for frame in split_frames if frame.flavour == rule_frame.flavour]
            yield candidates[n_assigned % len(candidates)]
            n_assigned += 1


def balanced_exemplars(family: NormativeTemplates, domain: Domain, task: Task) -> list[Problem]:
    """Return the few-shot examples: each hypothesis with one gold label and with the other."""
    entries, patterns = family.file.balanced_exemplars[task], family.file.patterns
    writer, pairs = ProblemWriter(family, domain), frame_pairs(family, domain, task)
    flavours = [*dict.fromkeys(first.flavour for first, _ in pairs)]
    rng = named_rng(family.dataset.identity.name, family.dataset.draws, f"balanced-exemplars/{domain}/{task}")
    frames: dict[str, ContentFrames] = {}
    for name in dict.fromkeys(entry.content for entry in entries):
        of_flavour = [pair for pair in pairs if pair[0].flavour == flavours[len(frames) % len(flavours)]]
        pair = of_flavour[int(rng.integers(len(of_flavour)))]
        split = next(_assign_split_frames(family, domain, [pair])) if task == "syllogism" else None
        frames[name] = ContentFrames(pair, split)
    return [
        writer.compose(
            patterns[entry.pattern],
            read_exemplar_content(family, domain, patterns[entry.content]),
            frames[entry.content].frames_of(patterns[entry.pattern]),
        )
        for entry in entries
    ]
