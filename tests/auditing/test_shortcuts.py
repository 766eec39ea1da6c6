"""Labels guessed without the task: what was planted is found, chance is not, and a mirror of a balance is no leak."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.linear_model import LogisticRegression

from polbias import registry
from polbias.eval.multiple_testing import holm_adjust
from polbias.generators.auditing.general import table_shortcuts
from polbias.generators.auditing.guessing import fit_logistic
from polbias.generators.auditing.shortcut_designs import ShortcutDesign, read_design, unknown_shortcuts
from polbias.generators.auditing.shortcuts import GuessItem, Shortcut, adjust_shortcuts, find_shortcuts
from tests.auditing.test_any import sentences
from tests.support.process import run_polbias

Generator = np.random.Generator


def found(items: list[GuessItem], **options: Any) -> dict[tuple[str, str], Shortcut]:
    tests = adjust_shortcuts(find_shortcuts(items, **options), holm_adjust)
    return {(test.label, test.clue): test for test in tests}


def leaks(items: list[GuessItem], **options: Any) -> set[tuple[str, str]]:
    return {key for key, test in found(items, **options).items() if test.is_leak}


def inference_items(rng: Generator, n: int, hint: str = "") -> list[GuessItem]:
    """A premise with a hypothesis of each label; with a hint those that follow have another word."""
    items = []
    texts = iter(sentences(3 * n, int(rng.integers(1 << 30))))
    for number in range(n):
        premise = next(texts)
        for gold in ("follows", "open"):
            said = f"{hint} {next(texts)}" if gold == "open" and rng.random() < 0.8 else next(texts)
            items.append(
                GuessItem(
                    {"premise": premise, "hypothesis": said}, gold=gold, group=f"c{number}", block=str(number)
                )
            )
    return items


def test_the_regression_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    features = (rng.random((300, 40)) < 0.2).astype(np.float32)
    labels = features @ rng.normal(size=40) + rng.normal(size=300) > 0
    expected = LogisticRegression(C=1.0, tol=1e-8, max_iter=5000).fit(features[:200], labels[:200])
    scores = fit_logistic(features[:200], labels[:200, None], features[200:])[:, 0]
    assert np.allclose(scores, expected.decision_function(features[200:]), atol=0.02)


def test_a_hypothesis_that_gives_the_label_away() -> None:
    tests = found(inference_items(np.random.default_rng(1), 40, "never"))
    assert tests["gold", "hypothesis"].is_leak
    assert tests["gold", "hypothesis"].guess.accuracy > 0.8
    assert not tests["gold", "premise"].is_leak
    assert tests["gold", "premise"].guess.auc == 0.5  # the same for both labels


def test_a_content_that_always_has_one_label_tells_nothing_of_the_next_content() -> None:
    rng = np.random.default_rng(2)
    contents = sentences(40, 2)
    items = [
        GuessItem({"text": f"{contents[group]} {more}"}, gold=str(group % 2), group=str(group))
        for group in range(40)
        for more in rng.choice(contents[0].split(), 6, replace=False)
    ]
    assert not leaks(items)
    assert ("gold", "words") in leaks([GuessItem(item.parts, item.gold) for item in items])  # without groups


def test_a_group_that_mirrors_the_others_is_no_leak() -> None:
    """Each word has both labels equally often over all, so that a held-out group has the other label."""
    items = [
        GuessItem({"text": f"word{group // 2} {text}"}, gold=str(group % 2), group=str(group))
        for group in range(40)
        for text in sentences(4, 100 + group)
    ]
    test = found(items)["gold", "words"]
    assert test.guess.auc < 0.3
    assert test.guess.auc < test.guess.low
    assert not test.is_leak


def with_names(rng: Generator, n: int, masked: bool) -> list[GuessItem]:
    names = {"left": "Anna Moll", "right": "Bea Kern"}
    return [
        GuessItem(
            {"text": f"{names[side]} says: {text}"},
            side=side,
            group=str(number // 2),
            block=str(number),
            masked=[*names.values()] if masked else (),
        )
        for number, text in enumerate(sentences(n, int(rng.integers(1 << 30))))
        for side in names
    ]


def test_the_side_is_guessed_from_names_unless_they_are_masked() -> None:
    rng = np.random.default_rng(4)
    assert ("side", "words") in leaks(with_names(rng, 40, masked=False))
    assert not leaks(with_names(rng, 40, masked=True))


def test_neutral_items_are_on_no_side() -> None:
    items = with_names(np.random.default_rng(5), 40, masked=False)
    neutral = [GuessItem(item.parts, side="neutral", group=item.group) for item in items]
    assert found(items + neutral)["side", "words"].guess.items == len(items)


@pytest.mark.parametrize("n_groups", [3, 4])
def test_few_groups_allow_no_test(n_groups: int) -> None:
    items = [
        GuessItem({"text": f"{gold * 3} {text}"}, gold=gold, group=str(number % n_groups), block="b")
        for number, text in enumerate(sentences(40, 6))
        for gold in ("yes", "no")
    ]
    test = found(items, are_groups_certain=True)["gold", "words"]
    assert test.guess.auc > 0.9
    assert not test.is_testable
    assert not test.is_leak


def unrelated(rng: Generator, seed: int) -> list[GuessItem]:
    texts = sentences(60, seed)
    return [GuessItem({"text": text}, gold=str(rng.random() < 0.5)) for text in texts]


def clustered(rng: Generator, seed: int) -> list[GuessItem]:
    topics = sentences(12, seed)
    golds = rng.random((12, 5)) < rng.random((12, 1))
    return [
        GuessItem({"text": f"{topics[topic]} {text}"}, gold=str(golds[topic, number % 5]), group=str(topic))
        for number, text in enumerate(sentences(60, seed + 1))
        for topic in [number // 5]
    ]


def minimal_pairs(rng: Generator, seed: int) -> list[GuessItem]:
    """Bases with a valid and an invalid form, each in four copies: the copies are not independent."""
    words, items = [f"w{number}" for number in range(12)], []
    for base, text in enumerate(sentences(16, seed)):
        for gold, word in zip(("valid", "invalid"), rng.choice(words, 2, replace=False), strict=True):
            items += [
                GuessItem({"text": f"{text} {word} {copy}"}, gold=gold, group=str(base), block="b")
                for copy in words[:4]
            ]
    return items


@pytest.mark.parametrize("make", [unrelated, clustered, minimal_pairs])
def test_sets_without_a_shortcut_are_not_accused(make: Callable[[Generator, int], list[GuessItem]]) -> None:
    sets = (make(np.random.default_rng(seed), 10 * seed) for seed in range(25))
    assert sum(bool(leaks(items, n_permutations=99)) for items in sets) <= 5  # at a level of 5%, P(more) < 1%


def test_the_same_set_has_the_same_figures() -> None:
    items = inference_items(np.random.default_rng(7), 30, "never")
    assert found(items) == found(items)
    skipped = found(items, skip_at_chance=True)
    assert {key for key, test in skipped.items() if test.is_leak} == leaks(items)


# Files, builds, and shortcuts that a dataset is known to have.


def table(items: list[GuessItem]) -> list[dict[str, Any]]:
    return [
        {"premise": item.parts["premise"], "hypothesis": item.parts["hypothesis"]}
        | {"label": item.gold, "topic": item.group}
        for item in items
    ]


def test_columns_of_a_file_have_roles(tmp_path: Path) -> None:
    rows = table(inference_items(np.random.default_rng(8), 40, "never"))
    for number, row in enumerate(rows):
        row |= {"who": {"words": row["hypothesis"].split()}, "lean": "lr"[number % 2]}
    path = tmp_path / "set.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    tests = table_shortcuts(path, {}, holm_adjust)
    assert {test.guess.groups for test in tests} == {40}
    assert ("gold", "hypothesis") in {(test.label, test.clue) for test in tests if test.is_leak}
    tests = table_shortcuts(path, {"side": "lean", "mask": "who", "group": "premise"}, holm_adjust)
    assert {test.label for test in tests} == {"gold", "side"}
    assert ("gold", "hypothesis") not in {(test.label, test.clue) for test in tests if test.guess.auc > 0.8}


def test_the_command_says_what_is_guessed(tmp_path: Path) -> None:
    path, out = tmp_path / "set.jsonl", tmp_path / "found.json"
    rows = table(inference_items(np.random.default_rng(9), 30, "never"))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    done = run_polbias("audit", path, "--shortcuts", "-o", out, check=False)
    assert done.returncode == 1
    assert "60 different items in 30 groups" in done.stdout
    records = {(test["label"], test["clue"]): test for test in json.loads(out.read_text("utf-8"))}
    assert records["gold", "hypothesis"]["is_leak"]
    assert not records["gold", "premise"]["is_leak"]
    for extra, said in (
        ((), "expected one of any"),
        (("--shortcuts", "--all"), "an option that it does not use"),
    ):
        refused = run_polbias("audit", path, *extra, check=False)
        assert refused.returncode == 2
        assert said in " ".join(refused.stderr.split())


def test_known_shortcuts_are_accepted_up_to_their_size() -> None:
    test = found(inference_items(np.random.default_rng(10), 40, "never"))["gold", "hypothesis"]

    def design(**known: Any) -> ShortcutDesign:
        whole = {"label": "gold", "clues": ["hypothesis"], "auc": 1, "reason": "the paper's"} | known
        return ShortcutDesign.model_validate({"configs": [], "known": [whole]})

    assert [*unknown_shortcuts([test], design())] == []
    for known in ({"auc": 0.6}, {"label": "side"}, {"clues": ["premise"]}, {"configs": ["other_*"]}):
        assert [*unknown_shortcuts([test], design(**known))] == [test]


def test_each_dataset_of_the_registry_says_what_is_guessed() -> None:
    for name in registry.dataset_names():
        assert read_design(name, registry.publication(name), None)
