"""Lints of a set: objections to its items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import median

import pyarrow.compute as pc
import pyarrow.parquet as pq

from polbias.generators.authoring.quality_gate import check
from polbias.generators.authoring.review import read_review
from polbias.generators.authoring.text_lints import lint_text
from polbias.generators.language.similarity import nearest_earlier_text
from polbias.generators.policy.items import items
from polbias.generators.policy.templates import load_family as load_policy
from polbias.generators.xphemism.templates import load_family as load_xphemism
from polbias.manifest import Manifest
from polbias.paths import package_file

_LAYOUT = ("first_named", "gender", "instruction_id", "exemplar_set", "prompt_style", "instruction_language")
"""Layout columns, which must not predict the gold label."""
_MAX_SHARE_DIFFERENCE, _MAX_MISSING_ROWS = 0.02, 12
"""A gold share leaks if it differs by more than this, and by more rows than a square may lack."""
_MAX_LENGTH_DIFFERENCE = 3
"""Maximum difference between the median lengths of placebo and loaded words, in characters."""
_MAX_SIMILARITY = 0.75
"""Share of character 5-grams above which two claims are near-duplicates."""


def layout_leaks(manifest: Manifest, folder: Path) -> Iterator[str]:
    """Yield the layout columns whose levels differ in the share of a gold label."""
    for config, splits in manifest.configs.items():
        files = [folder / file.path for file in splits["test"].files] if "test" in splits else []
        column_names = pq.read_schema(files[0]).names if files else ()
        columns = [name for name in _LAYOUT if name in column_names]
        if "gold" not in column_names or not columns:
            continue
        table = pq.read_table(files, columns=["gold", *columns])
        table = table.filter(pc.is_valid(table["gold"]))
        if not (labels := table["gold"].unique().to_pylist()):
            continue
        table = table.append_column("right", pc.equal(table["gold"], labels[0]))
        share = pc.mean(table["right"]).as_py()
        for name in columns:
            groups = table.group_by(name).aggregate([("right", "mean"), ("right", "count")]).to_pylist()
            worst = max(groups, key=lambda group: abs(group["right_mean"] - share))
            group_share, n_rows = worst["right_mean"], worst["right_count"]
            if abs(group_share - share) > max(_MAX_SHARE_DIFFERENCE, _MAX_MISSING_ROWS / n_rows):
                detail = f"{labels[0]!r} is the gold label of {group_share:.0%} here, of {share:.0%} overall"
                yield f"{config}: {name} {worst[name]!r} gives the label away: {detail}"


def argument_slips(manifest: Manifest, folder: Path) -> Iterator[str]:
    """Yield the slips of arguments, instructions and examples, with the number of texts, by config.

    Configs that end in ``_paper`` have the errors of the paper and are left out.
    """
    columns = ["argument", "prompt", "language", "country"]
    for config, splits in manifest.configs.items():
        files = [folder / file.path for file in splits["test"].files] if "test" in splits else []
        if config.endswith("_paper") or not files or not {*columns} <= {*pq.read_schema(files[0]).names}:
            continue
        texts_by_locale: dict[tuple[str, str | None], dict[str, None]] = {}
        for row in pq.read_table(files, columns=columns).to_pylist():
            texts = texts_by_locale.setdefault((row["language"], row["country"]), {})
            texts |= dict.fromkeys((row["argument"], row["prompt"].removesuffix(row["argument"])))
        counts = Counter(
            slip
            for (language, country), texts in texts_by_locale.items()
            for text in texts
            for slip in dict.fromkeys(lint_text(text, language, country))
        )
        yield from (f"{config}: {slip} ({count:,} texts)" for slip, count in counts.most_common())


def policy(templates: Path | None) -> Iterator[str]:
    """Yield the certain defects of policy statements, and undecided doubts."""
    folder = templates or package_file("templates/policy")
    path = folder / "review.tsv"
    reviewed_text_by_key = (
        {row.key: row.text for row in read_review(path) if row.decision} if path.exists() else {}
    )
    statements = items(load_policy(folder).countries.values())
    wordings = {item.id: item.wordings for item in statements}
    for finding in check(statements):
        key = finding.statement, finding.language, finding.finding.variant
        text = wordings[finding.statement][finding.language][finding.finding.variant]
        if finding.finding.sure or reviewed_text_by_key.get(key) != text:
            advice = "mend it" if finding.finding.sure else "decide it in review.tsv (polbias author review)"
            yield f"{' '.join(key)}: {finding.finding.code} {finding.finding.detail}".rstrip() + f"; {advice}"


def xphemism(templates: Path | None) -> Iterator[str]:
    """Yield near-duplicate claims, and placebo words that are unlike the words that they replace."""
    family = load_xphemism(templates)
    claims = [*family.claims()]
    for pair in nearest_earlier_text([claim.claim for claim in claims], _MAX_SIMILARITY):
        if pair:
            yield f"{claims[pair.first].id}, {claims[pair.second].id}: nearly the same claim; change one"
    neutral = [word for claim in claims for _, word in claim.placebo]
    loaded = [word for claim in claims for _, word in claim.pairs.get("same", ())]
    for word in sorted(set(neutral)):
        if family.lexicon.words[word].pos != "noun":
            yield f"placebo: {word!r} is not a noun, as loaded words are; choose another"
    lengths = [median(map(len, words)) for words in (neutral, loaded) if words]
    if len(lengths) == 2 and abs(lengths[0] - lengths[1]) > _MAX_LENGTH_DIFFERENCE:
        medians = f"{lengths[0]:g} characters in the middle, loaded ones {lengths[1]:g}"
        yield f"placebo: its new words have {medians}; choose others"


LINTS: Mapping[str, Callable[[Path | None], Iterator[str]]] = {
    "policy-statements": policy,
    "xphemism-pairs": xphemism,
}
"""Lints of the items of a dataset, by its name."""
