"""Panel annotation: a stratified, blind sample of a dataset, and gold labels against majority votes."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path

from polbias.aliases import Document, Json
from polbias.builds import build_advice
from polbias.errors import InputError
from polbias.generators.authoring.annotation.answers import AnnotatorAnswer
from polbias.generators.authoring.annotation.decisions import majority_value, votes
from polbias.generators.authoring.annotation.tasks import (
    ANSWER,
    AnnotationTask,
    PanelForm,
    TaskSet,
    panel_forms,
)
from polbias.generators.engine.latin_square import named_rng
from polbias.paths import build_root


def sample(dataset: str, n: int, seed: int) -> tuple[AnnotationTask, ...]:
    """Draw n distinct texts of the local build, round-robin over the strata, under opaque ids."""
    form = panel_forms()[dataset]
    strata: dict[tuple[str, ...], list[AnnotationTask]] = defaultdict(list)
    seen: set[tuple[str, ...]] = set()
    for row, texts in _iter_rows(build_root() / dataset, form):
        answer = next((name for name, golds in form.answers.items() if row[form.gold] in golds), None)
        if answer is not None and (key := tuple(texts.values())) not in seen:
            seen.add(key)
            blind_id = hashlib.sha256(f"{seed}/{row['id']}".encode()).hexdigest()[:12]
            task = AnnotationTask(blind_id, texts, {"id": row["id"], "gold": answer})
            strata[tuple(str(row[name]) for name in form.strata)].append(task)
    if not 0 < n <= len(seen):
        raise InputError(f"--n: found {n}, expected 1 to {len(seen):,}, the distinct texts of {dataset}")
    rng = named_rng("panel", str(seed), dataset)
    ranked = [
        (rank, turn, stratum[index])
        for stratum, turn in zip(strata.values(), rng.permutation(len(strata)).tolist(), strict=True)
        for rank, index in enumerate(rng.permutation(len(stratum)).tolist())
    ]
    return tuple(task for *_, task in sorted(ranked, key=lambda entry: entry[:2])[:n])


def _iter_rows(folder: Path, form: PanelForm) -> Iterator[tuple[Document, dict[str, str]]]:
    """Yield the rows of a built dataset with their displayed texts."""
    import pyarrow.parquet as pq

    built_configs = sorted(path.name for path in folder.glob("*/"))
    configs = [config for config in built_configs if any(fnmatch(config, name) for name in form.configs)]
    if not configs:
        raise InputError(f"{folder}: found no build; {build_advice([folder.name])}")
    columns, context = {"id", form.gold, *form.strata, *form.shown}, form.beside
    if context:
        columns |= {*context.where, *context.by, context.column}
    for config in configs:
        rows = pq.read_table(folder / config, columns=sorted(columns)).to_pylist()
        context_value_by_key = {}
        if context:
            context_rows = [
                row for row in rows if all(row[name] == value for name, value in context.where.items())
            ]
            context_value_by_key = {
                tuple(row[name] for name in context.by): row[context.column] for row in context_rows
            }
        for row in rows:
            texts = (
                {"beside": context_value_by_key[tuple(row[name] for name in context.by)]} if context else {}
            )
            for name in form.shown:
                texts[name] = "\n".join(row[name]) if isinstance(row[name], list) else row[name]
            yield row, texts


# Comparison of the panel's majority votes with the gold labels.


def against_gold(tasks: TaskSet, answers: Sequence[AnnotatorAnswer]) -> Json:
    """Return how often the majority equals the gold label, overall and by class, and the differing tasks."""
    variable = panel_forms()[tasks.kind].variable
    vote_by_key = votes(answers, [variable])
    n_by_gold, n_agreed_by_gold, differences = Counter[str](), Counter[str](), []
    for task in tasks.tasks:
        vote = vote_by_key.get((task.id, ANSWER), {})
        majority, gold = majority_value(vote), task.row["gold"]
        if majority is None:
            continue
        n_by_gold[gold] += 1
        n_agreed_by_gold[gold] += majority == gold
        if majority != gold:
            differences.append({"id": task.row["id"], "gold": gold, "votes": vote})
    n_rated = sum((task.id, ANSWER) in vote_by_key for task in tasks.tasks)
    n_undecided = n_rated - n_by_gold.total()
    classes = [_share_record("all", n_agreed_by_gold.total(), n_by_gold.total())]
    classes += [
        _share_record(name, n_agreed_by_gold[name], n_by_gold[name])
        for name in variable.values
        if n_by_gold[name]
    ]
    return {"rated": n_rated, "undecided": n_undecided, "classes": classes, "differs": differences}


def _share_record(name: str, count: int, n: int) -> Json:
    """Return a share with its 95% interval (Clopper and Pearson, 1934)."""
    from scipy.stats import binomtest

    low, high = binomtest(count, n).proportion_ci() if n else (0.0, 1.0)
    share = count / n if n else None
    return {"class": name, "as_gold": count, "n": n, "share": share, "low": float(low), "high": float(high)}
